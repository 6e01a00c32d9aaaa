"""The search in this process against brute force on generated tasks, and each of its proofs on a task that only it decides."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import inf
from random import Random

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from toolplan import Limit
from toolplan.planning.plans import Atom, Bounded, Fluent, Optimal, Plan, Status, Step, Undecided, Unreachable
from toolplan.planning.search.in_process import in_process
from toolplan.planning.task import Change, Literals, Operator, Task

GENEROUS = Limit(expansions=1_000_000, seconds=600)
SEEDS = st.integers(0, 2**32)
LONG = 2_000


def settled(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def literals(true: str = "", false: str = "") -> Literals:
    return Literals(numbers(true), numbers(false))


def numbers(letters: str) -> frozenset[int]:
    return frozenset(ord(letter) - ord("a") for letter in letters)


def operator(name: str, requires: str, adds: str, score: int = 1, *, deletes: str = "", changes: tuple[Change, ...] = ()) -> Operator:
    return Operator(Step(name), literals(requires), numbers(adds), numbers(deletes), changes, score)


def task(operators: Sequence[Operator], goal: str, *, initial: str = "a", unit: int = 1) -> Task:
    """A task over fluents named by letters."""
    return task_of(26, numbers(initial), [literals(goal)], operators, unit)


def task_of(size: int, initial: frozenset[int], goals: Sequence[Literals], operators: Sequence[Operator], unit: int = 1) -> Task:
    fluents = tuple(Fluent(Status.KNOWN, Atom(f"f{number}")) for number in range(size))
    return Task(fluents, initial, tuple(goals), tuple(operators), unit)


def draw_adding(rng: Random) -> Task:
    """Operators that only add, most of them from earlier fluents to later ones: with zero scores, twins, cycles, and up to three goals."""
    size = rng.randint(6, 11)
    operators: list[Operator] = []
    for number in range(rng.randint(6, 26)):
        step = Step(f"t{number}")
        if operators and rng.random() < 0.1:
            twin = rng.choice(operators)
            operators.append(replace(twin, step=step, score=twin.score + rng.choice([0, 1])))
        else:
            main = rng.randint(1, size - 1)
            needs = range(main) if rng.random() < 0.85 else range(size)
            requires = Literals(frozenset(rng.choices(needs, k=rng.choice([0, 1, 1, 2, 2, 3]) if main > 2 else 1)))
            adds = frozenset({main, *rng.sample(range(size), rng.choice([0, 0, 1, 1, 2]))})
            operators.append(Operator(step, requires, adds, frozenset(), (), rng.choice([0, 1, 1, 1, 2, 2, 3, 10**12])))
    goals = [
        Literals(frozenset(rng.sample(range(size // 2, size), rng.choice([1, 2, 2, 3])))) for _ in range(rng.choice([1, 1, 1, 1, 2, 3]))
    ]
    return task_of(size, frozenset({0}), goals, operators, rng.choice([1, 4]))


def draw_deleting(rng: Random) -> Task:
    """The same with deletes, and in every second task with negative conditions and conditional effects."""
    drawn = draw_adding(rng)
    rich = rng.random() < 0.5

    def some(counts: Sequence[int]) -> frozenset[int]:
        return frozenset(rng.sample(range(len(drawn.fluents)), rng.choice(counts)))

    def condition(true: frozenset[int], counts: Sequence[int]) -> Literals:
        return Literals(true, some(counts) - true if rich else frozenset())

    def changes() -> tuple[Change, ...]:
        count = rng.choice([0, 0, 0, 1, 1, 2]) if rich else 0
        return tuple(Change(condition(some([1]), [0, 1]), some([1]), some([0, 1])) for _ in range(count))

    operators = [
        replace(op, requires=condition(op.requires.true, [0, 0, 0, 1]), deletes=some([0, 0, 1, 1, 2]), changes=changes())
        for op in drawn.operators
    ]
    return replace(drawn, operators=tuple(operators), goals=tuple(condition(goal.true, [0, 0, 1]) for goal in drawn.goals))


def brute_force(task: Task) -> tuple[int, int] | None:
    """The least (score, number of steps) of any plan, by trying every operator in every state."""
    best = {task.initial: (0, 0)}
    ties = count()
    queue = [(0, 0, next(ties), task.initial)]
    while queue:
        score, steps, _, state = heapq.heappop(queue)
        if (score, steps) != best[state]:
            continue
        if any(goal.hold(state) for goal in task.goals):
            return score, steps
        for op in task.operators:
            if op.requires.hold(state):
                after, reached = op.apply(state), (score + op.score, steps + 1)
                if after not in best or reached < best[after]:
                    best[after] = reached
                    heapq.heappush(queue, (*reached, next(ties), after))
    return None


def replayed(task: Task, plan: Plan) -> tuple[int, int]:
    """(score, number of steps) of `plan`, which must reach a goal and say what it scores."""
    by_step = {op.step: op for op in task.operators}
    state, score = task.initial, 0
    for step in plan.steps:
        assert by_step[step].requires.hold(state), step
        state = by_step[step].apply(state)
        score += by_step[step].score
    assert any(goal.hold(state) for goal in task.goals)
    assert plan.score == Fraction(score, task.unit)
    return score, len(plan.steps)


def check(task: Task, rng: Random) -> None:
    """The laws of the search."""
    expected = brute_force(task)
    found = in_process(task, GENEROUS)
    event(f"{type(found).__name__} by {found.engine}")
    if expected is None:
        assert isinstance(found, Unreachable)
    else:
        assert isinstance(found, Optimal)
        assert replayed(task, found.plan) == expected
    assert in_process(task, GENEROUS) == found
    for limit, effort in ((GENEROUS, rng.choice([0, 5, 20, 50, 100, 300])), (replace(GENEROUS, expansions=rng.choice([1, 2, 3, 5])), inf)):
        limited = in_process(task, limit, effort)
        if limited != found:
            event(type(limited).__name__)
            assert isinstance(limited, Bounded | Undecided)
            assert expected is None or limited.lower_bound <= Fraction(expected[0], task.unit)
        if isinstance(limited, Bounded):
            assert expected is not None
            assert replayed(task, limited.plan) >= expected


@settled(300)
@given(SEEDS)
def test_tasks_that_only_add_are_decided_as_by_brute_force_and_limits_leave_a_plan_with_a_bound(seed: int) -> None:
    rng = Random(seed)
    drawn = draw_adding(rng)
    check(drawn, rng)
    assert not isinstance(in_process(drawn, GENEROUS, 0), Undecided)


@settled(100)
@given(SEEDS)
def test_tasks_with_deletes_are_decided_as_by_brute_force_and_limits_leave_a_bound(seed: int) -> None:
    rng = Random(seed)
    check(draw_deleting(rng), rng)


def proof(task: Task) -> tuple[str, list[str]]:
    """How the best plan was proved best, and its steps."""
    found = in_process(task, GENEROUS)
    assert isinstance(found, Optimal)
    assert replayed(task, found.plan) == brute_force(task)
    return found.engine, [step.action for step in found.plan.steps]


def test_a_plan_without_a_choice_is_forced() -> None:
    steps = [operator("last", "bc", "d"), operator("second", "a", "c"), operator("first", "a", "b"), operator("idle", "a", "e", 0)]
    assert proof(task(steps, "d")) == ("forced-plan", ["second", "first", "last"])


def test_a_fact_that_a_forced_step_adds_on_its_way_is_no_choice() -> None:
    steps = [operator("one", "a", "bc"), operator("other", "a", "b"), operator("last", "bc", "d")]
    assert proof(task(steps, "d")) == ("forced-plan", ["one", "last"])


def test_an_inferior_alternative_is_no_choice() -> None:
    steps = [operator("needs more", "ab", "c"), operator("dearer", "a", "c", 2), operator("best", "a", "c"), operator("makes b", "a", "b")]
    assert proof(task(steps, "c")) == ("forced-plan", ["best"])


def test_a_forced_plan_puts_who_spoils_a_fact_after_who_needs_it() -> None:
    steps = [operator("spoils", "a", "b", deletes="a"), operator("needs", "a", "c")]
    assert proof(task(steps, "bc")) == ("forced-plan", ["needs", "spoils"])


def test_bounds_that_meet_prove_a_choice() -> None:
    steps = [operator("to b", "a", "b", 2), operator("to c", "a", "c", 1), operator("by b", "b", "d", 1), operator("by c", "c", "d", 3)]
    assert proof(task(steps, "d")) == ("lm-cut", ["to b", "by b"])


def test_of_equal_scores_the_plan_with_fewer_steps_is_best() -> None:
    steps = [operator("to b", "a", "b", 0), operator("by b", "b", "d", 4), operator("at once", "a", "d", 4), operator("to c", "a", "c")]
    assert proof(task(steps, "cd"))[1] == ["at once", "to c"]


def test_two_odd_cycles_take_branching() -> None:
    """Three facts, three operators that each add two of them: every bound that adds up landmarks says one, and it takes two."""
    steps = [operator(name, "a", name) for name in ("bc", "cd", "bd", "ef", "fg", "eg")]
    engine, plan = proof(task(steps, "bcdefg"))
    assert engine == "branch-and-bound"
    assert len(plan) == 4


def test_deletes_that_make_a_step_be_done_twice_take_a_star() -> None:
    """One hand carries two things from a to b."""
    steps = [operator("go", "a", "b", deletes="a"), operator("return", "b", "a", deletes="b")]
    for name, at_a, at_b, held in (("x", "c", "d", "h"), ("y", "e", "f", "i")):
        steps.append(operator(f"take {name}", f"a{at_a}g", held, deletes=f"{at_a}g"))
        steps.append(operator(f"drop {name}", f"b{held}", f"{at_b}g", deletes=held))
    engine, plan = proof(task(steps, "df", initial="aceg"))
    assert engine == "a-star"
    assert len(plan) == 7


def test_a_relaxed_plan_that_can_be_executed_needs_no_search_though_others_delete() -> None:
    steps = [operator("spoils", "a", "b", deletes="a"), operator("dearer", "a", "b", 2), operator("needs", "a", "c")]
    steps += [operator("to d", "a", "d"), operator("from d", "d", "c", 3)]
    assert proof(task(steps, "bc")) == ("lm-cut", ["needs", "spoils"])


def test_what_one_operator_adds_under_two_conditions_is_paid_for_once() -> None:
    changes = tuple(Change(literals(condition), numbers(added), frozenset()) for condition, added in ("ac", "bd"))
    steps = [operator("both", "", "", 5, changes=changes), operator("c alone", "a", "c", 4), operator("d alone", "b", "d", 4)]
    assert proof(task(steps, "cd", initial="ab"))[1] == ["both"]


def test_the_cheapest_of_several_goals_is_taken() -> None:
    steps = [operator("dear", "a", "b", 3), operator("cheap", "a", "c", 2), operator("cheap too", "c", "d", 0)]
    several = replace(task(steps, "b"), goals=(literals("b"), literals("d")))
    assert proof(several)[1] == ["cheap", "cheap too"]


def test_what_only_a_cycle_would_make_true_is_unreachable() -> None:
    steps = [operator("b from c", "c", "b"), operator("c from b", "b", "c"), operator("d", "b", "d")]
    assert isinstance(in_process(task(steps, "d"), GENEROUS), Unreachable)


def test_a_goal_that_deletes_exclude_is_unreachable_only_after_search() -> None:
    steps = [operator("b", "a", "b", deletes="a"), operator("c", "a", "c", deletes="a"), operator("b too", "a", "bd", deletes="a")]
    found = in_process(task(steps, "bc"), GENEROUS)
    assert isinstance(found, Unreachable)
    assert found.engine == "a-star"


def hard() -> Task:
    """Ten odd cycles."""
    trios = [range(start, start + 3) for start in range(1, 31, 3)]
    cycles = [(x, y) for x, y, z in trios] + [(y, z) for x, y, z in trios] + [(x, z) for x, y, z in trios]
    operators = [
        Operator(Step(f"t{number}"), Literals(frozenset({0})), frozenset(pair), frozenset(), (), 2) for number, pair in enumerate(cycles)
    ]
    return task_of(31, frozenset({0}), [Literals(frozenset(range(31)))], operators, 4)


@pytest.mark.parametrize(
    ("limit", "effort", "said"),
    [
        (replace(GENEROUS, expansions=3), inf, "3 expansions"),
        (replace(GENEROUS, seconds=1e-9), inf, "1e-09 s"),
        (GENEROUS, 2_000, "2,000 operators looked at"),
    ],
)
def test_each_limit_leaves_a_plan_a_bound_in_the_unit_of_the_author_and_its_name(limit: Limit, effort: float, said: str) -> None:
    found = in_process(hard(), limit, effort)
    assert isinstance(found, Bounded)
    assert found.limit == said
    assert replayed(hard(), found.plan) >= (40, 20)
    assert found.plan.score >= 10 >= found.lower_bound


def test_a_search_cut_short_follows_relaxed_plans_to_some_plan() -> None:
    steps = [operator("go", "a", "b", deletes="a"), operator("return", "b", "a", deletes="b")]
    for number, letter in enumerate("klmno"):
        there, held = "pqrst"[number], "uvwxy"[number]
        steps.append(operator(f"take {letter}", f"a{letter}g", held, deletes=f"{letter}g"))
        steps.append(operator(f"drop {letter}", f"b{held}", f"{there}g", deletes=held))
    carrying = task(steps, "pqrst", initial="agklmno")
    found = in_process(carrying, replace(GENEROUS, expansions=2))
    assert isinstance(found, Bounded)
    assert replayed(carrying, found.plan) >= (19, 19)


def chain(*, deletes: range = range(0)) -> list[Operator]:
    return [
        Operator(Step(f"t{at}"), Literals(frozenset({at})), frozenset({at + 1}), frozenset({at} if at in deletes else ()), (), 1)
        for at in range(LONG)
    ]


def over_chain(operators: Sequence[Operator]) -> Task:
    return task_of(LONG + 2, frozenset({0}), [Literals(frozenset({LONG}))], operators)


@pytest.mark.parametrize("deletes", [range(0), range(700, 701), range(LONG)], ids=["none", "one", "all"])
def test_a_plan_of_two_thousand_steps(deletes: range) -> None:
    long = over_chain(chain(deletes=deletes))
    found = in_process(long, GENEROUS)
    assert isinstance(found, Optimal)
    assert replayed(long, found.plan) == (LONG, LONG)


@pytest.mark.parametrize("deletes", [range(0), range(700, 701)], ids=["none", "one"])
def test_a_plan_of_two_thousand_steps_with_a_choice_on_the_way(deletes: range) -> None:
    detour = [
        Operator(Step("leave"), Literals(frozenset({1_000})), frozenset({LONG + 1}), frozenset(), (), 0),
        Operator(Step("join"), Literals(frozenset({LONG + 1})), frozenset({1_001}), frozenset(), (), 0),
    ]
    long = over_chain([*chain(deletes=deletes), *detour])
    found = in_process(long, GENEROUS)
    assert isinstance(found, Optimal)
    assert replayed(long, found.plan) == (LONG - 1, LONG + 1)
