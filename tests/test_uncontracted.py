"""Real tools without a contract, and contracts without a real tool: whose sessions share one domain, and all that is remembered of it."""

from __future__ import annotations

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.frontier import Blocked
from toolplan.session import Session, Settings

TEXT = 'fact done  tool work { "Work." produces done risk read }  policy { risk read 0 safe  uncontracted explore }'
DOMAIN = toolplan.loads(TEXT)
ORDERS = toolplan.loads(
    """
    fact cancelled
    tool call_off { produces cancelled risk write server "shop" server versions "2" }
    tool drop { produces cancelled risk write }
    policy { risk write 2 }
    """
)


def opened(*names: str, trusted: tuple[str, ...] = ()) -> toolplan.Domain:
    tools = [RealTool(name, origin="shop", hints={"readOnlyHint": True}) for name in ("work", *names)]
    return Session(DOMAIN, catalog=Catalog(tools), settings=Settings(trusted=trusted)).domain


def test_the_same_tools_make_the_same_domain() -> None:
    assert opened("clock") is opened("clock")
    assert opened() is DOMAIN


def test_other_tools_or_other_trust_make_another() -> None:
    first = opened("clock")
    others = [opened("clock", "weather"), opened("clock", trusted=("shop",))]
    assert all(other is not first for other in others)
    assert first.tools["clock"].risk is None
    assert others[1].tools["clock"].risk == "read"


def test_a_contract_whose_tool_is_gone_makes_another() -> None:
    gone = Session(DOMAIN, catalog=Catalog([RealTool("clock")]))
    assert gone.domain is not opened("clock")
    gone.want("done")
    assert not gone.next().tools


@pytest.mark.parametrize(
    ("version", "forbid", "why"),
    [
        ("2", ["call_off", "drop"], "`call_off`, which the call forbids; or `drop`, which the call forbids"),
        ("1", ["drop"], "`call_off`, whose tool is not as it was reviewed; or `drop`, which the call forbids"),
        (None, ["drop"], "`call_off`, whose tool is not there; or `drop`, which the call forbids"),
    ],
)
def test_a_tool_that_is_missing_is_said_to_be_and_not_to_be_forbidden(version: str | None, forbid: list[str], why: str) -> None:
    real = [RealTool("drop")] if version is None else [RealTool("drop"), RealTool("call_off", version=version)]
    talk = Session(ORDERS, catalog=Catalog(real), settings=Settings(forbid=tuple(forbid)))
    talk.want("cancelled")
    decision = talk.next().decision
    assert isinstance(decision, Blocked)
    assert decision.hint == f"it would take {why}"
