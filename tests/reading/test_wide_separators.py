"""Separators of East Asian and Arabic scripts are noticed in cells, as semicolons, bars and commas are."""

import random
from pathlib import Path

import pytest
from tests.facts import refused

from anonset import inspect
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.spelling import as_options, spelled_by

GOODS = ["米", "卵", "牛乳", "茶", "魚", "豆腐"]
MARKS = ["、", "，", "；", "،", "؛", ";", "|", ","]


def sets(n: int = 60) -> list[list[str]]:
    chosen = random.Random(2)
    return [sorted(chosen.sample(GOODS, chosen.randint(1, 4))) for _ in range(n)]


@pytest.fixture(params=MARKS)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A file with a column of sets, and the separator of its items."""
    path = tmp_path / "shop.csv"
    lines = [f"P{n:03d}\t{request.param.join(row)}\n" for n, row in enumerate(sets())]
    path.write_text("id\titems\n" + "".join(lines))
    return path, request.param


def test_inspect_proposes_the_separator(shop: tuple[Path, str]) -> None:
    path, mark = shop
    findings = inspect(path)
    (column,) = [column for column in findings.columns if column.profile.name == "items"]
    assert (column.profile.kind, column.profile.distinct, column.role) == ("sets", 6, "items")
    assert findings.settings["separator"] == mark


def test_a_run_without_the_separator_stops_and_names_it(shop: tuple[Path, str]) -> None:
    path, mark = shop
    with spelled_by(as_options), refused(InputError, "'items' --one-code") as raised:
        read(path, items="items", unit="id")
    assert f"--separator {mark}" in str(raised.value).replace("'", "")
    rows = read(path, items="items", unit="id", separator=mark).transactions.rows()
    assert sorted(map(sorted, rows)) == sorted(sets())


@pytest.mark.parametrize("mark", ["、", "，", "；"])
def test_lines_of_items_name_the_format_and_the_separator(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "shop.dat"
    path.write_text("".join(f"{mark.join(row)}\n" for row in sets()))
    with spelled_by(as_options), refused(InputError, "'--input-format baskets'") as raised:
        read(path)
    assert f"--separator {mark}" in str(raised.value).replace("'", "")
    rows = read(path, input_format="baskets", separator=mark).transactions.rows()
    assert list(map(sorted, rows)) == sets()


def test_sentences_are_not_sets(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    notes = [f"今日は{n}時に起きて、薬を{n % 3}回飲みました、以上です" for n in range(40)]
    path.write_text("id\tcomment\n" + "".join(f"P{n:03d}\t{note}\n" for n, note in enumerate(notes)))
    (column,) = [column for column in inspect(path).columns if column.profile.name == "comment"]
    assert (column.profile.kind, column.role) == ("text", "drop")
