"""Tables and how to reach them: SQLAlchemy only."""
