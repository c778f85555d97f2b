"""Templates: a name and values come in, an HTML response goes out; and how values are written on every page."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ledger_tasks.clock import now
from ledger_tasks.explanations import EXPLANATIONS
from ledger_tasks.web.pages.access import Visitor
from ledger_tasks.web.pages.assets import VERSION

_STEPS: Final = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def page(
    request: Request, template: str, visitor: Visitor | None, values: Mapping[str, Any], status_code: int = 200
) -> HTMLResponse:
    """Render a whole page or a part of one."""
    shown = {"visitor": visitor, "path": request.url.path, "now": now(), **values}
    return HTMLResponse(_environment.get_template(template).render(shown), status_code)


def age(since: datetime | None, until: datetime | None = None) -> str:
    """Return how long ago, or how long from one to the other, in the largest whole unit; nothing for no moment."""
    return "" if since is None else seconds(((until or now()) - since).total_seconds())


def seconds(count: float | None) -> str:
    """Return a duration as people say it: 340 ms, 1.4 s, 12 min, 3 d."""
    if count is None:
        return ""
    if abs(count) < 1:
        return f"{count * 1000:.0f} ms"
    if abs(count) < 10:
        return f"{count:.1f} s"
    length, unit = next(step for step in _STEPS if abs(count) >= step[0])
    return f"{count / length:.0f} {unit}"


def moment(at: datetime | None) -> str:
    """Return a time of UTC to the second."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S}"


def money(amount: Decimal | str | None, currency: str | None = None) -> str:
    """Return an amount with two places, or more where it has more, its thousands apart, and its currency."""
    if amount is None:
        return ""
    exact = Decimal(amount)
    places = max(2, -int(exact.normalize().as_tuple().exponent))
    return f"{exact:,.{places}f} {currency or ''}".replace(",", "\u202f").strip()


def label(name: str) -> str:
    """Return the words of a column or code: transaction_date -> Transaction date."""
    return name.replace("_", " ").capitalize()


def meaning(code: str | None) -> Markup:
    """Return what a code means, nothing for one that is not explained."""
    found = EXPLANATIONS.get(code or "")
    return _prose(found.meaning if found else "")


def remedy(code: str | None) -> Markup:
    """Return what to do about a code."""
    found = EXPLANATIONS.get(code or "")
    return _prose(found.remedy if found else "")


def _prose(words: str) -> Markup:
    """Show what stands between backticks as code."""
    parts = (
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(words.split("`"))
    )
    return Markup("").join(parts)


_environment: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {each.__name__: each for each in (age, seconds, moment, money, label, meaning, remedy)}
_environment.globals["version"] = VERSION
