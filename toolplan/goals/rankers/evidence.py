"""What the state says of the goals: what the user has told speaks for the goals that use it, and against those that need more."""

from __future__ import annotations

from toolplan.domain import Domain
from toolplan.planning.problem import State

TOLD = 1.0
"""Log odds, against no goal at all, for each fact that a goal is given and that is known."""
UNTOLD = 0.5
"""Log odds against a goal for each fact that it is given and that nobody told, where something was told."""


def odds_of_state(domain: Domain, state: State) -> list[float]:
    """What is added to the log odds of each goal of `domain`, in order of declaration.

    Only facts count that some goal is `given`: what a user tells. Where none of them is known, the state says nothing.
    """
    known = {atom.fact for atom in state.known | state.uncertain}
    given = [{formula.fact for formula in goal.given} for goal in domain.goals.values()]
    if all(known.isdisjoint(facts) for facts in given):
        return [0.0] * len(given)
    return [TOLD * len(facts & known) - UNTOLD * len(facts - known) for facts in given]
