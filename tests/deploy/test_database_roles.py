"""What each database role is refused, asked of a real server; what it needs is shown by the whole system running."""

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from deploy.credentials import NAMES, Addresses, make_secrets
from ledger_tasks.devstack import binaries
from tests.deploy.rendered import DEPLOY
from tests.support.servers import Database

REFUSED: dict[str, tuple[str, ...]] = {
    "ledger_publisher": (
        "INSERT INTO budget.receipt_evidence (source_sha256) VALUES ('x')",
        "UPDATE budget.receipt_evidence SET raw_text = ''",
        "INSERT INTO budget.expenses (source_sha256) VALUES ('x')",
        "SELECT * FROM budget.expenses",
        "DELETE FROM budget.dead_letters",
        "UPDATE budget.dead_letters SET code = ''",
        "SELECT * FROM budget.ocr_result_events",
        "SELECT * FROM recognition.recognition_job",
    ),
    "ledger_collector": (
        "DELETE FROM budget.receipt_evidence",
        "DELETE FROM budget.expenses",
        "UPDATE budget.ocr_result_events SET message_id = ''",
        "DELETE FROM budget.ocr_result_events",
        "UPDATE budget.receipt_corrections SET value = NULL",
        "DELETE FROM ingest.publications",
        "SELECT * FROM ingest.source_index",
        "SELECT * FROM recognition.recognition_job",
    ),
    "ledger_core": (
        "DELETE FROM recognition.recognition_job",
        "UPDATE recognition.audit_event SET actor = ''",
        "DELETE FROM recognition.document",
        "DELETE FROM budget.receipt_evidence",
        "DELETE FROM budget.receipt_corrections",
        "UPDATE budget.receipt_ocr_runs SET applied = false",
        "INSERT INTO budget.ocr_result_events (message_id) VALUES ('x')",
        "INSERT INTO ingest.publications (source_sha256) VALUES ('x')",
    ),
}
NOBODY = (
    "CREATE TABLE ingest.mine ()",
    "CREATE SCHEMA mine",
    "DROP TABLE budget.receipt_evidence",
    "TRUNCATE budget.receipt_evidence",
    "ALTER ROLE ledger PASSWORD 'mine'",
    "CREATE ROLE mine",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "UPDATE budget.alembic_version SET version_num = ''",
)


@pytest.mark.parametrize("role", REFUSED)
def test_each_role_is_refused_what_is_anothers(database: Database, role: str) -> None:
    allowed = []
    with psycopg.connect(database.url_of(role)) as connection:
        for statement in (*REFUSED[role], *NOBODY):
            try:
                connection.execute(statement)
                allowed.append(statement)
            except psycopg.errors.InsufficientPrivilege:
                pass
            connection.rollback()
    assert allowed == []


def test_the_shipped_sql_gives_each_role_its_password_and_shows_none(database: Database) -> None:
    """The server's roles are shared by all tests, so the passwords that are set are the ones that they have."""
    server = database.server
    passwords = {name: f"password-of-{name}" for name in NAMES} | {"owner": server.password}
    passwords |= {f"database-{role}": server.logins[f"ledger_{role}"] for role in ("publisher", "collector", "core")}
    made = make_secrets(passwords, Addresses(database=f"127.0.0.1:{server.port}/{database.name}"))
    psql = Path(binaries.postgresql_programs()) / "psql"
    words = [psql, "--no-psqlrc", "--quiet", "--file", DEPLOY / "base" / "passwords.sql"]
    done = subprocess.run(
        words, env={"PATH": os.defpath} | made["database-passwords"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for name in ("publisher", "collector", "core"):
        with psycopg.connect(made[f"{name}-database"]["DATABASE_URL"]) as connection:
            assert connection.execute("SELECT current_user").fetchone() == (f"ledger_{name}",)
