"""What it costs to act on one goal where another was meant: what the answer to a goal question is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from toolplan.goals.prospects import Considered, Prospect
from toolplan.planning.plans import Optimal
from toolplan.planning.semantics import replay


class Worth:
    """Expected regret over the posterior of `considered`, among its prospects `live`."""

    def __init__(self, considered: Considered, live: Sequence[Prospect]) -> None:
        self._none = considered.reading.none
        scores = [prospect.best.score for prospect in live if prospect.best is not None]
        self._penalty = considered.domain.policy.question_cost + sum(scores, Fraction(0))
        self._loss = cache(self._lost)

    def regret(self, prospects: Sequence[Prospect]) -> float:
        """The expected loss of the best that can be done where one of `prospects` or none is meant, and it is not known which.

        That is to pursue one of them, or to do nothing. What is then out of reach counts a finite penalty: one more question, and the best
        plans of all candidates together.
        """
        nothing = sum(meant.candidate.p for meant in prospects) * float(self._penalty)
        return min([nothing, *(self._expected(pursued, prospects) for pursued in prospects if pursued.best is not None)])

    def _expected(self, pursued: Prospect, prospects: Sequence[Prospect]) -> float:
        wasted = float(pursued.best.score) if pursued.best is not None else 0.0
        return self._none * wasted + sum(meant.candidate.p * float(self._loss(pursued, meant)) for meant in prospects)

    def _lost(self, pursued: Prospect, meant: Prospect) -> Fraction:
        """`score of the plan for pursued + h*(after it, meant) - h*(now, meant)`."""
        if pursued is meant:
            return Fraction(0)
        if pursued.best is None or meant.best is None:
            return self._penalty
        after = replay(pursued.problem, pursued.best.steps)
        assert after is not None, "a best plan can be followed"
        match meant.solver(replace(meant.problem, state=after)):
            case Optimal(rest):
                return pursued.best.score + rest.score - meant.best.score
            case _:
                return self._penalty
