"""Generated raw files in the style of registries, practices and shops, with the person of each row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

import numpy as np

SURNAMES = [
    a + b
    for a in ("Berg", "Hoff", "Lind", "Nord", "Reb", "Stein", "Thal", "Wein")
    for b in ("mann", "er", "ing", "eck", "ner")
]
FIRST_NAMES = [
    "Ada",
    "Bela",
    "Cleo",
    "Dora",
    "Egon",
    "Fina",
    "Gero",
    "Hilda",
    "Ivo",
    "Jana",
    "Kuno",
    "Lena",
    "Milo",
    "Nele",
]
CODES = [f"{chapter}{number:02d}" for chapter in "CEFIJKMN" for number in range(10, 90, 7)]
ATC = [f"{a}{n:02d}{b}{c}{m:02d}" for a in "ACN" for n in (2, 5, 9) for b in "AB" for c in "AX" for m in (1, 3)]


ARTICLES = [
    f"{word} {size}"
    for word in ("Milk", "Bread", "Eggs", "Tea", "Rice", "Soap", "Oil", "Beans")
    for size in ("S", "M", "L", "XL")
]


@dataclass(frozen=True)
class RawFile:
    """A raw file, and the persons of the rows."""

    name: str
    content: bytes
    persons: Sequence[int]
    """Person of each data row, in the order of the file."""
    secrets: frozenset[str]
    """Texts that must not be published, such as names, full dates of birth and identifiers."""
    codes: Sequence[frozenset[str]] = field(default=())
    """Items of each person. Empty if the file has none."""
    unit: str = "row"
    """A careful steward's answer to the question "who is a person?"."""
    flags: str = ""
    """Options that the steward passes to the first command."""
    sensitive: tuple[str, ...] = ()
    """Columns that must not be published unless a model protects them."""


@dataclass(frozen=True)
class _Person:
    number: int
    surname: str
    first: str
    born: date
    sex: str
    zip: str
    visits: tuple[tuple[date, tuple[str, ...]], ...]

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(code for _, codes in self.visits for code in codes)


def people(n: int, seed: int, codes: Sequence[str] = CODES) -> list[_Person]:
    """Draw persons with visits. The codes of a person are often from the same chapter, and a few codes are frequent."""
    random = np.random.default_rng(seed)
    weights = 1.0 / (1 + np.arange(len(codes))) ** 0.9
    order = random.permutation(len(codes))
    made = []
    for number in range(n):
        born = date(1930, 1, 1) + timedelta(days=int(random.integers(0, 31_000)))
        visits = []
        for _ in range(1 + random.geometric(0.5)):
            taken = random.choice(len(codes), size=1 + random.geometric(0.45), p=weights / weights.sum())
            when = date(2024, 1, 1) + timedelta(days=int(random.integers(0, 365)))
            visits.append((when, tuple(sorted({codes[order[t]] for t in taken}))))
        made.append(_Person(
            100_000 + int(random.integers(0, 900)) * 997 + number,
            str(random.choice(SURNAMES)), str(random.choice(FIRST_NAMES)), born, str(random.choice(["m", "w"])),
            f"{random.integers(10, 13)}{random.integers(0, 40):03d}", tuple(visits),
        ))  # fmt: skip
    return made


def _of(name: str, head: str, rows: Sequence[tuple[int, str]], everybody: Sequence[_Person],
        secrets: set[str], *, before: str = "", after: str = "", encoding: str = "utf-8", codes: bool = True,
        unit: str = "row") -> RawFile:  # fmt: skip
    text = before + head + "\n" + "".join(line + "\n" for _, line in rows) + after
    of_persons = [person.codes for person in everybody] if codes else ()
    return RawFile(name, text.encode(encoding), [number for number, _ in rows], frozenset(secrets), of_persons, unit)


def german_diagnoses(n: int, seed: int) -> RawFile:
    """Generate diagnoses with semicolons, decimal commas and Latin-1."""
    random = np.random.default_rng(seed + 1)
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets |= {person.surname, person.first, f"{person.born:%d.%m.%Y}", str(person.number)}
        for when, codes in person.visits:
            for code in codes:
                cost = f"{random.integers(20, 4000)},{random.integers(10, 99)}"
                rows.append(
                    (
                        i,
                        f"{person.number};{person.surname};{person.first};{person.born:%d.%m.%Y};{person.zip};{person.sex};"
                        f"{when:%d.%m.%Y};{code};{cost}",
                    )
                )
    head = "Patientennr;Nachname;Vorname;Geburtsdatum;PLZ;Geschlecht;Aufnahmedatum;Diagnose;Kosten (€)"
    return _of("diagnosen.csv", head, rows, all_of_them, secrets, encoding="cp1252", unit="Patientennr")


def english_encounters(n: int, seed: int) -> RawFile:
    """Generate encounters with codes in numbered columns. The last columns are often empty."""
    random = np.random.default_rng(seed + 2)
    all_of_them = people(n, seed)
    rows, secrets, encounter, item_sets = [], set[str](), 500_000, []
    for i, person in enumerate(all_of_them):
        secrets |= {f"{person.born:%m/%d/%Y}", f"P{person.number}"}
        item_sets.append(frozenset(code for _, codes in person.visits for code in codes[:5]))
        for when, codes in person.visits:
            encounter += int(random.integers(1, 9))
            dx = [*codes[:5], *[""] * (5 - len(codes[:5]))]
            rows.append((i, ",".join([f"P{person.number}", str(encounter), f"{person.born:%m/%d/%Y}",
                                       person.zip, person.sex.upper(),
                                       f"{when:%m/%d/%Y}",
                                       f"{random.integers(100, 90000) / 100:.2f}", *dx])))  # fmt: skip
    head = "patient_id,encounter_id,dob,zip,sex,admission_date,charges,dx1,dx2,dx3,dx4,dx5"
    return replace(_of("encounters.csv", head, rows, all_of_them, secrets, unit="patient_id"), codes=item_sets)


def crosses(n: int, seed: int) -> RawFile:
    """Generate patients with a cross for each diagnosis, below a title."""
    all_of_them = people(n, seed)
    names = sorted({code for one in all_of_them for code in one.codes})
    rows, secrets = [], set[str]()
    for i, one in enumerate(all_of_them):
        secrets |= {one.surname, one.first, f"{one.born:%d.%m.%Y}"}
        marks = ["x" if code in one.codes else "" for code in names]
        rows.append((i, ";".join([f"{one.surname}, {one.first}", f"{one.born:%d.%m.%Y}", one.zip, one.sex, *marks])))
    head = ";".join(["Name", "geb.", "PLZ", "Geschl.", *[f"dx_{code}" for code in names]])
    title = "Auszug aus dem Register" + ";" * (3 + len(names)) + "\n" + ";" * (3 + len(names)) + "\n"
    tail = (";" * (3 + len(names)) + "\n") * 2
    return _of("kreuze.csv", head, rows, all_of_them, secrets, before=title, after=tail)


def prescriptions(n: int, seed: int) -> RawFile:
    """Generate prescriptions with tabs, the number and name of the insured person, and a sum at the end."""
    random = np.random.default_rng(seed + 3)
    all_of_them = people(n, seed, ATC)
    doctors = [f"Dr. {random.choice(SURNAMES)}" for _ in range(30)]
    rows, secrets, total = [], set[str](), 0
    for i, person in enumerate(all_of_them):
        number = f"A{person.number:09d}"
        secrets |= {number, person.surname}
        doctor = doctors[int(random.integers(0, 30))]
        for when, codes in person.visits:
            for code in codes:
                amount = int(random.integers(1, 4)) * 10
                total += amount
                rows.append(
                    (
                        i,
                        "\t".join(
                            [
                                number,
                                person.surname,
                                person.first,
                                f"{person.born:%Y-%m-%d}",
                                code,
                                str(amount),
                                f"{when:%Y-%m-%d}",
                                doctor,
                            ]
                        ),
                    )
                )
    head = "Versichertennr.\tName\tVorname\tgeb.\tATC\tMenge\tDatum\tArzt"
    return _of(
        "rezepte.txt", head, rows, all_of_them, secrets, unit="Versichertennr.", after=f"Summe\t\t\t\t\t{total}\t\t\n"
    )


def unnamed_key(n: int, seed: int) -> RawFile:
    """Generate visits with an oddly named person key. Year of birth and sex repeat with the key."""
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets |= {f"{person.born:%Y%m%d}"}
        for when, codes in person.visits:
            rows.append(
                (
                    i,
                    ",".join(
                        [
                            f"{person.number * 7919 % 999_983}",
                            f"{person.born:%Y%m%d}",
                            person.sex,
                            person.zip,
                            f"{when:%Y%m%d}",
                            " ".join(codes),
                        ]
                    ),
                )
            )
    return _of("export.csv", "ref,d1,g,plz,d2,codes", rows, all_of_them, secrets, before="sep=,\n", unit="ref")


def survey(n: int, seed: int) -> RawFile:
    """Generate persons without names, each with a single row. A guarantee per row is correct for these data."""
    random = np.random.default_rng(seed + 4)
    rows = []
    for i in range(n):
        age = int(np.clip(random.normal(45, 16), 18, 94))
        job = str(random.choice(["clerk", "nurse", "driver", "teacher", "farmer", "cook", "none"]))
        rows.append(
            (
                i,
                f"{age},{random.choice(['f', 'm'])},{random.integers(100, 140)}00,{job},"
                f"{int(random.lognormal(10, 0.5))}",
            )
        )
    return _of("survey.csv", "age,sex,postcode,occupation,income", rows, [], set(), codes=False)


def loyalty(n: int, seed: int) -> RawFile:
    """Generate the articles that the customers of a shop bought."""
    all_of_them = people(n, seed, ARTICLES)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets |= {f"{person.number}"}
        for when, codes in person.visits:
            rows += [(i, f"{person.number};{when:%d.%m.%Y};{code}") for code in codes]
    return _of("kasse.csv", "Kundennummer;Datum;Artikel", rows, all_of_them, secrets, unit="Kundennummer")


def french_register(n: int, seed: int) -> RawFile:
    """Generate hospital stays with French words and several codes per cell."""
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets |= {person.surname, person.first, f"{person.born:%d/%m/%Y}"}
        for when, codes in person.visits:
            rows.append((i, ";".join([str(person.number), person.surname, person.first, f"{person.born:%d/%m/%Y}",
                                       person.zip, {"m": "H", "w": "F"}[person.sex],
                                       f"{when:%d/%m/%Y}", " ".join(codes)])))  # fmt: skip
    head = "N° patient;Nom;Prénom;Date de naissance;Code postal;Sexe;Date d'entrée;Diagnostics"
    return _of("sejours.csv", head, rows, all_of_them, secrets, unit="N° patient")


def spoilt_numbers(n: int, seed: int) -> RawFile:
    """Generate diagnoses with identifiers that a spreadsheet wrote in scientific notation."""
    all_of_them = people(n, seed)
    rows = []
    for i, person in enumerate(all_of_them):
        for _, codes in person.visits:
            rows += [
                (
                    i,
                    f"{person.number / 1e5:.5f}E+11".replace(".", ",")
                    + f";{2024 - person.born.year};{person.sex};{code}",
                )
                for code in codes
            ]
    return _of("excel.csv", "Fallnummer;Alter;Geschlecht;ICD", rows, all_of_them, set())


def clean_patients(n: int, seed: int) -> RawFile:
    """Generate patients with identifiers and codes. Some codes are words for a missing value."""
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets |= {str(person.number), f"p{person.number}@example.org"}
        job = "k.A." if i % 7 == 0 else ("clerk", "nurse", "driver")[i % 3]
        rows.append(
            (
                i,
                f"{person.number},p{person.number}@example.org,{2024 - person.born.year},{person.sex},{job},"
                f'"{" ".join(sorted(person.codes))}"',
            )
        )
    return _of("patients.csv", "mrn,e-mail,age,sex,occupation,diagnoses", rows, all_of_them, secrets)


def cases_of_named(n: int, seed: int) -> RawFile:
    """Generate cases with a case number. Only name and date of birth identify the persons."""
    random = np.random.default_rng(seed + 5)
    all_of_them = people(n, seed)
    rows, secrets, case = [], set[str](), 70_000
    for i, person in enumerate(all_of_them):
        secrets |= {person.surname, person.first, f"{person.born:%d.%m.%Y}"}
        for when, codes in person.visits:
            case += int(random.integers(1, 7))
            fields = [
                str(case),
                person.surname,
                person.first,
                f"{person.born:%d.%m.%Y}",
                person.sex,
                person.zip,
                f"{when:%d.%m.%Y}",
            ]
            rows.append((i, ";".join([*fields, " ".join(codes)])))
    head = "Fallnummer;Nachname;Vorname;Geburtsdatum;Geschlecht;PLZ;Aufnahme;Diagnosen"
    return _of("faelle.csv", head, rows, all_of_them, secrets, unit="Nachname,Vorname,Geburtsdatum")


def visits_without_ids(n: int, seed: int) -> RawFile:
    """Generate visits without names or identifiers. Year of birth, sex and postcode belong to the person."""
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        secrets.add(f"{person.born:%m/%d/%Y}")
        for when, codes in person.visits:
            fields = [f"{person.born:%m/%d/%Y}", person.sex, person.zip, f"{when:%m/%d/%Y}", " ".join(codes)]
            rows.append((i, ",".join(fields)))
    return _of(
        "visits.csv",
        "date_of_birth,sex,zip,visit_date,dx_codes",
        rows,
        all_of_them,
        secrets,
        unit="date_of_birth,sex,zip",
    )


def titled_extract(n: int, seed: int) -> RawFile:
    """Generate admissions, separated by tabs below a title. Numbers contain blanks, dates have the form 12-Mar-1950,
    and bars separate codes.
    """
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    for i, person in enumerate(all_of_them):
        number = f"{person.number:06d}{person.number * 31 % 10_000:04d}"
        secrets |= {person.surname, person.first, f"{person.born:%d-%b-%Y}"}
        for when, codes in person.visits:
            fields = [f"{number[:3]} {number[3:6]} {number[6:]}", f"{person.surname}, {person.first}",
                      f"{person.born:%d-%b-%Y}", person.sex.upper(), person.zip, f"{when:%d-%b-%Y}"]  # fmt: skip
            rows.append((i, "\t".join([*fields, "|".join(codes)])))
    head = "NHS Number\tPatient Name\tDate of Birth\tSex\tPostcode\tAdmission Date\tDiagnosis codes"
    return _of("extract.txt", head, rows, all_of_them, secrets, before="Discharge extract 2024\n", unit="NHS Number")


def absences(n: int, seed: int) -> RawFile:
    """Generate absences of pupils. Only first name and surname identify a pupil."""
    random = np.random.default_rng(seed + 6)
    all_of_them = people(n, seed)
    rows, secrets = [], set[str]()
    persons = {
        name: i for i, name in enumerate(dict.fromkeys((person.surname, person.first) for person in all_of_them))
    }
    for entry in all_of_them:
        secrets |= {entry.surname, entry.first}
        form = f"{5 + entry.number % 6}{'abc'[entry.number % 3]}"
        for when, _ in entry.visits:
            reason = str(random.choice(["krank", "Arzt", "unentschuldigt", "Fahrt"]))
            fields = [entry.surname, entry.first, form, f"{when:%d.%m.%Y}", str(random.integers(1, 8)), reason]
            rows.append((persons[entry.surname, entry.first], ";".join(fields)))
    head = "Nachname;Vorname;Klasse;Datum;Stunden;Grund"
    return _of("fehlzeiten.csv", head, rows, all_of_them, secrets, codes=False, unit="Nachname,Vorname")


def shop_orders(n: int, seed: int, header: str = "kontakt") -> RawFile:
    """Generate order lines with an e-mail address under an uninformative header."""
    random = np.random.default_rng(seed + 7)
    all_of_them = people(n, seed, ARTICLES)
    rows, secrets, order, item_sets = [], set[str](), 9_000, []
    for i, person in enumerate(all_of_them):
        address = f"{person.first}.{person.surname}{i}@example.org".lower()
        secrets |= {address}
        item_sets.append(person.codes)
        for when, articles in person.visits:
            order += 1
            for article in articles:
                price = f"{random.integers(1, 90)}.{random.integers(10, 99)}"
                fields = [
                    str(order),
                    address,
                    person.zip,
                    f"{when:%Y-%m-%d}",
                    article,
                    str(random.integers(1, 5)),
                    price,
                ]
                rows.append((i, ",".join(fields)))
    head = f"order_no,{header},plz,date,product,qty,price"
    made = _of("orders.csv", head, rows, all_of_them, secrets, unit=header)
    return replace(made, codes=item_sets)


def orders_by_name(n: int, seed: int) -> RawFile:
    """Generate order lines with the buyer's full name under an uninformative header."""
    all_of_them = people(n, seed, ARTICLES)
    rows, secrets = [], set[str]()
    persons = {
        name: i for i, name in enumerate(dict.fromkeys((person.surname, person.first) for person in all_of_them))
    }
    for entry in all_of_them:
        secrets |= {entry.surname, entry.first}
        for when, articles in entry.visits:
            who = persons[entry.surname, entry.first]
            rows += [(who, f"{entry.first} {entry.surname},{when:%Y-%m-%d},{article}") for article in articles]
    return _of("shop.csv", "who,when,article", rows, all_of_them, secrets, codes=False, unit="who")


def claims_by_combination(n: int, seed: int) -> RawFile:
    """Generate claims. The owner knows that two columns together identify a person."""
    random = np.random.default_rng(seed + 8)
    all_of_them = people(n, seed)
    rows, secrets, item_sets = [], set[str](), []
    for i, person in enumerate(all_of_them):
        item_sets.append(person.codes)
        insurer, number = f"K{i % 7}", f"{i // 7 + 100:05d}"
        for when, codes in person.visits:
            for code in codes:
                price = int(random.integers(20, 4000))
                rows.append((i, f"{insurer},{number},{person.sex},{when:%Y-%m-%d},{code},{price}"))
    head = "fund,contract,sex,claim_date,dx,price"
    made = _of("contracts.csv", head, rows, all_of_them, secrets, unit="fund,contract")
    return replace(made, codes=item_sets, flags="--unit fund,contract")


def survey_with_one_secret(n: int, seed: int) -> RawFile:
    """Generate persons with a secret column that has few, frequent values."""
    random = np.random.default_rng(seed + 9)
    rows = []
    for i in range(n):
        age = int(np.clip(random.normal(45, 16), 18, 94))
        status = str(random.choice(["negative", "positive"], p=[0.8, 0.2]))
        rows.append((i, f"{age},{random.choice(['f', 'm'])},{random.integers(100, 112)}00,{status}"))
    made = _of("health.csv", "age,sex,postcode,HIV status", rows, [], set(), codes=False)
    return replace(made, sensitive=("HIV status",))


def survey_with_secrets(n: int, seed: int) -> RawFile:
    """Generate persons with several secret columns."""
    random = np.random.default_rng(seed + 10)
    rows = []
    for i in range(n):
        fields = [
            int(random.integers(18, 90)), random.choice(["f", "m"]), random.choice(["Nord", "Süd", "West"]),
            random.choice(["r.-k.", "ev.", "keine"]), int(random.integers(12, 80)) * 1000, random.integers(1, 7),
        ]  # fmt: skip
        rows.append((i, ";".join(map(str, fields))))
    head = "Alter;Geschlecht;Region;Religion;Einkommen;Schulnote"
    made = _of("umfrage.csv", head, rows, [], set(), codes=False)
    return replace(made, sensitive=("Religion", "Einkommen", "Schulnote"))


def long_claims(n: int, seed: int) -> RawFile:
    """Generate claim lines with the insured person's number. Amounts and places of service vary."""
    random = np.random.default_rng(seed + 11)
    all_of_them = people(n, seed)
    rows, secrets, item_sets, claim = [], set[str](), [], 0
    for i, person in enumerate(all_of_them):
        secrets |= {f"M{person.number}"}
        item_sets.append(person.codes)
        for when, codes in person.visits:
            claim += 1
            for line, code in enumerate(codes, 1):
                fields = [f"C{claim:06d}", str(line), f"M{person.number}", person.sex, str(person.born.year),
                          f"{when:%m/%d/%Y}", code, f"{random.integers(1000, 90000) / 100:.2f}"]  # fmt: skip
                rows.append((i, ",".join(fields)))
    head = "CLM_ID,LINE_NUM,MEMBER_ID,SEX,BIRTH_YEAR,SERVICE_DATE,ICD_CODE,PAID_AMOUNT"
    return replace(_of("claims.csv", head, rows, all_of_them, secrets, unit="MEMBER_ID"), codes=item_sets)


def disagreeing(n: int, seed: int) -> RawFile:
    """Generate hospital stays with a unique number. The insured person's number repeats."""
    all_of_them = people(n, seed)
    rows, secrets, stay = [], set[str](), 40_000
    for i, person in enumerate(all_of_them):
        secrets |= {f"{person.number}"}
        for _, codes in person.visits:
            stay += 3
            rows.append((i, f"{stay},{person.number},{person.sex},{2024 - person.born.year},{'|'.join(codes)}"))
    head = "encounter_id,insurance_no,sex,age,diagnoses"
    return _of("stays.csv", head, rows, all_of_them, secrets, unit="insurance_no")


RAW_FILES: dict[str, Callable[[int, int], RawFile]] = {
    make.__name__: make
    for make in (
        german_diagnoses,
        english_encounters,
        crosses,
        prescriptions,
        unnamed_key,
        survey,
        loyalty,
        french_register,
        spoilt_numbers,
        clean_patients,
        cases_of_named,
        visits_without_ids,
        titled_extract,
        absences,
        shop_orders,
        orders_by_name,
        claims_by_combination,
        survey_with_one_secret,
        survey_with_secrets,
        long_claims,
        disagreeing,
    )
}
