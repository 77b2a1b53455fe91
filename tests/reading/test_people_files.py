"""Each realistic file is read with at most one option besides roles, which the error message names."""

import pytest
from tests.reading.people_exports import EXPORTS
from tests.reading.people_files import DIALECTS, SPREADSHEETS
from tests.reading.people_shapes import LINES, SHAPES

from anonset.errors import InputError
from anonset.reading.read import read
from anonset.spelling import as_options, setting, spelled_by

ALL = [*DIALECTS, *SPREADSHEETS, *LINES, *SHAPES, *EXPORTS]
READ = [people_file for people_file in ALL if not isinstance(people_file.expected, str)]


def write(folder, people_file):
    path = folder / people_file.name
    path.write_bytes(people_file.data if isinstance(people_file.data, bytes) else people_file.data.encode())
    return path


def refusal(path, roles):
    with spelled_by(as_options), pytest.raises(InputError) as error:
        read(path, **roles)
    return str(error.value)


def test_many_files_need_at_most_one_option():
    assert len(ALL) >= 90
    assert all(len(people_file.option) <= 1 for people_file in ALL)
    assert len({people_file.what for people_file in ALL}) == len(ALL)


@pytest.mark.parametrize("one", READ, ids=lambda people_file: people_file.what)
def test_a_file_is_read(tmp_path, one):
    table = read(write(tmp_path, one), **one.roles, **one.option)
    assert [sorted(row) for row in table.transactions.rows()] == one.expected


@pytest.mark.parametrize(
    "one",
    [people_file for people_file in READ if people_file.option and people_file.said != "-"],
    ids=lambda people_file: people_file.what,
)
def test_without_its_option_a_file_is_rejected_with_its_name(tmp_path, one):
    line = refusal(write(tmp_path, one), one.roles)
    with spelled_by(as_options):
        [(name, value)] = one.option.items()
        assert (one.said or setting(name, value)) in line


@pytest.mark.parametrize(
    "one",
    [people_file for people_file in ALL if isinstance(people_file.expected, str)],
    ids=lambda people_file: people_file.what,
)
def test_unreadable_files_are_rejected_in_one_line(tmp_path, one):
    line = refusal(write(tmp_path, one), {**one.roles, **one.option})
    assert one.expected in line
    assert "\n" not in line
