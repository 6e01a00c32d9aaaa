"""`turns.AsyncAgent` with a model that needs no client, beside a loop of a few lines that runs each tool in a thread as well."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence

from toolplan.adapters.guide import Guide
from toolplan.adapters.turns import Answer, AsyncAgent, Json, Request
from toolplan.bench.gate import desk
from toolplan.bench.gate.loops import Shapes, answer_of
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


class Scripted(Shapes):
    """A model that says what the talk has it say."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """An answer that comes at once."""
        return answer_of(self._talk.asked())

    async def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """All of it in one piece."""
        yield await self.ask(request, messages)


async def alone(talk: Talk) -> None:
    """A loop that runs what it is told to."""
    with talk.timed():
        messages: list[Json] = [{"role": "user", "content": desk.REQUEST}]
        while (answer := answer_of(talk.asked())).calls:
            messages += answer.messages
            for call in answer.calls:
                result = await asyncio.to_thread(talk.run, call.name)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


async def guarded(talk: Talk, gate: Gate) -> None:
    """`turns.AsyncAgent`."""
    agent = AsyncAgent(Scripted(talk), Guide.of(gate, "openai"), {name: talk.tool(name) for name in gate.session.catalog})
    with talk.timed():
        await agent.turn(desk.REQUEST)
