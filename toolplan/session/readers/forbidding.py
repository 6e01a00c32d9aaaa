"""What a turn says must not be done: "don't send anything", "without telling anyone"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.planning.memo import per_domain
from toolplan.retrieval.documents import words_of
from toolplan.session.readers.tokens import stem

FORBIDDING = re.compile(
    r"(?:\bwithout\s+|(?:^\s*|[.,;:!?()—–]\s*|\b(?:and|but|please|just|also)\s+)(?:please\s+)?(?:do\s+not|don['’]?t|never)\s+(?:ever\s+)?)"
    r"(?P<verb>[a-z]+)\b[^.,;:!?()—–]*?(?=$|[.,;:!?()—–]|\s(?:and|but|just|only)\s)",
    re.IGNORECASE,
)
"""A clause that forbids, at the beginning of a sentence or clause, with its verb."""
TELLING = frozenset(stem(word) for word in ("tell", "notify", "inform", "contact", "message", "alert"))
"""Verbs for reaching other people, whatever the domain calls it."""
REACHING = ("send", "notify", "tell", "message", "contact", "share")
"""Names of levels of risk at which others are reached."""


class Forbidden(NamedTuple):
    """What a clause forbids: names of tools or levels of risk, and where in the text it stands."""

    start: int
    end: int
    names: tuple[str, ...]


def forbidden(text: str, domain: Domain) -> tuple[Forbidden, ...]:
    """The clauses of `text` that forbid something which `domain` has a tool or a level of risk for."""
    return tuple(_clauses(text, domain))


def _clauses(text: str, domain: Domain) -> Iterator[Forbidden]:
    verbs = _verbs(domain)
    for match in FORBIDDING.finditer(text):
        names = verbs.get(stem(match["verb"]), ())
        if names:
            yield Forbidden(match.start(), match.end(), names)


@per_domain
def _verbs(domain: Domain) -> dict[str, tuple[str, ...]]:
    """What each verb forbids, by its stem: a level of risk that is called so, else the tools whose names begin with it."""
    verbs: dict[str, tuple[str, ...]] = {}
    for name, tool in domain.tools.items():
        for called in dict.fromkeys((words_of(name), words_of(tool.call_name.rpartition(".")[2]))):
            if verb := stem((called.split() or [""])[0]):
                verbs[verb] = tuple(dict.fromkeys((*verbs.get(verb, ()), name)))
    levels = {stem(level.name): (level.name,) for level in domain.policy.risk if not level.safe}
    reaching = next((levels[stem(name)] for name in REACHING if stem(name) in levels), None)
    return verbs | (dict.fromkeys(TELLING, reaching) if reaching else {}) | levels
