"""Anatomy of Xiao and Tao, VLDB 2006."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.buckets.base import (
    MOST_TUPLES,
    PARTS_INSTEAD,
    random_by_code,
    require_eligible,
    sensitive_column,
)
from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.parameters import SEED, Parameters
from anonset.data import Hierarchy, Table
from anonset.data.progress import Progress
from anonset.data.spans import begins_of
from anonset.generalization import Bucketized
from anonset.privacy.anatomy import AnatomyDiversity


@dataclass(frozen=True, kw_only=True)
class Anatomy(Parameters):
    """Anatomy: form groups of at least l tuples whose sensitive values are all different.

    Each tuple is treated as a separate person. Individuals with several tuples are therefore not protected (see
    `SafeGrouping`). Cost: O(n log V) for V sensitive values. Memory: 12 bytes per tuple, in the work directory if the
    tuples are stored there.

    Tuples with the same value are assigned to groups at random, because an assignment by row order would disclose most
    values. The random draws also depend on the input. If they depended only on the seed, an attacker could guess the
    seed and learn the values (see `Draws`).

    References: Xiao, Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.
    Deviations: a residual tuple joins the first group that does not contain its value. The paper draws a group at
    random.

    >>> from anonset.data import CategoricalColumn, Table
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c"] * 2))
    >>> Anatomy(l=3, seed=1).recode(table, {}).recoding.group.tolist()
    [0, 0, 1, 1, 1, 0]
    """

    name: ClassVar[str] = "anatomy"
    traits: ClassVar[Traits] = Traits(
        memory_factor=2.8,
        by_blocks=True,
        undivided="it puts all tuples in a single random order, which workers do not speed up",
        refuses_above=MOST_TUPLES,
        instead=PARTS_INSTEAD,
        answers=("anatomy",),
    )

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
    def model(self) -> AnatomyDiversity:
        """The model l-diversity of the buckets."""
        return AnatomyDiversity(self.l)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Form the groups. Hierarchies are not used.

        Raises
        ------
        InputError
            If the sensitive column is missing or has missing values.
        InfeasibleError
            If a value has more than 1/l of the tuples.
        """
        column = sensitive_column(table, self.model.name)
        require_eligible(self.name, column, self.l)
        from anonset_kernels.buckets.buckets import anatomize

        n_values = len(column.vocabulary)
        first = begins_of(column.occurrences)
        draws = Draws.of(table, self.seed)
        group = table.store.array("group", np.int32, table.n)
        with ExitStack() as stack:
            scratch = stack.enter_context(table.store.nested())
            purpose = "anatomy: order of the tuples of a value"
            by_value = random_by_code(column.codes, n_values, draws, purpose, scratch)
            anatomize(by_value, first, self.l, group)
        buckets = Bucketized(group, np.zeros(table.n, np.bool_))
        return Result(buckets, figures={"groups": buckets.n_groups})
