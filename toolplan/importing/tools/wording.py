"""What people read, from what servers write: descriptions, questions and phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolplan.checks.wording import listed
from toolplan.importing.tools.kinds import Asked
from toolplan.importing.tools.naming import words

LONGEST = 160
"""Letters of a description that is taken over."""
MOST_OPTIONS = 6
"""Answers that a question names."""
MOST_WORDS = 10
"""Words of a phrase."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n\s*\n|\n\s*[-*]\s")
ASIDE = re.compile(r"\s*\([^()]*\)")
IDLE = frozenset("a an and be by for from in is it its of on or required optional that the this to which with".split())
"""Words that tell no two descriptions apart."""


def first_sentence(description: str) -> str:
    """The first sentence of `description` on one line, cut where it is long."""
    sentence = " ".join(SENTENCE_END.split(description.strip(), 1)[0].split())
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 3].rsplit(' ', 1)[0]}..."


def gist(description: str) -> frozenset[str]:
    """The words by which descriptions of arguments are compared: those of the first sentence, without asides and idle words."""
    return frozenset(words(ASIDE.sub("", first_sentence(description)))) - IDLE


def spoken(name: str) -> str:
    """The words of a name with blanks."""
    return " ".join(words(name)) or name


def question(name: str, kind: Asked, description: str) -> str:
    """What to ask the user for the argument called `name`."""
    aside = ASIDE.sub("", first_sentence(description)).rstrip(".?! ")
    asked = f"What is the {spoken(name)}{_choice(kind)}"
    return f"{asked}?" if gist(description) <= set(words(name)) else f"{asked} ({aside})?"


def _choice(kind: Asked) -> str:
    """The answers that there are, if they are few."""
    if kind.type is None or kind.many:
        return ""
    if kind.type.kind == "boolean":
        return ", yes or no"
    return f", {listed(kind.type.options, 'or')}" if 0 < len(kind.type.options) <= MOST_OPTIONS else ""


def phrases(names: Sequence[str], description: str) -> tuple[str, ...]:
    """What people may say for the tool that is called one of `names`: its name, and its description where that is short."""
    sentence = ASIDE.sub("", first_sentence(description)).rstrip(".!? ").replace("...", "")
    said = [*map(spoken, names), *([sentence[:1].lower() + sentence[1:]] if 0 < len(sentence.split()) <= MOST_WORDS else [])]
    return tuple(dict.fromkeys(phrase.replace("{", "{{").replace("}", "}}") for phrase in said if phrase.strip()))
