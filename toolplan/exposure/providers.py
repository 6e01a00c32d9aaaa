"""What providers take and offer, in words that all of them share."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from toolplan.exposure.names import NameRule

Provider = Literal["openai", "openai-responses", "anthropic", "gemini", "bedrock", "plain"]
Strategy = Literal["allow", "append", "dispatch", "trim", "search"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
COMBINATIONS = ("anyOf", "oneOf", "allOf", "not", "enum")

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Whichever:
    """The model may call any tool that it sees, or answer in words."""


@dataclass(frozen=True, slots=True)
class Only:
    """The model may call one of `names`, or answer in words."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoCall:
    """The model answers in words."""


Choice = Whichever | Only | NoCall


class History(enum.Enum):
    """What has to be declared because earlier calls occur in the conversation: nothing, any tool at all, or each that was called."""

    NOTHING = "nothing"
    ANY = "any"
    EACH = "each"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a provider takes. `strategies` are those that it offers, the best first, and last `search`, which is only taken where it
    is asked for; `unfit` are the keywords that no schema may begin with.

    `forbids` says whether a request can say that nothing is to be called, `dispatched` in which form the dispatcher takes arguments.
    """

    strategies: tuple[Strategy, ...]
    names: NameRule
    most: int
    unfit: Collection[str] = COMBINATIONS
    history: History = History.NOTHING
    forbids: bool = True
    dispatched: Json = field(default_factory=lambda: {"type": "object"})
