"""Arrays in files: contents are restored, and every failure is a one-line message."""

import errno
import os
import stat
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import SetColumn, Vocabulary
from anonset.data.spans import AT_ONCE, Limits
from anonset.data.storage.store import INSIDE, MEMORY, Files, Memory, backing, fetch, store_of
from anonset.errors import InputError


def test_appended_arrays_are_restored(work):
    with work.growing("codes", np.int32) as codes:
        for part in (np.arange(5), np.empty(0, np.int64), np.arange(5, 7)):
            codes.append(part)
        assert codes.length == 7
    assert codes.finished().tolist() == list(range(7))


def test_an_empty_array_can_be_mapped(work):
    with work.growing("codes", np.int32) as codes:
        pass
    assert codes.finished().tolist() == []
    assert work.array("none", np.int64, 0).tolist() == []


def test_allocated_arrays_are_written_in_any_order(work):
    room = work.array("records", np.int64, 4)
    room[[3, 0]] = [30, 7]
    assert work.mapped(Path(backing(room).filename).name, np.int64).tolist() == [7, 0, 0, 30]


def test_writing_to_a_mapped_array_does_not_change_the_file(work):
    codes = work.keep("codes", np.zeros(2, np.int32))
    assert type(codes) is np.ndarray
    codes[0] = 9
    assert work.mapped("codes", np.int32).tolist() == [0, 0]


def test_a_column_over_mapped_arrays_is_a_column_like_any_other(work):
    column = SetColumn.of([{"a", "b"}, set(), {"b"}])
    indptr, items = work.keep("indptr", column.indptr), work.keep("items", column.items)
    mapped = SetColumn("items", indptr, items, Vocabulary(("a", "b")))
    assert list(mapped.rows()) == list(column.rows())


def test_files_are_private_and_removed(tmp_path):
    with Files.temporary(tmp_path) as work:
        assert stat.S_IMODE(work.path.stat().st_mode) == 0o700
        work.array("codes", np.int32, 1)
    assert not work.path.exists()


def test_a_failure_leaves_no_partial_array(work):
    def fail():
        with work.growing("codes", np.int32) as codes:
            codes.append(np.arange(3))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(work.path.iterdir()) == []
    with refused(InputError, "codes 'No such file'"):
        work.mapped("codes", np.int32)


def test_a_full_disk_is_reported_in_one_line(work, monkeypatch):
    def full(*_args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"codes-\w+: .*No space"):
        work.array("codes", np.int32, 1)


def test_a_torn_array_is_refused(work):
    (work.path / "codes").write_bytes(b"12345")
    with refused(InputError, "codes 5", code="damaged"):
        work.mapped("codes", np.int32)
    work.drop("codes", "never there")
    assert not (work.path / "codes").exists()


def test_a_stored_array_is_mapped_and_has_its_folder(work):
    codes = work.keep("codes", np.arange(4, dtype=np.int32))
    assert codes.tolist() == [0, 1, 2, 3]
    assert store_of(codes[1:]) == work
    assert store_of(np.arange(4)) is MEMORY
    assert [path.name for path in work.path.iterdir()] == ["codes"]


def test_the_number_of_shares_follows_the_limits(tmp_path):
    limits = Limits(rows_per_bucket=10)
    with Files.temporary(tmp_path, limits) as files:
        assert (Memory(limits).buckets(95), files.buckets(95), files.buckets(0)) == (1, 10, 1)
        n = 3 * AT_ONCE
        assert (list(Memory(limits).spans(n)), len(list(files.spans(n)))) == ([(0, n)], 3)


def test_elements_that_are_fetched_do_not_change(work):
    codes = work.keep("codes", np.arange(1 << 14))
    for array in (codes, np.arange(1 << 14)):
        fetch(array, 5, 1 << 13)
        assert array.tolist() == list(range(1 << 14))


def test_an_empty_directory_of_a_killed_run_is_replaced(tmp_path):
    (tmp_path / INSIDE).mkdir()
    with Files.create(tmp_path) as store:
        assert store.path == tmp_path / INSIDE
    assert list(tmp_path.iterdir()) == []
