"""Whether an original, a publication and its private directory belong together; what does not is never measured."""

from anonset.data import Table
from anonset.data.fingerprints import column_sha256
from anonset.errors import InputError
from anonset.release.documents import Attestation, Report


def require_columns(original: Table, attested: Attestation) -> None:
    """Refuse an original that has not the protected columns of a publication, in the same roles.

    Raises
    ------
    InputError
        With the columns.
    """
    for role, (found, expected) in attested.data.protected(original).items():
        if sorted(found) != sorted(expected):
            shown = [", ".join(map(repr, names)) or "none" for names in (found, expected)]
            msg = f"the original must have the {role} columns that were published, {shown[1]}, got {shown[0]}"
            raise InputError(msg)


def require_same_content(original: Table, report: Report) -> None:
    """Refuse an original of which a column is not, row by row, what was anonymized.

    Raises
    ------
    InputError
        With the column.
    """
    known = report.input.get("columns", {})
    others = {column.name for column in (*original.kept, *original.ids)} - known.keys()  # dropped at the time
    for column in original.columns:
        if column.name not in others and column_sha256(column) != known.get(column.name):
            msg = (
                f"column {column.name!r} of the original is not the one that was published: it must hold the same "
                "values in the same order, and be read in the same way (as text or as numbers)"
            )
            raise InputError(msg)
