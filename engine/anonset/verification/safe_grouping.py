"""Check of the safety constraint of a bucketized table."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.spans import ascending, run_spans, spans
from anonset.errors import InputError
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy.model import Verdict, Witness
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.publications import Buckets
from anonset.publications.buckets import STAR
from anonset.spelling import counted
from anonset.verification.anatomy import checked_groups, concentration, row_of_group
from anonset.verification.individuals import BucketRows, find_divided, one_of_each_run


def check_safe_grouping(publication: Buckets, model: SafetyConstraint) -> Verdict:
    """Check every group and every visible individual. The witness is the first violation.

    Four rules are checked in order. Each value has at most the share 1/l of a group. Each individual is in a single
    group. Each group has at least k individuals. The individuals of a group have the same number of visible tuples.
    Tuples with a star are not visible. The check needs no budget, because it costs O(n log(n)). Tables in files are
    checked in blocks of groups and shares of individuals.

    Raises
    ------
    InputError
        If there is no id column, or a row has stars in some id columns but not in all.
    """
    if not publication.ids:
        raise InputError("safe grouping requires an id column, and the publication has none")
    n_visible = sum(len(rows.row) for rows in _visible(publication))
    pairs = map(one_of_each_run, _visible(publication))
    n_individuals, divided = find_divided(pairs, publication.n, publication.store)
    checked = checked_groups(publication) | {"individuals": n_individuals, "starred": publication.n - n_visible}
    witness = concentration(publication, model.l)
    if witness is None and divided is not None:
        labels = publication.group.vocabulary.labels
        first, other = (labels[group] for group in divided.groups)
        detail = f"the individual is in groups {first} and {other}, but must be in a single group"
        witness = Witness((), divided.n_groups, 1, divided.rows[0], detail)
    elif witness is None:
        witness = _violated_group(publication, model.k)
    return Verdict(witness is None, model, checked, witness)


def _visible(publication: Buckets, rows: tuple[int, int] | None = None) -> Iterator[BucketRows]:
    """Yield the QIT rows with a visible identity, in blocks. `rows` selects a range of rows.

    Raises
    ------
    InputError
        If a row has stars in some id columns but not in all.
    """
    begin, stop = (0, publication.n) if rows is None else rows
    stars = [column.vocabulary.index.get(STAR, SUPPRESSED) for column in publication.ids]
    for first, end in ((begin + a, begin + b) for a, b in spans(stop - begin)):
        codes = [column.codes[first:end] for column in publication.ids]
        starred = np.stack([codes_of_column == star for codes_of_column, star in zip(codes, stars, strict=True)])
        partly = np.flatnonzero(starred.any(axis=0) != starred.all(axis=0))
        if len(partly):
            names = ", ".join(repr(column.name) for column in publication.ids)
            raise InputError(f"published row {first + partly[0]}: all id columns ({names}) must be {STAR!r}, or none")
        shown = np.flatnonzero(~starred[0])
        yield BucketRows(
            [codes_of_column[shown] for codes_of_column in codes],
            publication.group.codes[first:end][shown],
            shown + first,
        )


def _violated_group(publication: Buckets, k: int) -> Witness | None:
    """Return the first group with fewer than k individuals, or the first individual with fewer visible tuples than
    another individual of its group.

    Each individual must be in a single group.
    """
    codes, labels = publication.group.codes, publication.group.vocabulary.labels
    uneven: list[tuple[tuple[int, ...], Witness]] = []
    for rows in run_spans(codes) if ascending(codes) else [(0, len(codes))]:
        low, high = int(codes[slice(*rows)].min()), int(codes[slice(*rows)].max())
        shown = _shown(publication, rows)
        group_of = shown.group - low
        individuals = np.bincount(group_of, minlength=high - low + 1)
        too_small = np.flatnonzero(individuals < k)
        if len(too_small):
            group, n_individuals = low + int(too_small[0]), int(individuals[too_small[0]])
            detail = f"group {labels[group]} has {counted(n_individuals, 'visible individual')}, k={k} are required"
            return Witness((f"group {labels[group]}",), n_individuals, k, row_of_group(publication, group), detail)
        most = np.zeros(high - low + 1, np.int64)
        np.maximum.at(most, group_of, shown.rows)
        fewer = np.flatnonzero(shown.rows < most[group_of])
        if len(fewer):
            individual = int(fewer[np.lexsort([codes[fewer] for codes in shown.codes[::-1]])[0]])
            whose = tuple(int(codes[individual]) for codes in shown.codes)
            shows, others = int(shown.rows[individual]), int(most[group_of[individual]])
            label = labels[shown.group[individual]]
            detail = (
                f"the individual shows {counted(shows, 'tuple')} in group {label}, "
                f"but another individual of the group shows {others}; the numbers must be equal"
            )
            witness = Witness((), shows, others, int(shown.row[individual]), detail)
            uneven.append((whose, witness))
    return min(uneven, key=lambda entry: entry[0])[1] if uneven else None


class _VisibleRows(NamedTuple):
    """Group, first row, and number of visible rows of each visible individual."""

    codes: list[Int32]
    group: Int32
    row: Int64
    rows: Int64


def _shown(publication: Buckets, rows: tuple[int, int]) -> _VisibleRows:
    """Count the visible rows of each individual in a span of the QIT."""
    parts = list(_visible(publication, rows))
    columns = [np.concatenate(codes_of_parts) for codes_of_parts in zip(*(part.codes for part in parts), strict=True)]
    group, row = (np.concatenate([part[field] for part in parts]) for field in (1, 2))
    begins = np.flatnonzero(first_of_runs(group, *columns))
    if not _in_order(columns, group, begins):
        order = np.lexsort((row, group, *columns[::-1]))
        columns, group, row = [codes[order] for codes in columns], group[order], row[order]
        begins = np.flatnonzero(first_of_runs(group, *columns))
    count = np.diff(np.append(begins, len(row)))
    return _VisibleRows([codes[begins] for codes in columns], group[begins], row[begins], count)


def _in_order(columns: list[Int32], group: Int32, begins: Int64) -> bool:
    """Return True if rows are ordered by group, then by codes, so that the rows of an individual are adjacent."""
    first_rows, next_rows = begins[:-1], begins[1:]
    decided, descends = group[first_rows] != group[next_rows], group[first_rows] > group[next_rows]
    for codes in columns:
        descends |= ~decided & (codes[first_rows] > codes[next_rows])
        decided |= codes[first_rows] != codes[next_rows]
    return not bool(descends.any())
