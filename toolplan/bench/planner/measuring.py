"""How the tiers measure: settings, one clock, medians, and what is promised of the figures."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, inf, log
from pathlib import Path
from typing import NamedTuple

import toolplan
from toolplan.bench.loading import machine as surroundings
from toolplan.bench.tables import Row
from toolplan.domain import Domain
from toolplan.frontier import Frontier
from toolplan.frontier.continuation import forget
from toolplan.planning.engines import AUTO
from toolplan.planning.plans import Limit
from toolplan.planning.problem import State

SIZES = (100, 1_000, 10_000, 100_000)
SEEDS = tuple(range(10))
PATIENT = Limit(expansions=10**9, seconds=60)
"""A limit that only time reaches."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What to measure: numbers of tools, seeds, indices of PDDL problems, files of telecom tasks. `note` is told what is under way."""

    sizes: tuple[int, ...] = SIZES
    seeds: tuple[int, ...] = SEEDS
    problems: tuple[Path, ...] = ()
    telecom: tuple[Path, ...] = ()
    note: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Promise(Row):
    """A figure that is promised of a tier, beside what was measured."""

    promise: str
    measured: float
    bound: str
    kept: bool


def at_most(promise: str, measured: float, bound: float) -> Promise:
    """A promise of a figure that is small."""
    return Promise(promise, measured, f"at most {bound:g}", measured <= bound)


def at_least(promise: str, measured: float, bound: float) -> Promise:
    """A promise of a figure that is large."""
    return Promise(promise, measured, f"at least {bound:g}", measured >= bound)


class Timed(NamedTuple):
    """What a call returned, and the wall time that it took."""

    seconds: float
    answer: Frontier

    @property
    def value(self) -> tuple[Fraction | None, int]:
        """The score and the number of steps of the plan."""
        return self.answer.planned.score, len(self.answer.planned.steps)


def cold(domain: Domain, state: State, goal: Sequence[str], engine: str = AUTO) -> Timed:
    """One decision, timed, for which no earlier plan can be used."""
    forget(domain)
    return timed(domain, state, goal, engine)


def timed(domain: Domain, state: State, goal: Sequence[str], engine: str = AUTO) -> Timed:
    """One decision, timed. The state is a copy whose hashes nobody has computed yet, as an agent's new state has none."""
    fresh = State(frozenset(list(state.known)), frozenset(list(state.uncertain)), frozenset(list(state.denied)))
    started = time.perf_counter()
    answer = toolplan.frontier(domain, state=fresh, goal=goal, engine=engine, limit=PATIENT)
    return Timed(time.perf_counter() - started, answer)


def percentile(values: Iterable[float], percent: int) -> float:
    """The smallest of `values` that `percent` of a hundred of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(ceil(len(ordered) * percent / 100), 1) - 1]


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean of ratios; of none, infinity."""
    logs = [log(ratio) for ratio in ratios]
    return exp(sum(logs) / len(logs)) if logs else inf


def machine() -> str:
    """The machine, its processor first."""
    return f"{processor()}, {surroundings()}"


def processor() -> str:
    """The name of the processor, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
