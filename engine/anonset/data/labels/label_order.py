"""Encoding of texts by an external bucket sort. The code of a text is its position among the distinct texts in
canonical order.

The bucket of a text is determined by the eight bytes after the prefix that all texts share. Quantiles of a sample limit
the number and size of the texts in a bucket. A bucket may be larger if many texts are equal or share a longer prefix. A
larger bucket is still sorted in one step, but its texts are copied in batches.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.array_types import Int32, Int64, UInt8, UInt64
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans, spans_up_to
from anonset.data.storage.store import Store

if TYPE_CHECKING:
    from anonset_kernels.records.labels import LabelTexts, TextComparison

BYTES_PER_BUCKET = 1 << 24
"""Approximate maximum size of the texts in a bucket, and of the texts copied in one step, in bytes."""
PER_TASK = 1 << 20
"""Number of texts that a task distributes over the buckets."""
SAMPLE = 1 << 16
_BEGUN = 5


def encode_labels(
    starts: Int64, text: UInt8, store: Store, *, numeric: bool | None = None
) -> tuple[Int32, FiledLabels]:
    """Return the code of each text, int32 (n,), and the distinct texts in canonical order.

    Cost: O(bytes + n log n) time, memory for a few buckets, and another copy of the texts in the work directory.

    Parameters
    ----------
    starts, text
        Start of each text, int64 (n + 1,), and the concatenated texts, uint8 (bytes,). The first start is 0.
    store
        Store of the codes and labels.
    numeric
        Whether to sort numerically. If None, texts are sorted numerically if all are plain integers.

    >>> from anonset.data.storage.store import Files
    >>> with Files.temporary() as work:
    ...     codes, labels = encode_labels(np.array([0, 2, 3, 5]), np.frombuffer(b"109" b"10", np.uint8), work)
    ...     codes.tolist(), list(labels)
    ([1, 0, 1], ['9', '10'])
    """
    with store.nested() as scratch:
        return _Encoding(starts, text, store.with_local_workers(), scratch).encoded(numeric)


@dataclass(frozen=True)
class _Encoding(RedactedRepr):
    starts: Int64
    text: UInt8
    store: Store
    scratch: Store

    @property
    def n(self) -> int:
        return len(self.starts) - 1

    def encoded(self, numeric: bool | None) -> tuple[Int32, FiledLabels]:
        from anonset_kernels.records.labels import LabelTexts, TextComparison

        shared, integers = self._surveyed()
        numeric = integers if numeric is None else numeric
        by = TextComparison(0 if numeric else shared, numeric)
        splitters = self._splitters(by)
        size, texts, record = self._distributed(by, splitters)
        codes = self.store.array("codes", np.int32, self.n)
        with self.store.growing("labels", np.int64) as starts, self.store.growing("labels", np.uint8) as text:
            starts.append(np.zeros(1, np.int64))
            n_codes, end = 0, 0
            for first, code, chosen in self._numbered(by, texts, begins_of(size[0])):
                codes[record[first : first + len(code)]] = code + np.int32(n_codes)
                for bucket_starts, bucket_text in _copied(chosen, LabelTexts(texts.starts[first:], texts.text)):
                    starts.append(bucket_starts[1:] + end)
                    text.append(bucket_text)
                    end += len(bucket_text)
                n_codes += len(chosen)
        return codes, FiledLabels(starts.finished(), text.finished(), numeric=numeric)

    def _tasks(self) -> list[tuple[int, int]]:
        return list(spans(self.n, PER_TASK))

    def _part(self, rows: tuple[int, int]) -> "LabelTexts":
        from anonset_kernels.records.labels import LabelTexts

        return LabelTexts(self.starts[rows[0] : rows[1] + 1], self.text)

    def _surveyed(self) -> tuple[int, bool]:
        """Return the length of the common prefix in bytes, and True if all texts are integers."""
        from anonset_kernels.records.labels import survey

        if not self.n:
            return 0, True
        first = np.array(self.text[self.starts[0] : self.starts[1]])
        surveyed = list(self.store.map(lambda rows: survey(self._part(rows), first), self._tasks()))
        return min(shared for shared, _ in surveyed), all(integers for _, integers in surveyed)

    def _splitters(self, by: "TextComparison") -> UInt64:
        """Return the smallest key of each bucket except the first, uint64 (b - 1,)."""
        from anonset_kernels.records.labels import label_keys

        texts, filled = (
            self.n / self.store.limits.rows_per_bucket,
            len(self.text) / BYTES_PER_BUCKET,
        )  # number of buckets that each limit would require
        if max(texts, filled) <= 1:
            return np.empty(0, np.uint64)
        size = min(self.n, SAMPLE)
        places = (np.arange(size) + 0.5) / size
        by_bytes = np.searchsorted(self.starts, (places * len(self.text)).astype(np.int64), side="right") - 1
        picks = np.concatenate([(places * self.n).astype(np.int64), np.minimum(by_bytes, self.n - 1)])
        keys = np.empty(len(picks), np.uint64)
        label_keys(self._part((0, self.n)), by, picks, keys)
        order = np.argsort(keys)
        done = np.cumsum(np.repeat([texts, filled], size)[order] / size)
        return np.unique(keys[order[np.searchsorted(done, np.arange(1, math.ceil(done[-1])))]])

    def _distributed(self, by: "TextComparison", splitters: UInt64) -> tuple[Int64, "LabelTexts", Int32]:
        """Return the number of texts and bytes in each bucket, int64 (2, b), the texts ordered by bucket, and their row
        numbers.
        """
        from anonset_kernels.records.labels import LabelTexts, fill_labels, measure_labels

        def measured(rows: tuple[int, int]) -> Int64:
            size = np.zeros((2, len(splitters) + 1), np.int64)
            measure_labels(self._part(rows), by, splitters, size)
            return size

        sizes = list(self.store.map(measured, self._tasks()))
        total: Int64 = np.sum(sizes, axis=0, dtype=np.int64).reshape(2, -1) if sizes else np.zeros((2, 1), np.int64)
        starts = self.scratch.array("starts", np.int64, self.n + 1)
        starts[0] = 0
        out = LabelTexts(starts, self.scratch.array("text", np.uint8, len(self.text)))
        record = self.scratch.array("record", np.int32, self.n)
        before = np.cumsum(total, axis=1) - total
        tasks = []
        for rows, size in zip(self._tasks(), sizes, strict=True):
            tasks.append((rows, before.copy()))
            before += size

        def filled(task: tuple[tuple[int, int], Int64]) -> None:
            rows, fill = task
            fill_labels(self._part(rows), by, splitters, rows[0], fill, out, record)

        for _ in self.store.map(filled, tasks):
            pass
        return total, out, record

    def _numbered(self, by: "TextComparison", texts: "LabelTexts", bounds: Int64) -> Iterator[tuple[int, Int32, Int32]]:
        """Yield the start of each bucket, the codes of its texts, and an example text for each code."""
        from anonset_kernels.records.labels import LabelTexts, label_keys, number_labels

        def numbered(rows: tuple[int, int]) -> tuple[int, Int32, Int32]:
            first, end = rows
            n = end - first
            labels = LabelTexts(texts.starts[first : end + 1], texts.text)
            keys = np.empty(n, np.uint64)
            label_keys(labels, by, np.arange(n), keys)
            order = np.argsort(keys)
            code, example = np.empty(n, np.int32), np.empty(n, np.int64)
            n_codes = number_labels(labels, by, keys[order], order, code, example)
            return first, code, example[:n_codes].astype(np.int32)

        yield from self.store.map(numbered, pairwise(bounds.tolist()), _BEGUN)


def _copied(chosen: Int32, labels: "LabelTexts") -> Iterator[tuple[Int64, UInt8]]:
    """Yield batches of the texts in the rows `chosen`. A batch contains the start of each text, int64 (texts + 1,), and
    the concatenated bytes.
    """
    from anonset_kernels.records.labels import gather_text, gathered_starts

    begins, none = begins_of(labels.starts[chosen + 1] - labels.starts[chosen]), np.empty(0, np.uint8)
    for first, end in spans_up_to(begins, BYTES_PER_BUCKET):
        starts = gathered_starts(chosen[first:end], labels, 0)
        text = np.empty(int(starts[-1]), np.uint8)
        gather_text(chosen[first:end], labels, none, starts, text)
        yield starts, text
