"""The noisy linkage attack, compared with a row-by-row scoreboard."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonset
from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.noisy_linkage import ECCENTRICITY, Claim, NoisyKnowledge, Scoreboard, noisy_linkage, rejects
from anonset.data import SetColumn, Table, Vocabulary
from anonset.generalization import ItemGroups, apply
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications import Records
from anonset.publications.symbols import group_symbol

ITEMS = "abcdef"
RECORDS = st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=9)
GROUPS = st.sampled_from([(0, 1, 2, 3, 4, 5), (0, 0, 2, 3, 3, 5), (0, 0, 2, 3, 4, -1), (0, 0, 0, 0, -1, -1)])
KNOWN = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4, unique=True)


def published(records: list[set[str]], groups: tuple[int, ...]) -> Records:
    table = Table.from_sets(records, universe=ITEMS)
    assert table.transactions is not None
    return apply(table, ItemGroups(table.transactions.vocabulary, np.array(groups, np.int32)))


def rows_of(publication: Records) -> list[frozenset[str]]:
    assert publication.transactions is not None
    return [frozenset(row) for row in publication.transactions.rows()]


def naive_scores(publication: Records, known: list[str]) -> list[int]:
    """Return the score of each row, in units of 1/65,536."""
    rows = rows_of(publication)
    scores = [0] * len(rows)
    for item in known:
        for number, row in enumerate(rows):
            shown = [symbol.label for symbol in publication.symbols if item in symbol.members and symbol.label in row]
            supports = [sum(label in other for other in rows) for label in shown]
            scores[number] += max((round(65536 / log(max(2, support))) for support in supports), default=0)
    return scores


def naive_claim(rows: list[frozenset[str]], scores: list[int]) -> tuple[set[frozenset[str]], Fraction]:
    """Return the distinct rows with the highest score, and the square of the eccentricity."""
    best = {row for row, score in zip(rows, scores, strict=True) if score == max(scores, default=0)}
    others = [score for row, score in zip(rows, scores, strict=True) if row not in best]
    variance = Fraction(sum(x * x for x in scores), len(rows)) - Fraction(sum(scores), len(rows)) ** 2 if rows else 0
    if len(best) != 1 or not others:
        return best, Fraction(0)
    return best, (max(scores) - max(others)) ** 2 / variance


@given(records=RECORDS, groups=GROUPS, known=KNOWN, target=st.integers(0, 8), removed=st.booleans())
def test_claims_equal_those_of_a_row_by_row_scoreboard(
    records: list[set[str]], groups: tuple[int, ...], known: list[str], target: int, removed: bool
) -> None:
    publication, target = published(records, groups), target % len(records)
    board, rows = Scoreboard.of(publication), rows_of(publication)
    assert board is not None
    scores, expected = board.scores(known), naive_scores(publication, known)
    assert scores[board.rows.kind].tolist() == expected
    claim = board.claim(scores, without=int(board.rows.kind[target]) if removed else None)
    here = [number for number in range(len(rows)) if not (removed and number == target)]
    best, square = naive_claim([rows[number] for number in here], [expected[number] for number in here])
    assert claim.eccentricity**2 == pytest.approx(float(square))
    assert (claim.eccentricity > ECCENTRICITY) == (square > Fraction(9, 4))
    if square:
        claimed = {rows[number] for number in here if board.rows.kind[number] == claim.kind}
        assert claimed == best
        assert claim.rows == sum(rows[number] in best for number in here)
    covers = {x: {s.label for s in publication.symbols if x in s.members} for x in known}
    fitting = [row for row in rows if all(not labels or labels & row for labels in covers.values())]
    assert board.exact_matches(known, int(board.rows.kind[target])) == len(fitting) * (rows[target] in fitting)


@given(rows=st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=8), known=KNOWN)
def test_an_item_has_the_weight_of_the_symbol_that_the_row_shows(rows: list[set[int]], known: list[str]) -> None:
    symbols = tuple(group_symbol(tuple(members)) for members in ("a", "ab", "bcd", "c", "ef"))
    vocabulary = Vocabulary(tuple(symbol.label for symbol in symbols))
    indptr = np.cumsum([0, *map(len, rows)])
    column = SetColumn("x", indptr, np.array([code for row in rows for code in sorted(row)], np.int32), vocabulary)
    publication = Records(column, symbols, (), (), np.arange(len(rows)))
    board = Scoreboard.of(publication)
    assert board is not None
    assert board.scores(known)[board.rows.kind].tolist() == naive_scores(publication, known)


@given(claims=st.lists(st.integers(0, 5), min_size=1, max_size=60), absent=st.lists(st.integers(0, 5), max_size=60))
def test_the_test_ranks_claims_among_those_of_absent_persons(claims: list[int], absent: list[int]) -> None:
    ranks = [(1 + sum(other >= claim for other in absent)) * 20 <= len(absent) + 1 for claim in claims]
    assert rejects(*([Claim(0, 1, float(x)) for x in side] for side in (claims, absent))) == ranks


def baskets(n: int) -> list[set[str]]:
    random = np.random.default_rng(1)
    items = [f"i{number:03}" for number in range(120)]
    return [set(random.choice(items, 9, replace=False).tolist()) for _ in range(n)]


def scene(records: list[set[str]], group: int, model: anonset.PrivacyModel | None = None, **more: int) -> AttackInput:
    """Return the scene of a publication in which `group` neighbouring items have one symbol."""
    table = Table.from_sets(records)
    assert table.transactions is not None
    vocabulary = table.transactions.vocabulary
    groups = np.arange(len(vocabulary), dtype=np.int32) // group * group
    publication = apply(table, ItemGroups(vocabulary, groups.astype(np.int32)))
    return AttackInput(publication, model or anonset.KmAnonymity(2, 2), table, **more)  # type: ignore[arg-type]


def results(attacked: AttackInput) -> list[AttackResult]:
    outcomes = noisy_linkage(attacked)
    assert not isinstance(outcomes, str)
    return list(outcomes)


@pytest.mark.long
def test_unprotected_rows_are_found_despite_wrong_items() -> None:
    attacked = scene(baskets(400), 1, attempts=150)
    assert ECCENTRICITY == 1.5  # as in the paper
    few, many = results(attacked)
    assert (few.targets, many.targets) == (150, 150)
    assert many.without.success == 0  # no row contains all items
    assert many.won.success > 0.95
    assert many.control.success < 0.05
    assert many.control.claimed is not None
    assert many.won.claimed is not None
    assert many.won.claimed >= many.won.success
    assert many.control.claimed < 0.4
    assert many.won.low is not None
    assert many.won.high is not None
    assert many.won.low < many.won.success < many.won.high <= 1
    assert many.tested is not None
    assert few.tested is not None
    assert (many.false_claims, many.tested.success > 0.9) == (0.05, True)
    assert few.won.success < many.won.success
    assert results(attacked) == [few, many]
    assert results(replace(attacked, seed=1)) != [few, many]


def test_generalized_rows_are_not_found() -> None:
    few, many = results(scene(baskets(400), 30, attempts=150))
    for outcome in (few, many):
        assert outcome.won.success < 0.05
        assert outcome.tested is not None
        assert outcome.tested.claimed is not None
        assert outcome.tested.claimed < 0.2


def test_identical_rows_are_claimed_together() -> None:
    records = [set("abc")] * 4 + [set("def")] * 4 + [set("gh"), set("gi"), set("hi")] * 20
    (few,) = results(scene(records, 1, anonset.KmAnonymity(5, 2)))
    assert few.targets == 68
    assert few.won.success <= (4 * 0.25 + 4 * 0.25) / 68 + 60 / 20 / 68
    assert few.won.below_k == pytest.approx(8 / 68)
    # without the row of a person, the other three are claimed, but not for this person
    assert few.control.success < few.won.success / 2


def test_names_of_persons_without_enough_items_are_not_drawn() -> None:
    records = [set("abc"), set("ab"), set("a"), {"s", "t"}]
    (few,) = results(scene(records, 1))
    assert few.targets == 3  # with two items; the third has one
    assert isinstance(noisy_linkage(scene([{"a"}, {"b"}], 1)), str)
    assert isinstance(noisy_linkage(scene([{"a", "b"}], 1)), str)  # there is no wrong item


def test_secret_items_are_not_known() -> None:
    table = Table.from_sets([set("abs"), set("bc"), set("cs"), set("ac")])
    assert table.transactions is not None
    knowledge = NoisyKnowledge(table.transactions, ("s", "absent"))
    assert knowledge.suffices(2, 1).tolist() == [True, True, False, True]
    random = np.random.default_rng(0)
    for _ in range(20):
        *right, wrong = knowledge.draw(0, 2, 1, random)
        assert (set(right), wrong) == ({"a", "b"}, "c")


def test_wrong_items_are_drawn_by_frequency() -> None:
    table = Table.from_sets([{"a", "b"}] + [{"c"}] * 90 + [{"d"}] * 10)
    assert table.transactions is not None
    knowledge, random = NoisyKnowledge(table.transactions, ()), np.random.default_rng(0)
    drawn = [knowledge.draw(0, 1, 1, random)[1] for _ in range(400)]
    assert set(drawn) == {"c", "d"}
    assert drawn.count("d") == pytest.approx(40, abs=20)


def test_persons_whose_row_was_removed_are_no_targets() -> None:
    attacked = scene([set("abc"), set("abd"), set("bcd")], 1)
    (few,) = results(replace(attacked, publication=attacked.publication.take(np.array([0, 2]))))
    assert few.targets == 2


def test_models_without_m_assume_two_right_items() -> None:
    model = anonset.ConstraintSet(2, PrivacyPolicy((("i001",),)))
    assert results(scene(baskets(40), 1, model))[0].knowledge.startswith("3 items of a person, 1 of them wrong")
