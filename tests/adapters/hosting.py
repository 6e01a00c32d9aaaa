"""What the driver of a framework gives the conformance suite: a real agent of that framework, with a scripted model and tools that are counted.

A driver is a module `host_NAME` with a `HOST`. It holds no rules of its own: it starts an agent through the adapter as a user would,
and tells what the model was sent, what ran, and what the user saw.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol
from uuid import uuid4

from toolplan.catalog import Catalog
from toolplan.domain import Domain, Principal
from toolplan.exposure import Strategy
from toolplan.gate import Gate, Mode
from toolplan.receipts import NO_RECEIPTS, Receipts
from toolplan.session import Session, Settings
from toolplan.session.turns import Reader

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Says:
    """The model answers in words."""

    text: str


@dataclass(frozen=True)
class Calls:
    """The model makes calls, in this order: the names that it uses, and arguments or the text that it gives for them.

    `ids` are those that it gives them, where the framework leaves it to the model; else each gets one of its own.
    """

    calls: tuple[tuple[str, Mapping[str, Any] | str], ...]
    ids: tuple[str, ...] = ()


def calls(*made: tuple[str, Mapping[str, Any] | str] | str) -> Calls:
    """One turn of a model: `"name"` is a call without arguments."""
    return Calls(tuple((one, {}) if isinstance(one, str) else one for one in made))


@dataclass(frozen=True)
class Request:
    """What a model was sent once. `declared` are the bytes of the declared tools, `tools` their names, `allowed` those that it may call now.

    `text` is all else that it can read, the results of calls and the note among it. `results` are those results, by call.
    """

    declared: str
    tools: tuple[str, ...]
    allowed: tuple[str, ...]
    text: str
    results: Mapping[str, str] = field(default_factory=dict)

    @property
    def all(self) -> str:
        """All that the model can read."""
        return self.declared + self.text


Turn = Says | Calls
Script = Sequence[Turn | Callable[[Request], Turn]]


class Scripted:
    """A model that follows a script. What it was sent is kept in `requests`. Without a next line it says "That is all."."""

    def __init__(self, script: Script) -> None:
        self._lines = list(script)
        self.requests: list[Request] = []
        self._ids: list[str] = []

    def answer(self, request: Request) -> Turn:
        """What the model answers to `request`."""
        self.requests.append(request)
        line = self._lines.pop(0) if self._lines else Says("That is all.")
        turn = line if isinstance(line, Says | Calls) else line(request)
        self._ids = list(turn.ids) if isinstance(turn, Calls) else []
        return turn

    def new_id(self) -> str:
        """The id of the next call, where the framework leaves it to the model."""
        return self._ids.pop(0) if self._ids else f"call_{uuid4().hex}"


@dataclass(frozen=True)
class Setting:
    """What an agent is made of. `tools` run with the arguments that they get; all that the catalog names are there."""

    domain: Domain
    tools: Mapping[str, Callable[[dict[str, Any]], Any]]
    script: Script = ()
    state: Any = None
    catalog: Catalog = field(default_factory=Catalog)
    strategy: Strategy = "trim"
    asynchronous: bool = False
    streaming: bool = False
    mode: Mode = Mode.ENFORCE
    principal: Callable[[], Principal] | None = None
    receipts: Receipts = NO_RECEIPTS
    reader: Reader | None = None
    settings: Settings = field(default_factory=Settings)

    def gate(self, snapshot: str = "") -> Gate:
        """A gate as the setting has it, of a new session or of the one in `snapshot`, for drivers whose adapter is given one."""
        if snapshot:
            session = Session.restore(self.domain, snapshot, catalog=self.catalog, reader=self.reader, settings=self.settings)
        else:
            session = Session(self.domain, state=self.state, catalog=self.catalog, reader=self.reader, settings=self.settings)
        return Gate(session, mode=self.mode, principal=self.principal, receipts=self.receipts)


@dataclass
class Executed:
    """Counts what ran: (tool, arguments) in the order in which it began. Thread-safe as far as `append` is."""

    begun: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def wrapped(self, tools: Mapping[str, Callable[[dict[str, Any]], Any]]) -> dict[str, Callable[[dict[str, Any]], Any]]:
        """`tools`, counted."""
        return {name: self._counted(name, run) for name, run in tools.items()}

    def _counted(self, name: str, run: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
        def counted(arguments: dict[str, Any]) -> Any:
            self.begun.append((name, dict(arguments)))
            return run(arguments)

        return counted


class Run(Protocol):
    """One conversation with an agent."""

    model: Scripted
    executed: Executed

    def user(self, text: str) -> str:
        """The user says `text`; the agent goes on until its turn ends. What the user sees then: an answer, or a question."""

    async def auser(self, text: str) -> str:
        """As `user`, for what is asynchronous, in the event loop of the caller."""

    def approve(self, answer: bool) -> str:
        """The user answers the call that waits for them, through the framework's own channel where it has one; what they see then."""

    def save(self) -> str:
        """All that the framework keeps of the conversation, as text: nothing else is handed on to another process."""


Scenario = Literal[
    "asynchronous",
    "streaming",
    "framework's channel",
    "ids again",
    "loop",
    "names",
    "one id",
    "principal",
    "resume",
    "shadow",
    "waiting together",
    "words as a step",
]
"""What a framework may not have.

"framework's channel": answers that are no turn of the user; "ids again": ids that a model numbers anew in each of its turns; "loop": an event loop
of the caller's; "names": tools under other names than their own; "one id": two calls of a turn that a model gives one id; "principal": somebody who
is asked at each call; "resume": a conversation that outlives its agent; "shadow": a gate that refuses nothing; "waiting together": several
calls of one turn that wait for somebody; "words as a step": words of a model that are a step of the plan.
"""


class Host(Protocol):
    """A framework. `cannot` says what does not exist there, and why. Of `strategies` the last one serves where any will do."""

    name: str
    strategies: tuple[Strategy, ...]
    cannot: Mapping[Scenario, str]

    def start(self, setting: Setting) -> Run:
        """A new conversation."""

    def resume(self, setting: Setting, saved: str) -> Run:
        """The conversation that was saved, in a new agent."""


def hosts() -> Iterator[Host]:
    """Those of all drivers beside this module."""
    for path in sorted(HERE.glob("host_*.py")):
        yield importlib.import_module(f"adapters.{path.stem}").HOST


def text_of(value: object) -> str:
    """A JSON value as the text that a model would read."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
