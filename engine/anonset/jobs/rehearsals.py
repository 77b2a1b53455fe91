"""Algorithms with parameters that call, all together, for every kernel: what is rehearsed to compile them.

Which compiled code an algorithm needs depends on some of its parameters: of each choice among these one stands here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache, partial
from typing import Any, cast

from anonset.algorithms.base import Algorithm
from anonset.algorithms.registry import ALGORITHMS
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy

ITEMS = tuple(f"i{n}" for n in range(12))
"""The items of the tiny tables; `SECRETS` are among them."""
SECRETS = ("i10", "i11")

_REQUIRED: Mapping[str, Any] = {"k": 2, "m": 2, "l": 2, "p": 1, "delta": 1.0, "partitions": 2}
"""Values of the parameters that an algorithm cannot do without, by their names."""
_POLICY = PrivacyPolicy.of([["i0", "i1"], ["i2", "i3", "i4"]])
_UTILITY = UtilityPolicy.of([list(ITEMS[:6]), list(ITEMS[6:])])


def rehearsals(name: str) -> Iterator[Algorithm]:
    """Yield an algorithm with parameters that call for all of its kernels; none of another package's."""
    cls: Any = ALGORITHMS.get(name)
    if cls is None or not cls.__module__.startswith("anonset."):
        return
    needed = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    required = {parameter: _REQUIRED[parameter] for parameter in needed}
    for more in _variants().get(name, ({},)):
        yield cls(**{**required, **more})


def rehearsals_like(name: str, algorithm: Algorithm) -> list[int]:
    """Return the numbers of the rehearsals whose choices agree with those of an algorithm as far as any do.

    Numbers do not count: at which of them another kernel is called depends on the data, too.
    """
    agree = [sum(_agrees(f.name, algorithm, made) for f in fields(cast("Any", made))) for made in rehearsals(name)]
    return [at for at, count in enumerate(agree) if count == max(agree)]


def _agrees(parameter: str, algorithm: Algorithm, made: Algorithm) -> bool:
    """Tell whether two algorithms choose alike: the same word or function, any policy, or any number."""
    one, other = getattr(algorithm, parameter, None), getattr(made, parameter)
    if isinstance(other, str | bool):
        return bool(one == other)
    if callable(other):  # of a function with some parameters given, the function
        return bool(getattr(one, "func", one) == getattr(other, "func", other))
    return type(one) is type(other)


@cache
def _variants() -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """Return what to give beside the required parameters, for algorithms whose kernels depend on it."""
    diverse: Any = ALGORITHMS["lm-apriori"]
    functions = [ALGORITHMS[name] for name in ("coat", "apriori", "vpa", "lra")]
    frameworks: tuple[Mapping[str, Any], ...] = (
        *({"transaction": function, "merge": merge} for function in functions for merge in ("r", "t", "rt")),
        {"transaction": partial(diverse, l=2, sensitive_items=SECRETS), "on_infeasible": "merge"},
        {"order": "ul"},
    )
    constrained: tuple[Mapping[str, Any], ...] = (
        {"m": 2},
        {"m": 3},
        {"constraints": _POLICY},
        {"constraints": _POLICY, "utility": _UTILITY, "item_weights": "ones"},
    )
    return {
        "apriori": ({"m": 1}, {"m": 2}, {"m": 3}),
        "exact": ({"k": 5, "m": 3, "suppress": True}, {"k": 5, "m": 3}),
        "set-search": ({"m": 2}, {"m": 3}),
        "hghs": ({"m": 2}, {"m": 4}),
        "coherence-suppression": ({"sensitive_items": SECRETS, "h": 0.8}, {"sensitive_items": SECRETS, "p": 2}),
        "lm-apriori": ({"sensitive_items": SECRETS},),
        "coat": constrained,
        "pcta": constrained,
        "cluster": ({}, {"seed": 1}, {"refine": True}),
        "rum-bound": frameworks,
        "tum-bound": frameworks,
        "rfirst": tuple({"transaction": function} for function in functions),
        "anatomy": ({"seed": 1},),
    }
