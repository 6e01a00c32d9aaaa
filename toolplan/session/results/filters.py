"""The functions of JSONPath that match regular expressions, in linear time."""

from __future__ import annotations

import re

from iregexp_check import check
from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction

from toolplan.session.results.linear import compiled, encodable

DIFFERENT = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(?P<dot>\.)|(?P<anchor>[$^])", re.DOTALL)
"""What an I-Regexp (RFC 9485) writes otherwise than RE2: a dot is no line break, and `^` and `$` stand for themselves."""


class Matches(FilterFunction):
    """`match` of RFC 9535: whether a text as a whole fits an I-Regexp. What is no text, or no I-Regexp, fits nothing."""

    arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012 - as the library has it
    return_type = ExpressionType.LOGICAL

    def __call__(self, text: object, pattern: object) -> bool:
        """Whether it fits."""
        return _fits(text, pattern, "{}")


class Finds(Matches):
    """`search` of RFC 9535: whether a part of a text fits."""

    def __call__(self, text: object, pattern: object) -> bool:
        """Whether a part fits."""
        return _fits(text, pattern, "(?s:.*){}(?s:.*)")


def _fits(text: object, pattern: object, frame: str) -> bool:
    if not isinstance(text, str) or not isinstance(pattern, str) or not check(pattern):
        return False
    try:
        regex = compiled(frame.replace("{}", f"(?:{DIFFERENT.sub(_as_re2, pattern)})"))
    except ValueError:
        return False
    return regex.fullmatch(encodable(text)) is not None


def _as_re2(match: re.Match[str]) -> str:
    return r"[^\n\r]" if match["dot"] else f"\\{match[0]}" if match["anchor"] else match[0]
