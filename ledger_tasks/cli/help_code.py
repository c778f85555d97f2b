"""`ledger help CODE`: a code comes in, its meaning, remedy and next command go out."""

from typing import Annotated

import typer

from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.errors import NotFoundError
from ledger_tasks.explanations import EXPLANATIONS


def explain_code(
    code: Annotated[
        str | None, typer.Argument(help="A code as logs, tables and pages show it; all without one.")
    ] = None,
    json: Json = False,
) -> None:
    """Explain a code that any command, page or log shows.

    Example: `ledger help PDF_ENCRYPTED`
    """
    known = {name: each._replace(next=each.next.format(id="ID", ref="REF")) for name, each in EXPLANATIONS.items()}
    chosen = known if code is None else {code.upper(): known.get(code.upper())}
    found = {name: each for name, each in chosen.items() if each is not None}
    if not found:
        raise NotFoundError(f"no code is called {code}", next_command="ledger help")
    if json:
        emit({"codes": [{"code": name, **each._asdict()} for name, each in found.items()]})
    elif code is None:
        table(("Code", "Meaning", "Remedy"), [(name, each.meaning, each.remedy) for name, each in found.items()])
    else:
        ((name, each),) = found.items()
        say(f"{name}: {each.meaning}\nremedy: {each.remedy}\nnext: {each.next}")
