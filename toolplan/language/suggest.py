"""The nearest name to one that was not found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

MOST_NAMES = 2_000
"""Names looked through for one suggestion: a longer list costs more time than the hint is worth."""
LONGEST_NAME = 80
"""Characters of a name that is still likely to be a misspelt one."""


class Suggester:
    """Finds names close to a misspelt one, and stops looking after `budget` comparisons, so that thousands of typos stay cheap."""

    def __init__(self, budget: int = 100_000) -> None:
        self._budget = budget

    def nearest(self, name: str, names: Iterable[str]) -> str | None:
        """The name most like `name`, or None where none is close. Case, `-` and `_` count as equal; ties go to the first."""
        if len(name) > LONGEST_NAME:
            return None
        folded = _fold(name)
        matcher = SequenceMatcher(None, "", folded, autojunk=False)
        best, best_ratio = None, 0.7
        for tried, candidate in enumerate(names):
            if self._budget <= 0 or tried >= MOST_NAMES:
                break
            self._budget -= 1
            if abs(len(candidate) - len(name)) > max(len(name), 3) // 2 + 1:
                continue
            matcher.set_seq1(_fold(candidate))
            if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio and (ratio := matcher.ratio()) > best_ratio:
                best, best_ratio = candidate, ratio
        return best

    def hint(self, name: str, names: Iterable[str]) -> str:
        """`did you mean ...?` for the nearest name, or nothing."""
        nearest = self.nearest(name, names)
        return f"did you mean `{nearest}`?" if nearest is not None else ""


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")
