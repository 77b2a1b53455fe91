"""Text kernels on text in blocks, compared with their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import text as twin

from anonset_kernels.text import hash_fields, last_record_end


def found(data, delimiter):
    return last_record_end(np.frombuffer(data, np.uint8), ord(delimiter) if delimiter else -1)


@pytest.mark.parametrize(
    ("data", "delimiter", "expected"),
    [
        (b"", b",", (0, 0)),
        (b"a,b\nc", b",", (4, 1)),
        (b"a\r\nb\r", b",", (3, 1)),
        (b"a\rb\r\n", b",", (5, 2)),
        (b'a,"b\nc', b",", (0, 0)),
        (b'x\na,"b\nc"\n', b",", (10, 3)),
        (b'x\n"b""\n', b",", (2, 1)),
        (b'5" b\n"c\nd', b",", (5, 1)),
        (b'a, "b\nc', b",", (0, 0)),
        (b'a;"b\nc', b",", (5, 1)),
        (b'a "b\n', b"", (5, 1)),
        (b'a,"b"\nc', b",", (6, 1)),
    ],
)
def test_the_end_of_the_last_record_is_found(data, delimiter, expected):
    assert found(data, delimiter) == expected == twin.last_record_end(data, delimiter)


@given(
    st.binary(max_size=12).map(lambda raw: bytes(b'a,"\n\r '[byte % 6] for byte in raw)), st.sampled_from([b",", b""])
)
def test_the_end_of_the_last_record_is_found_in_any_text(data, delimiter):
    assert found(data, delimiter) == twin.last_record_end(data, delimiter)


@given(st.lists(st.tuples(st.binary(max_size=5), st.binary(max_size=5)), max_size=5))
def test_hashes_of_fields(rows):
    state = np.zeros((len(rows), 4), np.int64)
    expected = [[0] * 4 for _ in rows]
    for fields in ([row[0] for row in rows], [row[1] for row in rows]):
        starts = np.cumsum([0, *map(len, fields)]).astype(np.int64)
        hash_fields(starts, np.frombuffer(b"".join(fields), np.uint8), state)
        expected = twin.hash_fields(fields, expected)
    assert state.tolist() == expected
    assert len({tuple(row) for row in expected}) == len(set(rows))
