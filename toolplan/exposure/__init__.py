"""Exposure: what a provider is sent at a step, so that the model sees and calls what the frontier says.

What a model may do is decided by the gate; this is only what it is shown. Nothing here plans, calls or waits.

- `exposures`: a run of steps with one provider; `payload` for one step. `payloads`: what is sent, and what comes back.
- `choosing`: which strategy, and why not another; `strategies`: what each declares at a step.
- `surfaces`: the shapes of the providers; `providers`: what they have in common.
- `notes`: what the model is told. `declarations`: what is said of a tool; `names`: how it is called.
"""

from __future__ import annotations

from toolplan.exposure.choosing import search_by
from toolplan.exposure.declarations import DISPATCHER
from toolplan.exposure.exposures import Exposure, payload
from toolplan.exposure.names import Names
from toolplan.exposure.payloads import Payload, parsed
from toolplan.exposure.providers import PROVIDERS, STRATEGIES, Provider, Strategy

__all__ = [
    "DISPATCHER",
    "PROVIDERS",
    "STRATEGIES",
    "Exposure",
    "Names",
    "Payload",
    "Provider",
    "Strategy",
    "parsed",
    "payload",
    "search_by",
]
