"""Text kernels on text in blocks, compared with their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import text as twin

from anonset.reading.formats import text_chunks
from anonset_kernels.records.text import hash_fields, last_record_end


def found(data, delimiter):
    code = ord(delimiter) if delimiter else -1
    end = last_record_end(np.frombuffer(data, np.uint8), code)
    assert end == text_chunks.last_record_end(data, code)  # without the kernel if there are no quotes
    return end


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
    st.binary(max_size=12).map(lambda raw: bytes(b'\n\ra, "'[byte % 6] for byte in raw)), st.sampled_from([b",", b""])
)
def test_the_end_of_the_last_record_is_found_in_any_text(data, delimiter):
    assert found(data, delimiter) == twin.last_record_end(data, delimiter)


KEY, MESSAGE = bytes(range(16)), bytes(range(64))
OFFICIAL = {
    0: "a3817f04ba25a8e66df67214c7550293",
    1: "da87c1d86b99af44347659119b22fc45",
    15: "5493e99933b0a8117e08ec0f97cfc3d9",
    16: "6ee2a4ca67b054bbfd3315bf85230577",
    21: "568e495abe525a218a2214cd3e071d12",
    63: "5150d1772f50834a503e069a973fbd7c",
}
"""Hashes of the first bytes of `MESSAGE` by their number (``openssl mac -macopt size:16 SIPHASH``)."""


def hashed(key, fields, state):
    """Return the hash of each record after the next field, by the kernel."""
    starts = np.cumsum([0, *map(len, fields)]).astype(np.int64)
    words = np.frombuffer(b"".join(state), "<u8").reshape(-1, 2).astype(np.uint64)
    with np.errstate(over="ignore"):
        hash_fields(
            np.frombuffer(key, "<u8").astype(np.uint64), starts, np.frombuffer(b"".join(fields), np.uint8), words
        )
    return [row.astype("<u8").tobytes() for row in words]


@pytest.mark.parametrize("size", OFFICIAL)
def test_hashes_agree_with_another_implementation(size):
    assert twin.siphash(KEY, MESSAGE[:size]).hex() == OFFICIAL[size]
    if size >= 16:
        assert [found.hex() for found in hashed(KEY, [MESSAGE[16:size]], [MESSAGE[:16]])] == [OFFICIAL[size]]


@given(
    st.binary(min_size=16, max_size=16), st.lists(st.tuples(st.binary(max_size=20), st.binary(max_size=5)), max_size=5)
)
def test_hashes_of_fields(key, rows):
    state = expected = [bytes(16)] * len(rows)
    for fields in ([row[0] for row in rows], [row[1] for row in rows]):
        state, expected = hashed(key, fields, state), twin.hash_fields(key, fields, expected)
    assert state == expected
    assert len(set(expected)) == len(set(rows))


@pytest.mark.parametrize("size", [255, 256, 70_000])
def test_hashes_of_long_fields(size):
    field = MESSAGE * (size // 64 + 1)
    fields = [field[:size], field[: size - 1]]
    assert hashed(KEY, fields, [KEY, KEY]) == twin.hash_fields(KEY, fields, [KEY, KEY])
