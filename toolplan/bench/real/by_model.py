"""How a language model reads values, beside the rules and the annotation: on a sample of the turns, since a model takes its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from toolplan.bench.real import sgd_slots, when2call_slots
from toolplan.bench.real.agreement import Titled
from toolplan.bench.real.slots import READERS, SlotReader, agreements, by_model
from toolplan.goals.rankers.model import Ask

T = TypeVar("T")

SEED = 0


def tables(data: Path, ask: Ask, size: int) -> Iterator[Titled]:
    """Precision and recall of values by reader on `size` turns of every set that has a folder in `data`, or on all if there are fewer.

    They are the same turns each time, and for all readers.
    """
    readers = {**READERS, "model": by_model(ask)}
    for suite, measure in ((sgd_slots, _dialogues), (when2call_slots, _single_turns)):
        if (data / suite.DATA).is_dir():
            yield measure(data / suite.DATA, readers, size)


def _dialogues(folder: Path, readers: Mapping[str, SlotReader], size: int) -> Titled:
    turns = list(sgd_slots.read(folder))
    slots = [turn.slots for turn in _sample(turns, size)]
    readings = {name: list(map(reader, slots)) for name, reader in readers.items()}
    rows = [row for name, reads in readings.items() for row in agreements(sgd_slots.DATA, name, slots, reads)]
    return Titled(f"{sgd_slots.TITLE}, read by a model too: {len(slots)} of {len(turns)} turns", rows)


def _single_turns(folder: Path, readers: Mapping[str, SlotReader], size: int) -> Titled:
    turns = list(when2call_slots.read(folder))
    sample = _sample(turns, size)
    slots = [turn.slots for turn in sample]
    readings = {name: list(map(reader, slots)) for name, reader in readers.items()}
    rows = [
        row
        for name, reads in readings.items()
        for row in (*agreements(when2call_slots.DATA, name, slots, reads), when2call_slots.left_missing(name, sample, reads))
    ]
    return Titled(f"{when2call_slots.TITLE}, read by a model too: {len(slots)} of {len(turns)} turns", rows)


def _sample(turns: Sequence[T], size: int) -> list[T]:
    """`size` of `turns`, in their order, drawn with `SEED`."""
    return [turns[number] for number in sorted(Random(SEED).sample(range(len(turns)), min(size, len(turns))))]
