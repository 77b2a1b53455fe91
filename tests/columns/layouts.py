"""Labelled layouts: tables as organizations export them, with the true role of each column (see `corpus/README.md`).

Check all layouts:    python -m tests.columns.layouts --check
Write one table:      python -m tests.columns.layouts condition_occurrence --rows 200 -o out
"""

import argparse
import itertools
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.columns.generators import LayoutError, ValueGenerator, parse_values
from tests.columns.layout_errors import DOMAINS, FORMATS, KEYS, ROLES, layout_errors, option_errors
from tests.columns.tables import generate, write
from tests.columns.traits import broken_traits

__all__ = ["Layout", "LayoutColumn", "LayoutError", "expand", "generate", "main", "read_file", "read_layouts", "write"]

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = ("rules", "measure")
PERSON_ROLES = ("person", "name", "contact", "birth", "attribute")
"""Roles whose values belong to the person unless `per` says otherwise."""


@dataclass(frozen=True, kw_only=True)
class LayoutColumn:
    """One column of a layout: header, true role, generator and options."""

    header: str
    role: str
    values: str
    """Generator as written in the layout, such as ``codes|icd10|300``."""
    generator: ValueGenerator
    per: str
    """Scope of a value: ``person``, ``row``, ``episode``, or the name of another column."""
    pool: int | None = None
    set: tuple[str, float] | None = None
    """Separator and mean number of the values in a cell."""
    filled: float = 1.0
    missing: Mapping[str, float] = field(default_factory=dict)
    rare: float = 0.0
    variants: tuple[str, ...] = ()
    odd: Mapping[str, int] = field(default_factory=dict)

    @property
    def sources(self) -> list[str]:
        """Headers of the columns that this column depends on."""
        scope = [] if self.per in ("person", "row", "episode") else [self.per]
        return scope + ([self.generator.column] if self.generator.column else [])


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A table as an organization exports it, with the true roles."""

    name: str
    origin: str
    """Documentation that describes the layout."""
    language: str
    domain: str
    person: str
    """``COLUMN``, ``A,B``, ``row`` or ``unknown``."""
    rows: str
    """Rows per person."""
    traits: tuple[str, ...]
    columns: tuple[LayoutColumn, ...]
    format: str = "csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    above: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    after: tuple[tuple[str, ...], ...] = ()
    episodes: str | None = None
    present: str | None = None

    @property
    def person_columns(self) -> list[str]:
        """Headers of the columns that identify the true person; empty for ``row`` and ``unknown``."""
        return person_headers(self.person, [column.header for column in self.columns])

    def column(self, header: str) -> LayoutColumn:
        """Return the column of this header."""
        return next(column for column in self.columns if column.header == header)


def person_headers(person: str, headers: Sequence[str]) -> list[str]:
    """Return the headers that `person` names. A header that contains a comma is matched as a whole first."""
    if person in ("row", "unknown") and person not in headers:
        return []
    return [person] if person in headers else person.split(",")


def expand(header: str) -> list[str]:
    """Return the headers that ``{1..8}`` or ``{a,b,c}`` in a header stand for.

    >>> expand("dx{1..3}"), expand("q{01..02}_{a,b}"), expand("{x}")
    (['dx1', 'dx2', 'dx3'], ['q01_a', 'q01_b', 'q02_a', 'q02_b'], ['{x}'])
    """
    parts = re.split(r"(\{-?\d+\.\.-?\d+\}|\{[^{},]*(?:,[^{},]*)+\})", header)
    choices: list[list[str]] = []
    for number, part in enumerate(parts):
        if number % 2 == 0:
            choices.append([part])
        elif ".." in part and "," not in part:
            first, last = part[1:-1].split("..")
            step = 1 if int(first) <= int(last) else -1
            choices.append([f"{n:0{len(first)}d}" for n in range(int(first), int(last) + step, step)])
        else:
            choices.append(part[1:-1].split(","))
    return ["".join(combination) for combination in itertools.product(*choices)]


def read_layouts(folder: Path) -> list[Layout]:
    """Read and check all layouts of a folder. Raises LayoutError with one line per error."""
    layouts: list[Layout] = []
    errors: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        read, found = read_file(path)
        layouts += read
        errors += found
    names = Counter(layout.name for layout in layouts)
    errors += [f"{folder.name}: layout {name!r}: the name occurs {n} times" for name, n in names.items() if n > 1]
    if errors:
        raise LayoutError("\n".join(errors))
    return layouts


def read_file(path: Path) -> tuple[list[Layout], list[str]]:
    """Return the valid layouts of a file, and one line per error."""
    place = f"{path.parent.name}/{path.name}"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return [], [f"{place}: {error}"]
    layouts: list[Layout] = []
    errors = [f"{place}: unknown key {key!r}" for key in data if key not in ("origin", "layout")]
    if not isinstance(data.get("origin"), str):
        errors.append(f"{place}: origin is missing")
    for number, entry in enumerate(data.get("layout", []), 1):
        result = _Entry(entry, str(data.get("origin")))
        layout = result.parse()
        name = entry.get("name", f"number {number}")
        errors += [f"{place}: layout {name!r}: {message}" for message in result.errors]
        if layout is not None and not result.errors:
            layouts.append(layout)
    if not data.get("layout"):
        errors.append(f"{place}: contains no [[layout]]")
    return layouts, errors


class _Entry:
    """Parses one ``[[layout]]`` and collects its errors."""

    def __init__(self, entry: dict[str, Any], origin: str):
        self.entry = entry
        self.origin = origin
        self.errors: list[str] = []

    def parse(self) -> Layout | None:
        """Return the layout, or None if it cannot be built; `errors` is empty only if it is valid."""
        self.errors += [f"unknown key {key!r}" for key in self.entry if key not in KEYS]
        for key in ("name", "language", "domain", "person", "columns"):
            if not self.entry.get(key):
                self.errors.append(f"{key} is missing")
        columns = [column for entry in self.entry.get("columns", []) for column in self._columns(entry)]
        if self.errors:
            return None
        file_format = self._one_of("format", FORMATS, "csv")
        delimiters = {"tsv": "\t", "fimi": " "}
        layout = Layout(
            name=self.entry["name"],
            origin=self.origin,
            language=self.entry["language"],
            domain=self._one_of("domain", DOMAINS),
            person=self.entry["person"],
            rows=str(self.entry.get("rows", 1)),
            traits=tuple(self.entry.get("traits", ())),
            columns=tuple(columns),
            format=file_format,
            delimiter=self.entry.get("delimiter", delimiters.get(file_format, ",")),
            encoding=self.entry.get("encoding", "utf-8"),
            header=self.entry.get("header", file_format not in ("fimi", "baskets")),
            above=tuple(self.entry.get("above", ())),
            before=self._lines("before"),
            after=self._lines("after"),
            episodes=str(self.entry["episodes"]) if "episodes" in self.entry else None,
            present=str(self.entry["present"]) if "present" in self.entry else None,
        )
        self.errors += layout_errors(layout)
        return layout

    def _one_of(self, key: str, known: Sequence[str], default: str = "") -> str:
        value = self.entry.get(key, default)
        if value not in known:
            self.errors.append(f"unknown {key} {value!r} (known: {', '.join(known)})")
        return str(value)

    def _lines(self, key: str) -> tuple[tuple[str, ...], ...]:
        lines = self.entry.get(key, [])
        if any(not isinstance(line, list) for line in lines):
            self.errors.append(f"{key} must be a list of lines, and a line a list of fields")
            return ()
        return tuple(tuple(map(str, line)) for line in lines)

    def _columns(self, entry: Any) -> Iterator[LayoutColumn]:
        if not isinstance(entry, list) or len(entry) not in (3, 4) or not all(isinstance(x, str) for x in entry[:3]):
            self.errors.append(
                f"column {entry!r}: must be [header, role, values] or [header, role, values, {{options}}]"
            )
            return
        header, role, values = entry[:3]
        options = entry[3] if len(entry) == 4 else {}
        problems = [f"unknown role {role!r} (known: {', '.join(ROLES)})"] if role not in ROLES else []
        problems += option_errors(options)
        try:
            generator = parse_values(values)
        except LayoutError as error:
            problems.append(str(error))
        self.errors += [f"column {header!r}: {problem}" for problem in problems]
        if problems:
            return
        column = LayoutColumn(
            header=header,
            role=role,
            values=values,
            generator=generator,
            per=options.get("per", "person" if role in PERSON_ROLES else "row"),
            pool=options.get("pool"),
            set=(options["set"][0], float(options["set"][1])) if "set" in options else None,
            filled=float(options.get("filled", 1.0)),
            missing=options.get("missing", {}),
            rare=float(options.get("rare", 0.0)),
            variants=tuple(options.get("variants", ())),
            odd=options.get("odd", {}),
        )
        for name in expand(header):
            yield replace(column, header=name)


def check(folders: Iterable[Path]) -> Iterator[str]:
    """Yield one line per error in the layouts of these folders, generated tables included."""
    names: Counter[str] = Counter()
    for path in (path for parent in folders for path in sorted(parent.glob("*.toml"))):
        layouts, errors = read_file(path)
        yield from errors
        names.update(layout.name for layout in layouts)
        for layout in layouts:
            place = f"{path.parent.name}/{path.name}: layout {layout.name!r}"
            try:
                yield from (f"{place}: {error}" for error in broken_traits(layout, *generate(layout, 200, 0)))
                with tempfile.TemporaryDirectory() as folder:
                    write(layout, Path(folder), 30, 0)
            except LayoutError as error:
                yield f"{place}: {error}"
    yield from (f"layout {name!r}: the name occurs {n} times in both folders" for name, n in names.items() if n > 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check all layouts, or write the table of one."""
    parser = argparse.ArgumentParser(prog="python -m tests.columns.layouts", description=__doc__)
    parser.add_argument("name", nargs="?", help="name of a layout")
    parser.add_argument("--check", action="store_true", help="check all layouts")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", dest="folder", type=Path, default=Path(), help="folder of the table")
    options = parser.parse_args(arguments)
    folders = [CORPUS / name for name in FOLDERS]
    if options.check:
        errors = list(check(folders))
        sys.stdout.writelines(f"{error}\n" for error in errors)
        count = sum(len(read_file(path)[0]) for folder in folders for path in folder.glob("*.toml"))
        sys.stdout.write(f"{count} layouts, {len(errors)} errors\n")
        return bool(errors)
    read = [layout for folder in folders for path in sorted(folder.glob("*.toml")) for layout in read_file(path)[0]]
    found = [layout for layout in read if layout.name == options.name]
    if not found:
        parser.error(f"no valid layout has the name {options.name!r}")
    sys.stdout.write(f"{write(found[0], options.folder, options.rows, options.seed)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
