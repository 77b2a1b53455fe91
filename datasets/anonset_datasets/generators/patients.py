"""Demonstration data of a small hospital. Patients have age, sex, ICD-10 codes and prescriptions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset_datasets.generators.checks import count, integer
from anonset_datasets.generators.missions import BLOCK, Mission, Stream, draw, join, lognormal_lengths, zipf

DIAGNOSES: dict[str, dict[str, tuple[str, ...]]] = {
    "C00-D49": {
        "C15-C26": ("C18", "C20", "C25"),
        "C30-C39": ("C34",),
        "C50-C63": ("C50", "C56", "C61"),
        "C81-C96": ("C83", "C90", "C92"),
    },
    "E00-E89": {
        "E00-E07": ("E03", "E04", "E05"),
        "E08-E13": ("E10", "E11", "E13"),
        "E65-E68": ("E66",),
        "E70-E88": ("E78", "E86", "E87"),
    },
    "F01-F99": {
        "F10-F19": ("F10", "F11", "F17"),
        "F20-F29": ("F20", "F25"),
        "F30-F39": ("F31", "F32", "F33"),
        "F40-F48": ("F41", "F43"),
    },
    "I00-I99": {
        "I10-I16": ("I10", "I11", "I13"),
        "I20-I25": ("I20", "I21", "I25"),
        "I30-I52": ("I35", "I48", "I50"),
        "I60-I69": ("I61", "I63", "I69"),
    },
    "J00-J99": {
        "J09-J18": ("J10", "J15", "J18"),
        "J40-J47": ("J44", "J45", "J47"),
        "J90-J99": ("J90", "J96"),
    },
    "K00-K95": {
        "K20-K31": ("K21", "K25", "K29"),
        "K35-K38": ("K35",),
        "K50-K64": ("K50", "K51", "K57"),
        "K70-K87": ("K70", "K80", "K85"),
    },
    "M00-M99": {
        "M05-M19": ("M06", "M16", "M17"),
        "M40-M54": ("M48", "M51", "M54"),
        "M80-M85": ("M80", "M81"),
    },
    "N00-N99": {
        "N17-N19": ("N17", "N18"),
        "N20-N39": ("N20", "N39"),
        "N40-N53": ("N40",),
    },
    "O00-O9A": {
        "O09-O29": ("O14", "O24"),
        "O60-O82": ("O60", "O80", "O82"),
    },
    "S00-T88": {
        "S00-S49": ("S06", "S22", "S42"),
        "S50-S99": ("S52", "S72", "S82"),
        "T36-T50": ("T40", "T42"),
    },
}
"""Selected ICD-10 categories by chapter and block of the international classification."""

DRUGS: dict[str, dict[str, tuple[str, ...]]] = {
    "alimentary": {"acid": ("omeprazole", "pantoprazole"), "diabetes": ("metformin", "insulin")},
    "heart": {
        "diuretics": ("furosemide", "torasemide"),
        "beta_blockers": ("metoprolol", "bisoprolol"),
        "ace_inhibitors": ("ramipril", "candesartan"),
        "lipids": ("simvastatin", "atorvastatin"),
    },
    "infections": {
        "antibiotics": ("amoxicillin", "cefuroxime"),
        "antivirals": ("emtricitabine", "oseltamivir"),
    },
    "nerves": {
        "pain": ("ibuprofen", "metamizole", "oxycodone"),
        "psychosis": ("quetiapine", "olanzapine"),
        "depression": ("citalopram", "mirtazapine"),
    },
    "lungs": {"asthma": ("salbutamol", "budesonide")},
}
"""Selected substances by group of the anatomical classification (ATC)."""


@dataclass(frozen=True)
class _Profile:
    """Profile of a kind of patient: typical combination of codes, and share of women."""

    groups: tuple[str, ...]
    """Groups of the hierarchy. Items of the first group are the most frequent."""
    popularity: float
    ages: tuple[int, int]
    women: float
    """Share of women."""


_PATIENTS = (
    _Profile(("E08-E13", "I10-I16", "E70-E88", "E65-E68"), 22, (38, 88), 0.46),
    _Profile(("I20-I25", "I30-I52", "I10-I16", "N17-N19"), 20, (52, 94), 0.42),
    _Profile(("J40-J47", "J09-J18", "F10-F19"), 12, (4, 86), 0.47),
    _Profile(("M05-M19", "M40-M54", "M80-M85"), 11, (34, 90), 0.62),
    _Profile(("S50-S99", "S00-S49"), 9, (3, 95), 0.48),
    _Profile(("K20-K31", "K70-K87", "K50-K64"), 9, (18, 85), 0.5),
    _Profile(("O60-O82", "O09-O29"), 6, (17, 44), 1.0),
    _Profile(("F30-F39", "F40-F48", "T36-T50"), 5, (15, 79), 0.63),
    _Profile(("C50-C63", "C15-C26", "C30-C39", "C81-C96"), 5, (39, 91), 0.52),
    _Profile(("N20-N39", "N40-N53"), 3, (21, 89), 0.35),
    _Profile(("F20-F29", "F10-F19"), 2, (18, 68), 0.4),
    _Profile(("E00-E07", "K35-K38", "I60-I69", "J90-J99"), 4, (8, 92), 0.6),
)
_PRESCRIBED = (
    _Profile(("beta_blockers", "ace_inhibitors", "lipids", "diuretics"), 40, (45, 94), 0.46),
    _Profile(("diabetes", "lipids", "acid"), 20, (38, 88), 0.46),
    _Profile(("pain", "acid", "antibiotics"), 20, (6, 90), 0.54),
    _Profile(("asthma", "antibiotics", "antivirals"), 12, (4, 86), 0.47),
    _Profile(("depression", "psychosis"), 8, (16, 79), 0.6),
)
_LONGEST = 5


def hospital_hierarchy() -> Hierarchy:
    """Return the hierarchy of the hospital's codes. Its levels are category, block, chapter and all codes.

    >>> hierarchy = hospital_hierarchy()
    >>> [hierarchy.labels[v] for v in hierarchy.ancestors(hierarchy.node_of["E11"])]
    ['E08-E13', 'E00-E89', 'ICD-10']
    """
    return _tree("ICD-10", DIAGNOSES)


def drug_hierarchy() -> Hierarchy:
    """Return the hierarchy of the hospital's drugs. Its levels are substance, therapeutic group, main group and all
    drugs.

    >>> hierarchy = drug_hierarchy()
    >>> [hierarchy.labels[v] for v in hierarchy.ancestors(hierarchy.node_of["metformin"])]
    ['diabetes', 'alimentary', 'drugs']
    """
    return _tree("drugs", DRUGS)


def hospital(n: int = 2_000, seed: int = 0) -> Table:
    """Generate patients of a hospital: ``age``, ``sex``, and ``codes``, a set of ICD-10 categories.

    As in reality, combinations of codes depend on age and sex. No patient is real. A smaller table is a prefix of a
    larger table.

    Parameters
    ----------
    n
        Number of patients (0 gives an empty table).
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = hospital(3)
    >>> table.n, [column.name for column in table.columns]
    (3, ['age', 'sex', 'codes'])
    """
    indptr, items, persons = _drawn(n, seed, DIAGNOSES, hospital_hierarchy(), _PATIENTS)
    codes = SetColumn("codes", indptr, items, hospital_hierarchy().leaves)
    return Table(codes, relational=persons, order=("age", "sex", "codes"))


def prescriptions(n: int = 1_000, seed: int = 0) -> Table:
    """Generate prescriptions with the columns ``patient``, ``drug`` (sensitive) and ``age``. Each row is a drug of a
    patient.

    Parameters
    ----------
    n
        Number of patients, each with one to five rows.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> [column.name for column in prescriptions(3).columns]
    ['patient', 'drug', 'age']
    """
    indptr, items, (age, _) = _drawn(n, seed, DRUGS, drug_hierarchy(), _PRESCRIBED)
    patient = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    names = Vocabulary(tuple(f"pt-{number:06}" for number in range(n)))
    drugs = drug_hierarchy().leaves
    in_turn = Stream(seed, 4).permutation(len(items))  # rows of a patient are not adjacent
    return Table(
        ids=(CategoricalColumn("patient", patient[in_turn], names),),
        kept=(CategoricalColumn.of("age", map(str, age.take(patient[in_turn]).values.tolist())),),
        sensitive=CategoricalColumn("drug", items[in_turn], drugs),
        order=("patient", "drug", "age"),
    )


def _tree(root: str, parts: dict[str, dict[str, tuple[str, ...]]]) -> Hierarchy:
    return Hierarchy.from_tree((root, [(name, list(groups.items())) for name, groups in parts.items()]))


def _drawn(
    n: int, seed: int, tree: dict[str, dict[str, tuple[str, ...]]], hierarchy: Hierarchy, profiles: tuple[_Profile, ...]
) -> tuple[Int64, Int32, tuple[NumericColumn, CategoricalColumn]]:
    count("n", n, 0)
    integer("seed", seed, 0)
    lengths = lognormal_lengths(2.6, _LONGEST, 0.6)
    missions = [_mission(tree, hierarchy, profile) for profile in profiles]
    drawn = list(draw(n, hierarchy.n_leaves, lengths, missions, seed))
    indptr, items = join([(ptr, codes) for ptr, codes, _ in drawn])
    kind = np.concatenate([np.zeros(0, np.int64), *(which for _, _, which in drawn)])
    return indptr, items, _persons(n, seed, kind, profiles)


def _mission(tree: dict[str, dict[str, tuple[str, ...]]], hierarchy: Hierarchy, profile: _Profile) -> Mission:
    """Return the mission of a profile. It draws mostly items of the profile's groups, and sometimes another item."""
    index = hierarchy.leaves.index
    groups = {name: items for part in tree.values() for name, items in part.items()}
    weights = np.full(hierarchy.n_leaves, 0.0)
    anything = [
        index[item] for part in tree.values() if part.keys() & set(profile.groups) for g in part.values() for item in g
    ]
    weights[anything] = 0.002
    for rank, name in enumerate(profile.groups):
        weights[[index[item] for item in groups[name]]] = zipf(len(groups[name]), 1.0, 0.0) / (rank + 1)
    items = np.flatnonzero(weights).astype(np.int32)
    return Mission(items, weights[items], profile.popularity, 1, min(_LONGEST, len(items) - 1))


def _persons(n: int, seed: int, kind: Int64, profiles: tuple[_Profile, ...]) -> tuple[NumericColumn, CategoricalColumn]:
    uniform = [
        np.concatenate([np.zeros(0), *(Stream(seed, 3, at, which).uniform(BLOCK) for at in range(-(-n // BLOCK)))])
        for which in (0, 1, 2)
    ]
    first, last = (np.array([profile.ages[end] for profile in profiles])[kind] for end in (0, 1))
    middle = (uniform[0][:n] + uniform[1][:n]) / 2  # ages at both ends of the range are less frequent
    age: NDArray[np.int64] = (first + middle * (last - first + 1)).astype(np.int64)
    women = np.array([profile.women for profile in profiles])[kind]
    sex = np.where(uniform[2][:n] < women, 0, 1).astype(np.int32)
    return NumericColumn("age", age), CategoricalColumn("sex", sex, Vocabulary(("f", "m")))
