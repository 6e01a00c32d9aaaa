"""Who may use which tool."""

from __future__ import annotations

from dataclasses import dataclass

from toolplan.domain.actions import Tool


@dataclass(frozen=True, slots=True)
class Principal:
    """For whom an agent acts, as the host knows from its own sign-in, never from a conversation."""

    subject: str = ""
    tenant: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    environment: str = ""


def permits(tool: Tool, principal: Principal) -> bool:
    """Whether the contract of `tool` lets `principal` use it: all of its scopes, and one each of its roles, tenants and environments.

    What a contract does not name, it does not ask for. Names are compared as they are written.
    """
    asked = tool.evidence
    return (
        principal.scopes.issuperset(asked.scopes)
        and not (asked.roles and principal.roles.isdisjoint(asked.roles))
        and not (asked.tenants and principal.tenant not in asked.tenants)
        and not (asked.environments and principal.environment not in asked.environments)
    )
