"""Raw files with misleading values are published at the first attempt, and no person is singled out."""

import re
from pathlib import Path

import pytest

from followed.follow import follow, judge, run
from followed.odd_raw_files import ODD_RAW_FILES, bookings

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("name", ODD_RAW_FILES)
def test_the_proposal_is_published_at_the_first_try(tmp_path: Path, name: str) -> None:
    raw = ODD_RAW_FILES[name](150, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    assert set(way.codes) == {0}
    judgement = judge(raw, way.published)
    assert (judgement.smallest_class >= 5, judgement.persons_below_k, judgement.secrets, judgement.clear) == (
        True,
        0,
        (),
        (),
    )
    shown = set(re.split(r"[\s,;()'\"]+", "\n".join(way.printed)))
    assert raw.secrets & shown == set()


def test_no_full_date_is_published_if_rows_are_persons(tmp_path: Path) -> None:
    raw = bookings(150, 7)
    way = follow(tmp_path, raw, unit="row")
    assert way.published is not None, way.printed[-1]
    text = "".join(path.read_text() for path in way.published.glob("*.csv"))
    assert re.search(r"\d\d/\d\d/\d{4}", text) is None


def test_the_answers_contain_the_person(tmp_path: Path) -> None:
    for name, make in ODD_RAW_FILES.items():
        raw = make(150, 7)
        (tmp_path / raw.name).write_bytes(raw.content)
        code, printed = run(tmp_path, f"anonset inspect {raw.name}")
        assert code == 0, printed
        asks_for_unit = "Which rows belong to a person?" in printed
        assert (f'unit = "{raw.unit}"' in printed) == asks_for_unit, name
