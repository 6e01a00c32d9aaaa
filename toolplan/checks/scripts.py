"""What a script lets happen, in a session: what a call came to, and what the user says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolplan.checks.stages import NOW, Stage
from toolplan.checks.wording import listed, tick
from toolplan.checks.worlds import World, described, matches, offered, why_not
from toolplan.domain import AtomicFormula, Domain, Happening, Tool, Wanted
from toolplan.frontier import Act, Call, CallQuestion, Clarify
from toolplan.goals.readings import Goals, Reading
from toolplan.language.diagnostics import DomainError
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, successor
from toolplan.session import Outcome
from toolplan.session.contexts import context_of
from toolplan.session.events import AskedFacts, AskedGoal, OpenQuestion
from toolplan.session.memory import Memory
from toolplan.session.turning import has_goal
from toolplan.session.turns import Chosen, Refused, Reply, Stated, TurnReading


class ScriptError(Exception):
    """Something that a script lets happen, and that cannot happen where it stands."""


class NoRanker(Exception):
    """A turn can be read only by a ranker, and none is installed."""


def after(world: World, happening: Happening, meant: Sequence[Wanted]) -> World:
    """The world once that has happened; `meant` is what the user wants. Raises ScriptError where it cannot, and NoRanker."""
    stage = world.stage.copied()
    before: list[str] = []
    if happening.call is not None:
        before += _call(world, stage, happening, happening.call)
    elif happening.kind == "says":
        before += _say(world, stage, str(happening.value), meant)
    elif stage.session.memory.open is None:
        raise _not_asked(world)
    else:
        stage.session.decline()
    return World.of(stage, world.engine, before)


# Calls


def _call(world: World, stage: Stage, happening: Happening, written: AtomicFormula) -> list[str]:
    """Let a call come to what the script says; what the session makes of a result of which it does not know everything."""
    step = _called(world, written)
    _agree(world, stage, step)
    if happening.observed:
        stage.assume(world.problem, _in_outcome(world.problem, step, happening.observed))
        return []
    results = {"returns": happening.value, "fails": RuntimeError("it failed"), "in doubt": TimeoutError("nobody knows whether it ran")}
    outcome, reason = stage.observe(_as_ready(world, step), results[happening.kind])
    if happening.kind != "returns" or outcome is Outcome.DONE:
        return []
    return [f"before: {tick(step)}: {outcome.value}{f', as {reason}' if reason else ''}"]


def _as_ready(world: World, step: Step) -> Call | Step:
    """The call that is ready, if it is one of `step`."""
    match world.decision:
        case Act(step=following, ready=Call() as call) if following == step:
            return call
        case _:
            return Step(step.action, step.arguments)


def _agree(world: World, stage: Stage, step: Step) -> None:
    """A call that came to anything was agreed to."""
    match world.decision:
        case Clarify(question=CallQuestion(call=Call(step=held), by=by)) if held == Step(step.action, step.arguments):
            stage.session.answer(True, by=by)


def _called(world: World, written: AtomicFormula) -> Step:
    """The step that a script speaks of: that of the frontier if it fits, else the only one that can run."""
    problem = world.problem
    hoped = next((step for step in offered(world.decision) if matches(written, step)), None)
    if hoped is not None:
        return hoped
    fitting = list(dict.fromkeys(Step(step.action, step.arguments) for step in problem.steps() if matches(written, step)))
    possible = [step for step in fitting if applicable(problem, problem.state, step)]
    if len(possible) == 1:
        return possible[0]
    if possible:
        raise ScriptError(f"{tick(written)} may be any of {listed(possible, 'and')}: write its arguments")
    raise ScriptError(f"{tick(written)} cannot have been called: {why_not(problem, written)}")


def _in_outcome(problem: Problem, step: Step, observed: tuple[AtomicFormula, ...]) -> Step:
    """`step`, in the outcome that `observed` chooses."""
    atoms = {Atom(item.fact, tuple(term.name for term in item.terms)) for item in observed}
    for outcome in _outcomes(problem, step):
        state = successor(problem, problem.state, outcome)
        if atoms <= state.known | state.uncertain:
            return outcome
    raise ScriptError(f"no outcome of {tick(step)} makes {listed(observed, 'and')} known")


def _outcomes(problem: Problem, step: Step) -> list[Step]:
    action = problem.domain.action(step.action)
    if isinstance(action, Tool) and action.outcomes:
        return [Step(step.action, step.arguments, number) for number in range(len(action.outcomes))]
    return [step]


# Turns


def _say(world: World, stage: Stage, words: str, meant: Sequence[Wanted]) -> list[str]:
    """The user says `words`. What the reader can make nothing of answers the open question, where it can only be meant so.

    What was read.
    """
    turn = read(stage, words)
    if not _says_anything(turn):
        turn = _as_answer(world, stage.session.memory, turn, meant)
    stage.session.hear(words, turn)
    stated = [f"{item.atom} = {item.value}" for item in turn.stated]
    return [f"before: it is read as {listed(stated, 'and')}"] if stated else []


def read(stage: Stage, words: str) -> TurnReading:
    """What the reader by rules makes of `words`. Raises NoRanker where it takes a ranker, and none is installed."""
    # Readers bring a library each, for which tests in which nobody says anything must not wait.
    from toolplan.session.readers import rules

    session = stage.session
    return rules(_Installed()).read(words, context_of(session.domain, session.memory, NOW))


class _Installed:
    """The ranker that is installed, once it is needed."""

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        from toolplan.goals.rankers import default

        try:
            ranker = default()
        except DomainError:
            raise NoRanker from None
        return ranker.rank(request, domain, state)


def _says_anything(turn: TurnReading) -> bool:
    return bool(turn.reply is not None or turn.stated or turn.mentions or turn.forbids or has_goal(turn))


def _as_answer(world: World, memory: Memory, turn: TurnReading, meant: Sequence[Wanted]) -> TurnReading:
    """The words of `turn` as the answer to the open question: the goal that the test says is meant, or the only text that is asked for."""
    match memory.open:
        case None:
            raise _not_asked(world)
        case AskedGoal() as question:
            return replace(turn, reply=_chosen(world.stage.session.domain, question, meant))
        case AskedFacts() as question:
            return replace(turn, stated=_words_for(world, turn, question))
        case question:
            raise _unread(turn, question)


def _words_for(world: World, turn: TurnReading, question: AskedFacts) -> tuple[Stated, ...]:
    """What is asked for, as the words of `turn` answer it: what carries no value is known by them, and the only text is what they say."""
    facts = world.problem.domain.facts
    kinds = {atom: facts[atom.fact].value for atom in question.atoms}
    valued = [kind.kind for kind in kinds.values() if kind is not None]
    if valued not in ([], ["text"]):
        raise _unread(turn, question)
    return tuple(Stated(atom, True if kind is None else turn.text, turn.text) for atom, kind in kinds.items())


def _chosen(domain: Domain, question: AskedGoal, meant: Sequence[Wanted]) -> Reply:
    """The option that is `meant`, or else none of these."""
    if not meant:
        raise ScriptError("the user is asked for a goal, and the test names no `goal` to answer with")
    conditions = {wanted.condition for wanted in meant}
    for number, goals in enumerate(question.goals):
        if goals and _conditions(domain, goals) == conditions:
            return Chosen(number)
    return Refused()


def _conditions(domain: Domain, goals: Goals) -> set[object]:
    return {wanted.condition for wanted in build(domain, None, goals).wanted}


def _not_asked(world: World) -> ScriptError:
    return ScriptError(f"the user has not been asked: {described(world.decision)}")


def _unread(turn: TurnReading, question: OpenQuestion) -> ScriptError:
    return ScriptError(f"nothing is read of {tick(turn.text)}, and the question is: {question.text}")
