"""`toolplan chat`: a session in which a person plays the user, the tools and the model, and sees the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, NoReturn, Self, TypeVar

import typer

from toolplan.checks.record_file import RecordFile
from toolplan.checks.recording import Recording
from toolplan.checks.rehearsal import OfModel, OfRole, OfTool, OfUser, Rehearsal
from toolplan.checks.stages import NOW
from toolplan.checks.typed import Unfinished, typed_object, typed_result
from toolplan.checks.worlds import Engine
from toolplan.cli.exits import Exit
from toolplan.cli.options import (
    AsJson,
    Clearances,
    DomainFile,
    Environment,
    GoalTexts,
    Roles,
    Scopes,
    StateTexts,
    Tenant,
    caller_of,
    load_for,
    read_state,
    together,
)
from toolplan.cli.options import Engine as EngineName
from toolplan.cli.output import reporting, show_findings
from toolplan.cli.screen import Screen
from toolplan.cli.telling import (
    argument_lines,
    belief_lines,
    change_lines,
    decision_lines,
    plan_lines,
    reading_lines,
    result_lines,
    why_lines,
)
from toolplan.domain import Domain
from toolplan.frontier import Call, Frontier
from toolplan.goals.readings import GoalRanker, Reading
from toolplan.language.diagnostics import DomainError, visible
from toolplan.planning.inputs import build
from toolplan.planning.plans import Step
from toolplan.planning.problem import State
from toolplan.session import Allowed, Held, Refused, Session, Settings, system_clock
from toolplan.session.conversation import Clock
from toolplan.session.readers import rules
from toolplan.session.stores import MemoryStore, SQLiteStore, Store

EXAMPLE = "Example: toolplan chat calendar --goal find_event --now 2026-03-02T09:00"

T = TypeVar("T")
READERS = ("rules", "none")
HELP = (
    ("/say WORDS", "a turn of the user, where a result is awaited"),
    ("/call TOOL JSON", "a call that the model proposes, with its arguments"),
    ("/answer VALUE", "an answer that nobody has to read; of a form, a JSON object of its facts"),
    ("/decline", "the user does not answer"),
    ("/why", "the reasons of what is next"),
    ("/plan", "the plan, with scores"),
    ("/state", "all that is believed"),
    ("/undo", "take the last move back"),
    ("/save FILE", "write the session as JSON, for Session.restore"),
    ("/quit", "end, as at the end of input"),
)
AS_RESULT = "type the result: JSON, a text, `fails` or `timeout`; JSON may go on over several lines, up to an empty one"


def command(
    domain: DomainFile,
    goal: GoalTexts = [],
    state: StateTexts = [],
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Add the session to FILE as a test, at the end.", show_default=False)
    ] = None,
    session: Annotated[
        Path | None, typer.Option("--session", metavar="FILE.db", help="Keep the session there, and take it up again.", show_default=False)
    ] = None,
    id: Annotated[str, typer.Option("--id", metavar="NAME", help="Which session of FILE.db.")] = "chat",
    now: Annotated[str, typer.Option("--now", metavar="TIME", help="The time, which then stands still; UTC.", show_default=False)] = "",
    reader: Annotated[
        str, typer.Option("--reader", help="Who reads turns: rules, or none; then a turn is an answer as with /answer.")
    ] = "rules",
    engine: EngineName = "auto",
    roles: Roles = [],
    scopes: Scopes = [],
    tenant: Tenant = "",
    environment: Environment = "",
    clearances: Clearances = [],
    as_json: AsJson = False,
) -> None:
    """Try a domain in a conversation: type what the user says, and what the tools answer. `/help` lists commands."""
    if reader not in READERS:
        raise typer.BadParameter(f"the readers are {' and '.join(READERS)}, not `{reader}`")
    if record is not None and (reader != "rules" or now):
        raise typer.BadParameter(f"--record takes neither --reader none nor --now: turns are read as in tests, at {NOW:%Y-%m-%dT%H:%M}")
    caller = caller_of(roles, scopes, tenant, environment, clearances)
    if record is not None and caller is not None:
        raise typer.BadParameter("--record takes no caller: tests are run with all the tools of a domain")
    with reporting(as_json=as_json):
        loaded, planner = load_for(domain, caller), Engine(engine)
        file = None if record is None else RecordFile(record, Path(domain))
        if file is not None:
            file.check(loaded)
        setting = _Setting.recorded(planner) if record is not None else _Setting.live(_Beside(domain, loaded), now, engine)
        rehearsal = setting.rehearsal(loaded, build(loaded, read_state(state), ()).state, session, id)
        if rehearsal.is_resumed and (record is not None or state):
            raise typer.BadParameter(f"session `{id}` has begun already, and can neither get a --state nor be recorded")
        if goal:
            rehearsal.want(together(goal))
        chat = _Chat(rehearsal, Screen(as_json=as_json), is_read=reader == "rules")
        chat.begin(is_begun=bool(goal) or rehearsal.is_resumed)
    try:
        chat.run()
    except KeyboardInterrupt:
        typer.echo(err=True)
    finally:
        if file is not None and rehearsal.recording.is_begun:
            _record(file, rehearsal.recording, planner)


def _clock(now: str) -> Clock:
    """A clock that stands at `now`, or that of this machine."""
    if not now:
        return system_clock
    try:
        moment = datetime.fromisoformat(now)
    except ValueError:
        raise typer.BadParameter(f"`{now}` is no time: write it as 2026-03-02T09:00") from None
    fixed = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return lambda: fixed


@dataclass(frozen=True)
class _Beside:
    """The ranker of `domain`, which is the one at `path`, once a turn has to be read."""

    path: str
    domain: Domain

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        return self._ranker.rank(request, domain, state)

    @cached_property
    def _ranker(self) -> GoalRanker:
        # A session in which nobody says anything must not wait for what only rankers need.
        from toolplan.cli.ranking import ranker_beside

        return ranker_beside(self.path, self.domain)


@dataclass(frozen=True)
class _Setting:
    """What time it is in a session, who ranks the goals, and how patient it is."""

    clock: Clock
    ranker: GoalRanker | None
    settings: Settings

    @classmethod
    def recorded(cls, planner: Engine) -> Self:
        """As in tests."""
        return cls(lambda: NOW, None, planner.settings)

    @classmethod
    def live(cls, ranker: GoalRanker, now: str, engine: str) -> Self:
        """As it would be for a host."""
        return cls(_clock(now), ranker, Settings(engine=engine))

    def rehearsal(self, domain: Domain, state: State, path: Path | None, id: str) -> Rehearsal:
        """The session `id` of the store at `path`; without one it is new, and kept nowhere."""
        store: Store = MemoryStore() if path is None else SQLiteStore(path)
        reader = rules(self.ranker)

        def opened() -> Session:
            return Session(domain, state=state, reader=reader, clock=self.clock, settings=self.settings, store=store, id=id)

        return Rehearsal(opened, store, id, self.clock)


def _record(file: RecordFile, recording: Recording, planner: Engine) -> None:
    """Add the test, and say whether it passes. What cannot be written is shown, so that it is not lost."""
    try:
        report = file.append(recording, planner)
    except DomainError as error:
        show_findings(error.diagnostics)
        _keep(recording, Exit.INPUT)
    except OSError as error:
        typer.echo(f"cannot write to {file.path}: {(error.strerror or str(error)).lower()}", err=True)
        _keep(recording, Exit.USAGE)
    typer.echo(f'wrote test "{visible(report.test.name)}" to {file.path}: {report.verdict.value}', err=True)
    for line in str(report).splitlines():
        typer.echo(f"  {visible(line)}", err=True)


def _keep(recording: Recording, code: Exit) -> NoReturn:
    for clause in recording.clauses:
        typer.echo(visible(clause), err=True)
    raise typer.Exit(code) from None


class _Chat:
    """The conversation, line by line."""

    def __init__(self, rehearsal: Rehearsal, screen: Screen, *, is_read: bool) -> None:
        self.rehearsal, self.screen, self.is_read = rehearsal, screen, is_read
        self.commands: dict[str, Callable[[str], None]] = {
            "/say": self._say,
            "/call": self._call,
            "/answer": self._answer,
            "/decline": self._decline,
            "/why": lambda _: screen.show(why_lines(rehearsal.now)),
            "/plan": lambda _: screen.show(plan_lines(rehearsal.now)),
            "/state": lambda _: screen.show(belief_lines(rehearsal.beliefs)),
            "/undo": self._undo,
            "/save": self._save,
            "/help": self._help,
        }

    def begin(self, *, is_begun: bool) -> None:
        """Say what is next, if anything is wanted yet."""
        self.screen.say("You are the user, the tools and the model. /help lists commands.")
        if is_begun:
            self._follow()

    def run(self) -> None:
        """Take lines until the person ends it, or the input does."""
        while (line := self._line()) is not None and line != "/quit":
            self._take(line)

    def _line(self) -> str | None:
        self.screen.say()
        line = self.screen.ask(self._prompt())
        return None if line is None else line.strip()

    def _prompt(self) -> str:
        match self.rehearsal.awaited:
            case OfUser():
                return "user> "
            case OfRole(role):
                return f"{role}> "
            case OfTool(step):
                return f"{self.rehearsal.session.domain.tools[step.action].call_name}> "
            case OfModel():
                return "model> "

    def _take(self, line: str) -> None:
        """Do what `line` says. What is wrong with it is said, and nothing else has happened."""
        try:
            if line.startswith("/"):
                name, _, rest = line.partition(" ")
                self.commands.get(name, self._unknown)(rest.strip())
            elif line:
                self._move(line)
        except DomainError as error:
            show_findings(error.diagnostics)
        except ValueError as error:
            self.screen.say(str(error), "red")

    # Moves

    def _move(self, line: str) -> None:
        match self.rehearsal.awaited:
            case OfUser():
                self._say(line)
            case OfRole(role):
                self._agree(role, line)
            case OfTool(step, call):
                self._observe(call or step, self._whole(line, typed_result))
            case OfModel(step):
                self._observe(step, self._whole(line, typed_result))

    def _whole(self, line: str, read: Callable[[str], T]) -> T:
        """What `read` makes of `line`, and of the lines after it where that is only a beginning."""
        while True:
            try:
                return read(line)
            except Unfinished as error:
                more = self.screen.ask("... ")
                if not more:
                    raise ValueError(str(error)) from None
                line = f"{line}\n{more}"

    def _say(self, words: str) -> None:
        if not words:
            raise ValueError("say something: /say WORDS")
        if not self.is_read:
            return self._answer(words)
        with self.screen.busy("reading"):
            turn = self.rehearsal.say(words)
        self.screen.show(reading_lines(turn))
        self._follow()

    def _answer(self, typed: str) -> None:
        self._check_asked()
        self.rehearsal.answer(typed)
        self._follow()

    def _agree(self, role: str, line: str) -> None:
        if line.casefold() not in ("yes", "no"):
            raise ValueError(f"the {role} is asked: type yes or no, or /say what the user says")
        if line.casefold() == "yes":
            self.rehearsal.agree(role)
        else:
            self.rehearsal.decline()
        self._follow()

    def _observe(self, call: Call | Step, result: object) -> None:
        self.screen.show(result_lines(self.rehearsal.observe(call, result)))
        self._follow()

    def _call(self, rest: str) -> None:
        name, _, typed = rest.partition(" ")
        match self.rehearsal.propose(name, self._whole(typed.strip(), typed_object)):
            case Refused(reason, hint):
                raise ValueError(f"{reason}; {hint}".replace("`", ""))
            case Held():
                self._follow()
            case Allowed(call):
                self.screen.show([("runs", call.tool), *argument_lines(call.arguments, ())])

    def _decline(self, _: str) -> None:
        self._check_asked()
        self.rehearsal.decline()
        self._follow()

    def _check_asked(self) -> None:
        if not self.rehearsal.is_asked:
            raise ValueError("nobody is asked anything")

    def _undo(self, _: str) -> None:
        if not self.rehearsal.undo():
            raise ValueError("there is nothing to take back")
        self._show([self.rehearsal.now])

    # What is shown

    def _follow(self) -> None:
        self._show(self.rehearsal.follow())

    def _show(self, decided: Iterable[Frontier]) -> None:
        self.screen.show(change_lines(self.rehearsal.changed()))
        for now in decided:
            self.screen.show(decision_lines(now))
            self.screen.decide(now)
        match self.rehearsal.awaited:
            case OfTool(step, None):
                self.screen.show(argument_lines(*self.rehearsal.arguments(step)))
            case OfTool(_, Call(arguments=arguments)):
                self.screen.show(argument_lines(arguments, ()))

    def _help(self, _: str) -> None:
        self.screen.say(f"As the user, type what they say. As a tool or the model, {AS_RESULT}.")
        for name, does in HELP:
            self.screen.say(f"{name:<16} {does}")

    def _save(self, name: str) -> None:
        if not name:
            raise ValueError("where to? /save FILE")
        try:
            Path(name).write_text(self.rehearsal.session.snapshot(), "utf-8", newline="\n")
        except OSError as error:
            raise ValueError(f"cannot write to {name}: {(error.strerror or str(error)).lower()}") from None
        self.screen.say(f"wrote {name}")

    def _unknown(self, _: str) -> None:
        raise ValueError(f"there is no such command; there are {', '.join(sorted(self.commands))} and /quit")
