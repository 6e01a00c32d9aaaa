"""One visit of the model: what is sent to it, what comes of that, and what is said without it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages import ToolCall as MadeCall

from toolplan.adapters.guide import Ask, Choose, Guide, Make
from toolplan.adapters.langchain.requests import Declaring, restricted
from toolplan.adapters.langchain.reviews import ASK_USER, identity_for
from toolplan.exposure import Payload
from toolplan.frontier import Call
from toolplan.gate import Refuse
from toolplan.session import Why

Questions = Literal["text", "interrupt"]
"""How questions reach the user: as what the agent says, or as interrupts in the shape of LangChain's human in the loop."""

MARK = "toolplan"
"""The key of the conversation in the state of a graph, and the source of our messages."""
MOST_UNREADABLE = 3
"""Answers of one visit whose calls cannot be read, after which the model is asked no more."""
UNREADABLE = Refuse("the arguments are no JSON object", "call it again with an object", Why.ARGUMENTS)


@dataclass
class Visit:
    """Steps until there are calls to run, or words for the user. `said` are the messages that the conversation gets by it."""

    guide: Guide
    request: ModelRequest[Any]
    questions: Questions
    declaring: Declaring
    said: list[BaseMessage] = field(default_factory=list)
    unreadable: int = 0
    answer: ModelResponse[Any] = field(init=False)
    message: AIMessage = field(init=False)

    def step(self) -> ModelRequest[Any] | ModelResponse[Any]:
        """What the model is asked next, or the end."""
        match self.guide.step():
            case Ask(question) if self.questions == "interrupt":
                return self._without_model(calls=[_call(ASK_USER, {"question": question.text}, identity_for(self.guide))])
            case Ask(_, text):
                return self._without_model(text)
            case Make(call):
                return self._without_model(calls=[self._made(call)])
            case Choose(payload):
                self.said += _notes(payload)
                declared = self.declaring.declared(self.request.tools, payload, self.guide.exposure.held)
                return restricted(self.request, declared, payload, self.said)

    def take(self, response: ModelResponse[Any]) -> None:
        """Take up an answer of the model: its calls are to run, in their order."""
        self.answer, self.said = response, [*self.said, *response.result]
        answer = self.message = next(message for message in reversed(response.result) if isinstance(message, AIMessage))
        # LangChain runs what gives a structured response by itself.
        done = {message.tool_call_id for message in response.result if isinstance(message, ToolMessage)}
        self.guide.turn([call["id"] or "" for call in answer.tool_calls if call["id"] not in done])
        self.said += [
            ToolMessage(UNREADABLE.message, tool_call_id=call["id"], status="error") for call in answer.invalid_tool_calls if call["id"]
        ]
        self.unreadable += bool(answer.invalid_tool_calls and not answer.tool_calls)

    def goes_on(self) -> bool:
        """Whether the model is to be asked again: its words were a step of the plan, or what it has called cannot be read."""
        words = self._words
        return self.guide.said(words) if words else self._is_unreadable

    async def agoes_on(self) -> bool:
        """As `goes_on`, without blocking the event loop."""
        words = self._words
        return await self.guide.asaid(words) if words else self._is_unreadable

    def end(self) -> ModelResponse[Any]:
        """All that comes of the visit."""
        return ModelResponse(self.said, self.answer.structured_response)

    @property
    def _words(self) -> str:
        """Words that may have been a step of the plan."""
        answer = self.message
        is_more = answer.tool_calls or answer.invalid_tool_calls or self.answer.structured_response is not None
        return "" if is_more else answer.text

    @property
    def _is_unreadable(self) -> bool:
        """Whether nothing can be read of what was called, and the model may try again."""
        answer = self.message
        is_other = answer.tool_calls or not answer.invalid_tool_calls or self.answer.structured_response is not None
        return not is_other and self.unreadable < MOST_UNREADABLE

    def _without_model(self, text: str = "", calls: list[MadeCall] | None = None) -> ModelResponse[Any]:
        message = AIMessage(text, tool_calls=calls or [], response_metadata={"model_name": MARK})
        return ModelResponse([*self.said, message])

    def _made(self, call: Call) -> MadeCall:
        """The call as the model would have made it."""
        messages = self.request.state["messages"]
        taken = {made["id"] for message in messages if isinstance(message, AIMessage) for made in message.tool_calls}
        return _call(*self.guide.shown(call), self.guide.free(call, taken))


def _call(name: str, arguments: dict[str, Any], identity: str) -> MadeCall:
    return MadeCall(name=name, args=arguments, id=identity, type="tool_call")


def _notes(payload: Payload) -> list[BaseMessage]:
    """What the model is told, and what adds tools by reference, which is a message of the system."""
    changes = [SystemMessage(cast(list[str | dict[str, Any]], message["content"])) for message in payload.messages[1:]]
    return [HumanMessage(payload.note, additional_kwargs={"lc_source": MARK}), *changes]
