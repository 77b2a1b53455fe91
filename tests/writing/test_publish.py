"""Writing publications and reading them back."""

import csv

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.generalization import Bucketized, Cut, ItemGroups, PerCluster, apply
from anonset.publications import Records, Symbol
from anonset.reading.publications.records import read_published
from anonset.writing.codebook import write_codebook, write_mapping, write_records
from anonset.writing.publications.records import check_labels, to_arrow, write_published

TREE = Hierarchy.from_tree(("R", [("A", ["a", "b"]), ("B", ["c", "d"])]))


def publication(sets, name="items", **columns):
    column = None if sets is None else SetColumn.of(sets, name=name)
    kept = tuple(CategoricalColumn.of(k, v) for k, v in columns.items())
    labels = () if column is None else column.vocabulary.labels
    n = kept[0].n if column is None else column.n
    order = (*columns, name)
    return Records(column, tuple(Symbol(x, "item", (x,)) for x in labels), (), kept, np.arange(n), order=order)


def cut_publication():
    table = Table.from_sets([{"a", "b", "c"}, {"d"}, {"b"}], universe=TREE.leaves.labels)
    cut = Cut(TREE, np.array([1, 1, TREE.node_of["c"], -1], np.int32))
    return cut, apply(table, cut)


def content(path):
    return path.read_bytes().decode()


def records(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_csv_bytes(tmp_path):
    result = write_published(publication([{"b", "a"}, set(), {"(a,b)"}], x=["1", 'say "x"', ""]), tmp_path, "csv")
    assert result == tmp_path / "published.csv"
    assert content(result) == 'x,items\n1,a b\n"say ""x""",\n,"(a,b)"\n'


def test_csv_of_one_column_has_no_blank_lines(tmp_path):
    assert content(write_published(publication([{"a"}, set()]), tmp_path, "csv")) == 'items\na\n""\n'


def test_csv_separator(tmp_path):
    path = write_published(publication([{"b c", "a"}]), tmp_path, "csv", ",")
    assert content(path) == 'items\n"a,b c"\n'


def test_dat_bytes(tmp_path):
    assert content(write_published(publication([{"10", "9"}, set(), {"9"}]), tmp_path, "dat")) == "9 10\n\n9\n"


@pytest.mark.parametrize("kind", ["csv", "dat", "parquet"])
def test_a_publication_without_records_is_written_and_read(tmp_path, kind):
    path = write_published(publication([]), tmp_path, kind)
    assert read_published(path, items="items").n == 0


@pytest.mark.parametrize("kind", ["csv", "dat", "parquet"])
def test_the_set_column_keeps_its_name(tmp_path, kind):
    path = write_published(publication([{"a"}], name="codes"), tmp_path, kind)
    assert read_published(path, items="codes").transactions.name == "codes"


@pytest.mark.long
@pytest.mark.compiled
def test_more_records_than_a_block(tmp_path):
    sets = [{str(i), str(i + 1)} if i % 3 else set() for i in range(70_000)]
    for kind in ("csv", "dat", "parquet"):
        table = read_published(write_published(publication(sets), tmp_path, kind), items="items")
        assert [set(row) for row in table.transactions.rows()] == sets


PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
FORBIDDEN = {"csv": " \r\n", "dat": " \t\r\n", "parquet": ""}


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "dat", "parquet"])
@given(data=st.data())
def test_written_sets_are_read_back(tmp_path_factory, kind, data):
    labels = PLAIN.filter(
        lambda x: (
            kind == "parquet"
            or (x and not any(c in x for c in FORBIDDEN[kind]) and not (kind == "dat" and x[0] == "\ufeff"))
        )
    )
    sets = data.draw(st.lists(st.sets(labels, max_size=4), max_size=6))
    path = write_published(publication(sets), tmp_path_factory.mktemp("p"), kind)
    table = read_published(path, items="items")
    assert [set(row) for row in table.transactions.rows()] == sets


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@given(
    rows=st.lists(st.tuples(PLAIN, PLAIN, st.sets(st.sampled_from("abc,'\"é")))),
    names=st.sets(PLAIN, min_size=3, max_size=3),
)
def test_written_columns_are_read_back(tmp_path_factory, kind, rows, names):
    x, y, items = names
    columns = {x: [row[0] for row in rows], y: [row[1] for row in rows]}
    path = write_published(publication([row[2] for row in rows], items, **columns), tmp_path_factory.mktemp("p"), kind)
    table = read_published(path, items=[items], relational=[x], keep=[y])
    assert [set(row) for row in table.transactions.rows()] == [row[2] for row in rows]
    assert table.relational[0].labels() == columns[x]
    assert table.kept[0].labels() == columns[y]
    assert table.order == (x, y, items)


def test_publications_without_sets(tmp_path):
    for kind in ("csv", "parquet"):
        path = write_published(publication(None, x=["", "1"]), tmp_path, kind)
        assert read_published(path, keep="x").kept[0].labels() == ["", "1"]


@pytest.mark.parametrize(
    ("label", "kind", "separator", "reason", "way_out"),
    [
        ("a b", "csv", " ", "separator", "separator parquet"),
        ("a|b", "csv", "|", "separator |", "separator parquet"),
        ("a\nb", "csv", "|", "line", "parquet"),
        ("a\rb", "dat", "|", "carriage", "parquet"),
        ("a b", "dat", "|", "blank", "parquet"),
        ("a\tb", "dat", " ", "tab", "parquet"),
        ("\ufeffa", "dat", " ", "mark", "parquet"),
        ("", "csv", " ", "empty", "parquet"),
    ],
)
def test_labels_that_a_format_cannot_carry(tmp_path, label, kind, separator, reason, way_out):
    with refused(InputError, f"item {reason} {kind} {way_out}"):
        check_labels(["ok", label], kind, separator)
    with pytest.raises(InputError):
        write_published(publication([{label}]), tmp_path, kind, separator)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "separator", "message"),
    [
        ("xls", " ", "format csv parquet dat xls"),
        ("csv", "", "separator text"),
        ("csv", "\n", "separator line"),
    ],
)
def test_unknown_formats_and_separators_are_rejected(kind, separator, message):
    with refused(InputError, message):
        check_labels(["a"], kind, separator)


def test_labels_that_a_format_carries():
    check_labels(["a b", "", "c\n"], "parquet")
    check_labels(["a,b", '"', "a\tb"], "csv")
    check_labels(["a,b", '"', "a;b"], "dat", ";")


def test_dat_files_contain_only_the_sets(tmp_path):
    with refused(InputError, "dat set-valued x csv parquet"):
        write_published(publication([{"a"}], x=["1"]), tmp_path, "dat")
    with refused(InputError, "dat x"):
        write_published(publication(None, x=["1"]), tmp_path, "dat")


def test_a_publication_without_columns_is_rejected(tmp_path):
    with refused(InputError, "column"):
        write_published(Records(None, (), (), (), np.arange(2)), tmp_path, "csv")


def test_reading_back_demands_every_column(tmp_path):
    path = write_published(publication([{"a"}], x=["1"]), tmp_path, "csv")
    with refused(InputError, "column x"):
        read_published(path, items="items")
    path = write_published(publication([{"a"}]), tmp_path, "dat")
    with refused(InputError, "column x"):
        read_published(path, keep="x")
    with refused(InputError, "FIMI a b"):
        read_published(path, items=["a", "b"])


@pytest.mark.parametrize("kind", ["csv", "dat", "parquet"])
def test_a_folder_that_is_not_there(tmp_path, kind):
    with refused(InputError, f"{tmp_path}/none/published.{kind} file"):
        write_published(publication([{"a"}]), tmp_path / "none", kind)


@pytest.mark.parametrize("kind", ["csv", "dat", "parquet"])
def test_a_full_disk_leaves_no_files(tmp_path, kind, monkeypatch):
    path_type = type(tmp_path)
    opened = path_type.open

    def full(self, mode="r", *args, **kwargs):
        file = opened(self, mode, *args, **kwargs)
        if "w" in mode:
            file.close()
            raise OSError(28, "No space left on device")
        return file

    monkeypatch.setattr(path_type, "open", full)
    with refused(InputError, f"{tmp_path}/published.{kind} 'No space'"):
        write_published(publication([{"a"}]), tmp_path, kind)
    assert list(tmp_path.iterdir()) == []


def test_to_arrow_and_interchange():
    table = to_arrow(publication([{"b", "a"}, set()], x=["1", "2"]))
    assert table.to_pydict() == {"x": ["1", "2"], "items": [["a", "b"], []]}
    assert {field.name: str(field.type) for field in table.schema} == {"x": "string", "items": "list<item: string>"}
    assert pl.DataFrame(table).to_dicts() == [{"x": "1", "items": ["a", "b"]}, {"x": "2", "items": []}]
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert [list(cell) for cell in frame["items"]] == [["a", "b"], []]


def test_pandas_and_polars_read_the_files(tmp_path):
    published = publication([{"b", "a"}, {"(a,b)"}], x=["1", "2"])
    expected = {"x": ["1", "2"], "items": ["a b", "(a,b)"]}
    path = write_published(published, tmp_path, "csv")
    assert pd.read_csv(path, dtype=str).to_dict("list") == expected
    assert pl.read_csv(path, infer_schema=False).to_dict(as_series=False) == expected
    path = write_published(published, tmp_path, "parquet")
    assert pl.read_parquet(path).to_dict(as_series=False) == {"x": ["1", "2"], "items": [["a", "b"], ["(a,b)"]]}


def test_a_cut_is_written_with_codebook_and_mapping(tmp_path):
    cut, published = cut_publication()
    assert content(write_published(published, tmp_path, "dat")) == "A c\n\nA\n"
    assert write_codebook(published, tmp_path) == tmp_path / "codebook.csv"
    assert content(tmp_path / "codebook.csv") == "symbol,kind,members\nA,node,a b\nc,item,c\n"
    assert content(write_mapping(cut, tmp_path / "mapping.csv")) == "item,published\na,A\nb,A\nc,c\nd,\n"
    shuffled = published.take(np.array([2, 0, 1]))
    assert content(write_records(shuffled, tmp_path / "records.csv")) == (
        "published_row,input_record,cluster\n0,2,\n1,0,\n2,1,\n"
    )


def test_members_with_the_separator_are_quoted(tmp_path):
    symbol = Symbol("S", "group", ("a b", 'c"', "", "d"))
    published = Records(None, (symbol,), (), (), np.arange(0))
    path = write_codebook(published, tmp_path / "book.csv")
    members = records(path)[1][2]
    assert next(csv.reader([members], delimiter=" ")) == ["a b", 'c"', "", "d"]


def test_mapping_of_groups(tmp_path):
    groups = ItemGroups(Vocabulary(tuple("abcd")), np.array([0, 3, 0, -1], np.int32))
    path = tmp_path / "mapping.csv"
    assert records(write_mapping(groups, path)) == [
        ["item", "published"], ["a", "(a,c)"], ["b", "b"], ["c", "(a,c)"], ["d", ""]
    ]  # fmt: skip
    symbols = (Symbol("G1", "group", ("a", "c")), Symbol("b", "item", ("b",)))
    assert content(write_mapping(groups, path, symbols)) == "item,published\na,G1\nb,b\nc,G1\nd,\n"


@pytest.mark.parametrize(
    "recoding",
    [Bucketized(np.zeros(1, np.int32), np.zeros(1, bool)), PerCluster(np.zeros(1, np.int32), (Cut.identity(TREE),))],
)
def test_recodings_without_a_global_mapping_are_rejected(tmp_path, recoding):
    with refused(InputError, f"{type(recoding).__name__}"):
        write_mapping(recoding, tmp_path / "none.csv")
    assert list(tmp_path.iterdir()) == []


def test_records_of_clusters(tmp_path):
    base = publication([{"a"}, {"b"}])
    local = Records(base.transactions, base.symbols, (), (), np.array([1, 0]), np.array([4, 0], np.int32))
    assert records(write_records(local, tmp_path / "r.csv"))[1:] == [["0", "1", "4"], ["1", "0", "0"]]
