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
GRACE_SECONDS = 1.0


def is_orphan(parent: int) -> bool:
    """Whether `parent` is gone, so that somebody else has taken this process over."""
    return os.getppid() != parent


def end_with(parent: int, directory: str) -> None:
    """Wait until `parent` is gone, then end the process group: politely, so that `main` may clean up, then for certain."""
    while not is_orphan(parent):
        time.sleep(POLL_SECONDS)
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    shutil.rmtree(directory, ignore_errors=True)
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
    try:
        runpy.run_path(program, run_name="__main__")
    finally:
        if is_orphan(int(parent)):
            shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
