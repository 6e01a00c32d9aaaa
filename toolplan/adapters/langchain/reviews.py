"""Questions as interrupts, in the shape in which LangChain's human in the loop asks for reviews and gets decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware import ToolCallRequest
from langchain.agents.middleware.human_in_the_loop import ActionRequest, DecisionType, HITLRequest, ReviewConfig
from langchain_core.messages import ToolMessage

from toolplan.adapters.guide import Guide, worded
from toolplan.adapters.langchain.calls import identity_of, message_of
from toolplan.adapters.langchain.visits import ASK_USER
from toolplan.frontier import CallQuestion
from toolplan.frontier.decisions import UserQuestion
from toolplan.gate import Allow, Hold, Refuse


def review(question: UserQuestion) -> HITLRequest:
    """The request of `question`. A call that waits for somebody is shown with its arguments."""
    if isinstance(question, CallQuestion):
        return _request(question, question.call.tool, question.call.values, ["approve", "edit", "reject", "respond"])
    return _request(question, ASK_USER, {"question": question.text}, ["respond", "reject"])


def _request(question: UserQuestion, name: str, arguments: dict[str, Any], allowed: list[DecisionType]) -> HITLRequest:
    action = ActionRequest(name=name, args=arguments, description=worded(question))
    return HITLRequest(action_requests=[action], review_configs=[ReviewConfig(action_name=name, allowed_decisions=allowed)])


def answered(guide: Guide, request: ToolCallRequest, question: UserQuestion, response: object) -> ToolMessage:
    """Take a decision on `question` to the gate; `by` in it names the role of who decides. What is no decision is no answer."""
    decisions = response.get("decisions") if isinstance(response, dict) else None
    decision = decisions[0] if isinstance(decisions, list) and len(decisions) == 1 else None
    decided = _of_call(guide, identity_of(request), decision) if isinstance(question, CallQuestion) else _of_question(guide, decision)
    return message_of(request, decided or _in_words(guide, identity_of(request), decision))


def _of_call(guide: Guide, identity: str, decision: object) -> str:
    match decision:
        case {"type": "approve", **more}:
            guide.gate.answer(True, by=str(more.get("by", "")))
            return "Agreed."
        case {"type": "edit", "edited_action": {"name": str(name), "args": dict(arguments)}, **more}:
            return _edited(guide, f"{identity}.edited", name, arguments, str(more.get("by", "")))
        case {"type": "reject", **more}:
            guide.gate.answer(False)
            return _declined(more)
        case _:
            return ""


def _edited(guide: Guide, identity: str, name: str, arguments: dict[str, object], by: str) -> str:
    """With other arguments it is another call, checked as any other. Whoever has written it agrees to it, and to no other."""
    match guide.gate.check(guide.call(identity, name, arguments)):
        case Hold():
            guide.gate.answer(True, by=by)
            return "Agreed, with other arguments."
        case Refuse() as refused:
            guide.gate.unseen()
            return f"Not agreed. What it was to be instead: {refused.message}"
        case Allow(permit):
            guide.gate.withdraw(permit)
            guide.gate.unseen()
            return f"Not agreed. Instead `{name}` can be called with {permit.arguments}."


def _of_question(guide: Guide, decision: object) -> str:
    match decision:
        case {"type": "reject", **more}:
            guide.gate.decline()
            return _declined(more)
        case _:
            return ""


def _in_words(guide: Guide, identity: str, decision: object) -> str:
    match decision:
        case {"type": "respond", "message": str(text)}:
            guide.heard(identity, text)
            return text
        case _:
            guide.gate.unseen()
            return "There was no answer."


def _declined(more: Mapping[Any, object]) -> str:
    return f"Declined. {more.get('message', '')}".strip()
