"""PURE. An event and what is known of its source come in; how the event stands to it comes out. Order never matters."""

from dataclasses import dataclass

from contracts.receipts.results import PassCompleted, ResultEvent, RunCompleted, RunFailed
from ledger_tasks.collector.outcome import Applied, Recorded, Superseded
from ledger_tasks.storage.evidence import Applied as AppliedRun

Judgement = Applied | Superseded | Recorded


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of a source, under its lock: the applied run, the outcome of the event's request, the status."""

    run: AppliedRun | None = None
    request: str | None = None
    status: str | None = None


def judge(event: ResultEvent, known: Known) -> Judgement:
    """Say whether an event that was never stored is to be applied, or only kept and why."""
    match event:
        case PassCompleted():
            return Applied()
        case RunFailed():
            return _failed(event, known)
        case RunCompleted():
            return _completed(event, known)


def _failed(event: RunFailed, known: Known) -> Judgement:
    if event.payload.persistence_mode == "normal":
        done = known.run is not None or known.status in {"succeeded", "review_required"}
        return Superseded() if done else Applied()
    return Recorded() if _is_done(known.request) else Applied()


def _completed(event: RunCompleted, known: Known) -> Judgement:
    if _is_done(known.request):
        return Recorded()
    if known.run is None:
        return Applied()
    run = event.payload.run
    if event.payload.persistence_mode == "cache_only":
        return Superseded() if run.generation < known.run.generation else Applied()
    # One OCR run that is reported for two purposes has one generation; the id makes every order end the same.
    newer = (run.generation, event.run_uuid) > (known.run.generation, known.run.run_uuid)
    return Applied() if newer else Superseded()


def _is_done(request: str | None) -> bool:
    """A failed request may still succeed: a replay of its dead letter opens a new budget for the same id."""
    return request not in {None, "failed"}


def request_outcome(event: RunCompleted, judgement: Judgement, known: Known, *, complete: bool) -> str | None:
    """Return what to write for the event's request; None when it has none or is done already.

    `complete` says whether the reading that the evidence holds afterwards needs no person.
    """
    mode = event.payload.persistence_mode
    if mode == "normal" or isinstance(judgement, Recorded):
        return None
    if known.run and event.payload.run.generation < known.run.generation:
        return "superseded"
    if mode == "cache_only":
        return "cache_rebuilt"
    return "succeeded" if complete else "review_required"
