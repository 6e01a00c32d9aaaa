"""A task as it stands, behind the tools of a method: what is shown of them, and what comes of a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolplan.bench.real_tasks.chains import Chain
from toolplan.bench.real_tasks.knowledge import Knowledge
from toolplan.bench.real_tasks.methods import METHODS, Standing
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.users import User
from toolplan.bench.runs import DONE
from toolplan.bench.runs.menus import Menu, put
from toolplan.bench.runs.playing import Asked, Ready, Told
from toolplan.exposure.declarations import Declaration
from toolplan.exposure.notes import Telling, known_of
from toolplan.frontier import Act, Call, CallQuestion, Clarify, callable_tools
from toolplan.gate import Allow, Gate, Hold, Refuse, ToolCall
from toolplan.session import Session


class Plain:
    """The method shows tools, and what is called runs. Its contracts know what the calls have brought that were right."""

    def __init__(self, task: Task, method: str) -> None:
        self.request, self.gold = task.request, tuple(call.tool for call in task.gold)
        self._task, self._method = task, METHODS[method]
        self._chain = Chain(task)
        self._knowledge = Knowledge(task)

    @property
    def success(self) -> bool:
        """Whether all calls of the gold have been made."""
        return self._chain.is_done

    @property
    def known(self) -> Mapping[str, str]:
        """Values of facts, and what went before and was found since, as the tools tell it."""
        return self._knowledge.told

    @property
    def due(self) -> tuple[str, ...]:
        """The tools of the calls that are due."""
        return tuple(dict.fromkeys(call.tool for call in self._chain.due))

    def risk_of(self, tool: str) -> str:
        """The risk of its contract."""
        return self._task.toolbox.risk_of(tool)

    def look(self) -> Menu | Asked | Ready:
        """The menu of the method."""
        words = " ".join([self.request, *self.known.values()])
        return self._put(self._method(Standing(self._task.toolbox, self._knowledge.state, self._task.reading.goals, words)), "trim")

    def note(self, shown: Menu) -> str:
        """Nothing: the menu speaks for itself."""
        return ""

    def call(self, tool: str, arguments: Mapping[str, object]) -> Told:
        """The call as it came."""
        return self._answer(self._chain.make(tool, arguments))

    def _answer(self, made: GoldCall | Told) -> Told:
        if isinstance(made, Told):
            return made
        self._knowledge.learn(made)
        return Told(DONE, made.told)

    def _put(self, shown: Iterable[str], strategy: str) -> Menu:
        """The menu of the tools `shown`; what is no call of a real tool, such as what a user only says, is not among them."""
        declarations, always = self._declarations, self._task.toolbox.always
        names = dict.fromkeys(name for name in shown if name in declarations and name not in always)
        return put(declarations, tuple(names), always, strategy)

    @property
    def _declarations(self) -> Mapping[str, Declaration]:
        return self._task.toolbox.declarations


class Conversing(Plain):
    """A session shows its frontier, and asks the user where it does not know; what is called runs."""

    def __init__(self, task: Task, strategy: str = "trim") -> None:
        super().__init__(task, "all")
        self._strategy = strategy
        self._gate = Gate(Session(task.toolbox.domain, state=task.state, clock=lambda: task.now, catalog=task.toolbox.catalog))
        self._gate.hear(task.request, task.reading)
        self._user = User(task, self._gate.session, self._chain)

    def look(self) -> Menu | Asked | Ready:
        """A question, or the frontier of now."""
        now = self._gate.next()
        asked = self._user.ask(now)
        if asked is not None:
            self._knowledge.tell(self._user.told)
            return asked
        names = self._task.toolbox.names
        return self._put((names[name] for name in callable_tools(now)), self._strategy)

    def call(self, tool: str, arguments: Mapping[str, object]) -> Told:
        """The call as it came; the session is told what became of it."""
        made = self._chain.make(tool, arguments)
        contract = self._task.toolbox.contracts[tool]
        self._gate.session.observe(contract, self._result(made))
        return self._answer(made)

    def _result(self, made: GoldCall | Told) -> object:
        return LookupError(f"{made.outcome}: {made.detail}") if isinstance(made, Told) else made.result


class Guarded(Conversing):
    """The same, and a gate decides: it fills in what contracts bind, refuses the rest with a hint, and holds what must be confirmed.

    The user, who has asked for it, confirms.
    """

    _calls = 0

    @property
    def _declarations(self) -> Mapping[str, Declaration]:
        return self._task.toolbox.open_declarations

    def note(self, shown: Menu) -> str:
        """What every host of a session tells its model: what is wanted, what is next, what can be called."""
        frontier = self._gate.next()
        telling = Telling(frontier, tuple(tool.name for tool in shown.callable), known_of(frontier))
        return telling.note_with(shown.lines) if shown.lines else telling.note()

    def call(self, tool: str, arguments: Mapping[str, object]) -> Told:
        """The call as the gate lets it through."""
        self._calls += 1
        toolbox = self._task.toolbox
        called = toolbox.domain.tools[toolbox.contracts[tool]].call_name
        match self._gate.check(ToolCall(f"c{self._calls}", called, arguments)):
            case Hold():
                self._gate.answer(True)
                return self.call(tool, arguments)
            case Refuse(reason, hint):
                return Told("refused", f"{reason}; {hint}")
            case Allow(permit):
                made = self._chain.make(tool, permit.arguments)
                self._gate.observe(permit, self._result(made))
                return self._answer(made)


class Unasked(Guarded):
    """The same, and a call of which all is known is made without a model. The user confirms it where they have to."""

    def look(self) -> Menu | Asked | Ready:
        """A question, a call, or the frontier of now."""
        shown = super().look()
        match self._gate.next().decision:
            case Act(ready=Call() as call) | Clarify(CallQuestion(call=call)) if isinstance(shown, Menu):
                return Ready(self._task.toolbox.names[call.tool], call.values)
            case _:
                return shown
