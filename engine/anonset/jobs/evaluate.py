"""Losses of a publication that lies on disk, against the data that it was made from."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet, figures_shown
from anonset.errors import InputError
from anonset.generalization.recoding import SUPPRESSED
from anonset.jobs.bounds import BOUNDED, Bound, Bounds
from anonset.jobs.original_check import require_columns, require_possible, require_same_content
from anonset.jobs.workloads import QueryAnswers, WorkloadSpec, answers
from anonset.measures.retention import counted_levels
from anonset.measures.sensitive_values import ObservedDiversity, classes_of, observed_diversity
from anonset.measures.top_itemsets import TopItemsets
from anonset.measures.utility_loss import ItemWeights
from anonset.publications import Buckets, Chunks, Records
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.release.documents import Attestation
from anonset.release.opened import Opened, opening
from anonset.release.published_recoding import PublishedRecoding, recoding_of
from anonset.release.published_values import published_relational_loss
from anonset.release.symbols import leave_out, spell_out
from anonset.settings.binding import HierarchySpec, bind_columns, fit
from anonset.settings.parameters import MODELS
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
class _Weights(Discreet):
    """Weights of the losses, and the sensitive items, which Tum leaves out."""

    items: str | ItemWeights | None
    relational: Mapping[str, float] | None
    secrets: tuple[str, ...]


def evaluate(
    original: Table,
    out: Opened | str | os.PathLike[str],
    private: str | os.PathLike[str] | None = None,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    item_weights: str | ItemWeights | None = None,
    relational_weights: Mapping[str, float] | None = None,
    workload: WorkloadSpec | None = None,
    top: int | None = None,
    bound: bool = False,
    work_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Return the losses of the publication in a directory.

    The mapping of the items is read from the private directory, or where there is none from the codebook; an
    item that the codebook does not know counts as suppressed then. The private report tells whether the original, the
    publication and the mapping belong together. Where there is none, the original must be one that the publication can
    have been made from.

    Parameters
    ----------
    original
        The data that were anonymized, read with the roles that their columns had.
    out
        Directory made by `anonset anonymize` or `Release.save`.
    private
        The private one that was made with it; by default `out` with ``.private`` after its name, if that is there.
    hierarchies
        Those that the publication was made with.
    item_weights
        Weights of the utility loss: ``lca`` (the default with a hierarchy), ``uniform`` (without), ``ones`` or an
        owner's own.
    relational_weights
        Weight of each relational column; all the same by default.
    workload
        Queries whose average relative error is measured too.
    top
        So many most frequent sets of 2 to 4 items are held against as many that are expected most often: tKd, re and
        tlost, by the reading of the workload. Of sets of items alone.
    bound
        Whether to prove, by the algorithm `exact`, how small the NCP of a cut of the hierarchy can be under the same k
        and m: with suppression if the publication suppresses items. For k^m-anonymity alone.
    work_dir
        Directory in which the publication is to lie, block by block, below a temporary one; by default it is read into
        memory, unless it was published in parts.
    progress
        Called with (phase, amount done, total amount) while it is proven.

    Raises
    ------
    InputError
        If the directory is no publication, or not one of this table.
    """
    with opening(out, private, work_dir) as opened:
        _require_same_records(original, opened)
        require_columns(original, opened.attested)
        secrets = _secrets_beside(opened.attested)
        original, hierarchies = fit(original, hierarchies or {}, secrets)
        if bound and opened.attested.model not in (known := [model.name for model in BOUNDED]):
            asked = f"{setting('bound')}: the model must be {' or '.join(known)}"
            msg = f"{asked}, but {str(opened.out)!r} was published under {opened.attested.model}"
            raise InputError(msg)
        if opened.report is not None:
            require_same_content(original, opened.report)
        if top is not None:
            _require_itemsets(original, opened, top)
        original, trees = bind_columns(original, hierarchies, secrets)
        publication, spec = opened.publication, workload or WorkloadSpec()
        if isinstance(publication, Buckets):
            return _of_buckets(original, publication, opened, spec, trees)
        if isinstance(publication, Chunks):
            return _with_itemsets(_of_chunks(original, publication, opened, spec), original, publication, opened, top)
        spelled = replace(publication, relational=spell_out(publication.relational, publication.value_sets))
        if opened.private is None:
            require_possible(original, spelled, trees)
        weights = _Weights(item_weights, relational_weights, secrets)
        evaluation = _of_records(original, opened, publication, trees, weights, answers(original, spelled, spec, trees))
        evaluation = _with_itemsets(evaluation, original, publication, opened, top, spec.reading)
        if not bound:
            return evaluation
        bounds, suppression = Bounds(original, trees, progress=progress), evaluation.sizes.get("suppressed", 0) > 0
        least = bounds.of(opened.attested.parameters["k"], opened.attested.parameters["m"], suppression=suppression)
        return replace(evaluation, bound=least)


def _of_buckets(
    original: Table,
    publication: Buckets,
    opened: Opened,
    workload: WorkloadSpec,
    hierarchies: Mapping[str, Hierarchy],
) -> Evaluation:
    if opened.private is None:
        require_possible(original, publication, hierarchies)
    errors = answers(original, publication, workload, hierarchies)
    lost = original.n - publication.n + int(publication.starred.sum())
    sizes = {"records": original.n, "published": publication.n, "groups": publication.n_groups}
    return Evaluation({"grouping_loss": lost / max(1, original.n)}, sizes, "data", errors)


def _of_chunks(original: Table, publication: Chunks, opened: Opened, workload: WorkloadSpec) -> Evaluation:
    from anonset.measures.terms import in_chunks
    from anonset.measures.top_itemsets import lost_items

    if opened.private is None:
        require_possible(original, publication, {})
    column, shown = original.transactions, publication.vocabulary.index
    occurrences = (
        {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
    )
    total = sum(occurrences.values())
    measures = {"not_in_chunks": 1 - sum(in_chunks(publication)) / total if total else 0.0}
    if column is not None:
        measures["tlost"] = lost_items(column, publication, opened.attested.parameters["k"])
    sizes = {
        "records": original.n,
        "clusters": len(publication.clusters),
        "occurrences": total,
        "universe": len(occurrences),
        "suppressed": sum(count > 0 and label not in shown for label, count in occurrences.items()),
    }
    return Evaluation(measures, sizes, "data", answers(original, publication, workload))


def _require_itemsets(original: Table, opened: Opened, top: int) -> None:
    """Refuse to count sets of items where there are none."""
    if top < 1 or opened.has_buckets or original.transactions is None:
        got = f"got {top}" if top < 1 else "and the publication has no set-valued column"
        msg = f"{setting('top')} must be at least 1, and is about sets of items, {got}"
        raise InputError(msg)


def _with_itemsets(
    evaluation: Evaluation,
    original: Table,
    publication: Records | Chunks,
    opened: Opened,
    top: int | None,
    reading: Reading = ONE_MEMBER,
) -> Evaluation:
    """Add what stays of the most frequent sets, where that is asked for."""
    if top is None or original.transactions is None:
        return evaluation
    from anonset.measures.top_itemsets import lost_items, top_itemsets

    lost = lost_items(original.transactions, publication, int(opened.attested.parameters.get("k", 2)))
    measures = {**evaluation.measures, "tlost": lost}
    itemsets = top_itemsets(original.transactions, publication, top, reading=reading)
    return replace(evaluation, measures=measures, itemsets=itemsets)


def _secrets_beside(attested: Attestation) -> tuple[str, ...]:
    """Return the sensitive items that are not in the hierarchy of the others."""
    beside = attested.model in MODELS and MODELS[attested.model].model.secrets_beside
    return tuple(attested.parameters.get("sensitive_items", ())) if beside else ()


def _of_records(
    original: Table,
    opened: Opened,
    publication: Records,
    hierarchies: Mapping[str, Hierarchy],
    weights: _Weights,
    errors: QueryAnswers | None,
) -> Evaluation:
    from anonset.measures.record_utility_loss import record_utility_loss

    measures: dict[str, float] = {}
    sizes: dict[str, int] = {"records": original.n}
    source, column, levels = "data", original.transactions, dict[str, int]()
    if column is not None:
        hierarchy = hierarchies.get(column.name)
        way_back = partial(opened.way_back, original.store)
        recoded = recoding_of(column, publication.symbols, opened.private, way_back, hierarchy, original.store)
        measures |= _item_losses(recoded, hierarchy, weights)
        sizes |= _item_sizes(recoded, publication)
        source = recoded.source
        nodes = any(symbol.kind == "node" for symbol in publication.symbols)
        levels = counted_levels(recoded.item, recoded.size, recoded.count, hierarchy if nodes else None)
    if original.relational:
        values = spell_out(publication.relational, publication.value_sets)
        rum = published_relational_loss(original, values, hierarchies, weights.relational)
        tum = {} if column is None else {"tum": record_utility_loss(leave_out(publication, weights.secrets))}
        measures = {"rum": rum, **tum, **measures}
    return Evaluation(measures, sizes, source, errors, levels, observed=_observed(publication))


def _observed(publication: Records) -> dict[str, ObservedDiversity]:
    """Return what the classes of equal relational values tell of the columns that are kept as they are."""
    if not publication.relational or not publication.n:
        return {}
    class_of = classes_of(publication.relational)
    return {column.name: observed_diversity(class_of, column) for column in publication.kept}


def _item_losses(recoded: PublishedRecoding, hierarchy: Hierarchy | None, weights: _Weights) -> dict[str, float]:
    from anonset.measures.utility_loss import group_weights, weighted_utility_loss

    column, recoding = recoded.column, recoded.recoding
    losses = {"ncp": recoded.ncp, "lm": recoded.lm}
    if recoding is not None and column.n:
        chosen = group_weights(weights.items, column.vocabulary, hierarchy)
        loss = weighted_utility_loss(column, recoding, chosen)
        losses |= {"ul": loss.value} | ({"log2_ul": loss.log2} if loss.log2 > float("-inf") else {})
    return losses


def _item_sizes(recoded: PublishedRecoding, publication: Records) -> dict[str, int]:
    """Count the items; those of a local recoding are generalized or suppressed here or there, and not counted."""
    column, recoding = recoded.column, recoded.recoding
    published = publication.transactions
    sizes = {
        "occurrences": len(column.codes),
        "universe": len(column.vocabulary),
        "symbols": 0 if published is None else int(np.count_nonzero(published.occurrences)),
    }
    if recoding is not None:
        group = recoding.group
        occurring = column.occurrences > 0
        members = np.bincount(group[group != SUPPRESSED], minlength=1)
        sizes["generalized"] = int(np.count_nonzero(occurring & (group != SUPPRESSED) & (members[group] > 1)))
        sizes["suppressed"] = int(np.count_nonzero(occurring & (group == SUPPRESSED)))
    return sizes


def _require_same_records(original: Table, opened: Opened) -> None:
    """Refuse an original of another number of records than were published; of buckets, some may be left out."""
    published = opened.attested.counts.get("records")
    if published != original.n and not opened.has_buckets:
        msg = f"the original has {original.n} records, but {str(opened.out)!r} was published with {published}"
        raise InputError(msg)


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
