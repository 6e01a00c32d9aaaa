"""Raw tokens to tokens that the parser can use: what is not of the language is reported, once for each word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lark import Token

from toolplan.language import expected, nodes
from toolplan.language.builder import bad_escape, token_span
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.source import Location, Source, Span

MOST_FINDINGS = 100
"""Findings reported for one text; who has more is looking at the wrong file."""
NO_LINE = 0
"""The line of a token that was added: a mistake that shows only there has been reported."""
LONGEST_NUMBER = 100
"""Characters of a number."""

STRINGS = frozenset(["STRING", "LONG_STRING"])
NUMBERS = frozenset(["NUMBER", "DURATION", "BAD_NUMBER"])
OPEN = frozenset(["OPEN_STRING", "OPEN_NAME"])

COMMENT = re.compile(r"#[^\r\n]*")
FOREIGN_COMMENTS = ("//", "--", "/*")
FOREIGN_QUOTES = re.compile(
    "['\u2018\u2019\u201c\u201d\u201e\u00ab][^\r\n'\u2018\u2019\u201c\u201d\u00bb]*['\u2018\u2019\u201c\u201d\u00bb]"
)
SURROGATE = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"\w+")


@dataclass
class Lexing:
    """One text as tokens, with its comments and findings.

    `unread` are words that stand where nothing could be read, `spoilt` the lines with a finding, `open` where a string that does not
    end starts: what the parser finds on account of these is no mistake of its own.
    """

    source: Source
    keywords: Mapping[str, str]
    tokens: list[Token] = field(default_factory=list)
    comments: list[nodes.Comment] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    spoilt: set[int | None] = field(default_factory=lambda: {NO_LINE})
    open: set[int | None] = field(default_factory=set)

    def read(self, raw: Sequence[Token]) -> None:
        """Take all tokens of the text."""
        self._collect_comments(raw)
        at = 0
        while at < len(raw):
            at = self._take(raw, at)

    def is_well_formed(self) -> bool:
        """Whether the text can be written as UTF-8; where it cannot, nothing else is worth saying of it."""
        found = SURROGATE.search(self.source.text)
        if found is not None:
            message = f"U+{ord(found[0]):04X} is half of a character and cannot be written as UTF-8"
            self._report(Code.NOT_UTF8, message, Span(*found.span()), "the text was cut or decoded wrongly")
        return found is None

    def _report(self, code: Code, message: str, span: Span, hint: str = "") -> None:
        self.spoilt.add(self.source.position(span.start)[0])
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Diagnostic(code, message, Location(self.source, span), hint))

    def _collect_comments(self, raw: Sequence[Token]) -> None:
        """Comments stand between tokens, where else only white space is."""
        ends = [0, *(token_span(token).end for token in raw)]
        starts = [*(token_span(token).start for token in raw), len(self.source.text)]
        for end, start in zip(ends, starts, strict=True):
            if start > end:
                found = COMMENT.finditer(self.source.text, end, start)
                self.comments += [nodes.Comment(comment[0], Span(*comment.span())) for comment in found]

    def _take(self, raw: Sequence[Token], at: int) -> int:
        """Take the token `at`, with those that belong to it. Returns the index of the next."""
        token = raw[at]
        if token.type in STRINGS:
            return self._string(raw, at)
        if token.type in OPEN:
            return self._open(raw, at)
        if token.type == "QUOTED":
            return self._quoted(raw, at)
        if token.type == "BAD" and (quotes := FOREIGN_QUOTES.match(self.source.text, token_span(token).start)):
            return self._foreign_quotes(raw, at, quotes)
        if token.type == "PATH" and at + 1 < len(raw) and raw[at + 1].type == "LSQB" and raw[at + 1].start_pos == token.end_pos:
            self._report(Code.UNEXPECTED_CHARACTER, "`[` in this path is not closed", token_span(raw[at + 1]), "add `]`")
            self.tokens.append(token)
            return next((end for end in range(at + 1, len(raw)) if raw[end].start_pos != raw[end - 1].end_pos), len(raw))
        if _is_wordy(token):
            return self._word(raw, at)
        if token.type == "BAD":
            return self._punctuation(raw, at)
        self.tokens.append(token)
        return at + 1

    def _string(self, raw: Sequence[Token], at: int) -> int:
        token, start = raw[at], token_span(raw[at]).start
        if token == '""' and self.source.text.startswith('"""', start):
            self._report(Code.UNTERMINATED_STRING, "this long string does not end", Span(start, start + 3), 'end it with `"""`')
            self.open.add(start)
            self.unread.update(WORD.findall(self.source.text, start))
            self.tokens.append(token)
            return len(raw)
        if "\\" in token and (escape := bad_escape(token)):
            span = Span(start + escape.start(), start + escape.end())
            hint = 'a backslash itself is `\\\\`; there are also `\\n`, `\\t`, `\\"` and `\\u{...}` with the number of a character'
            self._report(Code.BAD_ESCAPE, f"unknown escape {quoted(escape[0])} in a string", span, hint)
        self.tokens.append(token)
        return at + 1

    def _open(self, raw: Sequence[Token], at: int) -> int:
        token = raw[at]
        span = Span(token_span(token).start, token_span(token).start + 1)
        if token.type == "OPEN_STRING":
            self._forget_characters(token)
            hint = 'close it with `"`, or write a long text between `"""`'
            self._report(Code.UNTERMINATED_STRING, "this string does not end on its line", span, hint)
            self.tokens.append(token.update(type="STRING", value=f'{token}"'))
        else:
            self._report(Code.UNTERMINATED_STRING, "this name does not end on its line", span, "close it with a backquote")
            self.tokens.append(token.update(type="QUOTED", value=f"{token}`"))
        self.open.add(span.start)
        self.unread.update(WORD.findall(token))
        return at + 1

    def _forget_characters(self, token: Token) -> None:
        """Drop what was said of characters on the line of a string that does not end: they may well stand inside a string."""
        start = self.source.text.rfind("\n", 0, token.start_pos) + 1
        while self.findings and self.findings[-1].code is Code.UNEXPECTED_CHARACTER and _starts_after(self.findings[-1], start):
            self.findings.pop()

    def _quoted(self, raw: Sequence[Token], at: int) -> int:
        if not raw[at][1:-1].strip():
            self._report(Code.UNEXPECTED_TOKEN, "a name must not be empty", token_span(raw[at]), "write it between the backquotes")
            self.unread.add(raw[at][1:-1])
        self.tokens.append(raw[at])
        return at + 1

    def _foreign_quotes(self, raw: Sequence[Token], at: int, quotes: re.Match[str]) -> int:
        message = f"{quoted(quotes[0][0])} does not start a string"
        self._report(Code.UNEXPECTED_CHARACTER, message, Span(*quotes.span()), 'strings stand between `"`')
        self.tokens.append(raw[at].update(type="STRING", value=f'"{quotes[0][1:-1]}"'))
        while at < len(raw) and token_span(raw[at]).start < quotes.end():
            at += 1
        return at

    def _punctuation(self, raw: Sequence[Token], at: int) -> int:
        end = at + 1
        while end < len(raw) and raw[end].type == "BAD" and raw[end].start_pos == raw[end - 1].end_pos and not _is_wordy(raw[end]):
            end += 1
        span = Span(token_span(raw[at]).start, token_span(raw[end - 1]).end)
        return self._unexpected(raw, end, span)

    def _unexpected(self, raw: Sequence[Token], end: int, span: Span) -> int:
        """Report punctuation that is not of the language. What it turns into a comment elsewhere is left out with it."""
        text = self.source.text[span.start : span.end]
        self._report(Code.UNEXPECTED_CHARACTER, f"unexpected {quoted(text)}", span, expected.character_hint(text))
        if text.startswith(FOREIGN_COMMENTS):
            line = raw[end - 1].line
            return next((at for at in range(end, len(raw)) if raw[at].line != line), len(raw))
        return end

    def _word(self, raw: Sequence[Token], at: int) -> int:
        """Take a run of tokens without white space between them, as one name where it is more than a name or a number."""
        end = at + 1
        while end < len(raw) and raw[end].start_pos == raw[end - 1].end_pos and _is_wordy(raw[end]):
            end += 1
        span = Span(token_span(raw[at]).start, token_span(raw[end - 1]).end)
        text = self.source.text[span.start : span.end]
        visible = "".join(character for character in text if unicodedata.category(character) != "Cf")
        if visible != text:
            self._invisible(text, visible, span)
        elif end == at + 1 and raw[at].type not in ("BAD", "BAD_NUMBER"):
            self.tokens.append(self._check_number(raw[at], span))
            return end
        elif visible.isprintable() and any(character.isalnum() for character in visible):
            message = f"{quoted(text)} is neither a name nor a number"
            self._report(Code.UNEXPECTED_CHARACTER, message, span, expected.word_hint(raw[at - 1].type if at else "", text))
            self.unread.add(visible)
        else:
            return self._unexpected(raw, end, span)
        if visible:
            token = Token.new_borrow_pos(self.keywords.get(visible, "NAME"), visible, raw[at])
            token.end_pos, token.end_line = raw[end - 1].end_pos, raw[end - 1].end_line
            self.tokens.append(token)
        return end

    def _invisible(self, text: str, visible: str, span: Span) -> None:
        at = next(number for number, character in enumerate(text) if unicodedata.category(character) == "Cf")
        message = f"invisible character U+{ord(text[at]):04X}" + (f" in {quoted(visible)}" if visible else "")
        self._report(Code.UNEXPECTED_CHARACTER, message, Span(span.start + at, span.start + at + 1), "remove it")

    def _check_number(self, token: Token, span: Span) -> Token:
        """`token`, or a one in its place where it is a number that nothing could compute with."""
        if token.type not in NUMBERS or (len(token) <= LONGEST_NUMBER and token.isascii()):
            return token
        if token.isascii():
            self._report(Code.NUMBER_OUT_OF_RANGE, f"this number has more than {LONGEST_NUMBER} digits", span, "write a smaller one")
        else:
            self._report(Code.UNEXPECTED_CHARACTER, f"{quoted(token)} is not a number", span, "digits are `0` to `9`")
        return token.update(value="1s" if token.type == "DURATION" else "1")


def _is_wordy(token: Token) -> bool:
    """Whether `token` belongs to the word that it touches, as a person would see it."""
    first = token[0]
    if token.type == "BAD":
        return first.isalnum() or first in "-./@*+%~\\" or unicodedata.category(first) in {"Cf", "Mn", "Mc"}
    return first.isalnum() or first in "_-"


def _starts_after(finding: Diagnostic, offset: int) -> bool:
    return finding.location is not None and finding.location.span.start >= offset
