"""What an import leaves to the author, and what of a server's words may be a lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolplan.catalog import RealTool
from toolplan.checks.wording import listed
from toolplan.importing.tools.arguments import Arguments
from toolplan.importing.tools.kinds import Composed
from toolplan.importing.tools.ratings import Ground, Rater, contradiction
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted, visible

DOUBTFUL = 0.8
"""The confidence below which a link is to be looked at."""

GROUNDS: Mapping[Ground, str] = {
    Ground.MISSING: "rated {} for want of a hint",
    Ground.CLAIMED: "rated {} though the server claims less, which --trust would believe",
    Ground.BELIEVED: "rated as the server says, which nobody has checked",
}
"""What is open about the risk of a tool, by why it is rated so."""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One thing to look at, and for which names it is so."""

    message: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.message}: {listed(map(visible, self.names), 'and')}"

    def to_dict(self) -> dict[str, object]:
        """The point as JSON."""
        return {"message": self.message, "names": list(self.names)}


def open_points(tools: Sequence[RealTool], taken: Arguments, rater: Rater) -> tuple[OpenPoint, ...]:
    """What the author of the contracts of `tools` has to look at, the risks first."""
    return tuple(OpenPoint(message, names) for message, names in _points(tools, taken, rater) if names)


def _points(tools: Sequence[RealTool], taken: Arguments, rater: Rater) -> Iterator[tuple[str, tuple[str, ...]]]:
    rated = {tool.name: rater.rating(tool) for tool in tools}
    for ground, message in GROUNDS.items():
        yield message.format(quoted(rater.gravest.name)), tuple(name for name, rating in rated.items() if rating.ground is ground)
    links = [(carried, link) for carried in taken.carried for link in carried.producers.values()]
    yield "links to look at", tuple(f"{link.producer} -> {carried.name}" for carried, link in links if link.confidence < DOUBTFUL)
    told = [tool for tool in tools if any(taken.told_by(tool.name))]
    yield "results that tell facts, whose schema is not known: say with `returns` where", tuple(t.name for t in told if not t.results)
    written = [
        f"{tool}.{name}" for (tool, name), kind in taken.kinds.items() if isinstance(kind, Composed) and name in _required(tools, tool)
    ]
    yield "arguments that the model has to write", tuple(written)
    yield "what the server takes and no argument stands for", tuple(f"{tool.name}: {lost}" for tool in tools for lost in tool.left_out)


def _required(tools: Sequence[RealTool], name: str) -> tuple[str, ...]:
    return next(tool.required for tool in tools if tool.name == name)


def contradictions(tools: Sequence[RealTool], rater: Rater) -> Iterator[Diagnostic]:
    """Tools whose hints deny what their names say. Whatever is believed of the server, these hints are not."""
    for tool in tools:
        if word := contradiction(tool):
            message = f"{quoted(tool.name)} is called {quoted(word)}, and its server claims that it does no harm"
            yield Diagnostic(
                Code.CONTRADICTS_HINT, message, None, f"it is rated {quoted(rater.gravest.name)}; see what it does before that is changed"
            )
