"""Disk ranges of parts of arrays."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from anonset.data.codes import RowNumbers
from anonset.data.places import fetch, place, vacate
from anonset.data.store import MEMORY, backing
from anonset.errors import InputError

N = 1 << 18


def on_disk(array):
    """Return the disk usage of an array's file in bytes; 0 in memory."""
    file = backing(array)
    return 0 if file is None else 512 * Path(str(file.filename)).stat().st_blocks


def test_a_part_uses_disk_space_from_writing_to_release(work):
    codes = work.unplaced("codes", np.int32, N)
    assert on_disk(codes) <= 4096
    place(codes, N // 2, N)
    codes[N // 2 :] = 7
    assert 2 * N <= on_disk(codes) <= 2 * N + 4096
    vacate(codes, N // 2, 3 * N // 4)
    assert N <= on_disk(codes) <= N + 4096
    assert (codes[3 * N // 4 :] == 7).all()
    fetch(codes, 0, N)


def test_pages_shared_with_other_elements_are_kept(work):
    codes = work.unplaced("codes", np.int32, N)
    place(codes, 0, N)
    codes[:] = np.arange(N)
    vacate(codes, 1000, 5001)  # pages of 1,024 elements
    unchanged = np.flatnonzero(codes == np.arange(N))
    assert set(range(1000)) <= set(unchanged.tolist())
    assert set(range(5001, N)) <= set(unchanged.tolist())


def test_arrays_in_memory_are_not_affected():
    codes = MEMORY.unplaced("codes", np.int32, 5)
    place(codes, 0, 5)
    vacate(codes, 0, 5)
    fetch(codes, 0, 5)
    assert (codes.tolist(), on_disk(codes)) == ([0] * 5, 0)


def test_a_full_disk_is_reported_in_one_line(work, monkeypatch):
    codes = work.unplaced("codes", np.int32, N)

    def full(*_args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"codes-\w+: .*No space"):
        place(codes, 0, 1)


def test_row_numbers_of_four_bytes_are_read_as_eight():
    numbers = RowNumbers(np.array([3, 0, 2**31 - 1], np.int32))
    numbers[1:] = np.array([5, 6])
    assert (len(numbers), numbers.tolist(), numbers[1:].dtype) == (3, [3, 5, 6], np.dtype(np.int64))
    assert np.asarray(numbers).dtype == np.int64
    assert np.asarray(numbers, np.int32).dtype == np.int32
