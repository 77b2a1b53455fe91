"""Measure which kinds of identifying values the scan of a publication finds, and write a page of the documentation.

python -m tests.columns.scan_figures --page docs/development/scan.md
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from tests.columns.drawing import Texts
from tests.columns.generators import parse_values

import anonset
from anonset.data import Table
from anonset.data.storage.store import MEMORY
from anonset.errors import DisclosureError
from anonset.privacy import KAnonymity, KmAnonymity
from anonset.release.scan.disclosure_scan import Scanner, names_of_persons

Spec = str | tuple[str, ...]
_INITIAL = "choice|" + "|".join(f"{letter}. " for letter in "ABCDEFGHIJKLMNOPRSTUVW")
KINDS: Mapping[str, Sequence[Spec]] = {
    "e-mail address": ("email",),
    "telephone number": (
        r"pattern|+4\9 30 9999999", r"pattern|0171/9999999", r"pattern|(212) 999-9999", r"pattern|07700 999999",
        r"pattern|+1-212-999-9999", r"pattern|06 99 99 99 99", r"pattern|212-999-9999",
    ),
    "IBAN": ("iban|DE", "iban|GB", "iban|FR", "iban|NL"),
    "national id with a check digit": (
        "valid|pl.pesel|99999999999", "valid|gb.nhs|9999999999", "valid|se.personnummer|999999-9999",
        "valid|es.dni|99999999A", "valid|it.codicefiscale|AAAAAA99A99A999A", "valid|nl.bsn|999999999",
        "valid|tr.tckimlik|99999999999", "valid|br.cpf|999.999.999-99", "valid|ch.ssn|756.9999.9999.99",
        "valid|fr.nir|199999999999999", "valid|de.idnr|99999999999", "valid|fi.hetu|999999-999A",
        "valid|cn.ric|110101199909199999", "valid|in_.aadhaar|9999 9999 9999", "valid|be.nn|99999999999",
        "valid|no.fodselsnummer|99999999999", "valid|kr.rrn|999999-9999999", "valid|ca.sin|999-999-999",
        "valid|dk.cpr|999999-9999", "valid|za.idnr|9999999999999",
    ),
    "card number": ("valid|luhn|4999999999999999",),
    "IMEI": ("valid|imei|359999999999999",),
    "social security number": ("valid|us.ssn|999-99-9999",),
    "full date": (
        "date|%Y-%m-%d|1930-01-01|2012-12-31", "date|%d.%m.%Y|1930-01-01|2012-12-31",
        "date|%d/%m/%Y|1930-01-01|2012-12-31", "date|%d %b %Y|1930-01-01|2012-12-31",
        "date|%B %d, %Y|1930-01-01|2012-12-31", "date|%Y%m%d|1930-01-01|2012-12-31",
    ),
    "time stamp": (
        "date|%Y-%m-%d %H:%M:%S|2020-01-01|2022-12-31", "date|%Y-%m-%dT%H:%M|2020-01-01|2022-12-31",
        "date|%d.%m.%Y %H:%M|2020-01-01|2022-12-31",
    ),
    "address with number and postcode": (
        ("street|de", "pattern|, 99999 ", "city|de"), ("street|en", "pattern|, AA9 9AA"),
        ("street|fr", "pattern|, 99999 ", "city|fr"), ("street|es", "pattern|, 99999 ", "city|es"),
        ("street|it", "pattern|, 99999 ", "city|it"), ("street|nl", "pattern|, 9999 AA ", "city|nl"),
        ("street|pl", "pattern|, 99-999 ", "city|pl"), ("street|en", "pattern|, 99999-9999"),
        ("street|pt", "pattern|, 9999-999 ", "city|pt"),
    ),
    "street with number": ("street|de", "street|en", "street|fr", "street|es", "street|it", "street|nl"),
    "name": ("name|de|full", "name|en|full", "name|fr|last, first", "name|es|full", "name|pl|full", "name|tr|full"),
    "name in another script": ("name|zh|full", "name|ja|full", "name|ko|full", "name|ru|full", "name|el|full",
                               "name|ar|full", "name|he|full", "name|hi|full"),
    "surname": ("name|de|last", "name|en|last", "name|it|last"),
    "surname with initial": ((_INITIAL, "name|de|last"), (_INITIAL, "name|en|last")),
    "handle": ("pattern|@aaaaaa_99", "pattern|@aaaaaaaaa"),
    "user name": ("pattern|aaaaaa99", "pattern|aaaa.aaaaaaa"),
    "three words": (("words|en|2000", "constant|.", "words|en|2000", "constant|.", "words|en|2000"),
                    ("words|de|2000", "constant|.", "words|de|2000", "constant|.", "words|de|2000")),
    "latitude": ("normal|52.5|0.4|6", "normal|48.1|0.4|5"),
    "coordinates": (("normal|52.5|0.4|6", "constant|, ", "normal|13.4|0.4|6"),
                    ("normal|48.1|0.3|5", "constant| ", "normal|11.5|0.3|5")),
    "ZIP+4": (r"pattern|99999-9999",),
    "postcode of few houses": ("pattern|AA9 9AA", "pattern|9999 AA", "pattern|A9A 9A9"),
    "URL of a profile": (("constant|https://example.org/u/", "pattern|aaaaaa99"),
                         ("constant|https://example.org/", "pattern|aaaaaaaa")),
    "IP address": ("ip", "pattern|2001:db8:xxxx:xxxx:xxxx:xxxx:xxxx:xxxx"),
    "MAC address": ("mac",),
    "UUID": ("uuid",),
    "hash": ("pattern|xxxxxxxxxxxxxxxx", "pattern|xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    "number plate": (r"pattern|B-AA 9999", "pattern|AA99 AAA", "pattern|AA-999-AA"),
    "vehicle number": (r"pattern|\WVWZZZ1JZ\AA999999",),
    "passport number": (r"pattern|C9999AAA9", "pattern|AA9999999"),
    "personnel number": ("pattern|999999", r"pattern|P-99999"),
    "order number": (r"pattern|\A-999999", r"pattern|INV-9999-99999"),
    "household": (r"pattern|F99999x",),
    "health insurance number": (r"pattern|A999999999", "pattern|9AA9-AA9-AA99"),
    "tax number": ("pattern|99/999/99999", "pattern|99-9999999"),
    "free text": ("text|de|6|12", "text|en|6|12", "text|fr|6|12", "text|tr|6|12", "text|zh|6|12"),
    "short remark": ("text|de|2|4", "text|en|2|4", "text|ru|2|4"),
    "unknown words": ("pattern|aaaaaaaa", "pattern|Aaaaaaaaaa"),
}  # fmt: skip
"""Generators of each kind. A value of several generators is joined."""

ROLES = ("items", "sensitive", "kept", "kept beside buckets")
SHARING = ("unique", "shared by two", "a third of the rows")
PERSONS = (20, 200, 20_000)
_NAME = "x9"
Cell = tuple[str, str, str, int, bool, float]
"""Kind, role, sharing, number of persons, beside other columns, and the share found."""


def values_of(spec: Spec, n: int) -> Texts:
    """Return n values of a generator, distinct if the generator has enough."""
    draw = np.random.default_rng(1)
    distinct: dict[str, None] = {}
    for _ in range(2):
        made = [_unlike(part, draw, n) for part in ((spec,) if isinstance(spec, str) else spec)]
        distinct.update(dict.fromkeys("".join(row) for row in zip(*made, strict=True)))
        if len(distinct) >= n:
            break
    unique = list(distinct)
    return np.array([unique[i % len(unique)] for i in range(n)], dtype=object)


def _unlike(spec: str, draw: np.random.Generator, n: int) -> list[str]:
    values = parse_values(spec).draw(draw, n)
    return draw.permutation(values).tolist()


def spread(values: Texts, n: int, sharing: str) -> list[str]:
    """Return the values of n persons."""
    if sharing == "unique":
        return list(values[:n])
    if sharing == "shared by two":
        return [values[i // 2] for i in range(n)]
    return [values[i] if i % 3 == 0 else ("none", "seen", "well")[i % 7 % 3] for i in range(n)]


def table_of(column: list[str], role: str, *, beside: bool) -> Table:
    """Return a table with a column in a role, alone or beside other columns."""
    n = len(column)
    data: dict[str, object] = {"sex": [("f", "m")[i % 2] for i in range(n)]}
    rows = {"row": list(range(n))}
    others = {"ward": [("north", "south")[i // 2 % 2] for i in range(n)]} if beside else {}
    if role == "items":
        codes = {"codes": [[f"E{10 + i % 5}", f"I{10 + i % 3}"] for i in range(n)]} if beside else {}
        return anonset.read(data | {_NAME: [[value] for value in column]} | codes, items=[*codes, _NAME], drop="sex",
                            unit="row")  # fmt: skip
    if role == "kept beside buckets":
        outcome = [("well", "ill", "flu")[i % 3] for i in range(n)]
        return anonset.read(
            rows | {"outcome": outcome, _NAME: column} | others, id="row", sensitive="outcome", keep=[_NAME, *others]
        )
    if role == "sensitive":
        return anonset.read(rows | {_NAME: column} | others, id="row", sensitive=_NAME, keep=list(others))
    return anonset.read(data | {_NAME: column} | others, keep=[_NAME, *others], relational="sex", unit="row")


def is_found(table: Table, role: str) -> bool:
    """Return True if the check before a run or the scan finds a column."""
    if any(True for _ in names_of_persons(table, None)):
        return True
    if role == "items":
        assert table.transactions is not None
        scan = Scanner(table, KmAnonymity(k=5, m=2)).items
        findings = scan.shown(table.item_columns, table.transactions.vocabulary.labels)
        return any(_NAME in finding.column.split(",") for finding in findings)
    if role == "kept":
        return bool(Scanner(table, KAnonymity(k=5)).kept(table.kept, (), MEMORY))
    try:
        anonset.anonymize(table, anonset.Anatomy(l=2, seed=1)).to_arrow()
    except DisclosureError as error:
        return any(_NAME in finding.column.split(",") for finding in error.findings)
    return False


def measure(kinds: Mapping[str, Sequence[Spec]] = KINDS, persons: Sequence[int] = PERSONS) -> Iterator[Cell]:
    """Yield the share found of each cell."""
    for kind, specs in kinds.items():
        drawn = [values_of(spec, max(persons)) for spec in specs]
        for role, sharing, n, beside in product(ROLES, SHARING, persons, (False, True)):
            found = [is_found(table_of(spread(values, n, sharing), role, beside=beside), role) for values in drawn]
            yield kind, role, sharing, n, beside, sum(found) / len(found)


def page(cells: Iterable[Cell]) -> str:
    """Return the page of the documentation."""
    shares = {cell[:5]: cell[5] for cell in cells}
    kinds, persons = (list(dict.fromkeys(key[at] for key in shares)) for at in (0, 3))
    lines = [_INTRODUCTION.strip(), ""]
    for role in ROLES:
        heads = [f"{sharing}, {n:,}" for sharing, n in product(SHARING, persons)]
        lines += [f"## {_TITLES[role]}", "", f"| kind | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        for kind in kinds:
            row = []
            for sharing, n in product(SHARING, persons):
                alone, beside = (shares[kind, role, sharing, n, beside] for beside in (False, True))
                row.append(f"{alone:.0%}" if alone == beside else f"{alone:.0%} ({beside:.0%})")
            lines.append(f"| {kind} | {' | '.join(row)} |")
        lines.append("")
    return "\n".join(lines)


_TITLES = {
    "items": "Items",
    "sensitive": "Sensitive column of buckets",
    "kept": "Kept column",
    "kept beside buckets": "Kept column beside buckets",
}
_INTRODUCTION = """
# What the scan finds

The [scan of a publication](../stops.md) is a safety net. The tables state which kinds of identifying values it finds
in a column with a neutral header, by the role of the column, the number of persons, and how many persons have a
value: each person has their own (*unique*), two persons share it, or a third of the persons have their own and the
others have one of three common words. The heads state the number of persons. A cell is the share of the generators of
the kind whose values are found. A number in parentheses is the share beside other columns, if it differs. `python -m
tests.columns.scan_figures --page docs/development/scan.md` repeats the measurement, for 20, 200 and 20,000 persons, and
writes this page. That file lists the generators.
"""


def main() -> None:
    """Measure all kinds, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, required=True)
    parser.add_argument("--persons", type=int, nargs="+", default=PERSONS)
    given = parser.parse_args()
    given.page.write_text(page(measure(persons=given.persons)), encoding="utf-8")


if __name__ == "__main__":
    main()
