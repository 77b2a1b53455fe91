"""Mining minimal threats for HgHs, mHgHs and greedy suppression: pauses, limits, and long records."""

import random
from fractions import Fraction
from typing import Any

import pytest
from tests.facts import refused

from algorithms.implementations import published_rows
from algorithms.test_against_twins import small_case
from algorithms.test_suppression import OUTLIER, OUTLIER_ROWS, run
from anonset.algorithms.transaction.suppression import threats as mining
from anonset.algorithms.transaction.suppression.coherence_suppression import CoherenceSuppression
from anonset.algorithms.transaction.suppression.hghs import HgHs
from anonset.algorithms.transaction.suppression.mhghs import MHgHs
from anonset.errors import InputError
from reference.hierarchy_model import HierarchyModel, parse
from reference.suppression import coherence_suppression, mhghs, moles
from reference.transaction_algorithms import is_km


def test_is_the_same_however_often_the_mining_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = 0
    for seed in range(60):
        tree, rows, k, m = small_case(seed)
        private = tuple(HierarchyModel(tree).leaves[: seed % 3])
        for algorithm in (
            HgHs(k=k, m=m),
            MHgHs(k=k, m=m),
            CoherenceSuppression(h=0.6, k=k, p=m, sensitive_items=private),
        ):
            calls: list[tuple[str, float, float]] = []
            with monkeypatch.context() as patch:
                patch.setattr(mining, "STEPS_PER_CALL", 0)
                patch.setattr(mining, "WORK_PER_SPAN", 10)
                often = run(algorithm, rows, tree, progress=lambda *told, calls=calls: calls.append(told))[1]
            done = [(phase, amount) for phase, amount, _ in calls if phase.startswith("threats")]
            assert all(amount <= total for _, amount, total in calls)
            assert done == sorted(done)
            pauses += len(done) - len(set(done))
            at_once = run(algorithm, rows, tree)[1]
            assert often.trace == at_once.trace
            assert often.figures == at_once.figures
            assert often.recoding.image.tolist() == at_once.recoding.image.tolist()
    assert pauses > 100


@pytest.mark.parametrize("algorithm", [HgHs(k=2, m=3), MHgHs(k=2, m=3), CoherenceSuppression(k=2, p=3)])
def test_is_interrupted_between_two_prefixes(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "STEPS_PER_CALL", 0)
    reported: list[str] = []

    def stop(phase: str, done: float, total: float) -> None:
        reported.append(phase)
        if reported.count("threats of 2") == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(algorithm, OUTLIER_ROWS, OUTLIER, progress=stop)
    assert reported[-3:] == ["threats of 2"] * 3


@pytest.mark.parametrize("algorithm", [HgHs(k=2, m=3, max_increments=20), MHgHs(k=2, m=3, max_increments=20)])
def test_mining_beyond_its_limit_is_rejected(algorithm: Any) -> None:
    with refused(InputError, "max_increments 20"):
        run(algorithm, OUTLIER_ROWS, OUTLIER)


def test_memory_for_bits_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "MAX_PAIR_BITS", 35)
    with refused(InputError, "5 k 14"):
        run(HgHs(k=2, m=5), OUTLIER_ROWS, OUTLIER)


def test_moles_of_four_are_no_supersets() -> None:
    tree = parse("R(a,b,c,d,e,f,s)")
    rows = [set("abcdef") - {left_out} | ({"s"} if left_out in "ab" else set()) for left_out in "abcdef"]
    expected = {frozenset(mole) for mole in moles(rows, list("abcdef"), ("s",), Fraction(1, 2), 3, 5)}
    assert sum(len(mole) == 3 for mole in expected) == 4
    assert frozenset("abcd") in expected
    _, result = run(CoherenceSuppression(h=0.5, k=3, p=5, sensitive_items=("s",)), rows, tree)
    assert result.figures["threats"] == len(expected)
    assert list(result.trace) == coherence_suppression(rows, list("abcdefs"), ("s",), Fraction(1, 2), 3, 5)


@pytest.mark.compiled
def test_long_records_of_few_items() -> None:
    rng = random.Random(5)
    tree = parse("R(A(a,b,c,d),B(e,f,g),C(h,i,j),k)")
    rows = [set(rng.sample("abcdefghijk", rng.choice([2, 9, 10, 10, 11]))) for _ in range(60)]
    table, result = run(MHgHs(k=4, m=7), rows, tree)
    twin = mhghs(rows, HierarchyModel(tree), 4, 7)
    assert [(r.cut, r.suppressed) for r in result.trace] == [(s.cut, s.suppressed) for s in twin]
    assert is_km(published_rows(table, result), 4, 7)


@pytest.mark.parametrize("make", [HgHs, MHgHs])
def test_a_limit_below_one_is_refused(make: Any) -> None:
    with refused(InputError, "max_increments 1 0"):
        make(k=2, m=2, max_increments=0)
