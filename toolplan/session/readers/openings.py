"""What a user may state for a goal: what it is given, what its phrases have slots for, what questions on the way to it ask.

And what they may say of an argument that may be left out, of a tool on the way: the fact that it passes if known, or that is called like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, chain

from toolplan.domain import And, AtomicFormula, Constant, Domain, Fact, Free, Goal, IfKnown, Parameter, Variable, Wanted
from toolplan.language.requests import substitute
from toolplan.planning.demand import Binding, demanded
from toolplan.planning.memo import per_domain
from toolplan.planning.problem import Problem, State
from toolplan.retrieval.documents import words_of
from toolplan.session.readers.naming import BEGINNINGS, own_words
from toolplan.session.readers.tokens import stem, stems

PEOPLE = frozenset("person people contact user customer colleague attendee guest recipient participant employee member".split())
"""Names of types whose entities have names of their own."""
NO_NOUNS = frozenset(map(stem, BEGINNINGS | frozenset("with or and".split())))
"""Words of a description that are for nothing that can be wanted."""


@dataclass(frozen=True, slots=True)
class Openings:
    """The facts that a user may state for one goal, over the variables of the goal.

    `facts` are in order: those that are given first, those that may be left out last. `stretches` are the pairs of moments that one question
    asks for: from when, until when. `types` are those of the variables, `words` the stems in the own name of each fact without entities,
    `nouns` those of the words that the goal has for what is wanted.
    """

    facts: Mapping[AtomicFormula, Fact]
    stretches: tuple[tuple[AtomicFormula, AtomicFormula], ...]
    types: Mapping[str, str]
    words: Mapping[AtomicFormula, tuple[str, ...]] = field(default_factory=dict)
    nouns: frozenset[str] = frozenset()

    def of_kind(self, *kinds: str) -> list[AtomicFormula]:
        """The facts whose values are of one of `kinds`."""
        return [formula for formula, fact in self.facts.items() if fact.value is not None and fact.value.kind in kinds]

    @property
    def moments(self) -> list[AtomicFormula]:
        """The facts that say at what time something is, and not only on which day."""
        paired = {formula for pair in self.stretches for formula in pair}
        return [formula for formula in self.of_kind("datetime") if formula not in paired]

    def days_of(self, moment: AtomicFormula) -> list[tuple[AtomicFormula, ...]]:
        """The facts, alone or in pairs, that say on which day the thing is whose time `moment` is."""
        places: list[tuple[AtomicFormula, ...]] = [*self.stretches, *((formula,) for formula in self.of_kind("date"))]
        return [place for place in places if place[0].terms == moment.terms]

    def description(self, variable: str) -> AtomicFormula | None:
        """The fact that says in words what `variable` is, or that it was said; the first, where there are several."""
        alone = (Variable(variable),)
        return next((formula for formula in self.facts if formula.terms == alone and self.takes_words(formula)), None)

    def takes_words(self, formula: AtomicFormula) -> bool:
        """Whether words as they are said can be the value of `formula`, or all that there is to know of it."""
        value = self.facts[formula].value
        return value is None or value.kind in ("text", "schema")


def openings_of(domain: Domain, goal: str) -> Openings:
    """What a user may state for `goal`."""
    known = _openings(domain)
    if goal not in known:
        known[goal] = _opened(domain, domain.goals[goal])
    return known[goal]


@per_domain
def _openings(_: Domain) -> dict[str, Openings]:
    return {}


def _opened(domain: Domain, goal: Goal) -> Openings:
    way = demanded(_problem(domain, goal))
    asked = list(_asked(domain, goal, way))
    formulas = dict.fromkeys(chain(goal.given, _slots(goal), chain.from_iterable(asked), _optional(domain, way)))
    return Openings(
        facts={formula: domain.facts[formula.fact] for formula in formulas},
        stretches=tuple(_stretches(domain, asked)),
        types={parameter.name: parameter.type for parameter in goal.parameters},
        words={formula: own_words(formula.fact, goal.name) for formula in formulas if not formula.terms},
        nouns=frozenset(stems(f"{words_of(goal.name)} {goal.description}")) - NO_NOUNS,
    )


def _slots(goal: Goal) -> Iterator[AtomicFormula]:
    for part in chain.from_iterable(goal.templates):
        if isinstance(part, AtomicFormula):
            yield part


def _optional(domain: Domain, way: Iterable[str]) -> Iterator[AtomicFormula]:
    """The facts without entities that tools on the `way` pass if they are known, or that are called like their free arguments."""
    for name in way:
        tool = domain.tools.get(name)
        for argument, source in tool.interface.passes.items() if tool is not None else ():
            match source:
                case IfKnown(atom) if not atom.terms:
                    yield atom
                case Free():
                    yield from _called(domain, argument, name)


def _called(domain: Domain, argument: str, tool: str) -> Iterator[AtomicFormula]:
    """The one fact without entities that is called like an argument, perhaps after the beginning of the name of its tool."""
    beginnings = ["", *accumulate(f"{word}_" for word in tool.split("_"))]
    called = [domain.facts[fact] for start in beginnings if (fact := f"{start}{argument}") in domain.facts]
    if len(called) == 1 and called[0].value is not None and not called[0].parameters:
        yield AtomicFormula(called[0].name, ())


def _asked(domain: Domain, goal: Goal, way: Mapping[str, Iterable[Binding]]) -> Iterator[list[AtomicFormula]]:
    """What each question that may have a part in reaching `goal` asks for, over the variables of the goal.

    Places that the way from the goal leaves open are those of the one variable that fits; where none or several do, nothing is opened.
    """
    for name, bindings in way.items():
        for binding in bindings if name in domain.asks else ():
            ask = domain.asks[name]
            places = [_variable(domain, goal, parameter, bound) for parameter, bound in zip(ask.parameters, binding, strict=True)]
            variables = {p.name: place for p, place in zip(ask.parameters, places, strict=True) if place is not None}
            produced = [effect.atom for effect in ask.produces]
            if all(isinstance(term, Constant) or term.name in variables for atom in produced for term in atom.terms):
                yield [AtomicFormula(atom.fact, tuple(variables.get(term.name, term) for term in atom.terms)) for atom in produced]


def _problem(domain: Domain, goal: Goal) -> Problem:
    """`goal` for objects that are called like its variables."""
    constants = {parameter.name: Constant(parameter.name) for parameter in goal.parameters}
    condition = substitute(And((goal.achieves, *goal.given)), constants)
    return Problem(domain, {p.name: p.type for p in goal.parameters}, State(), (Wanted(goal.name, condition),))


def _variable(domain: Domain, goal: Goal, parameter: Parameter, bound: str | None) -> Variable | None:
    if bound is not None:
        return Variable(bound)
    fitting = [p.name for p in goal.parameters if domain.is_subtype(p.type, parameter.type)]
    return Variable(fitting[0]) if len(fitting) == 1 else None


def _stretches(domain: Domain, asked: Iterable[list[AtomicFormula]]) -> Iterator[tuple[AtomicFormula, AtomicFormula]]:
    for formulas in asked:
        moments = [f for f in formulas if (value := domain.facts[f.fact].value) is not None and value.kind == "datetime"]
        if len(formulas) == len(moments) == 2:
            yield moments[0], moments[1]


def names_people(domain: Domain, type_name: str) -> bool:
    """Whether entities of `type_name` are people, by the names of the type and of those above it."""
    while type_name in domain.types:
        if not PEOPLE.isdisjoint(type_name.lower().split("_")):
            return True
        type_name = domain.types[type_name].parent
    return False
