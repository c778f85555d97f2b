"""A cookie opens the pages only for a token that is still one of ours, and only as long as it says."""

import pytest
from itsdangerous import TimestampSigner
from pydantic import SecretStr

from ledger_tasks.settings.tokens import ApiToken
from ledger_tasks.web.pages.session import LIFETIME_SECONDS, Sessions

ANNA = ApiToken("anna", "operate", SecretStr("word of anna"))
BOB = ApiToken("bob", "read", SecretStr("word of bob"))


def test_a_session_comes_back_from_its_cookie_on_every_replica() -> None:
    session = Sessions([ANNA, BOB]).begin("word of bob")
    assert session is not None
    found = Sessions([BOB, ANNA]).read(Sessions([ANNA, BOB]).cookie(session))
    assert found == session
    assert not found.may_operate


def test_only_a_token_of_scope_operate_may_operate() -> None:
    session = Sessions([ANNA]).begin("word of anna")
    assert session is not None
    assert session.may_operate


@pytest.mark.parametrize("secret", ["", "word of", "word of anna ", "WORD OF ANNA", "слово"])
def test_a_wrong_secret_begins_nothing(secret: str) -> None:
    assert Sessions([ANNA]).begin(secret) is None


def test_a_token_that_was_taken_away_or_changed_ends_its_sessions() -> None:
    before = Sessions([ANNA, BOB])
    session = before.begin("word of anna")
    assert session is not None
    cookie = before.cookie(session)
    assert Sessions([BOB]).read(cookie) is None
    assert Sessions([ANNA._replace(scope="read"), BOB]).read(cookie) is None


def test_a_cookie_ends_after_a_working_day(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = Sessions([ANNA])
    session = sessions.begin("word of anna")
    assert session is not None
    cookie = sessions.cookie(session)
    now = TimestampSigner("x").get_timestamp()
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: now + LIFETIME_SECONDS + 1)
    assert sessions.read(cookie) is None


@pytest.mark.parametrize("cookie", [None, "", "x", "WyJhIl0.x.y", "a.b.c"])
def test_what_we_did_not_sign_says_nothing(cookie: str | None) -> None:
    assert Sessions([ANNA]).read(cookie) is None


def test_two_sessions_of_one_person_have_forms_of_their_own() -> None:
    sessions = Sessions([ANNA])
    first, second = sessions.begin("word of anna"), sessions.begin("word of anna")
    assert first is not None
    assert second is not None
    assert sessions.form_token(first) == sessions.form_token(first)
    assert sessions.form_token(first) != sessions.form_token(second)
