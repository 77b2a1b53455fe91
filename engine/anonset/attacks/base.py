"""Input and result of an attack."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.generalization.other_release import OtherRelease
from anonset.measures.risks.skewness import Skewness
from anonset.privacy import PrivacyModel
from anonset.publications import Records


@dataclass(frozen=True)
class AttackSuccess(RedactedRepr):
    """Success of an attack on its targets."""

    certain: float | None
    """Share of the targets for which the attack is certainly correct. None if the attack can only guess."""
    success: float
    """Mean probability that a uniform choice among the remaining rows or values is correct."""
    below_k: float | None = None
    """Share of the targets whose correct row is among fewer than k remaining rows. None for attacks on values."""
    claimed: float | None = None
    """Share of the targets for which the attacker names rows. None if the attacker always answers."""
    low: float | None = None
    """Lower end of the 95% confidence interval of `success`. None if it is not computed."""
    high: float | None = None
    """Upper end of the 95% confidence interval of `success`. None if it is not computed."""


@dataclass(frozen=True)
class AttackResult(RedactedRepr):
    """Result of an attack. For comparison, it contains the success of an attacker who knows as much but does not use
    the attack, and the success of a control.
    """

    attack: str
    """Name of the attack."""
    knowledge: str
    """Knowledge and aim of the attacker."""
    targets: int
    """Number of attacked rows or persons."""
    without: AttackSuccess
    """Success of an attacker who has the knowledge but does not use the attack."""
    won: AttackSuccess
    """Success of the attack."""
    control: AttackSuccess
    """Success of the attack on randomized data."""
    tested: AttackSuccess | None = field(default=None, kw_only=True)
    """Success if the attacker names rows only if a test rejects the hypothesis that the person is not in the
    publication. None if the attacker knows that the person is in the publication.
    """
    false_claims: float | None = field(default=None, kw_only=True)
    """Significance level of the test: the largest probability that rows are named for a person who is not in the
    publication.
    """


@dataclass(frozen=True, eq=False)
class AttackInput(RedactedRepr):
    """Input of an attack. It consists of a publication, and of private data that are needed to measure the success of
    the attack.
    """

    publication: Records
    """The publication. If `original` is not None, the publication contains the original record of each row."""
    model: PrivacyModel
    """Privacy model that the publication satisfies."""
    original: Table | None = None
    """Original data, or None."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Hierarchies that were used for the publication, by column. Empty if `original` is None."""
    other_release: OtherRelease | None = None
    """Another release of the same persons, or None."""
    skews: Mapping[str, Skewness] = field(default_factory=dict)
    """Success of guessing the value of a kept column from the quasi-identifiers, by column name."""
    attempts: int = 1000
    """Maximum number of targets."""
    seed: int = 0
    """Seed for the choice of targets and for the controls."""
    algorithm: str = ""
    """Algorithm of the publication. Empty if the algorithm is unknown or its result was modified."""

    @property
    def k(self) -> int:
        """Required number of matching rows. It is the parameter k of the model. 2 if the model has no k."""
        return self.model.k or 2

    @property
    def m(self) -> int:
        """Number of items that the attacker knows. It is the parameter m of the model. 2 if the model has no m."""
        return self.model.m or 2


Attack = Callable[[AttackInput], tuple[AttackResult, ...] | str]
"""Function that simulates an attack. It returns the results, or the reason why the attack does not apply."""


def attack_success(remaining_rows: list[int], k: int) -> AttackSuccess:
    """Return the success of an attack that finds rows. `remaining_rows` contains the number of remaining rows of each
    target. 0 if the correct row does not remain.

    >>> attack_success([1, 2, 0, 10], 10)
    AttackSuccess(certain=0.25, success=0.4, below_k=0.5)
    """
    rows = np.array(remaining_rows, np.int64)
    if not len(rows):
        return AttackSuccess(0.0, 0.0, 0.0)
    chance = np.where(rows > 0, 1 / np.maximum(rows, 1), 0.0)
    return AttackSuccess(float((rows == 1).mean()), float(chance.mean()), float(((rows > 0) & (rows < k)).mean()))
