"""The Tool Inertia Graph: what it counts, what it predicts, what it says of itself, and that it authorises nothing."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolplan
from toolplan.frontier import Frontier
from toolplan.language.diagnostics import DomainError
from toolplan.learning.entropy import entropies, guessed, likelihood_ratios, sources, successors
from toolplan.learning.graph import Graph, Learner, Weight, learned
from toolplan.learning.ranking import by_inertia
from toolplan.learning.reports import Inertia, plots, report
from toolplan.learning.runs import KEPT_VALUES, Place, Run
from toolplan.learning.saving import from_json, merged, read_graphs, to_json
from toolplan.learning.selection import Adaptive, Fixed, Prediction, Progress, Selector, Settings
from toolplan.learning.traces import UNKNOWN, Ended, Execution, Failed, Record, Result, Returned

TOOLS = "abc"


def run(name: str, tools: str, *, success: bool = True) -> list[Record]:
    """A run of tools of one letter, without arguments."""
    return [*(Execution(name, tool, {}, Returned(None)) for tool in tools), Ended(name, success)]


def chain(*runs: str) -> Graph:
    return learned(record for number, tools in enumerate(runs) for record in run(str(number), tools))


values = st.one_of(st.sampled_from(["x1", "x2", "x3"]), st.integers(-20, 20), st.booleans(), st.none())
results = st.one_of(
    st.just(UNKNOWN),
    st.just(Failed("no")),
    st.builds(
        Returned, st.recursive(values, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["id", "q.r"]), v), max_leaves=6)
    ),
)
calls = st.tuples(st.sampled_from(TOOLS), st.dictionaries(st.sampled_from(["id", "to"]), values), results, st.integers(0, 1))
Drawn = list[tuple[list[tuple[str, dict[str, object], Result, int]], bool]]
runs_drawn = st.lists(st.tuples(st.lists(calls, max_size=8), st.booleans()), max_size=6)


def recorded(drawn: Drawn) -> list[list[Record]]:
    return [
        [*(Execution(str(number), tool, given, result, batch=batch) for tool, given, result, batch in calls), Ended(str(number), success)]
        for number, (calls, success) in enumerate(drawn)
    ]


# The graph


def test_an_edge_is_raised_by_success_and_lowered_by_failure() -> None:
    graph = learned(
        [*run("1", "ab"), *run("2", "ab"), Execution("3", "a", {}), Execution("3", "b", {}, Failed("no")), *run("4", "ab", success=False)]
    )
    assert graph.successors(("a",))["b"] == Weight(done=3, failed=1, lost=1)
    assert graph.successors(("a",))["b"].strength == 1.5
    assert Weight(failed=2).strength == 0


def test_runs_that_alternate_are_kept_apart() -> None:
    records = [record for pair in zip(run("1", "abc"), run("2", "ccc"), strict=True) for record in pair]
    assert learned(records) == learned([*run("1", "abc"), *run("2", "ccc")])


def test_an_argument_is_traced_to_the_place_where_its_value_was_last() -> None:
    graph = learned(
        [Execution("1", "find", {"q": "dentist"}, Returned({"items": [{"id": "e7"}]})), Execution("1", "move", {"id": "e7", "to": "new"})]
    )
    assert graph.sources == {Place("move", "id"): {Place("find", "$.items[*].id"): 1}}
    assert graph.required("move") == ("id", "to")


started = st.builds(
    lambda tool, given, found: Execution("1", tool, given, Returned(found), batch=3),
    st.sampled_from(TOOLS),
    st.dictionaries(st.sampled_from(["id", "to"]), values),
    st.just("y1"),
)


@given(st.lists(started, max_size=4), st.randoms())
def test_the_order_of_what_was_started_together_says_nothing(together: list[Execution], random: Random) -> None:
    before, after = Execution("1", "a", {"id": "x1"}), Execution("1", "b", {"id": "x1", "to": "y1"})
    other = random.sample(together, len(together))
    assert learned([before, *together, after]) == learned([before, *other, after])


@given(runs_drawn, st.integers(1, 3), st.randoms())
def test_graphs_of_shards_add_up_to_the_graph_of_the_whole(drawn: Drawn, shards: int, random: Random) -> None:
    runs = recorded(drawn)
    whole = learned(record for records in runs for record in records)
    parts: list[list[Record]] = [[] for _ in range(shards)]
    for records in runs:
        random.choice(parts).extend(records)
    graphs = [learned(part) for part in parts]
    random.shuffle(graphs)
    assert merged(graphs) == whole
    assert to_json(merged(graphs)) == to_json(whole)
    assert from_json(to_json(whole)) == whole


def test_a_graph_keeps_no_value() -> None:
    graph = learned(
        [Execution("1", "login", {"password": "hunter2"}, Returned({"token": "s3cret"})), Execution("1", "read", {"token": "s3cret"})]
    )
    assert "hunter2" not in to_json(graph)
    assert "s3cret" not in to_json(graph)


def test_a_run_of_any_length_is_kept_in_bounded_memory() -> None:
    so_far = Run()
    for number in range(2 * KEPT_VALUES):
        so_far.append(Execution("1", "a", {f"p{number}": f"v{number}"}, Returned([f"r{number}"])))
    assert len(so_far.values) == len(so_far.found) == KEPT_VALUES


# Saving


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the graph is no JSON"),
        ("[]", "the graph is no graph that was learned"),
        ('{"toolplan-inertia": 2}', "the graph has version 2, and this is version 1"),
        ('{"toolplan-inertia": 1}', "the graph holds what is no count of a graph"),
        (
            '{"toolplan-inertia": 1, "executions": {"a": -1}, "arguments": {}, "sequences": [], "sources": []}',
            "the graph holds what is no count of a graph",
        ),
        (
            '{"toolplan-inertia": 1, "executions": {}, "arguments": {}, "sequences": [[[], "a", 1, 0, 0]], "sources": []}',
            "the graph holds what is no count of a graph",
        ),
        (
            '{"toolplan-inertia": 1, "executions": {}, "arguments": {}, "sequences": [[["a"], "a", 1]], "sources": []}',
            "the graph holds what is no count of a graph",
        ),
    ],
)
def test_what_is_no_graph_is_told_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(DomainError) as error:
        from_json(text)
    assert [finding.message for finding in error.value.diagnostics] == [message]


def test_files_are_read_as_one_graph_and_every_bad_one_is_named(tmp_path: Path) -> None:
    for name, tools in (("1.json", "abab"), ("2.json", "bc")):
        (tmp_path / name).write_text(to_json(chain(tools)), "utf-8")
    assert read_graphs([tmp_path / "1.json", tmp_path / "2.json"]) == chain("abab", "bc")
    (tmp_path / "2.json").write_text("no", "utf-8")
    with pytest.raises(DomainError) as error:
        read_graphs([tmp_path / "0.json", tmp_path / "2.json"])
    assert len(error.value.diagnostics) == 2


# Prediction


def settled(*executions: Execution) -> Run:
    so_far = Run()
    for execution in executions:
        so_far.append(execution)
    return so_far


def test_the_rule_of_the_paper_looks_at_two_tools_and_takes_the_best_above_the_threshold() -> None:
    graph = chain("abc", "abc", "aba")
    selector = Selector(graph)
    assert selector.predict(settled(Execution("1", "b", {}))) is None
    found = selector.predict(settled(Execution("1", "a", {}), Execution("1", "b", {})))
    assert found is not None
    assert (found.tool, round(found.score, 2)) == ("c", 0.67)
    assert Selector(graph, Settings(threshold=0.7)).predict(settled(Execution("1", "a", {}), Execution("1", "b", {}))) is None


def test_the_thought_of_the_agent_has_its_part_in_the_score() -> None:
    graph = chain("abc", "abc", "aba")
    after = settled(Execution("1", "a", {}), Execution("1", "b", {}))
    selector = Selector(graph, Settings(alpha=0.5), lambda thought, tools: [float(tool in thought.split()) for tool in tools])
    assert (selector.predict(after, "now a again") or after).tool == "a"  # type: ignore[union-attr]
    assert (selector.predict(after) or after).tool == "c"  # type: ignore[union-attr]


def test_no_prediction_follows_another_and_three_in_ten_are_the_most() -> None:
    selector, progress, acted = Selector(Graph()), Progress(), []
    for _ in range(100):
        may = selector.may_act(Prediction("a", {}, {}, 1.0), progress)
        acted.append(may)
        progress.end(failed=False, predicted=may)
    assert sum(acted) == 30
    assert not any(one and other for one, other in pairwise(acted))


def test_after_failures_in_a_row_only_the_check_is_left() -> None:
    progress = Progress(operations=50)
    selector = Selector(chain("look", "ab"), Settings(check="a"))
    for _ in range(2):
        assert selector.recovery(Run(), progress) is None
        progress.end(failed=True, predicted=False)
    assert not selector.may_act(Prediction("b", {}, {}, 1.0), progress)
    assert (selector.recovery(Run(), progress) or Prediction("", {}, {}, 0)).tool == "a"
    progress.end(failed=False, predicted=False)
    assert selector.recovery(Run(), progress) is None
    assert selector.may_act(Prediction("b", {}, {}, 1.0), progress)


def test_the_adaptive_rule_acts_only_on_what_has_proved_right_and_stops_when_it_ceases_to_be() -> None:
    selector, progress = Selector(Graph(), Settings(rule=Adaptive())), Progress(operations=100)
    often, other = Prediction("b", {}, {}, 1.0, "a"), Prediction("c", {}, {}, 1.0, "a")
    assert not selector.may_act(often, progress)
    for _ in range(10):
        selector.judge(often, "b", {})
    assert selector.may_act(often, progress)
    assert not selector.may_act(other, progress)
    for _ in range(10):
        selector.judge(often, "c", {})
    assert not selector.may_act(often, progress)
    for _ in range(60):
        selector.judge(often, "b", {})
    assert selector.may_act(often, progress)


LISTED = Execution("1", "user", {"user_id": "u1"}, Returned({"reservations": ["r1", "r2", "r3"]}))
ONE, TWO = Execution("1", "details", {"id": "r1"}), Execution("1", "details", {"id": "r2"})


@pytest.mark.parametrize(("rule", "value"), [(Fixed(window=1), "r3"), (Adaptive(support=1), "r3"), (Adaptive(support=1, longest=1), "r3")])
def test_a_list_is_gone_through_in_its_order(rule: Fixed | Adaptive, value: str) -> None:
    graph = learned([LISTED, ONE, TWO])
    selector = Selector(graph, Settings(rule=rule))
    found = selector.predict(settled(LISTED, ONE, TWO))
    assert found is not None
    assert found.arguments == {"id": value}
    assert found.stages == {"id": "dependency"}


def test_the_paper_takes_what_stood_last_and_we_what_was_not_had_yet() -> None:
    graph = learned([LISTED, ONE, TWO])
    by_rule = [
        Selector(graph, Settings(rule=rule)).predict(settled(LISTED, ONE)) for rule in (Fixed(window=1), Adaptive(support=1, longest=1))
    ]
    assert [found.arguments["id"] for found in by_rule if found is not None] == ["r3", "r2"]


def test_an_argument_comes_from_the_state_or_the_thought_where_nothing_leads_to_it_and_a_gap_is_for_the_model() -> None:
    graph = learned([Execution("1", "a", {}), Execution("1", "b", {"city": "Rome"})])
    selector = Selector(graph, Settings(rule=Fixed(window=1)))
    after = settled(Execution("2", "a", {}, Returned({"near": "Ostia"})))
    assert selector.predict(after) is None
    by_state, by_thought = selector.predict(after, state={"city": "Paris"}), selector.predict(after, "to Ostia next")
    assert by_state is not None
    assert by_thought is not None
    assert (by_state.arguments, by_state.stages) == ({"city": "Paris"}, {"city": "state"})
    assert (by_thought.arguments, by_thought.stages) == ({"city": "Ostia"}, {"city": "heuristic"})


# Entropy


def test_the_entropies_of_a_chain_that_alternates() -> None:
    graph = chain("abababab")
    assert [(one.order, round(one.bits, 9), one.steps) for one in entropies(graph)] == [(0, 1.0, 8), (1, 0.0, 7), (2, 0.0, 6)]
    first, second = likelihood_ratios(graph)
    assert (round(first.g_squared, 3), first.degrees) == (9.561, 1)
    assert first.p < 0.01
    assert (second.g_squared, second.degrees, second.p) == (0, 0, 1)


def test_the_degrees_of_freedom_are_those_of_the_paper_where_every_tool_may_follow_every_other() -> None:
    letters = "abcdefghijklmnopqrst"
    graph = chain(*(one + other for one in letters for other in letters))
    assert next(iter(likelihood_ratios(graph))).degrees == 361


def test_what_was_seen_once_is_not_guessed() -> None:
    assert [(one.order, one.right, one.steps) for one in guessed(chain("ab", "ac", "ab", "ab"))] == [(0, 0, 8), (1, 3, 4), (2, 0, 0)]
    assert [one.right for one in guessed(chain("ab", "cd", "ef"), [1])] == [0]


def test_the_most_frequent_successor_and_source() -> None:
    assert next(iter(successors(chain("ab", "ab", "ac")))) == ("a", "b", 2, 3)
    graph = learned([LISTED, ONE, TWO])
    assert next(iter(sources(graph))) == ("details(id)", "user / $.reservations[*]", 2, 2)


# The report


def random_tools(seed: int) -> str:
    draw = Random(seed)
    return "".join(draw.choice("abcd") for _ in range(200))


@pytest.mark.parametrize(
    ("runs", "inertia"),
    [(["abc"] * 50, Inertia.STRONG), ([random_tools(1), random_tools(2)], Inertia.NONE), (["abc"], Inertia.UNTOLD), ([], Inertia.UNTOLD)],
)
def test_the_verdict_says_whether_there_is_inertia(runs: list[str], inertia: Inertia) -> None:
    found = report(chain(*runs))
    assert found.inertia is inertia
    assert found.verdict
    json.dumps(found.to_dict())


def test_the_plots_stand_alone_and_show_what_names_say() -> None:
    hostile = '<script>alert("x")</script>'
    graph = learned([*(Execution(str(number), tool, {}) for number in range(3) for tool in (hostile, "b"))])
    for text in (*plots(report(graph)).values(), *plots(report(Graph())).values()):
        root = ElementTree.fromstring(text)
        assert not [each for each in root.iter() if each.tag.endswith("script")]


# Together with planning


BOTH = """
domain both
fact a_known
fact b_known
tool find_a { produces a_known risk read }
tool find_b calls "find-b" { produces b_known risk read }
"""


@pytest.fixture(scope="module")
def frontier() -> Frontier:
    return toolplan.frontier(toolplan.loads(BOTH), goal=["a_known", "b_known"], mode="ties")


@given(st.lists(st.text(alphabet="abx", min_size=1, max_size=6), max_size=6))
def test_inertia_adds_no_tool_to_a_frontier_and_takes_none_away(frontier: Frontier, runs: list[str]) -> None:
    names = {"a": "find_a", "b": "find-b", "x": "delete_all"}
    records = [Execution(str(number), names[tool], {}) for number, tools in enumerate(runs) for tool in tools]
    ranked = by_inertia(frontier, learned(records), settled(*records[:3]))
    assert sorted(ranked.tools) == sorted(frontier.tools) == ["find_a", "find_b"]
    assert sorted(ranked.steps) == sorted(frontier.steps)
    assert ranked.decision == frontier.decision


def test_inertia_breaks_ties(frontier: Frontier) -> None:
    graph = learned([Execution("1", "hello", {}), Execution("1", "find-b", {}), Execution("1", "find_a", {})])
    assert frontier.tools == by_inertia(frontier, graph, Run()).tools == ("find_a", "find_b")
    ranked = by_inertia(frontier, graph, settled(Execution("2", "hello", {})))
    assert ranked.tools == ("find_b", "find_a")
    assert [step.action for step in ranked.steps] == ["find_b", "find_a"]


def test_a_learner_of_many_runs_at_once_forgets_the_one_that_was_silent_longest() -> None:
    learner = Learner()
    for number in range(5_000):
        learner.learn(Execution(str(number), "a", {}))
    learner.learn(Execution("0", "b", {}))
    learner.learn(Execution("4999", "b", {}))
    assert learner.graph.successors(("a",)) == {"b": Weight(done=1)}
