"""Tasks as SAS+ text, which is what Fast Downward's search reads (its translator output format, version 3).

Every fluent that some condition reads becomes a variable of two values, 0 for false and 1 for true; the others can be left out, since
they decide nothing. Helmert, "Concise finite-domain representations for PDDL planning tasks", AIJ 2009, groups fluents into larger
variables; for these tasks that saves at most a quarter of the time of a search, and costs the search for invariants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolplan.planning.task import Change, Literals, Operator, Task

CHOOSE_GOAL = "goal"
"""The name of the operators that stand for goals, one for each of several; the others are named by their index."""


def to_sas(task: Task, costs: Sequence[int]) -> str:
    """`task`, with operator `i` named `i` and its cost `costs[i]`. Operators that change nothing that is read are left out.

    Several goals, or one that is empty, become one more variable and an operator for each goal that sets it and costs nothing.
    """
    variables = {fluent: number for number, fluent in enumerate(sorted(_read(task)))}
    count = chosen = len(variables)
    operators = []
    for index, operator in enumerate(task.operators):
        prevail, effects = _parts(operator, variables)
        if effects:
            operators.append(_operator(str(index), prevail, effects, costs[index]))
    if len(task.goals) == 1 and any(task.goals[0]):
        goal = _facts(task.goals[0], variables)
    else:
        goal = [f"{chosen} 1"]
        operators += [_operator(CHOOSE_GOAL, _facts(literals, variables), [f"0 {chosen} -1 1"], 0) for literals in task.goals]
        count += 1
    state = [1 if fluent in task.initial else 0 for fluent in variables] + [0] * (count - chosen)
    lines = [
        *("begin_version", "3", "end_version", "begin_metric", "1", "end_metric"),
        str(count),
        *(f"begin_variable\nv{number}\n-1\n2\nfalse\ntrue\nend_variable" for number in range(count)),
        "0",
        *("begin_state", *map(str, state), "end_state"),
        *("begin_goal", str(len(goal)), *goal, "end_goal"),
        str(len(operators)),
        *operators,
        "0",
    ]
    return "\n".join(lines) + "\n"


def _read(task: Task) -> set[int]:
    """The fluents on which something depends."""
    conditions = [*task.goals, *(op.requires for op in task.operators)]
    conditions += [change.condition for op in task.operators for change in op.changes]
    return set().union(*(part for literals in conditions for part in literals))


def _facts(literals: Literals, variables: Mapping[int, int]) -> list[str]:
    return [f"{variables[f]} 1" for f in sorted(literals.true)] + [f"{variables[f]} 0" for f in sorted(literals.false)]


def _parts(operator: Operator, variables: Mapping[int, int]) -> tuple[list[str], list[str]]:
    """What only is required, and the effects. A requirement on a variable that changes stands in its first effect, as the format wants it."""
    requires = operator.requires
    changed: set[int] = set()
    effects = []
    for fluent, value, condition in _effects(operator):
        if fluent in variables:
            before = -1 if fluent in changed else 1 if fluent in requires.true else 0 if fluent in requires.false else -1
            changed.add(fluent)
            facts = _facts(condition, variables)
            effects.append(" ".join([str(len(facts)), *facts, str(variables[fluent]), str(before), str(value)]))
    return _facts(Literals(requires.true - changed, requires.false - changed), variables), effects


def _effects(operator: Operator) -> Iterator[tuple[int, int, Literals]]:
    """What becomes false, then what becomes true: of two effects that fire on one variable, the search lets the later win."""
    always = Change(Literals(), operator.adds - operator.requires.true, operator.deletes - operator.requires.false)
    for change in (always, *operator.changes):
        for fluent in sorted(change.deletes - operator.adds):
            yield fluent, 0, change.condition
    for change in (always, *operator.changes):
        for fluent in sorted(change.adds - (operator.adds if change is not always else frozenset())):
            yield fluent, 1, change.condition


def _operator(name: str, prevail: Sequence[str], effects: Sequence[str], cost: int) -> str:
    return "\n".join(["begin_operator", name, str(len(prevail)), *prevail, str(len(effects)), *effects, str(cost), "end_operator"])
