"""The closest negatives: the tools that are most easily taken for the right one, and how often they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolplan.bench.funnel.records import Run
from toolplan.bench.funnel.suite import Task
from toolplan.bench.tables import Row
from toolplan.catalog import Catalog
from toolplan.domain import Domain, permits
from toolplan.retrieval import Document, Scorer, domain_documents

CLOSEST = 3


@dataclass(frozen=True, slots=True)
class NegativeRow(Row):
    """A tool that is not right beside one that is, by real names.

    `alike` is what the scorer makes of their texts, 0 for tools that only a suite names. Of the looks at steps for which only `gold` was
    right, the caller could use the negative in `eligible`, both were `shown` in some, and the negative was `chosen` in some of these.
    """

    menu: str
    gold: str
    negative: str
    alike: float
    eligible: int
    shown: int
    chosen: int


class Negatives:
    """The closest negatives of `tasks`, as `scorer` has them: the most alike of all tools, and those that the tasks name."""

    def __init__(self, domain: Domain, catalog: Catalog, tasks: Sequence[Task], scorer: Scorer) -> None:
        self._domain, self._tasks = domain, {task.id: task for task in tasks}
        documents = {document.name: document for document in domain_documents(domain, catalog)}
        named: dict[str, dict[str, float]] = {}
        for task in tasks:
            alone = (domain.tools[name].call_name for step in task.gold if len(step) == 1 for name in step)
            for gold in (name for name in alone if name in documents):
                found = named.setdefault(gold, dict(_alike(documents[gold], documents.values(), scorer)))
                for name in sorted(task.negatives):
                    found.setdefault(domain.tools[name].call_name, 0.0)
        self._alike = {gold: {name: alike for name, alike in found.items() if name != gold} for gold, found in named.items()}
        self._eligible: Mapping[str, frozenset[str]] = {
            task.id: frozenset(tool.call_name for tool in domain.tools.values() if permits(tool, task.principal)) for task in tasks
        }

    def rows(self, menu: str, runs: Iterable[Run]) -> Iterator[NegativeRow]:
        """A row for each pair that a caller could have taken for each other, in the order of the tasks, then the most alike first."""
        looks = [(run.task, look) for run in runs for look in run.rounds if len(look.due) == 1]
        always = {self._domain.tools[name].call_name for name in self._domain.policy.always_visible}
        for gold, negatives in self._alike.items():
            for negative, alike in negatives.items():
                at = [look for task, look in looks if look.due == (gold,) and negative in self._eligible[task]]
                both = [look for look in at if {gold, negative} <= {*look.shown, *always}]
                if at:
                    yield NegativeRow(menu, gold, negative, alike, len(at), len(both), sum(look.chosen == negative for look in both))


def _alike(gold: Document, documents: Iterable[Document], scorer: Scorer) -> list[tuple[str, float]]:
    """The names of the documents that are most alike to `gold`, the most alike first."""
    others = [document for document in documents if document is not gold]
    scored = zip((document.name for document in others), map(float, scorer(gold.text, others)), strict=True)
    return sorted(scored, key=lambda pair: -pair[1])[:CLOSEST]
