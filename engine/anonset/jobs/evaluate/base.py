"""Losses of a publication compared with its original. The module contains the result and the interface for each kind
of publication.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import singledispatch
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr, figures_shown
from anonset.errors import InputError
from anonset.jobs.bounds import Bound
from anonset.jobs.original import require_possible
from anonset.jobs.workloads import QueryAnswers, WorkloadSpec
from anonset.measures.sensitive_values import ObservedDiversity
from anonset.measures.top_itemsets import TopItemsets, lost_items, top_itemsets
from anonset.measures.utility_loss import ItemWeights
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.release.opened import OpenedPublication
from anonset.spelling import setting


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
    observed: Mapping[str, ObservedDiversity] = field(default_factory=dict)
    """l and t of each kept column. l is the smallest, and t the largest, over all equivalence classes."""
    itemsets: TopItemsets | None = None
    """Errors of the most frequent itemsets, if requested."""
    coarsened: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Columns that were coarsened during reading, by part of the data. The losses do not include the coarsening."""

    def __repr__(self) -> str:
        answered = "" if self.answers is None else f"; are {self.answers.are:.4g}"
        return f"Evaluation({figures_shown(self.measures)}{answered}; {figures_shown(self.sizes)}; from {self.source})"


@dataclass(frozen=True)
class EvaluationRequest(RedactedRepr):
    """Evaluation settings, with the publication and the original that it is compared with."""

    original: Table
    """Original data, with columns bound to the hierarchies."""
    opened: OpenedPublication
    """Publication on disk."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchies by column name."""
    workload: WorkloadSpec
    """Queries for the average relative error."""
    item_weights: str | ItemWeights | None = None
    """Weights of the utility loss."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column."""
    secrets: tuple[str, ...] = ()
    """Sensitive items, which Tum excludes."""
    top: int | None = None
    """Number of most frequent itemsets to compare."""
    bound: bool = False
    """Whether to prove the minimum NCP of a cut."""
    progress: Progress | None = None
    """Progress callback of the proof with the arguments (phase, amount done, total amount)."""

    def require_possible(self, publication: Published) -> None:
        """Reject an original that cannot be the original of the publication. Used without a private directory."""
        if self.opened.private is None:
            require_possible(publication, self.original, self.hierarchies)


@singledispatch
def losses(publication: Published, request: EvaluationRequest) -> Evaluation:
    """Return the losses of a publication.

    Raises
    ------
    InputError
        If a requested measure does not exist for this kind of publication.
    """
    raise unknown_kind(publication)


def require_itemsets(top: int | None, *, has_items: bool) -> None:
    """Reject a comparison of frequent itemsets if the data have no items or `top` is below 1.

    Raises
    ------
    InputError
        The message contains the reason.
    """
    if top is not None and (top < 1 or not has_items):
        got = f"got {top}" if top < 1 else "but the publication has none"
        msg = f"{setting('top')} must be at least 1 and needs a set-valued column, {got}"
        raise InputError(msg)


def with_itemsets(
    evaluation: Evaluation, publication: Published, request: EvaluationRequest, reading: Reading = ONE_MEMBER
) -> Evaluation:
    """Add the errors of the most frequent itemsets, if requested."""
    column = request.original.transactions
    if request.top is None or column is None:
        return evaluation
    lost = lost_items(column, publication, int(request.opened.attested.parameters.get("k", 2)))
    itemsets = top_itemsets(column, publication, request.top, reading=reading)
    return replace(evaluation, measures={**evaluation.measures, "tlost": lost}, itemsets=itemsets)


def flatten(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as a flat mapping from names to values."""
    query_answers = evaluation.answers
    optional = {} if query_answers is None else asdict(query_answers)
    optional |= {} if evaluation.itemsets is None else {"itemsets": asdict(evaluation.itemsets)}
    bound = {} if evaluation.bound is None else {"bound": asdict(evaluation.bound)}
    levels = {"levels": dict(evaluation.levels)} if evaluation.levels else {}
    observed = {"observed": {name: asdict(diversity) for name, diversity in evaluation.observed.items()}}
    coarsened = {"coarsened": dict(evaluation.coarsened)} if evaluation.coarsened else {}
    more = {**levels, **(observed if evaluation.observed else {}), **coarsened}
    return {**evaluation.measures, **bound, **optional, **evaluation.sizes, **more, "source": evaluation.source}
