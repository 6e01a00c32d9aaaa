"""A request as the frontier sees it: what is shown, step by step, until the right tools were there or a wrong one is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolplan.domain import Domain
from toolplan.frontier import Act, Clarify, Done, Explore, GoalQuestion, Option, frontier_of, plan
from toolplan.goals.questions import answer_goal
from toolplan.goals.readings import Reading
from toolplan.planning.inputs import build
from toolplan.planning.problem import State
from toolplan.planning.semantics import successor

MOST_STEPS = 40
MOST_QUESTIONS = 3
"""Questions for one goal after which the user has had enough."""


@dataclass(frozen=True, slots=True)
class Menu:
    """Tools with contracts. By the name of each real tool: the characters of its definition, and the name that requests have for it."""

    domain: Domain
    sizes: Mapping[str, int]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Followed:
    """The tools that were `shown`, the characters of all that was sent for them, and how often the user was asked for a goal.

    `explores`: no goal fits, or nobody could say which. Where contracts end, retrieval goes on, without the real tools that are `passed`:
    those that reach what the user has by then, or has declined.
    """

    shown: frozenset[str] = frozenset()
    sent: tuple[int, ...] = ()
    questions: int = 0
    explores: bool = False
    passed: frozenset[str] = frozenset()


def follow(menu: Menu, meant: Mapping[str, str], reading: Reading, most_questions: int = MOST_QUESTIONS) -> Followed:
    """What becomes of a request, read as `reading`. `meant` are the goals of the user, each with the tool that reaches it.

    The model calls what is shown. A call is wrong if no best plan for a goal that is meant makes it, and ends the run. The user says which
    of the goals that they are asked about is meant, and asks for the others when one is reached. What only they can say is known for every
    goal, so that the state does not tell which one it is.
    """
    return _Following(menu, meant, reading, most_questions).run()


def reaching(domain: Domain, goals: Iterable[str]) -> frozenset[str]:
    """The real tools that reach one of `goals`."""
    wanted = {domain.goals[goal].achieves for goal in goals}
    return frozenset(tool.call_name for tool in domain.tools.values() if any(effect.atom in wanted for effect in tool.produces))


class _Following:
    def __init__(self, menu: Menu, meant: Mapping[str, str], reading: Reading, most_questions: int) -> None:
        self.menu, self.meant, self.reading, self.most_questions = menu, meant, reading, most_questions
        self.state = what_is_said(menu.domain)
        self.rest = reading
        self.reached: set[str] = set()
        self.declined: set[str] = set()
        self.since = 0
        self.followed = Followed()

    def run(self) -> Followed:
        for _ in range(MOST_STEPS):
            now = frontier_of(self.menu.domain, self.reading, state=self.state)
            match now.decision:
                case Act(step=step):
                    self._show([self.menu.domain.tools[name].call_name for name in now.tools])
                    if self.followed.shown.issuperset(self.meant.values()) or step.action not in self._ways():
                        return self.followed
                    self.state = successor(now.planned.problem, self.state, step)
                case Clarify(question=GoalQuestion(text, options)) if self.since < self.most_questions:
                    self._sent(len(text) + sum(len(option.text) for option in options))
                    self._answer(options)
                case Explore() | Clarify(question=GoalQuestion()):
                    return replace(self.followed, explores=True, passed=reaching(self.menu.domain, self.reached | self.declined))
                case Done():
                    self._go_on([wanted.goal for wanted in now.planned.problem.wanted])
                case _:
                    return self.followed
        return self.followed

    def _show(self, tools: Sequence[str]) -> None:
        self._sent(sum(self.menu.sizes[tool] for tool in tools))
        there = {self.menu.labels[tool] for tool in tools}
        self.followed = replace(self.followed, shown=self.followed.shown | there.intersection(self.meant.values()))

    def _sent(self, characters: int) -> None:
        self.followed = replace(self.followed, sent=(*self.followed.sent, characters))

    def _ways(self) -> set[str]:
        """The tools of best plans for the goals whose tools were not there yet, and for those whose tools are there now."""
        domain = self.menu.domain
        return {step.action for goal in self.meant for step in plan(domain, state=self.state, goal=goal).steps}

    def _answer(self, options: Sequence[Option]) -> None:
        offered = [option.goals for option in options]
        chosen = next((goals for goals in offered if goals and set(goals) <= self.meant.keys()), ())
        if not chosen:
            self.rest = answer_goal(self.rest, offered, ())
            self.declined.update(goals[0] for goals in offered if len(goals) == 1)
        self.reading = answer_goal(self.reading, offered, chosen)
        self.since += 1
        self.followed = replace(self.followed, questions=self.followed.questions + 1)

    def _go_on(self, reached: Iterable[str]) -> None:
        """Some are reached; the user wants the others."""
        self.reached.update(reached)
        over = [candidate.goals for candidate in self.rest.candidates if not self.reached.isdisjoint(candidate.goals)]
        self.rest = self.reading = answer_goal(self.rest, over, ())
        self.since = 0


def what_is_said(domain: Domain) -> State:
    """The state in which all is known that some goal is given and that no tool finds out."""
    found_out = {effect.atom.fact for tool in domain.tools.values() for effect in tool.produces}
    given = {formula.fact for goal in domain.goals.values() for formula in goal.given}
    return build(domain, given - found_out, "").state
