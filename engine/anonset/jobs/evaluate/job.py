"""Losses of a publication that lies on disk, against the data that it was made from."""

import os
from collections.abc import Mapping

from anonset.algorithms.base import Progress
from anonset.data import Table
from anonset.errors import InputError
from anonset.jobs.bounds import BOUNDED
from anonset.jobs.evaluate.base import Asked, Evaluation, losses
from anonset.jobs.original import require_columns, require_same_content
from anonset.jobs.workloads import WorkloadSpec
from anonset.measures.utility_loss import ItemWeights
from anonset.release.documents import Attestation
from anonset.release.opened import Opened, opening
from anonset.settings.binding import HierarchySpec, bind_columns, fit
from anonset.settings.parameters import MODELS
from anonset.spelling import setting


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
        original, trees = bind_columns(original, hierarchies, secrets)
        question = Asked(
            original, opened, trees, workload or WorkloadSpec(), item_weights, relational_weights, secrets,
            top=top, bound=bound, progress=progress,
        )  # fmt: skip
        return losses(opened.publication, question)


def _secrets_beside(attested: Attestation) -> tuple[str, ...]:
    """Return the sensitive items that are not in the hierarchy of the others."""
    beside = attested.model in MODELS and MODELS[attested.model].model.secrets_beside
    return tuple(attested.parameters.get("sensitive_items", ())) if beside else ()


def _require_same_records(original: Table, opened: Opened) -> None:
    """Refuse an original of another number of records than were published; of buckets, some may be left out."""
    published = opened.attested.counts.get("records")
    if published != original.n and opened.attested.data.complete:
        msg = f"the original has {original.n} records, but {str(opened.out)!r} was published with {published}"
        raise InputError(msg)
