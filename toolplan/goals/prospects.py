"""A reading in a state: what it would take to reach each candidate."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

from toolplan.domain import Domain
from toolplan.goals.given import ROUNDING, is_sound, reading_from
from toolplan.goals.readings import Candidate, Reading, reading_of
from toolplan.goals.solving import Answer, Solver
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.inputs import Forbidden, StateInput, Words, build
from toolplan.planning.plans import Optimal, Plan, Step, Unreachable
from toolplan.planning.problem import Problem

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Prospect:
    """A candidate, and the problem of reaching it. It is solved when that is asked for, and once. Compared by identity."""

    candidate: Candidate
    problem: Problem
    solver: Solver

    @cached_property
    def answer(self) -> Answer:
        """What planning for the candidate comes to."""
        return self.solver(self.problem)

    @property
    def best(self) -> Plan | None:
        """The plan that is proved best; None where there is none, and without steps where the candidate is achieved."""
        return self.answer.plan if isinstance(self.answer, Optimal) else None


class Leaving(enum.Enum):
    """Why a plausible candidate is none between which to choose."""

    ACHIEVED = "achieved"
    UNREACHABLE = "unreachable"


class Left(NamedTuple):
    """A candidate that left the set, why, and in words what keeps it from being reached."""

    candidate: Candidate
    why: Leaving
    detail: str


@dataclass(frozen=True)
class Considered:
    """A reading of which each candidate is a prospect, in the same order; `nothing` is the problem of wanting none of them.

    `lost` are the findings of the reading that may have cost it the goal: all but those of candidates that were not plausible.
    """

    reading: Reading
    prospects: tuple[Prospect, ...]
    nothing: Problem
    lost: tuple[Diagnostic, ...] = ()

    @property
    def domain(self) -> Domain:
        """The domain of all problems."""
        return self.nothing.domain

    @property
    def top(self) -> Prospect | None:
        """The most probable candidate, if there is any."""
        return self.prospects[0] if self.prospects else None

    @property
    def fits_none(self) -> bool:
        """Whether `none` is more probable than all candidates together: small talk, thanks, or what this domain is not for.

        Many goals that are equally probable are each less so than `none`, and still it is a goal that is wanted. A reading that may have
        lost the goal does not say so.
        """
        return not self.lost and (self.top is None or self.reading.none > 0.5 + ROUNDING)

    @cached_property
    def plausible(self) -> tuple[Prospect, ...]:
        """The candidates that the policy of the domain calls plausible; the most probable one always is."""
        return self.prospects[:1] + tuple(other for other in self.prospects[1:] if _plausible(self.domain, other.candidate))

    @cached_property
    def live(self) -> tuple[Prospect, ...]:
        """The plausible candidates that are neither achieved nor proved unreachable."""
        gone = {left.candidate for left in self.left}
        return tuple(prospect for prospect in self.plausible if prospect.candidate not in gone)

    @property
    def unlikely(self) -> Iterator[Prospect]:
        """The candidates that are not plausible, and neither achieved nor proved unreachable; each is solved when it is asked for."""
        return (prospect for prospect in self.prospects[len(self.plausible) :] if _left(prospect) is None)

    @cached_property
    def left(self) -> tuple[Left, ...]:
        """The plausible candidates that are not live."""
        return tuple(left for prospect in self.plausible if (left := _left(prospect)) is not None)


def _plausible(domain: Domain, candidate: Candidate) -> bool:
    return candidate.p >= float(domain.policy.plausible) - ROUNDING


def _left(prospect: Prospect) -> Left | None:
    match prospect.answer:
        case Optimal(plan) if not plan.steps:
            return Left(prospect.candidate, Leaving.ACHIEVED, "all of it is known")
        case Unreachable(missing):
            blamed = f"nothing can add {', '.join(map(str, missing))}" if missing else "no order of the tools works"
            return Left(prospect.candidate, Leaving.UNREACHABLE, blamed)
        case _:
            return None


def consider(
    domain: Domain,
    reading: Reading,
    solver: Solver,
    *,
    state: StateInput,
    forbid: Iterable[Forbidden] = (),
    exhausted: Iterable[Words | Step] = (),
) -> Considered:
    """`reading` in `state`. A candidate that the domain cannot mean is a finding of the reading, and its probability goes to `none`.

    Raises DomainError with what is wrong in `state`, `forbid` or `exhausted`.
    """
    state, forbid, exhausted = repeatable(state), repeatable(forbid), repeatable(exhausted)
    nothing = build(domain, state, (), forbid, exhausted)
    candidates, findings = _checked(reading.candidates)
    lost = [*reading.findings, *findings]
    unlikely: list[Diagnostic] = []
    problems: dict[Candidate, Problem] = {}
    for candidate in candidates:
        try:
            problems[candidate] = build(domain, state, list(candidate.goals), forbid, exhausted)
        except DomainError as error:
            (lost if _plausible(domain, candidate) else unlikely).extend(error.diagnostics)
    sound = reading_of(reading.request, ((candidate.goals, candidate.p) for candidate in problems), [*lost, *unlikely])
    prospects = tuple(Prospect(candidate, problem, solver) for candidate, problem in problems.items())
    return Considered(sound, prospects, nothing, tuple(lost))


def _checked(candidates: Sequence[Candidate]) -> tuple[Sequence[Candidate], Sequence[Diagnostic]]:
    """What can be used of `candidates`, and why not all: nearly always it is all, and each step asks."""
    if is_sound(candidates):
        return candidates, ()
    checked = reading_from([(candidate.goals, candidate.p) for candidate in candidates])
    return checked.candidates, checked.findings


def repeatable(values: T) -> T:
    """`values`, held fast if they could be read only once."""
    return cast(T, tuple(values)) if isinstance(values, Iterator) else values
