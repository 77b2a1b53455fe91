"""Data cards are complete, and their figures are measured on the data."""

import re

import pytest

from anonset_datasets.card_page import page
from anonset_datasets.cards import CARDS, GENERATED, Shape
from anonset_datasets.entries import ENTRIES
from anonset_datasets.generators import generate


def sections() -> dict[str, str]:
    """Return the section of the page for each data set."""
    parts = re.split(r"^### (\w+)\n", page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_page_has_a_section_for_each_data_set_and_generator_of_the_experiments() -> None:
    assert list(sections()) == [*ENTRIES, *GENERATED]


def test_each_section_states_origin_terms_and_characteristics() -> None:
    result = sections()
    for name, entry in ENTRIES.items():
        for words in (entry.source, f"**Terms**: {entry.terms[0].upper()}{entry.terms[1:]}", entry.note):
            assert words in result[name], (name, words)
        assert entry.optional or f"| here | {entry.n:,} |" in result[name], name
    for name, card in (CARDS | GENERATED).items():
        for printed, shape in card.printed:
            assert f"| {printed} | {shape.n:,} |" in result[name], name
        assert card.differs in result[name], name


def test_files_that_must_not_be_linked_are_named_first() -> None:
    assert {name for name, entry in ENTRIES.items() if not entry.linkable} == {"informs2005", "vermont2013"}
    for name, entry in ENTRIES.items():
        assert ("linking" in entry.note) == (not entry.linkable), name
        assert (f"[`{name}`](#{name})" in page().split("## ", 1)[0]) == (not entry.linkable), name


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in GENERATED if name != "longitudinal"])
def test_generated_data_have_the_characteristics_of_their_card(name: str) -> None:
    column = generate(name).transactions
    assert column is not None
    average = round(float(column.lengths.mean()), 2)
    items = int((column.occurrences > 0).sum())
    assert Shape(
        n=column.n, n_items=items, max_length=int(column.lengths.max()), avg_length=average
    ) == GENERATED[name].measured  # fmt: skip


@pytest.mark.long
@pytest.mark.data
def test_the_longitudinal_data_have_the_characteristics_of_their_card(data_folder: object) -> None:
    table = generate("longitudinal")
    assert Shape(n=table.n) == GENERATED["longitudinal"].measured
    persons = set(zip(*(column.labels() for column in table.ids), strict=True))
    assert f"{len(persons):,} individuals" in GENERATED["longitudinal"].made
