"""What earlier plans say of the states that they expect: an agent that follows a plan is answered from it, without a search.

Only proved plans are kept, for one domain each, and only for exactly the states that `semantics` says their steps lead to. Any other
state, and any other request, is searched afresh.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from fractions import Fraction
from threading import Lock
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Optimal, Plan
from toolplan.planning.problem import Problem, State, placeholders_of
from toolplan.planning.semantics import applicable, score, states_along

MOST_ATOMS = 500_000
"""Atoms in all the states that are kept for one domain; what was neither made nor met for the longest time goes first."""
AHEAD = 16
"""Steps of a plan whose states are kept; the next ones follow when the last of these is met."""


def continued(problem: Problem, engine: str) -> Optimal | None:
    """What is left of a plan that expected to be where `problem` is, if there is one and its next step can still be taken.

    What is left of a best plan is a best plan, and the proof is that of the whole.
    """
    found = _continuations(problem.domain).get(_request(problem, engine), problem.state)
    if found is None:
        return None
    left = Plan(found.whole.plan.steps[found.taken :], found.score)
    if not applicable(problem, problem.state, left.steps[0]):
        return None
    solution = Optimal(left, found.whole.engine, found.whole.expansions)
    if found.taken == AHEAD - 1:
        remember(problem, engine, solution)
    return solution


def remember(problem: Problem, engine: str, best: Optimal) -> None:
    """Keep the plan of `best` for the states on its way."""
    steps = best.plan.steps[:AHEAD]
    expected = []
    left = best.plan.score
    for taken, (step, state) in enumerate(zip(steps, states_along(problem, steps) or (), strict=False)):
        # Without the values that the first state carries: they are a caller's, and may be of any size.
        expected.append((State(state.known, state.uncertain, state.denied), _Expected(best, taken, left)))
        left -= score(problem, (step,))
    _continuations(problem.domain).put(_request(problem, engine), expected)


def forget(domain: Domain) -> None:
    """Answer every state of `domain` afresh from now on."""
    _continuations(domain).clear()


class _Expected(NamedTuple):
    """The first `taken` steps of a plan lead to a state from which what is left has this score."""

    whole: Optimal
    taken: int
    score: Fraction


class _Continuations:
    """Bounded, and safe to use from several threads."""

    def __init__(self) -> None:
        self._expected: OrderedDict[tuple[Hashable, State], _Expected] = OrderedDict()
        self._atoms = 0
        self._lock = Lock()

    def get(self, request: Hashable, state: State) -> _Expected | None:
        with self._lock:
            found = self._expected.get((request, state))
            if found is not None:
                self._expected.move_to_end((request, state))
            return found

    def put(self, request: Hashable, expected: Iterable[tuple[State, _Expected]]) -> None:
        with self._lock:
            for state, what in expected:
                if (request, state) not in self._expected:
                    self._atoms += _size(state)
                self._expected[request, state] = what
            while self._atoms > MOST_ATOMS:
                (_, state), _ = self._expected.popitem(last=False)
                self._atoms -= _size(state)

    def clear(self) -> None:
        with self._lock:
            self._expected.clear()
            self._atoms = 0


def _size(state: State) -> int:
    return 10 + len(state.known) + len(state.uncertain) + len(state.denied)


@per_domain
def _continuations(_: Domain) -> _Continuations:
    return _Continuations()


def _request(problem: Problem, engine: str) -> Hashable:
    """All that a plan depends on besides the domain and the state. A call may name an entity of which its state keeps no atom."""
    named = problem.objects.items() - problem.domain.constants.items() - placeholders_of(problem.domain).items()
    return problem.wanted, problem.forbidden, problem.exhausted, frozenset(named), engine
