"""`@contract`: what a function requires and produces, said beside its code in the words of the language.

    @contract(requires="date, event_description", produces="event_id", risk="read")
    def search_events(date: str, event_description: str) -> list[dict]: ...

The function stays what it is. `toolplan.importing.functions` makes a domain of several, and `toolplan import functions` a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypedDict, TypeVar, Unpack

F = TypeVar("F", bound=Callable[..., Any])
Listed = str | Sequence[str]
"""Items with commas between them, or a list of items."""
ATTRIBUTE = "__toolplan_contract__"


class Clauses(TypedDict, total=False):
    """The clauses of a tool, under their words with `_` for blanks, and its `parameters`: `f: file`.

    `passes` and `returns` map arguments to facts, and facts to paths. Texts of the last lines are quoted as they are.
    """

    parameters: Listed
    requires: Listed
    produces: Listed
    removes: Listed
    verifies: Listed
    finds: Listed
    creates: Listed
    enumerates: Listed
    cost: int | str | Fraction
    risk: str
    confirm: bool | str
    passes: Mapping[str, str]
    checks: Listed
    key: str
    returns: Mapping[str, str]
    fails_when: Listed
    capability: Listed
    supersedes: Listed
    idempotent: bool
    server: str
    scopes: Listed
    roles: Listed
    tenants: Listed
    environments: Listed
    owner: str
    version: str
    use_when: Listed
    do_not_use_when: Listed
    side_effect: str


def contract(**clauses: Unpack[Clauses]) -> Callable[[F], F]:
    """Give the function below a contract. What it says is read when a domain is made of it. Raises TypeError for a word that is no clause."""
    unknown = [word for word in clauses if word not in Clauses.__annotations__]
    if unknown:
        raise TypeError(f"a contract has no clause {unknown[0]!r}; there are {', '.join(Clauses.__annotations__)}")

    def attach(function: F) -> F:
        setattr(function, ATTRIBUTE, clauses)
        return function

    return attach


def contract_of(function: Callable[..., Any]) -> Clauses | None:
    """The contract of `function`; None where it has none."""
    found: Clauses | None = getattr(function, ATTRIBUTE, None)
    return found
