"""Logs and tables whose fields are separated by blanks are recognized by their first lines, whatever their name is."""

from pathlib import Path

import pytest

import anonset
from anonset.jobs.findings import Findings

FIELDS = "#Fields: date time cs-username cs-host sc-status"
VISITS = [
    f"2023-01-{n % 28 + 1:02} 10:{n % 60:02}:00 user{n % 40:02}x {('bank', 'news', 'clinic')[n % 3]}.example 200"
    for n in range(160)
]


def inspected(folder: Path, name: str, lines: list[str]) -> Findings:
    (folder / name).write_text("\n".join([*lines, ""]))
    found = anonset.inspect(folder / name)
    assert isinstance(found, Findings)
    return found


def columns_of(found: Findings) -> list[str]:
    return [column.profile.name for column in found.columns]


@pytest.mark.parametrize(
    "above", [[], ["#Version: 1.0"], ["#Software: x y", "#Version: 1.0", "#Date: 2023-06-01 0:00"]]
)
def test_the_fields_of_a_log_are_its_header(tmp_path: Path, above: list[str]) -> None:
    found = inspected(tmp_path, "u_ex23.log", [*above, FIELDS, *VISITS])
    assert (columns_of(found), found.rows) == (FIELDS.split()[1:], 160)
    roles = {"unit": "cs-username", "items": "cs-host", "drop": "date,time,sc-status"}
    table = anonset.read(tmp_path / "u_ex23.log", **roles, **found.recognised)
    assert (table.n, table.transactions.vocabulary.labels) == (40, ("bank.example", "clinic.example", "news.example"))


def test_a_second_line_of_fields_within_a_log_is_no_header(tmp_path: Path) -> None:
    with pytest.raises(anonset.InputError, match="line 103: 5 fields required"):
        inspected(tmp_path, "u_ex23.log", ["#Version: 1.0", FIELDS, *VISITS[:100], FIELDS, *VISITS[100:]])


def test_tables_separated_by_blanks_are_read(tmp_path: Path) -> None:
    rows = [f'10.1.7.{n % 30} - "GET /{n % 5} HTTP" {200 + n % 2}' for n in range(90)]
    assert columns_of(inspected(tmp_path, "access.log", rows)) == ["1", "2", "3", "4"]
    agents = [f'{row} "Mozilla/5.0 (X11; Linux x86_64)"' for row in rows]  # marks within quotes separate nothing
    assert columns_of(inspected(tmp_path, "agents.log", agents)) == ["1", "2", "3", "4", "5"]
    genes = [f"F{n // 2} I{n:03} {1 + n % 2} {n % 3}" for n in range(90)]
    assert columns_of(inspected(tmp_path, "plink.raw", ["FID IID SEX rs1", *genes])) == ["FID", "IID", "SEX", "rs1"]


def test_sets_that_end_with_a_mark_are_read(tmp_path: Path) -> None:
    lines = [f"{100 + n % 7} -1 {200 + n % 5} -1{' 300 -1' * (n % 2)} -2" for n in range(60)]
    assert inspected(tmp_path, "visits.txt", lines).recognised == {"input_format": "spmf"}


def test_sentences_are_no_table(tmp_path: Path) -> None:
    with pytest.raises(anonset.InputError, match="unknown format"):
        inspected(tmp_path, "notes.txt", ["word " * (3 + n % 4) + "end" for n in range(60)])
