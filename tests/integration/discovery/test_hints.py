"""What people confirm is told to the readers: the next scan writes it down, the reading says so, and `explain` too."""

from datetime import UTC, datetime

from pydantic import SecretStr

from ledger_tasks.collector.checking import ACCEPT
from ledger_tasks.collector.correct import correct
from ledger_tasks.extraction.hints import MerchantHint
from ledger_tasks.files.hints import read_hints
from ledger_tasks.storage.corrections import Correction
from ledger_tasks.storage.database import connect
from tests.support.ledger import book_receipt

AT = datetime(2026, 8, 16, 8, 0, tzinfo=UTC)
READ = {"merchant": "CORNER ST0RE", "transaction_date": "2023-03-04", "currency": "USD", "total": "2.00"}


def test_a_corrected_merchant_and_an_accepted_receipt_lie_in_the_hints_after_a_scan(inbox, database, volumes):
    collector, pages = (connect(SecretStr(database.url_of(f"ledger_{role}"))) for role in ("collector", "core"))
    corrected = book_receipt(volumes, collector, "a.pdf", **READ)
    accepted = book_receipt(volumes, collector, "b.pdf", **READ | {"merchant": "Bakery", "currency": "EUR"})
    book_receipt(volumes, collector, "c.pdf", **READ | {"merchant": "Nobody looked"})

    inbox.publish()
    assert not read_hints(inbox.cache).merchants

    correct(pages, corrected, [Correction("merchant", "Corner Store")], AT)
    correct(pages, accepted, [ACCEPT], AT)
    inbox.publish()

    told = read_hints(inbox.cache)
    assert told.merchants == {
        "cornerst0re": MerchantHint(name="Corner Store"),
        "cornerstore": MerchantHint(name="Corner Store"),
        "bakery": MerchantHint(name="Bakery", currency="EUR"),
    }
    inbox.publish()
    assert read_hints(inbox.cache).revision == told.revision


def test_explain_names_the_rule_that_decided_a_field(inbox, database, volumes):
    collector = connect(SecretStr(database.url_of("ledger_collector")))
    digest = book_receipt(volumes, collector, "a.pdf", **READ)
    rule = "rule: earlier receipts of Corner Store (5f3a0c)"
    inbox.sql(
        "UPDATE budget.receipt_evidence SET fields = jsonb_set(fields, '{merchant,source}', to_jsonb(%s::text)) "
        "WHERE source_sha256 = %s",
        rule,
        digest,
    )
    told = inbox.run("receipts", "explain", "a.pdf", "--json", **database.environment_of("ledger_core"))
    assert f"merchant by {rule}" in told.json["reason"], told.err
