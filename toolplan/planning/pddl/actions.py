"""Actions to PDDL text: what they require, and their effects as `semantics.successor` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolplan.domain import Action, And, AtomicFormula, Condition, Effect, Performer, Term, Tool, Variable
from toolplan.language.numerals import numeral
from toolplan.planning.knowledge import serves_unsure
from toolplan.planning.pddl.conditions import ConditionWriter, conjoined, places_of
from toolplan.planning.plans import Atom, Status, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import Trust, believed, produces, removes, trust_of, verified


class ActionWriter(ConditionWriter):
    """Writes the actions of one problem. `actions` says which action and outcome each of their names stands for."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.actions: dict[str, tuple[str, int]] = {}

    def action(self, action: Action) -> Iterator[str]:
        """One action of the text for each outcome that may come about, and one more where it may act on claims alone."""
        variables = {parameter.name: f"?{place}" for parameter, place in zip(action.parameters, places_of(action.parameters), strict=True)}
        if isinstance(action, Tool):
            for new in (*action.finds, *action.creates):
                variables[new.name] = self.objects[f"{action.name}.{new.name}"]
        known, claimed = (self.condition(action.requires, variables, trust) for trust in (Trust.KNOWN, Trust.CLAIMED))
        outcomes = range(len(action.outcomes)) if isinstance(action, Tool) and action.outcomes else (-1,)
        for outcome in outcomes:
            step = Step(action.name, (), outcome)
            suffix = f"-outcome-{outcome + 1}" if outcome >= 0 else ""
            yield from self.variant(action, step, suffix, variables, Trust.KNOWN)
            if known != claimed and trust_of(self.problem, step) is Trust.CLAIMED:
                yield from self.variant(action, step, f"{suffix}-on-claims", variables, Trust.CLAIMED)

    def variant(self, action: Action, step: Step, suffix: str, variables: Mapping[str, str], trust: Trust) -> Iterator[str]:
        """The lines of one action of the text, with the contract it comes from above them; none where it can never be taken."""
        if self.is_ruled_out(action, step, variables, trust):
            return
        name = self.names.new(action.name + suffix)
        self.actions[name] = (action.name, step.outcome)
        parts = [*self.presence(action.parameters, variables), self.condition(action.requires, variables, trust)]
        parts += self.not_ruled_out(action, step, variables)
        if trust is Trust.CLAIMED and serves_unsure(self.problem.domain, produces(action, step), removes(action, step)):
            parts.append(self.negated(self.condition(action.requires, variables, Trust.KNOWN)))
        tried = (step for step in sorted(self.problem.exhausted) if step.action == action.name)
        parts += [self.not_step(step, variables) for step in tried if self.objects.keys() >= set(step.arguments)]
        effects = list(self.effects(action, step, variables, trust))
        score = self.problem.domain.score_of(action) * self.unit
        yield ""
        yield f"  ; {comment(_contract(self.problem, action))}"
        yield f"  (:action {name}"
        yield f"    :parameters ({self.typed((variables[p.name] for p in action.parameters), action.parameters)})"
        yield f"    :precondition {conjoined(parts)}"
        yield f"    :effect (and {' '.join([*effects, f'(increase (total-cost) {int(score)})'])})"
        yield "  )"

    def not_step(self, step: Step, variables: Mapping[str, str]) -> str:
        """That the arguments are not those of an exhausted step."""
        if not step.arguments:
            self.requirements.add("disjunctive-preconditions")
            return "(or)"
        self.requirements |= {"negative-preconditions", "equality"}
        places = list(variables.values())
        equal = " ".join(f"(= {place} {self.objects[argument]})" for place, argument in zip(places, step.arguments, strict=False))
        return f"(not (and {equal}))"

    def is_ruled_out(self, action: Action, step: Step, variables: Mapping[str, str], trust: Trust) -> bool:
        """Whether what the step requires always rules its outcome out."""
        required = {self.condition(part, variables, trust) for part in _conjuncts(action.requires)}
        return any(f"(not {text})" in self.not_ruled_out(action, step, variables) for text in required)

    def not_ruled_out(self, action: Action, step: Step, variables: Mapping[str, str]) -> list[str]:
        """That nothing known rules the outcome out; see `semantics.ruled_out`."""
        if not isinstance(action, Tool) or step.outcome < 0 or trust_of(self.problem, step) is not Trust.CLAIMED:
            return []
        outcome = action.outcomes[step.outcome]
        denied = [formula for formula in outcome.produces if formula.fact in self.denials]
        return [
            *(self.negative(self.predicate(Status.DENIED, formula, variables)) for formula in denied),
            *(self.negative(self.predicate(Status.KNOWN, formula, variables)) for formula in outcome.removes),
        ]

    # Effects

    def effects(self, action: Action, step: Step, variables: Mapping[str, str], trust: Trust) -> Iterator[str]:
        """The effects of `step`, as `semantics.successor` has them; what is both removed and added is only added."""
        made = produces(action, step) + tuple(Effect(formula) for formula in (verified(action, step) if isinstance(action, Tool) else ()))
        for effect in removes(action, step):
            if not any(other.atom == effect.atom and _always(other) for other in made):
                yield from self.removal(action, step, effect, made, variables, trust)
        for effect in produces(action, step):
            inner = dict(variables) | self.quantified(effect.parameters, variables)
            for sure, condition in self.firing(action, step, effect, inner, trust):
                yield from self.change(effect, inner, [condition], list(self.adds(effect.atom, inner, sure=sure)))
        if isinstance(action, Tool):
            for formula in verified(action, step):
                yield from self.adds(formula, variables, sure=True)
            for type_name in dict.fromkeys(below for name in action.enumerates for below in self.problem.domain.types_below(name)):
                yield f"({self.enumerated[type_name]})"
            for new in (*action.finds, *action.creates):
                yield f"({self.present} {variables[new.name]})"

    def removal(
        self, action: Action, step: Step, effect: Effect, made: Iterable[Effect], variables: Mapping[str, str], trust: Trust
    ) -> Iterator[str]:
        """What `effect` deletes. It denies only what the step does not add: PDDL would let both be true."""
        inner = dict(variables) | self.quantified(effect.parameters, variables)
        for sure, condition in self.firing(action, step, effect, inner, trust):
            deleted = [f"(not {self.predicate(Status.KNOWN, effect.atom, inner)})"]
            if sure and self.claims:
                deleted.append(f"(not {self.predicate(Status.CLAIMED, effect.atom, inner)})")
            denied = [self.predicate(Status.DENIED, effect.atom, inner)] if sure and effect.atom.fact in self.denials else []
            guards = [self.not_made(effect.atom, other, inner, step) for other in made if other.atom.fact == effect.atom.fact]
            if guards or not denied:
                yield from self.change(effect, inner, [condition], deleted)
                yield from self.change(effect, inner, [condition, *guards], denied)
            else:
                yield from self.change(effect, inner, [condition], [*deleted, *denied])

    def not_made(self, atom: AtomicFormula, other: Effect, variables: Mapping[str, str], step: Step) -> str:
        """That `other`, an effect on the same fact, does not add `atom`."""
        inner = dict(variables) | self.quantified(other.parameters, variables)
        pairs = zip(atom.terms, other.atom.terms, strict=True)
        parts = [f"(= {self.term(one, variables)} {self.term(two, inner)})" for one, two in pairs if one != two or two in _bound_by(other)]
        if parts:
            self.requirements.add("equality")
        parts.append(self.condition(other.condition, inner, trust_of(self.problem, step)))
        text = conjoined(parts)
        if other.parameters:
            self.requirements.add("existential-preconditions")
            text = f"(exists ({self.typed((inner[p.name] for p in other.parameters), other.parameters)}) {text})"
        return self.negated(text)

    def firing(self, action: Action, step: Step, effect: Effect, variables: Mapping[str, str], trust: Trust) -> Iterator[tuple[bool, str]]:
        """The conditions under which `effect` happens, each with whether it is sure then."""
        performer = action.performer if isinstance(action, Tool) else Performer.CALL
        trusts = [Trust.KNOWN]
        if self.claims and trust_of(self.problem, step) is Trust.CLAIMED and effect.condition != And(()):
            trusts.append(Trust.CLAIMED)
        for heard in trusts:
            sure = trust is Trust.KNOWN and heard is Trust.KNOWN and believed(self.problem, performer, Atom(effect.atom.fact))
            yield sure, self.condition(effect.condition, variables, heard)

    def change(self, effect: Effect, variables: Mapping[str, str], conditions: Iterable[str], changes: list[str]) -> Iterator[str]:
        """`changes` under `conditions`, for all assignments of the effect's own parameters."""
        condition = conjoined([*self.presence(effect.parameters, variables), *conditions])
        if not changes:
            return
        texts = changes
        if condition != "(and)":
            self.requirements.add("conditional-effects")
            texts = [f"(when {condition} {conjoined(changes)})"]
        if effect.parameters:
            self.requirements.add("conditional-effects")
            places = self.typed((variables[p.name] for p in effect.parameters), effect.parameters)
            texts = [f"(forall ({places}) {texts[0] if len(texts) == 1 else conjoined(texts)})"]
        yield from texts

    def adds(self, formula: AtomicFormula, variables: Mapping[str, str], *, sure: bool) -> Iterator[str]:
        """What adding `formula` makes true and false."""
        if sure:
            yield self.predicate(Status.KNOWN, formula, variables)
        if self.claims:
            yield self.predicate(Status.CLAIMED, formula, variables)
        if formula.fact in self.denials:
            yield f"(not {self.predicate(Status.DENIED, formula, variables)})"


def _conjuncts(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, And):
        for part in condition.conditions:
            yield from _conjuncts(part)
    else:
        yield condition


def _always(effect: Effect) -> bool:
    return effect.condition == And(()) and not effect.parameters


def _bound_by(effect: Effect) -> set[Term]:
    return {Variable(parameter.name) for parameter in effect.parameters}


def _contract(problem: Problem, action: Action) -> str:
    kind = f"risk {action.risk or 'unrated'}" if isinstance(action, Tool) else "a question"
    text = action.description if isinstance(action, Tool) else action.question
    return f"{action.name} (cost {numeral(action.cost)}, {kind}){': ' + text if text else ''}"


def comment(text: str) -> str:
    """`text` on one line, in letters that every reader takes."""
    return " ".join(text.split()).encode("ascii", "replace").decode("ascii")
