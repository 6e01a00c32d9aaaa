"""`Agent`: a loop over the client of a vendor. It asks the model, takes its calls to the gate, and ends with words for the user.

`openai`, `anthropic` and `gemini` give the models that it drives. What is sent stays: the conversation only grows, at its end.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, NamedTuple, Protocol

from toolplan.adapters.guide import Ask, Choose, Guide, Make, free
from toolplan.exposure import Payload, Provider
from toolplan.frontier import Call
from toolplan.gate import Hold, Ran, Refuse, ToolCall
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.session import Outcome

Json = dict[str, Any]
Request = Mapping[str, object]
Settings = Mapping[str, object]
Tools = Mapping[str, Callable[..., Any]]
"""What runs each real tool. It gets the arguments by name, and gives a JSON value or a text."""

NO_ANSWER = "(no answer)"
"""What the conversation says where a model has given none: it has to take its turn before the user has theirs."""
MOST_SILENT = 3
"""Answers without a word or a call, one after the other: a vendor could not read what the model said, or it has nothing to say."""
GIVEN_UP = "the call was given up"


class ModelCall(NamedTuple):
    """A call under the name that the model is shown. `arguments` may be a JSON text."""

    id: str
    name: str
    arguments: object


class Answer(NamedTuple):
    """What a model has said, and what it calls, in its order. `messages` is how the vendor wants to see it again."""

    messages: list[Json]
    text: str
    calls: tuple[ModelCall, ...]


NOTHING = Answer([], "", ())


class Result(NamedTuple):
    """What a model is told of its call."""

    call: ModelCall
    text: str
    failed: bool


class Shapes(Protocol):
    """How messages look to a vendor, as JSON values."""

    @property
    def provider(self) -> Provider:
        """What the guide has to be made for."""

    def heard(self, text: str) -> Json:
        """Words of the user."""

    def said(self, text: str) -> Json:
        """Words of the agent."""

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        """Calls of the agent that no model has made, with their results."""

    def results(self, results: Sequence[Result]) -> list[Json]:
        """The results of all calls of one answer."""


class Model(Shapes, Protocol):
    """A model of a vendor. `request` are the parameters of the step, as an exposure gives them. Both methods raise what the client raises."""

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """An answer that comes at once."""

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """The words of an answer as they come, and then all of it."""


class AsyncModel(Shapes, Protocol):
    """As `Model`."""

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """An answer that comes at once."""

    def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """The words of an answer as they come, and then all of it."""


class TurnTooLong(Exception):
    """The model was asked often enough in one turn. The conversation is whole: `turn()` goes on with it."""


class _Conversation:
    """What agents have in common: the conversation as the vendor sees it."""

    def __init__(self, shapes: Shapes, guide: Guide, tools: Tools, messages: Sequence[Json] = (), most: int = 50) -> None:
        _check(shapes, guide, tools)
        self.guide, self.messages = guide, list(messages)
        self._shapes, self._tools, self._most = shapes, tools, most
        self._silent = 0

    def _hear(self, text: str) -> str:
        self.messages.append(self._shapes.heard(text))
        return text

    def _say(self, text: str) -> str:
        self.messages.append(self._shapes.said(text))
        return text

    @contextmanager
    def _asking(self, payload: Payload) -> Iterator[list[Answer]]:
        """Takes the answer to `payload`. What is appended before it is not taken back, so that an answer follows whatever happens."""
        answers: list[Answer] = []
        self.messages.extend(dict(message) for message in payload.messages)
        try:
            yield answers
        finally:
            # A stream may end before its answer does.
            answers.append(NOTHING)
            self.messages.extend(answers[0].messages or [self._shapes.said(NO_ANSWER)])
        self._silent = 0 if answers[0].text or answers[0].calls else self._silent + 1
        if self._silent == MOST_SILENT:
            self._silent = 0
            raise TurnTooLong("the model says nothing")

    @contextmanager
    def _calling(self, calls: Sequence[ModelCall]) -> Iterator[list[Result]]:
        """Takes the results of `calls`. Each has one, whatever happens: no vendor takes a conversation without it."""
        results: list[Result] = []
        try:
            yield results
        finally:
            results.extend(Result(call, GIVEN_UP, failed=True) for call in calls[len(results) :])
            self.messages.extend(self._shapes.results(results))

    def _gated(self, calls: Sequence[ModelCall]) -> list[tuple[ModelCall, ToolCall]]:
        """`calls` as the gate knows them."""
        self.guide.turn([call.id for call in calls])
        return [(call, self.guide.call(*call)) for call in calls]

    def _running(self, name: str) -> Callable[..., Any]:
        if name not in self._tools:
            raise LookupError(f"nothing runs {quoted(name)} here")
        return self._tools[name]

    def _made(self, call: Call, result: Result) -> None:
        """Takes the result of a call that no model has made."""
        self.messages.extend(self._shapes.called([result.call], [result]))

    def _as_made(self, call: Call) -> ModelCall:
        """`call` under an id that is not taken: where it was held, there is a result under its own."""
        taken = json.dumps(self.messages)
        return ModelCall(free(call.id, lambda identity: json.dumps(identity) in taken), *self.guide.shown(call))


class Agent(_Conversation):
    """One conversation over `model`. `messages` are those that it begins with, in the vendor's shape: what the system says, or all so far.

    `messages` and `guide.snapshot()` are all that has to be kept of it. A model is asked at most `most` times in a turn. One turn at a
    time. Raises DomainError for a guide of another provider, and for tools of its catalog that nothing runs.
    """

    def __init__(self, model: Model, guide: Guide, tools: Tools, *, messages: Sequence[Json] = (), most: int = 50) -> None:
        super().__init__(model, guide, tools, messages, most)
        self._model = model

    def turn(self, text: str | None = None) -> str:
        """What the user gets for `text`: an answer, or a question. Without a text the turn goes on: they have answered elsewhere.

        Raises what the client raises, after which `turn()` goes on, and TurnTooLong.
        """
        *_, last = self._turn(text, self._whole)
        return last

    def stream(self, text: str | None = None) -> Iterator[str]:
        """As `turn`, in pieces, with all that the model says on its way."""
        return self._turn(text, self._model.stream)

    def _whole(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        answer = self._model.ask(request, messages)
        yield from (answer.text, answer)

    def _turn(self, text: str | None, ask: Callable[[Request, Sequence[Json]], Iterator[str | Answer]]) -> Iterator[str]:
        if text is not None:
            self.guide.gate.hear(self._hear(text))
        for _ in range(self._most):
            match self.guide.step():
                case Ask(_, question):
                    yield self._say(question)
                    return
                case Make(call):
                    self._make(call)
                case Choose(payload):
                    with self._asking(payload) as answers:
                        for piece in ask(payload.request, self.messages):
                            if isinstance(piece, str):
                                yield piece
                            else:
                                answers.append(piece)
                    if calls := answers[0].calls:
                        with self._calling(calls) as results:
                            for each, gated in self._gated(calls):
                                results.append(self._result(each, gated))
                    elif (words := answers[0].text) and not self.guide.said(words):
                        return
        raise TurnTooLong("the model goes on calling")

    def _make(self, call: Call) -> None:
        self._made(call, self._result(self._as_made(call), ToolCall(call.id, call.tool, call.values)))

    def _result(self, call: ModelCall, gated: ToolCall) -> Result:
        try:
            return _told(call, self.guide.gate.run(gated, lambda arguments: self._running(gated.tool)(**arguments)))
        except Exception as error:
            return _raised(call, error)


class AsyncAgent(_Conversation):
    """As `Agent`, over a client that is asynchronous. Tools may be so, too; those that are not run in threads."""

    def __init__(self, model: AsyncModel, guide: Guide, tools: Tools, *, messages: Sequence[Json] = (), most: int = 50) -> None:
        super().__init__(model, guide, tools, messages, most)
        self._model = model

    async def turn(self, text: str | None = None) -> str:
        """As `Agent.turn`."""
        pieces = [piece async for piece in self._turn(text, self._whole)]
        return pieces[-1]

    def stream(self, text: str | None = None) -> AsyncGenerator[str, None]:
        """As `Agent.stream`. Who stops in the middle closes it, as with `contextlib.aclosing`."""
        return self._turn(text, self._model.stream)

    async def _whole(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        answer = await self._model.ask(request, messages)
        yield answer.text
        yield answer

    async def _turn(
        self, text: str | None, ask: Callable[[Request, Sequence[Json]], AsyncGenerator[str | Answer, None]]
    ) -> AsyncGenerator[str, None]:
        if text is not None:
            await self.guide.gate.ahear(self._hear(text))
        for _ in range(self._most):
            match await self.guide.astep():
                case Ask(_, question):
                    yield self._say(question)
                    return
                case Make(call):
                    await self._make(call)
                case Choose(payload):
                    with self._asking(payload) as answers:
                        async with aclosing(ask(payload.request, self.messages)) as pieces:
                            async for piece in pieces:
                                if isinstance(piece, str):
                                    yield piece
                                else:
                                    answers.append(piece)
                    if calls := answers[0].calls:
                        with self._calling(calls) as results:
                            for each, gated in self._gated(calls):
                                results.append(await self._result(each, gated))
                    elif (words := answers[0].text) and not await self.guide.asaid(words):
                        return
        raise TurnTooLong("the model goes on calling")

    async def _make(self, call: Call) -> None:
        self._made(call, await self._result(self._as_made(call), ToolCall(call.id, call.tool, call.values)))

    async def _result(self, call: ModelCall, gated: ToolCall) -> Result:
        async def execute(arguments: dict[str, object]) -> object:
            result = await asyncio.to_thread(self._running(gated.tool), **arguments)
            return await result if inspect.isawaitable(result) else result

        try:
            return _told(call, await self.guide.gate.arun(gated, execute))
        except Exception as error:
            return _raised(call, error)


def _check(shapes: Shapes, guide: Guide, tools: Tools) -> None:
    found: list[Diagnostic] = []
    if guide.exposure.provider != shapes.provider:
        message = f"the guide is made for {guide.exposure.provider}, and the model is one of {shapes.provider}"
        found.append(Diagnostic(Code.BAD_CALL, message, None, f'make it with `Guide.of(gate, "{shapes.provider}")`'))
    for name in guide.session.catalog:
        if name not in tools:
            found.append(Diagnostic(Code.BAD_CALL, f"nothing runs the tool {quoted(name)}", None, "pass a function for it in `tools`"))
    if found:
        raise DomainError(found)


def _told(call: ModelCall, ran: Ran[object] | Refuse | Hold) -> Result:
    match ran:
        case Ran(result, outcome):
            return Result(call, as_text(result), failed=outcome is Outcome.FAILED)
        case Refuse():
            return Result(call, ran.message, failed=True)
        case Hold():
            return Result(call, ran.message, failed=False)


def _raised(call: ModelCall, error: Exception) -> Result:
    # It may have been done all the same: what is next says so.
    return Result(call, f"no result: {error or type(error).__name__}", failed=True)


def checked(settings: Settings, ours: Collection[str]) -> Settings:
    """The parameters that a host gives for all requests. Raises DomainError for those that each step decides."""
    found = [
        Diagnostic(Code.BAD_CALL, f"{quoted(name)} is decided at each step", None, "leave it out") for name in ours if name in settings
    ]
    if found:
        raise DomainError(found)
    return settings


def as_text(value: object) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
