"""What every model says of itself: beside the exact statement a plain sentence, and what all that match share."""

import pytest

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

EVERY: list[tuple[PrivacyModel, tuple[str, ...]]] = [
    (KmAnonymity(7, 3), ("up to 3 items", "at least 7 records")),
    (PartitionKmAnonymity(7, 3), ("up to 3 items", "at least 7 records")),
    (TransactionKAnonymity(7), ("all items", "at least 7 records")),
    (ConstraintSet(7, m=3), ("up to 3 items", "at least 7 records")),
    (ConstraintSet(7, PrivacyPolicy.of(["ab"])), ("listed together", "at least 7 records")),
    (Coherence(0.5, 7, 3, ("s",)), ("up to 3 public items", "at least 7 fit", "no more than 0.5")),
    (Coherence(1, 7, 3), ("up to 3 public items", "at least 7 fit", "none does.")),
    (RhoUncertainty(0.5, 3, ("s",)), ("up to 3 items", "sensitive ones too", "less than 0.5 of the records")),
    (RhoUncertainty(0.5, 3, ("s",), strict=False), ("up to 3 items", "at most 0.5 of the records")),
    (LmDiversity(7, 2, 3, ("s",)), ("up to 3 ordinary items", "at least 7 fit", "at most 1 of 2")),
    (KLmDiversity(7, 2, 3, ("s",)), ("attributes", "up to 3 ordinary items", "at least 7 fit", "at most 1 of 2")),
    (KAnonymity(7), ("attributes", "at least 7 records")),
    (KLDiversity(7, 3, "drug"), ("attributes", "at least 7 look the same", "at least 3 different values of 'drug'")),
    (KLDiversity(7, 3, "drug", "entropy"), ("at least 7 look the same", "entropy", "3 equally frequent")),
    (KLDiversity(7, 3, "drug", "recursive", "1.5"), ("at least 7 look the same", "than 1.5 times", "from rank 3 on")),
    (KTCloseness(7, "0.2", "drug"), ("attributes", "at least 7 look the same", "at most 0.2 away from")),
    (KTCloseness(7, "1/3", "age", "ordered"), ("at most 1/3 away from", "ordered as numbers")),
    (KKmAnonymity(7, 3), ("attributes", "up to 3 items", "at least 7 records")),
    (SafetyConstraint(7, 2), ("at least 7 people", "at most 1 of 2 rows")),
    (DisassociationModel(7, 3), ("up to 3 items", "1 in 7")),
    (DisassociationModel(7, 3, ("s",), "1/3"), ("up to 3 items", "1 in 7", "above 1/3")),
    (AnatomyDiversity(2), ("at most 1 of 2 rows",)),
]


def test_every_model_is_here() -> None:
    assert {type(model) for model, _ in EVERY} >= {entry.model for entry in MODELS.values()}


@pytest.mark.parametrize(("model", "fragments"), EVERY, ids=[str(model) for model, _ in EVERY])
def test_each_exact_statement_has_a_plain_sentence_with_the_same_numbers(
    model: PrivacyModel, fragments: tuple[str, ...]
) -> None:
    words = model.in_plain_words
    assert words != model.statement
    assert all(fragment in words for fragment in fragments), words
    assert words.endswith(".")
    assert ". " not in words
    assert len(words) < 260


@pytest.mark.parametrize("model", [model for model, _ in EVERY if "buckets" not in model.protects], ids=str)
def test_limits_say_that_what_all_that_match_share_is_disclosed(model: PrivacyModel) -> None:
    assert "in common" in model.limits
    assert "all" in model.limits
    assert "is disclosed" in model.limits
