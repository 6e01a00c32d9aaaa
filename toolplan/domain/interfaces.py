"""How a contract meets the real tool: arguments, results, metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolplan.domain.conditions import AtomicFormula, Variable


@dataclass(frozen=True, slots=True)
class Literal:
    """A JSON value written in the domain."""

    value: object


@dataclass(frozen=True, slots=True)
class Derived:
    """An argument that the model derives from facts."""

    sources: tuple[AtomicFormula, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list of which at least one item is no literal."""

    items: tuple[ArgumentSource, ...]


@dataclass(frozen=True, slots=True)
class IfKnown:
    """The value of a fact where it is known. Where it is not, the argument is left out, and nobody makes one up."""

    atom: AtomicFormula


@dataclass(frozen=True, slots=True)
class Free:
    """An argument that the model chooses."""


ArgumentSource = AtomicFormula | Variable | Literal | Items | Derived | IfKnown | Free


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of values, decided at the gate and never by the planner. `operator` is one of `< <= > >= = !=`."""

    left: AtomicFormula | Variable | Literal
    operator: str
    right: AtomicFormula | Variable | Literal


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value lies in the JSON of a result."""

    text: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression with named groups over the text of a result."""

    text: str


@dataclass(frozen=True, slots=True)
class HostReader:
    """A reader that the host registers under `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Interface:
    """How a contract meets the real tool: its name, its arguments, its results."""

    calls: str = ""
    passes: Mapping[str, ArgumentSource] = field(default_factory=dict)
    checks: tuple[Comparison, ...] = ()
    key: str | None = None
    returns: tuple[tuple[AtomicFormula, Path | Pattern | HostReader], ...] = ()
    fails_when: tuple[str, ...] = ()

    @property
    def optional(self) -> Mapping[str, AtomicFormula]:
        """What is passed only if it is known, by argument."""
        return {name: source.atom for name, source in self.passes.items() if isinstance(source, IfKnown)}


NO_INTERFACE = Interface()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The metadata of an evidence contract: who offers the tool, who may use it, who answers for it, when to use it and when not to.

    A caller needs all of `scopes` and of `data`, the classes of data that the tool touches, and one of `roles`, of `tenants` and of
    `environments` each, unless there are none. `server_versions` are those for which the contract was reviewed, and `digest`, where there
    is one, is that of the real tool that was reviewed. `id` is the name that stays the same wherever the tool is offered.
    """

    capability: tuple[str, ...] = ()
    server: str = ""
    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    owner: str = ""
    version: str = ""
    supersedes: tuple[str, ...] = ()
    use_when: tuple[str, ...] = ()
    do_not_use_when: tuple[str, ...] = ()
    idempotent: bool = False
    side_effect: str = ""
    id: str = ""
    server_versions: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    digest: str = ""

    def is_of(self, digest: str) -> bool:
        """Whether a real tool with this digest is the one that was reviewed; any is where the contract pins none."""
        return self.digest in ("", digest)

    def is_for(self, version: str) -> bool:
        """Whether a server that says it has this version is one that the contract was reviewed for; any is where the contract names none.

        A version stands for all that begin with its parts: `3.2` for `3.2.1`, but not for `3.20`.
        """
        said = version.split(".")
        return not self.server_versions or any(said[: len(one)] == one for one in (named.split(".") for named in self.server_versions))


NO_EVIDENCE = Evidence()
