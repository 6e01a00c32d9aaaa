"""Whether a call that a model proposes may run: it is one of the steps that are next, its arguments are those that are known, and whoever
must agree has agreed."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toolplan.catalog import Catalog
from toolplan.domain import Domain, Tool
from toolplan.frontier import Act, Call, CallQuestion, Frontier, callable_steps, callable_tools, next_step
from toolplan.goals.regret import as_called
from toolplan.language.codec import digest
from toolplan.language.diagnostics import quoted
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Step
from toolplan.session.beliefs import current
from toolplan.session.binding import Binding, Bound, Mismatch, Unbound, binder_of, confirmation_of, is_same, reads_of, shown
from toolplan.session.events import Asked, AskedCall, Event, OpenQuestion
from toolplan.session.folding import keys_of
from toolplan.session.inspecting import faults, oversized, unmet
from toolplan.session.memory import Frame, Memory, digest_of_call
from toolplan.session.settings import Settings
from toolplan.session.starting import started


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may run now, once; tell the session what became of it with `observe`. Where it is said `again`, somebody may be running it."""

    call: Call
    again: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody has to agree first: `question` is open now. On a yes this very call is what is next."""

    question: CallQuestion


class Why(enum.Enum):
    """The kinds of reasons for which a call may not run, for those who count them."""

    NOT_CALLABLE = "not callable now"
    ARGUMENTS = "arguments"
    CHECK = "schema or check"
    REPEATED = "made or declined already"
    IDENTITY = "id of another call"
    MADE = "made already under this id"
    UNASKED = "nobody is asked any more"
    EARLIER = "an earlier call has no result"


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not run; `reason` names nothing that is hidden, `hint` what can be called instead."""

    reason: str
    hint: str
    why: Why


Proposal = Allowed | Held | Refused


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a proposal, and what has to be remembered of it."""

    proposal: Proposal
    events: tuple[Event, ...] = ()


def proposed(
    memory: Memory,
    now: Frontier,
    tool: str,
    arguments: Mapping[str, object],
    identity: str,
    at: datetime,
    settings: Settings,
    catalog: Catalog,
) -> Verdict:
    """What becomes of a call of `tool`, by the name of the contract or of the real tool, with `arguments`, where `now` is what is next."""
    wrong = oversized(arguments)
    if wrong:
        return Verdict(Refused(wrong, "call it with less", Why.ARGUMENTS))
    if memory.has_verdict(identity):
        return Verdict(_again(memory, now, tool, arguments, identity, at))
    domain, problem, frame = now.planned.problem.domain, now.planned.problem, memory.current
    running = {other.call.step for other in memory.running.values() if other.frame == frame.number}
    free = [step for step in callable_steps(now) if step not in running]
    steps = [step for step in free if tool in names_of(domain, step)]
    if not steps:
        return Verdict(not_callable(now, tool))
    binder = binder_of(problem, memory, catalog, at)
    tries = [binder.bind(step, identity, arguments) for step in steps]
    bound = next((binding for binding in tries if isinstance(binding, Bound)), None)
    if bound is None:
        return Verdict(_unfit(domain.tools[steps[0].action], tries[0]))
    call, levels = bound.call, binder.levels
    # What is ready was held against the schema of its tool before, and bears that schema's digest.
    found = unmet(problem, levels, call, at) if _is_ready(now, call) else faults(problem, levels, call, catalog, at)
    wrong = "; ".join(found)
    if wrong:
        hint = "call it with other arguments, or do something else first"
        return Verdict(Refused(f"{quoted(tool)} cannot be called so: {wrong}", hint, Why.CHECK))
    if _is_repeated(now, frame, call):
        reason = "this very call was made for this request already, or nobody agreed to it"
        return Verdict(Refused(reason, hint_of(now), Why.REPEATED))
    who = confirmation_of(domain, call, frame)
    if who is not None and not _agreed(memory, call):
        question = AskedCall(shown(domain, call, frame), call, reads_of(problem, levels, call.step), who.by)
        return _held(memory, question, at, settings)
    return Verdict(Allowed(call), (started(problem, memory, call, now, at.timestamp()),))


def _again(memory: Memory, now: Frontier, tool: str, arguments: Mapping[str, object], identity: str, at: datetime) -> Proposal:
    """What was said of the call `identity` before, if it is the same call: nobody borrows the verdict on another."""
    refusal = memory.refusals.get(identity)
    if refusal is not None and refusal.proposed == digest_of_proposal(tool, arguments):
        return Refused(refusal.reason, refusal.hint, Why(refusal.why))
    if identity in memory.outcomes:
        return Refused("this call has been made, and its result was given", hint_of(now), Why.MADE)
    running = memory.running.get(identity)
    if running is not None and tool in names_of(now.planned.problem.domain, running.call.step):
        key = now.planned.problem.domain.tools[running.call.step.action].interface.key
        asked = {name: value for name, value in arguments.items() if name != key}
        facts = now.planned.problem.domain.facts
        if all(name in running.call.arguments and is_same(facts, running.call.arguments[name], value, at) for name, value in asked.items()):
            return Allowed(running.call, again=True)
    return Refused("another call has this id", "give every call an id of its own", Why.IDENTITY)


def _held(memory: Memory, question: AskedCall, at: datetime, settings: Settings) -> Verdict:
    """The question whether the call may run, opened if it is not open; asked about once more, the call keeps its first name."""
    if isinstance(memory.open, AskedCall) and same_call(memory.open.call, question.call):
        return Verdict(Held(CallQuestion(memory.open.text, memory.open.call, memory.open.by)))
    if is_too_much(memory.current, question, settings):
        return Verdict(Refused("nobody is asked to agree to it any more", "hand it over to a person", Why.UNASKED))
    return Verdict(Held(CallQuestion(question.text, question.call, question.by)), (Asked(at.timestamp(), question),))


def _is_ready(now: Frontier, call: Call) -> bool:
    """Whether `call`, of a tool whose schema is known, is the one that is ready."""
    match now.decision:
        case Act(ready=Call() as ready):
            return call.schema != "" and same_call(ready, call)
        case _:
            return False


def _is_repeated(now: Frontier, frame: Frame, call: Call) -> bool:
    """Whether a call above safe was made before in its request, and the plan does not need it once more."""
    domain = now.planned.problem.domain
    following = next_step(now.decision)
    needed = following is not None and as_called(following) == call.step
    return not needed and not domain.risk_of(domain.tools[call.step.action]).safe and digest_of_call(domain, call) in frame.closed


def digest_of_proposal(tool: str, arguments: Mapping[str, object]) -> str:
    """The same for two proposals of the same tool with the same arguments; empty where these are no JSON values."""
    try:
        return digest([tool, arguments])
    except (ValueError, TypeError, RecursionError):
        return ""


def names_of(domain: Domain, step: Step) -> tuple[str, ...]:
    """What a model may call the tool of `step`: its real name, and that of the contract where no other tool is really called that."""
    real = domain.tools[step.action].call_name
    return (real,) if step.action in real_names(domain) else (real, step.action)


@per_domain
def real_names(domain: Domain) -> frozenset[str]:
    """What the real tools of the contracts are called."""
    return frozenset(tool.call_name for tool in domain.tools.values())


def is_too_much(frame: Frame, question: OpenQuestion, settings: Settings) -> bool:
    """Whether the user has been asked as much as can be: the same, or at all for this request."""
    worn = any(frame.asked.get(key, 0) >= settings.repeats for key in keys_of(question))
    return worn or frame.questions >= settings.questions


def _agreed(memory: Memory, call: Call) -> bool:
    """Whether somebody has agreed to a call of these arguments, of the same real tool, on what is still so."""
    levels = memory.levels(memory.active)
    return any(same_call(one.call, call) and current(levels, one.reads) for one in memory.current.agreed)


def same_call(first: Call, second: Call) -> bool:
    """Whether two calls differ in nothing but their names. `1`, `1.0` and `true` are three values."""
    return (first.step, first.tool, first.schema, digest(first.values)) == (second.step, second.tool, second.schema, digest(second.values))


def not_callable(now: Frontier, tool: str) -> Refused:
    """The refusal of a tool that is not next, hidden, forbidden or not there: nobody is told which."""
    return Refused(f"{quoted(tool)} cannot be called now", hint_of(now), Why.NOT_CALLABLE)


def hint_of(now: Frontier) -> str:
    """What can be called instead, and nothing that is hidden."""
    names = callable_tools(now)
    return f"what can be called now: {', '.join(map(quoted, names))}" if names else "nothing can be called now: answer in words"


def _unfit(tool: Tool, binding: Binding) -> Refused:
    match binding:
        case Mismatch(names):
            listed = ", ".join(map(quoted, names))
            reason = f"{listed} of {quoted(tool.call_name)} must be what is known, and nothing else"
            return Refused(reason, "leave them out: what is known of them is filled in", Why.ARGUMENTS)
        case Unbound(wanted):
            listed = ", ".join(map(quoted, wanted))
            return Refused(f"{listed} of {quoted(tool.call_name)} must be given", "give a value for each", Why.ARGUMENTS)
        case Bound():
            raise AssertionError("a call that is bound is no misfit")
