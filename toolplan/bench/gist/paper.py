"""The figures of the GIST-CMTF paper (arXiv 2606.16813), means over seven models: table II for all requests, table III for each type."""

from __future__ import annotations

from typing import NamedTuple

from toolplan.bench.gist.requests import AMBIGUOUS, CLARIFICATION, EXPLICIT, MISSING

FOUR = "the paper's four"
"""Stands for the requests of the four types that the paper has."""
ALL_TOOLS, TOP_GOAL, SEMANTIC, GIST, GOLD = "all tools", "top-goal", "semantic-goal", "GIST-CMTF", "gold-goal"


class Printed(NamedTuple):
    """Shares from 0 to 1, and tokens a task. `asked` counts every question; on explicit requests each is needless.

    A wrong goal is there one that is reached on a valid path.
    """

    success: float
    wrong_goal: float
    asked: float
    tokens: int


TABLES: dict[tuple[str, str], Printed] = {
    (FOUR, ALL_TOOLS): Printed(0.535, 0.000, 0.337, 4152),
    (FOUR, "state-aware"): Printed(0.564, 0.000, 0.468, 2084),
    (FOUR, TOP_GOAL): Printed(0.801, 0.194, 0.331, 1077),
    (FOUR, SEMANTIC): Printed(0.829, 0.167, 0.283, 700),
    (FOUR, GIST): Printed(0.970, 0.025, 0.660, 1186),
    (FOUR, GOLD): Printed(0.995, 0.000, 0.167, 689),
    (AMBIGUOUS, ALL_TOOLS): Printed(0.714, 0.000, 0.518, 3371),
    (AMBIGUOUS, TOP_GOAL): Printed(0.529, 0.468, 0.314, 1015),
    (AMBIGUOUS, SEMANTIC): Printed(0.500, 0.500, 0.125, 585),
    (AMBIGUOUS, GIST): Printed(0.975, 0.021, 0.975, 1239),
    (AMBIGUOUS, GOLD): Printed(0.993, 0.000, 0.000, 608),
    (CLARIFICATION, ALL_TOOLS): Printed(0.943, 0.000, 0.057, 2454),
    (CLARIFICATION, TOP_GOAL): Printed(0.900, 0.100, 0.729, 1015),
    (CLARIFICATION, SEMANTIC): Printed(1.000, 0.000, 0.900, 717),
    (CLARIFICATION, GIST): Printed(1.000, 0.000, 0.914, 1066),
    (CLARIFICATION, GOLD): Printed(1.000, 0.000, 0.000, 462),
    (EXPLICIT, ALL_TOOLS): Printed(0.300, 0.000, 0.000, 5559),
    (EXPLICIT, TOP_GOAL): Printed(0.904, 0.086, 0.000, 1060),
    (EXPLICIT, SEMANTIC): Printed(0.989, 0.000, 0.000, 690),
    (EXPLICIT, GIST): Printed(0.946, 0.050, 0.168, 1114),
    (EXPLICIT, GOLD): Printed(1.000, 0.000, 0.000, 691),
    (MISSING, ALL_TOOLS): Printed(0.471, 0.000, 0.638, 3882),
    (MISSING, TOP_GOAL): Printed(0.995, 0.005, 0.662, 1201),
    (MISSING, SEMANTIC): Printed(0.995, 0.000, 0.667, 860),
    (MISSING, GIST): Printed(0.986, 0.005, 0.810, 1251),
    (MISSING, GOLD): Printed(0.990, 0.000, 0.667, 870),
}
"""By the type of the requests and the method. The paper has no figures by type for state-aware."""

NAMES = {"thresholded": GIST, "risk-sensitive": GIST, "ours": GIST}
"""Methods that stand beside another of the paper: two variants of its own, and ours."""


def printed(kind: str, method: str) -> Printed | None:
    """The paper's figures for `method` on requests of the type `kind`; None where it has none."""
    return TABLES.get((kind, NAMES.get(method, method)))
