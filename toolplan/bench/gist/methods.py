"""The methods that are compared: those of the GIST-CMTF paper (arXiv 2606.16813, sections IV.H and V.B), always-ask, and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import toolplan
from toolplan.bench.gist.offers import AskValues, AskWhich, Finish, Method, Moment, Offer, Show, Stop
from toolplan.frontier import Act, Clarify, Done, Frontier, frontier_of
from toolplan.goals.ambiguity import DETECTORS, RISKY_PATH, Doubt, Signal, goal_doubted
from toolplan.goals.forms import Form, questions_of
from toolplan.goals.policies import RISK_SENSITIVE, THRESHOLDED, TOP_GOAL, AskInDoubt, GoalPolicy, LeastCommitment
from toolplan.goals.prospects import Considered
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.planning.inputs import build
from toolplan.planning.semantics import goal_reached


def all_tools(moment: Moment) -> Offer:
    """Every tool of the domain."""
    return Stop() if _served(moment) else Show(tuple(moment.domain.tools))


def state_aware(moment: Moment) -> Offer:
    """Every tool whose requirements hold."""
    if _served(moment):
        return Stop()
    return Show(toolplan.frontier(moment.domain, state=moment.state, goal="", mode="executable").tools)


def gold_goal(moment: Moment) -> Offer:
    """On the way to what the user means: what is best if the goal is known."""
    goals = moment.request.goals
    if not goals:
        return Stop()
    return _offered(toolplan.frontier(moment.domain, state=moment.state, goal=goals, exhausted=moment.declined))


def by_policy(policy: GoalPolicy, moment: Moment) -> Offer:
    """What `policy` makes of the reading."""
    now = frontier_of(moment.domain, moment.reading, state=moment.state, policy=policy, exhausted=moment.declined)
    if moment.reading.findings and isinstance(now.decision, Clarify):
        return AskWhich(())
    return _offered(now)


def ours(moment: Moment) -> Offer:
    """Least commitment, with what was learned about requests that leave their goal open.

    A risky path alone is no doubt: a risky step is confirmed when it comes, and most requests for one are clear.
    """
    detectors = (detector for detector in DETECTORS if detector is not RISKY_PATH)
    return by_policy(LeastCommitment((*detectors, *moment.learned)), moment)


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Doubts every goal that the user has not chosen."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal."""
        if considered.top is not None and considered.top.candidate.p < 1:
            yield Signal(Doubt.LOW_CONFIDENCE, "the user has not been asked")


SEMANTIC_GOAL = "semantic-goal"
OURS = "ours"
GOLD_GOAL = "gold-goal"
METHODS: Mapping[str, Method] = {
    "all tools": all_tools,
    "state-aware": state_aware,
    "top-goal": partial(by_policy, TOP_GOAL),
    SEMANTIC_GOAL: partial(by_policy, TOP_GOAL),
    "thresholded": partial(by_policy, THRESHOLDED),
    "risk-sensitive": partial(by_policy, RISK_SENSITIVE),
    OURS: ours,
    GOLD_GOAL: gold_goal,
    "always-ask": partial(by_policy, AskInDoubt((Unconfirmed(),))),
}
"""What is compared. Semantic-goal is top-goal over readings that know names and descriptions only."""

GOALLESS = ("all tools", "state-aware")
"""Methods that decide on no goal."""
UNREAD = (*GOALLESS, GOLD_GOAL)
"""Methods that do not look at the reading."""
THRESHOLDS = ("thresholded", "risk-sensitive")
"""The variants of GIST-CMTF that ask."""


def _offered(now: Frontier) -> Offer:
    """The decision of `now`. Where the goal is in doubt, a step is not on the way to any."""
    wanted = tuple(item.label for item in now.planned.problem.wanted)
    pursued = () if goal_doubted(now.signals) else wanted
    match now.decision:
        case Act():
            return Show(now.tools, pursued)
        case Clarify(GoalQuestion(options=options)) if any(option.goals for option in options):
            return AskWhich(tuple(option.goals for option in options if option.goals))
        case Clarify(Question() | Form() as asked):
            return AskValues(tuple(question.step for question in questions_of(asked)), pursued)
        case Done():
            return Finish(wanted)
        case _:
            return Stop()


def _served(moment: Moment) -> bool:
    """Whether what the user wants is reached."""
    goals = moment.request.goals
    return bool(goals) and goal_reached(build(moment.domain, moment.state, goals), moment.state)
