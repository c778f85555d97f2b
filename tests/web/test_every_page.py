"""What holds of every page in each of its faces: readable for all, on a phone too, and under a strict policy."""

from pathlib import Path

import pytest

from tests.web.made import MADE_FILE

AXE = Path(__file__).parent / "axe" / "axe.min.js"
PATHS = ("/", "/receipts", "/receipts?state=review", "/review", "/duplicates", "/dead", "/dead?code=TIMEOUT")
MORE = ("/dead/preview?action=replay&code=TIMEOUT", "/batches", "/recognition", "/login")
BREACH = "document.addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))"


@pytest.fixture
def every_page(site, twins) -> list[str]:
    """One address of each page in each of its faces."""
    stands = "SELECT source_sha256 FROM ingest.receipt_processing_status WHERE status = :status ORDER BY 1 LIMIT 1"
    receipts = [site.one(stands, status=status) for status in ("succeeded", "failed", "review_required")]
    in_flight = site.one("SELECT source_sha256 FROM ingest.publications WHERE state = 'confirmed' LIMIT 1")
    letter = site.one("SELECT id::text FROM budget.dead_letters WHERE state = 'open' LIMIT 1")
    singles = [f"/receipts/{sha256}" for sha256 in (*receipts, in_flight, twins, "0" * 64)]
    return [*PATHS, *MORE, *singles, f"/dead/{letter}", f"/recognition/{site.one(MADE_FILE)}"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_page_has_a_serious_accessibility_finding(open_page, site, every_page, dark) -> None:
    page = open_page(site.operator, dark=dark)
    for path in every_page:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        page.evaluate(AXE.read_text())  # runs in the test's own world, past the policy
        found = page.evaluate("axe.run({resultTypes: ['violations']})")
        serious = [
            (each["id"], node["html"])
            for each in found["violations"]
            for node in each["nodes"]
            if each["impact"] in {"serious", "critical"}
        ]
        assert serious == [], path


def test_no_page_scrolls_sideways_on_a_phone(open_page, site, every_page) -> None:
    page = open_page(site.operator, width=390, height=844)
    for path in every_page:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_the_policy_holds_and_nothing_on_any_page_breaks_it(open_page, site, every_page, complaints) -> None:
    page = open_page(site.operator)
    page.add_init_script(BREACH)
    for path in every_page:
        if "0" * 64 in path:
            continue  # a browser complains of a 404 itself
        answer = page.goto(path)
        page.wait_for_load_state("networkidle")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert complaints == []
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.stolen = 1\">')")
    page.wait_for_timeout(200)
    assert page.evaluate("window.stolen") is None
