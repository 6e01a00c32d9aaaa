"""Numbers as the language writes them."""

from __future__ import annotations

from fractions import Fraction


def numeral(value: Fraction) -> str:
    """`value` exactly: in digits where these come to an end, else as a fraction."""
    places = 0
    while 10**places % value.denominator:
        places += 1
        if places > value.denominator.bit_length():
            return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    point = len(digits) - places
    return f"{'-' if value < 0 else ''}{digits[:point]}{'.' if places else ''}{digits[point:]}"
