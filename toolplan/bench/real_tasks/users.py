"""A user who knows what they want: answers what is asked with what the gold has, and with nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from toolplan.bench.real_tasks.chains import Chain
from toolplan.bench.real_tasks.tasks import Task
from toolplan.bench.runs.playing import Asked
from toolplan.domain import AskKind
from toolplan.frontier import Clarify, EntityQuestion, Form, Frontier, GoalQuestion, Question
from toolplan.goals.forms import questions_of
from toolplan.session import Session
from toolplan.session.events import AskedFacts
from toolplan.values import Normal, normal

DECLINES = "none of it"


class User:
    """Who has asked for `task`, of which `chain` tells what has been made.

    A value is answered where a call that is left is passed it, but for what another call has to bring first. A goal is chosen where it is
    what is meant, or else a part of that.
    """

    def __init__(self, task: Task, session: Session, chain: Chain) -> None:
        self._task, self._session, self._chain = task, session, chain
        self.told: dict[str, object] = {}

    def ask(self, now: Frontier) -> Asked | None:
        """The question of `now`, which is answered then; None where none is asked but whether a call may run."""
        match now.decision:
            case Clarify(question=GoalQuestion(text, options)):
                return Asked(text, self._choose([option.goals for option in options], [option.text for option in options]))
            case Clarify(question=EntityQuestion(text, atom, options)):
                return Asked(text, self._pick(atom.fact, options))
            case Clarify(question=Question() | Form() as question):
                asks = [now.planned.problem.domain.asks[each.name] for each in questions_of(question)]
                permits = [ask.permits for ask in asks if ask.kind is AskKind.PERMISSION]
                return Asked(question.text, self._permit(permits) if permits else self._tell())
            case _:
                return None

    def _choose(self, offered: Sequence[tuple[str, ...]], words: Sequence[str]) -> str:
        wanted = set(self._task.goals)
        fitting = [number for number, goals in enumerate(offered) if goals and wanted.issuperset(goal.partition("(")[0] for goal in goals)]
        if not fitting:
            self._session.answer(False)
            return "none of these"
        best = max(fitting, key=lambda number: len(offered[number]))
        self._session.answer(best)
        return words[best]

    def _pick(self, fact: str, options: Sequence[str]) -> str:
        value = self._value(fact)
        for number, option in enumerate(options):
            if value is not None and str(value).casefold() in option.casefold():
                self._session.answer(number)
                return option
        self._session.decline()
        return DECLINES

    def _permit(self, tools: Sequence[str]) -> str:
        """A call is permitted that is one of the gold."""
        contracts = self._task.toolbox.contracts
        meant = {contracts[call.tool] for call in self._chain.left}
        agreed = meant.issuperset(tools)
        self._session.answer(agreed)
        return "yes" if agreed else "no"

    def _tell(self) -> str:
        asked = self._session.memory.open
        assert isinstance(asked, AskedFacts)
        facts = self._session.domain.facts
        values = {atom.fact: self._value(atom.fact) for atom in asked.atoms}
        normals = {fact: normal(facts[fact].value, value, self._task.now) for fact, value in values.items() if value is not None}
        told = {fact: value.value for fact, value in normals.items() if isinstance(value, Normal)}
        if not told:
            self._session.decline()
            return DECLINES
        self._session.answer(told)
        self.told |= told
        return "; ".join(f"{fact} = {value}" for fact, value in told.items())

    def _value(self, fact: str) -> object:
        """The value of `fact` in the first call that is passed it; None where there is none."""
        toolbox = self._task.toolbox
        passed = (
            wanted.value
            for call in self._chain.left
            for argument, wanted in call.arguments.items()
            if toolbox.fact_of(call.tool, argument) == fact and (argument not in call.brought or call in self._chain.due)
        )
        return next(passed, None)
