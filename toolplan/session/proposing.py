"""Whether a call that a model proposes may run: it is one of the steps that are next, its arguments are those that are known, and whoever
must agree has agreed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from toolplan.domain import Domain, Performer, Tool
from toolplan.frontier import Call, CallQuestion, Clarify, Frontier, next_step
from toolplan.planning.plans import Step
from toolplan.session.beliefs import current
from toolplan.session.binding import Binder, Binding, Bound, Mismatch, Unbound, confirmation_of, reads_of, shown
from toolplan.session.events import Asked, AskedCall, Event, OpenQuestion
from toolplan.session.folding import keys_of
from toolplan.session.memory import Frame, Memory
from toolplan.session.settings import Settings
from toolplan.session.starting import started


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may run now, once; tell the session what became of it with `observe`."""

    call: Call


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody has to agree first: `question` is open now. On a yes this very call is what is next."""

    question: CallQuestion


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not run; `reason` names nothing that is hidden, `hint` what can be called instead."""

    reason: str
    hint: str


Proposal = Allowed | Held | Refused


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a proposal, and what has to be remembered of it."""

    proposal: Proposal
    events: tuple[Event, ...] = ()


def proposed(
    domain: Domain,
    memory: Memory,
    now: Frontier,
    tool: str,
    arguments: Mapping[str, object],
    identity: str,
    at: datetime,
    settings: Settings,
) -> Verdict:
    """What becomes of a call of `tool`, by the name of the contract or of the real tool, with `arguments`, where `now` is what is next."""
    if identity in memory.running:
        return Verdict(Allowed(memory.running[identity].call))
    frame = memory.active
    running = {other.call.step for other in memory.running.values() if frame is not None and other.frame == frame.number}
    free = [step for step in callable_steps(domain, now) if step not in running]
    steps = [step for step in free if tool in (step.action, domain.tools[step.action].call_name)]
    if not steps or identity in memory.outcomes:
        return Verdict(Refused(f"`{tool}` cannot be called now", _hint(domain, now)))
    problem, levels = now.planned.problem, memory.levels(frame)
    binder = Binder(problem, levels, memory.words, memory.labelled, at)
    tries = [binder.bind(step, identity, arguments) for step in steps]
    bound = next((binding for binding in tries if isinstance(binding, Bound)), None)
    if bound is None:
        return Verdict(_unfit(domain.tools[steps[0].action], tries[0]))
    call, reads = bound.call, reads_of(problem, levels, bound.call.step)
    who = confirmation_of(domain, call)
    if who is not None and not _agreed(memory, frame, call):
        question = AskedCall(shown(domain.tools[call.step.action], call), call, reads, who.by)
        if memory.open != question and frame is not None and is_too_much(frame, question, settings):
            return Verdict(Refused("nobody is asked to agree to it any more", "hand it over to a person"))
        events = () if memory.open == question else (Asked(at.timestamp(), question),)
        return Verdict(Held(CallQuestion(question.text, call, who.by)), events)
    return Verdict(Allowed(call), (started(problem, memory, call, now, at.timestamp()),))


def is_too_much(frame: Frame, question: OpenQuestion, settings: Settings) -> bool:
    """Whether the user has been asked as much as can be: the same, or at all for this request."""
    worn = any(frame.asked.get(key, 0) >= settings.repeats for key in keys_of(question))
    return worn or frame.questions >= settings.questions


def callable_steps(domain: Domain, now: Frontier) -> list[Step]:
    """The steps that may be called now: those that are shown, the one that waits for a yes, and the tools that are always visible.

    The step that is next comes first: where a proposal fits several, it is meant.
    """
    following = next_step(now.decision)
    ordered = [step for step in now.steps if step == following] + [step for step in now.steps if step != following]
    shown_steps = [Step(step.action, step.arguments) for step in ordered if _is_call(domain, step)]
    if isinstance(now.decision, Clarify) and isinstance(now.decision.question, CallQuestion):
        shown_steps = [now.decision.question.call.step]
    always = [Step(name) for name in domain.policy.always_visible if name in domain.tools and not domain.tools[name].parameters]
    return list(dict.fromkeys((*shown_steps, *always)))


def _is_call(domain: Domain, step: Step) -> bool:
    return step.action in domain.tools and domain.tools[step.action].performer is Performer.CALL


def _agreed(memory: Memory, frame: Frame | None, call: Call) -> bool:
    """Whether somebody has agreed to a call of these arguments, on what is still so."""
    levels = memory.levels(frame)
    agreed = frame.agreed if frame is not None else ()
    return any(one.call.step == call.step and one.call.values == call.values and current(levels, one.reads) for one in agreed)


def _hint(domain: Domain, now: Frontier) -> str:
    names = dict.fromkeys(domain.tools[step.action].call_name for step in callable_steps(domain, now))
    return f"what can be called now: {', '.join(f'`{name}`' for name in names)}" if names else "nothing can be called now: answer in words"


def _unfit(tool: Tool, binding: Binding) -> Refused:
    match binding:
        case Mismatch(names):
            listed = ", ".join(f"`{name}`" for name in names)
            return Refused(
                f"{listed} of `{tool.call_name}` must be what is known, and nothing else", "leave them out, and they are filled in"
            )
        case Unbound(wanted):
            return Refused(f"{', '.join(f'`{name}`' for name in wanted)} of `{tool.call_name}` must be given", "give a value for each")
        case Bound():
            raise AssertionError("a call that is bound is no misfit")
