"""Requests for tools, by lists and by the frontier, with the same ways to compare words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.bench.planner.measuring import Promise, at_least, at_most
from toolplan.bench.recall.figures import TOP, Outcome, Recall, recall
from toolplan.bench.recall.following import MOST_QUESTIONS, Followed, Menu, follow
from toolplan.bench.recall.readers import Comparison
from toolplan.domain import Domain
from toolplan.planning.inputs import build
from toolplan.retrieval import Document, shortlist

BASELINE = "token overlap"


@dataclass(frozen=True, slots=True)
class Case:
    """A request. `meant` are the goals of the user, each with the tool that reaches it; several tools may do for one."""

    text: str
    meant: Mapping[str, str]
    phrasing: str = ""

    @property
    def wanted(self) -> frozenset[str]:
        """The tools that are to be shown."""
        return frozenset(self.meant.values())


@dataclass(frozen=True, slots=True)
class Suite:
    """Requests for the tools of a menu. `documents` are what lists choose from, `readable` is the domain whose goals are read."""

    menu: Menu
    readable: Domain
    documents: Sequence[Document]
    cases: Sequence[Case]


class Measured(NamedTuple):
    """What became of the requests, in their order, by one method and with lists of `k` tools."""

    method: str
    k: int
    outcomes: Sequence[Outcome]

    @property
    def row(self) -> Recall:
        """The row of all requests."""
        return recall(self.method, self.k, self.outcomes)


class Runs(NamedTuple):
    """What became of the requests by lists, by the frontier, and by the frontier of users who are not asked for their goal; each for every `k`."""

    listed: Sequence[Measured]
    asked: Sequence[Measured]
    unasked: Sequence[Measured]


def runs(suite: Suite, comparison: Comparison) -> Runs:
    """Run all requests of `suite`."""
    lists = {k: [_listed(suite, case, comparison, k) for case in suite.cases] for k in TOP}

    def followed(method: str, most_questions: int) -> list[Measured]:
        followed = [_followed(suite, case, comparison, most_questions) for case in suite.cases]
        return [Measured(method, k, list(map(_after, suite.cases, followed, listed))) for k, listed in lists.items()]

    return Runs(
        [Measured(comparison.name, k, list(map(_outcome, suite.cases, listed))) for k, listed in lists.items()],
        followed(f"{comparison.name}, causal", MOST_QUESTIONS),
        followed(f"{comparison.name}, causal, unasked", 0),
    )


def everything(suite: Suite) -> Measured:
    """What it takes to show all tools at once."""
    sent = sum(suite.menu.sizes[document.name] for document in suite.documents)
    return Measured("all tools", len(suite.documents), [Outcome(len(case.wanted), len(case.wanted), (sent,)) for case in suite.cases])


def promises(measured: Iterable[Runs]) -> Iterator[Promise]:
    """That the frontier shows at least what the longest list by overlap shows, at a tenth of the characters."""
    rows = [(run.listed[-1].row, run.asked[0].row) for run in measured]
    longest = next(listed for listed, _ in rows if listed.method == BASELINE)
    for _, causal in rows:
        yield at_least(f"shown: {causal.method}", causal.shown, longest.shown)
        yield at_most(f"characters: {causal.method}", causal.characters, longest.characters / 10)


class _List(NamedTuple):
    """What a list shows, and its characters."""

    shown: frozenset[str]
    sent: int


def _listed(suite: Suite, case: Case, comparison: Comparison, k: int) -> _List:
    names = shortlist(suite.documents, case.text, top_k=k, scorer=comparison.tools).names
    return _List(frozenset(suite.menu.labels[name] for name in names), sum(suite.menu.sizes[name] for name in names))


def _followed(suite: Suite, case: Case, comparison: Comparison, most_questions: int) -> Followed:
    # The goal is read from the words alone: what is known is the same for all requests.
    reading = comparison.goals.rank(case.text, suite.readable, build(suite.readable, (), "").state)
    return follow(suite.menu, case.meant, reading, most_questions)


def _outcome(case: Case, listed: _List) -> Outcome:
    return Outcome(len(case.wanted), len(case.wanted & listed.shown), (listed.sent,))


def _after(case: Case, run: Followed, listed: _List) -> Outcome:
    """What becomes of a run, with the list where it ends without a goal."""
    if not run.explores:
        return Outcome(len(case.wanted), len(run.shown), run.sent, run.questions)
    return Outcome(len(case.wanted), len(case.wanted & (run.shown | listed.shown)), (*run.sent, listed.sent), run.questions)
