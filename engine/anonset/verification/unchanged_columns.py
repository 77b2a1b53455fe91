"""Check whether the values of columns that are published unchanged are those of their records."""

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Int64
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.labels.label_order import encode_labels
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.privacy.model import Witness
from anonset.publications import Buckets, Records


def find_other_value(
    table: Table, columns: Sequence[CategoricalColumn], publication: Records | Buckets, star: str | None = None
) -> Witness | None:
    """Return the first row with another value than its record in a column that is published unchanged, or None. The
    label `star` may replace each value.

    Raises
    ------
    InputError
        If the table lacks a column.
    """
    sensitive = () if table.sensitive is None else (table.sensitive,)
    originals = {column.name: column for column in (*table.ids, *table.kept, *sensitive)}
    for column in columns:
        if column.name not in originals:
            raise InputError(f"the original lacks the column {column.name!r}, which is published unchanged")
        before, image = originals[column.name], _image_of_ids(column, originals[column.name], publication.store)
        starred = -1 if star is None else column.vocabulary.index.get(star, -1)
        for first, end in spans(publication.n):
            codes = column.codes[first:end]
            now = codes if image is None else image[codes]
            wrong = (now != before.codes[publication.record[first:end]]) & (codes != starred)
            if wrong.any():
                row = first + int(np.argmax(wrong))
                return Witness((), 0, 1, row, f"the input record has another value in column {column.name!r}")
    return None


def _image_of_ids(column: CategoricalColumn, before: CategoricalColumn, store: Store) -> Int64 | None:
    """Return the result of `image_of`. Return None if both columns use the same label files, apart from the star."""
    after_files, before_files = column.vocabulary.filed, before.vocabulary.filed
    if after_files is None or before_files is None:
        return image_of(column, before)
    if after_files.starts is before_files.starts and after_files.text is before_files.text:
        return None
    return _image_of_filed(after_files, before_files, store)


def _image_of_filed(labels: FiledLabels, before: FiledLabels, store: Store) -> Int64:
    """Return the index in `before` of each label, int64 (labels,), stored in files. The index of an absent label is the
    number of labels in `before`.
    """
    with ExitStack() as stack:
        scratch = stack.enter_context(store.nested())
        starts, text = (stack.enter_context(scratch.growing("both", kind)) for kind in (np.int64, np.uint8))
        starts.append(np.zeros(1, np.int64))
        for end, part in ((0, before), (len(before.text), labels)):
            starts.append(part.starts[1:] + end)
            text.append(part.text)
        codes, all_labels = encode_labels(starts.finished(), text.finished(), scratch, numeric=False)
        place = scratch.array("place", np.int64, all_labels.filed)
        place[:] = len(before)
        place[codes[: before.filed]] = np.arange(before.filed)
        image: Int64 = store.array("image", np.int64, len(labels))
        image[: labels.filed] = place[codes[before.filed :]]
        if labels.last is not None:
            image[labels.filed] = before.places.get(labels.last, len(before))
    return image


def image_of(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return the original code of each published value, int64 (labels,). The code of a value that is not in the
    original is the number of original labels.
    """
    index, other = before.vocabulary.index, len(before.vocabulary)
    return np.array([index.get(label, other) for label in column.vocabulary.labels], np.int64)
