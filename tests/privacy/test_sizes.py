"""Every model and every algorithm rejects sizes beyond any possible table."""

from dataclasses import fields
from typing import Any

import pytest
from tests.facts import refused

from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.lm import LmDiversity
from anonset.privacy.model import LARGEST_SIZE, require_at_least
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.settings.parameters import MODELS

GIVEN: dict[str, Any] = {"k": 2, "m": 1, "l": 2, "p": 1, "h": 0.5, "rho": 0.5, "delta": 1.0, "t": 0.5, "sensitive": "s"}
LIMITS = ("max_threats", "max_rules", "max_increments", "max_tree", "max_cuts", "max_records", "partitions", "depth")


def cases(classes: dict[str, Any], names: tuple[str, ...]) -> list[tuple[type, str]]:
    return [(cls, field.name) for cls in classes.values() for field in fields(cls) if field.name in names]


def made(cls: Any, name: str, value: int) -> Any:
    """Create a model or an algorithm with default sizes except one."""
    field_names = {field.name for field in fields(cls)}
    options = {
        key: usual for key, usual in GIVEN.items() if key in field_names and not (key == "t" and "l" in field_names)
    }
    if cls is SafetyConstraint or field_names >= {"k", "l"}:
        options["k"] = max(2, value if name == "l" else 2)
    return cls(**{**options, name: value})


@pytest.mark.parametrize(
    ("cls", "name"),
    cases({name: entry.model for name, entry in MODELS.items()} | dict(ALGORITHMS), ("k", "m", "l", "p")),
)
def test_sizes_have_a_limit(cls: type, name: str) -> None:
    assert made(cls, name, LARGEST_SIZE) is not None
    for value in (LARGEST_SIZE + 1, 1 << 63, 10**30):
        with refused(InputError, f"{value}"):
            _ = getattr(made(cls, name, value), "model", None)


@pytest.mark.parametrize(("cls", "name"), cases(ALGORITHMS, LIMITS))
def test_work_limits_above_64_bits_are_rejected(cls: type, name: str) -> None:
    assert made(cls, name, (1 << 63) - 1) is not None
    with refused(InputError, f"{name} {(1 << 63) - 1} {1 << 63}"):
        made(cls, name, 1 << 63)


def test_each_size_is_named() -> None:
    for make, name in (
        (lambda: Coherence(0.5, 2, LARGEST_SIZE + 1), "p"),
        (lambda: ConstraintSet(LARGEST_SIZE + 1, m=1), "k"),
        (lambda: LmDiversity(2, 2, LARGEST_SIZE + 1), "m"),
    ):
        with refused(InputError, name):
            make()


def test_a_seed_has_no_limit() -> None:
    require_at_least("seed", 10**30, 0)
