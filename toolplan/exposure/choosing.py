"""Which strategy a provider, a number of tools and their schemas lead to, and why it is not another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from toolplan.exposure.providers import PROVIDERS, STRATEGIES, Json, Limits, Provider, Strategy
from toolplan.exposure.surfaces import CHANGING, SURFACES, Surface
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester

if TYPE_CHECKING:
    from toolplan.session.settings import Search

Wish = Strategy | Literal["auto"]
T = TypeVar("T", bound=str)
BESIDE_SEARCHABLE = 2
"""The tools that `search` declares beside those that are searched: the search, and the dispatcher."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """What a choice depends on. `schemas` are those of all tools that are to be declared; `model` is empty where nobody named it.

    `searchable` is how many of the tools are to be left to the provider's search.
    """

    provider: Provider
    schemas: Mapping[str, Json]
    model: str = ""
    searchable: int = 0

    def strategy(self, wish: Wish) -> tuple[Strategy, tuple[Diagnostic, ...]]:
        """The strategy that was wished for, or else the best that nothing stands against, with all that stood against better ones."""
        offered = SURFACES[self.provider].limits.strategies
        found: list[Diagnostic] = []
        for strategy in dict.fromkeys((*([] if wish == "auto" else [wish]), *offered)):
            obstacles = list(self._obstacles(strategy, wish))
            found += obstacles
            if not obstacles:
                return strategy, tuple(dict.fromkeys(found))
        raise AssertionError("nothing stands against the dispatcher")

    def _obstacles(self, strategy: Strategy, wish: Wish) -> Iterator[Diagnostic]:
        limits = SURFACES[self.provider].limits
        if strategy not in limits.strategies:
            hint = f"it offers {', '.join(limits.strategies)}"
            yield Diagnostic(Code.STRATEGY_NOT_OFFERED, f"{self.provider} does not offer `{strategy}`", None, hint)
        elif strategy == "append" and wish == "auto" and not self.model.startswith(CHANGING):
            unknown = f"{quoted(self.model)} is not known to take it" if self.model else "nobody said which model it is"
            message = f"`append` needs a model that takes changes of its tools, and {unknown}"
            yield Diagnostic(Code.STRATEGY_NOT_OFFERED, message, None, "name the model, or ask for `append`")
        elif strategy == "search":
            yield from self._too_many(strategy, self.searchable + BESIDE_SEARCHABLE, limits)
        elif strategy != "dispatch":
            yield from self._too_much(strategy, limits)

    def _too_much(self, strategy: Strategy, limits: Limits) -> Iterator[Diagnostic]:
        if strategy != "trim":
            yield from self._too_many(strategy, len(self.schemas), limits)
        for name, schema in self.schemas.items():
            if fault := unfit(schema, limits):
                message = f"{self.provider} does not take the schema of {quoted(name)}: {fault}"
                yield Diagnostic(Code.UNFIT_SCHEMA, message, None, "`dispatch` takes any schema")

    def _too_many(self, strategy: Strategy, declared: int, limits: Limits) -> Iterator[Diagnostic]:
        if declared > limits.most:
            message = f"`{strategy}` declares {declared} tools, and {self.provider} takes {limits.most}"
            yield Diagnostic(Code.TOO_MANY_TOOLS, message, None, "`dispatch` declares one, and `trim` those of the step")


def search_by(provider: Provider, searchable: Collection[str]) -> Search:
    """Who is to search the tools `searchable`, for the settings of a session: the provider, if it offers that for so many, or the session.

    Raises DomainError for an unknown provider.
    """
    checked_provider(provider)
    taken, _ = Choosing(provider, {}, searchable=len(searchable)).strategy("search")
    return "provider" if taken == "search" else "session"


def unfit(schema: Json, limits: Limits) -> str:
    """Why the provider with these limits does not take `schema`, as half a sentence; empty where it does."""
    if not limits.unfit:
        return ""
    if schema.get("type") != "object":
        return "it does not say that it is an object"
    return next((f"it begins with `{keyword}`" for keyword in limits.unfit if keyword in schema), "")


def checked_provider(provider: str) -> Surface:
    """The surface of `provider`. Raises DomainError where there is none of that name."""
    return SURFACES[_one_of("provider", provider, PROVIDERS)]


def checked_wish(wish: str) -> Wish:
    """Raises DomainError where there is no strategy of that name."""
    wishes: Sequence[Wish] = (*STRATEGIES, "auto")
    return _one_of("strategy", wish, wishes)


def _one_of(kind: str, given: str, names: Sequence[T]) -> T:
    for name in names:
        if name == given:
            return name
    hint = Suggester().hint(str(given), names) or f"there are {', '.join(names)}"
    location = Location(Source(f"<{kind}>", str(given)), Span(0, len(str(given))))
    raise DomainError([Diagnostic(Code.BAD_CALL, f"unknown {kind} {quoted(str(given))}", location, hint)])
