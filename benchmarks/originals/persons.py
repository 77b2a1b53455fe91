"""Steps for the data sets of persons with attributes."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.originals.formats import r_data, rows_in_zip, rows_of, table

_MISSING_CODES = ("-1", "-9")


def informs(conditions: Path, demographics: Path) -> str:
    """Return the persons of 2005 who have a code, with demographics. Missing codes are removed."""
    codes: dict[str, list[str]] = defaultdict(list)
    for row in rows_of(conditions):
        if row["ICD9CODX"] not in _MISSING_CODES:
            codes[row["DUPERSID"]].append(row["ICD9CODX"])
    columns = {
        "DOBMM": "birth_month", "DOBYY": "birth_year", "SEX": "sex", "RACEX": "race", "HISPCAT": "hispanic_cat",
        "EDUCYEAR": "education_years", "marry": "marital_status", "income": "income", "poverty": "poverty_category",
    }  # fmt: skip
    rows = [
        [*(person[name] for name in columns), _set(sorted(codes[person["DUPERSID"]]))]
        for person in rows_of(demographics)
        if person["DUPERSID"] in codes
    ]
    return table([*columns.values(), "diagnosis_codes"], rows)


def _set(items: list[str]) -> str:
    return " ".join(dict.fromkeys(items))


DIAGNOSES = ("diag_1", "diag_2", "diag_3")
_OF_PATIENT = ("race", "gender", "age", "payer_code", "medical_specialty")
OF_STAY = (
    "race", "gender", "age", "weight", "admission_type_id", "discharge_disposition_id", "admission_source_id",
    "time_in_hospital", "payer_code", "medical_specialty", "num_lab_procedures", "num_procedures", "num_medications",
    "number_outpatient", "number_emergency", "number_inpatient", "number_diagnoses", "max_glu_serum", "A1Cresult",
    "change", "diabetesMed", "readmitted",
)  # fmt: skip


def diabetes(file: Path) -> dict[str, str]:
    """Return the stays of the diabetes patients, and a record per patient with the codes of all stays."""
    rows = rows_in_zip(file, "diabetic_data.csv")
    names = list(rows[0])
    drugs = names[names.index("metformin") : names.index("change")]
    stays: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        stays[row["patient_nbr"]].append(row)
    number = {patient: i for i, patient in enumerate(stays, 1)}
    by_stay = [
        [number[row["patient_nbr"]], *(row[name] for name in OF_STAY), _set(_codes(row)), _set(_taken(row, drugs))]
        for row in rows
    ]
    by_patient = [
        [
            *(of_patient[0][name] for name in _OF_PATIENT),
            _set([code for row in of_patient for code in _codes(row)]),
            _set([drug for row in of_patient for drug in _taken(row, drugs)]),
        ]
        for of_patient in stays.values()
        if any(_codes(row) for row in of_patient)
    ]
    sets = ["diagnosis_codes", "medications"]
    return {
        "rt/diabetes130_encounters_rt.csv": table(["patient_index", *OF_STAY, *sets], by_stay),
        "rt/diabetes130_patients_rt.csv": table([*_OF_PATIENT, *sets], by_patient),
    }


def _codes(row: dict[str, str]) -> list[str]:
    return [row[name] for name in DIAGNOSES if row[name] != "?"]


def _taken(row: dict[str, str], drugs: list[str]) -> list[str]:
    return [drug for drug in drugs if row[drug] != "No"]


_CLAIM_CODES = tuple(f"ICD9_DGNS_CD_{i}" for i in range(1, 11))


def synpuf(folder: Path) -> str:
    """Return the beneficiaries of all samples who have an inpatient claim, with the codes of all claims.

    Records are sorted by content.
    """
    rows = []
    for file in sorted(folder.glob("DE1_0_2008_Beneficiary_Summary_File_Sample_*.csv")):
        codes: dict[str, list[str]] = defaultdict(list)
        for claim in rows_of(
            folder / file.name.replace("2008_Beneficiary_Summary_File", "2008_to_2010_Inpatient_Claims")
        ):
            codes[claim["DESYNPUF_ID"]] += [claim[name] for name in _CLAIM_CODES if claim[name]]
        rows += [
            _beneficiary(person, codes[person["DESYNPUF_ID"]])
            for person in rows_of(file)
            if codes.get(person["DESYNPUF_ID"])
        ]
    head = ["birth_date", "sex", "race", "state_code", "county_code", "chronic_conditions_2008", "diagnosis_codes"]
    return table(head, sorted(rows))


def _beneficiary(person: dict[str, str], codes: list[str]) -> list[str]:
    conditions = sorted(
        name.removeprefix("SP_")
        for name, value in person.items()
        if name.startswith("SP_") and value == "1" and name != "SP_STATE_CODE"
    )
    return [
        person["BENE_BIRTH_DT"], person["BENE_SEX_IDENT_CD"], person["BENE_RACE_CD"], person["SP_STATE_CODE"],
        person["BENE_COUNTY_CD"], " ".join(conditions), _set(codes),
    ]  # fmt: skip


def vermont(file: Path) -> str:
    """Return the hospital discharges of the R package icd.data."""
    discharges: Any = r_data(file)["vermont_dx"]
    diagnoses = [name for name in discharges.columns if name.startswith("DX")]
    rows = [
        [
            row["age_group"],
            row["sex"],
            int(row["death"]),
            row["DRG"],
            _set([row[name] for name in diagnoses if row[name]]),
        ]
        for row in discharges.to_dict("records")
    ]
    return table(["age_group", "sex", "death", "drg", "diagnosis_codes"], rows)


_VIDEO = ("age_days", "category", "length_s", "views", "rate", "ratings", "comments")


def youtube(files: list[Path]) -> str:
    """Return the videos of a crawl that have related videos, without their names and uploaders."""
    rows = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            fields = line.split("\t")
            attributes, related = fields[2 : 2 + len(_VIDEO)], fields[2 + len(_VIDEO) :]
            if related:
                rows.append([*attributes, _set(related)])
    return table([*_VIDEO, "related_videos"], rows)


_CENSUS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip


def adult(folder: Path) -> str:
    """Return the rows of adult.data, followed by those of adult.test, with a header."""
    rows = []
    for name in ("adult.data", "adult.test"):
        for line in (folder / name).read_text(encoding="ascii").splitlines():
            fields = [field.strip() for field in line.rstrip(".").split(",")]
            if len(fields) == len(_CENSUS):
                rows.append(fields)
    return table(_CENSUS, rows)


def arx(file: Path) -> str:
    """Return a hierarchy of ARX with line ends as in the data folder."""
    return "".join(f"{line}\n" for line in file.read_text(encoding="utf-8").splitlines())


def names(file: Path) -> str:
    """Return the names of a file of the US census of 1990, with frequencies in percent and ranks."""
    rows = (line.split() for line in file.read_text(encoding="ascii").splitlines())
    return table(["name", "freq_percent", "cum_freq_percent", "rank"], rows)
