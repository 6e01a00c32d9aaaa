"""Probabilities that mean what they say: temperature scaling (Guo, Pleiss, Sun and Weinberger 2017), with a bias for none of the goals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from operator import mul
from typing import NamedTuple, TypeGuard

from toolplan.domain import Domain
from toolplan.goals.readings import GoalRanker, Goals, Reading, reading_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.source import Location, Source, Span
from toolplan.planning.problem import State

VERSION = 1
COLDEST, HOTTEST = 0.05, 20.0
"""Between these temperatures a ranker has something to say."""
STRONGEST_BIAS = 10.0
CAUTION = 5.0
"""How strongly a calibration is held to changing nothing: a handful of requests, so that it takes more than that to be moved far."""
ROUNDS = 50
SHORTEST = 1e-9


class Calibration(NamedTuple):
    """Log probabilities are divided by `temperature`, then `bias` is added to that of none of the goals."""

    temperature: float = 1.0
    bias: float = 0.0


UNCHANGED = Calibration()


class Judged(NamedTuple):
    """A reading and what was meant: no goals where it was none of them."""

    reading: Reading
    goals: Goals


class Calibrated:
    """A ranker whose readings are calibrated."""

    def __init__(self, ranker: GoalRanker, calibration: Calibration) -> None:
        self._ranker = ranker
        self._calibration = calibration

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        """The reading of the ranker within, calibrated."""
        return calibrated(self._ranker.rank(request, domain, state), self._calibration)


def calibrated(reading: Reading, calibration: Calibration) -> Reading:
    """`reading` with calibrated probabilities. Its order stays; what had no probability has none afterwards."""
    temperature, bias = calibration
    outcomes = [(candidate.goals, math.log(candidate.p) / temperature) for candidate in reading.candidates]
    none = math.log(reading.none) / temperature + bias if reading.none > 0 else -math.inf
    highest = max([none, *(score for _, score in outcomes)])
    weights = [(goals, math.exp(score - highest)) for goals, score in outcomes]
    total = math.fsum((math.exp(none - highest), *(weight for _, weight in weights)))
    return reading_of(reading.request, [(goals, weight / total) for goals, weight in weights], reading.findings)


def fit(judged: Iterable[Judged]) -> Calibration:
    """The calibration under which what was meant is likeliest, held to `UNCHANGED` by `CAUTION`.

    The loss is convex in the inverse of the temperature and in the bias, so Newton's method with halved steps finds its only minimum. What
    a reading does not name says nothing about either.
    """
    choices = [choice for reading, goals in judged if (choice := _choice(reading, goals))]
    at = Point(1.0, 0.0)
    for _ in range(ROUNDS):
        gradient, (xx, xy, yy) = _slopes(choices, at)
        determinant = xx * yy - xy * xy
        step = Point(
            (yy * gradient.sharpness - xy * gradient.bias) / determinant, (xx * gradient.bias - xy * gradient.sharpness) / determinant
        )
        before, length = _loss(choices, at), 1.0
        while length > SHORTEST and not _loss(choices, moved := _moved(at, step, length)) < before:
            length /= 2.0
        if length <= SHORTEST:
            break
        at = moved
    return Calibration(round(1.0 / at.sharpness, 4), round(at.bias, 4))


def write_calibration(calibration: Calibration, ranker: str) -> str:
    """`calibration` of the ranker called `ranker`, as the text of a file."""
    return json.dumps({"version": VERSION, "ranker": ranker, **calibration._asdict()}, indent=2) + "\n"


def ranker_of(source: Source) -> str:
    """The name of the ranker to which the calibration in `source` belongs; empty where that is not said."""
    match _read(source):
        case {"ranker": str(name)}:
            return name
        case _:
            return ""


def _read(source: Source) -> object:
    try:
        return json.loads(source.text)
    except (ValueError, RecursionError):
        return None


def read_calibration(source: Source, ranker: str) -> Calibration:
    """The calibration in `source`. Raises DomainError where it is none, is of another version, or belongs to another ranker."""
    match _read(source):
        case {"version": version, "ranker": str(name), "temperature": temperature, "bias": bias}:
            fault = _mismatch(version, name, ranker)
            if not fault and _is_within(temperature, COLDEST, HOTTEST) and _is_within(bias, -STRONGEST_BIAS, STRONGEST_BIAS):
                return Calibration(float(temperature), float(bias))
        case _:
            fault = ""
    location = Location(source, Span(0, len(source.text.rstrip())))
    raise DomainError([Diagnostic(Code.BAD_JSON, fault or "this is no calibration", location, "`toolplan calibrate` writes one")])


def _is_within(number: object, low: float, high: float) -> TypeGuard[float]:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and low <= number <= high


def _mismatch(version: object, name: str, ranker: str) -> str:
    if version != VERSION:
        return f"the calibration is of version {version}, not {VERSION}"
    return f"the calibration is of the ranker `{name}`, not `{ranker}`" if name != ranker else ""


class Point(NamedTuple):
    """The inverse of a temperature, and a bias."""

    sharpness: float
    bias: float


class Choice(NamedTuple):
    """The log probabilities of what a reading names, that of none last, and which of them was meant."""

    logarithms: tuple[float, ...]
    meant: int


def _choice(reading: Reading, goals: Goals) -> Choice | None:
    """None where the reading says that what was meant cannot be, or knows nothing but none."""
    outcomes = [candidate.goals for candidate in reading.candidates]
    if not outcomes or reading.none <= 0 or (goals and goals not in outcomes):
        return None
    logarithms = (*(math.log(candidate.p) for candidate in reading.candidates), math.log(reading.none))
    return Choice(logarithms, outcomes.index(goals) if goals else len(outcomes))


def _scores(choice: Choice, at: Point) -> list[float]:
    scores = [at.sharpness * logarithm for logarithm in choice.logarithms]
    scores[-1] += at.bias
    return scores


def _loss(choices: Sequence[Choice], at: Point) -> float:
    loss = CAUTION * ((at.sharpness - 1.0) ** 2 + at.bias**2) / 2.0
    for choice in choices:
        scores = _scores(choice, at)
        highest = max(scores)
        loss += highest + math.log(math.fsum(math.exp(score - highest) for score in scores)) - scores[choice.meant]
    return loss


def _slopes(choices: Sequence[Choice], at: Point) -> tuple[Point, tuple[float, float, float]]:
    """The gradient of the loss, and its second derivatives: by sharpness twice, by both, by bias twice."""
    sharpness, bias = CAUTION * (at.sharpness - 1.0), CAUTION * at.bias
    xx, xy, yy = CAUTION, 0.0, CAUTION
    for choice in choices:
        scores = _scores(choice, at)
        highest = max(scores)
        weights = [math.exp(score - highest) for score in scores]
        total = math.fsum(weights)
        none = weights[-1] / total
        mean = math.fsum(map(mul, weights, choice.logarithms)) / total
        square = math.fsum(weight * logarithm**2 for weight, logarithm in zip(weights, choice.logarithms, strict=True)) / total
        sharpness += mean - choice.logarithms[choice.meant]
        bias += none - (choice.meant == len(scores) - 1)
        xx += square - mean**2
        xy += none * (choice.logarithms[-1] - mean)
        yy += none * (1.0 - none)
    return Point(sharpness, bias), (xx, xy, yy)


def _moved(at: Point, step: Point, length: float) -> Point:
    """`at`, moved against `step`, between the hottest and the coldest temperature."""
    sharpness = min(max(at.sharpness - length * step.sharpness, 1.0 / HOTTEST), 1.0 / COLDEST)
    return Point(sharpness, min(max(at.bias - length * step.bias, -STRONGEST_BIAS), STRONGEST_BIAS))
