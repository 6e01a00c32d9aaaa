"""`Gate`: the only door to execution. A host asks it before every call, and tells it what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Any, TypeVar, cast

from toolplan.domain import Principal, permits
from toolplan.frontier import Call, Frontier
from toolplan.frontier.at_once import TakesLong
from toolplan.gate import recording
from toolplan.gate.apart import or_undone, to_its_end
from toolplan.gate.discovering import running_in
from toolplan.gate.order import Order
from toolplan.gate.sizes import is_small
from toolplan.gate.verdicts import Allow, Hold, Mode, Permit, Ran, Refuse, ToolCall, Verdict, Withdrawn, as_it_came, verdict_of
from toolplan.language.diagnostics import DomainError, quoted
from toolplan.receipts import NO_RECEIPTS, Kind, Receipts, is_prompt
from toolplan.session import Allowed, Outcome, Session, Why
from toolplan.session.events import OpenQuestion
from toolplan.session.proposing import not_callable, real_names
from toolplan.session.results import words_of
from toolplan.session.turns import TurnReading

R = TypeVar("R")
Who = Callable[[], Principal]
MOST_LETTERS = 1_000
"""Of the id of a call."""
MOST_PERMITS = 256
"""That are kept with the results of their calls, in case these are run once more."""


class Gate:
    """Guards the calls of one conversation. Safe to use from several threads and tasks at once.

    `principal` is who the agent acts for, asked again at every call; the session's domain should be the one `for_principal`. None tells
    nobody apart. `receipts` get a line for every decision, which names the `exposure` strategy if an adapter has set one. A call waits
    `patience` seconds for those before it in its turn. `renamed` are the tools that the model is shown under other names than their own:
    refusals name them so.
    """

    def __init__(
        self,
        session: Session,
        *,
        mode: Mode = Mode.ENFORCE,
        principal: Principal | Who | None = None,
        receipts: Receipts = NO_RECEIPTS,
        patience: float = 60.0,
    ) -> None:
        self.session, self.mode, self._patience = session, mode, patience
        self._principal, self._receipts, self.exposure = principal, receipts, ""
        self.renamed: Mapping[str, str] = {}
        self._order, self._lock = Order(), RLock()
        self._permits: dict[str, Permit] = {}
        self._recorded: Frontier | None = None

    # The conversation

    def hear(self, text: str, reading: TurnReading | None = None, *, by: str = "") -> TurnReading:
        """As `Session.hear`."""
        asked = self.session.memory.open
        turn = self.session.hear(text, reading, by=by)
        self._record("answer", lambda: recording.heard(asked, turn, by))
        return turn

    async def ahear(self, text: str, reading: TurnReading | None = None, *, by: str = "") -> TurnReading:
        """As `Session.ahear`."""
        if reading is not None or not self.session.awaits_reader:
            return await self.soon(lambda: self.hear(text, reading, by=by), text)
        asked = (await self.soon(lambda: self.session.memory)).open
        turn = await self.session.ahear(text, by=by)
        await self.soon(lambda: self._record("answer", lambda: recording.heard(asked, turn, by)))
        return turn

    def answer(self, answer: object, *, by: str = "", to: OpenQuestion | None = None) -> None:
        """As `Session.answer`: the only way to a permission that is no turn of the user."""
        asked = to or self.session.memory.open
        self.session.answer(answer, by=by, to=to)
        self._record("answer", lambda: recording.answered(asked, answer, by))

    def decline(self, *, to: OpenQuestion | None = None) -> None:
        """As `Session.decline`."""
        asked = to or self.session.memory.open
        self.session.decline(to=to)
        self._record("answer", lambda: recording.answered(asked, "declined", ""))

    def unseen(self, *, to: OpenQuestion | None = None) -> None:
        """As `Session.unseen`."""
        asked = to or self.session.memory.open
        self.session.unseen(to=to)
        self._record("answer", lambda: recording.answered(asked, "unseen", ""))

    def next(self) -> Frontier:
        """As `Session.next`."""
        now = self.session.next()
        if now is not self._recorded:
            self._recorded = now
            self._record("decision", lambda: recording.decision(self.session, now, self._who(), self.exposure))
        return now

    async def anext(self) -> Frontier:
        """As `next`, without blocking the event loop while a planner runs."""
        return await self.soon(self.next)

    async def soon(self, work: Callable[[], R], *read: object) -> R:
        """What `work` with this gate and its session gives, without blocking the event loop. `read` is what it reads, which may be of any size.

        It is done at once if it waits for nobody and comes to no search, else in a thread, and there from its beginning: so it must not have
        changed anything before it asks what is next.
        """
        try:
            return self._at_once(work, *read)
        except TakesLong:
            return await asyncio.to_thread(work)

    # Calls

    def turn(self, identities: Sequence[str]) -> None:
        """A model has made these calls in one turn, in this order: each waits for what becomes of those before it, whenever they start."""
        self._order.add(identities)

    def skip(self, identity: str) -> None:
        """The call will never be asked about: the framework has answered it by itself. None waits for it any more."""
        self._order.settle(identity)

    def check(self, call: ToolCall) -> Verdict:
        """Whether `call` may run, in the state of this moment. Asked again about the same call, it says the same, as long as nobody answers."""
        earlier = self._order.before(call.id)
        late = bool(wait(earlier, timeout=self._patience).not_done) if earlier else False
        return self._too_early(call) if late else self._checked(call)

    async def acheck(self, call: ToolCall) -> Verdict:
        """As `check`, without blocking the event loop. Whoever is cancelled while they wait has not asked."""
        earlier = [asyncio.wrap_future(future) for future in self._order.before(call.id)]
        try:
            late = bool((await asyncio.wait(earlier, timeout=self._patience))[1]) if earlier else False
        except asyncio.CancelledError:
            self._order.settle(call.id)
            raise
        if late:
            return await self._surely(lambda: self._too_early(call))
        if (allowed := self._allowed(call)) is not None:
            return allowed
        try:
            return self._at_once(lambda: self._checked(call), call.arguments)
        except TakesLong:
            return await or_undone(lambda: self._checked(call), self._withdraw_unopened, self._lock)

    def observe(self, permit: Permit, result: object, *, by: str = "") -> Outcome:
        """What became of the call of `permit`: its raw result, or the exception that it raised. `by` is as in `Session.observe`.

        So it has run, whoever ran it: nobody opens a permit for it any more, and of one call that is run once more this is the result.
        """
        for each in self._permits_of(permit):
            each.open()
        try:
            outcome = self._noted(permit, result, by)
        except TakesLong:
            raise
        except BaseException as error:
            self._come(permit, error)
            raise
        self._come(permit, result if isinstance(result, BaseException) else Ran(result, outcome))
        return outcome

    def withdraw(self, permit: Permit) -> None:
        """The call of `permit` has not begun, and may be asked about again: the framework has paused."""
        self.session.withdraw(permit.call)
        with self._lock:
            self._permits.pop(permit.id, None)
        self._order.settle(permit.id)
        permit.result.set_exception(Withdrawn())

    def is_permitted(self, tool: str) -> bool:
        """Whether the principal may use the real tool `tool` at all, now. Contracts of one real tool stand and fall together."""
        principal = self._who()
        contracts = self.session.domain.tools.values()
        return principal is None or all(permits(contract, principal) for contract in contracts if contract.call_name == tool)

    def run(
        self,
        call: ToolCall,
        execute: Callable[[dict[str, object]], R],
        *,
        raw: Callable[[R], object] = lambda result: result,
        pauses: tuple[type[BaseException], ...] = (),
    ) -> Ran[R] | Refuse | Hold:
        """Check `call`, run it with the arguments of its permit, and observe it. What `execute` raises is observed, and raised.

        Of one call that is run twice, also at once, the second gets the result of the first. `raw` is what there is to be read of a result.
        Exceptions among `pauses` are no outcome: the framework will come back with the same call.
        """
        verdict = self.check(call)
        if not isinstance(verdict, Allow):
            return verdict
        permit = verdict.permit
        if not permit.open():
            try:
                return cast(Ran[R], permit.result.future.result())
            except Withdrawn:
                return self.run(call, execute, raw=raw, pauses=pauses)
        try:
            with running_in(self.session):
                result = execute(permit.arguments)
        except pauses:
            self.withdraw(permit)
            raise
        except BaseException as error:
            self.observe(permit, error)
            raise
        return self._ran(permit, result, raw)

    async def arun(
        self,
        call: ToolCall,
        execute: Callable[[dict[str, object]], Awaitable[R]],
        *,
        raw: Callable[[R], object] = lambda result: result,
        pauses: tuple[type[BaseException], ...] = (),
    ) -> Ran[R] | Refuse | Hold:
        """As `run`, without blocking the event loop. A call that is cancelled on its way is in doubt; one that was over by then is observed."""
        verdict = await self.acheck(call)
        if not isinstance(verdict, Allow):
            return verdict
        permit = verdict.permit
        if not permit.open():
            try:
                # Cancelling who waits for a result must not cancel the result.
                return cast(Ran[R], await asyncio.shield(asyncio.wrap_future(permit.result.future)))
            except Withdrawn:
                return await self.arun(call, execute, raw=raw, pauses=pauses)
        try:
            with running_in(self.session):
                result = await execute(permit.arguments)
        except pauses:
            await self._surely(lambda: self.withdraw(permit))
            raise
        except Exception as error:
            await to_its_end(partial(self.observe, permit, error))
            raise
        except BaseException as error:
            self.observe(permit, error)
            raise
        return await self._surely(lambda: self._ran(permit, result, raw), result)

    # What it does

    def _checked(self, call: ToolCall) -> Verdict:
        with self._lock:  # One at a time: two that ask about one call at once get one permit.
            if allowed := self._allowed(call):
                return allowed
            try:
                verdict = self._verdict(call)
            except TakesLong:
                raise
            except BaseException:
                self._order.settle(call.id)
                raise
            if isinstance(verdict, Allow):
                self._permits[call.id] = verdict.permit
                if len(self._permits) > MOST_PERMITS:
                    del self._permits[next(iter(self._permits))]
        if not isinstance(verdict, Allow):
            self._order.settle(call.id)
        return self._worded(verdict) if isinstance(verdict, Refuse) else verdict

    def _withdraw_unopened(self, verdict: Verdict) -> None:
        """Nobody heard the `verdict`."""
        if isinstance(verdict, Allow) and verdict.permit.open():
            self.withdraw(verdict.permit)

    def _allowed(self, call: ToolCall) -> Allow | None:
        """What was said of the very call, if it was let through."""
        permit = self._permits.get(call.id)
        return Allow(permit) if permit is not None and permit.proposed == call else None

    def _verdict(self, call: ToolCall) -> Verdict:
        if self.mode is Mode.OFF:
            return Allow(Permit(call, as_it_came(call)))
        verdict = self._thought(call)
        try:
            self._record("verdict", lambda: recording.verdict(self.session.domain, call, verdict, self.mode))
        except BaseException:
            if isinstance(verdict, Allow):
                self.session.withdraw(verdict.permit.call)
            raise
        if self.mode is Mode.SHADOW and not isinstance(verdict, Allow):
            return Allow(Permit(call, as_it_came(call)))
        return verdict

    def _thought(self, call: ToolCall) -> Verdict:
        """What is thought of `call`; only what is allowed, or is enforced, has any effect."""
        if len(call.id) > MOST_LETTERS:
            return Refuse("the id of the call is too long", "give every call a short id", Why.IDENTITY)
        if not isinstance(call.arguments, Mapping):
            return Refuse("the arguments are no JSON object", "call it again with an object", Why.ARGUMENTS)
        if call.tool not in real_names(self.session.domain) or not self.is_permitted(call.tool):
            return verdict_of(call, not_callable(self.session.next(), call.tool))
        if self.mode is Mode.SHADOW:
            thought = self.session.would(call.tool, call.arguments, id=call.id)
            if not isinstance(thought, Allowed):
                return verdict_of(call, thought)
        proposal = self.session.propose(call.tool, call.arguments, id=call.id)
        if isinstance(proposal, Allowed) and proposal.again:
            return Refuse("this call was let through elsewhere, and nothing is known of it yet", "do something else first", Why.MADE)
        return verdict_of(call, proposal)

    def _worded(self, refusal: Refuse) -> Refuse:
        reason, hint = refusal.reason, refusal.hint
        for real, shown in self.renamed.items():
            reason, hint = reason.replace(quoted(real), quoted(shown)), hint.replace(quoted(real), quoted(shown))
        return replace(refusal, reason=reason, hint=hint)

    def _too_early(self, call: ToolCall) -> Verdict:
        verdict = Refuse("an earlier call of the same turn has no result yet", "wait for it", Why.EARLIER)
        self._record("verdict", lambda: recording.verdict(self.session.domain, call, verdict, self.mode))
        self._order.settle(call.id)
        return verdict

    def _observed(self, call: Call, result: object, by: str) -> Outcome:
        if self.session.memory.has_call(call.id):
            return self.session.observe(call, result, by=by)
        # Nobody let it through: what is known of its contract is what can be known of it.
        names = [name for name, tool in self.session.domain.tools.items() if call.tool == tool.call_name]
        for name in names:
            try:
                return self.session.observe(name, result, by=by)
            except DomainError:
                continue
        return Outcome.FAILED if isinstance(result, BaseException) else Outcome.DONE

    def _noted(self, permit: Permit, result: object, by: str = "") -> Outcome:
        try:
            outcome = self._observed(permit.call, result, by)
            self._record("outcome", lambda: recording.outcome(self.session.domain, permit.call, outcome))
        finally:
            self._order.settle(permit.id)
        return outcome

    def _ran(self, permit: Permit, result: R, raw: Callable[[R], object]) -> Ran[R]:
        try:
            ran = Ran(result, self._noted(permit, raw(result)))
        except TakesLong:
            raise
        except BaseException as error:
            # It ran, and nobody can say what came of it.
            self.observe(permit, TimeoutError(f"the result cannot be read: {words_of(error)}"))
            raise
        self._come(permit, ran)
        return ran

    def _permits_of(self, permit: Permit) -> set[Permit]:
        """All that would open the call of `permit`: a host may have made it by hand."""
        return {permit, self._permits.get(permit.id, permit)}

    def _come(self, permit: Permit, came: Ran[Any] | BaseException) -> None:
        for each in self._permits_of(permit):
            each.come(came)

    async def _surely(self, work: Callable[[], R], *read: object) -> R:
        """As `soon`, for what has to be done even if whoever waits for it is cancelled."""
        try:
            return self._at_once(work, *read)
        except TakesLong:
            return await to_its_end(work)

    def _at_once(self, work: Callable[[], R], *read: object) -> R:
        """As `soon`, but now. Raises TakesLong where it cannot be.

        Only a gate that enforces knows of every call that runs; what others observe may take a search.
        """
        asks_a_host = not is_prompt(self._receipts) or callable(self._principal)
        if asks_a_host or self.mode is not Mode.ENFORCE or not all(map(is_small, read)) or not self._lock.acquire(blocking=False):
            raise TakesLong
        try:
            return self.session.at_once(work)
        finally:
            self._lock.release()

    def _who(self) -> Principal | None:
        return self._principal() if callable(self._principal) else self._principal

    def _record(self, kind: Kind, content: Callable[[], Mapping[str, object]]) -> None:
        if self._receipts is not NO_RECEIPTS:
            self._receipts.write(self.session.id, kind, content())
