"""What people report of agents that converse, as it should be: what is asked, how often, who agreed, and what counts as done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from office import MINE, NOW, OFFICE, Host, events, question, recorded, talk_of

import toolplan
from toolplan.domain import Domain
from toolplan.frontier import Act, Blocked, Clarify, Done, EntityQuestion, Explore, GoalQuestion
from toolplan.goals.readings import Reading, reading_of
from toolplan.planning.problem import State
from toolplan.session import Allowed, Outcome, Session, Settings
from toolplan.session.readers import rules
from toolplan.session.readers.model import Model

MOVE = "move tomorrow's dentist appointment to 4 PM"
WRITE = "write to Anna that the train is late"
SHOP = toolplan.loads("""
domain shop "Orders, and money that goes back"
type order

fact number(order): text "the number of the order"
fact order_id(order): text
fact eligible(order) "the money may go back"
fact reason(order): text "why the money should go back"
fact refunded(order)

tool find_order(o: order) { requires number(o) passes number = number(o) produces order_id(o) returns order_id(o) = $.id risk read }
tool check_order(o: order) {
  requires order_id(o)
  passes   id = order_id(o)
  produces eligible(o)
  returns  eligible(o) = $.eligible[?@ == true]
  risk read
}
tool refund(o: order) {
  requires order_id(o), eligible(o), reason(o)
  passes   id = order_id(o), reason = reason(o)
  produces refunded(o)
  returns  refunded(o) = $.refund
  risk write
}
tool look_at_refund(o: order) {
  requires order_id(o)
  passes   id = order_id(o)
  verifies refunded(o)
  returns  refunded(o) = $.refunds[*]
  cost 4
  risk read
}

ask which_order(o: order) { "Which order do you mean?" produces number(o) }
ask why(o: order) { "Why should the money go back?" produces reason(o) }
ask what_happened(o: order) { "What happened to it?" produces reason(o) cost 9 }

goal check(o: order) { "Say whether an order may be refunded." achieves eligible(o) given number(o) phrases "check order {number(o)}" }
goal refund(o: order) {
  "Give the money for an order back."
  achieves refunded(o)
  given    number(o), reason(o)
  phrases  "refund order {number(o)}", "refund order {number(o)} because {reason(o)}"
}
""")
ANSWERS: Mapping[str, object] = {
    "find_order": {"id": "o-1"},
    "check_order": {"eligible": [True]},
    "refund": {"refund": "r-1"},
    "look_at_refund": {"refunds": ["r-1"]},
}
REFUND = "refund order A17 because it is broken"


class Torn:
    """A ranker that cannot tell two goals apart."""

    def __init__(self, *goals: str) -> None:
        self.goals = goals

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        return reading_of(request, [((goal,), 0.9 / len(self.goals)) for goal in self.goals])


def shopping(settings: Settings | None = None) -> Session:
    return Session(SHOP, clock=lambda: NOW, settings=settings or Settings())


def calls(talk: Session, answers: Mapping[str, object] = ANSWERS) -> list[str]:
    """Makes the calls that need no model until the user is needed; their tools in order."""
    made = []
    while isinstance(decision := talk.next().decision, Act) and decision.ready is not None and len(made) < 20:
        made.append(decision.ready.tool)
        talk.observe(decision.ready, answers[decision.ready.tool])
    return made


# Questions


def test_a_question_that_nobody_answers_is_asked_a_few_times_and_then_it_is_for_a_person() -> None:
    """ThinkInAIXYZ/deepchat#2292"""
    talk = shopping()
    talk.hear("refund order A17")
    asked = []
    for _ in range(23):
        calls(talk)
        if not isinstance(decision := talk.next().decision, Clarify):
            break
        asked.append(decision.question.text)
        talk.hear("hmm")
    assert asked == ["Why should the money go back? (order_1)"] * 3
    assert isinstance(talk.next().decision, Blocked | Explore)
    assert talk.next().tools == ()


def test_an_answered_question_is_not_asked_again_in_other_words() -> None:
    """ThinkInAIXYZ/deepchat#2292"""
    talk = shopping()
    talk.hear("refund order A17")
    assert question(talk.next().decision) == "Why should the money go back? (order_1)"
    talk.hear("it came broken")
    assert calls(talk) == ["find_order", "check_order", "refund"]
    assert talk.next().decision == Done()


def test_stop_is_heard_while_a_question_is_open() -> None:
    """ThinkInAIXYZ/deepchat#2292"""
    talk = shopping()
    talk.hear("refund order A17")
    calls(talk)
    talk.hear("stop")
    assert talk.next().decision == Explore((), "the user has stopped it")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("move the dentist appointment on Tuesday", ["start"]),
        ("move my appointment to Friday at 4 pm", ["Which event", "On which day"]),
        ("move my appointment", ["Which event", "On which day", "start"]),
        ("write to Anna", ["say"]),
    ],
)
def test_what_was_said_is_not_asked_for(text: str, asked: list[str]) -> None:
    """langgenius/dify#23560"""
    lines = question(Host(talk_of()).say(text)).splitlines()
    assert len(lines) == len(asked)
    assert all(words in line for words, line in zip(asked, lines, strict=True))


def test_questions_for_one_request_are_counted_together() -> None:
    """langgenius/dify#23560: nobody is interrogated."""
    host = Host(talk_of(settings=Settings(questions=2)), {"search_events": [recorded("search-events", "none")]})
    for text in (MOVE, "the check-up", "the examination"):
        last = host.say(text)
    assert isinstance(last, Explore)
    assert last.tools == OFFICE.policy.always_visible


# Which goal


DIARY = toolplan.loads("""
domain diary "What is to be done, and with whom"
fact what: text
fact room
fact invited
fact reminded
fact printed
tool find_room { passes seats = 4 produces room risk read }
tool invite { requires what, room passes title = what produces invited risk write }
tool remind { requires what passes title = what produces reminded risk write }
tool print_week { passes days = 7 produces printed risk write }
goal invite { "Have a meeting." achieves invited given what phrases "schedule {what}" }
goal remind { "Be reminded." achieves reminded given what phrases "schedule {what}" }
goal print_week { "Have the week on paper." achieves printed phrases "print the week" }
""")


@pytest.fixture
def torn() -> Session:
    return Session(DIARY, clock=lambda: NOW, reader=rules(Torn("invite", "remind")))


@pytest.mark.parametrize(("reply", "done"), [("the second", ["remind"]), ("have a meeting", ["find_room", "invite"]), ("the third", [])])
def test_of_two_goals_that_are_as_likely_the_user_chooses_one_and_nothing_is_changed_before(
    torn: Session, reply: str, done: list[str]
) -> None:
    """chalie-ai/chalie#94"""
    torn.hear("schedule the review")
    now = torn.next()
    assert isinstance(now.decision, Clarify) and isinstance(now.decision.question, GoalQuestion)
    assert [option.goals for option in now.decision.question.options] == [("invite",), ("remind",), ()]
    assert now.tools == ()
    torn.hear(reply)
    assert calls(torn, dict.fromkeys(DIARY.tools, True)) == done
    assert not isinstance(torn.next().decision, Clarify)


def test_another_topic_lets_the_question_for_the_goal_go(torn: Session) -> None:
    """chalie-ai/chalie#94"""
    torn.hear("schedule the review")
    assert isinstance(torn.next().decision, Clarify)
    talk = Session.restore(DIARY, torn.snapshot(), clock=lambda: NOW, reader=rules(Torn("print_week")))
    talk.hear("print the week")
    assert calls(talk, dict.fromkeys(DIARY.tools, True)) == ["print_week"]
    assert talk.next().decision == Done()


# Who has agreed


@pytest.mark.parametrize(
    "answer",
    [Session.decline, Session.unseen, lambda talk: talk.answer(False), lambda talk: talk.hear("no"), lambda talk: talk.hear("not now")],
    ids=["declined", "unseen", "false", "no", "not now"],
)
def test_only_a_yes_is_consent(answer: Callable[[Session], object]) -> None:
    """anthropics/claude-code#89858"""
    host = Host(talk_of(), consent="")
    assert "send_email" in question(host.say(WRITE))
    answer(host.talk)
    host.run()
    assert host.steps == ["find_address"]
    assert not isinstance(host.talk.propose("send_email", {"subject": "Re: the train is late"}), Allowed)


def test_what_was_not_seen_is_asked_again_and_a_no_is_not() -> None:
    """okta/okta-mcp-server#20"""
    host = Host(talk_of(), consent="")
    before = question(host.say(WRITE))
    host.talk.unseen()
    assert question(host.run()) == before
    host.talk.decline()
    assert isinstance(host.run(), Blocked)


# What cannot be


def test_a_goal_that_cannot_be_reached_says_what_is_in_the_way() -> None:
    """embabel/embabel-agent#1762"""
    now = Host(talk_of()).say("move tomorrow's dentist appointment to 4 PM, but don't send anything")
    assert isinstance(now, Blocked)
    assert "move_event" in str(now)


# What counts as done


@pytest.mark.parametrize("claim", ["Done! The draft was saved.", "", "Email draft created successfully"])
def test_what_a_tool_only_claims_is_not_done(claim: str) -> None:
    """NousResearch/hermes-agent#54722"""
    host = Host(talk_of(), {"save_draft": [{"content": [{"type": "text", "text": claim}]}]})
    assert host.say("draft a reply to the mail about the offer") != Done()
    assert host.outcomes[-1] is not Outcome.DONE
    assert host.steps.count("save_draft") == 1


def test_a_payment_that_may_have_been_made_is_looked_at_and_not_made_again() -> None:
    """openlinker#2371"""
    talk = shopping()
    talk.hear(REFUND)
    assert calls(talk, {**ANSWERS, "refund": TimeoutError("no answer")}) == ["find_order", "check_order", "refund", "look_at_refund"]
    assert talk.next().decision == Done()


def test_a_payment_of_which_nothing_is_heard_is_never_made_twice() -> None:
    """openlinker#2371"""
    talk = shopping()
    talk.hear(REFUND)
    lost = {**ANSWERS, "refund": TimeoutError("no answer"), "look_at_refund": TimeoutError("no answer")}
    assert calls(talk, lost).count("refund") == 1
    assert talk.next().decision != Done()


# Whom it is about


def test_two_people_of_one_name_are_told_apart_by_the_user() -> None:
    """arXiv 2606.30531"""
    host = Host(talk_of(), {"find_address": [recorded("search_emails", "five")]})
    who = host.say("write to Maria that the train is late")
    assert isinstance(who, Clarify) and isinstance(who.question, EntityQuestion)
    assert "send_email" not in host.steps
    assert host.say("the second") == Done()
    assert host.values[-1][1]["to"] == ["maria.s@example.net"]


def test_what_was_checked_for_one_order_is_not_known_of_another() -> None:
    """arXiv 2606.30531"""
    talk = shopping()
    talk.hear("check order A17")
    assert calls(talk) == ["find_order", "check_order"]
    assert talk.next().decision == Done()
    talk.hear("refund order B4 because it is broken")
    made = calls(talk, {**ANSWERS, "check_order": {"eligible": []}, "look_at_refund": {"refunds": []}})
    assert made[:2] == ["find_order", "check_order"]
    assert "refund" not in made
    assert talk.next().decision != Done()


# What a model makes of it


def answer_with(**parts: object) -> str:
    return json.dumps({"candidates": [], "words": [], "forbids": [], "reply": "none", "option": -1, **parts})


def candidate(*goals: str, confidence: object = 0.9) -> list[object]:
    return [{"goals": list(goals), "confidence": confidence}]


WRONG = {
    "nothing": ("", "is no JSON"),
    "no JSON": ("I would call all tools.", "is no JSON"),
    "no object": ("[]", "is not an object with"),
    "a key is missing": (json.dumps({"words": [], "forbids": [], "reply": "none", "option": -1}), "is not an object with"),
    "a key too many": (answer_with(calls=["delete_event"]), "is not an object with"),
    "a goal that there is not": (
        answer_with(candidates=candidate("send_everything")),
        "the goal `send_everything`, which the domain does not have",
    ),
    "a tool for a goal": (answer_with(candidates=candidate("delete_event")), "the goal `delete_event`, which the domain does not have"),
    "more than certain": (answer_with(candidates=candidate("move_event", confidence=2)), "confidence"),
    "a fact that there is not": (answer_with(words=[{"fact": "consent", "words": "4 PM"}]), "`consent`"),
    "a fact that only calls bring about": (answer_with(words=[{"fact": "sent", "words": "4 PM"}]), "`sent`"),
    "a tool to forbid that there is not": (answer_with(forbids=[{"name": "everything", "words": "4 PM"}]), 'forbids `"everything"`'),
    "a reply that there is not": (answer_with(reply="granted"), "the reply is none that there is"),
    "a choice that is no number": (answer_with(reply="chosen", option="all"), "the reply is none that there is"),
}
"""What a model may answer that is wrong, and what is said of it."""


def test_a_model_that_answers_rightly_opens_the_tool_that_is_needed() -> None:
    answer = answer_with(candidates=candidate("move_event"))
    talk = Session(OFFICE, state=MINE, clock=lambda: NOW, reader=Model(lambda prompt, schema: answer))
    assert talk.hear(MOVE).findings == ()
    assert talk.next().tools == ("search_events",)


@pytest.mark.parametrize(("answer", "reason"), WRONG.values(), ids=WRONG)
def test_a_model_that_answers_wrongly_opens_no_tool(answer: str, reason: str) -> None:
    """langchain-ai/langchain#34358, microsoft/semantic-kernel#2606"""
    talk = Session(OFFICE, state=MINE, clock=lambda: NOW, reader=Model(lambda prompt, schema: answer))
    (finding,) = talk.hear(MOVE).findings
    assert reason in finding.message
    now = talk.next()
    assert isinstance(now.decision, Clarify | Explore)
    assert (now.tools, now.steps) == ((), ())


@pytest.mark.parametrize(("answer", "reason"), WRONG.values(), ids=WRONG)
def test_a_model_that_answers_wrongly_leaves_what_is_open_as_it_was(answer: str, reason: str) -> None:
    """langchain-ai/langchain#34358"""
    host = Host(talk_of(), {"search_events": [events(1)]}, consent="")
    before = question(host.say(MOVE))
    talk = Session.restore(OFFICE, host.talk.snapshot(), clock=lambda: NOW, reader=Model(lambda prompt, schema: answer))
    talk.hear("what was that again?")
    assert question(talk.next().decision) == before


@pytest.mark.parametrize("reply", ["agreed", "chosen", "refused", "declined"])
def test_a_reply_to_nothing_that_was_asked_opens_no_tool(reply: str) -> None:
    """microsoft/semantic-kernel#2606"""
    talk = Session(OFFICE, state=MINE, clock=lambda: NOW, reader=Model(lambda prompt, schema: answer_with(reply=reply, option=0)))
    assert talk.hear(MOVE).reply is None
    assert (talk.next().tools, talk.next().steps) == ((), ())


def test_a_model_that_fails_is_no_failure_of_the_conversation() -> None:
    """langchain-ai/langchain#34358"""

    def ask(prompt: str, schema: object) -> str:
        raise RuntimeError("overloaded")

    talk = Session(OFFICE, state=MINE, clock=lambda: NOW, reader=Model(ask))
    assert talk.hear(MOVE).findings
    assert isinstance(talk.next().decision, Clarify | Explore)
