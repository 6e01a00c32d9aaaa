"""`toolplan frontier`: the tool that may be used next."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import (
    AsJson,
    Clearances,
    DomainFile,
    Engine,
    Environment,
    Exhausted,
    Expansions,
    Forbid,
    GoalTexts,
    Roles,
    Scopes,
    Seconds,
    StateTexts,
    Tenant,
    caller_of,
    limit_of,
    load_for,
    read_state,
    together,
)
from toolplan.cli.output import reporting, say, show_json
from toolplan.cli.plan import summary
from toolplan.cli.wanted import CandidateTexts, RankerName, RequestText, check_wanted, read_candidates, reader_of
from toolplan.frontier import (
    MODES,
    Act,
    Blocked,
    Clarify,
    Done,
    EntityQuestion,
    Explore,
    Frontier,
    GoalQuestion,
    Instruct,
    Mode,
    Undecided,
    frontier,
    steps_before_question,
)
from toolplan.goals.ambiguity import goal_doubted
from toolplan.goals.commitment import SharedPrefix
from toolplan.language.numerals import numeral
from toolplan.planning.plans import Plan
from toolplan.planning.problem import State

SHOWN = 0.01
"""Candidates of less probability are shown with --json only."""

EXAMPLE = "Example: toolplan frontier workspace --state date,event_description,new_time --goal move_event"


def command(
    domain: DomainFile,
    goal: GoalTexts = [],
    state: StateTexts = [],
    request: RequestText = "",
    ranker: RankerName = "",
    candidates: CandidateTexts = [],
    forbid: Forbid = [],
    exhausted: Exhausted = [],
    roles: Roles = [],
    scopes: Scopes = [],
    tenant: Tenant = "",
    environment: Environment = "",
    clearances: Clearances = [],
    mode: Annotated[str, typer.Option("--mode", help=f"{', '.join(MODES)}.")] = "one",
    engine: Engine = "auto",
    seconds: Seconds = 30.0,
    expansions: Expansions = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Print the one tool that an agent may use next, why, and what follows."""
    wanted = together(goal)
    check_wanted(wanted, request, candidates, ranker)
    caller = caller_of(roles, scopes, tenant, environment, clearances)
    with reporting(as_json=as_json):
        loaded, given, limit = load_for(domain, caller), read_state(state), limit_of(seconds, expansions)
        now = frontier(
            loaded,
            state=given,
            goal=wanted or None,
            request=request or None,
            candidates=read_candidates(candidates),
            ranker=reader_of(request, domain, loaded, ranker),
            forbid=forbid,
            exhausted=exhausted,
            mode=cast(Mode, mode),
            engine=engine,
            limit=limit,
        )
        shared = None
        if now.reading is not None and goal_doubted(now.signals):
            shared = steps_before_question(loaded, now.reading, state=given, forbid=forbid, exhausted=exhausted, engine=engine, limit=limit)
    if as_json:
        show_json(now.to_dict() | ({"before_question": [str(step) for step in shared.steps]} if shared else {}))
    else:
        for line in [*_lines(now), *(_before(shared) if shared else [])]:
            say(line)
    if isinstance(now.decision, Blocked):
        raise typer.Exit(Exit.NO_PLAN)
    if isinstance(now.decision, Undecided):
        raise typer.Exit(Exit.LIMIT)


def _goal(now: Frontier) -> str:
    """What is wanted; in doubt, the goal whose plan is shown is only one of those that are still open."""
    wanted = ", ".join(wanted.label for wanted in now.planned.problem.wanted)
    if not wanted:
        return "open"
    return f"open; shown is the way to {wanted}" if goal_doubted(now.signals) else wanted


def _lines(now: Frontier) -> list[str]:
    """A decision for people."""
    problem = now.planned.problem
    shown = ", ".join(now.tools) or "nothing"
    head = [
        f"state:   {_state(problem.state)}",
        *_read(now),
        f"goal:    {_goal(now)}",
        f"tools:   {len(problem.domain.tools)} in, {len(now.tools)} visible" + (f" (mode {now.mode})" if now.mode != "one" else ""),
        f"visible: {typer.style(shown, bold=True)}",
        *([f"steps:   {', '.join(map(str, now.steps))}"] if now.mode in ("ties", "parallel", "recovery") and now.steps else []),
        *([f"untold:  {', '.join(map(str, now.undecided))}, by the limit"] if now.undecided else []),
    ]
    match now.decision:
        case Act(_, step, best, why):
            tool = problem.domain.tools[step.action]
            call = f"call:    {step}" + (f", as {tool.call_name}" if tool.call_name != tool.name else "")
            return [*head, call, f"why:     {why.replace('`', '')}", *_rest(now, best)]
        case Instruct(instruction, performer, step, best):
            return [*head, f"{performer.value + ':':<8} {instruction} ({step})", *_rest(now, best)]
        case Clarify(GoalQuestion(text, options)):
            return [*head, f"ask:     {text}", *(f"         - {option.text}" for option in options)]
        case Clarify(EntityQuestion(text, _, choices)):
            return [*head, f"ask:     {text}", *(f"         - {choice}" for choice in choices)]
        case Clarify(question, best):
            asked = question.text.replace("\n", "\n         ")
            return [*head, f"ask:     {asked}", *_rest(now, best)]
        case Explore(_, why):
            return [*head, f"explore: {why}"]
        case Done():
            return [*head, "done:    everything that is wanted is known"]
        case Blocked(missing, hint):
            blamed = f"nothing can add {', '.join(map(str, missing))}" if missing else "no order of the tools works"
            return [*head, f"blocked: {blamed}", f"help:    {hint.replace('`', '')}"]
        case Undecided(best, bound, limit):
            found = f"best so far: {', '.join(map(str, best.steps))}" if best else "no plan found yet"
            return [*head, f"undecided: stopped after {limit}; {found}; at least {numeral(bound)}"]


def _read(now: Frontier) -> list[str]:
    """What the request was taken for, and what is doubtful in it."""
    if now.reading is None:
        return []
    shown = [(" and ".join(candidate.goals), candidate.p) for candidate in now.reading.candidates if candidate.p >= SHOWN]
    return [
        f"reading: {', '.join(f'{name} {p:.2g}' for name, p in [*shown, ('none', now.reading.none)])}",
        *(f"doubt:   {signal.doubt.value}: {signal.detail.replace('`', '')}" for signal in now.signals),
        *(f"left:    {' and '.join(left.candidate.goals)} is {left.why.value}: {left.detail}" for left in now.left),
    ]


def _before(shared: SharedPrefix) -> list[str]:
    """What can be done before the goal must be known."""
    count = len(shared.steps)
    steps = f"{'' if shared.longest else 'at least '}{count} step{'' if count == 1 else 's'}"
    return [f"shared:  {steps} before the question{': ' if count else ''}{', '.join(map(str, shared.steps))}"]


def _state(state: State) -> str:
    parts = [
        *map(str, sorted(state.known)),
        *(f"{atom}?" for atom in sorted(state.uncertain)),
        *(f"not {atom}" for atom in sorted(state.denied)),
    ]
    return ", ".join(parts) or "nothing known"


def _rest(now: Frontier, best: Plan) -> list[str]:
    then = ", ".join(map(str, best.steps[1:]))
    proof = f"proof:   {summary(best)}, proved optimal by {getattr(now.planned.solution, 'engine', '')}"
    return [*([f"then:    {then}"] if then else []), proof]
