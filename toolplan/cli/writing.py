"""Files as commands write them: all at once or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write all files or none, each in one step and with its permissions: whoever reads one sees the old bytes or the new ones.

    What is no regular file, such as a pipe, is written to as it is. Raises OSError, also for a file that is read-only.
    """
    ready: dict[str, str] = {}
    streams: dict[Path, bytes] = {}
    try:
        for path, data in files.items():
            target = os.path.realpath(path)
            mode = _mode(target)
            if not stat.S_ISREG(mode):
                streams[path] = data
                continue
            number, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".toolplan-")
            ready[temporary] = target
            with os.fdopen(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, stat.S_IMODE(mode))
        for path, data in streams.items():
            path.write_bytes(data)
        for temporary, target in ready.items():
            os.replace(temporary, target)
    finally:
        for temporary in ready:
            if os.path.exists(temporary):
                os.unlink(temporary)


def _mode(target: str) -> int:
    """The mode of what is at `target`, or else of a file that is new there."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return stat.S_IFREG | 0o666 & ~_umask()
    # Whoever may write to the directory could replace the file all the same, root in any case.
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", target)
    return mode


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
