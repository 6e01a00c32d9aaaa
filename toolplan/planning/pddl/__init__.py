"""A problem to PDDL text, for people and other planners: typed, commented with the contract it came from, and always the same.

Level 1 of PDDL 2.2 with action costs. What is known, claimed or denied of an atom are predicates of their own, as in `grounding`;
claims and denials are left out where the problem has none. Costs are scores, as integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from toolplan.domain import OBJECT
from toolplan.planning.pddl.actions import ActionWriter, comment
from toolplan.planning.pddl.conditions import places_of
from toolplan.planning.plans import Status, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import Trust


@dataclass(frozen=True, slots=True)
class Pddl:
    """The two texts, what each name in them stands for, and how many units of cost make one of the author's."""

    domain: str
    problem: str
    names: Mapping[str, str]
    unit: int
    actions: Mapping[str, tuple[str, int]]

    def step(self, action: str, arguments: Iterable[str]) -> Step:
        """The step that an action of the text stands for. PDDL reads capital letters as small ones."""
        name, outcome = self.actions[action.lower()]
        return Step(name, tuple(self.names[argument.lower()] for argument in arguments), outcome)


def to_pddl(problem: Problem) -> Pddl:
    """Write `problem` as a domain and a problem of PDDL. Every action is there that its condition does not rule out, whether it helps the goal or not."""
    return _Writer(problem).write()


class _Writer(ActionWriter):
    def write(self) -> Pddl:
        actions = [line for action in self.problem.actions() for line in self.action(action)]
        goal = self.condition(self.problem.goal, {}, Trust.KNOWN)
        domain = "\n".join([*self.head(), *actions, ")", ""])
        return Pddl(domain, "\n".join(self.problem_text(goal)), dict(self.names.originals), self.unit, self.actions)

    # The domain

    def head(self) -> Iterator[str]:
        domain = self.problem.domain
        predicates = list(self.predicate_lines())
        if domain.types or self.problem.objects:
            self.requirements.add("typing")
        yield f"; {comment(domain.name)}{': ' + comment(domain.description) if domain.description else ''}"
        yield f"; costs are scores (cost + risk) in units of 1/{self.unit}" if self.unit > 1 else "; costs are scores: cost + risk"
        yield f"(define (domain {self.domain_name})"
        yield f"  (:requirements {' '.join(f':{name}' for name in REQUIREMENTS if name in self.requirements)})"
        if "typing" in self.requirements:
            yield "  (:types"
            yield f"    {self.types[OBJECT]} - object"
            for kind in domain.types.values():
                yield _noted(f"    {self.types[kind.name]} - {self.types[kind.parent]}", kind.description)
            yield "  )"
        constants = [name for name in self.problem.objects if name in domain.constants]
        if constants:
            yield "  (:constants"
            yield from self.typed_objects(constants)
            yield "  )"
        yield "  (:predicates"
        yield from predicates
        yield "  )"
        yield "  (:functions (total-cost) - number)"

    def predicate_lines(self) -> Iterator[str]:
        for fact in self.problem.domain.facts.values():
            places = self.typed([f"?{place}" for place in places_of(fact.parameters)], fact.parameters)
            for status, note in ((Status.KNOWN, fact.description), (Status.CLAIMED, "claimed"), (Status.DENIED, "known to be false")):
                if (status, fact.name) in self.predicates:
                    yield _noted(f"    ({' '.join(filter(None, [self.predicates[status, fact.name], places]))})", note)
        for predicate in self.enumerated.values():
            yield f"    ({predicate})"
        if self.problem.placeholders:
            yield f"    ({self.present} ?thing - {self.types[OBJECT]})  ; what tools find or create is there once they have"

    # The problem

    def problem_text(self, goal: str) -> Iterator[str]:
        wanted = ", ".join(wanted.label for wanted in self.problem.wanted)
        yield f"; {comment(wanted)}"
        yield f"(define (problem {self.names.new(f'{self.problem.domain.name}-problem')})"
        yield f"  (:domain {self.domain_name})"
        objects = [name for name in self.problem.objects if name not in self.problem.domain.constants]
        if objects:
            yield "  (:objects"
            yield from self.typed_objects(objects)
            yield "  )"
        yield "  (:init"
        yield "    (= (total-cost) 0)"
        state = self.problem.state
        for status, atoms in ((Status.KNOWN, state.known), (Status.CLAIMED, state.known | state.uncertain), (Status.DENIED, state.denied)):
            for atom in sorted(atoms):
                if (status, atom.fact) in self.predicates:
                    yield f"    ({' '.join([self.predicates[status, atom.fact], *(self.objects[name] for name in atom.arguments)])})"
        if self.problem.placeholders:
            yield from (
                f"    ({self.present} {self.objects[name]})" for name in self.problem.objects if name not in self.problem.placeholders
            )
        yield "  )"
        yield f"  (:goal {goal if goal.startswith('(and') else f'(and {goal})'})"
        yield "  (:metric minimize (total-cost))"
        yield ")"
        yield ""

    def typed_objects(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield f"    {self.objects[name]} - {self.types[self.problem.objects[name]]}"


REQUIREMENTS = (
    "strips",
    "typing",
    "negative-preconditions",
    "disjunctive-preconditions",
    "equality",
    "existential-preconditions",
    "universal-preconditions",
    "conditional-effects",
    "action-costs",
)


def _noted(line: str, note: str) -> str:
    return f"{line}  ; {comment(note)}" if note else line
