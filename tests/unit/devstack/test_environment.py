"""Who is told what: the caller wins, nothing leaks, and our own words coming back are no wish of the caller's."""

import pytest

from ledger_tasks.devstack.environment import LOGINS, ROLES, for_role, given, resolve, without_echo

OWN = {
    "RABBITMQ_URL": "amqp://own",
    "RABBITMQ_MANAGEMENT_URL": "http://own",
    "DATABASE_URL": "postgresql://own",
    "NATS_URL": "nats://own",
    "NATS_ENABLED": "true",
    "LEDGER_URL": "http://own",
    "LEDGER_API_TOKEN": "token",
    "RECEIPT_SOURCE_ROOT": "/own/receipts",
    "HOME_BUDGET_OCR_CACHE": "/own/ocr-cache",
    "AWS_SECRET_ACCESS_KEY": "objects",
}


def test_the_callers_value_wins_over_the_stacks_own():
    resolved = resolve({"RABBITMQ_URL": "amqp://theirs", "HOLD_SECONDS": "3"}, OWN)
    assert resolved["RABBITMQ_URL"] == "amqp://theirs"
    assert resolved["HOLD_SECONDS"] == "3"
    assert resolved["DATABASE_URL"] == "postgresql://own"
    assert "RABBITMQ_MANAGEMENT_URL" not in resolved


def test_a_nested_setting_reaches_the_roles_that_have_it():
    caller = {"OPENBAO__NATS__NATS_RESULT_SUBJECT": "files.other"}
    resolved = resolve(caller, OWN)
    assert for_role("serve", resolved, caller).items() >= caller.items()
    assert for_role("ocr", resolved, caller).keys().isdisjoint(caller)


def test_what_is_no_setting_of_ours_is_not_remembered():
    assert resolve({"SOME_OTHER_PASSWORD": "x", "LEDGER_HEALTH_FILE": "/one"}, OWN).keys() == resolve({}, OWN).keys()


@pytest.mark.parametrize("role", ROLES)
def test_only_a_role_with_a_database_login_is_told_a_database(role):
    environment = for_role(role, resolve({}, OWN), {"PGPASSWORD": "x", "SOME_OTHER_PASSWORD": "y"})
    assert ("DATABASE_URL" in environment) == (role in LOGINS)
    assert environment.keys().isdisjoint({"PGPASSWORD", "SOME_OTHER_PASSWORD", "LEDGER_API_TOKEN"})


@pytest.mark.parametrize("role", ["beat", "publisher", "ocr", "collector"])
def test_a_role_of_the_receipts_path_is_told_no_secret_of_objects_or_pages(role):
    environment = for_role(role, resolve({}, OWN), {})
    assert environment.keys().isdisjoint(
        {"AWS_SECRET_ACCESS_KEY", "LEDGER_API_TOKENS", "NATS_URL", "RABBITMQ_MANAGEMENT_URL"}
    )


def test_every_role_finds_its_programs_and_its_home():
    caller = {"PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C.UTF-8"}
    assert all(for_role(role, OWN, caller).items() >= caller.items() for role in ROLES)


def test_the_stacks_own_words_coming_back_are_not_the_callers_wish():
    caller = without_echo(OWN | {"NATS_URL": "nats://theirs"}, [OWN])
    assert given(caller) == {"nats"}


def test_a_token_given_by_the_caller_may_operate():
    assert resolve({"LEDGER_API_TOKEN": "mine"}, OWN)["LEDGER_API_TOKENS"] == "dev:operate:mine"
