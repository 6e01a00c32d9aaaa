"""Answers that come as values, from a form or a button, and what is wrong with those that answer nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from toolplan.domain import Domain
from toolplan.frontier.calls import Source
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Status
from toolplan.session.beliefs import Belief
from toolplan.session.events import MODEL, Answered, AskedEntity, AskedFacts, AskedGoal, OpenQuestion
from toolplan.session.trust import told_by
from toolplan.session.turns import Agreed, Chosen, Refused, Reply
from toolplan.values import Misfit, normal


def standing(question: OpenQuestion | None, shown: OpenQuestion | None) -> OpenQuestion | None:
    """The open question, if it is the one that was `shown`, where anybody says which that was. Raises DomainError where it is another."""
    if shown is not None and shown != question:
        raise _refused("this is not asked any more", "look at what is asked now")
    return question


def answered(domain: Domain, question: OpenQuestion | None, answer: object, now: datetime, by: str) -> Answered:
    """The event that `answer` is: True or False; the number of an option, or its words; a value; or a mapping from facts to values.

    Raises DomainError where no question is open, or the answer is none to it.
    """
    if question is None:
        raise _refused("no question is open", "answer what `next()` asks, or tell it with `hear`")
    at = now.timestamp()
    if isinstance(answer, bool) and not _carries_it(domain, question):
        return Answered(at, (), Agreed() if answer else Refused(), by)
    if isinstance(question, AskedGoal | AskedEntity):
        return Answered(at, (), _option(question, answer), by)
    if not isinstance(question, AskedFacts):
        raise _refused("the question is one for yes or no", "answer True or False")
    beliefs = told_by(by, _beliefs(domain, question, answer, now))
    agreed = {belief.atom for belief in beliefs if belief.value is None and by == MODEL and question.proposes}
    return Answered(at, tuple(belief for belief in beliefs if belief.atom not in agreed), None, by)


def _carries_it(domain: Domain, question: OpenQuestion) -> bool:
    """Whether a yes or no is the value that is asked for, and no reply to the question."""
    return isinstance(question, AskedFacts) and len(question.atoms) == 1 and domain.facts[question.atoms[0].fact].is_boolean


def _option(question: AskedGoal | AskedEntity, answer: object) -> Reply:
    if isinstance(answer, int) and 0 <= answer < len(question.options):
        return Chosen(answer)
    values = question.several.values if isinstance(question, AskedEntity) else question.options
    meant = [number for number, option in enumerate(question.options) if answer in (option, values[number])]
    if meant and all(_stands_for(question, number) == _stands_for(question, meant[0]) for number in meant):
        return Chosen(meant[0])
    if meant:
        raise _refused(f"{quoted(str(answer))} is several of the options", "give the number of the one that is meant")
    shown = ", ".join(quoted(option) for option in question.options)
    raise _refused(f"{quoted(str(answer))} is none of the options", f"the options are {shown}")


def _stands_for(question: AskedGoal | AskedEntity, number: int) -> object:
    """What is so where the option of that number is meant."""
    return question.goals[number] if isinstance(question, AskedGoal) else question.several.at(number)


def _beliefs(domain: Domain, question: AskedFacts, answer: object, now: datetime) -> list[Belief]:
    if not isinstance(answer, Mapping):
        if len(question.atoms) != 1:
            raise _refused("the question is for several facts", "answer with a mapping from facts to values")
        answer = {question.atoms[0]: answer}
    findings: list[Diagnostic] = []
    beliefs: list[Belief] = []
    for key, raw in answer.items():
        if not isinstance(key, str | Atom):
            raise _refused(f"{quoted(str(key))} is no fact", "answer with a mapping from facts to values")
        (atom,) = build(domain, [key if isinstance(key, str) else (key.fact, *key.arguments)], ()).state.known
        if raw is True and not domain.facts[atom.fact].is_boolean:
            beliefs.append(Belief(atom, Status.KNOWN, None, Source.USER, now.timestamp()))
            continue
        value = normal(domain.facts[atom.fact].value, raw, now)
        if isinstance(value, Misfit):
            findings.append(Diagnostic(Code.BAD_CALL, f"{quoted(str(atom))}: {value.reason}", None, "ask for it again"))
        else:
            beliefs.append(Belief(atom, Status.KNOWN, value.value, Source.USER, now.timestamp(), raw if isinstance(raw, str) else ""))
    if findings:
        raise DomainError(findings)
    return beliefs


def given(domain: Domain, state: object, now: datetime) -> tuple[Belief, ...]:
    """What a caller brings to a session, as beliefs. Raises DomainError with all that is wrong with it."""
    start = build(domain, state, ()).state  # type: ignore[arg-type]  # `build` says what is wrong with any other value
    by_status = ((Status.KNOWN, start.known), (Status.CLAIMED, start.uncertain), (Status.DENIED, start.denied))
    return tuple(_given(domain, atom, status, start.values.get(atom), now) for status, atoms in by_status for atom in sorted(atoms))


def _given(domain: Domain, atom: Atom, status: Status, raw: object, now: datetime) -> Belief:
    at = now.timestamp()
    if raw is None:
        return Belief(atom, status, None, Source.CALLER, at)
    value = normal(domain.facts[atom.fact].value, raw, now)
    if isinstance(value, Misfit):
        raise _refused(f"{quoted(str(atom))}: {value.reason}", "give a value of its type")
    return Belief(atom, status, value.value, Source.CALLER, at)


def _refused(message: str, hint: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_CALL, message, None, hint)])
