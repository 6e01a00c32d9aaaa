"""What may be called now: the steps that are shown, the call that waits for a yes, and the tools that are always visible."""

from __future__ import annotations

from toolplan.domain import Domain, Performer
from toolplan.frontier.decisions import CallQuestion, Clarify, Explore, next_step
from toolplan.frontier.records import Frontier
from toolplan.planning.plans import Step


def callable_steps(now: Frontier) -> tuple[Step, ...]:
    """The steps that may be called. The one that is next comes first: where a call fits several, it is meant.

    Of a tool that is always visible, or that exploring opened, its contract says nothing of arguments: it has no parameters.
    """
    domain, decision = now.planned.problem.domain, now.decision
    if isinstance(decision, Clarify) and isinstance(decision.question, CallQuestion):
        steps = [decision.question.call.step]
    else:
        following = next_step(decision)
        ordered = sorted(now.steps, key=lambda step: step != following)
        steps = [Step(step.action, step.arguments) for step in ordered if _is_call(domain, step.action)]
    opened = (*(decision.tools if isinstance(decision, Explore) else ()), *now.opened, *domain.policy.always_visible)
    if opened:
        steps += [Step(name) for name in opened if _is_call(domain, name) and not domain.tools[name].parameters]
    return tuple(dict.fromkeys(steps))


def callable_tools(now: Frontier) -> tuple[str, ...]:
    """The names of the real tools that may be called, the next one first. No name of another is to reach the model."""
    tools = now.planned.problem.domain.tools
    return tuple(dict.fromkeys(tools[step.action].call_name for step in callable_steps(now)))


def _is_call(domain: Domain, name: str) -> bool:
    return name in domain.tools and domain.tools[name].performer is Performer.CALL
