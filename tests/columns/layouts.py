"""Labelled layouts: tables as organizations export them, with the true role of each column (see `corpus/README.md`).

Check all layouts:    python -m tests.columns.layouts --check
Write one table:      python -m tests.columns.layouts condition_occurrence --rows 200 -o out
"""

import argparse
import itertools
import multiprocessing
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.columns.generators import LayoutError, ValueGenerator, parse_values
from tests.columns.layout_errors import ROLES, key_errors, layout_errors, option_errors
from tests.columns.tables import generate, write
from tests.columns.traits import broken_traits

__all__ = [
    "CORPUS",
    "FOLDERS",
    "Layout",
    "LayoutColumn",
    "LayoutError",
    "check",
    "expand",
    "generate",
    "on_all_processors",
    "parse_layout",
    "read_file",
    "read_layouts",
    "write",
]

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = tuple(CORPUS / name for name in ("rules", "measure"))
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

    @property
    def names(self) -> dict[str, str]:
        """Names under which anonset reads the columns, by header. Without a header line, columns are numbered."""
        headers = [column.header for column in self.columns]
        named = self.header or self.format in ("fimi", "baskets")
        return dict(zip(headers, headers if named else map(str, range(1, len(headers) + 1)), strict=True))

    @property
    def unit(self) -> str:
        """Value of the setting `unit` that states the true person."""
        names = self.names
        return ",".join(names[header] for header in self.person_columns) or self.person

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
        try:
            layouts.append(parse_layout(entry, str(data.get("origin"))))
        except LayoutError as error:
            name = entry.get("name", f"number {number}")
            errors += [f"{place}: layout {name!r}: {message}" for message in str(error).split("\n")]
    if not data.get("layout"):
        errors.append(f"{place}: contains no [[layout]]")
    return layouts, errors


def parse_layout(entry: Mapping[str, Any], origin: str = "") -> Layout:
    """Return the layout of a ``[[layout]]`` table. Raises LayoutError with one line per error."""
    errors = list(key_errors(entry))
    columns: list[LayoutColumn] = []
    for column in entry["columns"] if isinstance(entry.get("columns"), list) else []:
        try:
            columns += parse_column(column)
        except LayoutError as error:
            errors += str(error).split("\n")
    if errors:
        raise LayoutError("\n".join(errors))
    file_format = entry.get("format", "csv")
    layout = Layout(
        name=entry["name"],
        origin=origin,
        language=entry["language"],
        domain=entry["domain"],
        person=entry["person"],
        rows=str(entry.get("rows", 1)),
        traits=tuple(entry.get("traits", ())),
        columns=tuple(columns),
        format=file_format,
        delimiter=entry.get("delimiter", {"tsv": "\t", "fimi": " "}.get(file_format, ",")),
        encoding=entry.get("encoding", "utf-8"),
        header=entry.get("header", file_format not in ("fimi", "baskets")),
        above=tuple(entry.get("above", ())),
        before=tuple(tuple(map(str, line)) for line in entry.get("before", ())),
        after=tuple(tuple(map(str, line)) for line in entry.get("after", ())),
        episodes=str(entry["episodes"]) if "episodes" in entry else None,
        present=str(entry["present"]) if "present" in entry else None,
    )
    errors = list(layout_errors(layout))
    if errors:
        raise LayoutError("\n".join(errors))
    return layout


def parse_column(entry: Any) -> list[LayoutColumn]:
    """Return the columns of ``[header, role, values, {options}]``: several if the header contains braces.

    Raises LayoutError with one line per error.
    """
    if not isinstance(entry, list) or len(entry) not in (3, 4) or not all(isinstance(x, str) for x in entry[:3]):
        message = f"column {entry!r}: must be [header, role, values] or [header, role, values, {{options}}]"
        raise LayoutError(message)
    header, role, values = entry[:3]
    options = entry[3] if len(entry) == 4 else {}
    errors = [f"unknown role {role!r} (known: {', '.join(ROLES)})"] if role not in ROLES else []
    errors += option_errors(options)
    try:
        generator = parse_values(values)
    except LayoutError as error:
        errors.append(str(error))
    if errors:
        raise LayoutError("\n".join(f"column {header!r}: {error}" for error in errors))
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
    return [replace(column, header=name) for name in expand(header)]


_FORKED: list[tuple[Callable[[int, Layout], Any], Sequence[Layout]]] = []
"""Work of forked processes, which inherit it: generators of layouts cannot be sent to other processes."""


def on_all_processors(work: Callable[[int, Layout], Any], layouts: Sequence[Layout]) -> list[Any]:
    """Return the results of `work` for the number of each layout and the layout, in order. Each layout is processed by
    a forked process.
    """
    _FORKED.append((work, layouts))
    with multiprocessing.get_context("fork").Pool() as pool:
        results = pool.map(_forked, range(len(layouts)), chunksize=1)
    _FORKED.pop()
    return results


def _forked(number: int) -> Any:
    work, layouts = _FORKED[-1]
    return work(number, layouts[number])


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
    if options.check:
        errors = list(check(FOLDERS))
        sys.stdout.writelines(f"{error}\n" for error in errors)
        count = sum(len(read_file(path)[0]) for folder in FOLDERS for path in folder.glob("*.toml"))
        sys.stdout.write(f"{count} layouts, {len(errors)} errors\n")
        return bool(errors)
    read = [layout for folder in FOLDERS for path in sorted(folder.glob("*.toml")) for layout in read_file(path)[0]]
    found = [layout for layout in read if layout.name == options.name]
    if not found:
        parser.error(f"no valid layout has the name {options.name!r}")
    sys.stdout.write(f"{write(found[0], options.folder, options.rows, options.seed)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
