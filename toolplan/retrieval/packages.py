"""The packages of extras, which only some scorers need: imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError


def required(module: str, extra: str) -> ModuleType:
    """The module called `module`, which the extra `extra` installs. Raises DomainError with the command where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        message = f"this needs the package `{error.name}`, which is not installed"
        raise DomainError([Diagnostic(Code.ENGINE_MISSING, message, None, f"pip install 'toolplan[{extra}]'")]) from None
