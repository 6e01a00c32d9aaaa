"""What a caller is told of tools that it may not call now: which there are, and what would open them.

Both look only into the contracts of the principal whose tools are there as they were reviewed: what somebody may not use, and what is out of use,
is as if nobody had declared it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolplan.checks.explain import why_not
from toolplan.domain import Domain, Performer
from toolplan.exposure.declarations import Declaration, described
from toolplan.exposure.notes import line_of
from toolplan.frontier import Frontier, callable_tools
from toolplan.language.diagnostics import quoted
from toolplan.planning.plans import Limit
from toolplan.retrieval import Document, Found, Match, Outage, collapsed, domain_documents, rare_words, search
from toolplan.session import Session
from toolplan.session.uncontracted import missing_in, without_missing

MOST_FOUND = 8
LIMIT = Limit(expansions=2_000, seconds=1)
"""What the reason for one tool may cost."""


class Reason(NamedTuple):
    """Why a contract is not next: the `kind` of the reason, the same in words, and what would open it."""

    kind: str
    text: tuple[str, ...]
    remedy: str

    @property
    def lines(self) -> list[str]:
        """The reason for a model to read."""
        return [*self.text, f"What would open it: {self.remedy}."]

    def to_dict(self) -> dict[str, object]:
        """The reason as JSON values."""
        return {"reason": self.kind, "text": list(self.text), "remedy": self.remedy}


class Callable(NamedTuple):
    """A tool that was found, and may be called now. `avoid` says when not to use it."""

    tool: Declaration
    avoid: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """What a model reads of it."""
        return [f"{quoted(self.tool.name)} can be called now.", *_warnings(self.avoid), line_of(self.tool)]

    def to_dict(self) -> dict[str, object]:
        """The same as JSON values."""
        return _named(self.tool, self.avoid) | {"callable": True, "schema": self.tool.schema}


class Hidden(NamedTuple):
    """A tool that was found, and why it cannot be called now. Its schema is not shown."""

    tool: Declaration
    avoid: tuple[str, ...]
    reasons: tuple[Reason, ...]

    @property
    def lines(self) -> list[str]:
        """What a model reads of it."""
        why = [line for reason in self.reasons for line in reason.lines]
        return [f"{quoted(self.tool.name)} cannot be called now.", *_warnings(self.avoid), *why]

    def to_dict(self) -> dict[str, object]:
        """The same as JSON values."""
        return _named(self.tool, self.avoid) | {"callable": False, "reasons": [reason.to_dict() for reason in self.reasons]}


def reasons(session: Session, now: Frontier, tool: str) -> tuple[Reason, ...]:
    """Why the real tool, or the contract, `tool` cannot be called: a reason for each contract that calls it. Empty where there is no such tool."""
    contracts = {name: contract for name, contract in _offered(session).tools.items() if contract.performer is Performer.CALL}
    calling = [name for name, contract in contracts.items() if contract.call_name == tool]
    return tuple(_reason(now, name) for name in calling or [tool] if name in contracts)


def found(session: Session, now: Frontier, words: str) -> list[Callable | Hidden]:
    """The tools that fit `words`, the best first. Of several versions or copies of a tool there is one."""
    domain, callable_now = _offered(session), callable_tools(now)
    matches = _matches(collapsed(domain_documents(domain, session.catalog)).documents, words)
    tools = described(domain, session.catalog, [match.name for match in matches])
    return [
        Callable(tools[match.name], match.document.avoid)
        if match.name in callable_now
        else Hidden(tools[match.name], match.document.avoid, reasons(session, now, match.name))
        for match in matches
    ]


def _matches(documents: Sequence[Document], words: str) -> tuple[Match, ...]:
    match search(documents, words, scorer=rare_words):
        case Found(matches):
            return matches[:MOST_FOUND]
        case Outage():
            return ()


def _offered(session: Session) -> Domain:
    """The contracts whose real tools are there, as they were reviewed."""
    return without_missing(session.domain, missing_in(session.domain, session.catalog))


def _named(tool: Declaration, avoid: Sequence[str]) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description} | ({"avoid": list(avoid)} if avoid else {})


def _warnings(avoid: Iterable[str]) -> list[str]:
    return [f"Do not use it when {reason.rstrip('. ')}." for reason in avoid]


def _reason(now: Frontier, contract: str) -> Reason:
    if not now.planned.problem.wanted:
        return Reason("no_goal", ("no goal is pursued now",), "say with `frontier` what the user wants")
    reason = why_not(now, contract, limit=LIMIT).reason
    return Reason(reason.kind, tuple(reason.lines), reason.remedy)
