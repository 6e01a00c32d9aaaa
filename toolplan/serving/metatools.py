"""The constant tools of the server, over conversations: JSON values in and out, whatever carries them.

What a model passes on is the model's word: it is no consent, and a person agrees to every call above safe that rests on it. No tool here
gives a permission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from mcp_types import ElicitRequestFormParams, ElicitResult

from toolplan.adapters.elicitation import asked, digest_of
from toolplan.domain import Performer, Principal
from toolplan.frontier import CallQuestion, Clarify, Frontier, Instruct, callable_tools
from toolplan.gate import Allow, Gate, Hold, Permit, Ran, Refuse, ToolCall
from toolplan.language.diagnostics import DomainError, quoted
from toolplan.serving import finding
from toolplan.serving.connections import UpstreamError
from toolplan.serving.desk import Conversation, Desk, NotFound
from toolplan.serving.listing import ANSWER, CALL, DISCOVER, EXPLAIN, FRONTIER, REPORT, MetaTool, fault
from toolplan.serving.showing import shown
from toolplan.session import MODEL
from toolplan.session.events import AskedCall
from toolplan.session.memory import Memory

UNHEARD = (TimeoutError, ConnectionError)
"""After these nobody knows whether a call has run."""


Announce = Callable[[Conversation], Awaitable[None]]
"""Told of a conversation whose open question is for somebody who is not shown it in here. It does not raise."""


async def to_nobody(conversation: Conversation) -> None:
    """Tell nobody."""


class Client(Protocol):
    """Whoever sent a request."""

    @property
    def shows_forms(self) -> bool:
        """Whether its user can be shown a form."""

    @property
    def call_id(self) -> str:
        """The id of the call that the request makes: the same where the same call is sent twice."""

    @property
    def resumes(self) -> str:
        """The handle of the conversation in which this very request has asked something before; empty where it comes for the first time."""

    async def ask(self, handle: str, question: str, form: ElicitRequestFormParams) -> ElicitResult | None:
        """Show `form` to the user; None where nobody can be shown one. `question` is the digest of what is asked.

        May raise an exception that ends the request, where the answer comes with the same request sent once more.
        """

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Tell how far the call is."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer of the server itself."""

    text: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Passed:
    """The raw `result` of a call, and what is next."""

    result: object
    text: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Wrong:
    """The model reads why there is no result, and what it can do."""

    text: str


Answer = Told | Passed | Wrong


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """One request in `conversation`, which its `handle` has opened."""

    handle: str
    conversation: Conversation
    arguments: Mapping[str, object]
    client: Client

    @property
    def gate(self) -> Gate:
        """The gate of the conversation."""
        return self.conversation.gate

    @property
    def is_new(self) -> bool:
        """Whether the request comes for the first time: what it tells is taken up once."""
        return not self.client.resumes

    async def elicit(self, form: ElicitRequestFormParams) -> ElicitResult | None:
        """Show the form of the open question to the user."""
        question = self.conversation.session.at_hand.open
        return None if question is None else await self.client.ask(self.handle, digest_of(question), form)

    async def settled(self) -> Told:
        """What is next, once the user has answered what they can be shown. A question that was dismissed is open again, for their next words."""
        seen, is_answered = await self.gate.soon(self._seen), True
        while is_answered and isinstance(seen.now.decision, Clarify):
            is_answered = await asked(self.gate, self.elicit)
            seen = await self.gate.soon(self._seen)
        return seen.told

    async def next(self) -> Told:
        """What is next."""
        return (await self.gate.soon(self._seen)).told

    async def memory(self) -> Memory:
        """What the session knows now."""
        return await self.gate.soon(lambda: self.conversation.session.memory)

    def _seen(self) -> _Seen:
        now = self.gate.next()
        return _Seen(now, Told(*shown(self.conversation, now)))


class _Seen(NamedTuple):
    """What is next, and what is told of it."""

    now: Frontier
    told: Told


class MetaTools:
    """The constant tools of `desk`: `listed` ones, in order, and what each does."""

    def __init__(self, desk: Desk, announce: Announce = to_nobody) -> None:
        self._desk, self._announce = desk, announce
        self._uses: dict[str, Callable[[Request], Awaitable[Answer]]] = {
            FRONTIER.name: _frontier,
            CALL.name: _call,
            ANSWER.name: _answer,
            EXPLAIN.name: _explain,
            DISCOVER.name: _discover,
            REPORT.name: _report,
        }
        reports = (REPORT,) if desk.upstreams is None else ()
        self.listed: tuple[MetaTool, ...] = (FRONTIER, CALL, ANSWER, EXPLAIN, DISCOVER, *reports)

    async def use(self, name: str, arguments: Mapping[str, object], principal: Principal, client: Client) -> Answer:
        """What the tool `name` answers to `principal`. Whatever is wrong with the request is an answer too."""
        tool = next((tool for tool in self.listed if tool.name == name), None)
        if tool is None:
            return Wrong(f"there is no such tool: use {', '.join(quoted(tool.name) for tool in self.listed)}")
        wrong = fault(tool, arguments)
        if wrong:
            return Wrong(wrong)
        try:
            handle, conversation = await self._opened(arguments.get("conversation"), principal, client)
            answer = await self._uses[name](Request(handle, conversation, arguments, client))
            await self._announced(conversation, client)
            return answer
        except NotFound as error:
            return Wrong(f"{error}")
        except DomainError as error:
            return Wrong("; ".join(f"{found.message}: {found.hint}" if found.hint else found.message for found in error.diagnostics))

    async def _announced(self, conversation: Conversation, client: Client) -> None:
        if self._announce is to_nobody:
            return
        match conversation.session.at_hand.open:
            case AskedCall(by=by) if by or not client.shows_forms:
                await self._announce(conversation)

    async def _opened(self, given: object, principal: Principal, client: Client) -> tuple[str, Conversation]:
        handle = (client.resumes or None) if given is None else str(given)
        if handle is None:
            return await asyncio.to_thread(self._desk.begin, principal)
        known = self._desk.at_hand(handle, principal)
        return handle, known if known is not None else await asyncio.to_thread(self._desk.find, handle, principal)


async def _frontier(request: Request) -> Answer:
    if "said" in request.arguments and request.is_new:
        await request.gate.ahear(str(request.arguments["said"]), by=MODEL)
    told = await request.settled()
    return Told(f"Conversation: {request.handle}\n{told.text}", {"conversation": request.handle, **told.data})


async def _call(request: Request) -> Answer:
    call = ToolCall(request.client.call_id, str(request.arguments["tool"]), request.arguments.get("arguments", {}))
    verdict = await _held(request, call) or await request.gate.acheck(call)
    if isinstance(verdict, Hold) and await asked(request.gate, request.elicit):
        # What the user has decided on is this very call: nothing that came with the request is looked at again.
        call = ToolCall(verdict.call.id, verdict.call.tool, verdict.call.values)
        verdict = await request.gate.acheck(call)
    match verdict:
        case Allow(permit):
            return await _made(request, call, permit)
        case Refuse():
            return Wrong(verdict.message)
        case Hold(question):
            return Wrong(_closed(question.by))


async def _held(request: Request, call: ToolCall) -> Hold | None:
    """What was said of `call` when it came before, where its question is still open: nobody thinks of it once more before that is answered."""
    question = None if request.is_new else (await request.memory()).open
    if not isinstance(question, AskedCall) or question.call.tool != call.tool or not isinstance(call.arguments, Mapping):
        return None
    is_same = all(question.call.values.get(name) == value for name, value in call.arguments.items())
    return Hold(CallQuestion(question.text, question.call, question.by), question.call) if is_same else None


async def _answer(request: Request) -> Answer:
    gate, answer = request.gate, request.arguments["answer"]
    if not request.is_new:
        return await request.settled()
    now = await gate.anext()
    match gate.session.at_hand.open, now.decision:
        case AskedCall(), _:
            return Wrong("only a person can agree to a call, and not through a tool")
        case _, Instruct(performer=Performer.MODEL, step=step):
            await asyncio.to_thread(gate.session.observe, step, answer)
        case None, _:
            return Wrong("no question is open: tell `frontier` what the user says")
        case _:
            await asyncio.to_thread(lambda: gate.answer(answer, by=MODEL))
    return await request.settled()


async def _explain(request: Request) -> Answer:
    now, tool = await request.gate.anext(), str(request.arguments["tool"])
    if tool in callable_tools(now):
        return Told(f"{quoted(tool)} can be called now.", {"tool": tool, "callable": True})
    reasons = await asyncio.to_thread(finding.reasons, request.conversation.session, now, tool)
    if not reasons:
        return Wrong(f"no tool is called {quoted(tool)} here: look for one with {quoted(DISCOVER.name)}")
    lines = [f"{quoted(tool)} cannot be called now.", *(line for reason in reasons for line in reason.lines)]
    return Told("\n".join(lines), {"tool": tool, "callable": False, "reasons": [reason.to_dict() for reason in reasons]})


async def _discover(request: Request) -> Answer:
    session, words = request.conversation.session, str(request.arguments["query"])
    if request.is_new:
        # A tool without a contract that fits best is open from now on.
        await asyncio.to_thread(session.discover, words)
    now = await request.gate.anext()
    found = await asyncio.to_thread(finding.found, session, now, words)
    return Told(
        "\n".join(line for tool in found for line in tool.lines) or "No tool fits these words.",
        {"tools": [tool.to_dict() for tool in found]},
    )


async def _report(request: Request) -> Answer:
    if not request.is_new:
        return await request.settled()
    running = (await request.memory()).running.get(str(request.arguments["call"]))
    if running is None:
        return Wrong("no call of this id waits for a result")
    permit = Permit(ToolCall(running.call.id, running.call.tool, running.call.values), running.call)
    await asyncio.to_thread(lambda: request.gate.observe(permit, request.arguments["result"], by=MODEL))
    return await request.settled()


async def _made(request: Request, call: ToolCall, permit: Permit) -> Answer:
    """What came of a call that may run now, where this server can make it."""
    conversation = request.conversation
    upstreams, principal, making = conversation.upstreams, conversation.principal, conversation.making
    if upstreams is None:
        if permit.id in (await request.memory()).outcomes:
            return Wrong(f"This call has been made, and its result was told.\n{(await request.next()).text}")
        await conversation.secured(permit)
        text = f"Call {quoted(permit.tool)} now, with exactly these arguments, and tell what it gives with {quoted(REPORT.name)}."
        return Told(text, {"call": permit.id, "tool": permit.tool, "arguments": permit.arguments})

    async def execute(arguments: dict[str, object]) -> object:
        await conversation.secured(permit)
        return await upstreams.call(principal, permit.tool, arguments, request.client.progress)

    making.add(permit.id)
    try:
        ran = await request.gate.arun(call, execute)
    except UNHEARD:
        return Wrong(f"Nothing was heard of the call: it may have run.\n{(await request.next()).text}")
    except UpstreamError as error:
        return Wrong(f"The call has failed: {error}.\n{(await request.next()).text}")
    except Exception:
        # Nobody knows what its words may hold.
        return Wrong(f"The call has failed.\n{(await request.next()).text}")
    finally:
        making.discard(permit.id)
    if not isinstance(ran, Ran):
        return Wrong(ran.message)
    told = await request.next()
    return Passed(ran.result, told.text, {"outcome": ran.outcome.value, "next": told.data})


def _closed(by: str) -> str:
    who = by or "the user"
    return f"this call waits for {who} to agree. Nobody has here, so it stays closed: tell the user, and look with `frontier` later."
