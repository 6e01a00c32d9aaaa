"""The exposure modes: `ties` against brute force, `parallel` in every order, `recovery` by what it adds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from strategies import PLAIN, Drawn, problems

from toolplan import Act, Blocked, Clarify, DomainError, Frontier, Limit, Undecided, frontier, loads
from toolplan.domain import Performer, Tool
from toolplan.frontier import MODES, first_steps, moved_to_front, next_step
from toolplan.frontier.parallel import parallel
from toolplan.language.codes import Code
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Optimal, Plan, Step, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import applicable, is_valid_plan, replay, successor

ROOT = Path(__file__).parent.parent
GENEROUS = Limit(expansions=20_000, seconds=60)
EXAMPLES = int(os.environ.get("TOOLPLAN_EXAMPLES", "300"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def levelled(drawn: Drawn) -> Drawn:
    """The same with every cost and risk equal, so that many plans are best."""
    return replace(drawn, domain=re.sub(r"risk \w+", "risk draft", re.sub(r"cost [0-9.]+", "cost 1", drawn.domain)))


def eased(drawn: Drawn) -> Drawn:
    """The same where every second tool requires nothing, so that much can run at once."""
    without = re.sub(
        r"(?m)^(tool t\d*[02468]\b[^{]*\{) requires .*?(?= (?:finds|creates|enumerates|produces|removes|verifies|cost|risk|\}))",
        r"\1",
        drawn.domain,
    )
    return replace(drawn, domain=without)


def busy(drawn: Drawn) -> Drawn:
    """The same, eased, where several facts are wanted that a tool makes known at once."""
    eased_domain = eased(drawn).domain
    made = sorted(set(re.findall(r"produces ([a-e])\b", eased_domain)))
    return replace(drawn, domain=eased_domain, goal=", ".join(made[:4]) or drawn.goal)


any_problems = problems() | problems(PLAIN)
drawn_problems = any_problems | any_problems.map(levelled) | any_problems.map(eased) | any_problems.map(eased).map(levelled)
busy_problems = drawn_problems | any_problems.map(busy) | any_problems.map(busy).map(levelled)


def shown(drawn: Drawn, mode: str, **call: object) -> Frontier:
    """The frontier of a drawn problem; contradictory goals and conditions are passed over."""
    try:
        return frontier(loads(drawn.domain), state=drawn.state, goal=drawn.goal, mode=mode, engine="in-process", limit=GENEROUS, **call)
    except DomainError as error:
        assert {finding.code for finding in error.diagnostics} <= {Code.CONFLICTING_GOALS, Code.CONTRADICTORY_CONDITION}, str(error)
        assume(False)
        raise


def best_score(problem: Problem) -> tuple[Fraction, int] | None:
    """What the oracle says, over every step there is: (score, steps), or None where nothing leads to the goal. What it cannot say is passed over."""
    match uniform_cost(problem, tuple(problem.steps()), GENEROUS):
        case Optimal(plan):
            return plan.score, len(plan.steps)
        case Unreachable():
            return None
        case solution:
            assume(False)
            raise AssertionError(solution)


def after(problem: Problem, step: Step) -> Problem:
    return replace(problem, state=successor(problem, problem.state, step))


def calls(steps: tuple[Step, ...] | list[Step]) -> set[Step]:
    return {step._replace(outcome=-1) for step in steps}


# Ties


def starting_best_plans(problem: Problem) -> set[Step]:
    """By definition: every step after which what is left scores as much less, and is one step shorter."""
    best = best_score(problem)
    assert best is not None
    found = set()
    for step in problem.steps():
        if applicable(problem, problem.state, step):
            rest = best_score(after(problem, step))
            own = problem.domain.score_of(problem.domain.action(step.action))
            if rest is not None and (rest[0] + own, rest[1] + 1) == best:
                found.add(step)
    return calls(list(found))


@QUICK
@given(drawn_problems)
def test_ties_are_all_steps_that_start_a_best_plan_and_no_others(drawn: Drawn) -> None:
    now = shown(drawn, "ties")
    problem = now.planned.problem
    if not now.planned.steps:
        assert now.steps == now.undecided == ()
        event("no plan, or none needed")
        return
    expected = starting_best_plans(problem)
    event(f"{min(len(expected), 4)} ties")
    event(f"{min(len(expected - calls(first_steps(problem, now.planned.plan))), 2)} of them on other plans only")
    assert calls(now.steps) == expected
    assert len(now.steps) == len(expected)
    assert now.undecided == ()


def desk(text: str, **call: object) -> Frontier:
    return frontier(loads(text), **{"engine": "in-process", "limit": GENEROUS, **call})


TWO_WAYS = """
fact name  fact address  fact sent
tool by_book { requires name produces address risk read }
tool by_search { requires name produces address risk read }
tool slow_search { requires name produces address cost 2 risk read }
tool send { requires address produces sent risk send }
ask which { "Which address?" produces address cost 1 }
"""


def test_ties_shows_tools_of_different_best_plans_and_the_decision_stays() -> None:
    now = desk(TWO_WAYS, state="name", goal="sent", mode="ties")
    assert now.tools == ("by_book", "by_search")
    assert now.steps == (Step("which"), Step("by_book"), Step("by_search"))
    assert now.decision == desk(TWO_WAYS, state="name", goal="sent").decision
    assert [step["action"] for step in now.to_dict()["steps"]] == ["which", "by_book", "by_search"]


def test_a_step_that_scores_nothing_and_has_no_use_is_no_tie() -> None:
    free = "tool peek { requires name produces seen cost 0 risk read } fact seen"
    assert desk(TWO_WAYS + free, state="name", goal="sent", mode="ties").tools == ("by_book", "by_search")
    used = free + " tool note { requires seen produces noted cost 0 risk read } fact noted"
    assert desk(TWO_WAYS + used, state="name, address", goal="sent, noted", mode="ties").tools == ("peek", "send")


def test_a_call_with_two_hopeful_outcomes_is_one_tie() -> None:
    domain = "fact a fact b fact c tool look { produces oneof (a or b) risk read } tool go { requires (a or b) produces c risk read }"
    now = desk(domain, goal="c", mode="ties")
    assert (now.tools, len(now.steps)) == (("look",), 1)


def test_ties_says_which_steps_the_limit_kept_it_from_telling() -> None:
    """The plan is found within the limit. What is left after `wander` takes more, and the bound does not rule it out."""
    further = " ".join(f"fact x{i} tool look_{i} {{ requires w produces x{i} risk read }}" for i in range(6))
    domain = f"""
        fact s fact w fact end  {further}
        tool quick {{ requires s produces end cost 3 risk read }}
        tool wander {{ requires s produces w risk read }}
        tool finish {{ requires {", ".join(f"x{i}" for i in range(6))} produces end risk read }}
    """
    call = {"state": "s", "goal": "end", "mode": "ties", "engine": "uniform-cost"}
    short = desk(domain, **call, limit=Limit(expansions=12, seconds=60))
    assert isinstance(short.decision, Act)
    assert (short.tools, short.undecided) == (("quick",), (Step("wander"),))
    assert short.to_dict()["undecided"][0]["action"] == "wander"
    enough = desk(domain, **call)
    assert (enough.tools, enough.undecided) == (("quick",), ())
    assert "undecided" not in enough.to_dict()


def test_ties_of_what_is_done_blocked_or_undecided_are_none() -> None:
    assert desk(TWO_WAYS, state="sent", goal="sent", mode="ties").steps == ()
    assert desk(TWO_WAYS, goal="name", mode="ties").steps == ()
    limited = desk(TWO_WAYS, state="name", goal="sent", mode="ties", engine="uniform-cost", limit=Limit(expansions=1, seconds=60))
    assert isinstance(limited.decision, Undecided)
    assert limited.steps == ()


# Parallel


@QUICK
@given(busy_problems)
def test_parallel_calls_lead_to_the_same_state_in_every_order_and_the_rest_of_the_plan_follows(drawn: Drawn) -> None:
    now = shown(drawn, "parallel")
    problem, plan = now.planned.problem, now.planned.plan
    if not isinstance(now.decision, Act) or plan is None:
        assert now.steps == (() if next_step(now.decision) is None else (next_step(now.decision),))
        return
    event(f"{min(len(now.steps), 4)} at once")
    assert now.decision.step in now.steps
    assert set(now.steps) <= set(plan.steps)
    ends = {replay(problem, order) for order in permutations(now.steps)}
    assert len(ends) == 1
    (end,) = ends
    assert end is not None
    assert is_valid_plan(problem, moved_to_front(plan, *now.steps))


def test_parallel_leaves_out_what_disturbs_an_earlier_call_and_what_is_no_call() -> None:
    domain = """
        fact key closed  fact a  fact b  fact c  fact d trust user
        tool use { requires key produces a risk read }
        tool look { produces b risk read }
        tool drop { requires key produces c removes key risk read }
        tool walk by user { produces d risk read }
    """
    now = desk(domain, state="key", goal="a, b, c, d", mode="parallel")
    assert now.tools == ("use", "look")


@pytest.mark.parametrize(
    "domain",
    [
        """
        fact a  fact b  fact noted
        tool one { produces a risk read }
        tool other { produces b, noted when a risk read }
        """,
        """
        type file  fact a  fact b  fact marked(file)
        tool one { finds f: file produces a risk read }
        tool other { produces b, forall f: file (marked(f)) risk read }
        """,
        """
        fact a  fact b  fact left closed
        tool one { produces a removes left risk read }
        tool other { produces b, left risk read }
        """,
    ],
    ids=["a condition", "an object", "a removal"],
)
def test_calls_whose_order_leaves_different_states_are_not_parallel(domain: str) -> None:
    assert desk(domain, goal="a, b", mode="parallel").tools == ("one",)


def test_calls_that_could_each_come_first_are_not_parallel_where_the_rest_needs_one_of_them_later() -> None:
    domain = """
        fact x closed  fact y closed  fact a  fact b  fact c
        tool one { produces a removes x risk read }
        tool other { produces b removes y risk read }
        tool last { requires (x or y) produces c risk write }
    """
    problem = build(loads(domain), "x, y", "a, b, c")
    best = Plan((Step("last"), Step("one"), Step("other")), Fraction(4))
    assert first_steps(problem, best) == [Step("one"), Step("other"), Step("last")]
    assert parallel(problem, best) == (Step("one"),)


def test_parallel_is_a_question_where_one_comes_first() -> None:
    domain = (
        "fact a fact b fact c tool t { produces b risk read } tool u { requires a, b produces c risk read } ask q { produces a cost 0 }"
    )
    now = desk(domain, goal="c", mode="parallel")
    assert isinstance(now.decision, Clarify)
    assert (now.tools, now.steps) == ((), (Step("q"),))


# Recovery


def made_known(problem: Problem, step: Step) -> frozenset[Atom]:
    return successor(problem, problem.state, step).known - problem.state.known


@QUICK
@given(drawn_problems, st.booleans())
def test_recovery_is_one_and_safe_looks_and_one_other_way(drawn: Drawn, failed: bool) -> None:
    tried: list[Step] = []
    if failed:
        tried = [step] if (step := next_step(shown(drawn, "one").decision)) is not None else []
    one, now = shown(drawn, "one", exhausted=tried), shown(drawn, "recovery", exhausted=tried)
    problem, first = now.planned.problem, next_step(now.decision)
    assert now.decision == one.decision
    assert now.steps[: len(one.steps)] == one.steps
    assert len(set(now.steps)) == len(now.steps)
    added = now.steps[len(one.steps) :]
    event(f"{type(now.decision).__name__}{', failed' if tried else ''}: {min(len(added), 2)} added")
    if not (tried or problem.state.uncertain or isinstance(now.decision, Blocked)):
        assert not added
    ways = [step for step in added if not is_look(problem, step)]
    assert len(ways) <= (1 if tried and first is not None else 0)
    for step in added:
        assert applicable(problem, problem.state, step)
        if step in ways or not made_known(problem, step):
            assert first is not None
            assert step.action != first.action
            without = replace(problem, forbidden=problem.forbidden | {first.action})
            assert step._replace(outcome=-1) in starting_best_plans(without)


def is_look(problem: Problem, step: Step) -> bool:
    action = problem.domain.action(step.action)
    return isinstance(action, Tool) and action.performer is Performer.CALL and problem.domain.risk_of(action).safe


def test_recovery_without_failure_uncertainty_or_block_is_one() -> None:
    for state in ("name", "address", "sent"):
        assert desk(TWO_WAYS, state=state, goal="sent", mode="recovery").steps == desk(TWO_WAYS, state=state, goal="sent").steps


def test_recovery_after_a_failure_adds_one_other_way_that_does_without_the_next_tool() -> None:
    now = desk(TWO_WAYS, state="name", goal="sent", forbid=["which"], exhausted=["by_book"], mode="recovery")
    assert now.tools == ("by_search", "slow_search")
    assert next_step(now.decision) == Step("by_search")
    last = desk(TWO_WAYS, state="name", goal="sent", forbid=["which"], exhausted=["by_book", "by_search"], mode="recovery")
    assert last.tools == ("slow_search",)


CLAIMS = """
fact id  fact report  fact summary  fact sent
tool read { requires id produces report verifies report risk read }
tool check_id { requires id produces id verifies id cost 2 risk read }
tool ask_office { produces id verifies id cost 3 risk read }
tool rename { produces id risk write }
tool send { requires report produces sent risk send }
"""


def test_recovery_verifies_what_the_plan_builds_on_with_the_cheapest_safe_call() -> None:
    now = desk(CLAIMS, state="id?", goal="sent", mode="recovery")
    assert now.steps == (Step("read"), Step("check_id"))
    assert desk(CLAIMS, state="id", goal="sent", mode="recovery").steps == (Step("read"),)
    assert desk(CLAIMS, state="report?, id", goal="sent", mode="recovery").steps == (Step("read"),)


def test_recovery_where_nothing_leads_to_the_goal_adds_a_look_at_what_it_hangs_on() -> None:
    domain = """
        fact order  fact order_read  fact eligible  fact refunded  fact weather
        tool forecast { produces weather cost 0 risk read }
        tool list_orders { produces order cost 2 risk read }
        tool find_order { produces order risk read }
        tool read_order { requires order produces order_read risk read }
        tool refund { requires order_read, eligible produces refunded risk write }
    """
    now = desk(domain, goal="refunded", mode="recovery")
    assert isinstance(now.decision, Blocked)
    assert now.tools == ("find_order",)
    assert desk(domain, state="order", goal="refunded", mode="recovery").tools == ("read_order",)
    assert desk(domain, state="order, order_read", goal="refunded", mode="recovery").tools == ()
    assert desk(domain, state="order?, order_read?", goal="refunded", mode="recovery").tools == ("find_order",)


def test_recovery_is_blocked_like_every_mode_where_what_is_behind_the_goal_is_too_much_to_look_at() -> None:
    domain = """
        type file  fact found(file)  fact key(file)  fact done(file)
        tool tie(a: file, b: file, c: file) { requires found(a), found(b), found(c), key(a) produces done(a) risk read }
    """
    state = [f"found(f{number})" for number in range(40)]
    one, now = (desk(domain, state=state, goal="exists a: file (done(a))", mode=mode) for mode in ("one", "recovery"))
    assert isinstance(now.decision, Blocked)
    assert (now.decision, now.tools) == (one.decision, ())


def test_executable_tries_no_more_steps_than_are_ever_ground() -> None:
    domain = """
        type file  fact found(file)  fact tied  fact done
        tool tie(a: file, b: file, c: file, d: file) { produces tied risk read }
        tool finish { produces done risk read }
    """
    state = [f"found(f{number})" for number in range(40)]
    assert desk(domain, state=state, goal="done").tools == ("finish",)
    with pytest.raises(DomainError) as caught:
        desk(domain, state=state, goal="done", mode="executable")
    assert [finding.code for finding in caught.value.diagnostics] == [Code.GROUNDING_TOO_LARGE]


# All modes


def test_every_mode_shows_steps_in_json_and_the_same_decision() -> None:
    for mode in MODES:
        now = desk(TWO_WAYS, state="name", goal="sent", mode=mode)
        data = json.loads(json.dumps(now.to_dict()))
        assert data["mode"] == mode
        assert [step["action"] for step in data["steps"]] == [step.action for step in now.steps]
        assert now.decision == desk(TWO_WAYS, state="name", goal="sent").decision
        assert set(now.tools) <= {"by_book", "by_search", "slow_search", "send"}


SCRIPT = """
import json, sys
sys.path.insert(0, "tests")
from random import Random
from strategies import RICH, draw_problem
from toolplan import DomainError, Limit, frontier, loads
from toolplan.frontier import MODES
for seed in range(60):
    drawn = draw_problem(Random(seed), RICH)
    for mode in MODES:
        try:
            call = {"goal": drawn.goal, "mode": mode, "engine": "in-process", "limit": Limit(seconds=60)}
            print(json.dumps(frontier(loads(drawn.domain), state=drawn.state, exhausted=["t0"], **call).to_dict()))
        except DomainError:
            pass
"""


def test_every_mode_gives_the_same_bytes_under_every_hash_seed() -> None:
    printed = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout.count("\n") > 300
        printed.add(run.stdout)
    assert len(printed) == 1
