"""Questions that permit a tool: what the tool requires is asked first, the answer is a fact of the question's name, the call uses it up."""

from __future__ import annotations

from dataclasses import replace

from toolplan.domain import Ask, AskKind, AtomicFormula, Condition, Effect, Fact, Or, Parameter, Tool, Variable
from toolplan.language.codes import Code
from toolplan.language.diagnostics import quoted
from toolplan.language.requests import conjunction, substitute
from toolplan.language.scope import Scope
from toolplan.language.source import Location


def link_permissions(
    scope: Scope, places: dict[tuple[str, str], Location], tools: dict[str, Tool], asks: dict[str, Ask], facts: dict[str, Fact]
) -> None:
    """Put the permission that each such question gives between the question and its tool.

    The permission is a closed fact over the arguments of the call. Where several questions permit a tool, any of them will do.
    """
    permitting: dict[str, list[AtomicFormula]] = {}
    for ask in list(asks.values()):
        tool = tools.get(ask.permits)
        if ask.kind is not AskKind.PERMISSION or tool is None:
            continue
        place = places["action", ask.name]
        parameters = ask.parameters or tool.parameters
        if [parameter.type for parameter in parameters] != [parameter.type for parameter in tool.parameters]:
            scope.source = place.source
            wanted = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in tool.parameters)
            message = f"{quoted(ask.name)} permits {quoted(tool.name)} and takes other parameters"
            scope.report(Code.WRONG_ARITY, message, place.span, f"write `ask {ask.name}({wanted})`, or no parameters at all")
            continue
        if ask.name in facts:
            scope.source = place.source
            message = f"question {quoted(ask.name)} gives a permission of this name, and there is a fact of it already"
            scope.report(Code.DUPLICATE_NAME, message, place.span, "rename one of them")
            continue
        facts[ask.name] = Fact(ask.name, parameters, description=f"the user has permitted {tool.name}", closed=True)
        places["fact", ask.name] = place
        permission = _applied(ask.name, parameters)
        own = {mine.name: Variable(theirs.name) for mine, theirs in zip(tool.parameters, parameters, strict=True)}
        requires = conjunction([ask.requires, substitute(tool.requires, own)])
        asks[ask.name] = replace(ask, parameters=parameters, requires=requires, produces=(*ask.produces, Effect(permission)))
        permitting.setdefault(tool.name, []).append(_applied(ask.name, tool.parameters))
    for name, permissions in permitting.items():
        tool = tools[name]
        needed: Condition = permissions[0] if len(permissions) == 1 else Or(tuple(permissions))
        removes = (*tool.removes, *(Effect(permission) for permission in permissions))
        tools[name] = replace(tool, requires=conjunction([tool.requires, needed]), removes=removes)


def _applied(name: str, parameters: tuple[Parameter, ...]) -> AtomicFormula:
    return AtomicFormula(name, tuple(Variable(parameter.name) for parameter in parameters))
