"""The PDDL text: accepted by every reader there is, the same cost everywhere, the same bytes always, names that come back."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import pddl
import pytest
import unified_planning as up
from downward import solve_text
from pddl.exceptions import PDDLMissingRequirementError
from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
from unified_planning.io import PDDLReader
from unified_planning.plans import ActionInstance, SequentialPlan

from toolplan import Limit, load, loads
from toolplan.importing.pddl import read
from toolplan.language.loading import shipped_domains
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build, build_scenario
from toolplan.planning.pddl import Pddl, to_pddl
from toolplan.planning.plans import Optimal, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import score

LIMIT = Limit(seconds=60)


def shipped_problems() -> list[tuple[str, Problem]]:
    """The first two test blocks of each shipped domain that reach a goal; one chain of the distractors, which have no tests."""
    chosen = []
    for name in shipped_domains():
        domain = load(name)
        reaching = [test for test in domain.tests if test.wanted and any(expected.kind == "chain" for expected in test.expects)]
        chosen += [(f"{name}: {test.name}", build_scenario(domain, test.given, test.wanted)) for test in reaching[:2]]
    chosen.append(("distractors: approve an invoice", build(load("distractors"), "email_description", "invoice_approved")))
    return chosen


SHIPPED = shipped_problems()


def test_every_shipped_domain_is_among_the_problems() -> None:
    assert {name.split(":")[0] for name, _ in SHIPPED} == set(shipped_domains())


@pytest.mark.parametrize("problem", [problem for _, problem in SHIPPED], ids=[name for name, _ in SHIPPED])
def test_all_readers_and_planners_agree_on_shipped_domains(problem: Problem, tmp_path: Path) -> None:
    text = to_pddl(problem)
    files = write(text, tmp_path)
    pddl.parse_domain(files[0])
    pddl.parse_problem(files[1])
    ours = solve(problem, "fast-downward", LIMIT)
    assert isinstance(ours, Optimal)
    found = solve_text(text)
    assert found is not None
    cost, steps = found
    assert Fraction(cost, text.unit) == score(problem, steps) == ours.plan.score
    read = read_by_unified_planning(files)
    assert validated(read, text, steps) is ValidationResultStatus.VALID
    assert Fraction(best_cost(read, tmp_path), text.unit) == ours.plan.score
    assert len(list(read.actions)) == len(text.actions)


def write(text: Pddl, directory: Path) -> tuple[str, str]:
    paths = directory / "domain.pddl", directory / "problem.pddl"
    paths[0].write_text(text.domain, "utf-8")
    paths[1].write_text(text.problem, "utf-8")
    return str(paths[0]), str(paths[1])


def read_by_unified_planning(files: tuple[str, str]) -> up.model.Problem:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment = up.environment.get_environment()
        environment.credits_stream = None
        return PDDLReader(environment).parse_problem(*files)


def validated(read: up.model.Problem, text: Pddl, steps: list[Step]) -> ValidationResultStatus:
    """Whether unified-planning's validator accepts the steps."""
    by_step = {(action, outcome): name for name, (action, outcome) in reversed(text.actions.items())}
    written = {original: name for name, original in text.names.items()}
    environment = read.environment
    instances = []
    for step in steps:
        action = read.action(by_step[step.action, step.outcome])
        objects = [environment.expression_manager.ObjectExp(read.object(written[name])) for name in step.arguments]
        instances.append(ActionInstance(action, tuple(objects)))
    return SequentialPlanValidator().validate(read, SequentialPlan(instances, environment)).status


def best_cost(read: up.model.Problem, directory: Path) -> int:
    """The cost of unified-planning's own best plan."""
    params = {"fast_downward_search_config": "astar(blind())"}
    # The library's own engine writes output.sas where it stands, so two of these tests at once need two places to stand.
    with warnings.catch_warnings(), contextlib.chdir(directory):
        warnings.simplefilter("ignore")
        with read.environment.factory.OneshotPlanner(name="fast-downward", params=params) as planner:
            result = planner.solve(read)
    log = "\n".join(message.message for message in result.log_messages)
    return next(int(line.rsplit(":", 1)[1]) for line in log.splitlines() if "Plan cost:" in line)


NASTY = [
    ("at", "over"),
    ("Order", "order"),
    ("order-id", "order_id"),
    ("order.id", "order_id"),
    ("名前", "日本"),
    ("total-cost", "objects"),
    ("-a", "a"),
    ("define", "and"),
    ("x y", "x_y"),
    ("a)", "a("),
    ("a;b", "a b"),
    ("targetFree", "targetfree"),
    ("1st", "x1st"),
    ("number", "increase"),
    ("été", "ete"),
]


@pytest.mark.parametrize("names", NASTY, ids=[" ".join(pair) for pair in NASTY])
def test_names_stay_distinct_and_come_back(names: tuple[str, str], tmp_path: Path) -> None:
    """As facts, types, objects, tools and parameters at once: two tools that differ only in a name that PDDL would confuse."""
    one, other = names
    domain = loads(
        f"""
        type `{one}`  type `{other}`
        fact `{one}`(`{one}`)  fact `{other}`(`{other}`)
        tool `{one}`(`{one}`: `{one}`) {{ produces `{one}`(`{one}`) risk read }}
        tool `{other}`(`{other}`: `{other}`) {{ requires exists x: `{one}` (`{one}`(x)) produces `{other}`(`{other}`) risk read }}
        """
    )
    problem = build(domain, None, [(other, "here")]) if one != "here" else None
    assert problem is not None
    problem = Problem(domain, {"there": one, "here": other}, problem.state, problem.wanted)
    text = to_pddl(problem)
    files = write(text, tmp_path)
    pddl.parse_domain(files[0])
    pddl.parse_problem(files[1])
    found = solve_text(text)
    assert found is not None
    assert [(step.action, step.arguments) for step in found[1]] == [(one, ("there",)), (other, ("here",))]
    assert validated(read_by_unified_planning(files), text, found[1]) is ValidationResultStatus.VALID


def test_texts_cannot_inject_pddl() -> None:
    domain = loads('tool t { """a\n) (:action evil) ;""" produces f risk read }  fact f "x\\n)"  goal g { achieves f }')
    text = to_pddl(build(domain, None, "g"))
    assert "\n) (:action evil)" not in text.domain
    assert all(line.lstrip().startswith((";", "(", ")", ":")) for line in text.domain.splitlines() if line.strip())


def test_the_bytes_are_the_same_in_every_process(tmp_path: Path) -> None:
    command = ["pddl", "files", "--state", "described(report),named(anna)", "--goal", "share_file(report, anna)", "--json"]
    outputs = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-m", "toolplan", *command], capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}, cwd=tmp_path
        )
        assert run.returncode == 0, run.stderr
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_an_exhausted_step_of_what_is_not_there_rules_nothing_out() -> None:
    domain = loads("type file  fact found(file)  fact done  tool look(f: file) { produces found(f), done risk read }")
    plain, tried = (to_pddl(build(domain, ["found(a)"], "done", exhausted=steps)) for steps in ((), ["look(ghost)"]))
    assert tried == plain


def test_an_action_without_precondition_or_effect_is_written_in_full() -> None:
    text = to_pddl(build(loads("tool t { risk read }  fact f  tool u { produces f risk read }"), None, "f"))
    assert ":precondition (and)" in text.domain
    assert "(increase (total-cost) 1)" in text.domain


def test_requirements_say_exactly_what_is_used() -> None:
    plain = to_pddl(build(loads("fact f  tool t { produces f risk read }"), None, "f"))
    assert "(:requirements :strips :action-costs)" in plain.domain
    rich = to_pddl(build(loads("fact f fact g closed tool t { requires not g produces f risk read }"), None, "f"))
    assert "(:requirements :strips :negative-preconditions :action-costs)" in rich.domain


UNTYPED = """
fact seen(object)  fact beside(object, object)  fact done
constant k: object
tool look(x: object) { produces seen(x) risk read }
tool put(x: object, y: object) { requires seen(x), seen(y) produces beside(x, y) risk write }
tool finish { requires beside(k, k) produces done risk write }
"""
NO_THINGS = "fact done  tool t { requires forall x: object (x = x) produces done risk read }"
BLOCKS = """
(define (domain blocks) (:predicates (on ?x ?y) (clear ?x))
 (:action put :parameters (?x ?y) :precondition (and (clear ?x) (clear ?y)) :effect (and (on ?x ?y) (not (clear ?y)))))
"""
TWO_BLOCKS = "(define (problem two) (:domain blocks) (:objects a b) (:init (clear a) (clear b)) (:goal (on a b)))"


@pytest.mark.parametrize(
    ("problem", "count"),
    [
        (build(loads(UNTYPED), None, "done"), 3),
        (build(loads(NO_THINGS), None, "done"), 1),
        (read(BLOCKS, TWO_BLOCKS).problem, 1),
    ],
    ids=["objects", "no objects", "imported"],
)
def test_all_readers_take_what_has_no_types(problem: Problem, count: int, tmp_path: Path) -> None:
    text = to_pddl(problem)
    files = write(text, tmp_path)
    pddl.parse_domain(files[0])
    pddl.parse_problem(files[1])
    found = solve_text(text)
    assert found is not None
    assert len(found[1]) == count
    assert validated(read_by_unified_planning(files), text, found[1]) is ValidationResultStatus.VALID
    assert len(read(text.domain, text.problem).problem.objects) == len(problem.objects)


@pytest.mark.parametrize("goal", ["f or g", "forall x: t (p(x))", "exists x: t (p(x))", "exists x: t, y: t (x != y)"])
def test_rich_goals_are_read_by_all_but_the_pddl_package(goal: str, tmp_path: Path) -> None:
    """It has no way to be told what the goal of a problem needs; once it has, the page on the language can say so."""
    text = to_pddl(build(loads("type t constant a, b: t fact f fact g fact p(t) tool u(x: t) { produces f, p(x) risk read }"), None, goal))
    files = write(text, tmp_path)
    pddl.parse_domain(files[0])
    with pytest.raises(PDDLMissingRequirementError):
        pddl.parse_problem(files[1])
    found = solve_text(text)
    assert found is not None
    assert validated(read_by_unified_planning(files), text, found[1]) is ValidationResultStatus.VALID


CLAIMS = "fact x  fact s  fact t  fact u  fact g "


@pytest.mark.parametrize(
    ("tool", "actions"),
    [
        ("look { requires not s produces t removes g risk read }", ["look"]),
        ("look { produces t risk read }", ["look"]),
        (
            "look { requires t produces oneof ((u, not t) or g) risk read }",
            ["look-outcome-1-on-claims", "look-outcome-2", "look-outcome-2-on-claims"],
        ),
        ("look { requires not u produces oneof (u or g) risk read }", ["look-outcome-2"]),
    ],
)
def test_actions_that_could_never_be_taken_are_not_written(tool: str, actions: list[str]) -> None:
    text = to_pddl(build(loads(f"{CLAIMS} tool {tool}"), ["x?", "not s"], "t"))
    assert list(text.actions) == actions
