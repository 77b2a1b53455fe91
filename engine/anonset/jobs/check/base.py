"""What a check of a publication finds, and what each kind of publication adds to it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch
from typing import Generic, TypeVar

from anonset.data import Hierarchy, Table
from anonset.data.decimals import exact
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.jobs.correlations import Correlations
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.release.opened import Opened
from anonset.settings.binding import require_sensitive
from anonset.settings.publication import CheckSettings

P_co = TypeVar("P_co", bound=Published, covariant=True)


@dataclass(frozen=True)
class PublicationCheck(Discreet):
    """The verdict on a publication, and what else was looked at."""

    verdict: Verdict
    """Whether the model holds."""
    roles: Mapping[str, list[str]]
    """Names of the columns by what they were taken as."""
    truth_checked: bool = False
    """Whether the original was there to compare with."""
    by_records: bool = False
    """Whether a file named the original record of each row, instead of the order of the rows."""
    untrue: Witness | None = None
    """Something that the publication says and the original does not."""
    undecided: str = ""
    """Why it cannot be decided whether the publication is true of the original; empty if it can."""
    suppressed: Fraction | None = None
    """Part of the items of the original that no published symbol stands for."""
    max_suppressed: float | Fraction | None = None
    """The largest part that was allowed."""
    beyond_utility: str = field(default="", repr=False)
    """How the utility constraints are violated; empty if they are not, or none are given."""
    correlations: Mapping[str, Correlations] | None = None
    """For buckets with ids: what several tuples of an individual give away, whatever the model says."""
    too_large: bool = False
    """Whether correlations were not looked for, since there are too many rows."""
    unit: str | None = None
    """What a record stands for, as its owner declared."""
    as_is: tuple[str, ...] = ()
    """Columns that its owner declared to publish as is."""

    @property
    def holds(self) -> bool | None:
        """True, False, or None where the check of the model or of the truth could not be finished."""
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
class KindCheck(Discreet, ABC, Generic[P_co]):
    """What is looked at besides the model: the defaults are those of a kind that shows nothing of it."""

    publication: P_co
    """The published data."""
    model: PrivacyModel
    """What must hold."""
    settings: CheckSettings
    """What was asked."""

    @abstractmethod
    def roles(self) -> dict[str, list[str]]:
        """Return the names of the columns by what the model takes them as."""

    def require_sensitive(self) -> None:
        """Refuse sensitive items that the publication does not show."""
        require_sensitive(self.model, None)

    def correlations(self) -> Mapping[str, Correlations] | None:
        """Return what several rows of an individual give away; None where that is not looked for."""
        return None

    @property
    def too_large(self) -> bool:
        """Whether correlations are not looked for, since there are too many rows."""
        return False

    def agreed_tree(self) -> Hierarchy | None:
        """Return the hierarchy of the published items, if it is given; the codebook must agree with it."""
        return None

    def require_agreement(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Refuse a codebook that does not agree with the hierarchy of the items of the original."""
        return

    def require_explained(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Refuse single values that the original does not have, if no hierarchy says what they stand for."""
        return

    def require_codebook(self, opened: Opened) -> None:
        """Refuse the codebook of a publication on disk that does not say what its symbols stand for."""
        return

    def suppressed(self, table: Table) -> Fraction | None:
        """Return the part of the items of the original that occur and that no published symbol stands for."""
        return None

    def beyond_utility(self, table: Table) -> str:
        """Return how the utility constraints are violated; empty if they are not, or none are given.

        Raises
        ------
        InputError
            If there are some, and the publication has no set-valued column.
        """
        if self.settings.utility_constraints is not None:
            raise InputError(NO_ITEMS)
        return ""


NO_ITEMS = "utility constraints speak of a set-valued column, and the publication has none"
"""Message about utility constraints where there are no items."""


@singledispatch
def kind_check(publication: Published, model: PrivacyModel, settings: CheckSettings) -> KindCheck[Published]:
    """Return what is looked at of a kind of publication."""
    raise unknown_kind(publication)
