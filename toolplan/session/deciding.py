"""What is next in a session: the frontier of the open request, with what only a conversation knows.

A planner says which step is next. What a call found several of, what it found nothing of, who must agree, what has been asked before and
how often: that is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from toolplan.catalog import Catalog
from toolplan.domain import Ask, AskKind, Domain, Performer
from toolplan.frontier import (
    Act,
    Blocked,
    Call,
    CallQuestion,
    Clarify,
    Decision,
    Done,
    EntityQuestion,
    Explore,
    Frontier,
    GoalQuestion,
    Instruct,
    Planned,
    Question,
    Source,
    callable_steps,
    frontier_of,
    plan_of,
)
from toolplan.frontier.at_once import takes_long
from toolplan.frontier.decisions import UserQuestion
from toolplan.frontier.opening import opening as what_opens
from toolplan.goals.forms import Form, questions_of
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Fluent, Optimal, Plan, Step
from toolplan.planning.preparation import REACHABILITY
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, successor
from toolplan.session.beliefs import Beliefs, believed
from toolplan.session.binding import Bound, binder_of, confirmation_of, reads_of, shown
from toolplan.session.events import (
    Asked,
    AskedCall,
    AskedEntity,
    AskedFacts,
    AskedGoal,
    AskedToDo,
    Ended,
    Ending,
    Event,
    OpenQuestion,
    Outcome,
    Running,
    Stuck,
)
from toolplan.session.exploring import explored, pinned_of
from toolplan.session.folding import keys_of
from toolplan.session.inspecting import faults
from toolplan.session.memory import Memory, exhausted
from toolplan.session.observing import Observer
from toolplan.session.proposing import is_too_much
from toolplan.session.settings import Settings
from toolplan.session.starting import running_of
from toolplan.session.uncontracted import Opening, why_missing

NOTHING = Plan((), Fraction(0))
GOAL = "goal "


@dataclass(frozen=True)
class Next:
    """What is next, and what has to be remembered of it."""

    frontier: Frontier
    events: tuple[Event, ...] = ()


def decided(opening: Opening, memory: Memory, state: State, now: datetime, settings: Settings, catalog: Catalog) -> Next:
    """What is next in `memory` at `now`, when its open request is in `state`, where `catalog` are the real tools."""
    return _Deciding(opening, memory, state, now, settings, catalog).next()


class _Deciding:
    """One decision for one request, or for none."""

    def __init__(self, opening: Opening, memory: Memory, state: State, now: datetime, settings: Settings, catalog: Catalog) -> None:
        self.opening, self.domain, self.catalog = opening, opening.domain, catalog
        self.memory, self.frame, self.state, self.now, self.settings = memory, memory.current, state, now, settings
        self.levels: list[Beliefs] = memory.levels(memory.active)
        self.worn = self._asked_enough()
        self.given_up = exhausted(self.domain, memory, self.frame) + self.worn

    def next(self) -> Next:
        """What is next, with what was found once and stays open."""
        following = self._following()
        pinned = pinned_of(self.opening, self.memory)
        return replace(following, frontier=replace(following.frontier, opened=pinned)) if pinned else following

    def _following(self) -> Next:
        """The decision of the planner, or what a conversation does instead of it."""
        if self.memory.active is None:
            return self._idle()
        planned = self._planned(self.state, self.given_up)
        if isinstance(planned.decision, Done):
            return Next(planned, (Ended(self.now.timestamp(), Ending.DONE),))
        running = [running for running in self.memory.running.values() if running.frame == self.frame.number]
        if running:
            return self._meanwhile(running, planned)
        if self.frame.calls >= self.settings.calls:
            return self._stuck(self._escalated(planned, f"{self.frame.calls} calls were made for this request"))
        chosen = self._chosen(planned)
        if chosen is not None:
            return chosen
        match planned.decision:
            case Blocked(missing):
                told = self._escalated(planned, self._times_asked()) if self.worn else self._blocked(planned, missing)
                return self._asked_again() or self._exploring(told)
            case Explore():
                return self._exploring(planned)
            case Clarify(question):
                return self._asking(planned, question, "")
            case Act(step=step):
                return self._acting(planned, planned.decision, step)
            case Instruct(instruction, Performer.USER, step):
                return self._instructing(planned, instruction, step)
            case _:
                return Next(planned)

    def _idle(self) -> Next:
        """Nothing is wanted: the last request is done, or was stopped, or there was none."""
        last, said = self.memory.last, self.memory.beside.said
        decision: Decision = Explore((), "no goal fits")
        if last is not None and not (said and self.opening.opened):
            decision = Done() if last[1] is Ending.DONE else Explore((), "the user has stopped it")
        planned = Planned(build(self.domain, self.state, ()), Optimal(NOTHING, REACHABILITY))
        frontier = Frontier(planned, decision, self.settings.mode, ())
        if isinstance(decision, Done) or (last is not None and not said):
            return Next(frontier)
        if self.frame.calls >= self.settings.calls:
            return Next(self._escalated(frontier, f"{self.frame.calls} calls were made for this turn"))
        opened = self._opened(frontier)
        return self._waiting(opened.frontier) or opened

    def _blocked(self, planned: Frontier, missing: tuple[Fluent, ...]) -> Frontier:
        """`planned`, which leads nowhere, where tools that are not planned with may be missing: the host has not forbidden those."""
        hint = what_opens(planned.planned.problem, missing, why_missing(self.opening, self.catalog))
        return replace(planned, decision=Blocked(missing, hint))

    def _exploring(self, planned: Frontier) -> Next:
        """Contracts lead nowhere: what has none may be tried, and what a model called on the way is asked about."""
        opened = self._opened(planned)
        return self._waiting(opened.frontier) or (opened if self.opening.opened else self._stuck(planned))

    def _opened(self, planned: Frontier) -> Next:
        """`planned`, with tools that have no contract where it leads nowhere; what is handed over to a person stays so."""
        match planned.decision:
            case Explore((), reason) if self.opening.opened:
                because = reason
            case Blocked() if self.opening.opened:
                because = "no plan for it exists"
            case _:
                return Next(planned)
        found = explored(self.opening, self.memory, because, self.now.timestamp(), self.settings)
        return Next(replace(planned, decision=found.decision), found.events)

    def _stuck(self, planned: Frontier) -> Next:
        return Next(planned) if self.frame.stuck else Next(planned, (Stuck(self.now.timestamp()),))

    def _instructing(self, planned: Frontier, instruction: str, step: Step) -> Next:
        """The user does it by hand; that it was done is for the user to say."""
        plain = Step(step.action, step.arguments)
        running = running_of(planned.planned.problem, self.memory, Call("", plain, step.action, {}), step.outcome)
        seen = Observer(planned.planned.problem, self.levels, self.memory.entities, {}, self.now, 0).observed(running, True, 0)
        asked = AskedToDo(instruction, running, seen)
        if isinstance(self.memory.open, AskedToDo) and self.memory.open.running.call.step == plain:
            return Next(planned)
        if is_too_much(self.frame, asked, self.settings):
            return self._stuck(self._escalated(planned, self._times_asked()))
        return Next(planned, (Asked(self.now.timestamp(), asked),))

    def _planned(self, state: State, without: Sequence[Step]) -> Frontier:
        settings = self.settings
        mode = settings.mode if self.frame.latest is Outcome.DONE else "recovery"
        return frontier_of(
            self.domain,
            self.frame.reading,
            state=state,
            forbid=(*settings.forbid, *self.frame.forbids, *(self.domain.tools[name] for name in self.opening.missing)),
            exhausted=without,
            mode=mode,
            engine=settings.engine,
            limit=settings.limit,
        )

    def _meanwhile(self, running: Sequence[Running], planned: Frontier) -> Next:
        """What can be done while calls run, on the way that is best if they turn out well: a call that waits for none of them."""
        problem, hoped = planned.planned.problem, self.state
        for one in running:
            hoped = successor(problem, hoped, Step(one.call.step.action, one.call.step.arguments, one.outcome))
        ahead = self._planned(replace(hoped, values=self.state.values), self.given_up)
        steps = tuple(step for step in ahead.steps if applicable(problem, self.state, step))
        if isinstance(ahead.decision, Act) and ahead.decision.step in steps:
            tools = tuple(dict.fromkeys(step.action for step in steps if step.action in ahead.tools))
            return self._acting(replace(ahead, steps=steps, tools=tools), ahead.decision, ahead.decision.step)
        names = ", ".join(f"`{one.call.tool}`" for one in running)
        return Next(replace(planned, decision=Explore((), f"the result of {names} is not there yet"), tools=(), steps=()))

    # What was found several of

    def _chosen(self, planned: Frontier) -> Next | None:
        """The question which of several is meant, if an answer helps: the way from there is shorter than without."""
        for atom, (several, reads) in sorted(self.frame.choices.items()):
            if believed(self.levels, atom) is not None:
                continue
            atoms = {atom, *(other.atom for other in several.beside)}
            known = replace(self.state, known=self.state.known | atoms, uncertain=self.state.uncertain - atoms)
            if _score(self._planned(known, self.given_up)) < _score(planned):
                text = _which(self.domain, atom, self.memory.words)
                question = AskedEntity(text, several, reads)
                return self._put(planned, EntityQuestion(text, atom, several.options), question)
        return None

    # What was found nothing of

    def _asked_again(self) -> Next | None:
        """The question for what the user said before, where what was looked for with it was not found; None where that helps nothing."""
        vain = [tried for tried in self.frame.tried if tried.outcome in (Outcome.NOTHING, Outcome.FAILED)]
        doubted = {read.atom for tried in vain for read in tried.reads if self._was_said(read.atom)}
        if not doubted:
            return None
        state = replace(self.state, known=self.state.known - doubted, uncertain=self.state.uncertain - doubted)
        without = [step for step in self.given_up if step not in {Step(t.step.action, t.step.arguments) for t in vain}]
        again = self._planned(state, without)
        match again.decision:
            case Clarify(Question() | Form() as question) if self._makes_any(again, question, doubted):
                words = dict.fromkeys(belief.words for atom in sorted(doubted) if (belief := believed(self.levels, atom)) and belief.words)
                return self._asking(again, question, f"Nothing was found for {', '.join(words)}." if words else "Nothing was found.")
            case _:
                return None

    def _was_said(self, atom: Atom) -> bool:
        belief = believed(self.levels, atom)
        return belief is not None and belief.source is Source.USER

    def _makes_any(self, planned: Frontier, question: Question | Form, atoms: set[Atom]) -> bool:
        problem = planned.planned.problem
        return any(not atoms.isdisjoint(_made(problem, asked.step)) for asked in questions_of(question))

    # Questions

    def _asking(self, planned: Frontier, question: UserQuestion, because: str) -> Next:
        match question:
            case GoalQuestion(text, options):
                asked: OpenQuestion = AskedGoal(text, tuple(option.text for option in options), tuple(option.goals for option in options))
                return self._put(planned, question, asked)
            case Question() | Form():
                problem = planned.planned.problem
                steps = tuple(part.step for part in questions_of(question))
                makes = tuple(_made(problem, step) for step in steps)
                worded = _because(question, because)
                return self._put(planned, worded, AskedFacts(worded.text, steps, makes, _proposes(self.domain, steps, makes)))
            case _:
                return Next(planned)

    def _put(self, planned: Frontier, question: UserQuestion, asked: OpenQuestion) -> Next:
        """The decision to ask, if the user has not been asked too much; the question that is open already is not asked again."""
        decision = Clarify(question, plan_of(planned.decision) or NOTHING)
        frontier = replace(
            planned, decision=decision, tools=(), steps=planned.steps if not isinstance(question, EntityQuestion | CallQuestion) else ()
        )
        if self.memory.open == asked:
            return Next(frontier)
        if is_too_much(self.frame, asked, self.settings):
            return self._stuck(self._escalated(planned, self._times_asked()))
        return Next(frontier, (Asked(self.now.timestamp(), asked),))

    def _times_asked(self) -> str:
        return f"the user was asked {self.frame.questions} times for this request"

    def _escalated(self, planned: Frontier, because: str) -> Frontier:
        tools = self.domain.policy.always_visible
        return replace(planned, decision=Explore(tools, f"{because}, and it is not settled: hand it over to a person"), tools=(), steps=())

    def _asked_enough(self) -> list[Step]:
        """The questions for what the user was asked for as often as can be: no other words for it are tried."""
        worn = {key for key, times in self.frame.asked.items() if times >= self.settings.repeats}
        open_now = set(keys_of(self.memory.open)) if self.memory.open is not None else set()
        if worn <= open_now:
            return []
        takes_long()
        problem = build(self.domain, self.state, (), ())
        asks = (step for step in problem.steps() if isinstance(self.domain.action(step.action), Ask))
        return [step for step in asks if any(str(atom) in worn - open_now for atom in _made(problem, step))]

    # Calls

    def _acting(self, planned: Frontier, act: Act, step: Step) -> Next:
        waiting = self._waiting(planned)
        if waiting is not None:
            return waiting
        problem = planned.planned.problem
        match binder_of(problem, self.memory, self.catalog, self.now).bind(step, self.memory.new_call(), None):
            case Bound(call) if not faults(problem, self.levels, call, self.catalog, self.now):
                question = self.question_of(problem, call)
                if question is None:
                    return Next(replace(planned, decision=replace(act, ready=call)))
                return self._put(planned, CallQuestion(question.text, question.call, question.by), question)
            case _:
                return Next(planned)

    def _waiting(self, planned: Frontier) -> Next | None:
        """What is next where a call waits for somebody to agree, or somebody has; None where none does that can still be called."""
        callable_now = callable_steps(planned)
        held = self._held(callable_now)
        if held is not None:
            return self._put(planned, CallQuestion(held.text, held.call, held.by), held)
        agreed = next((one.call for one in self.frame.agreed if one.call.step in callable_now and self._is_same_tool(one.call)), None)
        if agreed is None:
            return None
        # While it waited, another call may have been let through or refused under its name.
        ready = replace(agreed, id=self.memory.new_call()) if self.memory.has_verdict(agreed.id) else agreed
        match planned.decision:
            case Act() as act:
                return Next(replace(planned, decision=replace(act, ready=ready)))
            case _:
                step, tool = ready.step, self.domain.tools[ready.step.action]
                act = Act((step.action,), step, Plan((step,), self.domain.score_of(tool)), "somebody has agreed to it", ready)
                return Next(replace(planned, decision=act, tools=(step.action,), steps=(step,)))

    def _held(self, callable_now: Sequence[Step]) -> AskedCall | None:
        """The call that waits for somebody to agree, as long as it can be called."""
        held = self.frame.held
        if held is None or any(agreed.call == held.call for agreed in self.frame.agreed):
            return None
        return held if held.call.step in callable_now and self._is_same_tool(held.call) else None

    def _is_same_tool(self, call: Call) -> bool:
        """Whether the real tool is the one that was shown when the call was proposed."""
        return call.schema == (self.catalog[call.tool].digest if call.tool in self.catalog else "")

    def question_of(self, problem: Problem, call: Call) -> AskedCall | None:
        """The question whether `call` may run; None where nobody has to agree."""
        who = confirmation_of(self.domain, call, self.frame)
        if who is None:
            return None
        reads = reads_of(problem, self.levels, call.step)
        return AskedCall(shown(self.domain, call, self.frame), call, reads, who.by)


def _because(question: Question | Form, because: str) -> Question | Form:
    """`question`, with the reason for which it is asked before it."""
    if not because:
        return question
    return replace(question, preface=because) if isinstance(question, Form) else replace(question, text=f"{because} {question.text}")


def _score(planned: Frontier) -> tuple[float, int]:
    plan = plan_of(planned.decision)
    if isinstance(planned.decision, Done):
        return (0.0, 0)
    return (float("inf"), 0) if plan is None else (float(plan.score), len(plan.steps))


def _made(problem: Problem, step: Step) -> tuple[Atom, ...]:
    """What the answer to a question makes known, in order of declaration."""
    after = successor(problem, problem.state, step)
    binding = problem.binding(step)
    new = after.known - problem.state.known
    declared = [
        Atom(effect.atom.fact, tuple(binding.get(t.name, t.name) for t in effect.atom.terms))
        for effect in problem.domain.action(step.action).produces
        if effect.always_fires
    ]
    return tuple(dict.fromkeys((*(atom for atom in declared if atom in new), *sorted(new))))


def _proposes(domain: Domain, steps: Sequence[Step], makes: Sequence[Sequence[Atom]]) -> bool:
    """Whether yes or no answers the question: it is one for a permission, or what it makes known has no value."""
    (step, *others), (atoms, *_) = steps, makes
    action = domain.action(step.action)
    if others or not isinstance(action, Ask):
        return False
    return action.kind is AskKind.PERMISSION or (not action.chooses and all(domain.facts[atom.fact].value is None for atom in atoms))


def _which(domain: Domain, atom: Atom, words: Mapping[str, str]) -> str:
    """The question which of several is meant: in the user's words for the entities, if there are any, else in those for the fact."""
    said = [f'"{words[name]}"' for name in atom.arguments if words.get(name)]
    if said:
        return f"Which of these is {' and '.join(said)}?"
    fact = domain.facts[atom.fact]
    return f"Which of these is meant: {fact.description or fact.name.replace('_', ' ')}?"
