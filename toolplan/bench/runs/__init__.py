"""Runs of choosers over tasks: how they are made, kept, counted, compared and shown, whatever the suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HANDED_OVER = "handed over"
"""The outcome of a call of a tool that is always visible: a person takes over, or the run is given up."""
DONE = "done"
"""The outcome of a call that was right and has worked."""
ASKED = "asked"
"""The outcome of a step without a model, in which the user was asked: the question and the answer are its detail."""
READ = "read"
"""The outcome of a step in which a model read the request, and called nothing."""
NO_LOOK = (ASKED, READ)
"""The outcomes of steps in which nothing looked at a menu."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One look of a model at a menu: how many tools were visible besides those that always are, what was called with what, which tools were due,
    what came of it, the risk of the tool, and the tokens. `tool` is empty where nothing was called. A question to the user is a step, too, and so is
    a call that was made without a model."""

    visible: int
    always: int
    tool: str
    arguments: Mapping[str, object]
    gold: tuple[str, ...]
    outcome: str
    detail: str
    risk: str
    tokens_in: int
    tokens_out: int

    @property
    def is_unasked(self) -> bool:
        """Whether a tool was called without a model."""
        return bool(self.tool) and not (self.tokens_in or self.visible or self.always)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of one task by one arm. `gold` is the chain of tools that is meant, `judged` what its suite says of it besides success.

    Times are kept apart, since no two runs have the same.
    """

    arm: str
    task: str
    request: str
    gold: tuple[str, ...]
    success: bool
    steps: tuple[StepRecord, ...]
    judged: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What a run is found by among those of one chooser."""
        return self.arm, self.task


@dataclass(frozen=True, slots=True)
class Subject:
    """All that the choices of a file of runs depend on: the suite, who chose, and what else was the same for all of them, such as the digest of a
    model's file, the version of what computes it, and the processor."""

    suite: str
    chooser: str
    details: Mapping[str, str]
