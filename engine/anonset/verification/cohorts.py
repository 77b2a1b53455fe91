"""Exhaustive check of cohorts. A cohort consists of the published records of a group that contain a set of symbols.

For each size of sets, all occurrences are sorted and counted with NumPy.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of, gathered, run_spans, spans
from anonset.data.storage.store import Store
from anonset.errors import AnonsetError
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.spelling import counted
from anonset.verification.counting import Resources
from anonset.verification.distinct_rows import first_of_alike, merged
from anonset.verification.grouped_rows import by_group
from anonset.verification.itemsets import records_with, require_well_formed, sizes_covered, stopped_at
from anonset.verification.occurrences import MemberSymbols, Occurrences

_STEPS_PER_OCCURRENCE = 20
"""Number of budget steps per occurrence. Sorting an occurrence takes about as long as this number of steps of compiled
code.
"""

_WORTH_MERGING = 100_000_000  # occurrences of the sets of one size, which take some seconds
_OCCURRENCES_MERGED = 1 << 16
"""Number of occurrences in a block. The sensitive symbols of a block are merged together."""


@dataclass(frozen=True)
class CohortRule:
    """Condition that every non-empty cohort must satisfy."""

    sizes: range
    """Sizes of the sets of symbols that are checked."""
    k: int
    """Minimum cohort size."""
    share: tuple[int, int] = (1, 1)
    """Maximum share of a cohort with the same sensitive symbol, as a fraction."""
    strict: bool = False
    """True if the share must be below the maximum. False if it may equal the maximum."""
    secrets_known: bool = False
    """True if checked sets may contain sensitive symbols. The maximum share then applies to sensitive symbols outside
    the set.
    """

    def most(self, size: int) -> int:
        """Return the maximum number of records with the same sensitive symbol in a cohort of `size` records."""
        numerator, denominator = self.share
        return (size * numerator - int(self.strict)) // denominator


@dataclass(frozen=True)
class _BadCohort:
    """A set of symbols whose cohort in a group violates the rule. `sensitive` is the sensitive symbol above the limit,
    or -1 if the cohort is too small.
    """

    group: int
    codes: tuple[int, ...]
    support: int
    sensitive: int = -1
    holders: int = 0


@dataclass(frozen=True, eq=False)
class _Counts:
    sets: Int64
    """Symbol codes of each set, int64 (S, size)."""
    row: Int64
    """Row of a record that contains each set, int64 (S,)."""
    support: Int64
    """Number of records of each cohort, int64 (S,)."""
    pairs: Int64
    """Pairs of a set and a sensitive symbol in the cohort of the set, int64. Pairs are encoded as integers, in
    ascending order.
    """
    holders: Int64
    """Number of records that contain both the set and the sensitive symbol of a pair, int64."""


def check_cohorts(
    column: SetColumn,
    groups: NDArray[np.integer] | None,
    sensitive: tuple[str, ...],
    rule: CohortRule,
    model: PrivacyModel,
    resources: Resources,
) -> Verdict:
    """Check every cohort of every size. The witness is the smallest violating set. Ties are resolved by codes.

    Parameters
    ----------
    groups
        Group of each record as an integer, (n,). Cohorts are counted within groups. None if all records are in one
        group.
    sensitive
        Labels of sensitive symbols. Checked sets contain them only if `rule.secrets_known` is True.
    """
    store = resources.store
    require_well_formed(column, store)
    cohorts = _Cohorts(column, groups, sensitive, rule, store)
    checked: dict[str, Any] = {"rows": column.n, "distinct_rows": cohorts.n, "groups": cohorts.n_groups}
    if cohorts.distinct_columns is not None:
        checked["distinct_columns"] = cohorts.distinct_columns
    occurrences = checked["itemset_occurrences"] = {}
    remaining, last = resources.budget, rule.sizes[-1] if len(rule.sizes) else 0
    for size in rule.sizes:
        if size > cohorts.longest:
            break
        occurrences[size] = cohorts.occurrences(size)
        remaining -= occurrences[size] * _STEPS_PER_OCCURRENCE
        if remaining < 0:
            why = f"occur {occurrences[size]:,} times, too many for the budget of {resources.budget:,}"
            checked["covered"] = stopped_at(size, last, why)
            return Verdict(None, model, checked)
        bad = cohorts.first_bad(size, resources.progress)
        if bad is not None:
            checked["covered"] = stopped_at(size, last)
            return Verdict(False, model, checked, cohorts.witness(bad))
    most = counted(cohorts.longest_record, "item")
    longer = f" (no record has more than {most} that may be known)" if last > cohorts.longest_record else ""
    checked["covered"] = f"{sizes_covered(last, last) if last else 'groups'}{longer}"
    return Verdict(True, model, checked)


class _Cohorts:
    """Distinct records with their groups. Sensitive symbols are separated from symbols that an attacker may know."""

    def __init__(
        self,
        column: SetColumn,
        groups: NDArray[np.integer] | None,
        sensitive: tuple[str, ...],
        rule: CohortRule,
        store: Store,
    ) -> None:
        self.column, self.groups, self.rule = column, groups, rule
        index = column.vocabulary.index
        codes = [index[label] for label in sensitive if label in index]
        self.is_sensitive = np.zeros(len(column.vocabulary), bool)
        self.is_sensitive[codes] = True
        self.group: Int64 | None = None
        if groups is None:
            rows, values = merged(column, store), np.empty(0, np.int64)
        else:
            tagged, values = by_group(column, groups, store)
            rows = merged(tagged, store)
        self.weight, self.n, self.longest = rows.weight, rows.column.n, 0
        self.n_groups = min(1, self.n) if groups is None else len(values)
        self._known = np.ones_like(self.is_sensitive) if rule.secrets_known else ~self.is_sensitive
        self.distinct_columns: int | None = None
        """Number of symbols that an attacker may know, after merging symbols that occur in the same records. None if
        symbols are not merged.
        """
        self._split(rows.column, store)
        self.longest_record = self.longest
        if not rule.secrets_known and any(self.occurrences(size) > _WORTH_MERGING for size in rule.sizes):
            self._merge_columns(rows.column, store)
        if groups is not None:
            self.group = _groups_of(rows.column, values, store)

    def _merge_columns(self, rows: SetColumn, store: Store) -> None:
        """Keep one symbol of each group of symbols that occur in the same records. Further symbols of a group would not
        change the cohort of a set.
        """
        n_symbols = len(self.is_sensitive)
        others = np.ones(n_symbols + self.n_groups, bool)  # includes the marks of groups
        others[:n_symbols] = self.is_sensitive
        representatives = first_of_alike(rows, others)[:n_symbols] & self._known
        occurs = self.column.occurrences > 0
        if int((representatives & occurs).sum()) < int((self._known & occurs).sum()):
            self._known, self.distinct_columns = representatives, int((representatives & occurs).sum())
            self._split(rows, store)

    def _split(self, rows: SetColumn, store: Store) -> None:
        """Divide the symbols of the distinct records into sensitive symbols and symbols that an attacker may know."""
        may_be_known, secret = store.growing("known", np.int32), store.growing("secret", np.int32)
        starts = [store.growing(name, np.int64) for name in ("known-start", "secret-start")]
        self._lengths = np.zeros(rows.longest + 1, np.int64)
        ends, n_symbols = np.zeros(2, np.int64), len(self.is_sensitive)
        for start in starts:
            start.append(np.zeros(1, np.int64))
        for a, b in spans(rows.n):
            block = rows.slice(a, b)
            symbol = block.items < n_symbols  # false for the mark of a group
            for kind, mask in enumerate((self._known, self.is_sensitive)):
                chosen = np.zeros(len(block.codes), bool)
                chosen[symbol] = mask[block.items[symbol]]
                (may_be_known, secret)[kind].append(block.items[chosen])
                running = begins_of(chosen)[block.indptr]
                starts[kind].append(ends[kind] + running[1:])
                ends[kind] += running[-1]
                if kind == 0:
                    self._lengths += np.bincount(np.diff(running), minlength=len(self._lengths))
        self.symbols = MemberSymbols(
            starts[0].finished(), may_be_known.finished(), len(self.is_sensitive), store.limits
        )
        self.sensitive_ptr, self.sensitive_items = starts[1].finished(), secret.finished()
        self.longest = int(np.flatnonzero(self._lengths).max(initial=0))

    def occurrences(self, size: int) -> int:
        """Return the exact number of occurrences of sets of `size` in the distinct records."""
        lengths = np.flatnonzero(self._lengths)
        return sum(
            n * comb(length, size) for length, n in zip(lengths.tolist(), self._lengths[lengths].tolist(), strict=True)
        )

    def first_bad(self, size: int, progress: Progress | None) -> _BadCohort | None:
        """Return the first set of `size` symbols, in code order, whose cohort violates the rule, or None."""
        total, done = float(self.occurrences(size)), 0.0
        best: _BadCohort | None = None
        if size == 0 and self.group is None:
            best, done = self._all_records(), total
            report_progress(progress, f"cohorts of {size} symbols", done, total)
            return best
        before: _Counts | None = None
        for cohorts in self._of_size(size):
            counts = self._counted(cohorts, before)
            before = counts if cohorts.goes_on else None
            bad = None if cohorts.goes_on else self._examine(counts)
            if bad is not None and (best is None or bad.codes < best.codes):
                best = bad
                if self.group is None:  # slices are in code order
                    break
            done += len(cohorts.rank)
            report_progress(progress, f"cohorts of {size} symbols", done, total)
        return best

    def _all_records(self) -> _BadCohort | None:
        """Return the cohort of the empty set, which contains all records, if it violates the rule."""
        n, holders = self.column.n, np.where(self.is_sensitive, self.column.occurrences, 0)
        if n < self.rule.k:
            return _BadCohort(0, (), n) if n else None
        worst = int(np.argmax(holders)) if len(holders) else 0
        if not len(holders) or holders[worst] <= self._most_holders(np.array([n]))[0]:
            return None
        return _BadCohort(0, (), n, worst, int(holders[worst]))

    def _of_size(self, size: int) -> Iterator[Occurrences]:
        """Yield the occurrences of the sets of `size` within each group, in slices."""
        if self.group is None:
            yield from self.symbols.of_size(size)
            return
        for a, b in run_spans(self.group):  # spans of complete groups
            yield from self._within(a, b, size)

    def _within(self, a: int, b: int, size: int) -> Iterator[Occurrences]:
        """Yield the occurrences of the sets of `size` within the groups of the distinct records a .. b - 1."""
        group: Int64 = np.asarray(self.group)[a:b]
        last = a + int(np.searchsorted(group, group[-1]))
        if size and b - last > self.symbols.at_once:  # process the last group separately
            if a < last:
                yield from self._within(a, last, size)
            rows = replace(self.symbols, indptr=self.symbols.indptr[last : b + 1])
            for occurrences in rows.of_size(size):
                yield replace(occurrences, row=occurrences.row + last)
            return
        row = np.flatnonzero(np.diff(self.symbols.indptr[a : b + 1]) >= size)
        rank = np.cumsum(np.diff(group[row], prepend=group[row[:1]]) != 0, dtype=np.int64)
        none = np.empty((int(rank[-1]) + 1 if len(rank) else 0, 0), np.int64)
        start = Occurrences(rank, row + a, self.symbols.indptr[row + a], none)
        yield from self.symbols.extended(start, size)

    def _counted(self, occurrences: Occurrences, before: "_Counts | None") -> "_Counts":
        """Count the records with each set of `occurrences`, and the records that also have a sensitive symbol.

        If the records of a set continue from the previous slice, add the counts of that slice (`before`).
        """
        support = _sums(occurrences.rank, self.weight[occurrences.row], len(occurrences.sets))
        pairs, holders = self._held(occurrences)
        first_row = occurrences.row[np.searchsorted(occurrences.rank, np.arange(len(occurrences.sets)))]
        if self.rule.secrets_known:
            of_set, symbol = np.divmod(pairs, len(self.is_sensitive))
            outside = ~(occurrences.sets[of_set] == symbol[:, None]).any(axis=1)
            pairs, holders = pairs[outside], holders[outside]
        if before is not None:
            alike, inverse = np.unique(np.concatenate([before.pairs, pairs]), return_inverse=True)
            holders = _sums(inverse, np.concatenate([before.holders, holders]), len(alike))
            pairs, support = alike, support + before.support
        return _Counts(occurrences.sets, first_row, support, pairs, holders)

    def _examine(self, counts: "_Counts") -> _BadCohort | None:
        support, pairs, holders = counts.support, counts.pairs, counts.holders
        of_set = pairs // len(self.is_sensitive)
        too_likely = holders > self._most_holders(support)[of_set]
        bad = support < self.rule.k
        bad[of_set[too_likely]] = True
        if not bool(bad.any()):
            return None
        first = min(np.flatnonzero(bad).tolist(), key=lambda s: tuple(counts.sets[s].tolist()))
        group = 0 if self.group is None else int(self.group[counts.row[first]])
        codes = tuple(int(c) for c in counts.sets[first])
        if support[first] < self.rule.k:
            return _BadCohort(group, codes, int(support[first]))
        worst = max(np.flatnonzero(too_likely & (of_set == first)).tolist(), key=lambda p: (holders[p], -p))
        sensitive = int(pairs[worst] % len(self.is_sensitive))
        return _BadCohort(group, codes, int(support[first]), sensitive, int(holders[worst]))

    def _held(self, occurrences: Occurrences) -> tuple[Int64, Int64]:
        """Return the pairs of a set and a sensitive symbol in the cohort of the set, encoded as integers, and the
        number of records with each pair.

        Occurrences are merged in blocks, because a record may contain many sensitive symbols.
        """
        pairs, holders = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for a, b in spans(len(occurrences.row), _OCCURRENCES_MERGED):
            row = occurrences.row[a:b]
            begin = self.sensitive_ptr[row]
            n_sensitive = self.sensitive_ptr[row + 1] - begin
            _, place = gathered(begin, n_sensitive)
            pair = np.repeat(occurrences.rank[a:b], n_sensitive) * len(self.is_sensitive) + self.sensitive_items[place]
            alike, inverse = np.unique(pair, return_inverse=True)
            pairs.append(alike)
            holders.append(_sums(inverse, np.repeat(self.weight[row], n_sensitive), len(alike)))
        alike, inverse = np.unique(np.concatenate(pairs), return_inverse=True)
        return alike, _sums(inverse, np.concatenate(holders), len(alike))

    def _most_holders(self, support: Int64) -> Int64:
        """Return the maximum number of records with the same sensitive symbol in a cohort of each size. Results are
        exact.
        """
        sizes, size_of = np.unique(support, return_inverse=True)
        return np.array([self.rule.most(size) for size in sizes.tolist()], np.int64)[size_of]

    def witness(self, bad: _BadCohort) -> Witness:
        """Return the witness of a violation after a scan of the published records confirms it."""
        codes, labels = list(bad.codes), self.column.vocabulary.labels
        cohort = self._records_with(codes, bad.group)
        holders = self._records_with([*codes, bad.sensitive], bad.group) if bad.sensitive >= 0 else cohort[:0]
        if len(cohort) != bad.support or len(holders) != bad.holders:
            msg = f"verification counted {bad.support} records for the symbols {codes}, but {len(cohort)} contain them"
            raise AnonsetError(msg)
        members = tuple(labels[code] for code in codes)
        if bad.sensitive < 0:
            return Witness(members, bad.support, self.rule.k, int(cohort[0]))
        numerator, denominator = self.rule.share
        required = -(-(bad.holders * denominator + int(self.rule.strict)) // numerator)
        detail = f"sensitive item {labels[bad.sensitive]!r} is in {bad.holders} of them"
        return Witness(members, bad.support, required, int(holders[0]), detail)

    def _records_with(self, codes: list[int], group: int) -> Int64:
        """Return the records of a group that contain all codes, by a scan of the column."""
        records = records_with(self.column, tuple(codes))
        return records if self.groups is None else records[self.groups[records] == group]


def _groups_of(rows: SetColumn, values: Int64, store: Store) -> Int64:
    """Return the group of each row, int64 (n,). The last symbol of a row marks its group (see `by_group`)."""
    group, n_symbols = store.growing("group", np.int64), len(rows.vocabulary)
    for a, b in spans(rows.n):
        group.append(values[rows.codes[rows.indptr[a + 1 : b + 1] - 1] - n_symbols])
    return group.finished()


def _sums(group: NDArray[np.integer], weight: Int64, n_groups: int) -> Int64:
    """Sum weights by group. The sums are exact because they are below 2^53."""
    return np.rint(np.bincount(group, weights=weight, minlength=n_groups)).astype(np.int64)
