"""`verify` selects the check of the model: publications that satisfy a weaker model, but not the model itself."""

from typing import Any

import numpy as np
import pytest

from algorithms.bucket_tables import published
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.privacy import PrivacyModel
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.km import KmAnonymity
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.policies import PrivacyPolicy
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.publications import Records, Symbol
from anonset.verification import verify

SECRET = ("s",)
SEX = (CategoricalColumn.of("sex", "ffmm"),)


def rows(text: str) -> SetColumn:
    """Return records that are separated by blanks. Items are letters."""
    return SetColumn.of(map(set, text.split()))


def of_clusters(text: str, cluster: list[int]) -> Records:
    column = rows(text)
    symbols = tuple(Symbol(label, "item", (label,)) for label in column.vocabulary.labels)
    return Records(column, symbols, (), (), np.arange(column.n), np.array(cluster, np.int32))


def of_drugs(drugs: str) -> Table:
    return Table(None, SEX, kept=(CategoricalColumn.of("drug", drugs),))


CASES: list[tuple[Any, PrivacyModel, PrivacyModel]] = [
    (Table(rows("ab ab ab a"), SEX), KAnonymity(2), KKmAnonymity(2, 2)),
    (Table(rows("ab ab ab a"), SEX), KmAnonymity(2, 2), KKmAnonymity(2, 2)),
    (Table(rows("as as a a"), SEX), LmDiversity(2, 2, 1, SECRET), KLmDiversity(2, 2, 1, SECRET)),
    (of_clusters("a b a b", [0, 0, 1, 1]), KmAnonymity(2, 1), PartitionKmAnonymity(2, 1)),
    (of_drugs("xxxy"), KAnonymity(2), KLDiversity(2, 2, "drug")),
    (of_drugs("xxyy"), KAnonymity(2), KTCloseness(2, "0.4", "drug")),
    (of_drugs("xyxx"), KTCloseness(2, "0.3", "drug"), KLDiversity(2, 2, "drug")),
    (Table(rows("as as a a")), KmAnonymity(2, 1), Coherence("0.4", 2, 1, SECRET)),
    (Table(rows("as as a a")), LmDiversity(2, 2, 1, SECRET), RhoUncertainty("0.5", 1, SECRET)),
    (Table(rows("ab ab a b")), KmAnonymity(2, 2), TransactionKAnonymity(2)),
    (Table(rows("ab a a b b")), KmAnonymity(2, 1), ConstraintSet(2, PrivacyPolicy.of(["ab"]))),
    (published([("p", "x"), ("q", "y")] * 2, [0, 0, 1, 1]), AnatomyDiversity(2), SafetyConstraint(2, 2)),
]


@pytest.mark.parametrize(("publication", "weaker", "model"), CASES, ids=[f"{x.name} {y.name}" for _, x, y in CASES])
def test_a_model_is_not_checked_by_a_weaker_model(publication: Any, weaker: PrivacyModel, model: PrivacyModel) -> None:
    assert verify(publication, weaker).holds is True
    assert verify(publication, model).holds is False
