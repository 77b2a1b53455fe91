import pytest
from tests.facts import names, refused

from anonset.errors import InputError
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.model import PrivacyModel
from anonset.privacy.safe_grouping import SafetyConstraint


@pytest.mark.parametrize(
    ("model", "name", "text", "bound"),
    [
        (AnatomyDiversity(3), "anatomy", "anatomy with l=3", "1/3"),
        (SafetyConstraint(7, 3), "safe-grouping", "safe-grouping with k=7, l=3", "1/7 1/3"),
    ],
)
def test_models_state_their_guarantee(model: PrivacyModel, name: str, text: str, bound: str) -> None:
    assert isinstance(model, PrivacyModel)
    assert (model.name, str(model)) == (name, text)
    assert names(model.statement, bound)
    assert names(model.limits, "rows groupings")


def test_inference_from_a_missing_row_is_a_limit() -> None:
    assert names(SafetyConstraint(2, 2).limits, "rows missing")


@pytest.mark.parametrize(("k", "l"), [(1, 1), (3, 3), (9, 2)])
def test_k_may_equal_l(k: int, l: int) -> None:  # noqa: E741
    assert (SafetyConstraint(k, l).k, SafetyConstraint(k, l).l) == (k, l)


def test_parameters_are_checked() -> None:
    with refused(InputError, "l 1 0"):
        AnatomyDiversity(0)
    with refused(InputError, "k l 2 4"):
        SafetyConstraint(2, 4)
