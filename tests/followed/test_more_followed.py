"""Raw files of more programs reach a publication by what is printed, word by word, and no line shows a name."""

import re
from pathlib import Path

import pytest

from followed.follow import follow, judge
from followed.more_raw_files import MORE_RAW_FILES

pytestmark = [pytest.mark.compiled, pytest.mark.long]


@pytest.mark.parametrize("name", ["us_claims", "german_cases", "library", "workbook", "visits_as_json", "nameless"])
def test_it_is_published_and_holds_persons_together(tmp_path: Path, name: str) -> None:
    if name == "workbook":
        pytest.importorskip("openpyxl", reason="of the group test")
    raw = MORE_RAW_FILES[name](120, 7)
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    assert sum(code != 0 for code in way.codes) <= 1  # one rejection, whose message names the option
    found = judge(raw, way.published)
    assert (found.smallest_class >= 5, found.persons_below_k, found.secrets) == (True, 0, ())
    shown = set(re.split(r"[\s,;()'\"]+", "\n".join(way.printed)))
    assert raw.secrets & shown == set()
