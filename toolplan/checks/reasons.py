"""Why a tool or a question is not the next step: one type a reason. Each says so to people, and what would have to change."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar

from toolplan.checks.needs import Need, shown, unmet
from toolplan.checks.wording import MOST_NAMES, listed, tick
from toolplan.domain import Parameter
from toolplan.frontier import number
from toolplan.language.numerals import numeral
from toolplan.planning.plans import Atom, Fluent, Step


class Preference(enum.Enum):
    """Why one of two steps that both start a best plan goes first."""

    QUESTION = "questions go first"
    RISK = "it is of lower risk"
    DECLARATION = "it is declared earlier"
    ARGUMENTS = "its arguments come first"
    ENGINE = "it starts the plan that the engine found"


class Explained(ABC):
    """What every reason says of itself."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    @abstractmethod
    def lines(self) -> list[str]:
        """The reason for people: a sentence, and perhaps details, a line each."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What would unhide it."""

    def to_dict(self) -> dict[str, object]:
        """The reason as JSON values: its kind, its fields, and both texts."""
        details = {field.name: to_json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
        return {"reason": self.kind, **details, "text": self.lines, "remedy": self.remedy}


@dataclass(frozen=True, slots=True)
class Chosen(Explained):
    """It is the next step."""

    kind = "chosen"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return ["it is the next step: it starts a plan of the least score"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return "nothing has to change"


@dataclass(frozen=True, slots=True)
class GoalReached(Explained):
    """Nothing is left to do."""

    kind = "goal_reached"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return ["everything that is wanted is known already, so no step is needed"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return "ask for a goal that is not reached yet"


@dataclass(frozen=True, slots=True)
class ForbiddenByCall(Explained):
    """The call forbids it, by its name or by its level of risk."""

    name: str
    level: str
    kind = "forbidden_by_call"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return ["the call forbids it, by its name or by its level of risk"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"forbid neither {tick(self.name)} nor the level {tick(self.level)}"


@dataclass(frozen=True, slots=True)
class Superseded(Explained):
    """Another tool is planned with in its place."""

    newer: tuple[str, ...]
    kind = "superseded"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return [f"{listed(self.newer, 'and')} stands in its place"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"forbid {listed(self.newer, 'and')}"


@dataclass(frozen=True, slots=True)
class Exhausted(Explained):
    """The step was tried, and is not to be tried again with the same arguments."""

    step: Step
    kind = "exhausted"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return [f"{tick(self.step)} was tried already, and the same call would end in the same way"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return "take it out of `exhausted` once a value that it reads has changed"


@dataclass(frozen=True, slots=True)
class NothingToActOn(Explained):
    """There is no object for `parameters`."""

    parameters: tuple[Parameter, ...]
    kind = "nothing_to_act_on"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        types = listed(dict.fromkeys(parameter.type for parameter in self.parameters), "or")
        return [f"neither the state nor the goal names any {types}, so there is nothing to call it with"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"name {listed((f'{p.name}: {p.type}' for p in self.parameters), 'and')} in the state or in the goal"


@dataclass(frozen=True, slots=True)
class AlreadyTrue(Explained):
    """All that it `produces` is known already, and what it would remove is not there."""

    produces: tuple[Atom, ...]
    kind = "already_true"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        if not self.produces:
            return ["it would change nothing"]
        return [f"it would change nothing: {listed(map(shown, self.produces), 'and')} {_are(self.produces)} known already"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        if not self.produces:
            return "let its contract say what it produces"
        return f"only if {listed(map(shown, self.produces), 'or')} became unknown would a plan need it again"


@dataclass(frozen=True, slots=True)
class NotExecutable(Explained):
    """What it requires does not hold: `needs` are all parts of it. `leads_on` says whether the goal could use it at all."""

    needs: tuple[Need, ...]
    leads_on: bool
    kind = "not_executable"

    @property
    def lines(self) -> list[str]:
        """The reason for people: a line for each unmet part, and one for those that are met."""
        missing = unmet(self.needs)
        met = [need.condition for need in self.needs if need.met]
        found = ["it cannot run now, because of what it requires:"]
        found += [f"  {tick(need.condition)}: {need.standing.value}; {_made(need)}" for need in missing[:MOST_NAMES]]
        found += [f"  and {len(missing) - MOST_NAMES} more"] if len(missing) > MOST_NAMES else []
        found += [f"  {listed(met, 'and')}: met"] if met else []
        return found if self.leads_on else [*found, USELESS]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        needed = f"{listed((need.condition for need in unmet(self.needs)), 'and')} would have to hold"
        return needed if self.leads_on else f"{needed}, and the goal would have to need what it produces"


@dataclass(frozen=True, slots=True)
class OnNoBestPlan(Explained):
    """It can run, but the best plan that starts with it scores `extra` more than the best, or as much in `longer` more steps.

    `plan` is that plan. `leads_on` says whether the goal could use the step at all.
    """

    extra: Fraction
    longer: int
    plan: tuple[Step, ...]
    first: Step
    leads_on: bool
    kind = "on_no_best_plan"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        more = f"scores {numeral(self.extra)} more" if self.extra else f"takes {self.longer} more step{'s' * (self.longer != 1)}"
        found = [f"it can run, but the best plan that starts with it {more} than the best one"]
        found += [f"  that plan: {', '.join(tick(step) for step in self.plan)}"]
        return found if self.leads_on else [*found, USELESS]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        if not self.leads_on:
            return "a goal that needs what it produces"
        lower = f"its cost or risk would have to be lower by {numeral(self.extra)}" if self.extra else "its plan would have to be shorter"
        return f"{lower}, or {tick(self.first)} forbidden"


@dataclass(frozen=True, slots=True)
class DeadEnd(Explained):
    """It can run, but after it the goal is unreachable. `missing` could not be had any more; it is empty where no order works."""

    missing: tuple[Fluent, ...]
    kind = "dead_end"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        blamed = f"nothing could make {listed(self.missing, 'and')} hold again" if self.missing else "no order of the other steps works"
        return [f"it can run, but after it the goal is out of reach: {blamed}"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"a tool that brings {listed(self.missing, 'and')} back" if self.missing else "a goal that does without what it removes"


@dataclass(frozen=True, slots=True)
class GoalUnreachable(Explained):
    """It can run, but no plan reaches the goal, with it or without it. `missing` and `hint` are those of `Blocked`."""

    missing: tuple[Fluent, ...]
    hint: str
    kind = "goal_unreachable"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        blamed = f"nothing can add {listed(self.missing, 'and')}" if self.missing else "no order of the tools works"
        return [f"it can run, but the goal is unreachable, with it and without it: {blamed}"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return self.hint


@dataclass(frozen=True, slots=True)
class NotCompared(Explained):
    """It can run, but the limit was reached before a plan with it and one without it were both proved best. `limit` says which."""

    limit: str
    kind = "not_compared"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return [f"it can run, but whether a best plan starts with it is undecided: {self.limit}"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return "a larger limit, or an engine that proves its plans"


@dataclass(frozen=True, slots=True)
class OnBestPlanLater(Explained):
    """It is step number `position` of the plan, counted from one, after `after`; `waits_for` is what does not hold yet."""

    position: int
    after: tuple[Step, ...]
    waits_for: tuple[Need, ...]
    kind = "on_best_plan_later"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        waits = (
            f"it waits for {listed((n.condition for n in self.waits_for), 'and')}"
            if self.waits_for
            else "done first, it would spoil the rest"
        )
        return [f"it is step {self.position} of the best plan, after {', '.join(tick(step) for step in self.after)}: {waits}"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"it follows by itself, once {tick(self.after[-1])} is done"


@dataclass(frozen=True, slots=True)
class Tied(Explained):
    """It starts a best plan too, but `preferred` goes first, `because` of a rule."""

    preferred: Step
    because: Preference
    kind = "tied"

    @property
    def lines(self) -> list[str]:
        """The reason for people."""
        return [f"it starts a plan of the least score too, but {tick(self.preferred)} was preferred: {self.because.value}"]

    @property
    def remedy(self) -> str:
        """What would unhide it."""
        return f"forbid {tick(self.preferred)}" + (", or declare it later" if self.because is Preference.DECLARATION else "")


Reason = (
    Chosen
    | GoalReached
    | ForbiddenByCall
    | Superseded
    | Exhausted
    | NothingToActOn
    | AlreadyTrue
    | NotExecutable
    | OnNoBestPlan
    | DeadEnd
    | GoalUnreachable
    | NotCompared
    | OnBestPlanLater
    | Tied
)

USELESS = "nothing that it produces helps this goal"


def to_json(value: object) -> object:
    """A field of a reason as JSON values."""
    if isinstance(value, Step):
        return {"action": value.action, "arguments": list(value.arguments)}
    if isinstance(value, Fraction):
        return number(value)
    if isinstance(value, Need):
        return value.to_dict()
    if isinstance(value, Parameter):
        return {"name": value.name, "type": value.type}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple) and not isinstance(value, Atom | Fluent):
        return [to_json(item) for item in value]
    return value if isinstance(value, bool | int | str) else str(value)


def _are(atoms: tuple[Atom, ...]) -> str:
    return "is" if len(atoms) == 1 else "are"


def _made(need: Need) -> str:
    return f"{listed(need.makers, 'or')} would make it so" if need.makers else "no tool or question makes it so"
