"""What stands in for people and models: a user who gives the gold answers, and a model that chooses a tool by its words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence

from toolplan.bench.gist.requests import Request
from toolplan.domain import Ask, Domain
from toolplan.goals.readings import Goals

WORD = re.compile(r"[a-z]+")
MOST_IN_COMMON = 5
"""Letters by which words are told apart: `moved` and `moving` are one."""


def means(request: Request, goals: Goals) -> bool:
    """Whether the user of `request` means `goals`, in any order."""
    return frozenset(goals) == frozenset(request.goals)


def asked_for(ask: Ask) -> tuple[str, ...]:
    """The facts that an answer to `ask` brings."""
    return tuple(effect.atom.fact for effect in ask.produces)


def can_answer(request: Request, ask: Ask) -> bool:
    """Whether the user has an answer: they know what they mean, and nothing of any other goal."""
    return all(fact in request.missing or fact in request.given for fact in asked_for(ask))


def choose(domain: Domain, request: Request, visible: Sequence[str], tried: Collection[str]) -> str | None:
    """The tool that the simulated model calls: the only one, or the one not tried yet that shares the rarest words with the request.

    Ties go to the tool declared first. None, where no tool shares a word: the model answers in words.
    """
    if len(visible) == 1:
        return visible[0]
    said = _words(request.text)
    tools = {name: _words(f"{name} {domain.tools[name].description}") for name in visible}
    frequency = Counter(word for words in tools.values() for word in words)
    weights = {
        name: sum(math.log(1 + len(tools) / frequency[word]) for word in sorted(words & said))
        for name, words in tools.items()
        if name not in tried
    }
    best = max(weights, key=weights.__getitem__, default=None)
    return best if best is not None and weights[best] > 0 else None


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:MOST_IN_COMMON] for word in WORD.findall(text.lower()) if len(word) > 2)
