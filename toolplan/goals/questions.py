"""Questions to the user: for what a step needs, and for which goal is meant."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from toolplan.domain import Domain, Wanted
from toolplan.goals.prospects import Considered, Prospect
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.goals.worth import Worth
from toolplan.planning.plans import Step

MOST_OPTIONS = 5
"""Options of one question, "none of these" among them."""
MOST_COMPARED = 8
"""Live candidates, the most probable ones, among which the options are chosen."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask the user: the words, with the entities that it is about in brackets, the question's name, and the step it is."""

    text: str
    name: str
    step: Step


@dataclass(frozen=True, slots=True)
class Option:
    """One answer: what is wanted if the user chooses it, and the words for it. Without goals it is "none of these"."""

    goals: Goals
    text: str


NONE_OF_THESE = Option((), "none of these")


@dataclass(frozen=True, slots=True)
class GoalQuestion:
    """Which goal the user means. The last option is "none of these"; it is alone where no candidate is left to offer."""

    text: str
    options: tuple[Option, ...]


def answer_goal(reading: Reading, offered: Collection[Goals], goals: Goals) -> Reading:
    """`reading` once the user has chosen `goals` of those that were `offered`; without goals that is "none of these".

    A choice is certain: the user had the others before them, and a chosen option that was less than certain could be asked for again.
    After "none of these" what was offered is impossible, and the rest keeps its proportions, none of the goals with it; where nothing was
    offered, no goal is meant.
    """
    if goals:
        return reading_of(reading.request, [(goals, 1.0)])
    rest = [candidate for candidate in reading.candidates if candidate.goals not in offered] if any(offered) else []
    total = math.fsum([reading.none, *(candidate.p for candidate in rest)])
    return reading_of(reading.request, [(candidate.goals, candidate.p / total) for candidate in rest])


def goal_question(considered: Considered) -> GoalQuestion:
    """The question of least regret left after its answer, over the live candidates. Its options stand in order of probability.

    An answer that names a candidate leaves no regret; "none of these" leaves that of acting on the best of those that were not offered, or
    on none. All questions cost the same, and a question with more options never leaves more regret, so only those with as many as fit are
    compared. Where all fit there is nothing to compare, and the places that are left go to the most probable candidates beyond them.
    """
    live = considered.live[:MOST_COMPARED]
    offered = MOST_OPTIONS - 1
    chosen: Sequence[Prospect] = [*live, *islice(considered.unlikely, max(offered - len(live), 0))] if live else []
    if offered < len(live):
        worth = Worth(considered, live)
        chosen = min(combinations(live, offered), key=lambda some: worth.regret([other for other in live if other not in some]))
    return _worded(considered.domain, chosen)


def _worded(domain: Domain, chosen: Sequence[Prospect]) -> GoalQuestion:
    texts = [" and ".join(_described(domain, wanted) for wanted in prospect.problem.wanted) for prospect in chosen]
    times = Counter(texts)
    options = [
        Option(prospect.candidate.goals, text if times[text] == 1 else f"{text}: {', '.join(prospect.candidate.goals)}")
        for prospect, text in zip(chosen, texts, strict=True)
    ]
    ask = {0: "What would you like to do?", 1: "Is this what you mean?"}.get(len(options), "Which of these do you mean?")
    return GoalQuestion(ask, (*options, NONE_OF_THESE))


def _described(domain: Domain, wanted: Wanted) -> str:
    """The description of a goal, with its entities in brackets; a condition, or a goal that has none, as it was written."""
    description = domain.goals[wanted.goal].description.rstrip(". ") if wanted.goal else ""
    if not description:
        return wanted.label
    about = f" ({', '.join(entity.name for entity in wanted.entities)})" if wanted.entities else ""
    return description + about
