"""The limits listed for a publication depend on the symbols."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.privacy import (
    AnatomyDiversity,
    KAnonymity,
    KKmAnonymity,
    KLDiversity,
    KmAnonymity,
    PartitionKmAnonymity,
    PrivacyModel,
    TransactionKAnonymity,
)
from anonset.publications import Records, Symbol
from anonset.release import guarantee_limits
from anonset.release.documents import Declarations
from anonset.release.guarantee_limits import declared_limits, limits_in_short, promised_limits, ranked_limits
from anonset.settings.edits import make_settings

SHA = "0" * 64
SENTENCES = {name: text for name, text in vars(guarantee_limits).items() if name.isupper() and isinstance(text, str)}
ALWAYS = {"FINEST", "ALONE"}
ITEMS = {"AS_THEY_ARE", "UNPUBLISHED"}


def published(symbols: list[Symbol], **relational: list[str]) -> Records:
    """Publish a record with all symbols, and as many records as there are relational values."""
    n = max([1, *map(len, relational.values())])
    sets = SetColumn.of([[symbol.label for symbol in symbols]] * n) if symbols else None
    columns = tuple(CategoricalColumn.of(name, values) for name, values in relational.items())
    return Records(sets, tuple(symbols), columns, (), np.arange(n))


def limits_of_model(model: PrivacyModel, publication: Any, **declared: Any) -> set[str]:
    first, *limits = declared_limits(model, publication, Declarations(**{"unit": "person", **declared}))
    assert first == model.limits
    return {name for name, sentence in SENTENCES.items() if sentence in limits}


LIMITS_OF_UNITS = {"row, declared a person": "BY_WORD", "row, person unknown": "UNKNOWN", "row, not asked": "ROWS"}
A, B = Symbol("a", "item", ("a",)), Symbol("b", "item", ("b",))
AB, BC = Symbol("(a,b)", "group", ("a", "b")), Symbol("N", "node", ("b", "c"))


@pytest.mark.parametrize(
    ("model", "symbols", "more"),
    [
        (KmAnonymity(2, 2), [A, B], set()),
        (KmAnonymity(2, 2), [AB], {"MEMBERS"}),
        (KmAnonymity(2, 2), [A, BC], {"MEMBERS"}),
        (KmAnonymity(2, 2), [AB, BC], {"MEMBERS", "LOCAL"}),
        (KmAnonymity(2, 2), [A, AB], {"MEMBERS", "LOCAL"}),
        (PartitionKmAnonymity(2, 2), [A, B], {"LOCAL"}),
        (TransactionKAnonymity(2), [A, B], {"LOCAL"}),
    ],
)
def test_models_of_items_have_the_limits_of_items(model: PrivacyModel, symbols: list[Symbol], more: set[str]) -> None:
    assert limits_of_model(model, published(symbols)) == ALWAYS | ITEMS | more


@pytest.mark.parametrize(
    ("values", "more"),
    [
        ({"age": ["19", "70"]}, set()),
        ({"age": ["[19:22]", "70"]}, {"RANGES"}),
        ({"sex": ["(f,m)", "f"]}, {"MEMBERS"}),
        ({"age": ["[19:22]"], "sex": ["(f,m)"]}, {"RANGES", "MEMBERS"}),
        ({"origin": ["Europe"]}, set()),
    ],
)
def test_local_values_and_regions_add_limits(values: dict[str, list[str]], more: set[str]) -> None:
    assert limits_of_model(KAnonymity(2), published([], **values)) == ALWAYS | {"LOCAL"} | more
    assert limits_of_model(KKmAnonymity(2, 1), published([A], **values)) == ALWAYS | ITEMS | {"LOCAL", "REGIONS"} | more


def test_only_columns_that_are_published_unchanged_add_their_limit() -> None:
    """Otherwise a steward would search for a column that does not exist."""
    drug = CategoricalColumn.of("drug", ["a"])
    kept = replace(published([A]), kept=(drug,))
    assert limits_of_model(KmAnonymity(2, 2), kept) == ALWAYS | ITEMS | {"UNCHANGED"}
    assert "UNCHANGED" in limits_of_model(KmAnonymity(2, 2), published([A], age=["19"]))  # km does not protect it
    assert "UNCHANGED" in limits_of_model(KAnonymity(2), published([A], age=["19"]))
    for model in (KAnonymity(2), KmAnonymity(2, 2), KLDiversity(2, 2, sensitive="drug")):
        every = [model.limits]
        assert guarantee_limits.UNCHANGED not in limits_in_short(model, every)
        assert guarantee_limits.UNCHANGED in limits_in_short(model, [*every, guarantee_limits.UNCHANGED])


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"unit": ["row"]}, {"unit": "row, declared a person"}),
        ({"unit": ["unknown"]}, {"unit": "row, person unknown"}),
        ({"unit": ["pid"]}, {}),
        ({}, {"unit": "row, not asked"}),
        ({"unit": ["pid"], "publish_as_is": ["drug"]}, {"published_as_is": ["drug"]}),
        ({"unit": ["pid"], "recoding": "old.private"}, {"earlier_attestation": SHA}),
        ({"unit": ["pid"], "after": "old.private"}, {"together_with": SHA}),
    ],
)
@pytest.mark.parametrize(
    "model",
    [KKmAnonymity(2, 1), KAnonymity(2), KmAnonymity(2, 2), KLDiversity(2, 2, sensitive="drug"), AnatomyDiversity(2)],
)
@pytest.mark.parametrize("keep", [[], ["drug"]])
def test_the_three_limits_before_and_after_a_run_are_equal(
    model: PrivacyModel, keep: list[str], given: dict[str, Any], facts: dict[str, Any]
) -> None:
    roles: dict[str, Any] = {"keep": keep, "sensitive": model.sensitive_column}
    if model.kind == "records":
        kept = (CategoricalColumn.of("drug", ["a"]),) if keep or model.sensitive_column else ()
        publication: Any = replace(published([A], age=["19"]), kept=kept)
        roles |= {"items": ["codes"], "relational": ["age"]}
    else:
        table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b"]))
        publication = bucketize(table, Bucketized(np.zeros(2, np.int32), np.zeros(2, bool)))
    before = promised_limits(model, make_settings({"input": "a.csv", "out": "safe", **roles, **given}))
    after = declared_limits(model, publication, Declarations(**{"unit": "person", **facts}))
    assert ranked_limits(model, before)[0] == ranked_limits(model, after)[0]
    assert {*ranked_limits(model, before)[1]} <= {*ranked_limits(model, after)[1]}


def test_short_codes_of_value_sets_count_as_sets() -> None:
    coded = replace(published([], sex=["V1"]), value_sets=(Symbol("V1", "values", ("f", "m")),))
    assert "MEMBERS" in limits_of_model(KAnonymity(2), coded)


def test_declarations_about_rows_and_releases_add_limits() -> None:
    for unit, limit in LIMITS_OF_UNITS.items():
        assert limits_of_model(KmAnonymity(2, 2), published([A]), unit=unit) == ALWAYS | ITEMS | {limit}
    both = {"earlier_attestation": SHA, "together_with": SHA}
    for limits, declared in (
        ({"CONTINUES", "GOES_ON"}, {"earlier_attestation": SHA}),
        ({"CONTINUES", "TOGETHER"}, both),
        ({"CONTINUES", "TOGETHER_LINKED"}, {**both, "together_if_linked": True}),
        ({"SETS_FROM_DATA"}, {"partition_made_from_data": True}),
        ({"FROM_DATA"}, {"hierarchy_built_from_data": True}),
        ({"UNDECIDED"}, {"accepted_undecided": True}),
    ):
        assert limits_of_model(KmAnonymity(2, 2), published([A]), **declared) == ALWAYS | ITEMS | limits


def test_buckets_state_the_composition_limit() -> None:
    table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b"]))
    buckets = bucketize(table, Bucketized(np.zeros(2, np.int32), np.zeros(2, bool)))
    assert limits_of_model(AnatomyDiversity(2), buckets) == {"ALONE"}


def test_every_limit_is_used_and_short() -> None:
    everything = limits_of_model(
        KKmAnonymity(2, 1),
        replace(published([AB, BC], age=["[1:2]"]), kept=(CategoricalColumn.of("drug", ["a"]),)),
        accepted_undecided=True,
        hierarchy_built_from_data=True,
        partition_made_from_data=True,
        earlier_attestation=SHA,
        published_as_is=["drug"],
    )
    # the other texts are tested above
    assert everything | {"TOGETHER", "TOGETHER_LINKED", *LIMITS_OF_UNITS.values()} == set(SENTENCES)
    assert all(len(text) < 330 and text.endswith((".", ").")) for text in SENTENCES.values())
    for name in (
        "minimality",
        "downcoding",
        "composition",
        "joint guarantee",
    ):
        assert any(name in text for text in SENTENCES.values()), name


def test_a_run_prints_each_limit_once_and_always_composition_and_minimality() -> None:
    """Otherwise limits that repeat the model would hide limits of other subjects."""
    by_word = Declarations(unit="row, declared a person")
    every = {"published_as_is": ["drug"], "earlier_attestation": SHA}
    everything = declared_limits(
        KKmAnonymity(2, 1), replace(published([A], age=["19"]), kept=(CategoricalColumn.of("drug", ["a"]),)),
        by_word.model_copy(update=every),
    )  # fmt: skip
    first = {name: sentence.split(". ")[0].rstrip(".") for name, sentence in SENTENCES.items()}
    for model in (KKmAnonymity(2, 1), KAnonymity(2)):
        kept = replace(published([], age=["19"]), kept=(CategoricalColumn.of("drug", ["a"]),))
        limits = declared_limits(model, kept, by_word)
        shown = [text.rstrip(".") for text in limits_in_short(model, limits)]
        named = {name for name, text in first.items() if text in shown}
        assert named == {"UNCHANGED", "BY_WORD", "ALONE", "FINEST"}
    shown = [text.rstrip(".") for text in limits_in_short(KKmAnonymity(2, 1), everything)]
    assert len(shown) == len({*shown})
    named = {name for name, text in first.items() if text in shown}
    assert named == {"BY_WORD", "AS_IS", "GOES_ON", "ALONE", "FINEST"}
