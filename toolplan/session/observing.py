"""What became of a call: from the raw result to what it made known, false or unknown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from toolplan.domain import Fact, Performer, Tool
from toolplan.frontier.calls import Source
from toolplan.planning.plans import Atom, Status, Step
from toolplan.planning.problem import BROUGHT, Problem, State, ground
from toolplan.planning.semantics import certain, produces, removes, successor
from toolplan.session.beliefs import Belief, Beliefs, believed
from toolplan.session.events import Beside, Observed, Outcome, Running, Several
from toolplan.session.results import Failed, Found, HostReaders, InDoubt, Match, Nothing, ResultReading, read_result, words_of
from toolplan.session.turns import Mention
from toolplan.values import Misfit, Normal, normal

MOST_BROUGHT = 100
"""Objects that one result brings."""
Finding = Found | Nothing | InDoubt


@dataclass(frozen=True)
class Observer:
    """Reads what became of calls in `problem`. `levels` are the beliefs there, `entities` all names that are taken.

    `retries` is how often a call that only failed for now is tried again, if that does no harm.
    """

    problem: Problem
    levels: Sequence[Beliefs]
    entities: Mapping[str, str]
    readers: HostReaders
    now: datetime
    retries: int

    def observed(self, running: Running, raw: object, tried: int) -> Observed:
        """What became of `running`, whose result is `raw`: a value, or the exception that it raised. It has failed `tried` times before."""
        tool = self.problem.domain.tools[running.call.step.action]
        if isinstance(raw, TimeoutError | ConnectionError) or (isinstance(raw, BaseException) and not isinstance(raw, Exception)):
            return self._lost(running, tool, _message(raw), tried)
        reading = self._read(tool, raw, running)
        if isinstance(reading, Failed):
            passing = (isinstance(raw, Exception) and self._harmless(tool)) or tool.performer is Performer.MODEL
            passing = passing and tried < self.retries
            return self._event(running, Outcome.RETRY if passing else Outcome.FAILED, reading.reason)
        return self._done(running, tool, reading)

    def _harmless(self, tool: Tool) -> bool:
        return self.problem.domain.risk_of(tool).safe or tool.evidence.idempotent

    def _lost(self, running: Running, tool: Tool, reason: str, tried: int) -> Observed:
        """Nobody knows whether the call ran. One that only looks can be tried again; any other may have done all that it does."""
        if self._harmless(tool):
            return self._event(running, Outcome.RETRY if tried < self.retries else Outcome.FAILED, reason)
        afters = [(step, successor(self.problem, self.problem.state, step)) for step in _outcomes(tool, running.call.step)]
        touched = {atom for step, after in afters for atom in self._touched(step, after)}
        removed = {atom for _, after in afters for atom in self._removed(after)}
        # What it may have brought has no name yet: nothing can be said of it.
        named = (atom for atom in sorted(touched) if atom.fact != BROUGHT and self.problem.placeholders.isdisjoint(atom.arguments))
        learned = [self._belief(running, tool, atom, Status.CLAIMED, None) for atom in named if atom.fact in self.problem.domain.facts]
        return replace(self._event(running, Outcome.IN_DOUBT, reason), learned=tuple(learned), removed=tuple(sorted(removed)))

    def _read(self, tool: Tool, raw: object, running: Running) -> Failed | Mapping[Atom, Finding]:
        binding = self.problem.binding(running.call.step)
        if tool.performer is not Performer.CALL:
            return Failed(_message(raw)) if isinstance(raw, BaseException) else self._said(tool, raw, binding)
        reading: ResultReading = read_result(self.problem.domain, tool, raw, self.now, self.readers)
        return reading if isinstance(reading, Failed) else {ground(formula, binding): found for formula, found in reading.facts.items()}

    def _said(self, tool: Tool, raw: object, binding: Mapping[str, str]) -> Failed | dict[Atom, Finding]:
        """What a person or a model says of a step of theirs: the value of its only fact that has one, or a mapping from facts to values.

        A model has to say all of them, each of its type; what the user did by hand is done, whatever they say of it.
        """
        facts = self.problem.domain.facts
        atoms = [ground(effect.atom, binding) for effect in tool.produces if facts[effect.atom.fact].value is not None]
        values = raw if isinstance(raw, Mapping) else {atoms[0].fact: raw} if len(atoms) == 1 else {}
        said: dict[Atom, Finding] = {}
        for atom in atoms:
            result = normal(facts[atom.fact].value, values[atom.fact], self.now) if atom.fact in values else Misfit(f"there is no `{atom}`")
            if isinstance(result, Normal):
                said[atom] = Found((Match(result.value, ""),))
            elif tool.performer is Performer.MODEL:
                return Failed(result.reason)
        return said

    def _done(self, running: Running, tool: Tool, findings: Mapping[Atom, Finding]) -> Observed:
        hoped = Step(running.call.step.action, running.call.step.arguments, running.outcome)
        step = _outcome_seen(tool, hoped, self.problem, findings)
        if step is None:
            reason = next(
                (found.reason for found in findings.values() if isinstance(found, InDoubt)), "the result says none of the outcomes"
            )
            return self._event(running, Outcome.NOTHING if not _doubted(findings.values()) else Outcome.IN_DOUBT, reason)
        after = successor(self.problem, self.problem.state, step)
        touched = sorted(self._touched(step, after))
        # What only other outcomes would bring is not missed.
        findings = {atom: found for atom, found in findings.items() if atom in touched}
        brought = _Brought(self, tool, findings)
        # A look that found nothing, or cannot say which, has seen nothing of what its result does not name either.
        settled = [found for atom, found in findings.items() if isinstance(found, Found) and not self._is_ambiguous(atom, found, brought)]
        told_apart = not findings or bool(settled)
        learned: list[Belief] = []
        lost: list[Atom] = []
        several: list[Several] = []
        for atom in touched:
            status = _status(after, atom)
            finding = findings.get(atom)
            if status is None:
                lost.append(atom)
            elif brought.has(atom):
                learned += [self._belief(running, tool, real, status, value) for real, value in brought.instances(atom, finding)]
            elif isinstance(finding, Found) and self._is_ambiguous(atom, finding, brought):
                several.append(Several(atom, *_options(finding.matches)))
                lost.append(atom)
            elif isinstance(finding, Found) and self._says_no(atom, finding):
                learned.append(self._belief(running, tool, atom, Status.DENIED, None))
            elif isinstance(finding, Found):
                learned.append(self._belief(running, tool, atom, status, self._value(atom, finding)))
            elif isinstance(finding, InDoubt) and not self.problem.domain.risk_of(tool).safe:
                learned.append(self._belief(running, tool, atom, Status.CLAIMED, None))
            elif finding is None and (told_apart or not self.problem.domain.risk_of(tool).safe):
                learned.append(self._unread(running, tool, atom, status))
        several = _as_rows(several, findings)
        outcome = _outcome_of(findings.values(), several)
        reason = next((found.reason for found in findings.values() if isinstance(found, InDoubt)), "")
        event = self._event(running, outcome, reason)
        removed = tuple(sorted(self._removed(after)))
        return replace(
            event, learned=tuple(learned), lost=tuple(lost), several=tuple(several), brought=tuple(brought.mentions), removed=removed
        )

    def _is_ambiguous(self, atom: Atom, found: Found, brought: _Brought) -> bool:
        fact = self.problem.domain.facts[atom.fact]
        if len(found.matches) < 2 or fact.many or brought.has(atom):
            return False
        return len({json.dumps(_carried(fact, match.value)) for match in found.matches}) > 1

    def _says_no(self, atom: Atom, found: Found) -> bool:
        """Whether all that the result has of a fact without a value is `false`."""
        return self.problem.domain.facts[atom.fact].value is None and all(match.value is False for match in found.matches)

    def _touched(self, step: Step, after: State) -> set[Atom]:
        """What a call of `step`, which leads to `after`, may say anything about."""
        problem, state = self.problem, self.problem.state
        action, binding = problem.domain.tools[step.action], problem.binding(step)
        changed = (after.known ^ state.known) | (after.denied ^ state.denied) | (after.uncertain ^ state.uncertain)
        effects = (effect for effect in (*produces(action, step), *removes(action, step)) if effect.always_fires)
        return {*changed, *(ground(effect.atom, binding) for effect in effects), *certain(problem.domain, step, binding)}

    def _removed(self, after: State) -> frozenset[Atom]:
        """What is no longer as sure, or as false, in `after`."""
        before = self.problem.state
        return (before.known - after.known) | (before.uncertain - after.known - after.uncertain) | (before.denied - after.denied)

    def _value(self, atom: Atom, found: Found) -> object:
        fact = self.problem.domain.facts[atom.fact]
        if fact.many:
            return [match.value for match in found.matches]
        return _carried(fact, found.matches[0].value)

    def _unread(self, running: Running, tool: Tool, atom: Atom, status: Status) -> Belief:
        """What holds without being read from the result. What is only verified keeps its value, and where that is from."""
        before = believed(self.levels, atom)
        if before is None or before.value is None:
            return self._belief(running, tool, atom, status, None)
        return replace(self._belief(running, tool, atom, status, before.value), source=before.source)

    def _belief(self, running: Running, tool: Tool, atom: Atom, status: Status, value: object) -> Belief:
        fact = self.problem.domain.facts.get(atom.fact)
        source = {Performer.USER: Source.USER, Performer.MODEL: Source.MODEL, Performer.CALL: Source.OBSERVED}[tool.performer]
        if fact is not None and fact.by_others and value is not None and source is Source.OBSERVED:
            source = Source.CONTENT
        own = Atom(atom.fact, atom.arguments)
        reads = dict.fromkeys(read for read in running.basis if read.atom != own)
        before = believed(self.levels, own)
        if len(reads) < len(running.basis) and before is not None:  # what is looked at again rests on what it rested on before
            reads |= dict.fromkeys(before.reads)
        return Belief(own, status, value, source, self.now.timestamp(), "", running.call.id, running.frame, tuple(reads))

    def _event(self, running: Running, outcome: Outcome, reason: str) -> Observed:
        return Observed(self.now.timestamp(), running.call.id, outcome, reason)


class _Brought:
    """The real objects that stand for the placeholders of a tool: one for each value that the result has of them, else one each."""

    def __init__(self, observer: Observer, tool: Tool, findings: Mapping[Atom, Finding]) -> None:
        self._problem = observer.problem
        self._names: dict[str, list[str]] = {}
        self._items: dict[str, list[str]] = {}
        self.mentions: list[Mention] = []
        taken = {*observer.entities, *observer.problem.objects}
        for new in (*tool.finds, *tool.creates):
            placeholder = tool.placeholder(new)
            read = [found for atom, found in findings.items() if placeholder in atom.arguments]
            matches = max((found.matches for found in read if isinstance(found, Found)), key=len, default=())
            self._items[placeholder] = [match.item for match in matches]
            self._names[placeholder] = []
            for number in range(min(len(matches) or (0 if read else 1), MOST_BROUGHT)):
                name = _free(new.type, taken)
                taken.add(name)
                self._names[placeholder].append(name)
                self.mentions.append(Mention(name, new.type, matches[number].label if matches else ""))

    def has(self, atom: Atom) -> bool:
        """Whether `atom` speaks of a placeholder, or only says that one was brought."""
        return atom.fact == BROUGHT or any(name in self._names for name in atom.arguments)

    def instances(self, atom: Atom, finding: Finding | None) -> Iterator[tuple[Atom, object]]:
        """`atom` for each object that was brought, with its value; none of the object that it would speak of was not found."""
        if atom.fact == BROUGHT or isinstance(finding, Nothing | InDoubt):
            return
        placeholder = next(name for name in atom.arguments if name in self._names)
        for number, name in enumerate(self._names[placeholder]):
            value = self._value(placeholder, number, finding)
            others = {argument: names[0] if names else argument for argument, names in self._names.items()}
            real = tuple(name if argument == placeholder else others.get(argument, argument) for argument in atom.arguments)
            if finding is None or value is not None:
                yield Atom(atom.fact, real), _carried(self._problem.domain.facts[atom.fact], value)

    def _value(self, placeholder: str, number: int, finding: Found | None) -> object:
        """What was found of the object of that number: in its own item of a list, if there is one."""
        if finding is None:
            return None
        if finding.by_item:
            return finding.by_item.get(self._items[placeholder][number])
        return finding.matches[number].value if number < len(finding.matches) else None


def _carried(fact: Fact, value: object) -> object:
    """What a fact carries of what was found. One without a type carries a text or a number; an object only shows that it is so."""
    if fact.value is not None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return value
    return None


def _free(kind: str, taken: set[str]) -> str:
    number = 1
    while f"{kind}_{number}" in taken:
        number += 1
    return f"{kind}_{number}"


def _outcomes(tool: Tool, step: Step) -> list[Step]:
    if not tool.outcomes:
        return [Step(step.action, step.arguments)]
    return [Step(step.action, step.arguments, number) for number in range(len(tool.outcomes))]


def _outcome_seen(tool: Tool, step: Step, problem: Problem, findings: Mapping[Atom, Finding]) -> Step | None:
    """The step in the outcome that the result shows: the first of which everything that is read was found; None where none is.

    Of outcomes that no result tells apart it is the one that was hoped for, or else the first.
    """
    steps = _outcomes(tool, step)
    if len(steps) == 1:
        return steps[0]
    binding = problem.binding(step)
    read = [[ground(formula, binding) for formula in outcome.produces if ground(formula, binding) in findings] for outcome in tool.outcomes]
    if not any(read):
        return steps[max(step.outcome, 0)]
    for number, atoms in enumerate(read):
        if atoms and all(isinstance(findings[atom], Found) for atom in atoms):
            return steps[number]
    unread = [number for number, atoms in enumerate(read) if not atoms]
    return steps[unread[0]] if len(unread) == 1 and not _doubted(findings.values()) else None


def _doubted(findings: Iterable[Finding]) -> bool:
    return any(isinstance(found, InDoubt) for found in findings)


def _as_rows(several: list[Several], findings: Mapping[Atom, Finding]) -> list[Several]:
    """One choice of the items of a list, where several facts are read from each: the fact that tells most of them apart, and the others beside it."""
    head = max(several, key=lambda one: len(one.values), default=None)
    found = findings[head.atom] if head is not None else None
    if head is None or not isinstance(found, Found) or not found.by_item:
        return several
    items = [next((item for item, other in found.by_item.items() if other == value), "") for value in head.values]
    beside: list[Beside] = []
    alone: list[Several] = []
    for other in several:
        values = findings[other.atom]
        if other is head:
            continue
        row = tuple(values.by_item.get(item) for item in items) if isinstance(values, Found) else ()
        if any(value is not None for value in row):
            beside.append(Beside(other.atom, row))
        else:
            alone.append(other)
    return [replace(head, beside=tuple(beside)), *alone]


def _outcome_of(findings: Iterable[Finding], several: Sequence[Several]) -> Outcome:
    found = list(findings)
    if several:
        return Outcome.SEVERAL
    if _doubted(found):
        return Outcome.IN_DOUBT
    return (
        Outcome.NOTHING
        if any(isinstance(item, Nothing) for item in found) and not any(isinstance(item, Found) for item in found)
        else Outcome.DONE
    )


def _options(matches: Sequence[Match]) -> tuple[tuple[object, ...], tuple[str, ...]]:
    """The values, with the words that tell each from the others."""
    labels = [match.label or str(match.value) for match in matches]
    told = [f"{label} ({match.value})" if labels.count(label) > 1 else label for label, match in zip(labels, matches, strict=True)]
    return tuple(match.value for match in matches), tuple(told)


def _status(after: State, atom: Atom) -> Status | None:
    """What is so of `atom` in `after`; None where nothing is known of it, or it is false because it is absent."""
    if atom in after.known:
        return Status.KNOWN
    if atom in after.uncertain:
        return Status.CLAIMED
    return Status.DENIED if atom in after.denied else None


def _message(raw: BaseException) -> str:
    name, words = type(raw).__name__, words_of(raw)
    return name if words == name else f"{name}: {words}"
