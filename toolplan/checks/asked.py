"""What a caller asks about: an action of the domain, perhaps with arguments that the call knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toolplan.domain import Action
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.parser import parse_steps
from toolplan.language.requests import resolve_step, scope_of
from toolplan.language.scope import Scope, term_text
from toolplan.language.source import Location, Source
from toolplan.planning.inputs import Words
from toolplan.planning.plans import written
from toolplan.planning.problem import Problem


class Asked(NamedTuple):
    """A tool or a question, and the arguments it was given, if any."""

    action: Action
    arguments: tuple[str, ...] | None


def read_step(problem: Problem, words: Words) -> Asked:
    """The action that `words` name. Raises DomainError for names that neither the domain nor the call knows."""
    text = words if isinstance(words, str) else written(words[0], words[1:])
    source = Source("<step>", text)
    domain = problem.domain
    if text in domain.tools or text in domain.asks:
        action = domain.action(text)
        return Asked(action, None if action.parameters else ())
    parsed = parse_steps(source)
    if len(parsed) > 1:
        location = Location(source, parsed[1].span)
        raise DomainError([Diagnostic(Code.BAD_STEP, "one step at a time can be explained", location, "ask again for each")])
    scope = scope_of(domain, source)
    step = resolve_step(scope, domain, parsed[0])
    if step is None or scope.diagnostics:
        raise DomainError(scope.diagnostics)
    action = domain.action(step.fact)
    if parsed[0].terms is None:
        return Asked(action, None if action.parameters else ())
    _check_entities(scope, problem, action, parsed[0].terms)
    if scope.diagnostics:
        raise DomainError(scope.diagnostics)
    return Asked(action, tuple(term.name for term in step.terms))


def _check_entities(scope: Scope, problem: Problem, action: Action, terms: Iterable[nodes.Name | nodes.Text | nodes.Number]) -> None:
    """Report each term that is no object of the problem, or not of the type that its place wants."""
    for term, place in zip(terms, action.parameters, strict=True):
        name = term_text(term)
        fitting = problem.objects_of(place.type)
        if name not in problem.objects:
            named = ", ".join(quoted(other) for other in fitting[:5])
            otherwise = f"there are {named}" if named else f"name a `{place.type}` in the state or in the goal"
            scope.unknown(Code.UNKNOWN_TERM, "entity", nodes.Name(name, term.span), fitting, otherwise)
        elif name not in fitting:
            message = f"{quoted(name)} is of type `{problem.objects[name]}`, and `{place.type}` is needed here"
            hint = f"did you mean {quoted(fitting[0])}?" if len(fitting) == 1 else ""
            scope.report(Code.WRONG_TYPE, message, term.span, hint)
