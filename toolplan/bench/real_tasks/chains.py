"""How far the calls of a task have come, and whether a call is one of those that are due."""

from __future__ import annotations

from collections.abc import Mapping

from toolplan.bench.real_tasks.arguments import wrong_arguments
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.runs.playing import Told


class Chain:
    """The gold calls of a task, and which of them have been made."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._made: set[int] = set()

    @property
    def is_done(self) -> bool:
        """Whether all have been made."""
        return len(self._made) == len(self._task.gold)

    @property
    def left(self) -> list[GoldCall]:
        """Those that were not made, the due ones first."""
        return [*self.due, *(call for place, call in enumerate(self._task.gold) if place not in self._made and not self._is_due(place))]

    @property
    def due(self) -> list[GoldCall]:
        """Those that can be made now."""
        return [call for place, call in enumerate(self._task.gold) if self._is_due(place)]

    def make(self, tool: str, arguments: Mapping[str, object]) -> GoldCall | Told:
        """The call of the gold that this is, made now; or what is wrong with it."""
        real = next(each for each in self._task.toolbox.tools if each.name == tool)
        wrong: list[tuple[str, ...]] = []
        for place, call in enumerate(self._task.gold):
            if self._is_due(place) and call.tool == tool:
                if not (differing := wrong_arguments(real, call.arguments, arguments)):
                    self._made.add(place)
                    return call
                wrong.append(differing)
        if wrong:
            return Told("wrong arguments", ", ".join(sorted(wrong, key=len)[0]))
        if any(call.tool == tool for call in self.left):
            return Told("not now", "another call has to come first")
        return Told("wrong tool", "this does not help")

    def _is_due(self, place: int) -> bool:
        return place not in self._made and self._task.gold[place].after <= self._made
