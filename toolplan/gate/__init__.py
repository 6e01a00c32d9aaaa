"""May this call run now? The only door to execution.

- `gate`: `Gate`, which a host asks before every call. `verdicts`: what it says, and the permit that opens one execution.
- `order`: the calls of one turn, one after the other. `recording`: what receipts say of it. `sizes`: what there is to read.
- `apart`: threads that work for tasks that may be cancelled. `discovering`: the tool with which a model looks for tools.
"""

from __future__ import annotations

from toolplan.gate.discovering import discover_tools, running_in
from toolplan.gate.gate import Gate
from toolplan.gate.verdicts import Allow, Hold, Mode, Permit, Ran, Refuse, ToolCall, Verdict

__all__ = ["Allow", "Gate", "Hold", "Mode", "Permit", "Ran", "Refuse", "ToolCall", "Verdict", "discover_tools", "running_in"]
