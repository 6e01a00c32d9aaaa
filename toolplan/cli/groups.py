"""Commands that are imported when they are asked for, so that none pays for what the others need."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


def lazy(package: str, modules: Mapping[str, str]) -> type[TyperGroup]:
    """A group of the commands whose modules in `package` are named by `modules`.

    A module has its `command` and an `EXAMPLE`, or is a group of its own and has an `app`.
    """

    class Commands(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(modules)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in modules:
                return None
            module = import_module(f"{package}.{modules[cmd_name]}")
            if hasattr(module, "app"):
                return typer.main.get_command(module.app)
            command = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            command.command(name=cmd_name, epilog=module.EXAMPLE)(module.command)
            return typer.main.get_command(command)

    return Commands
