"""Answers to the question that is open, and what is stated with them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from toolplan.domain import Domain
from toolplan.frontier.calls import Source
from toolplan.goals.questions import answer_goal
from toolplan.planning.plans import Atom, Status
from toolplan.session.beliefs import Belief, believed, current
from toolplan.session.events import MODEL, AskedCall, AskedEntity, AskedFacts, AskedGoal, AskedToDo, Ending, OpenQuestion, Outcome
from toolplan.session.finding_out import known_since
from toolplan.session.frames import outlives
from toolplan.session.memory import Agreed as AgreedCall
from toolplan.session.memory import Frame, Left, Memory, Tried, believing, digest_of_call
from toolplan.session.turns import Agreed, Chosen, Declined, Refused, Reply, Stopped


def replied(domain: Domain, memory: Memory, reply: Reply | None, at: float, by: str = "") -> Memory:
    """The memory once `by` has said `reply` to the open question. What was stated with it is believed already: a yes means what holds then."""
    memory = relayed(memory, by)
    question, frame = memory.open, memory.current
    if isinstance(reply, Stopped):
        return stopped(memory)
    if question is None:
        return memory
    if reply is not None:
        return _answered(domain, memory._replace(open=None), frame, question, reply, at, by)
    return memory._replace(open=None) if _settled(memory, question) else memory


def relayed(memory: Memory, by: str) -> Memory:
    """The memory once `by` has told something of the open request. Where that is a model, it stays a request that a model has told of."""
    frame = memory.active
    return memory if by != MODEL or frame is None else memory.with_frame(frame._replace(relayed=True))


def stopped(memory: Memory) -> Memory:
    """The memory once the user wants all of it to stop: no request is left, and nothing is asked."""
    last = (memory.frames[-1], Ending.STOPPED) if memory.frames else memory.last
    for frame in memory.frames:
        memory = leaving(memory, frame)
    return memory._replace(frames=(), last=last, open=None)


def leaving(memory: Memory, frame: Frame) -> Memory:
    """The memory once `frame` ends: of what was said in it, that is kept by which entities were found that are still known.

    It matters only if the user refers to such an entity again, since another request speaks of others.
    """
    led: dict[Atom, Belief] = {}
    unread = [belief for belief in memory.beliefs.values() if belief.frame == frame.number]
    while unread:
        for read in unread.pop().reads:
            found = frame.beliefs.get(read.atom)
            if found is not None and read.atom.arguments and read.atom not in led:
                led[read.atom] = found
                unread.append(found)
    return memory._replace(beliefs={**led, **memory.beliefs})


def told(domain: Domain, memory: Memory, beliefs: Iterable[Belief]) -> Memory:
    """The memory once a user said `beliefs`. What is said twice in one turn, and differently, is not believed at all."""
    changed = [belief for belief in _without_conflicts(beliefs) if not _says_nothing_new(memory, belief)]
    lasting = [belief for belief in changed if domain.facts[belief.atom.fact].lasting]
    memory = memory._replace(beliefs=believing(memory.beliefs, lasting))
    frame = memory.active
    if frame is None:
        return memory
    return memory.with_frame(frame._replace(beliefs=believing(frame.beliefs, [b for b in changed if b not in lasting])))


def _says_nothing_new(memory: Memory, belief: Belief) -> bool:
    """Whether as much is believed already, so that what rests on it stays: a guess is no news of what is known."""
    before = believed(memory.levels(memory.active), belief.atom)
    if before is None:
        return False
    return (
        before.status is Status.KNOWN
        if belief.status is Status.CLAIMED
        else (before.status, before.value) == (belief.status, belief.value) and before.source.binds
    )


def _without_conflicts(beliefs: Iterable[Belief]) -> list[Belief]:
    ordered = sorted(beliefs, key=lambda belief: belief.atom)
    together = (list(same) for _, same in groupby(ordered, key=lambda belief: belief.atom))
    return [same[0] for same in together if len({belief.digest for belief in same}) == 1]


def _settled(memory: Memory, question: OpenQuestion) -> bool:
    """Whether all that was asked for is known by now, without a word about the question."""
    levels = memory.levels(memory.active)
    return isinstance(question, AskedFacts) and all(believed(levels, atom) is not None for atom in question.atoms)


def _answered(domain: Domain, memory: Memory, frame: Frame, question: OpenQuestion, reply: Reply, at: float, by: str) -> Memory:
    match question:
        case AskedFacts():
            return _facts(memory, frame, question, reply, at, by)
        case AskedGoal():
            return memory.with_frame(_goal(frame, question, reply))
        case AskedEntity():
            return _entity(domain, memory, frame, question, reply, at, by)
        case AskedCall():
            return _call(domain, memory, frame, question, reply, by)
        case AskedToDo():
            return _by_hand(domain, memory, frame, question, reply, by)


def _facts(memory: Memory, frame: Frame, question: AskedFacts, reply: Reply, at: float, by: str) -> Memory:
    if isinstance(reply, Agreed) and question.proposes and by != MODEL:
        known = [Belief(atom, Status.KNOWN, None, Source.USER, at) for atom in question.atoms]
        return memory.with_frame(frame._replace(beliefs=believing(frame.beliefs, known)))
    if isinstance(reply, Declined | Refused):
        levels = memory.levels(frame)
        unanswered = (
            step for step, atoms in zip(question.steps, question.makes, strict=True) if any(believed(levels, a) is None for a in atoms)
        )
        return memory.with_frame(frame._replace(refused=frame.refused | frozenset(unanswered)))
    return memory._replace(open=question)


def _goal(frame: Frame, question: AskedGoal, reply: Reply) -> Frame:
    match reply:
        case Chosen(option) if 0 <= option < len(question.goals):
            chosen = question.goals[option]
        case Agreed() if len(question.goals) == 2:
            chosen = question.goals[0]
        case Refused() | Declined():
            chosen = ()
        case _:
            return frame
    offered = [goals for goals in question.goals if goals]
    return frame._replace(reading=answer_goal(frame.reading, offered, chosen))


def _entity(domain: Domain, memory: Memory, frame: Frame, question: AskedEntity, reply: Reply, at: float, by: str) -> Memory:
    several = question.several
    frame = frame._replace(choices={atom: choice for atom, choice in frame.choices.items() if atom != several.atom})
    if not isinstance(reply, Chosen) or not 0 <= reply.option < len(several.values):
        return memory.with_frame(frame._replace(tried=_nothing_fits(frame)))
    words = several.options[reply.option]
    taken = [
        Belief(atom, Status.KNOWN, value, chosen_by(domain, by, atom, value, words), at, words, "", frame.number, question.reads)
        for atom, value in several.at(reply.option).items()
    ]
    lasting = [belief for belief in taken if outlives(domain, frame.reading, belief.atom)]
    memory = memory._replace(beliefs=believing(memory.beliefs, lasting), left=Left(several.without(reply.option), question.reads))
    return memory.with_frame(frame._replace(beliefs=believing(frame.beliefs, [belief for belief in taken if belief not in lasting])))


def chosen_by(domain: Domain, by: str, atom: Atom, value: object, words: str) -> Source:
    """Where the value of an option is from that `by` has chosen by its `words`: of what third parties can write, nothing else was shown."""
    if by == MODEL:
        return Source.MODEL
    return Source.CONTENT if domain.facts[atom.fact].by_others and words != str(value) else Source.USER


def _nothing_fits(frame: Frame) -> tuple[Tried, ...]:
    """None of what was found is meant, so that the call has found nothing."""
    return tuple(tried._replace(outcome=Outcome.NOTHING) if tried.outcome is Outcome.SEVERAL else tried for tried in frame.tried)


def _call(domain: Domain, memory: Memory, frame: Frame, question: AskedCall, reply: Reply, by: str) -> Memory:
    """Only a yes of whoever must agree is consent, and only to what the call still rests on. After that of another the question stays open."""
    if isinstance(reply, Agreed) and by == question.by != MODEL and current(memory.levels(frame), question.reads):
        return memory.with_frame(frame._replace(agreed=(*frame.agreed, AgreedCall(question.call, question.reads))))
    if isinstance(reply, Refused | Declined):
        tried = Tried(question.call.step, question.reads, Outcome.REFUSED)
        closed = frame.closed | {digest_of_call(domain, question.call)}
        agreed = tuple(one for one in frame.agreed if one.call != question.call)
        return memory.with_frame(frame._replace(tried=(*frame.tried, tried), held=None, agreed=agreed, closed=closed))
    return memory._replace(open=question) if by != question.by else memory


def _by_hand(domain: Domain, memory: Memory, frame: Frame, question: AskedToDo, reply: Reply, by: str) -> Memory:
    if isinstance(reply, Agreed) and by == MODEL:
        return memory._replace(open=question)
    if isinstance(reply, Agreed):
        return known_since(domain, memory, question.running, question.seen)
    if isinstance(reply, Refused | Declined):
        return memory.with_frame(frame._replace(refused=frame.refused | {question.step}))
    return memory
