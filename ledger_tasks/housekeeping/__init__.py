"""What keeps the house in order by itself: dead letters find their rows, and old files go."""
