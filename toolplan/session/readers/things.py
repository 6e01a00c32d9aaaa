"""What a turn calls a thing by: its words, without articles and without the moments that say which one it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from toolplan.domain import Domain
from toolplan.planning.memo import per_domain
from toolplan.session.readers.openings import names_people
from toolplan.session.readers.tokens import BEFORE_INSTANTS, COURTESIES, DETERMINERS, FILLERS, Token, spoken, stem, stems

POINTING = frozenset("it that this them these those that-one this-one the-same the-same-one him her he she they one".split())
"""What stands for a thing that was named before, as `-` joins its words."""
SINGLING_OUT = frozenset("the my that this these those".split())
SELF = frozenset("me us myself ourselves you yourself everyone everybody someone somebody anyone anybody nobody".split())
"""Nobody in particular, or nobody with a name of their own here."""
SEVERAL = frozenset("all every everything each both several many".split())
"""What begins the words for more than one thing, or for any number of them."""
INTRODUCTIONS = frozenset("called named titled about on regarding concerning".split())
DANGLING = BEFORE_INSTANTS | {"to", "with", "and", "'s", "’s", ","}
ARTICLE_AND_NOUN = re.compile(r"\b(?:the|my|a|an)\s+(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Thing:
    """How a turn speaks of something. `value` is what it is called, `words` the same as they stand in the turn, moments included.

    `moments` are the values that say when it is; `points` whether the words only point at something.
    """

    value: str
    words: str
    moments: tuple[Token, ...] = ()
    determiner: str = ""
    points: bool = False

    @property
    def is_indefinite(self) -> bool:
        """Whether it is any of its kind: "a mail"."""
        return self.determiner in ("a", "an")

    @property
    def singles_out(self) -> bool:
        """Whether it is one that is known to both: "the mail", and no moment that says which."""
        return self.determiner in SINGLING_OUT and not self.moments


def thing(text: str, part: Sequence[Token]) -> Thing | None:
    """What the tokens `part` of `text` call something; None where they name nothing, or several things."""
    if len(part) == 1 and part[0].value is not None and part[0].value.kind == "quoted":
        return Thing(str(part[0].value.value), part[0].value.words)
    if "-".join(token.lower for token in part) in POINTING:
        return Thing("", spoken(text, part), points=True)
    moments = tuple(token for token in part if token.is_instant)
    kept = _trimmed(_without_moments(part))
    if not kept or kept[0].lower in SEVERAL or (len(kept) == 1 and kept[0].lower in SELF):
        return None
    words = text[kept[0].start : kept[-1].end]
    determiner = next((token.lower for token in part if token.lower in DETERMINERS and token.start < kept[0].start), "")
    return Thing(" ".join(_runs(text, part, kept)), words, moments, determiner)


def verbatim(text: str, part: Sequence[Token]) -> Thing | None:
    """The whole of `part`, but for the marks at its ends, and what surrounds it if it is quoted."""
    if len(part) == 1 and part[0].value is not None and part[0].value.kind == "quoted":
        return Thing(str(part[0].value.value), part[0].value.words)
    said = spoken(text, part).strip(" ,:;-–—").rstrip(".!")
    return Thing(said, said) if said else None


def _without_moments(part: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    for token in part:
        if token.is_instant:
            while kept and kept[-1].lower in BEFORE_INSTANTS:
                kept.pop()
        elif token.lower not in ("'s", "’s"):
            kept.append(token)
    return kept


def _trimmed(part: list[Token]) -> list[Token]:
    start, end = 0, len(part)
    while start < end and (part[start].is_mark or part[start].lower in FILLERS | INTRODUCTIONS):
        start += 1
    while end > start and (part[end - 1].is_mark or part[end - 1].lower in DANGLING | COURTESIES):
        end -= 1
    return part[start:end]


def _runs(text: str, part: Sequence[Token], kept: Sequence[Token]) -> Iterator[str]:
    """What `kept` says, cut where something of `part` was left out between."""
    left_out = {token.start for token in part} - {token.start for token in kept}
    start = kept[0].start
    for token, after in zip(kept, [*kept[1:], None], strict=True):
        if after is None or any(token.end <= place < after.start for place in left_out):
            yield text[start : token.end]
            start = after.start if after is not None else 0


class Vocabulary:
    """The words that a domain has for whole kinds of things, and those with which its wishes begin."""

    def __init__(self, domain: Domain) -> None:
        self.people = frozenset(name for name in domain.types if names_people(domain, name))
        nouns = [noun for goal in domain.goals.values() for phrase in goal.phrases for noun in ARTICLE_AND_NOUN.findall(phrase)]
        self.kinds = frozenset(stem(word) for word in (*nouns, *(part for name in domain.types for part in name.split("_"))))
        starts = [phrase.lower().split() for goal in domain.goals.values() for phrase in goal.phrases]
        self.verbs = frozenset(words[0] for words in starts if words) - {"..."}

    def is_vague(self, called: Thing) -> bool:
        """Whether the words fit every thing of their kind: "the mail", and no moment tells which."""
        said = stems(called.value)
        return not called.is_indefinite and not called.moments and all(word in self.kinds for word in said)


vocabulary = per_domain(Vocabulary)


def referred(called: Thing, names: Iterable[str], words: Mapping[str, str], current: Set[str], finished: Set[str]) -> str | None:
    """Which of the entities `names`, the latest last, the turn means by `called`; None for one that is new.

    What only points means the latest. The words for an entity, said again, mean it while what is wanted of it is `current`; afterwards only
    with "the" or "that", and no moment that may tell another one, and not where the same was done with it: it is `finished` then. Some of its
    words, said so, mean it where they fit no other.
    """
    known = list(names)
    if called.points:
        return known[-1] if known else None
    said = set(stems(called.value))
    if not said or called.is_indefinite or "other" in called.value.lower().split():
        return None
    known_so = [name for name in known if set(stems(words.get(name, ""))) == said]
    same = [name for name in known_so if name in current or (called.singles_out and name not in finished)]
    wider = [name for name in known if said < set(stems(words.get(name, ""))) and called.singles_out]
    candidates = same[-1:] or wider
    return candidates[0] if len(candidates) == 1 else None
