"""Random pairs of jobs about the same persons, and what an attacker sees of both publications.

A publication is judged by its files and by the data alone: an item is the column and the text in the data after the
declared cleaning, and the naive attacker of `two_releases` enumerates the records that persons may have.
"""

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.reference.two_releases import Record, Release, Row, TwoReleases

Sets = Mapping[str, frozenset[str]]
"""Texts of a person by column."""
TEXTS = {"x": ("a1", "a2", "b1", "B1"), "y": ("c1", "c2")}
TREES = {
    "x": (
        "a1,a,ALL\na2,a,ALL\nb1,b,ALL\nB1,b,ALL\n",
        "a1,p,ALL\nb1,p,ALL\na2,q,ALL\nB1,q,ALL\n",
        "a1,ALL\na2,ALL\nB1,ALL\n",
    ),
    "y": ("c1,c,ALL\nc2,c,ALL\n", "c1,ALL\nc2,ALL\n", "c1,ALL\n"),
}
"""Trees of each column. The last one lacks texts."""
PREFIX_TREES = {"x": ("a,A,ALL\nb1,B,ALL\nB1,B,ALL\n", "a,ALL\nb,ALL\nB1,ALL\n"), "y": ("c,ALL\n", "c1,ALL\nc2,ALL\n")}
_CHANGES = ("columns", "null", "unknown", "columns", "layout", "spelled", "lacks_others")


@dataclass
class JobOfPair:
    """A job, its data, and what the job does with the items of a person."""

    persons: dict[str, Sets]
    columns: tuple[str, ...]
    """Columns of items. The others are dropped, or the file lacks them."""
    layout: str
    lower: bool = False
    """True if `normalize` makes the texts of all columns lower case."""
    null: str = ""
    """Text of column x that means no value."""
    unknown: str = "error"
    trees: dict[str, str] = field(default_factory=dict)
    lacks_others: bool = False
    spelled: bool = False
    """True if ids are written in capitals."""

    def cleaned(self, person: str, column: str) -> frozenset[str]:
        texts = self.persons[person].get(column, frozenset())
        return frozenset(text.lower() if self.lower else text for text in texts)

    @property
    def present(self) -> list[str]:
        """Persons in the data. Linked tables contain no person without rows."""
        return [one for one in self.persons if self.layout != "tables" or self.record(one)]

    def record(self, person: str) -> Record:
        """Return the items of a person in the columns of items, with those that reading removes."""
        return frozenset(f"{column}:{text}" for column in self.columns for text in self.cleaned(person, column))

    def label(self, item: str) -> str:
        """Return the name of an item in the codebook."""
        column, _, text = item.partition(":")
        if self.unknown == "prefix":
            nodes = {cell for line in self.trees[column].split() for cell in line.split(",")}
            text = next((text[:end] for end in range(len(text), 0, -1) if text[:end] in nodes), text)
        shown = f"{'' if self.layout != 'tables' else f'{column}.'}{column}"
        return f"{shown}:{text}" if len(self.columns) > 1 else text

    def texts_of(self, label: str) -> Record:
        """Return the items with a name that `risk` gives to a known item."""
        if label.startswith("\x1f"):  # the later release lacks the column, or the item
            column, _, text = label[1:].partition(":")
            return frozenset({f"{column.rpartition('.')[2]}:{text}"})
        items = [f"{column}:{text}" for column in self.columns for text in (*TEXTS[column], "b1")]
        return frozenset(item for item in items if self.label(item) == label)

    def release(self, out: Path, known: Mapping[str, Record], every: Sequence[str]) -> Release:
        """Return what an attacker sees. `known` are the items of each person that an attacker may know."""
        with (out / "codebook.csv").open() as lines:
            book = {row["symbol"]: row["members"].split() for row in csv.DictReader(lines)}
        universe = frozenset().union(*known.values(), {f"{c}:{t}" for c in TEXTS for t in (*TEXTS[c], "b1")})
        named = {item: self.label(item) for item in universe if item.partition(":")[0] in self.columns}
        if self.null:
            named.pop(f"x:{self.null}", None)
        members = {
            symbol: {item for item, label in named.items() if label in labels} for symbol, labels in book.items()
        }
        shown = set().union(*members.values())
        own = frozenset().union(*map(self.record, self.present))
        certain = own <= shown and {*every} <= {*self.columns}
        naive = Release([known[one] for one in self.present], [], members, certain)
        rows = [naive.shown(record) for record in naive.records]
        if (out / "published.csv").exists():  # linked tables have several files
            with (out / "published.csv").open() as lines:
                published = [self._symbols(row, book) for row in csv.DictReader(lines)]
            assert Counter(published) == Counter(rows), "the publication has other rows"
        return Release(naive.records, rows, members, certain)

    def _symbols(self, row: Mapping[str, str], book: Mapping[str, Sequence[str]]) -> Row:
        cells = [(column, part) for column, cell in row.items() for part in cell.replace(";", " ").split()]
        return frozenset(full if (full := f"{column}:{part}") in book else part for column, part in cells)

    def arguments(self, folder: Path, name: str, k: int, m: int) -> list[str]:
        """Write the files of the job, and return the arguments of the command line."""
        places = {}
        for column in self.columns:
            shown = f"{column}.{column}" if self.layout == "tables" else column
            places[shown] = folder / f"{name}.{column}.tree.csv"
            places[shown].write_text(self.trees[column])
        options = [
            "--model", "km", "--k", str(k), "--m", str(m), "--algorithm", "apriori", "--accept", "worthless,empty",
            "--unknown", self.unknown, *(f"--hierarchy={column}={place}" for column, place in places.items()),
        ]  # fmt: skip
        options += ["--normalize", "lower"] * self.lower
        ids = {person: person.upper() if self.spelled else person for person in self.persons}
        written = tuple(TEXTS) if not self.lacks_others else self.columns
        dropped = [column for column in written if column not in self.columns]
        publish = ["--publish-as-is", ",".join(places)]
        null = f"x={self.null}"
        if self.layout == "tables":
            lines = ['unit = "who"']
            for column in self.columns:
                rows = [f"{ids[one]},{text}" for one in ids for text in sorted(self.persons[one].get(column, ()))]
                table = folder / f"{name}.{column}.csv"
                table.write_text("\n".join([f"who,{column}", *rows, ""]))
                lines += [f"[tables.{column}]", f'input = "{table}"', f'items = "{column}"']
                lines += (
                    [
                        f'null = ["{self.null}"]',
                    ]
                    if self.null and column == "x"
                    else []
                )
            job = folder / f"{name}.toml"
            options = [option for option in options if not option.startswith("--hierarchy")]
            lines += ["[hierarchy]", *(f'"{column}" = "{place}"' for column, place in places.items())]
            job.write_text("\n".join([*lines, ""]))
            more = ["--missing", "empty"] if self.null else []
            return ["anonymize", str(job), *options, *more, *publish, "-o", str(folder / name)]
        options += ["--null", null, "--missing", "empty"] if self.null else []
        options += ["--drop", ",".join(dropped)] if dropped else []
        options += ["--unit", "who", "--items", ",".join(self.columns), *publish]
        cells = {one: [sorted(self.persons[one].get(column, ())) for column in written] for one in ids}
        if self.layout == "json":
            path = folder / f"{name}.jsonl"
            rows = [json.dumps({"who": ids[one], **dict(zip(written, cells[one], strict=True))}) for one in ids]
            path.write_text("\n".join([*rows, ""]))
        else:
            path = folder / f"{name}.csv"
            mark = ";" if self.layout == "semicolons" else " "
            options += ["--separator", mark] * (mark == ";")
            longest = max(len(cell) for row in cells.values() for cell in row) if self.layout == "long" else 1
            rows = [",".join([ids[one], *map(mark.join, cells[one])]) for one in ids]
            if self.layout == "long":
                of_row = {
                    one: [[*map("".join, (cell[n : n + 1] for cell in cells[one]))] for n in range(longest)]
                    for one in ids
                }
                rows = [",".join([ids[one], *row]) for one in ids for row in of_row[one]]
            path.write_text("\n".join([",".join(["who", *written]), *rows, ""]))
        return ["anonymize", str(path), *options, "-o", str(folder / name)]


def random_pair(random: Random) -> tuple[JobOfPair, JobOfPair, int, int]:
    """Return an earlier and a later job, k and m."""
    k, m = 2, random.choice([1, 2, 2])
    n, density = random.randint(14, 40), random.choice([0.2, 0.35, 0.5])
    before: dict[str, Sets] = {f"p{i}q": _drawn(random, density) for i in range(n)}
    now = {one: _drawn(random, density) if random.random() < 0.1 else sets for one, sets in before.items()}
    for one in random.sample(list(now), random.choice([0, 0, 1, 3])):
        del now[one]
    now |= {f"n{i}q": _drawn(random, density) for i in range(random.choice([0, 0, 2]))}
    shuffled = random.sample(list(now), len(now))
    first = _job(random, before)
    if random.random() < 0.3:
        second = _job(random, {one: now[one] for one in shuffled})
    else:
        second = JobOfPair(**{**vars(first), "persons": {one: now[one] for one in shuffled}})
        other = _job(random, now)
        for change in random.sample([*_CHANGES, *_CHANGES[:4]], random.randint(1, 4)):
            setattr(second, change, getattr(other, change))
            if change == "unknown":
                second.trees = other.trees
    if {first.layout, second.layout} > {"tables"} and random.random() < 0.8:
        second.layout = first.layout
    for job in (first, second):  # a cell of several items is never null
        job.null = job.null if job.layout in ("long", "tables") else ""
        if job.lower and job.null == "b1":  # B1 in lower case is the same item, and is not null
            job.null = "a1"
    return first, second, k, m


def _drawn(random: Random, density: float) -> Sets:
    return {column: frozenset(text for text in texts if random.random() < density) for column, texts in TEXTS.items()}


def _job(random: Random, persons: dict[str, Sets]) -> JobOfPair:
    columns = random.choice([("x",), ("x",), ("x",), ("y",), ("x", "y"), ("x", "y"), ("x", "y")])
    unknown = random.choice(["error", "error", "suppress", "suppress", "suppress", "prefix"])
    trees = {}
    for column in TEXTS:
        among = {"error": TREES[column][:2], "suppress": TREES[column][1:], "prefix": PREFIX_TREES[column]}[unknown]
        trees[column] = random.choice(among)
    layout = random.choice(["sets", "semicolons", "long", "long", "long", "tables", "tables", "json"])
    null = random.choice(["", "a1", "b1"]) if "x" in columns else ""
    lower, lacks_others, spelled = random.random() < 0.05, random.random() < 0.3, random.random() < 0.3
    return JobOfPair(persons, columns, layout, lower, null, unknown, trees, lacks_others, spelled)


def attacker_of(first: JobOfPair, second: JobOfPair, folder: Path) -> TwoReleases:
    """Return the attacker with the publications `first` and `second` in a folder."""
    known = {one: second.record(one) for one in second.present}
    for one in known.keys() & {*first.present}:
        known[one] |= {item for item in first.record(one) if item.partition(":")[0] not in second.columns}
    every = (*first.columns, *second.columns)
    sides = (
        second.release(folder / "second", known, every),
        first.release(folder / "first", {one: first.record(one) for one in first.present}, every),
    )
    numbers = {one: number for number, one in enumerate(first.present)}
    pairs = [(number, numbers[one]) for number, one in enumerate(second.present) if one in numbers]
    universe = frozenset().union(
        *known.values(), *map(first.record, first.present), *(x for s in sides for x in s.members.values())
    )
    return TwoReleases(*sides, pairs, universe)
