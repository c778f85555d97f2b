"""Who may see and do what: sessions, roles, forms of other sites, and where a login may lead."""

import re

import httpx
import pytest
from fastapi.testclient import TestClient

from ledger_tasks.settings import ServeSettings, load
from ledger_tasks.web.app import create_app
from tests.support.events import source

FORM = re.compile('name="csrf" value="([^"]+)"')


@pytest.fixture
def visit(site):
    """Return a client without a session, or of the token's session."""
    clients = []

    def enter(token: str | None = None) -> httpx.Client:
        client = httpx.Client(base_url=site.url, timeout=20)
        clients.append(client)
        if token is not None:
            form = FORM.search(client.get("/login").text)[1]
            assert client.post("/login", data={"csrf": form, "token": token}).headers["location"] == "/"
        return client

    yield enter
    for client in clients:
        client.close()


PRIVATE = ("/", "/receipts", "/review", "/duplicates", "/dead", "/batches", "/recognition", f"/receipts/{source('x')}")


@pytest.mark.parametrize("path", PRIVATE)
def test_nobody_sees_a_page_without_a_login(visit, path) -> None:
    answer = visit().get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login")


def test_a_wrong_token_and_a_forged_cookie_open_nothing(visit, site) -> None:
    client = visit()
    form = FORM.search(client.get("/login").text)[1]
    assert "wrong=true" in client.post("/login", data={"csrf": form, "token": "guess"}).headers["location"]
    client.cookies.set("ledger_session", client.cookies["ledger_session"][:-3] + "abc")
    assert client.get("/").status_code == 303


@pytest.fixture
def closed_site(site, monkeypatch):
    """An application of its own, so that a lock keeps no other test out."""
    for name, value in site.environment.items():
        monkeypatch.setenv(name, value)
    app = create_app(load(ServeSettings), ended=lambda: None)

    def at(address: str) -> TestClient:
        return TestClient(app, client=(address, 50000), follow_redirects=False)

    return at


def type_token(client, token: str):
    form = FORM.search(client.get("/login").text)[1]
    return client.post("/login", data={"csrf": form, "token": token})


def test_after_ten_wrong_tokens_an_address_waits_and_others_do_not(closed_site, site) -> None:
    stranger, other = closed_site("192.0.2.7"), closed_site("192.0.2.8")
    assert [type_token(stranger, "guess").status_code for _ in range(10)] == [303] * 10
    for token in ("guess", site.operator):
        answer = type_token(stranger, token)
        assert answer.status_code == 429
        assert 0 < int(answer.headers["Retry-After"]) <= 300
        assert "Too many wrong tokens" in answer.text
    assert type_token(other, site.operator).headers["location"] == "/"


def test_a_program_with_a_wrong_token_waits_too(closed_site, site) -> None:
    program = closed_site("192.0.2.9")
    wrong, right = ({"Authorization": f"Bearer {token}"} for token in ("guess", site.reader))
    assert {program.get("/metrics").status_code for _ in range(200)} == {401}, "no token is no guess"
    assert {program.get("/metrics", headers=wrong).status_code for _ in range(100)} == {401}
    answer = program.get("/metrics", headers=right)
    assert (answer.status_code, answer.json()["code"]) == (429, "TOO_MANY_WRONG_TOKENS")
    assert int(answer.headers["Retry-After"]) > 0


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites_and_holds_no_token(visit, site) -> None:
    client = visit()
    form = FORM.search(client.get("/login").text)[1]
    cookie = client.post("/login", data={"csrf": form, "token": site.operator}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert site.operator not in cookie


def test_a_reader_sees_everything_and_changes_nothing(visit, site) -> None:
    client = visit(site.reader)
    page = client.get("/review", follow_redirects=True)
    assert page.status_code == 200
    assert "Save</button>" not in page.text
    form = FORM.search(page.text)[1]
    before = site.one("SELECT count(*) FROM budget.receipt_corrections")
    for path, data in (
        (f"{page.url.path}/correct", {"field": "total", "value": "1"}),
        (f"{page.url.path}/accept", {}),
        (f"/duplicates/{source('Twin & Sons two')}", {"of": source("Twin & Sons one")}),
        ("/dead/replay", {"code": "TIMEOUT"}),
        ("/dead/purge", {"code": "TIMEOUT"}),
        ("/recognition/retry", {}),
    ):
        assert client.post(path, data={"csrf": form, **data}).status_code == 403, path
    assert site.one("SELECT count(*) FROM budget.receipt_corrections") == before


@pytest.mark.parametrize("csrf", [None, "", "0" * 64])
def test_a_form_that_is_not_ours_changes_nothing(visit, site, csrf) -> None:
    client = visit(site.operator)
    page = client.get("/review", follow_redirects=True)
    data = {"field": "total", "value": "1"} | ({} if csrf is None else {"csrf": csrf})
    assert client.post(f"{page.url.path}/correct", data=data).status_code == 403
    assert client.post("/dead/purge", data={"code": "TIMEOUT"}).status_code == 403
    assert client.post("/logout").status_code == 403


def test_a_form_of_another_session_is_refused(visit, site) -> None:
    other = FORM.search(visit(site.operator).get("/").text)[1]
    assert visit(site.operator).post("/dead/purge", data={"code": "TIMEOUT", "csrf": other}).status_code == 403


def test_a_login_without_its_form_is_refused(visit, site) -> None:
    assert visit().post("/login", data={"token": site.operator}).status_code == 403


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_a_login_leads_to_our_own_pages_only(visit, site, target) -> None:
    client = visit()
    form = FORM.search(client.get("/login", params={"next": target}).text)[1]
    answer = client.post("/login", data={"csrf": form, "token": site.operator, "target": target})
    assert answer.headers["location"] == "/"


def test_after_the_log_out_the_pages_are_closed(visit, site) -> None:
    client = visit(site.operator)
    form = FORM.search(client.get("/").text)[1]
    assert client.post("/logout", data={"csrf": form}).status_code == 303
    assert client.get("/").status_code == 303


def test_an_unknown_receipt_and_a_broken_address_are_pages_with_a_reason(visit, site) -> None:
    client = visit(site.reader)
    assert client.get(f"/receipts/{source('nobody')}").status_code == 404
    assert client.get("/receipts?state=nonsense").status_code == 422
    assert client.get("/receipts?page=0").status_code == 422
    assert client.get("/static/../app.py").status_code == 404
