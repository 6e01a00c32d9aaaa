"""The 61 tools of an assistant, and 30 requests to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files

from toolplan.bench.recall.figures import Recall, characters, recall
from toolplan.bench.recall.following import Menu
from toolplan.bench.recall.measuring import Case, Measured, Suite, everything, promises, runs
from toolplan.bench.recall.readers import Comparison, readable
from toolplan.bench.tables import Row
from toolplan.catalog import NO_TOOLS
from toolplan.domain import Domain
from toolplan.exposure.declarations import described, real_names
from toolplan.language.loading import loads
from toolplan.retrieval import domain_documents

TITLE = "61 tools of an assistant"
PHRASINGS = ("direct", "indirect")
"""A direct request has words of its tool, an indirect one says what is wanted, and leaves the tool to be guessed."""


def tables(comparisons: Iterable[Comparison]) -> Iterator[tuple[str, Sequence[Row]]]:
    """A table of all requests, one for each phrasing, one of users who are not asked for their goal, and what is promised."""
    measured = [runs(suite(), comparison) for comparison in comparisons]
    compared = [everything(suite()), *(one for run in measured for one in (*run.listed, *run.asked))]
    yield TITLE, [one.row for one in compared]
    for phrasing in PHRASINGS:
        yield f"{TITLE}: {phrasing} requests", [_row(one, phrasing) for one in compared]
    yield f"{TITLE}: no question for the goal", [one.row for run in measured for one in run.unasked]
    yield f"{TITLE}: what is promised", list(promises(measured))


@cache
def suite() -> Suite:
    """The requests. The core that is always visible is sent with every list and every step alike; it is no document, and its size is not counted."""
    domain = registry()
    tools = described(domain, NO_TOOLS, real_names(domain))
    sizes = {name: characters(name, tool.description, tool.schema) for name, tool in tools.items()}
    documents = domain_documents(domain)
    core = domain.policy.always_visible
    choice = [document for document in documents if document.name not in core]
    return Suite(Menu(domain, sizes, {name: name for name in tools}), readable(domain, documents), choice, cases())


@cache
def registry() -> Domain:
    """The tools, each with a contract."""
    return loads(_text("assistant.toolplan"))


@cache
def cases() -> tuple[Case, ...]:
    """The requests, in the order of their file."""
    lines = map(json.loads, _text("requests.jsonl").splitlines())
    return tuple(Case(line["request"], {line["goal"]: line["tool"]}, line["phrasing"]) for line in lines)


def _row(measured: Measured, phrasing: str) -> Recall:
    pairs = zip(cases(), measured.outcomes, strict=True)
    return recall(measured.method, measured.k, [outcome for case, outcome in pairs if case.phrasing == phrasing])


def _text(name: str) -> str:
    return (files("toolplan.bench.recall") / name).read_text("utf-8")
