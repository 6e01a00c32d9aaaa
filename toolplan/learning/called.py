"""Names in traces to contracts."""

from __future__ import annotations

from toolplan.domain import Domain, Tool


def contracts_of(domain: Domain, name: str) -> tuple[Tool, ...]:
    """The contracts that `name` in a trace may mean: the one that is called so, or else all that call a real tool of that name."""
    own = domain.tools.get(name)
    return (own,) if own is not None else tuple(tool for tool in domain.tools.values() if tool.call_name == name)


def contract_of(domain: Domain, name: str) -> Tool | None:
    """The contract that `name` means; None where that is none or several."""
    contracts = contracts_of(domain, name)
    return contracts[0] if len(contracts) == 1 else None
