"""Random small domains, as text in the language, with a state and a goal to plan for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from toolplan import DomainError, loads
from toolplan.planning.inputs import build
from toolplan.planning.semantics import applicable, successor

COSTS = ["0", "0", "1", "2", "0.5", "2.25", "3", "1000000"]
RISKS = ["read", "read", "draft", "write", "send"]
OBJECTS = {"file": ["report", "notes"], "person": ["anna"]}
FACTS = {
    "a": (),
    "b": (),
    "c": (),
    "d": (),
    "e": (),
    "shut": (),
    "found": ("file",),
    "known": ("person",),
    "shared": ("file", "person"),
    "private": ("file",),
}
CLOSED = {"shut", "private"}
PARAMETERS = {"f": "file", "p": "person"}


@dataclass(frozen=True)
class Drawn:
    """A domain, and what to plan in it."""

    domain: str
    state: tuple[str, ...]
    goal: str


@dataclass(frozen=True)
class Features:
    """What a drawn domain may use: everything that plans, or only what STRIPS with types has."""

    conditions: Sequence[str]
    rich: bool


PLAIN = Features(conditions=["plain"], rich=False)
RICH = Features(conditions=["plain"] * 6 + ["not", "not shut", "or", "forall", "exists"], rich=True)


def problems(features: Features = RICH) -> st.SearchStrategy[Drawn]:
    """A domain of four to nine tools and perhaps a question, a small state, and a goal of up to three atoms.

    Most goals are made of what a walk through the domain made known, so that they take some steps; others are drawn blindly.
    """
    return st.integers(0, 2**32).map(lambda seed: draw_problem(Random(seed), features))


def cascades() -> st.SearchStrategy[Drawn]:
    """Tools that only add, most of them under conditions, and cost little or nothing: a best plan may take one of them many times."""
    return st.integers(0, 2**32).map(lambda seed: draw_cascade(Random(seed)))


def draw_cascade(rng: Random) -> Drawn:
    facts = [f"f{number}" for number in range(rng.randint(4, 9))]
    lines = [f"fact {fact}" for fact in facts]
    for number in range(rng.randint(1, 3)):
        pairs = list(pairwise(facts))[rng.randint(0, 2) :] if rng.random() < 0.7 else [rng.sample(facts, 2) for _ in facts[2:]]
        produced = ", ".join(f"{after} when {before}" if rng.random() < 0.95 else after for before, after in pairs)
        lines.append(f"tool t{number} {{ produces {produced} cost {rng.choice(['0', '0', '0', '0.5'])} risk read }}")
    lines.append(f"tool direct {{ produces {facts[-1]} cost {rng.choice(COSTS)} risk read }}")
    state, goal = (rng.sample(some, rng.choice([1, 1, 2])) for some in (facts[:2], facts[-2:]))
    return Drawn("\n".join(lines), tuple(state), ", ".join(goal))


def doubts() -> st.SearchStrategy[Drawn]:
    """Mostly reads, over facts of which some are claimed and some known to be false: what is known may rule out what is hoped for."""
    return st.integers(0, 2**32).map(lambda seed: draw_doubt(Random(seed)))


def draw_doubt(rng: Random) -> Drawn:
    facts = ["a", "b", "c", "d", "shut"]
    lines = [f"fact {fact}{' closed' if fact in CLOSED else ''}" for fact in (*facts, "rumour", "goal")]
    tools = [f"requires {rng.choice(facts[2:])} verifies goal", "requires a produces goal cost 50"]
    tools += [_doubting(rng, facts) for _ in range(rng.randint(4, 7))]
    for number, clauses in enumerate(tools):
        performer = rng.choice([""] * 12 + [" by user", " by model"])
        lines.append(f"tool t{number}{performer} {{ {clauses} risk {rng.choice(['read'] * 7 + ['write'])} }}")
    given = [rng.choice([fact, fact, f"{fact}?", f"not {fact}"]) for fact in rng.sample(facts[1:], rng.choice([0, 1, 1, 2]))]
    return Drawn("\n".join(lines), ("a", "rumour?", *given), "goal")


def _doubting(rng: Random, facts: Sequence[str]) -> str:
    """The clauses of a tool that mostly changes what others hope for or build on."""
    # Each fact leads to the next, so that most ways to the goal are long.
    read, one = rng.choice(list(pairwise(facts)))
    other, third = rng.sample([fact for fact in facts if fact not in (read, one)], 2)
    effects = [
        *[f"produces {one}"] * 6,
        f"produces {one}, {other}",
        f"produces {one} when {other}",
        *[f"produces oneof (({one}, not {read}) or {third})"] * 6,
        f"produces oneof (({one}, not {other}) or {third})",
        f"produces oneof ({one} or (not {other}))",
        f"removes {one}",
        f"removes {read}",
        f"removes {one} when {other}",
        f"produces {one} removes {other}",
        f"produces {one} removes {other} when {third}",
        f"verifies {one}",
    ]
    required = [read if rng.random() < 0.9 else f"not {read}"] + [third] * (rng.random() < 0.15)
    return f"requires {rng.choice([' or ', ', ']).join(required)} {rng.choice(effects)} cost {rng.choice(['0', '1', '2'])}"


def draw_problem(rng: Random, features: Features) -> Drawn:
    lines = [f"type {name}" for name in OBJECTS]
    for fact, types in FACTS.items():
        lines.append(f"fact {fact}{'(' + ', '.join(types) + ')' if types else ''}{' closed' if fact in CLOSED else ''}")
    for name, objects in OBJECTS.items():
        lines.append(f"constant {', '.join(objects)}: {name}")
    ground = _atoms({name: kind for kind, names in OBJECTS.items() for name in names})
    lines += [_tool(rng, number, features) for number in range(rng.randint(4, 9))]
    if rng.random() < 0.4:
        lines.append(f"ask q {{ produces {rng.choice('abc')} cost {rng.choice(COSTS)} }}")
    if features.rich and rng.random() < 0.2:
        lines.append(f"ask may {{ permits t{rng.randint(0, 3)} cost {rng.choice(COSTS)} }}")
    state = rng.sample(ground, rng.choice([0, 1, 2, 2, 3, 4]))
    if features.rich:
        denied = [f"not {atom}" for atom in rng.sample(ground, rng.choice([0, 0, 1])) if atom not in state]
        state = [f"{atom}?" if rng.random() < 0.15 else atom for atom in state] + denied
    made = _wander(rng, "\n".join(lines), state) if rng.random() < 0.8 else []
    goal = _condition(rng, ground, features, rng.choice([0, 1, 2]) if not made else rng.choice([0, 0, 0, 1]))
    goal += [atom for atom in rng.sample(made, min(len(made), rng.choice([1, 2, 2, 3]))) if atom not in " ".join(goal)]
    return Drawn("\n".join(lines), tuple(state), ", ".join(goal))


def _wander(rng: Random, domain: str, state: Sequence[str]) -> list[str]:
    """Atoms that some steps, taken at random, have made known."""
    try:
        problem = build(loads(domain), state, "")
    except DomainError:
        return []
    at = problem.state
    steps = list(problem.steps())
    for _ in range(rng.randint(1, 12)):
        if can_run := [step for step in steps if applicable(problem, at, step)]:
            at = successor(problem, at, rng.choice(can_run))
    return sorted(
        str(atom) for atom in at.known - problem.state.known if atom.fact in FACTS and problem.placeholders.isdisjoint(atom.arguments)
    )


def _atoms(variables: dict[str, str]) -> list[str]:
    """Every atom over `variables` (name to type), and those without arguments."""
    atoms = []
    for fact, types in FACTS.items():
        choices = [[name for name, kind in variables.items() if kind == type_name] for type_name in types]
        if not types:
            atoms.append(fact)
        elif len(types) == 1:
            atoms += [f"{fact}({one})" for one in choices[0]]
        else:
            atoms += [f"{fact}({one}, {other})" for one in choices[0] for other in choices[1]]
    return atoms


def _condition(rng: Random, atoms: Sequence[str], features: Features, count: int) -> list[str]:
    """Conjuncts, no atom in two of them."""
    parts = []
    for atom in rng.sample(list(atoms), min(count, len(atoms))):
        other = rng.choice([other for other in atoms if other != atom])
        parts.append(
            {
                "plain": atom,
                "not": f"not {atom}",
                "not shut": "not shut" if atom != "shut" else atom,
                "or": f"({atom} or {other})",
                "forall": f"forall x: file (found(x) or {atom})",
                "exists": f"exists x: file (found(x), {atom})",
            }[rng.choice(features.conditions)]
        )
    return parts


def _tool(rng: Random, number: int, features: Features) -> str:
    names = rng.sample(sorted(PARAMETERS), rng.choice([0, 0, 0, 1, 1, 2]))
    variables = {name: PARAMETERS[name] for name in names}
    atoms = _atoms(variables)
    clauses = []
    if requires := _condition(rng, atoms, features, rng.choice([0, 1, 1, 1, 2])):
        clauses.append(f"requires {', '.join(requires)}")
    if features.rich and rng.random() < 0.15:
        clause, brought = rng.choice(
            [("finds x: file", ["found(x)", "private(x)"]), ("creates x: person", ["known(x)"]), ("enumerates file", [])]
        )
        clauses.append(clause)
        atoms += brought * 3
    if features.rich and rng.random() < 0.1:
        one, other, third = (rng.choice(atoms) for _ in range(3))
        clauses.append(f"produces oneof ({one} or (not {other}, {third}))")
    elif produces := rng.sample(atoms, rng.choice([0, 1, 1, 1, 1, 2])):
        conditional = features.rich and rng.random() < 0.2
        clauses.append(f"produces {', '.join(produces)}{f' when {rng.choice(atoms)}' if conditional else ''}")
    if rng.random() < 0.3:
        conditional = features.rich and rng.random() < 0.3
        clauses.append(f"removes {rng.choice(atoms)}{f' when {rng.choice(atoms)}' if conditional else ''}")
    if features.rich and rng.random() < 0.1:
        clauses.append(f"verifies {rng.choice(atoms)}")
    if rng.random() < 0.6:
        clauses.append(f"cost {rng.choice(COSTS)}")
    if rng.random() < 0.8:
        clauses.append(f"risk {rng.choice(RISKS)}")
    header = f"({', '.join(f'{name}: {kind}' for name, kind in variables.items())})" if variables else ""
    performer = rng.choice(["", "", "", "", "", "", " by user", " by model"]) if features.rich else ""
    return f"tool t{number}{header}{performer} {{ {' '.join(clauses)} }}"
