"""Findings about domains that are valid, and that a look at the domain alone can tell: what is probably not what the author meant.

A rule is a function from a resolved domain to findings, listed in `RULES`. Rules that plan live in `toolplan.checks`.
"""

from __future__ import annotations

from toolplan.language.diagnostics import Diagnostic
from toolplan.language.lint.budgets import idle_budgets
from toolplan.language.lint.contracts import (
    added_and_removed,
    dominated_tools,
    duplicate_contracts,
    many_groundings,
    tools_without_effect,
    unrated_tools,
    unused_parameters,
)
from toolplan.language.lint.evidence import (
    colliding_tools,
    contradictory_advice,
    superseded_visible,
    unknown_superseded,
    unowned_tools,
)
from toolplan.language.lint.facts import (
    cheap_questions,
    circular_facts,
    needless_questions,
    tools_without_goal,
    unproduced_facts,
    unused_facts,
)
from toolplan.language.lint.names import hidden_tools_named, invisible_characters, long_names, mixed_scripts, unportable_names
from toolplan.language.lint.risks import harm_called_safe, unconfirmed_risks
from toolplan.language.resolve import Resolved

RULES = (
    unrated_tools,
    tools_without_effect,
    added_and_removed,
    unproduced_facts,
    unused_facts,
    tools_without_goal,
    duplicate_contracts,
    dominated_tools,
    circular_facts,
    unconfirmed_risks,
    harm_called_safe,
    hidden_tools_named,
    needless_questions,
    cheap_questions,
    long_names,
    unportable_names,
    mixed_scripts,
    invisible_characters,
    many_groundings,
    unused_parameters,
    unknown_superseded,
    superseded_visible,
    colliding_tools,
    contradictory_advice,
    unowned_tools,
    idle_budgets,
)


def lint(resolved: Resolved) -> list[Diagnostic]:
    """All findings of all rules, in the order of the rules, those that the author allows among them."""
    return [finding for rule in RULES for finding in rule(resolved)]
