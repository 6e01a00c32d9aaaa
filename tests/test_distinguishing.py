"""Goals that nothing tells apart, and questions that are cheaper than looking."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from toolplan.checks.lints import check_text
from toolplan.checks.testing import load_tests
from toolplan.domain import Domain, Scenario
from toolplan.language.loading import shipped_domains
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build_scenario
from toolplan.planning.plans import Optimal

SHOP = """
type order
fact number(order) fact cancelled(order) fact refunded(order) fact reason "the reason"
tool cancel(o: order) { "C." requires number(o) produces cancelled(o) risk write }
tool refund(o: order) { "R." requires number(o), cancelled(o) produces refunded(o) risk write }
goal stop(o: order) { achieves cancelled(o) given number(o) }
goal pay_back(o: order) { achieves refunded(o) given number(o) }
"""


def found(text: str, code: str) -> list[str]:
    return [finding.message for finding in check_text(text).diagnostics if finding.code.number == code]


@pytest.mark.parametrize(
    "other",
    [
        "goal undo(x: order) { achieves cancelled(x) given number(x) }",
        "goal undo(x: order) { achieves number(x), cancelled(x) }",
        "goal undo(x: order) { achieves cancelled(x) }",
    ],
)
def test_two_names_for_one_goal(other: str) -> None:
    assert found(SHOP, "TP323") == []
    assert found(SHOP + other, "TP323") == ["goals `stop` and `undo` are always reached together, and nothing tells them apart"]


@pytest.mark.parametrize(
    "other",
    [
        "goal tell(o: order) { achieves told(o) given number(o) }",
        "goal told_and_filed(o: order) { achieves told(o), filed(o) given number(o) }",
    ],
)
def test_what_one_tool_always_does_together(other: str) -> None:
    shop = SHOP.replace("produces cancelled(o)", "produces cancelled(o), told(o), filed(o)") + "fact told(order) fact filed(order)"
    assert len(found(f"{shop} {other}", "TP323")) == 1
    # Another way to one of them alone tells them apart.
    alone = 'tool tell(o: order) { "T." requires number(o) produces told(o) risk send } '
    assert found(f"{shop} {alone} {other}", "TP323") == []


@pytest.mark.parametrize(
    "other",
    [
        "goal undo(x: order) { achieves cancelled(x) given number(x), reason }",
        "goal undo { achieves cancelled(mine) } constant mine: order",
        "goal undo(x: order) { achieves not cancelled(x) given number(x) }",
        "goal undo(x: order) { achieves cancelled(x) or refunded(x) given number(x) }",
        "goal undo(x: order, y: order) { achieves cancelled(x), cancelled(y) given number(x), number(y) }",
    ],
)
def test_goals_that_ask_for_more_or_for_something_else_are_two(other: str) -> None:
    assert found(SHOP + other, "TP323") == []


def test_goals_with_alternatives_are_the_same_only_where_they_say_the_same() -> None:
    either = "goal {}(x: order) {{ achieves cancelled(x) or refunded(x) given number(x) }} "
    assert len(found(SHOP + either.format("one") + either.format("two"), "TP323")) == 1


def test_what_a_step_on_the_way_may_undo_is_told_apart() -> None:
    shop = (
        SHOP.replace("produces cancelled(o)", "produces cancelled(o), told(o)")
        + "fact told(order) goal tell(o: order) { achieves told(o) } "
    )
    assert len(found(shop, "TP323")) == 1
    again = 'tool start_again(o: order) { "S." requires told(o) produces number(o) removes told(o) risk write }'
    assert found(shop + again, "TP323") == []


def test_each_goal_is_compared_with_the_first_of_its_kind() -> None:
    again = " ".join(f"goal undo{number}(x: order) {{ achieves cancelled(x) given number(x) }}" for number in range(3))
    assert [message.split(" are")[0] for message in found(SHOP + again, "TP323")] == [
        "goals `stop` and `undo0`",
        "goals `stop` and `undo1`",
        "goals `stop` and `undo2`",
    ]


FINDING = 'fact name "the name" fact address tool look_up { "L." requires name produces address cost 2 risk read } '


@pytest.mark.parametrize("ask", ["cost 1", "cost 2", "requires name cost 1"])
def test_a_question_that_is_cheaper_than_looking(ask: str) -> None:
    assert len(found(f'{FINDING} ask which {{ "Which?" produces address {ask} }}', "TP324")) == 1


@pytest.mark.parametrize(
    "text",
    [
        f'{FINDING} ask which {{ "Which?" produces address }}',
        f'{FINDING} ask which {{ "Which?" produces address cost 3 }}',
        # The question waits for something else, the tool does more, or it is not safe, or another tool is cheaper.
        f'{FINDING} fact seen ask which {{ "Which?" requires seen produces address cost 1 }}',
        FINDING.replace("produces address", "produces address, phone") + 'fact phone ask which { "Which?" produces address cost 1 }',
        FINDING.replace("risk read", "risk write") + 'ask which { "Which?" produces address cost 1 }',
        FINDING + 'tool near { "N." produces address cost 0 risk read } ask which { "Which?" produces address cost 1 }',
        FINDING + 'ask may { "May I?" permits look_up cost 1 }',
    ],
)
def test_a_question_that_is_not(text: str) -> None:
    assert found(text, "TP324") == []


def test_a_policy_may_make_all_questions_cheap() -> None:
    assert len(found(f'policy {{ ask 1 }} {FINDING} ask which {{ "Which?" produces address }}', "TP324")) == 1


def planned(domain: Domain, test: Scenario, cost: int) -> Counter[str] | None:
    """The steps of the best plan, if questions that name no cost of their own cost `cost`."""
    usual = domain.policy.question_cost
    asks = {name: replace(ask, cost=Fraction(cost)) if ask.cost == usual else ask for name, ask in domain.asks.items()}
    solution = solve(build_scenario(replace(domain, asks=asks), test.given, test.wanted))
    return Counter(map(str, solution.plan.steps)) if isinstance(solution, Optimal) else None


@pytest.mark.parametrize("name", [name for name in shipped_domains() if name != "distractors"])
def test_what_a_question_costs_stands_on_no_knifes_edge(name: str) -> None:
    """The table of `docs/decisions/012-what-a-question-costs.md`: from 3 to 6, every plan is the one of 5."""
    for test in load_tests(name):
        if test.scenario.wanted:
            plans = [planned(test.domain, test.scenario, cost) for cost in (3, 5, 6)]
            assert plans[0] == plans[1] == plans[2]
