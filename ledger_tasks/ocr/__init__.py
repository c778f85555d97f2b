"""Stage 2: one receipt's bytes in, what it says out; no database."""
