"""The operator page: who sees it, who decides what, and what two see who decide at once. Over HTTP, and in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest
from serving.bank import ANN, BANK, SECRET, SUPERVISED, Counter, Ledger, bank, run, told
from serving.browser import DRIVER, Browser, browsers
from serving.site import serving
from starlette.applications import Starlette

from toolplan.domain import Domain, Principal
from toolplan.language.diagnostics import DomainError
from toolplan.receipts import FileReceipts
from toolplan.serving.approvals import Approvals
from toolplan.serving.attempts import SLOTS, Attempts
from toolplan.serving.links import Links
from toolplan.serving.metrics import States
from toolplan.serving.operator_page import OperatorPage, SignIns
from toolplan.serving.operators import Operators, read_operators
from toolplan.serving.upstreams import Outage, Serving
from toolplan.session.stores import MemoryStore

SECRETS = {"mia": "the secret of mia", "ben": "the secret of ben", "eve": "the secret of eve", "oto": "the secret of oto"}
STAFF = """{"operators": {
  "mia": {"secret": "${MIA}", "roles": ["supervisor"]},
  "ben": {"secret": "the secret of ben", "roles": ["supervisor", "user"]},
  "eve": {"secret": "the secret of eve", "roles": ["auditor"]},
  "oto": {"secret": "the secret of oto", "roles": ["supervisor"], "subject": "auth0|ann"}
}}"""


def staff(folder: Path) -> Operators:
    (folder / "operators.json").write_text(STAFF)
    return read_operators(folder / "operators.json", {"MIA": SECRETS["mia"]})


class Forms(HTMLParser):
    """The forms of a page: where each goes, and the fields that it has already."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((held["action"], {}))
        if tag == "input" and "value" in held:
            self.forms[-1][1][held["name"]] = held["value"]

    def to(self, path: str) -> dict[str, str]:
        return next(fields for action, fields in self.forms if action == path)


class Office:
    """Where operators work, and the agent of ann, whose payment waits for a supervisor."""

    def __init__(self, place: str, counter: Counter, ledger: Ledger) -> None:
        self.place, self.counter, self.ledger = place, counter, ledger

    @asynccontextmanager
    async def desk(self, name: str, secret: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
        async with httpx2.AsyncClient(base_url=self.place, follow_redirects=True) as http:
            await http.post("/operator/sign-in", data={"name": name, "secret": SECRETS[name] if secret is None else secret})
            yield http

    async def pays(self) -> bool:
        await self.counter.use("call", tool="pay-bill")
        return bool(self.ledger.paid)


@asynccontextmanager
async def office(
    folder: Path, principal: Principal = ANN, url: str = "http://127.0.0.1", contracts: Domain = SUPERVISED, states: States = dict
) -> AsyncIterator[Office]:
    ledger, store, receipts = Ledger(), MemoryStore(), FileReceipts(folder / "receipts")
    async with bank(folder, ledger, contracts=contracts, store=store, receipts=receipts) as desk:
        page = OperatorPage(desk, Approvals(desk, store), Links(SECRET), SignIns(staff(folder), SECRET), url, receipts, states)
        async with serving(Starlette(routes=page.routes())) as place:
            counter = Counter(desk, principal)
            told(await counter.begin())
            told(await counter.use("call", tool="get-balance"))
            await counter.use("call", tool="pay-bill")
            yield Office(place, counter, ledger)


async def decide(http: httpx2.AsyncClient, answer: str = "yes", **changed: str) -> httpx2.Response:
    """Send the form that waits on the page, as a browser does, with fields that are `changed`."""
    fields = Forms((await http.get("/operator")).text).to("/operator/decide")
    return await http.post("/operator/decide", data=fields | {"answer": answer} | changed)


def test_an_operator_sees_what_goes_on_and_accepts(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("mia") as http:
            text = (await http.get("/operator")).text
            for shown in ("ann", "clarify", "pay-bill", "DE12", "supervisor"):
                assert shown in text, shown
            assert at.counter.handle not in text
            assert not await at.pays()
            assert (await decide(http)).status_code == 200
            assert await at.pays()

    run(test)


def test_an_operator_declines(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("mia") as http:
            assert (await decide(http, "no")).status_code == 200
            assert not await at.pays()

    run(test)


def test_who_does_not_have_the_role_sees_and_does_not_decide(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("eve") as eve, at.desk("mia") as mia:
            text = (await eve.get("/operator")).text
            assert "pay-bill" in text
            assert "/operator/decide" not in text
            theirs = Forms((await mia.get("/operator")).text).to("/operator/decide")
            own = Forms(text).to("/operator/sign-out")
            answer = await eve.post("/operator/decide", data=theirs | own | {"answer": "yes"})
            assert (answer.status_code, "supervisor decides this" in answer.text) == (403, True)
            assert not await at.pays()

    run(test)


@pytest.mark.parametrize(("subject", "name"), [("mia", "mia"), ("auth0|ann", "oto")])
def test_nobody_decides_for_a_role_about_a_call_of_their_own(tmp_path: Path, subject: str, name: str) -> None:
    async def test() -> None:
        async with office(tmp_path, Principal(subject, "acme")) as at, at.desk(name) as own, at.desk("ben") as ben:
            text = (await own.get("/operator")).text
            assert "pay-bill" in text and "/operator/decide" not in text
            theirs = Forms((await ben.get("/operator")).text).to("/operator/decide")
            csrf = Forms(text).to("/operator/sign-out")
            answer = await own.post("/operator/decide", data=theirs | csrf | {"answer": "yes"})
            assert (answer.status_code, "a call of their own" in answer.text) == (403, True)
            assert not await at.pays()
            assert (await decide(ben)).status_code == 200
            assert await at.pays()

    run(test)


def test_a_user_may_agree_to_their_own_call_on_the_page(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path, Principal("ben"), contracts=BANK) as at, at.desk("ben") as ben:
            assert (await decide(ben)).status_code == 200
            assert await at.pays()

    run(test)


def test_of_two_who_decide_at_once_the_second_is_told(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("mia") as mia, at.desk("ben") as ben:
            pages = [Forms((await http.get("/operator")).text).to("/operator/decide") for http in (mia, ben)]
            answers = await asyncio.gather(
                mia.post("/operator/decide", data=pages[0] | {"answer": "yes"}),
                ben.post("/operator/decide", data=pages[1] | {"answer": "no"}),
            )
            assert sorted(answer.status_code for answer in answers) == [200, 409]
            assert any("decided" in answer.text for answer in answers if answer.status_code == 409)
            assert await at.pays() is (answers[0].status_code == 200)

    run(test)


def test_nobody_sees_the_page_who_has_not_signed_in(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at:
            for name, secret in (("mia", "the secret of ben"), ("nobody", "the secret of mia"), ("", ""), ("mia", " ")):
                async with at.desk(name, secret) as http:
                    for path in ("/operator", "/operator/receipts/x"):
                        seen = await http.get(path)
                        assert (seen.status_code, "ann" in seen.text) == (401, False)
            for cookie in ("", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtaWEifQ."):
                async with httpx2.AsyncClient(headers={"Cookie": f"toolplan-operator={cookie}"}) as http:
                    assert (await http.get(f"{at.place}/operator")).status_code == 401

    run(test)


def test_whoever_tries_too_often_has_to_wait_whatever_they_try(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, httpx2.AsyncClient(base_url=at.place) as http:
            for name in ("mia", "nobody"):
                tried = [await http.post("/operator/sign-in", data={"name": name, "secret": f"guess {number}"}) for number in range(12)]
                assert [answer.status_code for answer in tried] == [401] * 10 + [429] * 2
            right = {"name": "mia", "secret": SECRETS["mia"]}
            assert (await http.post("/operator/sign-in", data=right)).status_code == 429
            other = await http.post("/operator/sign-in", data={"name": "ben", "secret": SECRETS["ben"]})
            assert other.status_code == 303

    run(test)


def test_attempts_wear_off_and_take_no_memory() -> None:
    now = 0.0
    attempts = Attempts(most=2, seconds=10.0, clock=lambda: now)
    assert [attempts.admits("mia", "::1") for _ in range(3)] == [True, True, False]
    now = 5.0
    assert [attempts.admits("mia", "::1") for _ in range(2)] == [True, False]
    now = 100.0
    assert [attempts.admits("mia", "::1") for _ in range(3)] == [True, True, False]
    assert not all(attempts.admits(f"{number}") for number in range(10 * SLOTS))


def test_a_page_of_somebody_else_decides_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("mia") as mia, at.desk("ben") as ben:
            of_ben = Forms((await ben.get("/operator")).text).to("/operator/decide")["csrf"]
            for csrf in ("", "x", of_ben):
                assert (await decide(mia, csrf=csrf)).status_code == 403
            large = await mia.post("/operator/decide", data={"csrf": "x" * 100_000})
            assert large.status_code == 403
            assert (await mia.get("/operator/decide")).status_code == 405
            assert not await at.pays()

    run(test)


def test_whoever_signs_out_is_out(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("mia") as http:
            await http.post("/operator/sign-out", data=Forms((await http.get("/operator")).text).to("/operator/sign-out"))
            assert (await http.get("/operator")).status_code == 401

    run(test)


def test_the_cookie_is_for_this_page_alone(tmp_path: Path) -> None:
    async def test() -> str:
        async with office(tmp_path, url="https://tools.example/mcp") as at, httpx2.AsyncClient(base_url=at.place) as http:
            answer = await http.post("/operator/sign-in", data={"name": "mia", "secret": SECRETS["mia"]})
            return answer.headers["Set-Cookie"]

    cookie = run(test)
    for rule in ("HttpOnly", "SameSite=strict", "Secure", "Path=/operator"):
        assert rule in cookie
    assert SECRETS["mia"] not in cookie


def test_receipts_are_shown_without_values(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at, at.desk("eve") as http:
            (path,) = set(re.findall(r"/operator/receipts/\w+", (await http.get("/operator")).text))
            text = (await http.get(path)).text
            assert "get-balance" in text and "verdict" in text
            assert "DE12" not in text
            for none in ("/operator/receipts/x", "/operator/receipts/..%2f..%2foperators.json"):
                assert (await http.get(none)).status_code == 404

    run(test)


def test_what_others_wrote_is_text_on_the_page(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path, Principal('<img src="x">', "\ud800")) as at, at.desk("mia") as http:
            answer = await http.get("/operator")
            assert answer.status_code == 200
            assert "<img" not in answer.text and "&lt;img" in answer.text
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]

    run(test)


def test_an_operator_sees_how_the_servers_are_and_what_of_them_waits(tmp_path: Path) -> None:
    states = {"bank": Serving(("get-balance", "pay-bill"), ("<b>pay-all</b>",)), "mail": Outage("it has not answered in time")}

    async def test() -> None:
        async with office(tmp_path, states=lambda: states) as at, at.desk("mia") as http:
            shown = (await http.get("/operator")).text
            assert "<td>bank</td><td>in reach</td><td>2</td><td>&lt;b&gt;pay-all&lt;/b&gt;</td>" in shown
            assert "<td>mail</td><td>out of reach: it has not answered in time</td>" in shown
            assert "reviewed for" not in shown
        async with office(tmp_path) as at, at.desk("mia") as http:
            assert "Not accepted" not in (await http.get("/operator")).text

    run(test)


MISTAKES: Mapping[str, str] = {
    "": "no JSON",
    "[]": "no object",
    "{}": "no `operators`",
    '{"operators": {"mia": {"roles": []}}}': "no `secret`",
    '{"operators": {"mia": {"secret": "short"}}}': "5 letters",
    '{"operators": {"mia": {"secret": "${NOT_SET}"}}}': "no variable `NOT_SET`",
    '{"operators": {"mia": {"secret": 7}}}': "no text",
    '{"operators": {"mia": {"secret": "long enough to be one", "subject": 7}}}': "no text",
    '{"operators": {"mia": {"secret": "long enough to be one", "roles": "supervisor"}}}': "no list",
    '{"operators": {"mia": {"secret": "long enough to be one", "role": []}}}': "no `role`",
    '{"operators": {"mia": {"secret": "long enough to be one"}, "mia": {"secret": "long enough to be one"}}}': "twice",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_the_file_of_operators_is_told_without_a_secret(tmp_path: Path, text: str) -> None:
    (tmp_path / "operators.json").write_text(text)
    with pytest.raises(DomainError) as raised:
        read_operators(tmp_path / "operators.json", {})
    assert MISTAKES[text] in str(raised.value)
    assert "short" not in str(raised.value) and "long enough" not in str(raised.value)


@pytest.mark.slow
@pytest.mark.skipif(DRIVER is None, reason="no chromedriver here")
def test_two_operators_in_a_real_browser(tmp_path: Path) -> None:
    async def test() -> None:
        async with office(tmp_path) as at:
            await asyncio.to_thread(_work, tmp_path, at.place)
            assert await at.pays()

    run(test)


def _work(folder: Path, place: str) -> None:
    with browsers(folder, 2) as (mia, ben):
        for browser, name in ((mia, "mia"), (ben, "ben")):
            _sign_in(browser, place, name)
            assert "ann" in browser.text and "DE12" in browser.text
        mia.press("Accept")
        assert "DE12" not in mia.text and mia.buttons() == ["Sign out"]
        ben.press("Decline")
        assert "decided already" in ben.text
        ben.open(f"{place}/operator")
        ben.follow(ben.text.split("Waits for")[1].split()[0])
        assert "verdict" in ben.text and "pay-bill" in ben.text
        # The style is applied, and nothing that the policy forbids was tried.
        assert mia.color_of("body") == "rgba(255, 255, 255, 1)"
        assert [words for browser in (mia, ben) for words in browser.complaints if "Content Security Policy" in words] == []
        (cookie,) = mia.cookies
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        mia.press("Sign out")
        assert "Secret" in mia.text and mia.cookies == []


def _sign_in(browser: Browser, place: str, name: str) -> None:
    browser.open(f"{place}/operator")
    browser.fill("name", name)
    browser.fill("secret", SECRETS[name])
    browser.press("Sign in")
