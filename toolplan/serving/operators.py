"""Who may use the operator page: names with secrets of their own, which no agent has, and the roles for which each decides.

```json
{"operators": {"mia": {"secret": "${MIA_SECRET}", "roles": ["supervisor", "user"]}}}
```
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.receipts.reading import bytes_in
from toolplan.serving.configuration import VARIABLE
from toolplan.serving.located import Located, fields_of, located

SHORTEST = 16
"""Letters of a secret. A shorter one could be found by trying."""
USER = "user"
"""The role of those who decide for the users themselves, who cannot be shown a form."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody who may see all conversations, and decides for `roles`."""

    name: str
    roles: frozenset[str]
    secret: str = field(repr=False)

    def decides(self, by: str) -> bool:
        """Whether they decide what is for `by`, empty for the user."""
        return (by or USER) in self.roles


class Operators:
    """The operators of a server, by their names."""

    def __init__(self, operators: Mapping[str, Operator]) -> None:
        self._operators = operators

    def named(self, name: str) -> Operator | None:
        """Who is called `name`."""
        return self._operators.get(name)

    def signed_in(self, name: str, secret: str) -> Operator | None:
        """Who is called `name`, if the secret is theirs. It takes as long for whoever does not exist."""
        known = self._operators.get(name)
        is_right = hmac.compare_digest((known.secret if known else "").encode(), secret.encode("utf-8", "surrogatepass"))
        return known if is_right else None


def read_operators(path: Path, environment: Mapping[str, str] = os.environ) -> Operators:
    """The operators of a file. Raises DomainError with every mistake of it, and without any secret."""
    try:
        text = bytes_in(path).decode("utf-8")
    except UnicodeDecodeError:
        raise DomainError([Diagnostic(Code.NOT_UTF8, f"{quoted(str(path))} is not UTF-8", None, "save it as UTF-8")]) from None
    reading = _Reading(environment)
    operators = reading.operators(located(str(path), text))
    if reading.findings:
        raise DomainError(reading.findings)
    return Operators(operators)


class _Reading:
    """One reading of a file. It goes on after a mistake, so that all are found at once."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.findings: list[Diagnostic] = []
        self._environment = environment

    def operators(self, whole: Located) -> dict[str, Operator]:
        listed = fields_of(whole, self._wrong).get("operators")
        if listed is None:
            self._wrong(whole, "no `operators` stand here", 'write {"operators": {"NAME": {"secret": ..., "roles": [...]}}}')
            return {}
        return {name: self._operator(name, entry) for name, entry in fields_of(listed, self._wrong).items()}

    def _operator(self, name: str, entry: Located) -> Operator:
        members = fields_of(entry, self._wrong)
        for key in members.keys() - {"secret", "roles"}:
            self._wrong(members[key], f"an operator has no {quoted(key)}", "there are `secret` and `roles`")
        if "secret" not in members:
            self._wrong(entry, f"{quoted(name)} has no `secret`", "give one, or the variable that holds it: ${NAME}")
        secret = self._secret(members["secret"]) if "secret" in members else ""
        return Operator(name, self._roles(members.get("roles")), secret)

    def _secret(self, entry: Located) -> str:
        if not isinstance(entry.value, str):
            self._wrong(entry, "a secret is a text")
            return ""
        variable = VARIABLE.fullmatch(entry.value)
        secret = self._environment.get(variable[1], "") if variable else entry.value
        if len(secret) < SHORTEST:
            self._wrong(entry, f"this secret can be guessed: it has {len(secret)} letters", f"{SHORTEST} are the least")
        return secret

    def _roles(self, entry: Located | None) -> frozenset[str]:
        if entry is None:
            return frozenset()
        if not isinstance(entry.value, list) or not all(isinstance(role, str) for role in entry.value):
            self._wrong(entry, "`roles` is no list of texts", 'write ["supervisor"]; `user` is for the users themselves')
            return frozenset()
        return frozenset(entry.value)

    def _wrong(self, part: Located, message: str, hint: str = "") -> None:
        self.findings.append(Diagnostic(Code.BAD_JSON, message, part.location, hint))
