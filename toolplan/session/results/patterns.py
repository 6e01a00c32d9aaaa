"""What a pattern finds in the text of a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from toolplan.session.results.labels import record_label
from toolplan.session.results.linear import encodable
from toolplan.session.results.matches import MOST_MATCHES, Match


def group_for(fact: str, groups: Mapping[str, int]) -> int | None:
    """The number of the group that holds the value of `fact`: the one of its name, else the only one, else the whole match (0).

    None where there are several and none of its name. `groups` are the named groups of a pattern.
    """
    if len(groups) > 1:
        return groups.get(fact)
    return next(iter(groups.values()), 0)


@dataclass(frozen=True, slots=True)
class CompiledPattern:
    """A pattern that can be searched for, and which of its groups holds the value."""

    regex: re.Pattern[str]
    group: int

    def find(self, text: str) -> tuple[Match, ...]:
        """All that is found in `text`, from the start to the end, without spaces around it. A match of no characters is none.

        Of more than `MOST_MATCHES` it stops one later.
        """
        text = encodable(text)
        spans = (match.span(self.group) for match in self.regex.finditer(text) if match[0] and match[self.group] is not None)
        return tuple(_match(text, *place) for place in islice(_neighbours(spans, len(text)), MOST_MATCHES + 1))


def _neighbours(spans: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, tuple[int, int], int]]:
    """Each span, between the end of the one before and the start of the one after."""
    before = 0
    for span, (after, _) in pairwise(chain(spans, [(length, length)])):
        yield before, span, after
        before = span[1]


def _match(text: str, before: int, span: tuple[int, int], after: int) -> Match:
    return Match(text[slice(*span)].strip(), record_label(text, *span, before, after))
