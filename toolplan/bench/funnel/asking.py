"""What the user of a task says when asked, and what a step by hand brings."""

from __future__ import annotations

from toolplan.bench.funnel.suite import Task
from toolplan.frontier import CallQuestion, Clarify, Decision, Instruct
from toolplan.gate import Gate
from toolplan.planning.plans import Atom
from toolplan.session.events import AskedEntity, AskedFacts, AskedGoal


def is_for_user(decision: Decision) -> bool:
    """Whether the user is to do or to say something before a tool can be called; consent to a call is none of it."""
    return isinstance(decision, Instruct) or (isinstance(decision, Clarify) and not isinstance(decision.question, CallQuestion))


def reply(gate: Gate, task: Task) -> None:
    """The user of `task` answers what is open, as far as the task says; what it says nothing of, the user does not know.

    What is to be done by hand is done. Raises DomainError where an answer is none to its question.
    """
    match gate.session.memory.open:
        case AskedFacts() as asked:
            told = {str(atom): said for atom in asked.atoms if (said := _said(task, atom)) is not None}
            if told:
                gate.answer(told)
            else:
                gate.decline()
        case AskedEntity(several=several):
            said = _said(task, several.atom)
            if said is None:
                gate.decline()
            else:
                gate.answer(said)
        case AskedGoal(goals=offered):
            gate.answer(next((number for number, goals in enumerate(offered) if set(goals) & set(task.goals)), len(offered) - 1))
        case _:
            gate.answer(True)


def _said(task: Task, atom: Atom) -> object:
    """What the task says of a fact, by its name with arguments or without."""
    return task.answers.get(str(atom), task.answers.get(atom.fact))
