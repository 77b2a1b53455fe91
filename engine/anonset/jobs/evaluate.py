"""Compute the losses of a publication on disk, compared with the data that it was made from."""

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from anonset.analysis.base import analysis_of
from anonset.analysis.evaluation import Evaluation, EvaluationRequest
from anonset.analysis.workloads import WorkloadSpec
from anonset.data import Table
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.bounds import BOUNDED, Bounds
from anonset.jobs.original import items_outside_hierarchy, require_columns, require_same_content
from anonset.measures.losses.item_weights import ItemWeights
from anonset.release.opened import OpenedPublication, open_in_blocks
from anonset.settings.binding import HierarchySpec, bind_columns, fit
from anonset.settings.readers import ParsingContext
from anonset.settings.readers import item_weights as weights_of_items
from anonset.spelling import setting


def evaluate(
    original: Table,
    out: OpenedPublication | str | os.PathLike[str],
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

    The item mapping is read from the private directory, or from the codebook if there is none. Items missing in the
    codebook then count as suppressed. The private report shows whether original, publication and mapping belong
    together. Without it, the publication must be derivable from the original.

    Parameters
    ----------
    original
        Original data, read with the same column roles.
    out
        Directory written by `anonset anonymize` or `Release.save`.
    private
        Its private directory; by default `out` with the suffix ``.private``, if it exists.
    hierarchies
        Hierarchies used for the publication.
    item_weights
        Weights of the utility loss: ``lca`` (default with a hierarchy), ``uniform`` (default without), ``ones``, a file
        with a weight and items per line, or custom weights.
    relational_weights
        Weight of each relational column. The default weights are equal.
    workload
        Queries for the average relative error.
    top
        Number of itemsets to compare, for data with items. The most frequent itemsets of 2 to 4 items in the original
        are compared with as many itemsets of the highest expected frequency in the publication. The results are tKd,
        re and tlost. Symbols with several items are interpreted as in the workload.
    bound
        Whether to prove the minimum NCP of a cut of the hierarchy under the same k and m, for k^m-anonymity only. The
        algorithm `exact` computes it. If the publication suppresses items, cuts with suppression are included.
    work_dir
        Parent of a temporary directory that stores the publication in blocks. By default the publication is read into
        memory, unless it was published in parts.
    progress
        Progress callback of the proof with the arguments (phase, amount done, total amount).

    Raises
    ------
    InputError
        If the directory contains no publication, or one of another table.
    """
    with open_in_blocks(out, private, work_dir) as opened:
        _require_same_records(original, opened)
        require_columns(original, opened.attested)
        secrets = items_outside_hierarchy(opened.attested)
        original, hierarchies = fit(original, hierarchies or {}, secrets)
        if bound and opened.attested.model not in (models := [model.name for model in BOUNDED]):
            requirement = f"{setting('bound')}: the model must be {' or '.join(models)}"
            raise InputError(f"{requirement}, but the model of {str(opened.out)!r} is {opened.attested.model}")
        if opened.report is not None:
            require_same_content(original, opened.report)
        original, trees = bind_columns(original, hierarchies, secrets)
        if isinstance(item_weights, str):
            item_weights = weights_of_items(item_weights, ParsingContext(original.transactions))
        question = EvaluationRequest(
            original, opened, trees, workload or WorkloadSpec(), item_weights, relational_weights, secrets,
            top=top,
        )  # fmt: skip
        evaluation = replace(analysis_of(opened.publication).evaluation(question), coarsened=original.coarsened)
        if not bound:
            return evaluation
        parameters, suppression = opened.attested.parameters, evaluation.sizes.get("suppressed", 0) > 0
        bounds = Bounds(original, trees, progress=progress)
        return replace(evaluation, bound=bounds.of(parameters["k"], parameters["m"], suppression=suppression))


def _require_same_records(original: Table, opened: OpenedPublication) -> None:
    """Reject an original with another record count than the publication, unless the publication may omit records, as
    buckets do.
    """
    published = opened.attested.counts.get("records")
    if published != original.n and opened.attested.data.complete:
        raise InputError(f"the original has {original.n} records, but {str(opened.out)!r} was made from {published}")


def flatten(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as a flat mapping from names to values."""
    query_answers = evaluation.answers
    optional = {} if query_answers is None else asdict(query_answers)
    optional |= {} if evaluation.itemsets is None else {"itemsets": asdict(evaluation.itemsets)}
    optional |= {} if evaluation.classes is None else asdict(evaluation.classes)
    bound = {} if evaluation.bound is None else {"bound": asdict(evaluation.bound)}
    levels = {"levels": dict(evaluation.levels)} if evaluation.levels else {}
    observed = {"observed": {name: asdict(diversity) for name, diversity in evaluation.observed.items()}}
    coarsened = {"coarsened": dict(evaluation.coarsened)} if evaluation.coarsened else {}
    more = {**levels, **(observed if evaluation.observed else {}), **coarsened}
    return {**evaluation.measures, **bound, **optional, **evaluation.sizes, **more, "source": evaluation.source}
