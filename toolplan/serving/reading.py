"""`Reading`: one reading of a file of settings, with variables of the environment in its texts, which finds all mistakes at once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.serving.located import Located, fields_of

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
"""A variable of the environment, and what stands for it where it is not set."""


class Reading:
    """Goes on after a mistake, with something empty in its place."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._findings: list[Diagnostic] = []
        self.variables: set[str] = set()
        """The values that came from the environment."""

    def finish(self) -> None:
        """Raises DomainError with every mistake, in the order of the text."""
        if self._findings:
            raise DomainError(sorted(self._findings, key=lambda finding: finding.location.span if finding.location else (0, 0)))

    def fields(self, part: Located) -> dict[str, Located]:
        """The members of an object by name."""
        return fields_of(part, self.wrong)

    def texts(self, part: Located | None) -> Mapping[str, str]:
        """An object of texts; empty where there is none."""
        return {name: self.text(member) for name, member in self.fields(part).items()} if part is not None else {}

    def text(self, part: Located) -> str:
        """The text, with the variables of the environment in it."""
        if not isinstance(part.value, str):
            self.wrong(part, "this is no text", "write it in quotes")
            return ""
        return VARIABLE.sub(lambda found: self._variable(part, found[1], found[2]), part.value)

    def wrong(self, part: Located, message: str, hint: str = "", code: Code = Code.BAD_CONFIGURATION) -> None:
        """Note a mistake. What is wrong already in one way is not wrong in another."""
        if all(finding.location != part.location for finding in self._findings):
            self._findings.append(Diagnostic(code, message, part.location, hint))

    def _variable(self, part: Located, name: str, default: str | None) -> str:
        value = self._environment.get(name, default)
        if value is None:
            self.wrong(part, f"the environment has no variable {quoted(name)}", f"set it, or write ${{{name}:-VALUE}}", Code.UNSET_VARIABLE)
            return ""
        self.variables.add(value)
        return value
