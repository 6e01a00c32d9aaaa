"""Whose word opens what: a yes is that of a person, to what they were shown, as long as they do not take it back."""

from __future__ import annotations

import asyncio

import pytest
from talks import ready

import toolplan
from toolplan import DomainError
from toolplan.frontier import CallQuestion, Clarify, EntityQuestion
from toolplan.gate import Gate, ToolCall
from toolplan.goals.readings import Candidate, Reading
from toolplan.planning.plans import Atom
from toolplan.session import MODEL, Allowed, Held, Refused, Session
from toolplan.session.turns import Agreed, Context, Stated, TurnReading

MAILS = [{"id": "m1", "subject": "Bill for power", "iban": "DE-1"}, {"id": "m2", "subject": "Bill for water", "iban": "DE-2"}]
BILLS = """
fact bill: text
fact iban: text by others
fact paid
tool look { "Look for bills." produces {FOUND} {READ} risk read }
tool pay { "Pay." requires {FOUND} passes {PASSED} produces paid risk write }
goal pay_it { "Pay the bill" achieves paid phrases "pay the bill" }
policy { risk read 0 safe, write 1 }
"""


def bills(*facts: str) -> toolplan.Domain:
    """Contracts to pay one of the bills that are found, of which `facts` are read."""
    paths = {"bill": "id", "iban": "iban"}
    read = " ".join(f"returns {fact} = $.mails[*].{paths[fact]}" for fact in facts)
    passed = ", ".join(f"{fact} = {fact}" for fact in facts)
    return toolplan.loads(BILLS.replace("{FOUND}", ", ".join(facts)).replace("{READ}", read).replace("{PASSED}", passed))


def choosing(*facts: str, mails: object = MAILS) -> Session:
    """A session that has asked which of the bills is meant."""
    talk = Session(bills(*facts))
    talk.hear("pay the bill")
    talk.next()
    talk.observe("look", {"mails": mails})
    asked = talk.next().decision
    assert isinstance(asked, Clarify) and isinstance(asked.question, EntityQuestion)
    return talk


def shown(talk: Session) -> str:
    """What somebody is asked to agree to."""
    asked = talk.next().decision
    assert isinstance(asked, Clarify) and isinstance(asked.question, CallQuestion)
    return asked.question.text


@pytest.mark.parametrize("facts", [("bill", "iban"), ("iban",)], ids=["beside what was chosen", "of what was chosen"])
def test_what_others_wrote_is_shown_although_it_was_chosen_by_other_words(facts: tuple[str, ...]) -> None:
    talk = choosing(*facts)
    talk.hear("Bill for water")
    assert '"DE-2" (content)' in shown(talk)


def test_what_others_wrote_is_shown_of_the_other_one_too() -> None:
    talk = choosing("iban")
    talk.hear("Bill for water")
    shown(talk)
    talk.answer(True)
    talk.observe(ready(talk.next()), {})
    talk.next()
    talk.hear("and now the other one")
    assert '"DE-1" (content)' in shown(talk)


def test_what_others_wrote_and_somebody_chose_as_it_is_was_shown() -> None:
    talk = choosing("iban", mails=[{"iban": "DE-1"}, {"iban": "DE-2"}])
    talk.hear("DE-2")
    assert ready(talk.next()).values == {"iban": "DE-2"}


def test_two_of_one_name_are_told_apart() -> None:
    talk = choosing("bill", mails=[{"id": "m1", "subject": "Bill"}, {"id": "m2", "subject": "Bill"}, {"id": "m3", "subject": "Note"}])
    asked = talk.next().decision
    assert isinstance(asked, Clarify) and isinstance(asked.question, EntityQuestion)
    assert asked.question.options == ("Bill (m1)", "Bill (m2)", "Note")
    with pytest.raises(DomainError):
        talk.answer("Bill")
    talk.answer("Bill (m2)")
    assert ready(talk.next()).values == {"bill": "m2"}


def test_an_answer_that_is_several_options_is_none() -> None:
    talk = choosing("bill", mails=[{"id": "m1", "subject": "m2"}, {"id": "m2", "subject": "m3"}])
    with pytest.raises(DomainError, match="several of the options"):
        talk.answer("m2")
    talk.answer(1)
    assert ready(talk.next()).values == {"bill": "m2"}


WIPING = toolplan.loads("""
fact backup_done
fact amount: integer
fact wiped
fact archived
ask backup { "Is the backup done?" produces backup_done }
tool wipe { "Wipe the disk." requires backup_done produces wiped risk write }
tool archive { "Archive it." produces archived risk write }
tool pay { "Pay." requires amount passes amount = amount produces paid risk write }
fact paid
goal wipe_it { "Wipe it" achieves wiped }
goal archive_it { "Archive it" achieves archived }
goal pay_it { "Pay it" achieves paid given amount }
policy { risk read 0 safe, write 1 }
""")
UNCLEAR = Reading("", (Candidate(("archive_it",), 0.5), Candidate(("wipe_it",), 0.5)), 0.0)


@pytest.mark.parametrize("answer", [True, {"backup_done": True}])
def test_what_a_model_answers_for_the_user_is_no_yes(answer: object) -> None:
    talk = Session(WIPING)
    talk.want("wipe_it")
    talk.next()
    talk.answer(answer, by=MODEL)
    assert talk.next().tools == ()
    talk.answer(answer)
    assert isinstance(talk.propose("wipe", {}), Held)  # A model has spoken for the user in this request.


@pytest.mark.parametrize("tell", ["answer", "hear"])
def test_a_goal_that_a_model_chooses_is_a_request_of_the_model(tell: str) -> None:
    talk = Session(WIPING)
    talk.hear("do it", TurnReading("do it", UNCLEAR))
    talk.next()
    if tell == "answer":
        talk.answer(0, by=MODEL)
    else:
        talk.hear("Archive it", by=MODEL)
    assert isinstance(talk.propose("archive", {}), Held)


@pytest.mark.parametrize("tell", ["answer", "hear"])
def test_a_value_that_a_model_tells_makes_the_request_one_of_the_model(tell: str) -> None:
    talk = Session(WIPING)
    talk.want("pay_it")
    talk.next()
    if tell == "answer":
        talk.answer(5, by=MODEL)
    else:
        talk.hear("5", by=MODEL)
    talk.next()
    talk.hear("7", TurnReading("7", Reading("", (), 1.0), (Stated(Atom("amount"), 7, "7"),)))
    assert "7 (user)" in shown(talk)


MAIL = toolplan.loads("""
fact mailed
tool mail { "Send a mail." passes to free produces mailed risk send }
goal mail_it { "Send the mail" achieves mailed phrases "send the mail" }
policy { risk read 0 safe, send 3 confirm }
""")


class Slow:
    """A reader for which every turn is a yes, once `read` is set."""

    def __init__(self) -> None:
        self.began, self.read = asyncio.Event(), asyncio.Event()

    async def aread(self, text: str, context: Context) -> TurnReading:
        self.began.set()
        await self.read.wait()
        return TurnReading(text, Reading(text, (), 1.0), reply=Agreed())


def test_a_yes_that_took_long_to_read_is_none_to_what_is_asked_by_then() -> None:
    async def conversation() -> Session:
        reader = Slow()
        talk = Session(MAIL, reader=reader)
        talk.want("mail_it")
        talk.propose("mail", {"to": "ann"})
        turn = asyncio.create_task(talk.ahear("yes"))
        await reader.began.wait()
        assert isinstance(talk.propose("mail", {"to": "everybody"}), Held)
        reader.read.set()
        await turn
        return talk

    talk = asyncio.run(conversation())
    assert isinstance(talk.propose("mail", {"to": "everybody"}), Held)


def wiring(by: str) -> toolplan.Domain:
    """Contracts of which one call takes a yes of `by`."""
    return toolplan.loads(f"""
fact wired
tool wire {{ "Wire the money." passes to free produces wired risk send confirm{f" by {by}" if by else ""} }}
goal wire_it {{ "Wire the money" achieves wired phrases "wire the money" }}
policy {{ risk read 0 safe, send 3 }}
""")


@pytest.mark.parametrize("by", ["", "supervisor"])
@pytest.mark.parametrize(
    "words", ["no", "wait, no", "please don't", "not yet", "cancel it", "hold on", "stop", "actually no", "I changed my mind, don't"]
)
def test_a_yes_can_be_taken_back_until_the_call_begins(by: str, words: str) -> None:
    talk = Session(wiring(by))
    gate = Gate(talk)
    gate.hear("wire the money")
    call = ToolCall("a", "wire", {"to": "acme"})
    gate.check(call)
    gate.answer(True, by=by)
    gate.hear(words)
    runs: list[object] = []
    gate.run(call, runs.append)
    assert runs == []


@pytest.mark.parametrize("words", ["thanks", "ok", "to whom?", "yes"])
def test_other_words_take_no_yes_back(words: str) -> None:
    gate = Gate(Session(wiring("supervisor")))
    gate.hear("wire the money")
    call = ToolCall("a", "wire", {"to": "acme"})
    gate.check(call)
    gate.answer(True, by="supervisor")
    gate.hear(words)
    runs: list[object] = []
    gate.run(call, runs.append)
    assert runs == [{"to": "acme"}]


@pytest.mark.parametrize(("agreed", "other"), [(1, True), (0, False), ([1], [True]), (1, 1.0)])
def test_a_yes_to_a_number_is_none_to_what_python_takes_for_the_same(agreed: object, other: object) -> None:
    talk = Session(MAIL)
    talk.want("mail_it")
    assert isinstance(talk.propose("mail", {"to": agreed}), Held)
    talk.answer(True)
    assert isinstance(talk.propose("mail", {"to": other}), Held)


def test_a_yes_is_to_the_call_that_was_shown() -> None:
    talk = Session(MAIL)
    talk.want("mail_it")
    talk.propose("mail", {"to": 1})
    talk.answer(True)
    assert isinstance(talk.propose("mail", {"to": 1}), Allowed)


MOVING = """
fact start: text
fact moved
fact told
tool move { "Move it." requires start passes start = start key once produces moved risk write {TRAITS} }
tool tell { "Tell them." requires moved produces told risk write }
goal move_it { "Move it" achieves told }
policy { risk read 0 safe, write 1 }
"""


def rather(talk: Session, start: str) -> None:
    """The user says when it starts."""
    talk.hear(f"no, {start}", TurnReading(f"no, {start}", Reading("", (), 1.0), (Stated(Atom("start"), start, start),)))


def key_of_move(talk: Session, result: object) -> object:
    """The key of the call that is next, which comes to `result`."""
    if isinstance(talk.next().decision, Clarify):
        talk.answer(True)
    call = ready(talk.next())
    talk.observe(call, result)
    return call.values["once"]


@pytest.mark.parametrize("traits", ["", "idempotent"])
def test_a_call_that_is_made_once_more_has_another_key(traits: str) -> None:
    talk = Session(toolplan.loads(MOVING.replace("{TRAITS}", traits)), state={"start": "10"})
    talk.want("move_it")
    keys = [key_of_move(talk, {})]
    for start in ("11", "10"):
        rather(talk, start)
        keys.append(key_of_move(talk, {}))
    assert len(set(keys)) == 3


def test_a_call_that_is_tried_once_more_has_the_same_key() -> None:
    talk = Session(toolplan.loads(MOVING.replace("{TRAITS}", "idempotent")), state={"start": "10"})
    talk.want("move_it")
    assert key_of_move(talk, TimeoutError()) == key_of_move(talk, {})


def test_a_call_with_a_key_that_was_made_is_not_made_once_more_by_a_model() -> None:
    talk = Session(toolplan.loads(MOVING.replace("{TRAITS}", "idempotent")), state={"start": "10"})
    talk.want("move_it")
    key_of_move(talk, {})
    assert isinstance(talk.propose("move", {}), Refused)


def test_an_answer_about_no_fact_is_refused() -> None:
    talk = Session(WIPING)
    talk.want("pay_it")
    talk.next()
    with pytest.raises(DomainError, match="no fact"):
        talk.answer({1: 2})
