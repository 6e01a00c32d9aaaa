"""Requests for tools, by lists and by the frontier, with the same ways to compare words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
    lists = [_by_lists(suite, case, comparison) for case in suite.cases]
    asked, unasked = ([_by_frontier(suite, case, comparison, most) for case in suite.cases] for most in (MOST_QUESTIONS, 0))
    return Runs(
        _measured(comparison.name, lists),
        _measured(f"{comparison.name}, causal", asked),
        _measured(f"{comparison.name}, causal, unasked", unasked),
    )


def everything(suite: Suite) -> Measured:
    """What it takes to show all tools at once."""
    sent = sum(suite.menu.sizes[document.name] for document in suite.documents)
    return Measured("all tools", len(suite.documents), [Outcome(len(case.wanted), len(case.wanted), (sent,)) for case in suite.cases])


def promises(measured: Iterable[Runs]) -> Iterator[Promise]:
    """That the frontier shows at least what the longest list by overlap shows, at a tenth of the characters.

    Of the lists that follow where contracts end, it is the longest with which a tenth is enough, or the shortest.
    """
    rows = [(run.listed[-1].row, [one.row for one in run.asked]) for run in measured]
    longest = next(listed for listed, _ in rows if listed.method == BASELINE)
    most = longest.characters / 10
    for _, causal in rows:
        row = next((row for row in reversed(causal) if row.characters <= most), causal[0])
        yield at_least(f"shown: {row.method}, lists of {row.k}", row.shown, longest.shown)
        yield at_most(f"characters: {row.method}, lists of {row.k}", row.characters, most)


class _List(NamedTuple):
    """What a list shows, and its characters."""

    shown: frozenset[str]
    sent: int


def _measured(method: str, outcomes: Sequence[Mapping[int, Outcome]]) -> list[Measured]:
    """The outcomes of all requests, for each length of lists."""
    return [Measured(method, k, [by_length[k] for by_length in outcomes]) for k in TOP]


def _by_lists(suite: Suite, case: Case, comparison: Comparison) -> dict[int, Outcome]:
    lists = _lists(suite, case, comparison, frozenset())
    return {k: Outcome(len(case.wanted), len(case.wanted & listed.shown), (listed.sent,)) for k, listed in lists.items()}


def _by_frontier(suite: Suite, case: Case, comparison: Comparison, most_questions: int) -> dict[int, Outcome]:
    # The goal is read from the words alone: what is known is the same for all requests.
    reading = comparison.goals.rank(case.text, suite.readable, build(suite.readable, (), "").state)
    run = follow(suite.menu, case.meant, reading, most_questions)
    return {k: _after(case, run, listed) for k, listed in _lists(suite, case, comparison, run.passed).items()}


def _lists(suite: Suite, case: Case, comparison: Comparison, passed: Collection[str]) -> dict[int, _List]:
    """A list of each length, of the tools that are not `passed`."""
    documents = [document for document in suite.documents if document.name not in passed]
    return {k: _list(suite, shortlist(documents, case.text, top_k=k, scorer=comparison.tools).names) for k in TOP}


def _list(suite: Suite, names: Sequence[str]) -> _List:
    return _List(frozenset(suite.menu.labels[name] for name in names), sum(suite.menu.sizes[name] for name in names))


def _after(case: Case, run: Followed, listed: _List) -> Outcome:
    """What becomes of a run, with the list where it ends without a goal."""
    if not run.explores:
        return Outcome(len(case.wanted), len(run.shown), run.sent, run.questions)
    return Outcome(len(case.wanted), len(case.wanted & (run.shown | listed.shown)), (*run.sent, listed.sent), run.questions)
