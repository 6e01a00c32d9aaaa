"""One conversation whose model follows a script, and the processor time that its host takes between two words of the model."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use

LAST = "The message is filed."


class Talk:
    """Conversation `number`: what its model says, and what its tools give.

    A step is all that the host does until it asks the model again, or ends: the first hears the user, the others run what the model has called.
    `steps` are their times, in microseconds of processor time of the whole process.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.steps: list[float] = []
        self._lines: Iterator[Use | str] = iter([*desk.uses(number), LAST])
        self._expected, self._ran = [use.tool for use in desk.uses(number)], list[str]()
        self._since = 0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """The host talks with the user in it, from their request on. Raises RuntimeError where it does not come to its end."""
        self._since = time.process_time_ns()
        yield
        self._note()
        if self._ran != self._expected or next(self._lines, None) is not None:
            raise RuntimeError(f"the conversation went another way: {', '.join(self._ran)}")

    def asked(self) -> Use | str:
        """What the model says now: a call, or at the end words."""
        self._note()
        line = next(self._lines)
        self._since = time.process_time_ns()
        return line

    def run(self, tool: str) -> dict[str, object]:
        """What `tool` gives."""
        self._ran.append(tool)
        return desk.answer(self.number, tool)

    def tool(self, name: str) -> Callable[..., dict[str, object]]:
        """The function that runs `name`."""
        return lambda **arguments: self.run(name)

    def async_tool(self, name: str) -> Callable[..., Awaitable[dict[str, object]]]:
        """The same for frameworks that would run a function in a thread."""

        async def run(**arguments: object) -> dict[str, object]:
            return self.run(name)

        return run

    def _note(self) -> None:
        self.steps.append((time.process_time_ns() - self._since) / 1e3)
