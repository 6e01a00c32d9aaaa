"""`turns.Agent` with a model that needs no client, beside a loop of a few lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from toolplan.adapters.guide import Guide
from toolplan.adapters.turns import Agent, Answer, Json, ModelCall, Request, Result
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.exposure import Provider
from toolplan.gate import Gate


class Shapes:
    """Messages that no vendor reads."""

    provider: Provider = "openai"

    def heard(self, text: str) -> Json:
        """Words of the user."""
        return {"role": "user", "content": text}

    def said(self, text: str) -> Json:
        """Words of the agent."""
        return {"role": "assistant", "content": text}

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        """Calls of the agent that no model has made, with their results."""
        return [{"role": "assistant", "tool_calls": [call.name for call in calls]}, *self.results(results)]

    def results(self, results: Sequence[Result]) -> list[Json]:
        """The results of all calls of one answer."""
        return [{"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in results]


class Scripted(Shapes):
    """A model that says what the talk has it say."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """An answer that comes at once."""
        return answer_of(self._talk.asked())

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """All of it in one piece."""
        yield self.ask(request, messages)


async def alone(talk: Talk) -> None:
    """A loop that runs what it is told to."""
    with talk.timed():
        messages: list[Json] = [{"role": "user", "content": desk.REQUEST}]
        while (answer := answer_of(talk.asked())).calls:
            messages += answer.messages
            for call in answer.calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(talk.run(call.name))})


async def guarded(talk: Talk, gate: Gate) -> None:
    """`turns.Agent`."""
    agent = Agent(Scripted(talk), Guide.of(gate, "openai"), {name: talk.tool(name) for name in gate.session.catalog})
    with talk.timed():
        agent.turn(desk.REQUEST)


def answer_of(line: Use | str) -> Answer:
    """What a talk says, as a model says it."""
    match line:
        case Use(identity, tool, arguments):
            said = {"role": "assistant", "tool_calls": [{"id": identity, "name": tool, "arguments": arguments}]}
            return Answer([said], "", (ModelCall(identity, tool, arguments),))
        case str(words):
            return Answer([{"role": "assistant", "content": words}], words, ())
