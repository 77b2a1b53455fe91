"""The study of trees: measurements on small data, and claims on invented results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from benchmarks.experiments import render, runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.trees import beside, claims, measurement, once

from anonset import ItemGroups, KmAnonymity, Result
from anonset.algorithms import registry
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.studies,
    pytest.mark.filterwarnings("ignore:the publication is worthless"),
]

PAPER = runner.paper("trees")
TREE = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2", "a3"]), ("B", ["b1", "b2", "b3"])]))


@pytest.fixture
def baskets(monkeypatch: pytest.MonkeyPatch) -> SetColumn:
    rows = [{"a1", "b1"}] * 6 + [{"a1", "b2"}] * 5 + [{"a2"}, {"a2", "b3"}, {"a3", "b1"}, {"a3"}] * 2
    column = SetColumn.of(rows, universe=TREE.leaves.labels)
    monkeypatch.setattr(once, "_FOUND", {})
    monkeypatch.setattr(measurement, "load", lambda _: column)
    monkeypatch.setattr(measurement, "hierarchy_for", lambda *_: TREE)
    return column


@pytest.mark.parametrize("way", ["balanced:5", "halves:frequency", "set-search 4", "coat"])
def test_each_tree_construction_is_measured(baskets: SetColumn, way: str) -> None:
    measured = measurement.measure({"what": "whole", "data": "", "way": way, "k": 2, "m": 2, "meaning": True})
    assert measured.keys() == {"lm", "pairs", "singles", "symbols", "meaning", "meaning_of_chance"}
    assert 0 <= measured["lm"] <= 1e4


@pytest.mark.parametrize("way", ["halves:number", "set-search 0", "set-search 4"])
def test_a_cut_of_halves_is_found_once(baskets: SetColumn, way: str) -> None:
    options = {"what": "whole", "data": "", "k": 2, "m": 3}
    alone = measurement.measure(options | {"way": way})
    once._FOUND.clear()
    measurement.measure(options | {"way": "halves:frequency"})
    assert measurement.measure(options | {"way": way}) == alone
    assert len(once._FOUND) == 2  # by frequency and by number


def test_unchanged_publications_have_no_loss(baskets: SetColumn) -> None:
    measured = measurement.measure({"what": "whole", "data": "", "way": "balanced:5", "k": 1, "m": 1})
    assert (measured["lm"], measured["pairs"], measured["singles"], measured["symbols"]) == (0, 0, 0, 6)


def test_a_tree_of_the_same_records_keeps_all_of_its_gain(baskets: SetColumn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SetColumn, "take", lambda column, _: column)
    measured = measurement.measure({"what": "halves", "data": "", "by": "frequency", "k": 3, "m": 2, "halves": 2})
    assert measured["learned"] == measured["own"]
    assert measured["kept"] == (1 if measured["own"] < measured["base"] else 0)


def test_random_members_are_less_related_than_neighbours() -> None:
    groups = [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
    assert measurement.apart(TREE, groups) == pytest.approx(2 / 5)
    assert measurement.apart_by_chance(TREE, groups) > measurement.apart(TREE, groups)


def results(values: dict[tuple[str, str], dict[str, float]]) -> Results:
    return Results(dict(values))


def test_a_claim_about_all_data_sets_names_exceptions() -> None:
    check = claims._at_most("ours", "theirs", "lm")
    assert check(results({("ours", "x"): {"lm": 10.0}, ("theirs", "x"): {"lm": 10.0}}))[0]
    holds, shown = check(results({("ours", "x"): {"lm": 12.0}, ("theirs", "x"): {"lm": 10.0}}))
    assert (holds, "above: x 1.2" in shown) == (False, True)
    assert check(results({("ours", "x"): {"lm": 0.0}, ("theirs", "x"): {"lm": 0.0}}))[0]
    assert not check(results({("ours", "x"): {"lm": 1.0}, ("theirs", "x"): {"lm": 0.0}}))[0]
    assert not check(results({}))[0]


def test_claims_on_kept_gain_and_meaning() -> None:
    keeps = claims._keeps("frequency")
    assert keeps(results({("frequency", str(n)): {"kept": 0.9 if n < 7 else 0.1} for n in range(10)}))[0]
    assert not keeps(results({("frequency", str(n)): {"kept": 0.9 if n < 6 else 0.1} for n in range(10)}))[0]
    chance = claims._as_by_chance("w")
    assert chance(results({("w", "x"): {"meaning": 0.8, "meaning_of_chance": 1.0}}))[0]
    assert not chance(results({("w", "x"): {"meaning": 0.7, "meaning_of_chance": 1.0}}))[0]
    assert not chance(results({}))[0]


@dataclass(frozen=True, kw_only=True)
class LeaveOut:
    """A plug-in algorithm without `m`."""

    k: int
    name: ClassVar[str] = "leave-out"

    @property
    def model(self) -> KmAnonymity:
        return KmAnonymity(self.k, 1)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], **_: object) -> Result:
        frequent = table.transactions.occurrences >= self.k  # type: ignore[union-attr]
        return Result(ItemGroups(TREE.leaves, np.where(frequent, np.arange(len(frequent)), -1).astype(np.int32)))


def test_any_algorithm_can_be_compared_with_ours(baskets: SetColumn, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = {"leave-out": LeaveOut}
    monkeypatch.setattr("anonset.algorithms.registry.ALGORITHMS", registry.Algorithms(registry._OWN, offered))
    result = beside.tables("leave-out", "k2m2", ["groceries"])
    head, _, row = result.split("**LM, times 10,000**")[1].strip().splitlines()[:3]
    shown = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    ours = runner.results_of(PAPER)["k2m2", "coat", "groceries", ""]["measured"]["lm"]
    assert (shown["coat"], shown["leave-out |"]) == (render.show(ours), "0 |")
    assert result.startswith("Not the same guarantee: leave-out gives km-anonymity with k=2, m=1, ours km-anonymity")
    assert "- groceries: InputError: " in beside.tables("direct", "k2m2", ["groceries"])
    for requested in (("nix", "k2m2", []), ("coat", "halves", []), ("coat", "k2m2", ["nix"])):
        with pytest.raises(InputError, match="must be one of"):
            beside.tables(*requested)
