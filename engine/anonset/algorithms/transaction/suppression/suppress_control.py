"""SuppressControl for rho-uncertainty after Cao, Karras, Raïssi and Tan, VLDB 2010.

Steps of the algorithm and their implementation::

    for each size of antecedent, from 0 to m                     SuppressControl.recode
        list the rules whose share is too large                  kernel sensitive_rules.list_rules
        while rules remain, suppress the item with the most      kernel coherence.suppress_greedily
            rules per occurrence

With `generalize`, these steps run on several cuts of a hierarchy, and the cut of smallest loss is used:
`control_cuts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count, Parameters
from anonset.algorithms.transaction.base import bind_items, without_items
from anonset.algorithms.transaction.suppression.control_cuts import ControlCuts
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.decimals import Written, floor_fraction
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.privacy.rho import RhoUncertainty
from anonset.spelling import setting


@dataclass(frozen=True, kw_only=True)
class SuppressControl(Parameters):
    """Suppress items until no set of up to m items infers a sensitive item with certainty rho.

    Sensitive items may be suppressed as well.

    Guarantees rho-uncertainty with antecedents of at most m items. A solution always exists, because no inference is
    possible if all sensitive items are suppressed. Suppressing an item does not change rules without this item, so
    smaller antecedents remain safe. The loss is usually high. If about the share rho of all records contains a
    sensitive item, many sets of items exceed this share by chance.
    Cost: for each size, a step for each set of this size in each record and each sensitive item of the record.

    With `generalize`, non-sensitive items are generalized first if this results in a smaller NCP than suppression only.
    The cost above applies to each evaluated cut.

    References: Cao, Karras, Raïssi, Tan, "rho-uncertainty: inference-proof transaction anonymization", VLDB 2010.
    Deviations: antecedents have at most m items. All rules of a size are listed before an item is suppressed. If
    several items are equally good, the last item is suppressed. `generalize` is our own method, not the TDControl of
    the paper, whose text was not available. The hierarchy of the recoding contains the sensitive items as additional
    leaves; the given hierarchy must not contain them.

    >>> table = Table.from_sets([["a", "hiv"], ["a"], ["a"], ["b", "hiv"], ["c"], ["c"]])
    >>> result = SuppressControl(rho=0.5, m=1, sensitive_items=("hiv",)).recode(table, {})
    >>> result.trace, result.figures["rules"]
    (('b',), 1.0)
    """

    name: ClassVar[str] = "suppress-control"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.6,
        answers=("rho",),
    )

    rho: Annotated[
        Written,
        "Limit on the share of matching records that contain a sensitive item (0 < rho <= 1). The value is not "
        "rounded.",
    ]
    m: Annotated[int, "Maximum number of items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[tuple[str, ...], "Items whose presence in a record must not be inferred."] = ()
    strict: Annotated[bool, "True if the share must be below rho. False if the share may also equal rho."] = True
    from_nothing: Annotated[
        bool,
        "True to also limit the share of each sensitive item among all records. This protects against an attacker "
        "who knows no items.",
    ] = True
    generalize: Annotated[
        bool,
        "True to generalize items first if this results in a smaller loss than suppression alone. A hierarchy is "
        "required.",
    ] = False
    max_tries: Annotated[Count, "Approximate number of cuts to try if `generalize` is True."] = 300
    max_rules: Annotated[
        Count, "Maximum number of rules in memory. All rules with the same antecedent size are in memory together."
    ] = 30_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rho", self.model.rho)

    @property
    def model(self) -> RhoUncertainty:
        """The rho-uncertainty model."""
        return RhoUncertainty(self.rho, self.m, self.sensitive_items, self.strict, self.from_nothing)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the items to suppress. `Result.trace` contains these items in order.

        The recoding is a cut if the column has a hierarchy, otherwise single-item groups.

        Raises
        ------
        InputError
            If there are more rules of a size than `max_rules`, or the set-valued column is missing.
        """
        column, hierarchy = bind_items(table, self._with_sensitive(table, hierarchies))
        if self.generalize and hierarchy is not None:
            return self._recode_generalized(column, hierarchy)
        if self.generalize:
            msg = f"{setting('generalize', True)}: column {column.name!r} needs a hierarchy of the other items"
            raise InputError(msg)
        suppressed, n_rules = self._suppress(column, progress)
        labels = column.vocabulary.labels
        figures = {"rules": float(n_rules), "suppressed": float(len(suppressed))}
        return Result(without_items(column, hierarchy, suppressed), tuple(labels[i] for i in suppressed), figures)

    def _with_sensitive(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Mapping[str, Hierarchy]:
        column = table.transactions
        if column is None or column.name not in hierarchies:
            return hierarchies
        return {**hierarchies, column.name: attach_sensitive(hierarchies[column.name], self.sensitive_items)}

    def _recode_generalized(self, column: SetColumn, hierarchy: Hierarchy) -> Result:
        secret = np.isin(np.array(hierarchy.leaves.labels), self.sensitive_items)
        cuts = ControlCuts(column, hierarchy, secret, lambda published: self._suppress(published)[0], self.max_tries)
        best, n_cuts = cuts.search()
        figures = {"cuts": float(n_cuts), "suppressed": float(len(best.gone))}
        return Result(Cut(hierarchy, best.left), best.gone, figures)

    def _suppress(self, column: SetColumn, progress: Progress | None = None) -> tuple[list[int], int]:
        """Return the codes to suppress, in order, and the number of rules."""
        from anonset_kernels.suppression.coherence import suppress_greedily

        suppressed: list[int] = []
        n_rules = 0
        for size in self.model.sizes:
            rules = self._rules(column, suppressed, size)
            suppressed += suppress_greedily(rules, column.occurrences).tolist()
            n_rules += len(rules)
            report_progress(progress, "sizes", size + 1, self.m + 1)
        return suppressed, n_rules

    def _rules(self, column: SetColumn, suppressed: list[int], size: int) -> Int32:
        """Return the rules with an antecedent of `size` items whose share is too large, int32 (T, size + 1)."""
        from anonset_kernels.suppression.sensitive_rules import list_rules

        index = column.vocabulary.index
        is_published, secret = np.ones(len(index), np.bool_), np.zeros(len(index), np.bool_)
        secret[[index[label] for label in self.sensitive_items if label in index]] = True
        is_published[suppressed] = False
        secret &= is_published
        share = floor_fraction(self.model.share, max(1, column.n))
        equal_is_too_much = int(self.strict and share == self.model.share)
        rows, secrets = _rows(column, is_published), _rows(column, secret)
        rules: Int32 = list_rules(
            rows, secrets, len(index), size, (share.numerator, share.denominator, equal_is_too_much), self.max_rules
        )
        if len(rules) > self.max_rules:
            more = setting("max_rules", option="max_work")
            problem = f"there are more than {self.max_rules:,} rules from {size} items"
            raise InputError(f"{problem}: use an m below {size}, or a larger rho or {more}")
        return rules


def _rows(column: SetColumn, chosen_items: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[Int64, Int32]:
    """Return the records of a column with only the chosen items, as compressed rows."""
    chosen = chosen_items[column.items]
    ends = begins_of(chosen)
    return ends[column.indptr], column.items[chosen]
