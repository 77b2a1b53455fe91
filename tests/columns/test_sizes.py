"""Layouts of files as people keep them: the true person is offered first, and roles do not depend on the row count."""

import pytest
from tests.columns.layouts import CORPUS, read_file
from tests.columns.tables import write

import anonset

LAYOUTS = read_file(CORPUS / "rules" / "field_files.toml")[0]


@pytest.mark.long
@pytest.mark.parametrize("layout", LAYOUTS, ids=[layout.name for layout in LAYOUTS])
def test_the_roles_of_a_layout_are_equal_for_few_and_many_rows(tmp_path, layout):
    roles = []
    for n in (200, 1_000):
        found = anonset.inspect(str(write(layout, tmp_path, n, 1)), unit=layout.unit)
        roles.append({column.profile.name: column.role for column in found.columns})
    assert roles[0] == roles[1]


@pytest.mark.long
@pytest.mark.parametrize("layout", [one for one in LAYOUTS if "repeats" in one.traits], ids=lambda layout: layout.name)
def test_the_true_person_is_offered_first(tmp_path, layout):
    question = anonset.inspect(str(write(layout, tmp_path, 1_000, 1))).question
    assert question is not None
    assert str(question.answers[0].unit) == layout.person
