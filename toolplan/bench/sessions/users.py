"""Users drawn from a seed, who want, answer, choose, agree, correct, digress, thank and stop. Nothing that they say has to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from toolplan.domain import Domain, Goal, Slot, Variable
from toolplan.frontier import Source
from toolplan.goals.readings import Reading, reading_of
from toolplan.planning.plans import Atom
from toolplan.planning.problem import ground
from toolplan.session.beliefs import Belief
from toolplan.session.events import AskedEntity, AskedFacts, AskedGoal, OpenQuestion
from toolplan.session.memory import Memory
from toolplan.session.turns import Agreed, Chosen, Declined, Mention, Refused, Reply, Stated, Stopped, TurnReading

ASKED = {"answer": 75, "digression": 6, "correction": 6, "thanks": 5, "decline": 5, "stop": 3}
"""What a user does who is asked something, in percent."""
UNASKED = {"request": 60, "correction": 22, "thanks": 15, "stop": 3}
"""The same where nothing is asked."""
FIRST_DAY = datetime(2026, 12, 1, tzinfo=UTC)
KNOWN_ENTITY = 0.25
"""How often a request is about an entity that was mentioned before."""
LIKELY = 0.85
"""How often a user says a value that is needed, or says yes."""


class User:
    """One user of `domain`. What is said depends on what the session knows, and on nothing else but `draw`."""

    def __init__(self, domain: Domain, draw: Random) -> None:
        self._domain, self._draw = domain, draw

    def turn(self, memory: Memory) -> tuple[str, TurnReading]:
        """The next turn, with the name of its kind."""
        question = memory.open
        kind = drawn(self._draw, UNASKED if question is None else ASKED)
        match kind:
            case "answer" if question is not None:
                return self._answer(question)
            case "request" | "digression":
                return kind, self._request(memory)
            case "correction":
                return kind, self._correction(memory)
            case "decline":
                return kind, _words("I do not know", Declined())
            case "stop":
                return kind, _words("stop", Stopped())
            case _:
                return kind, _words("thank you")

    def _request(self, memory: Memory) -> TurnReading:
        goal = self._draw.choice(list(self._domain.goals.values()))
        mentions = [self._mention(memory, parameter.type) for parameter in goal.parameters if parameter.type != "calendar"]
        binding = dict(zip((p.name for p in goal.parameters if p.type != "calendar"), (m.name for m in mentions), strict=True))
        atoms = [ground(formula, binding) for formula in goal.given]
        stated = [self._stated(atom) for atom in atoms if self._draw.random() < LIKELY]
        return _turn(self._draw.choice(_phrases(goal, binding, stated)), stated, mentions, (goal.name,))

    def _mention(self, memory: Memory, kind: str) -> Mention:
        known = [name for name, of in memory.entities.items() if of == kind]
        new = f"{kind}_{len(memory.entities) + 1}"
        name = self._draw.choice(known) if known and self._draw.random() < KNOWN_ENTITY else new
        return Mention(name, kind, name)

    def _correction(self, memory: Memory) -> TurnReading:
        """Another value for something that was said, if anything was."""
        frame = memory.active or (memory.last[0] if memory.last is not None else None)
        said = [belief.atom for belief in frame.beliefs.values() if _is_said(belief)] if frame is not None else []
        return _turn("no", [self._stated(self._draw.choice(said))] if said else [])

    def _answer(self, question: OpenQuestion) -> tuple[str, TurnReading]:
        match question:
            case AskedFacts(proposes=False):
                return "answer", _turn("it is", [self._stated(atom) for atom in question.atoms if self._draw.random() < LIKELY])
            case AskedGoal(options=options) | AskedEntity(options=options):
                chosen = Chosen(self._draw.randrange(len(options)))
                return "choice", _words("that one", chosen if self._draw.random() < LIKELY else Refused())
            case _:
                yes = self._draw.random() < LIKELY
                return ("yes", _words("yes", Agreed())) if yes else ("no", _words("no", Refused()))

    def _stated(self, atom: Atom) -> Stated:
        kind = self._domain.facts[atom.fact].value
        value = self._value("" if kind is None else kind.kind)
        return Stated(atom, value, "indeed" if value is True else str(value))

    def _value(self, kind: str) -> object:
        """A value of the type `kind`, seldom one that was said before."""
        number = self._draw.randrange(1_000_000)
        match kind:
            case "":
                return True
            case "date":
                return str((FIRST_DAY + timedelta(days=number % 3_000)).date())
            case "datetime":
                return (FIRST_DAY + timedelta(minutes=number)).isoformat()
            case "email":
                return f"user{number}@example.org"
            case _:
                return f"matter {number}"


def drawn(draw: Random, weights: dict[str, int]) -> str:
    """One of the keys of `weights`, each as often as they say."""
    (kind,) = draw.choices(list(weights), list(weights.values()))
    return kind


def _phrases(goal: Goal, binding: Mapping[str, str], stated: Sequence[Stated]) -> list[str]:
    """What people say for `goal`: the phrases whose slots are all `stated`, or else its name."""
    words = {item.atom: item.words for item in stated}

    def filled(part: str | Slot) -> str:
        match part:
            case str():
                return part
            case Variable(name):
                return binding.get(name, "")
            case _:
                return words.get(ground(part, binding), "")

    phrases = [[filled(part) for part in template] for template in goal.templates]
    return ["".join(parts) for parts in phrases if all(parts)] or [goal.name.replace("_", " ")]


def _is_said(belief: Belief) -> bool:
    return belief.source is Source.USER and belief.value is not None


def _words(text: str, reply: Reply | None = None) -> TurnReading:
    return TurnReading(text, Reading(text, (), 1.0), reply=reply)


def _turn(words: str, stated: Sequence[Stated], mentions: Sequence[Mention] = (), goals: tuple[str, ...] = ()) -> TurnReading:
    text = " ".join((words, *(item.words for item in stated if item.words not in words)))
    return TurnReading(text, reading_of(text, [(goals, 0.95)] if goals else []), tuple(stated), tuple(mentions))
