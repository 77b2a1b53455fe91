"""Lines of items in CSV files, and lines above a header. No record is skipped without a question."""

import random
from pathlib import Path

import pytest
from tests.facts import names, refused

from anonset import inspect
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.spelling import as_options, spelled_by

GOODS = ["whole milk", "soda", "rolls/buns", "yogurt", "other vegetables", "citrus fruit", "coffee", "tropical fruit"]
FULL = ["soda", "whole milk", "tropical fruit", "yogurt"]


def baskets(n: int = 60, *, seed: int = 0) -> list[list[str]]:
    """Return baskets of one to four goods. The third basket has four goods."""
    chosen = random.Random(seed)
    rows = [chosen.sample(GOODS, chosen.choice([1, 2, 2, 3, 4])) for _ in range(n)]
    return [["coffee"], ["soda", "whole milk"], FULL, *rows[3:-1], ["whole milk"]]


def padded(rows: list[list[str]], mark: str = ",") -> list[str]:
    return [mark.join([*row, *[""] * (4 - len(row))]) for row in rows]


@pytest.mark.parametrize("name", ["ragged.csv", "ragged.txt"])
@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("first", ["short", "full"])
@pytest.mark.parametrize("trailing", [True, False])
def test_baskets_in_a_csv_file_lose_no_line_and_no_word(
    tmp_path: Path, name: str, mark: str, first: str, trailing: bool
) -> None:
    rows = baskets() if first == "short" else [FULL, *baskets()]
    lines = padded(rows, mark) if trailing else [mark.join(row) for row in rows]
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    findings = inspect(path)
    assert (findings.records, [column.profile.name for column in findings.columns]) == (len(rows), ["items"])
    assert findings.settings["input_format"] == "baskets"
    assert names(findings.problems[0], "input_format baskets detected")
    table = read(path, input_format="baskets")
    assert list(table.transactions.vocabulary.labels) == sorted(GOODS)


def test_the_separator_of_baskets_is_passed_on_if_other_delimiters_occur(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("\n".join(padded(baskets())).replace("soda", "so;da"))
    settings = inspect(path).settings
    assert (settings["input_format"], settings["separator"]) == ("baskets", ",")


def test_a_run_on_baskets_with_roles_names_the_format(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("\n".join(padded(baskets())))
    with spelled_by(as_options), refused(InputError, "'--input-format baskets'") as raised:
        read(path, items="coffee")
    assert "--header-line" not in str(raised.value)


def test_unique_records_above_a_full_line_are_not_skipped(tmp_path: Path) -> None:
    rows = [[f"{letter}{n}" for letter in "abcd"[: 2 + n % 3]] for n in range(40)]
    rows[2] = ["Ann", "Bea", "Cid", "Dee"]
    path = tmp_path / "unique.csv"
    path.write_text("\n".join(padded(rows)))
    with refused(InputError, "'line 2' 'column 3'"):
        inspect(path)


TITLES = [["Report,,,"], ["Report,2024,,", ",,,"], ["Report of March"], ["Ward,North,,", "Period,Q1,,"]]


@pytest.mark.parametrize("above", TITLES)
def test_titles_above_a_header_are_skipped_and_counted(tmp_path: Path, above: list[str]) -> None:
    rows = [f"{20 + n % 60},{'fm'[n % 2]},E1{n % 7},I1{n % 5}" for n in range(60)]
    path = tmp_path / "titled.csv"
    path.write_text("\n".join([*above, "age,sex,dx1,dx2", *rows]))
    findings = inspect(path)
    assert (findings.records, findings.settings["header_line"]) == (60, len(above) + 1)
    assert names(findings.problems[0], f"detected {len(above)}")


@pytest.mark.parametrize(
    "rows",
    [
        [f"P{n},E1{n % 3},{'I1' * (n % 2)}" for n in range(30)],  # an id
        [f"{n % 5 + 1},{n % 3 + 1},{str(n % 2 + 1) * (n % 2)}" for n in range(30)],  # answers, equal in many rows
        ["first,second,third", *[",".join(row) for row in baskets() if len(row) < 4]],  # a header
        [",".join([*row, ""][:3]) for row in baskets() if len(row) == 2],  # all of one size
    ],
)
def test_other_tables_are_not_read_as_baskets(tmp_path: Path, rows: list[str]) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\n".join(rows))
    try:
        answer = str(inspect(path).settings)
    except InputError as error:
        answer = str(error)
    assert "baskets" not in answer


FIXED = "".join(f"07{n:04}{name}F19{48 + n % 40}E11.9 \n" for n, name in enumerate(["BERG       ", "LINDAL     "] * 20))
LIST = "".join(f"|{n:05}|{name}|E11.9 |\n" for n, name in enumerate(["Berg     ", "Lindal   "] * 20))


@pytest.mark.parametrize("rows", [20, 40])
@pytest.mark.parametrize("text", [FIXED, LIST])
@pytest.mark.parametrize("file", ["people.dat", "people.txt"])
def test_columns_of_fixed_width_are_no_baskets(tmp_path, rows, text, file):
    (tmp_path / file).write_text("\n".join(text.splitlines()[:rows]) + "\n")
    with refused(InputError, "'fixed width' CSV"):
        inspect(tmp_path / file)


def test_lines_of_json_are_read_whatever_the_name_is(tmp_path):
    (tmp_path / "visits.json").write_text("".join(f'{{"pid": "p{n // 2}", "code": "E1{n % 3}"}}\n' for n in range(60)))
    assert inspect(tmp_path / "visits.json").rows == 60
