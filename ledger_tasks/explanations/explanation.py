"""What is said about one code."""

from typing import NamedTuple


class Explanation(NamedTuple):
    """`next` is a command; {id} stands for the dead letter or file, {ref} for the receipt."""

    meaning: str
    remedy: str
    next: str
