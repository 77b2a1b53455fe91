"""Write the files and the settings of a drawn job, and what is known about its persons.

The persons are made first, without the engine. The files are written from them, and `publication` compares what is
published with them.
"""

import csv
import gzip
import io
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.combinations.table import BOTH, BUCKETS, FACTORS, LINKED, MERGED, RELATIONAL, Choice
from tests.reference.publication import Person, Persons

CODES = [f"{letter}{digit}" for letter in "ABC" for digit in (1, 2, 3, 4)]
SECRETS = ["S1", "S2"]
DRUGS = ["X1", "X2", "Y1", "Y2"]
ILLNESSES = ["asthma", "gout", "ulcer", "flu"]
ZIPS = ["47602", "47605", "47677", "13053", "13068"]
CANARIES = {
    "name": ["Hannelore Katzenberger", "Giuseppe Antonelli", "Margaret Thistlewood", "Friedrich Obermaier"],
    "mail": ["h.katze{}@example.org", "thistle{}@mail.example", "g{}.anton@example.net"],
    "phone": ["+49 170 55512{:02}", "+44 7700 9001{:02}"],
    "date": ["19{}-0{}-1{}"],
    "text": ["fell off a ladder near house {} and complained"],
    "id": ["QX{:05}"],
}
Row = dict[str, Any]


@dataclass
class Made:
    """A job with its files."""

    choice: Choice
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    persons: Persons = field(default_factory=Persons)
    secrets: list[str] = field(default_factory=list)
    """Texts that must not occur in any output."""
    seed: object = 0
    names: dict[str, str] = field(default_factory=dict)
    """Names of columns in the file that differ from those of the table."""

    def named_persons(self) -> Persons:
        """What is known about the persons, with the names of the columns in the publication."""
        sets_of_one = (
            self.choice["layout"] in ("one_hot", "one_code", "fimi", "baskets") or self.choice["format"] == "dat"
        )
        names = self.names | ({"codes": "items"} if sets_of_one else {})
        if self.choice["layout"] in LINKED:
            names = {column: f"people.{column}" for column in self.persons.relational}
        return replace(self.persons, column_of={**names, **self.persons.column_of})


def canary(kind: str, number: int) -> str:
    forms = CANARIES[kind]
    form = forms[number % len(forms)]
    if kind == "name":
        return f"{form} {'ABCDEFGH'[number // 4 % 8]}." if number % 2 else form
    return form.format(*([10 + number % 80, 1 + number % 9, number % 9] if kind == "date" else [number]))


def population(seed: object, all_codes: Sequence[str], *, with_secrets: bool) -> list[Person]:
    """Make persons in groups of about eight that resemble each other."""
    chance = random.Random(f"persons {seed}")
    persons = []
    for _ in range(8):
        codes, drugs = chance.sample(all_codes, 3), chance.sample(DRUGS, 2)
        sex, zipcode, age = chance.choice("fm"), chance.choice(ZIPS), chance.randint(20, 60)
        for _ in range(chance.randint(6, 9)):
            own = {code for code in codes if chance.random() < 0.8} or {codes[0]}
            if chance.random() < 0.2:
                own.add(chance.choice(all_codes))
            if with_secrets and chance.random() < 0.15:
                own.add(chance.choice(SECRETS))
            values = {"age": age + chance.randint(0, 5), "sex": sex, "zip": zipcode}
            values |= {"illness": chance.choice(ILLNESSES), "year": chance.choice(["2020", "2021"])}
            taken = {drug for drug in drugs if chance.random() < 0.7} or {drugs[0]}
            persons.append(Person(values, {"codes": own, "drugs": taken}))
    chance.shuffle(persons)
    return persons


def make(choice: Choice, folder: Path, seed: object = 0) -> Made:
    """Write the files of a job into a folder."""
    return _Maker(choice, folder, seed).make()


class _Maker:
    def __init__(self, choice: Choice, folder: Path, seed: object) -> None:
        self.choice, self.seed = choice, seed
        self.chance = random.Random(f"files {seed}")
        self.model, self.algorithm = choice["search"].split("/")
        self.layout = choice["layout"]
        self.made = Made(choice, folder, seed=seed)
        self.settings = self.made.settings
        self.relational = ["age", "sex", "zip"] if self.model in (*RELATIONAL, *BOTH) else []
        self.sets = [] if self.model in (*RELATIONAL, *BUCKETS) else ["codes"]
        if self.layout == "two" or self.layout in LINKED:
            self.sets = ["codes", "drugs"]
        self.sensitive = "illness" if self.model in ("kl", "kt", *BUCKETS) else None
        self.keep = ["year"] if choice["keep"] != "none" or self.layout == "groups" else []
        self.unit = {"long": ["pid"], "persons": ["pid"], "composite": ["fund", "number"]}.get(self.layout, [])
        if self.layout in LINKED:
            self.unit = ["pid"]
        kind, _, role = choice["canary"].partition(":")
        self.canary, self.canary_role = kind, role
        self.names: dict[str, str] = {}
        self.leaves: dict[str, list[str]] = {}
        self._rename()
        if self.layout == "nested":
            self.names = {"codes": "codes.coding[system=icd].code"} | {c: f"who.{c}" for c in self.relational}

    def _rename(self) -> None:
        if self.canary_role == "mention":
            self.names["note"] = "surname"
        odd, _, column = self.choice["header"].partition(":")
        forms = {"comma": "{},x", "colon": "a:{}", "quote": 'the "{}"', "equals": "{}=1", "dot": "a.{}"}
        forms |= {"blank": "{} no", "long": "{}" + "_x" * 60}
        if column:
            self.names[column] = forms[odd].format(column)

    def name(self, column: str) -> str:
        return self.names.get(column, column)

    def make(self) -> Made:
        hard = "optimal" in (self.algorithm, self.choice["transaction"]) or self.choice["utility_constraints"]
        codes = CODES[::3] if hard and self.choice["with_header"] else CODES  # with a header, each code is six items
        persons = population(self.seed, codes, with_secrets=bool(self.choice["sensitive_items"]))
        if self.choice["t_distance"] == "ordered":
            for person in persons:
                person.values["illness"] = ILLNESSES.index(person.values["illness"])
        if self.choice["labels"] != "codes":
            form = self._form()
            persons = [replace(p, items={c: {form.format(i) for i in s} for c, s in p.items.items()}) for p in persons]
        if self.choice["sensitive_items"]:
            for person, secret in zip(persons[:4], [*SECRETS, *SECRETS], strict=True):
                person.items["codes"] |= {self._form().format(secret)}
        if self.choice["keep"] == "rare":
            persons[5].values["year"] = "18713452"
            self.made.secrets.append("18713452")
        if self.choice["empty"] == "record":
            persons[3].items["codes"] = set()
        for number, person in enumerate(persons):
            person.key = self._key(number)
        self.made.persons = Persons(persons, self.relational, self.sets, [*self.keep, *filter(None, [self.sensitive])])
        self.settings |= {"model": self.model, "algorithm": self.algorithm}
        if self.layout in LINKED:
            self._linked(persons)
        elif self.layout in ("fimi", "baskets"):
            self._lines(persons)
        elif self.layout == "nested":
            self._nested(persons)
        else:
            self._table(persons)
        self._hierarchies()
        self._parameters()
        self._output()
        self.made.names = self.names
        return self.made

    def _form(self) -> str:
        return {"codes": "{}", "blanks": "{} x", "commas": "{},x"}[self.choice["labels"]]

    def _key(self, number: int) -> str:
        if self.canary == "id":
            return self._secret("id", number)
        if self.choice["ids"] == "folded":
            return f"Stra\u00dfe{1000 + number}"
        return str(1000 + number) if self.choice["ids"] == "numbers" else f"Pa{1000 + number}"

    def _secret(self, kind: str, number: int) -> str:
        text = canary(kind, number)
        self.made.secrets.append(text)
        return text

    def _surname(self, number: int) -> str:
        """Return a surname that no list contains. There are few if the search examines all cuts."""
        number = number % 8 if "optimal" in (self.algorithm, self.choice["transaction"]) else number
        return f"Zel{'bdfgklmnprtvw'[number % 13]}{'aeiou'[number // 13 % 5]}quist"

    # ---------------------------------------------------------------- values as they are written

    def _codes_of(self, person: Person, number: int, column: str) -> list[str]:
        """Return the items of a person as they are written, and correct what is known about the person."""
        items = sorted(person.items[column])
        if column == "codes" and self.choice["unknown"] == "suppress" and number % 9 == 0:
            items = [*items, "ZZ9"]
            person.lost[column] = {"ZZ9"}
        if column == "codes" and self.choice["unknown"] == "prefix" and number % 9 == 0:
            items = [*items, "A17"]
            person.items[column] = person.items[column] | {"A1"}
        if column == "codes" and self.choice["inner_items"] == "leaf" and number % 5 == 0:
            items = [*items, "B"]
            person.items[column] = person.items[column] | {"B:unspecified"}
        if self.choice["normalize"] in ("upper", "codes=upper") and column == "codes" and number % 3 == 0:
            items = [item.lower() for item in items]
        self.chance.shuffle(items)
        if self.canary_role == "mention" and column == "codes" and number % 2:
            items = [*items, f"call {self._surname(number)}"]
            person.items[column] = {*person.items[column], items[-1]}
        if self.canary_role == "items" and column == "drugs":
            listed = "file" in (self.choice["utility_constraints"], self.choice["item_loss"])
            few = listed or self.model == "coherence" or "optimal" in (self.algorithm, self.choice["transaction"])
            between = " " if self.choice["separator"] and not listed else "_"
            items = [self._secret(self.canary, number % 4 if few else number).replace(" ", between)]
            upper = self.choice["normalize"] == "upper"
            person.items[column] = {item.upper() if upper else item for item in items}
        return items

    def _scalars(self, person: Person, number: int) -> Row:
        """Return the values of a person, without items and ids, as they are written."""
        row: Row = {}
        for column in (*self.relational, *self.keep, *filter(None, [self.sensitive])):
            value = person.values[column]
            if column == "age" and self.choice["decimal"]:
                value = person.values["age"] = value + 0.5
                value = f"{value}".replace(".", self.choice["decimal"])
            if column == "zip" and self.choice["null"] in ("-", "zip=-") and number % 9 < 2:
                value, person.values["zip"] = "-", "?"
            if column == "zip" and self.choice["normalize"] == "zip=strip-blanks" and number % 2:
                value = f"{value[:2]} {value[2:]}"
            if column == self.sensitive and self.canary_role == "sensitive":
                value = self._secret(self.canary, number)
            row[column] = value
        row["note"] = f"n{number % 3}"
        if self.canary_role == "mention":
            row["note"] = self._surname(number)
            self.made.secrets += [row["note"]] if self.choice["publish_as_is"] != "codes" else []
        if self.canary_role == "drop":
            row["note"] = self._secret(self.canary, number)
        if self.canary_role == "keep":
            row["contact"] = self._secret(self.canary, number)
        return row

    def _ids(self, person: Person, turn: int) -> Row:
        key = person.key
        if self.choice["ids"] == "spelled" and turn % 2:
            key = self.chance.choice([key.lower(), f" {key}", key.upper(), f"{key[:2]}-{key[2:]}"])
        if self.choice["ids"] == "folded" and turn % 2:
            key = self.chance.choice([key.upper(), key.replace("\u00df", "ss"), f"\u200b{key}", key.lower()])
        if self.choice["ids"] == "numbers" and turn % 2:
            key = f"0{key}"
        elif self.choice["normalize"] == "pid=+49":
            key = f"+49 {key}"
        if self.choice["normalize"] == "pid=fill-down" and turn:
            key = ""
        if self.unit == ["fund", "number"]:
            return {"fund": f"F{key[-1]}", "number": key[:-1]}
        return {"pid": key} if self.unit else {}

    def _rows(self, persons: list[Person]) -> list[Row]:
        rows: list[Row] = []
        for number, person in enumerate(persons):
            scalars = self._scalars(person, number)
            codes = {column: self._codes_of(person, number, column) for column in self.sets}
            if self.layout == "groups":
                rows += [{"pid": person.key, **scalars}]
            elif self.layout == "persons":
                rows += [{**self._ids(person, turn), **self._later(scalars, turn)} for turn in (0, 1)]
            elif self.layout in MERGED:
                for turn, code in enumerate(codes["codes"] or [""]):
                    rows.append({**self._ids(person, turn), **self._later(scalars, turn), "codes": code})
            elif self.layout == "one_hot":
                yes, no = self._marks()
                own = codes["codes"]
                labels = sorted({*self._occurring("codes"), *own})
                rows.append(
                    {**scalars, **{f"dx_{x}": (x if yes == "filled" else yes) if x in own else no for x in labels}}
                )
            elif self.layout == "one_code":
                cells = [*codes["codes"], *[""] * 6][:6]
                rows.append({**scalars, **{f"dx{n}": code for n, code in enumerate(cells)}})
                if self.choice["with_header"]:
                    person.items["codes"] = {f"dx{n}={code}" for n, code in enumerate(cells) if code}
            else:
                rows.append({**scalars, **codes})
        if self.choice["null"] in ("-", "codes=-"):
            rows[4]["codes"] = "-"
            persons[4].items["codes"] = set()
        if self.choice["skip_rows"] == "no-id":
            rows.insert(5, {**rows[5], **dict.fromkeys(self.unit, "")})
        return rows

    def _later(self, scalars: Row, turn: int) -> Row:
        """A later row of a person; with ``differing``, it has another age, and in blank ``later rows``, no sex."""
        if self.choice["later rows"] and turn and "sex" in scalars:
            scalars = {**scalars, "sex": ""}
        if self.choice["differing"] and turn and "age" in scalars:
            age = str(scalars["age"]).replace("2", "3")
            return {**scalars, "age": int(age) if isinstance(scalars["age"], int) else age}
        return scalars

    def _occurring(self, column: str) -> list[str]:
        return sorted(set().union(*(person.items[column] for person in self.made.persons.all)))

    def _marks(self) -> tuple[str, str]:
        return {None: ("1", "0"), "Checked": ("Checked", "Unchecked"), "filled": ("filled", "")}[self.choice["present"]]

    # ---------------------------------------------------------------- layouts

    def _table(self, persons: list[Person]) -> None:
        rows = self._rows(persons)
        if self.choice["input"] == "repeated rows":
            rows = [row for row in rows for _ in range(self.chance.randint(1, 3))]
        if self.choice["input"] == "shuffled":
            self.chance.shuffle(rows)
        columns = list(rows[0])
        self._roles(columns)
        place = self._places(columns)
        rows = [{place[column]: self._cell(value, column) for column, value in row.items()} for row in rows]
        self._write("data", rows, list(place.values()), main=True)

    def _places(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the names of columns in the file."""
        if self.choice["no_header"]:
            self.names.update({column: str(n) for n, column in enumerate(columns, 1)})
        return {column: self.name(column) for column in columns}

    def _cell(self, value: Any, column: str) -> Any:
        if not isinstance(value, list):
            return value
        if (
            self.choice["file"] in ("jsonl", "parquet", "string_view")
            and self.choice["separator"] is None
            and self.choice["null"] in (None, "zip=-")
        ):
            return value
        separator = self.choice["separator"]
        if separator == "list":
            return repr(value)
        default = ";" if self.choice["labels"] != "codes" else " "
        return {None: default, "codes=;": ";" if column == "codes" else " "}.get(separator, separator).join(value)

    def _roles(self, columns: Sequence[str]) -> None:
        if self.choice["no_header"]:
            self._places(columns)
        names = self.name
        put = self.settings
        if self.relational:
            put["relational"] = [names(column) for column in self.relational]
        if self.sensitive:
            put["sensitive"] = names(self.sensitive)
        keep = [*self.keep, *(["contact"] if self.canary_role == "keep" else [])]
        if keep:
            put["keep"] = [names(column) for column in keep]
        if self.choice["keep"] == "declared" and self.layout != "groups":
            put["publish_as_is"] = [names("year")]
        put["drop"] = [names("note")]
        if self.layout == "groups":
            put["id"] = [names("pid")]
        elif self.unit:
            put["unit"] = [names(column) for column in self.unit]
        else:
            put["unit"] = ["row"]
        if self.layout == "one_hot":
            put["one_hot"] = ["dx_*"]
        elif self.layout == "one_code":
            put["one_code"] = ["dx*"]
        elif self.sets:
            put["items"] = [names(column) for column in self.sets]

    def _linked(self, persons: list[Person]) -> None:
        put, tables = self.settings, dict[str, Any]()
        put["unit"] = ["pid"]
        files: dict[str, list[Row]] = {"codes": [], "drugs": []}
        described: list[Row] = []
        for number, person in enumerate(persons):
            described.append({**self._ids(person, 0), **self._scalars(person, number)})
            for column in ("codes", "drugs"):
                for turn, code in enumerate(self._codes_of(person, number, column)):
                    files[column].append(
                        {**self._ids(person, turn), column: code, "day": f"2024-01-{1 + number % 28:02}"}
                    )
        if self.choice["skip_rows"] == "no-id":
            files["codes"].insert(3, {**files["codes"][3], "pid": ""})
        if self.choice["skip_rows"] == "undescribed":
            files["codes"].append(
                {**files["codes"][3], "pid": "Pa999999" if self.choice["ids"] != "numbers" else "999999"}
            )
        for rows in files.values():
            if self.choice["input"] == "repeated rows":
                rows += rows[::2]
            if self.choice["input"] in ("repeated rows", "shuffled"):
                self.chance.shuffle(rows)
        if self.layout == "linked":
            if self.choice["input"] == "shuffled":
                self.chance.shuffle(described)
            path = self._write("people", described, list(described[0]))
            tables["people"] = {"input": path, "relational": self.relational, "drop": ["note"]}
        for column, rows in files.items():
            tables[column] = {"input": self._write(column, rows, list(rows[0])), "items": [column]}
            self.made.persons.column_of[column] = f"{column}.{column}"
        if self.choice["null"] == "in a table":
            tables["codes"]["null"] = "-"
        put["tables"] = tables

    def _linked_or(self, column: str) -> str:
        return self._linked_name(column) if self.layout in LINKED else self.name(column)

    @staticmethod
    def _linked_name(column: str) -> str:
        return f"{column}.{column}" if column in ("codes", "drugs") else f"people.{column}"

    def _lines(self, persons: list[Person]) -> None:
        lines = [self._codes_of(person, number, "codes") for number, person in enumerate(persons)]
        if self.choice["input"] == "shuffled":
            self.chance.shuffle(lines)
        numbers = {code: str(n) for n, code in enumerate([*CODES, *SECRETS], 10)}
        fimi = self.layout == "fimi"
        if fimi:
            for person in persons:
                person.items["codes"] = {numbers[code] for code in person.items["codes"]}
            lines = [[numbers[code] for code in line] for line in lines]
        path = self.made.folder / ("data.dat" if fimi else "data.txt")
        text = "".join((" " if fimi else ",").join(line) + "\n" for line in lines)
        path.write_bytes(text.encode(self._encoding()))
        self.settings["input"] = str(path)
        if not fimi:
            self.settings["input_format"] = "baskets"
        elif self.choice["input_format"]:
            self.settings["input_format"] = "fimi"
        self.made.persons.column_of["codes"] = "items"

    def _nested(self, persons: list[Person]) -> None:
        lines = []
        for number, person in enumerate(persons):
            coded = [{"system": "icd", "code": code} for code in self._codes_of(person, number, "codes")]
            row = {
                "codes": {"coding": [*coded, {"system": "other", "code": "Q9"}]},
                "who": self._scalars(person, number),
            }
            lines.append(json.dumps(row))
        if self.choice["input"] == "shuffled":
            self.chance.shuffle(lines)
        path = self.made.folder / "data.jsonl"
        path.write_text("\n".join(lines) + "\n")
        self.settings |= {"input": str(path), "items": [self.name("codes")], "unit": ["row"]}
        self.settings["drop"] = ["who.note"]
        if self.relational:
            self.settings["relational"] = [self.name(column) for column in self.relational]

    def _encoding(self) -> str:
        return {None: "utf-8", "latin-1": "latin-1", "utf-16 by its mark": "utf-16"}[self.choice["encoding"]]

    def _write(self, stem: str, rows: list[Row], columns: list[str], *, main: bool = False) -> str:
        """Write rows into a file, or into two. Return the path."""
        kind, folder = self.choice["file"], self.made.folder
        if main and self.choice["input"] == "two files":
            (folder / stem).mkdir()
            half = len(rows) // 2
            for n, part in enumerate((rows[:half], rows[half:])):
                self._write_file(folder / stem / f"part{n}.{_ending(kind)}", part, columns, main=True)
            path = folder / stem
        else:
            path = folder / f"{stem}.{_ending(kind)}"
            self._write_file(path, rows, columns, main=main)
        if main:
            self.settings["input"] = str(path)
            if self.choice["input_format"]:
                self.settings["input_format"] = "parquet" if kind == "string_view" else kind.removesuffix(".gz")
        return str(path)

    def _write_file(self, path: Path, rows: list[Row], columns: list[str], *, main: bool) -> None:
        kind = self.choice["file"]
        if kind in ("csv", "tsv", "csv.gz"):
            text = self._text(rows, columns, main=main).encode(self._encoding())
            path.write_bytes(gzip.compress(text) if kind == "csv.gz" else text)
        elif kind == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif kind in ("parquet", "string_view"):
            table = pa.table({column: [row[column] for row in rows] for column in columns})
            if kind == "string_view":
                views = [pa.field(f.name, pa.string_view() if f.type == pa.string() else f.type) for f in table.schema]
                table = table.cast(pa.schema(views))
            pq.write_table(table, path)
        elif kind == "xlsx":
            import openpyxl

            book = openpyxl.Workbook()
            for _ in range(self.choice["header_line"] - 1):
                book.active.append(["a title"])
            book.active.append(columns)
            for row in rows:
                book.active.append([row[column] for column in columns])
            book.save(path)
        else:
            import pandas as pd
            import pyreadstat

            frame = pd.DataFrame({column: [row[column] for row in rows] for column in columns})
            getattr(pyreadstat, f"write_{kind}")(frame, str(path))

    def _text(self, rows: list[Row], columns: list[str], *, main: bool) -> str:
        delimiter = {None: ",", "tab": "\t", "detected |": "|"}.get(self.choice["delimiter"], self.choice["delimiter"])
        delimiter = "\t" if self.choice["file"] == "tsv" else delimiter
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        if main:
            text.write("a title\n" * (self.choice["header_line"] - 1))
        if not (main and self.choice["no_header"]):
            writer.writerow(columns)
        if main and self.choice["skip_rows"] == "labels":
            writer.writerow([json.dumps({"ImportId": f"Q{n}"}) for n in range(len(columns))])
        for row in rows:
            writer.writerow([row[column] for column in columns])
        if main and self.choice["skip_rows"] == "footer":
            writer.writerow(["Total: 99 rows", *[""] * (len(columns) - 1)])
        return text.getvalue()

    # ---------------------------------------------------------------- settings

    def _hierarchies(self) -> None:
        specs: dict[str, str] = {}
        tree = self.choice["tree"]
        if tree and self.sets and (self.model != "rho" or self.choice["generalize"]):
            joined = self.layout in ("one_hot", "one_code", "fimi", "baskets")
            for column in self.sets:
                specs["items" if joined else self._linked_or(column)] = self._tree(column, tree)
        if self.relational:
            specs |= {self._linked_or(c): s for c in ("age", "zip") if (s := self._of_attribute(c))}
        if specs:
            self.settings["hierarchy"] = specs

    def _tree(self, column: str, kind: str) -> str:
        labels = {"codes": CODES, "drugs": DRUGS}[column]
        if column == "codes" and self.choice["sensitive_items"] and self.model not in ("lm", "klm", "rho"):
            labels = [*labels, *SECRETS]
        form = self._form()
        path = self.made.folder / f"tree-{column}.csv"
        numbers = {code: str(n) for n, code in enumerate([*CODES, *SECRETS], 10)}
        with path.open("w", newline="") as file:
            for label in labels:
                leaf = numbers[label] if self.layout == "fimi" else form.format(label)
                above = "AB" if label[0] in "AB" else "other"
                if kind == "file":
                    self.leaves.setdefault(column, []).append(leaf)
                csv.writer(file).writerow([leaf, label[0], above, "any"])
        return {"file": str(path), "refine": f"refine:{path}"}.get(kind, kind)

    def _of_attribute(self, column: str) -> str | None:
        spec = self.choice[column]
        if spec == "file":
            path = self.made.folder / "tree-zip.csv"
            path.write_text("".join(f"{z},{z[:3]},{z[:1]},any\n" for z in ZIPS))
            return str(path)
        return spec

    def _parameters(self) -> None:
        """Set the parameters that the algorithm has, and all other options whose factor is the setting."""
        from anonset.settings.parameters import parameters

        put, choice, folder = self.settings, self.choice, self.made.folder
        users = {name: parameter.users for name, parameter in parameters().items()}
        for name, users_of in users.items():
            if name in FACTORS and (value := choice[name]) is not None and self.algorithm in users_of:
                put[name] = value
        self.algorithm_has = lambda name: self.algorithm in users.get(name, ())
        if self.model not in ("kl", "lm", "klm", *BUCKETS):
            put.pop("l", None)
        elif self.model == "klm":
            put["l"] = choice["l"]
        if self.model != "kt":
            for name in ("t", "t_distance", "t_tree"):
                put.pop(name, None)
        if "t_tree" in put:
            put["t_tree"] = str(folder / "tree-illness.csv")
            Path(put["t_tree"]).write_text(
                "".join(f"{x},{'lung' if x in ('asthma', 'flu') else 'other'},any\n" for x in ILLNESSES)
            )
        if choice["sensitive_items"]:
            secrets = [self._form().format(x) for x in SECRETS] if self.layout != "fimi" else ["22", "23"]
            secrets = [f"{self.name('codes')}:{secret}" for secret in secrets] if self.layout == "two" else secrets
            put["sensitive_items"] = secrets
            if choice["sensitive_items"] == "file":
                (folder / "secrets.txt").write_text("\n".join(secrets) + "\n")
                put["sensitive_items"] = [f"@{folder / 'secrets.txt'}"]
        if "privacy_constraints" in put:
            self._policies()
        if choice["relational_weights"]:
            put["relational_weights"] = {self._linked_or(c): w for c, w in (("age", 0.5), ("sex", 0.25), ("zip", 0.25))}
        if choice["spoken"] == "split" and (rule := choice["rule of a dropped column"]):
            if rule == "normalize":
                put["normalize"] = [f"{self.name('note')}=upper"]
            elif rule == "hierarchy":
                put["hierarchy"] = {**put.get("hierarchy", {}), self.name("note"): "values"}
        if choice["ceiling"] == "zip":
            put["ceiling"] = {self._linked_or("zip"): "1"}
        elif choice["ceiling"]:
            (folder / "ceiling.txt").write_text("AB\nother\n")
            put["ceiling"] = {
                self._linked_or("codes"): str(folder / "ceiling.txt") if "file" in choice["ceiling"] else "1"
            }
        if self.model not in ("kl", "kt", "k") and self.algorithm != "cluster":
            put.pop("c", None)

    def _policies(self) -> None:
        put, folder = self.settings, self.made.folder
        prefix = f"{self.name('codes')}:" if self.layout == "two" else ""
        codes = [f"{prefix}{code}" for code in self._occurring("codes")[:12]]
        if put["privacy_constraints"] == "file":
            (folder / "private.txt").write_text(
                "\n".join(f"{a} {b}" for a, b in zip(codes, codes[4:], strict=False)) + "\n"
            )
            put["privacy_constraints"] = str(folder / "private.txt")
        if put["privacy_constraints"] != "km":
            del put["m"]
        if put.get("utility_constraints") == "file":
            named = {column: {*self._occurring(column), *self.leaves.get(column, ())} for column in self.sets}
            two = self.layout == "two"
            everything = [f"{self.name(c)}:{x}" if two else x for c in self.sets for x in sorted(named[c])]
            (folder / "utility.txt").write_text(
                "".join(" ".join(everything[n : n + 4]) + "\n" for n in range(0, len(everything), 4))
            )
            put["utility_constraints"] = str(folder / "utility.txt")
        if put.get("item_weights") == "file":
            (folder / "weights.txt").write_text("".join(f"0.5 {a} {b}\n" for a, b in pairwise(codes)))
            put["item_weights"] = str(folder / "weights.txt")

    def _output(self) -> None:
        put, choice = self.settings, self.choice
        plain = ("encoding", "no_header", "header_line", "decimal", "missing", "value_codes", "present", "with_header")
        plain += (
            "unknown",
            "inner_items",
            "differing",
            "round_ends",
            "max_loss",
            "max_work",
            "trace",
            "order",
            "symbols",
            "format",
        )
        for name in (*plain, "part_rows", "seed", "skip_rows", "separator", "delimiter"):
            if choice[name] != FACTORS[name][0]:
                put[name] = choice[name]
        for name in ("null", "normalize"):
            if isinstance(text := choice[name], str) and text != "in a table":
                column, equals, rule = text.rpartition("=")
                put[name] = [*put.get(name, []), f"{self.name(column)}={rule}" if equals else rule]
        if choice["accept"]:
            put["accept"] = [choice["accept"]]
        if put.get("item_loss"):
            sets = self.sets if self.layout == "two" else ()
            named = [f"{self.name(c)}:{x}" for c in sets for x in self._occurring(c)]
            codes = named or self._occurring("codes")
            lines = (f"0.5 {' '.join(codes[n : n + 4])}\n" for n in range(0, len(codes), 4))
            put["item_loss"] = str(self.made.folder / "losses.txt")
            Path(put["item_loss"]).write_text("".join(lines))
        if "skip_rows" in put:
            put["skip_rows"] = [put["skip_rows"]]
        if put.get("delimiter") == "detected |":
            del put["delimiter"]
        if put.get("encoding") == "utf-16 by its mark":
            del put["encoding"]
        if put.get("separator") == "codes=;":
            put["separator"] = f"{self.name('codes')}=;"
        if choice["labels"] != "codes" and self.layout in ("cell", "two") and "separator" not in put:
            put["separator"] = ";"
        if choice["numeric"]:
            put["numeric"] = [self.name("age")]
        if not choice["round_ends"]:
            put["publish_as_is"] = [*put.get("publish_as_is", []), self._linked_or("age")]
        if choice["publish_as_is"]:
            column = "items" if self.layout == "fimi" else self.name(choice["publish_as_is"])
            put["publish_as_is"] = [
                *put.get("publish_as_is", []),
                column if self.layout == "fimi" else self._linked_or(choice["publish_as_is"]),
            ]


def _ending(kind: str) -> str:
    return {"string_view": "parquet"}.get(kind, kind)
