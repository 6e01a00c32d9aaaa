"""What is opened where contracts end: tools without one that fit what the user said, within the budget of the policy, and those that were pinned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolplan.catalog import Catalog
from toolplan.domain import Domain
from toolplan.frontier import Explore
from toolplan.retrieval.budgeting import Depth, Shown, Situation, Spent, Stopped, Unclear, Widened
from toolplan.retrieval.clones import collapsed
from toolplan.retrieval.documents import domain_documents
from toolplan.retrieval.exploring import explore
from toolplan.retrieval.searching import Match, Outage, discover
from toolplan.session.events import Retrieved
from toolplan.session.memory import Frame, Looked, Memory, failures
from toolplan.session.settings import Settings
from toolplan.session.uncontracted import Opening, opening_of, without_missing


class Explored(NamedTuple):
    """What is open now, and what has to be remembered of it: nothing where it is what was shown before."""

    decision: Explore
    events: tuple[Retrieved, ...] = ()


def explored(opening: Opening, memory: Memory, because: str, at: float, settings: Settings) -> Explored:
    """What is open for the request that is pursued, where contracts lead no further, for the reason `because`.

    It stays what it was until the user says more, a call fails, or the model wants none of it. Where the provider searches, it is all that
    can be opened, and no round of the budget.
    """
    frame, pinned = memory.current, (*_agreed(opening, memory.current), *pinned_of(opening, memory))
    if settings.search == "provider":
        return Explored(_open(tuple(opening.contracts[document.name] for document in opening.documents), pinned, because))
    if frame.looked is not None and _still_holds(frame, frame.looked):
        shown = tuple(name for name in frame.looked.tools if name in opening.opened)
        return Explored(_open(shown, pinned, because))
    match _found(opening, frame, at, settings, memory.latest):
        case Shown(shortlist) | Widened(shortlist):
            tools = tuple(opening.contracts[name] for name in shortlist)
            tokens = sum(document.tokens for document in opening.documents if document.name in shortlist)
            return Explored(_open(tools, pinned, because), (Retrieved(at, tools, tokens, failures(frame)),))
        case Unclear(lacks):
            return Explored(Explore(pinned, f"{because}, and {lacks.value}"))
        case Stopped(reached):
            return Explored(Explore(pinned, f"{because}, and the budget of {reached.value} is spent"))
        case Outage(reason):
            return Explored(Explore(pinned, f"{because}, and {reason}"))


def openable(contracts: Domain, catalog: Catalog) -> tuple[str, ...]:
    """The real tools that a session with these contracts may open where they end, in the order of `catalog`; of copies, the first.

    No contract calls them, and the principal of `contracts` may use them. They are the same at every step.
    """
    return tuple(document.name for document in opening_of(contracts, catalog, ()).documents)


def pinned_of(opening: Opening, memory: Memory) -> tuple[str, ...]:
    """The contracts that were found once and stay open, the latest last, of tools that are still there."""
    return memory.pins.only(opening.opened).names


def searched(opening: Opening, catalog: Catalog, words: str, settings: Settings) -> Match | Outage | None:
    """The tool that fits `words` best, with a contract or without one, of those that are there."""
    added = set(opening.contracts)
    documents = domain_documents(without_missing(opening.domain, opening.missing), catalog)
    known = [document for document in documents if document.name not in added]
    return discover(collapsed([*known, *opening.documents]).documents, words, scorer=settings.scorer)


def _found(opening: Opening, frame: Frame, at: float, settings: Settings, latest: Sequence[str]) -> Depth | Outage:
    """What the budget lets be shown. A request is of high risk where what fits it best is not safe."""
    domain, words, prior = opening.domain, " ".join(frame.said), settings.prior(latest)

    def found(*, high_risk: bool) -> Depth | Outage:
        situation = _situation(frame, at, high_risk=high_risk)
        return explore(opening.documents, words, domain.policy.budget, situation, scorer=settings.scorer, prior=prior)

    first = found(high_risk=False)
    match first:
        case Shown((best, *_)) | Widened((best, *_)) if not domain.risk_of(domain.tools[opening.contracts[best]]).safe:
            return found(high_risk=True)
        case _:
            return first


def _open(shown: tuple[str, ...], pinned: tuple[str, ...], because: str) -> Explore:
    return Explore(tuple(dict.fromkeys((*shown, *pinned))), because)


def _agreed(opening: Opening, frame: Frame) -> tuple[str, ...]:
    """The tools whose calls wait for somebody to agree, or were agreed to: they stay open until they were called."""
    calls = [*([frame.held.call] if frame.held is not None else []), *(agreed.call for agreed in frame.agreed)]
    return tuple(call.step.action for call in calls if call.step.action in opening.opened)


def _still_holds(frame: Frame, looked: Looked) -> bool:
    return (looked.said, looked.failed, looked.passed) == (len(frame.said), failures(frame), False)


def _situation(frame: Frame, at: float, *, high_risk: bool) -> Situation:
    looked = frame.looked
    if looked is None or looked.said != len(frame.said):
        return Situation(failed_attempts=failures(frame), high_risk=high_risk)
    spent = Spent(looked.rounds, looked.tokens, round(1000 * (at - looked.since)))
    return Situation(
        failed_attempts=failures(frame), chose_none=looked.passed, high_risk=high_risk, shown=frozenset(looked.tools), spent=spent
    )
