"""What receipts say of decisions, verdicts, outcomes and answers. Whatever a person said or a tool gets is marked as private."""

from __future__ import annotations

from collections.abc import Mapping

from toolplan.domain import Domain, Principal
from toolplan.frontier import Call, Frontier, callable_tools, plan_of
from toolplan.gate.verdicts import Allow, Hold, Mode, Refuse, ToolCall, Verdict
from toolplan.receipts import Private
from toolplan.session import Outcome, Session
from toolplan.session.events import AskedCall, OpenQuestion
from toolplan.session.snapshots import digest_of
from toolplan.session.turns import TurnReading

Content = dict[str, object]


def decision(session: Session, now: Frontier, principal: Principal | None, exposure: str) -> Content:
    """What was decided, from what, for whom, and what may be called."""
    domain, plan, reading = session.domain, plan_of(now.decision), now.reading
    content: Content = {
        "domain": {"name": domain.name, "digest": digest_of(session.contracts)},
        "principal": None if principal is None else principal.to_dict(),
        "decision": type(now.decision).__name__.lower(),
        "mode": now.mode,
        "exposure": exposure,
        "callable": list(callable_tools(now)),
        "goal": [wanted.label for wanted in now.planned.problem.wanted],
    }
    if reading is not None:
        candidates = [{"goals": list(candidate.goals), "p": round(candidate.p, 6)} for candidate in reading.candidates]
        content["reading"] = {"request": Private(reading.request), "candidates": candidates, "none": round(reading.none, 6)}
        content["signals"] = [signal.doubt.value for signal in now.signals]
    if plan is not None:
        content["plan"] = {"steps": [str(step) for step in plan.steps], "score": str(plan.score)}
    return content


def verdict(domain: Domain, call: ToolCall, judged: Verdict, mode: Mode) -> Content:
    """What was said of a call, or in shadow mode would have been."""
    word = {Allow: "allow", Refuse: "refuse", Hold: "hold"}[type(judged)]
    content: Content = {
        "call": call.id,
        "tool": call.tool,
        "verdict": f"would-{word}" if mode is Mode.SHADOW and word != "allow" else word,
        "proposed": Private(call.arguments),
    }
    match judged:
        case Allow(permit):
            content |= _called(domain, permit.call)
        case Refuse(reason, hint, why):
            content |= {"reason": why.value, "detail": Private(reason), "hint": hint}
        case Hold(question, held):
            content |= {"confirm": question.by or "user"} | _called(domain, held)
    return content


def outcome(domain: Domain, call: Call, became: Outcome) -> Content:
    """What became of a call, and whether its contract verifies what it brings."""
    tool = domain.tools.get(call.step.action)
    verifies = [str(formula) for formula in tool.verifies] if tool is not None else []
    return {"call": call.id, "tool": call.tool, "outcome": became.value, "verifies": verifies}


def answered(asked: OpenQuestion | None, answer: object, by: str) -> Content:
    """An answer that is no turn, and to what."""
    said: object = answer if isinstance(answer, bool) or answer in ("declined", "unseen") else Private(answer)
    return _asked(asked) | {"answer": said, "by": by or "user"}


def heard(asked: OpenQuestion | None, turn: TurnReading, by: str) -> Content:
    """A turn of the user, and what it was to the question that was open."""
    reply = type(turn.reply).__name__.lower() if turn.reply is not None else None
    return _asked(asked) | {"answer": reply, "by": by or "user", "turn": Private(turn.text)}


def _asked(asked: OpenQuestion | None) -> Content:
    if asked is None:
        return {"question": None}
    about: Content = {"call": asked.call.id} if isinstance(asked, AskedCall) else {}
    return {"question": Private(asked.text)} | about


def _called(domain: Domain, call: Call) -> Content:
    tool = domain.tools[call.step.action]
    arguments: Mapping[str, object] = {
        name: {"value": Private(argument.value), "source": argument.source.value} for name, argument in call.arguments.items()
    }
    evidence = tool.evidence
    contract: Content = {"step": str(call.step), "risk": domain.risk_of(tool).name, "owner": evidence.owner, "version": evidence.version}
    return contract | {"schema": call.schema, "arguments": arguments}
