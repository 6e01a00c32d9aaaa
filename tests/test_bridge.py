"""The way to Fast Downward and back: right under threads, processes and bad costs, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from toolplan import DomainError, Limit, loads
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import EngineFailed, EngineMissing, Optimal, Solution, Undecided, Unreachable
from toolplan.planning.problem import Problem

LIMIT = Limit(seconds=60)

SHOP = """
fact charged  fact found  fact refunded  fact cancelled  fact closed_account
tool find { requires charged produces found risk read }
tool refund { requires found produces refunded risk write }
tool cancel { requires found produces cancelled risk write cost 2 }
tool close { requires cancelled produces closed_account risk delete }
"""
EXPECTED = {
    "refunded": ["find", "refund"],
    "cancelled": ["find", "cancel"],
    "closed_account": ["find", "cancel", "close"],
    "refunded, cancelled": ["cancel", "find", "refund"],
}
"""Different goals over the same tool names: what two solves in one place would mix up."""


THREADS = 8
SOLVES = max(2 * THREADS, int(os.environ.get("TOOLPLAN_EXAMPLES", "0")) // 10)


def shop(goal: str) -> Problem:
    return build(loads(SHOP), "charged", goal)


def solved(problem: Problem, limit: Limit = LIMIT) -> Solution:
    return solve(problem, "fast-downward", limit)


def names(solution: Solution) -> list[str]:
    assert isinstance(solution, Optimal), solution
    return [step.action for step in solution.plan.steps]


def is_right(goal: str) -> bool:
    found = names(solved(shop(goal)))
    return sorted(found) == sorted(EXPECTED[goal])


def children(pattern: str) -> list[int]:
    """The processes whose command line holds `pattern`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if pattern in command and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def wait_until_gone(pattern: str, seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not children(pattern):
            return True
        time.sleep(0.1)
    return False


# Side by side


@pytest.mark.slow
def test_eight_threads_and_two_processes_in_one_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the solves in a second process with the same working directory, each half in eight threads."""
    monkeypatch.chdir(tmp_path)
    script = "import sys, test_bridge; sys.exit(0 if test_bridge.solve_many(test_bridge.SOLVES) else 1)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    other = subprocess.Popen([sys.executable, "-c", script], env=environment)
    try:
        assert solve_many(SOLVES)
        assert other.wait(timeout=240) == 0
    finally:
        other.kill()
        other.wait()
    assert list(tmp_path.iterdir()) == []


def solve_many(count: int) -> bool:
    goals = [goal for number in range(count) for goal in [list(EXPECTED)[number % len(EXPECTED)]]]
    with ThreadPoolExecutor(THREADS) as pool:
        return all(pool.map(is_right, goals))


def test_a_directory_that_is_gone_and_a_read_only_one(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, sys, test_bridge
        os.chdir(sys.argv[1])
        os.rmdir(sys.argv[1])
        assert test_bridge.solve_many(1), "gone"
        os.chdir("/proc")  # where not even root may make a file
        assert test_bridge.solve_many(len(test_bridge.EXPECTED)), "read-only"
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", script, str(tmp_path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_a_directory_that_shadows_modules_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("signal.py", "fast_downward.py", "subprocess.py", "driver.py"):
        (tmp_path / name).write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    assert is_right("refunded")


def test_a_bad_problem_does_not_change_the_next_one() -> None:
    for cost in ("1073741824", "1000000000000"):
        assert isinstance(solved(two_ways(cost)), EngineFailed)
        assert is_right("cancelled")


# Costs


def two_ways(cost: str) -> Problem:
    """A single tool that costs `cost`, or two that cost 2 together."""
    domain = f"""
        fact half  fact done
        tool dear {{ produces done cost {cost} risk read }}
        tool first {{ produces half cost 1 risk read }}
        tool second {{ requires half produces done cost 1 risk read }}
    """
    return build(loads(domain), None, "done")


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ("0", ["dear"]),
        ("0.1", ["dear"]),
        ("0.5", ["dear"]),
        ("2", ["dear"]),
        ("2.000001", ["first", "second"]),
        ("1000000", ["first", "second"]),
    ],
)
def test_costs_that_can_be_counted_decide_rightly(cost: str, expected: list[str]) -> None:
    assert names(solved(two_ways(cost))) == expected


@pytest.mark.parametrize("cost", [str(6 * 10**8), str(2**30), str(2**31), str(2**31 - 1), str(10**12), "0.0000000001"])
def test_costs_that_cannot_be_counted_are_a_diagnostic_and_never_a_wrong_answer(cost: str) -> None:
    solution = solved(two_ways(cost))
    if isinstance(solution, EngineFailed):
        assert solution.diagnostic.code.number == "TP504"
        assert "fast-downward" in solution.diagnostic.message
    else:
        assert names(solution) == (["dear"] if Fraction(cost) < 2 else ["first", "second"])
    automatic = solve(two_ways(cost), "auto", LIMIT)
    assert names(automatic) == (["dear"] if Fraction(cost) < 2 else ["first", "second"])


def test_a_negative_cost_is_refused_when_the_domain_is_read() -> None:
    with pytest.raises(DomainError) as caught:
        two_ways("-1")
    assert [finding.code.number for finding in caught.value.diagnostics] == ["TP202"]


def test_a_plan_whose_sum_overflows_by_repeating_a_tool_is_not_believed() -> None:
    """A counter of twelve bits: 4,095 steps of about 10^6 each, far above what the planner counts, while its tools together are not."""
    bits = 12
    facts = " ".join(f"fact b{bit} closed" for bit in range(bits))
    tools = []
    for bit in range(bits):
        lower = "".join(f", b{below}" for below in range(bit))
        clears = f" removes {lower[2:]}" if lower else ""
        tools.append(f"tool t{bit} {{ requires not b{bit}{lower} produces b{bit}{clears} cost {1000000 - bit} risk read }}")
    problem = build(loads(f"{facts} {' '.join(tools)}"), None, ", ".join(f"b{bit}" for bit in range(bits)))
    solution = solved(problem)
    assert isinstance(solution, EngineFailed | Undecided), solution
    if isinstance(solution, EngineFailed):
        assert solution.diagnostic.code.number in ("TP503", "TP504")


def test_an_unreachable_goal_that_only_search_can_tell_is_unreachable() -> None:
    domain = "fact key closed fact a fact b tool t { requires key produces a removes key risk read } tool u { requires key produces b removes key risk read }"
    assert solved(build(loads(domain), "key", "a, b")) == Unreachable((), "fast-downward")


def test_steps_break_ties_also_when_tools_are_free() -> None:
    free = "fact a fact b fact c tool long { produces a cost 0 risk read } tool go { requires a produces b cost 0 risk read } tool short { produces b cost 0 risk read }"
    assert names(solved(build(loads(free), None, "b"))) == ["short"]


# Failures


def test_a_planner_that_is_missing_one_that_crashes_and_one_that_is_too_slow_say_different_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    problem = shop("refunded")
    slow = solved(problem, Limit(seconds=0.001))
    assert isinstance(slow, Undecided)
    assert slow.limit == "0.001 s"
    monkeypatch.setattr(sys, "executable", "/bin/false")
    crashed = solved(problem)
    assert isinstance(crashed, EngineFailed)
    assert crashed.diagnostic.code.number == "TP502"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    unstartable = solved(problem)
    assert isinstance(unstartable, EngineFailed)
    assert wait_until_gone(str(tmp_path / "scratch"))
    assert list((tmp_path / "scratch").iterdir()) == []
    monkeypatch.undo()
    missing = subprocess.run(
        [sys.executable, "-c", WITHOUT_PLANNERS],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    assert missing.returncode == 0, missing.stderr
    assert "TP501" in missing.stdout
    assert "pip install 'toolplan[planners]'" in missing.stdout
    assert is_right("refunded")


WITHOUT_PLANNERS = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.startswith(("unified_planning", "up_fast")) else found(name, *rest)
import test_bridge
from toolplan.planning.plans import EngineMissing, Optimal
from toolplan.planning.engines import solve
solution = test_bridge.solved(test_bridge.shop("refunded"))
assert isinstance(solution, EngineMissing)
assert isinstance(solve(test_bridge.shop("refunded"), "auto"), Optimal)
print(solution.diagnostic)
"""


def hard() -> Problem:
    """Six peg-and-disc towers at once: minutes for the planner."""
    discs, pegs = 14, "xyz"
    facts = [f"fact on_{d}_{p} closed" for d in range(discs) for p in pegs]
    tools = []
    for d in range(discs):
        for source in pegs:
            for target in pegs:
                if source != target:
                    smaller = "".join(f", not on_{s}_{p}" for s in range(d) for p in (source, target))
                    tools.append(
                        f"tool m_{d}_{source}_{target} {{ requires on_{d}_{source}{smaller} produces on_{d}_{target} removes on_{d}_{source} risk read }}"
                    )
    state = [f"on_{d}_x" for d in range(discs)]
    return build(loads("\n".join([*facts, *tools])), state, ", ".join(f"on_{d}_z" for d in range(discs)))


def test_a_limit_leaves_no_process_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    solution = solved(hard(), Limit(seconds=2))
    assert isinstance(solution, Undecided)
    assert wait_until_gone(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["interrupt", "kill"])
def test_an_interrupt_and_a_killed_parent_leave_no_process_and_no_file(ending: str, tmp_path: Path) -> None:
    script = "import test_bridge; test_bridge.solved(test_bridge.hard())"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", script], env=environment, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any("downward" in command_of(pid) for pid in children(str(tmp_path))):
            time.sleep(0.1)
        assert children(str(tmp_path)), "the planner did not start"
        parent.send_signal(signal.SIGINT if ending == "interrupt" else signal.SIGKILL)
        _, errors = parent.communicate(timeout=30)
        assert ending == "kill" or b"KeyboardInterrupt" in errors
    finally:
        parent.kill()
        parent.wait()
    assert wait_until_gone(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.slow
def test_other_engines_of_unified_planning_are_checked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lama = solve(shop("closed_account"), "up:fast-downward", LIMIT)
    assert not isinstance(lama, EngineFailed | EngineMissing)
    with ThreadPoolExecutor(4) as pool:
        goals = list(EXPECTED) * 2
        solutions = list(pool.map(lambda goal: solve(shop(goal), "up:symk-opt", LIMIT), goals))
    assert [sorted(names(solution)) for solution in solutions] == [sorted(EXPECTED[goal]) for goal in goals]
    assert {solution.engine for solution in solutions if isinstance(solution, Optimal)} == {"up:symk-opt"}
    assert list(tmp_path.iterdir()) == []
    nobody = solve(shop("refunded"), "up:nobody", LIMIT)
    assert isinstance(nobody, EngineMissing)
    assert "nobody" in nobody.diagnostic.message
