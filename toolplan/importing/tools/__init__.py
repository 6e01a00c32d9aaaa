"""Real tools to a domain that can be used at once: contracts from schemas, hints and the links between results and arguments.

- `imported`: the domain of a list of tools, as a file with what is left to its author.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from toolplan.catalog import Catalog, RealTool
from toolplan.domain import Domain
from toolplan.importing import tree
from toolplan.importing.linking import Link, links
from toolplan.importing.tools.contracts import Commented, Contracts
from toolplan.importing.tools.naming import NONE_GIVEN, Given, identifier
from toolplan.importing.tools.open_points import OpenPoint, contradictions, open_points
from toolplan.importing.tools.ratings import Rater, Trust
from toolplan.language import nodes
from toolplan.language.diagnostics import Diagnostic
from toolplan.language.layout import WIDTH
from toolplan.language.loading import loads

__all__ = ["Given", "Imported", "Link", "OpenPoint", "Rater", "Trust", "imported"]

RATER = Rater()


@dataclass(frozen=True, eq=False)
class Imported:
    """A domain of real tools: `text` is its file. `open_points` is what its author has to look at, `warnings` what may be a lie.

    `links` are those that made their way into the contracts, `names` those of contracts and facts.
    """

    domain: Domain
    text: str
    warnings: tuple[Diagnostic, ...]
    open_points: tuple[OpenPoint, ...]
    links: tuple[Link, ...]
    names: Given


def imported(tools: Sequence[RealTool], *, name: str, rater: Rater = RATER, given: Given = NONE_GIVEN) -> Imported:
    """The domain `name` of `tools`. Contracts and facts have the names that were `given` them before, the others new ones.

    Unless `rater` trusts the hints of its server, no tool is less risky than the gravest. Raises DomainError where two tools have one name.
    """
    contracts = Contracts(tuple(Catalog(tools).values()), links(tools), rater, given)
    points = open_points(contracts.tools, contracts.arguments, rater)
    header = Commented(tuple(_head(points)), (nodes.Header(tree.name(identifier(name, "domain")), None, tree.NOWHERE),))
    text = _written([header, *contracts.groups()])
    taken = tuple(link for carried in contracts.arguments.carried for link in carried.producers.values())
    names = Given(contracts.names, {place: fact.name for place, fact in contracts.arguments.facts.items()})
    return Imported(loads(text), text, tuple(contradictions(tools, rater)), points, taken, names)


def _written(groups: Iterable[Commented]) -> str:
    """The declarations with the comments above them, each on as many lines as it needs: the one layout of the language."""
    return "\n".join("".join(map(_comment, comments)) + tree.formatted(group) for comments, group in groups)


def _comment(words: str) -> str:
    lines = wrap(words, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)


def _head(points: Iterable[OpenPoint]) -> Iterator[str]:
    yield "Imported by toolplan. The exact schemas of the tools stand beside this file, in one that ends in `.tools.json`."
    for point in points:
        yield f"Open: {point}."
