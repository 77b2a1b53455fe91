"""Remaining risks of a publication. The module contains the result and the interface for each kind of publication."""

from abc import ABC
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from pkgutil import resolve_name
from typing import Any

from numpy.typing import NDArray

from anonset.attacks.registry import ALL
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease
from anonset.privacy import PrivacyModel
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.settings.publication import THRESHOLD
from anonset.spelling import setting


@dataclass(frozen=True)
class RiskReport(RedactedRepr, ABC):
    """Remaining risks of a publication."""

    records: int
    """Number of published records."""
    model: PrivacyModel
    """Promised privacy model."""

    @property
    def broken(self) -> int:
        """Number of persons or rows for which an attack was more successful than guaranteed. A number above 0 indicates
        an error of anonset.
        """
        return 0

    def __str__(self) -> str:
        text: str = resolve_name("anonset.report.risks:text_of")(self)
        return text

    def _repr_html_(self) -> str:
        text: str = resolve_name("anonset.report.risks:html_of")(self)
        return text


@dataclass(frozen=True)
class RiskContext(RedactedRepr):
    """Model, additional data and settings for computing risks."""

    model: PrivacyModel
    """Promised privacy model."""
    original: Table | None = None
    """Data that were published."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Hierarchies that the publication was made with."""
    m: int | None = None
    """Attackers with up to m + 2 known items are examined. If None, m is the parameter of the guarantee."""
    threshold: float = THRESHOLD
    """Risk above which a record counts as at risk."""
    sensitive: Sequence[str] | None = None
    """Kept columns for which disclosure is measured. None for all kept columns."""
    population: Table | None = None
    """Population that includes the people in the data."""
    attempts: int = 1000
    """Number of target persons."""
    seed: int = 0
    """Seed of the draw of targets."""
    persons: Sequence[Hashable] | NDArray[Any] | None = None
    """Person of each record of the original. None if each record is a different person."""
    by_person: bool = False
    """Whether an id shows that each record is a person."""
    attacks: Sequence[str] = ()
    """Names of the attacks to run."""
    beside: OtherRelease | None = None
    """Another release of the same persons."""
    algorithm: str = ""
    """Algorithm that made the publication. Empty if the result was processed further."""

    def require_no_attacks(self) -> None:
        """Reject attacks on publications without records. No attack is applicable, so `all` requests none.

        Raises
        ------
        InputError
            If an attack is requested by name.
        """
        named = [name for name in self.attacks if name != ALL]
        if named or self.beside is not None:
            option = setting("attack" if named else "beside")
            way = "remove it, because anonset computes the risk of buckets and chunks exactly"
            msg = f"{option} needs a publication of records; {way}"
            raise InputError(msg)


@singledispatch
def risk_of(publication: Published, context: RiskContext) -> RiskReport:
    """Count the remaining risks of a publication.

    Raises
    ------
    InputError
        If a requested figure does not exist for this kind of publication.
    """
    raise unknown_kind(publication)
