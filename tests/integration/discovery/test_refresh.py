import json
from uuid import UUID

import httpx
import pytest

from contracts.identity import batch_cache_request, batch_reprocess_request
from tests.integration.discovery.caches import put_cache, sha256_of

BATCH = "840023b1-a078-4914-b074-81bd7129bb75"
NO_DATABASE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def test_reprocess_queues_one_v2_whose_request_is_the_given_id_and_needs_no_database(inbox):
    path = inbox.put("d/a.jpg")
    ran = inbox.run("receipts", "reprocess", "d/a.jpg", "--request-id", BATCH, **NO_DATABASE)
    assert ran.code == 0, ran.err
    assert ran.json == {
        "queue": "receipts.v1.work",
        "request_id": BATCH,
        "source_reference": "d/a.jpg",
        "source_sha256": sha256_of(path),
        "status": "queued",
    }
    assert inbox.bodies() == [
        {
            "version": 2,
            "attempt": 1,
            "request_id": BATCH,
            "source_reference": "d/a.jpg",
            "source_sha256": sha256_of(path),
        }
    ]


def test_reprocess_takes_a_hash_or_its_beginning_and_finds_a_path_that_still_holds_it(inbox):
    inbox.put("a.jpg", b"same")
    kept = inbox.put("b.jpg", b"same")
    inbox.publish()
    inbox.empty_queue()
    inbox.put("a.jpg", b"another")
    owner = {"DATABASE_URL": inbox.database_url}
    for words in (sha256_of(kept), sha256_of(kept)[:8]):
        assert inbox.run("receipts", "reprocess", words, **owner).json["source_reference"] == "b.jpg"
    assert inbox.run("receipts", "reprocess", "0" * 64, **owner).code == 3
    kept.unlink()
    assert inbox.run("receipts", "reprocess", words, **owner).code == 3


def test_each_reprocess_is_a_request_of_its_own(inbox):
    inbox.put("a.jpg")
    ids = [inbox.run("receipts", "reprocess", "a.jpg").json["request_id"] for _ in range(2)]
    assert len({UUID(each) for each in ids}) == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("receipts", "reprocess", "../a.jpg"), 2),
        (("receipts", "reprocess", "/etc/passwd"), 2),
        (("receipts", "reprocess", "a.jpg", "--request-id", "soon"), 2),
        (("receipts", "reprocess", "gone.jpg"), 3),
        (("receipts", "reprocess", "x" * 300 + ".jpg"), 3),
        (("ocr-cache", "rebuild", "--source-reference", "gone.jpg"), 3),
        (("ocr-cache", "rebuild", "--source-reference", "../gone.jpg"), 2),
        (("receipts", "process", "--request-id", BATCH), 2),
        (("receipts", "reprocess"), 2),
    ],
)
def test_a_bad_path_is_2_and_a_missing_file_3(inbox, words, code):
    inbox.put("a.jpg")
    ran = inbox.run(*words)
    assert ran.code == code
    assert ran.out == ""


def test_a_dead_broker_is_7(inbox):
    inbox.put("a.jpg")
    for words in (("receipts", "reprocess", "a.jpg"), ("ocr-cache", "rebuild")):
        assert inbox.run(*words, RABBITMQ_URL="amqp://guest:guest@127.0.0.1:1/").code == 7


def test_a_rebuild_is_a_batch_of_v3_with_derived_ids_in_the_order_of_paths(inbox):
    paths = [inbox.put(f"d/{name}.jpg") for name in "ab"]
    ran = inbox.run("ocr-cache", "rebuild", "--request-id", BATCH, **NO_DATABASE)
    assert ran.code == 0, ran.err
    assert ran.json == {
        "batch_id": BATCH,
        "confirmed": 2,
        "queue": "receipts.v1.work",
        "request_id": BATCH,
        "selected": 2,
        "skipped_existing": 0,
        "status": "queued",
        "total": 2,
    }
    assert inbox.bodies() == [
        {
            "version": 3,
            "attempt": 1,
            "batch_id": BATCH,
            "batch_index": index,
            "batch_total": 2,
            "request_id": batch_cache_request(BATCH, f"d/{name}.jpg"),
            "source_reference": f"d/{name}.jpg",
            "source_sha256": sha256_of(path),
        }
        for index, (name, path) in enumerate(zip("ab", paths, strict=True), start=1)
    ]


def test_running_a_batch_again_with_its_id_repeats_every_request(inbox):
    for name in "ab":
        inbox.put(f"{name}.jpg")
    for _ in range(2):
        inbox.run("ocr-cache", "rebuild", "--request-id", BATCH)
    requests = [body["request_id"] for body in inbox.bodies()]
    assert sorted(requests) == sorted(2 * [batch_cache_request(BATCH, f"{name}.jpg") for name in "ab"])


def test_one_source_is_a_batch_of_one(inbox):
    for name in "ab":
        inbox.put(f"{name}.jpg")
    document = inbox.run("ocr-cache", "rebuild", "--source-reference", "b.jpg").json
    assert (document["selected"], document["total"]) == (1, 1)
    (body,) = inbox.bodies()
    assert (body["source_reference"], body["batch_index"], body["batch_total"]) == ("b.jpg", 1, 1)


def test_missing_only_leaves_valid_caches_alone_and_takes_damaged_ones(inbox):
    for name in "abc":
        inbox.put(f"{name}.jpg")
    put_cache(inbox, "a.jpg")
    put_cache(inbox, "b.jpg").write_text("{")
    document = inbox.run("ocr-cache", "rebuild", "--missing-only").json
    assert (document["selected"], document["skipped_existing"], document["total"]) == (2, 1, 3)
    assert [body["source_reference"] for body in inbox.bodies()] == ["b.jpg", "c.jpg"]


def test_two_copies_of_one_file_are_rebuilt_once(inbox):
    for name in "ab":
        inbox.put(f"{name}.jpg", b"same")
    assert inbox.run("ocr-cache", "rebuild").json["selected"] == 1


def test_process_with_refresh_is_a_batch_of_v2(inbox):
    path = inbox.put("a.jpg")
    ran = inbox.run("receipts", "process", "--refresh-ocr-cache", "--request-id", BATCH, **NO_DATABASE)
    assert ran.code == 0, ran.err
    assert ran.json["batch_id"] == BATCH
    assert inbox.bodies() == [
        {
            "version": 2,
            "attempt": 1,
            "request_id": batch_reprocess_request(BATCH, "a.jpg"),
            "source_reference": "a.jpg",
            "source_sha256": sha256_of(path),
        }
    ]


def test_process_is_publish(inbox):
    inbox.put("a.jpg")
    assert inbox.run("receipts", "process").json["published"] == 1
    assert inbox.publish()["already_queued"] == 1


def test_a_full_queue_is_a_partial_batch_with_the_count_and_the_id_that_makes_the_rerun_safe(inbox, broker):
    """The broker refuses soon after the fifth message: some are confirmed, the rest certainly not."""
    from kombu import Connection

    from ledger_tasks.messaging.topology import declare, receipts_topology

    for number in range(600):
        inbox.put(f"{number:03}.jpg")
    with Connection(broker.url) as connection:
        declare(connection, receipts_topology(1))
    policy = {"pattern": "receipts.v1.work", "definition": {"max-length": 5}, "apply-to": "queues"}
    httpx.put(
        f"{broker.server.management_url}/api/policies/{broker.virtual_host}/small", json=policy
    ).raise_for_status()
    ran = inbox.run("ocr-cache", "rebuild", "--request-id", BATCH)
    assert ran.code == 4, ran.err
    assert ran.json["status"] == "partial"
    assert 5 <= ran.json["confirmed"] < 600
    assert ran.json["request_id"] == BATCH
    assert f"--request-id {BATCH}" in ran.err
    assert inbox.ready() == ran.json["confirmed"]


@pytest.mark.parametrize(
    ("outcome", "code"), [("succeeded", 0), ("review_required", 6), ("failed", 5), ("superseded", 0)]
)
def test_wait_ends_with_the_outcome_in_the_database(inbox, outcome, code):
    path = inbox.put("a.jpg")
    inbox.sql(
        "INSERT INTO budget.receipt_reprocess_requests VALUES (%s, %s, 1, now(), now(), %s)",
        sha256_of(path),
        BATCH,
        outcome,
    )
    owner = {"DATABASE_URL": inbox.database_url}
    ran = inbox.run("receipts", "reprocess", "a.jpg", "--request-id", BATCH, "--wait", **owner)
    assert ran.code == code, ran.err
    assert json.loads(ran.out)["status"] == "queued"


def test_a_wait_that_is_over_is_124(inbox):
    inbox.put("a.jpg")
    assert inbox.run("ocr-cache", "rebuild", "--wait", "--timeout", "0.1").code == 124


def test_watching_a_batch_ends_with_its_outcomes(inbox):
    for name in "ab":
        inbox.put(f"{name}.jpg")
    inbox.run("receipts", "process", "--refresh-ocr-cache", "--request-id", BATCH)
    owner = {"DATABASE_URL": inbox.database_url}
    assert inbox.run("batches", "watch", BATCH, "--timeout", "0.1", **owner).code == 124
    for name, outcome in (("a", "succeeded"), ("b", "review_required")):
        inbox.sql(
            "INSERT INTO budget.receipt_reprocess_requests VALUES (%s, %s, 1, now(), now(), %s)",
            sha256_of(inbox.root / f"{name}.jpg"),
            batch_reprocess_request(BATCH, f"{name}.jpg"),
            outcome,
        )
    ran = inbox.run("batches", "watch", BATCH, **owner)
    assert ran.code == 6, ran.err
    assert ran.json == {"batch_id": BATCH, "outcomes": {"succeeded": 1, "review_required": 1}, "total": 2}


def test_a_batch_that_nobody_announced_is_not_found(inbox):
    assert inbox.run("batches", "watch", BATCH).code == 3
    assert inbox.run("batches", "watch", "soon").code == 2
