"""Questions as interrupts, in the shape in which LangChain's human in the loop asks for reviews and gets decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import uuid4

from langchain.agents.middleware import ToolCallRequest
from langchain.agents.middleware.human_in_the_loop import ActionRequest, DecisionType, HITLRequest, ReviewConfig
from langchain_core.messages import ToolMessage

from toolplan.adapters.guide import Guide, digest_of, worded
from toolplan.adapters.langchain.calls import identity_of, message_of
from toolplan.frontier import CallQuestion, Clarify
from toolplan.frontier.decisions import UserQuestion
from toolplan.gate import Allow, Hold, Refuse
from toolplan.language.diagnostics import DomainError
from toolplan.session.events import AskedCall, OpenQuestion

ASK_USER = "ask_user"
"""The tool that stands for a question that interrupts. No model is shown it."""
CHANGED = "This is not asked any more, so it was not answered."


class Asked(NamedTuple):
    """What is asked: as the user sees it, and as the session knows it."""

    question: UserQuestion
    open: OpenQuestion


def identity_for(guide: Guide) -> str:
    """The id of a call that stands for the question that is open. It names that very question, which is to be answered and no other."""
    return f"{_prefix(guide.session.memory.open)}{uuid4().hex[:12]}"


def _prefix(question: OpenQuestion | None) -> str:
    return f"{ASK_USER}-{digest_of(question)[:16]}-" if question is not None else f"{ASK_USER}-"


def asked(guide: Guide, request: ToolCallRequest) -> Asked | ToolMessage | None:
    """What the call stands for; None where nothing is asked.

    Where it is another question by now, as that of a tool that has changed, or a model has written the call, there is a result, and what is
    asked is put anew.
    """
    now = guide.gate.next().decision
    open_now = guide.session.memory.open
    if not isinstance(now, Clarify) or open_now is None:
        return None
    if not identity_of(request).startswith(_prefix(open_now)):
        return message_of(request, CHANGED)
    return Asked(now.question, open_now)


def review(question: UserQuestion) -> HITLRequest:
    """The request of `question`. A call that waits for somebody is shown with its arguments."""
    if isinstance(question, CallQuestion):
        return _request(question, question.call.tool, question.call.values, ["approve", "edit", "reject", "respond"])
    return _request(question, ASK_USER, {"question": question.text}, ["respond", "reject"])


def _request(question: UserQuestion, name: str, arguments: dict[str, Any], allowed: list[DecisionType]) -> HITLRequest:
    action = ActionRequest(name=name, args=arguments, description=worded(question))
    return HITLRequest(action_requests=[action], review_configs=[ReviewConfig(action_name=name, allowed_decisions=allowed)])


def answered(guide: Guide, request: ToolCallRequest, asked: Asked, response: object) -> ToolMessage:
    """Take a decision on what was `asked` to the gate; `by` in it names the role of who decides. What is no decision is no answer."""
    try:
        return message_of(request, _decided(guide, identity_of(request), asked.open, response))
    except DomainError:
        return message_of(request, CHANGED)


def _decided(guide: Guide, identity: str, question: OpenQuestion, response: object) -> str:
    decisions = response.get("decisions") if isinstance(response, dict) else None
    decision = decisions[0] if isinstance(decisions, list) and len(decisions) == 1 else None
    match decision, question:
        case {"type": "approve", **more}, AskedCall():
            guide.gate.answer(True, by=str(more.get("by", "")), to=question)
            return "Agreed."
        case {"type": "edit", "edited_action": {"name": str(name), "args": dict(arguments)}, **more}, AskedCall():
            return _edited(guide, question, f"{identity}.edited", name, arguments, str(more.get("by", "")))
        case {"type": "reject", **more}, AskedCall():
            guide.gate.answer(False, to=question)
            return _declined(more)
        case {"type": "reject", **more}, _:
            guide.gate.decline(to=question)
            return _declined(more)
        case {"type": "respond", "message": str(text)}, _:
            guide.heard(identity, text)
            return text
        case _:
            guide.gate.unseen(to=question)
            return "There was no answer."


def _edited(guide: Guide, question: AskedCall, identity: str, name: str, arguments: dict[str, object], by: str) -> str:
    """With other arguments it is another call, checked as any other. Whoever has written it agrees to it, and to no other."""
    match guide.gate.check(guide.call(identity, name, arguments)):
        case Hold(_, held):
            edited = guide.session.memory.open
            if not isinstance(edited, AskedCall) or edited.call != held:
                return CHANGED
            guide.gate.answer(True, by=by, to=edited)
            return "Agreed, with other arguments."
        case Refuse() as refused:
            guide.gate.unseen(to=question)
            return f"Not agreed. What it was to be instead: {refused.message}"
        case Allow(permit):
            guide.gate.withdraw(permit)
            guide.gate.unseen(to=question)
            return f"Not agreed. Instead `{name}` can be called with {permit.arguments}."


def _declined(more: Mapping[Any, object]) -> str:
    return f"Declined. {more.get('message', '')}".strip()
