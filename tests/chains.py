"""Test blocks of a domain as chains: planned, tried without each of their steps, and walked through `toolplan.frontier`.

Nothing is asserted here: what is found is returned, so that the tests compare it and pytest shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import toolplan
from toolplan.domain import Domain, Scenario
from toolplan.frontier import Frontier, Planned
from toolplan.planning.engines import AUTO
from toolplan.planning.inputs import build_scenario
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import State, successor

LIMIT = toolplan.Limit(seconds=60)


@dataclass(frozen=True)
class Stop:
    """A state on a walk, and what an agent gets there."""

    state: State
    now: Frontier

    @property
    def step(self) -> Step | None:
        """The step that the agent is to take; None where it asks, is done, or is blocked."""
        return plain(self.now.decision.step) if isinstance(self.now.decision, toolplan.Act | toolplan.Instruct) else None


@dataclass(frozen=True)
class Chains:
    """The tests of `domain`, planned by `engine`."""

    domain: Domain
    engine: str = AUTO

    def of_kind(self, kind: str) -> list[Any]:
        """The tests that expect one thing, of this kind, before anything happens, as parameters with their names."""
        found = [test for test in self.domain.tests if [expected.kind for expected in test.expects] == [kind]]
        return [pytest.param(test, id=test.name) for test in found if test.script == test.expects]

    def plan(self, test: Scenario) -> Planned:
        """The best plan from what is given to what is wanted."""
        return toolplan.plan(self.domain, **self._call(self._problem(test)))

    def frontier(self, test: Scenario) -> Frontier:
        """What an agent gets where only that is known which is given."""
        return toolplan.frontier(self.domain, **self._call(self._problem(test)))

    def spare(self, test: Scenario, best: Planned) -> list[Step]:
        """The steps of the chain that a plan as good as `best` does without. None: up to the order of steps, no other is as good."""
        call, found = self._call(self._problem(test)), []
        for step in steps_of(test):
            other = toolplan.plan(self.domain, exhausted=[step], **call)
            if not (other.outcome == "unreachable" or (other.score, len(other.steps)) > (best.score, len(best.steps))):
                found.append(step)
        return found

    def walk(self, test: Scenario) -> list[Stop]:
        """Where an agent comes that does what it gets: as many steps as the chain has, or fewer where there is none to take."""
        problem = self._problem(test)
        call = self._call(problem)
        stops = [Stop(problem.state, toolplan.frontier(self.domain, **call))]
        while stops[-1].step is not None and len(stops) <= len(steps_of(test)):
            state = successor(problem, stops[-1].state, stops[-1].now.decision.step)
            stops.append(Stop(state, toolplan.frontier(self.domain, **call | {"state": state})))
        return stops

    def _problem(self, test: Scenario) -> Problem:
        return build_scenario(self.domain, test.given, test.wanted)

    def _call(self, problem: Problem) -> dict[str, Any]:
        return {"state": problem.state, "goal": list(problem.wanted), "engine": self.engine, "limit": LIMIT}


def steps_of(test: Scenario) -> list[Step]:
    """The steps that a test names, in its order."""
    return [Step(atom.fact, tuple(map(str, atom.terms))) for expected in test.expects for atom in expected.atoms]


def plain(step: Step) -> Step:
    """`step` without its outcome, which a test does not name."""
    return Step(step.action, step.arguments)


def in_any_order(steps: list[Step] | tuple[Step, ...]) -> list[Step]:
    """`steps` as they compare where their order and their outcomes do not matter."""
    return sorted(map(plain, steps))


def too_early(test: Scenario, stops: list[Stop]) -> list[tuple[Step, Atom]]:
    """The steps taken at `stops` that the test rules out without an atom which is not known there, each with that atom."""
    return [
        (stop.step, without)
        for stop in stops
        for rule in test.never
        if stop.step is not None and rule.without is not None and stop.step.action in {atom.fact for atom in rule.atoms}
        if (without := Atom(rule.without.fact, tuple(map(str, rule.without.terms)))) not in stop.state.known
    ]


def banned(test: Scenario, best: Planned) -> set[str | tuple[str, ...]]:
    """What `best` has of that which the test rules out altogether: actions, or actions with their arguments."""
    planned = {step.action for step in best.steps} | {(step.action, *step.arguments) for step in best.steps}
    never = [atom for rule in test.never if rule.without is None for atom in rule.atoms]
    return planned & {(atom.fact, *map(str, atom.terms)) if atom.terms else atom.fact for atom in never}
