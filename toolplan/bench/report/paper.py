"""The figures of CMTF (arXiv 2606.06284): table 4, means over 102 tasks and four models, without intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolplan.bench.report.points import Point, Points

PAPER = "the paper, four large models"


class Printed(NamedTuple):
    """A line of the table, in its order."""

    success: float
    wrong_tools: float
    premature: float
    tools_a_step: float
    tokens: int


TABLE: Mapping[str, Printed] = {
    "all": Printed(0.83, 1.25, 0.03, 100.00, 24_569),
    "keyword-5": Printed(0.61, 2.36, 0.03, 5.00, 4_407),
    "keyword-10": Printed(0.72, 1.93, 0.06, 10.00, 5_039),
    "state-aware": Printed(0.65, 1.98, 0.00, 5.73, 4_354),
    "full-path": Printed(0.99, 0.03, 0.01, 1.90, 2_555),
    "frontier": Printed(0.99, 0.01, 0.00, 1.00, 2_405),
}
"""By the name of the arm."""


def printed(metric: str) -> Points:
    """What the paper has for a metric of `points`."""
    return {arm: {PAPER: Point(value, value, value)} for arm, value in _values(metric).items()}


def _values(metric: str) -> Mapping[str, float]:
    match metric:
        case "success, %":
            return {arm: 100 * line.success for arm, line in TABLE.items()}
        case "wrong tools a task":
            return {arm: line.wrong_tools for arm, line in TABLE.items()}
        case "tools a step":
            return {arm: line.tools_a_step for arm, line in TABLE.items()}
        case _:
            return {arm: float(line.tokens) for arm, line in TABLE.items()}
