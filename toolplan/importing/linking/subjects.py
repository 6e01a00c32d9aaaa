"""What a tool is about, from its name: `list_calendar_events` lists, and what it lists are calendar events."""

from __future__ import annotations

from typing import NamedTuple

from toolplan.importing.linking.lexicon import FINDING, PARTS, PREPOSITIONS, VERBS
from toolplan.importing.linking.words import Words, pieces, words


class Subject(NamedTuple):
    """The verb of a name, empty where it has none, and the words of the thing it acts on."""

    verb: str
    thing: Words


def subject(name: str) -> Subject:
    """What the tool `name` is about.

    Words before the verb name a product or a server, and are its thing only where nothing follows. Words after a preposition say which ones;
    those after `to`, what it turns something into.
    """
    spoken = pieces(name)
    place = next((place for place, piece in enumerate(spoken) if piece in VERBS), -1)
    verb, rest = spoken[place] if place >= 0 else "", words(" ".join(spoken[place + 1 :]))
    if "to" in rest[:-1]:
        rest = rest[rest.index("to") + 1 :]
    end = next((place for place, word in enumerate(rest) if place and word in PREPOSITIONS), len(rest))
    thing = tuple(word for word in rest[:end] if word not in PARTS | FINDING)
    return Subject(verb, thing or words(" ".join(spoken[: max(place, 0)])))
