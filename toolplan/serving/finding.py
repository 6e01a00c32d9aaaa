"""What a caller is told of tools that it may not call now: which there are, and what would open them.

Both look only into the contracts of the principal, so that what they may not use is as if nobody had declared it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toolplan.checks.explain import why_not
from toolplan.domain import Domain, Performer
from toolplan.exposure.declarations import Declaration, described, real_names
from toolplan.exposure.notes import line_of
from toolplan.frontier import Frontier, callable_tools
from toolplan.language.diagnostics import quoted
from toolplan.planning.plans import Limit
from toolplan.serving.desk import Conversation

MOST_FOUND = 8
LIMIT = Limit(expansions=2_000, seconds=1)
"""What the reason for one tool may cost."""
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


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
    """A tool that was found, and may be called now."""

    tool: Declaration

    @property
    def lines(self) -> list[str]:
        """What a model reads of it."""
        return [f"{quoted(self.tool.name)} can be called now.", line_of(self.tool)]

    def to_dict(self) -> dict[str, object]:
        """The same as JSON values."""
        return {"name": self.tool.name, "description": self.tool.description, "callable": True, "schema": self.tool.schema}


class Hidden(NamedTuple):
    """A tool that was found, and why it cannot be called now. Its schema is not shown."""

    tool: Declaration
    reasons: tuple[Reason, ...]

    @property
    def lines(self) -> list[str]:
        """What a model reads of it."""
        return [f"{quoted(self.tool.name)} cannot be called now.", *(line for reason in self.reasons for line in reason.lines)]

    def to_dict(self) -> dict[str, object]:
        """The same as JSON values."""
        reasons = [reason.to_dict() for reason in self.reasons]
        return {"name": self.tool.name, "description": self.tool.description, "callable": False, "reasons": reasons}


def reasons(now: Frontier, tool: str) -> tuple[Reason, ...]:
    """Why the real tool, or the contract, `tool` cannot be called: a reason for each contract that calls it. Empty where there is no such tool."""
    domain = now.planned.problem.domain
    calling = [name for name, contract in domain.tools.items() if contract.performer is Performer.CALL and contract.call_name == tool]
    named = [tool] if tool in domain.tools and domain.tools[tool].performer is Performer.CALL else []
    return tuple(_reason(now, contract) for contract in calling or named)


def found(conversation: Conversation, now: Frontier, words: str) -> list[Callable | Hidden]:
    """The tools that fit `words`, the best first."""
    session, callable_now = conversation.session, callable_tools(now)
    tools = described(session.domain, session.catalog, real_names(session.domain))
    texts = {name: f"{name} {tool.description} {_contracts(session.domain, name)}" for name, tool in tools.items()}
    names = ranked(words, texts)[:MOST_FOUND]
    return [Callable(tools[name]) if name in callable_now else Hidden(tools[name], reasons(now, name)) for name in names]


def ranked(words: str, texts: Mapping[str, str]) -> list[str]:
    """The names of `texts` that share words with `words`, those with rarer ones first; of equals the shorter text, then the earlier one."""
    counted = {name: Counter(_words(text)) for name, text in texts.items()}
    spread = Counter(word for words_of in counted.values() for word in words_of)
    wanted = dict.fromkeys(_words(words))
    scores = {name: math.fsum(math.log(1 + len(texts) / spread[word]) for word in wanted if word in held) for name, held in counted.items()}
    return sorted((name for name in texts if scores[name]), key=lambda name: (-scores[name], counted[name].total()))


def _reason(now: Frontier, contract: str) -> Reason:
    if not now.planned.problem.wanted:
        return Reason("no_goal", ("no goal is pursued now",), "say with `frontier` what the user wants")
    reason = why_not(now, contract, limit=LIMIT).reason
    return Reason(reason.kind, tuple(reason.lines), reason.remedy)


def _contracts(domain: Domain, name: str) -> str:
    return " ".join(f"{tool.name} {tool.description}" for tool in domain.tools.values() if tool.call_name == name)


def _words(text: str) -> Sequence[str]:
    """The words of a text, also those that are written together in a name, without a plural ending."""
    found = (word.casefold() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]
