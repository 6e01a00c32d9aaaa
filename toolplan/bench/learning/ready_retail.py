"""The shop of tau-bench, to be played with written contracts.

What a customer wants is told in sentences of few forms, which patterns read: no oracle. Items are told by what they are like, and which numbers
they have would have to be looked up, in calls that the gold leaves out: no contract speaks of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from toolplan.bench.learning.datasets import retail
from toolplan.bench.learning.ready import Conversation, Request, Turn
from toolplan.domain import Domain
from toolplan.goals.readings import reading_of
from toolplan.language.loading import loads
from toolplan.learning.traces import Execution, Requested
from toolplan.planning.plans import Atom
from toolplan.session.turns import Stated, TurnReading

MEMBER = r"'{}': '(?P<{}>[^']*)'"
ADDRESS = {"address1": "street", "address2": "door", "city": "city", "country": "country", "state": "state", "zip": "zip"}
FORMS = {
    "cancel": r"Cancel order (?P<order>#\w+) because (?P<reason>[^.]+)\.",
    "pay": r"For (?P<order>#\w+), change payment to (?P<payment>\w+)\.",
    "send": r"For (?P<order>#\w+), change address to \{[^}]*?" + ", ".join(MEMBER.format(*pair) for pair in ADDRESS.items()),
}
"""What a customer says for each goal, with the facts that it tells."""


@cache
def domain() -> Domain:
    """The contracts."""
    return loads(files("toolplan.bench.learning").joinpath("retail.toolplan").read_text("utf-8"))


def conversations(folder: Path) -> Iterator[Conversation]:
    """One for each task of `folder`, in order."""
    for name, records in groupby(retail(folder), key=lambda record: record.trace):
        known = list(records)
        said = " ".join(record.text for record in known if isinstance(record, Requested))
        calls = tuple(record for record in known if isinstance(record, Execution))
        yield Conversation(name, domain(), {}, (Turn(tuple(_requests(said, calls)), calls),), lambda _: None)


def _requests(said: str, calls: tuple[Execution, ...]) -> Iterator[Request]:
    """What is wanted, in the order in which it is said."""
    found = [(told.start(), goal, told.groupdict()) for goal, form in FORMS.items() for told in re.finditer(form, said)]
    for _, goal, facts in sorted(found, key=lambda each: each[0]):
        stated = tuple(Stated(Atom(fact), words, words) for fact, words in facts.items())
        yield Request(TurnReading(said, reading_of(said, [((goal,), 1.0)]), stated), (_named(goal, facts),), calls[-1])


def _named(goal: str, facts: dict[str, str]) -> tuple[str, dict[str, object]]:
    """The call that does what is wanted."""
    tool = next(tool for tool in domain().tools.values() if domain().goals[goal].achieves in {effect.atom for effect in tool.produces})
    return tool.call_name, {parameter: facts[str(source)] for parameter, source in tool.interface.passes.items()}
