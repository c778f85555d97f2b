"""One way to read settings: the environment, frozen, with inputs hidden from every error."""

from typing import TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from ledger_tasks.errors import ConfigurationError


class Settings(BaseSettings):
    """Base of every part. No model validators here or below: their errors would carry the whole input."""

    model_config = SettingsConfigDict(
        env_nested_delimiter="__",
        hide_input_in_errors=True,
        frozen=True,
        extra="ignore",
    )

    def problems(self) -> list[str]:
        """Say what no single field can know, as `KEY: reason` without values; each part adds to its base's."""
        return []


Role = TypeVar("Role", bound=Settings)


def load(role: type[Role]) -> Role:
    """Read the environment for one role. Raises ConfigurationError with key names and reasons only."""
    lines: list[str]
    try:
        settings = role()
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        lines = [f"{'__'.join(str(part) for part in each['loc']).upper()}: {each['msg']}" for each in found]
    except SettingsError:
        lines = ["a nested key could not be parsed"]
    else:
        lines = settings.problems()
        if not lines:
            return settings
    raise ConfigurationError(
        "settings are wrong: " + "; ".join(lines),
        remedy="Set the named environment variables; `ledger dev env` prints a working set for this checkout.",
        next_command="ledger doctor",
    ) from None
