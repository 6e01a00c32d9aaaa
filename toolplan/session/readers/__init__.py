"""Readers of what users say."""

from __future__ import annotations

from functools import cache

from toolplan.goals.readings import GoalRanker
from toolplan.session.readers.rules import Rules

__all__ = ["Rules", "default", "rules"]


def rules(ranker: GoalRanker | None = None) -> Rules:
    """The reader by rules, over `ranker`; None is the best that is installed, looked for when the first turn is read."""
    return Rules(ranker)


@cache
def default() -> Rules:
    """The reader of sessions that are given none: by rules, over the best ranker that is installed."""
    return rules()
