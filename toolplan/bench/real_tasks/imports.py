"""Sets whose contracts are imported: what their modules share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from toolplan.bench.real_tasks.knowledge import found_in
from toolplan.bench.real_tasks.reading import NOW, CrossValidated, Said, oracle, read, state_of
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.catalog import RealTool
from toolplan.goals.readings import Goals
from toolplan.importing.tools import imported

LONGEST = 300
"""Letters of a result that a model is told."""


def toolbox_of(name: str, tools: tuple[RealTool, ...]) -> Toolbox:
    """The contracts of `tools`, as an import writes them and nobody has edited them."""
    return Toolbox(name, tools, imported(tools, name="tools").text)


def told(result: object) -> str:
    """A result as a model is told it."""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def goals_of(toolbox: Toolbox, calls: Iterable[GoldCall]) -> Goals:
    """That `calls` have run."""
    return tuple(dict.fromkeys(toolbox.contracts[call.tool] for call in calls))


def task(
    name: str,
    group: str,
    request: str,
    toolbox: Toolbox,
    gold: Sequence[GoldCall],
    goals: Goals,
    ranked: CrossValidated,
    earlier: Sequence[GoldCall] = (),
) -> Task:
    """A request of one turn, of `group`, which means `goals`; `earlier` are the calls that went before it."""
    known, domain = known_after(toolbox, earlier), toolbox.domain
    state = state_of(known)
    before = {**{_call(call): call.told for call in earlier}, **{fact: str(value) for fact, value in known.items()}}
    heard = read(ranked.rank_for(group), domain, [Said(request)], state)
    return Task(
        name, request, toolbox, tuple(gold), goals, state, before, heard, oracle(toolbox, request, goals, stated(toolbox, gold)), NOW
    )


def known_after(toolbox: Toolbox, calls: Iterable[GoldCall]) -> dict[str, object]:
    """The values that contracts find in the results of `calls`, the last ones where there are several."""
    known: dict[str, object] = {}
    for call in calls:
        known |= found_in(toolbox.domain, toolbox.domain.tools[toolbox.contracts[call.tool]], call.result, NOW)
    return known


def stated(toolbox: Toolbox, gold: Iterable[GoldCall]) -> dict[str, object]:
    """By fact the values that calls of `gold` are passed, but for those that another call brings; the first where there are several."""
    found: dict[str, object] = {}
    for call in gold:
        for argument, wanted in call.arguments.items():
            fact = toolbox.fact_of(call.tool, argument)
            if fact is not None and argument not in call.brought:
                found.setdefault(fact, wanted.value)
    return found


def _call(call: GoldCall) -> str:
    return f"{call.tool}({', '.join(f'{name}={wanted.value!r}' for name, wanted in call.arguments.items())})"
