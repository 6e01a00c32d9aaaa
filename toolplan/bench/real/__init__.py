"""Real language that nobody here wrote: what our decisions are beside those that others annotated. Each set is a module.

- `contracts`: blocks of the language written from schemas.
- `decided`: a decision in the words of those who annotate; `agreement`: shares with intervals, and misses.
- `sgd_contracts`, `sgd_states`, `sgd`: the services and dialogues of Schema-Guided Dialogue; `selector`: which intent an utterance means.
- `slots`: how well readers read values; `sgd_slots`, `when2call_slots`: those of the dialogues, and those of single turns; `by_model`: on a
  sample of both, with a language model among the readers.
- `value_types`: the types of values that schemas describe.
- `when2call`: single turns to be answered by a call, a question, or neither.
- `bfcl_conversations`, `bfcl`: conversations in which a parameter or a tool is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from toolplan.bench.real import bfcl, selector, sgd, sgd_slots, when2call, when2call_slots
from toolplan.bench.real.agreement import Titled


class Suite(Protocol):
    """Tables made from a set of records. `DATA` is the name of its folder."""

    DATA: str

    def tables(self, folder: Path) -> Iterator[Titled]:
        """Measure on the files of `folder`."""
        ...


SUITES: Mapping[str, Suite] = {
    "sgd": sgd,
    "selector": selector,
    "slots": sgd_slots,
    "when2call": when2call,
    "arguments": when2call_slots,
    "bfcl": bfcl,
}


def tables(data: Path) -> Iterator[Titled]:
    """The tables of every set that has a folder in `data`."""
    for suite in SUITES.values():
        if (data / suite.DATA).is_dir():
            yield from suite.tables(data / suite.DATA)
