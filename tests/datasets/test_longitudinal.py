import gzip
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.algorithms.buckets.anatomy import Anatomy
from anonset.data import Table
from anonset.errors import InputError
from anonset_datasets.catalogue import load
from anonset_datasets.generators.longitudinal import longitudinal


@pytest.fixture(scope="module")
def table() -> Table:
    return longitudinal()


def tuples_of(table: Table) -> dict[tuple[str, ...], list[int]]:
    result = defaultdict(list)
    for row, identity in enumerate(zip(*(column.labels() for column in table.ids), strict=True)):
        result[identity].append(row)
    return result


@pytest.mark.long
@pytest.mark.data
def test_has_the_shape_that_the_paper_describes(table: Table) -> None:
    individuals = tuples_of(table)
    assert (table.n, len(individuals)) == (48_842, 21_201)
    counts = Counter(map(len, individuals.values()))
    assert min(counts) == 2
    assert sum(count for tuples, count in counts.items() if tuples >= 3) > 4_000
    assert [column.name for column in table.ids] == ["first_name", "last_name"]


@pytest.mark.long
@pytest.mark.data
def test_individuals_keep_their_occupation_mostly(table: Table) -> None:
    assert table.sensitive is not None
    occupation = table.sensitive.labels()
    same = [Counter(occupation[row] for row in rows).most_common(1)[0][1] for rows in tuples_of(table).values()]
    assert 0.88 < sum(same) / table.n < 0.95
    assert sum(same) == pytest.approx(0.9 * table.n, rel=0.03)


@pytest.mark.long
@pytest.mark.data
def test_the_voter_list_agrees_with_the_tuples(table: Table) -> None:
    columns = {column.name: column.labels() for column in table.kept}
    assert columns["gender"] == columns["sex"]
    for rows in list(tuples_of(table).values())[:2_000]:
        assert {columns["birth_year"][row] for row in rows} == {
            str(1994 - max(int(columns["age"][row]) for row in rows))
        }
        assert len({columns["sex"][row] for row in rows}) == 1


@pytest.mark.long
@pytest.mark.data
def test_rows_equal_adult_in_order(table: Table) -> None:
    adult = {column.name: column for column in load("adult").relational}
    for column in table.kept:
        if column.name in ("workclass", "education", "sex"):
            assert column.labels() == adult[column.name].labels()  # type: ignore[union-attr]
    assert table.sensitive is not None
    occupations = adult["occupation"].labels()  # type: ignore[union-attr]
    assert table.sensitive.labels() == ["not stated" if label == "?" else label for label in occupations]


@pytest.mark.data
@pytest.mark.long
def test_missing_occupations_are_a_value_or_dropped() -> None:
    complete, dropped = longitudinal(1_000), longitudinal(1_000, missing="drop")
    assert complete.sensitive is not None
    assert dropped.sensitive is not None
    assert Counter(complete.sensitive.labels())["not stated"] == 2_809
    assert not {"?", "not stated"} & set(dropped.sensitive.labels())
    assert (dropped.n, len(tuples_of(dropped))) == (46_033, 1_000)


@pytest.mark.data
@pytest.mark.long
def test_equal_seeds_generate_equal_data() -> None:
    first, repeated, other = longitudinal(3_000, seed=5), longitudinal(3_000, seed=5), longitudinal(3_000, seed=6)
    for column, two in zip(first.columns, repeated.columns, strict=True):
        assert column.name == two.name
        assert np.array_equal(column.codes, two.codes)  # type: ignore[union-attr]
    assert not np.array_equal(first.ids[1].codes, other.ids[1].codes)


@pytest.mark.data
@pytest.mark.parametrize("individuals", [pytest.param(2, marks=pytest.mark.long), 24_421])
def test_any_number_of_individuals_that_can_have_two_tuples_each(individuals: int) -> None:
    result = tuples_of(longitudinal(individuals, moving=1.0))
    assert len(result) == individuals
    assert min(map(len, result.values())) >= 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"individuals": 1}, "individuals 2 1"),
        ({"moving": 1.5}, "moving 0 1 1.5"),
        ({"seed": -1}, "seed 0 -1"),
        ({"missing": "guess"}, "missing value drop guess"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, int | float | str], message: str) -> None:
    with refused(InputError, message):
        longitudinal(**parameters)  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.data
def test_too_many_individuals_are_refused() -> None:
    with refused(InputError, "individuals 24,421 24,422"):
        longitudinal(24_422)


def test_missing_real_data_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANONSET_DATA", raising=False)
    with refused(InputError, "ANONSET_DATA"):
        longitudinal()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a data folder with 40 invented rows in the format of Adult, and short lists of names."""
    columns = [
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
    ]
    columns += ["race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]
    rows = [",".join(columns)]
    for n in range(40):
        adult_row = {
            "age": str(20 + n),
            "occupation": "?" if n % 10 == 0 else f"o{n % 3}",
            "sex": ("Female", "Male")[n % 2],
        }
        rows.append(",".join(adult_row.get(name, "1") for name in columns))
    (tmp_path / "relational").mkdir()
    (tmp_path / "relational" / "adult.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / "names").mkdir()
    for which in ("last", "female_first", "male_first"):
        lines = ["name,freq_percent,cum_freq_percent,rank"] + [f"{which}{n},{n + 1},0,{n}" for n in range(6)]
        with gzip.open(tmp_path / "names" / f"us_census1990_{which}_names.csv.gz", "wt") as file:
            file.write("\n".join([*lines, ""]))
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path))
    monkeypatch.setattr(
        "anonset_datasets.generators.longitudinal.path", lambda _: tmp_path / "relational" / "adult.csv"
    )


@pytest.mark.usefixtures("small")
def test_tuples_are_distributed_to_individuals_of_the_same_sex() -> None:
    made = longitudinal(10)
    columns = {column.name: column.labels() for column in made.kept}
    individuals = tuples_of(made)
    assert (made.n, len(individuals)) == (40, 10)
    for rows in individuals.values():
        assert len(rows) >= 2
        assert len({columns["sex"][row] for row in rows}) == 1
        assert {columns["birth_year"][row] for row in rows} == {str(1994 - max(int(columns["age"][r]) for r in rows))}
    assert columns["gender"] == columns["sex"]


@pytest.mark.usefixtures("small")
def test_buckets_accept_a_missing_occupation_as_a_value() -> None:
    made = longitudinal(10)
    assert made.sensitive is not None
    assert made.sensitive.labels().count("not stated") == 4
    assert len(Anatomy(l=2, seed=0).recode(made, {}).recoding.group) == 40


@pytest.mark.usefixtures("small")
def test_tuples_without_occupation_are_dropped_on_request() -> None:
    made = longitudinal(10, missing="drop")
    assert made.sensitive is not None
    assert (made.n, set(made.sensitive.labels())) == (36, {"o0", "o1", "o2"})


@pytest.mark.usefixtures("small")
def test_more_individuals_than_tuples_allow_are_refused() -> None:
    with refused(InputError, "individuals 20 21"):
        longitudinal(21)
