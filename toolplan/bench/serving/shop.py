"""A shop: its contracts, and what it costs to pay which order. No value of one conversation is one of another."""

from __future__ import annotations

from pathlib import Path

CONTRACTS = """
domain shop "A shop"
fact order: integer "the number of the order"
fact price: integer "what the order costs"
fact paid
tool quote_order calls "quote" {
  "Look up what an order costs."
  requires order
  passes   order = order
  produces price
  returns  price = $.price
  risk read
}
tool pay_order calls "pay" {
  "Pay an order."
  requires order, price
  passes   order = order, price = price
  produces paid
  risk send
}
goal pay { "Pay an order" achieves paid given order phrases "pay" }
policy { risk read 0 safe, send 3 confirm }
"""
QUOTE, PAY = "quote", "pay"
OF_ONE = 1_000
"""Numbers of orders that belong to one conversation."""
SLOW = 500
"""From which of them on the shop takes its time with a payment: it writes it down first where the number is even, and last where it is odd."""


def order_of(conversation: int, request: int) -> int:
    """The number of the order that `conversation` pays in its request of that number."""
    return (conversation + 1) * OF_ONE + request


def owner_of(order: int) -> int:
    """The conversation that pays `order`."""
    return order // OF_ONE - 1


def is_slow(order: int) -> bool:
    """Whether the shop takes its time to take the money."""
    return order % OF_ONE >= SLOW


def price_of(order: int) -> int:
    """What `order` costs, which no other order does."""
    return order * 7 + 3


def words_of(order: int) -> str:
    """What the user says who wants it to be paid."""
    return f"pay {order}"


def payments_in(ledger: Path) -> list[tuple[int, int]]:
    """The payments that the shop has written down, in their order: the number of the order, and what was paid."""
    lines = ledger.read_text("utf-8").splitlines() if ledger.exists() else []
    return [(int(order), int(price)) for order, _, price in (line.partition(" ") for line in lines)]
