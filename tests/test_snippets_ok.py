"""Every construct of the language in a small domain of its own, with what it means and its PDDL as golden text.

`NAME.toolplan` is also a runnable example: its first test block says what is given, what is wanted and what the plan is. `NAME.json`
is the resolved domain, `NAME.pddl` the task of that test block. TOOLPLAN_UPDATE=1 rewrites both; review the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from downward import solve_text
from dumping import dumps
from lark.grammar import Rule

from toolplan import Limit, loads
from toolplan.domain import Domain
from toolplan.language import parser, tables
from toolplan.language.codes import Severity
from toolplan.language.loading import check
from toolplan.language.source import Source
from toolplan.planning.engines import UNIFORM_COST, solve
from toolplan.planning.inputs import build, build_scenario
from toolplan.planning.pddl import Pddl, to_pddl
from toolplan.planning.plans import Optimal, Step, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, goal_reached, score

ROOT = Path(__file__).resolve().parents[1]
OK = ROOT / "tests/snippets/ok"
SNIPPETS = sorted(path.stem for path in OK.glob("*.toolplan"))
PAGE = ROOT / "docs/language.md"
SHOWN = re.compile(r"^```(toolplan|text|pddl) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def load(name: str) -> Domain:
    """The domain of a snippet. Lints may say something of one that is so small; errors there are none."""
    resolved = check(str(OK / f"{name}.toolplan"))
    assert [str(finding) for finding in resolved.diagnostics if finding.severity is Severity.ERROR] == []
    return resolved.domain


def problem_of(domain: Domain) -> Problem:
    """The problem of the first test block."""
    test = domain.tests[0]
    assert test.wanted
    return build_scenario(domain, test.given, test.wanted)


def compare(golden: Path, text: str) -> None:
    if os.environ.get("TOOLPLAN_UPDATE"):
        golden.write_text(text, "utf-8", newline="\n")
    assert text == golden.read_text("utf-8")


def joined(text: Pddl) -> str:
    return f"{text.domain}\n{text.problem}"


@pytest.mark.parametrize("name", SNIPPETS)
def test_meaning(name: str) -> None:
    compare(OK / f"{name}.json", dumps(load(name)))


@pytest.mark.parametrize("name", SNIPPETS)
def test_pddl(name: str) -> None:
    compare(OK / f"{name}.pddl", joined(to_pddl(problem_of(load(name)))))


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_plan_is_the_one_that_the_test_block_expects(name: str) -> None:
    domain = load(name)
    problem = problem_of(domain)
    solution = solve(problem, UNIFORM_COST, Limit(seconds=60))
    expected = {kind: [e.atoms for e in domain.tests[0].expects if e.kind == kind] for kind in ("chain", "question", "blocked")}
    if isinstance(solution, Optimal):
        steps = [Step(step.action, step.arguments) for step in solution.plan.steps]
        assert expected["chain"] == [tuple(atom for atom in expected["chain"][0])]
        assert steps == [Step(atom.fact, tuple(term.name for term in atom.terms)) for atom in expected["chain"][0]]
    else:
        assert isinstance(solution, Unreachable)
        assert expected["blocked"]
        assert {fluent.atom.fact for fluent in solution.missing} == {atom.fact for atom in expected["blocked"][0]}


@pytest.mark.parametrize("name", SNIPPETS)
def test_fast_downward_takes_the_pddl_and_finds_the_same_score(name: str) -> None:
    problem = problem_of(load(name))
    text = to_pddl(problem)
    ours, theirs = solve(problem, UNIFORM_COST, Limit(seconds=60)), solve_text(text)
    if theirs is None:
        assert isinstance(ours, Unreachable)
    else:
        assert isinstance(ours, Optimal)
        cost, steps = theirs
        assert Fraction(cost, text.unit) == score(problem, steps) == ours.plan.score


def test_every_golden_has_its_snippet() -> None:
    for ending in ("json", "pddl"):
        assert sorted(path.stem for path in OK.glob(f"*.{ending}")) == SNIPPETS


# The whole language is shown


def rules_from(start: str, rules: list[Rule]) -> Iterator[Rule]:
    """The rules that a text may use whose start symbol is `start`."""
    reached, waiting = {start}, [start]
    while waiting:
        name = waiting.pop()
        for rule in rules:
            if rule.origin.name == name:
                yield rule
                new = {symbol.name for symbol in rule.expansion} - reached
                reached |= new
                waiting += new


def shapes(rules: set[Rule]) -> set[tuple[str, str, str]]:
    """Each alternative with each of its words and parts: an optional part is used where some text has it.

    An alternative is told by its name and its first word, so that every clause is one. That a list goes on is not asked for twice.
    """
    return {
        (str(rule.origin.name), rule.alias or "", str(rule.expansion[0].name), str(symbol.name))
        for rule in rules
        for symbol in rule.expansion
        if rule.origin not in rule.expansion
    }


@pytest.fixture
def used_rules(monkeypatch: pytest.MonkeyPatch) -> set[Rule]:
    """The rules of the grammar by which the snippets are read."""
    callbacks = tables._lark().parse_interactive(start="declaration").parser_state.parse_conf.callbacks
    used: set[Rule] = set()

    def noting(rule: Rule, callback):
        def note(children):
            used.add(rule)
            return callback(children)

        return note

    for rule, callback in list(callbacks.items()):
        monkeypatch.setitem(callbacks, rule, noting(rule, callback))
    for path in [OK / f"{name}.toolplan" for name in SNIPPETS]:
        _, findings = parser.parse(Source(str(path), path.read_text("utf-8")))
        assert not findings
    return used


def test_every_alternative_of_the_grammar_is_used(used_rules: set[Rule]) -> None:
    language = set(rules_from("declaration", tables._lark().rules))
    assert sorted(shapes(language) - shapes(used_rules)) == []


def test_every_keyword_is_used_as_one(used_rules: set[Rule]) -> None:
    used = {symbol.name for rule in used_rules for symbol in rule.expansion if symbol.is_term}
    assert sorted(set(tables.keywords().values()) - used) == []


def test_every_terminal_that_reads_a_value_is_used(used_rules: set[Rule]) -> None:
    used = {symbol.name for rule in used_rules for symbol in rule.expansion if symbol.is_term}
    assert sorted({"NAME", "QUOTED", "STRING", "LONG_STRING", "NUMBER", "DURATION", "PATH", "COMPARES"} - used) == []


# What the reference shows of the snippets


def shown() -> list[tuple[str, str, str]]:
    return [(match[1], match[2], match[3]) for match in SHOWN.finditer(PAGE.read_text("utf-8"))]


@pytest.mark.parametrize(("kind", "name", "text"), shown(), ids=[f"{kind} {name}" for kind, name, _ in shown()])
def test_the_reference_shows_what_the_snippets_have(kind: str, name: str, text: str) -> None:
    """A block ```` ```pddl NAME ```` is some lines of NAME.pddl, one after the other. White space is not compared.

    `toolplan` is the same of NAME.toolplan, and so is `text`, for a block that is not a domain by itself.
    """
    ending = "pddl" if kind == "pddl" else "toolplan"
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    file = [" ".join(line.split()) for line in (OK / f"{name}.{ending}").read_text("utf-8").splitlines() if line.strip()]
    assert any(file[at : at + len(lines)] == lines for at in range(len(file))), f"not in {name}.{ending}:\n{text}"


def test_the_reference_shows_every_snippet() -> None:
    assert {name for kind, name, _ in shown() if kind != "pddl"} == set(SNIPPETS)


TABLE = """
    fact f  fact shut closed  fact done
    tool look  { requires f          produces done risk read }
    tool write { requires f          produces done risk write }
    tool deny  { requires not f      produces done risk write }
    tool look_shut  { requires shut     produces done risk read }
    tool write_shut { requires shut     produces done risk write }
    tool deny_shut  { requires not shut produces done risk write }
"""


def rows() -> list[tuple[str, list[bool]]]:
    """The rows of the table of truth values: the state, and each `yes` or `no`."""
    lines = PAGE.read_text("utf-8").partition("| of `f` the state says |")[2].splitlines()[2:7]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0], [cell == "yes" for cell in row[1:]]) for row in cells]


@pytest.mark.parametrize(("says", "answers"), rows(), ids=[says for says, _ in rows()])
def test_the_table_of_truth_values_is_right(says: str, answers: list[bool]) -> None:
    state = says.split("`")[1] if says.startswith("`") else ""
    fact, suffix = ("shut", "_shut") if "closed" in says else ("f", "")
    problem = build(loads(TABLE), state, fact)
    steps = [applicable(problem, problem.state, Step(tool + suffix)) for tool in ("look", "write", "deny")]
    goals = [goal_reached(problem, problem.state), goal_reached(build(loads(TABLE), state, f"not {fact}"), problem.state)]
    assert steps + goals == answers
