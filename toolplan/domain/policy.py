"""The settings of a domain."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain.actions import Confirmation
from toolplan.domain.budget import NO_BUDGET, Budget


@dataclass(frozen=True, slots=True)
class RiskLevel:
    """A level of risk: `weight` counts in the score, `safe` means no effect that others see or that cannot be undone."""

    name: str
    weight: Fraction
    safe: bool = False
    confirm: Confirmation | None = None


DEFAULT_RISK = tuple(
    RiskLevel(name, Fraction(weight), safe=name == "read", confirm=Confirmation() if name in {"share", "send", "delete"} else None)
    for name, weight in (("read", "0"), ("draft", "0.5"), ("write", "1"), ("share", "3"), ("send", "3"), ("delete", "5"))
)


class Clarify(enum.Enum):
    """When an ambiguous reading leads to a question: before any step, or when the plans of the candidates part."""

    EARLY = "early"
    LATE = "late"


class Uncontracted(enum.Enum):
    """What becomes of a real tool that no contract calls: it is hidden, or shown where the decision is to explore."""

    HIDE = "hide"
    EXPLORE = "explore"


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of a domain. `question_cost` is the cost of a question that names none, `budget` what is shown where contracts end."""

    confidence: Fraction = Fraction("0.70")
    margin: Fraction = Fraction("0.15")
    plausible: Fraction = Fraction("0.05")
    risk_factor: Fraction = Fraction(1)
    clarify: Clarify = Clarify.LATE
    risk: tuple[RiskLevel, ...] = DEFAULT_RISK
    always_visible: tuple[str, ...] = ()
    question_cost: Fraction = Fraction(5)
    uncontracted: Uncontracted = Uncontracted.HIDE
    budget: Budget = NO_BUDGET

    def level(self, name: str | None) -> RiskLevel:
        """The level called `name`; unrated (None) is not safe and weighs as much as the highest level."""
        for level in self.risk:
            if level.name == name:
                return level
        return RiskLevel("unrated", max((level.weight for level in self.risk), default=Fraction(0)))


ASKING = RiskLevel("ask", Fraction(0), safe=True)
