"""Commands that are imported when they are asked for, so that none pays for what the others need."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

NO_OPTIONS: Mapping[str, str] = {}


def lazy(package: str, modules: Mapping[str, str], options: Mapping[str, str] = NO_OPTIONS) -> type[TyperGroup]:
    """A group of the commands whose modules in `package` are named by `modules`.

    A module has its `command` and an `EXAMPLE`, or is a group of its own and has an `app`. `options` name the command that is meant where
    none is named; of these, the option `--COMMAND` says nothing else.
    """

    class Commands(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, _named(args, modules, options))

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


def _named(args: list[str], commands: Mapping[str, str], options: Mapping[str, str]) -> list[str]:
    """`args`, with the command that their options mean where they begin with none."""
    if not args or args[0] in commands:
        return args
    for option, command in options.items():
        if option in args:
            return [command, *(each for each in args if each != f"--{command}")]
    return args
