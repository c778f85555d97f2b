"""Who sits at the keyboard, for what is written down about it."""

import os


def actor() -> str:
    """Return `cli:USER`."""
    return f"cli:{os.environ.get('USER', 'unknown')}"
