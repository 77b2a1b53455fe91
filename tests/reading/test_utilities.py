"""Lines of items with utilities (``items:total:utilities``) are recognized in every format of baskets."""

import random
from pathlib import Path

import pytest
from tests.facts import refused

from anonset import inspect
from anonset.errors import InputError, MisreadError
from anonset.reading.read import read
from anonset.reading.scan import scan
from anonset.spelling import as_options, spelled_by

SETS = [random.Random(n).sample(range(1, 9), 1 + n % 4) for n in range(40)]


def with_utilities(sets: list[list[int]], *, more: str = "") -> str:
    lines = []
    for row in sets:
        utilities = [3 * item % 7 + 1 for item in row]
        lines.append(f"{' '.join(map(str, row))}:{sum(utilities)}:{' '.join(map(str, utilities))}{more}\n")
    return "".join(lines)


@pytest.mark.parametrize("reading", [read, scan])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("u.dat", {}),
        ("u.txt", {"input_format": "fimi"}),
        ("u.txt", {"input_format": "baskets"}),
        ("u.txt", {"input_format": "baskets", "separator": " "}),
        ("u.txt", {}),
    ],
)
def test_utilities_are_never_items(tmp_path: Path, name: str, options: dict[str, str], end: str, reading) -> None:
    path = tmp_path / name
    path.write_bytes(with_utilities(SETS).replace("\n", end).encode())
    with spelled_by(as_options), refused(MisreadError, "'--input-format spmf'"):
        reading(path, **options)
    if not options:
        assert inspect(path).settings["input_format"] == "spmf"
    rows = reading(path, input_format="spmf").transactions.rows()
    assert [sorted(map(int, row)) for row in rows] == [sorted(row) for row in SETS]


def test_one_line_with_utilities_suffices(tmp_path: Path) -> None:
    path = tmp_path / "u.dat"
    path.write_text("1 2\n1 4 7:7:5 1 1\n5\n")
    with spelled_by(as_options), refused(MisreadError, "'--input-format spmf'"):
        read(path)
    assert list(map(sorted, read(path, input_format="spmf").transactions.rows())) == [
        ["1", "2"],
        ["1", "4", "7"],
        ["5"],
    ]


def test_names_and_notes_may_contain_colons(tmp_path: Path) -> None:
    path = tmp_path / "u.txt"
    path.write_text("@ITEM=1=tea: green\n% note: none\n1 2:5:2 3\n2:1.5:1.5\n")
    rows = read(path, input_format="spmf").transactions.rows()
    assert list(map(sorted, rows)) == [["2", "tea: green"], ["2"]]


@pytest.mark.parametrize("line", ["1 2:5:2", "1 2:5", "1:a:1", ":1:1", "1 a:b 2"])
def test_other_colons_in_spmf_files_are_rejected_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "u.txt"
    path.write_text(f"% note\n1 2:5:2 3\n{line}\n")
    with refused(InputError, "'line 3' items:total:utilities") as raised:
        read(path, input_format="spmf")
    assert raised.value.place["line"] == 3


@pytest.mark.parametrize(
    "text", ["12:30:45\n08:15:00\n", "a:1:2 b:3:4\n", "drug:x code:y\n", "1 2 3\n1 2 10:20:30 5 6\n"]
)
def test_other_items_with_colons_are_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.dat"
    path.write_text(text)
    assert [sorted(row) for row in read(path).transactions.rows()] == [
        sorted(set(row.split())) for row in text.splitlines()
    ]
