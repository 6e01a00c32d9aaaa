"""`Guide`: what every adapter does. It hears the user, says what the host does next, and takes the calls of the model to the gate."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, takewhile
from threading import Lock
from typing import Literal, NamedTuple

from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.domain import Performer
from toolplan.exposure import DISPATCHER, Exposure, Payload, Provider, Strategy, parsed
from toolplan.exposure.payloads import meant
from toolplan.frontier import Act, Call, Clarify, Frontier, Instruct
from toolplan.frontier.decisions import UserQuestion
from toolplan.gate import Gate, Hold, ToolCall
from toolplan.language.codec import codec_of, digest
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.session import Session
from toolplan.session.events import AskedCall, OpenQuestion
from toolplan.session.exploring import openable
from toolplan.session.proposing import same_call
from toolplan.session.snapshots import lines_of, snapshot_of

Ready = Literal["agreed", "all"]
"""Which calls are made without asking the model: those that a person has agreed to as they are, or all whose arguments are known."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Put `text` to the user, and end the turn. Whatever they say next goes to `Guide.heard`, a button or form to the gate's `answer`."""

    question: UserQuestion
    text: str


@dataclass(frozen=True, slots=True)
class Make:
    """Make `call` as it is: no model is needed. It still goes through the gate, under its id."""

    call: Call


@dataclass(frozen=True, slots=True)
class Choose:
    """Ask the model, with `payload`: it calls one of what is shown, or answers in words."""

    payload: Payload
    frontier: Frontier


_LAST = "\n]}\n"
_END = json.dumps(_LAST).lstrip('"') + "}"
"""What ends the snapshot of a session after its last event, and that of its guide: one that has gone on begins with all that is before."""

Directions = Ask | Make | Choose


class _Choice(NamedTuple):
    """The model is to choose; `known` are arguments that it is told."""

    frontier: Frontier
    known: Mapping[str, object] | None


class Guide:
    """One conversation as a host drives it: hear, step, call, and again. `exposure` says how the model is shown what is next."""

    def __init__(self, gate: Gate, exposure: Exposure, *, ready: Ready = "agreed") -> None:
        self.gate, self.exposure, self._ready = gate, exposure, ready
        self._heard: set[str] = set()
        self._made: set[str] = set()
        self._own: dict[str, str] = {}
        self._waiting: dict[str, str] = {}
        self._agreeing = Lock()
        self._latest: tuple[_Kept, str] | None = None
        gate.exposure = exposure.strategy
        gate.renamed = exposure.names.renamed

    @classmethod
    def of(
        cls,
        gate: Gate,
        provider: Provider,
        *,
        catalog: Catalog = NO_TOOLS,
        strategy: Strategy | Literal["auto"] = "auto",
        model: str = "",
        ready: Ready = "agreed",
    ) -> Guide:
        """The guide of `gate`, for models of `provider`; `model` is the name of the model, if it is known."""
        tools = catalog or gate.session.catalog
        searchable = openable(gate.session.contracts, tools)
        exposure = Exposure(gate.session.domain, provider, catalog=tools, strategy=strategy, model=model, searchable=searchable)
        return cls(gate, exposure, ready=ready)

    @classmethod
    def restore(
        cls,
        gate: Gate,
        provider: Provider,
        snapshot: str,
        *,
        catalog: Catalog = NO_TOOLS,
        ready: Ready = "agreed",
    ) -> Guide:
        """The guide that `snapshot` was made of; `gate` guards the session of `session_in(snapshot)`. Raises DomainError for no snapshot."""
        kept = _kept(snapshot)
        tools = catalog or gate.session.catalog
        searchable = openable(gate.session.contracts, tools)
        exposure = Exposure.restore(kept.exposure, gate.session.domain, provider, catalog=tools, searchable=searchable)
        guide = cls(gate, exposure, ready=ready)
        guide._heard.update(kept.heard)
        guide._own.update(kept.ids)
        guide._waiting.update(kept.waiting)
        return guide

    @property
    def session(self) -> Session:
        """The conversation."""
        return self.gate.session

    def heard(self, identity: str, text: str) -> None:
        """The user has said `text`, in the message `identity`. Told again, it changes nothing: hosts keep whole histories."""
        if identity not in self._heard:
            self._heard.add(identity)
            self.gate.hear(text)

    async def aheard(self, identity: str, text: str) -> None:
        """As `heard`, without blocking the event loop."""
        if identity not in self._heard:
            self._heard.add(identity)
            await self.gate.ahear(text)

    def step(self) -> Directions:
        """What the host does now."""
        return self._shown(self._following())

    async def astep(self) -> Directions:
        """As `step`, without blocking the event loop."""
        # What is declared changes with the step, and does so on the loop: a host that is cancelled gets both or neither.
        return self._shown(await self.gate.soon(self._following))

    async def akept_step(self) -> tuple[Directions, str]:
        """As `astep`, with the snapshot after it."""
        following, session = await self.gate.soon(lambda: (self._following(), self.session.snapshot()))
        return self._shown(following), self._snapshot(session)

    def has_heard(self, identity: str) -> bool:
        """Whether the message `identity` is nothing new."""
        return identity in self._heard

    def _following(self) -> Ask | Make | _Choice:
        now = self.gate.next()
        match now.decision:
            case Clarify(question):
                return Ask(question, worded(question))
            case Act(ready=Call() as call) if self._is_to_be_made(call):
                return Make(call)
            case _:
                return _Choice(now, self._known(now))

    def _shown(self, following: Ask | Make | _Choice) -> Directions:
        if isinstance(following, _Choice):
            return Choose(self.exposure.step(following.frontier, following.known), following.frontier)
        return following

    def turn(self, identities: Sequence[str]) -> None:
        """As `Gate.turn`, once for each answer of a model. A call whose id one of an earlier answer has gets another from the gate, see `own`."""
        for identity in dict.fromkeys(identities):
            if self._is_taken(identity):
                self._own[identity] = free(identity, self._is_taken)
            self._made.add(self.own(identity))
        self.gate.turn([self.own(identity) for identity in identities])

    def own(self, identity: str) -> str:
        """The id under which the gate knows the latest call that the framework calls `identity`."""
        return self._own.get(identity, identity)

    def waits(self, call: ToolCall, held: Call) -> None:
        """`call`, of which the gate has just said that it is `held`, is put to somebody by itself: whether they `agree` to it, as it is now."""
        asked = self.session.memory.open
        if isinstance(asked, AskedCall) and asked.call == held:
            self._waiting[call.id] = digest_of(asked)

    def agree(self, call: ToolCall, *, by: str = "") -> None:
        """Somebody has agreed, in the role `by`, to `call`, which `waits`, whatever was asked since. If it is no longer as it was, it is asked anew."""
        if call.id not in self._waiting:
            return
        with self._agreeing:  # Of several that are agreed to at once each has to be what is asked.
            asked = self.session.memory.open if isinstance(self.gate.check(call), Hold) else None
            if isinstance(asked, AskedCall) and asked.by == by and digest_of(asked) == self._waiting[call.id]:
                self.gate.answer(True, by=by, to=asked)
                del self._waiting[call.id]

    def call(self, identity: str, name: str, arguments: object) -> ToolCall:
        """A call of the model under the id and names that the framework has seen, as the gate knows it: those of real tools, and no dispatch."""
        return ToolCall(self.own(identity), *meant(self.exposure.strategy, self.exposure.names, name, arguments))

    def shown(self, call: Call) -> tuple[str, dict[str, object]]:
        """The other way round: the name and the arguments under which the model would have made `call`."""
        name, values = self.exposure.names.shown(call.tool), call.values
        return (DISPATCHER, {"name": name, "arguments": values}) if self.exposure.strategy in ("dispatch", "search") else (name, values)

    def free(self, call: Call, taken: Container[object]) -> str:
        """The id under which the framework makes `call`, where it has `taken` others: a call that was told to wait has its result under its own."""
        return free(call.id, lambda identity: identity in taken or self._is_taken(identity))

    def said(self, text: str) -> bool:
        """The model has answered in words. Whether that was a step of the plan, so that the host goes on: a summary, a draft."""
        now = self.gate.next()
        match now.decision:
            case Instruct(performer=Performer.MODEL, step=step):
                self.session.observe(step, text)
                return True
            case _:
                return False

    async def asaid(self, text: str) -> bool:
        """As `said`, without blocking the event loop."""
        return await self.gate.soon(lambda: self.said(text), text)

    def offer(self, catalog: Catalog) -> None:
        """As `Session.offer`. What is declared is no longer what it was."""
        self.session.offer(catalog)
        state, provider = self.exposure.state, self.exposure.provider
        searchable = openable(self.session.contracts, catalog)
        self.exposure = Exposure.restore(state, self.session.domain, provider, catalog=catalog, searchable=searchable)
        self.gate.renamed = self.exposure.names.renamed
        self.gate.exposure = self.exposure.strategy

    def snapshot(self) -> str:
        """All of it as JSON, for a checkpointer: the session, what was heard, what was declared."""
        return self._snapshot(self.session.snapshot())

    def _snapshot(self, session: str) -> str:
        kept = _Kept(sorted(self._heard), self.exposure.state, dict(self._own), dict(self._waiting), session)
        if self._latest is None:
            self._latest = kept, _snapshot(kept)
        elif self._latest[0] != kept:
            self._latest = kept, _snapshot_after(*self._latest, kept)
        return self._latest[1]

    def _is_taken(self, identity: str) -> bool:
        """Whether the gate knows a call of that id, or has been told of one."""
        memory = self.session.memory
        is_held = isinstance(memory.open, AskedCall) and memory.open.call.id == identity
        return is_held or identity in self._made or identity in self._own or memory.has_verdict(identity)

    def _known(self, now: Frontier) -> Mapping[str, object] | None:
        """The arguments that the note tells. What third parties wrote or a model made up is not repeated as ours."""
        match now.decision:
            case Act(ready=Call(arguments=arguments)):
                pass
            case Act(step=step):
                arguments = self.session.known(step).arguments
            case _:
                return None
        return {name: argument.value for name, argument in arguments.items() if argument.source.binds}

    def _is_to_be_made(self, call: Call) -> bool:
        agreed = self.session.memory.current.agreed
        return (self._ready == "all" or any(same_call(one.call, call) for one in agreed)) and self.gate.is_permitted(call.tool)


class _Kept(NamedTuple):
    """What a snapshot holds."""

    heard: list[str]
    exposure: object
    ids: dict[str, str]
    waiting: dict[str, str]
    session: str


def session_in(snapshot: str) -> str:
    """The snapshot of the session in that of its guide, for `Session.restore`. Raises DomainError for what is none."""
    return _kept(snapshot).session


def merged(one: str, other: str) -> str:
    """What became of one conversation in two places, as one snapshot: what both know, then what only `one` does, then what only `other` does."""
    # One has gone on from the other: nearly always, and then nothing has to be read.
    if other.startswith(one.removesuffix(_END)):
        return other
    if one.startswith(other.removesuffix(_END)):
        return one
    first, second = _kept(one), _kept(other)
    before, after = lines_of(first.session), lines_of(second.session)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    if common == len(before):
        return other
    if common == len(after):
        return one
    heard = sorted({*first.heard, *second.heard})
    ids, waiting = {**first.ids, **second.ids}, {**first.waiting, **second.waiting}
    return _snapshot(_Kept(heard, second.exposure, ids, waiting, snapshot_of([*before, *after[common:]])))


def _snapshot(kept: _Kept) -> str:
    return json.dumps(kept._asdict(), separators=(",", ":"))


def _snapshot_after(before: _Kept, snapshot: str, kept: _Kept) -> str:
    """The snapshot of `kept`, where `before` had `snapshot`. In a long conversation nearly all of it has been written by then."""
    known = before.session.removesuffix(_LAST)
    if kept[:-1] != before[:-1] or not kept.session.startswith(known):
        return _snapshot(kept)
    return snapshot.removesuffix(_END) + json.dumps(kept.session[len(known) :]).removeprefix('"') + "}"


def _kept(snapshot: str) -> _Kept:
    match parsed(snapshot):
        case {"heard": list(heard), "exposure": exposure, "ids": dict(ids), "waiting": dict(waiting), "session": str(session)}:
            return _Kept(heard, exposure, ids, waiting, session)
        case _:
            raise DomainError([Diagnostic(Code.BAD_JSON, "this is no snapshot of a guide", None, "pass what `snapshot` gave")])


def free(identity: str, is_taken: Callable[[str], bool]) -> str:
    """`identity`, or the first like it that is not taken."""
    # All providers take letters, digits and hyphens in an id, and some take nothing else.
    identities = chain([identity], (f"{identity}-{number}" for number in count(2)))
    return next(each for each in identities if not is_taken(each))


def digest_of(question: OpenQuestion) -> str:
    """The same for a question as long as nothing of it changes, wherever it is asked: of a call the tool, the arguments, what these rest on."""
    if isinstance(question, AskedCall):
        question = replace(question, call=replace(question.call, id=""))
    return digest(codec_of(OpenQuestion).encode(question))


def worded(question: UserQuestion) -> str:
    """A question as a text for the user, with its options numbered from 1."""
    options = [option if isinstance(option, str) else option.text for option in getattr(question, "options", ())]
    return "\n".join([question.text, *(f"{number}. {option}" for number, option in enumerate(options, 1))])
