"""The routing funnel: suites, what each layer counts, closest negatives, harmless changes, the report and the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

import toolplan
from toolplan.bench.choosers import Answer, Called, Choice, Chooser, Nothing, Turn, Unreadable
from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.funnel.changes import STALE, Contracts, changes
from toolplan.bench.funnel.evaluating import Evaluation, Evaluator
from toolplan.bench.funnel.figures import layers, operating, p95, pairs, repeated
from toolplan.bench.funnel.flips import compared, decisions, own
from toolplan.bench.funnel.keeping import Kept
from toolplan.bench.funnel.likeness import Negatives
from toolplan.bench.funnel.menus import Menu, everything, menus, next_steps
from toolplan.bench.funnel.page import page
from toolplan.bench.funnel.reading import read_suite
from toolplan.bench.funnel.records import Layer, Measured, Run
from toolplan.bench.funnel.running import run
from toolplan.bench.funnel.suite import Policy, Suite, Task
from toolplan.catalog import NO_TOOLS, Catalog, RealTool
from toolplan.cli.eval import command
from toolplan.domain import Domain, superseders
from toolplan.language.source import Source
from toolplan.planning.inputs import build_scenario
from toolplan.retrieval import scorer

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "suites" / "refunds.jsonl"
REFUNDS = toolplan.load("refunds")
SHIPPED = sorted(path.stem for path in (ROOT / "domains").glob("*.toolplan"))
OVERLAP = scorer("overlap")
FRONTIER = Menu("frontier", next_steps)
ALL = Menu("all", everything)

TESTS = 12
"""Of each domain; all of them give the same, and take too long."""

SHOP = toolplan.loads("""
domain shop "A small shop"
fact order: text "the number of the order"
fact found
fact refunded
fact credited
fact person_called
tool find_order {
  "Find an order." scopes "read" requires order passes number = order produces found returns found = $.id risk read
}
tool refund {
  "Give the money of an order back." scopes "pay" requires found, order passes number = order, note free
  produces refunded risk write use when "the money is to go back" do not use when "a credit is wanted"
}
tool credit { "Give a credit for an order." scopes "pay" requires found, order passes number = order produces credited risk write }
tool call_person { "Hand over to a person." produces person_called risk read }
goal refund { "Have it refunded." achieves refunded given order }
goal credit { "Have a credit." achieves credited given order }
policy {
  risk read 0 safe, write 1 confirm
  always visible call_person
  budget 1 to 2
  widen when no choice
}
""")
IDENTITY = {"subject": "ann", "scopes": ["read", "pay"]}
REFUND = {
    "id": "refund",
    "request": "give the money back",
    "identity": IDENTITY,
    "state": {"order": "A1"},
    "goals": ["refund"],
    "gold": ["find_order", "refund"],
    "queries": ["find the order", "give the money of the order back"],
    "policy": {"refund": "confirm"},
    "prohibited": ["credit"],
    "results": {"find_order": [{"returns": {"id": "A1"}}]},
    "tags": ["common"],
}
NO_SUCH_TOOL = {"id": "weather", "request": "will it rain?", "identity": IDENTITY, "prohibited": ["refund"], "tags": ["missing tool"]}


class Scripted:
    """Says one thing after the other: a call without arguments by its name, or any answer."""

    name = "scripted"

    def __init__(self, *says: str | Answer) -> None:
        self._says = iter(says)
        self.seen: list[Turn] = []

    def choose(self, turn: Turn) -> Choice:
        self.seen.append(turn)
        said = next(self._says)
        return Choice(Called(said, {}) if isinstance(said, str) else said, 10, 2)


class Knowing:
    """Takes what is gold among what it is shown, the first that it has not just called; what a model has to make up it makes up."""

    name = "knowing"

    def __init__(self, domain: Domain, suite: Suite) -> None:
        self._gold = {task.request: {domain.tools[name].call_name for step in task.gold for name in step} for task in suite.tasks}

    def choose(self, turn: Turn) -> Choice:
        gold = self._gold[turn.request.partition("\n")[0]]
        tool = next((tool for tool in turn.callable if tool.name in gold), None)
        if tool is None:
            return Choice(Nothing("there is no tool for that"), 0, 0)
        made_up = tool.schema.get("required")
        return Choice(Called(tool.name, dict.fromkeys(made_up if isinstance(made_up, list) else [], "any")), 0, 0)


class First:
    """Takes the first that it is shown, whatever it is."""

    name = "first"

    def choose(self, turn: Turn) -> Choice:
        return Choice(Called(turn.callable[0].name, {}), 0, 0)


def suite_of(*lines: Mapping[str, object], domain: Domain = SHOP) -> Suite:
    return read_suite(Source("suite", "\n".join(map(json.dumps, lines))), domain)


def ran(chooser: Chooser, menu: Menu = ALL, **changed: object) -> Run:
    (task,) = suite_of({**REFUND, **changed}).tasks
    return run(SHOP, task, menu, chooser, lambda: 0.0).run


def passed(of: Run) -> list[dict[str, bool]]:
    return [{layer.name: held for layer, held in look.passed.items()} for look in of.rounds]


RIGHT = {"COVERAGE": True, "RECALL": True, "SELECTION": True, "ARGUMENTS": True, "POLICY": True}


@pytest.fixture(scope="module")
def example() -> Suite:
    return read_suite(Source(str(EXAMPLE), EXAMPLE.read_text("utf-8")), REFUNDS)


# Suites


def test_a_suite_is_read_as_it_is_written() -> None:
    suite = suite_of(REFUND, {"paraphrases": {"refund": "Pay it back."}}, {**REFUND, "id": "two", "gold": [["find_order", "call_person"]]})
    task, other = suite.tasks
    assert (task.gold, other.gold) == ((frozenset({"find_order"}), frozenset({"refund"})), (frozenset({"find_order", "call_person"}),))
    assert task.policy == {"refund": Policy.CONFIRM}
    assert (task.query(1), other.query(7)) == ("give the money of the order back", "give the money back")
    assert task.principal == toolplan.Principal("ann", scopes=frozenset({"read", "pay"}))
    assert (dict(suite.paraphrases), suite.gold) == ({"refund": "Pay it back."}, {"find_order", "refund", "call_person"})


def test_every_bad_line_is_reported() -> None:
    lines = [
        "no json",
        "[1]",
        '{"id": "a"}',
        json.dumps({**REFUND, "gold": "refund"}),
        json.dumps({**REFUND, "gold": [[]]}),
        json.dumps({**REFUND, "policy": {"refund": "maybe"}}),
        json.dumps({**REFUND, "results": {"refund": [{"gives": 1}]}}),
        json.dumps({**REFUND, "identity": {"name": "x"}}),
        json.dumps({**REFUND, "colour": "red"}),
        json.dumps({**REFUND, "gold": ["refnd"]}),
        json.dumps({**REFUND, "id": "b", "goals": ["refnd"]}),
        json.dumps({**REFUND, "id": "b"}),
        json.dumps({**REFUND, "id": "c", "prohibited": ["refund"]}),
        "[" * 100_000,
    ]
    with pytest.raises(toolplan.DomainError) as error:
        read_suite(Source("suite", "\n\n".join(lines)), SHOP)
    found = [(finding.location.start[0], finding.message) for finding in error.value.diagnostics if finding.location]
    assert [line for line, _ in found] == [2 * number + 1 for number in range(14)]
    assert [message.removeprefix("this line is no task: ") for _, message in found[:9]] == [
        "expecting value",
        "it is no object",
        "it has no `request`",
        "`gold`: a list is wanted",
        "`gold`: a step needs a tool",
        "`policy`: allow, deny, confirm are possible",
        '`results`: a result is {"returns": VALUE} or {"fails": MESSAGE}',
        "`identity`: it has no use for `name`",
        "it has no use for `colour`",
    ]
    assert error.value.diagnostics[9].hint == "did you mean `refund`?"
    assert [message for _, message in found[11:]] == [
        "there is a task `b` already",
        "`refund` is right, and prohibited",
        "this line is no task: nested too deep",
    ]


# Layers


def test_all_layers_hold_where_everything_is_right() -> None:
    right = ran(Scripted("find_order", Called("refund", {"note": "twice"})), arguments={"refund": {"number": "A1"}})
    assert right.accepted and right.lost_at is None
    assert passed(right) == [RIGHT, RIGHT]
    assert [(look.verdict, look.outcome) for look in right.rounds] == [(Policy.ALLOW, "done"), (Policy.CONFIRM, "done")]
    assert [(probe.step, probe.tool, probe.refused) for probe in right.probes] == [(0, "credit", True), (1, "credit", True)]


@pytest.mark.parametrize(
    ("says", "changed", "layer", "at"),
    [
        (["refund"] * 3, {"identity": {"scopes": ["pay"]}}, {"COVERAGE": False}, Layer.COVERAGE),
        (["credit"] * 3, {}, {"COVERAGE": True, "RECALL": True, "SELECTION": False}, Layer.SELECTION),
        ([Nothing("")], {}, {"COVERAGE": True, "RECALL": True, "SELECTION": False}, Layer.SELECTION),
        ([Called("find_order", {"number": "B2"})] * 3, {}, RIGHT | {"ARGUMENTS": False}, Layer.ARGUMENTS),
        ([Called("find_order", {"colour": "red"})] * 3, {}, RIGHT | {"ARGUMENTS": False}, Layer.ARGUMENTS),
        (["find_order", "call_person"] * 2, {"arguments": {"find_order": {"number": "B2"}}}, RIGHT | {"ARGUMENTS": False}, None),
        (["find_order", *["call_person"] * 3], {"policy": {"find_order": "confirm"}}, RIGHT | {"POLICY": False}, Layer.SELECTION),
    ],
    ids=["coverage", "selection", "nothing", "not what is known", "not in the schema", "not what the task says", "policy"],
)
def test_a_layer_counts_only_where_the_one_before_it_held(
    says: Sequence[str | Answer], changed: Mapping[str, object], layer: dict[str, bool], at: Layer | None
) -> None:
    failed = ran(Scripted(*says), **changed)
    if layer.get("ARGUMENTS") is False:
        layer = {name: held for name, held in layer.items() if name != "POLICY"}
    assert passed(failed)[0] == layer
    assert not failed.accepted
    assert at in (None, failed.lost_at)


def test_what_is_not_shown_is_not_recalled() -> None:
    missing = ran(Scripted("call_person", "refund", "refund"), Menu("wrong", lambda moment: ("credit",)))
    assert passed(missing) == [{"COVERAGE": True, "RECALL": False}] * 3
    assert missing.lost_at is Layer.RECALL


def test_where_no_tool_is_right_none_is_to_be_chosen() -> None:
    (task,) = suite_of(NO_SUCH_TOOL).tasks
    for says, right in ((Nothing("no"), True), ("call_person", True), ("find_order", False)):
        of = run(SHOP, task, ALL, Scripted(says), lambda: 0.0).run
        assert passed(of) == [{"SELECTION": right}]
        assert of.accepted


def test_a_call_of_what_is_prohibited_is_counted_and_refused() -> None:
    tried = ran(Scripted("find_order", "credit", Called("refund", {"note": "x"})))
    assert [look.unsafe for look in tried.rounds] == [False, True, False]
    assert tried.rounds[1].verdict is Policy.DENY
    assert tried.accepted


def test_a_task_in_which_something_prohibited_was_done_is_not_accepted() -> None:
    done = ran(Scripted("call_person", "find_order", Called("refund", {"note": "x"})), prohibited=["call_person"])
    assert [look.outcome for look in done.rounds] == ["done"] * 3
    assert not done.accepted
    assert done.rounds[0].unsafe
    assert [probe.refused for probe in done.probes] == [False, False]
    policy = next(row for row in layers("all", [done]) if row.layer == Layer.POLICY.value)
    assert (policy.held, policy.cases) == (1, 3)


def test_the_same_call_again_is_no_step_forward() -> None:
    either = ["find_order", "call_person"]
    again = ran(Scripted("call_person", "call_person", "find_order", Called("refund", {"note": "x"})), gold=[either, either, "refund"])
    assert [look.step for look in again.rounds] == [0, 1, 1, 2]
    assert again.accepted


def test_a_tool_that_fails_is_tried_again() -> None:
    results = {"find_order": [{"fails": "503"}, {"returns": {"id": "A1"}}]}
    flaky = ran(Scripted("find_order", "find_order", Called("refund", {"note": "x"})), results=results)
    assert flaky.accepted
    cost = operating("all", [Measured(flaky, (0.5, 1.0, 2.0))])
    assert (cost.retries, cost.rounds, cost.calls, cost.evidence) == (1, 3, 3, 2)
    assert (cost.evidence_seconds, cost.p95) == (1.5, 2.0)
    assert operating("all", [Measured(flaky, (0.0, 0.0, 0.0))]).p95 is None
    assert cost.call_errors == pytest.approx(100 / 3)


def test_a_goal_that_is_not_reached_when_the_gold_ends_is_given_up() -> None:
    stuck = ran(Scripted("find_order", *["call_person"] * 3), gold=["find_order"], policy={})
    assert [look.step for look in stuck.rounds] == [0, 1, 1, 1]
    assert (stuck.accepted, stuck.lost_at) == (False, Layer.ACCEPTANCE)


def test_the_user_answers_what_is_asked() -> None:
    asked = ran(Scripted("find_order", Called("refund", {"note": "x"})), FRONTIER, state={}, answers={"order": "A1"})
    assert (asked.accepted, asked.clarifications) == (True, 1)
    silent = ran(Scripted(*["call_person"] * 3), FRONTIER, state={})
    assert not silent.accepted
    assert silent.clarifications >= 1


def test_a_model_is_shown_the_schema_of_the_server_or_what_contracts_say() -> None:
    (task,) = suite_of(REFUND).tasks
    schema = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}
    served = Catalog([RealTool(tool.call_name, "As served.", schema if tool.interface.passes else {}) for tool in SHOP.tools.values()])
    with_catalog, without = Scripted(Nothing("")), Scripted(Nothing(""))
    run(SHOP, task, ALL, with_catalog, lambda: 0.0, served)
    run(SHOP, task, ALL, without, lambda: 0.0)
    find, refund = with_catalog.seen[0].declared[:2]
    assert (find.schema, refund.description) == (schema, "As served.")
    find, refund = without.seen[0].declared[:2]
    assert find.schema["properties"] == {"number": {"type": "string", "description": "the number of the order (order)"}}
    assert refund.description.endswith("Use it when the money is to go back. Do not use it when a credit is wanted.")


def test_a_model_that_says_nothing_to_be_read_has_chosen_wrong() -> None:
    assert passed(ran(Scripted(Unreadable("{")))) == [{"COVERAGE": True, "RECALL": True, "SELECTION": False}]


def test_a_model_that_chooses_nothing_is_shown_more_once() -> None:
    *_, budget, _ = menus(OVERLAP)
    chooser = Scripted(Nothing(""), "find_order", Nothing(""), Nothing(""))
    widened = ran(chooser, budget, queries=["an order"] * 2)
    assert [len(look.shown) for look in widened.rounds] == [1, 2, 1, 2]
    assert not widened.accepted
    assert "Now: an order" in chooser.seen[0].text


# Figures


def test_shares_count_each_step_once_and_have_intervals() -> None:
    runs = [ran(Scripted("credit", "find_order", Called("refund", {"note": "x"}))), ran(Scripted(Nothing("")))]
    rows = {row.layer: row for row in layers("all", runs)}
    selection = rows["conditional selection"]
    assert (selection.held, selection.cases, selection.percent) == (1, 3, pytest.approx(100 / 3))
    assert (rows["acceptance"].held, rows["acceptance"].cases) == (1, 2)
    assert selection.low < 33.4 < selection.high
    assert next(row for row in layers("all", []) if row.layer == "policy accuracy").percent is None


def test_menus_are_compared_on_the_same_tasks() -> None:
    good, bad = ran(Scripted("find_order", Called("refund", {"note": "x"}))), ran(Scripted(Nothing("")))
    row = next(row for row in pairs({"one": [good] * 6, "other": [bad] * 6}) if row.layer == "acceptance")
    assert (row.tasks, row.only_first, row.only_second, row.p) == (6, 6, 0, pytest.approx(2 / 64))


def test_runs_that_differ_are_unsteady() -> None:
    good, bad = ran(Scripted("find_order", Called("refund", {"note": "x"}))), ran(Scripted(Nothing("")))
    row = repeated("all", [[good], [bad], [good]])
    assert (row.always, row.sometimes, row.decisions, row.unsteady) == (0, 1, 2, 1)


def test_the_95th_percentile_is_one_of_the_values() -> None:
    assert p95([float(value) for value in range(1, 101)]) == 95
    assert p95([3.0]) == 3


def test_the_closest_negatives_are_those_that_are_alike_and_those_that_are_named() -> None:
    suite = suite_of({**REFUND, "negatives": ["call_person"]})
    runs = [run(SHOP, task, ALL, Scripted("find_order", "credit", "credit", "credit"), lambda: 0.0).run for task in suite.tasks]
    rows = {(row.gold, row.negative): row for row in Negatives(SHOP, NO_TOOLS, suite.tasks, OVERLAP).rows("all", runs)}
    closest = rows["refund", "credit"]
    assert closest.alike > rows["refund", "call_person"].alike
    assert (closest.eligible, closest.shown, closest.chosen) == (3, 3, 3)


def test_the_most_alike_come_first(example: Suite) -> None:
    runs = [run(REFUNDS, task, ALL, Knowing(REFUNDS, example), lambda: 0.0).run for task in example.tasks if task.id == "propose-known"]
    rows = list(Negatives(REFUNDS, NO_TOOLS, example.tasks, OVERLAP).rows("all", runs))
    assert {row.gold for row in rows} == {"billing-refunds-propose"}
    assert rows[0].negative == "billing-refunds-propose-v2"
    assert {"billing-refunds-execute", "billing-credit-memos-propose"} <= {row.negative for row in rows}


# Changes


@pytest.mark.parametrize("name", changes())
def test_a_change_keeps_what_is_planned(name: str) -> None:
    suite = read_suite(Source("suite", EXAMPLE.read_text("utf-8")), REFUNDS)
    catalog = Catalog([RealTool(tool.call_name, tool.description) for tool in REFUNDS.tools.values()])
    changed = changes()[name](Contracts(REFUNDS, catalog), suite)
    assert {tool.call_name for tool in changed.domain.tools.values()} == set(changed.catalog)
    kept = [name for name in changed.domain.tools if not name.endswith(STALE)]
    assert sorted(kept) == sorted(REFUNDS.tools)
    assert changes()[name](Contracts(REFUNDS, NO_TOOLS), suite).catalog is NO_TOOLS


def test_each_change_changes_what_it_says() -> None:
    suite = suite_of(REFUND, {"paraphrases": {"credit": "Owe them less."}})
    made = {name: change(Contracts(SHOP, NO_TOOLS), suite).domain for name, change in changes().items()}
    assert made["run again"] is SHOP
    assert [tool.call_name for tool in made["renamed"].tools.values()] == ["findOrder", "Refund", "Credit", "callPerson"]
    assert list(made["reordered"].tools) == list(SHOP.tools)[::-1]
    assert [tool.description for tool in made["paraphrased"].tools.values()][:3] == [
        "Look up an order.",
        "Give the money of an order back.",
        "Owe them less.",
    ]
    assert made["without use when"].tools["refund"].evidence.use_when == ()
    assert made["stale version beside"].tools["refund"].evidence.supersedes == ("refund" + STALE,)


def test_what_is_superseded_by_its_real_name_still_is_when_it_has_another() -> None:
    domain = toolplan.loads("""
    domain d
    fact done
    tool old calls "pay-1" { "Pay." produces done risk read }
    tool new calls "pay-2" { "Pay." produces done risk read supersedes `pay-1` }
    """)
    renamed = changes()["renamed"](Contracts(domain, NO_TOOLS), Suite(())).domain
    assert [tool.call_name for tool in renamed.tools.values()] == ["pay1", "pay2"]
    assert superseders(renamed.tools) == superseders(domain.tools) == {"old": ("new",)}


def test_a_model_that_takes_the_first_flips_where_the_order_does() -> None:
    suite = suite_of(REFUND)
    reordered = changes()["reordered"](Contracts(SHOP, NO_TOOLS), suite).domain
    before, after = ([run(domain, task, ALL, First(), lambda: 0.0).run for task in suite.tasks] for domain in (SHOP, reordered))
    row, flips = compared("reordered", before, after, {})
    assert (row.decisions, row.chosen) == (1, 1)
    assert (flips[0].before, flips[0].after) == ("find_order", "credit")


@pytest.mark.parametrize("name", SHIPPED)
def test_our_own_decisions_do_not_flip(name: str) -> None:
    """Under all harmless changes at once, in every state on the ways of the first tests of every domain that ships."""
    domain = toolplan.load(name)
    starts = [build_scenario(domain, test.given, test.wanted) for test in domain.tests if test.wanted]
    before = list(decisions(domain, starts[:TESTS]))
    everything_is_gold = Suite((Task("any", "any", gold=(frozenset(domain.tools),)),))
    contracts = Contracts(domain, NO_TOOLS)
    for change in changes().values():
        contracts = change(contracts, everything_is_gold)
    assert own(before, contracts.domain) == (len(before), 0)
    assert before


def test_a_change_that_does_harm_is_seen() -> None:
    starts = [build_scenario(REFUNDS, test.given, test.wanted) for test in REFUNDS.tests if test.wanted][:1]
    before = list(decisions(REFUNDS, starts))
    harmed = replace(REFUNDS, tools={name: tool for name, tool in REFUNDS.tools.items() if name != "check_eligibility"})
    assert own(before, harmed)[1] > 0


# A whole suite


@pytest.fixture(scope="module")
def evaluated(example: Suite) -> Evaluation:
    evaluator = Evaluator(Contracts(REFUNDS, NO_TOOLS), Simulated(), OVERLAP, lambda: 0.0, lambda _: None)
    some = {name: change for name, change in changes().items() if name in ("run again", "stale version beside")}
    return evaluator.evaluate(replace(example, tasks=example.tasks[::2]), [ALL, FRONTIER], 2, some)


def test_whoever_knows_what_is_right_gets_through_the_frontier(example: Suite) -> None:
    runs = [run(REFUNDS, task, FRONTIER, Knowing(REFUNDS, example), lambda: 0.0).run for task in example.tasks]
    assert [of.task for of in runs if not of.accepted] == []
    rows = list(layers("frontier", runs))
    assert [(row.layer, row.held) for row in rows] == [(row.layer, row.cases) for row in rows]
    confirmed = {look.chosen for of in runs for look in of.rounds if look.verdict is Policy.CONFIRM}
    assert {"billing-refunds-execute", "billing-disputes-accept", "billing-subscriptions-cancel"} <= confirmed


def test_the_figures_of_a_simulation_are_always_the_same(evaluated: Evaluation, example: Suite) -> None:
    assert {row.unsteady for row in evaluated.repeats} == {0}
    assert [(row.change, row.chosen) for row in evaluated.changes if row.change == "run again"] == [("run again", 0)] * 2
    assert {row.flipped for row in evaluated.own} == {0}
    json.dumps(evaluated.to_dict())


def test_every_prohibited_tool_is_refused_with_every_menu(evaluated: Evaluation) -> None:
    probes = [probe for runs in evaluated.runs.values() for of in runs for probe in of.probes]
    assert len(probes) > 40
    assert all(probe.refused for probe in probes)


def test_the_page_stands_alone(evaluated: Evaluation) -> None:
    text = page(evaluated)
    assert page(evaluated) == text
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.seen.isdisjoint({"script", "link", "img", "iframe"})
    assert "http" not in text.replace("http-equiv", "") and "url(" not in text
    drawings = [f"<svg{part.partition('</svg>')[0]}</svg>" for part in text.split("<svg")[1:]]
    assert len(drawings) == 3
    for drawing in drawings:
        root = ElementTree.fromstring(drawing)
        assert root.get("role") == "img"
        assert {root[0].get("id"), root[1].get("id")} == set(str(root.get("aria-labelledby")).split())
    assert "prefers-color-scheme: dark" in text and '<html lang="en">' in text


def test_names_cannot_break_the_page(evaluated: Evaluation) -> None:
    text = page(replace(evaluated, domain="<script>alert(1)</script>", chooser="a\x1b[31m&b"))
    assert "<script" not in text and "\x1b" not in text and "&amp;b" in text


class _Tags(HTMLParser):
    """The elements that were seen, and those that were not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


# The command

APP = typer.Typer()
APP.command()(command)
ARGUMENTS = ("refunds", str(EXAMPLE), "--menus", "frontier", "--changes", "none")


def test_the_command_says_the_same_every_time(tmp_path: Path) -> None:
    first, second = (CliRunner().invoke(APP, [*ARGUMENTS, "--json", "--report", str(tmp_path / "page.html")]) for _ in range(2))
    assert first.exit_code == 0, first.output
    assert first.stdout == second.stdout
    assert set(json.loads(first.stdout)) >= {"layers", "operating", "negatives", "pairs", "flips", "runs"}
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_runs_are_kept_and_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    measured = Measured(ran(Scripted("find_order", Called("refund", {"note": "x"}))), (0.5, 0.25))
    key = ("scripted", "all", "run 1", "refund")
    assert Kept(path, "shop").run(key, lambda: measured) is measured
    assert Kept(path, "shop").run(key, lambda: pytest.fail("it was kept")) == measured
    path.write_bytes(path.read_bytes()[:-9])
    again = Measured(measured.run, (1.0, 1.0))
    assert Kept(path, "shop").run(key, lambda: again) == again
    assert Kept(path, "shop").run(key, lambda: pytest.fail("it was kept")) == again
    with pytest.raises(toolplan.DomainError, match="other tools or other tasks"):
        Kept(path, "another shop")
    path.write_text("no runs\n")
    with pytest.raises(toolplan.DomainError, match="holds no runs"):
        Kept(path, "shop")


def test_the_command_goes_on_where_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = (CliRunner().invoke(APP, [*ARGUMENTS, "--json", "--out", str(path)]).stdout for _ in range(2))
    assert first == second == CliRunner().invoke(APP, [*ARGUMENTS, "--json"]).stdout
    assert len(path.read_text("utf-8").splitlines()) == 1 + 18


def test_too_small_a_share_is_exit_code_1() -> None:
    assert CliRunner().invoke(APP, [*ARGUMENTS, "--fail-under", "coverage=1", "--fail-under", "policy=1"]).exit_code == 0
    failed = CliRunner().invoke(APP, [*ARGUMENTS, "--menus", "top-3", "--of", "top-3", "--fail-under", "acceptance=1"])
    assert failed.exit_code == 1
    assert "top-3: acceptance is" in failed.stderr
    assert "Layers" in failed.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--fail-under", "speed=1"], 2),
        (["--fail-under", "recall=2"], 2),
        (["--fail-under", "recall=x"], 2),
        (["--fail-under", "recall=1", "--of", "all"], 2),
        (["--changes", "none,some"], 2),
        (["--menus", "top-4"], 2),
        (["--scorer", "magic"], 1),
        (["--tools", "nowhere.json"], 1),
        (["--out", str(ROOT)], 1),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], code: int) -> None:
    refused = CliRunner().invoke(APP, [*ARGUMENTS, *arguments])
    assert refused.exit_code == code
    assert refused.stderr.strip()
    assert not refused.stdout
