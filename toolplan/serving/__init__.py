"""The server: a constant set of tools in front of other servers, over the Model Context Protocol, with the gate inside.

- `handles`, `principals`, `desk`: `Desk`, the conversations of a server, whose they are, and what opens them.
- `listing`, `metatools`: the constant tools, as JSON in and out; `showing`, `finding`: what they tell of what is next, and of what is not.
- `server`: the same to clients of the protocol. `running`: a whole server.
- `configuration`, `pins`, `transports`, `hiding`, `connections`, `upstreams`: the servers behind. `reading`, `located`: files of settings.
- `web`, `tokens`, `metrics`: HTTP, and what an operation needs beside it.
- `approvals`, `links`, `operators`, `operator_page`, `pages`: where a person decides about a call that waits; `notices`: how they hear of it;
  `attempts`: how often somebody may try to sign in.
"""

from __future__ import annotations
