"""The reference: a hand-written loop over `Guide`, with no framework."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from adapters.hosting import Calls, Executed, Request, Scenario, Scripted, Setting, text_of

from toolplan.adapters.guide import Ask, Choose, Guide, Make, session_in
from toolplan.catalog import real_tools
from toolplan.exposure import Payload, Provider, Strategy
from toolplan.gate import Hold, Ran, Refuse, ToolCall

PROVIDERS: Mapping[Strategy, Provider] = {"allow": "openai", "append": "anthropic", "dispatch": "openai-responses", "trim": "plain"}
"""One that offers the strategy."""
MOST_STEPS = 30


class LoopRun:
    """A conversation. All calls of a turn begin at once, the last one first."""

    def __init__(self, setting: Setting, guide: Guide) -> None:
        self.model, self.executed = Scripted(setting.script), Executed()
        self._guide, self._asynchronous = guide, setting.asynchronous
        self._tools = self.executed.wrapped(setting.tools)
        self._messages: list[str] = []
        self._results: dict[str, str] = {}

    def user(self, text: str) -> str:
        return asyncio.run(self.auser(text))

    async def auser(self, text: str) -> str:
        await self._guide.aheard(f"user{len(self._messages)}", text)
        self._messages.append(text)
        return await self._turn()

    def approve(self, answer: bool) -> str:
        self._guide.gate.answer(answer)
        return asyncio.run(self._turn())

    def save(self) -> str:
        return json.dumps([self._guide.snapshot(), self._messages, self._results])

    @classmethod
    def restored(cls, setting: Setting, saved: str) -> LoopRun:
        """The conversation that was saved."""
        snapshot, messages, results = json.loads(saved)
        run = cls(setting, Guide.restore(setting.gate(session_in(snapshot)), PROVIDERS[setting.strategy], snapshot))
        run._messages, run._results = messages, results
        return run

    async def _turn(self) -> str:
        for _ in range(MOST_STEPS):
            match await self._guide.astep():
                case Ask(_, question):
                    return question
                case Make(call):
                    await self._run_all([ToolCall(call.id, call.tool, call.values)])
                case Choose(payload):
                    answer = self.model.answer(self._request(payload))
                    if isinstance(answer, Calls):
                        identities = [self.model.new_id() for _ in answer.calls]
                        self._guide.turn(identities)
                        made = zip(identities, answer.calls, strict=True)
                        await self._run_all([self._guide.call(identity, *call) for identity, call in made])
                    elif not await self._guide.asaid(answer.text):
                        return answer.text
        raise AssertionError("the agent goes round in circles")

    def _request(self, payload: Payload) -> Request:
        declared = payload.request.get("tools", [])
        self._messages.append(payload.note)
        return Request(
            json.dumps(declared),
            tuple(tool.name for tool in real_tools(declared)),
            tuple(map(payload.names.shown, payload.shown)),
            "\n".join(self._messages),
            dict(self._results),
        )

    async def _run_all(self, made: list[ToolCall]) -> None:
        if self._asynchronous:
            results = await asyncio.gather(*map(self._arun, reversed(made)))
        else:
            with ThreadPoolExecutor(len(made)) as pool:
                results = list(pool.map(self._run, reversed(made)))
        for call, result in zip(made, reversed(results), strict=True):
            self._results[call.id] = result
            self._messages.append(result)

    def _run(self, call: ToolCall) -> str:
        try:
            return _told(self._guide.gate.run(call, lambda arguments: self._tools[call.tool](arguments)))
        except Exception as error:
            return f"the tool failed: {error}"

    async def _arun(self, call: ToolCall) -> str:
        async def execute(arguments: dict[str, object]) -> object:
            return await asyncio.to_thread(self._tools[call.tool], arguments)

        try:
            return _told(await self._guide.gate.arun(call, execute))
        except Exception as error:
            return f"the tool failed: {error}"


def _told(ran: Ran[object] | Refuse | Hold) -> str:
    return text_of(ran.result) if isinstance(ran, Ran) else ran.message


class LoopHost:
    """No framework at all."""

    name = "loop"
    strategies: tuple[Strategy, ...] = ("allow", "append", "dispatch", "trim")
    cannot: Mapping[Scenario, str] = {"streaming": "it streams nothing"}

    def start(self, setting: Setting) -> LoopRun:
        return LoopRun(setting, Guide.of(setting.gate(), PROVIDERS[setting.strategy], strategy=setting.strategy))

    def resume(self, setting: Setting, saved: str) -> LoopRun:
        return LoopRun.restored(setting, saved)


HOST = LoopHost()
