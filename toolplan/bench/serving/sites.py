"""What runs meanwhile: the shop, and two processes of one kind of server in front of it, each a program of its own."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import jwt

from toolplan.bench.serving import shop

HOST, ISSUER = "127.0.0.1", "https://sign-in.example.com"
PROCESSES = 2
PATIENCE = 30.0
"""Seconds in which a program has to listen."""


class Process(NamedTuple):
    """A program that listens at a port of this machine."""

    port: int
    program: subprocess.Popen[str]

    def wait(self) -> None:
        """Wait until it listens. Raises RuntimeError where it does not."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.program.poll() is None:
            with suppress(OSError), socket.create_connection((HOST, self.port)):
                return
            time.sleep(0.05)
        self.program.kill()
        raise RuntimeError(f"a server does not listen: {self.program.communicate()[1]}")

    def kill(self) -> None:
        """End it as a lost machine would: it does nothing any more."""
        self.program.kill()
        self.program.wait()


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one run. `store` is what `toolplan serve --store` takes; without one, it is a file of SQLite here."""

    path: Path
    store: str

    @property
    def ledger(self) -> Path:
        """Where the shop writes down what was paid."""
        return self.path / "ledger.txt"

    @property
    def secret(self) -> Path:
        """What the servers share."""
        return self.path / "secret"

    @property
    def key(self) -> Path:
        """With which tokens are signed."""
        return self.path / "key"

    @property
    def receipts(self) -> Path:
        """Where receipts are kept."""
        return self.path / "receipts"

    def token(self, subject: str, port: int) -> str:
        """The token of `subject` for the server at `port`."""
        claims = {"sub": subject, "iss": ISSUER, "aud": url_of(port), "exp": time.time() + 24 * 3600}
        return jwt.encode(claims, self.key.read_text("utf-8"), "HS256")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of server: what it is called, and the arguments of Python with which one listens at a port, in front of the shop at `shop`."""

    name: str
    arguments: Callable[[Folder, int, str], Sequence[str]]


def toolplan(folder: Folder, port: int, upstream: str) -> Sequence[str]:
    """`toolplan serve`, with receipts, on a store that all share."""
    web = ["--http", f"{HOST}:{port}", "--url", url_of(port), "--issuer", ISSUER, "--shared-key", str(folder.key)]
    kept = ["--store", folder.store, "--secret-file", str(folder.secret), "--receipts", str(folder.receipts)]
    return ["-m", "toolplan", "serve", str(folder.path / "shop.toolplan"), "--upstream", str(folder.path / "servers.json"), *web, *kept]


def empty(folder: Folder, port: int, upstream: str) -> Sequence[str]:
    """The one that does nothing."""
    return ["-m", "toolplan.bench.serving.empty", str(port), str(folder.key)]


def forwarding(folder: Folder, port: int, upstream: str) -> Sequence[str]:
    """The one that forwards calls, and does nothing else."""
    return [*empty(folder, port, upstream), upstream]


TOOLPLAN, EMPTY, FORWARDING = Kind("toolplan serve", toolplan), Kind("empty", empty), Kind("empty, forwards calls", forwarding)
KINDS = (EMPTY, FORWARDING, TOOLPLAN)


def url_of(port: int) -> str:
    """What clients call the server at `port`."""
    return f"http://{HOST}:{port}/mcp"


@contextmanager
def running(kind: Kind, path: Path, store: str = "") -> Iterator[tuple[Folder, tuple[Process, ...]]]:
    """The servers of one kind in front of a new shop, with all files in the new folder `path`."""
    path.mkdir()
    folder = Folder(path, store or str(path / "sessions.db"))
    shop_port, *ports = _free_ports(1 + PROCESSES)
    folder.secret.write_text(secrets.token_hex(32), "utf-8")
    folder.key.write_text(secrets.token_hex(32), "utf-8")
    (path / "shop.toolplan").write_text(shop.CONTRACTS, "utf-8")
    (path / "servers.json").write_text(json.dumps({"mcpServers": {"shop": {"url": url_of(shop_port)}}}), "utf-8")
    with ExitStack() as stack:
        upstream = ["-m", "toolplan.bench.serving.upstream", str(shop_port), str(folder.ledger)]
        stack.enter_context(_started(shop_port, upstream)).wait()
        processes = tuple(stack.enter_context(_started(port, kind.arguments(folder, port, url_of(shop_port)))) for port in ports)
        for process in processes:
            process.wait()
        yield folder, processes


@contextmanager
def _started(port: int, arguments: Sequence[str]) -> Iterator[Process]:
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as program:
        try:
            yield Process(port, program)
        finally:
            program.kill()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in found:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in found]
