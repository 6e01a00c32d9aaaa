"""Which tool is next by inertia alone, and when that may be acted on: the decision process of AutoTool (AAAI 2026), and a variant of ours.

What is predicted here ranks and saves calls of a model. It never authorises: the gate decides whether a predicted call may run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplan.learning.filling import Known, filled
from toolplan.learning.graph import Graph
from toolplan.learning.intervals import wilson
from toolplan.learning.runs import LONGEST_WINDOW, Place, Run, Value

Context = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each tool fits what the agent has just thought: `context(thought, tools)` gives a number from 0 to 1 for each."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many predictions were right, of those that could be judged."""

    right: int = 0
    cases: int = 0

    def plus(self, *, right: bool) -> Accuracy:
        """With one more case."""
        return Accuracy(self.right + right, self.cases + 1)


@dataclass(frozen=True, slots=True)
class Fixed:
    """The rule of the paper: a window of two tools, three in ten operations by inertia at most, and of a source the value that stood last.

    `support` is the strength that all edges of a window need together.
    """

    window: int = 2
    support: int = 0
    cap: float = 0.3

    def windows(self, run: Run) -> Sequence[tuple[str, ...]]:
        """The one window that is looked at."""
        return [run.tools[-self.window :]] if len(run.tools) >= self.window else []

    def share(self, accuracy: Accuracy) -> float:
        """The greatest share of operations by inertia, whatever came of such predictions."""
        return self.cap

    def pick(self, run: Run, place: Place, argument: Place) -> Value | None:
        """The value that was seen last."""
        return run.latest(place)


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Ours: the longest window that was seen often enough, a cap that follows what was right, and of a list the value that comes next.

    Predictions of one tool after one other share a cap. It is `cap` while the lower end of the 95% interval of those that were right is at
    least `least`, and else 0. So nothing is done by inertia that has not proved right first, and what ceases to be right stops. `support` is
    the strength that all edges of a window need together.
    """

    longest: int = LONGEST_WINDOW
    support: int = 3
    least: float = 0.6
    cap: float = 0.5

    def windows(self, run: Run) -> Sequence[tuple[str, ...]]:
        """The windows, the longest first."""
        return [*run.windows(self.longest)][::-1]

    def share(self, accuracy: Accuracy) -> float:
        """The cap for predictions that were right so often."""
        return self.cap if wilson(accuracy.right, accuracy.cases)[0] >= self.least else 0.0

    def pick(self, run: Run, place: Place, argument: Place) -> Value | None:
        """The first value of a list that this argument has not had."""
        return run.untried(place, argument)


@dataclass(frozen=True, slots=True)
class Settings:
    """`alpha` is the part of the context in a score, `threshold` the score that must be exceeded.

    After `failures` failed executions in a row nothing is predicted until one has succeeded, except the tool `check`, if there is one.
    """

    alpha: float = 0.5
    threshold: float = 0.1
    rule: Fixed | Adaptive = Fixed()
    failures: int = 2
    check: str = ""


class Prediction(NamedTuple):
    """A call that needs no model: its tool, all arguments, the stage that has found each, the score of the tool, and the tool before it."""

    tool: str
    arguments: Mapping[str, Value]
    stages: Mapping[str, str]
    score: float
    after: str = ""


@dataclass
class Progress:
    """What the caps of one run look at: operations so far, those by inertia, whether the last one was, failures in a row."""

    operations: int = 0
    predicted: int = 0
    by_inertia: bool = False
    failures: int = 0

    def end(self, *, failed: bool, predicted: bool) -> None:
        """One more operation has ended."""
        self.operations += 1
        self.predicted += predicted
        self.by_inertia = predicted
        self.failures = self.failures + 1 if failed else 0


@dataclass
class Selector:
    """Predicts over a graph that grows meanwhile. `context` scores tools by what the agent thought, where it says what it thinks.

    Arguments that a call needs are those of `required`, and for a tool that is not in there those that it was always given.
    """

    graph: Graph
    settings: Settings = Settings()
    context: Context | None = None
    required: Mapping[str, Sequence[str]] = field(default_factory=dict)
    accuracies: dict[tuple[str, str], Accuracy] = field(default_factory=dict)

    def predict(self, run: Run, thought: str = "", state: Mapping[str, Value] | None = None) -> Prediction | None:
        """What is next in `run` by inertia; None where it says nothing. Of equal scores the tool that comes first by its name wins."""
        run.settle()
        known = Known(run, state or {}, thought)
        best = self._best(run, thought)
        return None if best is None else self._filled(known, *best)

    def may_act(self, prediction: Prediction, progress: Progress) -> bool:
        """Whether the caps let `prediction` be executed, in a run that has come so far. None is executed right after another."""
        if progress.failures >= self.settings.failures:
            return False
        most = self.settings.rule.share(self.accuracies.get(_kind(prediction), Accuracy()))
        return not progress.by_inertia and progress.predicted + 1 <= most * (progress.operations + 1)

    def judge(self, prediction: Prediction, tool: str, arguments: Mapping[str, object]) -> None:
        """Count whether a prediction that was not acted on is what the model has called."""
        kind = _kind(prediction)
        right = prediction.tool == tool and prediction.arguments == arguments
        self.accuracies[kind] = self.accuracies.get(kind, Accuracy()).plus(right=right)

    def recovery(self, run: Run, progress: Progress) -> Prediction | None:
        """The call of the tool `check` that is due after failures in a row, if there is such a tool and its arguments are found."""
        tool = self.settings.check
        if not tool or progress.failures < self.settings.failures:
            return None
        return self._filled(Known(run, {}, ""), tool, 1.0)

    def _best(self, run: Run, thought: str) -> tuple[str, float] | None:
        for window in self.settings.rule.windows(run):
            edges = self.graph.successors(window)
            total = sum(weight.strength for weight in edges.values())
            if total <= 0:
                continue
            tools = sorted(edges)
            scores = self._scores(tools, [edges[tool].strength / total for tool in tools], thought)
            tool, score = max(zip(tools, scores, strict=True), key=lambda each: each[1])
            if score > self.settings.threshold and total >= self.settings.rule.support:
                return tool, score
        return None

    def _scores(self, tools: Sequence[str], frequencies: Sequence[float], thought: str) -> Sequence[float]:
        """The comprehensive inertia potential score of each; where the agent says nothing of what it thinks, the frequency alone."""
        if self.context is None or not thought:
            return frequencies
        alpha = self.settings.alpha
        fits = self.context(thought, tools)
        return [(1 - alpha) * frequency + alpha * fit for frequency, fit in zip(frequencies, fits, strict=True)]

    def _filled(self, known: Known, tool: str, score: float) -> Prediction | None:
        required = self.required[tool] if tool in self.required else self.graph.required(tool)
        found = filled(self.graph, known, tool, required, self.settings.rule.pick)
        after = known.run.tools[-1] if known.run.tools else ""
        return None if found is None else Prediction(tool, found.arguments, found.stages, score, after)


def _kind(prediction: Prediction) -> tuple[str, str]:
    """Predictions that are judged together: of one tool after one other."""
    return prediction.after, prediction.tool
