"""How many tools a model may be shown where contracts end, and when more or fewer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Widening:
    """When a shortlist grows. A bound that is None widens nothing.

    `top_score` and `margin` are the least score of the first candidate, and the least lead over the second; `collision` is how alike two
    candidates may be; `failed_attempts` is how many calls for this request may fail. `missing_capability` widens where a capability that the
    step needs is not among the candidates, `empty_choice` where the model chose none of them.
    """

    top_score: Fraction | None = None
    margin: Fraction | None = None
    collision: Fraction | None = None
    failed_attempts: int | None = None
    missing_capability: bool = False
    empty_choice: bool = False


@dataclass(frozen=True, slots=True)
class Stopping:
    """What one request may cost in retrieval: rounds, tokens of the definitions shown, milliseconds. None is without a bound.

    The first round is one of `rounds`: with 2 of them a list is widened once.
    """

    rounds: int = 2
    context_tokens: int | None = None
    latency: int | None = None


@dataclass(frozen=True, slots=True)
class HighRisk:
    """The narrower menu of a request for something that is not safe. A `maximum` of None is that of the budget."""

    maximum: int | None = None
    exact_capability: bool = False
    confirm: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """The shortlist of a request for which no contract answers: `initial` candidates, `maximum` after it was widened."""

    initial: int = 4
    maximum: int = 12
    widen: Widening = Widening()
    stop: Stopping = Stopping()
    high_risk: HighRisk = HighRisk()


NO_BUDGET = Budget(initial=15, maximum=15)
"""Of a policy that has none: a list of one length, which nothing widens."""
