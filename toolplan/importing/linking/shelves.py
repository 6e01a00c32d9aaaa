"""All tools and all values, to be found by words, so that no argument is compared with every value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from toolplan.importing.linking.ends import Argument, Ends, Value
from toolplan.importing.linking.lexicon import ASPECTS, CUES, MONEY, OPEN
from toolplan.importing.linking.relations import alternatives, takes_any_number, takes_any_text, thing_of, things_in
from toolplan.importing.linking.words import Words

HELD = "-"
"""Before a thing in the keys of values that hold it. No word is written so."""


class Shelves:
    """`tools` by name, in their order; `taken` says which names each one takes as arguments."""

    def __init__(self, every: Sequence[Ends]) -> None:
        self.tools = {one.tool.name: one for one in every}
        self.taken = {one.tool.name: frozenset(words for taken in one.arguments for words in (taken.own, taken.whole)) for one in every}
        self._values = [value for one in self.tools.values() for value in one.values]
        self._by_key: dict[Words, list[Value]] = defaultdict(list)
        for value in self._values:
            for key in _keys(value):
                self._by_key[key].append(value)
        self._by_verb: dict[str, list[Ends]] = defaultdict(list)
        for one in self.tools.values():
            self._by_verb[one.subject.verb].append(one)

    def near(self, argument: Argument) -> Iterable[Value]:
        """Every value to which `relations` may relate `argument`, and others. Some come twice."""
        if takes_any_text(argument) or takes_any_number(argument):
            return self._values
        own, told = argument.own, frozenset(argument.told)
        keys = {own[-1:], argument.whole[-2:], (HELD, thing_of(argument.whole)[-1]), *(name[-2:] for name in alternatives(own))}
        keys |= {(word, aspect) for aspect in told & ASPECTS for word in told}
        keys |= {(word,) for word in told} if OPEN.issuperset(own) else set()
        keys |= {(word,) for word in MONEY} if own[-1] in MONEY else set()
        return [value for key in sorted(keys & self._by_key.keys()) for value in self._by_key[key]]

    def named(self, argument: Argument) -> frozenset[str]:
        """The tools whose verb and thing stand in the description of `argument`, after a word such as `from`. The longer name counts."""
        cue = next((place for place, word in enumerate(argument.told) if word in CUES), len(argument.told))
        told = frozenset(argument.told[cue:])
        found = {
            one.tool.name: frozenset((verb, *one.subject.thing))
            for verb in told & self._by_verb.keys()
            for one in self._by_verb[verb]
            if one.subject.thing and told.issuperset(one.subject.thing)
        }
        return frozenset(name for name, spoken in found.items() if not any(spoken < other for other in found.values()))


def _keys(value: Value) -> Iterator[Words]:
    """What the two ends of any relation but those of kinds have in common: the last word or two, or the thing that is held."""
    if value.own:
        telling = () if ASPECTS.issuperset(value.own) else (value.own[-2:], value.own[-1:])
        yield from dict.fromkeys((value.whole[-2:], *telling))
    if value.opaque and (things := things_in(value)):
        yield HELD, things[-1]
