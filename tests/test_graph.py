"""Drawings: what is in them, that every notation can be read, and that they are the same in every process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random

import pytest
from commands import Ran, run
from hypothesis import given, reject, settings
from strategies import Drawn, problems

from toolplan import DomainError, Limit, load, loads, plan
from toolplan.checks.diagrams import to_dot, to_mermaid
from toolplan.checks.graph import Graph, Kind, Mark, Relation, domain_graph, task_graph
from toolplan.checks.layout import Arc, Box, lay_out
from toolplan.checks.svg import to_svg
from toolplan.cli.exits import Exit

FAST = {"engine": "uniform-cost", "limit": Limit(seconds=60)}
SVG = "{http://www.w3.org/2000/svg}"

FIVE = """
domain mail "Write and send"
fact topic  fact person_named  fact address  fact draft  fact sent  fact locked closed
tool look_up { requires person_named produces address risk read }
tool write { requires topic, not locked produces draft risk draft }
tool unlock { requires topic removes locked risk write }
tool send { requires draft, address produces sent risk send }
tool think by model { requires topic produces draft risk read }
ask who { "Who should get it?" produces address cost 5 }
"""

ODD = """
type file
fact `a "quoted" <name> & more`  fact `名前-\\`(file)  fact done
tool `github.create-issue <b>#1;</b>`(f: file) { requires `a "quoted" <name> & more` produces `名前-\\`(f) risk write }
tool end(f: file) { requires `名前-\\`(f) produces done risk read }
"""


def mail_task() -> Graph:
    planned = plan(loads(FIVE), state="topic, person_named, locked", goal="sent", **FAST)
    return task_graph(planned)


@pytest.mark.parametrize("notation", ["mmd", "dot"])
@pytest.mark.parametrize("what", ["domain", "task"])
def test_goldens(notation: str, what: str) -> None:
    graph = domain_graph(loads(FIVE)) if what == "domain" else mail_task()
    text = to_mermaid(graph) if notation == "mmd" else to_dot(graph)
    golden = Path(__file__).parent / "data" / "graphs" / f"mail-{what}.{notation}"
    if os.environ.get("TOOLPLAN_UPDATE"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


# What is drawn


def test_a_domain_is_drawn_with_all_it_declares() -> None:
    domain = load("workspace")
    graph = domain_graph(domain)
    assert [node.name for node in graph.nodes] == [*domain.facts, *domain.tools, *domain.asks]
    assert len({node.id for node in graph.nodes}) == len(graph.nodes)
    assert {edge.relation for edge in graph.edges} == {Relation.REQUIRES, Relation.PRODUCES, Relation.REMOVES}


def test_a_task_is_drawn_with_its_path_and_nothing_that_cannot_matter() -> None:
    planned = plan(load("workspace"), state="date, event_description, new_time", goal="move_event", **FAST)
    graph = task_graph(planned)
    assert {node.label: node.position for node in graph.nodes if node.kind is Kind.TOOL} == {"search_events": 1, "update_event": 2}
    assert {node.label for node in graph.nodes if node.mark is Mark.KNOWN} == {"date", "event_description", "new_time"}
    assert [node.label for node in graph.nodes if node.mark is Mark.NEXT] == ["search_events"]
    assert [node.label for node in graph.nodes if node.kind is Kind.GOAL] == ["move_event"]


def test_alternatives_are_drawn_beside_the_path() -> None:
    shown = {node.label: (node.kind, node.position) for node in mail_task().nodes if node.kind in (Kind.TOOL, Kind.ASK)}
    assert shown["who"] == (Kind.ASK, 0)
    assert shown["send"] == (Kind.TOOL, 4)
    assert set(shown) == {"look_up", "write", "unlock", "send", "who"}, "what the model thinks is uncertain, which is not enough to send"


def test_an_unreachable_goal_is_drawn_with_what_could_help() -> None:
    planned = plan(loads(FIVE), state="topic", goal="sent", forbid=["who"], **FAST)
    graph = task_graph(planned)
    assert planned.outcome == "unreachable"
    assert "look_up" in {node.label for node in graph.nodes}
    assert not any(node.position or edge.on_path for node in graph.nodes for edge in graph.edges)


def test_only_keeps_names_and_what_they_touch() -> None:
    graph = domain_graph(loads(FIVE), ["send", "topic"])
    assert {node.name for node in graph.nodes} == {"send", "topic", "draft", "address", "sent", "write", "unlock", "think"}
    with pytest.raises(DomainError) as caught:
        domain_graph(loads(FIVE), ["snd", "topic"])
    assert [finding.hint for finding in caught.value.diagnostics] == ["did you mean `send`?"]


# Notations


def test_names_of_any_kind_survive() -> None:
    domain = loads(ODD)
    graph = domain_graph(domain)
    labels = [node.label for node in graph.nodes]
    drawn = ET.fromstring(to_svg(graph))
    titles = [node.findtext(f"{SVG}title") for node in drawn.iter(f"{SVG}g") if "node" in node.get("class", "")]
    assert [title.split(" ", 1)[1] for title in titles if title] == labels
    quoted = re.findall(r'label="((?:[^"\\]|\\.)*)"', to_dot(graph))
    assert [re.sub(r"\\(.)", r"\1", text.split("\\n")[0]) for text in quoted] == labels
    shown = re.findall(r'^  [ft]\d+[(\[{]+"([^"]*)"', to_mermaid(graph), re.MULTILINE)
    assert [re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text.split("<br/>")[0]) for text in shown] == labels
    for text in shown:
        assert not set(text.replace("<br/>", "")) & set('"<>&`\\[]{}|')


@pytest.mark.parametrize("name", ["calendar", "github", "workspace"])
def test_an_svg_stands_alone_and_holds_every_node_once(name: str) -> None:
    graph = domain_graph(load(name))
    text = to_svg(graph)
    drawn = ET.fromstring(text)
    assert [node.get("id") for node in drawn.iter(f"{SVG}g") if "node" in node.get("class", "")] == [node.id for node in graph.nodes]
    assert len([path for path in drawn.iter(f"{SVG}path") if (path.get("d") or "").startswith("M") and path.get("marker-end")]) >= len(
        graph.edges
    )
    assert drawn.find(f"{SVG}title") is not None
    assert drawn.find(f"{SVG}desc") is not None
    assert drawn.get("role") == "img"
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@settings(max_examples=80, deadline=None)
@given(problems())
def test_every_task_can_be_drawn(drawn: Drawn) -> None:
    try:
        planned = plan(loads(drawn.domain), state=drawn.state, goal=drawn.goal, engine="uniform-cost", limit=Limit(expansions=500))
    except DomainError:
        reject()
    for graph in (task_graph(planned), domain_graph(planned.problem.domain)):
        ids = {node.id for node in graph.nodes}
        assert all({edge.source, edge.target} <= ids for edge in graph.edges)
        ET.fromstring(to_svg(graph))
        json.dumps(graph.to_dict())
        assert to_dot(graph).count(" -> ") == len(graph.edges)
        assert to_mermaid(graph).startswith("flowchart LR\n")
    calls = {step._replace(outcome=-1) for step in planned.steps}
    assert {node.position for node in task_graph(planned).nodes if node.position} == set(range(1, 1 + len(calls)))


def test_the_same_bytes_in_every_process() -> None:
    script = (
        "from toolplan import load, plan\n"
        "from toolplan.checks.diagrams import to_dot, to_mermaid\n"
        "from toolplan.checks.graph import domain_graph, task_graph\n"
        "from toolplan.checks.svg import to_svg\n"
        "domain = load('github')\n"
        "task = task_graph(plan(load('workspace'), state='described(report), named(anna)', goal='share_file(report, anna)', engine='uniform-cost'))\n"
        "for graph in (domain_graph(domain), task):\n"
        "    for write in (to_svg, to_dot, to_mermaid): print(write(graph))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1


# The layout


def random_graph(rng: Random, facts: int, actions: int) -> tuple[list[Box], list[Arc]]:
    boxes = [Box(rng.uniform(70, 250), 28, 0) for _ in range(facts)] + [Box(rng.uniform(70, 250), 42, 1) for _ in range(actions)]
    arcs = {}
    for action in range(facts, facts + actions):
        for fact in rng.sample(range(facts), rng.randint(0, min(4, facts))):
            ends = rng.choice([(fact, action), (action, fact)])
            arcs[ends] = Arc(*ends, leads=rng.random() < 0.8, style=rng.choice("xy"))
    return boxes, list(arcs.values())


@pytest.mark.parametrize("seed", range(30))
def test_no_two_boxes_overlap_and_edges_end_at_their_boxes(seed: int) -> None:
    rng = Random(seed)
    boxes, arcs = random_graph(rng, rng.randint(1, 30), rng.randint(0, 30))
    layout = lay_out(boxes, arcs)
    for one in range(len(boxes)):
        at = layout.centres[one]
        assert boxes[one].width / 2 - 0.01 <= at.x <= layout.width - boxes[one].width / 2 + 0.01
        assert boxes[one].height / 2 - 0.01 <= at.y <= layout.height - boxes[one].height / 2 + 0.01
        for other in range(one):
            beside = abs(at.x - layout.centres[other].x) >= (boxes[one].width + boxes[other].width) / 2
            above = abs(at.y - layout.centres[other].y) >= (boxes[one].height + boxes[other].height) / 2
            assert beside or above
    for arc, route in zip(arcs, layout.routes, strict=True):
        for end, node in ((route[0], arc.source), (route[-1], arc.target)):
            assert abs(abs(end.x - layout.centres[node].x) - boxes[node].width / 2) < 0.01
            assert abs(end.y - layout.centres[node].y) <= boxes[node].height / 2


def test_edges_of_a_chain_go_from_left_to_right() -> None:
    boxes = [Box(80, 28, 0), Box(80, 42, 1), Box(80, 28, 0), Box(80, 42, 1)]
    layout = lay_out(boxes, [Arc(0, 1), Arc(1, 2), Arc(2, 3), Arc(3, 0)])
    assert [at.x for at in layout.centres] == sorted(at.x for at in layout.centres)
    assert lay_out([], []).centres == ()


# The command


def graph(*arguments: str, cwd: Path | None = None) -> Ran:
    return run("graph", *arguments, cwd=cwd)


TASK = ("calendar", "--state", "date,event_description,new_time", "--goal", "move_event", "--engine", "uniform-cost")


def test_the_command_writes_every_format(tmp_path: Path) -> None:
    assert graph("calendar").stdout.startswith("flowchart LR\n")
    assert "2. update_event" in graph(*TASK).stdout
    assert graph(*TASK, "--format", "dot").stdout.startswith('digraph "calendar: move_event" {')
    written = graph(*TASK, "-o", "picture.svg", cwd=tmp_path)
    assert (written.stdout, written.stderr) == ("", "wrote picture.svg\n")
    ET.fromstring((tmp_path / "picture.svg").read_text("utf-8"))
    data = json.loads(graph(*TASK, "--only", "search_events", "--json").stdout)
    assert [node["label"] for node in data["nodes"]] == ["date", "event_description", "event_id", "search_events"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["calendar", "--state", "date"], Exit.USAGE, "add `--goal`"),
        (["calendar", "--only", "serch_events"], Exit.INPUT, "did you mean `search_events`?"),
        (["calendar", "--format", "png"], Exit.USAGE, "'mermaid', 'dot', 'svg'"),
        (["calendar", "-o", "/proc/nowhere/x.svg"], Exit.USAGE, "cannot write to /proc/nowhere/x.svg"),
        (["nothing_here"], Exit.INPUT, "TP601"),
        ([*TASK, "--goal", "mov_event"], Exit.INPUT, "did you mean `move_event`?"),
    ],
)
def test_the_command_says_what_does_not_fit(arguments: list[str], code: Exit, message: str) -> None:
    ran = graph(*arguments)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert message in ran.stderr
