"""What holds of every reading in every domain, against an oracle that knows nothing but the reference meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FACTS, RICH, draw_problem

from toolplan import Act, Blocked, Clarify, DomainError, Done, Frontier, Instruct, Limit, frontier, loads
from toolplan.domain import Ask, AskKind, Domain, Performer
from toolplan.frontier import GoalQuestion, Question, frontier_of, next_step, steps_before_question
from toolplan.frontier.continuation import forget
from toolplan.goals.questions import answer_goal
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.plans import Optimal, Step, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, score, successor

BY = {"engine": "in-process", "limit": Limit(expansions=50_000, seconds=60)}
ORACLE, EXACT = "uniform-cost", Limit(expansions=50_000, seconds=60)


@dataclass(frozen=True)
class Talk:
    """A domain, a state, and a reading that is in doubt."""

    text: str
    state: tuple[str, ...]
    reading: Reading

    @cached_property
    def domain(self) -> Domain:
        """The domain of `text`."""
        return loads(self.text)

    @property
    def problems(self) -> list[Problem]:
        """The problems of the plausible candidates."""
        return [build(self.domain, self.state, candidate.goals) for candidate in self.reading.candidates if candidate.p >= 0.05]


def talks() -> st.SearchStrategy[Talk]:
    """Three or four candidates, conditions of which some can be reached, the first the most probable and none of them clear."""
    return st.integers(0, 2**32).map(lambda seed: _talk(Random(seed))).filter(_is_usable)


def _is_usable(talk: Talk) -> bool:
    """Whether neither the domain nor a candidate contradicts itself, and no candidate was drawn twice."""
    try:
        for candidate in talk.reading.candidates:
            build(talk.domain, talk.state, candidate.goals)
    except DomainError:
        return False
    return talk.reading.candidates[0].p <= 0.6


def _talk(rng: Random) -> Talk:
    drawn = draw_problem(rng, RICH)
    plain = [fact for fact, types in FACTS.items() if not types and fact != "shut"]
    goals = [(drawn.goal,)] if drawn.goal else []
    goals += [tuple(rng.sample(plain, rng.choice([1, 1, 2]))) for _ in range(rng.randint(2, 3))]
    percent = [rng.randint(30, 60), *(rng.choice([1, 6, 10, 13]) for _ in goals[1:])]
    return Talk(drawn.domain, drawn.state, reading_of("do it", [(some, p / 100) for some, p in zip(goals, percent, strict=True)]))


# The oracle


def best(problem: Problem) -> tuple[object, int] | None:
    """`h*` as (score, number of steps); None where there is no plan."""
    match solve(problem, ORACLE, EXACT):
        case Optimal(plan):
            return plan.score, len(plan.steps)
        case Unreachable():
            return None
        case other:
            raise AssertionError(other)


def commits_to_none(domain: Domain, step: Step) -> bool:
    action = domain.action(step.action)
    if isinstance(action, Ask):
        return action.kind in (AskKind.VALUE, AskKind.ENTITY)
    return domain.risk_of(action).safe and action.performer in (Performer.CALL, Performer.MODEL)


def harmless_starts(problem: Problem) -> set[Step]:
    """The calls that commit to none and start some best plan."""
    left = best(problem)
    found = set()
    for step in problem.steps():
        if commits_to_none(problem.domain, step) and applicable(problem, problem.state, step):
            rest = best(replace(problem, state=successor(problem, problem.state, step)))
            if rest is not None and (rest[0] + score(problem, (step,)), rest[1] + 1) == left:
                found.add(step._replace(outcome=-1))
    return found


def shared(talk: Talk) -> set[Step]:
    live = [problem for problem in talk.problems if best(problem) not in (None, (0, 0))]
    return set.intersection(*map(harmless_starts, live)) if live else set()


def decided(talk: Talk, reading: Reading | None = None) -> Frontier:
    forget(talk.domain)
    return frontier_of(talk.domain, reading or talk.reading, state=talk.state, **BY)


def asks_for_goal(now: Frontier) -> bool:
    return isinstance(now.decision, Clarify) and isinstance(now.decision.question, GoalQuestion)


# The laws


@settings(max_examples=150, deadline=None)
@given(talks())
def test_in_doubt_a_shared_harmless_step_is_taken_and_without_one_it_is_asked(talk: Talk) -> None:
    now = decided(talk)
    possible = shared(talk)
    live = [problem for problem in talk.problems if best(problem) not in (None, (0, 0))]
    if talk.reading.none > 0.5 + 1e-9:
        assert (type(now.decision).__name__, now.tools) == ("Explore", ())
    elif not live:
        assert isinstance(now.decision, Done | Blocked)
    elif possible:
        assert isinstance(now.decision, Act | Instruct | Clarify)
        assert not asks_for_goal(now)
        step = next_step(now.decision)
        assert step is not None
        assert step._replace(outcome=-1) in possible
        assert commits_to_none(talk.domain, step)
        calls = {call for call in possible if call.action in talk.domain.tools}
        assert not calls or step.action in talk.domain.tools
    else:
        assert asks_for_goal(now)
        assert now.tools == ()


@settings(max_examples=60, deadline=None)
@given(talks(), st.sampled_from(["one", "ties", "parallel", "recovery"]))
def test_in_doubt_no_mode_shows_more_than_shared_harmless_steps(talk: Talk, mode: str) -> None:
    now = frontier_of(talk.domain, talk.reading, state=talk.state, mode=mode, **BY)
    if now.signals and not isinstance(now.decision, Done | Blocked):
        assert {step._replace(outcome=-1) for step in now.steps} <= shared(talk)
        assert mode != "ties" or {step._replace(outcome=-1) for step in now.steps} == shared(talk)


@settings(max_examples=150, deadline=None)
@given(talks())
def test_a_clear_goal_is_pursued_as_if_it_were_named(talk: Talk) -> None:
    clear = reading_of("do it", [(talk.reading.candidates[0].goals, 0.9)])
    now = decided(talk, clear)
    forget(talk.domain)
    named = frontier(talk.domain, state=talk.state, goal=clear.candidates[0].goals, **BY)
    assert (now.decision, now.tools, now.steps) == (named.decision, named.tools, named.steps)
    assert not asks_for_goal(now)


@settings(max_examples=100, deadline=None)
@given(talks())
def test_a_clear_goal_of_which_nothing_is_to_be_asked_never_asks(talk: Talk) -> None:
    goals = talk.reading.candidates[0].goals
    forget(talk.domain)
    now = frontier(talk.domain, state=talk.state, candidates=[(goals, 0.9)], forbid=talk.domain.asks, **BY)
    assert not isinstance(now.decision, Clarify)


@settings(max_examples=100, deadline=None)
@given(talks())
def test_the_probabilities_of_all_outcomes_add_up_to_one(talk: Talk) -> None:
    now = decided(talk)
    first = talk.reading.candidates[0].goals
    for reading in (now.reading, answer_goal(talk.reading, [first], first), answer_goal(talk.reading, [first], ())):
        assert reading is not None
        assert abs(sum(candidate.p for candidate in reading.candidates) + reading.none - 1) < 1e-9


@settings(max_examples=100, deadline=None)
@given(talks())
def test_an_answer_ends_the_question_and_nothing_is_offered_twice(talk: Talk) -> None:
    """After "none of these" there may be another question, for goals that were not offered."""
    now, reading, past = decided(talk), talk.reading, set[Goals]()
    while isinstance(now.decision, Clarify) and isinstance(question := now.decision.question, GoalQuestion):
        *offered, none = [option.goals for option in question.options]
        assert len(set(offered)) == len(offered) <= 4 and not none
        assert past.isdisjoint(offered)
        for goals in offered:
            assert not asks_for_goal(decided(talk, answer_goal(reading, offered, goals)))
        past |= set(offered)
        reading = answer_goal(reading, offered, ())
        now = decided(talk, reading)


@settings(max_examples=60, deadline=None)
@given(talks())
def test_the_shared_prefix_is_made_of_shared_steps_and_no_walk_is_longer(talk: Talk) -> None:
    prefix = steps_before_question(talk.domain, talk.reading, state=talk.state, **BY)
    assert prefix.longest
    if any(step.outcome >= 0 or _branches(talk.domain, step) for step in prefix.steps):
        return
    at = talk
    for step in prefix.steps:
        assert step in shared(at)
        state = successor(build(at.domain, at.state, ""), build(at.domain, at.state, "").state, step)
        at = replace(at, state=state)
    walked, at = 0, talk
    while (step := _shared_step(at)) is not None and not _branches(talk.domain, step):
        problem = build(at.domain, at.state, "")
        at = replace(at, state=successor(problem, problem.state, step))
        if any(best(problem) == (0, 0) for problem in at.problems):
            break
        walked += 1
    assert walked <= len(prefix.steps)


def _branches(domain: Domain, step: Step) -> bool:
    return step.action in domain.tools and bool(domain.tools[step.action].outcomes)


def _shared_step(talk: Talk) -> Step | None:
    now = decided(talk)
    doubted = now.signals and isinstance(now.decision, Act | Instruct | Clarify)
    return next_step(now.decision) if doubted and not now.left else None


def test_the_laws_meet_what_they_speak_of() -> None:
    seen = {"shared": 0, "asked": 0, "question": 0, "left": 0, "prefix": 0}
    for talk in filter(_is_usable, (_talk(Random(seed)) for seed in range(150))):
        now = decided(talk)
        seen["asked"] += asks_for_goal(now)
        seen["shared"] += isinstance(now.decision, Act | Instruct) and bool(now.signals)
        seen["question"] += isinstance(now.decision, Clarify) and isinstance(now.decision.question, Question)
        seen["left"] += bool(now.left)
        seen["prefix"] += len(steps_before_question(talk.domain, talk.reading, state=talk.state, **BY).steps) > 1
    assert min(seen.values()) >= 2, seen
