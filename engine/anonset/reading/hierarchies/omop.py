"""Hierarchy of concepts from the table ``concept_ancestor`` of the OMOP common data model.

The table contains a row for each concept and each of its ancestors. A concept may have several parents, and a hierarchy
has one: the parent with the fewest concepts of the data below it, or the smallest of these.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import Hierarchy
from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy_rules import ROOT
from anonset.errors import HierarchyError, InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import OpenedSource, open_source
from anonset.reading.hierarchies.files import hierarchy_of_rows
from anonset.reading.options import ReadOptions

_COLUMNS = ("ancestor_concept_id", "descendant_concept_id", "min_levels_of_separation")


def omop_hierarchy(path: str | Path, labels: Sequence[str]) -> Hierarchy:
    """Return the hierarchy of concepts of the data.

    Above a concept are its ancestors, as ``ID+``. A concept of the data with descendants in the data is a leaf below
    ``ID+``. Labels that are no concepts of the table are below the root.

    Parameters
    ----------
    path
        Table ``concept_ancestor`` (CSV, TSV or Parquet). It is read twice, in batches.
    labels
        Concept ids of the data.

    Raises
    ------
    InputError
        If the file cannot be read, or a cell of its three columns is no integer.
    HierarchyError
        If a column is missing, or a concept is its own ancestor at a distance.
    """
    where = str(path)
    opened = open_source(path, ReadOptions())
    names = {name.casefold(): name for name in opened.names}
    if missing := [name for name in _COLUMNS if name not in names]:
        raise HierarchyError(f"{where}: must be the OMOP table concept_ancestor, but column {missing[0]!r} is missing")
    columns = [names[name] for name in _COLUMNS]
    of_data = {int(label): label for label in labels if label.isascii() and label.isdecimal() and len(label) < 19}
    codes = np.array(sorted(of_data), np.int64)
    below: Counter[int] = Counter()
    """Number of concepts of the data below each ancestor, or equal to it."""
    for ancestor, descendant, _ in _rows(opened, columns):
        held = np.isin(descendant, codes) & (ancestor != descendant)
        below.update(ancestor[held].tolist())
    needed = np.array(sorted({*below, *of_data}), np.int64)
    parents: dict[int, list[int]] = {}
    for ancestor, descendant, levels in _rows(opened, columns):
        held = (levels == 1) & np.isin(descendant, needed) & np.isin(ancestor, needed)
        for child, parent in zip(descendant[held].tolist(), ancestor[held].tolist(), strict=True):
            parents.setdefault(child, []).append(parent)
    parent_of = {child: min(found, key=lambda one: (below[one], one)) for child, found in parents.items()}
    rows = [[of_data[code], *_above(where, code, parent_of, own=below[code] > 0), ROOT] for code in codes.tolist()]
    return hierarchy_of_rows(where, [*rows, *([label, ROOT] for label in labels if label not in of_data.values())])


def _rows(opened: OpenedSource, columns: Sequence[str]) -> Iterator[tuple[Int64, Int64, Int64]]:
    """Yield the ancestors, descendants and levels of the batches, int64 (rows,) each."""
    for batch in opened.batches(columns):
        try:
            read: list[Any] = [arrow.to_numpy(arrow.cast(batch.columns[name], pa.int64())) for name in columns]
        except (pa.ArrowInvalid, ValueError):
            raise InputError(f"{batch.where}: the columns {', '.join(columns)} must contain integers") from None
        yield read[0], read[1], read[2]


def _above(where: str, code: int, parent_of: dict[int, int], *, own: bool) -> list[str]:
    """Return the nodes above a concept, from its parent on. `own` is True if other concepts are below it."""
    path = [code] if own else []
    while (parent := parent_of.get(code)) is not None:
        if parent in path:
            raise HierarchyError(f"{where}: concept {parent} is an ancestor of itself")
        path.append(parent)
        code = parent
    return [f"{node}+" for node in path]
