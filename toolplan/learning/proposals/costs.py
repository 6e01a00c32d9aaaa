"""What calls cost that were measured: how long one takes, and how many it takes until one succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import median

from toolplan.language.numerals import numeral
from toolplan.learning.called import contract_of
from toolplan.learning.proposals.changes import Change, Sign
from toolplan.learning.proposals.gathering import Gathered

DEARER = Fraction(3, 2)
"""By what factor a cost has to differ from the one that is written."""
MEASURED = 5
"""Calls that have to succeed before it is said what one costs."""


def from_costs(found: Gathered) -> Iterator[tuple[str, Change]]:
    """The tools whose calls cost other than is written, where the tool in the middle costs 1.

    A cost is the seconds of a call times the calls until one succeeds. Tools that were not timed have none.
    """
    prices = {tool: seconds * _attempts(found, tool) for tool, seconds in found.seconds.items() if found.done[tool] >= MEASURED}
    middle = median(prices.values()) if prices else Fraction(0)
    for name in sorted(prices) if middle else ():
        tool = contract_of(found.domain, name)
        cost = _rounded(prices[name] / middle)
        if tool is not None and not 1 / DEARER < cost / max(tool.cost, Fraction(1, 100)) < DEARER:
            evidence = f"{float(found.seconds[name]):.2g} s a call, {float(_attempts(found, name)):.1f} calls until one succeeds"
            if tool.cost != 1:
                yield tool.name, Change(Sign.REMOVE, "cost", numeral(tool.cost), evidence)
            yield tool.name, Change(Sign.ADD, "cost", numeral(cost), evidence)


def _attempts(found: Gathered, tool: str) -> Fraction:
    return Fraction(found.done[tool] + found.failed[tool], found.done[tool])


def _rounded(cost: Fraction) -> Fraction:
    """To one digit: what was measured is no better."""
    return Fraction(f"{float(cost):.1g}")
