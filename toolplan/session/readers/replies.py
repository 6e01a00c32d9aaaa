"""What a turn says to the question that is open. Consent is read only from turns that say nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolplan.session.readers.tokens import COURTESIES, DETERMINERS, FILLERS, Token, stems, tokens
from toolplan.session.turns import Agreed, Asked, Chosen, Declined, Refused, Reply


def _any_of(phrases: str) -> re.Pattern[str]:
    """A pattern for whole phrases, written with bars between them. The longest is taken."""
    longest_first = sorted((" ".join(phrase.split()) for phrase in phrases.split("|")), key=lambda phrase: (-len(phrase), phrase))
    body = "|".join(re.escape(phrase).replace(r"\ ", r"\s+").replace("'", "['’]") for phrase in longest_first)
    return re.compile(rf"(?<!\w)(?:{body})(?!\w)", re.IGNORECASE)


_CONSENT = """
    yes | yeah | yep | yup | aye | sure | of course | ok | okay | alright | all right | right | correct | exactly | absolutely | certainly |
    definitely | please do | go ahead | go for it | do it | do that | fine | sounds good | looks good | perfect | that's right | that's fine |
    that's ok | that's correct | that is right | that is fine | that is correct | confirmed | i confirm | confirm | i agree | agreed |
    approved | proceed | no objection | no objections | i don't mind | why not | by all means | that works | you may | 👍 | ✅
"""
CONSENT = _any_of(_CONSENT)
"""Words for yes."""
YES = _any_of(
    f"""{_CONSENT} | yes please | sure thing | please | fine by me | fine with me | great | good | no problem | no worries | thanks |
    thank you | thank you very much | it is | that works for me | you can | now"""
)
"""Those, and what may be said with them without changing anything."""
NO = re.compile(
    r"\s*(?:(?:actually|oh|well|sorry)\b[\s,]*)*(?:no(?!\s+(?:problem|worries))|nope|nah|never|negative|not? (?:yet|now|really|that|this|like that)|please\s+(?:don['’]?t|do\s+not)|don['’]?t|do\s+not|"
    r"wait|hold\s+on|better\s+not|i['’]?d\s+rather\s+not|rather\s+not|absolutely\s+not|certainly\s+not|of\s+course\s+not|"
    r"that['’]?s\s+(?:wrong|not\s+right)|wrong|incorrect|i(?:['’]ve|\s+have)?\s+changed\s+my\s+mind|👎)(?!\w)",
    re.IGNORECASE,
)
NO_ITSELF = re.compile(r"\s*(?:no|nope|nah)(?!\w)", re.IGNORECASE)
NEGATED = re.compile(r"\b(?:do\s+not|don['’]?t|not|never)\b[^,.;!?]*", re.IGNORECASE)
"""A clause that says what is not: "don't do it"."""
NONE = re.compile(
    r"\s*(?:no,?\s+)?(?:none(?:\s+of\s+(?:these|those|them|the\s+above))?|neither(?:\s+of\s+(?:these|those|them))?|not\s+(?:any|one)?\s*(?:of\s+)?"
    r"(?:these|those|them)|something\s+else|somebody\s+else|someone\s+else|another\s+one|a\s+different\s+one|no|nope)[\s.!]*",
    re.IGNORECASE,
)
UNKNOWN = re.compile(
    r"\s*(?:(?:sorry|well|um+|hm+),?\s+)?"
    r"(?:i\s+(?:really\s+)?(?:don['’]?t|do\s+not)\s+(?:know|remember|have\s+(?:it|that|one))|no\s+(?:idea|clue)|"
    r"i\s+have\s+no\s+(?:idea|clue)|(?:i['’]?m\s+)?not\s+sure|dunno|no\s+comment|"
    r"(?:i['’]?d\s+|i\s+would\s+)?rather\s+not(?:\s+say|\s+tell)?|i\s+can(?:['’]?t|not)\s+(?:say|tell|remember)|i\s+won['’]?t\s+(?:say|tell)|"
    r"skip(?:\s+(?:it|that|this))?|"
    r"i\s+(?:don['’]?t|do\s+not)\s+(?:want|wish)\s+to\s+(?:say|tell)|(?:it\s+)?does(?:n['’]?t|\s+not)\s+matter|whatever)"
    r"(?:\s+(?:you|that|it|yet|anymore|off\s+hand|right\s+now|either))*[\s.!,]*(?:sorry)?[\s.!]*",
    re.IGNORECASE,
)
STOP = re.compile(
    r"\s*(?:(?:no|ok|okay|oh|actually|please|well|sorry|wait)\b[\s,]*)*"
    r"(?:stop(?:\s+(?:it|that|this|everything|now))?|cancel\s+(?:that|this|everything)|never\s*mind(?:\s+(?:that|it))?|"
    r"forget\s+(?:about\s+)?(?:it|that|this)|forget\s+the\s+whole\s+thing|abort|drop\s+it|leave\s+it|quit)"
    r"(?:\s+(?:please|then|now|thanks|thank\s+you))*\s*(?:[.,;:!–—-]+\s*|$)(?:(?:please|thanks|thank\s+you)[\s.!]*$)?",
    re.IGNORECASE,
)
STOP_OPEN = re.compile(r"\s*(?:(?:no|please)\b[\s,]*)*cancel(?:\s+it)?(?:\s+please)?[\s.!]*", re.IGNORECASE)
"""What stops where something is open, and is a wish where nothing is."""
SMALL_TALK = re.compile(
    r"\s*(?:(?:ok|okay|great|perfect|oh|good|nice|cool|wonderful|super|many|thanks|thank\s+you|thx|cheers|hello|hi|hey|bye|goodbye|"
    r"good\s+(?:morning|evening|night)|i\s+appreciate\s+(?:it|(?:all\s+)?(?:you|your)\s+help)|(?:it['’]?s|that['’]?s|that\s+is)\s+all|"
    r"(?:for\s+)?today|i\s+need(?:ed)?|that['’]?ll\s+be\s+all|"
    r"very|so|much|a\s+lot|for\s+(?:now|that|your\s+help|everything)|that['’]?s\s+(?:it|great))(?!\w)[\s,.!]*)+",
    re.IGNORECASE,
)
ORDINALS = {
    **dict.fromkeys(("first", "1st", "one", "1"), 0),
    **dict.fromkeys(("second", "2nd", "two", "2"), 1),
    **dict.fromkeys(("third", "3rd", "three", "3"), 2),
    **dict.fromkeys(("fourth", "4th", "four", "4"), 3),
    **dict.fromkeys(("fifth", "5th", "five", "5"), 4),
    **dict.fromkeys(("sixth", "6th", "six", "6"), 5),
}
BESIDE_ORDINALS = DETERMINERS | COURTESIES | frozenset("one number no. option # i want mean take choose pick yes it's thanks".split())
LEADING = re.compile(
    r"\s*(?:(?:um+|uh+|well|so|hm+|oh|ok|okay|yes|sure|please|sorry)\b[\s,]*)*"
    r"(?:(?:it['’]?s|it\s+is|that['’]?s|that\s+is|that\s+would\s+be|i\s+(?:mean|meant)|i['’]?d\s+say|just|say|write|the\s+answer\s+is)\b[\s:,]*)?(?:that\s+)?",
    re.IGNORECASE,
)
"""The words before an answer that say nothing."""
SMALL = re.compile(r"\s*(?:yes|no|nope|yep|yeah|ok|okay|sure|maybe|hm+|what|why|which)[\s.!,?]*", re.IGNORECASE)
"""A turn that is no answer to a question for a text."""
DONE = re.compile(
    r"\s*(?:(?:yes|yeah|yep|ok|okay|all|right|alright|so|well|it['’]?s|it\s+is|that['’]?s|that\s+is|i\s+am|i['’]?m)\b[\s,]*)*"
    r"(?:(?:now|already|just)\s+)?(?:done|finished|i\s+did(?:\s+(?:it|that|so))?|i\s+have(?:\s+done\s+(?:it|that|so))?|i['’]?ve\s+done\s+(?:it|that|so))"
    r"(?:\s+(?:now|already|so))?[\s.!]*",
    re.IGNORECASE,
)
"""What says that something was done, whatever it is."""
SUBJECTS = frozenset("i i've i’ve it it's it’s that's that’s".split())
REPORTING = SUBJECTS | DETERMINERS | frozenset("have has is are was now already just again all and yes".split())
"""Words of a report besides those for what was done."""
COUNTING = frozenset("and or both all last".split())
POINTING_OUT = frozenset("one with about at on from for i mean want take".split())
"""Words of a choice that no option needs to have: "the one with Tom"."""
CHANGES = frozenset("but except instead though however only unless not no both".split())


def stopping(text: str, *, is_open: bool) -> int:
    """Where in `text` the words end that stop what is going on; 0 where none do."""
    match = STOP.match(text)
    if match:
        return match.end()
    return len(text) if is_open and STOP_OPEN.fullmatch(text) else 0


def is_small_talk(text: str) -> bool:
    """Whether `text` thanks, greets or agrees, and says no more."""
    return bool(SMALL_TALK.fullmatch(text)) or not any(character.isalnum() for character in YES.sub("", text))


def counts_options(asked: Asked, text: str) -> bool:
    """Whether `text` does nothing but count options, and be it several: "the first and the second" is no date then."""
    words = {token.lower for token in tokens(text, ()) if not token.is_mark}
    return bool(asked.options) and words <= ORDINALS.keys() | BESIDE_ORDINALS | COUNTING


def reply_to(asked: Asked, text: str, turn: Sequence[Token]) -> Reply | None:
    """What `text` says to `asked` besides values; None where that is not clear."""
    if UNKNOWN.fullmatch(text):
        return Declined()
    if asked.options and (chosen := _chosen(asked, text, turn)) is not None:
        return chosen
    if asked.options and NONE.fullmatch(text):
        return Refused()
    if asked.proposes:
        return _verdict(asked, text, turn)
    return None


def _verdict(asked: Asked, text: str, turn: Sequence[Token]) -> Reply | None:
    if "?" in text or any(token.value is not None and token.value.kind != "boolean" for token in turn):
        return None
    if agrees(asked, text):
        return Agreed()
    if NO.match(text) and not CONSENT.search(NEGATED.sub("", NO_ITSELF.sub("", text, count=1))):
        return Refused()
    return None


def agrees(asked: Asked, text: str) -> bool:
    """Whether nothing is left of `text` when words for yes are taken out, or what was asked for, said over again: "yes, send it".

    Whoever was told to do something and asked nothing may say instead that it is done.
    """
    if "?" not in asked.text and _reports(asked, text):
        return True
    if not CONSENT.search(text):
        return False
    left = tokens(YES.sub(" ", text), ())
    words = [token for token in left if not token.is_mark and token.lower not in COURTESIES]
    if not words:
        return True
    verb, *rest = words[1:] if words[0].lower == "and" and len(words) > 1 else words
    return verb.stem in stems(asked.text) and len(rest) == 1 and rest[0].lower in ("it", "that", "them", "this")


def _reports(asked: Asked, text: str) -> bool:
    """Whether `text` says that what was asked for is done: "done", or what is to be done in the words of those who did it."""
    if DONE.fullmatch(text):
        return True
    words = [token for token in tokens(text, ()) if not token.is_mark and token.lower not in COURTESIES]
    subject = words[0].lower if words else ""
    told = stems(asked.text)
    said = [word.stem for word in words if word.lower not in REPORTING]
    return subject in SUBJECTS and "?" not in text and bool(said) and all(stem in told for stem in said)


def _chosen(asked: Asked, text: str, turn: Sequence[Token]) -> Reply | None:
    by_words = _by_words(asked.options, text)
    option = by_words if by_words is not None else _by_number(len(asked.options), text)
    if option is None and len(asked.options) == 1 and agrees(asked, text):
        option = 0
    return None if option is None else Chosen(option)


def _by_number(options: int, text: str) -> int | None:
    words = [token.lower for token in tokens(text, ()) if not token.is_mark]
    ordinals = {**ORDINALS, "last": options - 1}
    # "one" counts only by itself: "the second one".
    said = [word for word in words if word in ordinals and word != "one"] or [word for word in words if word == "one"]
    numbers = {ordinals[word] for word in said}
    if len(numbers) != 1 or any(word not in ordinals and word not in BESIDE_ORDINALS for word in words):
        return None
    return number if (number := numbers.pop()) < options else None


def _by_words(options: Sequence[str], text: str) -> int | None:
    """The one option that has all the words that any option has; at least as many of them as of words that none has."""
    if any(token.lower in CHANGES for token in tokens(text, ())):
        return None
    exact = [number for number, option in enumerate(options) if option.strip().lower() == text.strip(" .!").lower()]
    if len(exact) == 1:
        return exact[0]
    words = [set(stems(option)) for option in options]
    said = {token.stem for token in tokens(text, ()) if not token.is_mark and token.lower not in FILLERS | POINTING_OUT}
    shared = said & set().union(*words)
    fitting = [number for number, of in enumerate(words) if shared <= of]
    return fitting[0] if shared and len(fitting) == 1 and 2 * len(shared) >= len(said) else None


def is_question(text: str) -> bool:
    """Whether `text` asks something back."""
    return text.rstrip().endswith("?")
