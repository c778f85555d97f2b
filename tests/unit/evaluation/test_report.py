"""The page shows first what was accepted and is wrong, and counts how far confidence can be believed."""

from PIL import Image

from ledger_tasks.evaluation.measures import Judged, measure
from ledger_tasks.evaluation.report import html
from ledger_tasks.evaluation.scoring import judge
from tests.support.text_slips import read

SLIP = """
Kedai Melati Sdn Bhd
Lot 6, Jalan Batai
12/03/2018 20:29
Pineapple  23.70
TOTAL RM  23.70
CASH  50.00
CHANGE  26.30
"""


def judged(name: str, slip: str, total: str) -> Judged:
    receipt = read(slip)
    return Judged(name, "0" * 64, receipt, "", tuple(judge(receipt, {"date": "12/03/2018", "total": total})), 0.5, 1)


def test_the_page_shows_accepted_mistakes_first_with_a_crop_and_counts_by_confidence():
    each = [
        judged("right", SLIP, "23.70"),
        judged("doubted", SLIP.replace("CASH  50.00\nCHANGE  26.30", ""), "9.99"),
        judged("believed", SLIP, "9.99"),
    ]
    page = html(each, measure(each, 60), measure(each, 60), lambda _: Image.new("L", (900, 900), 255))
    assert page.index("<td>believed</td>") < page.index("<td>doubted</td>")
    assert "<td>right</td>" not in page
    assert page.count("data:image/jpeg;base64,") == 2
    assert "<td>0.9 to 1</td><td class=number>3</td><td class=number>1</td>" in page
