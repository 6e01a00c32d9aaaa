"""Whether a reading is clear enough to act on, and what makes it doubtful. After GIST-CMTF (arXiv 2606.16813)."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from toolplan.domain import Ask, Domain, Policy, RiskLevel, Wanted
from toolplan.goals.given import ROUNDING
from toolplan.goals.prospects import Considered, Prospect
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Atom, Plan
from toolplan.planning.problem import Problem, ground


class Doubt(enum.Enum):
    """The reason code of a signal."""

    LOW_CONFIDENCE = "low-confidence"
    SMALL_MARGIN = "small-margin"
    MISSING_FACT = "missing-fact"
    VAGUE_VERB = "vague-verb"
    RISKY_PATH = "risky-path"
    UNUSABLE_READING = "unusable-reading"
    LEARNED = "learned"

    @property
    def about_goal(self) -> bool:
        """Whether it is the goal that is in doubt. Of a missing fact only the value is, and the plan of the goal asks for that itself."""
        return self is not Doubt.MISSING_FACT


class Signal(NamedTuple):
    """One sign of doubt, and in words what was seen."""

    doubt: Doubt
    detail: str


class Detector(Protocol):
    """Looks for one kind of doubt."""

    def detect(self, considered: Considered) -> Iterable[Signal]:
        """The signals that it sees. Deterministic."""


def signals(detectors: Sequence[Detector], considered: Considered) -> tuple[Signal, ...]:
    """What `detectors` see, in their order. A reading is ambiguous (`A = 1`) where there is any."""
    return tuple(signal for detector in detectors for signal in detector.detect(considered))


def goal_doubted(seen: Iterable[Signal]) -> bool:
    """Whether any of the signals puts the goal in doubt."""
    return any(signal.doubt.about_goal for signal in seen)


@dataclass(frozen=True, slots=True)
class UnusableReading:
    """Something in the reading could not be used, and the goal may have been lost with it."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """One signal, with the first finding."""
        if considered.lost:
            yield Signal(Doubt.UNUSABLE_READING, considered.lost[0].message)


@dataclass(frozen=True, slots=True)
class LowConfidence:
    """The most probable candidate is less probable than `confidence` of the policy."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal."""
        wanted = float(considered.domain.policy.confidence)
        if (top := considered.top) is not None and _below(top.candidate.p, wanted):
            yield Signal(Doubt.LOW_CONFIDENCE, f"the most probable goal has {top.candidate.p:.2g} of the {wanted:g} that it takes")


@dataclass(frozen=True, slots=True)
class SmallMargin:
    """The most probable candidate leads the second outcome, which may be `none`, by less than `margin` of the policy."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal."""
        wanted = float(considered.domain.policy.margin)
        first, *others = [*(prospect.candidate.p for prospect in considered.prospects[:2]), considered.reading.none]
        if considered.top is not None and _below(margin := first - max(others), wanted):
            yield Signal(Doubt.SMALL_MARGIN, f"the most probable goal leads by {max(margin, 0):.2g} of the {wanted:g} that it takes")


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A `given` fact of the most probable goal is missing, and its best plan asks for it: no tool produces it more cheaply."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """One signal for each such fact, in the order in which the plan asks."""
        if (top := considered.top) is not None and (best := top.best) is not None:
            wanted = set(_given(considered.domain, top.problem.wanted)) - top.problem.state.known
            for atom in _asked(top.problem, best):
                if atom in wanted:
                    yield Signal(Doubt.MISSING_FACT, f"`{atom}` is missing, and only asking brings it as cheaply")


@dataclass(frozen=True, slots=True)
class RiskyPath:
    """The best plan of the most probable goal takes a step whose level of risk wants more confidence than there is."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal, of the level that wants most."""
        if (top := considered.top) is None or not (best := top.best) or not best.steps:
            return
        domain = considered.domain
        riskiest = max((step.action for step in best.steps), key=lambda action: _confidence_in(domain, action))
        wanted = _confidence_in(domain, riskiest)
        if _below(top.candidate.p, wanted):
            level = domain.risk_of(domain.action(riskiest))
            yield Signal(
                Doubt.RISKY_PATH,
                f"the plan reaches `{level.name}`: the most probable goal has {top.candidate.p:.2g} of the {wanted:.2g} that takes",
            )


def confidence_for(policy: Policy, level: RiskLevel) -> float:
    """The confidence that a step of `level` takes: `tau` where it is safe, and from there halfway to certainty for the heaviest level.

    Between them it grows with the weight: `tau + (1 - tau) / 2 * weight / heaviest`. Not all the way, since a step that wants more than
    confidence wants a confirmation, which shows the very call.
    """
    tau = float(policy.confidence)
    if level.safe:
        return tau
    heaviest = max((other.weight for other in policy.risk), default=0)
    if not heaviest:
        return tau
    return tau + (1 - tau) / 2 * float(level.weight / heaviest)


@per_domain
def _confidences(domain: Domain) -> dict[str, float]:
    return {}


def _confidence_in(domain: Domain, action: str) -> float:
    """As `confidence_for`, worked out once for an action of `domain`."""
    known = _confidences(domain)
    if action not in known:
        known[action] = confidence_for(domain.policy, domain.risk_of(domain.action(action)))
    return known[action]


VAGUE = ("handle", "take care of", "deal with", "sort out", "fix", "see to", "work on", "do something about", "manage")
"""Verbs that leave open what is to be done. `sort out` is also found with its object between: "sort it out"."""


def _vague(verb: str) -> re.Pattern[str]:
    first, *rest = verb.split()
    between = r"(?:\W+\w+){0,3}?\W+" if rest == ["out"] else r"\W+"
    return re.compile(rf"\b{between.join([first, *rest])}\b", re.IGNORECASE)


PATTERNS = tuple((verb, _vague(verb)) for verb in VAGUE)


@dataclass(frozen=True, slots=True)
class VagueVerb:
    """The request says only vaguely what is to be done, with one of `VAGUE` as whole words.

    A verb that the most probable goal is itself described by is not vague in this domain; and nothing is where that goal is certain, as
    after an answer of the user.
    """

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal, of the first verb of the list that occurs."""
        top = considered.top
        if top is None or not _below(top.candidate.p, 1.0):
            return
        own = _words_of(considered.domain, top)
        for verb, pattern in PATTERNS:
            if pattern.search(considered.reading.request) and not pattern.search(own):
                yield Signal(Doubt.VAGUE_VERB, f"`{verb}` leaves open what is to be done")
                return


LOW_CONFIDENCE, SMALL_MARGIN, RISKY_PATH = LowConfidence(), SmallMargin(), RiskyPath()
DETECTORS: tuple[Detector, ...] = (UnusableReading(), LOW_CONFIDENCE, SMALL_MARGIN, MissingFact(), VagueVerb(), RISKY_PATH)


def _below(p: float, wanted: float) -> bool:
    return p < wanted - ROUNDING


def _given(domain: Domain, wanted: Iterable[Wanted]) -> Iterator[Atom]:
    """The atoms that are `given` for named goals."""
    for item in wanted:
        if item.goal:
            goal = domain.goals[item.goal]
            binding = {parameter.name: entity.name for parameter, entity in zip(goal.parameters, item.entities, strict=True)}
            yield from (ground(formula, binding) for formula in goal.given)


def _asked(problem: Problem, best: Plan) -> Iterator[Atom]:
    """What the questions of `best` bring, in its order."""
    for step in best.steps:
        action = problem.domain.action(step.action)
        if isinstance(action, Ask):
            yield from (ground(effect.atom, problem.binding(step)) for effect in action.produces)


def _words_of(domain: Domain, prospect: Prospect) -> str:
    """The names, descriptions and phrases of the goals of `prospect`."""
    goals = [domain.goals[wanted.goal] for wanted in prospect.problem.wanted if wanted.goal]
    return "\n".join(text for goal in goals for text in (goal.name.replace("_", " "), goal.description, *goal.phrases))
