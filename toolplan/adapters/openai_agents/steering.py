"""`SteeredModel`: a model that is asked only where there is a choice, and is told what there is to choose from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple, cast
from uuid import uuid4

from agents import Handoff, Model, ModelResponse, ModelSettings, Tool, Usage
from agents.agent_output import AgentOutputSchemaBase
from agents.items import ItemHelpers, TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.models.interface import ModelTracing
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
from openai.types.responses import ResponseCompletedEvent, ResponseFunctionToolCall, ResponseOutputItemDoneEvent
from openai.types.responses.response_prompt_param import ResponsePromptParam

from toolplan.adapters.guide import Ask, Choose, Directions, Guide, Make
from toolplan.adapters.openai_agents.items import (
    ASK_USER,
    STAND_IN,
    Asks,
    Item,
    as_made,
    call_item,
    digest,
    events,
    is_of_the_model,
    message_item,
    names,
    taken_up,
    text_of,
)
from toolplan.exposure import Payload
from toolplan.exposure.providers import Only
from toolplan.exposure.surfaces import SURFACES
from toolplan.session.events import AskedCall


class _Request(NamedTuple):
    """What of a model request depends on the step."""

    input: list[TResponseInputItem]
    settings: ModelSettings
    tools: list[Tool]


class SteeredModel(Model):
    """`model`, asked only where there is a choice. Raises DomainError where the provider keeps the conversation: then it would miss parts."""

    def __init__(self, model: Model, guide: Guide, asks: Asks, waiting: Collection[str]) -> None:
        self.model, self.guide, self.asks, self._waiting = model, guide, asks, waiting

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> ModelResponse:
        """What the model answers, or in its place a question or a call."""
        conversation = as_made(input, previous_response_id or conversation_id)
        directions = await self._directions(conversation)
        if not isinstance(directions, Choose):
            return ModelResponse([self._item(directions, conversation)], Usage(), None)
        request = self._request(directions.payload, conversation, model_settings, tools, handoffs)
        response = await self.model.get_response(
            system_instructions,
            request.input,
            request.settings,
            request.tools,
            output_schema,
            handoffs,
            tracing,
            previous_response_id=None,
            conversation_id=None,
            prompt=prompt,
        )
        return replace(response, output=await self._taken(response.output, tools, handoffs))

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None,
        conversation_id: str | None,
        prompt: ResponsePromptParam | None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """As `get_response`."""
        conversation = as_made(input, previous_response_id or conversation_id)
        directions = await self._directions(conversation)
        if not isinstance(directions, Choose):
            for event in events(self._item(directions, conversation)):
                yield event
            return
        request = self._request(directions.payload, conversation, model_settings, tools, handoffs)
        done: list[TResponseOutputItem] = []
        async for event in self.model.stream_response(
            system_instructions,
            request.input,
            request.settings,
            request.tools,
            output_schema,
            handoffs,
            tracing,
            previous_response_id=None,
            conversation_id=None,
            prompt=prompt,
        ):
            match event:
                case ResponseOutputItemDoneEvent():
                    done.append(event.item)
                    yield event.model_copy(update={"item": taken_up(event.item, names(tools, handoffs))})
                case ResponseCompletedEvent():
                    # Some backends leave the items out here.
                    output = await self._taken(event.response.output or done, tools, handoffs)
                    yield event.model_copy(update={"response": event.response.model_copy(update={"output": output})})
                case _:
                    yield event

    async def close(self) -> None:
        """As the model does."""
        await self.model.close()

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """As the model does."""
        return self.model.get_retry_advice(request)

    async def _directions(self, conversation: Sequence[Item]) -> Directions:
        """What is next, after all that no model has seen yet."""
        after = next((number for number in range(len(conversation), 0, -1) if is_of_the_model(conversation[number - 1])), 0)
        for number, item in enumerate(conversation[after:], after + 1):
            match item:
                case {"role": "user", "content": content} if text := text_of(content):
                    await self.guide.aheard(digest(conversation[:number]), text)
                case {"type": "function_call_output", "call_id": str(identity)} if self.asks == "interruption":
                    await asyncio.to_thread(self._rejected, identity)
        return await self.guide.astep()

    def _rejected(self, identity: str) -> None:
        """A call that was held has a result though it never ran."""
        asked = self.guide.session.memory.open
        if isinstance(asked, AskedCall) and asked.call.id == self.guide.own(identity) not in self._waiting:
            self.guide.gate.answer(False)
        elif asked is not None and identity.startswith(ASK_USER):
            self.guide.gate.decline()

    def _item(self, directions: Ask | Make, conversation: Sequence[Item]) -> TResponseOutputItem:
        """What the agent says or calls without its model."""
        match directions:
            case Ask(_, text) if self.asks == "interruption":
                return call_item(f"{ASK_USER}_{uuid4().hex}", ASK_USER, json.dumps({"question": text}))
            case Ask(_, text):
                return message_item(text)
            case Make(call):
                taken = {item.get("call_id") for item in conversation}
                name, values = self.guide.shown(call)
                return call_item(self.guide.free(call, taken), name, json.dumps(values))

    def _request(
        self,
        payload: Payload,
        conversation: Sequence[Item],
        settings: ModelSettings,
        tools: Sequence[Tool],
        handoffs: Sequence[Handoff],
    ) -> _Request:
        shown = [payload.names.shown(name) for name in payload.shown]
        declared = [tool for tool in tools if tool.name not in (STAND_IN, ASK_USER)]
        if payload.strategy == "trim":
            # What the provider wants to see declared because it was shown before.
            wanted = {*payload.shown, *self.guide.exposure.held}
            declared = [tool for tool in declared if payload.names.real(tool.name) in wanted]
        others = {name: value for name, value in (settings.extra_args or {}).items() if name != "tool_choice"}
        allowed = (*shown, *(handoff.tool_name for handoff in handoffs))
        if payload.strategy == "allow" and allowed:
            # The SDK has no word for it, and passes it on as it is.
            choice = SURFACES[payload.provider].request((), Only(allowed))["tool_choice"]
            settings = replace(settings, tool_choice=None, extra_args={**others, "tool_choice": choice})
        else:
            word = ("auto" if allowed else "none") if declared or handoffs else None
            settings = replace(settings, tool_choice=word, extra_args=others)
        note = {"role": "user", "content": payload.note}
        return _Request(cast(list[TResponseInputItem], [*conversation, note]), settings, declared)

    async def _taken(
        self, output: Sequence[TResponseOutputItem], tools: Sequence[Tool], handoffs: Sequence[Handoff]
    ) -> list[TResponseOutputItem]:
        """The answer as the SDK is to take it up. The gate knows of its calls, in their order; words may have been a step of the plan."""
        calls = [item for item in output if isinstance(item, ResponseFunctionToolCall)]
        own = [call.call_id for call in calls if call.name not in {handoff.tool_name for handoff in handoffs}]
        if own:
            self.guide.turn(own)
        taken = [taken_up(item, names(tools, handoffs)) for item in output]
        words = "".join(ItemHelpers.extract_text(item) or "" for item in output)
        if words and not calls and await self.guide.asaid(words):
            # Words end the run, so there has to be a call that lets it go on.
            taken.append(call_item(f"{STAND_IN}_{uuid4().hex}", STAND_IN, "{}"))
        return taken
