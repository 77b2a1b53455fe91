"""A recipient who knows the persons: reads published files, and checks the model and the truth by brute force.

It shares nothing with the engine. It reads CSV, FIMI and Parquet files, the codebook, and the roles in the attestation.
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.reference.two_releases import Release

Symbols = frozenset[tuple[str, str]]
"""Published symbols of a row, with their columns."""


@dataclass
class Person:
    values: dict[str, Any]
    items: dict[str, set[str]]
    lost: dict[str, set[str]] = field(default_factory=dict)
    """Items that reading removes."""
    key: str = ""


@dataclass
class Persons:
    """What the input says, and the roles of its columns."""

    all: list[Person] = field(default_factory=list)
    relational: list[str] = field(default_factory=list)
    sets: list[str] = field(default_factory=list)
    exact: list[str] = field(default_factory=list)
    """Columns that are published unchanged."""
    column_of: dict[str, str] = field(default_factory=dict)
    """Name of each column in the publication, if it differs."""


@dataclass
class PublishedRow:
    values: dict[str, str]
    items: Symbols


@dataclass
class Publication:
    """The published files of records."""

    attestation: dict[str, Any]
    rows: list[PublishedRow]
    members: dict[str, frozenset[str]]


def read_table(path: Path) -> list[dict[str, str]]:
    """Read the rows of a published file, or of the folder of its parts."""
    for found in (path, *(path.with_suffix(ending) for ending in (".csv", ".parquet", ".dat"))):
        if found.is_dir():
            return [row for part in sorted(found.iterdir()) for row in read_table(part)]
        if found.is_file() and found.suffix == ".parquet":
            rows = pq.read_table(found).to_pylist()
            return [
                {n: "" if v is None else v if isinstance(v, list) else f"{v}" for n, v in row.items()} for row in rows
            ]
        if found.is_file() and found.suffix == ".dat":
            return [{"": line} for line in found.read_text().split("\n")[:-1]]
        if found.is_file():
            with found.open(newline="") as file:
                return list(csv.DictReader(file))
    raise AssertionError(f"{path} is not published")


def read_publication(out: Path) -> Publication:
    attestation = json.loads((out / "attestation.json").read_text())
    data, members = attestation["data"], {}
    if (out / "codebook.csv").exists():
        for row in read_table(out / "codebook.csv"):
            (listed,) = csv.reader([row["members"]], delimiter=" ")
            members[row["symbol"]] = frozenset(listed)
    sets = data.get("items") or []
    for column in sets if len(sets) > 1 else ():  # a symbol of one column is published without the column's name
        members |= {
            f"{column}:{s.replace(f'{column}:', '')}": m
            for s, m in members.items()
            if all(x.startswith(f"{column}:") for x in m)
        }
    if (out / "tables").is_dir():
        return Publication(attestation, _linked_rows(out / "tables", sets), members)
    rows = []
    for row in read_table(out / "published"):
        named = {sets[0]: row[""]} if set(row) == {""} else row
        cells = {column: _split(named[column], data.get("separator") or " ") for column in sets}
        symbols = frozenset((column, symbol) for column, cell in cells.items() for symbol in cell)
        rows.append(PublishedRow({n: v for n, v in named.items() if n not in sets}, symbols))
    return Publication(attestation, rows, members)


def _split(cell: Any, separator: str) -> list[str]:
    if isinstance(cell, list):
        return cell
    if separator == " ":
        (parts,) = csv.reader([cell], delimiter=" ") if cell else [[]]
        return parts
    return [part.strip() for part in cell.split(separator) if part.strip()]


def _linked_rows(folder: Path, sets: Sequence[str]) -> list[PublishedRow]:
    values: dict[str, dict[str, str]] = {}
    symbols = defaultdict[str, set[tuple[str, str]]](set)
    for path in sorted(folder.iterdir()):
        for row in read_table(path.with_suffix("") if path.is_file() else path):
            named = {f"{path.stem}.{column}": value for column, value in row.items() if column != "record"}
            if found := [column for column in named if column in sets]:
                symbols[row["record"]].add((found[0], named[found[0]]))
            else:
                values[row["record"]] = named
    return [PublishedRow(values[record], frozenset(symbols[record])) for record in values | symbols]


# ---------------------------------------------------------------- truth


def covers_value(published: str, value: Any, leaves_below: Mapping[str, frozenset[str]]) -> bool:
    """Whether a published value may stand for a value: itself, a range, a set, a prefix or the root."""
    text = f"{value}"
    if published in (text, "*", "any") or text in leaves_below.get(published, ()):
        return True
    if ends := re.fullmatch(r"\[(-?[\d.]*):(-?[\d.]*)([\])])", published):
        low, high = (float(end) if end else None for end in ends.groups()[:2])
        above = low is None or low <= float(value)
        return above and (high is None or float(value) < high or (ends[3] == "]" and float(value) == high))
    if published.startswith("("):
        return text in published[1:-1].split(",")
    if isinstance(value, (int, float)):
        return bool(re.fullmatch(r"-?[\d.]+", published)) and float(published) == float(value)
    if set(published) & {"*"}:
        return text.startswith(published.rstrip("*"))
    return text != "?" and len(published) < len(text) and text.startswith(published)


def untruths(publication: Publication, persons: Persons, *, suppresses: bool) -> Iterator[str]:
    """Yield each way in which the publication is not about these persons: each person must have a row of their own."""
    rows = publication.rows
    if len(rows) != len(persons.all):
        yield f"{len(rows)} rows for {len(persons.all)} persons"
        return
    columns = [persons.column_of.get(c, c) for c in persons.sets]
    shown = {column for row in rows for column, _ in row.items}
    if not shown <= set(columns):
        yield f"items are published in columns {sorted(shown)}, not {columns}"
    occurring = {(persons.column_of.get(c, c), item) for p in persons.all for c in persons.sets for item in p.items[c]}
    recoded = {item for symbols in {row.items for row in rows} for item in _members(publication, symbols, columns)}
    if not suppresses and (gone := sorted(occurring - recoded - _lost(persons))) and persons.sets:
        yield f"{len(gone)} items are not published, such as {gone[0]}"
    fitting = [
        [n for n, row in enumerate(rows) if _fits(publication, persons, person, row, suppresses)]
        for person in persons.all
    ]
    unmatched = _unmatched(fitting)
    if unmatched is not None:
        yield f"no row is left for person {unmatched}, whom {len(fitting[unmatched])} rows fit"


def _lost(persons: Persons) -> set[tuple[str, str]]:
    return {(persons.column_of.get(c, c), item) for p in persons.all for c, s in p.lost.items() for item in s}


def _members(publication: Publication, symbols: Symbols, columns: Sequence[str]) -> set[tuple[str, str]]:
    """Return the items that symbols stand for."""
    found = set[tuple[str, str]]()
    for column, symbol in symbols:
        listed = publication.members.get(f"{column}:{symbol}") or publication.members.get(f"{column}.{symbol}")
        listed = listed or publication.members.get(symbol) or frozenset({symbol})
        for item in listed:
            of = next((c for c in columns if len(columns) > 1 and item.startswith(f"{c}:")), column)
            found.add((of, item.removeprefix(f"{of}:") if len(columns) > 1 else item))
    return found


def _fits(publication: Publication, persons: Persons, person: Person, row: PublishedRow, suppresses: bool) -> bool:
    for column in (*persons.relational, *persons.exact):
        name = persons.column_of.get(column, column)
        leaves = publication.members
        if name in row.values and not covers_value(row.values[name], person.values[column], leaves):
            return False
        if name not in row.values:
            return False
    columns = [persons.column_of.get(c, c) for c in persons.sets]
    own = {(persons.column_of.get(c, c), item) for c in persons.sets for item in person.items[c]}
    stands_for = [_members(publication, frozenset({symbol}), columns) for symbol in row.items]
    if not all(members & own for members in stands_for):
        return False
    return suppresses or own <= set[tuple[str, str]]().union(*stands_for)


def _unmatched(fitting: Sequence[Sequence[int]]) -> int | None:
    """Return a person without a row if each row is given to one person. None if there is none."""
    owner: dict[int, int] = {}

    def place(person: int, seen: set[int]) -> bool:
        for row in fitting[person]:
            if row not in seen:
                seen.add(row)
                if row not in owner or place(owner[row], seen):
                    owner[row] = person
                    return True
        return False

    return next((person for person in range(len(fitting)) if not place(person, set())), None)


# ---------------------------------------------------------------- models


def sets_of(rows: Sequence[PublishedRow], m: int) -> Counter[Symbols]:
    """Count the rows that contain each set of up to `m` symbols. A symbol of several columns is one symbol."""
    counts: Counter[Symbols] = Counter()
    for row in rows:
        for size in range(1, m + 1):
            counts.update(map(frozenset, combinations(sorted(row.items), size)))
    return counts


def classes(rows: Sequence[PublishedRow], columns: Sequence[str]) -> list[list[PublishedRow]]:
    found = defaultdict[tuple[str, ...], list[PublishedRow]](list)
    for row in rows:
        found[tuple(row.values[column] for column in columns)].append(row)
    return list(found.values())


def breaches(publication: Publication, parameters: Mapping[str, Any], persons: Persons) -> Iterator[str]:
    """Yield each breach of the promised model."""
    model, rows, given = publication.attestation["model"], publication.rows, parameters
    if given["model"] in ("k", "kl", "kt"):
        yield from _class_breaches(rows, given, persons)
    elif given["model"] in ("km", "constraints") and "m" in given:
        yield from _rare(rows, given["k"], given["m"], model)
    elif given["model"] == "transaction-k":
        yield from _rare_rows(rows, given["k"])
    elif given["model"] in ("kkm", "klm", "lm"):
        columns = [persons.column_of.get(column, column) for column in persons.relational]
        for members in classes(rows, columns):
            if columns and len(members) < given["k"]:
                yield f"a class of {len(members)} rows"
            if given["model"] == "kkm":
                yield from _rare(members, given["k"], given["m"], model)
            else:
                yield from _undiverse(members, given)
    elif given["model"] == "rho":
        yield from _certain(rows, given)
    elif given["model"] == "coherence":
        yield from _incoherent(rows, given)


def _rare(rows: Sequence[PublishedRow], k: int, m: int, model: str) -> Iterator[str]:
    for symbols, count in sets_of(rows, m).items():
        if count < k:
            yield f"{model}: {sorted(symbols)} in {count} rows"
            return


def _rare_rows(rows: Sequence[PublishedRow], k: int) -> Iterator[str]:
    yield from (f"{n} rows {sorted(symbols)}" for symbols, n in Counter(row.items for row in rows).items() if n < k)


def _class_breaches(rows: Sequence[PublishedRow], given: Mapping[str, Any], persons: Persons) -> Iterator[str]:
    illness = persons.column_of.get("illness", "illness")
    everyone = Counter(row.values.get(illness) for row in rows)
    for members in classes(rows, [persons.column_of.get(c, c) for c in persons.relational]):
        if len(members) < given["k"]:
            yield f"a class of {len(members)} rows"
        counts = Counter(row.values.get(illness) for row in members)
        if given["model"] == "kl" and not _is_diverse(sorted(counts.values(), reverse=True), given):
            yield f"{given.get('l_kind')}: a class with {dict(counts)}"
        if given["model"] == "kt" and given.get("t_distance", "equal") == "equal":
            apart = sum(abs(Fraction(counts[v], len(members)) - Fraction(everyone[v], len(rows))) for v in everyone) / 2
            if apart > Fraction(given["t"]):
                yield f"a class at distance {apart}"


def _is_diverse(counts: Sequence[int], given: Mapping[str, Any]) -> bool:
    l, kind = given["l"], given.get("l_kind", "distinct")  # noqa: E741
    if kind == "entropy":
        total = sum(counts)
        return -sum(n / total * log(n / total) for n in counts) >= log(l) - 1e-9
    if kind == "recursive":
        return counts[0] < Fraction(given["c"]) * sum(counts[l - 1 :])
    return len(counts) >= l


def _secrets(given: Mapping[str, Any]) -> set[str]:
    listed = given.get("sensitive_items", [])
    listed = Path(listed[0][1:]).read_text().split("\n")[:-1] if listed and listed[0].startswith("@") else listed
    return {item.rpartition(":")[2] for item in listed}


def _shares(
    rows: Sequence[PublishedRow], size: int, secrets: set[str], *, secret_too: bool
) -> Iterator[tuple[Symbols, int, Fraction]]:
    """Yield the known sets, the number of rows that match, and the largest share of a further secret item."""
    plain = [
        PublishedRow(row.values, frozenset(s for s in row.items if secret_too or s[1] not in secrets)) for row in rows
    ]
    for known, count in sets_of(plain, size).items():
        matching = [row for row in rows if known <= row.items]
        shares = Counter(s for row in matching for s in row.items - known if s[1] in secrets)
        yield known, count, Fraction(max(shares.values(), default=0), len(matching))


def _undiverse(rows: Sequence[PublishedRow], given: Mapping[str, Any]) -> Iterator[str]:
    for known, count, share in _shares(rows, given["m"], _secrets(given), secret_too=False):
        if count < given["k"] or share > Fraction(1, int(given["l"])):
            yield f"{sorted(known)} in {count} rows, share {share}"
            return


def _certain(rows: Sequence[PublishedRow], given: Mapping[str, Any]) -> Iterator[str]:
    rho = Fraction(given["rho"])
    for known, _, share in _shares(rows, given["m"], _secrets(given), secret_too=True):
        if share > rho or (share == rho and given.get("strict") is not False):
            yield f"{sorted(known)}: share {share}"
            return


def _incoherent(rows: Sequence[PublishedRow], given: Mapping[str, Any]) -> Iterator[str]:
    for known, count, share in _shares(rows, given["p"], _secrets(given), secret_too=False):
        if count < given["k"] or share > Fraction(given.get("h", 1)):
            yield f"{sorted(known)} in {count} rows, share {share}"
            return


def bucket_breaches(out: Path, given: Mapping[str, Any], persons: Persons, removed: int) -> Iterator[str]:
    """Yield each breach and untruth of buckets: identities and sensitive values in groups.

    `removed` is the number of rows that the private report counts as removed.
    """
    identities, values = read_table(out / "qit"), read_table(out / "snt")
    if not len(identities) == len(values) == len(persons.all) - removed:
        yield f"{len(identities)} identities and {len(values)} values of {len(persons.all)} rows, {removed} removed"
    pid, year, illness = (persons.column_of.get(column, column) for column in ("pid", "year", "illness"))
    told = Counter((row[pid], row.get(year, "")) for row in identities)
    known = Counter((p.key, p.values["year"] if "year" in persons.exact else "") for p in persons.all)
    if told - known:
        yield "an identity that is not in the input"
    if Counter(row[illness] for row in values) - Counter(p.values["illness"] for p in persons.all):
        yield "a sensitive value that is not in the input"
    for group in {row["group"] for row in values}:
        counts = Counter(row[illness] for row in values if row["group"] == group)
        if max(counts.values()) * int(given["l"]) > sum(counts.values()):
            yield f"group {group}: {dict(counts)}"
        people = {row[pid] for row in identities if row["group"] == group}
        if given["model"] == "safe-grouping" and len(people) < given["k"]:
            yield f"group {group} with {len(people)} persons"


def chunk_breaches(out: Path, given: Mapping[str, Any], persons: Persons) -> Iterator[str]:
    """Yield each set of up to m items in a chunk that fewer than k of its records contain."""
    rows = read_table(out / "chunks")
    total = sum(int(row["n"]) for row in read_table(out / "clusters"))
    if total != len(persons.all):
        yield f"{total} records of {len(persons.all)} persons"
    if "k" not in given:
        return
    for chunk in {(row["cluster"], row["chunk"]) for row in rows}:
        counts: Counter[frozenset[str]] = Counter()
        for row in rows:
            if (row["cluster"], row["chunk"]) == chunk:
                items = (
                    row["items"]
                    if isinstance(row["items"], list)
                    else _split(row["items"], ";" if ";" in row["items"] else " ")
                )
                for size in range(1, given["m"] + 1):
                    for known in combinations(sorted(items), size):
                        counts[frozenset(known)] += int(row["count"])
        if rare := [known for known, n in counts.items() if n < given["k"]]:
            yield f"chunk {chunk}: {sorted(rare[0])} in {counts[rare[0]]} records"


def release_of(out: Path, persons: Persons, sets: Sequence[str]) -> Release:
    """Return what an attacker sees of a release, with the record of each person as the input has it.

    The private list of records says which row a person has.
    """
    publication, columns = read_publication(out), [persons.column_of.get(column, column) for column in sets]
    row_of = {int(r["input_record"]): int(r["published_row"]) for r in read_table(Path(f"{out}.private") / "records")}
    records = [frozenset(f"{column}:{item}" for column in sets for item in p.items[column]) for p in persons.all]
    names = dict(zip(columns, sets, strict=True))
    everything = publication.attestation["data"]["items"]
    shown = {(column, symbol) for row in publication.rows for column, symbol in row.items if column in names}
    stands_for = {shown_as: _members(publication, frozenset({shown_as}), everything) for shown_as in shown}
    members = {
        f"{names[c]}:{s}": {f"{names[of]}:{item}" for of, item in items if of in names}
        for (c, s), items in stands_for.items()
    }
    own = [publication.rows[row_of[n]].items for n in range(len(records))]
    rows = [frozenset(f"{names[c]}:{s}" for c, s in symbols if c in names) for symbols in own]
    return Release(records, rows, members, certain=False)
