"""What a step requires, atom by atom: what of it holds already, and which tools and questions would make the rest so."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolplan.domain import (
    Action,
    And,
    AtomicFormula,
    Condition,
    Constant,
    Equal,
    Exists,
    ForAll,
    Not,
    Or,
    Term,
    Tool,
)
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import BROUGHT, ENUMERATED, Problem, State, ground, to_be_brought
from toolplan.planning.semantics import Trust, ruled_out, trust_of


class Standing(enum.Enum):
    """What a state says of an atom."""

    KNOWN = "known"
    UNCERTAIN = "uncertain"
    FALSE = "false"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Need:
    """One part of a requirement, as the language writes it: `found(report)`, `not private(report)`.

    `standing` is what the state says of its atom; `makers` are the tools and questions with an effect that makes it so.
    """

    condition: str
    standing: Standing
    met: bool
    makers: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The need as JSON values."""
        return {"condition": self.condition, "standing": self.standing.value, "met": self.met, "makers": list(self.makers)}


def needs(problem: Problem, step: Step) -> tuple[Need, ...]:
    """What `step` requires in the state of `problem`; it is applicable exactly where each is met.

    Of alternatives the one with the fewest unmet needs is taken, and the first of several.
    """
    reading = _Reading(problem, trust_of(problem, step))
    surprises = ruled_out(problem, step)
    found = [
        *(reading.atom(atom, wanted=True) for atom in to_be_brought(problem, step.arguments)),
        *reading.condition(problem.domain.action(step.action).requires, problem.binding(step), wanted=True),
        *(reading.open(atom, closed_by=Standing.FALSE) for atom in sorted(surprises.denied)),
        *(reading.open(atom, closed_by=Standing.KNOWN) for atom in sorted(surprises.known)),
    ]
    return tuple(dict.fromkeys(found))


def shown(atom: Atom) -> str:
    """`atom` for people, those included that no domain declares."""
    if atom.fact == ENUMERATED:
        return f"every {atom.arguments[0]}"
    if atom.fact == BROUGHT:
        return f"the object {atom.arguments[0]}"
    return str(atom)


def standing(problem: Problem, state: State, atom: Atom) -> Standing:
    """What `state` says of `atom`; absent means false for a closed fact."""
    if atom in state.known:
        return Standing.KNOWN
    if atom in state.uncertain:
        return Standing.UNCERTAIN
    fact = problem.domain.facts.get(atom.fact)
    return Standing.FALSE if atom in state.denied or (fact is not None and fact.closed) else Standing.UNKNOWN


def makers(problem: Problem, atom: Atom, *, wanted: bool) -> tuple[str, ...]:
    """The actions that may be planned and have an effect that makes `atom` known (or, where not `wanted`, false)."""
    return tuple(action.name for action in problem.actions() if _makes(problem, action, atom, wanted=wanted))


def _makes(problem: Problem, action: Action, atom: Atom, *, wanted: bool) -> bool:
    tool = action if isinstance(action, Tool) else None
    if atom.fact == ENUMERATED:
        return tool is not None and atom.arguments[0] in tool.enumerates
    if atom.fact == BROUGHT:
        return tool is not None and atom.arguments[0] in (tool.placeholder(new) for new in (*tool.finds, *tool.creates))
    outcomes = tool.outcomes if tool else ()
    if wanted:
        effects = [*(effect.atom for effect in action.produces), *(formula for outcome in outcomes for formula in outcome.produces)]
        effects += tool.verifies if tool else ()
    else:
        effects = [*(effect.atom for effect in (tool.removes if tool else ()))]
        effects += [formula for outcome in outcomes for formula in outcome.removes]
    return any(_fits(problem, action, formula, atom) for formula in effects)


def _fits(problem: Problem, action: Action, formula: AtomicFormula, atom: Atom) -> bool:
    """Whether `formula` stands for `atom` with some arguments of `action`; variables of a quantified effect fit everything."""
    if formula.fact != atom.fact:
        return False
    types = {parameter.name: parameter.type for parameter in action.parameters}
    brought = {new.name: action.placeholder(new) for new in (*action.finds, *action.creates)} if isinstance(action, Tool) else {}
    for term, name in zip(formula.terms, atom.arguments, strict=True):
        if isinstance(term, Constant):
            fits = term.name == name
        elif term.name in brought:
            fits = brought[term.name] == name
        else:
            fits = term.name not in types or name in problem.objects_of(types[term.name])
        if not fits:
            return False
    return True


@dataclass(frozen=True)
class _Reading:
    """Reads conditions in the state of `problem`, as `semantics.truth` does, but says which atoms it takes."""

    problem: Problem
    trust: Trust

    def atom(self, atom: Atom, *, wanted: bool) -> Need:
        found = standing(self.problem, self.problem.state, atom)
        enough = {Standing.KNOWN, Standing.UNCERTAIN} if self.trust is Trust.CLAIMED else {Standing.KNOWN}
        met = found in enough if wanted else found is Standing.FALSE
        makes = () if met else makers(self.problem, atom, wanted=wanted)
        return Need(shown(atom) if wanted else f"not {atom}", found, met, makes)

    def open(self, atom: Atom, *, closed_by: Standing) -> Need:
        """That nothing known rules out the outcome that is hoped for."""
        state = self.problem.state
        met = atom not in (state.denied if closed_by is Standing.FALSE else state.known)
        return Need(f"{atom} not known to be otherwise", standing(self.problem, state, atom), met)

    def condition(self, condition: Condition, binding: Mapping[str, str], *, wanted: bool) -> tuple[Need, ...]:
        """The needs for `condition` to be true, or where not `wanted`, known to be false."""
        if isinstance(condition, AtomicFormula):
            return (self.atom(ground(condition, binding), wanted=wanted),)
        if isinstance(condition, Not):
            return self.condition(condition.condition, binding, wanted=not wanted)
        if isinstance(condition, Equal):
            left, right = _name(condition.left, binding), _name(condition.right, binding)
            met = (left == right) is wanted
            return () if met else (Need(f"{left} {'=' if wanted else '!='} {right}", Standing.FALSE, met),)
        if isinstance(condition, And | Or):
            parts = [self.condition(part, binding, wanted=wanted) for part in condition.conditions]
            return _all(parts) if isinstance(condition, And) is wanted else _easiest(parts, "nothing")
        return self._quantified(condition, binding, wanted=wanted)

    def _quantified(self, condition: ForAll | Exists, binding: Mapping[str, str], *, wanted: bool) -> tuple[Need, ...]:
        """All present instances or one of them. An absent one, a placeholder, has to be brought first."""
        universal = isinstance(condition, ForAll) is wanted
        instances = []
        for inner in self.problem.bindings(condition.parameters):
            brought = tuple(self.atom(atom, wanted=True) for atom in to_be_brought(self.problem, inner.values()))
            if universal and unmet(brought):
                continue
            instances.append((*brought, *self.condition(condition.condition, {**binding, **inner}, wanted=wanted)))
        if not universal:
            return _easiest(instances, f"some {condition.parameters[0].type}")
        open_types = {p.type for p in condition.parameters} & self.problem.open_types if wanted else frozenset()
        return _all([*instances, *((self.atom(Atom(ENUMERATED, (name,)), wanted=True),) for name in sorted(open_types))])


def unmet(found: Iterable[Need]) -> tuple[Need, ...]:
    """Those that are not met."""
    return tuple(need for need in found if not need.met)


def _all(parts: Iterable[tuple[Need, ...]]) -> tuple[Need, ...]:
    return tuple(need for part in parts for need in part)


def _easiest(parts: list[tuple[Need, ...]], otherwise: str) -> tuple[Need, ...]:
    if not parts:
        return (Need(otherwise, Standing.FALSE, met=False),)
    return min(parts, key=lambda part: len(unmet(part)))


def _name(term: Term, binding: Mapping[str, str]) -> str:
    return binding.get(term.name, term.name)
