"""What a model is shown at a step, and how it is put before it; and the scores of the paper's keyword methods, over any tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolplan.domain import Condition
from toolplan.domain.conditions import And, AtomicFormula, Or
from toolplan.exposure.declarations import Declaration, dispatcher
from toolplan.exposure.notes import line_of

STRATEGIES = ("trim", "allow", "dispatch")
"""How a frontier is put before a model: alone; among all tools, of which only it may be called; behind one constant tool."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Menu:
    """What a model is told at a step: `declared` tools in its prompt, of which only `callable` may be called, and `always` whatever happens.

    A tool that is called through the dispatcher is not declared: a line of the host's note has its schema.
    """

    declared: tuple[Declaration, ...]
    callable: tuple[Declaration, ...]
    always: tuple[str, ...]
    dispatched: bool = False

    @property
    def lines(self) -> list[str]:
        """A line for each tool that can be called and is not declared, with its schema."""
        return [line_of(tool) for tool in self.callable] if self.dispatched else []


def put(declarations: Mapping[str, Declaration], shown: Sequence[str], always: tuple[str, ...], strategy: str) -> Menu:
    """The tools `shown` of `declarations`, as `strategy` puts them; those that are `always` visible stand behind them."""
    visible = tuple(declarations[name] for name in (*shown, *always))
    if strategy == "trim":
        return Menu(visible, visible, always)
    if strategy == "allow":
        return Menu(tuple(declarations.values()), visible, always)
    return Menu((dispatcher({"type": "object"}),), visible, always, dispatched=True)


def likest(metadata: Mapping[str, frozenset[str]], names: Iterable[str], context: str, count: int) -> tuple[str, ...]:
    """The `count` of `names` that share most words with `context`, the first of equals first."""
    wanted = words(context)
    return tuple(sorted(names, key=lambda name: -len(metadata[name] & wanted))[:count])


def words(text: str) -> frozenset[str]:
    """The words of `text` in small letters; underscores part them, too."""
    return frozenset(_WORD.findall(text.casefold().replace("_", " ")))


def facts_in(condition: Condition) -> Sequence[str]:
    """What `condition` requires to be known."""
    match condition:
        case AtomicFormula():
            return [str(condition)]
        case And(conditions) | Or(conditions):
            return [fact for part in conditions for fact in facts_in(part)]
        case _:
            return []
