"""The benchmark of the planner: its registries, the paper's search, its tables, and that every tier runs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from commands import Ran, run
from rich.console import Console

import toolplan
from toolplan.bench import loading
from toolplan.bench.breadth_first import Contract, Exhausted, Found, Stopped, breadth_first
from toolplan.bench.planner import TIERS, paper, stress
from toolplan.bench.planner.measuring import Settings, at_least, at_most, geometric_mean, percentile
from toolplan.bench.planner.stress import StressRow
from toolplan.bench.registries import Registry, entities, families, layered
from toolplan.bench.tables import table
from toolplan.cli.exits import Exit
from toolplan.planning.plans import Atom

ROOT = Path(__file__).parent.parent


def digest(registry: Registry) -> str:
    def words(atoms: tuple[Atom, ...]) -> list[Any]:
        return [[atom.fact, *atom.arguments] for atom in atoms]

    tools = [[tool.name, words(tool.requires), words(tool.produces), tool.cost, tool.parameters] for tool in registry.tools]
    tasks = [[words(task.given), words(task.wanted)] for task in registry.tasks]
    return hashlib.sha256(json.dumps([registry.facts, tools, tasks]).encode()).hexdigest()[:16]


DRAWN = {
    "families 100 0 1": "c2c57ed3c4bb4552",
    "families 1000 3 3": "e4e690d507600a96",
    "families 10000 9 1": "5eb3795d1076ea3b",
    "layered 100 0": "320a662d28be484c",
    "layered 1000 2": "c577f8d1771ce18e",
    "entities 60 0 1000": "a5f06559b2ffecea",
    "entities 6 7 30": "6342b4119b623316",
}


@pytest.mark.parametrize("drawn", DRAWN)
def test_the_draws_never_change(drawn: str) -> None:
    """Figures of different versions compare, because the registries are the same ones."""
    kind, *arguments = drawn.split()
    assert digest({"families": families, "layered": layered, "entities": entities}[kind](*map(int, arguments))) == DRAWN[drawn]


@pytest.mark.parametrize("registry", [families(100, 1), families(100, 1, 3), layered(100, 1), entities(6, 1, 30)])
def test_the_text_says_what_was_drawn(registry: Registry) -> None:
    domain = toolplan.loads(registry.text)
    assert list(domain.facts) == list(registry.facts)
    assert [(tool.name, tool.cost) for tool in domain.tools.values()] == [(tool.name, tool.cost) for tool in registry.tools]
    for task in registry.tasks:
        best = toolplan.plan(domain, state=task.state, goal=task.goal, limit=toolplan.Limit(seconds=60))
        assert best.outcome == "optimal"
        assert best.steps
        assert best.score == sum(domain.tools[step.action].cost for step in best.steps)


def contracts(registry: Registry) -> list[Contract]:
    return [Contract(tool.name, frozenset(tool.requires), frozenset(tool.produces)) for tool in registry.tools]


def test_breadth_first_finds_plans_of_the_same_length_as_the_planner() -> None:
    registry = families(100, 0)
    domain = toolplan.loads(registry.text)
    for task in registry.tasks:
        found = breadth_first(contracts(registry), task.given, task.wanted, states=10_000, seconds=60)
        assert isinstance(found, Found)
        assert len(found.path) == len(toolplan.plan(domain, state=task.state, goal=task.goal).steps)


def test_breadth_first_tells_no_path_from_giving_up() -> None:
    tools = [Contract(name, frozenset(), frozenset({name})) for name in "abcd"]
    assert breadth_first(tools, (), "d", states=100, seconds=60) == Found(("d",), 11)
    assert breadth_first(tools, (), "e", states=100, seconds=60) == Exhausted(16)
    assert breadth_first(tools, (), "e", states=3, seconds=60) == Stopped(5)
    assert breadth_first(tools, (), "e", states=100, seconds=0) == Stopped(1)


def test_percentiles_and_means() -> None:
    assert percentile(range(1, 101), 99) == 99
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([5.0], 99) == 5.0
    assert geometric_mean([0.5, 2.0, 1.0]) == pytest.approx(1.0)
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_a_promise_is_kept_up_to_its_bound() -> None:
    assert at_most("ms", 0.5, 0.5).kept
    assert not at_most("ms", 0.51, 0.5).kept
    assert at_least("times", 300, 300).kept
    assert not at_least("times", 299.9, 300).kept


def stressed(**changes: object) -> StressRow:
    row: dict[str, Any] = {"tools": 100, "seed": 0, "goals": 1, "operators": 9, "steps": 5, "score": 7.0}
    row |= {"auto": "optimal", "engine": "a-star", "auto_s": 1.0, "gap": 0.0, "b": "optimal", "b_s": 2.0}
    row |= {"fast_downward": "not run", "fast_downward_s": None, "same": True}
    return StressRow(**row | changes)


def test_the_stress_tier_compares_what_both_sides_prove() -> None:
    unproved = stressed(auto="bounded", gap=0.25, auto_s=25.0, same=None)
    neither = stressed(auto="undecided", steps=None, score=None, b="undecided", same=None)
    rows = [stressed(), stressed(b_s=0.5, same=False), unproved, neither, stressed(fast_downward="optimal", fast_downward_s=4.0)]
    found = {promise.promise: (promise.measured, promise.kept) for promise in stress.promises(rows)}
    assert found == {
        "stress tier, the goal: tasks of 5 that auto proves": (3, False),
        "stress tier: tasks for which auto has a plan": (4, False),
        "equal: tasks of 3 whose proofs all give the same score and steps": (2, False),
        "stress tier: tasks of B's 4 that auto does not prove": (1, False),
        "stress tier: geometric mean of auto's time over B's, 3 tasks": (pytest.approx((0.5 * 2 * 0.5) ** (1 / 3)), True),
        "stress tier: geometric mean of auto's time over fast-downward's, 1 short plans": (0.25, True),
    }


def test_a_table_has_the_fields_of_its_rows_and_cuts_no_figure() -> None:
    row = stressed(tools=10_000, auto_s=1234.5678, b_s=0.00012345, same=None)
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table([row]))
    text = capture.get()
    for shown in ("fast downward s", "10,000", "1,235", "0.000123", "not run", " - "):
        assert shown in text
    assert row.to_dict()["auto_s"] == 1235.0


def bench(*arguments: str) -> Ran:
    return run("bench", *arguments, cwd=ROOT)


def test_a_small_run_prints_json_rows_and_promises() -> None:
    ran = bench("planner", "--tiers", "registry,stress", "--sizes", "100", "--seeds", "3", "--json")
    assert ran.returncode == Exit.OK, ran.stderr
    assert ran.stderr == ""
    data = json.loads(ran.stdout)
    assert list(data) == ["machine", "tiers", "promises"]
    assert [(row["alternatives"], row["tools"], row["growth"]) for row in data["tiers"]["registry"]] == [(1, 100, 1.0), (3, 100, 1.0)]
    assert [(row["seed"], row["goals"], row["auto"]) for row in data["tiers"]["stress"]] == [(3, goals, "optimal") for goals in (1, 2, 3)]
    equal = next(promise for promise in data["promises"] if promise["promise"].startswith("equal"))
    assert equal["kept"]


def test_a_small_run_prints_tables() -> None:
    ran = bench("planner", "--tiers", "entities", "--seeds", "4")
    assert ran.returncode == Exit.OK, ran.stderr
    assert "cores" in ran.stdout.splitlines()[0]
    for title in (TIERS["entities"].TITLE, "What is promised, and what was measured"):
        assert title in ran.stdout.splitlines()


def test_loading_and_checking_are_measured_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "RUNS", 1)
    ran = bench("loading", "--sizes", "10", "--json")
    assert ran.returncode == Exit.OK, ran.stderr
    rows = json.loads(ran.stdout)["rows"]
    assert [(row["what"], row["tools"]) for row in rows] == [("load, cold", 10), ("load, from the cache", 10), ("check", 10)]
    assert all(row["seconds"] > 0 and row["megabytes"] > 0 for row in rows)


@pytest.mark.slow
def test_the_paper_tier_agrees_with_fast_downward_at_every_step() -> None:
    rows = list(paper.rows(Settings()))
    assert [row.decision for row in rows] == ["cold", "continued", "fast-downward"]
    for row in rows:
        assert row.calls == row.same
    assert rows[-1].speedup == 1.0


def test_long_plans_and_threads() -> None:
    rows = list(TIERS["limits"].rows(Settings(sizes=(100,), seeds=(1,))))
    peak, *exact = (row.to_dict() for row in rows)
    assert 0 < peak["figure"] < peak["promised"]
    assert [row["figure"] for row in exact] == [row["promised"] for row in exact]


PUZZLE = """
(define (domain puzzle) (:predicates (a) (b) (c))
  (:action one :parameters () :precondition (a) :effect (b))
  (:action two :parameters () :precondition (b) :effect (and (c) (not (a)))))
"""
GOAL = "(define (problem p) (:domain puzzle) (:init (a)) (:goal (c)))"


@pytest.mark.parametrize(("cost", "proved"), [(2, True), (3, False)])
def test_problems_from_outside_are_held_against_their_costs(tmp_path: Path, cost: int, proved: bool) -> None:
    (tmp_path / "puzzle").mkdir()
    (tmp_path / "puzzle" / "domain.pddl").write_text(PUZZLE, "utf-8")
    (tmp_path / "puzzle" / "p.pddl").write_text(GOAL, "utf-8")
    index = tmp_path / "INDEX.json"
    index.write_text(json.dumps([{"domain": "puzzle", "problem": "p.pddl", "cost": cost}]), "utf-8")
    (row,) = TIERS["outside"].rows(Settings(problems=(index,)))
    found = row.to_dict()
    assert (found["outcome"], found["steps"], found["score"], found["proved"]) == ("optimal", 2, 2.0, proved)


def test_tiers_without_files_have_no_rows() -> None:
    assert not list(TIERS["telecom"].rows(Settings()))
    assert not list(TIERS["outside"].rows(Settings()))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["planer"], "'planer'"),
        (["loading", "--sizes", "5"], "`5`"),
        (["planner", "--sizes", "99"], "`99`"),
        (["planner", "--sizes", "many"], "`many`"),
        (["planner", "--seeds", "3-1"], "`3-1`"),
        (["planner", "--seeds", "-1"], "`-1`"),
        (["planner", "--tiers", "paper,stres"], "`stres`"),
        (["planner", "--problems", "nowhere"], "nowhere"),
        (["planner", "--telecom", "nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_options_are_told(arguments: list[str], named: str) -> None:
    ran = bench(*arguments)
    assert ran.returncode == Exit.USAGE, ran.stdout
    assert named in ran.stderr
    assert "Traceback" not in ran.stderr
