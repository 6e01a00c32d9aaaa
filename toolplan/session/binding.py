"""From a step to the call of the real tool: every argument with its value and its source, or what keeps the call from being made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import NAMESPACE_OID, uuid5

from toolplan.catalog import Catalog, RealTool
from toolplan.domain import (
    And,
    ArgumentSource,
    AtomicFormula,
    Condition,
    Confirmation,
    Derived,
    Domain,
    Equal,
    Exists,
    Fact,
    ForAll,
    Free,
    IfKnown,
    Items,
    Literal,
    Not,
    Or,
    ValueType,
    Variable,
)
from toolplan.frontier.calls import Argument, Call, Source
from toolplan.language.alphabets import disguised
from toolplan.language.diagnostics import visible
from toolplan.planning.plans import Atom, Status, Step
from toolplan.planning.problem import Problem, ground
from toolplan.session.beliefs import LEFT_OUT, Beliefs, Read, believed, digest, digest_of
from toolplan.session.memory import Frame, Made, Memory, digest_of_call
from toolplan.values import Normal, normal

PLAIN = frozenset({"$schema", "type", "title", "description", "properties", "required", "additionalProperties"})
"""Keywords of a schema of arguments that allow none beside `properties` and `additionalProperties`."""
NUMERIC = frozenset({"integer", "number"})
WHOLE = re.compile(r"-?[0-9]{1,1000}")


@dataclass(frozen=True, slots=True)
class Bound:
    """All arguments are there."""

    call: Call


@dataclass(frozen=True, slots=True)
class Unbound:
    """Some arguments are not there: `wanted` are those that a model has to give."""

    wanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A model gave other values than those that are known: `names` are the arguments."""

    names: tuple[str, ...]


Binding = Bound | Unbound | Mismatch


class Known(NamedTuple):
    """What is known of a call before a model is asked: some arguments, and the names of those that it has to give."""

    arguments: Mapping[str, Argument]
    wanted: tuple[str, ...]


@dataclass(frozen=True)
class Binder:
    """Binds the arguments of steps of `problem`, with the values and sources of `levels`. `words` are what the entities are called: by a result, if
    they are `labelled`, or else by the user. `request` names the request that calls are made for, in all sessions, and `made` are the steps that were
    done for it. `catalog` has the real tools.
    """

    problem: Problem
    levels: Sequence[Beliefs]
    words: Mapping[str, str]
    labelled: Set[str]
    request: str
    made: Mapping[Step, Made]
    catalog: Catalog
    now: datetime

    def bind(self, step: Step, identity: str, given: Mapping[str, object] | None) -> Binding:
        """The call of `step`; `given` is what a model proposes, None where no model was asked.

        What is free is a model's to choose or to leave out, so that without one nothing is bound. What `passes` binds may be given as well,
        and must be the same after normalising; what it binds only if it is known may not be given where it is not, but as null. What is known without a
        value is for the model to give, and so is everything where the contract has no `passes`, unless the tool takes no arguments. Whatever
        is given as the idempotency key, it is made here.
        """
        tool = self.problem.domain.tools[step.action]
        binding = self.problem.binding(step)
        passes, key = tool.interface.passes, tool.interface.key
        given = given if given is None or key not in given else {name: value for name, value in given.items() if name != key}
        arguments: dict[str, Argument] = {}
        wanted: list[str] = []
        for name, source in passes.items():
            match self._argument(source, binding):
                case Argument() as argument:
                    arguments[name] = argument
                case None if self._is_left_out(source, binding):
                    continue
                case None if given is not None and name in given:
                    arguments[name] = Argument(given[name], Source.MODEL)
                case None if not isinstance(source, Free):
                    wanted.append(name)
        offered = {name: value for name, value in (given or {}).items() if value is not None or not isinstance(passes.get(name), IfKnown)}
        wrong = [
            name
            for name in offered
            if name in arguments and not is_same(self.problem.domain.facts, arguments[name], offered[name], self.now)
        ]
        wrong += [name for name in offered if name not in arguments and passes]
        if wrong:
            return Mismatch(tuple(wrong))
        real = self.catalog.get(tool.call_name)
        is_open = any(isinstance(source, Free) for source in passes.values()) if passes else not _takes_nothing(real)
        if wanted or (given is None and is_open):
            return Unbound(tuple(wanted))
        if not passes:
            arguments = {name: Argument(value, Source.MODEL) for name, value in offered.items()}
        if real is not None:
            arguments = {name: _as_taken(argument, real.types_of(name)) for name, argument in arguments.items()}
        if key is not None:
            arguments[key] = Argument(self._key(step, arguments), Source.CALLER)
        schema = "" if real is None else real.digest
        return Bound(Call(identity, Step(step.action, step.arguments), tool.call_name, arguments, schema))

    def known(self, step: Step) -> Known:
        """What is known of a call of `step`. What is free, or nobody said anything of, is for the model to leave out."""
        match self.bind(step, "", None):
            case Bound(call):
                return Known(call.arguments, ())
            case Unbound(wanted):
                filled = self.bind(step, "", dict.fromkeys(wanted))
                arguments = filled.call.arguments if isinstance(filled, Bound) else {}
                return Known({name: argument for name, argument in arguments.items() if name not in wanted}, wanted)
            case Mismatch():
                return Known({}, ())

    def _key(self, step: Step, arguments: Mapping[str, Argument]) -> str:
        """The same for the same call of one request, however often it is tried until it is done, and another for every other call."""
        passed = {name: argument.value for name, argument in arguments.items()}
        again = [self.made[step].times] if step in self.made and self.made[step].times else []
        text = json.dumps([self.request, str(step), passed, *again], sort_keys=True, separators=(",", ":"))
        return str(uuid5(NAMESPACE_OID, text))

    def _argument(self, source: ArgumentSource, binding: Mapping[str, str]) -> Argument | None:
        """The argument; None where it takes a model."""
        match source:
            case Literal(value):
                return Argument(value, Source.CALLER)
            case Variable(name):
                return self._entity(binding[name])
            case AtomicFormula():
                atom = ground(source, binding)
                belief = believed(self.levels, atom)
                return None if belief is None or belief.value is None else Argument(belief.value, belief.source, atom)
            case IfKnown(formula):
                return None if self._is_left_out(source, binding) else self._argument(formula, binding)
            case Items(items):
                return self._items([self._argument(item, binding) for item in items])
            case Derived() | Free():
                return None

    def _is_left_out(self, source: ArgumentSource, binding: Mapping[str, str]) -> bool:
        return isinstance(source, IfKnown) and ground(source.atom, binding) not in self.problem.state.known

    def _entity(self, name: str) -> Argument:
        if name not in self.words:
            return Argument(name, Source.CALLER)
        return Argument(self.words[name], Source.CONTENT if name in self.labelled else Source.USER)

    def _items(self, items: Sequence[Argument | None]) -> Argument | None:
        """A list is as trustworthy as the least of its items."""
        values: list[object] = []
        worst = Source.CALLER
        for item in items:
            if item is None:
                return None
            values.append(item.value)
            worst = max(worst, item.source, key=list(Source).index)
        return Argument(values, worst)


def _takes_nothing(real: RealTool | None) -> bool:
    """Whether the schema of a tool lists its arguments and has none. One that says more than this is not understood here."""
    if real is None or real.properties or not real.schema.keys() <= PLAIN:
        return False
    return real.schema.get("additionalProperties", "properties" not in real.schema) is False


def _as_taken(argument: Argument, types: Sequence[str]) -> Argument:
    """`argument` as its tool takes it: a whole number as text where only text is taken, which servers do with the numbers of things."""
    value = argument.value
    is_number = argument.fact is not None and isinstance(value, int) and not isinstance(value, bool)
    return replace(argument, value=str(value)) if is_number and "string" in types and NUMERIC.isdisjoint(types) else argument


def _kind_of(facts: Mapping[str, Fact], argument: Argument) -> ValueType | None:
    return facts[argument.fact.fact].value if argument.fact is not None else None


def _as_believed(facts: Mapping[str, Fact], argument: Argument) -> object:
    """The value of the fact that `argument` passes. A text that is no number was claimed as it is."""
    match argument.value, _kind_of(facts, argument):
        case str(text), ValueType("integer") if WHOLE.fullmatch(text):
            return int(text)
        case value, _:
            return value


def is_same(facts: Mapping[str, Fact], argument: Argument, given: object, now: datetime) -> bool:
    """Whether `given` is the value of `argument`, after normalising by the type of its fact."""
    return argument.value == given or normal(_kind_of(facts, argument), given, now) == Normal(_as_believed(facts, argument))


def binder_of(problem: Problem, memory: Memory, catalog: Catalog, now: datetime) -> Binder:
    """What binds the arguments of calls for the request that is pursued in `memory`."""
    frame = memory.current
    request = f"{memory.id}/{frame.number}"
    return Binder(problem, memory.levels(memory.active), memory.words, memory.labelled, request, frame.made, catalog, now)


def reads_of(problem: Problem, levels: Sequence[Beliefs], step: Step) -> tuple[Read, ...]:
    """What a call of `step` rests on: of the facts that its contract requires or passes, those of which something is believed.

    A call from which an argument is left out rests on that, so that it is made again once somebody says it.
    """
    tool = problem.domain.tools[step.action]
    binding = problem.binding(step)
    passed = (ground(formula, binding) for source in tool.interface.passes.values() for formula in _passed(source))
    left = {atom for atom in optional(problem, step).values() if atom not in problem.state.known}
    atoms = dict.fromkeys((*_required(problem, tool.requires, binding), *passed))
    digests = {atom: LEFT_OUT if atom in left else digest_of(levels, atom) for atom in atoms}
    return tuple(Read(atom, digest) for atom, digest in digests.items() if digest or atom in left)


def optional(problem: Problem, step: Step) -> dict[str, Atom]:
    """What a call of `step` passes if it is known, by argument."""
    binding = problem.binding(step)
    return {name: ground(atom, binding) for name, atom in problem.domain.tools[step.action].interface.optional.items()}


def made_with(problem: Problem, reads: Sequence[Read], call: Call) -> tuple[Read, ...]:
    """`reads`, which are as things are now, as they were for `call`, which may have been made with values that are believed no more."""
    now = {read.atom: read for read in reads}
    now |= {atom: Read(atom, LEFT_OUT) for name, atom in optional(problem, call.step).items() if name not in call.arguments}
    for argument in call.arguments.values():
        if argument.fact is not None:
            now[argument.fact] = Read(argument.fact, digest(Status.KNOWN, _as_believed(problem.domain.facts, argument)))
    return tuple(now.values())


def _required(problem: Problem, condition: Condition, binding: Mapping[str, str]) -> Iterator[Atom]:
    match condition:
        case AtomicFormula():
            yield ground(condition, binding)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _required(problem, part, binding)
        case Not(inner):
            yield from _required(problem, inner, binding)
        case ForAll(parameters, inner) | Exists(parameters, inner):
            for more in problem.bindings(parameters):
                yield from _required(problem, inner, {**binding, **more})
        case Equal():
            return


def _passed(source: ArgumentSource) -> Iterator[AtomicFormula]:
    match source:
        case AtomicFormula():
            yield source
        case IfKnown(atom):
            yield atom
        case Derived(sources):
            yield from sources
        case Items(items):
            for item in items:
                yield from _passed(item)
        case _:
            return


def confirmation_of(domain: Domain, call: Call, frame: Frame) -> Confirmation | None:
    """Who has to agree to `call` for the request `frame` before it may run; None where nobody has to.

    Somebody has to where the contract or its level of risk says so, and, above safe, where any argument comes from what third parties can
    write or from a model, or the request does; or where it was done before and is not idempotent.
    """
    tool = domain.tools[call.step.action]
    level = domain.risk_of(tool)
    asked = tool.confirm or level.confirm
    is_bound = all(argument.source.binds for argument in call.arguments.values())
    if asked is None and not level.safe and (frame.relayed or not is_bound or _done_before(domain, call, frame) != ""):
        return Confirmation()
    return asked


def _done_before(domain: Domain, call: Call, frame: Frame) -> str:
    """What to say where `call` does once more what was done for `frame`, so that there may be two of it; empty where it does not.

    A call in doubt is planned again as it was only once it is known that it did not happen.
    """
    match None if domain.tools[call.step.action].evidence.idempotent else frame.made.get(call.step):
        case None:
            return ""
        case Made(0, doubted):
            return "" if doubted == digest_of_call(domain, call) else "It may have been done before, with other values. "
        case _:
            return "It was done before. "


def shown(domain: Domain, call: Call, frame: Frame) -> str:
    """The question whether `call` may run for the request `frame`: what it does, whether that was done before, and every argument with its value
    and source, each on a line of its own.
    """
    tool, before = domain.tools[call.step.action], _done_before(domain, call, frame)
    lines = [f"{tool.description.rstrip('. ') or visible(tool.name)}: {visible(call.tool)}. {before}Shall I do this?"]
    for name, argument in call.arguments.items():
        value = visible(json.dumps(argument.value, ensure_ascii=False))
        mixed = "; letters of several alphabets that look alike" if disguised(value) else ""
        lines.append(f"  {visible(name)} = {value} ({argument.source.value}{mixed})")
    return "\n".join(lines)
