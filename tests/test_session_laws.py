"""What holds of every conversation, whatever its user says and whatever its tools give back."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Queue
from random import Random
from threading import Barrier, Thread

import pytest
from auditing import Auditor
from conversations import DOMAIN, KINDS, Conversation, Draw, Silence
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from toolplan import DomainError
from toolplan.frontier import Act, Clarify, Done, Instruct, Mode
from toolplan.goals.readings import reading_of
from toolplan.session import Outcome, Session, Settings
from toolplan.session.events import Observed, Started
from toolplan.session.folding import fold
from toolplan.session.stores import MemoryStore, SQLiteStore, Store
from toolplan.session.turns import Mention

EXAMPLES = int(os.environ.get("TOOLPLAN_EXAMPLES", "60"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LONG = settings(QUICK, stateful_step_count=40)
ENOUGH = 60
"""Steps in which a request ends whose user answers and whose tools work."""
MODES: tuple[Mode, ...] = ("one", "ties", "parallel", "path")
"""Those that show what a plan needs. The others show whatever can be called, of whatever request it is."""


class Talking(RuleBasedStateMachine):
    """A user who says anything, tools that give anything back, a model that proposes anything."""

    @initialize(data=st.data(), knows=st.booleans(), mode=st.sampled_from(MODES))
    def begin(self, data: st.DataObject, knows: bool, mode: str) -> None:
        state = {"account": "acc-1", "address(boss)": "boss@example.org"} if knows else None
        self.talk = Conversation.new(state=state, settings=Settings(mode=mode))  # type: ignore[arg-type]
        self.auditor = Auditor(self.talk)
        self.talk.ask_for(data.draw)

    @rule(data=st.data(), new=st.booleans())
    def ask_for(self, data: st.DataObject, new: bool) -> None:
        self.talk.ask_for(data.draw, new=new)

    @rule(data=st.data())
    def state_something(self, data: st.DataObject) -> None:
        self.talk.state_something(data.draw)

    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        self.talk.correct(data.draw)

    @rule(data=st.data())
    def reply(self, data: st.DataObject) -> None:
        self.talk.reply(data.draw)

    @rule(data=st.data())
    def press(self, data: st.DataObject) -> None:
        self.talk.press(data.draw)

    @precondition(lambda self: self.talk.session.memory.open is not None)
    @rule()
    def answer_well(self) -> None:
        self.talk.answer_well()

    @rule(how=st.sampled_from(["decline", "overlook", "thank", "stop"]))
    def answer_nothing(self, how: str) -> None:
        getattr(self.talk, how)()

    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def go_on(self, data: st.DataObject, kind: str) -> None:
        """What is next is done, and comes to something or not."""
        decision = self.talk.session.next().decision
        match decision:
            case Act():
                self.talk.follow(decision)
            case Instruct():
                self.talk.do_by_hand(decision, kind)
            case _:
                pass

    @rule(data=st.data())
    def use_model(self, data: st.DataObject) -> None:
        self.talk.use_model(data.draw)

    @precondition(lambda self: self.talk.session.running)
    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def observe(self, data: st.DataObject, kind: str) -> None:
        """A call comes to something; and what is heard of it again changes nothing."""
        call = data.draw(st.sampled_from(self.talk.session.running))
        outcome = self.talk.session.observe(call, self.talk.result(call, kind))
        before = self.talk.session.snapshot()
        again = data.draw(st.sampled_from(KINDS))
        assert self.talk.session.observe(call, self.talk.result(call, again)) is outcome
        assert self.talk.session.observe(call.id, self.talk.result(call, again)) is outcome
        assert self.talk.session.snapshot() == before

    @rule(data=st.data())
    def go_on_well(self, data: st.DataObject) -> None:
        """Some steps in which the user answers and the tools work."""
        for _ in range(data.draw(st.integers(1, 6))):
            self.talk.one_step()

    @rule(minutes=st.sampled_from([1, 9, 11]))
    def wait(self, minutes: int) -> None:
        self.talk.clock.move(minutes)

    @rule()
    def recover(self) -> None:
        self.talk.session.recover()

    @invariant()
    def nothing_forbidden_has_happened(self) -> None:
        self.auditor.read()

    @invariant()
    def next_says_the_same_twice(self) -> None:
        first = self.talk.session.next().decision
        before = self.talk.session.snapshot()
        if not isinstance(first, Done):
            assert self.talk.session.next().decision == first
            assert self.talk.session.snapshot() == before

    def teardown(self) -> None:
        """What is restored knows the same; and with nobody left to say anything new, it comes to an end."""
        if not hasattr(self, "talk"):
            return
        check_replay(self.talk)
        self.talk.session.recover()
        for _ in range(4 * ENOUGH):
            if not self.talk.one_step():
                break
        else:
            raise AssertionError(f"no end: {self.talk.session.next().decision}")
        self.auditor.read()


TestTalking = Talking.TestCase
TestTalking.settings = LONG


def check_replay(talk: Conversation) -> None:
    """Law: a session is the fold of its events, in one go or one by one, here or elsewhere."""
    snapshot, restored = talk.session.snapshot(), talk.restored()
    assert restored.session.snapshot() == snapshot
    assert restored.session.memory == talk.session.memory
    memory = None
    for event in talk.events():
        memory = fold(DOMAIN, [event], memory)
    assert memory == fold(DOMAIN, talk.events()) == talk.session.memory
    assert restored.session.next().decision == talk.session.next().decision


def wander(talk: Conversation, draw: Draw, steps: int) -> None:
    """`steps` of a conversation, some of them good and some not."""
    for _ in range(steps):
        match draw(st.integers(0, 9)):
            case 0:
                talk.ask_for(draw, new=draw(st.booleans()))
            case 1:
                talk.state_something(draw)
            case 2:
                talk.reply(draw)
            case 3:
                talk.press(draw)
            case 4:
                talk.use_model(draw)
            case 5 if talk.session.running:
                call = draw(st.sampled_from(talk.session.running))
                talk.session.observe(call, talk.result(call, draw(st.sampled_from(KINDS))))
            case 6:
                decision = talk.session.next().decision
                if isinstance(decision, Act):
                    talk.follow(decision)
            case _:
                talk.one_step()


@QUICK
@given(st.data(), st.integers(1, 25), st.integers(0, 10))
def test_a_crash_loses_no_observation_and_repeats_no_write(data: st.DataObject, steps: int, more: int) -> None:
    talk = Conversation.new()
    talk.ask_for(data.draw)
    wander(talk, data.draw, steps)
    events = talk.events()
    cut = data.draw(st.integers(1, len(events)))
    later = talk.restored(cut)
    kept = {event.call: event.outcome for event in events[:cut] if isinstance(event, Observed)}
    assert later.session.memory.outcomes == kept
    lost = {event.call.id for event in events[:cut] if isinstance(event, Started)} - kept.keys()
    assert len(later.session.recover()) == len(lost)
    assert not later.session.running
    assert later.session.memory.outcomes.keys() == kept.keys() | lost
    auditor = Auditor(later)
    wander(later, data.draw, more)
    auditor.read()
    check_replay(later)


def test_a_write_in_doubt_is_not_made_again_when_what_it_rests_on_is_looked_up_again() -> None:
    talk = Conversation.new()
    talk.say("order anyhow", reading_of("order anyhow", [(("order_anyhow",), 1.0)]))
    for _ in range(2):
        talk.one_step()
    ready = talk.session.next().decision
    assert isinstance(ready, Act)
    assert talk.follow(ready) is not None
    talk.session.recover()
    for _ in range(ENOUGH):
        if not talk.one_step():
            break
    Auditor(talk).read()


@QUICK
@given(st.data(), st.sampled_from(MODES), st.booleans())
def test_a_request_ends_if_its_user_answers_and_its_tools_work(data: st.DataObject, mode: Mode, knows: bool) -> None:
    talk = Conversation.new(state={"account": "acc-1"} if knows else None, settings=Settings(mode=mode))
    for _ in range(data.draw(st.integers(1, 3))):
        talk.ask_for(data.draw, new=data.draw(st.booleans()))
        for _ in range(ENOUGH):
            if not talk.one_step():
                break
        assert talk.session.next().decision == Done()
    auditor = Auditor(talk)
    auditor.read()
    assert set(talk.session.memory.outcomes.values()) <= {Outcome.DONE}


@QUICK
@given(st.data(), st.integers(0, 8), st.booleans())
def test_a_correction_takes_all_with_it_that_was_found_with_the_old_value(data: st.DataObject, steps: int, late: bool) -> None:
    talk = Conversation.new()
    talk.ask_for(data.draw)
    for _ in range(steps):
        talk.one_step()
    decision = talk.session.next().decision
    talk.correct(data.draw)
    ready = decision.ready if isinstance(decision, Act) else None
    made = late and ready is not None and talk.session.next().decision != decision and DOMAIN.risk_of(DOMAIN.tools[ready.step.action]).safe
    if ready is not None and made:  # by a host that had asked before, and did not ask again
        assert not talk.session.start(ready)
        talk.session.observe(ready, talk.result(ready))
    for _ in range(ENOUGH):
        if not talk.one_step():
            break
    Auditor(talk, made_anyway=frozenset([ready.id] if ready is not None and made else [])).read()


@QUICK
@given(st.data(), st.sampled_from([["tell"], ["tell", "order"], ["move_event", "order"]]), st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_what_is_observed_of_two_calls_may_come_in_any_order(data: st.DataObject, goals: list[str], one: str, other: str) -> None:
    talk = Conversation.new(state={"account": "acc-1"}, settings=Settings(mode="parallel"))
    talk.ask_for(data.draw, goals)
    while isinstance(decision := talk.session.next().decision, Clarify):
        talk.answer_well()
    assert isinstance(decision, Act)
    talk.follow(decision)
    talk.session.propose("call_human", {"reason": "they ask for it"})
    assert len(talk.session.running) == 2
    if data.draw(st.booleans()):
        talk.state_something(data.draw)
    first, second = talk.session.running
    results = {first.id: talk.result(first, one), second.id: talk.result(second, other)}
    states = []
    for order in ([first.id, second.id], [second.id, first.id]):
        again = talk.restored()
        for call in order:
            again.session.observe(call, results[call])
        memory = again.session.memory
        states.append((memory.state(DOMAIN, talk.clock().timestamp(), memory.active), dict(memory.outcomes), memory.running))
    assert states[0] == states[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_two_workers_lose_nothing_and_do_nothing_twice(tmp_path: Path, kind: str, seed: int) -> None:
    store: Store = MemoryStore() if kind == "memory" else SQLiteStore(tmp_path / "sessions.db")
    talk = Conversation.new(store=store)
    people = tuple(Mention(talk.fresh.person(), "person", f"friend {number}") for number in range(4))
    talk.say("note them, order", reading_of("note them, order", [(("note", "order"), 1.0)]), mentions=people)
    workers = [Session(DOMAIN, clock=talk.clock, store=store, id=talk.session.id) for _ in range(3)]
    results: Queue[tuple[str, Outcome]] = Queue()
    failures: Queue[BaseException] = Queue()
    together = Barrier(len(workers))

    def work(session: Session, random: Random) -> None:
        try:
            together.wait()
            for _ in range(60):
                one_worker_step(Conversation(session, talk.clock, talk.fresh), random, results)
        except BaseException as failure:
            failures.put(failure)
            raise

    threads = [Thread(target=work, args=(session, Random(f"{seed} {number}"))) for number, session in enumerate(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures.empty(), failures.get()
    while talk.one_step():
        pass
    assert talk.session.next().decision == Done()
    Auditor(talk).read()
    outcomes = talk.session.memory.outcomes
    assert all(outcomes[call] is outcome for call, outcome in (results.get() for _ in range(results.qsize())))
    assert all(session.memory == talk.session.memory for session in workers)


def one_worker_step(talk: Conversation, random: Random, results: Queue[tuple[str, Outcome]]) -> None:
    """What one of several workers does: it goes on, or answers, or tells what became of a call that may be another's."""
    running = talk.session.running
    if running and random.random() < 0.6:
        call = random.choice(running)
        results.put((call.id, talk.session.observe(call, talk.result(call))))
        return
    decision = talk.session.next().decision
    if isinstance(decision, Act):
        talk.follow(decision)
    elif isinstance(decision, Clarify):
        with suppress(DomainError, Silence):  # another worker may be faster to answer
            talk.answer_well()


SCRIPT = """
from test_session_laws import scripted
print(scripted().session.snapshot(), end="")
"""


def scripted() -> Conversation:
    """A conversation that is the same each time."""
    talk = Conversation.new(state={"account": "acc-1", "address(boss)": "boss@example.org"})
    for goals in (("tell", "order"), ("help",), ("move_event", "label")):
        people = tuple(Mention(talk.fresh.person(), "person", f"friend {number}") for number in range(2))
        talk.say(" ".join(goals), reading_of(" ".join(goals), [(goals, 1.0)]), mentions=people)
        for _ in range(ENOUGH):
            if not talk.one_step():
                break
    return talk


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_another_process_makes_the_same_bytes(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
    made = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert made.stdout == scripted().session.snapshot()
