"""The tools that servers offer now, beside those that somebody has accepted: what a person has to look at before a model may.

Pure: where tools and pins come from, and what is done about a finding, is for whoever asks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from toolplan.catalog import Catalog, RealTool
from toolplan.checks.suspicions import suspicions
from toolplan.domain import Domain
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted

SHOWN_DIGITS = 12
"""Digits of a digest by which a tool is accepted."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A tool that was accepted: its digest, and what it was, None where only the digest was kept."""

    digest: str
    tool: RealTool | None = None


Pinned = Mapping[str, Mapping[str, Pin]]
"""Pins by server and tool."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What of a tool is not what it was: its `description`, `schema` or `hints`. Schemas and hints are texts of JSON."""

    part: str
    old: str
    new: str

    @property
    def lines(self) -> list[str]:
        """The difference, line by line, as `diff -u` shows it."""
        old, new = self.old.splitlines(), self.new.splitlines()
        return list(unified_diff(old, new, f"accepted {self.part}", f"{self.part} now", lineterm=""))


@dataclass(frozen=True, slots=True)
class New:
    """A tool that nobody has accepted."""

    server: str
    tool: RealTool


@dataclass(frozen=True, slots=True)
class Changed:
    """A tool that is not the one that was accepted. `what` is empty where nobody kept what it was."""

    server: str
    tool: RealTool
    what: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Vanished:
    """A tool that was accepted and is not offered any more."""

    server: str
    name: str


@dataclass(frozen=True, slots=True)
class Suspicious:
    """A tool that is not as a tool should be: `reason` is the end of a sentence that its name begins."""

    server: str
    tool: RealTool
    reason: str


Finding = New | Changed | Vanished | Suspicious


def review(now: Mapping[str, Sequence[RealTool]], pins: Pinned) -> list[Finding]:
    """What is to be reviewed, server by server, in the order in which tools are offered; what has vanished comes last.

    What is odd about a tool follows it. Of tools that are as they were accepted nothing is said: `oddities` looks at those, too.
    """
    findings: list[Finding] = []
    for server, tools in now.items():
        known = pins.get(server, {})
        for tool in tools:
            pin = known.get(tool.name)
            if pin is None:
                findings.append(New(server, tool))
            elif pin.digest != tool.digest:
                findings.append(Changed(server, tool, _differences(pin.tool, tool) if pin.tool else ()))
            else:
                continue
            findings += oddities(server, tool, now)
        offered = {tool.name for tool in tools}
        findings += [Vanished(server, name) for name in known if name not in offered]
    return findings


def oddities(server: str, tool: RealTool, now: Mapping[str, Sequence[RealTool]]) -> list[Suspicious]:
    """What is odd about a tool of `server`, by itself and beside the tools of other servers."""
    others = [other for origin, tools in now.items() if origin != server for other in tools]
    return [Suspicious(server, tool, reason) for reason in suspicions(tool, others)]


def quarantined(domain: Domain, catalog: Catalog) -> Iterator[str]:
    """The contracts whose real tool is there and is none that they were reviewed for: by its digest, or by the version of its server."""
    for name, tool in domain.tools.items():
        real = catalog.get(tool.call_name)
        if real is not None and not real.is_as_reviewed(tool):
            yield name


def name_of(finding: Finding) -> str:
    """The name under which a finding is accepted."""
    return f"{finding.server}.{finding.name if isinstance(finding, Vanished) else finding.tool.name}"


def diagnostic(finding: Finding) -> Diagnostic:
    """What is said of a finding, and how it is accepted."""
    name = quoted(name_of(finding))
    match finding:
        case New():
            return Diagnostic(Code.NEW_REAL_TOOL, f"{name} is new", None, _accepting(finding))
        case Changed(what=()):
            message = f"{name} is not the tool that was accepted; what it was then was not kept"
            return Diagnostic(Code.CHANGED_REAL_TOOL, message, None, _accepting(finding))
        case Changed(what=what):
            parts = " and ".join(difference.part for difference in what)
            message = f"{name} has another {parts} than the one that was accepted"
            return Diagnostic(Code.CHANGED_REAL_TOOL, message, None, _accepting(finding))
        case Vanished():
            hint = f"see which contracts call it; accept that it is gone: `--accept {name_of(finding)}`"
            return Diagnostic(Code.VANISHED_REAL_TOOL, f"{name} was accepted and is not offered any more", None, hint)
        case Suspicious(reason=reason):
            hint = "what a tool says of itself is for people; ask whoever runs the server before it is accepted"
            return Diagnostic(Code.SUSPICIOUS_REAL_TOOL, f"{name} {reason}", None, hint)


def to_dict(finding: Finding) -> dict[str, object]:
    """A finding as JSON values."""
    shown: dict[str, object] = {"kind": type(finding).__name__.lower(), "name": name_of(finding)}
    if not isinstance(finding, Vanished):
        shown["digest"] = finding.tool.digest
    match finding:
        case New(tool=tool):
            shown |= {part: text for part, text in _parts(tool).items()}
        case Changed(what=what):
            shown["what"] = [{"part": one.part, "old": one.old, "new": one.new} for one in what]
        case Suspicious(reason=reason):
            shown["reason"] = reason
    return shown


def _accepting(finding: New | Changed) -> str:
    return f"read it, and accept it as it is now: `--accept {name_of(finding)}@{finding.tool.digest[:SHOWN_DIGITS]}`"


def _differences(old: RealTool, new: RealTool) -> tuple[Difference, ...]:
    before, now = _parts(old), _parts(new)
    return tuple(Difference(part, before[part], now[part]) for part in now if before[part] != now[part])


def _parts(tool: RealTool) -> dict[str, str]:
    """What of a tool its digest covers, as texts; the name is the same."""
    return {"description": tool.description, "schema": _text(tool.schema), "hints": _text(tool.hints)}


def _text(value: object) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
