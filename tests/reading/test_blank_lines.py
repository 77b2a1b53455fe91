"""A blank line is a record if the file has a single column, and is rejected otherwise."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

import anonset.reading.formats.delimited
from anonset.data import CategoricalColumn, SetColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.publications import Records
from anonset.reading.publications.buckets import read_buckets
from anonset.reading.publications.records import read_published
from anonset.reading.read import read
from anonset.writing.publications.records import write_published

pytestmark = pytest.mark.compiled

ENDS = [b"\n", b"\r\n", b"\r"]
SEVERAL = [
    (b"a,b\n1,2\n\n3,4\n", 3),
    (b"a,b\n1,2\n\n", 3),
    (b"a,b\n1,2\n3,4\n\n\n\n", 4),
    (b"a,b\n\n1,2\n", 2),
    (b"a,b\n\n", 2),
    (b"\xef\xbb\xbfa,b\n1,2\n\n3,4\n", 3),
    (b'"a",b\n"x\n\ny",2\n\n3,4\n', 5),
    (b'a,b\n5" disk,2\n\n3,4" nail\n', 3),
]


def packed(data, name):
    if name.endswith(".gz"):
        return gzip.compress(data)
    return pa.compress(data, "zstd", asbytes=True) if name.endswith(".zst") else data


def write(folder, data, name="v.csv"):
    path = folder / name
    path.write_bytes(packed(data, name))
    return path


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(("data", "line"), SEVERAL)
@pytest.mark.parametrize("roles", [{"relational": "a,b"}, {"keep": "b", "drop": "a"}, {"items": "a", "drop": "b"}])
def test_among_several_columns_a_blank_line_is_refused(tmp_path, data, line, end, roles):
    path = write(tmp_path, data.replace(b"\n", end))
    with refused(InputError, f"{path} 'line {line}' 2 header blank"):
        read(path, **roles)


@pytest.mark.parametrize("name", ["v.csv.gz", "v.csv.zst", "v.tsv", "v.tsv.gz", "v.tsv.zst"])
def test_blank_lines_in_packed_and_tab_separated_files_are_rejected(tmp_path, name):
    text = b"a,b\n1,2\n\n3,4\n"
    with pytest.raises(InputError, match="line 3: 2 field"):
        read(write(tmp_path, text.replace(b",", b"\t" if ".tsv" in name else b","), name), relational="a,b")


@pytest.mark.parametrize("ends", [b"\n\r\n", b"\r\n\n", b"\n\r", b"\r\r\n", b"\n\n"])
def test_line_ends_may_be_mixed(tmp_path, ends):
    with pytest.raises(InputError, match="line 3: 2 field"):
        read(write(tmp_path, b"a,b\n1,2" + ends + b"3,4\n"), relational="a,b")


def test_a_line_of_blanks_has_one_field(tmp_path):
    with refused(InputError, "'line 3' 2 header 1"):
        read(write(tmp_path, b"a,b\n1,2\n  \n3,4\n"), relational="a,b")


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    ("data", "other", "labels"),
    [
        (b"a,b\n1,2\n3,4\n", "b", ["1", "3"]),
        (b"a,b\n1,2\n3,4", "b", ["1", "3"]),
        (b'a,b\n"x\n\n\ny",2\n3,4\n', "b", ["x\n\n\ny", "3"]),
        (b'a,"b\n\nc"\n1,2\n3,4\n', "b\n\nc", ["1", "3"]),
        (b"a,b\n,\n1,\n", "b", ["", "1"]),
    ],
)
def test_lines_with_separators_or_quotes_are_not_blank(tmp_path, data, other, labels, end):
    path = write(tmp_path, data.replace(b"\n", end))
    table = read(path, relational="a", drop=[other.replace("\n", end.decode())])
    assert table.relational[0].labels() == [label.replace("\n", end.decode()) for label in labels]


@pytest.mark.parametrize("end", ENDS)
def test_in_a_file_of_one_column_a_blank_line_is_an_empty_record(tmp_path, end):
    path = write(tmp_path, b"s\n\na b\n\n  \n\n".replace(b"\n", end))
    assert list(read(path, items="s").transactions.rows()) == [[], ["a", "b"], [], [], []]
    assert read(path, keep="s").kept[0].labels() == ["", "a b", "", "", ""]


def test_an_id_is_never_blank_even_in_a_file_of_one_column(tmp_path):
    with refused(InputError, "id p 'row 2' empty"):
        read(write(tmp_path, b"p\n1\n\n2\n"), unit="p")


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b'"', b","]), max_size=12),
    st.integers(1, 4),
)
def test_adjacent_line_ends_are_found_across_blocks(parts, block):
    data = b"".join(parts)
    expected = any(pair in data.replace(b"\r\n", b"\n") for pair in (b"\n\n", b"\n\r", b"\r\r", b"\r\n"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonset.reading.formats.delimited, "_BYTES_AT_ONCE", block)
        assert anonset.reading.formats.delimited._has_adjacent_line_ends(data) == expected


def test_buckets_with_a_blank_line(tmp_path):
    (tmp_path / "qit.csv").write_bytes(b"id,group\nx,1\ny,1\n")
    (tmp_path / "snt.csv").write_bytes(b"group,drug\n1,a\n\n1,b\n")
    with refused(InputError, "snt.csv 'line 3' 2"):
        read_buckets(tmp_path, id="id")
    (tmp_path / "snt.csv").write_bytes(b"group,drug\n1,a\n1,b\n")
    (tmp_path / "qit.csv").write_bytes(b"id,group\nx,1\n\ny,1\n")
    with refused(InputError, "qit.csv 'line 3' 2"):
        read_buckets(tmp_path, id="id")


def published(sets, kept):
    columns = tuple(
        CategoricalColumn(name, np.zeros(len(sets), np.int32), Vocabulary(("",))) for name in ("x", "y")[:kept]
    )
    table = Table(SetColumn.of(sets, name="s"), kept=columns)
    record = np.arange(table.n, dtype=np.int64)
    return Records(table.transactions, (), (), table.kept, record, order=("s", "x", "y")[: kept + 1])


@pytest.mark.parametrize("kept", [0, 1, 2])
@pytest.mark.parametrize("name", ["csv", "parquet", "dat"])
@pytest.mark.parametrize("sets", [[set()], [set(), set()], [{"a"}, set()], [set(), {"a"}], []])
def test_written_empty_records_are_read_back(tmp_path, name, kept, sets):
    if name == "dat" and kept:
        pytest.skip("a FIMI file has one column")
    path = write_published(published(sets, kept), tmp_path, name)
    table = read_published(path, items="s", keep=["x", "y"][:kept])
    assert list(table.transactions.rows()) == [sorted(row) for row in sets]
    assert [column.labels() for column in table.kept] == [[""] * len(sets)] * kept
    if name == "csv" and not kept:
        assert path.read_bytes() == b"s\n" + b"".join(b"a\n" if row else b'""\n' for row in sets)
