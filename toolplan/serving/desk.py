"""`Desk`: the conversations of a server. It issues their handles, takes them up again, and lets operators decide what waits for a person."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Protocol

from toolplan.adapters.elicitation import digest_of
from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.domain import Domain, Principal
from toolplan.frontier import Act, Blocked, Clarify, Decision, Done, Explore, Instruct, Undecided, callable_tools
from toolplan.frontier.at_once import TakesLong
from toolplan.gate import Gate, Mode, Permit
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.receipts import NO_RECEIPTS, Receipts
from toolplan.serving.handles import Handles
from toolplan.serving.register import Entry, Register
from toolplan.session import Session, Settings, system_clock
from toolplan.session.conversation import Clock
from toolplan.session.events import AskedCall
from toolplan.session.memory import Memory
from toolplan.session.results import HostReaders
from toolplan.session.settings import DEFAULTS
from toolplan.session.snapshots import snapshot_of
from toolplan.session.stores import AtHand, Store
from toolplan.session.turns import AsyncReader, Reader

MOST_LIVE = 1_000
"""Conversations that a process keeps at hand; the others are taken up from the store."""
MOST_AT_ONCE = 100
"""Events of a conversation that an event loop reads itself: it takes a millisecond or two."""
MOST_SHOWN = 200
"""Conversations that an operator is shown at most. Each is read from the store and planned, which takes milliseconds."""
PATIENCE = 300.0
"""Seconds after which a call that another process makes is given up: longer than any call takes."""

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Told how far a call is: so much, of so much, in words."""


class Servers(Protocol):
    """The servers that are fronted."""

    @property
    def catalog(self) -> Catalog:
        """The tools that can be called now. Whenever these change it is another object."""

    async def call(self, principal: Principal, tool: str, arguments: Mapping[str, object], progress: Progress) -> object:
        """The raw result of a call as JSON values, with the credentials of `principal`.

        Raises TimeoutError or ConnectionError where nobody knows whether it has run, any other exception where it has not, or in vain.
        """


class NotFound(Exception):
    """There is no such conversation, or it is somebody else's: nobody is told which."""

    def __init__(self) -> None:
        super().__init__("there is no such conversation: begin one with `frontier`")


@dataclass(frozen=True, eq=False, slots=True)
class Conversation:
    """One conversation of `principal`. Without `upstreams` the caller makes the calls, and reports what became of them."""

    gate: Gate
    principal: Principal
    upstreams: Servers | None
    store: Store
    making: set[str] = field(default_factory=set)
    """The ids of the calls that this process is making."""

    @property
    def session(self) -> Session:
        """What is known, and what is next."""
        return self.gate.session

    async def secured(self, permit: Permit) -> None:
        """That the call of `permit` has begun is not to be forgotten, if it may change something: wait until a power failure cannot take it back."""
        tool = self.session.domain.tools.get(permit.call.step.action)
        if tool is None or not self.session.domain.risk_of(tool).safe:
            await asyncio.to_thread(self.store.flush)


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits until a person agrees: the user, or somebody of the role `by`. `question` names this very question of `text`."""

    question: str
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Live:
    """What an operator sees of a conversation. `session` is its name in the store and in receipts."""

    session: str
    principal: Principal
    decision: str
    why: str
    callable: tuple[str, ...]
    pending: Pending | None


class Desk:
    """The conversations about `domain` of one server process. Safe to use from several threads.

    Processes that share `store` and `secret` share all conversations. `most` of them are kept at hand. A call of another process of which
    nothing is heard for `patience` seconds is given up: whether it has run is in doubt. Raises DomainError for a secret that is too short.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        store: Store,
        secret: bytes,
        upstreams: Servers | None = None,
        reader: Reader | AsyncReader | None = None,
        readers: HostReaders | None = None,
        receipts: Receipts = NO_RECEIPTS,
        settings: Settings = DEFAULTS,
        clock: Clock = system_clock,
        mode: Mode = Mode.ENFORCE,
        most: int = MOST_LIVE,
        patience: float = PATIENCE,
    ) -> None:
        self.domain, self.upstreams = domain, upstreams
        self._handles, self._store = Handles(secret), store
        self._register = Register(domain, store, secret, clock)
        self._reader, self._readers, self._settings, self._clock = reader, readers, settings, clock
        self._receipts, self._mode, self._most, self._patience = receipts, mode, most, patience
        self._awaited: dict[tuple[str, str], float] = {}
        self._live: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = Lock()

    def begin(self, principal: Principal) -> tuple[str, Conversation]:
        """A new conversation, and its handle, which is kept nowhere here."""
        handle = self._handles.new()
        session = self._handles.session(handle, principal)
        self._register.add(session, principal)
        return handle, self._opened(session, principal)

    def find(self, handle: str, principal: Principal) -> Conversation:
        """The conversation of `handle`. Raises NotFound where there is none, or it is not that of `principal`."""
        return self.take_up(self._handles.session(handle, principal), principal)

    def at_hand(self, handle: str, principal: Principal) -> Conversation | None:
        """As `find`, where nobody has to be waited for; None where somebody has, or there is no such conversation."""
        session = self._handles.session(handle, principal)
        known = self._known(session) or self._soon(session, principal)
        if known is None or known.session.catalog is not self.catalog or self._lost(known, known.session.at_hand):
            return None
        return known

    def take_up(self, session: str, principal: Principal) -> Conversation:
        """The conversation that the store has under the name `session`. Raises NotFound where it has none."""
        known = self._known(session)
        if known is None:
            lines = self._store.events(session)
            if not lines:
                raise NotFound
            known = self._opened(session, principal, lines)
        if known.session.catalog is not self.catalog:
            known.session.offer(self.catalog)
        self._give_up(known)
        return known

    def _known(self, session: str) -> Conversation | None:
        """The conversation `session`, if this process has it."""
        with self._lock:
            known = self._live.get(session)
            if known is not None:
                self._live.move_to_end(session)
            return known

    def _soon(self, session: str, principal: Principal) -> Conversation | None:
        """The conversation `session` from the store, if that is at hand, the conversation short, and known what its principal may use."""
        store = self._store.at_hand() if isinstance(self._store, AtHand) else None
        with self._lock:
            is_known = any(conversation.principal == principal for conversation in self._live.values())
        if store is None or not is_known:
            return None
        with suppress(TakesLong):
            lines = store.events(session)
            return self._opened(session, principal, lines) if 0 < len(lines) <= MOST_AT_ONCE else None
        return None

    def live(self) -> list[Live]:
        """The conversations of the last days, whichever process has them at hand, the latest begun first: no more than are kept at hand.

        They are looked at in copies, so that nothing comes of it: a request that is done has yet to say so to whoever wanted it.
        """
        kept = ((entry, self._store.events(entry.session)) for entry in self._register.latest(min(self._most, MOST_SHOWN)))
        return [self._looked(entry, lines) for entry, lines in kept if lines]

    def approve(self, session: str, question: str, by: str, *, yes: bool) -> None:
        """A person of the role `by`, empty for the user, decides the pending `question` of a conversation that was taken up.

        Raises NotFound where it is not pending any more, DomainError where it takes another role.
        """
        with self._lock:
            conversation = self._live.get(session)
        asked = conversation.session.memory.open if conversation is not None else None
        if conversation is None or not isinstance(asked, AskedCall) or digest_of(asked) != question:
            raise NotFound
        if asked.by != by:
            message = f"{quoted(asked.by or 'the user')} decides this, and not {quoted(by or 'the user')}"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "hand it over")])
        try:
            conversation.gate.answer(yes, by=by, to=asked)
        except DomainError:
            raise NotFound from None

    def _give_up(self, conversation: Conversation) -> None:
        """Give up what other processes have begun, and are not heard of any more."""
        if self._lost(conversation, conversation.session.at_hand):
            for call in self._lost(conversation, conversation.session.memory):
                conversation.session.observe(call, TimeoutError("nothing was heard of it"))

    def _lost(self, conversation: Conversation, memory: Memory) -> list[str]:
        """The calls of other processes which, as far as `memory` goes, nothing was heard of for too long."""
        if conversation.upstreams is None:
            return []
        session, now = conversation.session.id, monotonic()
        running = {(session, call) for call in memory.running if call not in conversation.making}
        with self._lock:
            for key in [key for key in self._awaited if key[0] == session and key not in running]:
                del self._awaited[key]
            return [key[1] for key in sorted(running) if now - self._awaited.setdefault(key, now) >= self._patience]

    @property
    def catalog(self) -> Catalog:
        """The real tools that can be called now."""
        return self.upstreams.catalog if self.upstreams is not None else NO_TOOLS

    def _looked(self, entry: Entry, lines: Sequence[str]) -> Live:
        copy = Session.restore(
            self.domain.for_principal(entry.principal),
            snapshot_of(lines),
            catalog=self.catalog,
            readers=self._readers,
            clock=self._clock,
            settings=self._settings,
        )
        pending, now = _pending(copy), copy.next()
        decision = type(now.decision).__name__.lower()
        return Live(entry.session, entry.principal, decision, _why(now.decision), callable_tools(now), pending)

    def _opened(self, session: str, principal: Principal, lines: Sequence[str] = ()) -> Conversation:
        talk = Session(
            self.domain.for_principal(principal),
            catalog=self.catalog,
            reader=self._reader,
            readers=self._readers,
            clock=self._clock,
            settings=self._settings,
            store=self._store,
            id=session,
            lines=lines,
        )
        gate = Gate(talk, mode=self._mode, principal=principal, receipts=self._receipts)
        with self._lock:
            kept = self._live.setdefault(session, Conversation(gate, principal, self.upstreams, self._store))
            self._live.move_to_end(session)
            idle = [name for name, held in self._live.items() if not held.making and name != session]
            for name in idle[: max(len(self._live) - self._most, 0)]:
                del self._live[name]
        return kept


def _why(decision: Decision) -> str:
    match decision:
        case Act(reason=why) | Explore(reason=why) | Blocked(hint=why) | Undecided(limit=why) | Instruct(instruction=why):
            return why
        case Clarify(question):
            return question.text
        case Done():
            return "all that is wanted is known"


def _pending(session: Session) -> Pending | None:
    asked = session.memory.open
    return Pending(digest_of(asked), asked.text, asked.by) if isinstance(asked, AskedCall) else None
