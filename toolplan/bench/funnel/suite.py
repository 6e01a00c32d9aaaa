"""Tasks to measure a registry with."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolplan.domain import Principal

NOBODY = Principal()


class Policy(enum.Enum):
    """What is to become of a call."""

    ALLOW = "allow"
    DENY = "deny"
    CONFIRM = "confirm"


class Tag(enum.Enum):
    """What a task is there for."""

    COMMON = "common"
    LONG_TAIL = "long-tail"
    COLLISION = "collision"
    MISSING_TOOL = "missing tool"
    MULTI_TOOL = "multi-tool"
    STALE_VERSION = "stale version"
    PROHIBITED = "prohibited"


@dataclass(frozen=True, slots=True)
class Returns:
    """A mocked tool answers with `result`, as its server would."""

    result: object


@dataclass(frozen=True, slots=True)
class Fails:
    """A mocked tool raises an error that says `message`."""

    message: str


Result = Returns | Fails


@dataclass(frozen=True, slots=True)
class Task:
    """A request, who makes it in which state, and what should come of it. Tools go by the names of their contracts.

    `gold` is what to call, step by step, each step with the tools that will do; none is right where it is empty. `queries` are the words to
    look for each step with, the request where there are none. `policy` is what is to become of calls that are right, `ALLOW` where it says
    nothing, and `prohibited` are the tools that are never to run. `arguments` are what calls of a tool must pass at least.

    `results` are what a mocked tool answers, one for each call in turn, the last one for all that follow; `{}` where it says nothing.
    `answers` are what the user says when asked, by fact or goal. `versions` are those that servers say they have.
    """

    id: str
    request: str
    principal: Principal = NOBODY
    versions: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, object] = field(default_factory=dict)
    goals: tuple[str, ...] = ()
    gold: tuple[frozenset[str], ...] = ()
    queries: tuple[str, ...] = ()
    policy: Mapping[str, Policy] = field(default_factory=dict)
    arguments: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prohibited: frozenset[str] = frozenset()
    negatives: frozenset[str] = frozenset()
    results: Mapping[str, tuple[Result, ...]] = field(default_factory=dict)
    answers: Mapping[str, object] = field(default_factory=dict)
    tags: frozenset[Tag] = frozenset()

    @property
    def named(self) -> frozenset[str]:
        """All tools that it names."""
        return frozenset().union(*self.gold, self.policy, self.arguments, self.prohibited, self.negatives, self.results)

    def query(self, step: int) -> str:
        """The words to look for the tool of a step with."""
        return self.queries[step] if step < len(self.queries) else self.request


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks in the order of their file, and other ways to describe tools that mean the same."""

    tasks: tuple[Task, ...]
    paraphrases: Mapping[str, str] = field(default_factory=dict)

    @property
    def gold(self) -> frozenset[str]:
        """All contracts that are right somewhere."""
        return frozenset().union(*(step for task in self.tasks for step in task.gold))
