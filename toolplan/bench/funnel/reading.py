"""A suite out of a file: one JSON object a line."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from toolplan.bench.funnel.suite import Fails, Policy, Result, Returns, Suite, Tag, Task
from toolplan.domain import Domain, Principal
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester
from toolplan.planning.inputs import build

T = TypeVar("T")
K = TypeVar("K", bound=enum.Enum)
SHAPE = 'such as {"id": "refund-1", "request": "refund it", "goals": ["refund(annual)"], "gold": ["find_charge", "refund"]}'


def read_suite(source: Source, domain: Domain) -> Suite:
    """The suite in `source`. Empty lines are skipped; a line `{"paraphrases": {TOOL: TEXT}}` is no task, but says a description in other words.

    Raises DomainError with every line that cannot be used: one of another shape, an id that was there before, a tool that `domain` does not
    have, a state or a goal that does not fit it.
    """
    tasks: dict[str, Task] = {}
    paraphrases: dict[str, str] = {}
    findings: list[Diagnostic] = []
    for location, line in _lines(source):
        try:
            data = json.loads(line)
            found = _described(data) if isinstance(data, dict) and data.keys() == {"paraphrases"} else _task(data)
        except (_Misfit, ValueError, RecursionError) as error:
            findings.append(Diagnostic(Code.BAD_JSON, f"this line is no task: {_reason(error)}", location, SHAPE))
            continue
        if isinstance(found, Task):
            findings += _unfit(domain, found, location)
            if found.id in tasks:
                findings.append(
                    Diagnostic(Code.BAD_JSON, f"there is a task {quoted(found.id)} already", location, "give each an id of its own")
                )
            tasks[found.id] = found
        else:
            findings += _unknown(domain, found, location)
            paraphrases |= found
    if findings:
        raise DomainError(findings)
    return Suite(tuple(tasks.values()), paraphrases)


def _lines(source: Source) -> Iterator[tuple[Location, str]]:
    """The lines that hold something, with their places."""
    start = 0
    for line in source.text.split("\n"):
        if line.strip():
            yield Location(source, Span(start, start + len(line.rstrip()))), line
        start += len(line) + 1


def _reason(error: Exception) -> str:
    match error:
        case _Misfit():
            return str(error)
        case json.JSONDecodeError():
            return error.msg.lower()
        case _:
            return "nested too deep"


def _unfit(domain: Domain, task: Task, location: Location) -> Iterator[Diagnostic]:
    yield from _unknown(domain, task.named, location)
    for name in sorted(task.prohibited.intersection(name for step in task.gold for name in step)):
        yield Diagnostic(Code.BAD_JSON, f"{quoted(name)} is right, and prohibited", location, "leave it out of one of the two")
    try:
        build(domain, dict(task.state), list(task.goals))
    except DomainError as error:
        for finding in error.diagnostics:
            yield Diagnostic(finding.code, finding.message, location, finding.hint)


def _unknown(domain: Domain, names: Iterable[str], location: Location) -> Iterator[Diagnostic]:
    suggester = Suggester()
    for name in sorted(set(names) - domain.tools.keys()):
        yield Diagnostic(Code.UNKNOWN_ACTION, f"there is no tool {quoted(name)}", location, suggester.hint(name, domain.tools))


# One line


class _Misfit(Exception):
    """What is wrong with a line, in a few words."""


def _task(data: object) -> Task:
    if not isinstance(data, dict):
        raise _Misfit("it is no object")
    fields = _Fields(data)
    task = Task(
        fields.take("id", _text),
        fields.take("request", _text),
        fields.take("identity", _principal, Principal()),
        fields.take("versions", _map_of(_text), {}),
        fields.take("state", _map_of(_anything), {}),
        fields.listed("goals", _text),
        fields.listed("gold", _alternatives),
        fields.listed("queries", _text),
        fields.take("policy", _map_of(_one_of(Policy)), {}),
        fields.take("arguments", _map_of(_map_of(_anything)), {}),
        frozenset(fields.listed("prohibited", _text)),
        frozenset(fields.listed("negatives", _text)),
        fields.take("results", _map_of(_results), {}),
        fields.take("answers", _map_of(_anything), {}),
        frozenset(fields.listed("tags", _one_of(Tag))),
    )
    fields.finish()
    return task


def _described(data: Mapping[str, object]) -> dict[str, str]:
    return dict(_map_of(_text)(data["paraphrases"]))


class _Fields:
    """The members of an object, each of which is taken once."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self._left = dict(data)

    def take(self, name: str, read: Callable[[object], T], otherwise: T | None = None) -> T:
        if name not in self._left:
            if otherwise is None:
                raise _Misfit(f"it has no `{name}`")
            return otherwise
        try:
            return read(self._left.pop(name))
        except _Misfit as error:
            raise _Misfit(f"`{name}`: {error}") from None

    def listed(self, name: str, read: Callable[[object], T]) -> tuple[T, ...]:
        """The items of a list, none where there is no such member."""
        nothing: tuple[T, ...] = ()
        return self.take(name, _list_of(read), nothing)

    def finish(self) -> None:
        if self._left:
            raise _Misfit(f"it has no use for {', '.join(map(quoted, self._left))}")


def _anything(value: object) -> object:
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Misfit("a text is wanted")
    return value


def _list_of(read: Callable[[object], T]) -> Callable[[object], tuple[T, ...]]:
    def items(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _Misfit("a list is wanted")
        return tuple(read(item) for item in value)

    return items


def _map_of(read: Callable[[object], T]) -> Callable[[object], Mapping[str, T]]:
    def members(value: object) -> Mapping[str, T]:
        if not isinstance(value, dict):
            raise _Misfit("an object is wanted")
        return {name: read(member) for name, member in value.items()}

    return members


def _one_of(kind: type[K]) -> Callable[[object], K]:
    def option(value: object) -> K:
        try:
            return kind(value)
        except ValueError:
            raise _Misfit(f"{', '.join(str(one.value) for one in kind)} are possible") from None

    return option


def _alternatives(value: object) -> frozenset[str]:
    """A tool, or a list of tools of which any will do."""
    names = (_text(value),) if isinstance(value, str) else _list_of(_text)(value)
    if not names:
        raise _Misfit("a step needs a tool")
    return frozenset(names)


def _results(value: object) -> tuple[Result, ...]:
    results = _list_of(_result)(value)
    if not results:
        raise _Misfit("a result is wanted")
    return tuple(results)


def _result(value: object) -> Result:
    match value:
        case {"returns": result, **rest} if not rest:
            return Returns(result)
        case {"fails": str(message), **rest} if not rest:
            return Fails(message)
        case _:
            raise _Misfit('a result is {"returns": VALUE} or {"fails": MESSAGE}')


def _principal(value: object) -> Principal:
    fields = _Fields(_map_of(_anything)(value))
    principal = Principal(
        fields.take("subject", _text, ""),
        fields.take("tenant", _text, ""),
        frozenset(fields.listed("roles", _text)),
        frozenset(fields.listed("scopes", _text)),
        fields.take("environment", _text, ""),
        frozenset(fields.listed("clearances", _text)),
    )
    fields.finish()
    return principal
