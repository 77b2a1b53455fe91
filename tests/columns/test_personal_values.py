"""Values recognized as names of persons, and labels that are not names."""

from pathlib import Path

import pyarrow as pa
import pytest

from anonset.columns import personal_values as personal_values
from anonset.columns.mentions import free_text_in
from anonset.columns.personal_values import are_names, identifying

NAMES = (
    "Jürgen Müller|Juergen Meyer|JUERGEN OTT",
    "Małgorzata|Zoë|René",
    "Dr. Stein|Prof. Roth|Frau Lindner",
    "Lopez Garcia, Maria del Carmen|Ruiz, Pablo|Gil, Javier",
    "anna|paul|jens|xi|wei|li|bo|ng|yu|hu|tan|lim|goh|ho",
)
NO_NAMES = (
    "January|February|March|April|May|June|July|August|Jan|Jun",
    "Aloe vera|amber|crystal|jade|grace|rose|holly|iris|heather|jasmine rice|sherry|rosemary|lemon balm melissa",
    "San Antonio|Santa Clara|St. Louis|San Diego|São Paulo|Florence|Virginia|Victoria|Charlotte|Jordan",
    "Prof-specialty|Prof-school|Exec-managerial|Christian|MS Access|MS Excel|MS Word",
    "Ben carcinoid colon|Ben carcinoid jejunum|Ben carcinoid rectum|Down syndrome|Crohn disease",
)


@pytest.mark.parametrize("labels", NAMES)
def test_names_are_recognized_in_any_spelling(labels: str) -> None:
    assert are_names(labels.split("|"))
    assert identifying(labels.split("|")) == "name"


def test_single_surnames_are_names_unless_rare() -> None:
    surnames = ["Schmidt", "Hoffmann", "MÜLLER", "Krüger", "Lefèvre", "Unger", "Adler", "Xylander"]
    assert are_names(surnames)
    assert not are_names([*surnames, *(f"{surname}bach" for surname in surnames for _ in range(3))])
    trades = ["Bäcker", "Schneider", "Koch", "Müller", "Fischer", "Maurer", "Richter", "Gärtner", "Weber", "Schmied"]
    assert not are_names(trades)


@pytest.mark.parametrize("labels", NO_NAMES)
def test_months_goods_places_and_diseases_are_no_names(labels: str) -> None:
    assert not are_names(labels.split("|"))


@pytest.mark.parametrize("file", ["first_names.txt", "surnames.txt"])
def test_the_names_are_sorted_in_the_spelling_that_labels_are_compared_in(file: str) -> None:
    lines = (Path(personal_values.__file__).parent / "words" / file).read_text("ascii").splitlines()
    assert lines == sorted({line.lower() for line in lines})


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["call 07700 900123", "no show", "late"], [1]),
        (["0012345 0023456 A17", "0012345 B22"], []),  # codes with zeros
        (["E10 bergmann@example.org", "I10"], []),  # an item of its own, which the scan of items finds
    ],
)
def test_words_with_a_telephone_number_are_no_items(cells: list[str], found: list[int]) -> None:
    columns = {"notes": pa.chunked_array([pa.array(cells * 5)])}
    assert [mention.labels for mention in free_text_in(columns, " ")] == found
