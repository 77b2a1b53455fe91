"""What is at risk after a publication, and how each kind of publication counts it."""

from abc import ABC
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from pkgutil import resolve_name
from typing import Any

from numpy.typing import NDArray

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.generalization.beside import Beside
from anonset.privacy import PrivacyModel
from anonset.publications import Published
from anonset.publications.base import unknown_kind
from anonset.settings.publication import THRESHOLD
from anonset.spelling import setting


@dataclass(frozen=True)
class RiskReport(Discreet, ABC):
    """What is at risk after a publication."""

    records: int
    """Published records."""
    model: PrivacyModel
    """What was promised."""

    @property
    def broken(self) -> int:
        """Persons or rows of which an attack found more than is promised; 0 unless something is wrong."""
        return 0

    def _repr_html_(self) -> str:
        """Return the risks as tables, for notebooks."""
        text: str = resolve_name("anonset.report.risks:html_of")(self)
        return text


@dataclass(frozen=True)
class RiskContext(Discreet):
    """What was promised of a publication, what is known beside it, and what is to be counted and tried."""

    model: PrivacyModel
    """What was promised."""
    original: Table | None = None
    """The data that were published."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Those that the publication was made with."""
    m: int | None = None
    """Known items up to which it is looked, plus 2; None: those of the guarantee."""
    threshold: float = THRESHOLD
    """Above this a record counts as at risk."""
    sensitive: Sequence[str] | None = None
    """Kept columns of which others may learn; None: all."""
    population: Table | None = None
    """All people among whom those in the data may be."""
    attempts: int = 1000
    """Persons that are looked for."""
    seed: int = 0
    """Seed of their choice."""
    persons: Sequence[Hashable] | NDArray[Any] | None = None
    """Whose each record of the original is; None: each is another person's."""
    by_person: bool = False
    """Whether each record is a person, told by an id."""
    attacks: Sequence[str] = ()
    """Names of attacks to try."""
    beside: Beside | None = None
    """Another release of the same persons."""
    algorithm: str = ""
    """The algorithm that made the publication, if nothing was done to its result."""

    def require_no_attacks(self) -> None:
        """Refuse attacks on what is not published as records.

        Raises
        ------
        InputError
            If any is asked for.
        """
        if self.attacks or self.beside is not None:
            asked = setting("attack" if self.attacks else "beside")
            msg = f"{asked} is tried on records; what buckets and chunks tell is counted without it"
            raise InputError(msg)


@singledispatch
def risk_of(publication: Published, context: RiskContext) -> RiskReport:
    """Count what is at risk after a publication.

    Raises
    ------
    InputError
        If something is asked that cannot be counted of this kind of publication.
    """
    raise unknown_kind(publication)
