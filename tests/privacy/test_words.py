"""Statement and limits of every model: numbers, length, and disclosure of shared values."""

import pytest
from tests.facts import names

from anonset.privacy import (
    AnatomyDiversity,
    Coherence,
    ConstraintSet,
    DisassociationModel,
    KAnonymity,
    KKmAnonymity,
    KLDiversity,
    KLmDiversity,
    KmAnonymity,
    KTCloseness,
    LmDiversity,
    PartitionKmAnonymity,
    PrivacyModel,
    RhoUncertainty,
    SafetyConstraint,
    TransactionKAnonymity,
)
from anonset.privacy.policies import PrivacyPolicy
from anonset.release.guarantee_limits import sentences
from anonset.settings.parameters import MODELS

EVERY: list[tuple[PrivacyModel, str]] = [
    (KmAnonymity(7, 3), "items 3 7"),
    (PartitionKmAnonymity(7, 3), "items 3 7"),
    (TransactionKAnonymity(7), "items 7"),
    (ConstraintSet(7, m=3), "items 3 7"),
    (ConstraintSet(7, PrivacyPolicy.of(["ab"])), "items 7"),
    (Coherence(0.5, 7, 3, ("s",)), "non-sensitive 3 7 0.5"),
    (Coherence(1, 7, 3), "items 3 7 none"),
    (RhoUncertainty(0.5, 3, ("s",)), "sensitive 3 less 0.5"),
    (RhoUncertainty(0.5, 3, ("s",), strict=False), "3 'at most 0.5'"),
    (LmDiversity(7, 2, 3, ("s",)), "items 3 7 1 2"),
    (KLmDiversity(7, 2, 3, ("s",)), "quasi-identifiers items 3 7 1 2"),
    (KAnonymity(7), "quasi-identifiers 7"),
    (KLDiversity(7, 3, "drug"), "quasi-identifiers 7 3 drug"),
    (KLDiversity(7, 3, "drug", "entropy"), "7 entropy 3"),
    (KLDiversity(7, 3, "drug", "recursive", "1.5"), "7 1.5 rank 3"),
    (KTCloseness(7, "0.2", "drug"), "quasi-identifiers 7 0.2"),
    (KTCloseness(7, "1/3", "age", "ordered"), "1/3 numbers"),
    (KKmAnonymity(7, 3), "quasi-identifiers items 3 7"),
    (SafetyConstraint(7, 2), "person rows 1/7 1/2"),
    (DisassociationModel(7, 3), "items 3 7"),
    (DisassociationModel(7, 3, ("s",), "1/3"), "items 3 7 1/3"),
    (AnatomyDiversity(2), "rows 1 2"),
]


def test_every_model_is_here() -> None:
    assert {type(model) for model, _ in EVERY} >= {entry.model for entry in MODELS.values()}


@pytest.mark.parametrize(("model", "facts"), EVERY, ids=[str(model) for model, _ in EVERY])
def test_each_statement_is_short_and_names_the_parameters(model: PrivacyModel, facts: str) -> None:
    assert names(model.statement, facts)
    assert model.statement.endswith(".")
    assert len(sentences(model.statement)) <= 2
    assert len(model.statement) < 420


@pytest.mark.parametrize("model", [model for model, _ in EVERY], ids=str)
def test_each_limit_is_a_sentence_that_a_list_can_contain(model: PrivacyModel) -> None:
    for limit in sentences(model.limits):
        assert limit.endswith(".")
        assert len(limit.split()) <= 40, limit
        assert limit.split()[0] not in {"This", "These", "It", "They", "If"}, limit


@pytest.mark.parametrize("model", [model for model, _ in EVERY if "sensitive" not in model.protects], ids=str)
def test_limits_include_disclosure_by_shared_values(model: PrivacyModel) -> None:
    assert names(model.limits, "all disclosed")
