"""A run of steps with one provider: what is declared stays as it was, whatever may be called at a step."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Self

from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.domain import Domain
from toolplan.exposure.choosing import Choosing, Wish, checked_provider, checked_wish, unfit
from toolplan.exposure.declarations import DISPATCHER, described, real_names
from toolplan.exposure.names import bijection
from toolplan.exposure.notes import Telling, known_of, line_of
from toolplan.exposure.payloads import DISPATCHING, Payload
from toolplan.exposure.providers import NoCall, Provider, Strategy
from toolplan.exposure.strategies import Allow, Append, Dispatch, Menu, RealNames, Search, Showing, Tools, Trim
from toolplan.exposure.surfaces import Surface
from toolplan.frontier import Frontier, callable_tools
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted


class Exposure:
    """What one conversation with `provider` is shown, step by step. `domain` is that of the session, `catalog` its real tools.

    In all strategies but `trim` every step declares the same tools, to the byte, also in another process. `model` is
    the name of the model, if it is known: some take more than others. A server that changes its list of tools ends that: then make another.
    `searchable` are the real tools that `search` leaves to the provider's search, see `openable`; one whose schema the provider does not take
    is called through the dispatcher. `held` are the real tools that the conversation holds after the steps so far.
    Raises DomainError for an unknown provider or strategy.
    """

    def __init__(
        self,
        domain: Domain,
        provider: Provider,
        *,
        catalog: Catalog = NO_TOOLS,
        strategy: Wish = "auto",
        model: str = "",
        searchable: Collection[str] = (),
    ) -> None:
        self._surface = checked_provider(provider)
        self.provider = provider
        tools = described(domain, catalog, real_names(domain))
        faults = {name: unfit(tool.schema, self._surface.limits) for name, tool in tools.items() if name in searchable}
        found = tuple(name for name, fault in faults.items() if not fault)
        choosing = Choosing(provider, {name: tool.schema for name, tool in tools.items()}, model, len(found))
        self.strategy, self._choice_findings = choosing.strategy(checked_wish(strategy))
        self.names = bijection(self._surface.limits.names, tools, _reserved(self.strategy, self._surface))
        self._tools: Tools = {name: replace(tool, name=self.names.shown(name)) for name, tool in tools.items()}
        visible = _always(domain) if self.strategy == "append" else ()
        self._showing = _showing_of(self.strategy, self._surface, self._tools, visible, found)
        self.held: RealNames = visible
        self._tool_findings = {name: finding for name in tools if (finding := self._finding(name, catalog)) is not None}
        if self.strategy == "search":
            self._choice_findings += tuple(self._unsearched(name, fault) for name, fault in faults.items() if fault)
        self._most = self._surface.limits.most if self.strategy == "trim" else len(tools)
        self._lines: dict[str, str] = {}

    @classmethod
    def restore(
        cls,
        state: object,
        domain: Domain,
        provider: Provider,
        *,
        catalog: Catalog = NO_TOOLS,
        model: str = "",
        searchable: Collection[str] = (),
    ) -> Self:
        """The exposure that had `state`, with its strategy. Raises DomainError for what is no state, too."""
        match state:
            case {"strategy": str(strategy), "held": list(held)}:
                exposure = cls(domain, provider, catalog=catalog, strategy=checked_wish(strategy), model=model, searchable=searchable)
            case _:
                raise DomainError([Diagnostic(Code.BAD_JSON, "this is no state of an exposure", None, "pass what `state` was")])
        if exposure.strategy == strategy:
            exposure.held = tuple(name for name in held if isinstance(name, str) and name in exposure._tools)
        return exposure

    @property
    def state(self) -> dict[str, object]:
        """What the conversation holds after the steps so far, as a JSON value: it is kept with the conversation, and forks with it."""
        return {"strategy": self.strategy, "held": list(self.held)}

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Why no better strategy was taken, and which tools the provider cannot be shown as they are."""
        return (*self._choice_findings, *self._tool_findings.values())

    def step(self, frontier: Frontier, known: Mapping[str, object] | None = None) -> Payload:
        """What is sent for `frontier`. `known` are arguments of the next call, by default those that the frontier itself tells.

        The conversation keeps the messages of every step, before the answer that they led to: under `append` they are what holds from then on,
        and some models check that nothing before their answers has changed.
        """
        may = callable_tools(frontier)
        shown = tuple(name for name in may if name in self._tools)[: self._most]
        menu = self._showing.menu(shown, self.held)
        self.held = menu.held
        note = self._note(frontier, shown, menu, known_of(frontier) if known is None else known)
        return Payload(
            provider=self.provider,
            strategy=self.strategy,
            request=self._surface.request(menu.tools, menu.choice) if menu.tools else {},
            messages=(self._surface.message(note), *menu.changes),
            note=note,
            shown=shown,
            names=self.names,
            findings=(*self._choice_findings, *self._of_step(may, shown, menu)),
        )

    def _note(self, frontier: Frontier, shown: RealNames, menu: Menu, known: Mapping[str, object]) -> str:
        named = tuple(name for name in shown if name not in menu.found)
        telling = Telling(frontier, tuple(map(self.names.shown, named)), known, menu.found)
        return telling.note_with([self._line(name) for name in named]) if self.strategy in ("dispatch", "search") else telling.note()

    def _line(self, name: str) -> str:
        if name not in self._lines:
            self._lines[name] = line_of(self._tools[name])
        return self._lines[name]

    def _finding(self, name: str, catalog: Catalog) -> Diagnostic | None:
        """What keeps the provider from being shown the tool as it is, if anything."""
        if catalog and name not in catalog:
            return Diagnostic(Code.UNKNOWN_REAL_TOOL, f"no server offers {quoted(name)}", None, "its schema is taken from its contract")
        if self.names.shown(name) != name:
            fault = self._surface.limits.names.fault(name) or "that name is taken"
            message = f"{quoted(name)} is no name for {self.provider}: {fault}"
            return Diagnostic(Code.UNFIT_NAME, message, None, f"it is shown as {quoted(self.names.shown(name))}")
        return None

    def _unsearched(self, name: str, fault: str) -> Diagnostic:
        message = f"{self.provider} does not take the schema of {quoted(name)}: {fault}"
        return Diagnostic(Code.UNFIT_SCHEMA, message, None, "its search does not find it: it is called through the dispatcher")

    def _of_step(self, may: RealNames, shown: RealNames, menu: Menu) -> Iterator[Diagnostic]:
        yield from (self._tool_findings[name] for name in shown if name in self._tool_findings)
        unknown = [name for name in may if name not in self._tools]
        for name in unknown:
            hint = "the domain of the exposure is to be that of the session"
            yield Diagnostic(Code.UNKNOWN_REAL_TOOL, f"{quoted(name)} was not there when the run began", None, hint)
        if len(may) > len(unknown) + len(shown):
            message = f"{len(may)} tools may be called, and {self.provider} takes {len(shown)}"
            yield Diagnostic(Code.TOO_MANY_TOOLS, message, None, "`dispatch` takes any number, and mode `one` shows one")
        if menu.tools and isinstance(menu.choice, NoCall) and not self._surface.limits.forbids:
            message = f"a request to {self.provider} cannot say that nothing is to be called"
            yield Diagnostic(Code.CALL_NOT_FORBIDDEN, message, None, "the note says so, and the gate refuses what is called")


def payload(
    frontier: Frontier,
    provider: Provider,
    *,
    catalog: Catalog = NO_TOOLS,
    strategy: Wish = "auto",
    searchable: Collection[str] = (),
) -> Payload:
    """What a provider is sent for `frontier`, at a step that knows of no other; `Exposure` is for whole runs.

    The same domain and catalog declare the same tools in the strategies `allow`, `dispatch` and `search`, so that these go for runs, too. `append`
    depends on what was added before, and is only taken where it is asked for. Raises DomainError for an unknown provider or strategy.
    """
    wish = strategy
    if wish == "auto":
        wish = next(offered for offered in checked_provider(provider).limits.strategies if offered != "append")
    return Exposure(frontier.planned.problem.domain, provider, catalog=catalog, strategy=wish, searchable=searchable).step(frontier)


def _showing_of(strategy: Strategy, surface: Surface, tools: Tools, visible: RealNames, searchable: RealNames) -> Showing:
    match strategy:
        case "allow":
            return Allow(surface, tools)
        case "append":
            return Append(surface, tools, visible)
        case "dispatch":
            return Dispatch(surface)
        case "trim":
            return Trim(surface, tools)
        case "search":
            return Search(surface, tools, searchable)


def _reserved(strategy: Strategy, surface: Surface) -> tuple[str, ...]:
    """The names that mean no real tool."""
    searches = surface.search if strategy == "search" else ()
    names = tuple(name for tool in searches if isinstance(name := tool.get("name"), str))
    return (DISPATCHER, *names) if strategy in DISPATCHING else ()


def _always(domain: Domain) -> RealNames:
    """The real tools that the policy keeps visible."""
    return tuple(dict.fromkeys(domain.tools[name].call_name for name in domain.policy.always_visible if name in domain.tools))
