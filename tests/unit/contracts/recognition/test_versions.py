"""Bytes in, the model of their own MAJOR or a contract error out; nothing else ever escapes."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import contracts.recognition as package
from contracts.recognition.envelope_v1 import EnvelopeV1
from contracts.recognition.envelope_v2 import EnvelopeV2
from contracts.recognition.request import decode_request, encode_request, make_request
from contracts.recognition.result_v1 import ResultV1
from contracts.recognition.result_v2 import ResultV2
from contracts.recognition.versions import UnknownMajor, decode_envelope, decode_result
from contracts.wire import ContractError

EXAMPLES = Path(package.__file__).parent / "examples"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["schema_version", "job_id", "status", "service", "metrics", "error", "result_s3", "occurred_at"]
)


def example(name):
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


def body(document):
    return json.dumps(document).encode()


def done(major):
    return example(f"v{major}/recognition-result-message.done.json")


@pytest.mark.parametrize(
    ("version", "model"), [("1", EnvelopeV1), ("1.7", EnvelopeV1), ("2", EnvelopeV2), ("2.9", EnvelopeV2)]
)
def test_the_major_stands_before_the_first_point_and_any_minor_of_it_is_read(version, model):
    assert isinstance(decode_envelope(body(done(version[0]) | {"schema_version": version})), model)


@pytest.mark.parametrize("version", ["3.0", "0.9", "", "10.0", "two"])
def test_an_unknown_major_is_a_value_in_envelopes_and_result_files(version):
    assert decode_envelope(body({"schema_version": version})) == UnknownMajor(version.split(".", maxsplit=1)[0])
    assert decode_result(body({"schema_version": version}), 1000) == UnknownMajor(version.split(".", maxsplit=1)[0])


def test_each_result_file_is_read_by_the_model_of_its_own_major():
    assert isinstance(decode_result(body(example("v1/recognition-result.json")), 10_000), ResultV1)
    assert isinstance(decode_result(body(example("v2/recognition-result.json")), 10_000), ResultV2)


def test_an_unknown_optional_field_is_accepted():
    assert decode_envelope(body(done(2) | {"queue_seconds": 3})) == decode_envelope(body(done(2)))


def test_a_warning_of_1_x_is_wrapped_into_the_structure_of_2_0():
    assert decode_envelope(body(done(1))).stored_metrics()["warnings"] == [
        {"code": "LEGACY_WARNING", "severity": "info", "message": "sheet=ОСВ 60 строки без родителя", "locator": None}
    ]


def test_a_warning_of_2_0_keeps_even_the_fields_that_we_do_not_know():
    sent = {
        "code": "JSON_FAILED",
        "severity": "error",
        "message": "m",
        "locator": {"sheet": "A", "cells": [1, 2]},
        "hint": "h",
    }
    assert decode_envelope(body(done(2) | {"metrics": {"warnings": [sent]}})).stored_metrics() == {"warnings": [sent]}


def test_a_number_beyond_json_is_refused():
    with pytest.raises(ContractError):
        decode_envelope(body(done(2)).replace(b'"rows": 1', b'"rows": 1e999'))


def test_a_request_is_the_same_bytes_after_a_round_trip():
    found = encode_request(decode_request(body(example("v1/recognition-request.json"))))
    assert encode_request(decode_request(found)) == found


@given(st.binary(max_size=200))
def test_no_bytes_let_anything_but_a_contract_error_escape(blob):
    for decode in (decode_envelope, decode_request, lambda each: decode_result(each, 1000)):
        with pytest.raises(ContractError):
            decode(blob)


@given(st.sampled_from([1, 2]), st.dictionaries(KEYS, JSON, max_size=3))
def test_no_json_lets_anything_but_a_contract_error_escape(major, changed):
    with contextlib.suppress(ContractError):
        assert isinstance(decode_envelope(body(done(major) | changed)), EnvelopeV1 | EnvelopeV2 | UnknownMajor)


@pytest.mark.parametrize("major", [1, 2])
def test_metrics_are_optional_and_statements_version_belongs_to_major_2(major):
    sent = {key: value for key, value in done(major).items() if key != "metrics"}
    found = decode_envelope(body(sent))
    assert found.stored_metrics() == {}
    assert decode_envelope(body(sent | {"metrics": {"rows": 1}})).stored_metrics() == {"rows": 1}
    assert found.statements_version == {1: None, 2: "2026.1"}[major]


def test_a_request_is_made_of_its_fields_and_its_id_is_that_of_its_attempt():
    fields = example("v1/recognition-request.json")
    address = fields.pop("s3")
    del fields["schema_version"]
    made = make_request(**address, **fields)
    assert made == decode_request(body(example("v1/recognition-request.json")))
    assert made.message_id == f"{fields['job_id']}:1"


def test_a_request_that_cannot_be_made_says_why_without_the_value():
    fields = example("v1/recognition-request.json")
    del fields["schema_version"], fields["s3"]
    with pytest.raises(ContractError, match="key") as refused:
        make_request(bucket="arm-ka", key="secret" * 500, **fields)
    assert "secret" not in str(refused.value)
