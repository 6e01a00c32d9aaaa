"""The names that a turn says, of places, people and titles, and of which fact each is: the word before it tells.

A name is a run of capitalised words. In a turn without capitals the words after a preposition are one, up to whatever ends them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from toolplan.domain import AtomicFormula
from toolplan.session.readers.tokens import AUXILIARIES, BEFORE_INSTANTS, COURTESIES, DETERMINERS, POSSESSIVE, Token, stem

PREPOSITIONS = frozenset("to with near inside into via by toward towards after before around within".split()) | BEFORE_INSTANTS
"""Words that introduce a name, or something else."""
PRONOUNS = frozenset("i we you he she they it this that one something somewhere anything someone somebody there here".split())
"""What a sentence speaks of without a name."""
VERBS = frozenset(
    """departing leaving going traveling travelling heading returning picking flying driving looking searching find search look check get make
    set book reserve play show give need want share send try put call name add rent buy see watch use take go have prefer like know schedule
    transfer pay request start choose pick let's tend change locate visit leave""".split()
)
"""Words with which wishes begin."""
ANSWERING = frozenset(
    """yes yeah yea yep yup no nope not sure great good alright right correct thanks thank sorry actually now then and but or so if when where what
    how which because only perfect awesome cool nice fine sounds""".split()
)
"""Words with which replies and questions begin."""
BEGINNINGS = PREPOSITIONS | PRONOUNS | VERBS | ANSWERING | DETERMINERS | COURTESIES | AUXILIARIES
"""Words in capitals for no other reason than that a sentence begins with them."""
ARTICLES = frozenset("the a an my our your his her their".split())
HALVES = frozenset("san santa los las new el".split())
"""Words with which a name does not end."""
INSIDE = frozenset("of the de la le du del &".split())
"""Words in small letters that may stand within a name, between capitalised ones."""
ROLES = (
    ("in around near inside within", "city area town county region where"),
    ("at", "restaurant theater theatre hotel property shop salon pickup dropoff address station airport venue"),
    ("in around near inside within", "location place address station airport where"),
    ("from leaving departing", "from origin departure depart start"),
    ("to toward towards into visiting", "to destination arrival where"),
    ("with to friend", "contact receiver recipient person friend attendee"),
    ("by", "artist director author singer composer"),
    ("with featuring features starring stars", "cast star starring actor actress"),
    ("called named titled", "name title"),
    ("for", "city town"),
)
"""The words that introduce a name, with those that the facts have in their own names which it is of then. The first that fit count."""
KINDS = "genre category kind type style cuisine"
"""Words in the names of facts that say of what kind something is."""
DIRECTED = ("from", "origin", "departure", "to", "destination", "arrival")
ENDS = BEGINNINGS | frozenset("next today tomorrow".split())
"""Words that end a name in small letters."""
SMALL = frozenset("from in around near inside".split())
"""Prepositions after which a name may be in small letters."""
NO_NAMES = (
    DETERMINERS | PRONOUNS | frozenset("advance case date general total person cash mind order then now home town time particular".split())
)
"""Words after a preposition with which no name begins."""
SHORT = frozenset("st mt ft dr mr mrs ms".split())
"""Words of names that end with a full stop."""
CONTRACTION = re.compile(r"['’]\w+$")
LONGEST = 3
"""Words of a name in small letters, at most."""


class Name(NamedTuple):
    """A name, from token `start` to before `end`, and the words that introduce and follow it; empty where none does."""

    start: int
    end: int
    before: str
    after: str = ""


def names(turn: Sequence[Token], text: str, used: Collection[int]) -> list[Name]:
    """The names in `turn` that have no token of `used`, in order."""
    has_capitals = any(_is_capital(token, text) for token in turn)
    found = _capitalised(turn, text, used) if has_capitals else _in_small_letters(turn)
    return [name for name in found if not any(at in used for at in range(name.start, name.end))]


def assigned(found: Sequence[Name], facts: Mapping[AtomicFormula, Sequence[str]], nouns: Collection[str] = ()) -> dict[AtomicFormula, Name]:
    """The facts that names are clearly of; of each fact there are the words in its own name. Of two names for one fact neither is."""
    claims: dict[AtomicFormula, list[Name]] = {}
    for name in found:
        formula = fact_of(name, facts, nouns)
        if formula is not None:
            claims.setdefault(formula, []).append(name)
    return {formula: of[0] for formula, of in claims.items() if len(of) == 1}


def fact_of(name: Name, facts: Mapping[AtomicFormula, Sequence[str]], nouns: Collection[str] = ()) -> AtomicFormula | None:
    """The one fact that `name` is of, by the words beside it: a word of the fact's own name, or one for what the fact is about.

    A name that stands before one of `nouns`, the stems of words for what is wanted, says its kind: "a Mystery movie".
    """
    beside = [name.before] if name.after in PREPOSITIONS else [name.before, name.after]
    roles = [about for before, about in ROLES if name.before in before.split()]
    kinds = [KINDS] if stem(name.after) in nouns else []
    called = ([formula for formula, words in facts.items() if stem(word) in words] for word in filter(None, beside))
    about = ([formula for formula, words in facts.items() if _is_about(words, one)] for one in (*roles, *kinds))
    fitting = next(filter(None, chain(called, about)), [])
    return fitting[0] if len(fitting) == 1 else None


def own_words(fact: str, goal: str) -> tuple[str, ...]:
    """The stems of the words in the name of `fact`, without those with which the name of `goal` begins as well."""
    words, of_goal = fact.split("_"), goal.split("_")
    shared = next((at for at, (word, other) in enumerate(zip(words, of_goal, strict=False)) if word != other), 0)
    return tuple(map(stem, words[shared:]))


def is_number(token: Token) -> bool:
    """Whether `token` is a whole number."""
    return token.value is not None and token.value.kind == "integer"


def _is_about(words: Sequence[str], about: str) -> bool:
    """Whether a fact with `words` in its name is about one of `about`. A place to go to, or to come from, is none to be in."""
    own = {stem(word) for word in about.split()}
    others = {stem(word) for word in DIRECTED} - own if "where" not in words else set()
    return not own.isdisjoint(words) and others.isdisjoint(words)


def _capitalised(turn: Sequence[Token], text: str, used: Collection[int]) -> Iterator[Name]:
    at = 0
    while at < len(turn):
        start = at
        if _is_capital(turn[at], text) and not (_begins_sentence(turn, at) and turn[at].lower in BEGINNINGS):
            at = _end(turn, text, at + 1, used)
            if at > start + 1 and start and is_number(turn[start - 1]):
                start -= 1
            if not POSSESSIVE.search(turn[at - 1].lower):
                yield Name(start, at, _before(turn, start), turn[at].lower if at < len(turn) else "")
        else:
            at += 1


def _end(turn: Sequence[Token], text: str, at: int, used: Collection[int]) -> int:
    """Where the name ends that goes on at `at`: with its last capitalised word, its number, or the country or state after a comma."""
    if at < len(turn) and turn[at - 1].lower in HALVES and turn[at].value is None and not turn[at].is_mark:
        at += 1
    while at < len(turn) and at not in used:
        here = at
        while here < len(turn) and turn[here].lower in INSIDE:
            here += 1
        if here < len(turn) and (_is_capital(turn[here], text) or (here == at and is_number(turn[here]))):
            at = here + 1
        elif turn[at].lower == "." and _is_initial(turn, text, at):
            at += 1
        elif turn[at].lower == "," and _is_region(turn, text, at + 1):
            return at + 2
        else:
            break
    return at


def _is_initial(turn: Sequence[Token], text: str, at: int) -> bool:
    """Whether the full stop at `at` comes after the first letter of a name that goes on, or a short form: "St. Helena"."""
    is_short = turn[at - 1].end - turn[at - 1].start == 1 or turn[at - 1].lower in SHORT
    return is_short and at + 1 < len(turn) and _is_capital(turn[at + 1], text)


def _is_region(turn: Sequence[Token], text: str, at: int) -> bool:
    """Whether the one capitalised word at `at` says in which country or state a town is."""
    alone = at + 1 >= len(turn) or not (_is_capital(turn[at + 1], text) or turn[at + 1].lower in ("and", "or", ","))
    return at < len(turn) and _is_capital(turn[at], text) and alone


def _before(turn: Sequence[Token], at: int) -> str:
    while at and turn[at - 1].lower in ARTICLES:
        at -= 1
    is_about = at > 1 and turn[at - 2].lower in ("interested", "check")
    return turn[at - 1].lower if at and not is_about else ""


def _in_small_letters(turn: Sequence[Token]) -> Iterator[Name]:
    for at, token in enumerate(turn):
        if token.lower in SMALL:
            start = end = at + 1
            while end < len(turn) and turn[end].value is None and not turn[end].is_mark and turn[end].lower not in ENDS:
                end += 1
            if start < end <= start + LONGEST and turn[start].lower not in NO_NAMES and not turn[start].lower.endswith("ing"):
                yield Name(start, end, token.lower)


def _is_capital(token: Token, text: str) -> bool:
    word = CONTRACTION.sub("", token.lower)
    is_acronym = len(word) > 1 and text[token.start : token.end].isupper()
    return text[token.start].isupper() and not token.is_instant and (is_acronym or word not in PRONOUNS) and word != "ok"


def _begins_sentence(turn: Sequence[Token], at: int) -> bool:
    """Whether the word at `at` may have its capital from where it stands: at a beginning, or after "I"."""
    return at == 0 or (turn[at - 1].is_mark and turn[at - 1].lower in ".!?:,;") or turn[at - 1].lower in PRONOUNS
