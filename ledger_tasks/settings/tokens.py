"""The tokens of the HTTP API: the text of LEDGER_API_TOKENS comes in, named tokens or reasons without values go out."""

from typing import Literal, NamedTuple

from pydantic import SecretStr


class ApiToken(NamedTuple):
    """Who may do what: `read` is GET, `operate` is everything."""

    name: str
    scope: Literal["read", "operate"]
    secret: SecretStr


def parse_tokens(text: str) -> tuple[list[ApiToken], list[str]]:
    """Read `name:read|operate:token,...`; return the tokens and what is wrong, by the place of the entry."""
    tokens: list[ApiToken] = []
    wrong: list[str] = []
    for place, entry in enumerate(filter(None, text.split(",")), start=1):
        match entry.strip().split(":", 2):
            case [name, ("read" | "operate") as scope, secret] if name and secret:
                tokens.append(ApiToken(name, scope, SecretStr(secret)))
            case _:
                wrong.append(f"LEDGER_API_TOKENS: entry {place} is not name:read:token or name:operate:token")
    return tokens, wrong
