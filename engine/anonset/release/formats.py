"""The two kinds of publication: records, and buckets. What depends on the kind stands behind one face."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.privacy import PrivacyModel, Witness
from anonset.release.layout import Layout
from anonset.release.unverified import P, Unverified

Hierarchies = Mapping[str, Hierarchy]


class Kind(Protocol[P]):
    """How publications of a kind are made, written, read back and held against the original."""

    def require_publishable(self, table: Table, hierarchies: Hierarchies, algorithm: Algorithm, layout: Layout) -> None:
        """Refuse columns and labels that cannot be published in this layout, before any work.

        Raises
        ------
        InputError
            With the column or the label, and the way out.
        """
        ...

    def apply(self, table: Table, hierarchies: Hierarchies, result: Result, layout: Layout) -> P:
        """Apply what an algorithm decided."""
        ...

    def require_readable(self, publication: P) -> None:
        """Refuse published symbols that would be read as something else than what was formed.

        Raises
        ------
        InputError
            With the label, and the way out.
        """
        ...

    def to_arrow(self, publication: P) -> Any:
        """Return a publication as what Arrow knows."""
        ...

    def write(self, unverified: Unverified[P], folder: Path, layout: Layout) -> Any:
        """Write what may be handed on into a folder, and return how to read it, for the attestation."""
        ...

    def write_private(self, unverified: Unverified[P], folder: Path) -> None:
        """Write the way back into the private folder."""
        ...

    def read(self, folder: Path, files: Any) -> P:
        """Read written data."""
        ...

    def require_same(self, meant: P, written: P) -> P:
        """Refuse written data that differ from what was meant; return them with what only the owner knows.

        Raises
        ------
        AnonsetError
            With the first column that differs.
        """
        ...

    def untrue(self, table: Table, publication: P, hierarchies: Hierarchies, model: PrivacyModel) -> Witness | None:
        """Return something that a publication says and the original does not, or None."""
        ...

    def counts(self, publication: P) -> dict[str, int]:
        """Return the sizes of a publication that its attestation names."""
        ...


def kind_of(model: PrivacyModel) -> Kind[Any]:
    """Return the kind of publication that a model speaks of."""
    from anonset.release.buckets import BucketsKind
    from anonset.release.records import RecordsKind

    return BucketsKind() if "buckets" in model.protects else RecordsKind()
