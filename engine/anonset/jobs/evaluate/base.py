"""What a publication lost against its original: the losses, and how each kind of publication counts them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import singledispatch
from typing import Any

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet, figures_shown
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
from anonset.release.opened import Opened
from anonset.spelling import setting


@dataclass(frozen=True)
class Evaluation(Discreet):
    """How much a publication lost."""

    measures: Mapping[str, float]
    """Losses by name: ``ncp``, ``lm``, ``ul``, ``log2_ul`` of the items, ``rum`` and ``tum``; of buckets
    ``grouping_loss``, of chunks ``not_in_chunks`` and ``tlost``."""
    sizes: Mapping[str, int]
    """Records, and of the items: occurrences, universe, published symbols, generalized and suppressed items."""
    source: str
    """Where the mapping came from: ``mapping`` (the private directory), ``codebook``, or ``data`` alone."""
    answers: QueryAnswers | None = None
    """Errors of a workload of queries."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Occurrences of items kept, generalized by so many levels (or to so many items), and suppressed."""
    bound: Bound | None = None
    """What no cut of the hierarchy can lose less than, where it was asked for."""
    observed: Mapping[str, ObservedDiversity] = field(default_factory=dict)
    """The l and the t of each column that is kept as it is, in the classes of equal relational values."""
    itemsets: TopItemsets | None = None
    """What stays of the most frequent sets of items, where that was asked for."""

    def __repr__(self) -> str:
        asked = "" if self.answers is None else f"; are {self.answers.are:.4g}"
        return f"Evaluation({figures_shown(self.measures)}{asked}; {figures_shown(self.sizes)}; from {self.source})"


@dataclass(frozen=True)
class Asked(Discreet):
    """What is asked of a publication, and the original that it is compared with."""

    original: Table
    """The data that were anonymized, their columns bound to their hierarchies."""
    opened: Opened
    """The publication."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchy of each column that has one."""
    workload: WorkloadSpec
    """Queries whose average relative error is measured."""
    item_weights: str | ItemWeights | None = None
    """Weights of the utility loss."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column."""
    secrets: tuple[str, ...] = ()
    """The sensitive items, which Tum leaves out."""
    top: int | None = None
    """Number of most frequent sets that are compared."""
    bound: bool = False
    """Whether the least NCP of a cut is proven."""
    progress: Progress | None = None
    """Called with (phase, amount done, total amount) while it is proven."""

    def require_possible(self, publication: Published) -> None:
        """Refuse an original that the publication cannot have been made from, where nothing private decides it."""
        if self.opened.private is None:
            require_possible(publication, self.original, self.hierarchies)


@singledispatch
def losses(publication: Published, asked: Asked) -> Evaluation:
    """Return what a publication lost.

    Raises
    ------
    InputError
        If something is asked that this kind of publication has no answer to.
    """
    raise unknown_kind(publication)


def require_itemsets(top: int | None, *, there: bool) -> None:
    """Refuse to compare frequent sets of items where there are none, or fewer than one.

    Raises
    ------
    InputError
        With what is wrong.
    """
    if top is not None and (top < 1 or not there):
        got = f"got {top}" if top < 1 else "and the publication has no set-valued column"
        msg = f"{setting('top')} must be at least 1, and is about sets of items, {got}"
        raise InputError(msg)


def with_itemsets(
    evaluation: Evaluation, publication: Published, asked: Asked, reading: Reading = ONE_MEMBER
) -> Evaluation:
    """Add what is left of the most frequent sets, if that is asked."""
    column = asked.original.transactions
    if asked.top is None or column is None:
        return evaluation
    lost = lost_items(column, publication, int(asked.opened.attested.parameters.get("k", 2)))
    itemsets = top_itemsets(column, publication, asked.top, reading=reading)
    return replace(evaluation, measures={**evaluation.measures, "tlost": lost}, itemsets=itemsets)


def flatten(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as one mapping of names to values."""
    found = evaluation.answers
    asked = {} if found is None else asdict(found)
    asked |= {} if evaluation.itemsets is None else {"itemsets": asdict(evaluation.itemsets)}
    bound = {} if evaluation.bound is None else {"bound": asdict(evaluation.bound)}
    levels = {"levels": dict(evaluation.levels)} if evaluation.levels else {}
    observed = {"observed": {name: asdict(one) for name, one in evaluation.observed.items()}}
    more = {**levels, **(observed if evaluation.observed else {})}
    return {**evaluation.measures, **bound, **asked, **evaluation.sizes, **more, "source": evaluation.source}
