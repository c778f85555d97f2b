"""Requirement: Outbox публикует задания из queued. `published` is true when it is written."""

import threading

import pytest

from contracts.recognition.request import decode_request
from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition import outbox
from tests.support.bus import Bus
from tests.support.recognition import Core


@pytest.fixture
def parser(core, bus):
    """What a tabular service hears."""
    return bus.listen(f"{core.prefix}.files.tabular_uploaded")


def test_publication_of_a_request_to_the_parser(core, parser):
    """Scenario: Публикация запроса парсеру."""
    job_id = core.add_job()
    core.publish()
    message = parser.get(timeout=10)
    request = decode_request(message.body)
    job, file = core.job(job_id), core.file(job_id)
    assert (request.job_id, request.file_id, request.attempt) == (job_id, str(file["id"]), 1)
    assert request.s3.key.startswith("uploads/")
    assert request.reply_deadline == job["reply_deadline"]
    assert request.reply_subject == f"{core.prefix}.files.tabular_parsed"
    assert message.message_id == job["request_msg_id"] == f"{job_id}:1"
    assert (job["status"], job["request_subject"]) == ("published", message.subject)
    assert file["status"] == "UPLOADED"


@pytest.mark.case("C086")
def test_nats_is_unavailable(core, parser, tmp_path, caplog):
    """Scenario: NATS недоступен."""
    unreachable = Core(core.settings.database_url.get_secret_value(), "nats://127.0.0.1:1", tmp_path)
    job_id = unreachable.add_job()
    unreachable.publish()
    assert unreachable.job(job_id)["status"] == "queued"
    assert "requests stay as they are" in caplog.text
    core.publish()
    assert core.job(job_id)["status"] == "published"
    assert decode_request(parser.get(timeout=10).body).reply_deadline == core.job(job_id)["reply_deadline"]


def test_an_image_goes_to_the_subject_of_images(core, bus):
    heard = bus.listen(f"{core.prefix}.files.img_uploaded")
    job_id = core.published(pipeline="image")
    assert decode_request(heard.get(timeout=10).body).job_id == job_id


def test_a_republication_sends_the_same_bytes_and_keeps_id_and_deadline(core, parser):
    job_id = core.published()
    first = core.job(job_id)
    core.age(job_id, "published_at", 31)
    core.publish()
    assert parser.get(timeout=10) == parser.get(timeout=10)
    again = core.job(job_id)
    assert again["metrics"] == {"republish_count": 1}
    for kept in ("request_msg_id", "reply_deadline", "attempt", "status"):
        assert again[kept] == first[kept]


@pytest.mark.case("C098")
@pytest.mark.case("C094")
def test_a_publication_that_was_rolled_back_is_repeated_with_the_same_id(core, parser, monkeypatch):
    job_id = core.add_job()

    def lost(*_):
        raise Infrastructure("DATABASE_UNAVAILABLE", "the connection broke before the commit")

    with monkeypatch.context() as broken:
        broken.setattr(outbox, "set_published", lost)
        with pytest.raises(Infrastructure):
            core.publish()
    assert core.job(job_id)["status"] == "queued"
    core.publish()
    assert parser.get(timeout=10).message_id == parser.get(timeout=10).message_id == f"{job_id}:1"
    assert core.job(job_id)["status"] == "published"


@pytest.mark.case("C093")
def test_four_publishers_publish_a_thousand_jobs_once_each(core, parser):
    core.sql(
        """WITH object AS (INSERT INTO recognition.s3_object (bucket, key, bucket_role)
             SELECT 'arm-ka', 'uploads/' || n, 'uploads' FROM generate_series(1, 1000) n RETURNING id),
           file AS (INSERT INTO recognition.stored_file (original_name, s3_object_id)
             SELECT 'osv.xlsx', id FROM object RETURNING id)
           INSERT INTO recognition.recognition_job (file_id, pipeline) SELECT id, 'tabular' FROM file"""
    )
    publishers = [threading.Thread(target=core.publish) for _ in range(4)]
    for each in publishers:
        each.start()
    for each in publishers:
        each.join()
    ids = [parser.get(timeout=10).message_id for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert parser.empty()
    assert core.sql("SELECT DISTINCT status FROM recognition.recognition_job") == [{"status": "published"}]


@pytest.mark.case("C096")
def test_one_poison_job_ends_with_its_reason_and_blocks_nobody(core, parser):
    poison = core.add_job(name="x" * 100_000 + ".xlsx")
    good = core.add_job()
    core.publish()
    assert decode_request(parser.get(timeout=10).body).job_id == good
    job, file = core.job(poison), core.file(poison)
    assert (job["status"], job["error_code"]) == ("error", "REQUEST_INVALID")
    assert (file["status"], file["error_code"]) == ("ERROR", "REQUEST_INVALID")


def test_a_request_over_the_servers_max_payload_is_refused_before_it_closes_the_connection(core, small_nats, tmp_path):
    narrow = Core(core.settings.database_url.get_secret_value(), small_nats, tmp_path)
    poison, good = narrow.add_job(name="x" * 4000 + ".xlsx"), narrow.add_job()
    narrow.publish()
    assert narrow.job(poison)["error_code"] == "REQUEST_INVALID"
    assert narrow.job(good)["status"] == "published"


@pytest.fixture
def small_nats(run_nats):
    return run_nats("max_payload: 2048").url


def test_a_subject_we_may_not_publish_to_leaves_its_jobs_queued_and_the_others_go_out(core, run_nats, tmp_path, caplog):
    forbidding = run_nats(
        "authorization { users: [{ user: core, password: p, permissions: { publish: { deny: 'x.img' } } }] }"
    )
    given = {
        "nats_tabular_request_subject": "x.tab",
        "nats_image_request_subject": "x.img",
        "nats_result_subject": "x.res",
    }
    limited = Core(
        core.settings.database_url.get_secret_value(),
        forbidding.url.replace("nats://", "nats://core:p@"),
        tmp_path,
        openbao={"nats": given},
    )
    image, table = limited.add_job(pipeline="image"), limited.add_job()
    limited.publish()
    assert limited.job(image)["status"] == "queued"
    assert limited.job(table)["status"] == "published"
    assert "refuses our publications to x.img" in caplog.text


def test_many_jobs_of_a_refused_subject_do_not_keep_the_others_from_going_out(core, run_nats, tmp_path, monkeypatch):
    forbidding = run_nats(
        "authorization { users: [{ user: core, password: p, "
        "permissions: { publish: { deny: '*.files.img_uploaded' } } }] }"
    )
    address = core.settings.database_url.get_secret_value()
    limited = Core(address, forbidding.url.replace("nats://", "nats://core:p@"), tmp_path)
    monkeypatch.setattr(outbox, "BATCH", 3)
    for _ in range(5):
        limited.add_job(pipeline="image")
    table = limited.add_job()
    limited.publish()
    assert limited.job(table)["status"] == "published"


def test_nobody_listening_is_said_and_changes_nothing(core, caplog):
    job_id = core.published()
    assert f"no service listens on {core.prefix}.files.tabular_uploaded" in caplog.text
    assert core.job(job_id)["status"] == "published"


@pytest.mark.trap(23)
@pytest.mark.case("C087")
def test_a_proxy_that_swallows_everything_after_the_first_ping_cannot_make_a_job_published(core, swallowing, tmp_path):
    swallowed = Core(core.settings.database_url.get_secret_value(), swallowing, tmp_path)
    job_id = swallowed.add_job()
    swallowed.publish()
    assert swallowed.job(job_id)["status"] == "queued"


def test_a_frozen_server_cannot_make_a_job_published(core, run_nats, tmp_path):
    frozen = run_nats()
    cold = Core(core.settings.database_url.get_secret_value(), frozen.url, tmp_path)
    job_id = cold.add_job()
    frozen.freeze()
    cold.publish()
    assert cold.job(job_id)["status"] == "queued"
    frozen.thaw()
    cold.publish()
    assert cold.job(job_id)["status"] == "published"


def test_both_server_versions_and_a_client_of_another_kind_see_the_same_request(core, old_nats, tmp_path):
    core = Core(core.settings.database_url.get_secret_value(), old_nats.url, tmp_path)
    listener = Bus(old_nats.url)
    heard = listener.listen(f"{core.prefix}.files.tabular_uploaded")
    job_id = core.published()
    assert decode_request(heard.get(timeout=10).body).job_id == job_id
    listener.close()
