"""What is a yes: words of the user and nothing else, whoever reads the rest of a turn."""

from __future__ import annotations

from dataclasses import replace

from toolplan.session.readers.replies import agrees
from toolplan.session.turns import Agreed, Asked, TurnReading


def with_consent(turn: TurnReading, asked: Asked | None) -> TurnReading:
    """`turn`, with a yes to what is proposed only where its words say so. That a model takes them for one is not enough."""
    if not isinstance(turn.reply, Agreed) or asked is None or not asked.proposes:
        return turn
    return turn if agrees(asked, turn.text) else replace(turn, reply=None)
