"""Values by type: what a text or a JSON value means as a date, a number, an address, in one normal form for each type.

Whatever is said, passed, returned or compared goes through here first, so that "4 PM", "16:00" and an ISO datetime can be equal. Normal
forms are JSON values: `text`, `url`, `email` and `enum` are texts; `integer` an int; `decimal` an int or a float that prints as it was
written; `boolean` a bool; `date` is `2026-12-01`; `datetime` is ISO 8601 with seconds, and with an offset where a zone is known;
`duration` is ISO 8601 (`PT30M`); of a `schema` any JSON value is its own normal form.

- `normal`: one value of a type. `found`: all values that a text speaks of.
"""

from __future__ import annotations

from toolplan.values.finding import Found, found
from toolplan.values.normalising import Misfit, Normal, normal

__all__ = ["Found", "Misfit", "Normal", "found", "normal"]
