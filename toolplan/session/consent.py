"""What of a turn is read at all, and what in it is a yes: words of the user and nothing else, whoever reads the rest."""

from __future__ import annotations

from dataclasses import replace

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.session.events import OpenQuestion
from toolplan.session.readers.replies import agrees
from toolplan.session.turns import Agreed, Asked, AsyncReader, Context, Reader, Stopped, TurnReading


def read_within(reader: Reader, text: str, context: Context, most: int) -> TurnReading:
    """What `reader` makes of the first `most` letters of `text`, with a finding where there are more."""
    return _cut(reader.read(text[:most], context), text, most)


async def aread_within(reader: AsyncReader, text: str, context: Context, most: int) -> TurnReading:
    """As `read_within`."""
    return _cut(await reader.aread(text[:most], context), text, most)


def _cut(turn: TurnReading, text: str, most: int) -> TurnReading:
    if len(text) <= most:
        return turn
    message = f"only the first {most} letters of the turn were read, of {len(text)}"
    finding = Diagnostic(Code.BAD_CALL, message, None, "put a long text into a file or a fact, and say what to do with it")
    return replace(turn, findings=(*turn.findings, finding))


def with_consent(turn: TurnReading, asked: Asked | None) -> TurnReading:
    """`turn`, with a yes to what is proposed only where its words say so. That a model takes them for one is not enough."""
    if not isinstance(turn.reply, Agreed) or asked is None or not asked.proposes:
        return turn
    return turn if agrees(asked, turn.text) else replace(turn, reply=None)


def reply_to(read: OpenQuestion | None, open_now: OpenQuestion | None, turn: TurnReading) -> TurnReading:
    """`turn`, which was read as a reply to the question `read`, where `open_now` is asked by now: a reply to one question is none to another."""
    return turn if read == open_now or isinstance(turn.reply, Stopped) else replace(turn, reply=None)
