"""Conditions to PDDL text, and the names that all of the text uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import lcm

from toolplan.domain import OBJECT, And, AtomicFormula, Condition, Equal, ForAll, Not, Or, Parameter, Term, Variable
from toolplan.planning.knowledge import asked_false, can_claim
from toolplan.planning.names import Names
from toolplan.planning.plans import Status
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import Trust


class ConditionWriter:
    """Writes the conditions of one problem. `requirements` collects what of PDDL they use."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.claims = can_claim(problem)
        self.denials = asked_false(problem)
        self.names = Names()
        self.requirements = {"strips", "action-costs"}
        self.unit = lcm(*(problem.domain.score_of(action).denominator for action in problem.actions()))
        self.domain_name = self.names.new(problem.domain.name)
        self.types = {OBJECT: self.names.new("any")} | {name: self.names.new(name) for name in problem.domain.types}
        self.objects = {name: self.names.new(name) for name in problem.objects}
        self.predicates: dict[tuple[Status, str], str] = {}
        for name in problem.domain.facts:
            self.predicates[Status.KNOWN, name] = self.names.new(name)
        for name in problem.domain.facts:
            if self.claims:
                self.predicates[Status.CLAIMED, name] = self.names.new(f"{name}-claimed")
            if name in self.denials:
                self.predicates[Status.DENIED, name] = self.names.new(f"{name}-denied")
        self.present = self.names.new("present")
        self.enumerated = {name: self.names.new(f"{name}-enumerated") for name in sorted(problem.open_types)}

    def negated(self, text: str) -> str:
        """The classical negation of a text, which may be more than one literal."""
        self.requirements |= {"negative-preconditions", "disjunctive-preconditions"}
        return f"(not {text})"

    def presence(self, parameters: Iterable[Parameter], variables: Mapping[str, str]) -> list[str]:
        """That the objects for `parameters` are there, where any of them may be one that a tool has to bring first."""
        return [
            f"({self.present} {variables[parameter.name]})"
            for parameter in parameters
            if not self.problem.placeholders.isdisjoint(self.problem.objects_of(parameter.type))
        ]

    # Conditions

    def condition(self, condition: Condition, variables: Mapping[str, str], trust: Trust, *, wanted: bool = True) -> str:
        """`condition` as PDDL, or what makes it known to be false where it is not `wanted`."""
        if isinstance(condition, AtomicFormula):
            return self.literal(condition, variables, trust, wanted=wanted)
        if isinstance(condition, Not):
            return self.condition(condition.condition, variables, trust, wanted=not wanted)
        if isinstance(condition, Equal):
            self.requirements.add("equality")
            equal = f"(= {self.term(condition.left, variables)} {self.term(condition.right, variables)})"
            return equal if wanted else self.negative(equal)
        if isinstance(condition, And | Or):
            parts = [self.condition(part, variables, trust, wanted=wanted) for part in condition.conditions]
            if isinstance(condition, And) is wanted:
                return conjoined(parts)
            if len(parts) == 1:
                return parts[0]
            self.requirements.add("disjunctive-preconditions")
            return f"(or {' '.join(parts)})" if parts else "(or)"
        universal = isinstance(condition, ForAll) is wanted
        self.requirements.add("universal-preconditions" if universal else "existential-preconditions")
        fresh = self.quantified(condition.parameters, variables)
        inner = dict(variables) | fresh
        places = self.typed(fresh.values(), condition.parameters)
        body = self.condition(condition.condition, inner, trust, wanted=wanted)
        present = self.presence(condition.parameters, inner)
        if present and universal:
            body = f"(or {self.negated(conjoined(present))} {body})"
        elif present:
            body = conjoined([*present, body])
        text = f"({'forall' if universal else 'exists'} ({places}) {body})"
        needed = (
            sorted({p.type for p in condition.parameters} & self.problem.open_types) if isinstance(condition, ForAll) and wanted else []
        )
        return conjoined([text, *(f"({self.enumerated[name]})" for name in needed)])

    def typed(self, variables: Iterable[str], parameters: Iterable[Parameter]) -> str:
        """`variables`, one for each of `parameters`, with their types."""
        text = " ".join(f"{variable} - {self.types[parameter.type]}" for variable, parameter in zip(variables, parameters, strict=True))
        if text:
            self.requirements.add("typing")
        return text

    def quantified(self, parameters: Iterable[Parameter], variables: Mapping[str, str]) -> dict[str, str]:
        """Names for the variables of a quantifier, other than those in scope."""
        taken = set(variables.values())
        fresh: dict[str, str] = {}
        for place, parameter in zip(places_of(tuple(parameters)), parameters, strict=True):
            variable = f"?{place}"
            while variable in taken:
                variable += "_"
            taken.add(variable)
            fresh[parameter.name] = variable
        return fresh

    def literal(self, formula: AtomicFormula, variables: Mapping[str, str], trust: Trust, *, wanted: bool) -> str:
        """An atom that is known (or claimed), or where it is not `wanted`, known to be false."""
        if wanted:
            return self.predicate(Status.CLAIMED if trust is Trust.CLAIMED else Status.KNOWN, formula, variables)
        if self.problem.domain.facts[formula.fact].closed:
            return self.negative(self.predicate(Status.CLAIMED, formula, variables))
        return self.predicate(Status.DENIED, formula, variables)

    def negative(self, text: str) -> str:
        """The negation of a literal."""
        self.requirements.add("negative-preconditions")
        return f"(not {text})"

    def predicate(self, status: Status, formula: AtomicFormula, variables: Mapping[str, str]) -> str:
        """An atom of the text."""
        if status is Status.CLAIMED and not self.claims:
            status = Status.KNOWN
        return f"({' '.join([self.predicates[status, formula.fact], *(self.term(term, variables) for term in formula.terms)])})"

    def term(self, term: Term, variables: Mapping[str, str]) -> str:
        """A variable or an object of the text."""
        return variables[term.name] if isinstance(term, Variable) else self.objects[term.name]


def conjoined(parts: Iterable[str]) -> str:
    """The conjunction of `parts`."""
    parts = [part for part in parts if part != "(and)"]
    return parts[0] if len(parts) == 1 and parts[0].startswith("(and") else f"(and {' '.join(parts)})" if parts else "(and)"


def places_of(parameters: tuple[Parameter, ...]) -> list[str]:
    """PDDL names for parameters; like all names here they are told apart without regard to case."""
    names = Names()
    return [names.new(parameter.name) for parameter in parameters]
