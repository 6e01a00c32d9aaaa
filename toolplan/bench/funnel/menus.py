"""Ways to shorten a registry: what each shows of it for one step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.bench.funnel.declaring import Registry
from toolplan.frontier import Frontier, callable_tools
from toolplan.retrieval import Scorer, Shown, Situation, Widened, explore, shortlist

DEPTHS = (3, 5, 10)


@dataclass(frozen=True, slots=True)
class Moment:
    """What there is to look at when a menu is made: the words to look for, what is next by the planner, and what was shown for the step before."""

    registry: Registry
    query: str
    now: Frontier
    situation: Situation


class Menu(NamedTuple):
    """A way to shorten a registry. `shown` gives real tools, without those that are always shown; `widens`: it may give more when asked again."""

    name: str
    shown: Callable[[Moment], tuple[str, ...]]
    widens: bool = False


def everything(moment: Moment) -> tuple[str, ...]:
    """All that the caller may use, superseded versions included."""
    return tuple(name for name in moment.registry.declarations if name not in moment.registry.always)


def next_steps(moment: Moment) -> tuple[str, ...]:
    """What is next by contracts, and nothing else."""
    return tuple(name for name in callable_tools(moment.now) if name not in moment.registry.always)


def best(depth: int, scorer: Scorer) -> Callable[[Moment], tuple[str, ...]]:
    """The `depth` tools that fit the words best."""
    return lambda moment: shortlist(moment.registry.documents, moment.query, top_k=depth, scorer=scorer).names


def budgeted(scorer: Scorer) -> Callable[[Moment], tuple[str, ...]]:
    """As many of the best as the budget of the domain's policy says."""

    def shown(moment: Moment) -> tuple[str, ...]:
        budget = moment.registry.domain.policy.budget
        match explore(moment.registry.documents, moment.query, budget, moment.situation, scorer=scorer):
            case Shown(names) | Widened(names):
                return names
            case _:
                return ()

    return shown


def menus(scorer: Scorer, depths: Sequence[int] = DEPTHS) -> Iterator[Menu]:
    """All of them: everything, lists of each of `depths`, the budget, the frontier."""
    yield Menu("all", everything)
    for depth in depths:
        yield Menu(f"top-{depth}", best(depth, scorer))
    yield Menu("budget", budgeted(scorer), widens=True)
    yield Menu("frontier", next_steps)
