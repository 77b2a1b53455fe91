"""The tables of what depends on the kind of a publication contain every kind. No function dispatches by type."""

import pkgutil
from importlib import import_module
from pkgutil import resolve_name
from typing import get_args

import numpy as np
import pytest

import anonset
from anonset.analysis.base import PublicationAnalysis, analysis_of
from anonset.analysis.records import RecordsAnalysis
from anonset.analysis.risk import RiskReport
from anonset.privacy.model import PublishedKind
from anonset.publications import Published, Records
from anonset.release.documents import PublishedFiles
from anonset.release.formats import kind_named

KINDS = get_args(PublishedKind)
HOMES = ("jobs", "analysis", "measures", "publications", "release", "report")


def kinds_of(base: type) -> set[type]:
    """Return the kinds of a family: the classes without subclasses."""
    below = base.__subclasses__()
    return {base} if not below else set().union(*map(kinds_of, below))


def test_no_function_dispatches_by_type() -> None:
    modules = [
        name for _, name, _ in pkgutil.walk_packages(anonset.__path__, "anonset.") if name.split(".")[1] in HOMES
    ]
    values = [value for name in modules for value in vars(import_module(name)).values()]
    dispatchers = [value for value in values if hasattr(value, "registry") and hasattr(value, "dispatch")]
    assert [value for value in dispatchers if value.registry[object].__module__.split(".")[1] in HOMES] == []
    assert resolve_name("anonset.reading.sources.source:source_of") in dispatchers


def test_reports_know_every_kind() -> None:
    assert len(kinds_of(Published)) == len(kinds_of(PublishedFiles)) == len(kinds_of(RiskReport)) == 3
    assert {kind.__name__.lower() for kind in kinds_of(Published)} == {*KINDS}
    for kind in KINDS:
        assert {"sections", "page_part"} <= vars(import_module(f"anonset.report.risks.{kind}")).keys()
        assert not type(kind_named(kind)).__abstractmethods__


def test_every_kind_of_publication_has_an_analysis_and_no_other_type() -> None:
    empty = Records(None, (), (), (), np.zeros(0, np.int64))
    assert isinstance(analysis_of(empty), RecordsAnalysis)
    for kind in kinds_of(Published):
        analysis = resolve_name(f"anonset.analysis.{kind.__name__.lower()}:{kind.__name__}Analysis")
        assert analysis in PublicationAnalysis.__subclasses__()
        assert analysis.__name__ == f"{kind.__name__}Analysis"
        assert not analysis.__abstractmethods__
    with pytest.raises(TypeError, match="Records, Buckets or Chunks, got Kind"):
        analysis_of(Kind())  # type: ignore[arg-type]


class Kind:
    """A type outside the families."""
