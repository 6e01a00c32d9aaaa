"""A shop that refunds orders, and `toolplan chat` in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Ran, run

from toolplan.cli.exits import Exit

SHOP = """
type order

fact number(order): text  "the number of the order"
fact day: date            "the day of delivery"
fact paid(order): decimal "what was paid"
fact letter: text         "words for the customer"
fact back(order)
fact signed(order) trust user

tool look(o: order) calls "get_order" {
  requires number(o), day
  passes   id = number(o), day = day
  produces paid(o)
  returns  paid(o) = $.amount
  risk read
}

tool pay(o: order) calls "refund_order" {
  "Pay the money back."
  requires paid(o)
  passes   amount = paid(o), reason from paid(o)
  produces back(o)
  risk write
  confirm by boss
}

tool word(o: order) by model {
  "Word a letter."
  requires number(o)
  produces letter
  risk read
}

tool proofread {
  requires letter
  verifies letter
  risk read
}

tool sign(o: order) by user {
  "Sign the letter."
  requires letter
  produces signed(o)
  risk write
}

ask which(o: order) { "What is the number of the order?" produces number(o) }
ask when_ { "Which day was it?" produces day }

goal refund(o: order) { "Give the money back." achieves back(o) phrases "I want my money back" }
goal write(o: order) { "Write to the customer." achieves signed(o) phrases "write them a letter" }
"""
ORDER = 'number(o) = "7", day = "2026-03-03"'


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.toolplan"
    path.write_text(SHOP, "utf-8")
    return str(path)


def chat(shop: str, *arguments: str, typed: str = "", code: int = Exit.OK) -> Ran:
    ran = run("chat", shop, *arguments, text=typed)
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran
