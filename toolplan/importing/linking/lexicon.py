"""What English words mean in the names of tools, arguments and fields. All are in the singular; `words` gives them so."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FINDING = _set("browse discover fetch find get list lookup query read resolve retrieve scan search show view")
MAKING = _set(
    "add authenticate begin book build clone compose copy create draft generate login make open place post record register reserve schedule send"
    " sign start submit upload"
)
CHANGING = _set(
    "accept apply approve archive assign cancel clear close complete delete disable dismiss edit enable follow lock mark merge move pin publish reject"
    " remove rename reopen replace reply reset restore revoke set star stop toggle unfollow unlock update"
)
VERBS = FINDING | MAKING | CHANGING

PREPOSITIONS = _set("at based by for from in into of on per to using via with")
CUES = _set("by call called calling extract extracted from obtained retrieved return returned see use using via")
"""Words in the description of an argument after which a tool is named."""

PARTS = _set(
    "all available data detail entry info information item latest list my object output overview page payload record recent response result summary"
)
"""Words that say how much of a thing is returned, and not which thing."""

ASPECTS = _set("arn code handle id iid key login name number path ref sha slug status title type urn value")
"""Words for a property that things of many kinds have."""
KEYS = _set("arn code hash iban id iid isbn key number sha sku slug symbol ticker token urn")
"""Words for what tells one thing from others of its kind. Users rarely know it, so that something has to find it."""

CONTENT = _set("body caption comment content data input message note prompt string text value")
"""Words for a text, whatever it says."""
MATERIAL = _set("audio document file image speech text url video")
"""Words for what is worked on. A tool that takes a text and returns one makes a new text; one that takes an id and returns it makes none."""
NAMELESS = _set("arg argument input output param parameter response result value")
"""Names that say nothing. What such a value is can only be told by its description or its media type."""
MONEY = _set(
    "amount balance bill budget cost earning expense fee fund income payment price principal profit revenue salary sale tax tip total"
)

OPEN = _set("input key q query search term value")
"""Words of arguments that take several things, which their descriptions list."""
SETTINGS = _set(
    "count cursor field filter format height include lang language length limit locale max maximum min minimum mode offset order page precision"
    " radius size sort timeout type unit width"
)
"""Words of arguments that say how to do something, and not with what."""
