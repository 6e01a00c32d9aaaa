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


MADE_BY_LOOK = [
    ("fact s", "produces oneof (s or o)", "s"),
    ("fact s", "verifies s", "s"),
    ("fact s closed", "removes s", "not s"),
    ("fact s", "removes s", "not s"),
    ("type file  fact s(file)", "enumerates file", "forall f: file (s(f))"),
    ("type file  fact s(file)", "finds f: file produces s(f)", "exists f: file (s(f))"),
]


@pytest.mark.parametrize(("facts", "effect", "wanted"), MADE_BY_LOOK, ids=[effect for _, effect, _ in MADE_BY_LOOK])
@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ({"forbid": ["look"]}, "it would take `look`, which the call forbids"),
        ({"exhausted": ["look"]}, "it would take `look`, which was tried already"),
        ({"forbid": ["look"], "exhausted": ["look"]}, "it would take `look`, which the call forbids"),
    ],
    ids=["forbidden", "exhausted", "both"],
)
def test_a_tool_that_brings_it_about_in_any_way_is_named(facts: str, effect: str, wanted: str, call: dict[str, object], hint: str) -> None:
    domain = loads(
        f"{facts} fact a fact o fact g tool look {{ requires a {effect} risk read }} tool go {{ requires {wanted} produces g risk read }}"
    )
    state = ["a", "s"] if wanted == "not s" else ["a"]
    decision = frontier(domain, state=state, goal="g", **call).decision
    assert isinstance(decision, Blocked)
    assert decision.hint == hint


def test_what_was_tried_for_another_object_is_not_named() -> None:
    domain = loads(
        """
        type file  fact named(file)  fact key  fact found(file)
        tool look(f: file) { requires named(f) produces found(f) risk read }
        """
    )
    for tried, hint in (("look(a)", "it would take `look(a)`, which was tried already"), ("look(b)", "give `named(a)` with the state")):
        state = ["named(a)"] if tried == "look(a)" else ["named(b)"]
        decision = frontier(domain, state=state, goal="found(a)", exhausted=[tried]).decision
        assert isinstance(decision, Blocked)
        assert decision.hint.startswith(hint)
