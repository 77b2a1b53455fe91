"""Generalize a cut until it is k^m-anonymous in combination with an earlier release of the same persons.

An attacker knows up to m items of a person who is in both releases, and possibly that the person's record is the same
in both. Every set of known items needs at least k matches, unless it excludes the person's own rows. Matches can be
counted in two ways. The search uses the stricter way, `linked`, if it can be satisfied:

* linked: a match is a person in both releases whose rows in both releases contain the symbols of the known items. If
  the attacker knows that the record is the same, the two rows must also be compatible: both may represent the same
  record. This protects even against an attacker who can match the rows of a person in the two releases. It requires
  that the earlier release alone is k^m-anonymous for the persons in both releases.
* by rows: the attacker knows that the record is the same. A match is a row of a release that contains the symbols of
  the known items, and that is compatible with a matching row of the other release. The composition attack counts
  matches in this way.

Raising the cut never removes matches of a set of known items. It can add sets, because more rows become compatible. The
search therefore raises the cut until no violation remains. It fails if the root still violates the condition. It
replaces nodes by the parents that fix the most violations relative to their loss. Then it splits nodes again, in order
of descending cost, if the condition remains satisfied. In the result, no single node can be split. The method is
unpublished.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import hstack

from anonset.algorithms.base import Algorithm, Result
from anonset.attacks.composition import ReleasePair, ReleaseRows
from anonset.data import SetColumn, Vocabulary
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.errors import InfeasibleError, InputError, TooLargeError
from anonset.generalization import Cut
from anonset.generalization.other_release import OtherRelease
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy import KmAnonymity, PrivacyModel
from anonset.spelling import counted, setting
from anonset.support import SupportIndex

MOST = 20_000_000
"""Maximum number of sets of known items to examine, over all distinct records."""
Known = tuple[tuple[int, int], ...]
"""Symbols of each known item in the new release and in the earlier release. -1 if the item has no symbol in a
release.
"""


def raise_to_joint_anonymity(
    algorithm: Algorithm,
    result: Result,
    column: SetColumn,
    other: OtherRelease,
    progress: Progress | None = None,
    *,
    certain: tuple[bool, bool] = (False, False),
) -> tuple[Result, bool]:
    """Raise the cut of a result until it preserves k^m-anonymity in combination with an earlier release.

    Parameters
    ----------
    column
        Original column, bound to the hierarchy of the cut.
    certain
        A flag for each release, the new release first. True if an item without a symbol in the release certainly occurs
        in none of its records.

    Returns
    -------
    tuple of Result and bool
        The result, and True if it protects against an attacker who can match the rows of a person.

    Raises
    ------
    InfeasibleError
        If the recoding is not a cut, or the earlier release alone matches fewer than k persons.
    InputError
        If the model is not k^m-anonymity.
    """
    k, m = k_and_m_of(algorithm.model)
    earlier = ReleaseRows.of(other.publication)
    cut = result.recoding
    if earlier is None or not isinstance(cut, Cut):
        reason = "both releases must publish each item as a single symbol, the new release by a hierarchy"
        raise InfeasibleError(algorithm.name, reason)
    floor, tree, linked, raised = cut.image, cut.hierarchy, True, 0
    people, known = np.flatnonzero(other.row >= 0), column if other.items is None else other.items
    kinds, shared_rows = earlier.kind[other.row[people]], known.take(people)
    root = Cut(tree, np.where(cut.image == SUPPRESSED, SUPPRESSED, 0).astype(np.int32))
    common = partial(_CommonPersons.of, column, people, earlier, kinds, certain, other.removed)
    if next(common(root).rare(shared_rows, k, m, linked=True), None) is not None:
        linked = False
    while broken := list(common(cut).rare(shared_rows, k, m, linked=linked)):
        report_progress(progress, "coarsen", raised, 0)
        parents = _parents_that_fix(cut, column, broken)
        if not parents:
            problem = f"{counted(len(broken), 'set')} of up to {counted(m, 'item')} of persons in both releases"
            reason = f"{problem} have fewer than k={k} matches, for any recoding of the new release"
            raise InfeasibleError(algorithm.name, reason)
        raised += len(parents)
        cut = _raised(cut, parents)

    def holds(lower: Cut) -> bool:
        return next(common(lower).rare(shared_rows, k, m, linked=linked), None) is None

    if raised:
        cut = _split_nodes(cut, floor, column, holds)
    figures = {name: figure for name, figure in result.figures.items() if not raised or name in _OF_SEARCH}
    figures |= {"raised": float(raised), "in_both": float(len(people)), "linked": float(linked)}
    return replace(result, recoding=cut, figures=figures), linked


def k_and_m_of(model: PrivacyModel) -> tuple[int, int]:
    """Return the parameters k and m of k^m-anonymity.

    Raises
    ------
    InputError
        If the model is not k^m-anonymity.
    """
    if not isinstance(model, KmAnonymity):
        raise InputError(f"{setting('after')} requires the model km, got {model.name}")
    return model.k, model.m


_OF_SEARCH = ("increments", "clauses", "closed", "rounds", "nodes")
"""Statistics that remain valid after the cut is raised."""


def _parents_that_fix(cut: Cut, column: SetColumn, broken: list[Known]) -> list[int]:
    """Return parents of cut nodes that together fix all violated sets. They are chosen greedily by fixed sets per loss.

    A parent fixes each set that contains a node below it. If a set contains no node below the root, any parent fixes
    it.
    """
    tree, occurrences = cut.hierarchy, begins_of(column.occurrences)
    leaves = tree.n_leaves_below.astype(np.int64)
    loss = begins_of(np.where(cut.image > 0, leaves[cut.image] - 1, 0) * column.occurrences)
    above = [{int(tree.parent[v]) for v, _ in appearances if v > 0} for appearances in broken]
    others = {int(tree.parent[v]) for v in cut.nodes.tolist() if v > 0}
    above = [parents or others for parents in above]
    chosen = list[int]()
    while above and others:
        counts = Counter(parent for parents in above for parent in parents)

        def cost(p: int) -> int:
            low, high = tree.leaf_lo[p], tree.leaf_hi[p]
            full_loss = int((occurrences[high] - occurrences[low]) * (leaves[p] - 1))
            return max(1, full_loss - int(loss[high] - loss[low]))

        best = max(counts, key=lambda p: (counts[p] / cost(p), -p))
        chosen.append(best)
        above = [parents for parents in above if best not in parents]
    return chosen


def _raised(cut: Cut, parents: list[int]) -> Cut:
    """Return a cut with all leaves below `parents` published as these nodes. Suppressed leaves remain suppressed."""
    tree, image = cut.hierarchy, cut.image.copy()
    for parent in sorted(parents, reverse=True):  # ancestors are last, so that they overwrite their descendants
        below = slice(int(tree.leaf_lo[parent]), int(tree.leaf_hi[parent]))
        image[below] = np.where(image[below] == SUPPRESSED, SUPPRESSED, parent)
    return Cut(tree, image)


def _split_nodes(cut: Cut, floor: Int32, column: SetColumn, holds: Callable[[Cut], bool]) -> Cut:
    """Split nodes of a cut, by descending cost, if `holds` accepts the result. No node is split below `floor`."""
    tree, occurrences = cut.hierarchy, begins_of(column.occurrences)
    leaves = tree.n_leaves_below.astype(np.int64)
    examined = set[int]()

    def cost(v: int) -> int:
        return int((occurrences[tree.leaf_hi[v]] - occurrences[tree.leaf_lo[v]]) * leaves[v])

    while True:
        above = cut.nodes[np.isin(cut.nodes, np.setdiff1d(cut.image, floor))]
        open_nodes = [v for v in above.tolist() if v not in examined]
        if not open_nodes:
            return cut
        worst = max(open_nodes, key=cost)
        examined.add(worst)
        parted = _with_children(cut, floor, worst)
        cut = parted if holds(parted) else cut


def _with_children(cut: Cut, floor: Int32, node: int) -> Cut:
    """Replace a node of a cut by its children, or by nodes of `floor` if these are above the children."""
    tree, image = cut.hierarchy, cut.image.copy()
    below = np.flatnonzero(image == node)
    child = tree.leaf_node[below].copy()
    while (higher := tree.parent[child] != node).any():
        child[higher] = tree.parent[child[higher]]
    higher = tree.n_leaves_below[floor[below]] > tree.n_leaves_below[child]
    image[below] = np.where(higher, floor[below], child)
    return Cut(tree, image.astype(np.int32))


@dataclass(frozen=True, eq=False)
class _CommonPersons(RedactedRepr):
    """Rows of the persons who are both in an earlier release and in the data that a cut publishes."""

    both: ReleasePair
    nodes: Int64
    here: Int64
    """Distinct row of each person under the cut, as a number, int64 (p,)."""
    there: Int64
    """Distinct row of each person in the earlier release, as a number, int64 (p,)."""
    compatible: Bools
    """True if both rows of a person may represent the same record, bool (p,)."""

    @classmethod
    def of(
        cls,
        column: SetColumn,
        people: Int64,
        earlier: ReleaseRows,
        earlier_kinds: Int64,
        certain: tuple[bool, bool],
        removed: Container[str],
        cut: Cut,
    ) -> "_CommonPersons":
        later, nodes = _published(cut, column, removed)
        pair, here = ReleasePair(later, earlier, certain), later.kind[people]
        return cls(pair, nodes, here, earlier_kinds, pair.compatible_pairs(here, earlier_kinds))

    def rare(self, column: SetColumn, k: int, m: int, *, linked: bool) -> Iterator[Known]:
        """Yield the sets of up to m known items with fewer than k matches. Each item is given by its symbols in both
        releases.

        `column` contains the items that attackers may know of the persons in both releases.
        """
        pair, yielded = self.both, set[Known]()
        reverse = ReleasePair(pair.earlier, pair.later, pair.certain[::-1])
        unchanged, of_either = self._knowledge(column, linked=linked)
        for cells in _occurring(unchanged, m):
            if self._support(self._compatible_index, cells) >= k:
                continue
            rows = pair.later.rows_containing({symbol for symbol, _ in cells if symbol >= 0})
            others = pair.earlier.rows_containing({other for _, other in cells if other >= 0})
            if (
                linked
                or pair.count_candidates(rows, others, enough=k) < k
                or reverse.count_candidates(others, rows, enough=k) < k
            ):
                yielded.add(cells)
                yield self._named(cells)
        for cells in _occurring(of_either, m):
            if cells not in yielded and self._support(self._index, cells) < k:
                yield self._named(cells)

    @cached_property
    def _index(self) -> SupportIndex:
        """Combined row of each person, with the symbols of the cut followed by the symbols of the earlier release."""
        return self._index_of(np.arange(len(self.here)))

    @cached_property
    def _compatible_index(self) -> SupportIndex:
        """The same for the persons with compatible rows."""
        return self._index_of(np.flatnonzero(self.compatible))

    def _index_of(self, persons: Int64) -> SupportIndex:
        rows = hstack(
            [self.both.later.rows[self.here[persons]], self.both.earlier.rows[self.there[persons]]], format="csr"
        )
        names = Vocabulary(tuple(map(str, range(rows.shape[1]))))
        return SupportIndex(SetColumn("both", rows.indptr.astype(np.int64), rows.indices.astype(np.int32), names))

    def _support(self, index: SupportIndex, cells: Known) -> int:
        offset = len(self.nodes)
        codes = {symbol for symbol, _ in cells if symbol >= 0} | {offset + other for _, other in cells if other >= 0}
        return index.support(codes)

    def _named(self, cells: Known) -> Known:
        """Return known items with hierarchy nodes as the symbols of the new release."""
        return tuple((int(self.nodes[symbol]) if symbol >= 0 else -1, other) for symbol, other in cells)

    def _knowledge(self, column: SetColumn, *, linked: bool) -> tuple[list[Known], list[Known]]:
        """Return the distinct sets of symbols that an attacker may know.

        The first list is for attackers who know that the record is the same in both releases. The second list is for
        attackers who link rows and do not know this. It omits sets of the first list.
        """
        later, earlier = self.both.later, self.both.earlier
        labels, rows = column.vocabulary.labels, earlier.column.take(self.there)
        later_symbol = np.array([later.symbol_of.get(label, -1) for label in labels], np.int64)
        earlier_symbol = np.array([earlier.symbol_of.get(label, -1) for label in labels], np.int64)
        width = len(earlier.column.vocabulary) + 1
        person, row_person = (np.repeat(np.arange(sets.n), sets.lengths) for sets in (column, rows))
        symbol, other = later_symbol[column.items], earlier_symbol[column.items]
        shown = rows.items.astype(np.int64)
        in_row = np.isin(person * width + other, row_person * width + shown)
        possible = self.compatible[person] & (in_row if self.both.certain[1] else in_row | (other < 0))
        unchanged = _cells_of(column.n, width, person[possible], symbol[possible], other[possible])
        unchanged = [cells if fits else None for cells, fits in zip(unchanged, self.compatible.tolist(), strict=True)]
        of_either = list[bytes | None]()
        if linked:
            alone = ~np.isin(row_person * width + shown, person * width + other)
            person, other = np.append(person, row_person[alone]), np.append(np.where(in_row, other, -1), shown[alone])
            symbol = np.append(symbol, np.full(int(alone.sum()), -1))
            either = _cells_of(column.n, width, person, symbol, other)
            of_either = [cells if cells != same else None for cells, same in zip(either, unchanged, strict=True)]
        return _distinct(unchanged, width), _distinct(of_either, width)


def _cells_of(n: int, width: int, person: Int64, symbol: Int64, other: Int64) -> list[bytes | None]:
    """Return the distinct pairs of symbols of each person, as ascending int64 codes. Pairs without a symbol are left
    out.
    """
    codes = (symbol + 1) * width + other + 1
    order = np.lexsort((codes, person))
    person, codes = person[order], codes[order]
    chosen = first_of_runs(person, codes) & (codes > 0)
    person, codes = person[chosen], codes[chosen]
    ends = np.searchsorted(person, np.arange(n + 1)).tolist()
    return [codes[a:b].tobytes() for a, b in pairwise(ends)]


def _distinct(sets: list[bytes | None], width: int) -> list[Known]:
    codes = (np.frombuffer(cells, np.int64).tolist() for cells in dict.fromkeys(sets) if cells is not None)
    return [tuple((code // width - 1, code % width - 1) for code in row) for row in codes]


def _occurring(records: list[Known], m: int) -> Iterator[Known]:
    """Yield each distinct subset of up to m known items, starting with the empty set.

    Raises
    ------
    TooLargeError
        If there are too many sets.
    """
    yielded, remaining = set[Known](), MOST
    for record in records:
        for size in range(m + 1):
            for cells in combinations(record, size):
                remaining -= 1
                if cells not in yielded:
                    yielded.add(cells)
                    yield cells
        if remaining < 0:
            raise TooLargeError(f"{setting('after')} is limited to {MOST:,} sets of known items; use a smaller m")


def _published(cut: Cut, column: SetColumn, removed: Container[str]) -> tuple[ReleaseRows, Int64]:
    """Return the rows under a cut, and its nodes. No symbol stands for items that reading removed."""
    from anonset_kernels.records.rows import map_rows

    nodes = np.unique(cut.image[(column.occurrences > 0) & (cut.image != SUPPRESSED)])
    codes = np.searchsorted(nodes, cut.image).astype(np.int32)
    shown = np.isin(cut.image, nodes)
    codes = np.where(shown, codes, SUPPRESSED).astype(np.int32)
    indptr, items = map_rows(column.indptr, column.items, codes, len(nodes))
    labels = Vocabulary(tuple(str(node) for node in nodes.tolist()))
    images = zip(column.vocabulary.labels, codes.tolist(), strict=True)
    symbol_of = {x: int(code) for x, code in images if code >= 0 and x not in removed}
    return ReleaseRows.of_rows(symbol_of, SetColumn(column.name, indptr, items, labels)), nodes.astype(np.int64)
