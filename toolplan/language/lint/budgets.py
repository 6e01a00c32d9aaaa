"""Rules about the budget: what of it never comes to anything."""

from __future__ import annotations

from collections.abc import Iterator

from toolplan.domain import NO_BUDGET, Domain, Uncontracted, Widening
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.lint.flow import effects
from toolplan.language.resolve import Resolved
from toolplan.language.source import Location

CLAUSES = ("budget", "widen when", "stop after", "high risk")


def idle_budgets(resolved: Resolved) -> Iterator[Diagnostic]:
    """Settings of the budget that change nothing, each at its clause."""
    places = {
        clause.word: Location(file.source, clause.span)
        for file in resolved.files
        for block in file.declarations
        if isinstance(block, nodes.Block) and block.kind == "policy"
        for clause in block.clauses
        if clause.word in CLAUSES
    }
    for word, message, hint in _idle(resolved.domain):
        first = word if word in places else next(iter(places), "")
        yield Diagnostic(Code.IDLE_BUDGET, message, places.get(first), hint)


def _idle(domain: Domain) -> Iterator[tuple[str, str, str]]:
    """The clause, what is said of it, and what to do. A budget that is never spent is not looked at any further."""
    budget = domain.policy.budget
    if budget == NO_BUDGET:
        return
    if domain.policy.uncontracted is Uncontracted.HIDE and all(any(effects(tool)) for tool in domain.tools.values()):
        hint = "`uncontracted explore` shows the tools that no contract calls, where nothing else leads on"
        yield "budget", "the budget is never spent: every tool that may be shown has a contract", hint
        return
    may_widen = budget.widen != Widening()
    if may_widen and budget.maximum == budget.initial:
        hint = f"give the list room: `budget {budget.initial} to {3 * budget.initial}`"
        yield "widen when", f"the list is never widened: it has {budget.maximum} tools at most, and begins with them", hint
    if not may_widen and budget.maximum > budget.initial:
        hint = f"say when it is: `widen when score < 0.7, no choice`, or write `budget {budget.initial}`"
        yield "budget", f"the list never has {budget.maximum} tools: nothing says when it is widened", hint
    if may_widen and budget.stop.rounds == 1:
        yield (
            "stop after",
            "the list is never widened: its first round is the only one",
            "a second round widens it once: `stop after 2 rounds`",
        )
    if budget.high_risk.maximum is not None and budget.high_risk.maximum > budget.maximum:
        message = f"{quoted('high risk')} has more tools than the budget: {budget.high_risk.maximum}, where {budget.maximum} is the most"
        yield "high risk", message, "what is not safe should have the shorter list"
