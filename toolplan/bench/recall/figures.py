"""Rows of what was shown, and at what price."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from toolplan.bench.tables import Row
from toolplan.learning.intervals import percent

TOP = (3, 5, 10, 15, 20, 30)
"""The lengths of lists."""


class Outcome(NamedTuple):
    """What became of one request: how many tools it `wanted`, how many of them were `shown`, and the characters of each thing that was sent for it.

    `questions` are those that the user was asked.
    """

    wanted: int
    shown: int
    sent: tuple[int, ...]
    questions: int = 0


@dataclass(frozen=True, slots=True)
class Recall(Row):
    """Of the tools that were `wanted`, how many were `shown`, in percent with the Wilson interval.

    `characters` are those of the definitions, or of the question, that stand before the model or the user each time, and `in_all` those of a
    request until the tool is there or the run ends; both are means over requests. `questions` are those of all requests together.
    """

    method: str
    k: int
    wanted: int
    shown: int
    percent: str
    characters: int
    in_all: int
    questions: int


def recall(method: str, k: int, outcomes: Sequence[Outcome]) -> Recall:
    """The row of `outcomes`."""
    wanted, shown = sum(outcome.wanted for outcome in outcomes), sum(outcome.shown for outcome in outcomes)
    each = [fmean(outcome.sent or (0,)) for outcome in outcomes]
    in_all = [sum(outcome.sent) for outcome in outcomes]
    questions = sum(outcome.questions for outcome in outcomes)
    return Recall(method, k, wanted, shown, percent(shown, wanted, places=1), round(fmean(each)), round(fmean(in_all)), questions)


def characters(name: str, description: str, schema: object) -> int:
    """The characters of a definition as providers take it."""
    return len(json.dumps({"name": name, "description": description, "inputSchema": schema}, ensure_ascii=False))
