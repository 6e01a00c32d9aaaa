"""Findings about domains that are valid: what is probably not what the author meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolplan.domain import TRUE, Effect
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.resolve import Resolved


def lint(resolved: Resolved) -> list[Diagnostic]:
    """All findings of all rules, in the order of the rules."""
    return [finding for rule in RULES for finding in rule(resolved)]


def unrated_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools without `risk`: they are not safe, and weigh as much as the highest level."""
    for tool in resolved.domain.tools.values():
        if tool.risk is None:
            levels = ", ".join(quoted(level.name) for level in resolved.domain.policy.risk)
            place = resolved.places["action", tool.name]
            yield Diagnostic(Code.UNRATED_TOOL, f"tool {quoted(tool.name)} has no risk", place, f"add `risk` with one of {levels}")


def tools_without_effect(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that change nothing: no plan ever needs them."""
    for tool in resolved.domain.tools.values():
        if not (tool.produces or tool.removes or tool.outcomes or tool.enumerates or tool.verifies):
            place = resolved.places["action", tool.name]
            yield Diagnostic(Code.TOOL_WITHOUT_EFFECT, f"tool {quoted(tool.name)} changes nothing", place, "say what it `produces`")


def added_and_removed(resolved: Resolved) -> Iterator[Diagnostic]:
    """Atoms that a tool produces whenever it removes them: they hold afterwards, so the `removes` has no meaning."""
    for tool in resolved.domain.tools.values():
        for atom in dict.fromkeys(effect.atom for effect in tool.removes if _is_undone(effect, tool.produces)):
            place = resolved.places["action", tool.name]
            message = f"tool {quoted(tool.name)} both removes and produces {quoted(str(atom))}"
            yield Diagnostic(Code.ADDED_AND_REMOVED, message, place, "what is produced wins; drop the `removes`")


def _is_undone(removed: Effect, produced: Sequence[Effect]) -> bool:
    return any(
        added.atom == removed.atom and added.parameters == removed.parameters and added.condition in (TRUE, removed.condition)
        for added in produced
    )


RULES = (unrated_tools, tools_without_effect, added_and_removed)
