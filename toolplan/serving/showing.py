"""What a caller is told of what is next: a note for the model, and the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolplan.exposure.declarations import described
from toolplan.exposure.notes import Telling, line_of
from toolplan.frontier import Act, CallQuestion, Clarify, Explore, Frontier, Instruct, callable_tools
from toolplan.frontier.decisions import EntityQuestion, UserQuestion
from toolplan.goals.forms import Form
from toolplan.goals.questions import GoalQuestion, Question
from toolplan.serving.desk import Conversation


class Shown(NamedTuple):
    """What is next, in words and as JSON values. Both name no tool but those that may be called now."""

    text: str
    data: dict[str, object]


def shown(conversation: Conversation, now: Frontier) -> Shown:
    """What a caller is told where `now` is next."""
    session, names = conversation.session, callable_tools(now)
    known, tools = _known(conversation, now), described(session.domain, session.catalog, names)
    entries = [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in tools.values()]
    data: dict[str, object] = {"decision": type(now.decision).__name__.lower(), "callable": entries, "known": known}
    data |= _of(now)
    text = Telling(now, names, known).note_with([line_of(tool) for tool in tools.values()])
    return Shown("\n".join([text, *_how(now)]), data)


def _known(conversation: Conversation, now: Frontier) -> Mapping[str, object]:
    """The arguments of the next call that may be left out. What third parties wrote or a model made up is not repeated as ours."""
    if not isinstance(now.decision, Act):
        return {}
    arguments = conversation.session.known(now.decision.step).arguments
    return {name: argument.value for name, argument in arguments.items() if argument.source.binds}


def _of(now: Frontier) -> dict[str, object]:
    match now.decision:
        case Act(ready=ready) if ready is not None:
            return {"ready": {"tool": ready.tool, "arguments": ready.values}}
        case Clarify(question):
            return {"question": _question(question)}
        case Instruct(instruction, performer):
            return {"instruction": instruction, "performer": performer.value}
        case Explore(_, reason):
            return {"why": reason}
        case _:
            return {}


def _question(question: UserQuestion) -> dict[str, object]:
    match question:
        case CallQuestion(text, call, by):
            return {"text": text, "confirm": by or "user", "call": {"tool": call.tool, "arguments": call.values}}
        case Form(questions):
            return {"text": question.text, "questions": [asked.text for asked in questions]}
        case GoalQuestion(text, options):
            return {"text": text, "options": [option.text for option in options]}
        case EntityQuestion(text, options=choices):
            return {"text": text, "options": list(choices)}
        case Question(text):
            return {"text": text}


def _how(now: Frontier) -> list[str]:
    """What the caller does with what is not to be called."""
    match now.decision:
        case Clarify(CallQuestion()):
            return ["Nobody can agree to it through a tool. Once they have, `frontier` says so."]
        case Clarify():
            return ["Pass on what the user says with `answer`, or as `said` of `frontier`."]
        case Instruct():
            return ["Pass on what comes of it with `answer`."]
        case _:
            return []
