"""Names of members: which of them say what a thing is, and which are data, such as the identifiers that a table of records is keyed by."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FIELD = re.compile(r"[A-Za-z_$][A-Za-z_$.-]{0,39}\d{0,2}")
"""What a name of a field looks like, and an identifier, an address or a date does not: letters, and two digits at most, at the end."""


def named_by_data(value: Mapping[str, object]) -> frozenset[str]:
    """The names in `value` that are data: all where its members are records of one form, else those that do not look like names of fields.

    A name that is a plain word, such as a person's, is not told from that of a field where nothing but one value stands beside it.
    """
    forms = {frozenset(item) if isinstance(item, Mapping) else frozenset() for item in value.values()}
    if len(value) > 1 and len(forms) == 1 and forms != {frozenset()}:
        return frozenset(value)
    return frozenset(name for name in value if not _FIELD.fullmatch(name))
