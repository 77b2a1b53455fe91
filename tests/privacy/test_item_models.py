"""Models of coherence, diversity, partitions and complete transactions: statements and invalid parameters."""

from fractions import Fraction
from typing import Any

import pytest
from tests.facts import names, refused

from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.privacy.classes import KLDiversity
from anonset.privacy.coherence import Coherence
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.transaction_k import TransactionKAnonymity

MODELS = [
    (Coherence(0.5, 3, 2, ("s",)), "coherence", "sensitive 0.5"),
    (
        RhoUncertainty(0.5, 2, ("s",)),
        "rho",
        "sensitive less 0.5",
    ),
    (RhoUncertainty(1, 2, ("s",), strict=False), "rho", "'at most 1'"),
    (RhoUncertainty(1, 2, ("s",), from_nothing=False), "rho", "2"),
    (Coherence(1, 3, 2), "coherence", "3"),
    (LmDiversity(3, 2, 2, ("s",)), "lm", "3 sensitive 2"),
    (KLmDiversity(3, 2, 2, ("s",)), "klm", "3 quasi-identifiers 2"),
    (PartitionKmAnonymity(3, 2), "partition-km", "items 3 2"),
    (TransactionKAnonymity(3), "transaction-k", "3 record"),
]


@pytest.mark.parametrize(("model", "name", "facts"), MODELS, ids=[str(model) for model, _, _ in MODELS])
def test_models_state_their_guarantee(model: Any, name: str, facts: str) -> None:
    assert isinstance(model, PrivacyModel)
    assert model.name == name
    assert names(model.statement, facts)
    assert model.limits
    assert ("rho=" if name == "rho" else "k=3") in str(model)


@pytest.mark.parametrize(("h", "share"), [(1, Fraction(1)), (0.1, Fraction(1, 10)), ("1/3", Fraction(1, 3))])
def test_the_share_is_the_fraction_that_was_written(h: Any, share: Fraction) -> None:
    assert Coherence(h, 1, 1).share == share


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Coherence(0, 2, 2), "h 0 1"),
        (lambda: Coherence(-0.5, 2, 2), "h 0 -0.5"),
        (lambda: Coherence(True, 2, 2), "h 0 True"),
        (lambda: Coherence("one", 2, 2), "h 0 one"),
        (lambda: RhoUncertainty(0, 2, ("s",)), "rho 0 1"),
        (lambda: RhoUncertainty(1, 0, ("s",)), "m 1 0"),
        (lambda: Coherence(1, 0, 2), "k 1 0"),
        (lambda: LmDiversity(1, 0, 2), "l 1 0"),
        (lambda: KLmDiversity(1, 2, 0), "m 1 0"),
        (lambda: LmDiversity(1, 2, 2, ("a", "b", "a")), "sensitive_items a twice"),
        (lambda: LmDiversity(1, 2, 2, "ab"), "sensitive_items tuple ab"),  # type: ignore[arg-type]
        (lambda: TransactionKAnonymity(0), "k 1 0"),
        (lambda: KLDiversity(1, 2, "s", "recursive", 0), "c 'above 0' 'got 0'"),
        (lambda: KLDiversity(1, 2, "s", "recursive", "one"), "c 'above 0' one"),
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with refused(InputError, message):
        make()
