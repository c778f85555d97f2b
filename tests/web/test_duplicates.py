"""Receipts alike, side by side: both real, or one a copy."""

import re

import pytest

from tests.web.made import make_twins


@pytest.mark.case("C018")
def test_a_suspected_duplicate_stands_beside_the_older_one_and_can_be_accepted(open_page, site, twins) -> None:
    page = open_page(site.operator)
    page.goto("/duplicates")
    pair = page.get_by_role("region", name="Twin & Sons")
    assert "Twin & Sons one" in pair.inner_text()
    assert "Twin & Sons two" in pair.inner_text()
    pair.get_by_role("button", name="Both are real").click()
    page.wait_for_url(re.compile("/receipts"))
    assert site.one("SELECT status FROM ingest.receipt_processing_status WHERE source_sha256 = :sha", sha=twins) == (
        "succeeded"
    )


@pytest.mark.case("C019")
def test_a_copy_is_set_aside_and_taken_back_where_both_are_seen(open_page, site) -> None:
    _, copy = make_twins(site, "Double & Co")
    page = open_page(site.operator)
    page.goto("/duplicates")
    pair = page.locator(".pair").filter(has_text="Double & Co")
    pair.get_by_role("button", name="It is a copy: set it aside").click()
    page.get_by_role("heading", name="Set aside as copies").wait_for()
    told = page.locator(".copies li").filter(has_text="Double & Co")
    assert "anna" in told.inner_text()
    assert pair.count() == 0
    booked = "SELECT count(*) FROM budget.expenses WHERE source_sha256 = :sha"
    assert site.one(booked, sha=copy) == 0
    page.goto(f"/receipts/{copy}")
    assert "A copy of another receipt. It is not booked" in page.locator(".verdict").inner_text()
    assert "Corrected by anna" in page.inner_text(".timeline")
    page.get_by_role("button", name="Take that back").click()
    pair.wait_for()
    assert page.locator(".copies li").count() == 0
