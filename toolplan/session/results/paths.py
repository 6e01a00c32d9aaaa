"""Where a path leads in the JSON of a result: to values, to nothing, or nowhere.

The place of the values is known as far as the path is: what it names has to be there, and only a list or an object that is there can
be without any. So a path that leads to no value is read by its first step that finds nothing:

| the step | nothing was found | in doubt |
|---|---|---|
| a name: `.email` | never | there is no such key, or what it is looked for in is no object |
| all: `[*]`; a filter: `[?@.primary == true]`; a slice; an index: `[0]` | it selects from lists or objects | it selects from anything else |
| anywhere below: `..id` | it starts from empty lists or objects | anything else, for there is no telling where it should be |

`$.events[*].id` of `{"events": []}` is nothing; of `{}`, of `{"events": null}` and of events without any id it is in doubt; of events of
which some have an id it is those. `$.items[0].id` of `{"items": []}` is nothing. Null is no value: where a path leads to nothing else,
it is in doubt. A path to one place, such as `$.rows`, is nothing where an empty list lies there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError, JSONPathNode, JSONPathNodeList
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment, JSONPathSegment
from jsonpath_rfc9535.selectors import NameSelector

from toolplan.session.results.filters import Finds, Matches
from toolplan.session.results.labels import item_label
from toolplan.session.results.matches import MOST_MATCHES, InDoubt, Match, Nothing


class LinearEnvironment(JSONPathEnvironment):
    """JSONPath as in RFC 9535, with regular expressions that cannot be made slow."""

    def setup_function_extensions(self) -> None:
        """Put ours in the place of the functions that may backtrack."""
        super().setup_function_extensions()
        self.function_extensions |= {"match": Matches(), "search": Finds()}


ENVIRONMENT = LinearEnvironment()
ROOT = ENVIRONMENT.compile("$")


class CompiledPath:
    """A path that can be followed. Raises ValueError where `text` is no path of RFC 9535."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._query = ENVIRONMENT.compile(text)
        except (JSONPathError, RecursionError, AssertionError) as error:  # the last where its lexer meets what it never expected
            raise ValueError(str(error)) from None
        self._is_singular = self._query.singular_query()

    def follow(self, value: object) -> tuple[Match, ...] | Nothing | InDoubt:
        """What the path leads to in `value`, as it stands there; at least one match, and never null.

        Of more than `MOST_MATCHES` it stops one later.
        """
        try:
            matches = tuple(_match(node) for node in islice(self._nodes(value), MOST_MATCHES + 1))
            if self._is_singular and matches and matches[0].value == []:
                return Nothing()
            return matches or self._why_empty(value)
        except (JSONPathError, RecursionError) as error:
            return InDoubt(f"`{self.text}` cannot be followed: {error}")

    def first(self, value: object) -> object:
        """The first thing that the path leads to; None where there is none, and where the one place it leads to says no: false, 0, empty."""
        try:
            return next((node.value for node in self._nodes(value) if node.value or not self._is_singular), None)
        except (JSONPathError, RecursionError):
            return None

    def _nodes(self, value: object) -> Iterator[JSONPathNode]:
        return (node for node in self._query.finditer(value) if node.value is not None)  # type: ignore[arg-type]

    def _why_empty(self, value: object) -> Nothing | InDoubt:
        nodes: Sequence[JSONPathNode] = ROOT.find(value)  # type: ignore[arg-type]
        for number, segment in enumerate(self._query.segments):
            below = JSONPathNodeList(segment.resolve(nodes))
            if not below:
                without = _may_be_without(segment, [node.value for node in nodes])
                return Nothing() if without else InDoubt(f"the result has no `{self._up_to(number)}`")
            nodes = below
        return InDoubt(f"`{self.text}` is null in the result")

    def _up_to(self, number: int) -> str:
        """The path as it is written, up to its segment of that number."""
        after = self._query.segments[number + 1 :]
        return self.text[: after[0].token.index].rstrip(".") if after else self.text


def _may_be_without(segment: JSONPathSegment, values: Sequence[object]) -> bool:
    """Whether it means that there is nothing if `segment` finds nothing in `values`."""
    if not all(isinstance(value, list | dict) for value in values):
        return False
    if isinstance(segment, JSONPathRecursiveDescentSegment):
        return not any(values)
    return not any(isinstance(selector, NameSelector) for selector in segment.selectors)


def _match(node: JSONPathNode) -> Match:
    return Match(node.value, item_label(node.value, _holders(node)), _item(node))


def _item(node: JSONPathNode) -> str:
    """The place of the item of a list that holds a node, or is it; empty where none does."""
    while node.parent is not None and not isinstance(node.parent.value, list):
        node = node.parent
    return "" if node.parent is None else node.path()


def _holders(node: JSONPathNode) -> Iterator[object]:
    """What holds a node, from the inside out, up to the item of a list: what is above that holds its neighbours, too."""
    while node.parent is not None and not isinstance(node.parent.value, list):
        node = node.parent
        yield node.value
