"""An office in which appointments are moved and others are told, and agents of vendors that work there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adapters.hosting import Script, Scripted
from adapters.vendors import VENDORS, Json, Vendor

import toolplan
from toolplan.adapters.guide import Guide
from toolplan.adapters.turns import Agent
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Provider, Strategy
from toolplan.gate import Gate
from toolplan.session import Session

DOMAIN = toolplan.loads("""
domain office "Office"
fact date: date            "the day"
fact event_id: text        "the event"
fact new_time: datetime    "when it should be instead"
fact event_updated
fact people_told
fact summary: text         "a summary"
fact filed

tool find calls "search_events" {
  requires date  passes day = date  produces event_id  returns event_id = $.id  risk read
}
tool move_it calls "update_event" {
  requires event_id, new_time  passes id = event_id, start = new_time  produces event_updated  risk write
}
tool tell calls "send_mail" {
  requires event_updated  passes text free  produces people_told  risk send
}
tool sum_up by model { "Sum the event up." requires event_id produces summary risk read }
tool file_it calls "file_summary" { requires summary passes text = summary produces filed verifies filed risk read }

ask when_ { "When should it be instead?" produces new_time }

goal move   { "Move an event"  achieves event_updated given new_time phrases "move my appointment" }
goal inform { "Tell the others" achieves people_told phrases "tell the others" }
goal filing { "File a summary" achieves filed phrases "file a summary" }
policy { risk read 0 safe, write 1, send 3 confirm }
""")
NAMES = ("search_events", "update_event", "send_mail", "file_summary")
DAY, FOUR = "2026-12-01", "2026-12-01T16:00:00"
KNOWN = {"date": DAY, "new_time": FOUR}


def takes(*names: str) -> Mapping[str, object]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


CATALOG = Catalog(
    [
        RealTool("search_events", "Search events.", takes("day"), "calendar"),
        RealTool("update_event", "Change an event.", takes("id", "start"), "calendar"),
        RealTool("send_mail", "Send a mail.", takes("text"), "mail"),
        RealTool("file_summary", "File a summary.", takes("text"), "files"),
    ]
)


class Office:
    """An agent of a vendor in the office, with what it did."""

    def __init__(
        self,
        provider: Provider,
        script: Script,
        *,
        state: Mapping[str, object] = KNOWN,
        strategy: Strategy | None = None,
        most: int = 50,
    ) -> None:
        self.done: list[tuple[str, Json]] = []
        self.vendor: Vendor = VENDORS[provider](Scripted(script))
        self.gate = Gate(Session(DOMAIN, state=dict(state), catalog=CATALOG))
        self.guide = Guide.of(self.gate, provider, strategy=strategy or "auto", model="claude-opus-5")
        self.tools = {name: self._tool(name) for name in NAMES}
        self.agent = Agent(self.vendor.model, self.guide, self.tools, most=most)

    @property
    def conversations(self) -> list[list[Json]]:
        return [self.vendor.messages(body) for body in self.vendor.bodies]

    def _tool(self, name: str) -> Callable[..., object]:
        def run(**arguments: object) -> object:
            self.done.append((name, arguments))
            return {"id": "e1"} if name == "search_events" else "ok"

        return run
