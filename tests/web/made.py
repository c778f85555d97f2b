"""What tests of the pages make beside the 5000 receipts: receipts alike, a failed recognition file."""

from datetime import UTC, datetime

from pydantic import SecretStr

from ledger_tasks.collector.apply import collect
from ledger_tasks.storage.database import connect
from tests.support.events import completed, receipt, source

MADE_FILE = """
WITH object AS (
    INSERT INTO recognition.s3_object (bucket, key, bucket_role)
    VALUES ('b', gen_random_uuid()::text, 'uploads') RETURNING id
), file AS (
    INSERT INTO recognition.stored_file (original_name, s3_object_id, status, error_code)
    SELECT 'osv.xlsx', id, 'ERROR', 'READ_FAILED' FROM object RETURNING id
), job AS (
    INSERT INTO recognition.recognition_job (file_id, pipeline, status, error_code, finished_at)
    SELECT id, 'tabular', 'error', 'READ_FAILED', now() FROM file
)
SELECT id::text FROM file
"""


def make_twins(site, merchant: str) -> tuple[str, str]:
    """Two receipts alike: the second waits as a possible duplicate."""
    engine = connect(SecretStr(site.owner.url.render_as_string(hide_password=False).replace("+psycopg", "")))
    said = receipt(merchant=merchant, transaction_date="2026-05-05", currency="EUR", total="12.30")
    names = [f"{merchant} one", f"{merchant} two"]
    for number, name in enumerate(names, start=1):
        collect([completed(name, f"run of {name}", generation=number, said=said)], engine, datetime.now(UTC))
    return source(names[0]), source(names[1])
