"""Linked tables of a small hospital: patients, their visits, and the diagnoses and drugs of each visit."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.array_types import Float64, Int32, Int64
from anonset_datasets.generators.missions import Stream
from anonset_datasets.generators.patients import DIAGNOSES, DRUGS, hospital

_PRESCRIBED_FOR = {
    "C00-D49": ("pain", "acid"),
    "E00-E89": ("diabetes", "lipids"),
    "F01-F99": ("psychosis", "depression"),
    "I00-I99": ("diuretics", "beta_blockers", "ace_inhibitors", "lipids"),
    "J00-J99": ("asthma", "antibiotics"),
    "K00-K95": ("acid", "antibiotics"),
    "M00-M99": ("pain", "acid"),
    "N00-N99": ("antibiotics", "diuretics"),
    "O00-O9A": ("pain",),
    "S00-T88": ("pain", "antibiotics"),
}
"""Groups of drugs for the diagnoses of a chapter."""
_YEAR, _FIRST_PATIENT, _FIRST_VISIT = 2024, 100_000, 5_000_000
_MOST_VISITS = 4
_AGAIN, _PRESCRIBED = 0.3, 0.7
"""Share of the diagnoses that a later visit repeats, and share of the diagnoses with a drug."""


def hospital_tables(n: int = 2_000, seed: int = 0) -> dict[str, Table]:
    """Generate linked tables of a hospital: ``patients`` (``patient_id``, ``birth_year``, ``sex``), ``visits``
    (``visit_id``, ``patient_id``, ``admitted``), ``diagnoses`` (``visit_id``, ``code``) and ``drugs`` (``visit_id``,
    ``drug``, ``days``).

    The patients, and the distinct codes of each patient, are those of `hospital`. No patient is real.

    Parameters
    ----------
    n
        Number of patients (0 gives empty tables).
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> {name: [column.name for column in table.columns] for name, table in hospital_tables(3).items()}["diagnoses"]
    ['visit_id', 'code']
    """
    table = hospital(n, seed)
    age, sex, codes = *table.relational, table.transactions
    assert isinstance(age, NumericColumn) and isinstance(sex, CategoricalColumn) and codes is not None  # noqa: PT018
    patient_id = _FIRST_PATIENT + Stream(seed, 5).permutation(n)
    visits = 1 + (Stream(seed, 6).uniform(n) * _MOST_VISITS).astype(np.int64)
    patient = np.repeat(np.arange(n), visits)
    admitted = (Stream(seed, 7).uniform(len(patient)) * 366).astype(np.int64)
    place = np.argsort(admitted, kind="stable")  # visits are numbered by day
    number = np.empty(len(place), np.int64)
    number[place] = _FIRST_VISIT + np.arange(len(place))

    owner = np.repeat(np.arange(n), np.diff(codes.indptr))
    first_visit = np.cumsum(visits) - visits
    u, again = Stream(seed, 8).uniform(len(owner)), Stream(seed, 9).uniform(len(owner)) < _AGAIN
    visit = number[first_visit[owner] + (u * visits[owner]).astype(np.int64)]
    repeated = number[first_visit[owner] + visits[owner] - 1]
    of_visit, code = np.concatenate([visit, repeated[again]]), np.concatenate([codes.items, codes.items[again]])

    prescribed = Stream(seed, 10).uniform(len(of_visit)) < _PRESCRIBED
    drug = _drugs(code[prescribed], codes.vocabulary.labels, Stream(seed, 11).uniform(int(prescribed.sum())))
    days = 1 + (Stream(seed, 12).uniform(len(drug)) * 14).astype(np.int64)
    born = _YEAR - age.values.astype(np.int64)
    day = [(date(_YEAR, 1, 1) + timedelta(after)).isoformat() for after in admitted[place].tolist()]
    diagnoses, given = np.argsort(of_visit, kind="stable"), np.argsort(of_visit[prescribed], kind="stable")
    return {
        "patients": _table({"patient_id": patient_id, "birth_year": born, "sex": sex.labels()}),
        "visits": _table({"visit_id": number[place], "patient_id": patient_id[patient[place]], "admitted": day}),
        "diagnoses": _table(
            {"visit_id": of_visit[diagnoses], "code": [codes.vocabulary.labels[c] for c in code[diagnoses].tolist()]}
        ),
        "drugs": _table({"visit_id": of_visit[prescribed][given], "drug": drug[given].tolist(), "days": days[given]}),
    }


def _drugs(codes: Int32, labels: Sequence[str], uniform: Float64) -> NDArray[np.str_]:
    """Return a drug for each diagnosis."""
    groups = {name: drugs for part in DRUGS.values() for name, drugs in part.items()}
    chapter_of = {code: chapter for chapter, part in DIAGNOSES.items() for block in part.values() for code in block}
    choices = [
        np.array([drug for group in _PRESCRIBED_FOR[chapter_of[label]] for drug in groups[group]]) for label in labels
    ]
    of_code = [choices[code] for code in codes.tolist()]
    drawn = [drugs[int(u * len(drugs))] for drugs, u in zip(of_code, uniform.tolist(), strict=True)]
    return np.array(drawn, dtype=np.str_)


def _table(columns: Mapping[str, Int64 | Sequence[str]]) -> Table:
    texts = {name: list(map(str, values)) for name, values in columns.items()}
    kept = tuple(CategoricalColumn.of(name, values) for name, values in texts.items())
    return Table(kept=kept, order=tuple(columns))
