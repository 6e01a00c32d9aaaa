"""What other servers say, without the credentials that they were shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SHORTEST = 6
"""Letters of a secret that are hidden: what is shorter stands in many texts, and is none."""
HIDDEN = "[hidden]"


class Hiding:
    """Hides `secrets` in texts and JSON values."""

    def __init__(self, secrets: Iterable[str]) -> None:
        longest_first = sorted((secret for secret in set(secrets) if len(secret) >= SHORTEST), key=lambda secret: (-len(secret), secret))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """`text` with a word in the place of each secret."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def value(self, value: object) -> object:
        """The same in all texts of a JSON value, and in its names."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(str(name)): self.value(part) for name, part in value.items()}
            case list():
                return [self.value(part) for part in value]
            case _:
                return value
