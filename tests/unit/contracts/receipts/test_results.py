"""Result events byte for byte, and that nothing escapes but a contract error."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.receipts.receipt import Receipt
from contracts.receipts.results import RunCompleted, decode_result, digest_input, encode_result
from contracts.receipts.schema import schemas
from contracts.wire import ContractError

FOLDER = Path(__file__).parents[4] / "contracts" / "receipts"
EXAMPLES = {path.name: path.read_bytes() for path in (FOLDER / "examples").glob("ocr.*.json")}
ENVELOPE = {
    "schema_version", "event_type", "run_uuid", "pass_id", "source_sha256", "source_reference", "worker",
    "trace_context", "occurred_at", "attempt", "payload", "artifacts",
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_golden_examples_are_read_and_written_back_byte_for_byte(name: str) -> None:
    event = decode_result(EXAMPLES[name])
    assert encode_result(event) == EXAMPLES[name]
    body = json.loads(EXAMPLES[name])
    assert set(body) == ENVELOPE
    assert name == f"{event.name}.json"
    jsonschema.validate(body, schemas()[name.replace(".json", ".schema.json")])


def test_message_ids_name_run_and_pass() -> None:
    ids = {name: decode_result(body).message_id for name, body in EXAMPLES.items()}
    run = json.loads(EXAMPLES["ocr.run-completed.v1.json"])["run_uuid"]
    failed = json.loads(EXAMPLES["ocr.run-failed.v1.json"])["run_uuid"]
    assert ids == {
        "ocr.run-completed.v1.json": f"ocr-result.v1:{run}:run",
        "ocr.pass-completed.v1.json": f"ocr-result.v1:{run}:pass:1",
        "ocr.run-failed.v1.json": f"ocr-result.v1:{failed}:failed",
    }


def test_a_receipt_is_told_with_every_key_also_of_what_is_missing() -> None:
    event = decode_result(EXAMPLES["ocr.run-completed.v1.json"])
    assert isinstance(event, RunCompleted)
    bare = event.model_copy(update={"payload": event.payload.model_copy(update={"receipt": Receipt()})})
    told = json.loads(encode_result(bare))["payload"]["receipt"]
    assert set(told) == set(Receipt.model_fields)
    assert set(told["total"]) == {"value", "raw", "confidence", "source", "page", "box", "alternatives", "status"}


def test_the_digest_ignores_worker_trace_and_time_only() -> None:
    event = decode_result(EXAMPLES["ocr.run-completed.v1.json"])
    other_worker = event.model_copy(update={"worker": event.worker.model_copy(update={"pid": 8})})
    later = event.model_copy(update={"occurred_at": event.occurred_at.replace(year=2027)})
    moved = event.model_copy(update={"source_reference": "b.pdf"})
    assert digest_input(event) == digest_input(other_worker) == digest_input(later)
    assert digest_input(event) != digest_input(moved)


def places(value: object, path: tuple = ()) -> list[tuple]:
    """Return the path of every value inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return (
        [path, *(found for key, each in inner for found in places(each, (*path, key)))]
        if path
        else [found for key, each in inner for found in places(each, (key,))]
    )


def changed(document: dict, path: tuple, value: object) -> dict:
    made = copy.deepcopy(document)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return made


DOCUMENTS = {name: json.loads(body) for name, body in EXAMPLES.items()}
odd = st.none() | st.booleans() | st.integers(-2, 2**70) | st.text(max_size=5) | st.lists(st.none(), max_size=1)


@given(
    st.sampled_from(sorted(DOCUMENTS)).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(places(DOCUMENTS[name])))
    ),
    odd,
)
def test_no_mutation_escapes(place: tuple[str, tuple], value: object) -> None:
    name, path = place
    try:
        event = decode_result(json.dumps(changed(DOCUMENTS[name], path, value)).encode())
    except ContractError as error:
        assert error.code in {"CONTRACT_INVALID", "VERSION_UNKNOWN"}
        return
    assert decode_result(encode_result(event)) == event


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("payload", "receipt", "total", "value"), "NaN"),
        (("payload", "receipt", "total", "value"), "Infinity"),
        (("payload", "receipt", "total", "value"), 12.5),
        (("payload", "receipt", "total", "value"), "1e3"),
        (("payload", "receipt", "currency", "value"), "gbp"),
        (("payload", "persistence_mode"), "other"),
        (("payload", "request_id"), "x"),
        (("occurred_at",), "2026-08-14T10:00:00"),
        (("attempt",), 4),
        (("pass_id",), 1),
        (("schema_version",), True),
        (("event_type",), "ocr.unknown.v1"),
        (("more",), 1),
    ],
)
def test_what_breaks_the_contract_is_refused(path: tuple, value: object) -> None:
    with pytest.raises(ContractError):
        decode_result(json.dumps(changed(DOCUMENTS["ocr.run-completed.v1.json"], path, value)).encode())


def test_more_than_eight_mebibytes_are_neither_read_nor_written() -> None:
    with pytest.raises(ContractError) as caught:
        decode_result(b" " * (8 * 1024 * 1024 + 1))
    assert caught.value.code == "BODY_TOO_LARGE"
