"""Ranges of a text are read as the same table, or cause the same error, as the file read from its beginning."""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from anonset.data import Column, NumericColumn
from anonset.data.storage.store import Files
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.reading.batches import open_source
from anonset.reading.formats import delimited_files, text_chunks, text_ranges
from anonset.reading.options import ReadOptions
from anonset.reading.table_builder import gather_files

FIELDS = ("x", "p 1", '"a,b"', '"a\nb"', '"\n"', '"""\n"""', '"\n\n,"', '5"', 'a"b', ' "q\nr"', "é", "")
ROWS = st.tuples(st.sampled_from(("c1", "c2 c3", '"c1\n c2"')), st.integers(0, 99).map(str), st.sampled_from(FIELDS))
ODD = ("", ",,", "Total,3,", "Note: made today", ",", '"', "c1,x,p", "c1,7", "c1,7,\udcff", '"c1"x,7,y', "c1,7,z\r")
TEXTS = st.builds(
    lambda rows, odd, place: [*rows[:place], *odd, *rows[place:]],
    st.lists(ROWS.map(",".join), min_size=5, max_size=25),
    st.lists(st.sampled_from(ODD), max_size=2),
    st.integers(0, 25),
)
ROLES = ReadOptions(items="codes", relational=("age", "place"), numeric=("age",), separator=" ", unit="row")


class OtherProcesses(Threads):
    """Threads that are used like workers in other processes."""

    remote = True


def values_of(column: Column) -> list[Any]:
    if isinstance(column, NumericColumn):
        return [*column.values.tolist()]
    return [column.vocabulary.labels[code] for code in column.codes]


def outcome(path: Path, options: ReadOptions, workers: Threads) -> Any:
    with Files.temporary(path.parent, workers=workers) as store:
        try:
            table = gather_files(path, options, store)
        except InputError as error:
            return str(error), error.place
        assert table.transactions is not None
        return [sorted(row) for row in table.transactions.rows()], *map(values_of, table.relational)


@given(TEXTS, st.sampled_from(("\n", "\r\n", "\r")), st.sampled_from((16, 40, 200)), st.booleans(), st.booleans())
@example(["c1,1,p"] * 5 + ["", "Total,3,"] + ["c1,1,p"] * 5, "\n", 16, False, False)
@example(["c1,1,p"] * 9 + ["c1,x,p"], "\n", 16, False, True)
@example(['c1,1,"a\nb"'] * 20 + ["c1"], "\n", 16, True, True)
@example(['c1,1,"' + "a\n" * 9 + 'b"', "c1,2,p"] * 9, "\n", 16, True, False)
@example(["c1,1,p"] * 20 + ["c1,1"], "\r\n", 16, True, False)
def test_ranges_are_read_as_the_same_table(lines: list[str], end: str, piece: int, last: bool, mark: bool) -> None:
    text = "\n".join(["codes,age,place", *lines]) + ("\n" if last else "")
    data = text.replace("\n", end).encode("utf-8", "surrogateescape")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited_files, "HEAD", 64)  # errors below are found when the ranges are read
        patch.setattr(text_chunks, "BYTES_AT_ONCE", piece)
        patch.setattr(text_ranges, "SECTION", 2 * piece)
        patch.setattr(text_ranges, "_NEAR", piece // 2)
        path = Path(folder, "v.csv")
        path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + data)
        expected = outcome(path, ROLES, Threads(1))
        assert outcome(path, ROLES, OtherProcesses(2)) == expected
        kind = "error" if isinstance(expected[0], str) else "table"
        with suppress(InputError):
            event(f"{kind}, {min(3, len(open_source(path, ROLES).parts(Threads(1))))} ranges")


SETS = ("1 2", "3", "", " ", "é 1 1", "10\t9", "a,b", '"a,b",c', '"a\nb";c', "a;b", '5"')
ODD_SETS = ("1 -1 2 -1 -2", "a,", "\udcff", "@ITEM=1=a", '"', "\0", "['a', 'b']", "-2")
LISTS = st.one_of(
    st.lists(st.sampled_from(SETS), max_size=30),
    st.lists(st.sampled_from(SETS + ODD_SETS), max_size=30),
    st.lists(st.sampled_from(("1 2", "2 1 3", "12", "")), min_size=5, max_size=60),
    st.lists(st.sampled_from(("a,b", "c", '"b,\nd",a', "")), min_size=5, max_size=60),
    st.lists(st.sampled_from(("1 -1 2 -1 -2", "3 -2", "")), max_size=30),
)


@given(LISTS, st.sampled_from(("\n", "\r\n", "\r")), st.sampled_from((16, 40)), st.sampled_from((None, ",", " ")))
@example(["1 -1 -2"] * 40, "\n", 16, None)
@example(["1 -1 -2"] * 40 + ["1"], "\n", 16, None)
@example(["1 2"] * 40 + ["1 2\udcff"], "\n", 16, None)
@example(["1 2"] * 40 + ["1,2 3"] * 2 + ["1 2"] * 40 + ["4,5"], "\n", 16, None)
@example(['"a,\nb",c'] * 40 + ['"a'], "\n", 16, ",")
@example(["a,b"] * 40 + ["c;d"], "\n", 16, None)
@pytest.mark.parametrize("form", ["fimi", "baskets"])
def test_ranges_of_sets_are_read_as_the_same_table(
    form: str, lines: list[str], end: str, piece: int, separator: str | None
) -> None:
    data = "\n".join([*lines, ""]).replace("\n", end).encode("utf-8", "surrogateescape")
    options = ReadOptions(input_format=form, separator=separator)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_chunks, "BYTES_AT_ONCE", piece)
        patch.setattr(text_ranges, "SECTION", 2 * piece)
        patch.setattr(text_ranges, "_NEAR", piece // 2)
        path = Path(folder, "v.dat")
        path.write_bytes(data)
        expected = outcome(path, options, Threads(1))
        assert outcome(path, options, OtherProcesses(2)) == expected
        kind = "error" if isinstance(expected[0], str) else "table"
        with suppress(InputError):
            event(f"{kind}, {min(3, len(open_source(path, options).parts(OtherProcesses(2))))} ranges")
