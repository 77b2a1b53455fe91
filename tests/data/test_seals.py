"""Damage to table files is detected by checksums at the end, and by checks before kernels read rows."""

from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.blocks import Blocks, checked_rows
from anonset.data.resumption import seals
from anonset.data.resumption.seals import Seal
from anonset.data.storage.checksums import sums_of, sums_when_written
from anonset.data.storage.exchange import exchanging
from anonset.data.storage.store import Files, backing
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.reading.sources.place import Place


@pytest.fixture
def table(work):
    sets = SetColumn.of([{"a", "b"}, {"c"}, {"a", "c"}, set()])
    indptr, items = work.keep("indptr", sets.indptr), work.keep("items", sets.items)
    codes, ages = work.keep("codes", np.array([0, 1, 0, 1], np.int32)), work.keep("ages", np.arange(4.0))
    sex = CategoricalColumn("sex", codes, CategoricalColumn.of("sex", "fm").vocabulary)
    return Table(SetColumn("items", indptr, items, sets.vocabulary), (sex, NumericColumn("age", ages)), store=work)


@pytest.mark.parametrize("name", ["indptr", "items", "codes", "ages"])
@pytest.mark.parametrize("at", [0, 9, -1])
def test_a_changed_byte_is_detected(work, table, name, at):
    seal = Seal.of(table)
    seal.require_unbroken()
    content = bytearray((work.path / name).read_bytes())
    content[at] ^= 4
    (work.path / name).write_bytes(content)
    with refused(InputError, f"/{name}", code="damaged"):
        seal.require_unbroken()


@pytest.mark.parametrize("at", [1, 15, 17, 40])
def test_a_changed_byte_is_detected_in_each_range(work, monkeypatch, at):
    monkeypatch.setattr(seals, "_BYTES_PER_TASK", 16)
    content = bytearray(range(41))
    seal = Seal.over([work.keep("bytes", np.array(content))], work)
    seal.require_unbroken()
    assert seal.sums[work.path / "bytes"][0] == 41
    content[at] ^= 4
    (work.path / "bytes").write_bytes(content)
    with refused(InputError, "/bytes", code="damaged"):
        seal.require_unbroken()


@pytest.mark.parametrize("sizes", [(3,), (8, 0, 16), (1, 2, 3, 5, 40, 7), (7, 1, 9)])
def test_checksums_are_computed_while_an_array_is_written(work, sizes):
    content = np.random.default_rng(3).integers(0, 256, sum(sizes)).astype(np.uint8)
    with work.growing("bytes", np.uint8) as builder:
        for part in np.split(content, np.cumsum(sizes)[:-1]):
            builder.append(part)
    array = builder.finished()
    path = Path(backing(array).filename)
    expected = sums_of(path)
    path.write_bytes(bytes([content[0] ^ 4]) + content[1:].tobytes())
    seal = Seal.over([array], work)
    assert seal.sums == {path: expected}
    with refused(InputError, path.name, code="damaged"):
        seal.require_unbroken()


def test_checksums_of_a_removed_folder_are_forgotten(work):
    with work.nested() as nested:
        with nested.growing("bytes", np.uint8) as builder:
            builder.append(np.ones(9, np.uint8))
        path = Path(backing(builder.finished()).filename)
        assert sums_when_written(path) == (9, *sums_of(path)[1:])
    assert sums_when_written(path) is None


class Elsewhere(Threads):
    """Workers whose machines have files of their own."""

    local = Threads(1)

    def begin(self, *_):
        raise AssertionError


def test_files_that_machines_exchange_are_checked_on_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(seals, "_BYTES_PER_TASK", 8)
    with Files.temporary(tmp_path.resolve(), workers=Elsewhere(2)) as store:
        array = store.array("numbers", np.int64, 4)
        with pytest.raises(AssertionError):
            Seal.over([array], store)
        with exchanging(Place("s3://bucket/work"), store.path):
            assert [size for size, *_ in Seal.over([array], store).sums.values()] == [32]


def test_swapped_words_need_not_be_detected(work, table):
    """Checksums detect damage, but not swapped words, which disks do not cause."""
    seal = Seal.of(table)
    (work.path / "ages").write_bytes(np.array([1.0, 0.0, 2.0, 3.0]).tobytes())
    seal.require_unbroken()
    (work.path / "ages").write_bytes(np.array([1.0, 1.0, 2.0, 3.0]).tobytes())
    with refused(InputError, "ages", code="damaged"):
        seal.require_unbroken()


def test_a_missing_or_shorter_file_is_detected(work, table):
    seal = Seal.of(table)
    with refused(InputError, "/codes", code="damaged"), seal.kept():
        (work.path / "codes").unlink()
    work.keep("codes", np.zeros(1, np.int32))
    with refused(InputError, "/codes", code="damaged"):
        seal.require_unbroken()


def test_errors_within_a_seal_are_passed_on(table):
    with pytest.raises(ZeroDivisionError), Seal.of(table).kept():
        raise ZeroDivisionError


def test_a_table_in_memory_is_not_sealed():
    assert Seal.of(Table.from_sets([{"a"}])).sums == {}
    checked_rows((np.array([0, 9]), np.array([7], np.int32)), 1)  # in memory: not checked


@pytest.mark.parametrize(
    ("name", "values", "named"),
    [
        ("items", np.array([0, 1, 2, 0, 3], np.int32), "items"),
        ("items", np.array([0, -1, 2, 0, 2], np.int32), "items"),
        ("indptr", np.array([0, 2, 1, 5, 5]), "indptr"),
        ("indptr", np.array([0, 2, 3, 5, 6]), "indptr"),
        ("items", np.array([0, 1], np.int32), "items"),
    ],
)
def test_rows_that_would_crash_kernels_are_reported(work, table, name, values, named):
    (rows,) = Blocks.of(table.transactions, table.store)
    checked_rows(rows, 3)
    path = work.path / name
    with path.open("r+b") as file:  # the same file, through the existing map
        file.truncate(values.nbytes)
        file.write(values.tobytes())
    with refused(InputError, f"/{named}", code="damaged"):
        checked_rows(rows, 3)
