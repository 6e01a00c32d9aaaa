"""The routing funnel: where, between a registry and an accepted task, a tool call is lost.

A suite says what should happen, menus say what a model is shown, and everything that it calls passes the same gate. So what differs between two
menus is what they showed.

- `suite`: tasks in a file; `menus`: the ways to shorten a registry; `declaring`: what a model reads of a tool.
- `running`: a task run to its end, into `records` of each layer; `figures`: the tables made of them; `likeness`: the closest negatives.
- `changes`: what should make no difference; `flips`: the decisions that it changes.
- `plots`, `page`: the report.
"""
