"""Letters are replayed and purged only when a person has said which; every command takes the same options for it."""

from datetime import UTC, datetime

import pytest
from typer import Typer
from typer.testing import CliRunner

from ledger_tasks.cli import run
from ledger_tasks.cli.choice import Choice, choosing
from ledger_tasks.errors import UsageError

LETTER = "0b7c1d52-53b0-4f3c-9d59-0d8d4b1c2a11"


def test_a_command_gets_its_options_as_one_choice_beside_its_own():
    seen = []

    @choosing
    def take(choice: Choice, dry_run: bool = False) -> None:
        seen.append((choice.deliberate_selection(), dry_run))

    app = Typer()
    app.command()(take)
    words = f"--id {LETTER.upper()} --code TIMEOUT --since 2026-08-14 --until 2026-08-15T12:00:00 --dry-run"
    done = CliRunner().invoke(app, words.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    [(selection, dry_run)] = seen
    assert dry_run
    assert (selection.ids, selection.code) == ((LETTER,), "TIMEOUT")
    assert (selection.since, selection.until) == (
        datetime(2026, 8, 14, tzinfo=UTC),
        datetime(2026, 8, 15, 12, tzinfo=UTC),
    )


@pytest.mark.parametrize("words", [(), ("--yes", "--dry-run")])
@pytest.mark.parametrize("command", ["replay", "purge"])
def test_nothing_is_settled_before_somebody_says_which_letters(command, words, capsys):
    assert run(["dead", command, *words]) == 2
    assert "say which letters" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["replay", "purge"])
def test_an_empty_code_is_no_wish_for_every_code(command, capsys):
    assert run(["dead", command, "--code", "", "--since", "2026-08-14", "--yes"]) == 2
    assert "--code is empty" in capsys.readouterr().err


def test_a_choice_of_all_or_of_nothing_is_every_letter_and_an_id_must_be_one():
    assert Choice(everything=True).deliberate_selection() == Choice().selection()
    with pytest.raises(UsageError, match="no id of a dead letter"):
        Choice(ids=["17"]).selection()
