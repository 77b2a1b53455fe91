"""Arrays in one file of a work directory."""

import numpy as np
from tests.facts import refused

from anonset.data.storage.store import Files
from anonset.data.stored_arrays import StoredArrays
from anonset.errors import InputError


def test_a_truncated_file_is_rejected():
    with Files.temporary() as store:
        stored = StoredArrays.written("pair", [np.arange(9), np.arange(3, dtype=np.uint8)], store)
        path = store.path / stored.name
        path.write_bytes(path.read_bytes()[:-1])
        with refused(InputError, f"'{path}'", code="damaged"):
            stored.read()
        assert stored.between((7, 9))[0].tolist() == [7, 8]
        with refused(InputError, str(path), code="damaged"):
            stored.between((0, 1), (1, 3))


def test_spans_of_several_arrays_are_read():
    with Files.temporary() as store:
        arrays = [
            np.arange(9),
            np.arange(12, dtype=np.int32).reshape(4, 3),
            np.zeros((5, 0)),
            np.arange(7, dtype=np.uint8),
        ]
        stored = StoredArrays.written("several", arrays, store)
        spans = [(2, 2), (1, 3), (0, 5), (6, 7)]
        for part, array, (first, end) in zip(stored.between(*spans), arrays, spans, strict=True):
            np.testing.assert_array_equal(part, array[first:end], strict=True)
