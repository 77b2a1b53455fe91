"""A row that repeats the header, as in joined files, is rejected, and not read as a person."""

from pathlib import Path

import pytest
from tests.facts import refused

import anonset
from anonset.errors import InputError
from anonset.reading.formats import text_chunks
from anonset.reading.read import read


@pytest.mark.parametrize("at_once", [1 << 20, 8])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_that_repeats_the_header_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, at_once: int
) -> None:
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", at_once)
    lines = ["who,codes", "1,a b", "2,a b", "who,codes", "3,a b", ""]
    (tmp_path / "joined.csv").write_bytes(end.join(lines).encode())
    with refused(InputError, "joined.csv 4 no_header"):
        read(tmp_path / "joined.csv", unit="who", items="codes")


def test_other_rows_and_single_columns_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,codes\n1,a b\nwho,codes b\n")
    (tmp_path / "b.csv").write_text("a\nb\na\nb\n")
    (tmp_path / "c.csv").write_text("1,a\n2,a\n1,a\n")
    (tmp_path / "d.csv").write_text("7,a\n8,a\n7,a\n")
    assert read(tmp_path / "d.csv", items="a", drop="7").n == 2
    assert read(tmp_path / "a.csv", unit="who", items="codes").n == 2
    assert read(tmp_path / "b.csv", items="a").n == 3
    assert read(tmp_path / "c.csv", no_header=True, items="2", drop="1").n == 3


def test_inspect_reads_the_names_below_groups_that_are_repeated(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    rows = [f"{1000 + n // 2},{'fm'[n // 2 % 2]},E1{n % 5},{n % 9}" for n in range(120)]
    path.write_text("\n".join(["Patient,Patient,Visit,Visit", "id,sex,code,dose", *rows, ""]))
    found = anonset.inspect(path, unit="id")
    assert (found.records, found.settings["header_line"], found.settings["items"]) == (60, 2, ["code"])
