"""Checks that an original, a publication and its private directory belong together, before any measurement."""

from anonset.data import Table
from anonset.data.fingerprints import column_sha256
from anonset.errors import InputError
from anonset.release.documents import Attestation, Report


def require_columns(original: Table, attested: Attestation) -> None:
    """Reject an original in which a protected column of the publication is missing or has another role.

    Raises
    ------
    InputError
        The message names the columns.
    """
    for role, (names, expected) in attested.data.protected(original).items():
        if sorted(names) != sorted(expected):
            shown = [", ".join(map(repr, names)) or "none" for names in (names, expected)]
            msg = f"the original must have the published {role} columns {shown[1]}, got {shown[0]}"
            raise InputError(msg)


def require_same_content(original: Table, report: Report) -> None:
    """Reject an original with a column that differs, row by row, from the anonymized column.

    Raises
    ------
    InputError
        The message names the column.
    """
    digests = report.input.get("columns", {})
    # dropped when the publication was made
    others = {column.name for column in (*original.kept, *original.ids)} - digests.keys()
    for column in original.columns:
        if column.name not in others and column_sha256(column, original.store) != digests.get(column.name):
            msg = (
                f"column {column.name!r} of the original differs from the published data: it must contain the same "
                "values in the same order, read in the same way (as text or as numbers)"
            )
            raise InputError(msg)
