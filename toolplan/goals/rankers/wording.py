"""What of a goal and of a request there is to read: the texts of a goal, the parts of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolplan.domain import Domain, Fact, Goal
from toolplan.retrieval.documents import words_of

OPEN_PLACE = re.compile(r"\.\.\.|…")
JOINT = re.compile(r"(?<=[.?!;])\s+|,?(?<!\s)\s+(?:and|then)(?:\s+(?:also|then))*\s+", re.IGNORECASE)
"""Where one wish can end and another begin."""
MOST_PARTS = 4
"""Parts of one request that are read on their own: whoever says more at once tells a story."""

SMALL_TALK = (
    "thank you very much",
    "thanks, that is all",
    "no, nothing else",
    "yes, that is right",
    "hello",
    "good evening",
    "how are you",
    "goodbye, have a nice day",
    "great, that sounds good",
    "sorry, my mistake",
    "who are you",
    "what do you think about that",
    "tell me something funny",
    "I feel bad today",
    "what is the capital of France",
    "that was not what I wanted",
)
"""What people say when they want none of the goals, whatever the domain."""


def phrases_of(goal: Goal) -> list[str]:
    """What people say for `goal`, without the places that a phrase leaves open."""
    return [text for phrase in goal.phrases if (text := " ".join(OPEN_PLACE.sub(" ", phrase).split()))]


def description_of(goal: Goal) -> str:
    """`goal` in one line: its name, what it means, and the names of what it needs to be told."""
    given = ", ".join(words_of(formula.fact) for formula in goal.given)
    return ". ".join(text for text in (words_of(goal.name), goal.description.rstrip(". "), given) if text)


def document_of(goal: Goal, domain: Domain) -> str:
    """All words that `domain` has for `goal`, those of the facts that it needs to be told included."""
    facts = [domain.facts[formula.fact] for formula in goal.given if formula.fact in domain.facts]
    return "\n".join([words_of(goal.name), goal.description, *phrases_of(goal), *_words_of_facts(facts)])


def parts_of(request: str) -> list[str]:
    """The sentences and conjoined clauses of `request`, in order. One that cannot be taken apart, or has too many parts, is all there is."""
    parts = [part.strip(" ,") for part in JOINT.split(request)]
    parts = [part for part in parts if words_of(part)]
    return parts if len(parts) <= MOST_PARTS else [request]


def _words_of_facts(facts: list[Fact]) -> Iterator[str]:
    for fact in facts:
        yield words_of(fact.name)
        yield fact.description
