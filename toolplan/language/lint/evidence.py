"""Rules about evidence: what contracts say of the tools that they replace, of each other, and of who answers for them."""

from __future__ import annotations

from collections.abc import Iterator

from toolplan.domain import Performer, Tool, in_place_of, names_of, superseders
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Label, quoted
from toolplan.language.lint.contracts import MOST_RIVALS, contract_of
from toolplan.language.lint.flow import effects
from toolplan.language.resolve import Resolved
from toolplan.language.suggest import Suggester


def unknown_superseded(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that a contract supersedes and no contract is for. A server may still offer them."""
    suggester = Suggester()
    known = frozenset().union(*map(names_of, resolved.domain.tools.values()))
    for tool in resolved.domain.tools.values():
        for name in tool.evidence.supersedes:
            if name not in known:
                message = f"no contract is for {quoted(name)}, which {quoted(tool.name)} supersedes"
                hint = suggester.hint(name, known) or "remove it once no server offers the tool any more"
                yield resolved.finding(Code.UNKNOWN_SUPERSEDED, ("action", tool.name), message, hint)


def superseded_visible(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that others supersede and that the model sees at every step all the same."""
    newer = superseders(resolved.domain.tools)
    for name in resolved.domain.policy.always_visible:
        if name in newer:
            others = " and ".join(map(quoted, newer[name]))
            message = f"{others} supersede{'s' if len(newer[name]) == 1 else ''} {quoted(name)}, which is always visible"
            hint = f"make {quoted(newer[name][0])} visible in its place"
            yield resolved.finding(Code.SUPERSEDED_VISIBLE, ("action", name), message, hint)


def colliding_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools of one capability that require and produce the same, of which one says neither when to use it nor when not to."""
    newer = superseders(resolved.domain.tools)
    alike: dict[object, list[Tool]] = {}
    for tool in resolved.domain.tools.values():
        earlier = alike.setdefault(contract_of(tool), [])
        rivals = (other for other in earlier[:MOST_RIVALS] if not set(tool.evidence.capability).isdisjoint(other.evidence.capability))
        for other in rivals:
            related = tool.name in in_place_of(other.name, newer) or other.name in in_place_of(tool.name, newer)
            if not (related or (_advises(tool) and _advises(other))) and any(effects(tool)):
                message = f"{quoted(tool.name)} and {quoted(other.name)} have one capability, and require and produce the same"
                hint = "say of both when to use them and when not to: `use when`, `do not use when`; or let one supersede the other"
                labels = (Label(resolved.places["action", other.name], "the same as this"),)
                yield resolved.finding(Code.COLLIDING_TOOLS, ("action", tool.name), message, hint, labels)
                break
        earlier.append(tool)


def contradictory_advice(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that are to be used and not to be used in one and the same case."""
    for tool in resolved.domain.tools.values():
        wanted = {_folded(text) for text in tool.evidence.use_when}
        for text in tool.evidence.do_not_use_when:
            if _folded(text) in wanted:
                message = f"{quoted(tool.name)} is to be used and not to be used when {quoted(text)}"
                yield resolved.finding(Code.CONTRADICTORY_ADVICE, ("action", tool.name), message, "keep one of them")


def unowned_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools of which nobody says who answers for them, where others of the same server have an owner."""
    tools = [tool for tool in resolved.domain.tools.values() if tool.performer is Performer.CALL]
    owned = {tool.evidence.server for tool in tools if tool.evidence.owner}
    for tool in tools:
        if not tool.evidence.owner and tool.evidence.server in owned:
            message = f"tool {quoted(tool.name)} has no owner"
            hint = "say who answers for it, as for the others of its server: `owner`"
            yield resolved.finding(Code.UNOWNED_TOOL, ("action", tool.name), message, hint)


def _advises(tool: Tool) -> bool:
    return bool(tool.evidence.use_when or tool.evidence.do_not_use_when)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
