"""LangChain and LangGraph: `Toolplan`, a middleware of `create_agent` that steers its model requests and takes each of its calls to the gate.

- `middleware`: the hooks. `visits`: one visit of the model; `requests`: what a model is sent. `calls`: one call of a tool.
- `reviews`: questions as interrupts. `keeping`: the conversation in the state of the graph.
"""

from __future__ import annotations

from toolplan.adapters.langchain.keeping import Conversation
from toolplan.adapters.langchain.middleware import Toolplan
from toolplan.adapters.langchain.reviews import ASK_USER
from toolplan.adapters.langchain.visits import MARK, Questions

__all__ = ["ASK_USER", "MARK", "Conversation", "Questions", "Toolplan"]
