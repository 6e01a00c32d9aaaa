"""A model that reads requests by how probable its answers are: what a small model says of its own confidence means little."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations, takewhile
from math import exp, floor
from pathlib import Path
from typing import NamedTuple

from toolplan.bench.choosers.completing import Completion
from toolplan.bench.gist.asking import Reader

LEAST = 0.01
"""Goals that are less probable are not looked into."""
LIKELY = 0.3
"""From here on a second goal is worth a look."""
NONE = ""
SCALE = 10_000
"""Confidences have four places, rounded down, so that they never add up to more than one."""


class Fork(NamedTuple):
    """A place in an answer at which it may go on in several ways, each a run of tokens that leads to the next fork; `said` where none is left."""

    ways: Sequence[tuple[tuple[int, ...], Fork]]
    said: str = NONE


def forked(options: Mapping[str, Sequence[int]]) -> Fork:
    """The forks between token sequences, none of which begins another."""
    if len(options) == 1:
        return Fork((), next(iter(options)))
    ordered = sorted(options.items(), key=lambda option: tuple(option[1]))
    ways = []
    for _, group in groupby(ordered, key=lambda option: option[1][0]):
        together = dict(group)
        run = _common(list(together.values()))
        ways.append((run, forked({said: tokens[len(run) :] for said, tokens in together.items()})))
    return Fork(ways)


def _opening(*goals: str) -> str:
    """How an answer begins that names `goals` first, up to where nothing is left to choose."""
    return f'{{"candidates": [{{"goals": {json.dumps(goals)}, "confidence"'


def _common(sequences: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """What all of them begin with."""
    return tuple(tokens[0] for tokens in takewhile(lambda tokens: len(set(tokens)) == 1, zip(*sequences, strict=False)))


class Weighing(Reader):
    """The same question, and an answer in the same form, but its confidences are the probabilities with which the model names a goal first, or
    none. A goal that it goes on from with another, rather than with the end, is wanted together with that."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.name = f"{path.stem}, weighed"
        goals = list(self.domain.goals)
        self._order = goals.index
        self._looked = 0
        alone = {goal: self.completer.tokens(_opening(goal)) for goal in goals}
        pairs = {pair: self.completer.tokens(_opening(*pair)) for pair in permutations(goals, 2)}
        named = {goal: _common([alone[goal], *(pairs[goal, other] for other in goals if other != goal)]) for goal in goals}
        self._first = forked({NONE: self.completer.tokens('{"candidates": []}'), **named})
        self._then = {
            goal: forked({NONE: alone[goal][len(run) :], **{second: pairs[goal, second][len(run) :] for second in goals if second != goal}})
            for goal, run in named.items()
        }

    def answer(self, rest: Sequence[int]) -> Completion:
        """The goals, with the probabilities with which the model names them first."""
        self.completer.model.eval(rest)
        self._looked = 0
        shares: dict[tuple[str, ...], float] = {}
        for goal, p in self._likely(self._first, LEAST):
            if goal != NONE:
                then = max(self._likely(self._then[goal], LIKELY), key=lambda way: way[1], default=(NONE, 0.0))[0]
                goals = tuple(sorted({goal, then} - {NONE}, key=self._order))
                shares[goals] = shares.get(goals, 0.0) + p
        ranked = sorted(shares.items(), key=lambda share: -share[1])
        candidates = [{"goals": list(goals), "confidence": floor(p * SCALE) / SCALE} for goals, p in ranked]
        return Completion(json.dumps({"candidates": candidates}), self._looked)

    def _likely(self, fork: Fork, least: float, p: float = 1.0) -> Iterator[tuple[str, float]]:
        """What may be said from here on, with its probability, where that is at least `least`. While one is looked at, the model is behind it."""
        if not fork.ways:
            yield fork.said, p
            return
        here, shares = self.completer.model.n_tokens, self._shares([run[0] for run, _ in fork.ways])
        for (run, then), share in zip(fork.ways, shares, strict=True):
            if p * share >= least:
                self.completer.model.n_tokens = here
                self.completer.model.eval(run)
                self._looked += len(run)
                yield from self._likely(then, least, p * share)

    def _shares(self, tokens: Sequence[int]) -> list[float]:
        """How probable each of `tokens` is as the next, if it is one of them."""
        if len(tokens) == 1:
            return [1.0]
        logits = self.completer.logits()
        scores = [float(logits[token]) for token in tokens]
        weights = [exp(score - max(scores)) for score in scores]
        return [weight / sum(weights) for weight in weights]
