"""Each realistic file is read with at most one option besides roles, which the error message names."""

import pytest
from tests.reading.people_exports import EXPORTS
from tests.reading.people_files import DIALECTS, SPREADSHEETS
from tests.reading.people_shapes import LINES, SHAPES

from anonset.errors import InputError
from anonset.reading import read
from anonset.spelling import setting, spell_options

ALL = [*DIALECTS, *SPREADSHEETS, *LINES, *SHAPES, *EXPORTS]
READ = [one for one in ALL if not isinstance(one.expected, str)]


def write(folder, one):
    path = folder / one.name
    path.write_bytes(one.data if isinstance(one.data, bytes) else one.data.encode())
    return path


def refusal(path, roles):
    with spell_options(), pytest.raises(InputError) as error:
        read(path, **roles)
    return str(error.value)


def test_many_files_need_at_most_one_option():
    assert len(ALL) >= 90
    assert all(len(one.option) <= 1 for one in ALL)
    assert len({one.what for one in ALL}) == len(ALL)


@pytest.mark.parametrize("one", READ, ids=lambda one: one.what)
def test_a_file_is_read(tmp_path, one):
    table = read(write(tmp_path, one), **one.roles, **one.option)
    assert [sorted(row) for row in table.transactions.rows()] == one.expected


@pytest.mark.parametrize("one", [one for one in READ if one.option and one.said != "-"], ids=lambda one: one.what)
def test_without_its_option_a_file_is_rejected_with_its_name(tmp_path, one):
    line = refusal(write(tmp_path, one), one.roles)
    with spell_options():
        [(name, value)] = one.option.items()
        assert (one.said or setting(name, value)) in line


@pytest.mark.parametrize("one", [one for one in ALL if isinstance(one.expected, str)], ids=lambda one: one.what)
def test_unreadable_files_are_rejected_in_one_line(tmp_path, one):
    line = refusal(write(tmp_path, one), {**one.roles, **one.option})
    assert one.expected in line
    assert "\n" not in line
