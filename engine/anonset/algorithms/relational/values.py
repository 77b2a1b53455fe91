"""Published text of the relational values of clusters."""

from collections.abc import Iterable

import numpy as np

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.data import Hierarchy, NumericColumn
from anonset.data.array_types import UInt64
from anonset.data.domains import Range, ValueSet
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import Fix, InputError, datum
from anonset.generalization import RelationalValues
from anonset.publications.symbols import range_label, set_label


def relational_values(qi: QuasiIdentifiers, tuples: GeneralizedTuples) -> tuple[RelationalValues, ...]:
    """Return the published texts of each column.

    A text is a value, a node, a range ``[low:high]`` or a set ``(a,b,c)``. If the column has a grid, ranges are rounded
    outward to grid points.
    """
    low, high, code, bits = tuples.values
    published = []
    for a, (column, domain) in enumerate(zip(qi.columns, qi.domains, strict=True)):
        s = int(qi.slot[a])
        if isinstance(domain, Hierarchy):
            labels = [domain.labels[v] for v in code[s].tolist()]
        elif isinstance(domain, Range):
            integers = isinstance(column, NumericColumn) and column.values.dtype == np.int64
            ends = (low[s], high[s]) if domain.grid is None else domain.grid.rounded(low[s], high[s])
            labels = [range_text(x, y, whole=integers) for x, y in zip(*(end.tolist() for end in ends), strict=True)]
        else:
            labels = _set_texts(domain, bits[qi.word_at[a] : qi.word_at[a + 1]])
        published.append(RelationalValues(column.name, tuple(labels)))
    return tuple(published)


def range_text(low: float, high: float, *, whole: bool) -> str:
    """Return a range as text, or the value itself if both ends are equal.

    >>> range_text(19.0, 22.0, whole=True), range_text(1.5, 1.5, whole=False)
    ('[19:22]', '1.5')
    """
    bounds = [str(int(x)) if whole else repr(x).removesuffix(".0") for x in (low, high)]
    return bounds[0] if low == high else range_label(bounds[0], bounds[1])


def require_plain_values(qi: QuasiIdentifiers) -> None:
    """Reject values that contain a comma or are in parentheses. They could be confused with sets of values.

    Raises
    ------
    InputError
        The message contains the first rejected value.
    """
    for column, domain in zip(qi.columns, qi.domains, strict=True):
        if not isinstance(domain, ValueSet):
            continue
        require_plain_labels(column.name, domain.vocabulary.labels, "rename the value, or give the column a hierarchy")


def require_plain_labels(column: str, labels: Iterable[str], remedy: str) -> None:
    """Reject the first label that contains a comma or is in parentheses.

    Raises
    ------
    InputError
        The message contains the label and the remedy.
    """
    for label in labels:
        if "," in label or (label.startswith("(") and label.endswith(")")):
            msg = (
                f"column {column!r}: value {datum(label)} contains a comma or is in parentheses, but sets of values "
                f"are published as (a,b,c); {remedy}"
            )
            raise InputError(msg, fixes=[Fix({"drop": [column]}, "to drop the column")])


def _set_texts(domain: ValueSet, words: UInt64) -> list[str]:
    names = domain.vocabulary.labels
    texts: dict[bytes, str] = {}
    labels = []
    for column in np.ascontiguousarray(words.T):
        key = column.tobytes()
        if key not in texts:
            members = np.flatnonzero(np.unpackbits(column.astype("<u8").view(np.uint8), bitorder="little"))
            chosen = [names[c] for c in members.tolist()]
            texts[key] = set_label(chosen)
        labels.append(texts[key])
    return labels
