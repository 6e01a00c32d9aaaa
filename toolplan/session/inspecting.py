"""Whether a call that is bound may be made as it is: its arguments fit the real tool's schema, and all that its contract `checks` holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import jsonschema
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from toolplan.catalog import Catalog, RealTool
from toolplan.domain import AtomicFormula, Comparison, IfKnown, Literal, Tool, ValueType, Variable
from toolplan.frontier.calls import Call
from toolplan.language.diagnostics import quoted
from toolplan.planning.plans import Atom, Status
from toolplan.planning.problem import Problem, ground
from toolplan.session.beliefs import Beliefs, believed
from toolplan.session.binding import optional
from toolplan.session.results.linear import compiled, encodable
from toolplan.values import Normal, normal
from toolplan.values.comparing import holds

MOST_BYTES = 1_000_000
"""Of the arguments of one call, as JSON."""
MOST_FAULTS = 5
MOST_LETTERS = 200
"""Of one fault: a schema or an argument of any size is quoted in it."""


def oversized(arguments: Mapping[str, object]) -> str:
    """What is wrong with `arguments` as JSON, whatever they are for; empty where nothing is."""
    try:
        text = json.dumps(arguments, allow_nan=False)
        is_json = all(isinstance(name, str) for name in arguments)
    except (ValueError, TypeError, RecursionError):
        is_json, text = False, ""
    if not is_json:
        return "the arguments are no JSON values"
    return f"the arguments have more than {MOST_BYTES} bytes" if len(text) > MOST_BYTES else ""


def faults(problem: Problem, levels: Sequence[Beliefs], call: Call, catalog: Catalog, now: datetime) -> list[str]:
    """All that keeps `call` from being made as it is, each as half a sentence. An unknown value fails its check."""
    return [*_misfits(catalog, call), *unmet(problem, levels, call, now)]


def unmet(problem: Problem, levels: Sequence[Beliefs], call: Call, now: datetime) -> list[str]:
    """As `faults`, of a call whose arguments fit the schema. Of what is left out nothing is checked."""
    tool = problem.domain.tools[call.step.action]
    if not tool.interface.checks:
        return []
    binding, passed = problem.binding(call.step), _passed(problem, tool, call)
    left = {atom for name, atom in optional(problem, call.step).items() if name not in call.arguments}
    due = (check for check in tool.interface.checks if left.isdisjoint(_compared(check, binding)))
    failed = (check for check in due if not _holds(problem, levels, binding, passed, check, now))
    return [f"`{_shown(check)}` is not known to hold" for check in failed]


def _misfits(catalog: Catalog, call: Call) -> Iterator[str]:
    """Where the arguments do not fit the schema of the real tool, if anybody knows it."""
    if not catalog:
        return
    if call.tool not in catalog:
        yield f"no server offers {quoted(call.tool)} any more"
        return
    try:
        validator = _validator(catalog[call.tool])
        for number, error in enumerate(validator.iter_errors(call.values)):
            if number == MOST_FAULTS:
                return
            yield _worded(error)
    except (jsonschema.SchemaError, Unresolvable, RecursionError, TypeError):
        yield f"the schema of {quoted(call.tool)} cannot be used"


def _worded(error: jsonschema.ValidationError) -> str:
    message = error.message if len(error.message) <= MOST_LETTERS else f"it does not fit `{error.validator}`"
    return f"{quoted(error.json_path)}: {message}"


_VALIDATORS: dict[str, Any] = {}


def _validator(tool: RealTool) -> Any:
    """The validator of a schema, made once. Nothing is fetched for it, and patterns are matched in linear time."""
    found = _VALIDATORS.get(tool.digest)
    if found is None:
        kind = validator_for(tool.schema, default=jsonschema.Draft202012Validator)
        kind.check_schema(dict(tool.schema))
        checks = {"pattern": _pattern, "patternProperties": _pattern_properties}
        found = extend(kind, checks)(tool.schema, registry=Registry())  # type: ignore[no-untyped-call]  # as its stubs have it
        if len(_VALIDATORS) > 10_000:
            _VALIDATORS.clear()
        _VALIDATORS[tool.digest] = found
    return found


def _pattern(_: Any, pattern: str, instance: object, __: Any) -> Iterator[jsonschema.ValidationError]:
    if isinstance(instance, str) and not _matches(pattern, instance):
        yield jsonschema.ValidationError(f"it does not match {quoted(pattern)}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: object, _: Any) -> Iterator[jsonschema.ValidationError]:
    if isinstance(instance, dict):
        for pattern, schema in patterns.items():
            for name, value in instance.items():
                if _matches(pattern, name):
                    yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _matches(pattern: str, text: str) -> bool:
    """What no linear engine can match is left to the server, which checks its own schema."""
    try:
        return compiled(pattern).search(encodable(text)) is not None
    except ValueError:
        return True


def _passed(problem: Problem, tool: Tool, call: Call) -> dict[Atom, object]:
    """The values that the call itself passes for facts, also where nobody knew them before."""
    binding = problem.binding(call.step)
    passed = ((name, source.atom if isinstance(source, IfKnown) else source) for name, source in tool.interface.passes.items())
    sources = ((name, source) for name, source in passed if isinstance(source, AtomicFormula))
    return {ground(source, binding): call.arguments[name].value for name, source in sources if name in call.arguments}


def _compared(check: Comparison, binding: Mapping[str, str]) -> list[Atom]:
    return [ground(side, binding) for side in (check.left, check.right) if isinstance(side, AtomicFormula)]


def _holds(
    problem: Problem,
    levels: Sequence[Beliefs],
    binding: Mapping[str, str],
    passed: Mapping[Atom, object],
    check: Comparison,
    now: datetime,
) -> bool:
    kinds = [problem.domain.facts[side.fact].value for side in (check.left, check.right) if isinstance(side, AtomicFormula)]
    kind = next(iter(kinds), None)
    values = [_operand(problem, levels, binding, passed, side, kind, now) for side in (check.left, check.right)]
    return None not in values and holds(kind, values[0], check.operator, values[1]) is True


def _operand(
    problem: Problem,
    levels: Sequence[Beliefs],
    binding: Mapping[str, str],
    passed: Mapping[Atom, object],
    side: AtomicFormula | Variable | Literal,
    kind: ValueType | None,
    now: datetime,
) -> object | None:
    """The value of one side in normal form; None where nobody knows it."""
    match side:
        case Variable(name):
            return binding[name]
        case Literal(value):
            raw: object = value
        case AtomicFormula():
            atom = ground(side, binding)
            kind = problem.domain.facts[atom.fact].value
            belief = believed(levels, atom)
            known = belief.value if belief is not None and belief.status is Status.KNOWN else None
            raw = passed.get(atom, known)
    result = normal(kind, raw, now) if raw is not None else None
    return result.value if isinstance(result, Normal) else None


def _shown(check: Comparison) -> str:
    sides = [json.dumps(side.value, ensure_ascii=False) if isinstance(side, Literal) else str(side) for side in (check.left, check.right)]
    return f"{sides[0]} {check.operator} {sides[1]}"
