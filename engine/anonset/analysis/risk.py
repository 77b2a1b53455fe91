"""Remaining risks of each kind of publication, and the settings for computing them."""

from abc import ABC
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from anonset.analysis.attack import Attempts
from anonset.analysis.exposures import Exposure, headline
from anonset.attacks.registry import ALL
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.settings.publication import THRESHOLD
from anonset.spelling import plural, setting

if TYPE_CHECKING:
    from anonset.attacks.base import AttackResult
    from anonset.generalization.other_release import OtherRelease
    from anonset.measures.risks.item_inference import ItemInference
    from anonset.measures.risks.sensitive_values import ObservedDiversity
    from anonset.measures.risks.skewness import Skewness
    from anonset.measures.shares import Share


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
        return sum(attempts.broken for attempts in self.attempts)

    @property
    def before(self) -> tuple[Exposure, ...]:
        """Results for the original data. Empty if they are not computed."""
        return ()

    @property
    def attempts(self) -> "tuple[Attempts, ...] | tuple[Guesses, ...]":
        """Results of an attack whose success the guarantee limits. Empty if it is not run."""
        return ()

    def __str__(self) -> str:
        text: str = resolve_name("anonset.report.risks:text_of")(self)
        return text

    def _repr_html_(self) -> str:
        text: str = resolve_name("anonset.report.risks:html_of")(self)
        return text


@dataclass(frozen=True)
class Risk(RiskReport):
    """Remaining risks of published records."""

    threshold: float
    """Risk above which a record counts as at risk."""
    exposures: tuple[Exposure, ...]
    """Results by knowledge. The attacker knows the quasi-identifiers, or 1, 2, … items, or the quasi-identifiers and
    the items.
    """
    disclosures: "Mapping[str, ObservedDiversity]"
    """Disclosure of each sensitive column by the classes of equal quasi-identifiers."""
    before: tuple[Exposure, ...] = ()
    """Results for the original data, with the knowledge and the unit of `exposures`. Empty if the original is not
    available.
    """
    journalist: tuple[float, float] | None = None
    """Journalist risk, for attackers who do not know who is in the data. It consists of the highest risk, and the share
    of records above the threshold.
    """
    complete: Mapping[str, Exposure] = field(default_factory=dict)
    """Risk from an attacker who knows all quasi-identifiers and the complete set of items, ``before``, if the original
    is available, and ``after``. Empty without items.
    """
    attempts: tuple[Attempts, ...] = ()
    """Results of the matching attack, if the original is available."""
    unit: str = "row"
    """Unit that is counted: ``row`` if each row counts as one person, ``person``, or ``value of 'ID'`` if the data
    contradict that the column identifies persons.
    """
    persons: int | None = None
    """Number of persons. None if each row is a person."""
    skews: "Mapping[str, Skewness]" = field(default_factory=dict)
    """Success of guessing each sensitive column by class. Empty if memory is too small for all rows."""
    told: "tuple[ItemInference, ...]" = ()
    """Success of an attacker who knows the two rarest items of a row and infers the other items. Empty without
    original.
    """
    outcomes: "tuple[AttackResult, ...]" = ()
    """Results of the requested attacks."""
    not_tried: Mapping[str, str] = field(default_factory=dict)
    """Reason why an attack was not possible, by attack name, if all attacks were requested."""
    coarsened: Sequence[str] = ()
    """Columns of the original that reading coarsened. `before` is the risk after it."""
    raw: Exposure | None = None
    """Single figure of the original before reading coarsened it. None if it did not, or if this is not available."""

    @property
    def units(self) -> str:
        """Plural of the unit."""
        return plural(self.unit)

    @property
    def single(self) -> Mapping[str, Exposure | None]:
        """Single figure of the risk (`headline`) at each step: ``raw``, ``before`` and ``after`` anonymization."""
        before, after = (headline(exposures, self.model.m or 2) for exposures in (self.before, self.exposures))
        return {"raw": self.raw, "before": before, "after": after}


@dataclass(frozen=True)
class Inference(RedactedRepr):
    """Confidence with which an attacker infers the most probable sensitive value of a person."""

    known: str
    """Rows that the attacker finds: ``one row``, or ``all rows of a person``."""
    persons: int
    """Number of rows, or of persons with several rows."""
    highest: float
    """Highest confidence."""
    average: "Share"
    """Average confidence."""
    above: "Share"
    """Share of rows or persons for which the confidence is above the threshold."""
    certain: "Share"
    """Share of rows or persons whose sensitive value is inferred with certainty."""
    promised: float | None
    """Highest confidence that the guarantee allows. None if the guarantee does not cover the known rows."""


@dataclass(frozen=True)
class Guesses(RedactedRepr):
    """Success rate of guessing the sensitive values of random rows of the original."""

    known: str
    """Values from which the guess is drawn: ``the values of its group``, or ``the values of all rows`` as the
    baseline.
    """
    attempts: int
    """Number of guessed rows."""
    success: float
    """Expected success rate if the guess is drawn at random."""
    likeliest: float
    """Success rate if the guess is the most frequent value."""
    promised: float | None
    """Highest success per row that the guarantee allows. None for the baseline."""
    broken: int
    """Number of rows inferred with a higher confidence than guaranteed."""


@dataclass(frozen=True)
class BucketRisk(RiskReport):
    """Remaining risks of buckets."""

    groups: int
    """Number of groups."""
    hidden: int
    """Number of rows with a hidden identity."""
    threshold: float
    """Confidence above which a row or a person counts as at risk."""
    inferences: tuple[Inference, ...]
    """Confidence of an attacker, by the rows that the attacker finds."""
    observed: "ObservedDiversity"
    """l and t of the sensitive values in the groups."""
    correlations: dict[str, int]
    """Number of violations through the shared values of a person's rows, inside groups and between groups."""
    attempts: tuple[Guesses, ...] = ()
    """Results of the attack, if the original is available."""


@dataclass(frozen=True)
class ChunkRisk(RiskReport):
    """Remaining risks of chunks. The model limits re-identification, but not the inference of items."""

    clusters: int
    """Number of clusters."""
    smallest: int
    """Number of records in the smallest cluster. 0 if there are no clusters."""
    told: "tuple[ItemInference, ...]" = ()
    """Success of an attacker who knows the two rarest items of a person and infers the other items. Empty without
    original.
    """


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
    unit: str = "row"
    """Unit of a record (see `Risk`)."""
    attacks: Sequence[str] = ()
    """Names of the attacks to run."""
    other_release: "OtherRelease | None" = None
    """Another release of the same persons."""
    raw: Table | None = None
    """Original before the hierarchies coarsened it. None if it is not available."""
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
        if named or self.other_release is not None:
            option = setting("attack" if named else "beside")
            way = "remove it, because anonset computes the risk of buckets and chunks exactly"
            raise InputError(f"{option} needs a publication of records; {way}")
