"""`toolplan plan`: the whole best plan."""

from __future__ import annotations

from typing import Annotated

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
from toolplan.cli.output import reporting, say, show_findings, show_json
from toolplan.cli.wanted import CandidateTexts, RankerName, RequestText, check_wanted, read_candidates, reader_of
from toolplan.domain import Ask
from toolplan.frontier import Planned, assumes, plan
from toolplan.frontier.verification import Agreed, Disagreed, NotVerified, Verdict, second_opinion, verdict_to_dict, verify
from toolplan.language.numerals import numeral
from toolplan.planning.plans import Bounded, Optimal, Plan, Undecided, Unreachable

EXAMPLE = "Example: toolplan plan workspace --state date,event_description,new_time --goal move_event"


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
    engine: Engine = "auto",
    seconds: Seconds = 30.0,
    expansions: Expansions = 1_000_000,
    verified: Annotated[bool, typer.Option("--verify", help="Let a second engine solve it too, and compare.")] = False,
    verifier: Annotated[str, typer.Option("--verify-with", metavar="ENGINE", help="The second engine.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Print the plan of least score from a state to a goal, and who proved it."""
    wanted = together(goal)
    check_wanted(wanted, request, candidates, ranker)
    limit, caller = limit_of(seconds, expansions), caller_of(roles, scopes, tenant, environment, clearances)
    verdict = None
    with reporting(as_json=as_json):
        contracts = load_for(domain, caller)
        planned = plan(
            contracts,
            state=read_state(state),
            goal=wanted or None,
            request=request or None,
            candidates=read_candidates(candidates),
            ranker=reader_of(request, domain, contracts, ranker),
            forbid=forbid,
            exhausted=exhausted,
            engine=engine,
            limit=limit,
        )
        if verified or verifier:
            verdict = verify(planned, verifier, limit) if verifier else second_opinion(planned, limit)
    report(planned, verdict, as_json=as_json)


def report(planned: Planned, verdict: Verdict | None, *, as_json: bool) -> None:
    """Print a plan, and what a second engine says of it if one was asked; exit with the code that fits. A disagreement weighs most."""
    if as_json:
        show_json(planned.to_dict() | ({"verification": verdict_to_dict(verdict)} if verdict is not None else {}))
    else:
        for line in lines(planned):
            say(line)
        if verdict is not None:
            _show(verdict)
    if isinstance(verdict, Disagreed):
        raise typer.Exit(Exit.DISAGREEMENT)
    if isinstance(planned.solution, Unreachable):
        raise typer.Exit(Exit.NO_PLAN)
    if isinstance(planned.solution, Undecided | Bounded):
        raise typer.Exit(Exit.LIMIT)


def _show(verdict: Verdict) -> None:
    match verdict:
        case Agreed(engine, proved):
            say(f"verified by {engine}: {proved} too")
        case NotVerified(engine, reason):
            say(f"not verified by {engine}: {reason}")
        case Disagreed(_, diagnostic):
            show_findings([diagnostic])


def lines(planned: Planned) -> list[str]:
    """A plan for people."""
    match planned.solution:
        case Optimal() if not planned.problem.wanted:
            return ["nothing is planned: no goal fits"]
        case Optimal(best, engine):
            proof = f"proved optimal by {engine}" if best.steps else "the goal holds already"
            return [*_steps(planned, best), f"{summary(best)}, {proof}"]
        case Bounded(best, bound, engine, _):
            return [*_steps(planned, best), f"{summary(best)}, by {engine}; not proved, at least {numeral(bound)}"]
        case Unreachable(missing, engine):
            blamed = f"nothing can add {', '.join(map(str, missing))}" if missing else "no order of the tools works"
            return [f"unreachable: {blamed} (proved by {engine})"]
        case Undecided(bound, engine, limit):
            return [f"undecided: {engine} stopped after {limit}; a plan would score at least {numeral(bound)}"]
        case _:
            return []


def _steps(planned: Planned, best: Plan) -> list[str]:
    domain = planned.problem.domain
    rows = []
    for position, step in enumerate(best.steps, start=1):
        action = domain.action(step.action)
        kind = "ask" if isinstance(action, Ask) else domain.risk_of(action).name
        rows.append((f"{position}.", str(step), kind, numeral(domain.score_of(action))))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    hopes = [f"  assuming {', '.join(hoped)}" if (hoped := assumes(planned.problem, step)) else "" for step in best.steps]
    return [
        f"{row[0]:>{widths[0]}} {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]:>{widths[3]}}{hope}"
        for row, hope in zip(rows, hopes, strict=True)
    ]


def summary(best: Plan) -> str:
    """Score and length in words."""
    return f"score {numeral(best.score)}, {len(best.steps)} step{'' if len(best.steps) == 1 else 's'}"
