"""What to do about a reading: act on a goal, take a step that every plausible goal shares, ask which is meant, or none of these.

The three variants of GIST-CMTF (arXiv 2606.16813), to compare with, and least commitment, which is what `frontier` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from toolplan.domain import Clarify
from toolplan.goals.ambiguity import DETECTORS, LOW_CONFIDENCE, RISKY_PATH, SMALL_MARGIN, Detector, Doubt, Signal, goal_doubted, signals
from toolplan.goals.commitment import Lead, shared_leads
from toolplan.goals.prospects import Considered, Prospect
from toolplan.goals.questions import GoalQuestion, goal_question


@dataclass(frozen=True, slots=True)
class Pursue:
    """The goal is clear enough, or nothing can be done for any: go on as for this one."""

    prospect: Prospect
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """Which goal is meant is open, and a step starts a best plan of each of `prospects`; `leads` are these plans, in the same order."""

    prospects: tuple[Prospect, ...]
    leads: tuple[Lead, ...]
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class AskGoal:
    """Ask which goal is meant."""

    question: GoalQuestion
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class NoGoal:
    """The user wants none of the goals: answer in words."""


Choice = Pursue | Share | AskGoal | NoGoal


class GoalPolicy(Protocol):
    """Chooses what to do about a reading."""

    def choose(self, considered: Considered) -> Choice:
        """The choice. Deterministic."""


@dataclass(frozen=True, slots=True)
class AskInDoubt:
    """Asks at once where one of `detectors` sees doubt about the goal, and else pursues the most probable one. It knows no `none`."""

    detectors: tuple[Detector, ...]

    def choose(self, considered: Considered) -> Choice:
        """Ask or pursue."""
        seen = signals(self.detectors, considered)
        if considered.top is None or goal_doubted(seen):
            return AskGoal(goal_question(considered), seen)
        return Pursue(considered.top, seen)


TOP_GOAL = AskInDoubt(())
"""The paper's top-goal variant: the most probable goal, whatever the doubt."""
THRESHOLDED = AskInDoubt((LOW_CONFIDENCE, SMALL_MARGIN))
"""The paper's thresholded variant: confidence `tau` and margin `delta`."""
RISK_SENSITIVE = AskInDoubt((LOW_CONFIDENCE, SMALL_MARGIN, RISKY_PATH))
"""The paper's risk-sensitive variant: a risky path wants more confidence."""


@dataclass(frozen=True, slots=True)
class LeastCommitment:
    """In doubt about the goal, takes steps that all plausible goals share, and asks where there is none.

    Achieved and unreachable candidates take no part; where no other is left, there is nothing to ask and nothing to do, and the most
    probable one says so. `clarify early` of the policy asks at once. So does a reading that may have lost the goal, which may share nothing
    with the others. Where it was learned that such requests leave their goal open, one is wanted, however improbable each of them is.
    """

    detectors: tuple[Detector, ...] = DETECTORS

    def choose(self, considered: Considered) -> Choice:
        """None, pursue, share or ask."""
        seen = signals(self.detectors, considered)
        if considered.fits_none and not (considered.live and any(signal.doubt is Doubt.LEARNED for signal in seen)):
            return NoGoal()
        if considered.top is None or considered.lost:
            return AskGoal(goal_question(considered), seen)
        if not goal_doubted(seen) or not considered.live:
            return Pursue(considered.top, seen)
        shared = None if considered.domain.policy.clarify is Clarify.EARLY else next(shared_leads(considered.live), None)
        if shared is None:
            return AskGoal(goal_question(considered), seen)
        return Share(considered.live, shared, seen)


LEAST_COMMITMENT = LeastCommitment()
