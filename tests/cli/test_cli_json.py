"""All JSON that is written and read conforms to the standard."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.facts import refused

import anonset.release.losses
from anonset import Apriori, RFirst, RumBound, TFirst, TumBound, anonymize
from anonset.algorithms.rt import rum_bound
from anonset.algorithms.rt.cluster_losses import ClusterLosses
from anonset.cli.output import show_json
from anonset.data import NumericColumn, Table
from anonset.data.domains import domain_of
from anonset.data.table_facts import OwnerStatements
from anonset.errors import AnonsetError, InfeasibleError, InputError
from anonset.queries.conditions import Between
from anonset.reading.workloads import read_workload
from anonset.release.documents import PhaseRecord, read_attestation
from anonset.strict_json import dumps, loads
from cli.place import Place

NAN, INF = float("nan"), float("inf")
RT_TABLE = replace(
    Table.from_columns({"items": [{"a"}, {"a"}, {"a", "b"}, {"b"}] * 2}, sex=["f", "m"] * 4),
    statements=OwnerStatements("row"),
)
FRAMEWORKS = [RumBound(k=2, m=1, delta=0.0), TumBound(k=2, m=1, delta=1.0), RFirst(k=2, m=1), TFirst(k=2, m=1)]
MEASURES = {
    "rum": (anonset.release.losses, "relational_ncp"),
    "tum": (anonset.release.losses, "record_utility_loss"),
}


@pytest.mark.parametrize(
    ("value", "place"),
    [(NAN, "the value"), ({"a": [1, {"b": -INF}]}, "a.1.b"), ([(1.0, INF)], "0.1"), ({"a": {1: NAN}}, "a.1")],
)
def test_nan_and_infinity_are_never_written(value, place, tmp_path, capsys):
    with refused(AnonsetError, f"{place} JSON"):
        dumps(value)
    with pytest.raises(AnonsetError):
        show_json(value)
    assert capsys.readouterr().out == ""


def test_no_document_loses_a_number(tmp_path):
    with refused(AnonsetError, "seconds JSON"):
        PhaseRecord(phase="read", seconds=NAN, peak_memory=None).write(tmp_path / "phase.json")
    assert list(tmp_path.iterdir()) == []


BAD = [
    ("NaN", "NaN"),
    ('{"a": Infinity}', "Infinity"),
    ('{"a": [-Infinity]}', "-Infinity"),
    ('{"a": {"b": 1, "b": 1}}', "b twice"),
    ("[" * 100_000, "deeply"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_invalid_json_is_rejected(text, reason):
    with refused(ValueError, reason):
        loads(text)
    assert loads('{"a": [1.5, null, "NaN"]}') == {"a": [1.5, None, "NaN"]}


@pytest.mark.parametrize("low", ["NaN", "-Infinity", "-1e999", "1" + "0" * 400])
def test_a_workload_has_finite_bounds(tmp_path, low):
    path = tmp_path / "w.json"
    query = '{"items": [], "where": [{"column": "age", "low": LOW, "high": 3}]}'.replace("LOW", low)
    path.write_text(f'{{"schema": 1, "queries": [{query}]}}')
    with pytest.raises(InputError, match=r"w\.json: "):
        read_workload(path)


@pytest.mark.parametrize("value", [NAN, INF, 10**400])
def test_a_condition_has_finite_bounds(value):
    with refused(InputError, "age low high numbers"):
        Between("age", 0, value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"records": 4', '"records": 4, "records": 5'), "'records' twice"),
        (('"m": 2', '"m": NaN'), "NaN"),
    ],
)
def test_an_attestation_is_strict(place: Place, change, reason):
    assert place.run(*place.job()).code == 0
    path = place.out / "attestation.json"
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    with refused(InputError, f"attestation {reason}"):
        read_attestation(place.out)
    ran = place.run("verify", str(place.out))
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_losses_that_are_no_numbers_keep_no_bound(monkeypatch):
    table = Table.from_sets([{"a"}, {"a"}, {"b"}])
    for bound in (NAN, -0.1, 2):
        with refused(InputError, "max_loss 0 1"):
            anonymize(table, Apriori(k=2, m=1), hierarchies={"items": "balanced:2"}, max_loss=bound)
    monkeypatch.setattr(anonset.release.losses, "lm_of_sizes", lambda *_: NAN)
    with refused(AnonsetError, "measures.lm finite"):
        anonymize(table, Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})


def test_a_relational_loss_that_is_no_number_exceeds_delta(monkeypatch):
    monkeypatch.setattr(rum_bound, "tum", lambda _: 0.0)
    with pytest.raises(InfeasibleError, match="delta=1"):
        RumBound(k=2, m=1, delta=1).merge_and_publish(SimpleNamespace(rum=NAN, count=1), None)


@pytest.mark.parametrize("scan", [False, True])
def test_a_loss_of_items_that_is_no_number_exceeds_delta(monkeypatch, scan):
    monkeypatch.setattr(ClusterLosses, "_mean", lambda *_: NAN)
    with pytest.raises(InfeasibleError, match="delta=1"):
        TumBound(k=2, m=1, delta=1, scan=scan).recode(RT_TABLE, {})


@pytest.mark.parametrize("name", ["rum", "tum"])
@pytest.mark.parametrize("algorithm", FRAMEWORKS, ids=lambda made: made.name)
def test_no_framework_publishes_a_loss_that_is_no_number(monkeypatch, algorithm, name):
    hierarchies = {"items": "balanced:2"}
    assert anonymize(RT_TABLE, algorithm, hierarchies=hierarchies, accept="worthless").measures[name] <= 1
    module, function = MEASURES[name]
    monkeypatch.setattr(module, function, lambda *_: NAN)
    with refused(AnonsetError, f"measures.{name} finite"):
        anonymize(RT_TABLE, algorithm, hierarchies=hierarchies, max_loss=1, accept="worthless")


def test_numbers_of_the_python_interface_have_the_same_limits():
    for values, reason in (
        (np.array([1.0, NAN]), "a finite number"),
        (np.array([1.0, 1e308]), r"a number from -1e\+300"),
        (np.array([1, 2**53 + 1]), "an integer that a 64-bit float represents exactly"),
        (np.array([1, -(2**63) + 1]), "an integer that a 64-bit float represents exactly"),
    ):
        with pytest.raises(InputError, match=f"column 'age': record 1: .*{reason}"):
            domain_of(NumericColumn("age", values))
    assert domain_of(NumericColumn("age", np.array([2**60, -(2**63)]))).low == -(2.0**63)
