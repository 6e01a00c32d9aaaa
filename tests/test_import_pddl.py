"""PDDL brought into the language: it means the same, every mistake has its finding, and no text breaks the reader."""

from __future__ import annotations

import json
import os
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from commands import run
from downward import solve_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import Drawn, cascades, doubts
from strategies import problems as drawn_problems
from test_planners import problem_of

from toolplan import DomainError, Limit
from toolplan.importing.pddl import Imported, read
from toolplan.importing.pddl.features import FEATURES
from toolplan.language.codes import Code
from toolplan.language.formatter import format_source
from toolplan.language.loading import loads
from toolplan.language.source import Source
from toolplan.planning.engines import IN_PROCESS, UNIFORM_COST, solve
from toolplan.planning.pddl import Pddl, to_pddl
from toolplan.planning.plans import Optimal, Step, Unreachable
from toolplan.planning.semantics import applicable, goal_reached, score, successor

ROOT = Path(__file__).parent.parent
IPC = ROOT / "tests" / "data" / "ipc"
RECORDS = json.loads((IPC / "INDEX.json").read_text("utf-8"))
SMALL = [record for record in RECORDS if record["domain"] in {"depot", "hanoi", "visit_all", "childsnack"}]
PAGES = [code for code in Code if code.number.startswith("TP43")]


def import_files(record: dict[str, object]) -> Imported:
    folder = IPC / str(record["domain"])
    return read((folder / "domain.pddl").read_text("utf-8"), (folder / str(record["problem"])).read_text("utf-8"))


def steps_of(imported: Imported, lines: list[str]) -> list[Step]:
    """The steps that the lines of a PDDL plan stand for; of several tools for one action, only one is applicable."""
    state, steps = imported.problem.state, []
    for line in lines:
        tools = [tool.name for tool in imported.domain.tools.values() if line.startswith(f"({tool.call_name} ")]
        arguments = tuple(line.strip("()").split()[1:])
        (step,) = (step for name in tools if applicable(imported.problem, state, step := Step(name, arguments)))
        steps.append(step)
        state = successor(imported.problem, state, step)
    assert goal_reached(imported.problem, state)
    return steps


# Real problems


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["domain"])
def test_the_recorded_plan_reaches_the_goal_at_its_cost(record: dict[str, object]) -> None:
    imported = import_files(record)
    lines = record["plan"]
    assert isinstance(lines, list)
    steps = steps_of(imported, lines)
    assert score(imported.problem, steps) == record["cost"]
    assert [imported.pddl_step(step) for step in steps] == lines
    assert imported.warnings == ()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["domain"])
def test_the_text_means_the_same_and_is_laid_out(record: dict[str, object]) -> None:
    imported = import_files(record)
    assert_text_means(imported)
    domain = loads(imported.text)
    (test,) = domain.tests
    assert {(given.atom.fact, *(term.name for term in given.atom.terms)) for given in test.given} == {
        (atom.fact, *atom.arguments) for atom in imported.problem.state.known
    }


def assert_text_means(imported: Imported) -> None:
    domain = loads(imported.text)
    for part in ("name", "types", "constants", "facts", "tools", "asks", "goals", "policy"):
        assert getattr(domain, part) == getattr(imported.domain, part), part
    assert format_source(Source("text", imported.text)) == imported.text


@pytest.mark.parametrize("record", SMALL, ids=lambda record: record["domain"])
def test_planning_proves_the_recorded_cost(record: dict[str, object]) -> None:
    solution = solve(import_files(record).problem, IN_PROCESS, Limit(expansions=100_000, seconds=60))
    assert isinstance(solution, Optimal)
    assert solution.plan.score == record["cost"]


def test_an_imported_file_is_as_it_was() -> None:
    imported = import_files(next(record for record in RECORDS if record["domain"] == "visit_all"))
    assert imported.text == (IPC / "visit_all" / "p01.toolplan").read_text("utf-8")


# What each construct becomes


def written(action: str, *, objects: str = "a b - t", predicates: str = "(p ?x - t) (q ?x ?y - t) (r)", goal: str = "(r)") -> Imported:
    """A problem with one action."""
    domain = f"(define (domain d) (:types t u - object s - t) (:constants c - t) (:predicates {predicates}) {action})"
    return read(domain, f"(define (problem one) (:domain d) (:objects {objects}) (:init (p a)) (:goal {goal}))")


def lines_of(imported: Imported, block: str) -> list[str]:
    """The clauses of a block of the imported text, blanks squeezed."""
    found = re.search(rf"^{re.escape(block)}[^\n]*\{{\n(.*?)^\}}", imported.text, re.MULTILINE | re.DOTALL)
    assert found is not None, imported.text
    return [" ".join(line.split()) for line in re.split(r"\n  (?=\w)", found[1])]


@pytest.mark.parametrize(
    ("condition", "requires"),
    [
        ("(p ?x)", "p(x)"),
        ("(and (p ?x) (and (q ?x c) (r)))", "p(x), q(x, c), r"),
        ("(or (p ?x) (or (r) (p c)))", "p(x) or r or p(c)"),
        ("(not (p ?x))", "not p(x)"),
        ("(not (not (p ?x)))", "p(x)"),
        ("(not (and (p ?x) (r)))", "not (p(x), r)"),
        ("(imply (and (p ?x) (r)) (p c))", "not (p(x), r) or p(c)"),
        ("(= ?x c)", "x = c"),
        ("(not (= ?x ?y))", "x != y"),
        ("(forall (?z - t) (q ?x ?z))", "forall z: t (q(x, z))"),
        ("(exists (?z ?w - t) (and (q ?z ?w) (not (p ?z))))", "exists z: t, w: t (q(z, w), not p(z))"),
        ("(forall () (p ?x))", "p(x)"),
        ("(exists (?x) (= ?x c))", "exists x_: object (x_ = c)"),
        ("(exists (?c - t) (q ?c c))", "exists c_: t (q(c_, c))"),
        ("(forall (?x - t) (exists (?x - t) (p ?x)))", "forall x_: t (exists x__: t (p(x__)))"),
        ("(or (r) (and))", None),
        ("(and)", None),
        ("()", None),
        ("(and (r) (or))", "exists `any object`: object (`any object` != `any object`)"),
        ("(exists (?z - u) (and))", "exists z: u (z = z)"),
        ("(forall (?z - u) (or))", "forall z: u (z != z)"),
    ],
)
def test_conditions(condition: str, requires: str | None) -> None:
    imported = written(f"(:action go :parameters (?x ?y - t) :precondition {condition} :effect (r))")
    clauses = [line for line in lines_of(imported, "tool go") if line.startswith("requires")]
    assert clauses == ([f"requires {requires}"] if requires else [])
    assert_text_means(imported)


@pytest.mark.parametrize(
    ("effect", "clauses"),
    [
        ("(and (r) (not (p ?x)))", ["produces r", "removes p(x)"]),
        ("(when (p ?x) (and (r) (not (p ?x))))", ["produces r when p(x)", "removes p(x) when p(x)"]),
        ("(forall (?z - t) (when (p ?z) (and (q ?z ?x) (q ?z ?z))))", ["produces forall z: t (q(z, x) when p(z), q(z, z) when p(z))"]),
        ("(when (p ?x) (forall (?z - t) (when (p ?z) (q ?x ?z))))", ["produces forall z: t (q(x, z) when (p(x), p(z)))"]),
        ("(forall (?z - t) (forall (?w - t) (q ?z ?w)))", ["produces forall z: t, w: t (q(z, w))"]),
        ("(and (when (or) (r)) (when (and) (p ?x)))", ["produces p(x)"]),
        ("()", []),
    ],
)
def test_effects(effect: str, clauses: list[str]) -> None:
    imported = written(f"(:action go :parameters (?x - t) :effect {effect})")
    assert lines_of(imported, "tool go") == [*clauses, "risk action"]
    assert_text_means(imported)


@pytest.mark.parametrize(
    ("goal", "cost"), [("(and)", 0), ("(exists (?x - u) (p c))", None), ("(forall (?x - u) (p c))", 0), ("(or)", None)]
)
def test_goals_that_turn_on_no_atom(goal: str, cost: int | None) -> None:
    imported = written("(:action go :effect (r))", goal=goal)
    solution = solve(imported.problem, UNIFORM_COST)
    assert isinstance(solution, Unreachable if cost is None else Optimal)
    assert cost is None or (isinstance(solution, Optimal) and solution.plan.score == cost)
    assert_text_means(imported)


def test_names_of_pddl_survive_and_never_merge() -> None:
    imported = read(
        """(define (domain Names) (:types not - object) (:predicates (at-robby ?or - not) (at_robby ?or - not) (oneof))
        (:action DRIVE-truck :parameters (?when ?forall - not) :precondition (at-robby ?when) :effect (and (at_robby ?forall) (oneof)))
        (:action drive_truck :effect (oneof)))""",
        """(define (problem Names-1) (:domain NAMES) (:objects a-b a_b 23 - not) (:init (At-Robby a-B))
        (:goal (and (at_robby A_B) (oneof))))""",
    )
    solution = solve(imported.problem, UNIFORM_COST)
    assert isinstance(solution, Optimal)
    assert [imported.pddl_step(step) for step in solution.plan.steps] == ["(drive-truck a-b a_b)"]
    assert list(imported.domain.tools) == ["drive-truck", "drive_truck"]
    assert list(imported.domain.constants) == ["a-b", "a_b", "23"]
    assert_text_means(imported)


def test_a_variable_is_not_the_object_of_its_name() -> None:
    imported = written(
        "(:action go :parameters (?c ?a - t) :precondition (and (p ?c) (q c ?a)) :effect (r))", goal="(exists (?a - t) (q ?a a))"
    )
    assert lines_of(imported, "tool go(c_: t, a: t)")[0] == "requires p(c_), q(c, a)"
    assert lines_of(imported, "goal solved") == ["achieves exists a_: t (q(a_, a))"]


def test_places_of_a_predicate_may_share_a_name() -> None:
    imported = written("(:action go :effect (r))", predicates="(p ?x - t) (q ?x - t ?x - s) (r)")
    assert "fact q(t, s) closed" in imported.text
    assert_text_means(imported)


# Costs


ROADS = """(define (domain roads) (:types place - object) (:predicates (at ?p - place) (rested))
  (:functions (length ?a ?b - place) (total-cost) - number)
  (:action drive :parameters (?a ?b - place) :precondition (at ?a)
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (length ?a ?b))))
  (:action fly :parameters (?a ?b - place) :precondition (at ?a) :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 9.0)))
  (:action rest :effect (rested)))"""
JOURNEY = """(define (problem journey) (:domain roads) (:objects a b c - place)
  (:init (at a) (= (length a b) 4) (= (length b c) 4) (= (length c a) 10) (= (total-cost) 0)) (:goal (at c))
  (:metric minimize (total-cost)))"""


def test_a_cost_that_depends_on_the_arguments_is_a_tool_for_each_value() -> None:
    imported = read(ROADS, JOURNEY)
    assert {name: (tool.call_name, tool.cost) for name, tool in imported.domain.tools.items()} == {
        "drive:4": ("drive", 4),
        "drive:10": ("drive", 10),
        "fly": ("fly", 9),
        "rest": ("rest", 0),
    }
    solution = solve(imported.problem, UNIFORM_COST)
    assert isinstance(solution, Optimal)
    assert solution.plan.score == 8
    assert [imported.pddl_step(step) for step in solution.plan.steps] == ["(drive a b)", "(drive b c)"]
    assert_text_means(imported)


def test_without_costs_each_step_costs_one_and_with_a_metric_only_what_is_increased() -> None:
    action = "(:action go :effect (r))"
    assert [tool.cost for tool in written(action).domain.tools.values()] == [1]
    priced = "(define (problem one) (:domain d) (:init) (:goal (r)) (:metric minimize (total-cost)))"
    imported = read(f"(define (domain d) (:predicates (r)) {action})", priced)
    assert [tool.cost for tool in imported.domain.tools.values()] == [0]


def test_risk_weighs_nothing() -> None:
    domain = read(ROADS, JOURNEY).domain
    assert all(domain.score_of(tool) == tool.cost for tool in domain.tools.values())


# The same as Fast Downward reads it


PREDICATES = {"p": 1, "q": 2, "r": 0}


@st.composite
def conditions(draw: st.DrawFn, variables: tuple[str, ...], depth: int = 3) -> str:
    kind = draw(st.sampled_from(["atom", "atom", "not", "and", "or", "imply", "forall", "exists", "="][: 9 if depth else 2]))
    inner = conditions(variables, depth - 1)
    if kind in ("and", "or", "imply"):
        return f"({kind} {draw(inner)} {draw(inner)})"
    if kind == "not":
        return f"(not {draw(inner)})"
    if kind in ("forall", "exists"):
        return f"({kind} (?z - t) {draw(conditions((*variables, '?z'), depth - 1))})"
    if kind == "=":
        return f"(= {draw(st.sampled_from(variables))} {draw(st.sampled_from((*variables, 'c')))})"
    return draw(atoms((*variables, "c")))


@st.composite
def atoms(draw: st.DrawFn, terms: tuple[str, ...]) -> str:
    name = draw(st.sampled_from(sorted(PREDICATES)))
    return f"({' '.join([name, *(draw(st.sampled_from(terms)) for _ in range(PREDICATES[name]))])})"


@st.composite
def effects(draw: st.DrawFn, variables: tuple[str, ...]) -> str:
    atom = draw(atoms((*variables, "c")))
    literal = draw(st.sampled_from([atom, atom, f"(not {atom})"]))
    kind = draw(st.sampled_from(["plain", "when", "forall"]))
    if kind == "when":
        return f"(when {draw(conditions(variables, 1))} {literal})"
    if kind == "forall":
        inner = (*variables, "?y")
        return f"(forall (?y - t) (when {draw(conditions(inner, 1))} {draw(atoms(inner))}))"
    return literal


@st.composite
def problems(draw: st.DrawFn) -> tuple[str, str]:
    actions = ""
    for number in range(draw(st.integers(1, 3))):
        inner = " ".join(draw(st.lists(effects(("?x",)), min_size=1, max_size=3)))
        required = draw(conditions(("?x",)))
        actions += (
            f"\n(:action a{number} :parameters (?x - t) :precondition {required} :effect (and {inner} (increase (total-cost) (f ?x))))"
        )
    ground = draw(st.lists(atoms(("a", "b", "c")), max_size=3, unique=True))
    costs = " ".join(f"(= (f {name}) {draw(st.integers(0, 2))})" for name in "abc")
    goal = draw(conditions(("a", "b"), 2))
    domain = "(define (domain d) (:requirements :adl :action-costs) (:types t - object) (:constants c - t)"
    domain += f"\n(:predicates (p ?x - t) (q ?x ?y - t) (r)) (:functions (f ?x - t) (total-cost) - number){actions})"
    problem = f"(define (problem one) (:domain d) (:objects a b - t) (:init {' '.join(ground)} {costs} (= (total-cost) 0))"
    return domain, f"{problem}\n(:goal {goal}) (:metric minimize (total-cost)))"


@settings(
    max_examples=int(os.environ.get("TOOLPLAN_EXAMPLES", "300")) // 25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(problems())
def test_plans_cost_what_fast_downward_finds_in_the_same_text(texts: tuple[str, str]) -> None:
    pytest.importorskip("up_fast_downward")
    try:
        imported = read(*texts)
    except DomainError as error:
        assert {finding.code for finding in error.diagnostics} == {Code.CONTRADICTORY_CONDITION}
        return
    assert_text_means(imported)
    solution = solve(imported.problem, UNIFORM_COST, Limit(expansions=100_000, seconds=60))
    names = {name: name for name in "abc"}
    actions = {name: (name, -1) for name in ("a0", "a1", "a2")}
    found = solve_text(Pddl(*texts, names, 1, actions))
    if found is None:
        assert isinstance(solution, Unreachable)
    else:
        assert isinstance(solution, Optimal)
        assert solution.plan.score == Fraction(found[0])


# What we write


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(drawn_problems() | cascades() | doubts())
def test_our_own_text_is_read_and_plans_cost_the_same(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    text = to_pddl(problem)
    ours, theirs = (solve(each, IN_PROCESS, Limit(seconds=60)) for each in (problem, read(text.domain, text.problem).problem))
    if isinstance(ours, Optimal):
        assert isinstance(theirs, Optimal)
        assert theirs.plan.score == ours.plan.score * text.unit
    else:
        assert isinstance(ours, Unreachable)
        assert isinstance(theirs, Unreachable)


# Mistakes


DOMAIN = """(define (domain lights)
  (:requirements :strips :typing)
  (:types room lamp - thing thing)
  (:constants hall - room)
  (:predicates (on ?l - lamp) (in ?l - lamp ?r - room) (dark))
  (:functions (watts ?l - lamp) (total-cost) - number)
  (:action switch
    :parameters (?l - lamp ?r - room)
    :precondition (and (in ?l ?r) (not (on ?l)))
    :effect (and (on ?l) (increase (total-cost) (watts ?l)))))"""
PROBLEM = """(define (problem evening)
  (:domain lights)
  (:objects ceiling - lamp)
  (:init (in ceiling hall) (= (watts ceiling) 5))
  (:goal (on ceiling))
  (:metric minimize (total-cost)))"""


def findings(domain: str = DOMAIN, problem: str = PROBLEM) -> list[tuple[str, str, str]]:
    """What is said of two texts: the number of the code, the text it points at, and the message."""
    try:
        diagnostics = read(domain, problem).warnings
    except DomainError as error:
        diagnostics = error.diagnostics
    result = []
    for finding in diagnostics:
        assert finding.location is not None
        span = finding.location.span
        result.append((finding.code.number, finding.location.source.text[span.start : span.end], finding.message))
    return result


def test_the_pair_that_the_mistakes_are_made_in_has_none() -> None:
    assert findings() == []


@pytest.mark.parametrize(
    ("right", "wrong", "code", "place", "message"),
    [
        (":strips", ":stripes", "TP439", ":stripes", "is no requirement"),
        ("lamp - thing thing", "lamp - thing", "TP433", "thing", "undeclared type `thing`"),
        ("lamp - thing thing", "lamp - thing thing - lamp", "TP111", "thing", "types go in a circle: `thing` -> `lamp` -> `thing`"),
        ("room lamp", "room lamp lamp", "TP436", "lamp", "type `lamp` is declared twice"),
        ("hall - room", "hall - rom", "TP433", "rom", "undeclared type `rom`"),
        ("hall - room", "hall -", "TP431", "-", "expected a type after `-`, found nothing"),
        ("hall - room", "?hall - room", "TP431", "?hall", "expected a name, found `?hall`"),
        ("(dark)", "(dark) (ON)", "TP436", "ON", "predicate `on` is declared twice"),
        ("(dark)", "dark", "TP431", "dark", "expected a predicate such as"),
        ("(dark)", "(dark))", "TP430", ")", "this bracket closes `(define ...)`"),
        (":parameters", ":params", "TP431", ":params", "expected one of `:parameters`, `:precondition`, `:effect`"),
        ("?r - room)\n", "?r ?l - room)\n", "TP436", "?l", "variable `?l` is declared twice"),
        ("(in ?l ?r)", "(in ?l)", "TP434", "(in ?l)", "predicate `in` takes 2 arguments, not 1"),
        ("(in ?l ?r)", "(inn ?l ?r)", "TP433", "inn", "undeclared predicate `inn`"),
        ("(in ?l ?r)", "(in ?l ?x)", "TP433", "?x", "undeclared variable `?x`"),
        ("(in ?l ?r)", "(in ?l r)", "TP433", "r", "undeclared object `r`"),
        ("(in ?l ?r)", "(in ?r ?l)", "TP435", "?r", "`?r` is of type `room`, and `lamp` is needed"),
        ("(in ?l ?r)", "in", "TP431", "in", "expected a condition in brackets, found `in`"),
        ("(in ?l ?r)", "(imply (dark))", "TP431", "(imply (dark))", "expected `(imply CONDITION CONDITION)`, found 1 parts"),
        ("(in ?l ?r)", "(forall ?x (dark))", "TP431", "?x", "expected a list of variables in brackets"),
        ("(in ?l ?r)", "(on ?l)", "TP205", "(not (on ?l))", "`(not ...)` and `(on ...)` cannot both hold"),
        ("(and (on ?l)", "(and (when (dark)) (on ?l)", "TP431", "(when (dark))", "expected `(when CONDITION EFFECT)`"),
        ("(and (on ?l)", "(and (not on) (on ?l)", "TP431", "(not on)", "expected `(not (PREDICATE ...))`"),
        ("(watts ?l)))", "-1))", "TP437", "-1", "is negative"),
        ("(watts ?l)))", "1.5))", "TP437", "1.5", "is no whole number"),
        ("(watts ?l)))", "much))", "TP437", "much", "expected a number, found `much`"),
        ("(watts ?l)))", "(wats ?l)))", "TP433", "wats", "undeclared function `wats`"),
        (":action switch", ":action", "TP431", ":parameters", "expected the name of an action, found `:parameters`"),
        ("(domain lights)", "(problem lights)", "TP431", "(problem lights)", "expected `(domain NAME)`"),
    ],
)
def test_mistakes_in_a_domain(right: str, wrong: str, code: str, place: str, message: str) -> None:
    assert right in DOMAIN
    number, pointed_at, said = findings(DOMAIN.replace(right, wrong, 1))[0]
    assert (number, pointed_at) == (code, place)
    assert message in said


@pytest.mark.parametrize(
    ("right", "wrong", "code", "place", "message"),
    [
        (":domain lights", ":domain lamps", "TP438", "lamps", "the problem is one of the domain `lamps`"),
        ("ceiling - lamp", "ceiling hall - lamp", "TP436", "hall", "object `hall` is declared twice"),
        (
            "(in ceiling hall)",
            "(in ceiling hall) (not (in ceiling hall))",
            "TP405",
            "(not (in ceiling hall))",
            "is said to hold, and not to hold",
        ),
        ("(in ceiling hall)", "(in ceiling kitchen)", "TP433", "kitchen", "undeclared object `kitchen`"),
        ("(in ceiling hall)", "(in ceiling ?x)", "TP433", "?x", "undeclared variable `?x`"),
        ("(watts ceiling) 5", "(watts ceiling) 5.5", "TP437", "5.5", "is no whole number"),
        ("(watts ceiling) 5", "(watts ceiling) 99999999999999999999999", "TP437", "99999999999999999999999", "is too large"),
        ("(watts ceiling) 5)", "(watts ceiling) 5) (= (watts ceiling) 6)", "TP436", "(= (watts ceiling) 6)", "has two values"),
        ("(watts ceiling) 5)", "(watts ceiling) 5) (= (total-cost) 3)", "TP437", "(= (total-cost) 3)", "does not start at 0"),
        ("(watts ceiling) 5)", "(watts ceiling))", "TP431", "(= (watts ceiling))", "expected a value such as"),
        ("(:goal (on ceiling))", "", "TP431", ")", "expected `(:goal CONDITION)`, found none"),
        ("(:goal (on ceiling))", "(:gaol (on ceiling))", "TP431", ":gaol", "expected a section, found `:gaol`"),
        ("(on ceiling))\n", "(on ceiling)\n", "TP430", "(", "`(:goal` is not closed"),
        ("(on ceiling))\n", "(on ceiling)))\n", "TP430", ")", "this bracket closes `(define ...)`"),
        ("(total-cost)))", "(total-cost))", "TP430", "(", "`(define` is not closed"),
        ("(total-cost)))", "(total-cost))))", "TP430", ")", "this bracket closes nothing"),
        ("(on ceiling))\n", "(on ceiling)) (:goal (on ceiling))\n", "TP436", ":goal", "section `:goal` is declared twice"),
        ("(problem evening)", "(domain evening)", "TP431", "(domain evening)", "expected `(problem NAME)`"),
    ],
)
def test_mistakes_in_a_problem(right: str, wrong: str, code: str, place: str, message: str) -> None:
    assert right in PROBLEM
    number, pointed_at, said = findings(problem=PROBLEM.replace(right, wrong, 1))[0]
    assert (number, pointed_at) == (code, place)
    assert message in said


def test_every_mistake_is_reported_those_of_the_domain_first() -> None:
    domain = DOMAIN.replace("(in ?l ?r)", "(inn ?l ?r)").replace("(on ?l) (inc", "(on ?m) (inc").replace("hall - room", "hall - rom")
    problem = PROBLEM.replace("(on ceiling)", "(on cieling)")
    assert [place for _, place, _ in findings(domain, problem)] == ["rom", "inn", "?m", "cieling"]


def test_a_missing_bracket_spoils_only_its_own_part() -> None:
    domain = DOMAIN.replace("(dark))", "(dark)").replace("(not (on ?l)))", "(not (on ?l))")
    assert [message for _, _, message in findings(domain)] == ["`(:predicates` is not closed", "`(and` is not closed"]


def test_deep_nesting_is_refused_and_broad_texts_are_not() -> None:
    deep = DOMAIN.replace("(in ?l ?r)", "(not " * 5_000 + "(in ?l ?r)" + ")" * 5_000)
    assert findings(deep)[0][0] == "TP005"
    deepest = "(imply (dark) (not " * 17 + "(dark)" + "))" * 17
    assert_text_means(read(DOMAIN.replace("(in ?l ?r)", deepest), PROBLEM))
    broad = DOMAIN.replace("(in ?l ?r)", "(or " + "(in ?l ?r) (dark) " * 5_000 + ")")
    assert findings(broad) == []


REFUSED = {
    "durative action": (DOMAIN.replace("(:action", "(:durative-action lit :parameters ()) (:action"), PROBLEM),
    "timed condition": (DOMAIN.replace("(in ?l ?r)", "(at start (in ?l ?r))"), PROBLEM),
    "timed initial literal": (DOMAIN, PROBLEM.replace("(:init", "(:init (at 5 (on ceiling))")),
    "derived predicate": (DOMAIN.replace("(:action", "(:derived (dark) (not (on ?l))) (:action"), PROBLEM),
    "constraints": (DOMAIN, PROBLEM.replace("(:goal (on ceiling))", "(:goal (sometime (on ceiling)))")),
    "preference": (DOMAIN, PROBLEM.replace("(:goal (on ceiling))", "(:goal (preference light (on ceiling)))")),
    "process": (DOMAIN.replace("(:action", "(:process burn :effect (dark)) (:action"), PROBLEM),
    "timeless": (DOMAIN.replace("(:action", "(:timeless (dark)) (:action"), PROBLEM),
    "task network": (DOMAIN.replace("(:action", "(:method m) (:action"), PROBLEM),
    "either": (DOMAIN.replace("(on ?l - lamp)", "(on ?l - (either lamp room))"), PROBLEM),
    "object fluent": (DOMAIN.replace("- number)", "- room)"), PROBLEM),
    "numeric fluent": (DOMAIN.replace("(and (on ?l)", "(and (decrease (watts ?l) 1) (on ?l)"), PROBLEM),
    "numeric condition": (DOMAIN.replace("(in ?l ?r)", "(>= (watts ?l) 3)"), PROBLEM),
    "computed cost": (DOMAIN.replace("(watts ?l)))", "(+ 1 (watts ?l))))"), PROBLEM),
    "conditional cost": (DOMAIN.replace("(increase (total-cost) (watts ?l))", "(when (dark) (increase (total-cost) 1))"), PROBLEM),
    "nondeterministic effect": (DOMAIN.replace("(and (on ?l)", "(and (oneof (on ?l) (dark))"), PROBLEM),
    "metric": (DOMAIN, PROBLEM.replace("minimize", "maximize")),
}


def test_every_feature_has_its_example() -> None:
    assert REFUSED.keys() == FEATURES.keys()


@pytest.mark.parametrize("feature", FEATURES)
def test_features_are_refused_by_name(feature: str) -> None:
    number, _, message = findings(*REFUSED[feature])[0]
    assert number == "TP432"
    assert message.startswith(FEATURES[feature][0])


@pytest.mark.parametrize(("increase", "score"), [("(increase (total-cost) 4)", 4), ("", 2)])
def test_without_another_metric_least_is_what_its_hint_says(increase: str, score: int) -> None:
    domain = f"""(define (domain d) (:predicates (a) (g)) (:functions (total-cost))
        (:action free :effect (a)) (:action last :precondition (a) :effect (and (g) {increase})))"""
    problem = "(define (problem p) (:domain d) (:init) (:goal (g)) (:metric maximize (total-cost)))"
    with pytest.raises(DomainError) as error:
        read(domain, problem)
    assert error.value.diagnostics[0].hint == FEATURES["metric"][1]
    solution = solve(read(domain, problem.replace("(:metric maximize (total-cost))", "")).problem, UNIFORM_COST)
    assert isinstance(solution, Optimal)
    assert solution.plan.score == score


def test_what_is_only_declared_stops_nobody() -> None:
    domain = DOMAIN.replace(":strips", ":durative-actions :fluents").replace("(watts ?l - lamp)", "(watts ?l - lamp) (fuel ?r - room)")
    assert findings(domain, PROBLEM.replace("(:init", "(:init (= (fuel hall) -2.5)")) == []


def test_a_predicate_may_have_the_name_of_a_feature() -> None:
    domain = DOMAIN.replace("(dark)", "(at ?l - lamp ?r - room) (preference) (oneof ?l - lamp)")
    domain = domain.replace("(in ?l ?r)", "(at ?l ?r) (preference)").replace("(and (on ?l)", "(and (on ?l) (oneof ?l)")
    assert findings(domain) == []


# Pages


def consoles(text: str) -> tuple[dict[str, str], str]:
    """The files that a console block shows, and what its last command prints."""
    chunks = [chunk.partition("\n") for chunk in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    files = {command.removeprefix("cat "): content for command, _, content in chunks[:-1]}
    return files, chunks[-1][2]


def printed_by_import(files: dict[str, str]) -> str:
    """What the command of the pages prints."""
    try:
        imported = read(*(Source(name, files[name]) for name in ("lights.pddl", "evening.pddl")))
    except DomainError as error:
        return "\n\n".join(map(str, error.diagnostics))
    done = "wrote evening.toolplan; next: toolplan plan evening.toolplan --state @evening.toolplan --goal solved"
    return "\n\n".join([*map(str, imported.warnings), done])


@pytest.mark.parametrize("code", PAGES, ids=lambda code: code.number)
def test_pages_show_what_is_printed(code: Code) -> None:
    bad, good = map(consoles, re.findall(r"^```console\n(.*?)^```", code.page, re.MULTILINE | re.DOTALL))
    assert printed_by_import(bad[0]) == bad[1].strip()
    assert printed_by_import(good[0]) == good[1].strip()
    assert f"[{code.number}]" in bad[1]
    assert "[TP" not in good[1]


# Any text


TEXTS = [(path, path.read_text("utf-8")) for path in sorted(IPC.rglob("*.pddl")) if path.stat().st_size < 4_000]
PIECES = [
    "(",
    ")",
    "?x",
    "-",
    ":action",
    ":effect",
    "either",
    "(and",
    "(not",
    "(increase (total-cost) 1)",
    "=",
    "12",
    ";",
    "\x00",
    "é",
    "`",
    "object",
]


def mutated(text: str, seed: int) -> str:
    """`text` with a few words lost, doubled, swapped or put in."""
    chance = random.Random(seed)
    words = re.findall(r"[()]|[^\s()]+|\s+", text)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(words))
        other = chance.randrange(len(words))
        words[at] = chance.choice(["", words[at] * 2, words[other], chance.choice(PIECES), words[at][:-1]])
    return "".join(words)


@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_no_text_breaks_the_reader(first: int, second: int) -> None:
    folders = sorted({path.parent for path, _ in TEXTS if path.name != "domain.pddl"})
    folder = folders[first % len(folders)]
    domain = next(text for path, text in TEXTS if path == folder / "domain.pddl")
    problem = next(text for path, text in TEXTS if path.parent == folder and path.name != "domain.pddl")
    try:
        imported = read(mutated(domain, first) if first % 3 else domain, mutated(problem, second) if second % 3 else problem)
    except DomainError as error:
        assert all(finding.location and str(finding) for finding in error.diagnostics)
    else:
        assert_text_means(imported)


@pytest.mark.parametrize(
    "text", ["", "()", "(define)", "define", ")", "(" * 50_000, "; nothing", "(define (domain))", "\ufeff(define (domain d))", "?"]
)
def test_odd_texts_are_refused(text: str) -> None:
    assert findings(text, text)


# The command


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    (tmp_path / "domain.pddl").write_text(ROADS, "utf-8")
    (tmp_path / "journey.pddl").write_text(JOURNEY, "utf-8")
    return tmp_path


def test_import_then_plan(roads: Path) -> None:
    ran = run("import", "pddl", "domain.pddl", "journey.pddl", "-o", "journey.toolplan", cwd=roads)
    assert (ran.returncode, ran.stdout) == (0, "")
    command = ran.stderr.partition("next: toolplan ")[2].split()
    planned = run(*command, cwd=roads)
    assert planned.stdout.splitlines()[:2] == ["1. `drive:4`(a, b)  action  4", "2. `drive:4`(b, c)  action  4"]
    for check in (["check", "--strict"], ["fmt", "--check"], ["test"]):
        assert run(*check, "journey.toolplan", cwd=roads).returncode == 0


def test_the_text_goes_to_stdout(roads: Path) -> None:
    ran = run("import", "pddl", "domain.pddl", "journey.pddl", cwd=roads)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == read(ROADS, JOURNEY).text


def test_json(roads: Path) -> None:
    ran = run("import", "pddl", "domain.pddl", "journey.pddl", "--json", cwd=roads)
    data = json.loads(ran.stdout)
    assert data["actions"] == {"drive:4": "drive", "drive:10": "drive", "fly": "fly", "rest": "rest"}
    assert data["state"] == ["`length:10`(c, a)", "`length:4`(a, b)", "`length:4`(b, c)", "at(a)"]
    assert (data["goal"], data["diagnostics"]) == ("solved", [])
    failed = run("import", "pddl", "domain.pddl", "domain.pddl", "--json", cwd=roads)
    assert failed.returncode == 1
    assert {finding["code"] for finding in json.loads(failed.stdout)["diagnostics"]} == {"TP431"}


def test_exit_codes(roads: Path) -> None:
    assert run("import", "pddl", "domain.pddl", cwd=roads).returncode == 2
    assert run("import", "sas", "domain.pddl", "journey.pddl", cwd=roads).returncode == 2
    missing = run("import", "pddl", "domain.pddl", "nothing.pddl", cwd=roads)
    assert (missing.returncode, "error[TP601]: cannot read `nothing.pddl`" in missing.stderr) == (1, True)
    assert run("import", "pddl", "domain.pddl", "journey.pddl", "-o", ".", cwd=roads).returncode == 2


def test_an_existing_file_is_left_as_it_is(roads: Path) -> None:
    (roads / "mine.toolplan").write_text("domain mine", "utf-8")
    assert run("import", "pddl", "domain.pddl", "journey.pddl", "-o", "mine.toolplan", cwd=roads).returncode == 2
    assert (roads / "mine.toolplan").read_text("utf-8") == "domain mine"


def test_comments_may_be_in_latin_1(roads: Path) -> None:
    (roads / "journey.pddl").write_bytes(b"; caf\xe9\n" + JOURNEY.encode())
    assert run("import", "pddl", "domain.pddl", "journey.pddl", cwd=roads).returncode == 0


@pytest.mark.parametrize(
    ("tests", "code"),
    [("", "TP408"), ('test "a" { given f }\ntest "b" { given f }', "TP408"), ("test {", "TP001"), ('test "a" { goal f }', None)],
)
def test_a_state_comes_from_the_one_test_of_a_file(tests: str, code: str | None, tmp_path: Path) -> None:
    (tmp_path / "d.toolplan").write_text(f"fact f closed\ntool t {{ produces f risk read }}\n{tests}\n", "utf-8")
    (tmp_path / "e.toolplan").write_text("fact f closed\ntool t { produces f risk read }\n", "utf-8")
    ran = run("plan", "e.toolplan", "--state", "@d.toolplan", "--goal", "f", cwd=tmp_path)
    assert ran.returncode == (0 if code is None else 1)
    assert code is None or f"[{code}]" in ran.stderr
