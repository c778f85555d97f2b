"""Database and cache from the receipts themselves and what people said about them."""
