"""The modes: what the model is shown of what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

from toolplan.domain import Performer, Tool
from toolplan.frontier.at_once import takes_long
from toolplan.frontier.decisions import Decision, next_step
from toolplan.frontier.first_steps import is_call
from toolplan.frontier.parallel import parallel
from toolplan.frontier.records import Frontier, Mode, Planned
from toolplan.frontier.recovery import recovery
from toolplan.frontier.ties import Ties, ties
from toolplan.goals.regret import as_called
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester
from toolplan.planning.grounding import all_steps
from toolplan.planning.plans import Limit, Optimal, Step
from toolplan.planning.problem import Problem
from toolplan.planning.schemas import schemas_of
from toolplan.planning.semantics import applicable

MODES: tuple[Mode, ...] = get_args(Mode)
COMPARISONS: tuple[Mode, ...] = ("path", "executable", "all")
"""Modes that show more than the first steps of best plans; in them tools that are always visible are not counted again."""


def check_mode(mode: str) -> None:
    """Raises DomainError where there is no mode of that name."""
    if mode not in MODES:
        hint = Suggester().hint(str(mode), MODES) or f"the modes are {', '.join(MODES)}"
        source = Source("<mode>", str(mode))
        location = Location(source, Span(0, len(source.text)))
        raise DomainError([Diagnostic(Code.BAD_CALL, f"unknown mode `{mode}`", location, hint)])


def expose(planned: Planned, decision: Decision, mode: Mode, engine: str, limit: Limit) -> Frontier:
    """The frontier of `planned` in `mode`. Modes `ties` and `recovery` may ask `engine` for more plans, each within `limit`."""
    if mode != "one":
        takes_long()
    if mode == "ties":
        steps, undecided = _ties(planned, engine, limit)
    else:
        steps, undecided = _steps(planned, next_step(decision), mode, engine, limit), ()
    return Frontier(planned, decision, mode, tools_of(planned.problem, mode, steps), steps, undecided)


def _ties(planned: Planned, engine: str, limit: Limit) -> Ties:
    match planned.solution:
        case Optimal(best) if best.steps:
            return ties(planned.problem, best, engine, limit)
        case _:
            return Ties((), ())


def _steps(planned: Planned, first: Step | None, mode: Mode, engine: str, limit: Limit) -> tuple[Step, ...]:
    """What every mode but `ties` shows; `first` is the step that mode `one` shows. Mode `all` binds no arguments, and so shows no steps.

    Raises DomainError where there are too many steps for mode `executable` to try.
    """
    problem = planned.problem
    match mode:
        case "parallel" if first is not None and planned.plan is not None and is_call(problem.domain, first):
            return parallel(problem, planned.plan)
        case "recovery":
            return recovery(planned, first, engine, limit)
        case "path":
            return planned.steps
        case "executable":
            return tuple(dict.fromkeys(as_called(step) for step in all_steps(problem) if applicable(problem, problem.state, step)))
        case "all":
            return ()
        case _:
            return () if first is None else (first,)


def tools_of(problem: Problem, mode: Mode, steps: Sequence[Step]) -> tuple[str, ...]:
    """The tools that `mode` shows for `steps`."""
    names: Iterable[str] = dict.fromkeys(step.action for step in steps if is_call(problem.domain, step))
    if mode in COMPARISONS:
        shown = _callable(problem) if mode == "all" else sorted(names, key=schemas_of(problem.domain).order.__getitem__)
        names = (name for name in shown if name not in problem.domain.policy.always_visible)
    return tuple(names)


def _callable(problem: Problem) -> list[str]:
    return [action.name for action in problem.actions() if isinstance(action, Tool) and action.performer is Performer.CALL]
