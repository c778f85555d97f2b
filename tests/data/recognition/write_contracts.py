"""Write the committed JSON Schemas and examples of the recognition contracts; run it from the top of the checkout."""

import json
from pathlib import Path

from contracts.recognition.schema import schemas

HOME = Path(__file__).parents[3] / "contracts" / "recognition"
JOB = "5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11"
FILE = "c0a8a1de-52a7-4d6e-8a55-6a4f0b8e9c22"
BUCKET = "arm-ka"
RESULT = {"bucket": BUCKET, "key": f"results/{FILE}/{JOB}/result.json"}
AT = "2026-03-31T10:00:05.250000Z"
ROW = {
    "account": "60.01",
    "name": "Расчёты с поставщиками",
    "opening": {"debit": None, "credit": "1200.00"},
    "turnover": {"debit": "300.50", "credit": "100.25"},
    "closing": {"debit": None, "credit": "999.75"},
}
STRUCTURED = {
    "code": "JSON_FAILED",
    "severity": "error",
    "message": "sheet 2 was not read",
    "locator": {"sheet": "ОСВ 60", "row": 14},
}
V1 = {"name": "tabular-parser", "version": "1.4.2"}
V2 = V1 | {"version": "2.0.0", "statements_version": "2026.1"}


def envelope(version: str, status: str, **rest: object) -> dict[str, object]:
    service = V1 if version.startswith("1") else V2
    return {"schema_version": version, "job_id": JOB, "status": status, "service": service, "occurred_at": AT} | rest


EXAMPLES: dict[str, dict[str, object]] = {
    "v1/recognition-request.json": {
        "schema_version": "1.0",
        "job_id": JOB,
        "file_id": FILE,
        "pipeline": "tabular",
        "attempt": 1,
        "s3": {"bucket": BUCKET, "key": f"uploads/{FILE}/osv-2026-03.xlsx"},
        "original_name": "ОСВ март 2026.xlsx",
        "content_type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "size_bytes": 18211,
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "requested_at": "2026-03-31T10:00:00.000000Z",
        "reply_subject": "files.tabular_parsed",
        "reply_deadline": "2026-03-31T10:15:00.000000Z",
    },
    "v1/recognition-result-message.processing.json": envelope("1.0", "processing"),
    "v1/recognition-result-message.done.json": envelope(
        "1.0",
        "done",
        result_s3=RESULT,
        result_schema_version="1.0",
        metrics={"rows": 1, "seconds": 0.42, "warnings": ["sheet=ОСВ 60 строки без родителя"]},
    ),
    "v1/recognition-result-message.needs_check.json": envelope("1.0", "needs_check", result_s3=RESULT),
    "v1/recognition-result-message.error.json": envelope(
        "1.0", "error", error={"code": "UNSUPPORTED_FORMAT", "message": "not a spreadsheet"}
    ),
    "v1/recognition-result.json": {
        "schema_version": "1.0",
        "service": V1,
        "documents": [{"kind": "osv", "title": "ОСВ", "rows": [ROW]}],
        "warnings": ["sheet=ОСВ 60 строки без родителя"],
    },
    "v2/recognition-result-message.processing.json": envelope("2.0", "processing"),
    "v2/recognition-result-message.done.json": envelope(
        "2.0",
        "done",
        result_s3=RESULT,
        result_schema_version="2.0",
        metrics={"rows": 1, "warnings": [STRUCTURED]},
    ),
    "v2/recognition-result-message.needs_check.json": envelope(
        "2.0", "needs_check", result_s3=RESULT, metrics={"warnings": [STRUCTURED | {"locator": None}]}
    ),
    "v2/recognition-result-message.error.json": envelope(
        "2.0", "error", error={"code": "EMPTY_DOCUMENT", "message": "no rows"}
    ),
    "v2/recognition-result.json": {
        "schema_version": "2.0",
        "service": V2,
        "statements": [
            {
                "kind": "osv",
                "title": "ОСВ",
                "currency": "RUB",
                "period": {"from": "2026-01-01", "to": "2026-03-31"},
                "rows": [ROW],
            }
        ],
        "warnings": [STRUCTURED],
    },
}


def write(folder: str, name: str, document: dict[str, object]) -> None:
    path = HOME / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for schema_name, schema in schemas().items():
        write("schemas", schema_name, schema)
    for example_name, example in EXAMPLES.items():
        write("examples", example_name, example)
