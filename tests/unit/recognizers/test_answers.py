"""What our services write is what the contracts of both MAJORs read."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import contracts.recognition as package
from contracts.recognition.envelope_v1 import EnvelopeV1
from contracts.recognition.envelope_v2 import EnvelopeV2
from contracts.recognition.request import decode_request
from contracts.recognition.result_v1 import ResultV1
from contracts.recognition.result_v2 import ResultV2
from contracts.recognition.versions import decode_envelope, decode_result
from ledger_tasks.recognizers.answers import Service, acknowledgement, failure, result_file, success
from ledger_tasks.recognizers.outcome import Found, Remark, Row, Statement, Unreadable

AT = datetime(2026, 3, 31, tzinfo=UTC)
REQUEST = decode_request((Path(package.__file__).parent / "examples/v1/recognition-request.json").read_bytes())
ROW = Row("60.01", "A", {("opening", "debit"): Decimal("1E+3"), ("closing", "credit"): Decimal("-0.50")})
FOUND = Found(
    [Statement("osv", [ROW], "T", "RUB", date(2026, 1, 1), None)], [Remark("TOTAL_MISMATCH", "m", locator={"row": 3})]
)


@pytest.mark.parametrize(
    ("contract", "envelope", "result"), [("1.0", EnvelopeV1, ResultV1), ("2.0", EnvelopeV2, ResultV2)]
)
def test_every_answer_is_read_by_the_model_of_its_major(contract, envelope, result):
    service = Service("tabular-parser", "1", contract)
    ack = acknowledgement(service, REQUEST, AT)
    checked, done = success(service, REQUEST, FOUND, AT), success(service, REQUEST, Found(FOUND.statements), AT)
    refused = failure(service, REQUEST, Unreadable("EMPTY_DOCUMENT", "no rows"), AT)
    bodies = [decode_envelope(each.body) for each in (ack, checked, done, refused)]
    assert [type(each) for each in bodies] == [envelope] * 4
    assert [each.status for each in bodies] == ["processing", "needs_check", "done", "error"]
    assert ack.message_id == f"ack:{REQUEST.job_id}:1"
    assert {each.message_id for each in (checked, done, refused)} == {f"result:{REQUEST.job_id}:1"}
    assert {each.subject for each in (ack, checked, refused)} == {REQUEST.reply_subject}
    (warning,) = bodies[1].stored_metrics()["warnings"]
    assert warning["code"] == {"1.0": "LEGACY_WARNING", "2.0": "TOTAL_MISMATCH"}[contract]
    written = decode_result(result_file(service, FOUND), 10_000)
    assert type(written) is result
    (row,) = (written.documents if contract == "1.0" else written.statements)[0].rows
    assert (row.opening.debit, row.opening.credit, row.closing.credit) == ("1000", None, "-0.50")
