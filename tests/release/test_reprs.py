"""No repr of an object reachable from the public API contains a label, an id or a number of the data."""

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial
from inspect import isabstract
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.facts import names

import anonset
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import OwnerStatements
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.measures.losses.utility_loss import group_losses, group_weights
from anonset.queries.conditions import Among, Between
from anonset.queries.workload import Query, Workload

MARK = "qx"
"""Part of every label."""
NUMBER = 730_918_200
"""The first seven digits are shared by all numbers of the data."""
TREE: Any = (f"{MARK}-ALL", [(f"{MARK}-N{n}", [f"{MARK}{n}{i}" for i in range(3)]) for n in range(3)])
SECRETS = (f"{MARK}s0", f"{MARK}s1")
ROWS = [{f"{MARK}{i % 3}{i % 2}", f"{MARK}{(i + 1) % 3}{i % 3}", f"{MARK}{i % 2}2"} for i in range(24)]
WITH_SECRETS = [row | ({SECRETS[i // 8 % 2]} if i % 8 == 0 else set()) for i, row in enumerate(ROWS)]
ITEMS = [label for _, labels in TREE[1] for label in labels]


def hierarchy() -> anonset.Hierarchy:
    return anonset.Hierarchy.from_tree(TREE)


def rt_table(rows: list[set[str]]) -> anonset.Table:
    ages = anonset.NumericColumn("age", np.array([NUMBER + i for i in range(len(rows))]))
    origin = anonset.CategoricalColumn.of("origin", [f"{MARK}o{i % 3}" for i in range(len(rows))])
    ward = anonset.CategoricalColumn.of("ward", [f"{MARK}w{i % 2}" for i in range(len(rows))])
    items = anonset.Table.from_sets(rows).transactions
    return anonset.Table(
        items, (ages, origin), kept=(ward,), order=("age", "origin", "items", "ward"), statements=OwnerStatements("row")
    )


def long_table() -> anonset.Table:
    ids = anonset.CategoricalColumn.of("patient", [f"{MARK}p{i // 2}" for i in range(24)])
    drug = anonset.CategoricalColumn.of("drug", [f"{MARK}d{i % 5}" for i in range(24)])
    return anonset.Table(sensitive=drug, ids=(ids,))


def item_algorithms() -> Iterator[Any]:
    yield anonset.Apriori(k=3, m=2)
    yield anonset.Direct(k=3, m=2)
    yield anonset.Optimal(k=3, m=2)
    yield anonset.Exact(k=3, m=2)
    yield anonset.Lra(k=3, m=2, partitions=2)
    yield anonset.Vpa(k=3, m=2)
    yield anonset.HgHs(k=3, m=2)
    yield anonset.MHgHs(k=3, m=2)
    yield anonset.LocalGeneralization(k=3)
    yield anonset.LocalReallocation(k=3)
    yield anonset.SetSearch(k=3, m=2)
    policy = anonset.PrivacyPolicy.of([ITEMS[:2], ITEMS[3:5]])
    utility = anonset.UtilityPolicy.of([ITEMS[:3], ITEMS[3:6], ITEMS[6:]])
    weights = anonset.ItemWeights.of({tuple(ITEMS[:2]): 0.25})
    yield anonset.Coat(k=6, constraints=policy, utility=utility, item_weights=weights, max_suppressed=1.0)
    yield anonset.Pcta(k=6, constraints=policy, utility=utility)


def secret_algorithms() -> Iterator[Any]:
    yield anonset.LmApriori(k=3, l=2, m=1, sensitive_items=SECRETS)
    losses = dict.fromkeys(ITEMS[:6], 0.5)
    yield anonset.CoherenceSuppression(h=0.8, k=2, p=1, sensitive_items=SECRETS, item_loss=losses)
    yield anonset.SuppressControl(rho=0.9, m=1, sensitive_items=SECRETS)
    yield anonset.Cahd(sensitive_items=SECRETS, cap="1/4")


def relational_algorithms() -> Iterator[Any]:
    weights = {"age": 0.4, "origin": 0.6}
    yield anonset.Cluster(k=3, relational_weights=weights)
    yield anonset.KMember(k=3)
    yield anonset.Mondrian(k=3)
    yield anonset.XuBottomUp(k=3)
    yield anonset.XuTopDown(k=3)
    yield anonset.FullDomain(k=3)
    yield anonset.LocalRecoding(k=3)
    yield anonset.BottomUp(k=3)
    yield anonset.TopDown(k=3)


def rt_algorithms() -> Iterator[Any]:
    yield anonset.JointSplit(k=3, m=1)
    yield anonset.RumBound(k=3, m=1, delta=0.9, transaction=anonset.Coat)
    yield anonset.TumBound(k=3, m=1, delta=0.9, transaction=anonset.Coat)
    yield anonset.RFirst(k=3, m=1)
    yield anonset.TFirst(k=3, m=1, partitions=2)
    diverse = partial(anonset.LmApriori, l=1, sensitive_items=SECRETS)
    yield anonset.RumBound(k=3, m=1, delta=0.9, transaction=diverse)


def releases() -> Iterator[anonset.Release]:
    items, trees = anonset.Table.from_sets(ROWS), {"items": hierarchy()}
    for algorithm in item_algorithms():
        yield anonset.anonymize(items, algorithm, hierarchies=trees, workers=1)
    for algorithm in secret_algorithms():
        secret = anonset.Table.from_sets(WITH_SECRETS)
        of_others = trees if isinstance(algorithm, anonset.LmApriori) else None
        yield anonset.anonymize(secret, algorithm, hierarchies=of_others, workers=1)
    for algorithm in relational_algorithms():
        table = dataclasses.replace(rt_table(ROWS), transactions=None)
        yield anonset.anonymize(table, algorithm, hierarchies={"age": "range", "origin": "values"}, workers=1)
    for algorithm in rt_algorithms():
        rows = WITH_SECRETS if isinstance(getattr(algorithm, "transaction", None), partial) else ROWS
        domains = {"age": "range", "origin": "values", **trees}
        yield anonset.anonymize(rt_table(rows), algorithm, hierarchies=domains, workers=1)
    yield anonset.anonymize(items, anonset.Disassociation(k=3, m=2, cluster_size=6), workers=1)
    with pytest.warns(UserWarning, match="anatomy protects rows"):
        of_rows = anonset.anonymize(long_table(), anonset.Anatomy(l=2), workers=1)
    yield of_rows
    yield anonset.anonymize(long_table(), anonset.SafeGrouping(k=2, l=2), workers=1)


def errors() -> Iterator[BaseException]:
    verdict = anonset.verify(anonset.Table.from_sets([{f"{MARK}1"}]), anonset.KmAnonymity(k=2, m=1))
    assert MARK in str(verdict)
    yield anonset.VerificationError(verdict)
    yield anonset.UndecidedError(verdict)
    for call in (
        lambda: anonset.SetColumn.of([{MARK}], universe=["a"]),
        lambda: hierarchy().bind(anonset.SetColumn.of([{f"{MARK}?"}])),
    ):
        with pytest.raises(anonset.InputError, match=MARK) as raised:
            call()
        yield raised.value
    yield anonset.InfeasibleError("apriori", f"item {MARK} is rare", f"group {MARK}", achieved=1.0, bound=0.5)
    table = anonset.read({"age": [NUMBER, NUMBER + 1], "items": [["a"], ["a"]]}, items="items", keep="age", unit="row")
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})
    with pytest.raises(anonset.DisclosureError) as stopped:
        release.to_arrow()
    yield stopped.value
    yield anonset.WorthlessError("apriori", f"column {MARK} shows nothing")
    yield anonset.AnonsetError(f"column {MARK}")


def others(made: list[anonset.Release], folder: Path) -> Iterator[Any]:
    """Yield public objects that are not reachable from a release."""
    table, trees = anonset.Table.from_sets(ROWS), {"items": hierarchy()}
    yield anonset.compare(table, [*item_algorithms(), anonset.Apriori(k=25, m=2)], hierarchies=trees, workers=1)
    yield anonset.FileOptions(decimal=",")
    yield anonset.ReadOptions(items="codes")
    yield anonset.RoleOptions(items="codes")
    secret = anonset.Table.from_sets(WITH_SECRETS)
    yield from anonset.compare(secret, [next(secret_algorithms())], hierarchies=trees, workers=1)
    workload = anonset.WorkloadSpec(random="record:5x1")
    yield workload
    yield anonset.evaluate(table, made[0].save(folder / "out"), hierarchies=trees, workload=workload)
    yield anonset.inspect(table, k=2, m=1)
    yield anonset.inspect(
        {"id": [f"{MARK}{n}" for n in range(9)], "x": [f"{MARK}a"] * 9, "y": [f"{MARK}a {MARK}b"] * 9}
    )
    linked = folder / "linked"
    linked.mkdir()
    (linked / "a.csv").write_text("patient_id,sex\n" + "".join(f"{MARK}{n},{MARK}{n % 2}\n" for n in range(90)))
    (linked / "b.csv").write_text("patient_id,code\n" + "".join(f"{MARK}{n % 90},{MARK}{n % 7}\n" for n in range(300)))
    found = anonset.inspect(linked)
    assert len(found.tables) == 2
    yield found
    yield anonset.risk(made[0], attempts=5)
    yield anonset.suggest(table, anonset.KmAnonymity(k=2, m=2), hierarchies=trees, workers=1)
    yield Workload((Query((ITEMS[0],), (Between("age", NUMBER, NUMBER + 1), Among("origin", (f"{MARK}o1",)))),))
    first = made[0].unverified
    coat = next(release.unverified for release in made if isinstance(release.algorithm, anonset.Coat))
    column = coat.table.transactions
    yield group_weights(coat.algorithm.item_weights, column.vocabulary)
    yield group_losses(column, coat.result.recoding, group_weights("ones", column.vocabulary))
    yield anonset.SupportIndex(first.table.transactions)
    buckets = [release for release in made if isinstance(release.publication, anonset.Buckets)]
    for bucket in buckets:
        yield anonset.risk(bucket)
        yield intra_group_violations(bucket.publication)
        yield inter_group_violations(bucket.publication, 2, alpha=2)
    yield from (anonset.TransactionKAnonymity(2), anonset.LmDiversity(2, 2, 1, SECRETS), ITEMS)
    yield from (anonset.KLDiversity(2, 2, "drug"), anonset.KTCloseness(2, 0.5, "drug"))


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return all objects of this library reachable from public objects through fields and properties."""
    made = list(releases())
    pending: list[Any] = [*made, *errors(), *others(made, tmp_path_factory.mktemp("saved"))]
    seen: dict[int, Any] = {}
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, Mapping):
            pending += [*one.values()]
        elif isinstance(one, (tuple, list)):
            pending += one[:50]
        elif type(one).__module__.startswith("anonset"):
            properties = {name for name in dir(type(one)) if isinstance(getattr(type(one), name), property)}
            pending += [getattr(one, name) for name in sorted({*properties, *vars(one)}) if not name.startswith("_")]
    return [one for one in seen.values() if type(one).__module__.startswith("anonset")]


@pytest.mark.long
def test_no_repr_shows_a_label_or_a_number_of_the_data(reached: list[Any]) -> None:
    for instance in reached:
        for text in (repr(instance), instance._repr_html_() if hasattr(instance, "_repr_html_") else ""):
            assert MARK not in text, f"{type(instance).__name__}: {text}"
            assert str(NUMBER)[:7] not in text, f"{type(instance).__name__}: {text}"


def test_reprs_are_short(reached: list[Any]) -> None:
    for instance in reached:
        assert len(repr(instance)) < 460, type(instance).__name__
        assert repr(instance).count("\n") < 3, type(instance).__name__


def test_every_public_type_is_checked(reached: list[Any]) -> None:
    types = {type(instance) for instance in reached}
    public = {getattr(anonset, name) for name in anonset.__all__ if isinstance(getattr(anonset, name), type)}
    # these have no instances
    protocols = {cls for cls in public if isabstract(cls) or getattr(cls, "_is_protocol", False)}
    assert not {cls.__name__ for cls in public - types - protocols}


def test_every_dataclass_that_is_reached_is_discreet(reached: list[Any]) -> None:
    options = {"CodeRules", "Dialect", "FileOptions", "ReadOptions", "RoleOptions"}
    scalar = {"Phase", "Layout", "QueryAnswers", "QueryShape", "WorkloadSpec", "Change", "Traits", "TaskUsage"}
    remedies = {"Fix", "Problem"}  # only the number of fixes is shown
    result = {
        type(instance)
        for instance in reached
        if dataclasses.is_dataclass(instance) and not isinstance(instance, RedactedRepr)
    }
    assert {cls.__name__ for cls in result} <= scalar | options | remedies


def test_a_release_shows_verdict_sizes_and_losses() -> None:
    release = next(releases())
    assert repr(release) == (
        "Release(verdict: km-anonymity with k=3, m=2 holds, algorithm: Apriori(k=3, m=2), "
        f"published: Records(24 rows, {len(release.publication.symbols)} symbols; columns 'items'), "
        f"losses: {', '.join(f'{name} {loss:.4g}' for name, loss in release.measures.items())}, "
        "items: kept 68, generalized 0, suppressed 0)"
    )
    assert release._repr_html_().startswith("<table><tr><th>verdict</th><td>km-anonymity with k=3, m=2 holds</td>")


def test_a_failing_verdict_names_symbols_only_in_its_message() -> None:
    verdict = anonset.verify(anonset.Table.from_sets([{MARK}]), anonset.KmAnonymity(k=2, m=1))
    assert MARK not in repr(verdict)
    assert names(repr(verdict), "False k=2 m=1 what=<1> support=1 required=2 record=0")
    assert MARK in str(verdict)
