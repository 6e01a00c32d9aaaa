"""From a file in the shape of `mcpServers`, which hosts share, to the servers that are fronted: how each is reached, and as whom.

```json
{"mcpServers": {
  "files": {"command": "mcp-server-filesystem", "args": ["/srv/team"]},
  "mail": {"url": "https://mail.example/mcp", "principals": {"alice": {"headers": {"Authorization": "Bearer ${ALICE_MAIL}"}}}}
}}
```
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from toolplan.domain import Principal
from toolplan.language.diagnostics import quoted
from toolplan.language.suggest import Suggester
from toolplan.serving.located import Located, located, located_in
from toolplan.serving.reading import Reading

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Of a server: its tools may be called `NAME.TOOL`, so that a dot would make two readings."""
TRANSPORTS: Mapping[str, Literal["http", "sse"]] = {
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
PROCESS = ("command", "args", "env", "cwd")
REMOTE = ("url", "headers", "auth", "oauth")
KNOWN = (*PROCESS, *REMOTE, "type", "transport", "principals", "disabled")
OF_OTHER_HOSTS = frozenset(
    {"alwaysAllow", "autoApprove", "description", "disabledTools", "enabled", "icon", "keep_alive", "timeout", "trust"}
)
"""Settings of other hosts, which mean nothing here."""
OAUTH = ("clientId", "clientSecret", "issuer", "scope")


@dataclass(frozen=True, slots=True)
class Process:
    """A server that is started here. It inherits no variable of the environment but the harmless ones and `env`."""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """Credentials of a program: the grant of OAuth in which no person signs in. They are sent to `issuer` alone."""

    id: str
    secret: str = field(repr=False)
    issuer: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs elsewhere. `headers` go with every request."""

    url: str = field(repr=False)
    transport: Literal["http", "sse"] = "http"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    oauth: OAuthClient | None = None


Target = Process | Remote
"""How a server is reached, with the credentials that it is shown."""


@dataclass(frozen=True, slots=True)
class Own:
    """The credentials of one principal, who is of `tenant` and no other."""

    tenant: str
    target: Target


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server that is fronted. Its tools are listed over `target`.

    `principals` are those by their subjects who have credentials of their own; without any, all use those of `target`, else nobody else has any.
    `variables` are the values that came from the environment: they are shown nowhere.
    """

    name: str
    target: Target
    principals: Mapping[str, Own] = field(default_factory=dict)
    variables: frozenset[str] = field(default=frozenset(), repr=False)


def read_upstreams(path: Path, environment: Mapping[str, str] = os.environ) -> list[Upstream]:
    """The servers of a file, in its order, without those that are disabled. Raises DomainError with every mistake of the file."""
    return _upstreams(located_in(path), environment)


def parsed_upstreams(name: str, text: str, environment: Mapping[str, str]) -> list[Upstream]:
    """As `read_upstreams`, of a text; findings call it `name`."""
    return _upstreams(located(name, text), environment)


def _upstreams(whole: Located, environment: Mapping[str, str]) -> list[Upstream]:
    reading = _Reading(environment)
    upstreams = reading.upstreams(whole)
    reading.finish()
    return upstreams


class _Reading(Reading):
    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(environment)
        self._suggester = Suggester()

    def upstreams(self, whole: Located) -> list[Upstream]:
        servers = self.fields(whole).get("mcpServers")
        if servers is None:
            self.wrong(whole, "no `mcpServers` stand here", 'write {"mcpServers": {"NAME": {"command": ...}}}')
            return []
        found = [self._upstream(name, entry) for name, entry in self.fields(servers).items()]
        if not found:
            self.wrong(servers, "no server is named here", 'write {"NAME": {"command": ...}} or {"NAME": {"url": ...}}')
        return [upstream for upstream in found if upstream is not None]

    def _upstream(self, name: str, entry: Located) -> Upstream | None:
        if not NAME.fullmatch(name):
            self.wrong(entry, f"{quoted(name)} is no name for a server", "use letters, digits, `_` and `-`, at most 64")
        members = self.fields(entry)
        for key in members.keys() - set(KNOWN) - OF_OTHER_HOSTS:
            self.wrong(members[key], f"a server has no {quoted(key)}", self._suggester.hint(key, KNOWN))
        if (disabled := members.get("disabled")) is not None and disabled.value is True:
            return None
        self.variables = set()
        target = self._target(entry, members)
        principals = self._principals(target, members.get("principals")) if target else {}
        return Upstream(name, target, principals, frozenset(self.variables)) if target else None

    def _target(self, entry: Located, members: Mapping[str, Located]) -> Target | None:
        kind = members.get("type") or members.get("transport")
        named = self.text(kind) if kind else None
        transport = TRANSPORTS.get(named or "http")
        match "command" in members, "url" in members:
            case True, False if named in (None, "stdio"):
                self._unfit(members, REMOTE, "a server that is started here")
                return self._process(members)
            case False, True if transport is not None:
                self._unfit(members, PROCESS, "a server that runs elsewhere")
                return self._remote(members, transport)
            case True, True:
                self.wrong(entry, "this server has both a `command` and a `url`", "keep one: it is started here, or runs elsewhere")
            case False, False:
                self.wrong(entry, "this server has neither a `command` nor a `url`", "give the command that starts it, or where it runs")
            case _ if kind:
                expected = "`stdio`" if "command" in members else "`http` or `sse`"
                self.wrong(kind, f"{quoted(str(named))} is no way to reach this server", f"write {expected}, or leave it out")
        return None

    def _process(self, members: Mapping[str, Located]) -> Process:
        command = self.text(members["command"])
        if not command:
            self.wrong(members["command"], "this command is empty", "give the program that starts the server")
        args = members.get("args")
        if args is not None and not isinstance(args.value, list):
            self.wrong(args, "`args` is no list", "write a list of texts, one for each argument")
        given = tuple(self.text(item) for item in args.items()) if args and isinstance(args.value, list) else ()
        cwd = members.get("cwd")
        return Process(command, given, self.texts(members.get("env")), self.text(cwd) if cwd else None)

    def _remote(self, members: Mapping[str, Located], transport: Literal["http", "sse"]) -> Remote:
        url = self.text(members["url"])
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            self.wrong(members["url"], "this is no address", "write https://HOST/PATH")
        headers, oauth = self._authority(members)
        return Remote(url, transport, headers, oauth)

    def _authority(self, members: Mapping[str, Located]) -> tuple[Mapping[str, str], OAuthClient | None]:
        """What a request shows of whom it is for: headers, and the client of OAuth that gets its token."""
        headers = dict(self.texts(members.get("headers")))
        auth, oauth = members.get("auth"), members.get("oauth")
        if auth is not None and auth.value == "oauth":
            self.wrong(
                auth, "nobody is there to sign in in a browser", f"give the client of a program: `oauth` with {', '.join(OAUTH[:3])}"
            )
        elif auth is not None:
            headers["Authorization"] = f"Bearer {self.text(auth)}"
        return headers, self._oauth(oauth) if oauth is not None else None

    def _oauth(self, entry: Located) -> OAuthClient | None:
        members = self.fields(entry)
        for key in members.keys() - set(OAUTH):
            self.wrong(members[key], f"`oauth` has no {quoted(key)}", self._suggester.hint(key, OAUTH))
        missing = [key for key in OAUTH[:3] if key not in members]
        if missing:
            self.wrong(entry, f"`oauth` lacks {', '.join(map(quoted, missing))}", "it takes the credentials of a program at its issuer")
            return None
        texts = {key: self.text(member) for key, member in members.items() if key in OAUTH}
        return OAuthClient(texts["clientId"], texts["clientSecret"], texts["issuer"], texts.get("scope"))

    def _principals(self, target: Target, entry: Located | None) -> dict[str, Own]:
        if entry is None:
            return {}
        members = self.fields(entry)
        if isinstance(entry.value, dict) and not members:
            self.wrong(entry, "nobody may use this server", "name a subject, or leave `principals` out")
        return {subject: self._own(target, own) for subject, own in members.items()}

    def _own(self, target: Target, entry: Located) -> Own:
        members = self.fields(entry)
        allowed = ("tenant", "env") if isinstance(target, Process) else ("tenant", "headers", "auth", "oauth")
        for key in members.keys() - set(allowed):
            self.wrong(members[key], f"a principal has no {quoted(key)} at this server", f"there are {', '.join(map(quoted, allowed))}")
        tenant = self.text(members["tenant"]) if "tenant" in members else ""
        if isinstance(target, Process):
            return Own(tenant, replace(target, env={**target.env, **self.texts(members.get("env"))}))
        headers, oauth = self._authority(members)
        return Own(tenant, replace(target, headers={**target.headers, **headers}, oauth=oauth or target.oauth))

    def _unfit(self, members: Mapping[str, Located], keys: tuple[str, ...], what: str) -> None:
        for key in keys:
            if key in members:
                self.wrong(members[key], f"{what} has no `{key}`", "leave it out")


async def as_configured(upstream: Upstream, principal: Principal) -> Target | None:
    """How `principal` reaches `upstream`; None for those who have no credentials there."""
    if not upstream.principals:
        return upstream.target
    own = upstream.principals.get(principal.subject)
    return own.target if own is not None and own.tenant == principal.tenant else None


def secrets_of(target: Target) -> frozenset[str]:
    """What of `target` nobody may read: variables of its environment, words of its headers, its password."""
    if isinstance(target, Process):
        return frozenset(target.env.values())
    words = {word for header in target.headers.values() for word in header.split()}
    login = urlsplit(target.url)
    return frozenset({*words, target.oauth.secret if target.oauth else "", login.password or ""})
