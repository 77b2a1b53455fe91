"""Columns whose cells separate items by several characters, or by another one than the declared separator."""

from random import Random

import pytest

import anonset
from anonset.columns.cells import other_marks
from anonset.errors import InputError

CODES = ["E11.9", "I10", "J20.9", "J45", "E78.5", "M54.5", "F32.1", "K21.0", "N18.3", "Z79.4"]


def column(*marks, rows=200):
    """Return cells of one to four codes, each with one of the separators."""
    random = Random(7)
    return [random.choice(marks).join(random.sample(CODES, random.randint(1, 4))) for _ in range(rows)]


MIXED = column("/", "; ", ",")


def test_inspect_counts_the_cells_with_other_separators():
    expected = (
        "column 'codes': ';' separates items, but there are also "
        f"{sum(',' in cell for cell in MIXED)} cells with ',' and {sum('/' in cell for cell in MIXED)} cells with '/'; "
        "if these separate items too: replace them by ';' in the file"
    )
    assert expected in anonset.inspect({"codes": MIXED}).problems


@pytest.mark.parametrize("cells", [column("; "), column("/"), ["N/A;E11", "E11;I10", "I10", "N/A"] * 9])
def test_one_separator_is_no_problem(cells):
    assert not [problem for problem in anonset.inspect({"codes": cells}).problems if "separate" in problem]


@pytest.mark.parametrize(
    ("items", "others"),
    [
        (["E11", "I10", "E11/I10"], ["/"]),
        (["E11", "I10", "E11, I10"], [","]),
        (["E11", "I10", "E11 I10"], [" "]),
        (["E11", "E11/I10", "N/A"], []),
        (["wine", "wine, red", "wine, white", "beer"], []),
    ],
)
def test_parts_between_other_separators_are_items_too(items, others):
    assert other_marks(items, ";") == others


@pytest.mark.parametrize(
    ("cells", "separator", "message"),
    [
        (MIXED, None, "if ';' and ',' and '/' separate items: replace ',' and '/' by ';' in the file"),
        (MIXED, ",;", "if ';' and ',' and '/' separate items: replace ',' and '/' by ';' in the file"),
        (column(";"), None, "if ';' separates items: separator=';'; if not: one_code='codes'"),
        (column(";"), ",;", "column 'codes': ',;' separates no items, but "),
        (column(";"), ",;", " distinct cells contain ';'; if ';' separates items: separator=';'; if not: one_code="),
        (column(";"), " ", "' ' separates no items"),
        (column("/"), ";", "if '/' separates items: separator='/'"),
    ],
)
def test_a_separator_of_no_cell_is_refused_if_cells_are_sets_by_another(cells, separator, message):
    with pytest.raises(InputError) as caught:
        anonset.read({"codes": cells}, items="codes", separator=separator)
    assert message in str(caught.value)


@pytest.mark.parametrize("separator", [";", ",;", "/"])
@pytest.mark.parametrize("cells", [CODES * 9, ["Wine, red", "Wine, white", "Beer"] * 9])
def test_a_column_with_one_item_in_each_cell_may_have_any_separator(cells, separator):
    assert anonset.read({"codes": cells}, items="codes", separator=separator).transactions.n == len(cells)


def test_a_cell_declared_to_be_one_item_is_not_split():
    table = anonset.read({"codes": column(";")}, one_code="codes")
    assert table.transactions.n == 200


GOODS = ["whole milk", "butter milk", "soft cheese", "white wine", "brown bread", "pip fruit", "hamburger meat", "soda"]


def test_names_of_several_words_are_not_split_unasked():
    data = {"goods": GOODS * 6}
    with pytest.raises(InputError, match="'goods': the cells look like names of several words") as refused:
        anonset.read(data, items="goods", unit="row")
    whole, words = (fix.settings for fix in refused.value.fixes)
    assert set(anonset.read(data, unit="row", **whole).transactions.vocabulary.labels) == set(GOODS)
    by_words = anonset.read(data, unit="row", items="goods", **words).transactions.vocabulary.labels
    assert {"whole", "milk", "meat"} <= set(by_words)


def test_rows_of_a_person_contain_names_as_items():
    data = {
        "person": [f"p{n // 3}" for n in range(len(GOODS) * 6)],
        "products": GOODS * 6,
        "age": ["30"] * len(GOODS) * 6,
    }
    found = anonset.inspect(data, unit="person")
    column = next(one for one in found.columns if one.profile.name == "products")
    assert (column.role, column.reason.endswith("; if each word is an item: separator=' '")) == ("items", True)
    assert "separator" not in found.settings
    assert set(anonset.read(data, items="products", unit="person", drop="age").transactions.vocabulary.labels) == set(
        GOODS
    )


@pytest.mark.parametrize(
    "cells", [["milk bread", "bread tea", "tea", "milk tea bread"] * 60, GOODS, ["E11 I10", "J45"] * 60]
)
def test_sets_of_words_are_split_at_blanks(cells):
    labels = anonset.read({"goods": cells}, items="goods", unit="row").transactions.vocabulary.labels
    assert set(labels) == {word for cell in cells for word in cell.split()}


WORDS = ["milk", "wine", "bread_bio", "eggs", "rice", "tea"]


def test_cells_of_a_persons_rows_whose_words_recombine_are_no_single_items():
    draw = Random(1)
    cells = [" ".join(draw.sample(WORDS, draw.randint(1, 3))) for _ in range(300)]
    data = {"person": [f"P{row % 90}" for row in range(300)], "basket": cells}
    with pytest.raises(InputError, match=r"each cell would be one item, but .* separator=' '; if not: one_code="):
        anonset.read(data, items="basket", unit="person")
    names_of_things = {**data, "basket": [f"{draw.choice(['whole', 'fresh'])} {word}" for word in WORDS * 50]}
    assert anonset.read(names_of_things, items="basket", unit="person").transactions.n == 90
