"""Risk from known items, compared with the definitions."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, spans
from anonset.data.equivalence_classes import class_of
from anonset.data.spans import Limits
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import Files
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.measures.risks import known_sample
from anonset.measures.risks.known_items import known_items, matching_rows, number_of_sets
from anonset.measures.shares import mean_of, share_of
from effort import examples
from reference import known_items as reference

rows = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=5), min_size=1, max_size=12)


def flat(rows):
    return [float(part) for row in rows for part in row]


@settings(max_examples=examples(100))
@given(rows, st.integers(1, 4), st.integers(1, 4), st.randoms(use_true_random=False), st.booleans())
def test_every_set_of_every_record_is_counted(sets, size, k, random, sampled):
    groups = [random.randint(0, 1) for _ in sets]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_sample, "_MOST_WORDS", random.choice([0, 1000]))
        patch.setattr(known_sample, "AFFORDABLE", 0 if sampled else 1e9)
        patch.setattr(known_sample, "SAMPLED", len(sets))
        risks = known_items(SetColumn.of(sets), size, k, group=np.array(groups))
    for figures in risks:
        expected = reference.known_items(sets, figures.size, k, groups)
        if figures.exact:
            assert flat(zip(figures.least, figures.below, figures.unique, strict=True)) == pytest.approx(flat(expected))
        else:  # all were sampled, in some order
            seen = sorted(zip(figures.least, figures.below.round(9), figures.unique.round(9), strict=True))
            assert flat(seen) == pytest.approx(flat(sorted(expected)))


@pytest.mark.parametrize("by_bits", [False, True])
def test_a_sample_of_all_records_equals_the_exact_counts(by_bits, monkeypatch):
    random = np.random.default_rng(3)
    records = [random.choice(12, random.integers(0, 9), replace=False) for _ in range(60)]
    column = SetColumn.of([{f"i{item}" for item in records[n]} for n in random.integers(0, 60, 400)])
    group = (np.arange(400) >= 129).astype(np.int64)  # 129 records need three words
    monkeypatch.setattr(known_sample, "_MOST_WORDS", 1e9 if by_bits else 0)
    exact = known_items(column, 4, 5, group=group)
    monkeypatch.setattr(known_sample, "AFFORDABLE", 0)
    sampled = known_items(column, 4, 5, group=group)
    for expected, found in zip(exact, sampled, strict=True):
        for name in ("least", "below", "unique"):
            assert sorted(getattr(found, name)) == pytest.approx(sorted(getattr(expected, name)))


@pytest.mark.long
@settings(max_examples=examples(150))
@given(rows, st.integers(1, 4), st.sampled_from([None, 60, 800, 4000, 20000]), st.randoms(use_true_random=False))
def test_counts_by_blocks_equal_the_definition(sets, size, room, random):
    """Covers complete groups, spans of codes, and suffixes of single codes, on one and two threads."""
    groups = [np.array([random.randint(0, 2) for _ in sets], np.int32) for _ in range(random.randint(0, 2))]
    of_row = list(zip(*groups, strict=True)) if groups else [()] * len(sets)
    limits = Limits(room=room, rows_per_bucket=random.choice([8, 1000]))
    with pytest.MonkeyPatch.context() as patch, Files.temporary(None, limits, Threads(random.randint(1, 2))) as store:
        patch.setattr(spans, "AT_ONCE", random.choice([4, 1000]))
        patch.setattr(known_sample, "_MOST_WORDS", random.choice([0, 1000]))
        remaining = matching_rows(SetColumn.of(sets), size, group=groups, store=store)
        for items, figures in enumerate(remaining, 1):
            expected = Counter(least_of(sets, items, of_row))
            assert dict(zip(figures.values.tolist(), figures.records.tolist(), strict=True)) == expected
        patch.setattr(known_sample, "AFFORDABLE", -1)
        patch.setattr(known_sample, "SAMPLED", len(sets))
        sampled = matching_rows(SetColumn.of(sets), size, group=groups, store=store)
        for items, figures in enumerate(sampled, 1):  # all were sampled, in some order
            assert Counter(figures.values.tolist()) == Counter(least_of(sets, items, of_row))


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("by_bits", [False, True])
def test_a_sample_is_counted_on_the_workers_of_a_cluster(by_bits, monkeypatch):
    monkeypatch.setattr(known_sample, "_MOST_WORDS", 1e9 if by_bits else 0)
    column = SetColumn.of([{f"i{n % 7}", f"j{n % 5}", f"k{n % 11}"} for n in range(300)])
    monkeypatch.setattr(known_sample, "AFFORDABLE", -1)
    monkeypatch.setattr(known_sample, "SAMPLED", 50)
    expected = matching_rows(column, 3)
    with cluster_of("local:2") as client, Files.temporary() as work, ClusterWorkers(client, work) as workers:
        found = matching_rows(column, 3, store=work.with_workers(workers))
        for here, there in zip(expected, found, strict=True):
            assert (there.values.tolist(), there.records.tolist()) == (here.values.tolist(), here.records.tolist())


def least_of(sets, size, of_row):
    return [int(least) for least, *_ in reference.known_items(sets, size, 2, of_row)]


def test_sampled_records_with_too_many_sets_are_unknown(monkeypatch):
    column = SetColumn.of([set("abcdefgh"), {"a", "b"}, {"a"}])
    monkeypatch.setattr(known_sample, "AFFORDABLE", 0)
    monkeypatch.setattr(known_sample, "_COUNTED_AT_ONCE", 20)
    assert all(matching_rows(column, 2)[1].known)  # by bit vectors
    monkeypatch.setattr(known_sample, "_MOST_WORDS", 0)
    few = matching_rows(column, 2)[1]
    assert (sorted(few.known), sorted(few.values[few.known])) == ([False, True, True], [2, 3])
    monkeypatch.setattr(known_sample, "LARGEST_PROJECTION", 1)
    assert sorted(matching_rows(column, 1)[0].known) == [True, True, True]  # 3 for each distinct record
    monkeypatch.setattr(known_sample, "_COUNTED_AT_ONCE", 1000)
    assert sorted(matching_rows(column, 2)[1].known) == [False, True, True]


def test_a_sampled_share_is_within_its_interval(monkeypatch):
    sets = [{f"i{n % 7}", f"i{n % 5}", f"i{n % 11}"} for n in range(300)]
    column = SetColumn.of(sets)
    exact = known_items(column, 2, 3)[1]
    monkeypatch.setattr(known_sample, "AFFORDABLE", 0)
    monkeypatch.setattr(known_sample, "SAMPLED", 100)
    estimated = known_items(column, 2, 3)[1]
    for name in ("average_unique", "average_below"):
        real, guess = getattr(exact, name), getattr(estimated, name)
        assert guess.low <= real.value <= guess.high
    assert (exact.worst(2).exact, estimated.worst(2).exact) == (True, False)
    assert estimated.worst(3).low <= exact.worst(3).value <= estimated.worst(3).high
    repeated = known_items(column, 2, 3)[1]
    assert repeated.least.tolist() == estimated.least.tolist()
    assert known_items(column, 2, 3, seed=1)[1].least.tolist() != estimated.least.tolist()


def test_uncounted_records_widen_the_interval():
    holds, known = np.array([True] * 50 + [False] * 50), np.ones(100, bool)
    sure = share_of(holds, known)
    known[90:] = False
    doubtful = share_of(holds, known)
    assert doubtful.low == sure.low
    assert doubtful.high > sure.high
    values = np.where(holds, 0.5, 0.25)
    assert mean_of(values, known).high > mean_of(values, np.ones(100, bool)).high


def test_number_of_sets_of_up_to_two_items():
    assert number_of_sets(np.array([3, 1, 0]), 2) == 3 + 3 + 1


def test_a_size_below_one_is_rejected():
    with refused(InputError, "size 1 0"):
        known_items(SetColumn.of([{"a"}]), 0, 2)


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=15))
def test_records_of_a_class_have_equal_values(tuples):
    letters, numbers = [one for one, _ in tuples], [number for _, number in tuples]
    columns = (CategoricalColumn.of("letter", letters), NumericColumn("number", np.array(numbers, np.int64)))
    classes = class_of(columns, len(tuples)).tolist()
    assert set(classes) == set(range(len(set(tuples))))
    assert len(set(zip(classes, tuples, strict=True))) == len(set(tuples))


def test_codes_beyond_64_bits_form_classes():
    columns = [CategoricalColumn.of(f"c{n}", [str(i % (n + 40)) for i in range(60)]) for n in range(13)]
    rows = list(zip(*(column.labels() for column in columns), strict=True))
    classes = class_of(columns, 60).tolist()
    assert len(set(classes)) == len(set(rows)) == len(set(zip(classes, rows, strict=True)))
