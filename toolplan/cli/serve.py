"""`toolplan serve`: a domain as a server of the Model Context Protocol, in front of other servers."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolplan.cli.options import Clearances, DomainFile, Environment, Roles, Scopes, Tenant, caller_of
from toolplan.cli.output import reporting
from toolplan.domain import Principal
from toolplan.gate import Mode
from toolplan.language.loading import load
from toolplan.receipts import NO_RECEIPTS
from toolplan.receipts.files import FileReceipts
from toolplan.receipts.seals import read_key
from toolplan.retrieval.packages import required
from toolplan.session.stores import MemoryStore, Store, store_at

if TYPE_CHECKING:
    from toolplan.serving.running import Site

EXAMPLE = "Example: toolplan serve office --subject ana"
SECRET_BYTES = 32
PACKAGES = ("mcp", "uvicorn", "jwt", "prometheus_client")


def command(
    domain: DomainFile,
    upstream: Annotated[
        Path | None,
        typer.Option(
            "--upstream", metavar="FILE", help="The servers to front (`mcpServers`); else results are reported.", show_default=False
        ),
    ] = None,
    accepts: Annotated[
        bool, typer.Option("--accept-changes", help="Take the tools of the servers as they are now, and serve nothing.")
    ] = False,
    store: Annotated[
        str,
        typer.Option(
            "--store", metavar="FILE|URL", help="A file of SQLite, redis://... or postgresql://...; else memory.", show_default=False
        ),
    ] = "",
    secret_file: Annotated[
        Path | None,
        typer.Option("--secret-file", metavar="FILE", help="The secret that all servers on one store share: 32 bytes.", show_default=False),
    ] = None,
    receipts: Annotated[Path | None, typer.Option("--receipts", metavar="FOLDER", help="Keep receipts there.", show_default=False)] = None,
    shadow: Annotated[bool, typer.Option("--shadow", help="Refuse nothing, and only record what would be refused.")] = False,
    subject: Annotated[str, typer.Option("--subject", metavar="NAME", help="For whom the client at stdin acts.", show_default=False)] = "",
    roles: Roles = [],
    scopes: Scopes = [],
    tenant: Tenant = "",
    environment: Environment = "",
    clearances: Clearances = [],
    http: Annotated[str, typer.Option("--http", metavar="HOST:PORT", help="Listen there, and not at stdin.", show_default=False)] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="What clients call it: https://HOST/mcp.", show_default=False)] = "",
    issuer: Annotated[str, typer.Option("--issuer", metavar="URL", help="Whose tokens are taken.", show_default=False)] = "",
    audience: Annotated[
        str, typer.Option("--audience", metavar="NAME", help="For whom tokens have to be; by default the URL.", show_default=False)
    ] = "",
    operators: Annotated[
        Path | None,
        typer.Option("--operator", metavar="FILE", help="Who may decide on the page /operator, with --http.", show_default=False),
    ] = None,
    notify: Annotated[
        str,
        typer.Option(
            "--notify",
            metavar="COMMAND",
            help="Gets each call that waits for a person as JSON at stdin, with a link to decide, with --http.",
            show_default=False,
        ),
    ] = "",
    jwks: Annotated[Path | None, typer.Option("--jwks", metavar="FILE", help="The public keys of the issuer.", show_default=False)] = None,
    shared_key: Annotated[
        Path | None, typer.Option("--shared-key", metavar="FILE", help="Or the key that it shares.", show_default=False)
    ] = None,
) -> None:
    """Serve DOMAIN to clients of the Model Context Protocol, through a constant set of tools with the gate inside."""
    if store and secret_file is None:
        raise typer.BadParameter("--store takes a --secret-file: without it nobody could take a conversation up again")
    if accepts and upstream is None:
        raise typer.BadParameter("--accept-changes takes an --upstream: only its tools change")
    if notify and not http:
        raise typer.BadParameter("--notify takes an --http: there its links open")
    with reporting(as_json=False):
        for package in PACKAGES:
            required(package, "serve")
        # Other commands, and the help of this one, do without these packages.
        from toolplan.serving.running import Service, accept_changes, over_http, over_stdio

        if accepts and upstream is not None:
            taken = asyncio.run(accept_changes(upstream))
            typer.echo(f"taken as they are now: {', '.join(taken) or 'nothing has changed'}")
            return
        service = Service(
            load(domain),
            _store(store),
            secrets.token_bytes(SECRET_BYTES) if secret_file is None else read_key(secret_file),
            upstream,
            NO_RECEIPTS if receipts is None else FileReceipts(receipts),
            Mode.SHADOW if shadow else Mode.ENFORCE,
            operators,
            _program(notify),
        )
        if http:
            asyncio.run(over_http(service, _site(http, url, issuer, audience, jwks, shared_key, environment)))
        else:
            caller = caller_of(roles, scopes, tenant, environment, clearances) or Principal()
            asyncio.run(over_stdio(service, replace(caller, subject=subject)))


def _site(http: str, url: str, issuer: str, audience: str, jwks: Path | None, shared_key: Path | None, environment: str) -> Site:
    from toolplan.serving.running import Site
    from toolplan.serving.tokens import Tokens, read_key_set, read_shared_key

    host, _, port = http.rpartition(":")
    if not host or not port.isdecimal():
        raise typer.BadParameter(f"--http is HOST:PORT, not {http}")
    if not url or not issuer:
        raise typer.BadParameter("--http takes the --url that clients call, and the --issuer of their tokens")
    match jwks, shared_key:
        case Path() as path, None:
            keys = read_key_set(path)
        case None, Path() as path:
            keys = read_shared_key(path)
        case _:
            raise typer.BadParameter("--http takes the keys of the issuer: --jwks or --shared-key")
    tokens = Tokens(keys, issuer=issuer, audience=audience or url, environment=environment)
    return Site(host.strip("[]"), int(port), url, tokens)


def _program(command: str) -> tuple[str, ...]:
    """The program and its arguments: no shell reads them."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        raise typer.BadParameter(f"--notify is no command: {command}") from None
    if words and shutil.which(words[0]) is None:
        raise typer.BadParameter(f"--notify names no program that can be run: {words[0]}")
    return words


def _store(place: str) -> Store:
    return store_at(place) if place else MemoryStore()
