"""`ledger accounting export` beside a real database: the same twice, then exactly what changed."""

import csv
import io
import json

import psycopg
import pytest

from ledger_tasks.cli import run
from tests.support.events import source

BOOKINGS = """
INSERT INTO budget.expenses (source_sha256, merchant, date, currency, total, category) VALUES
    (%(mine)s, 'Café Zoë', '2026-08-14', 'EUR', 1007.5, 'food'),
    (NULL, 'Bank fee', '2026-08-31', 'EUR', 0.0001, NULL),
    (%(other)s, 'Old', '2026-07-31', 'EUR', 1, NULL)
"""
ITEMS = """
INSERT INTO budget.expense_items (expense_id, position, description, quantity, unit_price, total)
SELECT id, 1, 'Cake', 2, 503.75, 1007.5 FROM budget.expenses WHERE merchant = 'Café Zoë'
"""
MINE, OTHER = source("mine"), source("other")


@pytest.fixture
def export(database, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", database.url_of("ledger_core"))

    def command(*words):
        assert run(["accounting", "export", "--since", "2026-08-01", "--until", "2026-08-31", *words]) == 0
        return capsys.readouterr()

    return command


def test_an_export_marks_what_it_told_and_the_next_one_says_what_changed(database, export, tmp_path):
    with psycopg.connect(database.url, autocommit=True) as owner:
        owner.execute(BOOKINGS, {"mine": MINE, "other": OTHER})
        owner.execute(ITEMS)

        assert json.loads(export("--json", "--dry-run").out)["counts"]["new"] == 2
        assert owner.execute("SELECT count(exported_at) FROM budget.expenses").fetchone() == (0,)

        first = export()
        rows = list(csv.DictReader(io.StringIO(first.out)))
        assert [(row["business_key"], row["total"]) for row in rows] == [(MINE, "1007.50"), ("booking:2", "0.0001")]
        marked = owner.execute("SELECT id, exported_at FROM budget.expenses WHERE exported_at IS NOT NULL").fetchall()
        assert [row[0] for row in marked] == [1, 2]

        again = export()
        assert again.out == first.out
        assert "2 unchanged" in again.err
        assert owner.execute("SELECT id, exported_at FROM budget.expenses WHERE id < 3").fetchall() == marked

        owner.execute("UPDATE budget.expenses SET total = 7, exported_at = NULL WHERE id = 1")
        owner.execute("UPDATE budget.expenses SET source_sha256 = %s WHERE id = 2", [source("adopts")])
        owner.execute("UPDATE budget.expenses SET date = '2026-08-02' WHERE id = 3")
        told = json.loads(export("--json").out)
        assert told["counts"] == {"changed": 2, "gone": 0, "moved": 0, "new": 1, "unchanged": 0}
        fields = {each["business_key"]: each["fields"] for each in told["changes"]}
        assert fields[MINE] == {"total": ["1007.5000", "7.0000"]}
        assert fields[source("adopts")] == {"business_key": ["booking:2", source("adopts")]}

        owner.execute("UPDATE budget.expenses SET date = '2026-09-01' WHERE id = 3")
        owner.execute("DELETE FROM budget.expenses WHERE id = 2")
        file = tmp_path / "august.bean"
        last = export("--format", "beancount", "--output", str(file))
        assert "1 moved, 1 gone, 1 unchanged" in last.err
        assert last.out == ""
        assert MINE in file.read_text()
