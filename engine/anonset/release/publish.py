"""Publishing: write, read back from the bytes, verify, and only then rename into place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Progress
from anonset.privacy import Verdict
from anonset.release.checking import checked, require_decided
from anonset.release.formats import kind_of
from anonset.release.layout import Layout
from anonset.release.phases import Stopwatch
from anonset.release.places import UNFINISHED
from anonset.release.staging import Staging
from anonset.release.unverified import Unverified


@dataclass(frozen=True)
class Request:
    """Where and how to publish."""

    out: Path
    """New directory for what may be handed on."""
    private: Path | None = None
    """New directory for what must not be; None: `out` with ``.private`` after its name."""
    layout: Layout = field(default_factory=Layout)
    """Format, separator and the like."""
    accept_undecided: bool = False
    """Publish although the check could not be finished."""
    budget: int | None = None
    """Largest number of itemset occurrences to count in verifying; None: the verification's default."""
    trace: bool = False
    """Put the decisions of the search into the private report."""

    @property
    def private_folder(self) -> Path:
        """The private directory, given or by default."""
        return self.private or self.out.parent / f"{self.out.name}.private"


def publish(
    unverified: Unverified[Any],
    request: Request,
    *,
    watch: Stopwatch,
    progress: Progress | None = None,
    context: Mapping[str, Any] | None = None,
) -> Verdict:
    """Publish what an algorithm made, if what is read back from the written bytes satisfies its model.

    Whatever goes wrong, an interruption included, nothing is left behind.

    Parameters
    ----------
    context
        ``settings``, ``seed`` and facts about the ``input`` for the private report.

    Raises
    ------
    InputError
        If a directory exists already, or the format cannot carry the labels.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not be finished.
    """
    from anonset.io.files import digest
    from anonset.release.attested import ATTESTATION, evidence
    from anonset.release.documents import REPORT, attestation, declarations, digests, report

    kind = kind_of(unverified.algorithm.model)
    kind.require_readable(unverified.publication)
    with Staging(request.out, request.private_folder) as staging:
        with watch.phase("write"):
            files = kind.write(unverified, staging.folder, request.layout)
        with watch.phase("read back"):
            written = kind.require_same(unverified.publication, kind.read(staging.folder, files))
        with watch.phase("verify"):
            verdict = checked(
                unverified,
                written,
                accept_undecided=request.accept_undecided,
                budget=request.budget,
                progress=progress,
            )
            seen = evidence(written, verdict, budget=request.budget, progress=progress)
            require_decided(seen, accept_undecided=request.accept_undecided)
        with watch.phase("complete"):
            declared = declarations(unverified.table, undecided=seen.holds is None)
            promise = attestation(verdict.model, seen, written, kind.counts(written), files, declared)
            promise.write(staging.folder / ATTESTATION)
            kind.write_private(unverified, staging.private)
            write_policy(unverified, staging.private)
            staging.seal()
            digested = digest(staging.folder / ATTESTATION), digests(staging.private, without=UNFINISHED)
            staging.rename()
        found = report(unverified, verdict, watch.phases, context or {}, digested, trace=request.trace)
        found.write(staging.private / REPORT)
        staging.finish()
    return verdict


def write_policy(unverified: Unverified[Any], folder: Path) -> None:
    """Write the privacy constraints that were kept, which the attestation must not hold: they may tell of records."""
    policy = unverified.algorithm.model.itemsets
    if policy is None or any(item.split() != [item] for itemset in policy.itemsets for item in itemset):
        return
    from anonset.io.policies import write_privacy_policy

    write_privacy_policy(policy, folder / "privacy_constraints.txt")
