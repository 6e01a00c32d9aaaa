"""Reads what a model answered about a turn. Nothing of an answer with a fault is used: what is left of it might mean something else.

What the turn does not say is no such fault: words that do not occur in it state nothing, and forbid nothing. Neither is a value that is
none of its type, of a fact of which nothing is known, and which will be asked for: it was just asked for, or every goal that the turn may
mean needs it and no call can find it out. Without any other value an old one would stand that the turn corrects, a restriction would be
gone, or a tool would look for what was said.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from toolplan.goals.rankers.prompting import candidate_faults, parsed, shown, weights_of
from toolplan.goals.readings import reading_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.session.readers.prompts import REPLIES, forbiddable
from toolplan.session.readers.statements import Statements
from toolplan.session.readers.wordings import Wordings
from toolplan.session.spelling import spelling
from toolplan.session.turns import Agreed, Asked, Chosen, Context, Declined, Refused, Reply, Stopped, TurnReading

TO_A_QUESTION: dict[str, Reply] = {"agreed": Agreed(), "refused": Refused(), "declined": Declined()}
"""Replies that need a question, and no option."""


def read_answer(text: str, context: Context, answer: object) -> TurnReading:
    """What `answer`, which should be JSON text, says of the turn `text`.

    With any fault in it the turn says nothing, and the findings name every fault. Without one they name what was left out.
    """
    if not isinstance(answer, str):
        return unusable(text, [Diagnostic(Code.BAD_JSON, "the answer is no text")])
    try:
        value = parsed(answer)
    except ValueError as error:
        return unusable(text, [Diagnostic(Code.BAD_JSON, f"the answer is no JSON: {str(error).lower()}")])
    match value:
        case {
            "candidates": list(candidates),
            "words": list(words),
            "forbids": list(forbids),
            "reply": reply,
            "option": option,
            **rest,
        } if not rest:
            return _read(text, context, _Parts(candidates, words, forbids, reply, option))
    message = "the answer is not an object with nothing but lists of `candidates`, `words` and `forbids`, a `reply` and an `option`"
    return unusable(text, [Diagnostic(Code.BAD_JSON, message)])


def unusable(text: str, findings: Iterable[Diagnostic]) -> TurnReading:
    """A reading of `text` that says nothing, with the reasons."""
    return TurnReading(text, reading_of(text, ()), findings=tuple(findings))


class _Parts(NamedTuple):
    """The parts of an answer, of which nothing is known yet but that three are lists."""

    candidates: list[Any]
    words: list[object]
    forbids: list[object]
    reply: object
    option: object


def _read(text: str, context: Context, parts: _Parts) -> TurnReading:
    doubts = list(candidate_faults(parts.candidates, context.domain))
    goals = reading_of(text, [] if doubts else weights_of(parts.candidates))
    wordings = Wordings(text, context, parts.words)
    forbids = _Forbids(text, context, parts.forbids)
    reply, wrong = _reply(parts.reply, parts.option, context.asked)
    if faults := [*doubts, *wordings.faults, *forbids.faults, *wrong]:
        return unusable(text, faults)
    said = Statements(text, context, goals, wordings)
    if said.faults:
        return unusable(text, said.faults)
    left_out = (*wordings.left_out, *said.left_out, *forbids.left_out)
    return TurnReading(text, goals, said.stated, said.mentions, forbids.names, reply, left_out)


class _Forbids:
    """What an answer says is ruled out, each once."""

    def __init__(self, text: str, context: Context, forbids: Iterable[object]) -> None:
        self.faults: list[Diagnostic] = []
        self.left_out: list[Diagnostic] = []
        known = set(forbiddable(context.domain))
        names: list[str] = []
        for number, item in enumerate(forbids, 1):
            match item:
                case {"name": str(name), "words": str(words), **rest} if not rest:
                    if name not in known:
                        message = f"the answer forbids {quoted(shown(name))}, no tool or level of risk"
                        self.faults.append(Diagnostic(Code.UNKNOWN_FORBIDDEN, message))
                    elif spelling(words, text):
                        names.append(name)
                    else:
                        message = f"{quoted(name)} is not forbidden: the turn does not say {quoted(shown(words))}"
                        self.left_out.append(Diagnostic(Code.ENGINE_NOT_BELIEVED, message))
                case _:
                    message = f"what is forbidden as number {number} is not an object with nothing but a `name` and `words`"
                    self.faults.append(Diagnostic(Code.BAD_JSON, message))
        self.names = tuple(dict.fromkeys(names))


def _reply(kind: object, option: object, asked: Asked | None) -> tuple[Reply | None, list[Diagnostic]]:
    """What is said to the question `asked`, and what is wrong with it. Where none is open, nothing can be said but to stop."""
    if kind not in REPLIES or not isinstance(option, int) or isinstance(option, bool):
        return None, [Diagnostic(Code.BAD_JSON, "the reply is none that there is, or its `option` is no number")]
    if kind == "stopped":
        return Stopped(), []
    if asked is None or kind == "none":
        return None, []
    if kind != "chosen":
        return TO_A_QUESTION[str(kind)], []
    if 0 <= option < len(asked.options):
        return Chosen(option), []
    message = f"the reply chooses option {option} of {len(asked.options)}, counted from 0"
    return None, [Diagnostic(Code.NUMBER_OUT_OF_RANGE, message)]
