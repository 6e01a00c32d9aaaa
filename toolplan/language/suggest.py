"""The nearest name to one that was not found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import islice

MOST_NAMES = 2_000
"""Names looked through for one suggestion: a longer list costs more time than the hint is worth."""
LONGEST_NAME = 80
"""Characters of a name that is still likely to be a misspelt one."""
SHORTEST_SLIP = 4
"""Characters of a name below which one other letter makes another name."""


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

    def surely(self, name: str, names: Iterable[str]) -> str:
        """The only name that `name` is one slip away from, or nothing."""
        near: list[str] = []
        for candidate in islice(names, min(MOST_NAMES, self._budget)):
            self._budget -= 1
            if abs(len(candidate) - len(name)) <= 1 and is_slip(name, candidate):
                near.append(candidate)
        return near[0] if len(near) == 1 else ""

    def hint(self, name: str, names: Iterable[str]) -> str:
        """`did you mean ...?` for the nearest name, or nothing."""
        nearest = self.nearest(name, names)
        return f"did you mean `{nearest}`?" if nearest is not None else ""


def is_slip(name: str, meant: str) -> bool:
    """Whether one letter of `meant` is missing, doubled, wrong or swapped with the next in `name`, or only case, `-` or `_` differ.

    Short names and digits are never slips: `x` is not `y`, and `file_2` not `file_1`.
    """
    if _fold(name) == _fold(meant):
        return True
    if min(len(name), len(meant)) < SHORTEST_SLIP or abs(len(name) - len(meant)) > 1:
        return False
    start = next((at for at, (one, other) in enumerate(zip(name, meant, strict=False)) if one != other), min(len(name), len(meant)))
    wrong, right = name[start:], meant[start:]
    if any(character.isdigit() for character in wrong[:1] + right[:1]):
        return False
    swapped = wrong[:2] == right[:2][::-1] and wrong[2:] == right[2:]
    return swapped or wrong[1:] == right[1:] or wrong[1:] == right or wrong == right[1:]


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")
