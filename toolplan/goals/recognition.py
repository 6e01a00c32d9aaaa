"""What the user does and says without being asked as evidence of which goal is meant.

The agent's own steps are none: whoever follows a frontier shows what the frontier wanted. So each observation has a state before it of
its own, and what changed between two of them counts for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from toolplan.domain import Domain
from toolplan.goals.readings import Candidate, Goals, Reading, reading_of
from toolplan.goals.solving import Solver, solver
from toolplan.planning.engines import AUTO
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Bounded, Limit, Optimal, Step, Undecided, Unreachable
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import score, successor

BETA = 1.0
"""How much a regret of one speaks against a goal: at 1, that of a needless question (5) makes it 148 times less probable."""
LIMIT = Limit()
Regret = Fraction | float
"""In units of score, exact; infinite where an action puts a goal out of reach."""


@dataclass(frozen=True, slots=True)
class Did:
    """The user took `step` in the state `before`, in the outcome that the step names."""

    before: State
    step: Step


@dataclass(frozen=True, slots=True)
class Told:
    """The user made `atoms` known in the state `before`, unasked or beyond what was asked."""

    before: State
    atoms: tuple[Atom, ...]


UserAction = Did | Told


def updated(
    domain: Domain,
    reading: Reading,
    observations: Sequence[UserAction],
    *,
    beta: float = BETA,
    engine: str = AUTO,
    limit: Limit = LIMIT,
) -> Reading:
    """`reading` after `observations`: `P(G | O)` is proportional to `P(G) exp(-beta regret)`, and adds up to one with `none`.

    The likelihood is Boltzmann's, as in Ramirez and Geffner, "Probabilistic Plan Recognition Using Off-the-Shelf Classical Planners", AAAI
    2010, over the regret of the user's own actions. `none` predicts nothing, so that whatever the user does fits it: it keeps a likelihood
    of one. What serves one candidate best takes from the others, and what serves no candidate raises `none`; no action lowers it against
    the goal that it serves.
    """
    found = regrets(domain, reading.candidates, observations, engine=engine, limit=limit)
    weights = [candidate.p * math.exp(-beta * float(regret)) for candidate, regret in zip(reading.candidates, found, strict=True)]
    total = sum(weights) + reading.none
    if total == 0:
        return replace(reading, candidates=(), none=1.0)
    goals = (candidate.goals for candidate in reading.candidates)
    return reading_of(reading.request, ((g, weight / total) for g, weight in zip(goals, weights, strict=True)), reading.findings)


def unregretted(
    domain: Domain,
    candidates: Sequence[Candidate],
    observations: Sequence[UserAction],
    *,
    engine: str = AUTO,
    limit: Limit = LIMIT,
) -> tuple[Candidate, ...]:
    """The candidates for which all that the user did was the best that could be done: those of no regret, in their order."""
    found = regrets(domain, candidates, observations, engine=engine, limit=limit)
    return tuple(candidate for candidate, regret in zip(candidates, found, strict=True) if regret == 0)


def regrets(
    domain: Domain,
    candidates: Sequence[Candidate],
    observations: Sequence[UserAction],
    *,
    engine: str = AUTO,
    limit: Limit = LIMIT,
) -> tuple[Regret, ...]:
    """For each candidate, the sum over `observations` of `c(o) + h*(after o) - h*(before o)`, none less than zero.

    `c` of a step is its score. What is told costs as much as it saves the goal that it serves best, since people say what helps; where it
    helps none, what a question costs (`Policy.question_cost`). An action is no evidence about a goal of which `limit` is reached first,
    and only its cost counts where the goal is out of reach before and after. `limit` is for all together.
    """
    solve = solver(engine, limit)
    each = [_regrets(domain, [candidate.goals for candidate in candidates], seen, solve) for seen in observations]
    return tuple(sum(column, Fraction(0)) for column in zip([Fraction(0)] * len(candidates), *each, strict=True))


def _regrets(domain: Domain, wanted: Sequence[Goals], seen: UserAction, solve: Solver) -> list[Regret]:
    """The regret of one action for each of `wanted`."""
    problems = [build(domain, seen.before, list(goals)) for goals in wanted]
    saved = [
        _saved(problem, build(domain, _after(problem, seen), list(goals)), solve) for problem, goals in zip(problems, wanted, strict=True)
    ]
    match seen:
        case Did(step=step):
            costs = [score(problem, (step,)) for problem in problems]
        case Told():
            most = max((saving for saving in saved if isinstance(saving, Fraction)), default=Fraction(0))
            costs = [most if most > 0 else domain.policy.question_cost] * len(wanted)
    return [max(cost - saving, Fraction(0)) for cost, saving in zip(costs, saved, strict=True)]


def _after(problem: Problem, seen: UserAction) -> State:
    match seen:
        case Did(step=step):
            return successor(problem, problem.state, step)
        case Told(before=before, atoms=atoms):
            told = frozenset(atoms)
            return State(before.known | told, before.uncertain - told, before.denied - told, before.values)


def _saved(before: Problem, after: Problem, solve: Solver) -> Regret:
    """How much less there is to do: infinite where the goal came within reach or nothing is decided, minus infinite where it got out of it."""
    left, ahead = _ahead(before, solve), _ahead(after, solve)
    if left is None or ahead is None:
        return math.inf
    return Fraction(0) if left == ahead else left - ahead


def _ahead(problem: Problem, solve: Solver) -> Regret | None:
    """The score of the best plan; infinite where there is none, None where that is not decided."""
    match solve(problem):
        case Optimal(plan):
            return plan.score
        case Unreachable():
            return math.inf
        case Bounded() | Undecided():
            return None
