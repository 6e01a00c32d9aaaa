"""How the goal layer gets its plans: a function from problem to solution, so that whoever calls it chooses engine, limit and memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from toolplan.language.diagnostics import DomainError
from toolplan.planning.engines import solve
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Undecided, Unreachable
from toolplan.planning.problem import Problem

Answer = Optimal | Bounded | Unreachable | Undecided
Solver = Callable[[Problem], Answer]


def solver(engine: str, limit: Limit) -> Solver:
    """Solves with `engine`. Expansions are limited for each problem, the seconds for all together, counted from now.

    It raises DomainError where the engine is missing or fails.
    """
    deadline = time.monotonic() + limit.seconds

    def solved(problem: Problem) -> Answer:
        left = deadline - time.monotonic()
        if left <= 0:
            return Undecided(Fraction(0), engine, f"{limit.seconds:g} seconds")
        return believed(solve(problem, engine, replace(limit, seconds=left)))

    return solved


def believed(solution: Answer | EngineMissing | EngineFailed) -> Answer:
    """`solution`, if it is one. Raises DomainError where the engine is missing or fails."""
    if isinstance(solution, EngineMissing | EngineFailed):
        raise DomainError([solution.diagnostic])
    return solution
