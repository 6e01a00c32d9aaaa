"""A real browser, told what to do over WebDriver, of which a page of the standard is enough: https://www.w3.org/TR/webdriver2/."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

DRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which the standard gives the name of an element."""
PATIENCE = 30
"""Seconds for a page to come; between two pages there is a moment without any element."""
OPTIONS = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]


class Browser:
    """One window, with cookies of its own."""

    def __init__(self, http: httpx2.Client, profile: Path) -> None:
        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        options = {"args": [*OPTIONS, *sandbox, f"--user-data-dir={profile}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._http = http
        self._path = ""
        self._path = f"/session/{self._do('POST', '/session', capabilities={'alwaysMatch': wanted})['sessionId']}"
        self._do("POST", "/timeouts", implicit=PATIENCE * 1000)

    def open(self, address: str) -> None:
        self._do("POST", "/url", url=address)

    def fill(self, field: str, text: str) -> None:
        self._do("POST", f"/element/{self._found(f'[name={field}]')}/value", text=text)

    def press(self, button: str) -> None:
        """Press the first button of these words, and wait until its page is gone."""
        self._leave_by(self._found(f"//button[normalize-space()='{button}']", "xpath"))

    def follow(self, words: str) -> None:
        """Follow the first link with these words, and wait until its page is gone."""
        self._leave_by(self._found(words, "partial link text"))

    @property
    def text(self) -> str:
        return str(self._do("GET", f"/element/{self._found('body')}/text"))

    @property
    def cookies(self) -> list[dict[str, Any]]:
        return list(self._do("GET", "/cookie"))

    @property
    def complaints(self) -> list[str]:
        """What the browser has found wrong with the pages: what their policy forbids, what could not be loaded."""
        return [entry["message"] for entry in self._do("POST", "/se/log", type="browser")]

    def color_of(self, selector: str) -> str:
        return str(self._do("GET", f"/element/{self._found(selector)}/css/background-color"))

    def buttons(self) -> list[str]:
        found = self._do("POST", "/elements", using="css selector", value="button")
        return [self._do("GET", f"/element/{element[ELEMENT]}/text") for element in found]

    def close(self) -> None:
        self._do("DELETE", "")

    def _leave_by(self, element: str) -> None:
        page = self._found("html")
        self._do("POST", f"/element/{element}/click")
        deadline = time.monotonic() + PATIENCE
        while self._http.get(f"{self._path}/element/{page}/name").status_code == 200:
            assert time.monotonic() < deadline, "the page has stayed"
            time.sleep(0.01)

    def _found(self, value: str, using: str = "css selector") -> str:
        return str(self._do("POST", "/element", using=using, value=value)[ELEMENT])

    def _do(self, method: str, path: str, **body: object) -> Any:
        answer = self._http.request(method, f"{self._path}{path}", json=body if method == "POST" else None)
        assert answer.status_code == 200, answer.text
        return answer.json()["value"]


@contextmanager
def browsers(folder: Path, count: int) -> Iterator[list[Browser]]:
    """Several of them, which know nothing of each other."""
    assert DRIVER is not None
    with subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        assert driver.stdout is not None
        opened: list[Browser] = []
        try:
            said = next(line for line in driver.stdout if "successfully" in line)
            port = said.rstrip(".\n").rsplit(" ", 1)[1]
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
                for number in range(count):
                    opened.append(Browser(http, folder / f"profile {number}"))
                yield opened
                for browser in opened:
                    browser.close()
        finally:
            driver.terminate()
