"""One module for each framework, which translates and decides nothing. Each needs the extra of its name.

- `guide`: what all of them do.
- `turns`: the loop over the clients of vendors, for which `openai`, `anthropic` and `gemini` give the models.
- `elicitation`: questions as forms, for `mcp` and `fastmcp`.
"""
