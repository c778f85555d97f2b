"""Text of others on its way into PostgreSQL: any JSON value comes in, one that `text` and `jsonb` take goes out."""

from typing import Any


def storable(value: Any) -> Any:
    """Replace NUL, which PostgreSQL takes in no text, in every string at any depth."""
    match value:
        case str():
            return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        case dict():
            return {storable(key): storable(each) for key, each in value.items()}
        case list() | tuple():
            return type(value)(storable(each) for each in value)
        case _:
            return value
