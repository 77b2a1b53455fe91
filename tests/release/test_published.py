"""The recoding and losses of a publication on disk."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.analysis.workloads import WorkloadSpec
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.generalization import ItemGroups
from anonset.publications import Symbol
from anonset.reading.publications.codebook import read_codebook, read_mapping, read_records
from anonset.release.losses import item_losses
from anonset.release.published_recoding import recoding_of
from anonset.release.published_values import published_relational_loss

ORIGIN = Hierarchy.from_tree(("All", [("Europe", ["France", "Spain"]), "Algeria"]))
TABLE = Table(
    relational=(
        NumericColumn("age", np.array([10, 20, 30, 30])),
        CategoricalColumn.of("origin", ["France", "Spain", "Algeria", "Algeria"]),
        CategoricalColumn.of("race", ["1", "2", "1", "3"]),
    )
)


def said(ages: str, origins: str, races: str) -> tuple[CategoricalColumn, ...]:
    pairs = (("age", ages), ("origin", origins), ("race", races))
    return tuple(CategoricalColumn.of(name, text.split()) for name, text in pairs)


def loss(*texts: str, **weights: float) -> float:
    return published_relational_loss(TABLE, said(*texts), {"origin": ORIGIN}, weights or None)


def test_relational_loss_of_published_values() -> None:
    ages, origins, races = "[10:20] [10:20] 30 30", "Europe Europe Algeria Algeria", "(1,2) (1,2) (1,3) (1,3)"
    assert loss(ages, origins, races) == pytest.approx((2 * 0.5 + 2 * 2 / 3 + 4 * 2 / 3) / 3 / 4)
    assert loss(ages, origins, races, age=1.0, origin=0.0, race=0.0) == pytest.approx(0.25)
    assert loss("10 20 30 30", "France Spain Algeria Algeria", "1 2 1 3") == 0.0


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("x 20 30 30", "All All All All", "1 2 1 3"), "x number range"),
        (("10 20 30 30", "Asia All All All", "1 2 1 3"), "origin node"),
        (("10 20 30 30", "All All All All", "1 2 1 9"), "value 9"),
    ],
)
def test_meaningless_labels_are_rejected(texts: tuple[str, str, str], message: str) -> None:
    with refused(InputError, message):
        loss(*texts)


def test_a_missing_relational_column_is_rejected() -> None:
    with refused(InputError, "relational age"):
        published_relational_loss(TABLE, said("1 1", "All All", "1 1")[1:], {"origin": ORIGIN})


def test_weights_that_omit_a_column_are_rejected() -> None:
    with refused(InputError, "relational age origin race"):
        loss("10 20 30 30", "France Spain Algeria Algeria", "1 2 1 3", age=0.5, origin=0.5)


COLUMN = SetColumn.of([["a", "b"], ["c"], ["a"]])


def test_a_local_recoding_is_read_from_its_files(tmp_path: Path) -> None:
    path = tmp_path / "mapping.csv"
    path.write_text("cluster,item,published\n0,a,N\n0,b,N\n1,a,a\n1,c,\n")
    book = (Symbol("N", "node", ("a", "b", "d")), Symbol("a", "item", ("a",)))
    records = np.array([2, 0, 1]), np.array([1, 0, 1], np.int32)
    recoding = recoding_of(COLUMN, book, tmp_path, lambda: records)
    assert recoding.recoding is None
    assert [recoding.item.tolist(), recoding.size.tolist(), recoding.count.tolist()] == [
        [0, 1, 0, 2],
        [3, 3, 1, 0],
        [1] * 4,
    ]
    losses = item_losses(recoding.column, recoding.by_size, recoding.recoding, None, None, MEMORY)
    assert losses == {"ncp": (3 + 3 + 4 + 0) / 16, "lm": (2 + 2 + 3 + 0) / 12}
    with refused(InputError, "records.csv clusters"):
        recoding_of(COLUMN, book, tmp_path, lambda: None)
    with refused(InputError, "mapping.csv cluster"):
        read_mapping(path)
    path.write_text("cluster,item,published\n0,a,N\n0,b,N\n1,a,a\n")
    with refused(InputError, "cluster 1 c"):
        recoding_of(COLUMN, book, tmp_path, lambda: records)
    for wrong in ("one", "-1", "1" * 5000):
        path.write_text(f"cluster,item,published\n{wrong},a,N\n")
        with refused(InputError, "cluster 10"):
            recoding_of(COLUMN, book, tmp_path, lambda: records)


def test_a_global_recoding_from_the_codebook() -> None:
    recoding = recoding_of(
        COLUMN, (Symbol("N", "node", ("a", "b", "d")), Symbol("V1", "values", ("c", "a"))), None, lambda: None
    )
    assert isinstance(recoding.recoding, ItemGroups)
    assert recoding.recoding.labels == [("a", "b", "d")]
    assert recoding.recoding.suppressed == ["c"]
    assert recoding.source == "codebook"
    assert [recoding.item.tolist(), recoding.size.tolist(), recoding.count.tolist()] == [
        [0, 1, 2],
        [3, 3, 0],
        [2, 1, 1],
    ]
    assert recoding.column.vocabulary.labels == ("a", "b", "c", "d")


def test_a_mapping_that_lacks_an_item_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "mapping.csv").write_text("item,published\na,a\nb,b\n")
    with refused(InputError, "item c"):
        recoding_of(COLUMN, (), tmp_path, lambda: None)


def test_a_mapping_with_a_symbol_that_the_codebook_does_not_explain(tmp_path: Path) -> None:
    (tmp_path / "mapping.csv").write_text("cluster,item,published\n0,a,G1\n")
    way_back = np.arange(COLUMN.n), np.zeros(COLUMN.n, np.int32)
    with refused(InputError, "cluster 0 codebook"):
        recoding_of(COLUMN, (Symbol("G2", "group", ("a", "b")),), tmp_path, lambda: way_back)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("published_row,input_record,cluster\n1,0,\n", "records.csv rows 0 1 2"),
        ("published_row,input_record,cluster\n0,x,\n", "records.csv numbers"),
        (f"published_row,input_record,cluster\n0,{10**22},\n", "numbers"),
        (f"published_row,input_record,cluster\n0,0,{10**10}\n", "numbers"),
        ("published_row,input_record\n0,0\n", "columns published_row input_record cluster"),
        ("published_row,input_record,cluster\n0,0\n", "'line 2' 3"),
    ],
)
def test_an_invalid_records_file_is_rejected(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "records.csv"
    path.write_text(text)
    with refused(InputError, message):
        read_records(path)


def naive_records(text: str) -> object:
    """Return the records and the clusters in a text, row by row. None if the text is invalid."""
    rows = list(csv.reader(text.splitlines()))[1:]
    number = re.compile("-?[0-9]+")
    for place, row in enumerate(rows):
        if len(row) != 3 or row[0] != str(place) or not all(map(number.fullmatch, [row[1], row[2] or "0"])):
            return None
    records, clusters = [int(row[1]) for row in rows], [int(row[2]) for row in rows if row[2]]
    if any(record >= 1 << 63 for record in records) or any(cluster >= 1 << 31 for cluster in clusters):
        return None
    return records, clusters if len(clusters) == len(rows) else None


FIELDS = st.sampled_from(["0", "7", "12", "", "01", " 5", "+3", "-1", "1_0", '"3"', "9" * 10, "9" * 20, "x", "\u0661"])
ROWS = st.lists(st.tuples(st.integers(0, 9).map(str) | FIELDS, st.just("") | st.just("3") | FIELDS), max_size=4)
ENDS = st.sampled_from(["", "\n", "\n\n", "\r\n", "\n4,4", "\n,,", "\n9,9,9\n"])


@pytest.mark.long
@given(ROWS, ENDS)
@example([("1.0", ""), ("7", "")], "\n")
@example([("0", "1"), ("7", "")], "\n")
@example([("0", "1"), ("7", "0")], "\n\n")
@example([("0", "1"), ("7", "0")], "")
@example([("0", "1"), ("7", "9" * 10)], "\n")
@example([("0", "1"), ("9" * 20, "1")], "\n")
@example([("0", "1"), (" 5", "1")], "\n")
@example([("0", ""), ("", "1")], "\n")
def test_records_are_read_as_row_by_row(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], end: str
) -> None:
    path = tmp_path_factory.mktemp("records") / "records.csv"
    lines = [f"{row},{record},{cluster}" for row, (record, cluster) in enumerate(rows)]
    text = "\n".join(["published_row,input_record,cluster", *lines]) + end
    path.write_text(text, newline="")
    expected = naive_records(text)
    if expected is None:
        with pytest.raises(InputError):
            read_records(path)
        return
    record, cluster = read_records(path)
    assert (record.tolist(), None if cluster is None else cluster.tolist()) == expected


def test_records_with_and_without_clusters(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("published_row,input_record,cluster\n0,3,\n1,1,\n")
    record, cluster = read_records(path)
    assert (record.tolist(), cluster) == ([3, 1], None)
    path.write_text("published_row,input_record,cluster\n0,3,1\n1,1,0\n")
    record, cluster = read_records(path)
    assert cluster is not None
    assert cluster.tolist() == [1, 0]
    path.write_text("published_row,input_record,cluster\n")
    record, cluster = read_records(path)
    assert cluster is not None
    assert (record.tolist(), cluster.tolist()) == ([], [])


def test_members_with_blanks_and_quotes_in_the_codebook(tmp_path: Path) -> None:
    path = tmp_path / "codebook.csv"
    path.write_text('symbol,kind,members\nN,node,"""a b"" ""c""""d"" e"\n')
    assert read_codebook(path) == (Symbol("N", "node", ("a b", 'c"d', "e")),)


def test_an_invalid_workload_is_rejected() -> None:
    with refused(InputError, "--workload"):
        WorkloadSpec(random="record:5")
    assert WorkloadSpec(random="record:5x2+1").parts == ("record", 5, 2, 1)
