"""`toolplan review`: what servers offer now beside what was accepted, and what of it somebody accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from toolplan.catalog import Catalog, RealTool
from toolplan.checks.reviewing import Changed, Finding, New, Pinned, Suspicious, Vanished, diagnostic, name_of, oddities, review, to_dict
from toolplan.checks.schemas import read_tools, tools_in
from toolplan.checks.signatures import signed_text
from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_findings, show_json
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted, visible
from toolplan.language.suggest import Suggester
from toolplan.retrieval.packages import required
from toolplan.serving.pins import Pins, pins_beside

EXAMPLE = "Example: toolplan review team.json --tools mail=mail.json --accept mail.send_mail"

Offered = Mapping[str, Sequence[RealTool]]


def command(
    servers: Annotated[
        Path, typer.Argument(metavar="SERVERS", help="The file of servers (`mcpServers`), with its pins beside it.", show_default=False)
    ],
    tools: Annotated[
        list[str],
        typer.Option("--tools", metavar="SERVER=FILE", help="A tools/list answer instead of a running server.", show_default=False),
    ] = [],
    accept: Annotated[
        list[str],
        typer.Option("--accept", metavar="NAME[@DIGEST]", help="Accept a tool as it is now, or that it is gone.", show_default=False),
    ] = [],
    signed_by: Annotated[
        Path | None,
        typer.Option(
            "--signed-by", metavar="KEYFILE", help="Take only what the holder of this public key (Ed25519) has signed.", show_default=False
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Say what is odd about tools that were accepted, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Review tools that are new, that have changed since they were accepted, or that are gone. Nothing is accepted but by name."""
    pins = pins_beside(servers)
    with reporting(as_json=as_json):
        offered, silent = _listed(tools, signed_by) if tools else _running(servers, pins, signed_by)
        kept = pins.kept()
        findings = review(offered, kept)
        accepted = _chosen(findings, accept)
        _accept(pins, (finding for finding in findings if name_of(finding) in accepted))
    left = [finding for finding in findings if name_of(finding) not in accepted]
    if everything:
        left += _odd(offered, kept)
    if as_json:
        shown = [finding.to_dict() for finding in (*silent, *map(diagnostic, left))]
        show_json({"findings": [to_dict(finding) for finding in left], "accepted": accepted, "diagnostics": shown})
    else:
        _show(offered, left, accepted)
        show_findings(silent)
    if left or silent:
        raise typer.Exit(Exit.INPUT)


def _listed(tools: Sequence[str], key: Path | None) -> tuple[Offered, list[Diagnostic]]:
    """The tools in files, each of them signed where there is a key."""
    offered: dict[str, Sequence[RealTool]] = {}
    for written in tools:
        server, _, name = written.partition("=")
        if not (server and name) or server in offered:
            raise typer.BadParameter(f"give each server once, as SERVER=FILE, not {written}", param_hint="--tools")
        path = Path(name)
        read = read_tools(path) if key is None else Catalog(tools_in(signed_text(path, key), str(path), server))
        offered[server] = [replace(tool, origin=server) for tool in read.values()]
    return offered, []


def _running(servers: Path, pins: Pins, key: Path | None) -> tuple[Offered, list[Diagnostic]]:
    """The tools of the servers themselves. Nobody signs these: what has to be signed is what was accepted of them."""
    if key is not None:
        signed_text(pins.path, key)
    answered: tuple[Offered, list[Diagnostic]] = required("toolplan.cli.offered", "serve").offered(servers)
    return answered


def _chosen(findings: Iterable[Finding], accept: Iterable[str]) -> list[str]:
    """The names that are accepted. Raises DomainError for one that nothing is to be reviewed of, or that has another digest by now."""
    named = {name_of(finding): finding for finding in findings if not isinstance(finding, Suspicious)}
    chosen: dict[str, None] = {}
    wrong: list[Diagnostic] = []
    for written in accept:
        name, _, digest = (written, "", "") if written in named else written.rpartition("@")
        finding = named.get(name)
        if finding is None:
            hint = Suggester().hint(name or written, named) or "only what is new, has changed or is gone can be accepted"
            wrong.append(Diagnostic(Code.BAD_CALL, f"there is nothing to accept of {quoted(name or written)}", None, hint))
        elif digest and (isinstance(finding, Vanished) or not finding.tool.digest.startswith(digest)):
            message = f"{quoted(name)} is not the tool with the digest {quoted(digest)} any more"
            wrong.append(Diagnostic(Code.CHANGED_REAL_TOOL, message, None, "review it again"))
        else:
            chosen[name] = None
    if wrong:
        raise DomainError(wrong)
    return list(chosen)


def _accept(pins: Pins, findings: Iterable[Finding]) -> None:
    for finding in findings:
        match finding:
            case New(server, tool) | Changed(server, tool):
                pins.accept(server, [tool])
            case Vanished(server, name):
                pins.forget(server, [name])


def _odd(offered: Offered, kept: Pinned) -> Iterator[Suspicious]:
    """What is odd about tools that are as they were accepted."""
    for server, tools in offered.items():
        for tool in tools:
            pin = kept.get(server, {}).get(tool.name)
            if pin is not None and pin.digest == tool.digest:
                yield from oddities(server, tool, offered)


def _show(offered: Offered, left: Sequence[Finding], accepted: Sequence[str]) -> None:
    for finding in left:
        for line in _lines(finding):
            say(visible(line))
        show_findings([diagnostic(finding)])
    for name in accepted:
        say(f"accepted: {visible(name)}")
    for server, tools in offered.items():
        count = sum(finding.server == server and not isinstance(finding, Suspicious) for finding in left)
        rest = f"{count} to review" if count else "nothing to review"
        say(f"{visible(server)}: {len(tools)} tool{'' if len(tools) == 1 else 's'}, {rest}")


def _lines(finding: Finding) -> list[str]:
    """What is to be read of a finding."""
    match finding:
        case New():
            shown = to_dict(finding)
            return [_title(finding), *(line for part in ("description", "schema", "hints") for line in str(shown[part]).splitlines())]
        case Changed(what=what):
            return [_title(finding), *(line for difference in what for line in difference.lines)]
        case _:
            return []


def _title(finding: New | Changed) -> str:
    return f"{name_of(finding)} sha256:{finding.tool.digest}"
