"""Generated domains of any size, shaped like real registries: families of a search, a read and eight writes."""

from __future__ import annotations

from collections.abc import Iterator

GIVEN = ("customer", "period", "topic", "author", "place", "amount")
"""Facts that users give, which all families share."""


def registry(tools: int) -> str:
    """The text of a domain with `tools` tools (a multiple of ten) and one goal for every hundredth family."""
    return "\n".join(_lines(tools // 10))


def _lines(families: int) -> Iterator[str]:
    yield f'domain registry "A generated registry of {families * 10} tools"\n'
    for fact in GIVEN:
        yield f'fact {fact}: text "what the user said of the {fact}"'
    for family in range(families):
        first, second = GIVEN[family % 6], GIVEN[(family * 5 + 1) % 6]
        yield f'fact found_{family} "the identifier of record {family}"'
        yield f'fact read_{family} "what record {family} says"'
        yield _tool(f"search_{family}", f"Search the records of kind {family}.", [first, second], f"found_{family}", "read")
        yield _tool(f"read_{family}", f"Read a record of kind {family}.", [f"found_{family}"], f"read_{family}", "read")
        for number in range(8):
            made = f"written_{family}_{number}"
            source = f"read_{family}" if number % 2 == 0 else f"found_{family}"
            yield f"fact {made}"
            description = f"Change record {family} in way {number}."
            yield _tool(f"write_{family}_{number}", description, [source, GIVEN[number % 6]], made, "write")
        if family % 100 == 0:
            given = ", ".join(sorted({first, second, GIVEN[0]}))
            yield f'goal change_{family} {{\n  "Change record {family}."\n  achieves written_{family}_0\n  given    {given}\n}}'


def _tool(name: str, description: str, requires: list[str], produces: str, risk: str) -> str:
    return (
        f'\ntool {name} {{\n  "{description}"\n  requires {", ".join(dict.fromkeys(requires))}\n'
        f"  produces {produces}\n  returns  {produces} = $.items[*].id\n  risk     {risk}\n}}"
    )
