"""Candidates as callers and rankers give them: goals with confidences. Every mistake is collected, none is mended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from numbers import Real

from toolplan.goals.readings import Candidate, Goals, Reading, reading_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.language.source import Location, Source, Span

ROUNDING = 1e-9
"""How far a confidence may be off before it counts: sums of decimals are not exact."""
EXAMPLE = 'such as [("move_event", 0.6), (("move_event", "archive_email"), 0.2), (None, 0.1)]'


def reading_from(candidates: object, request: str = "") -> Reading:
    """The reading that gives these confidences: pairs of goals and a number, or a mapping.

    Goals are a text, several texts that are wanted together, or None for none of the others. What is no such pair, or no number from 0 to
    1, is left out, and if all together are more than 1, everything is; the findings say so. Whether the domain has the goals is not
    looked at.
    """
    pairs = candidates.items() if isinstance(candidates, Mapping) else candidates
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        return reading_of(request, (), [_finding(Source("<candidates>", _shown(candidates)), "the candidates are no collection of pairs")])
    entries = [_Entry(pair) for pair in pairs]
    findings = list(chain.from_iterable(entry.findings for entry in entries))
    weights = [(entry.goals, entry.p) for entry in entries if not entry.findings]
    if sum(p for _, p in weights) > 1 + ROUNDING:
        whole = Source("<candidates>", ", ".join(entry.source.text for entry in entries))
        findings.append(_finding(whole, "the confidences add up to more than 1", "what they leave over belongs to none of these"))
        weights = []
    return reading_of(request, ((goals, p) for goals, p in weights if goals), findings)


def is_sound(candidates: Sequence[Candidate]) -> bool:
    """Whether `candidates` are what `reading_from` makes of them: nothing is wrong with any, no goals are there twice, the most probable is first."""
    if not all(type(one.p) is float and one.p > 0 and _are_names(one.goals) for one in candidates):
        return False
    confidences = [one.p for one in candidates]
    is_in_order = confidences == sorted(confidences, reverse=True)
    return is_in_order and sum(confidences) <= 1 + ROUNDING and len({one.goals for one in candidates}) == len(candidates)


def _are_names(goals: object) -> bool:
    return isinstance(goals, tuple) and bool(goals) and all(isinstance(goal, str) and goal.strip() for goal in goals)


class _Entry:
    """One pair, as it was written, and what is wrong with it."""

    def __init__(self, pair: object) -> None:
        self.goals: Goals = ()
        self.p = 0.0
        self.findings: list[Diagnostic] = []
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            self.source = Source("<candidates>", _shown(pair))
            self.findings.append(_finding(self.source, "a candidate is a pair of goals and a confidence"))
            return
        name, value = _named(pair[0]), _shown(pair[1])
        self.source = Source("<candidates>", f"{name}={value}")
        self._read_goals(pair[0], Span(0, len(name)))
        self._read_p(pair[1], Span(len(name) + 1, len(name) + 1 + len(value)))

    def _read_goals(self, goals: object, place: Span) -> None:
        if goals is None:
            return
        several = (goals,) if isinstance(goals, str) else goals
        if isinstance(several, tuple | list) and several and all(isinstance(goal, str) and goal.strip() for goal in several):
            self.goals = tuple(several)
        else:
            self.findings.append(_finding(self.source, "the goals of a candidate are a text or several texts", EXAMPLE, place))

    def _read_p(self, p: object, place: Span) -> None:
        if isinstance(p, bool) or not isinstance(p, Real | Decimal):
            self.findings.append(_finding(self.source, "a confidence is a number from 0 to 1", EXAMPLE, place))
        elif not 0 <= (value := float(p)) <= 1:
            above = "below 0" if value < 0 else "above 1" if value > 1 else "no number"
            self.findings.append(_finding(self.source, f"a confidence is a number from 0 to 1, and this one is {above}", EXAMPLE, place))
        else:
            self.p = value


def _finding(source: Source, message: str, hint: str = EXAMPLE, place: Span | None = None) -> Diagnostic:
    return Diagnostic(Code.BAD_CALL, message, Location(source, place or Span(0, len(source.text))), hint)


def _named(goals: object) -> str:
    if goals is None:
        return "none"
    several = isinstance(goals, tuple | list) and all(isinstance(goal, str) for goal in goals)
    return " and ".join(goals) if several and isinstance(goals, tuple | list) else _shown(goals)


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
