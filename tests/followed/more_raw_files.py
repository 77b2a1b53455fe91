"""Raw files of more programs: claims, registers, libraries, banks, spreadsheets, JSON Lines."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import numpy as np

from followed.raw_files import CODES, FIRST_NAMES, RawFile, people

ICD = [*CODES, "U07", "U09"]
"""Codes including those that start with U."""


def _text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _dotted(code: str, number: int) -> str:
    return f"{code}.{number % 3}"


def us_claims(n: int, seed: int) -> RawFile:
    """Claim lines of CMS: principal and numbered diagnoses, AM and PM, null words among codes and dates."""
    random = np.random.default_rng(seed)
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for at, one in enumerate(everybody):
        codes = [_dotted(code, at) for code in sorted(one.codes)][:6]
        codes[0] = "unk" if at == 3 else codes[0]
        when = datetime(2021, 1, 1) + timedelta(minutes=int(random.integers(0, 500_000)))
        shown = "unknown" if at == 5 else f"{when:%m/%d/%Y %I:%M:%S %p}"
        secrets.add(f"B{one.number}")
        fields = [f"B{one.number}", str(2021 - one.born.year), one.sex.upper(), shown, f"${1000 + 37 * at:,}.50"]
        rows.append([*fields, codes[0], codes[-1], *codes[1:], *[""] * (6 - len(codes))])
        persons.append(at)
    head = ["BENE_ID", "AGE", "SEX", "ADMSN_DT", "CLM_PMT_AMT", "PRNCPAL_DGNS_CD", "ADMTG_DGNS_CD"]
    head += [f"ICD_DGNS_CD{number}" for number in range(1, 6)]
    return RawFile("claims.csv", _text([head, *rows], ",").encode(), persons, frozenset(secrets), unit="BENE_ID")


def german_cases(n: int, seed: int) -> RawFile:
    """German patients: Windows-1252, sums and a note at the end, a few rows without a number."""
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for at, one in enumerate(everybody):
        codes = [_dotted(code, at) for code in sorted(one.codes)][:4]
        number = "" if at % 60 == 7 else str(one.number)
        secrets |= {one.surname, str(one.number)}
        cost = f"{1000 + 41 * at:,}".replace(",", ".") + ",50 €"
        fields = [number, one.surname, str(2024 - one.born.year), one.zip, one.sex, cost]
        rows.append([*fields, codes[0], *codes[1:], *[""] * (4 - len(codes))])
        persons.append(at)
    head = ["Patientennr.", "Nachname", "Alter", "PLZ", "Geschlecht", "Erlös", "Hauptdiagnose", "ND1", "ND2", "ND3"]
    text = _text([head, *rows], ";") + ";;;;;;;;;\nSumme;;;;;1.234.567,00 €;;;;\nStand: 31. Mai 2024\n"
    return RawFile("fälle.csv", text.encode("cp1252"), persons, frozenset(secrets), unit="Patientennr.")


def library(n: int, seed: int) -> RawFile:
    """Loans of a library: titles with blanks and commas, quoted line breaks."""
    random = np.random.default_rng(seed)
    things = ["House", "City", "Garden", "River", "Letter", "Winter"]
    titles = [f"The {a} of the {b}" for a in things for b in things[:3]] + [f"{a}, Lost and Found" for a in things]
    rows, persons, secrets = [], [], set[str]()
    for at in range(n):
        number = f"R{100_000 + 17 * at}"
        secrets.add(number)
        for title in random.choice(titles, size=int(random.integers(1, 5)), replace=False):
            note = "returned\nlate" if at % 9 == 0 else ""
            rows.append([number, str(title), f"2024-0{random.integers(1, 9)}-1{random.integers(0, 9)}", note])
            persons.append(at)
    text = "\ufeff" + _text([["reader_id", "title", "borrowed", "remark"], *rows], ",")
    return RawFile("loans.csv", text.encode(), persons, frozenset(secrets), unit="reader_id")


def products(n: int, seed: int) -> RawFile:
    """Purchases of customers: product names with blanks, Swiss numbers, tabs."""
    random = np.random.default_rng(seed)
    goods = [f"{a} {b} {c}" for a in ("Bio", "Fein", "Alpen") for b in ("Milch", "Käse", "Brot") for c in ("1 l", "XL")]
    rows, persons, secrets = [], [], set[str]()
    for at in range(n):
        number = str(4_100_000 + 13 * at)
        secrets.add(number)
        for item in random.choice(goods, size=int(random.integers(1, 6)), replace=False):
            rows.append([number, str(item), f"CHF {random.integers(1, 3)}'{random.integers(100, 999)}.50"])
            persons.append(at)
    text = _text([["Kundennummer", "Artikel", "Betrag"], *rows], "\t")
    return RawFile("kasse.tsv", text.encode("utf-16"), persons, frozenset(secrets), unit="Kundennummer")


def two_sets(n: int, seed: int) -> RawFile:
    """Patients with diagnoses separated by commas and drugs separated by bars."""
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for at, one in enumerate(everybody):
        secrets.add(f"P{one.number}")
        drugs = sorted(
            {f"{'ACN'[len(code) % 3]}0{int(code[1]) % 5 + 1}AB0{int(code[2]) % 3 + 1}" for code in one.codes}
        )
        rows.append(
            [f"P{one.number}", one.sex, str(2024 - one.born.year), ",".join(sorted(one.codes)), "|".join(drugs)]
        )
        persons.append(at)
    text = _text([["Pat_ID", "Geschlecht", "Alter", "Diagnosen", "Medikamente"], *rows], ";")
    return RawFile("zwei.csv", text.encode(), persons, frozenset(secrets))


def french_stays(n: int, seed: int) -> RawFile:
    """Stays of the French PMSI: DP and DAS, Latin-1, French sums."""
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for at, one in enumerate(everybody):
        codes = sorted(one.codes)[:4]
        secrets |= {one.surname, f"{one.born:%d/%m/%Y}"}
        fields = [str(10_000_000 + 31 * at), one.surname, f"{one.born:%d/%m/%Y}", {"m": "H", "w": "F"}[one.sex]]
        rows.append([*fields, one.zip, codes[0], *codes[1:], *[""] * (4 - len(codes))])
        persons.append(at)
    head = ["N° patient", "Nom", "Date de naissance", "Sexe", "Code postal", "DP", "DAS1", "DAS2", "DAS3"]
    text = _text([head, *rows], ";") + "Total général : 120 séjours\n"
    return RawFile("séjours.csv", text.encode("latin-1"), persons, frozenset(secrets), unit="N° patient")


def spanish_bank(n: int, seed: int) -> RawFile:
    """Clients of a Spanish bank: amounts with points and commas, products separated by quoted semicolons."""
    random = np.random.default_rng(seed)
    names = ["hipoteca", "tarjeta", "fondo", "seguro", "nómina", "depósito"]
    rows, persons, secrets = [], [], set[str]()
    for at in range(n):
        number = f"C-{700_000 + 19 * at}"
        secrets.add(number)
        held = ";".join(sorted(random.choice(names, size=int(random.integers(1, 5)), replace=False)))
        income = f"€ {random.integers(10, 90)}.{random.integers(100, 999)},{random.integers(10, 99)}"
        rows.append([number, str(random.integers(18, 90)), str(random.choice(["V", "M"])), income, held])
        persons.append(at)
    text = _text([["id_cliente", "edad", "sexo", "saldo", "productos"], *rows], ",")
    return RawFile("clientes.csv", text.encode(), persons, frozenset(secrets))


def visits_as_json(n: int, seed: int) -> RawFile:
    """Patients as JSON Lines, with arrays and a nested object."""
    everybody, lines, persons, secrets = people(n, seed), [], [], set[str]()
    for at, one in enumerate(everybody):
        secrets |= {one.surname, str(one.number)}
        record = {
            "patient_id": str(one.number), "name": {"family": one.surname, "given": one.first},
            "birth_year": one.born.year, "sex": one.sex, "zip": one.zip, "codes": sorted(one.codes),
        }  # fmt: skip
        lines.append(json.dumps(record) + "\n")
        persons.append(at)
    return RawFile("patients.jsonl", "".join(lines).encode(), persons, frozenset(secrets))


def workbook(n: int, seed: int) -> RawFile:
    """Patients in a workbook: title, empty row, postal codes as numbers, dates, a sum without formula."""
    import openpyxl

    everybody, persons, secrets = people(n, seed), [], set[str]()
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Register der Klinik"])
    sheet.merge_cells("A1:F1")
    sheet.append([])
    sheet.append(["Fall-ID", "Name", "Geburtsdatum", "PLZ", "Geschlecht", "Diagnosen"])
    for at, one in enumerate(everybody):
        secrets |= {one.surname, f"{one.born:%Y-%m-%d}", f"F{one.number}"}
        born = datetime(one.born.year, one.born.month, one.born.day)
        sheet.append(
            [f"F{one.number}", f"{one.surname}, {one.first}", born, int(one.zip), one.sex, " ".join(sorted(one.codes))]
        )
        sheet.cell(sheet.max_row, 4).number_format = "00000"
        persons.append(at)
    sheet.append(["Anzahl", None, None, n])
    held = io.BytesIO()
    book.save(held)
    return RawFile("register.xlsx", held.getvalue(), persons, frozenset(secrets))


def hes(n: int, seed: int) -> RawFile:
    """Episodes of HES: diag_4_01 to diag_4_06, bars, dates with month names, no header line."""
    everybody, rows, persons, secrets = people(n, seed, ICD), [], [], set[str]()
    for at, one in enumerate(everybody):
        codes = [code + "XD9"[at % 3] for code in sorted(one.codes)][:6]
        secrets.add(f"H{one.number}")
        fields = [f"H{one.number}", str(2024 - one.born.year), one.sex, f"{one.visits[0][0]:%d-%b-%Y}"]
        rows.append([*fields, *codes, *[""] * (6 - len(codes))])
        persons.append(at)
    head = ["encrypted_hesid", "startage", "sex", "admidate", *[f"diag_4_{number:02d}" for number in range(1, 7)]]
    return RawFile("hes.csv", _text([head, *rows], "|").encode(), persons, frozenset(secrets), unit="encrypted_hesid")


def nameless(n: int, seed: int) -> RawFile:
    """Patients without a header line: id, date of birth, sex, codes."""
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for at, one in enumerate(everybody):
        secrets |= {f"{one.born:%d.%m.%Y}", str(one.number)}
        rows.append([f"{one.number:09d}", f"{one.born:%d.%m.%Y}", one.sex, " ".join(sorted(one.codes))])
        persons.append(at)
    return RawFile("roh.csv", _text(rows, ";").encode(), persons, frozenset(secrets), unit="1")


def school(n: int, seed: int) -> RawFile:
    """Pupils: name, class, subjects separated by commas, a count at the end."""
    random = np.random.default_rng(seed)
    subjects = ["art", "biology", "chemistry", "latin", "music", "physics", "sport", "french"]
    everybody, rows, persons, secrets = people(n, seed), [], [], set[str]()
    for at, one in enumerate(everybody):
        secrets |= {one.surname, str(one.number)}
        chosen = ", ".join(random.choice(subjects, size=int(random.integers(2, 5)), replace=False))
        rows.append(
            [str(one.number), one.surname, one.first, f"{random.integers(5, 11)}{'abc'[at % 3]}", one.sex, chosen]
        )
        persons.append(at)
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
