"""Raw files of further kinds: claims, registers, libraries, banks, spreadsheets and JSON Lines."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import numpy as np

from followed.raw_files import CODES, FIRST_NAMES, RawFile, people

ICD = [*CODES, "U07", "U09"]
"""Codes, including codes that start with U."""


def _text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _dotted(code: str, number: int) -> str:
    return f"{code}.{number % 3}"


def us_claims(n: int, seed: int) -> RawFile:
    """Generate claim lines of CMS with principal and numbered diagnoses, AM and PM. Codes and dates include words for a
    missing value."""
    random = np.random.default_rng(seed)
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for i, person in enumerate(everybody):
        codes = [_dotted(code, i) for code in sorted(person.codes)][:6]
        codes[0] = "unk" if i == 3 else codes[0]
        when = datetime(2021, 1, 1) + timedelta(minutes=int(random.integers(0, 500_000)))
        shown = "unknown" if i == 5 else f"{when:%m/%d/%Y %I:%M:%S %p}"
        secrets.add(f"B{person.number}")
        fields = [
            f"B{person.number}",
            str(2021 - person.born.year),
            person.sex.upper(),
            shown,
            f"${1000 + 37 * i:,}.50",
        ]
        rows.append([*fields, codes[0], codes[-1], *codes[1:], *[""] * (6 - len(codes))])
        persons.append(i)
    head = ["BENE_ID", "AGE", "SEX", "ADMSN_DT", "CLM_PMT_AMT", "PRNCPAL_DGNS_CD", "ADMTG_DGNS_CD"]
    head += [f"ICD_DGNS_CD{number}" for number in range(1, 6)]
    return RawFile("claims.csv", _text([head, *rows], ",").encode(), persons, frozenset(secrets), unit="BENE_ID")


def german_cases(n: int, seed: int) -> RawFile:
    """Generate German patients in Windows-1252. The file has a few rows without a number, and sums and a note at the
    end.
    """
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for i, person in enumerate(everybody):
        codes = [_dotted(code, i) for code in sorted(person.codes)][:4]
        number = "" if i % 60 == 7 else str(person.number)
        secrets |= {person.surname, str(person.number)}
        cost = f"{1000 + 41 * i:,}".replace(",", ".") + ",50 €"
        fields = [number, person.surname, str(2024 - person.born.year), person.zip, person.sex, cost]
        rows.append([*fields, codes[0], *codes[1:], *[""] * (4 - len(codes))])
        persons.append(i)
    head = ["Patientennr.", "Nachname", "Alter", "PLZ", "Geschlecht", "Erlös", "Hauptdiagnose", "ND1", "ND2", "ND3"]
    text = _text([head, *rows], ";") + ";;;;;;;;;\nSumme;;;;;1.234.567,00 €;;;;\nStand: 31. Mai 2024\n"
    return RawFile("fälle.csv", text.encode("cp1252"), persons, frozenset(secrets), unit="Patientennr.")


def library(n: int, seed: int) -> RawFile:
    """Generate loans of a library. Titles contain blanks and commas, and quoted cells contain line breaks."""
    random = np.random.default_rng(seed)
    things = ["House", "City", "Garden", "River", "Letter", "Winter"]
    titles = [f"The {a} of the {b}" for a in things for b in things[:3]] + [f"{a}, Lost and Found" for a in things]
    rows, persons, secrets = [], [], set[str]()
    for i in range(n):
        number = f"R{100_000 + 17 * i}"
        secrets.add(number)
        for title in random.choice(titles, size=int(random.integers(1, 5)), replace=False):
            note = "returned\nlate" if i % 9 == 0 else ""
            rows.append([number, str(title), f"2024-0{random.integers(1, 9)}-1{random.integers(0, 9)}", note])
            persons.append(i)
    text = "\ufeff" + _text([["reader_id", "title", "borrowed", "remark"], *rows], ",")
    return RawFile("loans.csv", text.encode(), persons, frozenset(secrets), unit="reader_id")


def products(n: int, seed: int) -> RawFile:
    """Generate purchases of customers with product names that contain blanks, Swiss numbers and tabs."""
    random = np.random.default_rng(seed)
    goods = [f"{a} {b} {c}" for a in ("Bio", "Fein", "Alpen") for b in ("Milch", "Käse", "Brot") for c in ("1 l", "XL")]
    rows, persons, secrets = [], [], set[str]()
    for i in range(n):
        number = str(4_100_000 + 13 * i)
        secrets.add(number)
        for item in random.choice(goods, size=int(random.integers(1, 6)), replace=False):
            rows.append([number, str(item), f"CHF {random.integers(1, 3)}'{random.integers(100, 999)}.50"])
            persons.append(i)
    text = _text([["Kundennummer", "Artikel", "Betrag"], *rows], "\t")
    return RawFile("kasse.tsv", text.encode("utf-16"), persons, frozenset(secrets), unit="Kundennummer")


def two_sets(n: int, seed: int) -> RawFile:
    """Generate patients with diagnoses separated by commas and drugs separated by bars."""
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for i, person in enumerate(everybody):
        secrets.add(f"P{person.number}")
        drugs = sorted(
            {f"{'ACN'[len(code) % 3]}0{int(code[1]) % 5 + 1}AB0{int(code[2]) % 3 + 1}" for code in person.codes}
        )
        rows.append(
            [
                f"P{person.number}",
                person.sex,
                str(2024 - person.born.year),
                ",".join(sorted(person.codes)),
                "|".join(drugs),
            ]
        )
        persons.append(i)
    text = _text([["Pat_ID", "Geschlecht", "Alter", "Diagnosen", "Medikamente"], *rows], ";")
    return RawFile("zwei.csv", text.encode(), persons, frozenset(secrets))


def french_stays(n: int, seed: int) -> RawFile:
    """Generate stays of the French PMSI in Latin-1, with the columns DP and DAS and French sums."""
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for i, person in enumerate(everybody):
        codes = sorted(person.codes)[:4]
        secrets |= {person.surname, f"{person.born:%d/%m/%Y}"}
        fields = [str(10_000_000 + 31 * i), person.surname, f"{person.born:%d/%m/%Y}", {"m": "H", "w": "F"}[person.sex]]
        rows.append([*fields, person.zip, codes[0], *codes[1:], *[""] * (4 - len(codes))])
        persons.append(i)
    head = ["N° patient", "Nom", "Date de naissance", "Sexe", "Code postal", "DP", "DAS1", "DAS2", "DAS3"]
    text = _text([head, *rows], ";") + "Total général : 120 séjours\n"
    return RawFile("séjours.csv", text.encode("latin-1"), persons, frozenset(secrets), unit="N° patient")


def spanish_bank(n: int, seed: int) -> RawFile:
    """Generate clients of a Spanish bank. Amounts contain points and commas. Quoted semicolons separate products."""
    random = np.random.default_rng(seed)
    names = ["hipoteca", "tarjeta", "fondo", "seguro", "nómina", "depósito"]
    rows, persons, secrets = [], [], set[str]()
    for i in range(n):
        number = f"C-{700_000 + 19 * i}"
        secrets.add(number)
        names_of_person = ";".join(sorted(random.choice(names, size=int(random.integers(1, 5)), replace=False)))
        income = f"€ {random.integers(10, 90)}.{random.integers(100, 999)},{random.integers(10, 99)}"
        rows.append([number, str(random.integers(18, 90)), str(random.choice(["V", "M"])), income, names_of_person])
        persons.append(i)
    text = _text([["id_cliente", "edad", "sexo", "saldo", "productos"], *rows], ",")
    return RawFile("clientes.csv", text.encode(), persons, frozenset(secrets))


def visits_as_json(n: int, seed: int) -> RawFile:
    """Generate patients as JSON Lines, with arrays and a nested object."""
    everybody, lines, persons, secrets = people(n, seed), [], [], set[str]()
    for i, person in enumerate(everybody):
        secrets |= {person.surname, str(person.number)}
        record = {
            "patient_id": str(person.number), "name": {"family": person.surname, "given": person.first},
            "birth_year": person.born.year, "sex": person.sex, "zip": person.zip, "codes": sorted(person.codes),
        }  # fmt: skip
        lines.append(json.dumps(record) + "\n")
        persons.append(i)
    return RawFile("patients.jsonl", "".join(lines).encode(), persons, frozenset(secrets))


def workbook(n: int, seed: int) -> RawFile:
    """Generate patients in a workbook with a title, an empty row, postal codes as numbers, dates, and a sum without
    formula.
    """
    import openpyxl

    everybody, persons, secrets = people(n, seed), [], set[str]()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Register der Klinik"])
    sheet.merge_cells("A1:F1")
    sheet.append([])
    sheet.append(["Fall-ID", "Name", "Geburtsdatum", "PLZ", "Geschlecht", "Diagnosen"])
    for i, person in enumerate(everybody):
        secrets |= {person.surname, f"{person.born:%Y-%m-%d}", f"F{person.number}"}
        born = datetime(person.born.year, person.born.month, person.born.day)
        sheet.append(
            [
                f"F{person.number}",
                f"{person.surname}, {person.first}",
                born,
                int(person.zip),
                person.sex,
                " ".join(sorted(person.codes)),
            ]
        )
        sheet.cell(sheet.max_row, 4).number_format = "00000"
        persons.append(i)
    sheet.append(["Anzahl", None, None, n])
    buffer = io.BytesIO()
    book.save(buffer)
    return RawFile("register.xlsx", buffer.getvalue(), persons, frozenset(secrets))


def hes(n: int, seed: int) -> RawFile:
    """Generate episodes of HES with the columns diag_4_01 to diag_4_06, bars, dates with month names, and no header
    line.
    """
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for i, person in enumerate(everybody):
        codes = [code + "XD9"[i % 3] for code in sorted(person.codes)][:6]
        secrets.add(f"H{person.number}")
        fields = [f"H{person.number}", str(2024 - person.born.year), person.sex, f"{person.visits[0][0]:%d-%b-%Y}"]
        rows.append([*fields, *codes, *[""] * (6 - len(codes))])
        persons.append(i)
    head = ["encrypted_hesid", "startage", "sex", "admidate", *[f"diag_4_{number:02d}" for number in range(1, 7)]]
    return RawFile("hes.csv", _text([head, *rows], "|").encode(), persons, frozenset(secrets), unit="encrypted_hesid")


def nameless(n: int, seed: int) -> RawFile:
    """Generate patients with id, date of birth, sex and codes, without a header line."""
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for i, person in enumerate(everybody):
        secrets |= {f"{person.born:%d.%m.%Y}", str(person.number)}
        rows.append([f"{person.number:09d}", f"{person.born:%d.%m.%Y}", person.sex, " ".join(sorted(person.codes))])
        persons.append(i)
    return RawFile("roh.csv", _text(rows, ";").encode(), persons, frozenset(secrets), unit="1")


def school(n: int, seed: int) -> RawFile:
    """Generate pupils with name, class and subjects separated by commas, and a count at the end."""
    random = np.random.default_rng(seed)
    subjects = ["art", "biology", "chemistry", "latin", "music", "physics", "sport", "french"]
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for i, person in enumerate(everybody):
        secrets |= {person.surname, str(person.number)}
        chosen = ", ".join(random.choice(subjects, size=int(random.integers(2, 5)), replace=False))
        rows.append(
            [
                str(person.number),
                person.surname,
                person.first,
                f"{random.integers(5, 11)}{'abc'[i % 3]}",
                person.sex,
                chosen,
            ]
        )
        persons.append(i)
    head = ["Schüler-ID", "Nachname", "Vorname", "Klasse", "Geschlecht", "Fächer"]
    text = "sep=;\n" + _text([head, *rows], ";") + f"Anzahl;;;{n};;\n"
    return RawFile(
        "schule.csv", text.encode("utf-8-sig"), persons, frozenset(secrets | set(FIRST_NAMES)), unit="Schüler-ID"
    )


MORE_RAW_FILES: dict[str, Callable[[int, int], RawFile]] = {
    make.__name__: make
    for make in (
        us_claims, german_cases, library, products, two_sets, french_stays, spanish_bank, visits_as_json, workbook, hes,
        nameless, school,
    )
}  # fmt: skip
