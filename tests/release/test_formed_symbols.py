"""The symbols that a search forms are checked, for any class that performs the search."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.base import Result, traits_of
from anonset.cli.main import main
from anonset.data import Hierarchy, Table
from anonset.data.table_facts import OwnerStatements
from anonset.generalization import ItemGroups
from anonset.privacy import PrivacyModel

ROWS = [["a,1", "c"], ["a,1"], ["c"], ["a,1", "c"], ["x", "y"], ["x"], ["y"], ["x", "y"]]
PLAIN = [[item.replace(",1", "") for item in row] for row in ROWS]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """A third-party algorithm that publishes pairs of items and declares no traits."""

    name: ClassVar[str] = "pairs"
    k: int
    m: int

    @property
    def model(self) -> PrivacyModel:
        return anonset.KmAnonymity(self.k, self.m)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], **_: Any) -> Result:
        assert table.transactions is not None
        items = table.transactions.vocabulary
        return Result(ItemGroups(items, (np.arange(len(items)) // 2).astype(np.int32)))


@dataclass(frozen=True, kw_only=True)
class Declared(Pairs):
    traits: ClassVar[anonset.Traits] = anonset.Traits(forms_sets=True)


class Heir(anonset.Coat):
    """A subclass with COAT's search."""


@dataclass(frozen=True, kw_only=True)
class Rebel(anonset.Coat):
    """A subclass with a different search, which inherits COAT's method for clusters."""

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], **options: Any) -> Result:
        return Pairs(k=self.k, m=self.m or 1).recode(table, hierarchies)


def rt(rows: list[list[str]]) -> Table:
    column = anonset.SetColumn.of(rows)
    ages = anonset.NumericColumn("age", np.array([20, 21, 22, 23, 60, 61, 62, 63][: column.n]))
    return Table(column, (ages,), statements=OwnerStatements("row"))


def framework(transaction: Any) -> Any:
    return anonset.RumBound(k=4, m=2, delta=0.5, transaction=transaction)


FORMING: list[Callable[[], Any]] = [
    lambda: framework(anonset.Coat),
    lambda: framework(partial(anonset.Coat, max_suppressed=0.0)),
    lambda: framework(partial(partial(anonset.Coat, single="generalize"), max_suppressed=0.0)),
    lambda: framework(lambda *, k, m: anonset.Pcta(k=k, m=m)),
    lambda: framework(Heir),
    lambda: framework(Rebel),
    lambda: framework(Pairs),
    lambda: framework(Declared),
    lambda: anonset.RFirst(k=4, m=2, transaction=partial(anonset.Pcta, utility=None)),
    lambda: anonset.TumBound(k=4, m=2, delta=1.0, transaction=partial(Pairs)),
]
ALONE: list[Any] = [anonset.Coat(k=4, m=2), Heir(k=4, m=2), Rebel(k=4, m=2), Pairs(k=4, m=2), Declared(k=4, m=2)]


def why_refused(table: Table, algorithm: Any, folder: Path, **more: Any) -> str:
    """Return the error message for a table, the same in memory and on disk."""
    with pytest.raises(anonset.InputError) as raised:
        anonset.anonymize(table, algorithm, **more).save(folder / "out")
    assert list(folder.iterdir()) == []
    return str(raised.value)


def published(release: anonset.Release, out: Path) -> None:
    """Save a release, and verify it by the command line."""
    release.save(out)
    assert main(["verify", str(out), "--quiet"]) == 0


@pytest.mark.long
@pytest.mark.parametrize("make", FORMING)
def test_a_transaction_function_that_forms_sets(make: Callable[[], Any], tmp_path: Path) -> None:
    assert names(why_refused(rt(ROWS), make(), tmp_path, symbols="members"), "comma")
    for symbols, rows in (("short", ROWS), ("auto", ROWS), ("members", PLAIN)):
        release = anonset.anonymize(rt(rows), make(), symbols=symbols)  # type: ignore[arg-type]
        assert any(len(symbol.members) > 1 for symbol in release.publication.symbols)
        published(release, tmp_path / symbols)


@pytest.mark.parametrize("algorithm", ALONE, ids=lambda algorithm: type(algorithm).__name__)
def test_an_algorithm_that_forms_sets(algorithm: Any, tmp_path: Path) -> None:
    assert names(why_refused(Table.from_sets(ROWS), algorithm, tmp_path, symbols="members"), "comma")
    for symbols, rows in (("short", ROWS), ("auto", ROWS), ("members", PLAIN)):
        release = anonset.anonymize(Table.from_sets(rows), algorithm, symbols=symbols)  # type: ignore[arg-type]
        assert any(len(symbol.members) > 1 for symbol in release.publication.symbols)
        published(release, tmp_path / symbols)


def test_declared_symbols_are_rejected_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Result:
        raise AssertionError

    monkeypatch.setattr(Pairs, "recode", never)
    for algorithm in (Declared(k=2, m=2), framework(Declared), framework(partial(Declared))):
        assert traits_of(algorithm).forms_sets
        table = rt(ROWS) if hasattr(algorithm, "transaction") else Table.from_sets(ROWS)
        with refused(anonset.InputError, "comma"):
            anonset.anonymize(table, algorithm, symbols="members")
    assert not traits_of(anonset.Apriori(k=2, m=2)).forms_sets
    assert not traits_of(framework(partial(anonset.Apriori, max_increments=10))).forms_sets


def test_unmerged_items_may_contain_a_comma(tmp_path: Path) -> None:
    """The check considers the formed symbols, here none with a comma."""
    rows = [["a", "b"], ["z,1"]] * 2
    published(anonset.anonymize(Table.from_sets(rows), Pairs(k=2, m=1)), tmp_path / "out")


def test_a_subclass_runs_its_own_search() -> None:
    """COAT would not merge the items of these clusters. The subclass merges them in pairs."""
    rows = [["a", "b"]] * 4 + [["c", "d"]] * 4
    subclass_release = anonset.anonymize(rt(rows), framework(Rebel))
    assert {len(symbol.members) for symbol in subclass_release.publication.symbols} == {2}
    coat = anonset.anonymize(rt(rows), framework(Heir))
    assert {len(symbol.members) for symbol in coat.publication.symbols} == {1}


def test_a_configured_or_subclassed_apriori_runs_its_own_search() -> None:
    """AA has a kernel for many clusters. Other parameters or subclasses run their search with the same result."""
    searched = []

    class Own(anonset.Apriori):
        def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], **options: Any) -> Result:
            searched.append(table.n)
            return super().recode(table, hierarchies, **options)

    ways = [partial(anonset.Apriori), anonset.Apriori, partial(anonset.Apriori, max_increments=10**6), Own]
    result = [anonset.anonymize(rt(PLAIN), framework(way), hierarchies={"items": "balanced:2"}) for way in ways]
    assert all(release.to_arrow().equals(result[0].to_arrow()) for release in result)
    assert searched


def test_diversity_is_recognized_by_the_model_of_the_transaction_function() -> None:
    """A third-party class that wraps l^m-AA without subclassing it."""

    @dataclass(frozen=True, kw_only=True)
    class Wrapped:
        name: ClassVar[str] = "wrapped"
        k: int
        m: int

        @property
        def model(self) -> PrivacyModel:
            return anonset.LmDiversity(self.k, 2, self.m, ("s",))

        def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], **options: Any) -> Result:
            wrapped = anonset.LmApriori(k=self.k, l=2, m=self.m, sensitive_items=("s",))
            return wrapped.recode(table, hierarchies, **options)

    tree = anonset.Hierarchy.from_tree(("ALL", ["a", "b", "c"]))
    rows = [["a", "s"], ["a", "b"], ["a"], ["a", "b"], ["c"], ["c"], ["c"], ["c"]]
    release = anonset.anonymize(rt(rows), framework(Wrapped), hierarchies={"items": tree})
    assert release.verdict.model == anonset.KLmDiversity(4, 2, 2, ("s",))
    assert "s" in release.publication.transactions.vocabulary.labels


def test_a_node_named_like_a_set_of_other_items_is_refused(tmp_path: Path) -> None:
    """`verify` would reject the publication, because it only knows the name."""
    tree = anonset.Hierarchy.from_tree(("ALL", [("(x,y)", ["a", "b"]), "c"]))
    message = why_refused(
        Table.from_sets(["ab", "c"]), anonset.Apriori(k=2, m=1), tmp_path, hierarchies={"items": tree}
    )
    assert names(message, "(x,y) hierarchy 2")
    honest = anonset.Hierarchy.from_tree(("ALL", [("(b,a)", ["a", "b"]), "c"]))
    rows = [["a", "b"], ["c"], ["c"], ["b"]]
    published(
        anonset.anonymize(Table.from_sets(rows), anonset.Apriori(k=2, m=1), hierarchies={"items": honest}),
        tmp_path / "out",
    )
