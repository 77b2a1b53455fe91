"""FIMI files, and the tokenizer kernel compared with plain Python."""

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.batches import open_source
from anonset.reading.formats.fimi import tokenize
from anonset.reading.options import ReadOptions
from anonset.reading.read import read
from anonset.reading.scan import scan


def split(text):
    """Return the tokens of each line, as bytes."""
    text = text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [[token for token in line.replace(b"\t", b" ").split(b" ") if token] for line in lines]


def tokens(text):
    indptr, codes, starts, lengths = tokenize(text)
    assert indptr.dtype == np.int64
    assert codes.dtype == np.int32
    labels = [text[s : s + n] for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)]
    assert len(set(labels)) == len(labels)
    assert list(dict.fromkeys(codes.tolist())) == list(range(len(labels))), "codes by first appearance"
    return [[labels[c] for c in codes[a:b]] for a, b in pairwise(indptr)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"\n", [[]]),
        (b"\r\n", [[]]),
        (b" ", [[]]),
        (b"1 2\n", [[b"1", b"2"]]),
        (b"1 2", [[b"1", b"2"]]),
        (b"\xef\xbb\xbf1\n", [[b"1"]]),
        (b"1\r\n\r\n2\r\n", [[b"1"], [], [b"2"]]),
        (b"1\r2\r\r", [[b"1"], [b"2"], []]),
        (b"\t1 \t 2 \n\n", [[b"1", b"2"], []]),
        (b"1 1 01\n1", [[b"1", b"1", b"01"], [b"1"]]),
    ],
)
def test_tokens_of_known_texts(text, expected):
    assert tokens(text) == expected


@given(st.lists(st.sampled_from([b"a", b"ab", b"b", b"\xc3\xa9", b" ", b"\t", b"\n", b"\r"]), max_size=60))
def test_tokens_against_plain_python(pieces):
    text = b"".join(pieces)
    assert tokens(text) == split(text)


def test_many_distinct_tokens_outgrow_the_first_table():
    text = " ".join(str(i * 7919) for i in range(6000)).encode() * 2
    assert tokens(text) == split(text)


@pytest.mark.parametrize("name", ["t.dat", "t.dat.gz", "t.dat.zst", "T.DAT"])
def test_a_file_becomes_a_table(tmp_path, name):
    import pyarrow as pa

    text = b"10 9 10\n\n\xc3\xa9 9\n"
    packed = {"gz": gzip.compress, "st": lambda data: pa.compress(data, "zstd", asbytes=True)}
    (tmp_path / name).write_bytes(packed.get(name[-2:], bytes)(text))
    table = read(tmp_path / name)
    assert list(table.transactions.rows()) == [["10", "9"], [], ["9", "é"]]
    assert table.transactions.vocabulary.labels == ("10", "9", "é")
    assert table.transactions.name == "items"
    assert table.order == ("items",)


def test_integers_are_ordered_numerically_unless_a_zero_leads(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(b"10 9 -1")
    assert read(path).transactions.vocabulary.labels == ("-1", "9", "10")
    path.write_bytes(b"10 9 008")
    assert read(path).transactions.vocabulary.labels == ("008", "10", "9")


def test_an_empty_file_is_an_empty_table(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(b"")
    assert (read(path).n, len(read(path).transactions.vocabulary)) == (0, 0)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"a b\n\xff\n", "line 2, column 1"),
        (b"a b\r\nab \xc3\n\xff", "line 2, column 4"),
        (b"\xff", "line 1, column 1"),
        (b"ok\rok \xe9t\n", "line 2, column 4"),
    ],
)
def test_invalid_utf8_is_refused_with_its_place(tmp_path, text, where):
    path = tmp_path / "t.dat"
    path.write_bytes(text)
    with refused(InputError, f"{path} {where} UTF-8 encoding latin-1"):
        read(path)


def test_a_fimi_file_has_one_column(tmp_path):
    path = tmp_path / "t.dat"
    path.write_bytes(b"1\n")
    with refused(InputError, "codes items"):
        read(path, items="codes")
    with refused(InputError, "column items sets"):
        read(path, items=[], keep="items")
    with refused(InputError, "columns dropped"):
        read(path, drop="items")


SPMF = "@ITEM=1=apple\n@ITEM=2=plum\n1 2\n2\n"


def items_of(opened):
    return [
        [column.vocabulary.labels[c] for c in column.items]
        for column in (batch.columns["items"] for batch in opened.batches(("items",)))
    ]


def test_spmf_files_are_read_equally_twice(tmp_path):
    (tmp_path / "a.txt").write_text(SPMF)
    opened = open_source(tmp_path / "a.txt", ReadOptions(input_format="spmf"))
    assert items_of(opened) == items_of(opened) == [["apple", "plum", "plum"]]


def test_spmf_files_may_repeat_the_names_of_items(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(SPMF)
    table = read(tmp_path, input_format="spmf")
    assert [sorted(row) for row in table.transactions.rows()] == 2 * [["apple", "plum"], ["plum"]]


def test_an_spmf_file_must_not_rename_an_item(tmp_path):
    (tmp_path / "a.txt").write_text(SPMF)
    (tmp_path / "b.txt").write_text(SPMF.replace("apple", "pear"))
    with refused(InputError, "names"):
        read(tmp_path, input_format="spmf")


@pytest.mark.parametrize("reading", [read, scan])
@pytest.mark.parametrize("file_format", ["fimi", "baskets", "spmf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_utilities_are_never_items(tmp_path: Path, file_format: str, end: str, reading) -> None:
    path = tmp_path / "u.txt"
    path.write_bytes(end.join(["1 2", "1 4 7:7:5 1 1", "5"]).encode())
    with refused(InputError, "utilities items:total:utilities"):
        reading(path, input_format=file_format)


@pytest.mark.parametrize("text", ["12:30:45\n", "a:1:2 b:3:4\n", "drug:x code:y\n", "1 2 3\n1 2 10:20:30 5 6\n"])
def test_other_items_with_colons_are_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.dat"
    path.write_text(text)
    assert [sorted(row) for row in read(path).transactions.rows()] == [
        sorted(set(row.split())) for row in text.splitlines()
    ]
