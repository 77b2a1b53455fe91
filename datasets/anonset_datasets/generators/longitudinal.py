"""Longitudinal data set similar to that of Al Bouna, Clifton and Malluhi, DBSec 2013, section 8.1.

The real data UCI Adult (in the folder ``ANONSET_DATA``) are joined with a synthetic voter list. Every individual has
several tuples, as if from several censuses, and usually a single occupation.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, Table, Vocabulary
from anonset.data.array_types import Float64, Int32, Int64
from anonset.errors import InputError
from anonset_datasets.catalogue import VARIABLE, path
from anonset_datasets.generators.checks import count, integer, number
from anonset_datasets.generators.missions import Stream

CENSUS = 1994
"""Year of the Adult data, used for the oldest tuple of each individual."""
MISSING = "?"
"""Value in Adult that represents a missing occupation."""
NOT_STATED = "not stated"
"""Occupation of these tuples. Models of buckets reject missing sensitive values, so the value has a name."""
_KEPT = ("age", "workclass", "education", "marital-status", "relationship", "race", "sex", "native-country", "income")
_DROPPED = ("fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_NAMES = "names/us_census1990_{}_names.csv.gz"


def longitudinal(individuals: int = 21_201, moving: float = 0.1, missing: str = "value", seed: int = 0) -> Table:
    """Join the Adult data with a synthetic voter list. Ids are ``first_name`` and ``last_name``, and ``occupation`` is
    sensitive.

    An individual has two or more tuples with the same sex, at any positions in the file. Rows have the same order as in
    Adult. No two individuals have the same first and last name. All tuples of an individual have the same occupation,
    except for tuples that are assigned at random (`moving`). The table contains attributes of Adult, and ``birth_year``
    and ``gender`` from the voter list.

    Parameters
    ----------
    individuals
        Number of individuals (>= 2, at most about half the number of tuples).
    moving
        Share of the tuples that are assigned to individuals at random, independently of their occupation, in [0, 1].
    missing
        Treatment of the 2,809 tuples without occupation: ``value`` uses ``not stated`` as an occupation, and ``drop``
        removes these tuples.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range, or the real data cannot be found.
    """
    count("individuals", individuals, 2)
    number("moving", moving, 0, 1)
    integer("seed", seed, 0)
    if missing not in ("value", "drop"):
        raise InputError(f"missing must be 'value' or 'drop', got {missing!r}")
    adult = _adult(drop=missing == "drop")
    occupation, sex = adult.sensitive, next(column for column in adult.kept if column.name == "sex")
    if occupation is None or 2 * individuals > adult.n:
        msg = f"individuals must be at most {adult.n // 2:,}, half the number of tuples, got {individuals:,}"
        raise InputError(msg)
    person, sex_of = _deal(occupation.codes, sex.codes, individuals, moving, seed)
    first, last = _names(sex_of, tuple(sex.vocabulary.labels), seed)
    ids = tuple(CategoricalColumn(name.name, name.codes[person], name.vocabulary) for name in (first, last))
    age = adult.kept[0]
    years = np.array(age.vocabulary.labels, np.int64)[age.codes]
    oldest = np.zeros(individuals, np.int64)
    np.maximum.at(oldest, person, years)
    born = CategoricalColumn.of("birth_year", map(str, (CENSUS - oldest)[person].tolist()))
    gender = CategoricalColumn("gender", sex.codes, sex.vocabulary)
    kept = (born, gender, *adult.kept)
    order = tuple(column.name for column in (*kept, occupation))
    return Table(sensitive=occupation, ids=ids, kept=kept, order=order)


def _adult(*, drop: bool) -> Table:
    """Read Adult with occupation as its sensitive column. If `drop` is True, rows without an occupation are removed."""
    from anonset.reading.read import read

    table = read(path("adult"), sensitive="occupation", keep=_KEPT, drop=_DROPPED)
    if table.sensitive is None:
        return table
    if not drop:
        labels = (NOT_STATED if label == MISSING else label for label in table.sensitive.labels())
        return replace(table, sensitive=CategoricalColumn.of("occupation", labels))
    known = np.flatnonzero(table.sensitive.codes != table.sensitive.vocabulary.index[MISSING])
    return Table(sensitive=table.sensitive.take(known), kept=tuple(column.take(known) for column in table.kept))


def _deal(occupation: Int32, sex: Int32, individuals: int, moving: float, seed: int) -> tuple[Int64, Int64]:
    """Assign the tuples to individuals.

    Returns
    -------
    int64 (n,), int64 (individuals,)
        Individual of each tuple, and sex of each individual.
    """
    stream = Stream(seed, 1)
    women = np.flatnonzero(sex == 0)
    men = np.flatnonzero(sex == 1)
    share = round(individuals * len(women) / len(sex))
    n_women = min(max(share, individuals - len(men) // 2, 1), len(women) // 2)
    person = np.zeros(len(sex), np.int64)
    begin = 0
    for rows, size in ((women, n_women), (men, individuals - n_women)):
        more = (stream.uniform(len(rows) - 2 * size) * size).astype(np.int64)
        counts = 2 + np.bincount(more, minlength=size)
        mixed = rows[stream.permutation(len(rows))]
        dealt = mixed[np.argsort(occupation[mixed], kind="stable")]
        moved = stream.permutation(len(rows))[: round(moving * len(rows))]
        dealt[np.sort(moved)] = dealt[moved]
        person[dealt] = np.repeat(np.arange(begin, begin + size), counts)
        begin += size
    return person, np.repeat([0, 1], [n_women, individuals - n_women]).astype(np.int64)


def _names(sex: Int64, labels: tuple[str, ...], seed: int) -> tuple[CategoricalColumn, CategoricalColumn]:
    """Draw a first and a last name for each individual, by frequency. No two individuals have the same full name."""
    last_names, last_below = _frequencies("last")
    found = {code: _frequencies(f"{labels[code].lower()}_first") for code in (0, 1)}
    firsts = Vocabulary.of([*found[0][0], *found[1][0]])
    image = {code: np.array([firsts.index[name] for name in names]) for code, (names, _) in found.items()}
    pair = np.full(len(sex), -1, np.int64)
    unnamed, attempt = np.arange(len(sex)), 0
    while len(unnamed):
        attempt += 1
        stream = Stream(seed, 2, attempt)
        first = stream.uniform(len(unnamed))
        last = np.searchsorted(last_below, stream.uniform(len(unnamed)), side="right")
        for code, (_, below) in found.items():
            own = sex[unnamed] == code
            pair[unnamed[own]] = image[code][np.searchsorted(below, first[own], side="right")]
        pair[unnamed] = pair[unnamed] * len(last_names) + last
        kept = np.unique(pair, return_index=True)[1]
        unnamed = np.setdiff1d(np.arange(len(sex)), kept)
    first_code, last_code = np.divmod(pair, len(last_names))
    return (
        CategoricalColumn("first_name", first_code.astype(np.int32), firsts),
        CategoricalColumn("last_name", last_code.astype(np.int32), Vocabulary(last_names)),
    )


def _frequencies(which: str) -> tuple[tuple[str, ...], Float64]:
    """Return names in canonical order, and their cumulative probabilities."""
    from anonset.reading.read import read

    source = Path(os.environ.get(VARIABLE, "")) / _NAMES.format(which)
    table = read(
        source, keep="name", relational="freq_percent", numeric="freq_percent", drop=["cum_freq_percent", "rank"]
    )
    name, percent = table.kept[0], table.relational[0]
    if not isinstance(percent, NumericColumn):
        raise InputError(f"{source}: column 'freq_percent' must contain numbers")
    weights = np.zeros(len(name.vocabulary))
    weights[name.codes] = percent.values
    below: Float64 = np.cumsum(weights / weights.sum())
    below[-1] = 1.0
    return tuple(name.vocabulary.labels), below
