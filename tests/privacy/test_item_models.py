"""Models of coherence, diversity, partitions and whole transactions: their words and their bad parameters."""

from fractions import Fraction
from typing import Any

import pytest

from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.privacy.coherence import Coherence
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.transaction_k import TransactionKAnonymity

MODELS = [
    (Coherence(0.5, 3, 2, ("s",)), "coherence", "no private item is in more than 0.5 of the records"),
    (
        RhoUncertainty(0.5, 2, ("s",)),
        "rho",
        "finds each other sensitive item in less than 0.5 of the published records",
    ),
    (RhoUncertainty(1, 2, ("s",), strict=False), "rho", "in at most 1 of the published records that match."),
    (RhoUncertainty(1, 2, ("s",), from_nothing=False), "rho", "Whoever knows up to 2 items of a person's record"),
    (Coherence(1, 3, 2), "coherence", "at least 3 published records that match, or none."),
    (LmDiversity(3, 2, 2, ("s",)), "lm", "no sensitive item in more than one of 2 of them"),
    (KLmDiversity(3, 2, 2, ("s",)), "klm", "knows all relational values of a person"),
    (PartitionKmAnonymity(3, 2), "partition-km", "finds at least 3 published records"),
    (TransactionKAnonymity(3), "transaction-k", "finds at least 3 published records that are the same"),
]


@pytest.mark.parametrize(("model", "name", "words"), MODELS, ids=[str(model) for model, _, _ in MODELS])
def test_models_say_what_they_guarantee(model: Any, name: str, words: str) -> None:
    assert isinstance(model, PrivacyModel)
    assert model.name == name
    assert words in model.statement
    assert "says nothing about" in model.limits
    assert ("rho=" if name == "rho" else "k=3") in str(model)


@pytest.mark.parametrize(("h", "share"), [(1, Fraction(1)), (0.1, Fraction(1, 10)), ("1/3", Fraction(1, 3))])
def test_the_share_is_the_fraction_that_was_written(h: Any, share: Fraction) -> None:
    assert Coherence(h, 1, 1).share == share


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Coherence(0, 2, 2), r"h must be a number above 0 and at most 1, got 0"),
        (lambda: Coherence(-0.5, 2, 2), r"h must be a number above 0 .*, got -0\.5"),
        (lambda: Coherence(True, 2, 2), r"h must be a number above 0 .*, got True"),
        (lambda: Coherence("one", 2, 2), r"h must be a number above 0 .*, got 'one'"),
        (lambda: RhoUncertainty(0, 2, ("s",)), r"rho must be a number above 0 and at most 1, got 0"),
        (lambda: RhoUncertainty(1, 0, ("s",)), r"m must be an integer of at least 1, got 0"),
        (lambda: Coherence(1, 0, 2), r"k must be an integer of at least 1, got 0"),
        (lambda: LmDiversity(1, 0, 2), r"l must be an integer of at least 1, got 0"),
        (lambda: KLmDiversity(1, 2, 0), r"m must be an integer of at least 1, got 0"),
        (lambda: LmDiversity(1, 2, 2, ("a", "b", "a")), r"sensitive_items must be distinct, got 'a' twice"),
        (lambda: LmDiversity(1, 2, 2, "ab"), r"sensitive_items must be a tuple of labels, got 'ab'"),  # type: ignore[arg-type]
        (lambda: TransactionKAnonymity(0), r"k must be an integer of at least 1, got 0"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
