"""Policy blocks to one policy. A file's own settings win over those it imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain import Clarify, Confirmation, Policy, RiskLevel, Uncontracted
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
SHARES = frozenset(["confidence", "margin", "plausible"])
"""Settings that lie between 0 and 1."""
CHOICES: Mapping[str, type[Clarify] | type[Uncontracted]] = {"clarify": Clarify, "uncontracted": Uncontracted}
"""Settings that are one of a few words."""


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
    return Policy(**{FIELDS[word]: setting.value for word, setting in chosen.items()})  # type: ignore[arg-type]


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
    if isinstance(first, nodes.Number):
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
    if clause.word == "risk":
        return _levels(scope, [level for level in clause.values if isinstance(level, nodes.Level)])
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
