"""Blocks to actions and goals: `tool`, `ask` and `goal` with their clauses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from toolplan.domain import (
    And,
    ArgumentSource,
    Ask,
    AskKind,
    AtomicFormula,
    Comparison,
    Condition,
    Confirmation,
    Derived,
    Effect,
    Evidence,
    Fact,
    Free,
    Goal,
    HostReader,
    Interface,
    Literal,
    Outcome,
    Parameter,
    Path,
    Pattern,
    Performer,
    Policy,
    Tool,
    Variable,
)
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label, quoted
from toolplan.language.scope import Scope, types_of
from toolplan.language.source import Location

SINGLE = {
    "",
    "cost",
    "risk",
    "confirm",
    "key",
    "server",
    "owner",
    "version",
    "idempotent",
    "side effect",
    "chooses",
    "permits",
    "goal",
    "request",
}
"""Clauses that stand once in a block. All others hold lists, which go on where the clause stands again."""
WORDS_AS_VALUES = {"true": True, "false": False, "null": None}


class Clauses:
    """The clauses of one block by their word, after a check that what may stand once does."""

    def __init__(self, scope: Scope, block: nodes.Block) -> None:
        self.block = block
        self._scope = scope
        self._first: dict[str, nodes.Clause] = {}
        for before, clause in zip((None, *block.clauses), block.clauses, strict=False):
            word = "confirm" if clause.word == "confirm by" else clause.word
            first = self._first.setdefault(word, clause)
            if not word and _ends_in_text(before):
                message, hint = "a string follows a string without a comma", "separate strings with commas; the description stands first"
                scope.report(Code.UNEXPECTED_TOKEN, message, clause.span, hint)
            elif first is not clause and word in SINGLE:
                label = Label(Location(scope.source, first.keyword), "first here")
                message = f"`{word}` stands twice" if word else "a second description"
                scope.report(Code.REPEATED_CLAUSE, message, clause.keyword, "keep one of them", (label,))

    def first(self, word: str) -> nodes.Clause | None:
        """The first clause that starts with `word`."""
        return self._first.get(word)

    def all(self, word: str) -> list[nodes.ClauseValue]:
        """The values of all clauses that start with `word`."""
        return [value for clause in self.block.clauses_of(word) for value in clause.values]

    def text(self, word: str) -> str:
        """The one string of a clause, or nothing."""
        clause = self.first(word)
        return clause.values[0].value if clause and isinstance(clause.values[0], nodes.Text) else ""

    def texts(self, word: str) -> tuple[str, ...]:
        """The strings of a clause."""
        return tuple(value.value for value in self.all(word) if isinstance(value, nodes.Text))

    def names(self, word: str) -> list[nodes.Name]:
        """The names of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Name)]

    def typed(self, word: str) -> list[nodes.Typed]:
        """The parameters of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Typed)]

    def formulas(self, word: str) -> list[nodes.Formula]:
        """The atoms of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Formula)]

    def number(self, word: str, default: Fraction) -> Fraction:
        """The number of a clause, which must not be negative."""
        clause = self.first(word)
        if clause is None or not isinstance(number := clause.values[0], nodes.Number):
            return default
        if number.value < 0:
            message = f"`{word}` must not be negative"
            self._scope.report(Code.NUMBER_OUT_OF_RANGE, message, number.span, "a plan would grow cheaper for ever")
        return max(number.value, Fraction(0))

    def condition(self, word: str, variables: Mapping[str, str]) -> Condition:
        """All clauses that start with `word`, joined; flat where they are conjunctions."""
        items: tuple[nodes.Condition, ...] = tuple(self.all(word))  # type: ignore[arg-type]
        condition = self._scope.condition(nodes.Conjunction(items, self.block.span), variables)
        return condition.conditions[0] if isinstance(condition, And) and len(condition.conditions) == 1 else condition

    def effects(self, word: str, variables: Mapping[str, str]) -> tuple[Effect, ...]:
        """The effects of all clauses that start with `word`."""
        return self._effects(self.all(word), variables)

    def certain_effects(self, word: str, variables: Mapping[str, str]) -> tuple[Effect, ...]:
        """The same without `oneof`, which stands beside them."""
        return self._effects((value for value in self.all(word) if not isinstance(value, nodes.OneOf)), variables)

    def _effects(self, values: Iterable[nodes.ClauseValue], variables: Mapping[str, str]) -> tuple[Effect, ...]:
        return tuple(self._scope.effects(values, variables))  # type: ignore[arg-type]

    def atoms(self, word: str, variables: Mapping[str, str]) -> tuple[AtomicFormula, ...]:
        """The atoms of all clauses that start with `word`."""
        return tuple(atom for node in self.formulas(word) if (atom := self._scope.atom(node, variables)) is not None)


def resolve_tool(scope: Scope, block: nodes.Block, policy: Policy) -> Tool:
    """A `tool` block as an action."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    before = types_of(parameters)
    finds = scope.parameters(clauses.typed("finds"), before)
    creates = scope.parameters(clauses.typed("creates"), {**before, **types_of(finds)})
    variables = {**before, **types_of(finds), **types_of(creates)}
    confirm = clauses.first("confirm")
    role = confirm.values[0] if confirm and confirm.values else None
    return Tool(
        name=_name(block),
        parameters=parameters,
        description=clauses.text(""),
        requires=clauses.condition("requires", before),
        produces=clauses.certain_effects("produces", variables),
        removes=clauses.effects("removes", variables),
        outcomes=_outcomes(scope, clauses, variables),
        cost=clauses.number("cost", Fraction(1)),
        risk=_risk(scope, clauses, policy),
        confirm=Confirmation(role.text if isinstance(role, nodes.Name) else "") if confirm else None,
        performer=Performer(block.performer or "call"),
        verifies=clauses.atoms("verifies", variables),
        finds=finds,
        creates=creates,
        enumerates=tuple(scope.type_name(name) for name in clauses.names("enumerates")),
        interface=_interface(scope, block, clauses, variables),
        evidence=_evidence(clauses),
    )


def resolve_ask(scope: Scope, block: nodes.Block, tools: Collection[str], policy: Policy) -> Ask:
    """An `ask` block as an action. Without `chooses` or `permits` it asks for a value."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    variables = types_of(parameters)
    chosen = next(iter(clauses.names("chooses")), None)
    if chosen and chosen.text not in variables:
        scope.unknown(Code.UNKNOWN_TERM, "parameter", chosen, variables, "a question chooses one of its parameters")
    permitted = next(iter(clauses.names("permits")), None)
    if permitted and permitted.text not in tools:
        scope.unknown(Code.UNKNOWN_ACTION, "tool", permitted, tools)
    kind = AskKind.ENTITY if chosen else AskKind.PERMISSION if permitted else AskKind.VALUE
    produces = clauses.effects("produces", variables)
    if kind is AskKind.VALUE and block.complete and not clauses.first("produces"):
        hint = "name the fact that the answer makes known: `produces ...`"
        scope.report(Code.MISSING_CLAUSE, f"question {quoted(_name(block))} produces nothing", block.name.span, hint)
    return Ask(
        name=_name(block),
        parameters=parameters,
        kind=kind,
        question=clauses.text(""),
        requires=clauses.condition("requires", variables),
        produces=produces,
        cost=clauses.number("cost", policy.question_cost),
        chooses=chosen.text if chosen else "",
        permits=permitted.text if permitted else "",
    )


def resolve_goal(scope: Scope, block: nodes.Block) -> Goal:
    """A `goal` block."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    variables = types_of(parameters)
    if block.complete and not clauses.first("achieves"):
        hint = "say what must be known at the end: `achieves ...`"
        scope.report(Code.MISSING_CLAUSE, f"goal {quoted(_name(block))} achieves nothing", block.name.span, hint)
    return Goal(
        name=_name(block),
        parameters=parameters,
        description=clauses.text(""),
        achieves=clauses.condition("achieves", variables),
        given=clauses.atoms("given", variables),
        phrases=clauses.texts("phrases"),
    )


def implied_asks(goals: Mapping[str, Goal], asks: Mapping[str, Ask], facts: Mapping[str, Fact], policy: Policy) -> dict[str, Ask]:
    """A question for each fact that some goal is given and no `ask` produces, made from the fact's description."""
    asked = {effect.atom.fact for ask in asks.values() for effect in ask.produces}
    implied: dict[str, Ask] = {}
    for goal in goals.values():
        for name in dict.fromkeys(atom.fact for atom in goal.given):
            if name not in asked and name not in implied:
                fact = facts[name]
                about = f" ({fact.description})" if fact.description else ""
                atom = AtomicFormula(name, tuple(Variable(parameter.name) for parameter in fact.parameters))
                implied[name] = Ask(
                    name=f"ask_{name}",
                    parameters=fact.parameters,
                    question=f"What is the {name.replace('_', ' ')}{about}?",
                    produces=(Effect(atom),),
                    cost=policy.question_cost,
                    implied=True,
                )
    return {ask.name: ask for ask in implied.values()}


def _name(block: nodes.Block) -> str:
    return block.name.text if isinstance(block.name, nodes.Name) else block.name.value


def _ends_in_text(clause: nodes.Clause | None) -> bool:
    return clause is not None and clause.word != "" and bool(clause.values) and isinstance(clause.values[-1], nodes.Text)


def _risk(scope: Scope, clauses: Clauses, policy: Policy) -> str | None:
    names = clauses.names("risk")
    if not names:
        return None
    levels = [level.name for level in policy.risk]
    if names[0].text not in levels:
        otherwise = f"the policy has {', '.join(f'`{level}`' for level in levels)}"
        scope.unknown(Code.UNKNOWN_RISK, "risk level", names[0], levels, otherwise)
        return None
    return names[0].text


def _outcomes(scope: Scope, clauses: Clauses, variables: Mapping[str, str]) -> tuple[Outcome, ...]:
    groups = [value for value in clauses.all("produces") if isinstance(value, nodes.OneOf)]
    for group in groups[1:]:
        scope.report(Code.REPEATED_CLAUSE, "a second `oneof`", group.span, "list all outcomes in one")
    outcomes = []
    for changes in groups[0].outcomes if groups else ():
        added = [scope.atom(change, variables) for change in changes if isinstance(change, nodes.Formula)]
        negated = [change.item for change in changes if isinstance(change, nodes.Negation)]
        removed = [scope.atom(item, variables) for item in negated if isinstance(item, nodes.Formula)]
        outcomes.append(Outcome(tuple(filter(None, added)), tuple(filter(None, removed))))
    return tuple(outcomes)


def _interface(scope: Scope, block: nodes.Block, clauses: Clauses, variables: Mapping[str, str]) -> Interface:
    passes: dict[str, ArgumentSource] = {}
    for passing in clauses.all("passes"):
        if isinstance(passing, nodes.Passing):
            name = passing.parameter.text if isinstance(passing.parameter, nodes.Name) else passing.parameter.value
            if name in passes:
                message = f"argument {quoted(name)} is passed twice"
                scope.report(Code.DUPLICATE_PARAMETER, message, passing.parameter.span, "keep one of them")
            elif (source := _argument(scope, passing.value, variables)) is not None:
                passes[name] = source
    key = clauses.first("key")
    key_name = key.values[0] if key else None
    returns = []
    for item in clauses.all("returns"):
        if isinstance(item, nodes.Returning) and (atom := scope.atom(item.atom, variables)) is not None:
            reader = item.reader
            returns.append(
                (
                    atom,
                    Path(reader.text)
                    if isinstance(reader, nodes.PathText)
                    else Pattern(reader.value)
                    if isinstance(reader, nodes.Text)
                    else HostReader(reader.text),
                )
            )
    return Interface(
        calls=block.calls.value if block.calls else "",
        passes=passes,
        checks=tuple(
            Comparison(_operand(scope, item.left, variables), item.operator, _operand(scope, item.right, variables))
            for item in clauses.all("checks")
            if isinstance(item, nodes.Comparing)
        ),
        key=key_name.text if isinstance(key_name, nodes.Name) else key_name.value if isinstance(key_name, nodes.Text) else None,
        returns=tuple(returns),
        fails_when=tuple(value.text for value in clauses.all("fails when") if isinstance(value, nodes.PathText)),
    )


def _argument(scope: Scope, value: nodes.Value | tuple[nodes.Formula, ...] | None, variables: Mapping[str, str]) -> ArgumentSource | None:
    if value is None:
        return Free()
    if isinstance(value, tuple):
        return Derived(tuple(atom for node in value if (atom := scope.atom(node, variables)) is not None))
    if isinstance(value, nodes.Formula):
        if value.terms is None and value.name.text in variables:
            return Variable(value.name.text)
        if value.terms is None and value.name.text in WORDS_AS_VALUES and value.name.text not in scope.facts:
            return Literal(WORDS_AS_VALUES[value.name.text])
        if value.terms is None and value.name.text in scope.constants:
            return Literal(value.name.text)
        return scope.atom(value, variables)
    return Literal(json_value(value))


def json_value(node: nodes.Value) -> object:
    """A value written in the language as JSON would hold it; a bare word is `true`, `false`, `null` or a text."""
    if isinstance(node, nodes.Text):
        return node.value
    if isinstance(node, nodes.Number):
        return int(node.written) if "." not in node.written else float(node.written)
    if isinstance(node, nodes.Sequence):
        return [json_value(item) for item in node.items]
    return WORDS_AS_VALUES.get(node.name.text, node.name.text)


def _operand(
    scope: Scope, node: nodes.Formula | nodes.Text | nodes.Number, variables: Mapping[str, str]
) -> AtomicFormula | Variable | Literal:
    source = _argument(scope, node, variables)
    return source if isinstance(source, AtomicFormula | Variable | Literal) else Literal(None)


def _evidence(clauses: Clauses) -> Evidence:
    evidence = Evidence(
        capability=tuple(name.text for name in clauses.names("capability")),
        server=clauses.text("server"),
        scopes=clauses.texts("scopes"),
        owner=clauses.text("owner"),
        version=clauses.text("version"),
        supersedes=tuple(name.text for name in clauses.names("supersedes")),
        use_when=clauses.texts("use when"),
        do_not_use_when=clauses.texts("do not use when"),
        side_effect=clauses.text("side effect"),
    )
    return replace(evidence, idempotent=True) if clauses.first("idempotent") else evidence


def placeholder(tool: Tool, parameter: Parameter) -> str:
    """The name of the object that stands, while planning, for what `tool` finds or creates as `parameter`."""
    return f"{tool.name}.{parameter.name}"
