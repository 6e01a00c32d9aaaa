"""What is said where nothing leads to a goal: tools that would, and why they are not planned with."""

from __future__ import annotations

import pytest

from toolplan import frontier, loads
from toolplan.frontier import Blocked

ORDERS = loads(
    """
    fact cancelled  fact logged
    tool cancel_v1 { produces cancelled risk read }
    tool cancel { produces logged risk read supersedes cancel_v1 }
    tool drop { produces cancelled risk delete }
    policy { risk read 1 safe, delete 2 }
    """
)


@pytest.mark.parametrize(
    ("forbid", "hint"),
    [
        (["drop"], "it would take `cancel_v1`, in whose place `cancel` stands; or `drop`, which the call forbids"),
        (["drop", "cancel", "cancel_v1"], "it would take `cancel_v1`, which the call forbids; or `drop`, which the call forbids"),
    ],
)
def test_a_tool_in_whose_place_another_stands_is_not_said_to_be_forbidden(forbid: list[str], hint: str) -> None:
    decision = frontier(ORDERS, goal="cancelled", forbid=forbid).decision
    assert isinstance(decision, Blocked)
    assert decision.hint == hint
