"""Who may use which tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from toolplan.domain.actions import Tool


@dataclass(frozen=True, slots=True)
class Principal:
    """For whom an agent acts, as the host knows from its own sign-in, never from a conversation."""

    subject: str = ""
    tenant: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    environment: str = ""
    clearances: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, object]:
        """The same as JSON values, sets in order."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in held.items()}


def permits(tool: Tool, principal: Principal) -> bool:
    """Whether the contract of `tool` lets `principal` use it.

    It takes all of its scopes, a clearance for each class of data, and one each of its roles, tenants and environments. What a contract does not name, it does not ask for. Names are compared as they are written.
    """
    asked = tool.evidence
    return (
        principal.scopes.issuperset(asked.scopes)
        and principal.clearances.issuperset(asked.data)
        and not (asked.roles and principal.roles.isdisjoint(asked.roles))
        and not (asked.tenants and principal.tenant not in asked.tenants)
        and not (asked.environments and principal.environment not in asked.environments)
    )


def enabled(tool: Tool, versions: Mapping[str, str]) -> bool:
    """Whether the server of `tool` has a version that its contract was reviewed for.

    `versions` are what the servers said of themselves when they were connected. A contract that names versions is not enabled at a server
    that is not among them. For use as `also` of `Domain.for_principal`.
    """
    return not tool.evidence.server_versions or tool.evidence.is_for(versions.get(tool.evidence.server, ""))
