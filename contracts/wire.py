"""JSON on the wire: bytes come in and become a validated model or a ContractError; models go out as canonical bytes."""

import json
from collections.abc import Iterable
from typing import Any, Final, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MAX_DEPTH: Final = 64
"""Nesting allowed in a body. Deeper than any contract of ours, far below Python's recursion limit."""

_CONTAINERS: Final = (dict, list)

Model = TypeVar("Model", bound="Wire")


class ContractError(ValueError):
    """A body that breaks its contract. `code` is one of the failure codes, `detail` never quotes the input."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class Wire(BaseModel):
    """Base of every contract model: frozen, strict, no unknown key, no NaN, and inputs hidden in errors."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        hide_input_in_errors=True,
        allow_inf_nan=False,
        val_json_bytes="base64",
        ser_json_inf_nan="null",
    )


def canonical(value: object) -> bytes:
    """Return JSON with sorted keys, no spaces and non-ASCII escaped: equal values give equal bytes."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def encode(model: Wire, limit: int) -> bytes:
    """Return the canonical bytes of a model, every key of it. Raise BODY_TOO_LARGE over `limit` bytes."""
    body = canonical(model.model_dump(mode="json", by_alias=True))
    if len(body) > limit:
        raise ContractError("BODY_TOO_LARGE", f"{len(body)} bytes, the limit is {limit}")
    return body


def parse_object(body: bytes, limit: int) -> dict[str, Any]:
    """Parse one JSON object with unique keys, finite numbers and bounded size and depth; else ContractError."""
    if len(body) > limit:
        raise ContractError("BODY_TOO_LARGE", f"{len(body)} bytes, the limit is {limit}")
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except ContractError:
        raise
    except UnicodeDecodeError:
        raise ContractError("CONTRACT_INVALID", "the body is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ContractError("CONTRACT_INVALID", "the body is not valid JSON") from None
    if not isinstance(value, dict):
        raise ContractError("CONTRACT_INVALID", f"the body is a JSON {type(value).__name__}, not an object")
    _check_depth(value)
    return value


def validate(model: type[Model], body: bytes) -> Model:
    """Validate bytes that `parse_object` has already accepted; else ContractError with locations and reasons only."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise ContractError("CONTRACT_INVALID", reasons(error)) from None


def reasons(error: ValidationError) -> str:
    """Say where and why a validation failed, without the input: `attempt: Input should be ...; ...` (5 at most)."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [f"{'.'.join(str(part) for part in each['loc']) or 'body'}: {each['msg']}" for each in found[:5]]
    more = [f"and {len(found) - 5} more"] if len(found) > 5 else []
    return "; ".join(shown + more)[:400]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ContractError("CONTRACT_INVALID", "a key stands twice in one object")
    return found


def _refuse_constant(_name: str) -> NoReturn:
    raise ContractError("CONTRACT_INVALID", "NaN and Infinity are not numbers here")


def _check_depth(value: object) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for each in level for child in _children(each) if type(child) in _CONTAINERS]
        if not level:
            return
    raise ContractError("CONTRACT_INVALID", f"the body is nested deeper than {MAX_DEPTH} levels")


def _children(container: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return container.values() if type(container) is dict else container
