"""Result of a publication check, and the interface for the checks of each kind of publication."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch
from typing import Generic, TypeVar

from anonset.data import Hierarchy, Table
from anonset.data.decimals import exact
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.jobs.correlations import Correlations
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.release.opened import OpenedPublication
from anonset.settings.binding import require_sensitive
from anonset.settings.publication import CheckSettings

P_co = TypeVar("P_co", bound=Published, covariant=True)


@dataclass(frozen=True)
class PublicationCheck(RedactedRepr):
    """Verdict on a publication, and the results of further checks."""

    verdict: Verdict
    """Verification result of the model."""
    roles: Mapping[str, list[str]]
    """Column names by role."""
    truth_checked: bool = False
    """Whether the publication was compared with the original."""
    by_records: bool = False
    """Whether a file assigns an original record to each row. If not, rows are in the order of the records."""
    untrue: Witness | None = None
    """A published value that the original contradicts. None if the original contradicts no value."""
    undecided: str = ""
    """Reason why the comparison with the original is undecided. Empty for a decided comparison."""
    suppressed: Fraction | None = None
    """Share of the original's items that no published symbol covers."""
    max_suppressed: float | Fraction | None = None
    """Largest allowed share of suppressed items."""
    beyond_utility: str = field(default="", repr=False)
    """Violation of the utility constraints. Empty if no constraint is violated or given."""
    correlations: Mapping[str, Correlations] | None = None
    """Disclosures through several tuples of an individual, for buckets with ids. The model does not limit them."""
    too_large: bool = False
    """Whether correlations were skipped because there are too many rows."""
    unit: str | None = None
    """Unit of privacy, as in the attestation."""
    as_is: tuple[str, ...] = ()
    """Columns that the owner declared to publish as is."""

    @property
    def holds(self) -> bool | None:
        """Whether all checks passed. None if the model check or the comparison with the original did not finish."""
        if self.untrue is not None or self.too_much_suppressed or self.beyond_utility:
            return False
        return None if self.verdict.holds and self.undecided else self.verdict.holds

    @property
    def too_much_suppressed(self) -> bool:
        """Whether more items are suppressed than allowed."""
        if self.suppressed is None or self.max_suppressed is None:
            return False
        return self.suppressed > exact(self.max_suppressed)


@dataclass(frozen=True, eq=False)
class KindCheck(RedactedRepr, ABC, Generic[P_co]):
    """Checks of one kind of publication in addition to the check of its model. By default, a kind has none of the
    optional features.
    """

    publication: P_co
    """Published data."""
    model: PrivacyModel
    """Model to satisfy."""
    settings: CheckSettings
    """Settings of the check."""

    @abstractmethod
    def roles(self) -> dict[str, list[str]]:
        """Return the column names by their role in the model."""

    def require_sensitive(self) -> None:
        """Reject sensitive items that the publication does not show."""
        require_sensitive(self.model, None)

    def correlations(self) -> Mapping[str, Correlations] | None:
        """Return the disclosures from several rows of one individual. None if disclosures are not computed."""
        return None

    @property
    def too_large(self) -> bool:
        """Whether correlations are skipped because there are too many rows."""
        return False

    def agreed_tree(self) -> Hierarchy | None:
        """Return the given hierarchy of the published items, which the codebook must match. None if no hierarchy is
        given.
        """
        return None

    def require_agreement(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject a codebook that contradicts the item hierarchy of the original."""
        return

    def require_explained(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject single values that are absent from the original, unless a hierarchy explains them."""
        return

    def impossible(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Witness | None:
        """Return a published value that the original contradicts in any order of its rows. None if the original
        contradicts no value.
        """
        return None

    def require_codebook(self, opened: OpenedPublication) -> None:
        """Reject an incomplete codebook of a publication on disk."""
        return

    def suppressed(self, table: Table) -> Fraction | None:
        """Return the share of the original's occurring items that no published symbol covers."""
        return None

    def beyond_utility(self, table: Table) -> str:
        """Return the violation of the utility constraints. Empty if no constraint is violated or given.

        Raises
        ------
        InputError
            If constraints are given, and the publication has no set-valued column.
        """
        if self.settings.utility_constraints is not None:
            raise InputError(NO_ITEMS)
        return ""


NO_ITEMS = "utility constraints need a set-valued column; the publication has none"
"""Message about utility constraints of data without items."""


@singledispatch
def kind_check(publication: Published, model: PrivacyModel, settings: CheckSettings) -> KindCheck[Published]:
    """Return the checks for this kind of publication."""
    raise unknown_kind(publication)
