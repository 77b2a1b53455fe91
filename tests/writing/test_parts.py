"""Publications written in parts and in blocks have the same bytes in memory and on disk, and are read as one table."""

import stat
from dataclasses import replace

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, SetColumn, spans
from anonset.data.storage.store import MEMORY, Files
from anonset.errors import InputError
from anonset.publications import Records
from anonset.reading.publications.codebook import read_records, records_file
from anonset.reading.publications.records import part_names
from anonset.release.kinds.records import read_parts
from anonset.writing import codebook
from anonset.writing.codebook import write_records
from anonset.writing.publications import records as publish
from anonset.writing.publications.records import write_published

ROWS = [{"b"}, {"a", "b"}, set(), {"10", "9"}, {"a"}, {"9"}, {"10", "b"}]


def publication(rows=ROWS):
    sets = SetColumn.of(rows)
    year = CategoricalColumn.of("year", [str(i % 2) for i in range(len(rows))])
    record = np.arange(len(rows), dtype=np.int64)[::-1].copy()
    return Records(sets, (), (), (year,), record)


def lying_in(work, meant):
    """Return the same publication with arrays in files."""
    sets, year = meant.transactions, meant.kept[0]
    sets = replace(sets, indptr=work.keep("indptr", sets.indptr), codes=work.keep("items", sets.items))
    return replace(meant, transactions=sets, kept=(replace(year, codes=work.keep("year", year.codes)),), store=work)


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setattr(spans, "AT_ONCE", 2)
    with Files.temporary(tmp_path) as work:
        yield work


@pytest.mark.parametrize("part_rows", [None, 1, 3, 100])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_bytes_depend_only_on_the_content_and_the_part_size(work, tmp_path, monkeypatch, kind, part_rows):
    monkeypatch.setattr(publish, "ROWS_PER_GROUP", 2)
    result = []
    for name, meant in (("memory", publication()), ("files", lying_in(work, publication()))):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setattr(publish, "_BLOCK", 4)
        path = write_published(meant, folder, kind, part_rows=part_rows)
        files = (
            [path] if part_rows is None else [folder / part for part in part_names(-(-len(ROWS) // part_rows), kind)]
        )
        assert sorted(file for file in folder.rglob("*") if file.is_file()) == files
        result.append([file.read_bytes() for file in files])
        for where in (MEMORY, work):
            back = read_parts(files, items=["items"], relational=[], keep=["year"], separator=" ", store=where)
            assert list(back.transactions.rows()) == list(meant.transactions.rows())
            assert back.transactions.vocabulary == meant.transactions.vocabulary
            assert back.kept[0].labels() == meant.kept[0].labels()
            assert back.store is where
    assert result[0] == result[1]


@pytest.mark.parametrize("part_rows", [None, 6])
def test_only_the_rows_of_a_group_are_in_memory(tmp_path, monkeypatch, part_rows):
    def slice_of(column, first, end):
        sizes.append(end - first)
        return real(column, first, end)

    sizes, real = list[int](), SetColumn.slice
    monkeypatch.setattr(publish, "ROWS_PER_GROUP", 2)
    monkeypatch.setattr(SetColumn, "slice", slice_of)
    write_published(publication(), tmp_path, "parquet", part_rows=part_rows)
    assert max(sizes) == 2


def test_parts_of_other_machines_have_the_mode_of_new_files(work, tmp_path, monkeypatch):
    def private(*part):
        path = write(*part)
        path.chmod(0o600)
        return path

    write, folder = publish._write_part, tmp_path / "out"
    monkeypatch.setattr(publish, "_write_part", private)
    folder.mkdir()
    (folder / "new").touch()
    write_published(lying_in(work, publication()), folder, "csv", part_rows=3)
    modes = {(folder / part).stat().st_mode for part in part_names(3, "csv")}
    assert modes == {(folder / "new").stat().st_mode} != {stat.S_IFREG | 0o600}


def test_fimi_in_parts(tmp_path):
    meant = replace(publication(), kept=())
    write_published(meant, tmp_path, "dat", part_rows=2)
    files = [tmp_path / name for name in part_names(4, "dat")]
    back = read_parts(files, items=["items"], relational=[], keep=[], separator="\n")
    assert list(back.transactions.rows()) == list(meant.transactions.rows())


def test_rows_remain_sorted_if_a_part_sorts_labels_differently(tmp_path):
    """All labels of the second part are integers: alone they sort as numbers, with the first part by code point."""
    rows = [{"10", "9", "a"}, {"10", "9"}]
    write_published(replace(publication(rows), kept=()), tmp_path, "dat", part_rows=1)
    files = [tmp_path / name for name in part_names(2, "dat")]
    back = read_parts(files, items=["items"], relational=[], keep=[], separator="\n")
    assert back.transactions.vocabulary.labels == ("10", "9", "a")
    assert back.transactions.items.tolist() == [0, 1, 2, 0, 1]


@pytest.mark.parametrize("part_rows", [None, 5])
def test_an_empty_publication_is_one_file(tmp_path, part_rows):
    empty = publication().slice(0, 0)
    write_published(empty, tmp_path, "parquet", part_rows=part_rows)
    name = "published.parquet" if part_rows is None else part_names(1, "parquet")[0]
    for where in (MEMORY, Files.temporary(tmp_path)):
        back = read_parts([tmp_path / name], items=["items"], relational=[], keep=["year"], separator=" ", store=where)
        assert back.n == 0


def test_a_single_parquet_file_equals_arrows(tmp_path):
    from pyarrow import parquet

    meant = publication()
    path = write_published(meant, tmp_path, "parquet")
    parquet.write_table(publish.to_arrow(meant), tmp_path / "arrow.parquet")
    assert path.read_bytes() == (tmp_path / "arrow.parquet").read_bytes()


@pytest.mark.parametrize("local", [False, True])
def test_many_records_are_parquet(work, tmp_path, monkeypatch, local):
    monkeypatch.setattr(codebook, "MOST_AS_TEXT", 6)
    monkeypatch.setattr(codebook, "ROWS_PER_GROUP", 2)
    meant = replace(publication(), cluster=np.array([2, 0, 1, 1, 0, 0, 2], np.int32) if local else None)
    assert write_records(meant, tmp_path).name == "records.parquet"
    assert records_file(tmp_path) == tmp_path / "records.parquet"
    for where in (MEMORY, work):
        record, cluster = read_records(tmp_path / "records.parquet", where)
        assert record.tolist() == meant.record.tolist()
        assert (cluster is None) if not local else (cluster.tolist() == meant.cluster.tolist())
    few = meant.slice(0, 6)
    (tmp_path / "records.parquet").unlink()
    assert write_records(few, tmp_path).name == "records.csv"
    assert read_records(tmp_path / "records.csv")[0].tolist() == few.record.tolist()


@pytest.mark.parametrize("local", [False, True])
def test_more_records_are_several_parquet_files(work, tmp_path, monkeypatch, local):
    monkeypatch.setattr(codebook, "MOST_AS_TEXT", 2)
    monkeypatch.setattr(codebook, "ROWS_PER_RECORDS_FILE", 3)
    meant = replace(publication(), cluster=np.array([2, 0, 1, 1, 0, 0, 2], np.int32) if local else None)
    folder = write_records(meant, tmp_path)
    assert records_file(tmp_path) == folder == tmp_path / "records"
    assert [path.name for path in sorted(folder.iterdir())] == [f"part-0000{n}.parquet" for n in range(3)]
    for where in (MEMORY, work):
        record, cluster = read_records(folder, where)
        assert record.tolist() == meant.record.tolist()
        assert (cluster is None) if not local else (cluster.tolist() == meant.cluster.tolist())
    (folder / "part-00001.parquet").unlink()
    with refused(InputError, "records rows 0 1 2"):
        read_records(folder)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"published_row": [0, 2], "input_record": [0, 1], "cluster": [None, None]}, "records.parquet rows 0 1 2"),
        ({"published_row": [0, 1], "input_record": [0, None], "cluster": [None, None]}, "records.parquet numbers"),
        ({"published_row": [0, 1], "input_record": [0, 1]}, "published_row input_record"),
    ],
)
def test_odd_records_of_parquet_are_refused(tmp_path, columns, message):
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {"published_row": pa.int64(), "input_record": pa.int64(), "cluster": pa.int32()}
    table = pa.table({name: pa.array(values, kinds[name]) for name, values in columns.items()})
    parquet.write_table(table, tmp_path / "records.parquet")
    with refused(InputError, message):
        read_records(tmp_path / "records.parquet")
