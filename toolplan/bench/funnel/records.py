"""What became of a task: each look of the model at a menu, and how far through the funnel it got."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.bench.funnel.suite import Policy


class Layer(enum.Enum):
    """The layers of the funnel, each of which counts only where the one before it held.

    `COVERAGE`: the caller may use a tool that is right. `RECALL`: it was shown. `SELECTION`: it was chosen, and none where none is right.
    `ARGUMENTS`: they fit its schema, what is known, and what the task says of them. `POLICY`: allowed, refused or held, as it should be.
    `ACCEPTANCE`, of a whole task: what was wanted is so, and nothing that is prohibited was done.
    """

    COVERAGE = "registry coverage"
    RECALL = "retrieval recall"
    SELECTION = "conditional selection"
    ARGUMENTS = "argument validity"
    POLICY = "policy accuracy"
    ACCEPTANCE = "acceptance"


@dataclass(frozen=True, slots=True)
class Round:
    """One look of the model at a menu, for the gold step `step`, counted from zero; the tools that are right, shown and chosen by real names.

    `chosen` is empty where nothing was called. `verdict` is None where no call came to the gate. `outcome` says in a word what came of it.
    `judged` has the layers that this look got to, in their order: True for those that held. `tokens` are those of the definitions that were shown, `spent`
    those that went into the model and came out.
    """

    step: int
    due: tuple[str, ...]
    shown: tuple[str, ...]
    chosen: str
    arguments: Mapping[str, object]
    verdict: Policy | None
    outcome: str
    judged: tuple[tuple[Layer, bool], ...]
    tokens: int
    spent: tuple[int, int]
    unsafe: bool = False

    @property
    def passed(self) -> dict[Layer, bool]:
        """The layers that this look got to, and whether they held."""
        return dict(self.judged)

    @property
    def failed(self) -> Layer:
        """The first layer that did not hold; acceptance where all did that it got to."""
        return next((layer for layer, held in self.judged if not held), Layer.ACCEPTANCE)

    def to_dict(self) -> dict[str, object]:
        """The look as JSON values."""
        return {
            "step": self.step,
            "due": list(self.due),
            "shown": list(self.shown),
            "chosen": self.chosen,
            "arguments": dict(self.arguments),
            "verdict": self.verdict.value if self.verdict else None,
            "outcome": self.outcome,
            "passed": {layer.value: held for layer, held in self.judged},
            "definition_tokens": self.tokens,
            "model_tokens": list(self.spent),
            "unsafe": self.unsafe,
        }


@dataclass(frozen=True, slots=True)
class Probe:
    """A prohibited tool that was proposed to the gate at one step, whether or not the model did, and whether it was refused."""

    step: int
    tool: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one task with one menu. `clarifications` are questions that the user was asked, other than for consent."""

    task: str
    menu: str
    accepted: bool
    rounds: tuple[Round, ...]
    probes: tuple[Probe, ...] = ()
    clarifications: int = 0

    @property
    def first_looks(self) -> Iterator[Round]:
        """The first look for each step: what comes after it are other attempts."""
        seen: set[int] = set()
        for look in self.rounds:
            if look.step not in seen:
                seen.add(look.step)
                yield look

    @property
    def lost_at(self) -> Layer | None:
        """Where the look failed that got furthest at the last step, acceptance where it failed at none; None for a task that is accepted."""
        if self.accepted:
            return None
        ended = [look for look in self.rounds if look.step == self.rounds[-1].step]
        order = list(Layer)
        return max((look.failed for look in ended), key=order.index, default=Layer.ACCEPTANCE)

    def to_dict(self) -> dict[str, object]:
        """The run as JSON values."""
        return {
            "task": self.task,
            "menu": self.menu,
            "accepted": self.accepted,
            "lost_at": self.lost_at.value if self.lost_at else None,
            "clarifications": self.clarifications,
            "rounds": [look.to_dict() for look in self.rounds],
            "probes": [{"step": probe.step, "tool": probe.tool, "refused": probe.refused} for probe in self.probes],
        }


class Measured(NamedTuple):
    """A run, and the seconds of each of its rounds, search and choice together. No two runs have the same times."""

    run: Run
    seconds: tuple[float, ...]
