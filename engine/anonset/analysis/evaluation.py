"""Losses of a publication compared with its original, and the settings for computing them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonset.analysis.workloads import QueryAnswers, WorkloadSpec
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr, figures_shown
from anonset.errors import InputError
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.measures.class_sizes import ClassSizes
    from anonset.measures.losses.item_weights import ItemWeights
    from anonset.measures.risks.sensitive_values import ObservedDiversity
    from anonset.measures.top_itemsets import TopItemsets
    from anonset.release.opened import OpenedPublication


@dataclass(frozen=True)
class Bound(RedactedRepr):
    """Proven lower bound on the loss of any k^m-anonymous cut of a hierarchy. Local recoding uses several cuts, so its
    loss may be below the bound.
    """

    lower_bound: float
    """Smallest possible NCP of a cut."""
    suppression: bool
    """Whether cuts that suppress items are included."""


@dataclass(frozen=True)
class Evaluation(RedactedRepr):
    """Losses of a publication."""

    measures: Mapping[str, float]
    """Losses by name.

    ``ncp``, ``lm``, ``ul``, ``log2_ul`` of items, ``rum`` and ``tum``; ``grouping_loss`` of buckets;
    ``not_in_chunks`` and ``tlost`` of chunks.
    """
    sizes: Mapping[str, int]
    """Number of records, and for items: occurrences, universe, published symbols, generalized and suppressed items."""
    source: str
    """Source of the item mapping: ``mapping`` (private directory), ``codebook``, or ``data`` only."""
    answers: QueryAnswers | None = None
    """Errors of a query workload."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Number of item occurrences that are unchanged, generalized by 1, 2, … levels (or to 2, 3, … items), and
    suppressed.
    """
    bound: Bound | None = None
    """Minimum loss of all cuts of the hierarchy, if requested."""
    observed: "Mapping[str, ObservedDiversity]" = field(default_factory=dict)
    """l and t of each kept column. l is the smallest, and t the largest, over all equivalence classes."""
    itemsets: "TopItemsets | None" = None
    """Errors of the most frequent itemsets, if requested."""
    coarsened: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns that were coarsened during reading, by part of the data. The losses do not include the coarsening."""
    classes: "ClassSizes | None" = None
    """Equivalence classes of published records. None without quasi-identifiers."""

    def __repr__(self) -> str:
        answered = "" if self.answers is None else f"; are {self.answers.are:.4g}"
        return f"Evaluation({figures_shown(self.measures)}{answered}; {figures_shown(self.sizes)}; from {self.source})"


@dataclass(frozen=True)
class EvaluationRequest(RedactedRepr):
    """Evaluation settings, with the publication and the original that it is compared with."""

    original: Table
    """Original data, with columns bound to the hierarchies."""
    opened: "OpenedPublication"
    """Publication on disk."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchies by column name."""
    workload: WorkloadSpec
    """Queries for the average relative error."""
    item_weights: "str | ItemWeights | None" = None
    """Weights of the utility loss."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column."""
    secrets: tuple[str, ...] = ()
    """Sensitive items, which Tum excludes."""
    top: int | None = None
    """Number of most frequent itemsets to compare."""


def require_itemsets(top: int | None, *, has_items: bool) -> None:
    """Reject a comparison of frequent itemsets if the data have no items or `top` is below 1.

    Raises
    ------
    InputError
        The message contains the reason.
    """
    if top is not None and (top < 1 or not has_items):
        got = f"got {top}" if top < 1 else "but the publication has none"
        raise InputError(f"{setting('top')} must be at least 1 and needs a set-valued column, {got}")
