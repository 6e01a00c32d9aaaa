"""Fast Downward's search through a pipe: what goes in, what is believed of what comes out, and that nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import PLAIN, Drawn, problems
from test_bridge import EXPECTED, children, hard, names, shop, two_ways, wait_until_gone
from test_planners import GENEROUS, key, oracle, problem_of

from toolplan import Limit, loads
from toolplan.planning import downward
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, EngineFailed, Fluent, Optimal, Solution, Status, Step, Undecided, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.sas import to_sas
from toolplan.planning.splitting import split
from toolplan.planning.task import Change, Literals, Operator, Task

GOLDEN = Path(__file__).parent / "data" / "sas" / "small.sas"
LIMIT = Limit(seconds=60)
SOME = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def solved(problem: Problem, limit: Limit = LIMIT) -> Solution:
    return solve(problem, "downward", limit)


# The text


def operator(name: str, requires: Literals, adds: set[int], deletes: set[int] = frozenset(), *changes: Change) -> Operator:
    return Operator(Step(name), requires, frozenset(adds), frozenset(deletes), changes, 1)


def literals(true: set[int] = frozenset(), false: set[int] = frozenset()) -> Literals:
    return Literals(frozenset(true), frozenset(false))


def small() -> Task:
    """Two goals, and operators of every kind: a condition on what changes and on what does not, an effect that is conditional, one in vain."""
    fluents = tuple(Fluent(Status.KNOWN, Atom(name)) for name in ("a", "b", "c", "unread"))
    operators = (
        operator("swap", literals({0}, {1}), {1}, {0}),
        operator("keep", literals({1}), {0, 1, 3}),
        operator("maybe", literals(), set(), {0}, Change(literals({0}, {2}), frozenset({0, 2}), frozenset({1}))),
        operator("vain", literals({0}), {3}),
    )
    return Task(fluents, frozenset({0}), (literals({1, 2}), literals(false={0})), operators, 1)


def test_the_text_of_a_small_task() -> None:
    text = to_sas(small(), [3, 4, 5, 6])
    if os.environ.get("TOOLPLAN_UPDATE"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


FEW = st.frozensets(st.integers(0, 3), max_size=2)
CONDITIONS = st.builds(lambda true, false: Literals(true, false - true), FEW, FEW)
OPERATORS = st.builds(
    lambda requires, adds, deletes, changes: Operator(Step("t"), requires, adds, deletes, tuple(changes), 1),
    CONDITIONS,
    FEW,
    FEW,
    st.lists(st.builds(Change, CONDITIONS, FEW, FEW), max_size=2),
)


@SOME
@given(OPERATORS)
def test_the_parts_of_an_operator_do_together_what_it_does(whole: Operator) -> None:
    parts = split(whole)
    assert not any(part.changes for part in parts)
    for state in map(frozenset, (state for size in range(5) for state in combinations(range(4), size))):
        after = {part.apply(state) for part in parts if part.requires.hold(state)}
        assert after == ({whole.apply(state)} if whole.requires.hold(state) else set())


# The answer


@SOME
@given(problems() | problems(PLAIN))
def test_it_agrees_with_the_oracle(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    assert key(problem, solved(problem, GENEROUS)) == key(problem, oracle(problem))


def test_many_conditional_effects_take_another_search_which_is_named() -> None:
    """A case with four things in it moves them all: sixteen ways in which a move may turn out."""
    things = range(4)
    facts = " ".join(f"fact in_{n} closed fact there_{n} closed" for n in things)
    moves = f"tool move {{ produces {', '.join(f'there_{n} when in_{n}' for n in things)} risk read }}"
    puts = " ".join(f"tool put_{n} {{ produces in_{n} risk read }}" for n in things)
    problem = build(loads(f"{facts} {moves} {puts}"), None, "there_0, there_1, there_2, there_3")
    solution = solved(problem)
    assert isinstance(solution, Optimal)
    assert solution.engine == "downward astar(hmax())"
    assert names(solution)[-1] == "move"
    assert sorted(names(solution)[:-1]) == ["put_0", "put_1", "put_2", "put_3"]


def test_several_goals_cost_no_step() -> None:
    domain = "fact a fact b fact c tool t { produces a cost 3 risk read } tool u { produces b cost 2 risk read }"
    assert names(solved(build(loads(domain), None, "a or b"))) == ["u"]


@pytest.mark.parametrize("bits", [3, 5])
def test_a_free_detour_of_more_steps_than_there_are_tools_is_found(bits: int) -> None:
    """A counter that costs nothing, or one tool that costs something."""
    facts = " ".join(f"fact b{bit} closed" for bit in range(bits))
    tools = [f"tool dear {{ produces {', '.join(f'b{bit}' for bit in range(bits))} cost 1 risk read }}"]
    for bit in range(bits):
        lower = "".join(f", b{below}" for below in range(bit))
        clears = f" removes {lower[2:]}" if lower else ""
        tools.append(f"tool t{bit} {{ requires not b{bit}{lower} produces b{bit}{clears} cost 0 risk read }}")
    solution = solved(build(loads(f"{facts} {' '.join(tools)}"), None, ", ".join(f"b{bit}" for bit in range(bits))))
    assert len(names(solution)) == 2**bits - 1


@pytest.mark.parametrize(
    ("cost", "expected"),
    [("0.5", ["dear"]), ("2", ["dear"]), ("2.000001", ["first", "second"]), (str(2**29 - 3), ["first", "second"]), (str(2**29 - 2), None)],
)
def test_costs_up_to_the_edge_of_what_can_be_counted(cost: str, expected: list[str] | None) -> None:
    solution = solved(two_ways(cost))
    if expected:
        assert names(solution) == expected
    else:
        assert isinstance(solution, EngineFailed)
        assert solution.diagnostic.code.number == "TP504"


def test_nothing_is_written_to_our_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert names(solved(shop("cancelled"))) == EXPECTED["cancelled"]
    assert capfd.readouterr() == ("", "")


def test_eight_threads_with_the_same_names_for_different_goals() -> None:
    goals = list(EXPECTED) * 20
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda goal: sorted(names(solved(shop(goal)))), goals))
    assert found == [sorted(EXPECTED[goal]) for goal in goals]


@pytest.mark.parametrize("kind", ["locked", "gone"])
def test_a_directory_in_which_nothing_can_be_written(kind: str, tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, sys, test_bridge, test_downward
        os.chdir(sys.argv[1])
        if sys.argv[2] == "gone":
            os.rmdir(sys.argv[1])
        print(test_bridge.names(test_downward.solved(test_bridge.shop("cancelled"))))
        """
    )
    directory = "/proc" if kind == "locked" else str(tmp_path)
    run = run_python(script, directory, kind)
    assert run.stdout == "['find', 'cancel']\n", run.stderr


def run_python(script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), **variables}
    return subprocess.run([sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, timeout=120)


# Other programs in its place


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program to be written by the test, which is run instead of Fast Downward."""
    path = tmp_path / "fake"
    monkeypatch.setenv(downward.VARIABLE, str(path))
    return path


def write(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


PLAN = "echo '(0)'; echo '(1)'; echo '; cost = {} (general cost)'"
TWO_STEPS = "fact a fact b tool t { produces a risk read } tool u { requires a produces b cost 2 risk read }"
"""Costs of 1 and 2; with the factor for two tools and the steps they make 11."""


def two_steps() -> Problem:
    return build(loads(TWO_STEPS), None, "b")


def test_a_plan_with_the_cost_that_it_has(fake: Path) -> None:
    write(fake, f"cat > /dev/null; {PLAN.format(11)}")
    assert names(solved(two_steps())) == ["t", "u"]


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        (PLAN.format(10), "TP503", "claims a cost of 10 for a plan that costs 11"),
        ("echo '(1)'; echo '; cost = 7 (general cost)'", "TP503", "does not reach the goal"),
        ("exit 0", "TP502", "exit code 0: it said nothing"),
        ("exit 1", "TP502", "exit code 1"),
        ("echo once; echo upon; echo a; echo time; exit 33", "TP502", "exit code 33: upon / a / time"),
        ("exit 13", "TP502", "exit code 13"),
        ("kill -SEGV $$", "TP502", "signal 11"),
    ],
)
def test_answers_that_are_not_believed(script: str, code: str, words: str, fake: Path) -> None:
    write(fake, f"cat > /dev/null; {script}")
    solution = solved(two_steps())
    assert isinstance(solution, EngineFailed)
    assert solution.diagnostic.code.number == code
    assert words in solution.diagnostic.message


@pytest.mark.parametrize(
    ("script", "reached", "bound"),
    [
        ("exit 22", "2048 MB", 0),
        ("exit 24", "2048 MB", 0),
        ("exit 23", "60 s", 0),
        ("kill -XCPU $$", "60 s", 0),
        ("echo '[t=0.1s, 9 KB] f = 5, 1 evaluated'; echo '[t=0.2s, 9 KB] f = 11, 8 evaluated'; exit 23", "60 s", 3),
    ],
)
def test_limits_and_the_bound_that_was_proved_before(script: str, reached: str, bound: int, fake: Path) -> None:
    write(fake, f"cat > /dev/null; {script}")
    assert solved(two_steps()) == Undecided(Fraction(bound), "downward", reached)


@pytest.mark.parametrize(("said", "least"), [(1, 2), (5000, 5000)])
def test_the_better_bound_counts_where_nobody_proves_anything(said: int, least: int, fake: Path) -> None:
    write(fake, f"cat > /dev/null; echo 'f = {said}, 1 evaluated'; sleep 600")
    solution = solve(hard(), "auto", Limit(seconds=1))
    assert isinstance(solution, Undecided)
    assert least <= solution.lower_bound < (2**14 if said < 5000 else 5001)


@pytest.mark.parametrize("code", [11, 12])
def test_no_plan_is_believed_when_it_is_said_twice(code: int, fake: Path) -> None:
    write(fake, f"cat > /dev/null; exit {code}")
    assert solved(two_steps()) == Unreachable((), "downward")
    # Where every operator costs one, it finds a plan.
    write(fake, f"tr '\\n' ' ' | grep -q '[^1] end_operator' && exit {code}; {PLAN.format(2)}")
    solution = solved(two_steps())
    assert isinstance(solution, EngineFailed)
    assert solution.diagnostic.code.number == "TP503"


def test_a_program_that_cannot_be_started(fake: Path) -> None:
    gone = solved(two_steps())
    fake.write_text("no program")
    locked = solved(two_steps())
    for solution, reason in ((gone, "FileNotFoundError"), (locked, "PermissionError")):
        assert isinstance(solution, EngineFailed)
        assert reason in solution.diagnostic.message
    assert isinstance(solve(two_steps()), Optimal)


def test_nothing_is_installed() -> None:
    script = textwrap.dedent(
        """
        import importlib.util
        found = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *rest: None if name.startswith("up_fast") else found(name, *rest)
        import test_bridge, test_downward
        from toolplan.planning.engines import solve
        print(test_downward.solved(test_bridge.shop("refunded")).diagnostic)
        print(test_bridge.names(solve(test_bridge.shop("refunded"))))
        """
    )
    run = run_python(script, **{downward.VARIABLE: ""})
    assert "TP501" in run.stdout, run.stderr
    assert run.stdout.endswith("['find', 'refund']\n")


# What is left running


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Another path to the real program, by which its processes can be told from all others."""
    real = downward.program()
    assert real is not None
    path = tmp_path / "downward"
    path.symlink_to(real)
    monkeypatch.setenv(downward.VARIABLE, str(path))
    return str(path)


def test_a_limit_leaves_no_process_and_tells_a_bound(elsewhere: str) -> None:
    solution = solved(hard(), Limit(seconds=1.5))
    assert isinstance(solution, Undecided)
    assert solution.limit == "1.5 s"
    assert 0 < solution.lower_bound < 2**14
    assert children(elsewhere) == []


def test_children_of_the_program_end_with_it(fake: Path) -> None:
    write(fake, f"sleep 600 & exec sleep 600 # {fake}")
    started = time.monotonic()
    assert isinstance(solved(two_steps(), Limit(seconds=0.5)), Undecided)
    assert time.monotonic() - started < 300


def test_memory_is_limited(elsewhere: str) -> None:
    solution = solved(hard(), Limit(seconds=600, megabytes=16))
    assert isinstance(solution, Undecided)
    assert solution.limit == "16 MB"


@pytest.mark.parametrize("engine", ["downward", "fast-downward"])
@pytest.mark.parametrize("megabytes", [0.5, 1, 6])
def test_less_memory_than_a_planner_starts_with_is_a_limit_and_no_failure(engine: str, megabytes: float) -> None:
    solution = solve(two_steps(), engine, Limit(seconds=60, megabytes=megabytes))
    assert isinstance(solution, Undecided)
    assert solution.limit == f"{max(1, megabytes)} MB"


@pytest.mark.parametrize("ending", ["interrupt", "kill"])
def test_an_interrupt_and_a_killed_parent_leave_no_process(ending: str, elsewhere: str) -> None:
    """Who is killed cannot clean up; then the system ends the planner after the seconds that it had."""
    script = "import toolplan, test_bridge, test_downward; test_downward.solved(test_bridge.hard(), toolplan.Limit(seconds=4))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    parent = subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not children(elsewhere):
            time.sleep(0.02)
        assert children(elsewhere), "the planner did not start"
        time.sleep(0.2)
        parent.send_signal(signal.SIGINT if ending == "interrupt" else signal.SIGKILL)
        _, errors = parent.communicate(timeout=30)
        assert ending == "kill" or b"KeyboardInterrupt" in errors
    finally:
        parent.kill()
        parent.wait()
    assert wait_until_gone(elsewhere, 60)
