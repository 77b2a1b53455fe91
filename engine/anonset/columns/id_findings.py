"""Facts about ids that the owner should know before an id is declared as the person."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.columns.agreement import count_distinct
from anonset.columns.identity import folded
from anonset.columns.ids import are_values, combined, given_texts, persons_in
from anonset.spelling import setting

_CHAINED, _REPLACED_ONCE = 0.9, 0.9
"""Limits for a column of earlier ids: the minimum share of its values that are also ids, and the minimum ratio of its
distinct values to the distinct pairs of both columns. An earlier id was replaced by a single id. A manager, in
contrast, has several employees.
"""
_FEWEST_IDS, _FEWEST_EARLIER = 20, 3
_DWARFS, _LARGE_SHARE = 20, 0.05
"""Limits for an id with unusually many rows: the minimum ratio of its rows to the median, and its minimum share of all
rows.
"""


def id_findings(columns: Mapping[str, Any], ids: Sequence[str]) -> list[str]:
    """Return findings on ids that are re-issued, and on single ids with far more rows than the others. They show no id.

    Parameters
    ----------
    columns
        Columns by name (``pyarrow.ChunkedArray``).
    ids
        Columns that may identify the person.
    """
    findings, spelled = list[str](), dict[str, Any]()
    for name in ids:
        if (
            name not in columns
            or not are_values(columns[name])
            or len(values := _spellings(columns[name])) < _FEWEST_IDS
        ):
            continue
        spelled = spelled or {other: _spellings(column) for other, column in columns.items() if are_values(column)}
        for other, distinct in spelled.items():
            if other != name and _is_chain(columns[name], columns[other], distinct, values):
                findings.append(_chain(name, other, len(distinct)))
        findings.append(_dummy(name, folded(given_texts(columns[name]))))
    return list(filter(None, findings))


def _spellings(column: Any) -> Any:
    """Return the distinct values of a column in uniform spelling."""
    return arrow.unique(folded(arrow.unique(given_texts(column))))


def _is_chain(ids: Any, earlier: Any, distinct: Any, values: Any) -> bool:
    """Return True if nearly all values of `earlier` are ids, and nearly each belongs to the rows of one id."""
    if not _FEWEST_EARLIER <= len(distinct) < len(values):
        return False
    known = int(arrow.to_numpy(arrow.is_in(distinct, values.to_pylist())).sum())
    pairs = count_distinct(combined([persons_in([ids]), persons_in([earlier])]))
    return known >= _CHAINED * len(distinct) >= _CHAINED * _REPLACED_ONCE * pairs


def _chain(name: str, other: str, n: int) -> str:
    return (
        f"column {other!r} contains {n:,} values of {name!r}, each in the rows of one other id; if they are earlier "
        "ids of the same person, a person has several ids: replace them by one id in the data"
    )


def _dummy(name: str, texts: Any) -> str:
    counts = np.bincount(arrow.to_numpy(arrow.dictionary_encode(texts).indices))
    most, median = int(counts.max()), float(np.median(counts))
    if most < max(_DWARFS * median, _LARGE_SHARE * len(texts)):
        return ""
    way = f"if it stands for many persons, declare it as missing: {setting('null', f'{name}=VALUE')}"
    return (
        f"one value of column {name!r} occurs in {most:,} of {len(texts):,} rows (median of all values: {median:g}); "
        f"{way} {setting('skip_rows', 'no-id')}"
    )
