"""Rules about risk: what may do harm unasked, and what is called safe and hardly is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolplan.domain import Performer, Tool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.resolve import Resolved

GRAVE = 3
"""The weight from which the highest level of risk is one to confirm."""
HARMFUL = frozenset(
    "buy delete destroy drop erase kill overwrite pay publish purchase purge refund remove revoke send terminate transfer truncate "
    "uninstall unsubscribe wipe".split()
)
"""Verbs of what others see, or cannot be undone."""
HARMLESS = frozenset(
    "can check compare count describe draft explain export fetch filter find get has is list look lookup preview query read resolve "
    "search show simulate suggest validate verify view".split()
)
"""Verbs after which a harmful word is only what is looked for: `list_delete_requests`."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def unconfirmed_risks(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools of the highest level of risk that run without a person's consent."""
    domain = resolved.domain
    highest = max((level.weight for level in domain.policy.risk), default=0)
    for tool in domain.tools.values():
        level = domain.risk_of(tool)
        if tool.risk and level.weight == highest >= GRAVE and not (tool.confirm or level.confirm or tool.performer is Performer.USER):
            message = f"tool {quoted(tool.name)} has the highest risk and needs no confirmation"
            hint = f"add `confirm` to the tool, or to the level: {quoted(f'risk {level.name} {level.weight} confirm')}"
            yield resolved.finding(Code.UNCONFIRMED_RISK, ("action", tool.name), message, hint)


def harm_called_safe(resolved: Resolved) -> Iterator[Diagnostic]:
    """Safe tools that remove facts, or whose name says that they do what others see or cannot be undone.

    An outcome in which a fact is false is no removal: a tool that looks may find that out.
    """
    domain = resolved.domain
    for tool in domain.tools.values():
        if domain.risk_of(tool).safe:
            removed = next((effect.atom for effect in tool.removes if effect.atom.fact not in domain.asks), None)
            word = harmful_word(tool)
            if removed is not None or word:
                doing = f"removes {quoted(str(removed))}" if removed else f"is called {quoted(word)}"
                message = f"tool {quoted(tool.name)} has the safe risk {quoted(tool.risk or '')}, and {doing}"
                hint = "safe means no effect that others see or that cannot be undone; choose a higher risk"
                yield resolved.finding(Code.HARM_CALLED_SAFE, ("action", tool.name), message, hint)


def harmful_word(tool: Tool) -> str:
    """The word in the name of `tool`, or of the real tool, that says what only an unsafe tool does; or nothing."""
    return next(filter(None, map(harmful_verb, dict.fromkeys((tool.name, tool.call_name)))), "")


def harmful_verb(name: str) -> str:
    """The word in a name that says what only an unsafe tool does, unless it is only what another verb is about; or nothing."""
    words = [word.lower() for word in WORD.findall(name)]
    verb = next((word for word in words if word in HARMFUL or word in HARMLESS), "")
    return verb if verb in HARMFUL else ""
