"""Kinds of evidence for a link and against it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Evidence(StrEnum):
    """What is said beside a link: of its value and argument, or of the tools at its ends.

    The first ones are relations between the names of value and argument, the strongest first. A candidate has exactly one of them, or NAMED.
    """

    SAME_NAME = "same name"
    SAME_THING = "same property of the same thing"
    ENDS_ALIKE = "one name ends with the other"
    ALTERNATIVE = "one of the names the argument goes by"
    SAME_MATERIAL = "same kind of material"
    DESCRIBED = "the description of the argument names the value"
    HOLDS_THING = "the result is of the thing of the argument"
    LAST_WORD = "same last word"
    MONEY = "both are amounts of money"
    TEXT = "a text for any text"
    NUMBER = "a number for any number"

    NAMED = "the description of the argument names the tool"
    ANOTHER_NAMED = "the description of the argument names another tool"
    SOURCE = "the tool finds or makes the thing"
    ECHO = "the tool has to be given the value"
    PLAIN = "the argument is no key"
    WRITTEN = "the argument is written"
    OPTIONAL = "the argument is optional"
    SETTING = "the argument is a setting"
    OTHER_TYPE = "other type"
    OTHER_SERVER = "other server"


RELATIONS = tuple(Evidence)[: tuple(Evidence).index(Evidence.NAMED)]
RANK: Mapping[Evidence, int] = {relation: place for place, relation in enumerate(RELATIONS)}
OF_KIND = frozenset({Evidence.SAME_MATERIAL, Evidence.MONEY, Evidence.TEXT, Evidence.NUMBER})
"""Relations of kinds of values, and not of things. A tool may well take and return the same kind."""
WEAK = frozenset({Evidence.LAST_WORD, Evidence.MONEY, Evidence.TEXT, Evidence.NUMBER})
"""Relations that many unrelated tools have. Between servers they are none."""
