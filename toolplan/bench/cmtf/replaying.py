"""A stored run, step by step, for people to read."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolplan.bench.cmtf.figures import is_premature, is_wrong
from toolplan.bench.cmtf.running import RunRecord
from toolplan.bench.cmtf.tasks import tasks


def lines(record: RunRecord) -> Iterator[str]:
    """What was asked for, what was called at each step, and what was due."""
    task = next(task for task in tasks() if task.id == record.task)
    yield f"{record.task} by {record.chooser}, {record.arm}: {'reached' if record.success else 'not reached'}"
    yield f"  request: {task.request}"
    yield f"  gold:    {', '.join(task.gold)}"
    for number, step in enumerate(record.steps, 1):
        called = f"{step.tool}({json.dumps(dict(step.arguments), ensure_ascii=False)})" if step.tool else "nothing"
        mark = ", premature" if is_premature(step) else ", wrong" if is_wrong(step) else ""
        yield f"  {number}. {step.visible} visible, due {' or '.join(step.gold) or 'nothing'}: called {called}{mark}"
        yield f"     {step.outcome}{': ' + step.detail if step.detail else ''} ({step.tokens_in} + {step.tokens_out} tokens)"
