"""How patient a session is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolplan.frontier import Mode
from toolplan.planning.engines import AUTO
from toolplan.planning.plans import Limit
from toolplan.retrieval.scorers import Scorer, rare_words
from toolplan.retrieval.searching import NO_PRIOR, Prior

Search = Literal["session", "provider"]
"""Who searches the tools without a contract where contracts end: the session, within the budget of the policy, or the provider of the model."""


def no_prior(latest: Sequence[str]) -> Mapping[str, float]:
    """Words alone count."""
    return NO_PRIOR


@dataclass(frozen=True, slots=True)
class Settings:
    """The limits of a session.

    `questions` are put to the user for one request, and the same one `repeats` times; then it is for a person, and so it is after `calls`
    calls. A call that failed for now and does no harm is tried `retries` times more. Of one turn `letters` are read. `mode` says what is
    shown while all goes well; after a call that did not, it is `recovery`. `engine`, `limit` and `forbid` are those of `frontier`.
    `trusted` are the origins of real tools without a contract whose hints that they only read are believed. `scorer` finds such tools where
    no plan leads on, and whatever is looked for. Where `search` is left to the provider, all of them are open there: what its search finds may
    be proposed, and is held for a person like any other. `prior` says which of them tend to follow the calls before: it ranks what is found, and
    opens nothing.
    """

    questions: int = 8
    repeats: int = 3
    calls: int = 50
    retries: int = 2
    letters: int = 20_000
    mode: Mode = "one"
    engine: str = AUTO
    limit: Limit = field(default_factory=Limit)
    forbid: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    scorer: Scorer = rare_words
    search: Search = "session"
    prior: Prior = no_prior


DEFAULTS = Settings()
