"""Mode `ties`: every step that starts some best plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolplan.frontier.first_steps import first_steps
from toolplan.goals.regret import Regret, as_called, led_by, preference, startable
from toolplan.goals.solving import solver
from toolplan.planning.plans import Limit, Plan, Step
from toolplan.planning.problem import Problem


class Ties(NamedTuple):
    """The steps that start a best plan, and those of which the limit kept that from being told; each in order of preference."""

    steps: tuple[Step, ...]
    undecided: tuple[Step, ...]


def ties(problem: Problem, best: Plan, engine: str, limit: Limit) -> Ties:
    """Every step `a` with `(score of a, 1) + h*(after a) = h*(now)`, compared as (score, number of steps), where `best` attains `h*(now)`.

    No step without use is among them, not even one that scores nothing: with it a plan is longer. A call that may turn out in several ways
    is one step, in the outcome with which it starts a best plan. Steps of `best` that can go first need no search; for each other
    step that can run, `engine` solves what is left after it. Its expansions are limited for each step, its seconds for all together.
    """
    within = solver(engine, limit)
    found = {as_called(step): step for step in reversed(first_steps(problem, best))}
    undecided: dict[Step, Step] = {}
    for step in startable(problem, best):
        if as_called(step) not in found:
            match led_by(problem, best, step, within):
                case Plan():
                    found[as_called(step)] = step
                case Regret.UNTOLD:
                    undecided.setdefault(as_called(step), step)

    def ordered(steps: Iterator[Step]) -> tuple[Step, ...]:
        return tuple(sorted(steps, key=lambda step: preference(problem, step)))

    return Ties(ordered(iter(found.values())), ordered(undecided[call] for call in undecided.keys() - found.keys()))
