"""Metadata of every model: parameters, kind of publication, statement."""

import pytest

from anonset.privacy import (
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    LmDiversity,
    PrivacyModel,
    TransactionKAnonymity,
)
from anonset.privacy.disassociation import DisassociationModel
from privacy.test_words import EVERY

MODELS = [model for model, _ in EVERY]
KIND = {"anatomy": "buckets", "safe-grouping": "buckets", "disassociation": "chunks"}


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_model_has_its_parameters_and_its_kind(model: PrivacyModel) -> None:
    assert model.kind == KIND.get(model.name, "records")
    assert model.k is None or model.k >= 1
    assert model.m is None or model.m >= 1


def test_a_parameter_that_a_model_lacks_is_none() -> None:
    assert {model.name for model in MODELS if model.k is None} == {"anatomy", "rho"}
    assert KAnonymity(5).m is None
    assert TransactionKAnonymity(5).m is None


@pytest.mark.parametrize(
    ("model", "promised"),
    [
        (KAnonymity(5), {(True, 0)}),
        (KmAnonymity(5, 2), {(False, 1), (False, 2)}),
        (KKmAnonymity(5, 2), {(True, 0), (False, 1), (False, 2), (True, 1), (True, 2)}),
        (LmDiversity(5, 2, 1, ("x",)), {(False, 1)}),
        (KLmDiversity(5, 2, 1, ("x",)), {(True, 0), (False, 1), (True, 1)}),
        (TransactionKAnonymity(5), {(False, 1), (False, 2), (False, 3)}),
    ],
    ids=["k", "km", "kkm", "lm", "klm", "transaction-k"],
)
def test_promises_cover_the_attributes_of_the_model(model: PrivacyModel, promised: set[tuple[bool, int]]) -> None:
    ways = [(True, 0), *((values, items) for values in (False, True) for items in (1, 2, 3))]
    assert {way for way in ways if model.promises(*way) is not None} == promised
    assert {model.promises(*way) for way in promised} == {1 / 5}


BOUNDED = {"k", "kl", "kt", "km", "kkm", "lm", "klm", "partition-km", "transaction-k"}


@pytest.mark.parametrize("model", [model for model in MODELS if model.name not in BOUNDED], ids=str)
def test_other_models_bound_no_probability_of_finding_a_record(model: PrivacyModel) -> None:
    assert model.promises(True, 0) is None
    assert model.promises(False, 1) is None


def test_a_model_without_a_bound_on_links_states_none():
    model = DisassociationModel(k=1, m=1, sensitive_items=("hiv",), cap=0.2)
    assert "1/1" not in model.statement + model.limits
    assert "does not hide which record belongs to a person" in model.statement
    assert "assuming that all original data" in model.statement.casefold()
    assert "link a sub-record" not in model.limits
    assert "1/5" in DisassociationModel(k=5, m=2).limits
