"""Times of day that earlier turns said, once a turn says of which day they are: "move it to 4 PM", and then "it is on Friday"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toolplan.planning.plans import Atom
from toolplan.planning.problem import ground
from toolplan.session.readers.answering import answers
from toolplan.session.readers.assigning import Value
from toolplan.session.readers.interpreting import Interpretation
from toolplan.session.readers.moments import day_of, moment, time_of
from toolplan.session.readers.openings import openings_of
from toolplan.session.readers.phrases import best_match
from toolplan.session.readers.things import vocabulary
from toolplan.session.readers.tokens import tokens
from toolplan.session.turns import Asked, Context
from toolplan.values import found

Binding = Mapping[str, str]


def complete(turn: Interpretation) -> None:
    """State the moments of the goals before `turn` that it only says the day of: their times of day were said earlier."""
    for goal, binding in turn.goals_before:
        openings = openings_of(turn.context.domain, goal)
        for formula in openings.moments:
            atom = ground(formula, binding)
            days = [ground(place[0], binding) for place in openings.days_of(formula)]
            if atom not in turn.stated:
                _complete(turn, goal, binding, atom, days)


def _complete(turn: Interpretation, goal: str, binding: Binding, atom: Atom, days: list[Atom]) -> None:
    """State the moment `atom`, if `turn` says its day: by one of `days`, or where there are none, by a day that nothing else was made of."""
    stated = next((turn.stated[day] for day in days if day in turn.stated), None)
    left = [token.value for token in turn.left if token.value is not None and token.value.kind == "date" and not days]
    known = turn.context.state.values.get(atom)
    if known is None and (stated is not None or left):
        value = _said_before(turn, goal, binding, atom)
        if value is not None:
            turn.state(atom, Value(value, stated.words if stated is not None else left[0].words))
    elif stated is not None and day_of(known) == day_of(turn.context.state.values.get(stated.atom)):
        # The moment was said for the day that is put right now.
        day, time = day_of(stated.value), time_of(known)
        if day is not None and time is not None:
            turn.state(atom, Value(moment(day, time, turn.now), stated.words))


def _said_before(turn: Interpretation, goal: str, binding: Binding, atom: Atom) -> object | None:
    """The value of `atom` that the latest of the earlier turns has, now that the day is known; None where none has any."""
    context = turn.context
    values = {**context.state.values, **{known: stated.value for known, stated in turn.stated.items()}}
    knowing = replace(context, state=replace(context.state, values=values), said=(turn.text,))
    for text in reversed(context.said):
        value = _reread(knowing, text, goal, binding, atom)
        if value is not None:
            return value
    return None


def _reread(context: Context, text: str, goal: str, binding: Binding, atom: Atom) -> object | None:
    """What `text` says of `atom`: where it wants `goal`, by its phrases, else as an answer."""
    domain = context.domain
    earlier = Interpretation(context, text, tokens(text, found(text, context.now)))
    match = best_match(domain.goals[goal], openings_of(domain, goal).facts, earlier.turn, vocabulary(domain).verbs)
    if match is not None:
        earlier.wish(goal, match, binding)
    else:
        answers(Asked("", (atom,)), earlier, may_be_text=False)
    stated = earlier.stated.get(atom)
    return None if stated is None else stated.value
