"""How risky a tool is taken to be, by what its server hints and what its name says."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from toolplan.catalog import RealTool
from toolplan.domain import DEFAULT_RISK, RiskLevel, Tool
from toolplan.importing.tools.naming import words
from toolplan.language.lint.risks import HARMFUL, HARMLESS, harmful_word

CHANGING = HARMFUL | frozenset(
    "accept add append apply approve archive assign block book bulk cancel change clear close commit configure convert copy create "
    "dismiss duplicate edit enable execute fork forward grant import insert invite invoke join leave lock make manage mark merge modify "
    "move open order pause post push put rename reopen reorder replace reply request reserve reset restore resume run save schedule set "
    "share start stop submit subscribe sync transition trash trigger unarchive update upload upsert vote write".split()
)
"""Verbs of what leaves something behind."""


class Trust(enum.Enum):
    """Whether the hints of a server are believed. Without, they are claims: none of them makes a tool less risky."""

    NONE = "none"
    HINTS = "hints"


class Doing(enum.Enum):
    """What a tool seems to do. It shapes contracts, and says nothing of risk."""

    READS = "reads"
    CHANGES = "changes"
    UNKNOWN = "unknown"


class Ground(enum.Enum):
    """Why a tool is rated as it is: a hint is missing, or is not believed, or denies a name, or tells of harm, or is believed."""

    MISSING = "missing"
    CLAIMED = "claimed"
    DENIED = "denied"
    CONFESSED = "confessed"
    BELIEVED = "believed"


@dataclass(frozen=True, slots=True)
class Rating:
    """A level of risk, and why, also in words."""

    risk: str
    ground: Ground
    reason: str


def contradiction(tool: RealTool) -> str:
    """The word in the name of `tool` that its hints deny: it claims to read only, or to destroy nothing. Empty where there is none."""
    denies = tool.hints.get("readOnlyHint") is True or tool.hints.get("destructiveHint") is False
    return harmful_word(Tool(tool.name)) if denies else ""


@dataclass(frozen=True)
class Rater:
    """Rates tools on `levels`: the gravest, unless hints that are believed say otherwise and do not contradict a name."""

    trust: Trust = Trust.NONE
    levels: tuple[RiskLevel, ...] = DEFAULT_RISK

    @property
    def gravest(self) -> RiskLevel:
        """The level of a tool of which nothing better is known: the last of those that weigh most."""
        return max(reversed(self.levels), key=lambda level: level.weight, default=DEFAULT_RISK[-1])

    def rating(self, tool: RealTool) -> Rating:
        """The risk of `tool`, and why."""
        destroys = tool.hints.get("destructiveHint") is True
        reads, spares = tool.hints.get("readOnlyHint") is True and not destroys, tool.hints.get("destructiveHint") is False
        if word := contradiction(tool):
            return Rating(self.gravest.name, Ground.DENIED, f"its hints deny what `{word}` in its name says")
        if not (reads or spares):
            ground = Ground.CONFESSED if destroys else Ground.MISSING
            return Rating(self.gravest.name, ground, "the server says that it destroys" if destroys else "no hint says otherwise")
        claim = "that it only reads" if reads else "that it destroys nothing"
        level = "read" if reads else "write"
        if self.trust is Trust.NONE or all(known.name != level for known in self.levels):
            return Rating(self.gravest.name, Ground.CLAIMED, f"the server claims {claim}")
        return Rating(level, Ground.BELIEVED, f"the server says {claim}")


def doing(tool: RealTool) -> Doing:
    """What `tool` seems to do, by its hints and else by the first verb of its name."""
    match tool.hints.get("readOnlyHint"):
        case True if not contradiction(tool):
            return Doing.READS
        case False:
            return Doing.CHANGES
    verb = next((word for word in words(tool.name) if word in CHANGING or word in HARMLESS), "")
    return Doing.READS if verb in HARMLESS else Doing.CHANGES if verb else Doing.UNKNOWN
