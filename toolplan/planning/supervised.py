"""Runs a Python program as a child that does not outlive whoever asked for it.

Usage: `python supervised.py PARENT DIRECTORY PROGRAM ARGUMENT...`. Works in DIRECTORY. When the process PARENT is gone, DIRECTORY is
removed and the whole process group killed, planners that PROGRAM started included: a planner alone would go on as an orphan.
Imports nothing of toolplan, so that starting it stays cheap.
"""

import os
import runpy
import shutil
import signal
import sys
import threading
import time

POLL_SECONDS = 0.1
GRACE_SECONDS = 2.0
USUAL_ENDS = (None, 0, 10, 11, 12)
"""What a planner ends with when it has an answer."""


def is_orphan(parent: int) -> bool:
    """Whether `parent` is gone, so that somebody else has taken this process over."""
    return os.getppid() != parent


def is_orphan_soon(parent: int) -> bool:
    """The same, waiting a little: the pipes of a process that dies break before its children are taken over."""
    deadline = time.monotonic() + 3 * POLL_SECONDS
    while not is_orphan(parent) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS / 10)
    return is_orphan(parent)


def clean_up(directory: str) -> None:
    """End the other processes of the group and remove `directory`, again and again: what is just starting may still write there."""
    deadline = time.monotonic() + GRACE_SECONDS
    while os.path.exists(directory) and time.monotonic() < deadline:
        os.killpg(0, signal.SIGTERM)
        shutil.rmtree(directory, ignore_errors=True)
        time.sleep(POLL_SECONDS / 10)


def end_with(parent: int, directory: str) -> None:
    """Wait until `parent` is gone, then clean up and end the process group."""
    while not is_orphan(parent):
        time.sleep(POLL_SECONDS)
    clean_up(directory)
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Start the watch, then become the program."""
    parent, directory, program, *arguments = sys.argv[1:]
    os.chdir(directory)
    # A handler that does nothing: this process outlives its planners by a moment, and they inherit no handler.
    signal.signal(signal.SIGTERM, lambda *_: None)
    threading.Thread(target=end_with, args=(int(parent), directory), daemon=True).start()
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(program)
    ended_with: object = "an exception"
    try:
        runpy.run_path(program, run_name="__main__")
        ended_with = None
    except SystemExit as end:
        ended_with = end.code
        raise
    finally:
        if is_orphan(int(parent)) or (ended_with not in USUAL_ENDS and is_orphan_soon(int(parent))):
            clean_up(directory)


if __name__ == "__main__":
    main()
