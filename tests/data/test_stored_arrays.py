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
