"""The private file ``mapping.csv``: how each item is published, in all records or in each cluster of them.

Of a local recoding it lists the items that occur in a cluster, not the whole universe.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, Recoding, Symbol
from anonset.generalization.symbols import set_label
from anonset.io.files import write_file
from anonset.io.lines import csv_bytes, text_array
from anonset.io.rows import header_of, rows_of

GLOBAL, LOCAL = ("item", "published"), ("cluster", "item", "published")
"""The headers of both kinds."""
_LINES = 1 << 16


def write_mapping(recoding: Recoding, path: str | Path, symbols: Sequence[Symbol] = ()) -> Path:
    """Write how a global recoding publishes each item of the universe: ``item,published``; empty: it is suppressed.

    Parameters
    ----------
    symbols
        The codebook, where groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding is no global one of items, or the file cannot be written.
    """
    if not isinstance(recoding, (Cut, ItemGroups)):
        msg = f"a recoding of type {type(recoding).__name__} has no one mapping of all items"
        raise InputError(msg)
    given = {symbol.members: symbol.label for symbol in symbols if symbol.kind == "group"}
    return write_file(Path(path), csv_bytes(GLOBAL, _images(recoding, given)))


def _images(mapping: Cut | ItemGroups, given: dict[tuple[str, ...], str]) -> list[Any]:
    """Return the items of the universe, and how each is published."""
    if isinstance(mapping, Cut):
        items, names, image = mapping.hierarchy.leaves.labels, mapping.hierarchy.labels, mapping.image
    else:
        items, image = mapping.vocabulary.labels, _dense(mapping)
        names = tuple(given.get(group) or set_label(group) for group in mapping.labels)
    published = text_array([*names, ""]).take(np.where(image < 0, len(names), image))
    return [text_array(items), published]


def _dense(groups: ItemGroups) -> Any:
    """Return int32 (M,): position of each item's group among the groups, -1 where it is suppressed."""
    image = np.full(len(groups.vocabulary), -1, np.int32)
    for at, members in enumerate(groups.members):
        image[list(members)] = at
    return image


def write_local_mapping(
    recoding: PerCluster, column: SetColumn, path: str | Path, symbols: Sequence[Symbol] = ()
) -> Path:
    """Write ``cluster,item,published``, a line for each item that occurs in a cluster; empty: it is suppressed.

    What symbols stand for beyond the items that occur is in the codebook.

    Parameters
    ----------
    column
        The original column, bound to the recoding's hierarchy or vocabulary.
    symbols
        The codebook, where groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding is not one for the column, or the file cannot be written.
    """
    if len(recoding.cluster) != column.n or len(recoding.items) != recoding.n_clusters:
        msg = f"the recoding must have a mapping for each cluster of the {column.n} records"
        raise InputError(msg)
    named = {symbol.members: symbol.label for symbol in symbols if symbol.kind == "group"}
    return write_file(Path(path), _parts(recoding, column, named))


def _parts(recoding: PerCluster, column: SetColumn, named: Mapping[tuple[str, ...], str]) -> Iterator[Any]:
    yield csv_bytes(LOCAL, [text_array([])] * 3)[0]
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    by_cluster = column.take(order)
    ends = np.searchsorted(recoding.cluster[order], np.arange(recoding.n_clusters + 1))
    labels = column.vocabulary.labels
    rows: tuple[list[str], list[str], list[str]] = ([], [], [])
    for number, mapping in enumerate(recoding.items):
        first, last = by_cluster.indptr[ends[number]], by_cluster.indptr[ends[number + 1]]
        codes = np.unique(by_cluster.items[first:last])
        rows[0].extend([str(number)] * len(codes))
        rows[1].extend(labels[code] for code in codes)
        rows[2].extend(_published(mapping, codes, named))
        if len(rows[0]) >= _LINES:
            yield csv_bytes(LOCAL, [text_array(part) for part in rows])[1]
            rows = ([], [], [])
    yield csv_bytes(LOCAL, [text_array(part) for part in rows])[1]


def _published(
    mapping: Cut | ItemGroups, codes: NDArray[np.integer], named: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    """Yield how each of the items is published."""
    if isinstance(mapping, Cut):
        yield from (mapping.hierarchy.labels[node] if node >= 0 else "" for node in mapping.image[codes].tolist())
        return
    order = np.argsort(mapping.group, kind="stable")
    sorted_groups, labels = mapping.group[order], mapping.vocabulary.labels
    known: dict[int, str] = {-1: ""}
    for group in mapping.group[codes].tolist():
        if group not in known:
            first, last = np.searchsorted(sorted_groups, [group, group + 1])
            members = tuple(labels[item] for item in order[first:last])
            known[group] = named.get(members) or set_label(members)
        yield known[group]


def read_mapping(path: Path) -> dict[str, str]:
    """Return how each item of the universe is published, from ``mapping.csv``; the empty text: suppressed.

    Raises
    ------
    InputError
        If it is that of a local recoding.
    """
    if header_of(path) == LOCAL:
        msg = f"{str(path)!r} maps the items of each cluster by themselves; one mapping of all is required"
        raise InputError(msg)
    return {row["item"]: row["published"] for row in rows_of(path, GLOBAL)}
