"""Pages for people: markup in which whatever is filled in is escaped, and which runs nothing and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from string import Template
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse

MOST_BYTES, MOST_FIELDS = 65_536, 8
"""Of a form: ours are smaller, and anybody may send one."""

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .5rem; border-bottom: 1px solid #ccc }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 .5rem; background: #f4f4f4; padding: .5rem }
form { display: inline } button, input { font: inherit; padding: .25rem .75rem }
"""
POLICY = "; ".join(
    [
        "default-src 'none'",
        f"style-src 'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>$title</title><style>$style</style></head><body><h1>$title</h1>$body</body></html>"
)


class Html(str):
    """Markup, in which everything is escaped that has to be."""

    __slots__ = ()


def filled(template: str, **values: str) -> Html:
    """`template`, a text of ours, with `values` for its `$names`: all but `Html` are escaped."""
    safe = {name: value if isinstance(value, Html) else escape(value) for name, value in values.items()}
    return Html(Template(template).substitute(safe))


def joined(parts: list[Html], between: str = "") -> Html:
    """All of `parts`, in their order."""
    return Html(between.join(parts))


def page(title: str, body: Html, status: int = 200) -> HTMLResponse:
    """A whole page, which no browser and nothing in between keeps."""
    text = filled(PAGE, title=title, style=Html(STYLE), body=body)
    return HTMLResponse(text.encode("utf-8", "replace"), status, HEADERS)  # Not every text that a model writes can be encoded.


def notice(title: str, text: str, status: int = 200) -> HTMLResponse:
    """A page of one sentence."""
    return page(title, filled("<p>$text</p>", text=text), status)


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form; none where it is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}
