"""Which result of which tool fills which argument of which other tool, as far as names, types and descriptions say.

- `words`: names as words. `schemas`: the values that a schema describes.
- `subjects`: what a tool is about. `ends`: its arguments, and the values in its results.
- `evidence`: what speaks for a link, and what against it. `candidates`: all pairs of ends with some.
- `weights`: how likely each is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolplan.catalog import RealTool
from toolplan.importing.linking.candidates import candidates
from toolplan.importing.linking.weights import FITTED

__all__ = ["LIKELY", "POSSIBLE", "Link", "links"]

LIKELY = 0.5
"""The confidence of a link that is rather right than wrong."""
POSSIBLE = 0.2
"""The confidence below which a link is not worth showing."""


@dataclass(frozen=True, slots=True)
class Link:
    """`path` of what `producer` returns fills `argument` of `consumer`, as likely as `confidence` (0 to 1) says.

    `path` is a JSONPath into the result, such as `$.items[*].id`, or `$` where the whole result is meant or no schema tells more. `evidence` says
    how the two are related, and then what else speaks for the link or against it.
    """

    producer: str
    path: str
    consumer: str
    argument: str
    confidence: float
    evidence: tuple[str, ...]


def links(tools: Sequence[RealTool]) -> tuple[Link, ...]:
    """The links between `tools` that are at least POSSIBLE, the likeliest first, then by name. Each two tools have at most one link for an argument.

    No tool is linked to itself. Names are taken to be unique: of two tools with one name the last counts.
    """
    found = [
        Link(one.producer, one.path, one.consumer, one.argument, round(FITTED.probability(one.evidence), 3), one.evidence)
        for one in candidates(tools)
    ]
    possible = [link for link in found if link.confidence >= POSSIBLE]
    return tuple(sorted(possible, key=lambda link: (-link.confidence, link.consumer, link.argument, link.producer)))
