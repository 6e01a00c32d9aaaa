"""A stored run, step by step, for people to read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolplan.bench.runs import NO_LOOK, RunRecord
from toolplan.bench.runs.figures import is_premature, is_wrong, outcome_of


def lines(record: RunRecord, chooser: str) -> Iterator[str]:
    """What was asked for, what was called at each step, what was due, and what the user was asked between."""
    yield f"{record.task} by {chooser}, {record.arm}: {'reached' if record.success else 'not reached'}"
    yield f"  request: {record.request}"
    yield f"  gold:    {', '.join(record.gold)}"
    for number, step in enumerate(record.steps, 1):
        if step.outcome in NO_LOOK:
            yield f"  {number}. {step.outcome}: {step.detail} ({step.tokens_in} + {step.tokens_out} tokens)"
            continue
        called = f"{step.tool}({json.dumps(dict(step.arguments), ensure_ascii=False)})" if step.tool else "nothing"
        mark = ", premature" if is_premature(step) else ", wrong" if is_wrong(step) else ""
        seen = "ready" if step.is_unasked else f"{step.visible} visible"
        yield f"  {number}. {seen}, due {' or '.join(step.gold) or 'nothing'}: called {called}{mark}"
        yield f"     {outcome_of(step)}{': ' + step.detail if step.detail else ''} ({step.tokens_in} + {step.tokens_out} tokens)"
