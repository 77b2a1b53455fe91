"""Nobody who follows what is printed, word by word, publishes fewer than k persons a class, or a name."""

from pathlib import Path

import pytest

from followed.follow import follow, judge
from followed.raw_files import RAW_FILES

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("name", ["german_diagnoses", "crosses"])
def test_what_is_published_holds_persons_together(tmp_path: Path, name: str) -> None:
    raw = RAW_FILES[name](120, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    found = judge(raw, way.published)
    assert (found.smallest_class >= 5, found.persons_below_k, found.secrets) == (True, 0, ())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("prescriptions", "take it out"),
        ("spoilt_numbers", "export the file anew"),
        ("cases_of_named", "better with a column that numbers the persons as id"),
        ("visits_without_ids", "better with a column that numbers the persons as id"),
    ],
)
def test_what_cannot_be_read_as_meant_ends_with_a_line(tmp_path: Path, name: str, said: str) -> None:
    way = follow(tmp_path, RAW_FILES[name](250, 7))
    assert (way.published, way.codes[-1], way.printed[-1].count("\n")) == (None, 2, 1)
    assert said in way.printed[-1]
