"""Searching labels in files without holding them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anonset.data.file_labels import FiledLabels
from anonset.data.spans import spans


def labels_beginning(labels: FiledLabels, marks: bytes, shown: NDArray[np.bool_] | None = None) -> Iterator[str]:
    """Yield the labels in files that begin with one of some bytes.

    Parameters
    ----------
    shown
        bool (labels,): which ones are looked at; None: all.

    >>> labels = FiledLabels(np.array([0, 0, 2, 3]), np.frombuffer(b"+1b", np.uint8))
    >>> list(labels_beginning(labels, b"+-"))
    ['+1']
    """
    wanted = np.frombuffer(marks, np.uint8)
    for first, end in spans(labels.filed):
        starts = labels.starts[first : end + 1]
        held = np.flatnonzero(starts[1:] > starts[:-1])
        if shown is not None:
            held = held[shown[first + held]]
        for position in held[np.isin(labels.text[starts[held]], wanted)].tolist():
            yield labels[first + position]
