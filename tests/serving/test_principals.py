"""Who somebody is, wherever it is written down or given: no right of theirs is left out."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from pathlib import Path

import pytest
from commands import run
from serving.bank import SECRET

import toolplan
from toolplan.cli.exits import Exit
from toolplan.domain import Principal
from toolplan.serving.approvals import Approval
from toolplan.serving.desk import Desk, NotFound
from toolplan.serving.handles import Handles
from toolplan.serving.links import Links
from toolplan.serving.principals import read, text_of
from toolplan.session.stores import MemoryStore

ANN = Principal("ann", "acme", frozenset({"clerk", "lead"}), frozenset({"read", "send"}), "live", frozenset({"personal"}))
OTHERS = [replace(ANN, **{field.name: type(getattr(ANN, field.name))()}) for field in fields(Principal)]
"""Each lacks something that `ANN` has."""
PERSONAL = """
domain people "People"
fact seen
tool look { "Look somebody up." produces seen risk read data "personal" }
goal see { achieves seen phrases "look" }
"""


@pytest.mark.parametrize("other", OTHERS)
def test_whoever_lacks_a_right_has_another_conversation(other: Principal) -> None:
    handles = Handles(SECRET)
    assert handles.session("one", ANN) != handles.session("one", other)
    assert text_of(ANN) != text_of(other)


@pytest.mark.parametrize("principal", [ANN, *OTHERS])
def test_a_principal_is_read_as_they_were_written(principal: Principal) -> None:
    assert read(principal.to_dict()) == principal
    approval = Approval("a session", principal, "a question", "lead")
    assert Links(SECRET).read(Links(SECRET).sign(approval)) == approval


def test_the_text_of_a_principal_is_the_same_in_every_order_of_their_roles() -> None:
    roles = [f"role {number}" for number in range(100)]
    shuffled = random.Random(1).sample(roles, len(roles))
    one, other = (Principal("ann", roles=frozenset(names)) for names in (roles, shuffled))
    assert repr(one) != repr(other), "a text that depends on the order would pass, too"
    assert text_of(one) == text_of(other)


def test_a_conversation_of_somebody_cleared_has_what_others_do_not() -> None:
    desk = Desk(toolplan.loads(PERSONAL), store=MemoryStore(), secret=SECRET)
    cleared, other = Principal("ann", clearances=frozenset({"personal"})), Principal("ann")
    handle, conversation = desk.begin(cleared)
    assert list(conversation.session.domain.tools) == ["look"]
    assert list(desk.begin(other)[1].session.domain.tools) == []
    with pytest.raises(NotFound):
        desk.find(handle, other)


@pytest.mark.parametrize("command", ["plan", "frontier"])
def test_commands_take_clearances(command: str, tmp_path: Path) -> None:
    (tmp_path / "people.toolplan").write_text(PERSONAL, "utf-8")
    asked = [command, "people.toolplan", "--goal", "see", "--role", "clerk"]
    assert run(*asked, "--clearance", "personal", cwd=tmp_path).returncode == 0
    assert run(*asked, cwd=tmp_path).returncode == Exit.NO_PLAN


def test_a_chat_is_had_by_somebody_cleared(tmp_path: Path) -> None:
    (tmp_path / "people.toolplan").write_text(PERSONAL, "utf-8")
    asked = ["chat", "people.toolplan", "--goal", "see", "--role", "clerk"]
    assert "blocked" in run(*asked, cwd=tmp_path, text="").stdout
    assert "blocked" not in run(*asked, "--clearance", "personal", cwd=tmp_path, text="").stdout
