"""What is ground: all that has a part in reaching the goal from the state, and nothing else."""

from __future__ import annotations

import gc
import os
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from strategies import PLAIN, Drawn, draw_problem, problems

from toolplan import DomainError, frontier, loads
from toolplan.bench.registries import families
from toolplan.language.codes import Code
from toolplan.planning.compact import compact
from toolplan.planning.engines import solve
from toolplan.planning.grounding import compile_relevant, compile_task
from toolplan.planning.inputs import build
from toolplan.planning.plans import Optimal, Step, Unreachable
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.task import Task, missing, reachable, relevant

EXAMPLES = int(os.environ.get("TOOLPLAN_EXAMPLES", "300"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def problem_of(drawn: Drawn) -> Problem:
    try:
        return build(loads(drawn.domain), drawn.state, drawn.goal)
    except DomainError:
        assume(False)
        raise


def steps_of(task: Task) -> list[Step]:
    return [operator.step for operator in task.operators]


@QUICK
@given(problems() | problems(PLAIN))
def test_backward_and_by_joins_nothing_is_ground_that_pruning_would_drop(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    full = compile_task(problem)
    assume(missing(full) is None)
    everything, found = pruned(full), pruned(compile_relevant(problem))
    event("the same" if found == everything else "fewer")
    assert set(found) <= set(everything)


def pruned(task: Task) -> list[Step]:
    """The steps that are left when what is irrelevant has gone, and what was relevant to that alone."""
    task = relevant(reachable(task))
    while len(smaller := relevant(task).operators) < len(task.operators):
        task = replace(task, operators=smaller)
    return steps_of(task)


@pytest.mark.parametrize("alternatives", [1, 3])
def test_what_is_ground_follows_the_goal_and_not_the_registry(alternatives: int) -> None:
    sizes = []
    for tools in (60, 600):
        registry = families(tools, 0, alternatives)
        domain = loads(registry.text)
        task = registry.tasks[0]
        sizes.append(len(compile_relevant(build(domain, task.state, task.goal)).operators))
    assert sizes[0] == sizes[1] == 3 * alternatives


SHARES = """
type file  type person  type project
fact found(file)  fact resolved(person)  fact within(file, project)  fact member(person, project)
fact shared(file, person, project)
tool find(f: file) { produces found(f) risk read }
tool resolve(p: person) { produces resolved(p) risk read }
tool share(f: file, p: person, r: project) {
  requires found(f), resolved(p), within(f, r), member(p, r)
  produces shared(f, p, r)
  risk read
}
"""
MANY = [f"within(f{n}, r{n % 9})" for n in range(300)] + [f"member(p{n}, r{n % 7})" for n in range(300)]


def test_of_many_objects_only_those_on_the_way_are_ground() -> None:
    task = prepare(build(loads(SHARES), MANY, "shared(f1, p1, r1)"))
    assert isinstance(task, Task)
    assert steps_of(task) == [Step("find", ("f1",)), Step("resolve", ("p1",)), Step("share", ("f1", "p1", "r1"))]


def test_open_arguments_are_filled_from_what_is_reached() -> None:
    text = SHARES + "fact done(file) tool close(f: file, p: person, r: project) { requires shared(f, p, r) produces done(f) risk read }"
    task = prepare(build(loads(text), ["within(f1, r1)", "member(p1, r1)", "member(p2, r2)"], "done(f1)"))
    assert isinstance(task, Task)
    assert Step("close", ("f1", "p1", "r1")) in steps_of(task)
    assert Step("share", ("f1", "p2", "r2")) not in steps_of(task)


@pytest.mark.parametrize(("people", "blamed"), [(1, "member(p0, r8)"), (300, "done")])
def test_an_unreachable_goal_over_many_objects_blames_the_goal_where_all_else_is_too_much(people: int, blamed: str) -> None:
    text = SHARES + "fact done tool close(f: file, p: person, r: project) { requires shared(f, p, r) produces done risk read }"
    within = [atom for atom in MANY if atom.startswith("within")]
    found = prepare(build(loads(text), [*within, *(f"resolved(p{n})" for n in range(people))], "done"))
    assert isinstance(found, Unreachable)
    assert [str(fluent) for fluent in found.missing] == [blamed]


def test_a_fact_that_no_tool_adds_is_blamed_by_name_also_where_arguments_are_open() -> None:
    text = """
    type order  type customer
    fact owns(customer, order)  fact verified(customer)  fact done(order)
    tool verify(c: customer) { produces verified(c) risk read }
    tool finish(o: order, c: customer) { requires owns(c, o), verified(c) produces done(o) risk read }
    """
    found = prepare(build(loads(text), ["verified(anna)"], "done(first)"))
    assert isinstance(found, Unreachable)
    assert [str(fluent) for fluent in found.missing] == ["owns(anna, first)"]


def test_more_groundings_than_can_be_are_a_diagnostic() -> None:
    text = "type t fact a(t) fact done tool all(u: t, v: t, w: t, x: t) { produces done risk read }"
    with pytest.raises(DomainError) as caught:
        prepare(build(loads(text), [f"a(o{n})" for n in range(40)], "done"))
    assert [finding.code for finding in caught.value.diagnostics] == [Code.GROUNDING_TOO_LARGE]


def test_static_facts_are_decided_before_alternatives_are_spelt_out() -> None:
    lines = ["type t", "fact allowed(t)", "fact seen(t)", "fact done"]
    lines += ["tool see(x: t) { produces seen(x) risk read }"]
    lines += ["tool finish { requires forall x: t (not allowed(x) or seen(x)) produces done risk read }"]
    lines += [f"constant {', '.join(f'o{n}' for n in range(30))}: t"]
    task = prepare(build(loads("\n".join(lines)), ["allowed(o3)", *(f"not allowed(o{n})" for n in range(30) if n != 3)], "done"))
    assert isinstance(task, Task)
    assert steps_of(task) == [Step("see", ("o3",)), Step("finish")]


def test_what_nobody_reads_is_no_part_of_the_task() -> None:
    text = "fact a fact b fact noise fact old closed tool t { requires a produces b, noise removes old risk read }"
    task = prepare(build(loads(text), "a, old", "b"))
    assert isinstance(task, Task)
    assert (task.only_adds, len(task.fluents), len(task.operators)) == (True, 1, 1)


FILES = """
type file  fact found(file)  fact read(file)  fact listed(file)  fact done  fact x
tool open(f: file) { requires found(f) produces read(f) risk read }
tool enlist(f: file) { requires found(f) produces listed(f) risk read }
"""
ANY = "tool report { requires exists f: file (read(f)) produces done risk read }"
ALL = "tool report { requires forall f: file (read(f) or listed(f)) produces done risk read }"
ANY_UNLESS_KNOWN = "tool report { requires exists f: file (read(f)) produces done removes x risk read }"
"""On claims it does something else, and so must tell them from what is known: a product of as many parts as there are files."""


def of_files(number: int, tool: str, goal: str = "done") -> Problem:
    return build(loads(FILES + tool), ["x?", *(f"found(f{one})" for one in range(number))], goal)


@pytest.mark.parametrize("goal", ["done", "exists f: file (read(f))"])
def test_any_of_many_is_as_good_as_any_of_few(goal: str) -> None:
    few, many = (solve(of_files(number, ANY, goal)) for number in (10, 1_500))
    assert isinstance(few, Optimal)
    assert isinstance(many, Optimal)
    assert many.plan == few.plan


@pytest.mark.parametrize(("number", "tool"), [(5_001, ANY), (10, ALL), (1_500, ANY_UNLESS_KNOWN)])
def test_more_alternatives_than_can_be_written_out_are_a_diagnostic(number: int, tool: str) -> None:
    with pytest.raises(DomainError) as caught:
        prepare(of_files(number, tool))
    assert [finding.code for finding in caught.value.diagnostics] == [Code.GROUNDING_TOO_LARGE]


def test_a_permission_that_its_own_call_consumes_leaves_a_task_that_only_adds() -> None:
    text = "fact a fact sent tool send { requires a produces sent risk send } ask may { permits send } tool get { produces a risk read }"
    task = prepare(build(loads(text), None, "sent"))
    assert isinstance(task, Task)
    assert {str(fluent.atom) for fluent in task.fluents} > {"a", "sent"}
    assert task.only_adds


def test_a_permission_that_two_calls_need_is_deleted_all_the_same() -> None:
    text = "fact may closed fact a fact b tool t { requires may produces a removes may risk read } tool u { requires may produces b removes may risk read }"
    text += " ask permission { produces may }"
    task = prepare(build(loads(text), None, "a, b"))
    assert isinstance(task, Task)
    assert not task.only_adds


def test_compacting_twice_changes_nothing() -> None:
    for seed in range(200):
        drawn = draw_problem(Random(seed), PLAIN)
        try:
            task = prepare(build(loads(drawn.domain), drawn.state, drawn.goal))
        except DomainError:
            continue
        if isinstance(task, Task):
            assert compact(task) == Task(list(task.fluents), task.initial, task.goals, task.operators, task.unit)


def test_what_is_remembered_of_a_domain_goes_with_it() -> None:
    domain = loads(SHARES)
    frontier(domain, state=MANY, goal="shared(f1, p1, r1)")
    gone = weakref.ref(domain)
    del domain
    gc.collect()
    assert gone() is None


def test_earlier_questions_do_not_change_later_answers() -> None:
    registry = families(60, 3, 3)
    shared = loads(registry.text)
    for task in [*registry.tasks, *reversed(registry.tasks)]:
        alone = frontier(loads(registry.text), state=task.state, goal=task.goal)
        assert frontier(shared, state=task.state, goal=task.goal).to_dict() == alone.to_dict()


def test_eight_threads_answer_as_one() -> None:
    registry = families(120, 5, 3)
    tasks = list(registry.tasks) * 8
    alone = loads(registry.text)
    expected = [frontier(alone, state=task.state, goal=task.goal).to_dict() for task in tasks]
    together = loads(registry.text)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda task: frontier(together, state=task.state, goal=task.goal).to_dict(), tasks))
    assert found == expected
