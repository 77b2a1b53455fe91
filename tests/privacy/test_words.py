"""Every model has a plain sentence next to its exact statement, and lists disclosure by shared values as a limit."""

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
from anonset.settings.parameters import MODELS

EVERY: list[tuple[PrivacyModel, str]] = [
    (KmAnonymity(7, 3), "items 3 7"),
    (PartitionKmAnonymity(7, 3), "items 3 7"),
    (TransactionKAnonymity(7), "items 7"),
    (ConstraintSet(7, m=3), "items 3 7"),
    (ConstraintSet(7, PrivacyPolicy.of(["ab"])), "items 7"),
    (Coherence(0.5, 7, 3, ("s",)), "public 3 7 0.5"),
    (Coherence(1, 7, 3), "public 3 7 none"),
    (RhoUncertainty(0.5, 3, ("s",)), "sensitive 3 less 0.5"),
    (RhoUncertainty(0.5, 3, ("s",), strict=False), "3 'at most 0.5'"),
    (LmDiversity(7, 2, 3, ("s",)), "items 3 7 1 2"),
    (KLmDiversity(7, 2, 3, ("s",)), "attributes items 3 7 1 2"),
    (KAnonymity(7), "attributes 7"),
    (KLDiversity(7, 3, "drug"), "attributes 7 3 drug"),
    (KLDiversity(7, 3, "drug", "entropy"), "7 entropy 3"),
    (KLDiversity(7, 3, "drug", "recursive", "1.5"), "7 1.5 rank 3"),
    (KTCloseness(7, "0.2", "drug"), "attributes 7 0.2"),
    (KTCloseness(7, "1/3", "age", "ordered"), "1/3 numbers"),
    (KKmAnonymity(7, 3), "attributes items 3 7"),
    (SafetyConstraint(7, 2), "people 7 rows 1 2"),
    (DisassociationModel(7, 3), "items 3 7"),
    (DisassociationModel(7, 3, ("s",), "1/3"), "items 3 7 1/3"),
    (AnatomyDiversity(2), "rows 1 2"),
]


def test_every_model_is_here() -> None:
    assert {type(model) for model, _ in EVERY} >= {entry.model for entry in MODELS.values()}


@pytest.mark.parametrize(("model", "facts"), EVERY, ids=[str(model) for model, _ in EVERY])
def test_each_exact_statement_has_a_plain_sentence_with_the_same_numbers(model: PrivacyModel, facts: str) -> None:
    words = model.in_plain_words
    assert words != model.statement
    assert names(words, facts)
    assert words.endswith(".")
    assert ". " not in words
    assert len(words) < 260


@pytest.mark.parametrize("model", [model for model, _ in EVERY if "sensitive" not in model.protects], ids=str)
def test_limits_include_disclosure_by_shared_values(model: PrivacyModel) -> None:
    assert names(model.limits, "all disclosed")
