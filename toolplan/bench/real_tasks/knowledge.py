"""What is known in a run: to the contracts as a state, and to a model in words. It follows from the request and from calls that have worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from toolplan.bench.real_tasks.tasks import GoldCall, Task, knowing
from toolplan.domain import Domain, Tool
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Step
from toolplan.planning.semantics import successor
from toolplan.session.results import Found, Read, read_result


class Knowledge:
    """What is known of `task` as its request was read."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.state = knowing(task.state, {one.atom: one.value for one in task.reading.stated})
        self.told = {**task.before, **{str(one.atom): str(one.value) for one in task.reading.stated}}

    def tell(self, values: Mapping[str, object]) -> None:
        """A model is told these values of facts, too."""
        self.told = {**self.told, **{fact: str(value) for fact, value in values.items()}}

    def learn(self, call: GoldCall) -> None:
        """`call` has worked: what it was passed is known, what its contract brings, and the values that its result has."""
        toolbox = self._task.toolbox
        domain, contract = toolbox.domain, toolbox.domain.tools[toolbox.contracts[call.tool]]
        passed = {fact: wanted.value for name, wanted in call.arguments.items() if (fact := toolbox.fact_of(call.tool, name))}
        before = knowing(self.state, {Atom(fact): value for fact, value in passed.items() if not domain.facts[fact].parameters})
        after = successor(build(domain, before, ()), before, Step(contract.name, call.entities))
        found = found_in(domain, contract, call.result, self._task.now)
        self.state = replace(after, values={**before.values, **{Atom(fact): value for fact, value in found.items()}})
        self.tell(found)
        self.tell(call.changes or {f"{call.tool} answered": call.told})


def found_in(domain: Domain, contract: Tool, result: object, now: datetime) -> dict[str, object]:
    """The values that `contract` finds in a result, by fact, the first where there are several."""
    read = read_result(domain, contract, result, now, {})
    facts = read.facts if isinstance(read, Read) else {}
    return {atom.fact: found.matches[0].value for atom, found in facts.items() if isinstance(found, Found)}
