"""The telecom tasks of tau2-bench, planned with `domains/telecom.toolplan` and held against what the benchmark's authors did.

A file has a `base_state`, the keys of the simulator with their values, and `tasks`: for each the keys that its faults changed
(`state_diff`), the actions that its authors took (`gold`), what each of these changed (`gold_effects`) and which of them could not be
left out alone (`necessary`), and whether the fault can only be handed over to a person (`escalate`).
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.domain import AtomicFormula, Domain, Literal, Variable
from toolplan.frontier import Planned, plan
from toolplan.planning.engines import AUTO
from toolplan.planning.plans import Limit, Step
from toolplan.planning.problem import Problem, ground
from toolplan.planning.semantics import is_valid_plan

TODAY = "2025-02-25"
"""The day on which all tasks play: the benchmark's policy says so."""

PHONE: Mapping[str, tuple[str, tuple[object, ...]]] = {
    "airplane_mode": ("device.airplane_mode", (True,)),
    "sim_missing": ("device.sim_card_missing", (True,)),
    "sim_locked": ("device.sim_card_status", ("locked_pin", "locked_puk")),
    "apn_broken": ("device.active_apn_settings.apn_name", ("broken",)),
    "apn_reset_due": ("device.active_apn_settings.reset_at_reboot", (True,)),
    "mmsc_missing": ("device.active_apn_settings.mmsc_url", (None,)),
    "data_on": ("device.data_enabled", (True,)),
    "abroad": ("surroundings.is_abroad", (True,)),
    "roaming_on": ("device.roaming_enabled", (True,)),
    "data_saver": ("device.data_saver_mode", (True,)),
    "slow_vpn": ("device.vpn_details.server_performance", ("poor",)),
    "prefers_5g": ("device.network_mode_preference", ("4g_5g_preferred",)),
    "only_2g": ("device.network_mode_preference", ("2g_only",)),
    "wifi_calling": ("device.wifi_calling_enabled", (True,)),
    "mms_over_wifi": ("device.wifi_calling_mms_over_wifi", (True,)),
    "granted(sms)": ("device.app_statuses.messaging.permissions.sms", (True,)),
    "granted(storage)": ("device.app_statuses.messaging.permissions.storage", (True,)),
}
"""For each atom of the phone the key that tells of it, below `user.`, and the values with which the atom is true."""

NO_SERVICE = ("airplane_mode", "sim_missing", "sim_locked", "apn_broken")
"""With any of these, or on a line that is not active, a phone that looks for the network finds none."""

GOALS: Mapping[str, str] = {
    "assert_service_status": "restore_service",
    "assert_internet_speed": "fast_internet",
    "assert_can_send_mms": "send_pictures",
}
"""The goal of a task, by the assertion that its kind of problem has."""


class Call(NamedTuple):
    """What is done, by the name of the real tool, with its arguments in alphabetical order."""

    tool: str
    arguments: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Task:
    """A record of the benchmark in the words of the domain. `state` is complete: what is not true in it is known to be false."""

    id: str
    state: Mapping[str, object]
    goal: str
    gold: tuple[Call, ...]
    needed: frozenset[Call]
    escalate: bool


@dataclass(frozen=True)
class Row:
    """A task, what was planned for it, the plan as calls, and the seconds from state and goal to the plan."""

    task: Task
    planned: Planned
    calls: tuple[Call, ...]
    seconds: float

    @property
    def replays(self) -> bool:
        """Whether the plan, followed step by step, reaches the goal."""
        return self.planned.plan is not None and is_valid_plan(self.planned.problem, self.planned.plan)

    @property
    def no_longer(self) -> bool:
        """Whether there is a plan of at most as many actions as the gold one."""
        return self.planned.plan is not None and len(self.calls) <= len(self.task.gold)

    @property
    def same_set(self) -> bool:
        """Whether the plan has the actions of the gold one, each with its arguments, and no other."""
        return set(self.calls) == set(self.task.gold)

    @property
    def only_needed(self) -> bool:
        """Whether the plan has those gold actions, and no other, without any one of which the gold plan fails."""
        return self.planned.plan is not None and set(self.calls) == self.task.needed

    @property
    def unreachable(self) -> bool:
        """Whether it is proved that nothing leads to the goal."""
        return self.planned.outcome == "unreachable"


class Claim(NamedTuple):
    """What is to hold of the tasks to escalate, or of the others."""

    text: str
    escalate: bool
    holds: Callable[[Row], bool]


CLAIMS = (
    Claim("solvable: the plan replays to the goal", escalate=False, holds=lambda row: row.replays),
    Claim("solvable: no longer than the gold plan", escalate=False, holds=lambda row: row.no_longer),
    Claim("solvable: the same set as the gold plan", escalate=False, holds=lambda row: row.same_set),
    Claim("solvable: the same set as its necessary part", escalate=False, holds=lambda row: row.only_needed),
    Claim("to escalate: proved unreachable", escalate=True, holds=lambda row: row.unreachable),
)


@dataclass(frozen=True)
class Share:
    """Of how many tasks a claim is made, and those for which it does not hold."""

    claim: Claim
    tasks: int
    exceptions: tuple[Row, ...]


def read(path: Path) -> list[Task]:
    """The tasks of a file, in its order."""
    data = json.loads(path.read_text("utf-8"))
    return [task_of(data["base_state"], record) for record in data["tasks"]]


def task_of(base: Mapping[str, Any], record: Mapping[str, Any]) -> Task:
    """A record as a task. `base` is the state before its faults."""
    keys = {**base, **record["state_diff"]}
    goal = next(GOALS[wanted["func"]] for wanted in record["goal_assertions"] if wanted["func"] in GOALS)
    gold = tuple(Call(action["name"], tuple(sorted(action["args"].items()))) for action in record["gold"])
    needed = frozenset(call for call, necessary in zip(gold, record["necessary"], strict=True) if necessary)
    return Task(record["id"], state_of(keys), f"{goal}({line_of(keys)})", gold, needed, record["escalate"])


def line_of(keys: Mapping[str, Any]) -> str:
    """The identifier of the line that the user's phone uses."""
    number, lines = keys["user.surroundings.phone_number"], keys["cust.line_ids"]
    return str(next(line for line in lines if keys[f"line[{line}].phone_number"] == number))


def state_of(keys: Mapping[str, Any]) -> dict[str, object]:
    """The state of the domain that the simulator is in: every atom that its tools read, with its value, or true or false."""
    line = line_of(keys)
    of_line = {key.removeprefix(f"line[{line}]."): value for key, value in keys.items() if key.startswith(f"line[{line}].")}
    account = {
        "customer_id": keys["cust.customer_id"],
        f"phone_number({line})": of_line["phone_number"],
        f"line_id({line})": line,
        f"active({line})": of_line["status"] == "Active",
        f"contract_ended({line})": of_line["contract_end_date"] < TODAY,
        f"roaming_allowed({line})": of_line["roaming_enabled"],
        f"data_used_up({line})": keys["user.surroundings.mobile_data_usage_exceeded"],
        f"refuelled({line})": of_line["data_refueling_gb"] > 0,
        "bills_read": True,
    }
    bills = {bill: keys[f"bill[{bill}].status"] for bill in keys["cust.bill_ids"]}
    overdue = {f"overdue({bill})": status == "Overdue" for bill, status in bills.items()}
    awaiting = {f"awaiting_payment({bill})": status == "Awaiting Payment" for bill, status in bills.items()}
    phone = {atom: keys.get(f"user.{key}") in values for atom, (key, values) in PHONE.items()}
    could_connect = account[f"active({line})"] and not any(phone[fault] for fault in NO_SERVICE)
    waiting = could_connect and keys["user.device.network_connection_status"] != "connected"
    return {**account, **overdue, **awaiting, **phone, "restart_due": waiting}


def rows(domain: Domain, tasks: Iterable[Task], engine: str = AUTO, limit: Limit | None = None) -> Iterator[Row]:
    """Plan each of `tasks` by `engine`. Their states are complete, so that nothing is looked at."""
    looks = tuple(tool.name for tool in domain.tools.values() if domain.risk_of(tool).safe)
    for task in tasks:
        start = time.perf_counter()
        planned = plan(domain, state=task.state, goal=task.goal, forbid=looks, engine=engine, limit=limit)
        seconds = time.perf_counter() - start
        yield Row(task, planned, tuple(call_of(planned.problem, step) for step in planned.steps), seconds)


def call_of(problem: Problem, step: Step) -> Call:
    """The call of the real tool that `step`, a step of a tool, stands for. Arguments that a model writes or chooses are left out."""
    tool = problem.domain.tools[step.action]
    binding = problem.binding(step)
    arguments: dict[str, object] = {}
    for name, source in tool.interface.passes.items():
        match source:
            case Literal(value):
                arguments[name] = value
            case Variable():
                arguments[name] = binding[source.name]
            case AtomicFormula():
                arguments[name] = problem.state.values[ground(source, binding)]
    return Call(tool.call_name, tuple(sorted(arguments.items())))


def shares(found: Iterable[Row]) -> list[Share]:
    """For each claim the tasks that it is made of, and its exceptions in the order of `found`."""
    counted = list(found)
    return [_share(claim, [row for row in counted if row.task.escalate is claim.escalate]) for claim in CLAIMS]


def _share(claim: Claim, of: list[Row]) -> Share:
    return Share(claim, len(of), tuple(row for row in of if not claim.holds(row)))


def median_seconds(found: Iterable[Row]) -> float:
    """The median time from state and goal to the plan, or to the proof that there is none."""
    return statistics.median(row.seconds for row in found)
