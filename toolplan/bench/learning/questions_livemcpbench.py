"""What the questions of LiveMCPBench ask for, as far as patterns read them: files that they name, and words that tell what is to be looked up.

They were written with `livemcpbench.toolplan`, while looking at every other run, beginning with the first, and at the schemas of all tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple

PATH = re.compile(r"(?<![\w/.])(?:/[\w.-]*[\w-])+")
READS = r"from|of|read\w*|open\w*|load\w*|analy\w+|extract\w*|convert\w*|us(?:e|ing)|compar\w+|translat\w+|data|image|picture"
MAKES = (
    r"sav\w*|stor(?:e|ed|ing)|writ\w*|export\w*|creat\w*|generat\w*|produc\w*|summari\w+ (?:it|this|them)|output\w*|put|organi\w+|report"
)
VERBS = re.compile(rf"\b(?:(?P<reads>{READS})|(?P<makes>{MAKES}))\b", re.IGNORECASE)
"""Words before a path in its sentence, of which the last one says whether it is to be read or to be made."""
KINDS = {
    ".xlsx": "workbook",
    ".xls": "workbook",
    ".docx": "document",
    ".pptx": "presentation",
    ".wav": "recording",
    ".mp3": "recording",
    ".png": "picture",
    ".jpg": "picture",
    ".jpeg": "picture",
    "": "folder",
} | dict.fromkeys((".txt", ".log", ".csv", ".json", ".xml", ".bib", ".md"), "plain")
LOOKED_AT = {"workbook": "rows", "document": "document_text", "presentation": "presentation_open", "recording": "samples"}
LOOKED_AT |= {"picture": "picture_seen", "folder": "listed", "plain": "plain_known"}
"""What is wanted of a file that is to be read, by its kind."""
OF_RECORDINGS = {r"\btempo|\bbpm": "tempo", r"\bbeat": "beats", r"\bmfcc": "timbre", r"\bchroma": "chroma", r"\bduration": "length"}
FOUND = ("found_profile", "card_read", "card_seen", "recipe")
"""What is wanted in any case, once a search has found what it is about."""
SAID = {
    r"\bgold price|price of gold|precious metal": "asset_prices",
    r"\b(?:dish|dinner|meal|lunch|potluck|recipe|eat|cook)\w*\b.*?\bfor (?P<people>\w+) (?:people|persons|guests)": "recipe",
    r"(?P<video>https?://(?:www\.)?youtu[.\w]+/\S+)": "transcript",
    r"\barxiv\b.*?\b(?P<paper>\d{4}\.\d{4,5})\b": "paper_read",
    r"\b(?:whois|registr|domain)\w*\b.*?\b(?P<site>[\w-]+\.(?:com|org|net|io|cn|dev|ai))\b": "owner",
    r"\b(?P<dependency>[a-z]\w*(?:\.\w+)+:[\w.-]+)": "release",
}
"""What is wanted, by words of a question, which may say the value of a fact."""
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ADDRESS = re.compile(r"\blocated at (?P<told>[^/.\n][^.\n]*)|\bnear ['\"‘“](?P<quoted>[^'\"’”]+)['\"’”]", re.IGNORECASE)
SHARES = re.compile(r"\b(?:stock|share|invest|financ|earning|dividend|market)", re.IGNORECASE)
LAST_YEAR = re.compile(r"\b(?:past|last) (?:one )?year|\b12 months", re.IGNORECASE)


class Question(NamedTuple):
    """What is known when a question was asked, and what is wanted, each for itself and in this order."""

    state: Mapping[str, object]
    wants: tuple[str, ...]


def read(text: str) -> Question:
    """The question that `text` asks."""
    state: dict[str, object] = {}
    wants = [*_files(text, state), *_places(text, state), *_money(text, state), *_words(text, state)]
    return Question(state, tuple(dict.fromkeys([*wants, *FOUND])))


@cache
def _book() -> Mapping[str, Mapping[str, str]]:
    """The address book of the host: symbols of companies and coins, countries of cities, and how the railway writes these."""
    text = files("toolplan.bench.learning").joinpath("livemcpbench_book.json").read_text("utf-8")
    book: Mapping[str, Mapping[str, str]] = json.loads(text)
    return book


def _named(text: str, part: str) -> Iterator[tuple[str, str]]:
    """The entries of a part of the address book that `text` names, in its order."""
    found = ((re.search(rf"\b{re.escape(name)}\b", text), name, value) for name, value in _book()[part].items())
    for _, name, value in sorted((place.start(), name, value) for place, name, value in found if place is not None):
        yield name, value


def _files(text: str, state: dict[str, object]) -> Iterator[str]:
    paths = [(path[0], _is_made(text[: path.start()])) for path in PATH.finditer(text)]
    made = [path for path, is_made in paths if is_made]
    for number, path in enumerate((path for path, is_made in paths if not is_made), 1):
        kind = KINDS.get(PurePosixPath(path).suffix.lower())
        if kind is None:
            continue
        file = f"({kind}_{number})"
        state[f"{kind}_path{file}"] = path
        if kind != "document" or not re.search(r"\bto pdf\b", text, re.IGNORECASE):
            yield f"{LOOKED_AT[kind]}{file}"
        elif len(paths) == 2 and made and made[0].endswith(".pdf"):
            state[f"pdf_path{file}"] = made[0]
            yield f"converted{file}"
        if kind == "recording":
            yield from (f"{fact}{file}" for words, fact in OF_RECORDINGS.items() if re.search(words, text, re.IGNORECASE))


def _is_made(before: str) -> bool:
    """Whether a path after `before` is that of a file to be made."""
    sentence = re.split(r"[.!?]\s", before)[-1]
    verbs = [verb.lastgroup for verb in VERBS.finditer(sentence)]
    return bool(verbs) and verbs[-1] == "makes"


def _places(text: str, state: dict[str, object]) -> Iterator[str]:
    for number, found in enumerate(ADDRESS.finditer(text), 1):
        state[f"address_text(address_{number})"] = found["told"] or found["quoted"]
        yield f"position(address_{number})"
    if re.search(r"\btrains?\b|\brailway|high-speed rail", text, re.IGNORECASE):
        yield "today"
        stops = [value for _, value in _named(text, "railway")]
        if len(stops) == 2:
            state["cities"] = "|".join(stops)
            yield "station_codes"
    cities = list(_named(text, "countries"))
    if re.search(r"\bweather", text, re.IGNORECASE) and len(cities) == 1:
        state["city"], state["country"] = cities[0]
        yield "weather"


def _money(text: str, state: dict[str, object]) -> Iterator[str]:
    if SHARES.search(text):
        symbols = dict.fromkeys(symbol for _, symbol in _named(text, "symbols"))
        for number, symbol in enumerate(symbols, 1):
            state[f"symbol(company_{number})"] = symbol
            if LAST_YEAR.search(text):
                yield f"year_of_prices(company_{number})"
            yield f"profile(company_{number})"
    for number, (_, symbol) in enumerate(_named(text, "coins"), 1):
        state[f"coin_symbol(coin_{number})"] = symbol
        yield f"coin_price(coin_{number})"


def _words(text: str, state: dict[str, object]) -> Iterator[str]:
    for words, fact in SAID.items():
        found = re.search(words, text, re.IGNORECASE | re.DOTALL)
        if found is not None:
            state.update({name: _value(value) for name, value in found.groupdict().items()})
            yield fact


def _value(words: str) -> object:
    """The number that `words` are, or the words."""
    if words.lower() in NUMBERS:
        return NUMBERS.index(words.lower()) + 1
    return int(words) if words.isdecimal() else words
