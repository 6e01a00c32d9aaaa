"""The arguments of goals that a text names without them: what the state speaks of."""

from __future__ import annotations

from itertools import islice, product

from toolplan.domain import Domain
from toolplan.goals.readings import Goals
from toolplan.planning.inputs import build
from toolplan.planning.plans import written
from toolplan.planning.problem import State

MOST_INSTANCES = 4
"""Ways to fill the parameters of the goals that are wanted together, which are worth telling apart."""


class Entities:
    """The objects of one state, by type, in order of appearance; those that tools have yet to bring are none."""

    def __init__(self, domain: Domain, state: State) -> None:
        self._domain = domain
        self._problem = build(domain, state, ())

    def instances(self, goals: Goals) -> list[Goals]:
        """The ways to give `goals`, named without arguments, all that their parameters want; none where the state has no such object."""
        choices = [self._filled(name) for name in goals]
        return list(islice(product(*choices), MOST_INSTANCES))

    def _filled(self, name: str) -> list[str]:
        parameters = self._domain.goals[name].parameters
        if not parameters:
            return [name]
        objects = [
            [name for name in self._problem.objects_of(parameter.type) if name not in self._problem.placeholders]
            for parameter in parameters
        ]
        return [written(name, arguments) for arguments in islice(product(*objects), MOST_INSTANCES)]
