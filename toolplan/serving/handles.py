"""Handles: what a caller holds of a conversation, and the name under which it is kept, from which no handle can be told."""

from __future__ import annotations

import hmac
import json
import secrets

from toolplan.domain import Principal
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.serving.principals import text_of

LEAST_BYTES = 32
"""Of a secret."""
_LABEL = b"toolplan/conversation\0"


class Handles:
    """Issues handles, and names the sessions that they open. Servers that share `secret` understand each other's.

    Raises DomainError for a secret that is too short.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < LEAST_BYTES:
            hint = 'make one with `python -c "import secrets; print(secrets.token_hex(32))"`'
            raise DomainError(
                [Diagnostic(Code.BAD_CALL, f"a secret has at least {LEAST_BYTES} bytes, and this has {len(secret)}", None, hint)]
            )
        self._secret = secret

    def new(self) -> str:
        """A handle that nobody can guess."""
        return secrets.token_urlsafe(32)

    def session(self, handle: str, principal: Principal) -> str:
        """The name of the session that `handle` opens for `principal`, with exactly these rights; for anybody else it is another."""
        held = json.dumps([handle, text_of(principal)])
        return hmac.digest(self._secret, _LABEL + held.encode(), "sha256").hex()
