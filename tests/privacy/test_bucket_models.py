import pytest

from anonset.errors import InputError
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.model import PrivacyModel
from anonset.privacy.safe_grouping import SafetyConstraint


@pytest.mark.parametrize(
    ("model", "name", "text", "bound"),
    [
        (AnatomyDiversity(3), "anatomy", "anatomy with l=3", "1/3 of the tuples"),
        (SafetyConstraint(7, 3), "safe-grouping", "safe-grouping with k=7, l=3", "1/7, and each sensitive value"),
    ],
)
def test_say_what_they_guarantee(model: PrivacyModel, name: str, text: str, bound: str) -> None:
    assert isinstance(model, PrivacyModel)
    assert (model.name, str(model)) == (name, text)
    assert bound in model.statement
    assert "several tuples" in model.limits
    assert "two releases" in model.limits
    assert "publish one" in model.limits


def test_what_a_missing_tuple_tells_is_a_limit() -> None:
    assert "knows how many tuples somebody has, or which, learns from a missing one" in SafetyConstraint(2, 2).limits


@pytest.mark.parametrize(("k", "l"), [(1, 1), (3, 3), (9, 2)])
def test_k_may_equal_l(k: int, l: int) -> None:  # noqa: E741
    assert (SafetyConstraint(k, l).k, SafetyConstraint(k, l).l) == (k, l)


def test_parameters_are_checked() -> None:
    with pytest.raises(InputError, match="l must be an integer of at least 1, got 0"):
        AnatomyDiversity(0)
    with pytest.raises(InputError, match=r"k must be at least l, .* got k=2 and l=4"):
        SafetyConstraint(2, 4)
