"""Values for what was asked: by their types, several at once; for a text what the turn names, or the turn as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from toolplan.domain import AtomicFormula, Constant, Domain, Fact
from toolplan.planning.plans import Atom
from toolplan.planning.problem import ground
from toolplan.session.readers.assigning import Assigning, Value
from toolplan.session.readers.interpreting import Interpretation
from toolplan.session.readers.naming import ANSWERING, PRONOUNS, VERBS, assigned, fact_of
from toolplan.session.readers.openings import Openings, openings_of
from toolplan.session.readers.phrases import UNTIL, fits_slot
from toolplan.session.readers.replies import LEADING, SMALL, is_question, is_small_talk
from toolplan.session.readers.things import Thing, thing, verbatim
from toolplan.session.readers.tokens import AUXILIARIES, COURTESIES, DETERMINERS, FILLERS, Token, stem, stems
from toolplan.session.turns import Asked

NAME = 8
"""Words that a thing is called by, at most; who says more says a whole sentence."""
CLAUSES = frozenset(map(stem, "wording message content body note comment text reply remark objection change reason correction".split()))
"""Words in the names of texts that may be whole sentences."""
SUBJECTS = frozenset("i we he she they sounds works want need".split())
"""Words that a sentence has, and no name."""
TOGETHER = 2
"""Values that may be one answer: a day and a time of day."""


def answers(asked: Asked, turn: Interpretation, *, may_be_text: bool) -> bool:
    """Whether the turn states any of what was asked, which is stated then. `may_be_text`: a text may be the turn as it stands.

    Of options, one is chosen: what is said of them is none of their values.
    """
    facts = _facts(asked, turn.context.domain)
    if not facts or asked.options:
        return False
    texts = [formula for formula, fact in facts.items() if fact.value is not None and fact.value.kind == "text"]
    words = _words_of_open(turn)
    told = _typed(Openings(facts, _stretches(facts, turn), {}, words), turn)
    untold = [formula for formula in texts if formula not in told]
    before = len(turn.stated)
    if may_be_text and not is_question(turn.text):
        _state_names(untold, turn)
    left = [formula for formula in untold if _atom(formula) not in turn.stated]
    may_be_text = may_be_text and (len(facts) == 1 or _is_thing(turn))
    if len(left) == len(untold) == 1 and (called := _text(facts[left[0]], turn, may_be_text=may_be_text)) is not None:
        told[left[0]] = Value(called.value, called.words)
        turn.used.update(at for at, token in enumerate(turn.turn) if token not in called.moments)
    for formula, value in told.items():
        turn.state(_atom(formula), value)
    return bool(told) or len(turn.stated) > before


def concerns(asked: Asked, turn: Interpretation) -> bool:
    """Whether a value of the turn is part of an answer: a day, where a day and a time are asked for."""
    return any(fits_slot(fact, token) for fact in _facts(asked, turn.context.domain).values() for token in turn.left)


def _facts(asked: Asked, domain: Domain) -> dict[AtomicFormula, Fact]:
    return {formula: fact for atom in asked.atoms for formula, fact in [_formula(domain, atom)] if fact is not None}


def _typed(openings: Openings, turn: Interpretation) -> dict[AtomicFormula, Value]:
    def known(formula: AtomicFormula) -> object:
        return turn.context.state.values.get(_atom(formula))

    def day(formula: AtomicFormula) -> str | None:
        return turn.day_of(_atom(formula))

    dates = [date for goal, _ in turn.open_goals for date in openings_of(turn.context.domain, goal).of_kind("date")]
    assigning = Assigning(turn.text, openings, known, day, turn.said, turn.now, [*openings.of_kind("date"), *dates])
    if len(openings.facts) == 1 and len(turn.left) <= TOGETHER:
        formula, fact = next(iter(openings.facts.items()))
        if fact.value is not None and fact.value.kind != "text":
            assigning.slot(formula, turn.left)
    assigning.rest(turn.left, turn.turn)
    assigning.in_words(turn.unused)
    _verdict(assigning, turn)
    turn.take(assigning.taken)
    _first_moment(assigning, turn)
    turn.take(assigning.taken)
    return assigning.told


def _verdict(assigning: Assigning, turn: Interpretation) -> None:
    """Yes or no, with which the turn begins, where nothing else is asked for."""
    said = [token for token in turn.turn if token.lower not in COURTESIES and not token.is_mark]
    if len(assigning.openings.facts) == 1 and said and said[0].value is not None and said[0].value.kind == "boolean":
        assigning.slot(next(iter(assigning.openings.facts)), said[:1])


def _first_moment(assigning: Assigning, turn: Interpretation) -> None:
    """One time of day, where several are asked for: the first that is asked for, or the last if it is said until when."""
    asked = assigning.openings.moments
    said = [token for token in turn.left if token.value is not None and token.value.kind in ("time", "datetime", "integer")]
    if len(asked) > 1 and len(said) == 1 and not any(formula in assigning.told for formula in asked):
        at = turn.turn.index(said[0])
        assigning.slot(asked[-1] if at and turn.turn[at - 1].lower in UNTIL else asked[0], said)


def _text(fact: Fact, turn: Interpretation, *, may_be_text: bool) -> Thing | None:
    quoted = [token.value for token in turn.turn if token.value is not None and token.value.kind == "quoted"]
    if len(quoted) == 1:
        return Thing(str(quoted[0].value), quoted[0].words)
    if not may_be_text or is_question(turn.text) or is_small_talk(turn.text) or SMALL.fullmatch(turn.text):
        return None
    lead = match.end() if (match := LEADING.match(turn.text)) else 0
    part = [token if turn.takes_moments else token.as_word for token in turn.turn if token.start >= lead]
    if _is_name(part):
        called = thing(turn.text, _without_preposition(part))
    else:
        called = verbatim(turn.text, part) if CLAUSES.intersection(stems(fact.name.replace("_", " "))) else None
    return called if called is not None and _says(called) else None


def _state_names(texts: Sequence[AtomicFormula], turn: Interpretation) -> None:
    """State what names say of `texts`: by the words before them, and else the one that is of nothing else, where one text is left."""
    words = {formula: own for formula, own in _words_of_open(turn).items() if _is_text(formula, turn)}
    for formula, name in assigned(turn.names(), words).items():
        if formula in texts:
            turn.state_name(_atom(formula), name)
    left = [formula for formula in texts if _atom(formula) not in turn.stated]
    unclaimed = [name for name in turn.names() if name.before != "," and fact_of(name, words) in (None, *left)]
    if len(left) == len(unclaimed) == 1 and not left[0].terms:
        turn.state_name(_atom(left[0]), unclaimed[0])


def _words_of_open(turn: Interpretation) -> dict[AtomicFormula, tuple[str, ...]]:
    """The words in the own names of the facts without entities that the open goals are open to."""
    words: dict[AtomicFormula, tuple[str, ...]] = {}
    for goal, _ in turn.open_goals:
        words |= openings_of(turn.context.domain, goal).words
    return words


def _is_text(formula: AtomicFormula, turn: Interpretation) -> bool:
    value = turn.context.domain.facts[formula.fact].value
    return value is not None and value.kind == "text"


def _is_thing(turn: Interpretation) -> bool:
    """Whether the turn does nothing but name a thing, perhaps with its day: "to the planning meeting tomorrow"."""
    part = _without_preposition([token for token in turn.turn if not token.is_mark or token.is_possessive])
    begins_so = bool(part) and (part[0].lower in DETERMINERS or (part[0].is_instant and len(part) > 1 and part[1].is_possessive))
    return begins_so and _is_name(part) and all(token.is_instant for token in turn.left)


def _without_preposition(part: list[Token]) -> list[Token]:
    return part[1:] if len(part) > 1 and part[0].lower in ("to", "for", "about") and part[1].lower in DETERMINERS else part


def _is_name(part: list[Token]) -> bool:
    """Whether the words are what a thing is called by, rather than a sentence."""
    begins = next((token.lower for token in part if token.lower not in FILLERS and not token.is_mark), "")
    is_sentence = any(token.lower in AUXILIARIES | SUBJECTS or token.lower.startswith(("i'", "i’")) for token in part)
    return len(part) <= NAME and not is_sentence and begins not in VERBS | PRONOUNS | ANSWERING


def _says(called: Thing) -> bool:
    return bool(called.value.strip()) and not called.points


def _formula(domain: Domain, atom: Atom) -> tuple[AtomicFormula, Fact | None]:
    return AtomicFormula(atom.fact, tuple(Constant(name) for name in atom.arguments)), domain.facts.get(atom.fact)


def _atom(formula: AtomicFormula) -> Atom:
    return Atom(formula.fact, tuple(term.name for term in formula.terms))


def _stretches(facts: dict[AtomicFormula, Fact], turn: Interpretation) -> tuple[tuple[AtomicFormula, AtomicFormula], ...]:
    """The pairs of moments that are the ends of a stretch of time, as the open goals have them; without one, two that are all that was asked for."""
    moments = [formula for formula, fact in facts.items() if fact.value is not None and fact.value.kind == "datetime"]
    if not turn.open_goals:
        return ((moments[0], moments[1]),) if len(facts) == len(moments) == 2 else ()
    by_atom = {_atom(formula): formula for formula in moments}
    pairs = [
        (ground(first, binding), ground(last, binding))
        for goal, binding in turn.open_goals
        for first, last in openings_of(turn.context.domain, goal).stretches
    ]
    return tuple((by_atom[first], by_atom[last]) for first, last in dict.fromkeys(pairs) if {first, last} <= by_atom.keys())
