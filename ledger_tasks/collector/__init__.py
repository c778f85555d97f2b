"""Stage 3: result events of OCR become rows of PostgreSQL, each exactly once."""
