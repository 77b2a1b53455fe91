"""Layouts whose items are in several columns: all of these columns are proposed as items."""

import pytest
from tests.columns.errors import SETS
from tests.columns.layouts import CORPUS, read_file
from tests.columns.tables import write

import anonset

LAYOUTS = read_file(CORPUS / "rules" / "lost_items.toml")[0]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_column_of_items_is_lost(layout, tmp_path):
    found = anonset.inspect(str(write(layout, tmp_path, 400, 1)), unit=layout.unit)
    roles = {column.profile.name: column.role for column in found.columns}
    assert {one.header: roles[one.header] in SETS for one in layout.columns} == {
        one.header: one.role == "items" for one in layout.columns
    }
