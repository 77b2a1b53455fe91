"""Publish a result. The files are written under temporary names, read back, verified and scanned, and then renamed. A
publication satisfies the model of the algorithm, and each published value covers its original value (`verify_release`).
A publication contains no values that identify persons, unless the owner declares the column (`disclosure_scan`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.data.fingerprints import fingerprint
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.resumption.seals import Seal
from anonset.errors import MarkedText, UndecidedError, VerificationError
from anonset.privacy import Verdict, Witness
from anonset.publications import Published
from anonset.reading.sources.files import digest
from anonset.release.documents import ATTESTATION, CONSTRAINTS, Attestation, Report
from anonset.release.formats import Layout, UnverifiedPublication, kind_of
from anonset.release.publishing.destination import Destination
from anonset.release.statements import attestation, declarations, digests, report
from anonset.release.stopwatch import Stopwatch
from anonset.settings.settings import REPORT
from anonset.verification import verify


@dataclass(frozen=True)
class CheckOptions:
    """Options of the verification before a publication."""

    accept_undecided: bool = False
    """Whether to publish if the check cannot finish."""
    budget: int | None = None
    """Maximum number of itemset occurrences to count, or None for the default of `verify`."""


def publish(
    unverified: UnverifiedPublication[Any],
    destination: Destination,
    layout: Layout,
    options: CheckOptions,
    *,
    watch: Stopwatch,
    trace: bool,
    progress: Progress | None = None,
    context: Mapping[str, Any] | None = None,
) -> tuple[Verdict, tuple[Attestation, Report]]:
    """Publish the result of an algorithm if the bytes read back satisfy the model.

    Returns
    -------
    The verdict, the attestation, and the private report.

    On any failure or interruption, all files are removed.

    Parameters
    ----------
    destination
        New directories or addresses for the public and the private files.
    trace
        Whether to put the decisions of the search into the private report.
    context
        ``settings``, ``seed`` and facts about the ``input`` for the private report.

    Raises
    ------
    InputError
        If a directory exists already, the format does not support the labels, or (`DisclosureError`) a column shows
        values that identify persons.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not finish.
    """
    kind = kind_of(unverified.algorithm.model)
    meant, store = unverified.publication, unverified.table.store
    with destination.stage(store, progress) as staging:
        with Seal.of_labels(unverified.table).kept():
            with watch.phase("write"):
                files = kind.write(unverified, staging.folder, layout)
            with watch.phase("read back"):
                written = meant.require_same(kind.read(staging.folder, files, store, meant))
        with watch.phase("verify"):
            verdict = verify_release(unverified, written, options, progress)
            verified = evidence(written, verdict, budget=options.budget, progress=progress)
            require_decided(verified, accept_undecided=options.accept_undecided)
        with watch.phase("scan"):
            exact_values = kind.require_declared(unverified.table, written, unverified.algorithm.model)
        with watch.phase("fingerprint"):
            table_facts = fingerprint(unverified.table)
        with watch.phase("complete"):
            declared = declarations(unverified, undecided=verified.holds is None, files=files)
            promise = attestation(verdict.model, verified, written, files, declared)
            promise.write(staging.folder / ATTESTATION)
            kind.write_private(unverified, staging.private)
            write_policy(unverified, staging.private)
            staging.seal()
            digested = digest(staging.folder / ATTESTATION), digests(staging.private, store.workers)
        private_report = report(
            unverified,
            verdict,
            watch.phases,
            context or {},
            table_facts,
            digested,
            trace=trace,
            exact_values=exact_values,
        )
        private_report.write(staging.private / REPORT)
        store.require_held()
        staging.rename()
        staging.finish()
    return verdict, (promise, private_report)


def write_policy(unverified: UnverifiedPublication[Any], folder: Path) -> None:
    """Write the privacy constraints into the private folder. The attestation does not contain them, because they could
    disclose records.
    """
    from anonset.reading.policies import write_privacy_policy

    policy = unverified.algorithm.model.itemsets
    if policy is not None and all(item.splitlines() == [item] for itemset in policy.itemsets for item in itemset):
        write_privacy_policy(policy, folder / CONSTRAINTS)


def verify_release(
    unverified: UnverifiedPublication[Any],
    publication: Published,
    options: CheckOptions,
    progress: Progress | None,
) -> Verdict:
    """Verify that a publication satisfies the model and matches the original, and return the verdict.

    Parameters
    ----------
    unverified
        Result to publish.
    publication
        Data to verify: the publication of `unverified`, or the data read back.

    Raises
    ------
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check was too large to finish and the owner does not
        accept this.
    InputError
        If a file of the table was damaged since the search began.
    """
    model = unverified.algorithm.model
    with unverified.sealed.kept():
        verdict = verify(publication, model, budget=options.budget, progress=progress)
        require_decided(verdict, accept_undecided=True)
        witness = kind_of(model).find_contradiction(unverified.table, publication, unverified.hierarchies, model)
        if witness is not None:
            raise VerificationError(UntrueVerdict(witness))
        require_decided(verdict, accept_undecided=options.accept_undecided)
        if unverified.other_release is not None:
            from anonset.verification.two_releases import few_in_both

            broken = few_in_both(unverified.table, publication, unverified.other_release, model)
            if broken is not None:
                raise VerificationError(UntrueVerdict(broken))
    return verdict


def require_decided(verdict: Verdict, *, accept_undecided: bool) -> None:
    """Reject a verdict that does not permit publication.

    Raises
    ------
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check was too large to finish and the owner does not
        accept this.
    """
    if verdict.holds is False:
        raise VerificationError(verdict)
    if verdict.holds is None and not accept_undecided:
        raise UndecidedError(verdict)


@dataclass(frozen=True)
class UntrueVerdict(MarkedText, RedactedRepr):
    """Verdict on a publication that contradicts the original."""

    witness: Witness

    def __format__(self, _: str) -> str:
        return f"the publication does not match the original: {self.witness}"


def evidence(
    publication: Any, verdict: Verdict, *, budget: int | None = None, progress: Progress | None = None
) -> Verdict:
    """Return a verdict for the attestation. It depends only on the publication, so that anyone can recompute it.

    Parameters
    ----------
    verdict
        Verdict on the model. It may depend on facts that only the owner knows. An undecided verdict is returned
        unchanged.
    """
    shown = verdict.model.visible
    if shown == verdict.model or verdict.holds is None:
        return verdict
    return verify(publication, shown, budget=budget, progress=progress)
