"""What enforcement costs: each part of a step, and the same conversations through frameworks alone and through their adapters.

- `desk`: the tools and the request; `talks`: one conversation, timed. `parts`: gate and exposure by themselves.
- `measuring`: a framework beside its adapter. One module for each framework leads its conversations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from toolplan.bench.gate import measuring, parts
from toolplan.bench.tables import Row

CONVERSATIONS = 200


def tables(conversations: int, note: Callable[[str], None]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Each table with its title, when it is measured."""
    note("parts")
    yield "Parts of a step, in µs of processor time", list(parts.rows(conversations))
    measured = list(measuring.rows(conversations, note))
    yield "A step through each framework alone and through its adapter, in µs of processor time", measured
    yield "What is promised, and what was measured", list(measuring.promises(measured))
