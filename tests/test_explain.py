"""Why this tool, and why not that one: each reason by a small domain, and what holds of all of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest
from commands import Ran, run
from hypothesis import given, reject, settings
from strategies import Drawn, problems

import toolplan
from toolplan import Domain, DomainError, Limit, frontier, load, loads, plan
from toolplan.checks.explain import why, why_not
from toolplan.checks.needs import Standing, needs, unmet
from toolplan.checks.reasons import (
    AlreadyTrue,
    Chosen,
    DeadEnd,
    Exhausted,
    ForbiddenByCall,
    GoalReached,
    GoalUnreachable,
    NotCompared,
    NotExecutable,
    NothingToActOn,
    OnBestPlanLater,
    OnNoBestPlan,
    Preference,
    Reason,
    Tied,
)
from toolplan.cli.exits import Exit
from toolplan.frontier import Planned
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Optimal, Step
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import applicable, successor

FAST = {"engine": "uniform-cost", "limit": Limit(seconds=60)}
SMALL = {"engine": "uniform-cost", "limit": Limit(expansions=2_000, seconds=60)}
GIVEN = "date, event_description, new_time"

DESK = """
type file  type person
fact topic "what it is about"  fact person_named  fact address  fact text  fact draft  fact sent  fact note
fact described(file)  fact found(file)  fact shared(file, person)  fact private(file) closed
tool look_up { "Find the address." requires person_named produces address risk read }
tool write { "Draft a mail." requires topic, text produces draft risk draft }
tool send { "Send it." requires draft, address produces sent risk send }
tool remember { requires topic produces note risk read }
tool search(f: file) { requires described(f) produces found(f) risk read }
tool share(f: file, p: person) { requires found(f), not private(f) produces shared(f, p) risk share confirm by owner }
tool open_up(f: file) { requires found(f) removes private(f) risk write }
ask who { "Who should get it?" produces address cost 5 }
goal mail { "Send a mail." achieves sent given topic, text }
policy { always visible remember }
"""


@pytest.fixture(scope="module")
def desk() -> Domain:
    return loads(DESK)


@pytest.fixture(scope="module")
def workspace() -> Domain:
    return load("workspace")


def reason(domain: Domain, action: toolplan.planning.inputs.Words, **call: object) -> Reason:
    return why_not(plan(domain, **{**FAST, **call}), action, **FAST).reason


def planned_of(drawn: Drawn) -> Planned:
    """What was drawn, planned; draws that contradict themselves are no examples."""
    try:
        return plan(loads(drawn.domain), state=drawn.state, goal=drawn.goal, **SMALL)
    except DomainError:
        reject()


# Why


def test_the_chain_leads_from_the_next_step_to_the_goal(workspace: Domain) -> None:
    found = why(frontier(workspace, state=GIVEN, goal="move_event", **FAST))
    assert found.lines == (
        "`search_events` is next: it starts a plan to `move_event`, and none scores less than 3",
        "  `search_events` makes `event_id` known, which `update_event` requires",
        "  `update_event` makes `event_updated` known, which the goal asks for",
    )
    assert [(cause.step.action, cause.consumer) for cause in found.chain] == [
        ("search_events", Step("update_event")),
        ("update_event", None),
    ]


def test_a_step_that_clears_the_way_has_a_cause_too(desk: Domain) -> None:
    found = why(plan(desk, state="found(plan), private(plan)", goal="shared(plan, anna)", **FAST))
    assert str(found.chain[0]) == "`open_up(plan)` makes `private(plan)` false, without which `share(plan, anna)` could not run"


def test_a_rival_is_named_with_the_rule_that_it_lost_by(desk: Domain) -> None:
    found = why(plan(desk, state="topic, text, person_named", goal="mail", **FAST))
    assert found.rivals == ((Step("write"), Preference.RISK),)
    assert found.lines[-1] == "  `write` could come first as well; `look_up` goes before it: it is of lower risk"


@pytest.mark.parametrize(
    ("call", "start"),
    [
        ({"state": "sent, topic, text", "goal": "mail"}, "nothing is left to do"),
        ({"goal": "note", "forbid": ["remember"]}, "no step leads to the goal: nothing can add `note`"),
        ({"state": "topic", "goal": "mail", "limit": Limit(expansions=1)}, "the next step is undecided: 1 expansions"),
    ],
)
def test_no_next_step_is_explained_as_well(desk: Domain, call: dict[str, object], start: str) -> None:
    found = why(plan(desk, **{**FAST, **call}))
    assert found.lines[0].startswith(start)
    assert found.chain == ()


@settings(max_examples=60, deadline=None)
@given(problems())
def test_every_chain_starts_at_the_next_step_and_ends_at_the_goal(drawn: Drawn) -> None:
    planned = planned_of(drawn)
    found = why(planned)
    json.dumps(found.to_dict())
    if found.chain:
        assert found.chain[-1].consumer is None
        assert [cause.consumer for cause in found.chain[:-1]] == [cause.step for cause in found.chain[1:]]
        assert applicable(planned.problem, planned.problem.state, found.chain[0].step)


# Why not


def test_chosen(workspace: Domain) -> None:
    assert reason(workspace, "search_events", state=GIVEN, goal="move_event") == Chosen()


def test_later_on_the_best_plan(desk: Domain) -> None:
    found = reason(desk, "send", state="topic, text, person_named", goal="mail")
    assert isinstance(found, OnBestPlanLater)
    assert found.position == 3
    assert {need.condition for need in found.waits_for} == {"draft", "address"}


def test_a_step_that_can_run_but_would_spoil_the_rest_comes_later() -> None:
    domain = loads(
        """
        fact key closed  fact a  fact b
        tool use { requires key produces a risk read }
        tool drop { requires key produces b removes key risk read }
        """
    )
    found = reason(domain, "drop", state="key", goal="a, b")
    assert isinstance(found, OnBestPlanLater)
    assert found.waits_for == ()
    assert "would spoil the rest" in found.lines[0]


def test_already_true(desk: Domain) -> None:
    assert reason(desk, "look_up", state="address, topic, text", goal="mail") == AlreadyTrue((Atom("address"),))


def test_not_executable_says_what_would_make_each_atom_known(desk: Domain) -> None:
    found = reason(
        desk, "share(plan, anna)", state="described(plan), private(plan), topic, text, shared(plan, bob)", goal="shared(plan, anna), sent"
    )
    assert isinstance(found, OnBestPlanLater)
    found = reason(desk, ("share", "plan", "anna"), state="described(plan), private(plan), topic, text, shared(plan, anna)?", goal="draft")
    assert isinstance(found, NotExecutable)
    assert [(n.condition, n.standing, n.makers) for n in unmet(found.needs)] == [
        ("found(plan)", Standing.UNKNOWN, ("search",)),
        ("not private(plan)", Standing.KNOWN, ("open_up",)),
    ]
    assert not found.leads_on
    assert "  `found(plan)`: unknown; `search` would make it so" in found.lines


@pytest.mark.parametrize(("state", "standing"), [("draft?", Standing.UNCERTAIN), ("not draft", Standing.FALSE), ("", Standing.UNKNOWN)])
def test_the_standing_of_an_atom(desk: Domain, state: str, standing: Standing) -> None:
    problem = build(desk, state, "mail")
    assert needs(problem, Step("send"))[0].standing is standing


def test_on_no_best_plan(desk: Domain) -> None:
    found = reason(desk, "who", state="topic, text, person_named", goal="mail")
    assert isinstance(found, OnNoBestPlan)
    assert (found.extra, found.leads_on) == (Fraction(4), True)
    assert found.plan == (Step("who"), Step("write"), Step("send"))
    useless = reason(desk, "remember", state="topic, text, person_named", goal="mail")
    assert isinstance(useless, OnNoBestPlan)
    assert (useless.extra, useless.leads_on) == (Fraction(1), False)


def test_a_plan_of_the_same_score_with_more_steps_is_no_best_plan() -> None:
    domain = loads("fact a fact b  tool t { produces a risk read }  tool free { produces b cost 0 risk read }")
    found = reason(domain, "free", goal="a")
    assert isinstance(found, OnNoBestPlan)
    assert (found.extra, found.longer) == (0, 1)
    assert "1 more step than" in found.lines[0]


def test_dead_end() -> None:
    domain = loads(
        "fact key closed fact a fact b  tool t { requires key produces a risk read }  tool burn { requires key produces b removes key risk read }"
    )
    found = reason(domain, "burn", state="key", goal="a")
    assert isinstance(found, DeadEnd)
    assert [str(fluent) for fluent in found.missing] == ["key"]


def test_tied_with_a_step_of_the_same_plan(desk: Domain) -> None:
    assert reason(desk, "write", state="topic, text, person_named", goal="mail") == Tied(Step("look_up"), Preference.RISK)


def test_tied_with_a_step_of_another_plan() -> None:
    domain = loads("fact a  tool one { produces a risk read }  tool other { produces a risk read }")
    planned = plan(domain, goal="a", **FAST)
    rival = "other" if planned.steps == (Step("one"),) else "one"
    assert why_not(planned, rival, **FAST).reason == Tied(planned.steps[0], Preference.ENGINE)


@pytest.mark.parametrize("name", ["send", "share"])
def test_forbidden_by_name_or_level(desk: Domain, name: str) -> None:
    found = reason(desk, name, state="topic, text, address", goal="mail", forbid=["send", "share"])
    assert found == ForbiddenByCall(name, name)


def test_exhausted(desk: Domain) -> None:
    call = {"state": "described(plan), described(report)", "goal": "found(plan)"}
    assert reason(desk, "search(report)", exhausted=["search(report)"], **call) == Exhausted(Step("search", ("report",)))
    assert reason(desk, "search", exhausted=["search(report)"], **call) == Chosen()


def test_nothing_to_act_on(desk: Domain) -> None:
    found = reason(desk, "share", state="topic, found(plan)", goal="mail", forbid=[])
    assert isinstance(found, NothingToActOn)
    assert [parameter.name for parameter in found.parameters] == ["p"]


def test_goal_reached(desk: Domain) -> None:
    assert reason(desk, "write", state="sent, topic, text", goal="mail") == GoalReached()


def test_goal_unreachable(desk: Domain) -> None:
    found = reason(desk, "remember", state="topic, address", goal="sent", forbid=["write"])
    assert isinstance(found, GoalUnreachable)
    assert [str(fluent) for fluent in found.missing] == ["draft"]
    assert "forbids" in found.remedy


def test_not_compared(desk: Domain) -> None:
    planned = plan(desk, state="topic, text, person_named", goal="mail", **FAST)
    small = Limit(expansions=1)
    assert isinstance(why_not(planned, "who", engine="uniform-cost", limit=small).reason, NotCompared)
    undecided = plan(desk, state="topic, text, person_named", goal="mail", engine="uniform-cost", limit=small)
    assert isinstance(why_not(undecided, "who", **FAST).reason, NotCompared)


def test_without_arguments_the_nearest_step_is_explained(desk: Domain) -> None:
    planned = plan(desk, state="described(a), found(b), private(b), shared(c, anna), topic, text, person_named", goal="mail", **FAST)
    found = why_not(planned, "share", **FAST)
    assert found.step == Step("share", ("a", "anna")) or len(unmet(needs(planned.problem, found.step))) == 1
    nearest = min(len(unmet(needs(planned.problem, Step("share", (f, "anna"))))) for f in "abc" if f != "c")
    assert isinstance(found.reason, NotExecutable)
    assert len(unmet(found.reason.needs)) == nearest == 1


def test_remarks(desk: Domain) -> None:
    now = frontier(desk, state="found(plan), private(plan), topic", goal="shared(plan, anna)", **FAST)
    assert [str(remark) for remark in why_not(now, "share", **FAST).remarks] == ["risk `share`: `owner` confirms every call"]
    assert [str(remark) for remark in why_not(now, "remember", **FAST).remarks] == [
        "it is visible all the same: the policy shows it at every step"
    ]


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        ("serch", "TP108", "did you mean `search`?"),
        ("search(plan, report)", "TP105", "write `search(file)` with one of each"),
        ("search(plam)", "TP107", "did you mean `plan`?"),
        ("search(anna)", "TP106", "did you mean `plan`?"),
        ("search(plan), send", "TP407", "ask again for each"),
        ("search(", "TP001", ""),
    ],
)
def test_unknown_names_are_diagnostics(desk: Domain, words: str, code: str, hint: str) -> None:
    planned = plan(desk, state="described(plan)", goal="shared(plan, anna)", **FAST)
    with pytest.raises(DomainError) as caught:
        why_not(planned, words, **FAST)
    assert [finding.code.number for finding in caught.value.diagnostics] == [code]
    assert not hint or caught.value.diagnostics[0].hint == hint


# What holds of all


def test_every_tool_of_the_workspace_has_one_reason(workspace: Domain) -> None:
    now = frontier(workspace, state=GIVEN, goal="move_event", **FAST)
    best = now.planned.score
    assert best is not None
    chosen = []
    for name in (*workspace.tools, *workspace.asks):
        found = why_not(now, name, **FAST)
        assert isinstance(found.reason, get_args(Reason))
        assert found.reason.lines
        assert found.reason.remedy
        json.dumps(found.to_dict())
        chosen += [name] if isinstance(found.reason, Chosen) else []
        if isinstance(found.reason, OnNoBestPlan):
            assert found.reason.extra == brute_force(now.planned.problem, found.step) - best
    assert chosen == ["search_events"]


def brute_force(problem: toolplan.planning.problem.Problem, step: Step) -> Fraction:
    """What the best plan that starts with `step` scores, by the oracle over every step there is."""
    after = replace(problem, state=successor(problem, problem.state, step))
    solution = uniform_cost(after, list(after.steps()), Limit(expansions=200_000, seconds=120))
    assert isinstance(solution, Optimal)
    return problem.domain.score_of(problem.domain.action(step.action)) + solution.plan.score


@settings(max_examples=60, deadline=None)
@given(problems())
def test_reasons_agree_with_the_semantics_and_with_a_replan(drawn: Drawn) -> None:
    planned = planned_of(drawn)
    domain = planned.problem.domain
    problem = planned.problem
    for step in problem.steps():
        assert applicable(problem, problem.state, step) is (not unmet(needs(problem, step)))
    for name in (*domain.tools, *domain.asks):
        found = why_not(planned, name, **SMALL)
        json.dumps(found.to_dict())
        runs = applicable(problem, problem.state, found.step)
        if isinstance(found.reason, NotExecutable):
            assert not runs
        if isinstance(found.reason, OnNoBestPlan | DeadEnd | Tied | Chosen | GoalUnreachable | NotCompared):
            assert runs
        if isinstance(found.reason, OnNoBestPlan):
            after = replace(problem, state=successor(problem, problem.state, found.step))
            solution = uniform_cost(after, list(after.steps()), Limit(expansions=20_000, seconds=60))
            assert isinstance(solution, Optimal)
            assert planned.score is not None
            own = domain.score_of(domain.action(name))
            assert found.reason.extra == own + solution.plan.score - planned.score
            assert (found.reason.extra, found.reason.longer) > (0, 0)


# The command


def explain(*arguments: str) -> Ran:
    return run("explain", *arguments)


CALL = ("workspace", "--state", GIVEN, "--goal", "move_event", "--engine", "uniform-cost")


def test_the_command_explains_the_next_step_and_others() -> None:
    assert "which `update_event` requires" in explain(*CALL).stdout
    assert "it is step 2 of the best plan" in explain(*CALL, "--why-not", "update_event").stdout
    data = json.loads(explain(*CALL, "--why-not", "delete_event", "--json").stdout)
    assert (data["action"], data["reason"]) == ("delete_event", "not_executable")
    assert data["needs"] == [{"condition": "event_id", "standing": "unknown", "met": False, "makers": ["search_events"]}]
    assert json.loads(explain(*CALL, "--json").stdout)["chain"][0]["makes"] == ["event_id known"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["workspace"], Exit.USAGE, "`workspace` is a domain; add `--goal`"),
        (["TP101", "--goal", "move_event"], Exit.USAGE, "`TP101` is a code; leave `--goal` away"),
        (["workspace", "--why-not", "send_email"], Exit.USAGE, "add `--goal`"),
        (["TP101", "--state", "date"], Exit.USAGE, "add `--goal`"),
        (["TP1O1"], Exit.USAGE, "there is no code `TP1O1`; did you mean `TP101`?"),
        (["workspce", "--goal", "move_event"], Exit.INPUT, "TP601"),
        ([*CALL, "--why-not", "dlete_event"], Exit.INPUT, "did you mean `delete_event`?"),
        ([*CALL, "--forbid", "update_event"], Exit.NO_PLAN, ""),
        ([*CALL, "--expansions", "1"], Exit.LIMIT, ""),
        ([*CALL, "--expansions", "1", "--why-not", "check_availability"], Exit.LIMIT, ""),
        ([*CALL, "--forbid", "update_event", "--why-not", "update_event"], Exit.OK, ""),
    ],
)
def test_the_command_says_what_does_not_fit(arguments: list[str], code: Exit, message: str) -> None:
    ran = explain(*arguments)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert message in ran.stderr
