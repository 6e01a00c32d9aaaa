"""Files as commands write them: all at once or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write all files or none, each as `replacing` does. Raises OSError."""
    with ExitStack() as stack:
        for path, data in files.items():
            file = stack.enter_context(replacing(path))
            file.write(data)
            file.flush()


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the one at `path` in one step, and its permissions; where anything is raised within, nothing has changed.

    What is there and is no regular file, such as a pipe, is written to as it is. Raises OSError, also for a file that is read-only.
    """
    mode = _mode(path)
    if not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    number, temporary = tempfile.mkstemp(prefix=".toolplan-", dir=os.path.dirname(target))
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    """The mode of what is at `path`, or else of a file that is new there."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return stat.S_IFREG | 0o666 & ~_umask()
    # Whoever may write to the directory could replace the file all the same, root in any case.
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    return mode


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
