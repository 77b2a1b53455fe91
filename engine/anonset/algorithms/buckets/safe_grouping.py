"""Safe grouping of Al Bouna, Clifton and Malluhi, DBSec 2013, sections 6 and 7."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, ClassVar, NoReturn

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.buckets.base import (
    MOST_TUPLES,
    PARTS_INSTEAD,
    id_columns,
    random_runs,
    sensitive_column,
    sorted_rows,
)
from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.buckets.parts import (
    MOST_MERGED,
    TUPLES_PER_PART,
    CollectedGroups,
    GroupedTuples,
    PartOfTuples,
    group_parts,
    split_individuals,
)
from anonset.algorithms.parameters import SEED, Parameters
from anonset.data import CategoricalColumn, Hierarchy, Table, Vocabulary
from anonset.data.array_types import Int32, UInt64
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InfeasibleError, datum
from anonset.generalization import Bucketized
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy.safe_grouping import SafetyConstraint

ORDER = "safe grouping: order of individuals with equally many tuples"
LARGER = "safe grouping: groups of one individual more"
VALUE = "safe grouping: which of equally frequent values loses a tuple"
PERSON = "safe grouping: which of the individuals with most tuples loses one"
TUPLE = "safe grouping: which of an individual's tuples with the value go"
SHOWN = "safe grouping: which of an individual's tuples are shown"
NUMBER = "safe grouping: numbers of the groups"
FIGURES = ("individuals", "groups", "starred", "removed_for_diversity", "removed_with_groups", "too_frequent")


@dataclass(frozen=True, kw_only=True)
class SafeGrouping(Parameters):
    """Form l-diverse groups of at least k individuals, with all tuples of an individual in the same group.

    Individuals are sorted by descending number of tuples. Each group consists of k consecutive individuals. If k does
    not divide the number of individuals, some groups have k + 1 individuals. Tuples of the most frequent value are
    removed from a group until it is l-diverse. If fewer than k individuals remain, all tuples of the group are removed.
    Then identities are replaced by a star until all individuals of the group have the same number of visible tuples.

    All choices that the tuple counts do not determine are random and not published. Such choices are the order of
    individuals with equal counts, the groups with k + 1 individuals, and the group numbers. The removed tuples and the
    hidden identities are also chosen at random if several are possible. Without random draws, group sizes in descending
    order would disclose a removed tuple and its value for about 60 of 3,000 persons with k=l=2. The loss therefore
    varies slightly from run to run.

    Large data in files are grouped part by part. A keyed hash of the id assigns individuals to parts. This hardly
    changes the loss. Groups are numbered at random over all parts.

    Cost: O(n), and O(size (log(size) + l)) for each group that loses tuples. Memory: about 60 bytes per tuple of a
    part.

    References: Al Bouna, Clifton, Malluhi, "Using safety constraint for transactional dataset anonymization", DBSec
    2013, Algorithm 1.
    Deviations: residual individuals are distributed over the groups, at most one per group. In the paper's example they
    join the last group, whose size would show that its individuals have the smallest tuple count. A failing group is
    removed, because the paper's loop would not terminate. Starring does not change values, so diversity is enforced by
    removal. A tuple is removed from the individual with most tuples, among the individuals with the value. If several
    individuals have the most tuples, each is chosen with equal probability. A removal therefore does not disclose how
    many tuples with the value an individual has. The parameters minConf, maxConf and exp of the paper are not used.

    >>> from anonset.data import CategoricalColumn, Table
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2", "P1"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c", "d"]), ids=(ids,))
    >>> recoding = SafeGrouping(k=2, l=2, seed=0).recode(table, {}).recoding
    >>> recoding.group.tolist(), recoding.starred.tolist()
    ([0, 0, 0, 0], [True, True, False, False])
    """

    name: ClassVar[str] = "safe-grouping"
    traits: ClassVar[Traits] = Traits(
        memory_factor=2.9,
        by_blocks=True,
        on_workers=True,
        refuses_above=MOST_TUPLES,
        instead=PARTS_INSTEAD,
        answers=("safe-grouping",),
        also_answers=("anatomy",),
    )

    k: Annotated[int, "Minimum number of individuals in a group (>= l)."]
    l: Annotated[  # noqa: E741
        int, "In each group, at most 1/l of the tuples may have the same sensitive value (l >= 1)."
    ]

    seed: Annotated[
        int | None,
        "Random seed (>= 0). Runs with the same seed and input have the same result. If None, draws are secure and "
        "differ from run to run.",
        SEED,
    ] = None

    @property
    def model(self) -> SafetyConstraint:
        """The safety constraint."""
        return SafetyConstraint(self.k, self.l)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Form the groups. Hierarchies are not used.

        Raises
        ------
        InputError
            If the sensitive column or the id columns are missing, or have missing values.
        InfeasibleError
            If there are fewer than k individuals, or all tuples would be removed.
        """
        from anonset_kernels.buckets.buckets import shuffled

        sensitive, ids = sensitive_column(table, self.model.name), id_columns(table)
        if table.n == 0:
            return Result(Bucketized(np.zeros(0, np.int32), np.zeros(0, np.bool_)), figures={"groups": 0})
        draws = Draws.of(table, self.seed)
        most = table.store.rows_at_once(table.n, TUPLES_PER_PART)
        solver = _Solver(self, _unnamed(sensitive), tuple(map(_unnamed, ids)), draws)
        union, figures, sizes = CollectedGroups.of(table.n, table.store), Counter[str](), list[int]()
        with ExitStack() as stack:
            in_parts, local = table.n > most, table.store.in_memory().with_local_workers()
            store = stack.enter_context(table.store.nested()) if in_parts else local
            parts = split_individuals(ids, draws, most, store)
            for grouped in group_parts(parts, solver, MOST_MERGED * most, progress, table.n, store):
                union.add(grouped)
                figures.update(grouped.figures)
                sizes.append(len(grouped.part.rows))
        if figures["individuals"] < self.k:
            reason = f"at least k={self.k} individuals are required, the table has {figures['individuals']:,}"
            raise InfeasibleError(self.name, reason)
        if not figures["groups"]:
            self._refuse(sensitive, figures["removed_for_diversity"])
        with np.errstate(over="ignore"):  # the overflow is intended: see `random_by_code`
            union.number(shuffled(figures["groups"], draws.key(NUMBER)))
        split = {"parts": len(sizes), "smallest_part": min(sizes), "largest_part": max(sizes)}
        more = split if len(sizes) > 1 else {}
        return Result(
            Bucketized(union.group, union.starred), figures={**{name: figures[name] for name in FIGURES}, **more}
        )

    def _refuse(self, sensitive: CategoricalColumn, n_removed: int) -> NoReturn:
        counts = np.bincount(sensitive.codes)
        value, share = int(counts.argmax()), float(counts.max() / sensitive.n)
        reason = (
            f"no group keeps k={self.k} individuals: {n_removed:,} of {sensitive.n:,} rows would be removed so that "
            f"no value has more than 1/l = 1/{self.l} of a group (value "
            f"{datum(sensitive.vocabulary.labels[value])} of column {sensitive.name!r} is in {share:.1%} of all rows); "
            "a smaller l, or a larger k for the same l, may help"
        )
        raise InfeasibleError(self.name, reason, achieved=share, bound=1 / self.l)


@dataclass(frozen=True)
class _Solver(RedactedRepr):
    algorithm: SafeGrouping
    sensitive: CategoricalColumn
    ids: tuple[CategoricalColumn, ...]
    draws: Draws

    def __call__(self, part: PartOfTuples) -> GroupedTuples:
        """Form groups of individuals, make each group diverse, and equalize the number of visible tuples."""
        from anonset_kernels.buckets.safe_grouping import assign_groups, diversify, fewest_shown, group_bounds

        k, n = self.algorithm.k, len(part.rows)
        is_complete = not part.name
        ids = self.ids if is_complete else tuple(column.take(part.rows) for column in self.ids)
        sensitive = self.sensitive if is_complete else self.sensitive.take(part.rows)
        by_id, runs = sorted_rows(ids)
        figures = dict.fromkeys(FIGURES, 0) | {"individuals": len(runs) - 1}
        if len(runs) - 1 < k:
            return GroupedTuples(part, np.full(n, SUPPRESSED, np.int32), np.zeros(n, np.bool_), figures)
        tuples, start = random_runs(by_id, runs, self.draws, ORDER + part.name)
        with np.errstate(over="ignore"):  # the overflow is intended: see `random_by_code`
            bounds = group_bounds(len(start) - 1, k, self._key(LARGER, part))
            keys = np.stack([self._key(purpose, part) for purpose in (VALUE, PERSON, TUPLE)])
            values = _looked_up(sensitive, tuples)
            remains, too_frequent = diversify(values, start, bounds, len(sensitive.vocabulary), self.algorithm.l, keys)
            shown, dropped = fewest_shown(remains, start, bounds, k)
            number_of = np.cumsum(shown > 0, dtype=np.int32) - np.int32(1)
            group, starred = assign_groups(remains, tuples, start, bounds, shown, number_of, self._key(SHOWN, part))
        figures |= {
            "groups": int(np.count_nonzero(shown)),
            "starred": int(np.count_nonzero(starred)),
            "removed_for_diversity": int(len(remains) - np.count_nonzero(remains)),
            "removed_with_groups": int(dropped),
            "too_frequent": int(too_frequent),
        }
        return GroupedTuples(part, group, starred, figures)

    def _key(self, purpose: str, part: PartOfTuples) -> UInt64:
        return self.draws.key(purpose + part.name)


def _unnamed(column: CategoricalColumn) -> CategoricalColumn:
    """Return the column without labels, which grouping does not need. A smaller task is sent faster."""
    return CategoricalColumn(column.name, column.codes, Vocabulary.numbered(len(column.vocabulary)))


def _looked_up(column: CategoricalColumn, tuples: Int32) -> Int32:
    """Return the codes of tuples, int32 (n,).

    Codes of one byte are used if possible, which halves the time for ten million tuples.
    """
    codes = column.codes.astype(np.uint8) if len(column.vocabulary) <= 1 << 8 else column.codes
    return codes[tuples].astype(np.int32, copy=False)
