"""Texts are encoded as codes in canonical order, however they are distributed over blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, Vocabulary
from anonset.data.fingerprints import column_sha256
from anonset.data.labels import label_order
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.labels.label_order import encode_labels
from anonset.data.spans import Limits
from anonset.data.storage.store import Files
from anonset.errors import InputError
from effort import examples

integers = st.integers(-(10**6), 10**6) | st.integers(0, 30) | st.integers(-(10**30), 10**30)
texts = st.text(st.sampled_from('ab\0é\U00010000"\\'), max_size=20) | st.just("a" * 40)
alike = st.integers(0, 30).map("patient-0000000{}".format)
columns = st.lists(integers.map(str), max_size=60) | st.lists(texts, max_size=60) | st.lists(alike, max_size=60)
many = st.lists(
    st.sampled_from(["", "\0", "a", "a\0", "b" * 9, "b" * 9 + "\0" * 9, "b" * 20]), min_size=90, max_size=90
)


def as_bytes(labels):
    parts = [label.encode() for label in labels]
    return np.cumsum([0, *map(len, parts)]), np.frombuffer(b"".join(parts), np.uint8).copy()


@pytest.mark.long
@settings(max_examples=examples(150))
@given(
    labels=columns | many,
    per_bucket=st.sampled_from([2, 9, 1000]),
    bytes_per_bucket=st.sampled_from([1, 25, 10**6]),
    per_task=st.sampled_from([3, 1000]),
)
def test_texts_become_codes_of_the_vocabulary_in_memory(labels, per_bucket, bytes_per_bucket, per_task):
    expected = CategoricalColumn.of("id", labels)
    with pytest.MonkeyPatch.context() as patch, Files.temporary(limits=Limits(rows_per_bucket=per_bucket)) as work:
        patch.setattr(label_order, "BYTES_PER_BUCKET", bytes_per_bucket)
        patch.setattr(label_order, "PER_TASK", per_task)
        codes, actual = encode_labels(*as_bytes(labels), work)
        assert codes.tolist() == expected.codes.tolist()
        assert list(actual) == list(expected.vocabulary.labels)
        column = CategoricalColumn("id", codes, Vocabulary.of_filed(actual))
        assert column_sha256(column) == column_sha256(expected)
        assert [column.vocabulary.index[label] for label in labels] == codes.tolist()
        starts, text = actual.gathered(codes)
        assert (starts.tolist(), text.tobytes()) == tuple(
            f(x) for f, x in zip((list, bytes), as_bytes(labels), strict=True)
        )
        assert actual.first_other(codes, starts, text) == -1


def test_negative_numbers_are_sorted_by_value():
    labels = ["9", "-5", "10", "-12", "0"]
    with Files.temporary() as work:
        assert list(encode_labels(*as_bytes(labels), work)[1]) == ["-12", "-5", "0", "9", "10"]


def test_long_texts_are_sorted_and_copied_some_bytes_at_a_time(monkeypatch):
    rng = np.random.default_rng(1)
    labels = ["".join(chr(97 + i) for i in rng.integers(0, 26, 300 if n % 9 == 0 else 5)) for n in range(2000)]
    monkeypatch.setattr(label_order, "BYTES_PER_BUCKET", most := 4000)
    copied, sizes = label_order._copied, []

    def seen(chosen, arrays):
        sizes.append(int(np.sum(arrays.starts[chosen + 1] - arrays.starts[chosen])))
        for starts, text in copied(chosen, arrays):
            assert len(text) <= most
            yield starts, text

    monkeypatch.setattr(label_order, "_copied", seen)
    with Files.temporary() as work:
        _, vocabulary = encode_labels(*as_bytes(labels), work)
        assert list(vocabulary) == sorted(set(labels))
    assert len(sizes) > 10
    assert max(sizes) < 2 * most


def test_a_differing_text_is_detected():
    labels = FiledLabels(*as_bytes(["a", "bb", "bc"])).followed_by("*")
    codes = np.array([2, 3, 0, 1], np.int32)
    assert labels.first_other(codes, *as_bytes(["bc", "*", "a", "bb"])) == -1
    for row, others in enumerate((["bb", "*", "a", "bb"], ["bc", "+", "a", "bb"], ["bc", "*", "", "bb"])):
        assert labels.first_other(codes, *as_bytes(others)) == row
    assert labels.first_other(codes, *as_bytes(["bc", "**", "a", "bb"])) == 1


@pytest.mark.parametrize("starts", [[0, 1, 9], [0, -1, 3], [5, 1, 3], [0, 3, 1]])
def test_damaged_labels_are_not_read(starts):
    labels = FiledLabels(np.array(starts), np.frombuffer(b"abb", np.uint8).copy())
    codes = np.array([0, 1], np.int32)
    with refused(InputError, code="damaged"):
        labels.gathered(codes)
    assert labels.first_other(codes, *as_bytes(["a", "bb"])) >= 0
    for code in (-1, 3):
        with refused(InputError, code="damaged"):
            labels.gathered(np.array([code], np.int32))


def test_labels_in_files_are_a_sequence():
    labels = FiledLabels(*as_bytes(["a", "bb"]))
    assert (len(labels), labels[1], labels[:2], "bb" in labels.places) == (2, "bb", ("a", "bb"), True)
    assert labels == ("a", "bb")
    assert labels != ("a", "b")
    assert labels.followed_by("*") == ("a", "bb", "*")
    assert labels != labels.followed_by("*")
    assert labels.followed_by("*").places["*"] == 2
    assert "*" not in labels.places
    with pytest.raises(IndexError):
        labels[2]
