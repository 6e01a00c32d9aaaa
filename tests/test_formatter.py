"""The formatter: its layout by example, and that it changes nothing else."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import trees
from commands import Ran, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplan.cli.exits import Exit
from toolplan.language import nodes
from toolplan.language.diagnostics import DomainError
from toolplan.language.formatter import MisreadError, format_file, format_source
from toolplan.language.parser import parse
from toolplan.language.source import Source, Span
from toolplan.language.tables import clause_words, keywords, raw_tokens

ROOT = Path(__file__).parent.parent


def content(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


FILES = sorted(
    path
    for folder in ("domains", "tests/snippets")
    for path in (ROOT / folder).rglob("*.toolplan")
    if not parse(Source("<file>", content(path)))[1]
)
PROPERTY = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def formatted(text: str) -> str:
    return format_source(Source("<text>", text))


def remarks(file: nodes.File) -> list[str]:
    return [comment.text.rstrip() for comment in file.comments]


# The layout, by example: what is written, and what it becomes. Where both are the same, only the second stands here.

KEPT = {
    "an empty file": "",
    "nothing but comments": "# one\n\n# two\n# three\n",
    "one-line declarations": """\
domain d "words"

import "a.toolplan"
import "b.toolplan"

type file
type report: file
constant handbook, letter: file
fact seen(file)
fact sent
fact text_of(file): text many by others fresh 10m
""",
    "descriptions of one kind in a column, up to the next blank line": """\
type file         "a document"
type report: file "one of a kind"
fact a                  "one"
fact found(file): text  "two"
fact without_description(file, file): datetime many
fact c closed fresh 10m "three"

fact dd "four"
""",
    "a head that is much wider than the others stands out": '''\
fact a  "short, and followed by a description that would go far over the width of the page if it moved"
fact bb "short"
fact state: enum("waiting", "being looked at", "answered", "sent back") "long"
''',
    "a block": """\
tool share(f: file, p: person) calls "files.share" {
  "Give a person access."
  requires found(f), resolved(p)
  produces shared(f, p)
  removes  private(f)
  fails when $.error
  cost 2
  risk share
  confirm
}
""",
    "words wider than usual": """\
tool t by user {
  capability refunds
  requires   a
  produces   b
  use when   "something was charged twice"
  do not use when "nothing was"
  side effect "money moves"
  idempotent
  confirm by boss
}
""",
    "short blocks that were written on one line": """\
tool t { requires a, b produces c risk read }
ask q { produces a cost 0.5 }
policy {}
""",
    "slots of phrases, as they were written": """goal g(f: file) { achieves a phrases "send { f } to {named( p ,q)}", "{{f}} \\\\ {}" }
""",
    "policy": """\
policy {
  confidence 0.70
  clarify    late
  ask        1
  risk read 0 safe, send 3 confirm, erase 5 confirm by boss
  always visible stop
}
""",
    "a test over several turns": """\
test "say it" {
  given   a, not b(x), c?, d(x) = "text", e? = [1, 2]
  goal    g(x), not h
  request "do it"
  expect  find(x)
  when    find(x) returns {"items": [{"id": 1, "ok": true}], "next": null}
  when    find(x) returns a, b
  when    find(x) in doubt
  when    user declines

  expect  question which(x)
  expect  frontier read(x), find(x)
  expect  blocked by b
  expect  blocked
  never   send(x), drop without a
}
""",
    "conditions and effects": """\
tool t(f: file) {
  requires a, (b or (c, not d)), not (e or g), f = f, forall x: file (seen(x) or x != f)
  produces a when (b, not c), forall x: file (seen(x), d when e), oneof ((a, not b) or c or not d)
  passes   to = [found(f), "x", 1], "X-Key" = key, mode free, body from a, found(f)
  checks   amount <= charged(f), currency = "EUR"
  returns  a = $.items[?@.a == "b, c"].id, b = pattern "(?P<b>.*)", c = by reader
}
""",
    "what is longer than a line": """\
tool search_with_a_rather_long_name(first: file, second: file, third: person)
     calls "files.search-with-a-rather-long-name" {
  requires found_in_the_archive(first), found_in_the_archive(second), resolved_by_name(third),
           (allowed_to_everybody or allowed_to_this_person(first, third)
            or allowed_to_this_person(second, third))
  produces oneof ((shared_with_everybody_in_the_company(first), known_to_the_owner_of_it(first))
                  or refused)
  passes   method = "search", query = "an option that is just as long as the rest of this line is",
           paths = [path_of_the_file_that_comes_first(first), path_of_the_file_after_it(second),
                    "somewhere"],
           message from found_in_the_archive(first), found_in_the_archive(second),
                        resolved_by_name(third)
}

fact state(file): enum("waiting for an answer", "being looked at by somebody", "answered",
                       "sent back to where it came from") closed "how far it is"
""",
    "comments beside what they are about": """\
# above the header
domain d  # beside it

# on its own

# above the tool
tool t {  # beside the brace
  # above the description
  "Words."  # beside it

  # above `requires`
  requires a,  # beside a
           # above b
           b, c  # beside the clause
  produces d
  # at the end of the block
}  # beside the end
""" + """
# below the block
fact a  # beside a
fact b
# at the end of the file
""",
    "comments of lines that follow each other, in a column": """\
type a    # one
type bcd  # two
type e
type fg  # three
""",
    "comments among alternatives": """\
goal g {
  achieves a  # one
           or b
           # two
           or c
}
""",
    "names in backquotes": """\
fact `not`(`two words`): `1st` "but no other word: ` names nothing here"
fact fact(goal): closed closed

test "words" {
  expect `question`, question
  expect question question
  when   `user` fails
}
""",
    "strings": '''\
fact a "tab \\t, quote \\", backslash \\\\, bell \\u{7}, naïve – 名前 🦷"

fact b """Two
  lines: "one", \\"" and \\\\n, two\\""""
''',
    "line ends of Windows": "type a\r\n\r\ntool t {\r\n  \"\"\"Two\r\nlines\"\"\"\r\n}\r\n",
}  # fmt: skip

CHANGED = {
    "white space": ("  type\tfile\r\n\n\n\nfact  a ( file ,x:file ):text   closed", "type file\n\nfact a(file, x: file): text closed\n"),
    "everything on one line": (
        "domain d fact a fact b tool t { requires a }", "domain d\nfact a\nfact b\ntool t { requires a }\n"
    ),
    "blank lines around blocks": (
        "fact a\ntool t {\nrequires a }\n# about u\ntool u {\n\nrequires a\n\n\nproduces b\n\n}\nfact b",
        "fact a\n\ntool t {\n  requires a\n}\n\n# about u\ntool u {\n  requires a\n\n  produces b\n}\n\nfact b\n",
    ),
    "a short block over several lines": ("goal g {\nachieves a }", "goal g {\n  achieves a\n}\n"),
    "an empty block over several lines": ("policy {\n\n}", "policy {}\n"),
    "a block that is too long for one line": (
        f'goal g {{ achieves a phrases "{"x" * 80}" }}', f'goal g {{\n  achieves a\n  phrases  "{"x" * 80}"\n}}\n'
    ),
    "brackets that say nothing": ("goal g { achieves ((a), (b or (c))) }", "goal g { achieves a, (b or c) }\n"),
    "parameters that are none": ("tool t() { produces a() }\nfact f()", "tool t { produces a() }\nfact f\n"),
    "needless backquotes and escapes": ('fact `a` "\\u{e9}\\u{22}"', 'fact a "é\\""\n'),
    "line breaks as escapes": ('fact a "one\\ntwo\\\\n"', 'fact a """one\ntwo\\\\n"""\n'),
    "a long string on one line": ('fact a """one "two" three"""', 'fact a "one \\"two\\" three"\n'),
    "numbers stay as written": ("ask q { cost 007.50 }", "ask q { cost 007.50 }\n"),
    "a byte order mark": ("\ufefftype a", "type a\n"),
    "blanks after a comment": ("# a \t\ntype a #b  ", "# a\ntype a  #b\n"),
    "a comment in the head of a block": ("tool t(f: # one\n file) # two\n{ # three\n}", "# one\n# two\ntool t(f: file) {  # three\n}\n"),
    "a comment in a declaration": ("fact a\nfact b( # one\nfile): # two\ntext # three", "fact a\n# one\n# two\nfact b(file): text  # three\n"),
    "comments in the first value and in another": (
        "goal g { achieves # one\na( # two\nb), c, (d # three\nor e), f( # four\n) }",
        "goal g {\n  # one\n  # two\n  achieves a(b), c,\n           # three\n           (d or e),\n           # four\n           f()\n}\n",
    ),
    "comments between the words of a clause": ("test \"t\" { expect # one\nblocked # two\n}", 'test "t" {\n  # one\n  expect blocked  # two\n}\n'),
    "a comment before a comma": ("goal g { given a # one\n, b }", "goal g {\n  given a,  # one\n        b\n}\n"),
    "comments after the end": ("fact a\n\n\n# one\n\n\n\n# two", "fact a\n\n# one\n\n# two\n"),
    "a comment that holds a brace": ("tool t # {\n{ # }\n}", "# {\ntool t {  # }\n}\n"),
    "old line ends": ("# one\rtype a # two\r# three\rtype b", "# one\ntype a  # two\n# three\ntype b\n"),
}  # fmt: skip


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_has_the_layout_is_kept(text: str) -> None:
    assert formatted(text) == text


@pytest.mark.parametrize(("text", "expected"), CHANGED.values(), ids=CHANGED)
def test_what_has_not_gets_it(text: str, expected: str) -> None:
    assert formatted(text) == expected
    assert formatted(expected) == expected


def test_a_word_of_the_language_needs_no_backquotes_unless_it_is_reserved() -> None:
    quoted = [word for word in keywords() if f"`{word}`" in formatted(f"type `{word}`")]
    assert sorted(quoted) == ["exists", "forall", "not", "oneof", "or", "when"]


# What holds of every file


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_keeps_its_meaning_and_its_comments(path: Path) -> None:
    source = Source(path.name, content(path))
    file, text = parse(source)[0], format_source(source)
    again, findings = parse(Source(path.name, text))
    assert findings == []
    assert again.declarations == file.declarations
    assert remarks(again) == remarks(file)
    assert formatted(text) == text


@PROPERTY
@given(trees.files)
def test_a_tree_is_read_as_it_was_written(file: nodes.File) -> None:
    text = format_file(file)
    again, findings = parse(Source("<text>", text))
    assert findings == []
    assert again == file
    assert formatted(text) == text


BREAKS = [" ", "\n", "\n\n", "# {n} \n", "\n# {n}\n", '\n\n# {n} "{{\n\n', "  # {n} }}\n# {n}b\n\n\n", "#{n}\r\n", "\r\r# {n}\r"]
"""What may stand between two tokens."""


@st.composite
def scattered(draw: st.DrawFn) -> tuple[nodes.File, str]:
    """A tree, and text that reads as this tree, with line ends and comments between any two tokens."""
    tree = draw(trees.files)
    source = Source("<text>", format_file(tree))
    starts = {declaration.span.start for declaration in parse(source)[0].declarations}
    tokens = raw_tokens(source.text)
    parts, at = [], 0
    for number, token in enumerate(tokens):
        start = token.start_pos or 0
        if draw(st.integers(0, 4)) == 0:
            gap = draw(st.sampled_from(BREAKS)).format(n=number)
            # A path takes whatever follows it, up to a blank.
            gap = f" {gap}" if number and tokens[number - 1].type == "PATH" else gap
            # Only a declaration starts at the margin: where its brace is missing, that tells where it ends.
            parts += [source.text[at:start], gap if start in starts else gap.replace("\n", "\n      ")]
            at = start
    return tree, "".join([*parts, source.text[at:], draw(st.sampled_from(["", "# end", "\n\n# end\n"]))])


@PROPERTY
@given(scattered())
def test_comments_are_kept_wherever_they_stand(drawn: tuple[nodes.File, str]) -> None:
    tree, text = drawn
    file, findings = parse(Source("<text>", text))
    assert findings == []
    assert file.declarations == tree.declarations
    once = formatted(text)
    assert remarks(parse(Source("<text>", once))[0]) == remarks(file)
    assert formatted(once) == once


@pytest.mark.parametrize("text", ["tool t {", "fact a b", 'fact a "', "type `", "tool t { requires (a or b, c) }"])
def test_what_cannot_be_read_is_not_formatted(text: str) -> None:
    with pytest.raises(DomainError) as raised:
        formatted(text)
    assert tuple(raised.value.diagnostics) == tuple(parse(Source("<text>", text))[1])


@pytest.mark.parametrize("name", ["", "a`b", "a\nb"])
def test_a_tree_that_no_text_means_is_not_written(name: str) -> None:
    nowhere = Span(0, 0)
    declaration = nodes.TypeDeclaration(nodes.Name(name, nowhere), None, None, nowhere)
    with pytest.raises(MisreadError):
        format_file(nodes.File(Source("<tree>", ""), (declaration,), ()))


def test_a_lost_comment_is_noticed() -> None:
    file = parse(Source("<text>", "type a"))[0]
    stray = nodes.Comment("no comment", Span(0, 0))
    with pytest.raises(MisreadError):
        format_file(nodes.File(file.source, file.declarations, (stray,)))


def test_deep_nesting_is_no_reason_to_fail() -> None:
    text = f"goal g {{ achieves {'not (a, ' * 49}b{')' * 49} }}"
    once = formatted(text)
    assert formatted(once) == once


@pytest.mark.parametrize("kind", trees.CLAUSES)
def test_every_clause_of_the_grammar_is_drawn(kind: str) -> None:
    words = {word.split()[0].upper() for word in trees.CLAUSES[kind] if word}
    assert words == clause_words(kind.upper()) - {"STRING", "LONG_STRING"}


# The command

UGLY = "fact   a\n# why\ntool t{requires a produces a}\n"
NEAT = "fact a\n# why\ntool t { requires a produces a }\n"


def fmt(*arguments: str, cwd: Path, text: str | bytes = b"") -> Ran:
    return run("fmt", *arguments, cwd=cwd, text=text)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def test_files_and_directories_are_rewritten_and_only_where_something_changes(tmp_path: Path) -> None:
    ugly, neat = write(tmp_path / "ugly.toolplan", UGLY), write(tmp_path / "neat.toolplan", NEAT)
    inner, other = write(tmp_path / "inner" / "x.toolplan", UGLY), write(tmp_path / "inner" / "x.txt", UGLY)
    hidden = write(tmp_path / ".hidden" / "x.toolplan", UGLY)
    before = neat.stat()
    ran = fmt(".", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (Exit.OK, "./ugly.toolplan\n./inner/x.toolplan\n", "")
    assert content(ugly) == content(inner) == content(neat) == NEAT
    assert content(other) == content(hidden) == UGLY
    assert (neat.stat().st_ino, neat.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert fmt(".", cwd=tmp_path).stdout == ""


def test_check_lists_what_would_change_and_writes_nothing(tmp_path: Path) -> None:
    ugly, _ = write(tmp_path / "ugly.toolplan", UGLY), write(tmp_path / "neat.toolplan", NEAT)
    ran = fmt("--check", "neat.toolplan", "ugly.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (Exit.INPUT, "ugly.toolplan\n")
    assert content(ugly) == UGLY
    assert fmt("--check", "neat.toolplan", cwd=tmp_path).returncode == Exit.OK


def test_a_diff_can_be_applied(tmp_path: Path) -> None:
    path = write(tmp_path / "ugly.toolplan", UGLY.removesuffix("\n"))
    ran = fmt("--diff", "ugly.toolplan", cwd=tmp_path)
    assert ran.returncode == Exit.OK
    assert ran.stdout.startswith("--- ugly.toolplan\n+++ ugly.toolplan\n@@")
    assert "\\ No newline at end of file" in ran.stdout
    assert content(path) == UGLY.removesuffix("\n")
    assert "No newline" not in fmt("-", "--diff", cwd=tmp_path, text="type  a # one\r# two\n").stdout
    assert fmt("--diff", "--check", "ugly.toolplan", cwd=tmp_path).returncode == Exit.INPUT


def test_stdin_goes_to_stdout_byte_for_byte(tmp_path: Path) -> None:
    ran = fmt("-", cwd=tmp_path, text=UGLY.replace("\n", "\r\n"))
    assert (ran.returncode, ran.stdout, ran.stderr) == (Exit.OK, NEAT.replace("\n", "\r\n"), "")
    assert fmt("-", cwd=tmp_path, text=NEAT).stdout == NEAT
    assert fmt("-", "--check", cwd=tmp_path, text=UGLY).stdout == "-\n"
    assert fmt("-", "--check", cwd=tmp_path, text=UGLY).returncode == Exit.INPUT
    assert fmt("-", "--check", cwd=tmp_path, text=NEAT).returncode == Exit.OK


def test_json_is_all_that_stdout_holds(tmp_path: Path) -> None:
    write(tmp_path / "ugly.toolplan", UGLY), write(tmp_path / "neat.toolplan", NEAT), write(tmp_path / "bad.toolplan", "tool t {")
    ran = fmt("--json", "--diff", "ugly.toolplan", "neat.toolplan", "bad.toolplan", cwd=tmp_path)
    data = json.loads(ran.stdout)
    assert (ran.returncode, ran.stderr) == (Exit.INPUT, "")
    assert [(entry["file"], entry["changed"], bool(entry["diff"])) for entry in data["files"]] == [
        ("ugly.toolplan", True, True),
        ("neat.toolplan", False, False),
        ("bad.toolplan", False, False),
    ]
    assert [finding["code"] for finding in data["diagnostics"]] == ["TP004"]
    assert json.loads(fmt("-", "--json", cwd=tmp_path, text=UGLY).stdout)["files"][0]["text"] == NEAT


def test_a_file_that_cannot_be_read_is_left_alone_and_the_others_are_not(tmp_path: Path) -> None:
    bad, ugly = write(tmp_path / "bad.toolplan", "fact   a\ntool t { requires }"), write(tmp_path / "ugly.toolplan", UGLY)
    ran = fmt("bad.toolplan", "none.toolplan", "ugly.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (Exit.INPUT, "ugly.toolplan\n")
    assert "error[TP001]" in ran.stderr
    assert "error[TP601]: cannot read `none.toolplan`: no such file or directory" in ran.stderr
    assert content(bad) == "fact   a\ntool t { requires }"
    assert content(ugly) == NEAT
    ran = fmt("-", cwd=tmp_path, text=b'fact a "\xe9"')
    assert (ran.returncode, ran.stdout) == (Exit.INPUT, "")
    assert "error[TP602]" in ran.stderr


def test_a_file_that_only_another_check_finds_wrong_is_formatted(tmp_path: Path) -> None:
    assert fmt("-", cwd=tmp_path, text="goal   g { achieves nothing_declared }").stdout == "goal g { achieves nothing_declared }\n"


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "ugly.toolplan", UGLY)
    path.chmod(0o444)
    ran = fmt("ugly.toolplan", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (Exit.USAGE, "")
    assert ran.stderr == "cannot write `ugly.toolplan`: the file is read-only\n"
    assert content(path) == UGLY
    assert json.loads(fmt("--json", "ugly.toolplan", cwd=tmp_path).stdout)["files"][0]["error"]
    assert fmt("--check", "ugly.toolplan", cwd=tmp_path).returncode == Exit.INPUT


def test_permissions_are_kept_and_links_stay_links(tmp_path: Path) -> None:
    path = write(tmp_path / "ugly.toolplan", UGLY)
    path.chmod(0o640)
    link = tmp_path / "link.toolplan"
    link.symlink_to(path)
    assert fmt("link.toolplan", cwd=tmp_path).returncode == Exit.OK
    assert link.is_symlink()
    assert content(path) == NEAT
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failed_write_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    """The limit on the size of files makes the kernel refuse the second half of what is written."""
    text = UGLY + "".join(f"fact   number_{number}\n" for number in range(1000))
    path = write(tmp_path / "ugly.toolplan", text)
    script = (
        "import resource, signal, sys; from toolplan.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "sys.dont_write_bytecode = True; sys.argv = ['toolplan', 'fmt', 'ugly.toolplan']; main()"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == Exit.USAGE, ran.stderr
    assert ran.stderr == "cannot write `ugly.toolplan`: file too large\n"
    assert content(path) == text
    assert os.listdir(tmp_path) == ["ugly.toolplan"]


def test_no_files_are_no_mistake(tmp_path: Path) -> None:
    ran = fmt("--check", ".", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (Exit.OK, "", "no .toolplan files there\n")
    assert fmt(cwd=tmp_path).returncode == Exit.USAGE
