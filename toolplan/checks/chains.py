"""A chain that a test expects, held against the walk that the frontier makes; where they differ, how, and why the found one is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from toolplan.checks.needs import standing
from toolplan.checks.wording import tick
from toolplan.checks.worlds import World, described, matches, why_not
from toolplan.domain import AtomicFormula
from toolplan.frontier import Done
from toolplan.language.numerals import numeral
from toolplan.planning.causes import positive_atoms
from toolplan.planning.plans import Step, written
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, goal_reached, score, successor

MOST_TRIES = 10_000
"""States looked at to find arguments for steps that were written without them."""

Chain = Sequence[AtomicFormula]
Accept = Callable[[State, tuple[Step, ...]], bool]


def differences(world: World, expected: Chain) -> list[str]:
    """How `expected` differs from the walk in `world`, and why; nothing where it is the walk, up to the order of independent steps."""
    problem, walk = world.problem, world.walk
    found = walk.steps
    if isinstance(walk.end, Done):
        if len(found) == len(expected) and all(map(matches, expected, found)):
            return []
        if follow(problem, expected, found, lambda state, steps: Counter(steps) == Counter(found) and goal_reached(problem, state))[1]:
            return []
    followed, reaches = follow(problem, expected, _steps_of(problem, expected), lambda state, _: goal_reached(problem, state))
    lines = _diff(problem, expected, found)
    if not isinstance(walk.end, Done):
        lines.append(f"found: after {len(found)} steps {described(walk.end)}" if found else f"found: {described(walk.end)}")
    return [*lines, *(_compared(problem, followed, found) if reaches else [_stops(problem, expected, followed)])]


def follow(problem: Problem, expected: Chain, choices: Sequence[Step], accept: Accept) -> tuple[tuple[Step, ...], bool]:
    """Steps out of `choices` that run as `expected` is written, and whether `accept` takes their end; else the longest start of such."""
    longest: tuple[Step, ...] = ()
    tries = 0

    def search(state: State, steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
        nonlocal longest, tries
        tries += 1
        longest = steps if len(steps) > len(longest) else longest
        if len(steps) == len(expected):
            return steps if accept(state, steps) else None
        for step in choices:
            if tries < MOST_TRIES and matches(expected[len(steps)], step) and applicable(problem, state, step):
                taken = search(successor(problem, state, step), (*steps, step))
                if taken is not None:
                    return taken
        return None

    accepted = search(problem.state, ())
    return (longest, False) if accepted is None else (accepted, True)


def _steps_of(problem: Problem, expected: Chain) -> list[Step]:
    names = {item.fact for item in expected}
    return [step for step in problem.steps() if step.action in names]


def _compared(problem: Problem, expected: Sequence[Step], found: Sequence[Step]) -> list[str]:
    """The scores of two ways to the goal."""
    scores = [score(problem, expected), score(problem, found)]
    texts = [
        f"{numeral(value)} in {len(steps)} step{'' if len(steps) == 1 else 's'}"
        for value, steps in zip(scores, (expected, found), strict=True)
    ]
    if scores[0] == scores[1] and len(expected) == len(found):
        return [f"why: both score {texts[0]}, a tie; a cost or a risk would decide it"]
    more = f"{numeral(scores[0] - scores[1])} more" if scores[0] != scores[1] else f"as much with {len(expected) - len(found)} more"
    return [f"why: the expected chain scores {texts[0]}, the found one {texts[1]}: {more}"]


def _stops(problem: Problem, expected: Chain, followed: Sequence[Step]) -> str:
    """Where the expected chain cannot go on, and for want of what."""
    state = problem.state
    for step in followed:
        state = successor(problem, state, step)
    if len(followed) == len(expected):
        absent = [atom for atom in dict.fromkeys(positive_atoms(problem, problem.goal, {})) if atom not in state.known]
        shown = [f"{tick(atom)} is {standing(problem, state, atom).value}" for atom in absent]
        return f"why: after the expected chain {', '.join(shown) or 'what is wanted does not hold'}"
    stopped = expected[len(followed)]
    return f"why: {tick(text_of(stopped))} cannot run as step {len(followed) + 1}: {why_not(replace(problem, state=state), stopped)}"


def text_of(item: AtomicFormula) -> str:
    """A step or an atom as the language writes it."""
    return written(item.fact, tuple(term.name for term in item.terms))


def _diff(problem: Problem, expected: Chain, found: Sequence[Step]) -> list[str]:
    """Both chains, line by line: `-` is only expected, `+` only found. Each step with what it adds to the score."""
    rows: list[tuple[str, str, Fraction]] = []
    i = j = 0
    for before, after in _pairs(expected, found):
        rows += [("-", text_of(item), _score(problem, item.fact)) for item in expected[i:before]]
        rows += [("+", str(step), _score(problem, step.action)) for step in found[j:after]]
        rows += [(" ", str(step), _score(problem, step.action)) for step in found[after : after + 1]]
        i, j = before + 1, after + 1
    width = max((len(row[1]) for row in rows), default=0)
    return [f"{mark} {text:<{width}}  {numeral(value)}" for mark, text, value in rows]


def _score(problem: Problem, action: str) -> Fraction:
    return problem.domain.score_of(problem.domain.action(action))


def _pairs(expected: Chain, found: Sequence[Step]) -> list[tuple[int, int]]:
    """The longest common part: places in both, in order, and the two ends."""
    longest = [[0] * (len(found) + 1) for _ in range(len(expected) + 1)]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(found))):
            same = matches(expected[i], found[j])
            longest[i][j] = longest[i + 1][j + 1] + 1 if same else max(longest[i + 1][j], longest[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(expected) and j < len(found):
        if matches(expected[i], found[j]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return [*pairs, (len(expected), len(found))]
