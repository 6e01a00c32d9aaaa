"""`Session`: one conversation, from what the user says and what the tools answer to what is next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Self, TypeVar
from uuid import uuid4

from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.domain import Domain
from toolplan.frontier import Act, Frontier
from toolplan.frontier.at_once import TakesLong, takes_long
from toolplan.frontier.calls import Call
from toolplan.goals.readings import Candidate, Reading
from toolplan.goals.recognition import Told, updated
from toolplan.language.loading import loaded
from toolplan.planning.inputs import StateInput, build
from toolplan.planning.plans import Status, Step
from toolplan.planning.problem import State
from toolplan.retrieval.searching import Match, Outage
from toolplan.session.answers import answered, given, standing
from toolplan.session.beliefs import Belief, goes_stale
from toolplan.session.binding import Known, binder_of
from toolplan.session.consent import aread_within, reply_to, with_consent
from toolplan.session.contexts import context_of
from toolplan.session.deciding import Next, decided
from toolplan.session.events import (
    VERSION,
    Answered,
    Began,
    Event,
    Heard,
    NoneFits,
    Observed,
    OpenQuestion,
    Outcome,
    Pinned,
    Refusal,
    Running,
    Started,
    Unseen,
    Withdrawn,
)
from toolplan.session.exploring import searched
from toolplan.session.folding import fold
from toolplan.session.hearing import read_turn
from toolplan.session.history import Changed, History
from toolplan.session.memory import Memory
from toolplan.session.observing import Observer
from toolplan.session.proposing import Proposal, Refused, Verdict, digest_of_proposal, proposed
from toolplan.session.results import HostReaders
from toolplan.session.settings import DEFAULTS, Settings
from toolplan.session.snapshots import digest_of, lines_of, read_events, snapshot_of
from toolplan.session.starting import made, started
from toolplan.session.stores import Store
from toolplan.session.stores.memory import MemoryStore
from toolplan.session.trust import beliefs_of, reported_by, told_by
from toolplan.session.turning import has_goal
from toolplan.session.turns import AsyncReader, Declined, Mention, Reader, TurnReading
from toolplan.session.uncontracted import opening_of

Clock = Callable[[], datetime]
R = TypeVar("R")


def system_clock() -> datetime:
    """The time now, in the zone of this machine."""
    return datetime.now().astimezone()


class Session:
    """One conversation. Every method leaves it whole: what happened is kept in `store` before the method returns.

    `state` is what the caller knows beforehand, for as long as the session lasts. `reader` reads the turns of the user, by default by rules.
    `readers` are those of `returns ... by NAME`. `catalog` are the real tools: calls must fit their schemas, and what is agreed to is bound
    to these; those without a contract are opened as the policy says. A session that `store` has under `id` is taken up where it was left, by any number of
    workers at once; `lines` are its events, where they were read already. Safe to use from several threads. Raises DomainError for what is wrong with any argument.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        state: StateInput = None,
        catalog: Catalog = NO_TOOLS,
        reader: Reader | AsyncReader | None = None,
        readers: HostReaders | None = None,
        clock: Clock = system_clock,
        settings: Settings = DEFAULTS,
        store: Store | None = None,
        id: str | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        self.contracts, self.catalog = loaded(domain), catalog
        self._opening = opening_of(domain, catalog, settings.trusted)
        self.id = id or uuid4().hex
        self._settings, self._clock, self._reader, self._readers = settings, clock, reader, readers or {}
        self._history = History(domain, self.domain, store if store is not None else MemoryStore(most=1), self.id, lines)
        self._decided: tuple[Memory, State, Next] | None = None
        if self._history.is_new:
            self._begin(state)

    @classmethod
    def restore(
        cls,
        domain: Domain,
        snapshot: str | bytes,
        *,
        catalog: Catalog = NO_TOOLS,
        reader: Reader | AsyncReader | None = None,
        readers: HostReaders | None = None,
        clock: Clock = system_clock,
        settings: Settings = DEFAULTS,
    ) -> Self:
        """The session that `snapshot` was made of. What was running then may have been lost: see `recover`."""
        store, lines = MemoryStore(most=1), lines_of(snapshot)
        id = fold(domain, read_events(domain, lines[:1])).id or uuid4().hex
        store.append(id, 0, lines)
        return cls(domain, catalog=catalog, reader=reader, readers=readers, clock=clock, settings=settings, store=store, id=id)

    @property
    def domain(self) -> Domain:
        """The contracts, with those of real tools that have none where these are opened."""
        return self._opening.domain

    def offer(self, catalog: Catalog) -> None:
        """The real tools are `catalog` from now on: a server has changed its list. What was agreed to of a tool that changed is agreed to no more."""
        with self._history.lock:
            self.catalog, self._decided = catalog, None
            self._opening = opening_of(self.contracts, catalog, self._settings.trusted)
            self._history.domain = self.domain

    # The user

    def hear(self, text: str, reading: TurnReading | None = None, *, by: str = "") -> TurnReading:
        """A turn of the user, and what it was read as. Whoever reads turns elsewhere gives the `reading`.

        Of a turn that is longer than the settings have it, the beginning is read, and a finding says so. `by` is `MODEL` where a model tells
        what the user says: then nothing in it is consent, its values are the model's, and a person agrees to every call above safe.
        """
        if reading is not None:
            return self._hear(lambda _: reading, by)
        reader = self._reader
        if reader is not None and not isinstance(reader, Reader):
            takes_long()
            return asyncio.run(self.ahear(text, by=by))
        return self._hear(
            lambda memory: read_turn(reader, text, context_of(self.domain, memory, self._clock()), self._settings.letters), by
        )

    @property
    def awaits_reader(self) -> bool:
        """Whether the reader of turns has to be awaited."""
        return isinstance(self._reader, AsyncReader)

    async def ahear(self, text: str, reading: TurnReading | None = None, *, by: str = "") -> TurnReading:
        """As `hear`, without blocking the event loop while the turn is read."""
        if reading is not None or not isinstance(self._reader, AsyncReader):
            return await asyncio.to_thread(self.hear, text, reading, by=by)
        memory = self.memory
        context = context_of(self.domain, memory, self._clock())
        found = with_consent(await aread_within(self._reader, text, context, self._settings.letters), context.asked)
        return await asyncio.to_thread(self._hear, lambda now: reply_to(memory.asked, now.asked, found), by)

    def _hear(self, read: Callable[[Memory], TurnReading], by: str = "") -> TurnReading:
        def change(memory: Memory) -> Changed[TurnReading]:
            turn = read(memory)
            return [self._heard(memory, turn, by)], turn

        return self._history.commit(change)

    def _heard(self, memory: Memory, turn: TurnReading, by: str) -> Heard:
        now = self._clock()
        beliefs = told_by(by, beliefs_of(self.domain, turn, now))
        return Heard(now.timestamp(), turn.recorded, beliefs, self._revised(memory, turn, beliefs, now), by)

    def _revised(self, memory: Memory, turn: TurnReading, beliefs: Sequence[Belief], now: datetime) -> Reading | None:
        """What the open request means, where its goal is not clear and the user told something unasked: that serves some goals and not others."""
        frame = memory.active
        asked = set(context_of(self.domain, memory, now).asked.atoms) if memory.open is not None else set()  # type: ignore[union-attr]
        told = tuple(sorted(belief.atom for belief in beliefs if belief.status is Status.KNOWN and belief.atom not in asked))
        if frame is None or len(frame.reading.candidates) < 2 or not told or has_goal(turn):
            return None
        takes_long()
        before = memory.state(self.domain, now.timestamp(), frame)
        return updated(self.domain, frame.reading, [Told(before, told)], engine=self._settings.engine, limit=self._settings.limit)

    def want(self, *goals: str) -> None:
        """The caller wants `goals`, all of them together, as `frontier(goal=...)` takes them: a request that nobody has to read."""
        build(self.domain, None, list(goals))
        self._hear(lambda _: TurnReading("", Reading("", (Candidate(goals, 1.0),), 0.0)))

    def answer(self, answer: object, *, by: str = "", to: OpenQuestion | None = None) -> None:
        """An answer to the open question that is no turn: True or False, an option or its number, a value, or a mapping from facts to values.

        `by` names the role that answers, where that is not the user: a call that a `supervisor` must agree to is not agreed to by others, and
        none is by `MODEL`. `to` is the question that was shown: an answer to it is none to another that is open by now.
        """
        self._replied(to, lambda asked: answered(self.domain, asked, answer, self._clock(), by))

    def decline(self, *, to: OpenQuestion | None = None) -> None:
        """Somebody does not want to answer the open question. That is no consent, and the question is not asked again."""
        self._replied(to, lambda _: Answered(self._clock().timestamp(), (), Declined()))

    def unseen(self, *, to: OpenQuestion | None = None) -> None:
        """The open question was not shown, or not answered in time. That is no consent; it may be asked again."""
        self._replied(to, lambda _: Unseen(self._clock().timestamp()))

    def _replied(self, to: OpenQuestion | None, event: Callable[[OpenQuestion | None], Event]) -> None:
        self._history.commit(lambda memory: ([event(standing(memory.open, to))], None))

    # What is next

    def next(self) -> Frontier:
        """What is next for the open request. Asked twice, it says the same, as long as nothing has happened and nothing has gone stale.

        A request that is done says so once; then the one that waited for it goes on.
        """

        def change(memory: Memory) -> Changed[Frontier]:
            following = self._next(memory, self._clock())
            return following.events, following.frontier

        return self._history.commit(change)

    def _next(self, memory: Memory, now: datetime) -> Next:
        """What is next in `memory`: decided once, as long as nothing happens and nothing goes stale."""
        known = self._decided if self._decided is not None and self._decided[0] is memory else None
        if known is not None and not goes_stale(self.domain):
            return known[2]
        state = memory.state(self.domain, now.timestamp(), memory.active)
        if known is not None and known[1] == state:
            return known[2]
        following = decided(self._opening, memory, state, now, self._settings, self.catalog)
        if not following.events:  # An event tells the time, and after it the memory is another.
            self._decided = memory, state, following
        return following

    def discover(self, words: str) -> Match | Outage | None:
        """The tool that fits `words` best, of all that the session's domain and catalog have; None where none fits.

        One without a contract may be called from now on, for as long as it is there, under its risk; at most eight stay open. Of one with a
        contract the plan decides when.
        """

        def change(memory: Memory) -> Changed[Match | Outage | None]:
            found = searched(self._opening, self.catalog, words, self._settings)
            opened = self._opening.contracts.get(found.name) if isinstance(found, Match) else None
            return ([] if opened is None else [Pinned(self._clock().timestamp(), opened)]), found

        return self._history.commit(change)

    def none_fits(self) -> None:
        """The model wants none of the tools without a contract that it was shown: the budget decides whether it sees more, or the user is asked."""
        self._history.commit(lambda _: ([NoneFits(self._clock().timestamp())], None))

    # The tools

    def propose(self, tool: str, arguments: Mapping[str, object] | None = None, *, id: str | None = None) -> Proposal:
        """Whether a call that a model proposes may run now; if it may, it counts as running from now on.

        `tool` is the name of a contract or of the real tool. Arguments that are known may be left out; given, they must be the same. `id`
        names the call: what was said of it once is said again, to the same call, as long as it waits for nobody.
        """

        def change(memory: Memory) -> Changed[Proposal]:
            events, verdict = self._proposed(memory, tool, arguments or {}, id)
            return [*events, *verdict.events], verdict.proposal

        return self._history.commit(change)

    def would(self, tool: str, arguments: Mapping[str, object] | None = None, *, id: str | None = None) -> Proposal:
        """What `propose` would say. Nothing comes of it."""
        return self._proposed(self.memory, tool, arguments or {}, id)[1].proposal

    def _proposed(self, memory: Memory, tool: str, arguments: Mapping[str, object], id: str | None) -> tuple[Sequence[Event], Verdict]:
        now = self._clock()
        following = self._next(memory, now)
        memory = fold(self.domain, following.events, memory)
        verdict = proposed(memory, following.frontier, tool, arguments, id or memory.new_call(), now, self._settings, self.catalog)
        if id is not None and isinstance(verdict.proposal, Refused) and not memory.has_verdict(id):
            refused = verdict.proposal
            refusal = Refusal(now.timestamp(), id, digest_of_proposal(tool, arguments), refused.reason, refused.hint, refused.why.value)
            verdict = replace(verdict, events=(*verdict.events, refusal))
        return following.events, verdict

    def start(self, call: Call) -> bool:
        """Whether `call`, which was `ready`, may run now; if it may, it is not offered again until something is observed of it.

        False where it is no longer what is next, or another worker has started it.
        """

        def change(memory: Memory) -> Changed[bool]:
            following = self._next(memory, self._clock())
            match following.frontier.decision:
                case Act(ready=ready) if ready == call:
                    return [*following.events, self._started(memory, call)], True
                case _:
                    return [], False

        return self._history.commit(change)

    def observe(self, call: Call | Step | str, result: object, *, by: str = "") -> Outcome:
        """What became of `call`: its raw result, or the exception that it raised; a TimeoutError leaves in doubt whether it ran.

        `call` is one that was started, or its id; or a step, as `"search_events"` or `"search_events(mine, event_1)"`, that counts as started
        just before. What is observed of one call for the second time changes nothing. `by` is `MODEL` where a model tells the result: then
        nothing that it brings is known, and its values are the model's.
        """

        def change(memory: Memory) -> Changed[Outcome]:
            name = call.id if isinstance(call, Call) else str(call)
            if name in memory.outcomes:
                return [], memory.outcomes[name]
            if name in memory.running:
                seen = reported_by(by, self._observed(memory, memory.running[name], result))
                return [seen], seen.outcome
            begun = self._started(memory, call if isinstance(call, Call) else self._made(memory, call))
            running = Running(begun.call, begun.reads, begun.frame, begun.outcome, begun.basis)
            seen = reported_by(by, self._observed(fold(self.domain, [begun], memory), running, result))
            return [begun, seen], seen.outcome

        return self._history.commit(change)

    def withdraw(self, call: Call) -> None:
        """`call` was let through, and will not begin before it is proposed again: its host has paused."""

        def change(memory: Memory) -> Changed[None]:
            return ([Withdrawn(self._clock().timestamp(), call.id)] if call.id in memory.running else []), None

        self._history.commit(change)

    def recover(self) -> list[Outcome]:
        """Give up the calls that were running when a worker was lost: those that may have changed something are in doubt from now on."""
        names = list(self.memory.running)
        return [self.observe(name, TimeoutError("nothing was heard of it")) for name in names]

    @property
    def running(self) -> tuple[Call, ...]:
        """The calls of which nothing has been observed yet, in the order in which they started."""
        return tuple(running.call for running in self.memory.running.values())

    def _started(self, memory: Memory, call: Call) -> Started:
        now = self._clock()
        problem = build(self.domain, memory.state(self.domain, now.timestamp(), memory.active), ())
        return started(problem, memory, call, self._next(memory, now).frontier, now.timestamp())

    def _made(self, memory: Memory, step: Step | str) -> Call:
        now = self._clock()
        return made(self._next(memory, now).frontier, memory, step, self.catalog, now)

    def _observed(self, memory: Memory, running: Running, result: object) -> Observed:
        now = self._clock()
        frame = memory.frame(running.frame)
        goals = frame.reading.candidates[0].goals if frame is not None and frame.reading.candidates else ()
        problem = build(self.domain, memory.state(self.domain, now.timestamp(), frame), list(goals))
        tried = sum(tried.times for tried in frame.tried if tried.step == running.call.step) if frame is not None else 0
        observer = Observer(problem, memory.levels(frame), memory.entities, self._readers, now, self._settings.retries)
        return observer.observed(running, result, tried)

    def known(self, step: Step) -> Known:
        """What is known of a call of `step`, which is next: its arguments, and which of them a model has to give."""
        memory, now = self.memory, self._clock()
        return binder_of(self._next(memory, now).frontier.planned.problem, memory, self.catalog, now).known(step)

    # Keeping

    def snapshot(self) -> str:
        """The whole session as JSON; see `restore`."""
        return snapshot_of(self._history.lines)

    @property
    def memory(self) -> Memory:
        """What the session knows now."""
        return self._history.memory

    @property
    def at_hand(self) -> Memory:
        """What it knew when its store was last looked at here: of use where nobody can be waited for."""
        return self._history.at_hand

    def at_once(self, work: Callable[[], R]) -> R:
        """As `frontier.at_once`, with the session to oneself. Raises TakesLong where somebody would have to be waited for: whoever uses it now,
        its store, or what the host reads results with.
        """
        if self._readers:
            raise TakesLong
        return self._history.at_once(work)

    def _begin(self, state: StateInput) -> None:
        now = self._clock()
        start = build(self.domain, state, ())
        names = [name for name in start.objects if name not in self.domain.constants and name not in start.placeholders]
        entities = tuple(Mention(name, start.objects[name], "") for name in names)
        began = Began(now.timestamp(), VERSION, digest_of(self.contracts), given(self.domain, state, now), entities, self.id)
        self._history.commit(lambda _: ([began] if self._history.is_new else [], None))
