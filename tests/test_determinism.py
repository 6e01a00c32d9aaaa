"""The same domain, state and goal give the same bytes in any process: plans, frontiers, explanations of what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import permutations

from toolplan import frontier, loads

SCRIPT = """
import json
from toolplan import Limit, load
from toolplan.frontier import Frontier, Planned, decide
from toolplan.language.loading import shipped_domains
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build_scenario
for name in shipped_domains():
    domain = load(name)
    for test in domain.tests:
        if test.wanted:
            problem = build_scenario(domain, test.given, test.wanted)
            planned = Planned(problem, solve(problem, "auto", Limit(seconds=60)))
            print(json.dumps(Frontier(planned, decide(planned), "one", ()).to_dict()))
"""


def test_every_shipped_question_has_the_same_answer_under_every_hash_seed() -> None:
    answers = set()
    for seed in ("0", "1", "2", "3"):
        run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": seed})
        assert run.returncode == 0, run.stderr
        assert run.stdout.count("\n") > 100
        answers.add(run.stdout)
    assert len(answers) == 1


def test_a_state_is_the_same_in_whatever_order_it_is_written() -> None:
    text = """
    type file  fact found(file)  fact read(file)  fact done
    tool look(f: file) { requires found(f) produces read(f) risk read }
    tool report { requires exists f: file (read(f)) produces done risk read }
    """
    atoms = ["found(a)", "found(b)", "found(c)"]
    states = [state for order in permutations(atoms) for state in (list(order), ", ".join(order), dict.fromkeys(order, True))]
    shared = loads(text)
    answers = [frontier(domain, state=state, goal="done") for state in states for domain in (loads(text), shared)]
    assert {str(answer.steps[0]) for answer in answers} == {"look(a)"}
