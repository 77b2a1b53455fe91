"""Raw files of more programs are published by following the printed advice, and the output shows no name."""

import re
from pathlib import Path

import pytest

from followed.follow import follow, judge
from followed.more_raw_files import MORE_RAW_FILES

pytestmark = [pytest.mark.compiled, pytest.mark.long]


@pytest.mark.parametrize("name", ["us_claims", "german_cases", "library", "workbook", "visits_as_json", "nameless"])
def test_the_file_is_published_with_persons_grouped(tmp_path: Path, name: str) -> None:
    if name == "workbook":
        pytest.importorskip("openpyxl", reason="of the group test")
    raw = MORE_RAW_FILES[name](120, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    assert sum(code != 0 for code in way.codes) <= 1  # a rejection, with a message that names the option
    judgement = judge(raw, way.published)
    assert (judgement.smallest_class >= 5, judgement.persons_below_k, judgement.secrets) == (True, 0, ())
    shown = set(re.split(r"[\s,;()'\"]+", "\n".join(way.printed)))
    assert raw.secrets & shown == set()
