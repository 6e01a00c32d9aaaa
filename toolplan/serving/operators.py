"""Who may use the operator page: names with secrets of their own, which no agent has, and the roles for which each decides.

```json
{"operators": {"mia": {"secret": "${MIA_SECRET}", "roles": ["supervisor", "user"], "subject": "mia@team.example"}}}
```
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolplan.language.diagnostics import quoted
from toolplan.serving.located import Located, located_in
from toolplan.serving.reading import Reading

SETTINGS = ("secret", "roles", "subject")
SHORTEST = 16
"""Letters of a secret. A shorter one could be found by trying."""
USER = "user"
"""The role of those who decide for the users themselves, who cannot be shown a form."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody who may see all conversations, and decides for `roles`. Agents that act for them do so under the name `subject`."""

    name: str
    roles: frozenset[str]
    subject: str
    secret: str = field(repr=False)

    def decides(self, by: str, subject: str) -> bool:
        """Whether they decide about a call for `subject` what is for `by`, empty for the user.

        What is for a role takes two people: nobody decides about a call for themselves. Tenants are not looked at.
        """
        return (by or USER) in self.roles and not (by and subject == self.subject)


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
    reading = _Reading(environment)
    operators = reading.operators(located_in(path))
    reading.finish()
    return Operators(operators)


class _Reading(Reading):
    def operators(self, whole: Located) -> dict[str, Operator]:
        listed = self.fields(whole).get("operators")
        if listed is None:
            self.wrong(whole, "no `operators` stand here", 'write {"operators": {"NAME": {"secret": ..., "roles": [...]}}}')
            return {}
        return {name: self._operator(name, entry) for name, entry in self.fields(listed).items()}

    def _operator(self, name: str, entry: Located) -> Operator:
        members = self.fields(entry)
        for key in members.keys() - set(SETTINGS):
            self.wrong(members[key], f"an operator has no {quoted(key)}", f"there are {', '.join(map(quoted, SETTINGS))}")
        if "secret" not in members:
            self.wrong(entry, f"{quoted(name)} has no `secret`", "give one, or the variable that holds it: ${NAME}")
        secret = self._secret(members["secret"]) if "secret" in members else ""
        subject = self.text(members["subject"]) if "subject" in members else name
        return Operator(name, self._roles(members.get("roles")), subject, secret)

    def _secret(self, entry: Located) -> str:
        secret = self.text(entry)
        if len(secret) < SHORTEST:
            self.wrong(entry, f"this secret can be guessed: it has {len(secret)} letters", f"{SHORTEST} are the least")
        return secret

    def _roles(self, entry: Located | None) -> frozenset[str]:
        if entry is None:
            return frozenset()
        if not isinstance(entry.value, list) or not all(isinstance(role, str) for role in entry.value):
            self.wrong(entry, "`roles` is no list of texts", 'write ["supervisor"]; `user` is for the users themselves')
            return frozenset()
        return frozenset(entry.value)
