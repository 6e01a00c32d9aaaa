"""The open question of a conversation as an elicitation of MCP: a form for the user, and what became of it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from mcp_types import ElicitRequestFormParams, ElicitResult

from toolplan.domain import Domain
from toolplan.exposure.declarations import JSON_TYPES
from toolplan.gate import Gate
from toolplan.language.diagnostics import DomainError
from toolplan.planning.plans import Atom
from toolplan.session.events import Asked, AskedCall, AskedEntity, AskedFacts, AskedGoal, AskedToDo, OpenQuestion, to_line

Elicit = Callable[[ElicitRequestFormParams], Awaitable[ElicitResult | None]]
"""Shows a form to the user. None where nobody can be shown one."""

ANSWER = "answer"
"""The field of a form with one."""


async def asked(gate: Gate, elicit: Elicit) -> bool:
    """Put the open question to the user, if it is one for them; whether they answered or declined.

    Only a form that was accepted answers it. Dismissed, unreadable, or an answer to what is no longer asked, it is no consent, and the
    question may be asked again. Where nobody was shown a form the question stays open.
    """
    question = gate.session.at_hand.open
    if question is None or (isinstance(question, AskedCall) and question.by):
        return False
    result = await elicit(form_of(gate.session.domain, question))
    if result is None:
        return False
    return await gate.soon(lambda: _taken(gate, question, result))


def form_of(domain: Domain, question: OpenQuestion) -> ElicitRequestFormParams:
    """The form for `question`: yes or no, one of its options, or a field for each fact."""
    match question:
        case AskedFacts():
            fields = {str(atom): _field(domain, atom) for atom in question.atoms}
        case AskedGoal() | AskedEntity():
            fields = {ANSWER: {"type": "string", "enum": list(question.options)}}
        case AskedCall() | AskedToDo():
            fields = {ANSWER: {"type": "boolean"}}
    # Of several facts any may be left open.
    required = list(fields) if len(fields) == 1 else []
    return ElicitRequestFormParams(message=question.text, requested_schema={"type": "object", "properties": fields, "required": required})


def digest_of(question: OpenQuestion) -> str:
    """The same for the same question alone: that of another call, or of a tool that has changed, has another."""
    return hashlib.sha256(to_line(Asked(0.0, question)).encode("utf-8", "surrogatepass")).hexdigest()


def _field(domain: Domain, atom: Atom) -> Mapping[str, object]:
    """A field for `atom`, of the few types that a form may have."""
    fact = domain.facts[atom.fact]
    described = {"title": fact.description or str(atom)}
    if fact.value is None:
        return {"type": "boolean", **described}
    if fact.value.kind == "enum":
        return {"type": "string", "enum": list(fact.value.options), **described}
    return {**JSON_TYPES.get(fact.value.kind, {"type": "string"}), **described}


def _taken(gate: Gate, question: OpenQuestion, result: ElicitResult) -> bool:
    """What was answered counts for the question that was shown, and for no other that is open by now."""
    with suppress(DomainError):
        match result:
            case ElicitResult(action="accept", content=dict(content)) if content:
                gate.answer(_answer(gate.session.domain, question, content), to=question)
                return True
            case ElicitResult(action="decline"):
                gate.decline(to=question)
                return True
    with suppress(DomainError):
        gate.unseen(to=question)
    return False


def _answer(domain: Domain, question: OpenQuestion, content: Mapping[str, object]) -> object:
    """What the session takes: one thing, or values by fact, of which those that were left empty are not told."""
    if not isinstance(question, AskedFacts):
        return content.get(ANSWER)
    if len(question.atoms) == 1:
        return content.get(str(question.atoms[0]))
    told = {str(atom): content.get(str(atom)) for atom in question.atoms}
    # That a box is not ticked says nothing.
    boxes = {str(atom) for atom in question.atoms if domain.facts[atom.fact].value is None}
    return {name: value for name, value in told.items() if value not in (None, "") and not (name in boxes and value is False)}
