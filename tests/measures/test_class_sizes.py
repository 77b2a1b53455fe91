"""Sizes of equivalence classes, compared with a count of all pairs of records."""

from itertools import product
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import anonset
from anonset.data import CategoricalColumn
from anonset.data.table import NumericColumn
from anonset.measures.class_sizes import ClassSizes

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from("xyz")), max_size=12)


@given(rows=ROWS)
def test_pairs_of_equal_records_are_counted(rows: list[tuple[str, int, str]]) -> None:
    first, number, last = zip(*rows, strict=True) if rows else ((), (), ())
    columns = [
        CategoricalColumn.of("a", list(first)),
        NumericColumn("b", np.array(number, np.int64)),
        CategoricalColumn.of("c", list(last)),
    ]
    sizes = ClassSizes.of(columns)
    if not rows:
        assert sizes is None
        return
    assert sizes is not None
    assert sizes.discernability == sum(a == b for a, b in product(rows, rows))
    assert (sizes.classes, sizes.average_class_size) == (len(set(rows)), len(rows) / len(set(rows)))


def test_data_without_quasi_identifiers_have_no_classes() -> None:
    assert ClassSizes.of([]) is None


def test_all_commands_agree_on_the_classes(tmp_path: Path) -> None:
    table = anonset.read(
        {"age": [str(20 + i // 10) for i in range(40)], "codes": [{"ab"[i // 20]} for i in range(40)]},
        items="codes", relational="age", numeric="age", unit="row",
    )  # fmt: skip
    job = anonset.RFirst(k=3, m=1, transaction=anonset.Apriori)
    trees = {"codes": "balanced:2", "age": "range"}
    release = anonset.anonymize(table, job, hierarchies=trees)
    release.save(tmp_path / "out")
    evaluation = anonset.evaluate(table, tmp_path / "out", hierarchies=trees)
    (column,) = release.publication.relational
    counts = [column.labels().count(label) for label in set(column.labels())]
    assert evaluation.classes == ClassSizes(len(counts), 40 / len(counts), sum(x * x for x in counts))
    (candidate,) = anonset.compare(table, [job], hierarchies=trees)
    assert {**candidate.measures, **evaluation.classes.measures()} == candidate.measures
