"""Every dispatcher handles all kinds of its family, and rejects other types."""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

import anonset
from anonset.kinds import base
from anonset.kinds.base import PublicationAnalysis, analysis_of
from anonset.kinds.records import RecordsAnalysis
from anonset.kinds.risk import RiskReport
from anonset.publications import Published, Records
from anonset.release.documents import PublishedFiles

FAMILIES = (PublishedFiles,)
HOMES = ("jobs", "kinds", "measures", "publications", "release", "report")


def dispatchers() -> dict[str, Any]:
    """Return the single dispatchers of the engine, by the name of their default function."""
    result = {}
    for module in pkgutil.walk_packages(anonset.__path__, "anonset."):
        if module.name.split(".")[1] in HOMES:
            for value in vars(import_module(module.name)).values():
                if hasattr(value, "registry") and hasattr(value, "dispatch"):
                    default = value.registry[object]
                    if default.__module__.split(".")[1] in HOMES:
                        result[f"{default.__module__}.{default.__qualname__}"] = value
    return result


DISPATCHERS = dispatchers()


def kinds_of(base: type) -> set[type]:
    """Return the kinds of a family: the classes without subclasses."""
    below = base.__subclasses__()
    return {base} if not below else set().union(*map(kinds_of, below))


def family_of(dispatcher: Any) -> type:
    known = set(dispatcher.registry) - {object}
    return next(base for base in FAMILIES if all(issubclass(kind, base) for kind in known))


def test_only_reports_dispatch_by_type() -> None:
    assert {name.split(".")[1] for name in DISPATCHERS} == {"report"}


def test_the_engine_has_dispatchers_of_every_family() -> None:
    assert {family_of(dispatcher) for dispatcher in DISPATCHERS.values()} == set(FAMILIES)
    assert len(kinds_of(Published)) == len(kinds_of(PublishedFiles)) == len(kinds_of(RiskReport)) == 3


@pytest.mark.parametrize("dispatcher", DISPATCHERS.values(), ids=DISPATCHERS)
def test_a_dispatcher_knows_every_kind_and_no_other(dispatcher: Callable[..., object]) -> None:
    known = set(dispatcher.registry) - {object}  # type: ignore[attr-defined]
    assert known == kinds_of(family_of(dispatcher))
    others = [None] * (len(signature(dispatcher).parameters) - 1)
    names = [
        parameter.name
        for parameter in signature(dispatcher).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    positional = others[: len(others) - len(names)]
    with pytest.raises(TypeError, match="Records, Buckets or Chunks, got Kind"):
        dispatcher(Kind(), *positional, **dict.fromkeys(names))


def test_every_kind_of_publication_has_an_analysis_and_no_other_type() -> None:
    empty = Records(None, (), (), (), np.zeros(0, np.int64))
    assert isinstance(analysis_of(empty), RecordsAnalysis)
    assert set(base._ANALYSES) == kinds_of(Published)
    for kind, name in base._ANALYSES.items():
        analysis = resolve_name(name)
        assert analysis in PublicationAnalysis.__subclasses__()
        assert analysis.__name__ == f"{kind.__name__}Analysis"
        assert not analysis.__abstractmethods__
    with pytest.raises(TypeError, match="Records, Buckets or Chunks, got Kind"):
        analysis_of(Kind())  # type: ignore[arg-type]


class Kind:
    """A type outside the families."""
