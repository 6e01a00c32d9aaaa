"""A changed server into an edited file: hand edits survive, tools come and go, and what it means is told."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplan import DomainError, plan
from toolplan.catalog import RealTool, real_tools
from toolplan.checks import lints
from toolplan.checks.schemas import read_tools
from toolplan.importing.tools import Rater, Trust, imported
from toolplan.importing.updating import Updated, updated
from toolplan.language.codes import Code, Severity
from toolplan.language.source import Source

LINEAR = Path(__file__).parent / "data" / "mcp_imports" / "linear.json"
NOTES = [
    {
        "name": "search-notes",
        "description": "Search the notes.",
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        "outputSchema": {"type": "object", "properties": {"note_id": {"type": "string"}}},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "edit_note",
        "description": "Edit a note.",
        "inputSchema": {
            "type": "object",
            "properties": {"note_id": {"type": "string"}, "new_text": {"type": "string"}},
            "required": ["note_id", "new_text"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    },
]
DROP = {
    "name": "drop_note",
    "description": "Drop a note.",
    "inputSchema": {
        "type": "object",
        "properties": {"note_id": {"type": "string"}, "really": {"type": "boolean"}},
        "required": ["note_id", "really"],
    },
}


def imports(entries: object = NOTES, trust: Trust = Trust.NONE) -> str:
    return imported(real_tools(entries), name="notes", rater=Rater(trust)).text


def update(text: str, change: Callable[[list[dict]], object] = lambda _: None, trust: Trust = Trust.NONE) -> Updated:  # type: ignore[type-arg]
    """The file `text` after `change` was made to the list that it was imported from; it has to pass `check`."""
    entries = copy.deepcopy(NOTES)
    change(entries)
    after = updated(Source("notes.toolplan", text), real_tools(NOTES), real_tools(entries), trust=trust)
    assert not [str(finding) for finding in after.findings if finding.severity is Severity.ERROR]
    return after


def edited(text: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def told(after: Updated) -> list[str]:
    return list(map(str, after.differences))


# Nothing has changed


def test_an_update_by_the_same_list_changes_nothing() -> None:
    after = update(imports())
    assert (after.text, after.differences, after.gone, after.disputed) == (imports(), (), (), ())


@pytest.mark.parametrize(
    "edit",
    [
        ("  risk delete\n}\n\ngoal search_notes", "  risk read\n}\n\ngoal search_notes"),
        ('"Search the notes."', '"Look through the notes."'),
        ('"search notes"', '"find it"'),
        ("# risk delete", "# mine: risk delete"),
        ("fact edit_note_done", 'fact edit_note_done lasting "it is edited"'),
        ("  cost 20\n", "  cost 7\n"),
        ("search_notes_query", "words"),
        ("fact new_text: text", "fact new_text: text fresh 10m"),
        ("tool edit_note {", 'tool change_note calls "edit_note" { # it changes'),
        ("produces edit_note_done", "produces edit_note_done  # or so"),
    ],
)
def test_a_hand_edit_survives_an_update_by_the_same_list(edit: tuple[str, str]) -> None:
    text = edited(imports(), edit)
    after = update(text)
    assert (after.text, after.differences) == (text.replace(" { # it", " {  # it"), ())


# The server has changed


def add_limit(entries: list[dict]) -> None:  # type: ignore[type-arg]
    entries[0]["inputSchema"]["properties"]["limit"] = {"type": "integer"}


def test_a_changed_schema_is_applied_around_a_hand_edit() -> None:
    text = edited(imports(), ("query = search_notes_query", "query from search_notes_query # the model rewords it"))
    after = update(text, add_limit)
    assert "passes   limit free\n  passes   query from search_notes_query  # the model rewords it\n" in after.text
    assert after.disputed == ()


def test_a_new_required_argument_is_a_fact_and_makes_the_goal_dearer() -> None:
    def change(entries: list[dict]) -> None:  # type: ignore[type-arg]
        entries[1]["inputSchema"]["properties"]["pass_word"] = {"type": "string"}
        entries[1]["inputSchema"]["required"].append("pass_word")

    after = update(imports(), change)
    assert "requires note_id, new_text, pass_word" in after.text
    assert told(after) == ["dearer: goal `edit_note`, 22 -> 27"]


def test_a_fact_that_was_passed_if_known_is_the_one_that_is_required() -> None:
    def search(required: list[str]) -> list[RealTool]:
        schema = {
            "type": "object",
            "properties": {"city": {"type": "string"}, "number_of_rooms": {"type": "integer"}},
            "required": required,
        }
        return [RealTool("search_hotels", "Look for hotels.", schema)]

    before, after = search(["city"]), search(["city", "number_of_rooms"])
    mine = imported(before, name="hotels").text.replace("number_of_rooms free", "number_of_rooms = rooms if known")
    merged = updated(Source("hotels.toolplan", mine.replace("tool ", "fact rooms: integer\n\ntool ", 1)), before, after).text
    assert "requires search_hotels_city, rooms\n" in merged and merged.count("fact ") == 3


def test_an_argument_that_is_gone_takes_its_fact_and_its_question_along() -> None:
    def change(entries: list[dict]) -> None:  # type: ignore[type-arg]
        del entries[1]["inputSchema"]["properties"]["new_text"]
        entries[1]["inputSchema"]["required"].remove("new_text")

    after = update(imports(), change)
    assert "new_text" not in after.text
    assert told(after) == ["cheaper: goal `edit_note`, 22 -> 17"]
    kept = update(edited(imports(), ("fact new_text: text", 'fact new_text: text "I need it"')), change)
    assert "fact new_text" in kept.text


def test_a_new_tool_stands_at_the_end_and_uses_what_is_there() -> None:
    text = edited(imports(), ("fact note_id: text", 'fact note_id: text "which note"'))
    after = update(text, lambda entries: entries.insert(0, DROP))
    assert after.text.index("tool edit_note") < after.text.index("tool drop_note")
    assert 'fact note_id: text  "which note"' in after.text.replace("text ", "text  ", 1) or '"which note"' in after.text
    assert told(after) == ["new: tool `drop_note`, delete", "reachable: goal `drop_note`, 26"] or "new: tool `drop_note`, delete" in told(
        after
    )
    assert {"drop_note_really", "note_id"} <= set(lints.check_text(after.text).domain.facts)


def test_a_tool_that_is_gone_is_marked_once_and_unmarked_when_it_comes_back() -> None:
    gone = update(imports(), lambda entries: entries.pop(1))
    assert gone.gone == ("edit_note",)
    mark = "# gone: the server does not list this tool any more\ntool edit_note {"
    assert gone.text.count(mark) == 1
    without = real_tools(NOTES[:1])
    again = updated(Source("notes.toolplan", gone.text), without, without)
    assert again.text == gone.text
    back = updated(Source("notes.toolplan", gone.text), without, real_tools(NOTES))
    assert "# gone" not in back.text


def test_what_i_deleted_stays_away_unless_something_new_needs_it() -> None:
    text = imports()
    start, end = text.index("goal edit_note"), text.index("ask ask_search_notes_query")
    deleted = text[:start] + text[end:]
    assert "goal edit_note" not in update(deleted, add_limit).text
    renamed = edited(
        text,
        ("fact note_id: text\n", "fact which: text\n"),
        ("note_id", "which"),
        ("which = which", "note_id = which"),
        ("$.which", "$.note_id"),
    )
    after = update(renamed, lambda entries: entries.append(DROP))
    assert "note_id = which" in after.text[after.text.index("tool drop_note") :]


def test_what_both_changed_is_mine_and_is_told() -> None:
    text = edited(
        imports(),
        ('tool search_notes calls "search-notes" {\n  "Search the notes."', 'tool search_notes calls "search-notes" {\n  "Mine."'),
    )
    after = update(text, lambda entries: entries[0].update(description="Theirs."))
    assert '"Mine."' in after.text
    assert after.disputed == ("`description` of tool `search_notes`",)


def test_a_server_that_turns_harmless_lowers_nothing_unbelieved() -> None:
    def change(entries: list[dict]) -> None:  # type: ignore[type-arg]
        entries[1]["annotations"] = {"readOnlyHint": True}

    assert told(update(imports(), change)) == []
    believed = update(imports(trust=Trust.HINTS), change, Trust.HINTS)
    assert told(believed)[0] == "less risky: tool `edit_note`, write -> read"


def test_a_server_that_turns_harmful_is_riskier_and_dearer() -> None:
    def change(entries: list[dict]) -> None:  # type: ignore[type-arg]
        entries[1]["annotations"] = {"destructiveHint": True}

    after = update(imports(trust=Trust.HINTS), change, Trust.HINTS)
    assert told(after)[0] == "riskier: tool `edit_note`, write -> delete"
    assert told(after)[1].startswith("dearer: goal `edit_note`")
    rated = edited(imports(trust=Trust.HINTS), ("risk write", "risk draft"))
    after = update(rated, change, Trust.HINTS)
    assert after.disputed == ("`risk` of tool `edit_note`",)


def test_a_rating_that_new_hints_deny_is_a_finding_also_unbelieved() -> None:
    text = edited(imports(), ("risk delete\n}\n\ngoal search", "risk read\n}\n\ngoal search"))
    after = update(text, lambda entries: entries[0].update(annotations={"destructiveHint": True}))
    assert [finding.code for finding in after.findings] == [Code.CONTRADICTS_HINT]
    assert update(text).findings == ()


def test_a_policy_of_my_own_has_its_own_gravest_level() -> None:
    text = edited(imports(), ("risk delete\n", "risk grave\n")) + "\npolicy { risk look 0 safe, grave 3 }\n"
    after = update(text, lambda entries: entries.append(DROP))
    tool = lints.check_text(after.text).domain.tools["drop_note"]
    assert (tool.risk, tool.confirm is not None) == ("grave", True)


def test_a_file_that_cannot_be_read_is_no_file_to_update() -> None:
    with pytest.raises(DomainError):
        update("tool {")


def test_tests_and_contracts_of_my_own_go_on() -> None:
    own = '\ntool shout { produces loud risk write }\nfact loud\ntest "t" { given note_id, new_text goal edit_note expect edit_note }\n'
    after = update(imports() + own, lambda entries: entries.append(DROP))
    domain = lints.check_text(after.text).domain
    assert "shout" in domain.tools
    assert [step.action for step in plan(domain, state="note_id, new_text", goal="edit_note").steps] == ["edit_note"]


def test_a_file_that_imports_another_is_updated(tmp_path: Path) -> None:
    (tmp_path / "own.toolplan").write_text("policy { risk look 0 safe, grave 3 confirm }", "utf-8")
    text = edited(imports(), ("risk delete\n", "risk grave\n")) + '\nimport "own.toolplan"\n'
    after = updated(Source(str(tmp_path / "notes.toolplan"), text), real_tools(NOTES), real_tools([*NOTES, DROP]))
    assert [finding for finding in after.findings if finding.severity is Severity.ERROR] == []
    assert "policy" not in after.text
    assert lints.check_text(after.text, directory=tmp_path).domain.tools["drop_note"].risk == "grave"


# Properties


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_an_untouched_file_becomes_what_the_new_list_gives_but_for_its_order(data: st.DataObject) -> None:
    tools = list(read_tools(LINEAR).values())
    before = data.draw(st.lists(st.sampled_from(tools), min_size=1, max_size=4, unique_by=lambda tool: tool.name))
    extra = data.draw(st.lists(st.sampled_from(tools), max_size=4, unique_by=lambda tool: tool.name))
    after = [*before, *(tool for tool in extra if tool not in before)]
    made = updated(Source("linear.toolplan", imported(before, name="linear").text), before, after)
    fresh = imported(after, name="linear", given=made.imported.names)
    assert not [finding for finding in made.findings if finding.severity is Severity.ERROR]
    assert contracts(made.text) == contracts(fresh.text)


def contracts(text: str) -> dict[str, object]:
    domain = lints.check_text(text).domain
    return {**domain.tools, **domain.facts, **domain.goals}


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(range(14)), min_size=2, max_size=5, unique=True), st.integers(1, 3))
def test_updates_one_after_the_other_end_where_one_does(numbers: list[int], cut: int) -> None:
    tools: list[RealTool] = [list(read_tools(LINEAR).values())[number] for number in numbers]
    text = imported(tools[:cut], name="linear").text
    once = updated(Source("linear.toolplan", text), tools[:cut], tools)
    twice = updated(Source("linear.toolplan", once.text), tools, tools)
    assert (twice.text, twice.differences, twice.disputed) == (once.text, (), ())
