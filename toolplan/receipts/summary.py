"""What receipts say, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from toolplan.receipts.lines import Receipt

UNSAID = "-"
"""What stands for a name that a receipt does not say."""


class Summary:
    """Counts of `receipts`, which may be of several sessions: of what was decided, of the verdicts by tool, of why, of what came of it.

    `reasons` are those of the verdicts after which a call did not run, or would not have. Counts are in the order of the receipts.
    """

    def __init__(self, receipts: Iterable[Receipt]) -> None:
        self.decisions: Counter[str] = Counter()
        self.tools: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: dict[str, Counter[str]] = defaultdict(Counter)
        self.outcomes: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        for receipt in receipts:
            self._count(receipt.kind, receipt.content if isinstance(receipt.content, Mapping) else {})

    def to_dict(self) -> dict[str, object]:
        """The counts as JSON values."""
        return {
            "decisions": self.decisions,
            "tools": self.tools,
            "reasons": self.reasons,
            "outcomes": self.outcomes,
            "answers": self.answers,
        }

    def _count(self, kind: str, content: Mapping[str, object]) -> None:
        match kind:
            case "decision":
                self.decisions[_said(content, "decision")] += 1
            case "verdict":
                verdict = _said(content, "verdict")
                self.tools[_said(content, "tool")][verdict] += 1
                if verdict != "allow":
                    self.reasons[verdict][_said(content, "reason")] += 1
            case "outcome":
                self.outcomes[_said(content, "outcome")] += 1
            case "answer":
                self.answers[_said(content, "answer")] += 1


def _said(content: Mapping[str, object], name: str) -> str:
    return str(content.get(name, UNSAID))
