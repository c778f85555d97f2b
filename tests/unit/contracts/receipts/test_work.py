"""Work messages byte for byte: vectors, golden examples, and that nothing escapes but a contract error."""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import identity
from contracts.receipts.schema import schemas
from contracts.receipts.work import (
    ProcessReceipt,
    RebuildCache,
    RebuildCacheInBatch,
    ReprocessReceipt,
    decode_work,
    encode_work,
    process,
)
from contracts.wire import ContractError

FOLDER = Path(__file__).parents[4] / "contracts" / "receipts"
SHA = "a" * 64
REF = "2026-08-14/receipts_20260814_0001.pdf"
BATCH = "840023b1-a078-4914-b074-81bd7129bb75"
V1 = {"version": 1, "source_sha256": SHA, "source_reference": REF, "attempt": 1}
V2 = V1 | {"version": 2, "request_id": BATCH}
V3 = V1 | {"version": 3, "request_id": BATCH}
V3_BATCH = V3 | {"batch_id": BATCH, "batch_index": 2, "batch_total": 3}


def test_derived_ids_are_the_published_vectors() -> None:
    assert identity.batch_cache_request(BATCH, REF) == "83ac198b-6f84-5e45-8abe-007595651ac1"
    assert identity.batch_reprocess_request(BATCH, REF) == "9b28fe12-eac0-527d-8e07-aa79c74ad998"
    completed = datetime.fromtimestamp(1786723200.123456, UTC)
    assert identity.missing_cache_request(SHA, REF, completed) == "2892fe06-da3c-5ce7-a6cb-520f26546e11"


def test_v1_is_written_byte_for_byte() -> None:
    assert encode_work(process(SHA, "ä/b.pdf")) == (
        b'{"attempt":1,"source_reference":"\\u00e4/b.pdf","source_sha256":"' + SHA.encode() + b'","version":1}'
    )


@pytest.mark.parametrize(
    ("body", "kind", "message_id", "message_type"),
    [
        (V1, ProcessReceipt, f"receipt.v1:{SHA}", "receipt.process.v1"),
        (V2, ReprocessReceipt, f"receipt.reprocess.v2:{SHA}:{BATCH}", "receipt.reprocess.v2"),
        (V3, RebuildCache, f"receipt.cache-rebuild.v3:{SHA}:{BATCH}", "receipt.cache-rebuild.v3"),
        (V3_BATCH, RebuildCacheInBatch, f"receipt.cache-rebuild.v3:{SHA}:{BATCH}", "receipt.cache-rebuild.v3"),
    ],
)
def test_each_version_has_its_type_and_a_stable_id(body, kind, message_id, message_type) -> None:
    work = decode_work(json.dumps(body, indent=2).encode())
    assert type(work) is kind
    assert (work.message_id, work.message_type) == (message_id, message_type)
    assert (work.next_attempt().message_id, work.next_attempt().attempt) == (message_id, 2)
    assert json.loads(encode_work(work)) == body


@pytest.mark.parametrize("path", sorted((FOLDER / "examples").glob("receipt.*.json")), ids=lambda path: path.name)
def test_golden_examples_are_read_and_written_back_byte_for_byte(path: Path) -> None:
    body = path.read_bytes()
    assert encode_work(decode_work(body)) == body
    jsonschema.validate(json.loads(body), schemas()[path.name.replace(".json", ".schema.json")])


def test_the_committed_schemas_are_those_of_the_models() -> None:
    committed = {path.name: json.loads(path.read_text()) for path in (FOLDER / "schemas").iterdir()}
    assert committed == schemas()


def without(body: dict, key: str) -> dict:
    return {name: value for name, value in body.items() if name != key}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (V1 | {"version": True}, "CONTRACT_INVALID"),
        (V1 | {"version": 1.0}, "CONTRACT_INVALID"),
        (V1 | {"version": "1"}, "CONTRACT_INVALID"),
        (without(V1, "version"), "CONTRACT_INVALID"),
        (V1 | {"version": 0}, "VERSION_UNKNOWN"),
        (V1 | {"version": 4}, "VERSION_UNKNOWN"),
        (V1 | {"version": 10**30}, "VERSION_UNKNOWN"),
        (without(V1, "attempt"), "CONTRACT_INVALID"),
        (V1 | {"attempt": 0}, "CONTRACT_INVALID"),
        (V1 | {"attempt": 4}, "CONTRACT_INVALID"),
        (V1 | {"attempt": True}, "CONTRACT_INVALID"),
        (V1 | {"request_id": BATCH}, "CONTRACT_INVALID"),
        (V2 | {"request_id": BATCH.upper()}, "CONTRACT_INVALID"),
        (V2 | {"request_id": BATCH.replace("-", "")}, "CONTRACT_INVALID"),
        (without(V2, "request_id"), "CONTRACT_INVALID"),
        (without(V3_BATCH, "batch_id"), "CONTRACT_INVALID"),
        (V3_BATCH | {"batch_index": 4}, "CONTRACT_INVALID"),
        (V3_BATCH | {"batch_index": 0}, "CONTRACT_INVALID"),
        (V3 | {"batch_id": None, "batch_index": None, "batch_total": None}, "CONTRACT_INVALID"),
        (V1 | {"source_sha256": SHA.upper()}, "CONTRACT_INVALID"),
        (V1 | {"source_sha256": SHA + "\n"}, "CONTRACT_INVALID"),
        (V1 | {"source_reference": 7}, "CONTRACT_INVALID"),
        (V1 | {"source_reference": "../x", "attempt": 9}, "CONTRACT_INVALID"),
    ],
)
def test_what_breaks_the_contract_has_its_code(body: dict, code: str) -> None:
    with pytest.raises(ContractError) as caught:
        decode_work(json.dumps(body).encode())
    assert caught.value.code == code


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "/a",
        "../a",
        "a/../b",
        "a//b",
        "a/",
        "./a",
        "a/.b",
        ".a",
        "a\\b",
        "a\x00b",
        "a\nb",
        "a\x7f",
        "\ud800",
        "a\x85b",
    ],
)
def test_a_path_that_is_not_plain_is_unsafe(reference: str) -> None:
    with pytest.raises(ContractError) as caught:
        decode_work(json.dumps(V1 | {"source_reference": reference}).encode())
    assert caught.value.code == "PATH_UNSAFE"


def test_8192_bytes_are_read_and_one_more_is_not() -> None:
    body = json.dumps(V1).encode()
    assert decode_work(body.ljust(8192))
    with pytest.raises(ContractError) as caught:
        decode_work(body.ljust(8193))
    assert caught.value.code == "BODY_TOO_LARGE"
    with pytest.raises(ContractError) as caught:
        encode_work(process(SHA, "ä" * 1500))
    assert caught.value.code == "BODY_TOO_LARGE"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"NaN",
        b'{"a":NaN}',
        b"[" * 100_000,
        b'{"a":' * 3000,
        b"1" * 5000,
        b'{"version":1,"version":1}',
        b'{"version":1,"x":{"a":1,"a":2}}',
        b"\x00",
    ],
)
def test_no_odd_body_escapes_as_anything_but_a_contract_error(body: bytes) -> None:
    with pytest.raises(ContractError):
        decode_work(body)


@given(st.binary(max_size=300))
def test_no_bytes_escape(body: bytes) -> None:
    with pytest.raises(ContractError):
        decode_work(body)


keys = st.sampled_from([*V3_BATCH, "other"])
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text() | st.just(SHA) | st.just(BATCH),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([V1, V2, V3, V3_BATCH]), st.dictionaries(keys, odd, max_size=3))
def test_no_mutation_escapes_and_what_is_read_is_written_back(base: dict, changes: dict) -> None:
    try:
        work = decode_work(json.dumps(base | changes).encode())
    except ContractError as error:
        assert error.code in {"CONTRACT_INVALID", "VERSION_UNKNOWN", "PATH_UNSAFE", "BODY_TOO_LARGE"}
        assert len(error.detail) <= 512
        return
    assert decode_work(encode_work(work)) == work


segments = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="/\\"), min_size=1, max_size=20)
references = st.lists(segments.filter(lambda each: not each.startswith(".")), min_size=1, max_size=4).map("/".join)


@given(references, st.integers(1, 3))
def test_decode_inverts_encode(reference: str, attempt: int) -> None:
    work = process(SHA, reference, attempt)
    assert decode_work(encode_work(work)) == work
