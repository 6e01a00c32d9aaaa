"""The public calls: what they return, in which order, and what they say of a bad call."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolplan
from toolplan import Act, Blocked, Clarify, Done, Instruct, Limit, Undecided, frontier, loads, plan
from toolplan.planning.engines import ENGINES
from toolplan.planning.plans import Atom, Fluent, Status, Step

FAST = {"engine": "uniform-cost", "limit": Limit(seconds=60)}

DESK = """
fact topic "what it is about"  fact person  fact address  fact text  fact draft  fact sent
tool look_up { "Find the address." requires person produces address risk read }
tool write { "Draft a mail." requires topic, text produces draft risk draft }
tool send { "Send it." requires draft, address produces sent risk send }
tool archive { "Put it away." requires topic produces draft cost 9 risk write }
tool compose by model { "Write the text yourself." requires topic produces text verifies text risk read }
ask who { "Who should get it?" produces address cost 5 }
goal mail { "Send a mail." achieves sent given topic }
"""


def desk(state: object, goal: object = "mail", **options: object) -> toolplan.Frontier:
    return frontier(loads(DESK), state=state, goal=goal, **{**FAST, **options})


def test_act_names_the_tool_its_reason_and_the_plan() -> None:
    now = desk({"topic", "text", "address"})
    assert isinstance(now.decision, Act)
    assert now.tools == now.decision.tools == ("write",)
    assert now.decision.step == Step("write")
    assert [str(step) for step in now.decision.plan.steps] == ["write", "send"]
    assert now.decision.plan.score == Fraction(11, 2)
    assert now.decision.reason == "it makes `draft` known, which `send` requires"


def test_a_question_comes_before_any_tool() -> None:
    now = desk({"person", "text"})
    assert isinstance(now.decision, Clarify)
    assert now.decision.question.text == "What is the topic (what it is about)?"
    assert now.tools == ()


def test_looking_up_is_preferred_to_asking_where_it_is_cheaper() -> None:
    now = desk({"topic", "text", "draft", "person"})
    assert now.tools == ("look_up",)
    assert isinstance(desk({"topic", "text", "draft"}).decision, Clarify)


def test_a_step_of_the_model_is_an_instruction() -> None:
    now = desk({"topic", "address"})
    assert isinstance(now.decision, Instruct)
    assert now.decision.performer is toolplan.domain.Performer.MODEL
    assert now.decision.instruction == "Write the text yourself."


def test_of_steps_that_can_run_the_less_risky_goes_first_then_the_one_declared_first() -> None:
    domain = loads(
        """
        fact a fact b fact c fact d
        tool risky { produces a risk write }  tool second { produces b risk read }  tool third { produces c risk read }
        tool end { requires a, b, c produces d risk read }
        """
    )
    assert frontier(domain, goal="d", **FAST).tools == ("second",)
    assert frontier(domain, state="b", goal="d", **FAST).tools == ("third",)
    assert frontier(domain, state="b, c", goal="d", **FAST).tools == ("risky",)


def test_a_step_is_not_moved_to_the_front_where_that_breaks_the_plan() -> None:
    domain = loads(
        """
        fact key closed  fact a  fact b
        tool use { requires key produces a risk write }
        tool drop { produces b removes key risk read }
        """
    )
    now = frontier(domain, state="key", goal="a, b", **FAST)
    assert now.tools == ("use",)


def test_done_blocked_and_undecided_are_different_types() -> None:
    assert isinstance(desk("sent, topic").decision, Done)
    blocked = desk({"topic"}, goal="sent", forbid=["send"]).decision
    assert isinstance(blocked, Blocked)
    assert blocked.missing == (Fluent(Status.KNOWN, Atom("sent")),)
    assert "`send`, which the call forbids" in blocked.hint
    undecided = desk({"topic"}, limit=Limit(expansions=1)).decision
    assert isinstance(undecided, Undecided)
    assert undecided.plan is None
    assert undecided.limit == "1 expansions"


def test_blocked_names_a_smallest_set_of_atoms_that_nothing_can_add() -> None:
    domain = loads(
        """
        fact key  fact code  fact open  fact inside  fact x  fact y
        tool unlock { requires key, code produces open risk write }
        tool enter { requires open produces inside risk write }
        tool one { requires y produces x risk read }  tool other { requires x produces y risk read }
        """
    )
    missing = frontier(domain, state="code", goal="inside", **FAST).decision.missing
    assert [str(fluent) for fluent in missing] == ["key"]
    circle = frontier(domain, goal="x, y", **FAST).decision.missing
    assert len(circle) == 1


def test_modes_show_more_for_comparison() -> None:
    state = {"topic", "text", "address"}
    assert desk(state, mode="path").tools == ("write", "send")
    assert desk(state, mode="executable").tools == ("write", "archive")
    assert desk(state, mode="all").tools == ("look_up", "write", "send", "archive")


def test_always_visible_tools_are_counted_apart() -> None:
    domain = loads("fact a tool help { produces a cost 9 risk read } tool t { produces a risk read } policy { always visible help }")
    now = frontier(domain, goal="a", **FAST)
    assert now.tools == ("t",)
    assert now.always_visible == ("help",)
    assert frontier(domain, goal="a", mode="all", **FAST).tools == ("t",)


@pytest.mark.parametrize(
    "state",
    [
        "found(report), resolved(anna)",
        ["found(report)", "resolved(anna)"],
        [("found", "report"), ("resolved", "anna")],
        {"found(report)": True, ("resolved", "anna"): "id_7", "shared(report, anna)": None},
        {"found(report)", "resolved(anna)"},
    ],
)
@pytest.mark.parametrize(
    "goal", ["shared(report, anna)", ("shared", "report", "anna"), "give(report, anna)", ("give", "report", "anna"), ["give(report, anna)"]]
)
def test_states_and_goals_may_be_written_in_every_form(state: object, goal: object) -> None:
    domain = loads(
        """
        type file  type person  fact found(file)  fact resolved(person)  fact shared(file, person)
        tool share(f: file, p: person) { requires found(f), resolved(p) produces shared(f, p) risk share }
        goal give(f: file, p: person) { achieves shared(f, p) }
        """
    )
    now = frontier(domain, state=state, goal=goal, **FAST)
    assert isinstance(now.decision, Act)
    assert now.decision.step == Step("share", ("report", "anna"))


def test_several_goals_are_one_final_state() -> None:
    whole = plan(loads(DESK), state="topic, text, address", goal=["mail", "draft"], **FAST)
    assert [str(step) for step in whole.steps] == ["write", "send"]
    assert (whole.outcome, whole.score) == ("optimal", Fraction(11, 2))


def test_what_is_done_for_one_entity_counts_for_no_other() -> None:
    domain = loads(
        """
        type order  fact named(order)  fact eligible(order)  fact refunded(order)
        tool check(o: order) { requires named(o) produces eligible(o) risk read }
        tool refund(o: order) { requires eligible(o) produces refunded(o) risk write }
        """
    )
    now = frontier(domain, state="named(order_a), named(order_b), eligible(order_a)", goal="refunded(order_b)", **FAST)
    assert isinstance(now.decision, Act)
    assert now.decision.step == Step("check", ("order_b",))


def test_exhausted_steps_are_not_planned_again() -> None:
    assert desk({"topic", "text", "address"}, exhausted=["write"]).tools == ("archive",)
    assert desk({"topic", "text", "address"}, exhausted=[Step("write")]).tools == ("archive",)


def test_an_exhausted_name_stands_for_all_its_steps_and_arguments_for_one() -> None:
    domain = loads(
        """
        type file  fact named(file)  fact found(file)
        tool search(f: file) { requires named(f) produces found(f) risk read }
        tool list(f: file) { requires named(f) produces found(f) cost 9 risk read }
        """
    )
    for engine in ("uniform-cost", "fast-downward"):
        calls = {"state": "named(x), named(y)", "goal": "found(x), found(y)", "engine": engine, "limit": Limit(seconds=60)}
        assert frontier(domain, exhausted=["search"], **calls).tools == ("list",)
        one = plan(domain, exhausted=["search(x)"], **calls)
        assert sorted(map(str, one.steps)) == ["list(x)", "search(y)"]


def test_forbidding_a_level_of_risk_forbids_its_tools() -> None:
    blocked = desk({"topic", "text", "address"}, forbid=["send"]).decision
    assert isinstance(blocked, Blocked)


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ({"state": "redy", "goal": "mail"}, ["TP101"]),
        ({"state": "topic(x)", "goal": "mail"}, ["TP105"]),
        ({"state": "topic, not topic", "goal": "mail"}, ["TP405"]),
        ({"state": "topic,", "goal": "mail"}, ["TP001"]),
        ({"state": 3, "goal": "mail"}, ["TP408"]),
        ({"state": [3], "goal": "mail"}, ["TP408"]),
        ({"state": {"not text": False}, "goal": "mail"}, ["TP408"]),
        ({"state": {"not text": "hello"}, "goal": "mail"}, ["TP408"]),
        ({"state": [None, "redy"], "goal": "mial"}, ["TP408", "TP101", "TP401"]),
        ({"goal": "mial"}, ["TP401"]),
        ({"goal": "mail(x)"}, ["TP402"]),
        ({"goal": 7}, ["TP408"]),
        ({"goal": "sent, not sent"}, ["TP404"]),
        ({"goal": ["sent", "not sent"]}, ["TP404"]),
        ({"goal": "mail", "forbid": ["sendd"]}, ["TP406"]),
        ({"goal": "mail", "exhausted": ["wrte"]}, ["TP108"]),
        ({"goal": "mail", "exhausted": ["write(x)"]}, ["TP105"]),
        ({}, ["TP409"]),
        ({"goal": "mail", "request": "send a mail"}, ["TP409"]),
        ({"goal": "mail", "engine": "fastest"}, ["TP411"]),
        ({"goal": "mail", "limit": Limit(seconds=0)}, ["TP410"]),
        ({"goal": "mail", "limit": Limit(expansions=-1, megabytes=0)}, ["TP410", "TP410"]),
        ({"goal": "mail", "mode": "two"}, ["TP408"]),
        ({"goal": "mail", "forbid": None}, ["TP408"]),
        ({"goal": "mail", "forbid": [["send"], {}, None]}, ["TP408", "TP408", "TP408"]),
        ({"goal": "mail", "exhausted": None}, ["TP408"]),
        ({"goal": "mail", "exhausted": [5], "forbid": 5}, ["TP408", "TP408"]),
        ({"goal": "mail", "engine": None}, ["TP411"]),
        ({"goal": "mail", "limit": 5}, ["TP408"]),
        ({"goal": "mail", "limit": Limit(seconds="x", expansions=None), "engine": 5}, ["TP411", "TP410", "TP410"]),
        ({"goal": "mail", "limit": Limit(seconds=float("nan"))}, ["TP410"]),
        ({"candidates": {"mail": 0.9}, "limit": Limit(seconds="x")}, ["TP410"]),
    ],
)
def test_a_bad_call_is_a_diagnostic_and_all_that_is_wrong_is_said(call: dict[str, object], codes: list[str]) -> None:
    with pytest.raises(toolplan.DomainError) as caught:
        frontier(loads(DESK), **call)
    assert [finding.code.number for finding in caught.value.diagnostics] == codes
    assert str(caught.value)


@pytest.mark.parametrize("tried", ["send", Step("send"), ["send"], [Step("send")], [("send",)]])
def test_a_step_alone_is_a_collection_of_one(tried: object) -> None:
    assert isinstance(desk({"topic", "address"}, exhausted=tried).decision, Blocked)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seconds", [float("inf"), 1e300, 10**400])
def test_a_limit_may_be_beyond_what_an_operating_system_counts_to(engine: str, seconds: float) -> None:
    limit = Limit(seconds=seconds, megabytes=10**30)
    assert desk({"topic", "text", "address"}, engine=engine, limit=limit).planned.outcome == "optimal"


def test_goals_that_exclude_each_other_are_both_named() -> None:
    with pytest.raises(toolplan.DomainError, match="goals `sent` and `not sent` exclude each other"):
        desk({}, goal=["sent", "not sent"])


def test_an_entity_of_two_types_is_refused() -> None:
    domain = loads("type file type person fact found(file) fact resolved(person)")
    with pytest.raises(toolplan.DomainError, match="TP403"):
        frontier(domain, state="found(x), resolved(x)", goal="found(x)")


@pytest.mark.parametrize("name", ["workspace", Path("workspace.toolplan"), None])
@pytest.mark.parametrize("door", [frontier, plan, toolplan.Session])
def test_whoever_hands_in_the_name_of_a_domain_is_told_to_load_it(door: Callable[..., object], name: object) -> None:
    wanted = {} if door is toolplan.Session else {"goal": "move_event"}
    with pytest.raises(toolplan.DomainError, match=r"toolplan\.load") as raised:
        door(name, **wanted)
    assert [found.code.number for found in raised.value.diagnostics] == ["TP408"]


def test_an_entity_takes_the_narrowest_of_its_types() -> None:
    domain = loads(
        """
        type document  type invoice: document
        fact named(document)  fact paid(invoice)
        tool pay(i: invoice) { requires named(i) produces paid(i) risk write }
        """
    )
    assert frontier(domain, state="named(x)", goal="paid(x)", **FAST).tools == ("pay",)


def test_to_dict_is_json_and_says_everything() -> None:
    now = desk({"topic", "text", "address"})
    data = json.loads(json.dumps(now.to_dict()))
    assert data["decision"] == "act"
    assert data["tools"] == ["write"]
    assert data["outcome"] == "optimal"
    assert data["plan"] == {
        "steps": [
            {"action": "write", "arguments": [], "kind": "tool", "calls": "write", "risk": "draft", "score": 1.5},
            {"action": "send", "arguments": [], "kind": "tool", "calls": "send", "risk": "send", "confirm": "user", "score": 4},
        ],
        "score": 5.5,
    }
    for state, goal, kind in [
        ("sent, topic", "mail", "done"),
        ("topic", "person", "blocked"),
        ("person, text", "mail", "clarify"),
        ("topic, address", "mail", "instruct"),
    ]:
        assert json.loads(json.dumps(desk(state, goal).to_dict()))["decision"] == kind


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(st.text(), st.lists(st.text()), st.dictionaries(st.text(), st.integers()), st.integers(), st.none()),
    st.one_of(st.text(), st.lists(st.text()), st.integers()),
    st.lists(st.text(), max_size=2),
)
def test_no_input_does_more_than_raise_domain_error(state: object, goal: object, names: list[str]) -> None:
    try:
        desk(state, goal, forbid=names, exhausted=names)
    except toolplan.DomainError as error:
        assert error.diagnostics


def test_a_plan_says_what_it_assumes() -> None:
    domain = loads(
        "fact a fact b fact c tool look { produces oneof (a or (b, not c)) risk read } tool go { requires a produces c risk write }"
    )
    whole = plan(domain, goal="c", **FAST).to_dict()
    assert whole["steps"][0]["assumes"] == ["a"]
    assert "assumes" not in whole["steps"][1]


def test_a_question_without_words_asks_for_what_it_produces() -> None:
    domain = loads('fact size "how large it should be" ask q { produces size }')
    asked = frontier(domain, goal="size", **FAST).decision
    assert isinstance(asked, Clarify)
    assert asked.question.text == "What is the size (how large it should be)?"
