"""Bearer tokens: JSON web tokens of one issuer, and the principal that each tells of."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, TokenVerifier

from toolplan.domain import Principal
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.receipts import read_key
from toolplan.receipts.reading import bytes_in

LEAST_BYTES = 32
"""Of a shared key: as many as the hash has that it is for."""
REQUIRED = ("exp", "iss", "aud", "sub")
"""Claims without which a token is none."""

Keys = Sequence[jwt.PyJWK]
"""Those with which an issuer signs. Each is for one algorithm, whatever a token says of itself."""


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """The claims of an issuer that say what somebody is; scopes are in `scope` or `scp`."""

    roles: str = "roles"
    tenant: str = "tenant"
    clearances: str = "clearances"


def read_key_set(path: Path) -> Keys:
    """The public keys of an issuer, in a file as its `jwks_uri` gives it. Raises DomainError where it is none."""
    try:
        keys = jwt.PyJWKSet.from_json(bytes_in(path).decode("utf-8")).keys
    except (ValueError, TypeError, AttributeError, RecursionError, jwt.PyJWTError):
        raise _unfit(path, "holds no JSON web key set", "save what the `jwks_uri` of the issuer gives") from None
    if any(key.key_type == "oct" for key in keys):
        raise _unfit(path, "holds a shared key", "give it in a file of its own")
    return keys


def read_shared_key(path: Path) -> Keys:
    """The key that an issuer shares, for HS256. Raises DomainError where it can be guessed."""
    secret = read_key(path)
    if len(secret) < LEAST_BYTES:
        raise _unfit(path, f"holds {len(secret)} bytes, which can be guessed", f"make a key of {LEAST_BYTES}: `openssl rand -hex 32`")
    return [jwt.PyJWK({"kty": "oct", "alg": "HS256", "k": base64.urlsafe_b64encode(secret).decode()})]


class Tokens(TokenVerifier):
    """Takes the tokens that `issuer` has made for `audience`, which name a subject and have not expired.

    The principal has what the claims called `names` give, and is in `environment`, which is that of the server.
    """

    def __init__(self, keys: Keys, *, issuer: str, audience: str, names: ClaimNames | None = None, environment: str = "") -> None:
        self.issuer = issuer
        self._keys, self._audience = keys, audience
        self._names, self._environment = names or ClaimNames(), environment

    async def verify_token(self, token: str) -> AccessToken | None:
        """What `token` says; None where it is not to be believed."""
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid"))
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                issuer=self.issuer,
                audience=self._audience,
                options={"require": list(REQUIRED)},
            )
        except (jwt.PyJWTError, ValueError):
            return None
        client = claims.get("client_id") or claims.get("azp") or ""
        return AccessToken(
            # What has been verified is not needed any more, and is passed on to nobody.
            token="",
            client_id=str(client),
            scopes=sorted(_scopes(claims)),
            expires_at=int(claims["exp"]),
            subject=claims["sub"],
            claims=claims,
        )

    def principal(self, context: ServerRequestContext[Any, Any]) -> Principal:
        """For whom a request is. It is called with requests that have a token: the server lets no others in."""
        user: AuthenticatedUser = context.request.user  # type: ignore[union-attr]  # every request over HTTP has one
        claims = user.access_token.claims or {}
        tenant = claims.get(self._names.tenant)
        return Principal(
            str(claims["sub"]),
            tenant if isinstance(tenant, str) else "",
            _named(claims.get(self._names.roles)),
            frozenset(user.access_token.scopes),
            self._environment,
            _named(claims.get(self._names.clearances)),
        )

    def _key(self, name: object) -> jwt.PyJWK:
        """The key called `name`. One that has no name is for all tokens, where it is the only one."""
        named = [key for key in self._keys if key.key_id == name or (key.key_id is None and len(self._keys) == 1)]
        if not named:
            raise jwt.InvalidKeyError
        return named[0]


def _scopes(claims: dict[str, Any]) -> set[str]:
    given = claims.get("scope", claims.get("scp"))
    return set(given.split() if isinstance(given, str) else _texts(given))


def _named(value: object) -> frozenset[str]:
    """The names in a claim, which may be a single one."""
    return frozenset([value] if isinstance(value, str) else _texts(value))


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _unfit(path: Path, what: str, hint: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_CALL, f"{quoted(str(path))} {what}", None, hint)])
