"""Policy blocks to one policy. A file's own settings win over those it imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from toolplan.domain import NO_BUDGET, Budget, Clarify, Confirmation, HighRisk, Policy, RiskLevel, Stopping, Uncontracted, Widening
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label, quoted, visible
from toolplan.language.scope import Scope
from toolplan.language.source import Location, Source

FIELDS = {
    "confidence": "confidence",
    "margin": "margin",
    "plausible": "plausible",
    "lambda": "risk_factor",
    "clarify": "clarify",
    "risk": "risk",
    "always visible": "always_visible",
    "ask": "question_cost",
    "uncontracted": "uncontracted",
}
OF_BUDGET = {"widen when": "widen", "stop after": "stop", "high risk": "high_risk"}
"""Settings that are parts of the budget, as `budget` itself is."""
SHARES = frozenset(["confidence", "margin", "plausible"])
"""Settings that lie between 0 and 1."""
CHOICES: Mapping[str, type[Clarify] | type[Uncontracted]] = {"clarify": Clarify, "uncontracted": Uncontracted}
"""Settings that are one of a few words."""
MEASURES = {"score": ("<", "top_score"), "margin": ("<", "margin"), "collision": (">", "collision"), "failures": (">", "failed_attempts")}
"""What a list is widened by: on which side of its number, and the field that keeps this."""
LACKS = {"no capability": "missing_capability", "no choice": "empty_choice"}
UNITS = {"rounds": "rounds", "round": "rounds", "tokens": "context_tokens"}
MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as one clause gives it, and where."""

    value: object
    location: Location


def resolve_policy(scope: Scope, files: Sequence[nodes.File], imports: Mapping[Source, Sequence[Source]]) -> Policy:
    """The policy of the last of `files`, which are in the order of their imports.

    Two imports that disagree on a setting which the importing file leaves open are reported with both places.
    """
    settings: dict[Source, dict[str, Setting]] = {}
    for file in files:
        scope.source = file.source
        own = _own_settings(scope, file)
        inherited: dict[str, Setting] = {}
        for imported in imports[file.source]:
            for word, setting in settings.get(imported, {}).items():
                other = inherited.setdefault(word, setting)
                if other.value != setting.value and word not in own:
                    scope.source = setting.location.source
                    labels = (Label(other.location, "and otherwise here"),)
                    hint = f"say which holds in the policy of `{visible(file.source.name)}`"
                    scope.report(Code.CONFLICTING_SETTINGS, f"`{word}` is set in two ways by imports", setting.location.span, hint, labels)
                    own[word] = setting
        settings[file.source] = {**inherited, **own}
    chosen = settings[files[-1].source]
    budget: Budget = chosen["budget"].value if "budget" in chosen else NO_BUDGET  # type: ignore[assignment]
    parts = {OF_BUDGET[word]: setting.value for word, setting in chosen.items() if word in OF_BUDGET}
    others = {FIELDS[word]: setting.value for word, setting in chosen.items() if word in FIELDS}
    return Policy(**others, budget=replace(budget, **parts))  # type: ignore[arg-type]


def _own_settings(scope: Scope, file: nodes.File) -> dict[str, Setting]:
    own: dict[str, Setting] = {}
    for block in file.declarations:
        if isinstance(block, nodes.Block) and block.kind == "policy":
            for clause in block.clauses:
                location = Location(file.source, clause.keyword)
                if clause.word in own:
                    label = Label(own[clause.word].location, "first here")
                    scope.report(Code.REPEATED_CLAUSE, f"`{clause.word}` is set twice", clause.keyword, "keep one of them", (label,))
                else:
                    own[clause.word] = Setting(_value(scope, clause), location)
    return own


def _value(scope: Scope, clause: nodes.Clause) -> object:
    first = clause.values[0]
    if isinstance(first, nodes.Number) and clause.word in FIELDS:
        if first.value < 0 or (clause.word in SHARES and first.value > 1):
            limits = "must lie between 0 and 1" if clause.word in SHARES else "must not be negative"
            hint = "write a share, such as `0.7`" if clause.word in SHARES else ""
            scope.report(Code.NUMBER_OUT_OF_RANGE, f"`{clause.word}` {limits}", first.span, hint)
            return Fraction(0)
        return first.value
    if clause.word in CHOICES and isinstance(first, nodes.Name):
        words = [choice.value for choice in CHOICES[clause.word]]
        if first.text not in words:
            scope.unknown(Code.UNKNOWN_SETTING, "choice", first, words, f"there are {' and '.join(map(quoted, words))}")
            return next(iter(CHOICES[clause.word]))
        return CHOICES[clause.word](first.text)
    match clause.word:
        case "risk":
            return _levels(scope, [level for level in clause.values if isinstance(level, nodes.Level)])
        case "budget":
            return _depth(scope, first)
        case "widen when":
            return _widening(scope, clause)
        case "stop after":
            return _stopping(scope, clause)
        case "high risk":
            return _high_risk(scope, clause)
    return tuple(dict.fromkeys(name.text for name in clause.values if isinstance(name, nodes.Name)))


def _levels(scope: Scope, levels: Sequence[nodes.Level]) -> tuple[RiskLevel, ...]:
    resolved: dict[str, RiskLevel] = {}
    for level in levels:
        if level.name.text in resolved:
            message = f"risk level {quoted(level.name.text)} is there already"
            scope.report(Code.DUPLICATE_NAME, message, level.name.span, "keep one of them")
            continue
        if level.weight.value < 0:
            scope.report(Code.NUMBER_OUT_OF_RANGE, "the weight of a risk must not be negative", level.weight.span)
        confirm = None if level.confirm is None else Confirmation(level.confirm.text)
        weight = max(level.weight.value, Fraction(0))
        resolved[level.name.text] = RiskLevel(level.name.text, weight, level.safe, confirm)
    return tuple(resolved.values())


# The budget


def _depth(scope: Scope, depth: nodes.ClauseValue) -> Budget:
    assert isinstance(depth, nodes.Depth)
    initial = _whole(scope, depth.least, "the length of a list", 1)
    maximum = initial if depth.most is None else _whole(scope, depth.most, "the length of a list", 1)
    if maximum < initial:
        hint = f"write {quoted(f'{depth.most.written} to {depth.least.written}')}" if depth.most else ""
        scope.report(Code.NUMBER_OUT_OF_RANGE, "a list cannot be widened to fewer tools than it begins with", depth.span, hint)
    return Budget(initial, max(initial, maximum))


def _widening(scope: Scope, clause: nodes.Clause) -> Widening:
    fields: dict[str, object] = {}
    for value in clause.values:
        match value:
            case nodes.Threshold(measure) if measure.text not in MEASURES:
                scope.unknown(Code.UNKNOWN_SETTING, "measure", measure, MEASURES, f"there are {', '.join(map(quoted, MEASURES))}")
            case nodes.Threshold(measure, operator, number):
                wanted, field = MEASURES[measure.text]
                if operator != wanted:
                    message = f"a list is widened where {quoted(measure.text)} is {'below' if wanted == '<' else 'above'} a number"
                    scope.report(Code.UNKNOWN_SETTING, message, value.span, f"write `{measure.text} {wanted} {number.written}`")
                _once(scope, fields, field, quoted(measure.text), value)
                fields[field] = (
                    _whole(scope, number, "`failures`", 0) if measure.text == "failures" else _share(scope, number, measure.text)
                )
            case nodes.Phrase(words):
                _once(scope, fields, LACKS[words], quoted(words), value)
                fields[LACKS[words]] = True
    return Widening(**fields)  # type: ignore[arg-type]


def _stopping(scope: Scope, clause: nodes.Clause) -> Stopping:
    fields: dict[str, int] = {}
    for bound in clause.values:
        assert isinstance(bound, nodes.Bound)
        if bound.unit is None:
            digits = bound.written.rstrip("mshd")
            field, name = "latency", "the time"
            number, factor = nodes.Number(digits, bound.span), MILLISECONDS[bound.written[len(digits) :]]
        elif bound.unit.text in UNITS:
            field, name = UNITS[bound.unit.text], quoted(bound.unit.text)
            number, factor = nodes.Number(bound.written, bound.span), 1
        else:
            joined = f"{bound.written}{bound.unit.text}"
            otherwise = (
                f"write {quoted(joined)}" if bound.unit.text in MILLISECONDS else "there are `rounds`, `tokens`, and times such as `2500ms`"
            )
            scope.unknown(Code.UNKNOWN_SETTING, "unit", bound.unit, UNITS, otherwise)
            continue
        _once(scope, fields, field, name, bound)
        fields[field] = factor * _whole(scope, number, name, 1)
    return Stopping(**fields)


def _high_risk(scope: Scope, clause: nodes.Clause) -> HighRisk:
    fields: dict[str, int] = {}
    for value in clause.values:
        match value:
            case nodes.Number():
                _once(scope, fields, "maximum", "the number of tools", value)
                fields["maximum"] = _whole(scope, value, "the length of a list", 1)
            case nodes.Phrase(words):
                field = "exact_capability" if words == "exact capability" else words
                _once(scope, fields, field, quoted(words), value)
                fields[field] = True
    return HighRisk(**fields)  # type: ignore[arg-type]


def _once(scope: Scope, fields: Mapping[str, object], field: str, name: str, node: nodes.ClauseValue) -> None:
    """Report a part of a setting that is there already."""
    if field in fields:
        scope.report(Code.REPEATED_CLAUSE, f"{name} stands twice", node.span, "keep one of them")


def _share(scope: Scope, number: nodes.Number, name: str) -> Fraction:
    if not 0 <= number.value <= 1:
        message = f"{quoted(name)} must be held against a number between 0 and 1"
        scope.report(Code.NUMBER_OUT_OF_RANGE, message, number.span, "write a share, such as `0.7`")
    return min(max(number.value, Fraction(0)), Fraction(1))


def _whole(scope: Scope, number: nodes.Number, what: str, least: int) -> int:
    """The whole number that is written, or the nearest that may stand there."""
    if number.value < least or number.value.denominator != 1:
        message = f"{what} must be a whole number from {least} on"
        scope.report(Code.NUMBER_OUT_OF_RANGE, message, number.span, f"such as `{least + 1}`")
    return max(int(number.value), least)
