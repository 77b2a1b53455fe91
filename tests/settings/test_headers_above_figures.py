"""A first line with words above numbers, dates and codes is a header, even if one word is a value of its column."""

from pathlib import Path

import pytest

import anonset

HEAD = "Case;Born;Sex;Fee;BR"
ROWS = [
    f"C{n};{n % 28 + 1:02}.0{n % 9 + 1}.19{50 + n % 40};{'mv'[n % 2]};{n * 7 % 90},5;{'BR' if n % 5 else 'no'}"
    for n in range(90)
]
WORDS = [f"{'mv'[n % 2]};{'ABC'[n % 3]};{'xyz'[n % 3]}" for n in range(90)]


def columns_of(folder: Path, lines: list[str], **given: object) -> list[str]:
    (folder / "cases.csv").write_text("\n".join([*lines, ""]))
    inspection = anonset.inspect(folder / "cases.csv", **given)
    return [column.profile.name for column in inspection.columns]


def test_one_equal_cell_does_not_make_the_header_a_record(tmp_path: Path) -> None:
    assert columns_of(tmp_path, [HEAD, *ROWS]) == HEAD.split(";")


@pytest.mark.parametrize("rows", [ROWS, [f"P{n};{row}" for n, row in enumerate(WORDS)]])
def test_a_first_record_is_not_taken_for_a_header(tmp_path: Path, rows: list[str]) -> None:
    assert columns_of(tmp_path, rows)[:3] == ["1", "2", "3"]


def test_the_declared_header_line_overrides_the_detection(tmp_path: Path) -> None:
    lines = ["m;Q;z", *WORDS]
    assert columns_of(tmp_path, lines) == ["1", "2", "3"]
    assert columns_of(tmp_path, lines, header_line=1) == ["m", "Q", "z"]
