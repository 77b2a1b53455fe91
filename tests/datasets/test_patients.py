from collections import Counter, defaultdict

import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.errors import InputError
from anonset_datasets.generators import drug_hierarchy, generate, hospital, hospital_hierarchy, prescriptions


def patients(table: Table) -> list[tuple[int, str, set[str]]]:
    age, sex = table.relational
    assert isinstance(age, NumericColumn)
    assert isinstance(sex, CategoricalColumn)
    assert table.transactions is not None
    return list(zip(age.values.tolist(), sex.labels(), map(set, table.transactions.rows()), strict=True))


def rows(table: Table) -> list[tuple[str, str, str]]:
    (patient,), (age,), drug = table.ids, table.kept, table.sensitive
    assert isinstance(drug, CategoricalColumn)
    return list(zip(patient.labels(), age.labels(), drug.labels(), strict=True))


@pytest.mark.long
def test_diagnoses_depend_on_age_and_sex() -> None:
    births = [(age, sex) for age, sex, codes in patients(hospital(4_000)) if codes & {"O80", "O82"}]
    assert len(births) > 50
    assert all(sex == "f" and 17 <= age <= 44 for age, sex in births)
    hearts = [age for age, _, codes in patients(hospital(4_000)) if "I50" in codes]
    assert min(hearts) >= 52 - 14  # also of other kinds of patients, but not of children
    assert Counter(sex for _, sex, _ in patients(hospital(4_000))).keys() == {"f", "m"}


def test_every_code_occurs() -> None:
    result = set().union(*(codes for _, _, codes in patients(hospital())))
    assert result == set(hospital_hierarchy().leaves.labels)
    assert {drug for _, _, drug in rows(prescriptions())} == set(drug_hierarchy().leaves.labels)


def test_a_patient_has_one_age_and_several_drugs_in_scattered_rows() -> None:
    result = rows(prescriptions(300, seed=5))
    drugs, ages = defaultdict(list), defaultdict(set)
    for patient, age, drug in result:
        drugs[patient].append(drug)
        ages[patient].add(age)
    assert len(drugs) == 300
    assert all(len(seen) == 1 for seen in ages.values())
    assert all(1 <= len(drugs_of_patient) == len(set(drugs_of_patient)) <= 5 for drugs_of_patient in drugs.values())
    assert [patient for patient, _, _ in result] != sorted(patient for patient, _, _ in result)
    assert result == rows(prescriptions(300, seed=5)) != rows(prescriptions(300, seed=6))


def test_no_patients_make_an_empty_table() -> None:
    assert (hospital(0).n, prescriptions(0).n) == (0, 0)


@pytest.mark.parametrize("name", ["hospital", "prescriptions"])
def test_parameters_out_of_range_are_refused(name: str) -> None:
    with refused(InputError, "n"):
        generate(name, n=-1)
