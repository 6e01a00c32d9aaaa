"""Rules about facts: where they come from, and what they are for.

A domain without goals is a part of others, which may produce and need anything; these rules have nothing to say of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from toolplan.domain import AskKind, Performer, Tool
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, chain, quoted
from toolplan.language.lint.flow import Flow, Literal, flow_of, literals, makes, needs, wants
from toolplan.language.numerals import numeral
from toolplan.language.resolve import Resolved


def unproduced_facts(resolved: Resolved) -> Iterator[Diagnostic]:
    """Facts that a goal needs, or what helps towards one, and nothing makes known: no tool, no question, no `given`, no test."""
    for name in sourceless(resolved):
        hint = "let a tool or a question produce it, list it as `given`, or state it in a test if the caller knows it"
        yield resolved.finding(Code.UNPRODUCED_FACT, ("fact", name), f"nothing makes the fact {quoted(name)} known", hint)


def sourceless(resolved: Resolved) -> list[str]:
    """The names of the facts of the rule above."""
    if not resolved.domain.goals:
        return []
    flow = flow_of(resolved.domain)
    wanted = _wanted(resolved)
    names = flow.helping(wanted)
    needed = wanted.union(*(needs(action) for action in flow.actions if action.name in names))
    unmade = (name for name in resolved.domain.facts if name not in flow.given and Literal(name) not in flow.makers)
    return [name for name in unmade if Literal(name) in needed]


def unused_facts(resolved: Resolved) -> Iterator[Diagnostic]:
    """Facts that no action changes and nothing asks for: declared, and perhaps stated or read from a result, to no end."""
    if not resolved.domain.goals:
        return
    flow = flow_of(resolved.domain)
    used = {*flow.tested, *flow.makers, *_wanted(resolved)}.union(*(needs(action) for action in flow.actions))
    for name in resolved.domain.facts:
        if used.isdisjoint({Literal(name), Literal(name, value=False)}):
            hint = "remove it, or say which tool produces or requires it"
            yield resolved.finding(Code.UNUSED_FACT, ("fact", name), f"the fact {quoted(name)} is never used", hint)


def _wanted(resolved: Resolved) -> set[Literal]:
    """What the goals ask for."""
    return {literal for goal in resolved.domain.goals.values() for literal in wants(goal)}


def tools_without_goal(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that help towards no goal and nothing that a test wants, not even indirectly; one finding a file in the end."""
    if not resolved.domain.goals:
        return
    helping = _helping(resolved)
    for tool in resolved.domain.tools.values():
        if tool.name not in helping and makes(tool) and tool.name not in resolved.domain.policy.always_visible:
            message = f"tool {quoted(tool.name)} is relevant to no goal"
            hint = "no plan for a goal of this domain uses it; is a goal, or something that it produces, missing?"
            yield resolved.finding(Code.TOOL_WITHOUT_GOAL, ("action", tool.name), message, hint)


def needless_questions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Questions whose answers help towards no goal."""
    if not resolved.domain.goals:
        return
    helping = _helping(resolved)
    for ask in resolved.domain.asks.values():
        if not ask.implied and ask.kind is not AskKind.PERMISSION and ask.name not in helping:
            message = f"no goal can ever need the question {quoted(ask.name)}"
            yield resolved.finding(Code.NEEDLESS_QUESTION, ("action", ask.name), message, "what needs the fact that it produces?")


def cheap_questions(resolved: Resolved) -> Iterator[Diagnostic]:
    """Questions that cost no more than any safe tool that finds out the same, and that wait for no more than these tools, which do no more.

    A best plan then asks, always. A question that costs as much as the tool is preferred, as the shorter of equal plans or as the first.
    """
    domain, flow = resolved.domain, flow_of(resolved.domain)
    for ask in domain.asks.values():
        if ask.kind is AskKind.PERMISSION or len(answers := {literal for literal in makes(ask) if literal.value}) != 1:
            continue
        finders = [action for literal in answers for action in flow.makers[literal] if isinstance(action, Tool)]
        safe = [tool for tool in finders if domain.risk_of(tool).safe and tool.performer is Performer.CALL]
        waits = {*literals(ask.requires)}
        if safe and all(domain.score_of(t) >= ask.cost and makes(t) == answers and waits <= {*literals(t.requires)} for t in safe):
            cheapest = min(safe, key=domain.score_of)
            message = f"question {quoted(ask.name)} costs {numeral(ask.cost)}, and tool {quoted(cheapest.name)}, which finds out the same, "
            message += f"no less than {numeral(domain.score_of(cheapest))}: the user is always asked"
            hint = "let the question cost more than the search, unless the user should be asked"
            yield resolved.finding(Code.CHEAP_QUESTION, ("action", ask.name), message, hint)


def _helping(resolved: Resolved) -> set[str]:
    flow = flow_of(resolved.domain)
    return flow.helping(flow.tested | _wanted(resolved))


def circular_facts(resolved: Resolved) -> Iterator[Diagnostic]:
    """Facts that are made known only from each other, so that none of them ever is."""
    for circle in circles(resolved):
        message = f"facts are only produced from each other: {chain([*circle, circle[0]])}"
        hint = "let a tool or a question produce one of them from something else, or list it as `given`"
        yield resolved.finding(Code.CIRCULAR_FACTS, ("fact", circle[0]), message, hint)


def circles(resolved: Resolved) -> list[list[str]]:
    """The circles of the rule above: smallest sets of facts that need nothing but each other, each in the order of declaration.

    A relation that is only made from itself is none: its first atom is the caller's to tell.
    """
    if not resolved.domain.goals:
        return []
    flow = flow_of(resolved.domain)
    facts = resolved.domain.facts
    unmade = [name for name in facts if Literal(name) not in flow.makers]
    moved = [name for name, fact in facts.items() if fact.parameters and _needs_itself(flow, name)]
    known = flow.knowable({*flow.given, *unmade, *moved})
    behind = {
        name: [
            literal.fact
            for action in flow.makers[Literal(name)]
            for literal in literals(action.requires)
            if literal.value and literal.fact in facts and literal.fact not in known
        ]
        for name in facts
        if name not in known
    }
    rank = {name: number for number, name in enumerate(facts)}
    return [sorted(part, key=rank.__getitem__) for part in _components(behind) if _is_closed(part, behind)]


def _needs_itself(flow: Flow, name: str) -> bool:
    return any(Literal(name) in literals(action.requires) for action in flow.makers.get(Literal(name), ()))


def _is_closed(part: Collection[str], behind: Mapping[str, Collection[str]]) -> bool:
    """Whether all that `part` needs is in it."""
    members = set(part)
    return all(members.issuperset(behind[name]) for name in part)


def _components(graph: Mapping[str, list[str]]) -> list[list[str]]:
    """The strongly connected components of `graph` (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    placed: set[str] = set()
    found: list[list[str]] = []
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in order else []
        while work:
            name, following = work[-1]
            if name not in order:
                order[name] = lowest[name] = len(order)
                stack.append(name)
            for other in following:
                if other not in order:
                    work.append((other, iter(graph[other])))
                    break
                if other not in placed:
                    lowest[name] = min(lowest[name], lowest[other])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[name])
                if lowest[name] == order[name]:
                    found.append([stack.pop()])
                    while found[-1][-1] != name:
                        found[-1].append(stack.pop())
                    placed.update(found[-1])
    return found
