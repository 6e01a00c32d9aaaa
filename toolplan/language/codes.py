"""Every diagnostic code: the only place where one is defined. The page of a code lies in `pages/`, under its number.

Codes are never reused or renumbered. TP0xx syntax, TP1xx names and types, TP2xx meaning, TP3xx lint, TP4xx state, goal and call
(TP42x beside a server's schemas, TP43x in a PDDL file), TP5xx planners, TP6xx files.
"""

from __future__ import annotations

import enum
from importlib import resources


class Severity(enum.Enum):
    """How bad a finding is. Errors stop; warnings stop under `--strict`; notes never do."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(enum.Enum):
    """A kind of finding: its number, its name (of the bad pattern, never of the mend) and its severity."""

    UNEXPECTED_TOKEN = ("TP001", "unexpected-token", Severity.ERROR)
    UNEXPECTED_CHARACTER = ("TP002", "unexpected-character", Severity.ERROR)
    UNTERMINATED_STRING = ("TP003", "unterminated-string", Severity.ERROR)
    UNCLOSED_BLOCK = ("TP004", "unclosed-block", Severity.ERROR)
    NESTED_TOO_DEEP = ("TP005", "nested-too-deep", Severity.ERROR)
    BAD_ESCAPE = ("TP006", "bad-escape", Severity.ERROR)
    BAD_SLOT = ("TP008", "bad-slot", Severity.ERROR)

    UNKNOWN_FACT = ("TP101", "unknown-fact", Severity.ERROR)
    UNKNOWN_TYPE = ("TP102", "unknown-type", Severity.ERROR)
    UNKNOWN_VALUE_TYPE = ("TP103", "unknown-value-type", Severity.ERROR)
    DUPLICATE_NAME = ("TP104", "duplicate-name", Severity.ERROR)
    WRONG_ARITY = ("TP105", "wrong-arity", Severity.ERROR)
    WRONG_TYPE = ("TP106", "wrong-type", Severity.ERROR)
    UNKNOWN_TERM = ("TP107", "unknown-term", Severity.ERROR)
    UNKNOWN_ACTION = ("TP108", "unknown-action", Severity.ERROR)
    UNKNOWN_RISK = ("TP110", "unknown-risk", Severity.ERROR)
    TYPE_CYCLE = ("TP111", "type-cycle", Severity.ERROR)
    DUPLICATE_PARAMETER = ("TP112", "duplicate-parameter", Severity.ERROR)
    VALUE_TYPE_AS_PARAMETER = ("TP113", "value-type-as-parameter", Severity.ERROR)

    REPEATED_CLAUSE = ("TP201", "repeated-clause", Severity.ERROR)
    NUMBER_OUT_OF_RANGE = ("TP202", "number-out-of-range", Severity.ERROR)
    UNKNOWN_SETTING = ("TP203", "unknown-setting", Severity.ERROR)
    MISSING_CLAUSE = ("TP204", "missing-clause", Severity.ERROR)
    CONTRADICTORY_CONDITION = ("TP205", "contradictory-condition", Severity.ERROR)
    BAD_PATH = ("TP206", "bad-path", Severity.ERROR)
    BAD_PATTERN = ("TP207", "bad-pattern", Severity.ERROR)
    MISSING_GROUP = ("TP208", "missing-group", Severity.ERROR)
    BAD_VERSION = ("TP209", "bad-version", Severity.ERROR)
    BAD_DIGEST = ("TP210", "bad-digest", Severity.ERROR)
    SUPERSESSION_CYCLE = ("TP211", "supersession-cycle", Severity.ERROR)

    UNRATED_TOOL = ("TP301", "unrated-tool", Severity.WARNING)
    TOOL_WITHOUT_EFFECT = ("TP302", "tool-without-effect", Severity.WARNING)
    ADDED_AND_REMOVED = ("TP303", "added-and-removed", Severity.WARNING)
    UNPRODUCED_FACT = ("TP304", "unproduced-fact", Severity.WARNING)
    UNUSED_FACT = ("TP305", "unused-fact", Severity.WARNING)
    TOOL_WITHOUT_GOAL = ("TP306", "tool-without-goal", Severity.NOTE)
    UNREACHABLE_GOAL = ("TP307", "unreachable-goal", Severity.WARNING)
    DUPLICATE_CONTRACT = ("TP308", "duplicate-contract", Severity.WARNING)
    DOMINATED_TOOL = ("TP309", "dominated-tool", Severity.NOTE)
    CIRCULAR_FACTS = ("TP310", "circular-facts", Severity.WARNING)
    UNCONFIRMED_RISK = ("TP311", "unconfirmed-risk", Severity.WARNING)
    UNCONFIRMED_DEAD_END = ("TP312", "unconfirmed-dead-end", Severity.WARNING)
    HARM_CALLED_SAFE = ("TP313", "harm-called-safe", Severity.WARNING)
    HIDDEN_TOOL_NAMED = ("TP314", "hidden-tool-named", Severity.NOTE)
    NEEDLESS_QUESTION = ("TP315", "needless-question", Severity.NOTE)
    LONG_NAME = ("TP316", "long-name", Severity.NOTE)
    TOO_LONG_NAME = ("TP317", "too-long-name", Severity.WARNING)
    UNPORTABLE_NAME = ("TP318", "unportable-name", Severity.NOTE)
    MIXED_SCRIPTS = ("TP319", "mixed-scripts", Severity.WARNING)
    INVISIBLE_CHARACTER = ("TP320", "invisible-character", Severity.WARNING)
    MANY_GROUNDINGS = ("TP321", "many-groundings", Severity.NOTE)
    UNUSED_PARAMETER = ("TP322", "unused-parameter", Severity.WARNING)
    INDISTINCT_GOALS = ("TP323", "indistinct-goals", Severity.WARNING)
    CHEAP_QUESTION = ("TP324", "cheap-question", Severity.NOTE)
    UNKNOWN_SUPERSEDED = ("TP325", "unknown-superseded", Severity.NOTE)
    SUPERSEDED_VISIBLE = ("TP326", "superseded-visible", Severity.WARNING)
    COLLIDING_TOOLS = ("TP327", "colliding-tools", Severity.WARNING)
    CONTRADICTORY_ADVICE = ("TP328", "contradictory-advice", Severity.WARNING)
    UNOWNED_TOOL = ("TP329", "unowned-tool", Severity.NOTE)
    IDLE_BUDGET = ("TP330", "idle-budget", Severity.NOTE)

    UNUSED_ALLOW = ("TP390", "unused-allow", Severity.WARNING)
    UNKNOWN_ALLOWED_CODE = ("TP391", "unknown-allowed-code", Severity.ERROR)

    UNKNOWN_GOAL_NAME = ("TP401", "unknown-goal-or-fact", Severity.ERROR)
    WRONG_GOAL_ARGUMENTS = ("TP402", "wrong-goal-arguments", Severity.ERROR)
    ENTITY_OF_TWO_TYPES = ("TP403", "entity-of-two-types", Severity.ERROR)
    CONFLICTING_GOALS = ("TP404", "conflicting-goals", Severity.ERROR)
    CONFLICTING_STATE = ("TP405", "conflicting-state", Severity.ERROR)
    UNKNOWN_FORBIDDEN = ("TP406", "unknown-forbidden", Severity.ERROR)
    BAD_STEP = ("TP407", "bad-step", Severity.ERROR)
    BAD_CALL = ("TP408", "bad-call", Severity.ERROR)
    NOT_ONE_GOAL = ("TP409", "not-one-goal", Severity.ERROR)
    BAD_LIMIT = ("TP410", "bad-limit", Severity.ERROR)
    UNKNOWN_ENGINE = ("TP411", "unknown-engine", Severity.ERROR)
    BAD_JSON = ("TP412", "bad-json", Severity.ERROR)
    GROUNDING_TOO_LARGE = ("TP413", "grounding-too-large", Severity.ERROR)
    UNKNOWN_REAL_TOOL = ("TP420", "unknown-real-tool", Severity.ERROR)
    UNKNOWN_REAL_PARAMETER = ("TP421", "unknown-real-parameter", Severity.ERROR)
    MISSING_REAL_PARAMETER = ("TP422", "missing-real-parameter", Severity.ERROR)
    UNFIT_LITERAL = ("TP423", "unfit-literal", Severity.ERROR)
    CONTRADICTS_HINT = ("TP424", "contradicts-hint", Severity.WARNING)
    UNKNOWN_RESULT = ("TP425", "unknown-result", Severity.ERROR)
    UNFIT_FACT = ("TP426", "unfit-fact", Severity.ERROR)
    UNBALANCED_PARENTHESES = ("TP430", "unbalanced-parentheses", Severity.ERROR)
    UNEXPECTED_EXPRESSION = ("TP431", "unexpected-expression", Severity.ERROR)
    UNSUPPORTED_FEATURE = ("TP432", "unsupported-feature", Severity.ERROR)
    UNDECLARED_NAME = ("TP433", "undeclared-name", Severity.ERROR)
    WRONG_NUMBER_OF_ARGUMENTS = ("TP434", "wrong-number-of-arguments", Severity.ERROR)
    OBJECT_OF_OTHER_TYPE = ("TP435", "object-of-other-type", Severity.ERROR)
    DECLARED_TWICE = ("TP436", "declared-twice", Severity.ERROR)
    BAD_ACTION_COST = ("TP437", "bad-action-cost", Severity.ERROR)
    FOREIGN_PROBLEM = ("TP438", "foreign-problem", Severity.WARNING)
    UNKNOWN_REQUIREMENT = ("TP439", "unknown-requirement", Severity.WARNING)
    NAME_CLASH = ("TP440", "name-clash", Severity.ERROR)
    UNFIT_NAME = ("TP441", "unfit-name", Severity.WARNING)
    TOO_MANY_TOOLS = ("TP442", "too-many-tools", Severity.WARNING)
    STRATEGY_NOT_OFFERED = ("TP443", "strategy-not-offered", Severity.WARNING)
    CALL_NOT_FORBIDDEN = ("TP444", "call-not-forbidden", Severity.NOTE)
    UNFIT_SCHEMA = ("TP445", "unfit-schema", Severity.WARNING)
    CHANGED_REAL_TOOL = ("TP446", "changed-real-tool", Severity.ERROR)
    NEW_REAL_TOOL = ("TP447", "new-real-tool", Severity.NOTE)
    VANISHED_REAL_TOOL = ("TP448", "vanished-real-tool", Severity.WARNING)
    SUSPICIOUS_REAL_TOOL = ("TP449", "suspicious-real-tool", Severity.WARNING)

    ENGINE_MISSING = ("TP501", "engine-missing", Severity.ERROR)
    ENGINE_CRASHED = ("TP502", "engine-crashed", Severity.ERROR)
    ENGINE_NOT_BELIEVED = ("TP503", "engine-not-believed", Severity.ERROR)
    COST_TOO_LARGE = ("TP504", "cost-too-large", Severity.ERROR)

    UNREADABLE_FILE = ("TP601", "unreadable-file", Severity.ERROR)
    NOT_UTF8 = ("TP602", "not-utf8", Severity.ERROR)
    IMPORT_CYCLE = ("TP603", "import-cycle", Severity.ERROR)
    IMPORT_OUTSIDE_ROOT = ("TP604", "import-outside-root", Severity.ERROR)
    CONFLICTING_SETTINGS = ("TP605", "conflicting-settings", Severity.ERROR)
    BROKEN_RECEIPTS = ("TP607", "broken-receipts", Severity.ERROR)
    BAD_TRACE = ("TP608", "bad-trace", Severity.WARNING)
    BAD_SIGNATURE = ("TP609", "bad-signature", Severity.ERROR)
    BAD_CONFIGURATION = ("TP611", "bad-configuration", Severity.ERROR)
    UNSET_VARIABLE = ("TP612", "unset-variable", Severity.ERROR)

    def __init__(self, number: str, slug: str, severity: Severity) -> None:
        self.number = number
        self.slug = slug
        self.severity = severity

    @property
    def page(self) -> str:
        """The page about this code, as Markdown: what it means, a bad and a good example."""
        return resources.files("toolplan.language").joinpath("pages", f"{self.number}.md").read_text("utf-8")


def find_code(text: str) -> Code | None:
    """The code with the number or the name `text`, in any case; None where there is none."""
    wanted = text.strip().lower()
    return next((code for code in Code if wanted in (code.number.lower(), code.slug)), None)
