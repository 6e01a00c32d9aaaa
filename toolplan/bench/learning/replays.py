"""Published runs played again by the rules of inertia: a graph that starts empty predicts each call, and then learns of it.

The runs stay what they are: after a wrong prediction comes what the agent did. So a replay counts predictions, and says nothing of how a
run would have ended.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import NamedTuple

from toolplan.learning.graph import Learner
from toolplan.learning.selection import Context, Prediction, Progress, Selector, Settings
from toolplan.learning.traces import Execution, Failed, Record, Requested, Returned
from toolplan.retrieval.documents import CHARACTERS_OF_A_TOKEN

Call = tuple[str, Mapping[str, object]]


class Tokens(NamedTuple):
    """What a model reads and writes for one call, about."""

    read: int = 0
    written: int = 0

    def plus(self, other: Tokens) -> Tokens:
        """Both together."""
        return Tokens(self.read + other.read, self.written + other.written)


NO_TOKENS = Tokens()


@dataclass
class Replay:
    """What was counted. `acted` are the predictions that the caps let through: how many have the right tool, and how many are right.

    `later` are those of another call that the run makes later. `tokens` are what all calls cost, `saved` those of right calls. `seconds` is
    what predicting and learning took.
    """

    calls: int = 0
    acted: int = 0
    right_tools: int = 0
    right_calls: int = 0
    later: int = 0
    tokens: Tokens = NO_TOKENS
    saved: Tokens = NO_TOKENS
    seconds: float = 0.0

    @property
    def wrong(self) -> int:
        """Calls that the run never makes."""
        return self.acted - self.right_calls - self.later


@dataclass
class _Prompt:
    """What a model has read of one run so far, in characters."""

    characters: int

    def read(self, text: str) -> None:
        self.characters += len(text)

    def cost(self, call: Execution) -> Tokens:
        written = len(call.thought) + len(json.dumps([call.tool, call.arguments], default=str))
        return Tokens(self.characters // CHARACTERS_OF_A_TOKEN, written // CHARACTERS_OF_A_TOKEN)


@dataclass(frozen=True)
class Replayer:
    """Plays records with `settings` and `context`. `tools` is what a model is told of the tools at every call, `counted` which runs count.

    Tokens are estimated: a call reads that text, the requests, and all calls and results before it, and writes its thought and itself, four
    characters a token.
    """

    settings: Settings
    context: Context | None = None
    tools: str = ""
    counted: Callable[[str], bool] = lambda _: True

    def play(self, records: Iterable[Record]) -> Replay:
        """What comes of `records`."""
        records = list(records)
        left = _calls(records)
        learner, result = Learner(), Replay()
        selector = Selector(learner.graph, self.settings, self.context)
        progress: defaultdict[str, Progress] = defaultdict(Progress)
        prompts: defaultdict[str, _Prompt] = defaultdict(lambda: _Prompt(len(self.tools)))
        for record in records:
            begun = process_time()
            prediction = _predicted(selector, learner, record, progress[record.trace])
            spent = process_time() - begun
            if isinstance(record, Execution):
                left[record.trace].pop(0)
                if self.counted(record.trace):
                    _count(result, record, prediction, left[record.trace], prompts[record.trace].cost(record))
            prompts[record.trace].read(_shown(record))
            begun = process_time()
            learner.learn(record)
            result.seconds += spent + process_time() - begun
        return result


def _count(result: Replay, call: Execution, prediction: Prediction | None, left: Sequence[Call], cost: Tokens) -> None:
    result.calls += 1
    result.tokens = result.tokens.plus(cost)
    if prediction is None:
        return
    made = (prediction.tool, prediction.arguments)
    result.acted += 1
    result.right_tools += prediction.tool == call.tool
    if made == (call.tool, call.arguments):
        result.right_calls += 1
        result.saved = result.saved.plus(cost)
    elif made in left:
        result.later += 1


def _predicted(selector: Selector, learner: Learner, record: Record, progress: Progress) -> Prediction | None:
    """The prediction that is acted on before `record`, if there is one; one that is not acted on is judged by what the model calls."""
    if not isinstance(record, Execution):
        return None
    run = learner.run(record.trace)
    due = selector.recovery(run, progress)
    prediction = due or selector.predict(run, record.thought)
    acted = prediction if prediction is not None and (due or selector.may_act(prediction, progress)) else None
    if prediction is not None and acted is None:
        selector.judge(prediction, record.tool, record.arguments)
    progress.end(failed=isinstance(record.result, Failed), predicted=acted is not None)
    return acted


def _calls(records: Iterable[Record]) -> defaultdict[str, list[Call]]:
    calls: defaultdict[str, list[Call]] = defaultdict(list)
    for record in records:
        if isinstance(record, Execution):
            calls[record.trace].append((record.tool, record.arguments))
    return calls


def _shown(record: Record) -> str:
    match record:
        case Requested(text=text):
            return text
        case Execution(tool=tool, arguments=arguments, result=result, thought=thought):
            returned = json.dumps(result.value, default=str) if isinstance(result, Returned) else getattr(result, "message", "")
            return f"{thought}{json.dumps([tool, arguments], default=str)}{returned}"
        case _:
            return ""
