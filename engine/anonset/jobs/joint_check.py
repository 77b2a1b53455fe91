"""Check of the joint guarantee of a publication and an earlier release, from the data and the settings of its run."""

from dataclasses import replace

from anonset.errors import InputError
from anonset.jobs.runs.file_run import FileRun
from anonset.privacy import Witness
from anonset.publications import Records
from anonset.publications.base import require_kind
from anonset.release.opened import OpenedPublication
from anonset.settings.job import Job
from anonset.settings.settings import settings_model, validate
from anonset.spelling import setting
from anonset.verification.two_releases import few_in_both


def few_with_earlier(opened: OpenedPublication, after: str) -> Witness | None:
    """Return a witness if a publication violates the joint guarantee that it attests. Return None if there is no
    violation.

    The input is read again, in memory, with the settings in the private report. Persons are matched as in the run.

    Parameters
    ----------
    opened
        Publication of records whose attestation states a joint guarantee.
    after
        Earlier release, or its private directory.

    Raises
    ------
    InputError
        If the attestation names another earlier release, the private directory is missing, or the input or a side file
        has changed.
    """
    out, declared = opened.out, opened.attested.declarations
    report = opened.require_report(f"{setting('after')}: the private directory of {str(out)!r} is missing")
    known = Job(report.settings).only(settings_model().model_fields)
    if "input" not in known:
        msg = f"{setting('after')}: {str(out)!r} was not made from a file, so the joint guarantee cannot be checked"
        raise InputError(msg)
    file_run = FileRun(validate(settings_model(), {**known, "after": after}))
    run = file_run.run()
    if run.other_release is None or run.other_release.attestation_sha256 != declared.together_with:
        raise InputError(f"{setting('after')} {after}: the attestation of {str(out)!r} names another earlier release")
    digests = report.input.get("sha256"), report.input.get("side_files", {})
    if (file_run.source.sha256, file_run.side_files) != digests:
        raise InputError(f"{setting('after')}: the input or a side file of {str(out)!r} has changed; restore it")
    missing = f"{setting('after')}: the private directory of {str(out)!r} lacks the map from rows to records"
    publication, way_back = require_kind(opened.publication, Records, missing), opened.way_back(opened.store)
    if way_back is None:
        raise InputError(missing)
    with file_run.table(None, None) as table:
        bound, *_ = run.prepare(table, file_run.settings.hierarchy, file_run.algorithm, file_run.algorithm_for)
        run.other_release.require_records(bound.n)
        earlier = replace(run.other_release.compared_with(bound), linked=bool(declared.together_if_linked))
        return few_in_both(bound, publication.with_way_back(*way_back), earlier, opened.model)
