"""Raw files whose keys, titles, dates and amounts resemble something else."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np

from followed.raw_files import FIRST_NAMES, SURNAMES, RawFile


def _file(
    name: str, head: str, rows: Sequence[Sequence[object]], persons: list[int], unit: str, secrets: set[str],
    *, above: str = "", encoding: str = "utf-8", sensitive: tuple[str, ...] = (),
) -> RawFile:  # fmt: skip
    mark = ";" if ";" in head else ","
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows([head.split(mark), *rows])
    content = (above + text.getvalue()).encode(encoding)
    return RawFile(name, content, persons, frozenset(secrets), unit=unit, sensitive=sensitive)


def _born(random: np.random.Generator, first: int = 1930, years: int = 80) -> date:
    return date(first, 1, 1) + timedelta(days=int(random.integers(0, 365 * years)))


def eight_digit_keys(n: int, seed: int) -> RawFile:
    """Stays with an eight-digit person key that resembles a date, under an uninformative header."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, keys = [], [f"{number * 104729 % 9999991:08d}" for number in range(1, n + 1)]
    age, sex = random.integers(1, 95, n), random.integers(1, 3, n)
    for i in [*range(n), *random.integers(0, n, n).tolist()]:
        codes = [f"{'CEIJK'[int(c) // 10]}{10 + int(c) % 10}{int(c) % 4}" for c in random.integers(0, 50, 3)]
        rows.append([len(rows), keys[i], age[i], sex[i], 75001 + int(age[i]) % 20, *codes])
        persons.append(i)
    head = "NUM_RSA,CLE_ANO,AGE,SEXE,COD_POST,DP,DAS_1,DAS_2"
    return _file("sejours.csv", head, rows, persons, "CLE_ANO", set(keys))


def titles_with_commas(n: int, seed: int) -> RawFile:
    """Loans by card, with author names as values, and titles that contain commas."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, cards = [], [f"2{number * 7919:012d}" for number in range(1, n + 1)]
    for at in [at for at in range(n) for _ in range(6)]:
        title = int(random.integers(0, 40) * random.random())
        author = f"{SURNAMES[title % len(SURNAMES)]}, {FIRST_NAMES[title % len(FIRST_NAMES)]}"
        rows.append([880000 + len(rows), cards[at], 1950 + at % 60, f"The Moon, the Sun {title}", author])
        persons.append(at)
    return _file("loans.csv", "Trans ID,Patron Barcode,YOB,Title,Author", rows, persons, "Patron Barcode", set(cards))


def marks_below_a_title(n: int, seed: int) -> RawFile:
    """Marks in long format below a title with a comma. Years of birth have two digits."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, secrets = [], set[str]()
    for i in range(n):
        surname, born = f"{SURNAMES[i % len(SURNAMES)]}{'aeiou'[i % 5]}", _born(random, 2007, 5)
        secrets |= {surname, f"{born:%d.%m.%y}"}
        for subject in random.choice(["Mathe", "Deutsch", "Englisch", "Sport", "Kunst", "Musik"], 4, replace=False):
            mark = f"{random.integers(10, 60) / 10}".replace(".", ",")
            rows.append(
                [
                    surname,
                    FIRST_NAMES[i % 7],
                    f"{born:%d.%m.%y}",
                    f"{5 + i % 3}a",
                    subject,
                    mark,
                    ["ev", "rk"][i % 2],
                ]
            )
            persons.append(i)
    head = "Name;Rufname;geb. am;Klasse;Fach;Note;Konf."
    above = "Goethe-Gymnasium, 1. Halbjahr 2023/24\n"
    return _file(
        "noten.csv", head, rows, persons, "Name,Rufname,geb. am", secrets, above=above, encoding="cp1252",
        sensitive=("Note", "Konf."),
    )  # fmt: skip


def fees_with_commas(n: int, seed: int) -> RawFile:
    """Members, with a few distinct fees that have a decimal comma."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    secrets = set[str]()
    for i in range(n):
        born, surname = _born(random), f"{SURNAMES[i % len(SURNAMES)]}{'aeiou'[i % 5]}{'rstvw'[i // 5 % 5]}"
        secrets |= {surname, f"{born:%d.%m.%Y}"}
        sports = ", ".join(random.choice(["Turnen", "Tennis", "Judo", "Schach"], 1 + i % 3, replace=False).tolist())
        fee = ["4,50", "6,00", "12,50"][i % 3]
        rows.append([1000 + i, surname, FIRST_NAMES[i % 7], f"{born:%d.%m.%Y}", "mw"[i % 2], sports, fee])
    head = "Mitgl-Nr;Nachname;Vorname;geboren;m/w;Abteilungen;Monatsbeitrag"
    return _file("mitglieder.csv", head, rows, list(range(n)), "Mitgl-Nr", secrets)


def shared_policies(n: int, seed: int) -> RawFile:
    """Claims of families with a common policy: a person is a first name with a date of birth."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, secrets = [], set[str]()
    everybody = [(f"PV-{i // 3:06d}", FIRST_NAMES[i % len(FIRST_NAMES)], _born(random)) for i in range(n)]
    for index in [*range(n), *random.integers(0, n, n).tolist()]:
        policy, first, born = everybody[index]
        secrets |= {policy, first, f"{born:%Y/%m/%d}"}
        codes = "; ".join(f"{'CEIJ'[int(c) // 10]}{10 + int(c) % 10}.{int(c) % 3}" for c in random.integers(0, 40, 2))
        rows.append([2023000 + len(rows), policy, first, f"{born:%Y/%m/%d}", "MF"[index % 2], codes, "paid"])
        persons.append(index)
    head = "claim_no,policy_no,insured_first_name,birth,sex,icd10,status"
    return _file("claims.csv", head, rows, persons, "insured_first_name,birth", secrets)


def bookings(n: int, seed: int) -> RawFile:
    """Bookings by e-mail address, with extras separated by semicolons, and full dates of arrival."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, secrets = [], set[str]()
    for i in [*range(n), *random.integers(0, n, n // 2).tolist()]:
        day, mail = date(2023, 1, 1) + timedelta(days=int(random.integers(0, 12))), f"guest{i}@mail.example"
        secrets |= {mail, f"{day:%d/%m/%Y}"}
        extras = ["Spa", "Spa; Late checkout", "Breakfast; Parking", "Breakfast", "Cot; Breakfast", "Halal"]
        nation = ["DE", "GB", "US"][i % 3]
        rows.append([f"A{len(rows):05d}X", mail, nation, f"{day:%d/%m/%Y}", extras[int(random.integers(0, 6))]])
        persons.append(i)
    return _file("bookings.csv", "Conf#,Guest,Nat.,Arr,Extras", rows, persons, "Guest", secrets)


def hashes_as_json(n: int, seed: int) -> RawFile:
    """Vaccinations as JSON Lines with two lists and a timestamp."""
    random = np.random.default_rng(seed)
    lines, persons, secrets = [], [], set[str]()
    for i in [*range(n), *random.integers(0, n, n // 2).tolist()]:
        key, born = f"{i * 104729:016x}", date(1940 + i % 60, 1 + i % 12, 1 + i % 28)
        secrets |= {key, born.isoformat()}
        vaccines = random.choice(["Comirnaty", "Fluad", "MMR", "Shingrix"], 1 + i % 2, replace=False).tolist()
        lots = [f"EW{int(number)}" for number in random.integers(10, 20, len(vaccines))]
        record = {"person_hash": key, "dob": born.isoformat(), "sex": "mf"[i % 2], "vaccines": vaccines, "lots": lots}
        lines.append(json.dumps(record))
        persons.append(i)
    content = "\n".join(lines).encode()
    return RawFile("shots.jsonl", content, persons, frozenset(secrets), unit="person_hash")


def genotypes(n: int, seed: int) -> RawFile:
    """Participants with markers, whose names contain many digits, as column names."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    for i in range(n):
        drugs = "; ".join(random.choice(["aspirin", "metformin", "salbutamol"], 1 + i % 3, replace=False).tolist())
        rows.append([f"BX-{i * 7919 % 99991:05d}", 20 + i % 60, "FM"[i % 2], ["TT", "TC", "CC"][i % 3], drugs])
    secrets = {str(row[0]) for row in rows}
    return _file("cohort.csv", "participant_code,age,sex,rs429358,medication", rows, list(range(n)), "row", secrets)


def groups_above_columns(n: int, seed: int, last: str = "") -> RawFile:
    """Visits below a line that names groups of columns. The last of them is `last`."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons, secrets = [], set[str]()
    for i in [*range(n), *random.integers(0, n, n).tolist()]:
        surname, key = f"{SURNAMES[i % len(SURNAMES)]}{i}", f"{i * 104729 % 999983:06d}/{1000 + i}"
        secrets |= {surname, key}
        rows.append([surname, key, "FM"[i % 2], f"{1 + i % 28}. 3. 2023", f"{'EIJK'[i % 4]}{10 + i % 5}", 10 + i % 90])
        persons.append(i)
    above = f"Patient;;;Visit;;{last}\n"
    head = "surname;patient_no;sex;date;icd10;points"
    return _file("visits.csv", head, rows, persons, "patient_no", secrets, above=above)


def questions(n: int, seed: int) -> RawFile:
    """Answers of a form, with questions as column names, few addresses, namesakes and remarks with commas."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    secrets = set[str]()
    for i in range(n):
        name = f"{FIRST_NAMES[i % len(FIRST_NAMES)]} {SURNAMES[int(random.integers(0, n)) % len(SURNAMES)]}{i % 90}"
        mail = f"{name.split()[1].lower()}@mail.example" if i % 3 == 0 else ""
        secrets |= {name.split()[1], mail} - {""}
        remark = ["", "Thanks, great", "Nothing, really", "My son, who is ill, helped me"][int(random.integers(0, 4))]
        rows.append([name, mail, 20 + i % 60, ["Woman", "Man"][i % 2], remark, f"{20 * (i % 4)} hours"])
    head = "Your name,E-mail (optional),How old are you?,What is your gender?,Anything else to tell us?,Time at work"
    return _file("form.csv", head, rows, list(range(n)), "row", secrets)


def quoted_header(n: int, seed: int) -> RawFile:
    """Visits by a number whose column name contains a quote."""
    random = np.random.default_rng(seed)
    rows: list[list[object]] = []
    persons = [*range(n), *random.integers(0, n, n).tolist()]
    for i in persons:
        rows.append([f"{i * 104729 % 999983:07d}", "FM"[i % 2], 30 + i % 40, f"{'EIJK'[int(random.integers(0, 4))]}10"])
    secrets = {str(row[0]) for row in rows}
    return _file("visits.csv", 'patient "no",sex,age,icd10', rows, persons, 'patient "no"', secrets)


def printed_lists(n: int, seed: int) -> RawFile:
    """Subscribers with hashes, and interests as lists that a program printed."""
    rows: list[list[object]] = []
    for i in range(n):
        interests = json.dumps(["sport", "news", "food"][: 1 + i % 3])
        rows.append([f"{(i + seed) * 104729:032x}", ["DE", "AT"][i % 2], ["18-24", "25-34", "50+"][i % 3], interests])
    secrets = {str(row[0]) for row in rows}
    return _file("subscribers.csv", "email_md5,country,age_band,interests", rows, list(range(n)), "row", secrets)


ODD_RAW_FILES: dict[str, Callable[[int, int], RawFile]] = {
    make.__name__: make
    for make in (
        eight_digit_keys, titles_with_commas, marks_below_a_title, fees_with_commas, shared_policies, bookings,
        hashes_as_json, genotypes, groups_above_columns, questions, printed_lists, quoted_header,
    )
}  # fmt: skip
