"""Uniform-cost search over the reference semantics: slow, short, and the oracle of every other engine."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from fractions import Fraction

from toolplan.planning.plans import Limit, Optimal, Plan, Step, Undecided, Unreachable
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, goal_reached, successor

NAME = "uniform-cost"


def uniform_cost(problem: Problem, steps: Sequence[Step], limit: Limit) -> Optimal | Unreachable | Undecided:
    """The best plan made of `steps`, by (score, number of steps); among equals the one whose steps stand first in `steps`.

    Expands states in order of (score, steps) and stops at the first that reaches the goal (Dijkstra 1959).
    """
    scores = [problem.domain.score_of(problem.domain.action(step.action)) for step in steps]
    deadline = time.monotonic() + limit.seconds
    came: dict[State, tuple[State, Step] | None] = {problem.state: None}
    best: dict[State, tuple[Fraction, int]] = {problem.state: (Fraction(0), 0)}
    queue: list[tuple[Fraction, int, int, State]] = [(Fraction(0), 0, 0, problem.state)]
    closed: set[State] = set()
    pushed = 0
    while queue:
        score, length, _, state = heapq.heappop(queue)
        if state in closed:
            continue
        if goal_reached(problem, state):
            return Optimal(Plan(_steps_to(state, came), score), NAME, len(closed))
        if len(closed) >= limit.expansions:
            return Undecided(score, NAME, f"{limit.expansions:,} expansions")
        if time.monotonic() > deadline:
            return Undecided(score, NAME, f"{limit.seconds:g} s")
        closed.add(state)
        for step, step_score in zip(steps, scores, strict=True):
            if applicable(problem, state, step):
                after = successor(problem, state, step)
                reached = (score + step_score, length + 1)
                if after not in closed and reached < best.get(after, (reached[0] + 1, 0)):
                    best[after] = reached
                    came[after] = (state, step)
                    pushed += 1
                    heapq.heappush(queue, (*reached, pushed, after))
    return Unreachable((), NAME)


def _steps_to(state: State, came: dict[State, tuple[State, Step] | None]) -> tuple[Step, ...]:
    steps = []
    while (origin := came[state]) is not None:
        state, step = origin
        steps.append(step)
    return tuple(reversed(steps))
