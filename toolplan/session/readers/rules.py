"""The reader by rules: the answer to the open question first, then goals by a ranker, and what is said of them by phrases and by types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations

from toolplan.domain import Domain
from toolplan.goals.rankers import default as default_ranker
from toolplan.goals.readings import Candidate, GoalRanker, Goals, Reading, reading_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.planning.memo import per_domain
from toolplan.planning.problem import State
from toolplan.session.readers.answering import answers, concerns
from toolplan.session.readers.clauses import BEFORE_REQUESTS, separated
from toolplan.session.readers.completing import complete
from toolplan.session.readers.forbidding import Forbidden, forbidden
from toolplan.session.readers.interpreting import Interpretation
from toolplan.session.readers.openings import openings_of
from toolplan.session.readers.phrases import Match, best_continuation, best_match
from toolplan.session.readers.replies import SMALL, counts_options, is_small_talk, reply_to, stopping
from toolplan.session.readers.things import Thing, thing, vocabulary
from toolplan.session.readers.tokens import BEFORE_INSTANTS, DETERMINERS, spoken, tokens
from toolplan.session.turns import Asked, Context, Refused, Reply, Stopped, TurnReading
from toolplan.values import found

CONFIDENT = 0.5
"""How probable a goal must be before a turn that may as well be an answer or a correction counts as a request."""
CERTAIN = 0.9
"""The same where nothing else says that the turn is a request and a question is open."""
LONG = 4
"""Tokens of a turn that may be a request without beginning as one, while a question is open."""
MATCHED = 10.0
"""How much likelier each slot that a phrase fills makes its goal, where it says more of the turn than those of the others."""
CONTINUED = 0.9
"""The probability that "and the other one to 5" wants for another thing what was wanted for the last."""
CORRECTING = re.compile(
    r"\s*(?:(?:no|nope|oh|oops|wait|sorry|actually|rather|i\s+(?:mean|meant)|i\s+said|make\s+(?:that|it)|it['’]?s|that['’]?s|not\s+that|"
    r"better|instead|change\s+(?:that|it)\s+to|let['’]?s\s+(?:say|make\s+it)|should\s+be|it\s+should\s+be|and|also|but|yes|at|on)\b[\s,:;.–—-]*)+",
    re.IGNORECASE,
)
"""What a turn begins with that puts right what was said before, or adds to it."""
CORRECTED = re.compile(r",?(?<!\s)\s+(?:i\s+(?:mean|meant)|instead|rather)[\s.!]*$", re.IGNORECASE)
"""What it ends with then."""
NAME = 6
"""Tokens of another name for a thing, at most."""
AGAIN = re.compile(
    r"\s*(?:(?:please|now|and|ok|okay|do|then)\b[\s,]*)*(?:(?:the\s+)?same(?:\s+thing)?(?:\s+(?:once\s+more|again))?|again|once\s+(?:more|again)|"
    r"(?:it|that|this)\s+(?:again|once\s+(?:more|again))|one\s+more\s+time|repeat\s+(?:it|that))(?:,?\s+please)?[\s.!]*",
    re.IGNORECASE,
)
"""A turn that wants what was done last once more."""
CONTINUING = re.compile(
    r"\s*(?:(?:and|also|then|(?:do\s+)?(?:the\s+)?same)\b\s*)+(?:(?:also|for|with|to)\b\s*)*",
    re.IGNORECASE,
)
AFTERTHOUGHT = re.compile(r"[.!;]\s+|,?(?<!\s)\s+and\s+(?:also\s+|then\s+)?", re.IGNORECASE)
"""Where the answer to a question ends and something else begins."""
Wanted = list[tuple[str, dict[str, str]]]
"""Goals with their entities."""


@dataclass(frozen=True)
class Rules:
    """Reads English turns by rules, in time linear in the turn but for the ranker. `ranker` None is the best that is installed.

    What a rule is not sure of is left out, so that the session asks: a wrong value is worse than a missing one. Yes is read only where a
    turn says nothing else. Raises DomainError where `ranker` is None and no ranker is installed.
    """

    ranker: GoalRanker | None = None

    def read(self, text: str, context: Context) -> TurnReading:
        """What `text` says in `context`."""
        stopped = stopping(text, is_open=context.asked is not None)
        if stopped:
            return replace(_Turn(self._ranker, text[stopped:], replace(context, asked=None, goals=())).read(), text=text, reply=Stopped())
        return _Turn(self._ranker, text, context).read()

    @property
    def _ranker(self) -> GoalRanker:
        return self.ranker or default_ranker()


class _Turn:
    """One turn, read once."""

    def __init__(self, ranker: GoalRanker, text: str, context: Context) -> None:
        self.ranker = ranker
        self.text = text
        self.context = context
        self.tokens = tokens(text, found(text, context.now))
        self.forbidden = forbidden(text, context.domain)
        self.interpretation = Interpretation(context, text, self.tokens)
        self.readings: dict[str, Reading] = {}

    def read(self) -> TurnReading:
        if self.context.asked is not None:
            return self._reply(self.context.asked)
        if not self.text.strip() or is_small_talk(self.text) or SMALL.fullmatch(self.text):
            return self._said(self._nothing)
        return self._matter()

    # The reply to what was asked

    def _reply(self, asked: Asked) -> TurnReading:
        reply = reply_to(asked, self.text, self.tokens)
        if reply is not None:
            return self._replied(reply)
        if counts_options(asked, self.text):
            return TurnReading(self.text, self._nothing)
        if (continued := self._continued(self.interpretation.open_goals)) is not None:
            return continued
        request, first = self._request(self.text), ""
        if request is None and (after := AFTERTHOUGHT.search(self.text)) is not None:
            request, first = self._request(self.text[after.end() :]), self.text[: after.start()]
        if request is not None:
            return self._reply_and_request(asked, first, request)
        answered = answers(asked, self.interpretation, may_be_text=True)
        if answered or not concerns(asked, self.interpretation):
            self._add_to_goals_before()
        if self.interpretation.stated or len(self.tokens) < LONG:
            return self._said(self._nothing)
        reading = self._rank(self.text)
        return self._wished(reading) if reading.candidates and reading.candidates[0].p >= CERTAIN else self._said(self._nothing)

    def _reply_and_request(self, asked: Asked, first: str, request: Reading) -> TurnReading:
        """Perhaps an answer, and another wish. A wish for what is open already would change it, so that yes is no consent to it."""
        reply = reply_to(asked, first, tokens(first, ())) if first else None
        changes = set(request.candidates[0].goals) & {goal for goal, _ in self.interpretation.open_goals}
        if first:
            answers(asked, self.interpretation, may_be_text=False)
        return replace(self._wished(request), reply=reply if not changes else None)

    def _replied(self, reply: Reply) -> TurnReading:
        if isinstance(reply, Refused) and not self.forbidden:
            rest = CORRECTING.sub("", self.text, count=1)
            request = self._request(rest) if rest != self.text else None
            if request is not None:
                return replace(self._wished(request), reply=reply)
            self._add_to_goals_before()
            if self.interpretation.stated:
                return self._said(self._nothing)
        return self._said(self._nothing, reply)

    # New matter

    def _matter(self) -> TurnReading:
        goals = self.interpretation.goals_before
        if self.context.done and AGAIN.fullmatch(self.text):
            return self._once_more(goals)
        if goals and (continued := self._continued(goals)) is not None:
            return continued
        if goals and self._request(self.text) is None and (self._corrects() or self._says_only_when()):
            return self._said(self._nothing)
        return self._wished(self._rank(self.text))

    def _once_more(self, goals: Wanted) -> TurnReading:
        """What was done last, once more, for the same things."""
        for _, binding in goals:
            self.interpretation.once_more(binding, binding)
        names = tuple(dict.fromkeys(goal for goal, _ in goals))
        return self._said(reading_of(self.text, [(names, CONTINUED)]))

    def _corrects(self) -> bool:
        """Whether the turn says something of what it speaks of without saying so, and nothing else; it is stated then."""
        start = match.end() if (match := CORRECTING.match(self.text)) else 0
        end = match.start() if (match := CORRECTED.search(self.text)) else len(self.text)
        says_so = bool(start) or end < len(self.text)
        words = [token for token in self.tokens if token.value is None and not token.is_mark]
        if not says_so and not self.interpretation.open_goals and len(words) >= LONG:
            return False
        self._add_to_goals_before()
        if self.interpretation.stated:
            return True
        if not says_so:
            return False
        called = self._name(start, end)
        return called is not None and not CONTINUING.match(self.text) and self._renames(called)

    def _says_only_when(self) -> bool:
        """Whether the turn puts right when something is, and says nothing else."""
        start = match.end() if (match := CORRECTING.match(self.text)) else 0
        rest = [token for token in self.tokens if token.start >= start and not token.is_mark]
        return bool(start and rest) and all(token.is_instant or token.lower in BEFORE_INSTANTS for token in rest)

    def _name(self, start: int, end: int) -> Thing | None:
        """What the turn calls something between two places of its text, if it does nothing else there."""
        rest = [token for token in self.tokens if start <= token.start < end and not token.is_mark]
        is_name = rest and len(rest) <= NAME and (rest[0].lower in DETERMINERS or self.text[rest[0].start].isupper())
        called = thing(self.text, rest) if is_name and not is_small_talk(spoken(self.text, rest)) else None
        return called if called is not None and not called.points and called.value else None

    def _renames(self, called: Thing) -> bool:
        return any(self.interpretation.naming(goal, binding, called) for goal, binding in self.interpretation.goals_before)

    def _continued(self, goals: Wanted) -> TurnReading | None:
        """The last goal once more, for something else: "and the other one to 5", "and Bob"."""
        start = opening.end() if (opening := CONTINUING.match(self.text)) else 0
        if not start or self._request(self.text) is not None:
            return None
        domain, called = self.context.domain, self._name(start, len(self.text))
        if called is not None and not called.value[:1].isupper() and (other := self._wish_for_other(goals)) is not None:
            for goal in other.candidates[0].goals:
                self.interpretation.about(goal, called)
            return self._said(other)
        for goal, binding in goals:
            facts = openings_of(domain, goal).facts
            match = best_continuation(domain.goals[goal], facts, self.tokens, vocabulary(domain).verbs)
            if match is not None:
                self.interpretation.wish(goal, match, {}, like=binding)
                return self._said(reading_of(self.text, [((goal,), CONTINUED)]))
            if called is not None and self.interpretation.also(goal, binding, called):
                return self._said(self._nothing)
        return None

    def _wish_for_other(self, goals: Wanted) -> Reading | None:
        """What the turn, by its words, wants of something else: "and the mail", after a file."""
        reading = self._rank(self.text)
        likeliest = reading.candidates[0] if reading.candidates else Candidate((), 0.0)
        return reading if likeliest.p >= CONFIDENT and not {goal for goal, _ in goals}.issuperset(likeliest.goals) else None

    def _wished(self, reading: Reading) -> TurnReading:
        """The goals of `reading`, and what the turn says of the likeliest of them that it has a phrase of."""
        plausible = self.context.domain.policy.plausible
        goals = chain.from_iterable(c.goals for c in reading.candidates if c.p >= plausible)
        matches = {goal: match for goal in goals if (match := self._match(goal)) is not None}
        read = _with_evidence(reading, matches)
        likeliest = read.candidates[0] if read.candidates else Candidate((), 0.0)
        for goal in likeliest.goals:
            if goal in matches or likeliest.p > read.none:
                self.interpretation.wish(goal, matches.get(goal), {})
        # Where it is not clear what is wanted, what was said of the others must not be asked for once it is.
        for goal in dict.fromkeys(chain.from_iterable(c.goals for c in read.candidates[1:] if c.p >= plausible)):
            if goal in matches and goal not in likeliest.goals:
                self.interpretation.alternative(goal, matches[goal])
        return self._said(read)

    def _match(self, goal: str) -> Match | None:
        domain = self.context.domain
        return best_match(domain.goals[goal], openings_of(domain, goal).facts, self.tokens, vocabulary(domain).verbs)

    def _add_to_goals_before(self) -> None:
        """What is left of the turn said of the goals that it speaks of without saying so, the likelier first."""
        goals = self.interpretation.goals_before
        likely = {goal: c.p for c in reversed(self._rank(self.text).candidates) for goal in c.goals} if len(goals) > 1 else {}
        for goal, binding in sorted(goals, key=lambda wanted: -likely.get(wanted[0], 0.0)):
            self.interpretation.wish(goal, None, binding)

    # Goals

    def _request(self, text: str) -> Reading | None:
        """What `text` asks for, where it clearly asks for something: it begins as requests do, and a goal is likely."""
        words = [token for token in tokens(text, ()) if not token.is_mark and token.lower not in BEFORE_REQUESTS]
        if len(words) < 2 or words[0].lower not in vocabulary(self.context.domain).verbs:
            return None
        reading = self._rank(text)
        if not reading.candidates or reading.candidates[0].p < CONFIDENT:
            return None
        # A question may ask back, unless it is one of those that people ask for a goal.
        is_question = words[0].lower in QUESTION_WORDS
        return None if is_question and not any(map(self._match, reading.candidates[0].goals)) else reading

    def _rank(self, text: str) -> Reading:
        """The reading of `text`, without what it forbids, as names of goals. A ranker is asked once: it takes most of the time of a turn."""
        if text not in self.readings:
            self.readings[text] = self._ranked(text)
        return self.readings[text]

    def _ranked(self, text: str) -> Reading:
        asked = _without(text, self.forbidden) if text == self.text else text
        if not asked.strip(" .,;!?"):
            return self._nothing
        wishes = separated(asked, vocabulary(self.context.domain).verbs)
        reading = self.ranker.rank(wishes, without_parameters(self.context.domain), State())
        return replace(reading, request=self.text)

    @property
    def _nothing(self) -> Reading:
        return Reading(self.text, (), 1.0)

    def _said(self, goals: Reading, reply: Reply | None = None) -> TurnReading:
        if reply is None:
            complete(self.interpretation)
        forbids = dict.fromkeys(name for clause in self.forbidden for name in clause.names)
        stated, mentions = self.interpretation.stated, self.interpretation.mentions
        findings = tuple(self._unclear()) if not stated and reply is None and not goals.candidates else ()
        return TurnReading(self.text, goals, tuple(stated.values()), tuple(mentions.values()), tuple(forbids), reply, findings)

    def _unclear(self) -> Iterator[Diagnostic]:
        """Days and times that were understood, but not what they are said of."""
        for token in self.interpretation.left if self.interpretation.goals_before else ():
            if token.is_instant:
                said = spoken(self.text, [token])
                yield Diagnostic(Code.CONFLICTING_STATE, f"of what {quoted(said)} is said is not clear", None, "ask for it")


QUESTION_WORDS = frozenset("what which who whom when where why how until is are do does can".split())


def _with_evidence(reading: Reading, matches: Mapping[str, Match]) -> Reading:
    """`reading`, with the goals whose phrases say most of the turn made likelier; of several goals each says a part of its own."""
    worths = {c.goals: worth for c in reading.candidates if (worth := _worth(c.goals, matches)) is not None}
    best = max(worths.values(), default=None)
    if best is None:
        return reading
    likelier = MATCHED ** best[0]
    weights = [(c.goals, c.p * (likelier if worths.get(c.goals) == best else 1.0)) for c in reading.candidates]
    total = reading.none + sum(weight for _, weight in weights)
    return reading_of(reading.request, [(goals, weight / total) for goals, weight in weights], reading.findings)


def _worth(goals: Goals, matches: Mapping[str, Match]) -> tuple[int, ...] | None:
    """How much of the turn the phrases of `goals` say together; None where one has none, or they say the same part of it."""
    found = [matches[goal] for goal in goals if goal in matches]
    if len(found) < len(goals) or not found or any(one.overlaps(other) for one, other in combinations(found, 2)):
        return None
    return tuple(map(sum, zip(*(match.worth for match in found), strict=True)))


def _without(text: str, clauses: tuple[Forbidden, ...]) -> str:
    for clause in reversed(clauses):
        text = f"{text[: clause.start]} {text[clause.end :]}"
    return text


@per_domain
def without_parameters(domain: Domain) -> Domain:
    """`domain` with goals that have no parameters: rankers drop goals whose entities the state does not have yet."""
    return replace(domain, goals={name: replace(goal, parameters=()) for name, goal in domain.goals.items()})
