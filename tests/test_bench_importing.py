"""The benchmark of imports, on extracts of real lists."""

from __future__ import annotations

from pathlib import Path

from toolplan.bench.importing import TITLE, Import, tables

DATA = Path(__file__).parent / "data"


def test_every_list_of_a_folder_is_a_row_and_holds() -> None:
    noted: list[str] = []
    found = list(tables([DATA / "mcp_imports", DATA / "openapi", DATA / "pddl"], noted.append))
    assert [title for title, _ in found] == [TITLE, TITLE]
    rows = [row for _, rows in found for row in rows if isinstance(row, Import)]
    assert [row.file for row in rows] == noted == ["linear.json", "airflow.yaml", "figma.yaml", "github.json"]
    assert [row.tools for row in rows] == [row.reachable for row in rows] == [14, 9, 8, 7]
    assert all((row.errors, row.exact, row.stable) == (0, True, True) for row in rows)
    assert rows[0].links > 0


def test_what_is_no_list_of_tools_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"x": 1}', "utf-8")
    assert list(tables([tmp_path], lambda _: None)) == []
