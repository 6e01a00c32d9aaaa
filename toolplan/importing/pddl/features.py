"""What PDDL has: its requirements, and the features that the language cannot say."""

from __future__ import annotations

REQUIREMENTS = frozenset(
    f":{name}"
    for name in """
    strips typing negative-preconditions disjunctive-preconditions equality existential-preconditions universal-preconditions
    quantified-preconditions conditional-effects adl action-costs fluents numeric-fluents object-fluents goal-utilities
    durative-actions duration-inequalities continuous-effects time timed-effects timed-initial-literals timed-initial-fluents
    derived-predicates domain-axioms subgoals-through-axioms expression-evaluation safety-constraints open-world true-negation
    preferences constraints trajectory-constraints non-deterministic probabilistic-effects rewards mdp multi-agent
    action-expansions foreach-expansions dag-expansions hierarchy method-preconditions htn ucpop
    """.split()
)
"""The requirements of PDDL 1.2 to 3.1 and of its best-known extensions. What a domain uses decides whether it can be imported."""

_COMPARED = "the planner compares no numbers; only action costs are imported"
_TIMED = "all steps take no time; only their order is planned"

FEATURES = {
    "durative action": ("a durative action", _TIMED),
    "timed condition": ("a condition or effect `at start`, `at end` or `over all`", _TIMED),
    "timed initial literal": ("a timed initial literal", _TIMED),
    "derived predicate": ("a derived predicate", "write its definition out where it is used"),
    "constraints": ("a constraint on the whole plan", "only what holds at the end is wanted"),
    "preference": ("a preference", "state as a goal what must hold; nothing else is weighed"),
    "process": ("a process or an event", "nothing but steps changes the state"),
    "timeless": ("`:timeless`", "state its atoms in `:init`"),
    "task network": ("a task network", "a plan is found from actions alone"),
    "either": ("a type `(either ...)`", "declare a type above them: `a b - c`"),
    "object fluent": ("an object fluent", "say it with a predicate: `(position ?truck ?place)`"),
    "numeric fluent": ("a numeric fluent other than `total-cost`", _COMPARED),
    "numeric condition": ("a numeric condition", _COMPARED),
    "computed cost": ("a cost that is computed", "a cost is a number, or a function with its values in `:init`"),
    "conditional cost": ("a cost under `when` or `forall`", "let the action cost the same wherever it is taken"),
    "nondeterministic effect": ("a nondeterministic effect", "write `oneof` into the imported tool"),
    "metric": (
        "a metric other than `minimize (total-cost)`",
        "leave it out: least is then the `total-cost`, or where no action increases it, the number of steps",
    ),
}
"""What cannot be imported: what messages call it, and what to do instead."""

SECTIONS = {
    ":durative-action": "durative action",
    ":derived": "derived predicate",
    ":axiom": "derived predicate",
    ":constraints": "constraints",
    ":process": "process",
    ":event": "process",
    ":timeless": "timeless",
    ":task": "task network",
    ":method": "task network",
    ":htn": "task network",
}
"""Sections with such a feature."""

CONDITIONS = {
    **dict.fromkeys(("<", "<=", ">", ">="), "numeric condition"),
    **dict.fromkeys(("always", "sometime", "within", "at-most-once", "hold-during", "hold-after"), "constraints"),
    **dict.fromkeys(("sometime-after", "sometime-before", "always-within"), "constraints"),
    "preference": "preference",
    "over": "timed condition",
}
"""Words that start such a condition, unless a predicate is called so."""

EFFECTS = {
    **dict.fromkeys(("decrease", "assign", "scale-up", "scale-down", "change"), "numeric fluent"),
    **dict.fromkeys(("oneof", "probabilistic"), "nondeterministic effect"),
}
"""Words that start such an effect, unless a predicate is called so."""

MOMENTS = frozenset(["start", "end", "all"])
"""What stands after `at` and `over` in a durative action."""
