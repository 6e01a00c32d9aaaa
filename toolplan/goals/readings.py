"""What a turn of the user may mean: candidate goals, each with its probability, and the probability of none of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from toolplan.domain import Domain
from toolplan.language.diagnostics import Diagnostic
from toolplan.planning.problem import State

Goals = tuple[str, ...]
"""What is wanted together, each as `goal=` takes it: `("move_event",)`, or `("shared(report, anna)", "archive_email")` for two at once."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that the user may want, with its probability."""

    goals: Goals
    p: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The candidates of `request`, most probable first, ties in order of declaration; their `p` and `none` add up to one.

    `findings` say what of a caller's or a model's answer could not be used.
    """

    request: str
    candidates: tuple[Candidate, ...]
    none: float
    findings: tuple[Diagnostic, ...] = ()


class GoalRanker(Protocol):
    """Reads a request: `H(q, s, T)` of GIST-CMTF (arXiv 2606.16813, section III), with `none` as one more outcome."""

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        """The reading of `request`, said in `state`. Deterministic. Goals are names of the domain's goals, or conditions in its language."""


def reading_of(request: str, weights: Iterable[tuple[Goals, float]], findings: Iterable[Diagnostic] = ()) -> Reading:
    """A reading in which the candidates have the probabilities `weights` (each from 0 to 1, together at most 1); what is left is `none`.

    What is left over is never spread over the candidates. Candidates of probability zero are left out; the same goals twice add up.
    """
    together: dict[Goals, float] = {}
    for goals, p in weights:
        together[goals] = together.get(goals, 0.0) + p
    candidates = [Candidate(goals, p) for goals, p in together.items() if p > 0]
    candidates.sort(key=lambda candidate: -candidate.p)
    return Reading(request, tuple(candidates), max(0.0, 1.0 - sum(candidate.p for candidate in candidates)), tuple(findings))
