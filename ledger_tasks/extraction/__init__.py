"""Recognized lines in, a receipt with evidence and doubt out; pure."""
