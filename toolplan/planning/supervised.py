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


def end_with(parent: int, directory: str) -> None:
    """Wait until `parent` is gone, then clean up and end the process group."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    shutil.rmtree(directory, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Start the watch, then become the program."""
    parent, directory, program, *arguments = sys.argv[1:]
    os.chdir(directory)
    threading.Thread(target=end_with, args=(int(parent), directory), daemon=True).start()
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
