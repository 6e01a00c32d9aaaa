"""What `toolplan check` finds in valid domains, what it leaves alone, what authors may allow, and what `--fix` mends."""

from __future__ import annotations

import inspect
import json
import os
import re
from pathlib import Path

import pytest
from commands import run

from toolplan.checks import goal_pairs, lints, reachability
from toolplan.checks.lints import check_text
from toolplan.language import lint, loading
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic
from toolplan.language.loading import shipped_domains
from toolplan.language.mending import mend
from toolplan.language.reports import github, sarif
from toolplan.language.suggest import is_slip

RULES = (*lint.RULES, *reachability.RULES, *goal_pairs.RULES)
BY_THE_AUTHOR = {Code.UNUSED_ALLOW, Code.UNKNOWN_ALLOWED_CODE}
"""Codes about `allow`, which no rule gives."""

GOAL = "goal find { achieves found }"
SEARCH = "fact found  tool search { produces found risk read }"


def codes(text: str) -> list[str]:
    return [finding.code.number for finding in check_text(text).diagnostics]


def one(text: str) -> Diagnostic:
    (finding,) = check_text(text).diagnostics
    return finding


# The rules, all of them


def test_every_rule_has_its_code_and_every_code_its_rule() -> None:
    given = [name for rule in RULES for name in re.findall(r"Code\.(\w+)", inspect.getsource(rule))]
    assert sorted(given) == sorted(code.name for code in Code if code.number.startswith("TP3") and code not in BY_THE_AUTHOR)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_rule_says_what_it_looks_for(rule: object) -> None:
    assert inspect.getdoc(rule)


@pytest.mark.parametrize("name", shipped_domains())
def test_domains_that_ship_have_no_warnings(name: str) -> None:
    assert [finding for finding in lints.check(name).diagnostics if finding.severity is not Severity.NOTE] == []


# Facts


@pytest.mark.parametrize(
    "source",
    [
        "ask which { produces key }",
        "tool look { produces key risk read }",
        "tool look { produces oneof (key or found) risk read }",
        "tool look { verifies key risk read }",
        "fact spare  tool aside { produces spare risk read }  goal other { achieves found, spare given key }",
        'test "it is known" { given key goal find expect search }',
    ],
)
def test_a_fact_with_any_source_is_produced(source: str) -> None:
    domain = f"fact key  fact found  tool search {{ requires key produces found risk read }} {GOAL}"
    assert codes(domain) == ["TP304"]
    assert codes(f"{domain} {source}") == []


def test_closed_facts_are_the_callers_and_unneeded_ones_need_no_source() -> None:
    assert codes(f"fact key closed  fact found  tool search {{ requires key produces found risk read }} {GOAL}") == []
    aside = "fact key  fact other  tool aside { requires key produces other risk read }"
    assert codes(f"{SEARCH} {GOAL} {aside}") == ["TP306"]


def test_a_domain_without_goals_is_a_part_of_others() -> None:
    assert codes("fact key  fact spare  fact found  tool search { requires key produces found risk read }") == []


@pytest.mark.parametrize(
    "use",
    [
        "tool more { requires spare or found produces found cost 2 risk read }",
        "tool more { passes x = spare produces found cost 0 risk write }",
        "tool more { passes x = [spare, 1] produces found cost 0 risk write }",
        "tool more { passes x from spare produces found cost 0 risk write }",
        "tool more { checks spare > 1 produces found cost 0 risk write }",
        "tool more { produces found, spare cost 0 risk write }",
        'test "never" { never spare }',
    ],
)
def test_a_fact_with_any_use_is_used(use: str) -> None:
    assert codes(f"{SEARCH} {GOAL} fact spare") == ["TP305"]
    assert "TP305" not in codes(f"{SEARCH} {GOAL} fact spare {use}")


def test_tools_without_goal_are_one_finding_a_file() -> None:
    aside = " ".join(f"fact a{n}  tool t{n} {{ produces a{n} risk read }}" for n in range(5))
    finding = one(f"{SEARCH} {GOAL} {aside}")
    assert finding.message == "5 tools are relevant to no goal: `t0`, `t1`, `t2`, ..."
    assert codes(f"{SEARCH} {GOAL} {aside} policy {{ always visible t0, t1, t2, t3, t4 }}") == []
    assert one(f"{SEARCH} {GOAL} {aside} policy {{ always visible t1, t2, t3, t4 }}").message == "tool `t0` is relevant to no goal"


def test_what_makes_a_fact_false_helps_a_goal_that_wants_it_false() -> None:
    domain = "fact seen closed  tool hide { removes seen risk write }  tool show { produces seen risk write }"
    finding = one(f"{domain} goal hidden {{ achieves not seen }}")
    assert (finding.code.number, "`show`" in finding.message) == ("TP306", True)


def test_circles_of_facts_and_what_only_looks_like_one() -> None:
    circle = "fact a  fact b  tool ab { requires a produces b risk read }  tool ba { requires b produces a risk read }"
    behind = "fact c  tool bc { requires b produces c risk read }  goal g { achieves c }"
    assert one(f"{circle} {behind}").message == "facts are only produced from each other: `a` -> `b` -> `a`"
    assert codes(f"{circle} {behind} ask which {{ produces b }}") == []
    assert "TP310" not in codes(f"{circle.replace('requires b', 'requires b or not a')} {behind}")


def test_a_relation_that_moves_is_no_circle() -> None:
    move = "tool move(r: robot, x: room, y: room) { requires at(r, x) produces at(r, y) removes at(r, x) risk write }"
    goal = "goal there(r: robot, y: room) { achieves at(r, y) }"
    assert codes(f"type robot  type room  fact at(robot, room) closed {move} {goal}") == []
    assert "TP310" not in codes(f"type robot  type room  fact at(robot, room) {move} {goal}")


def test_questions_that_help_no_goal() -> None:
    assert codes(f"{SEARCH} {GOAL} fact spare  ask which {{ produces spare }}") == ["TP315"]
    assert codes(f"{SEARCH} {GOAL} ask which {{ produces found }}") == []


# Goals


LOOP = """
    type file  fact named(file)  fact found(file)  fact sent(file)
    tool search(f: file) { requires named(f) produces found(f) risk read }
    tool send(f: file) { requires found(f) produces sent(f) risk send }
    ask which(f: file) { requires sent(f) produces named(f) }
    goal send(f: file) { achieves sent(f) given named(f) }
"""


def test_an_unreachable_goal_names_what_is_missing_farthest_from_it() -> None:
    assert codes(LOOP) == []
    finding = one(f"{LOOP} goal again(f: file) {{ achieves sent(f) }}")
    assert (finding.code.number, finding.block) == ("TP307", ("goal", "again"))
    assert finding.message == "goal `again` cannot be reached from what it is given: missing `named(f)`"


def test_what_a_test_states_the_caller_knows() -> None:
    again = "goal again(f: file) { achieves sent(f) }"
    assert codes(f'{LOOP} {again} test "t" {{ given found(report) goal again(report) }}') == []
    assert codes(f"{LOOP.replace('found(file)', 'found(file) closed')} {again}") == []


def test_a_goal_that_names_no_entity_leaves_it_to_the_caller() -> None:
    domain = "type file  fact opened(file)  fact read  tool look(f: file) { requires opened(f) produces read risk read }"
    assert "TP307" not in codes(f"{domain} goal learn {{ achieves read }}")


# Contracts


def test_the_same_contract_under_other_names() -> None:
    one_tool = "tool a(f: file, g: file) { requires old(f) produces same(f, g) risk read }"
    domain = f"type file  fact old(file)  fact same(file, file) {one_tool}"
    finding = one(f"{domain} tool b(x: file, y: file) {{ requires old(x) produces same(x, y) risk read }}")
    assert finding.code is Code.DUPLICATE_CONTRACT
    assert finding.labels[0].location.start != finding.location.start
    for other in (
        "tool b(x: file, y: file) { requires old(y) produces same(x, y) risk read }",
        'tool b(x: file, y: file) calls "c" { requires old(x) produces same(x, y) risk read }',
        'tool b(x: file, y: file) { requires old(x) passes how = "fast" produces same(x, y) risk read }',
    ):
        assert codes(f"{domain} {other}") == []


@pytest.mark.parametrize(
    ("other", "dominated"),
    [
        ("requires a, b produces c", True),
        ("requires a produces c cost 2", True),
        ("requires a produces c, d", False),
        ("requires b produces c", False),
        ("requires a, b produces c cost 0.5", False),
    ],
)
def test_a_tool_that_is_never_better(other: str, dominated: bool) -> None:
    domain = f'fact a fact b fact c fact d tool t calls "x" {{ requires a produces c risk read }} tool u calls "y" {{ {other} risk read }}'
    found = [finding.block for finding in check_text(domain).diagnostics if finding.code is Code.DOMINATED_TOOL]
    assert found == [("action", "u")] * dominated + [("action", "t")] * (other == "requires a produces c, d")


@pytest.mark.parametrize(
    "use", ["requires f = f", "passes id = p", "requires known(p)", "produces known(p) when done", "returns known(p) = $.x"]
)
def test_any_mention_of_a_parameter_is_a_use(use: str) -> None:
    domain = "type file  fact known(file)  fact done  tool t(p: file, f: file) { produces done, known(f) risk read %s }"
    assert ("TP322" in codes(domain % use)) == ("p" not in use.replace("passes", "").replace("produces", ""))


# Risks


def test_risk_without_consent() -> None:
    domain = "fact gone  tool wipe { produces gone risk high %s } policy { risk low 0 safe, high %s }"
    assert codes(domain % ("", "3")) == ["TP311"]
    for tool, level in (("confirm", "3"), ("", "3 confirm"), ("", "2.9")):
        assert codes(domain % (tool, level)) == []
    assert codes("fact gone  tool wipe by user { produces gone risk high } policy { risk low 0 safe, high 9 }") == []


@pytest.mark.parametrize(
    ("name", "harmful"),
    [
        ("delete_event", True),
        ("calendar_delete_event", True),
        ("`calendar.deleteEvent`", True),
        ("`GMAIL_SEND_EMAIL`", True),
        ("list_delete_requests", False),
        ("search_removed_files", False),
        ("sender", False),
        ("find_payments", False),
        ("payload", False),
    ],
)
def test_names_that_say_what_is_not_safe(name: str, harmful: bool) -> None:
    assert ("TP313" in codes(f"fact f  tool {name} {{ produces f risk read }}")) == harmful
    assert "TP313" in codes('fact f  tool quiet calls "purge-all" { produces f risk read }')


def test_a_safe_tool_removes_nothing_but_the_permission_it_used() -> None:
    assert codes("fact f closed  fact g  tool t { produces g removes f risk read }") == ["TP313"]
    assert codes("fact f closed  fact g  tool t { produces g removes f risk write }") == []
    assert codes("fact f  tool look { produces oneof (f or not f) risk read }") == []
    assert "TP313" not in codes('fact g  tool t { produces g risk read }  ask may_i { "May I?" permits t }')


@pytest.mark.parametrize(
    ("outcome", "clause", "dead"),
    [
        ("(not ticket, rejected)", "", True),
        ("(not ticket, rejected)", "confirm", False),
        ("rejected", "", False),
        ("(not ticket, refunded)", "", False),
    ],
)
def test_outcomes_without_a_way_back(outcome: str, clause: str, dead: bool) -> None:
    domain = (
        "fact ticket closed  fact refunded  fact rejected  goal refund { achieves refunded } "
        f"tool ask_for_it {{ requires ticket produces oneof (refunded or {outcome}) risk write {clause} }}"
    )
    assert ("TP312" in codes(domain)) == dead
    assert "TP312" not in codes(f"{domain} tool new_ticket {{ requires rejected produces ticket risk write }}")


# Names and texts


@pytest.mark.parametrize(
    ("description", "named"),
    [
        ("Call read_file first.", True),
        ("Call `search` first.", True),
        ("Call drive.search first.", True),
        ("Ask cancel_run to stop.", False),
        ("Search the drive, then read the file.", False),
        ("As other does not.", False),
        ("Needs found_it.", False),
    ],
)
def test_descriptions_that_name_hidden_tools(description: str, named: bool) -> None:
    domain = (
        "fact found_it  fact x  fact y  fact z  tool read_file { produces x risk read }  tool search { produces y risk read }"
        f' tool search_more calls "drive.search" {{ produces z, y risk read }} tool other {{ "{description}" produces found_it risk read }}'
        " tool cancel_run { produces z risk read }  tool found_it { produces z, x risk read }  policy { always visible cancel_run }"
    )
    assert ("TP314" in codes(domain)) == named


@pytest.mark.parametrize(("size", "code"), [(64, None), (65, "TP316"), (128, "TP316"), (129, "TP317")])
def test_long_names(size: int, code: str | None) -> None:
    assert codes(f'fact f  tool t calls "{"n" * size}" {{ produces f risk read }}') == ([code] if code else [])
    assert codes(f"fact f  tool {'n' * size} by user {{ produces f risk read }}") == []


def test_names_that_some_providers_refuse_are_one_finding_a_file() -> None:
    tools = " ".join(f'fact f{n}  tool t{n} calls "a.b{n}" {{ produces f{n} risk read }}' for n in range(2))
    assert one(tools).message == "the names of 2 real tools hold more than letters, digits, `_` and `-`: `t0`, `t1`"


@pytest.mark.parametrize("text", ["Найти файл", "Datei für später", "μm und Δt", "名前とname", "API-ключ", "naïve – ok", "ﬁle"])
def test_other_alphabets_are_no_trick(text: str) -> None:
    assert codes(f'fact f "{text}"') == []


@pytest.mark.parametrize("name", ["p\u0430ypal", "\u0391dmin", "sc\u043epe"])
def test_letters_that_look_like_others(name: str) -> None:
    assert codes(f"fact `{name}`") == ["TP319"]
    assert codes(f'fact f "the {name} of it"') == ["TP319"]


@pytest.mark.parametrize(
    "text", ["family \U0001f468\u200d\U0001f469\u200d\U0001f467", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "ok \u2764\ufe0f"]
)
def test_joiners_between_what_they_join_are_seen(text: str) -> None:
    assert codes(f'fact f "{text}"') == []


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\u00ad", "\U000e0041", "a\u200db", "\\u{202e}", "\u3164"])
def test_what_nobody_sees(hidden: str) -> None:
    finding = one(f"{SEARCH.replace('{', '{ ' + chr(34) + 'text' + hidden + chr(34), 1)}")
    assert (finding.code.number, finding.block) == ("TP320", ("action", "search"))
    assert finding.message.isprintable()


def test_groundings_over_declared_constants_alone() -> None:
    names = ", ".join(f"r{n}" for n in range(22))
    domain = "type room  type hall: room  fact near(room, room, room)  constant %s: hall  tool t(a: room, b: room, c: %s) { %s }"
    use = "produces near(a, b, c) risk write"
    assert codes(domain % (names, "room", use)) == ["TP321"]
    assert codes(domain % (names.rpartition(",")[0], "room", use)) == []


# allow


def test_allow_accepts_one_finding_of_one_block() -> None:
    assert codes('fact f  tool t { produces f allow TP301 "later" }') == []
    assert codes('fact f  tool t { produces f allow `unrated-tool` "later" }') == []
    assert codes('fact f  tool t { produces f allow TP301 "a" allow TP301 "b" }') == ["TP390"]
    two = 'fact f  tool t { produces f allow TP301 "later" }  fact g  tool u { produces g }'
    assert [finding.block for finding in check_text(two).diagnostics] == [("action", "u")]


def test_allow_in_each_kind_of_block_and_for_rules_that_plan() -> None:
    assert codes(f'{LOOP} goal again(f: file) {{ achieves sent(f) allow TP307 "the caller knows" }}') == []
    assert codes(f'{SEARCH} {GOAL} fact s  ask which {{ produces s allow TP315 "later" }}') == []
    assert codes('fact a  test "t" { given a allow TP301 "why?" }') == ["TP390"]


def test_a_tool_that_is_allowed_is_not_counted_with_the_others() -> None:
    aside = "".join(f"fact a{n}  tool t{n} {{ produces a{n} risk read {'allow TP306 ' + chr(34) * 2 if n else ''} }} " for n in range(3))
    assert one(f"{SEARCH} {GOAL} {aside}").message == "tool `t0` is relevant to no goal"


def test_an_unknown_code_is_an_error_with_a_suggestion() -> None:
    finding = one('fact f  tool t { produces f allow `unrated-tol` "later" }')
    assert (finding.code, finding.severity, finding.hint) == (Code.UNKNOWN_ALLOWED_CODE, Severity.ERROR, "did you mean `unrated-tool`?")


# Fixes


def mended(text: str) -> str:
    resolved = check_text(text)
    sources = [file.source for file in resolved.files]
    return next(iter(mend(resolved.diagnostics, sources).texts.values()), text)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("fact ready  tool t { requries ready }", "fact ready  tool t { requires ready }"),
        ("fact ready\ntooll t { requires ready }", "fact ready\ntool t { requires ready }"),
        (
            "fact ready  tool t { requires redy produces redy }  goal g { achieves raedy }",
            "fact ready  tool t { requires ready produces ready }  goal g { achieves ready }",
        ),
        ("type person  fact known(persn)", "type person  fact known(person)"),
        ("fact f: dat", "fact f: dat"),
        ("fact f: datetme", "fact f: datetime"),
        (f'{SEARCH} test "t" {{ never serch }}', f'{SEARCH} test "t" {{ never search }}'),
        ("fact f_1  tool t { requires f_2 risk read }", "fact f_1  tool t { requires f_2 risk read }"),
        ("fact ab  tool t { requires ac risk read }", "fact ab  tool t { requires ac risk read }"),
        ("fact event  fact events  tool t { requires eventx risk read }", "fact event  fact events  tool t { requires eventx risk read }"),
        ("fact f  tool t { produces f risk raed }", "fact f  tool t { produces f risk raed }"),
        ("fact f  tool t { requires f prodces f }", "fact f  tool t { requires f produces f }"),
        *(
            (text, text)
            for word in ("date", "costs", "confirms")
            for text in (
                f"fact {word}  fact f  tool t {{ requires f {word} produces f risk read }}",
                f"fact {word}  fact f\ntool t {{\n  requires f\n    {word}\n  produces f\n}}",
                f'import "facts.toolplan"  tool t {{ requires f {word} produces f risk read }}',
            )
        ),
        ("constant goals, facts: object  fact f\nfacts", "constant goals, facts: object  fact f\nfacts"),
    ],
)
def test_a_slip_is_mended_where_one_name_alone_is_near(wrong: str, right: str) -> None:
    assert mended(wrong) == right


def test_a_declared_name_after_an_item_lacks_a_comma() -> None:
    text = "fact date  fact event_id  fact done\ntool search { requires event_id date produces done risk read }"
    (finding,) = (finding for finding in check_text(text).diagnostics if finding.code is Code.UNEXPECTED_TOKEN)
    assert finding.hint == "separate items with commas"


@pytest.mark.parametrize(
    ("one_name", "other", "slip"),
    [
        ("event", "evnt", True),
        ("event", "evetn", True),
        ("event", "evvent", True),
        ("event", "Event", True),
        ("new-time", "new_time", True),
        ("events", "event", True),
        ("item1", "item2", False),
        ("item", "item2", False),
        ("date", "data", True),
        ("day", "bay", False),
        ("search", "march", False),
    ],
)
def test_what_is_a_slip(one_name: str, other: str, slip: bool) -> None:
    assert is_slip(one_name, other) is is_slip(other, one_name) is slip


def test_an_unused_allow_goes_with_its_line() -> None:
    text = 'fact f\n\ntool t {\n  produces f\n  risk     read\n  allow    TP301 "later"\n}\n'
    assert mended(text) == "fact f\n\ntool t {\n  produces f\n  risk     read\n}\n"
    assert mended('fact f  tool t { produces f risk read allow TP301 "later" }') == "fact f  tool t { produces f risk read }"


def test_fix_writes_all_files_at_once_and_checks_again(tmp_path: Path) -> None:
    (tmp_path / "facts.toolplan").write_bytes(b"\xef\xbb\xbffcat ready\r\nfact sent\r\n")
    (tmp_path / "main.toolplan").write_text('import "facts.toolplan"\ntool t { requires redy produces sent risk read }\n', "utf-8")
    (tmp_path / "main.toolplan").chmod(0o640)
    ran = run("check", "--fix", "main.toolplan", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.splitlines() == [
        "mended facts.toolplan:1:1: `fcat` is now `fact`",
        "mended main.toolplan:2:19: `redy` is now `ready`",
    ]
    assert (tmp_path / "facts.toolplan").read_bytes() == b"\xef\xbb\xbffact ready\r\nfact sent\r\n"
    assert "requires ready" in (tmp_path / "main.toolplan").read_text("utf-8")
    assert (tmp_path / "main.toolplan").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["facts.toolplan", "main.toolplan"]


def test_fix_does_not_replace_a_read_only_file(tmp_path: Path) -> None:
    path = tmp_path / "d.toolplan"
    path.write_text("fcat f", "utf-8")
    path.chmod(0o444)
    ran = run("check", "--fix", "d.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (1, "cannot write `d.toolplan`: the file is read-only\n")
    assert path.read_text("utf-8") == "fcat f"


def test_fix_leaves_the_rest_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "d.toolplan"
    path.write_text("fact f  tool t { produces f }", "utf-8")
    ran = run("check", "--strict", "--fix", str(path))
    assert ran.returncode == 1
    assert "TP301" in ran.stderr
    assert path.read_text("utf-8") == "fact f  tool t { produces f }"


# Formats

WRONG = 'fact ready  tool t { requires redy produces ready }\nfact `a:b,c%`  tool send calls "a.b" { produces ready, `a:b,c%`, x }'
WARNED = 'fact f "50 % \u202e"  fact g\ntool t { produces f }\ntool u calls "x.y" { produces f, g risk read }'


@pytest.mark.parametrize("text", [WRONG, WARNED, SEARCH])
def test_sarif_holds_what_the_standard_requires(text: str) -> None:
    findings = check_text(text, "dir with blank/d.toolplan").diagnostics
    log = json.loads(json.dumps(sarif(list(findings), "1.2.3")))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (only,) = log["runs"]
    driver = only["tool"]["driver"]
    assert (driver["name"], driver["version"], only["columnKind"]) == ("toolplan", "1.2.3", "unicodeCodePoints")
    for rule in driver["rules"]:
        assert re.fullmatch(r"TP\d{3}", rule["id"])
        assert rule["shortDescription"]["text"].endswith(".")
        assert "```toolplan" in rule["help"]["markdown"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
    assert len(only["results"]) == len(findings)
    for result, finding in zip(only["results"], findings, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == finding.code.number
        assert result["level"] == finding.severity.value
        assert result["message"]["text"]
        places = [place["physicalLocation"] for place in (*result["locations"], *result.get("relatedLocations", ()))]
        for place in places:
            assert place["artifactLocation"]["uri"] == "dir%20with%20blank/d.toolplan"
            region = place["region"]
            assert (1, 1) <= (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
        for fix in result.get("fixes", ()):
            for change in fix["artifactChanges"]:
                assert change["artifactLocation"]["uri"]
                assert all(part["deletedRegion"]["startLine"] and "text" in part["insertedContent"] for part in change["replacements"])


def test_sarif_of_a_finding_without_a_place() -> None:
    assert sarif([Diagnostic(Code.ENGINE_MISSING, "no engine")], "1")["runs"][0]["results"][0]["locations"] == []


def test_github_commands_are_escaped_and_on_one_line() -> None:
    findings = check_text("fact ready\ntool t { requires redy }", "a,b:c%.toolplan").diagnostics
    assert github(findings) == [
        "::error file=a%2Cb%3Ac%25.toolplan,line=2,col=19,endLine=2,title=TP101 unknown-fact::unknown fact `redy`%0Adid you mean `ready`?"
    ]
    commands = github(check_text(WARNED).diagnostics)
    assert [command.split()[0] for command in commands] == ["::warning", "::warning", "::notice", "::notice"]
    assert all(len(command.splitlines()) == 1 for command in commands)


def test_github_of_a_finding_without_a_place() -> None:
    assert github([Diagnostic(Code.ENGINE_MISSING, "no engine")]) == ["::error title=TP501 engine-missing::no engine"]


def test_the_command_line_prints_each_format_to_stdout_alone(tmp_path: Path) -> None:
    (tmp_path / "d.toolplan").write_text("fact f  tool t { produces f }", "utf-8")
    plain = run("check", "d.toolplan", "--json", cwd=tmp_path)
    assert plain.stdout == run("check", "d.toolplan", "--format", "json", cwd=tmp_path).stdout
    assert [finding["code"] for finding in json.loads(plain.stdout)["diagnostics"]] == ["TP301"]
    scanned = run("check", "d.toolplan", "--format", "sarif", "--strict", cwd=tmp_path)
    assert (scanned.returncode, scanned.stderr) == (1, "")
    assert json.loads(scanned.stdout)["runs"][0]["results"][0]["ruleId"] == "TP301"
    commands = run("check", "d.toolplan", "--format", "github", cwd=tmp_path)
    assert commands.stdout.startswith("::warning file=d.toolplan,line=1,col=14,endLine=1,title=TP301 unrated-tool::")
    assert commands.stderr == ""
    assert run("check", "d.toolplan", "--format", "xml", cwd=tmp_path).returncode == 2


def test_loading_looks_for_errors_alone(tmp_path: Path) -> None:
    path = tmp_path / "d.toolplan"
    path.write_text("fact f  tool t { produces f }", "utf-8")
    assert [finding.code for finding in loading.check(path).diagnostics] == [Code.UNRATED_TOOL]
    assert list(loading.load(path).tools) == ["t"]
