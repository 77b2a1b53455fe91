"""Read settings files of other tools: ARX projects and Amnesia templates."""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.parsers import expat

from anonset.errors import InputError, datum, foreign, shortened
from anonset.reading.sources.files import reading, require_file

_MOST_BYTES = 10 * 2**20
"""Maximum uncompressed size of a settings or hierarchy file, in bytes. A small archive can contain files of any size.
"""
_MOST_DATA = 4 * 2**30
"""Maximum uncompressed size of the data, in bytes."""
_MOST_RATIO, _SMALL_DATA = 200, 100 * 2**20
"""Maximum compression ratio of data above 100 MiB."""
_MOST_COLUMNS, _MOST_DEPTH, _MOST_LINE, _MOST_TEXT = 10_000, 100, 2_000, 40
"""Maximum column count, XML depth, line length of a template, and number of characters of a number."""


@dataclass(frozen=True)
class ProjectColumn:
    """Settings of a column in another tool."""

    name: str
    role: str | None
    """``id``, ``relational``, ``sensitive``, ``keep`` or ``drop``. None if undeclared."""
    hierarchy: str | None = None
    """Name of the hierarchy file."""
    weight: float | None = None
    others: tuple[str, ...] = ()
    """Descriptions of other settings."""


@dataclass(frozen=True)
class Project:
    """Settings from a file of another tool."""

    path: Path
    columns: tuple[ProjectColumn, ...]
    criteria: tuple[str, ...]
    """Privacy criteria, in the terms of ARX."""
    suppressed: float = 0.0
    """Maximum share of the records that may be suppressed."""
    delimiter: str | None = None
    others: tuple[str, ...] = ()
    """Descriptions of other settings."""
    in_archive: bool = False
    """True if the same file contains the hierarchies, and possibly the data."""

    @property
    def has_data(self) -> bool:
        """True if the file contains the data."""
        if not self.in_archive:
            return False
        with reading(self.path, values=True), _opened(self.path) as archive:
            return _DATA in archive.namelist()

    def data(self) -> Iterator[bytes]:
        """Yield the data of an archive in pieces.

        Raises
        ------
        InputError
            If the data are damaged, or larger than allowed.
        """
        with reading(self.path, values=True), _opened(self.path) as archive:
            packed, size = archive.getinfo(_DATA).compress_size, 0
            most = min(_MOST_DATA, max(_SMALL_DATA, _MOST_RATIO * packed))
            with archive.open(_DATA) as file:
                while piece := file.read(2**20):
                    size += len(piece)
                    if size > most:
                        msg = (
                            f"{self.path}: {_DATA} is larger than {most:,} bytes; extract it from the archive and "
                            "pass it as INPUT"
                        )
                        raise InputError(msg)
                    yield piece

    def hierarchy(self, name: str) -> bytes | None:
        """Return a hierarchy file. None if neither the archive nor the folder of the settings file contains it."""
        if self.in_archive:
            return _bytes_of(self.path, f"{_INPUT}{name}")
        near = (self.path.parent / f"{name}{end}" for end in ("", ".txt", ".csv"))
        return next((_read(path) for path in near if Path(name).name == name and path.is_file()), None)


def read_project(path: str | Path) -> Project:
    """Read an ARX project (``.deid``) or an Amnesia template.

    Only the XML and CSV members of a project are read, never Java objects.

    Raises
    ------
    InputError
        If the file is neither a project nor a template, or is damaged.
    """
    where = Path(path)
    require_file(where)
    if zipfile.is_zipfile(where):
        return _arx(where)
    text = _read(where).decode("utf-8-sig", errors="replace")
    if _TEMPLATE.search(text):
        return _amnesia(where, text)
    msg = f"{where}: not an ARX project (.deid) or an Amnesia template"
    raise InputError(msg)


IDENTIFYING = "identifying"
"""Role of a column that identifies persons. The project does not state whether each row is a person."""
_DATA, _INPUT = "data/input.csv", "input/"
_VOCABULARY = "2.0"
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": IDENTIFYING,
    "QUASI_IDENTIFYING_ATTRIBUTE": "relational",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "keep",
}


def _arx(where: Path) -> Project:
    if _xml(where, "metadata.xml").findtext("vocabulary") != _VOCABULARY:
        msg = f"{where}: saved by an old version of ARX; save the project with ARX 3 or newer"
        raise InputError(msg)
    config = _xml(where, f"{_INPUT}config.xml")
    weights = {
        entry.findtext("attribute", ""): _number(where, entry.findtext("weight", ""))
        for entry in config.iterfind("attributeWeights/attributeWeight")
    }
    columns = tuple(_arx_column(entry, weights) for entry in _xml(where, f"{_INPUT}definition.xml"))
    if not columns:
        msg = f"{where}: the project contains no columns; load data in ARX and save it again"
        raise InputError(msg)
    _require_columns(where, columns)
    delimiter = _xml(where, "project.xml").findtext("separator")
    if delimiter is not None and len(delimiter) != 1:
        msg = f"{where}: the data separator must be a single character, got {shortened(delimiter)}"
        raise InputError(msg)
    metric = config.findtext("metric")
    return Project(
        where,
        columns,
        tuple(entry.text or "" for entry in config.iterfind("criteria/criterion")),
        suppressed=_number(where, config.findtext("relativeMaxOutliers", "0"), most=1),
        delimiter=delimiter,
        others=(f"the measure {metric!r}: each algorithm uses its own measure",) if metric else (),
        in_archive=True,
    )


def _arx_column(entry: ET.Element, weights: Mapping[str, float]) -> ProjectColumn:
    name = entry.findtext("name", "")
    limits = {"minimum": entry.findtext("min", "All"), "maximum": entry.findtext("max", "All")}
    others = [f"{limit} level {level} of the hierarchy" for limit, level in limits.items() if level != "All"]
    if average := entry.findtext("microaggregationFunction"):
        others.append(f"microaggregation ({average.lower()}); the hierarchy is used instead")
    if entry.findtext("response") == "true":
        others.append("the role as a prediction target")
    role = _ROLES.get(entry.findtext("type", ""))
    return ProjectColumn(name, role, entry.findtext("ref"), weights.get(name), tuple(others))


def _xml(where: Path, name: str) -> ET.Element:
    text = _bytes_of(where, name)
    if text is None:
        msg = f"{where}: the file {name} is missing; this is not an ARX project"
        raise InputError(msg)
    try:
        _require_plain(where, name, text)
        return ET.fromstring(text)
    except (ET.ParseError, expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        msg = f"{where}: {name} is damaged: {foreign(error)}"
        raise InputError(msg) from None


def _require_plain(where: Path, name: str, text: bytes) -> None:
    """Reject XML that is nested too deeply or has a document type.

    The entities of a document type can expand to any size.
    """
    depth = 0

    def refuse(*_: object) -> None:
        msg = f"{where}: {name}: XML document types and entities are not supported"
        raise InputError(msg)

    def begin(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_DEPTH:
            msg = f"{where}: {name} has more than {_MOST_DEPTH} nesting levels"
            raise InputError(msg)

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.Parse(text, True)


def _opened(where: Path) -> zipfile.ZipFile:
    """Open an archive. Reject archives in which two members have the same name, because programs may read different
    members.
    """
    archive = zipfile.ZipFile(where)
    names = archive.namelist()
    if len(set(names)) < len(names):
        archive.close()
        msg = f"{where}: two files in the archive have the same name"
        raise InputError(msg)
    return archive


def _bytes_of(where: Path, name: str) -> bytes | None:
    with reading(where, values=True), _opened(where) as archive:
        if name not in archive.namelist():
            return None
        with archive.open(name) as file:
            return _small(where, name, file.read(_MOST_BYTES + 1))


def _read(path: Path) -> bytes:
    require_file(path)
    with reading(path), path.open("rb") as file:
        return _small(path, "it", file.read(_MOST_BYTES + 1))


def _small(where: Path, name: str, content: bytes) -> bytes:
    if len(content) > _MOST_BYTES:
        msg = f"{where}: {name} is larger than {_MOST_BYTES:,} bytes"
        raise InputError(msg)
    return content


def _number(where: Path, text: str, most: float = 1e9) -> float:
    try:
        number = float(text) if len(text) <= _MOST_TEXT else -1.0
    except ValueError:
        number = -1.0
    if not (isfinite(number) and 0 <= number <= most):
        msg = f"{where}: a share or a weight must be a number from 0 to {most:g}, got {shortened(text)}"
        raise InputError(msg)
    return number


def _require_columns(where: Path, columns: Sequence[ProjectColumn]) -> None:
    names = [column.name for column in columns]
    if len(names) > _MOST_COLUMNS:
        msg = f"{where}: {len(names):,} columns, at most {_MOST_COLUMNS:,} are supported"
        raise InputError(msg)
    if not all(names) or len(set(names)) < len(names):
        twice = next((name for name in names if names.count(name) > 1), "")
        msg = f"{where}: column names must be distinct and not empty, got {datum(twice)}"
        raise InputError(msg)


_TEMPLATE = re.compile(r"^\s*/{2,}\s*check columns", re.MULTILINE)
_COLUMN = re.compile(r"(?P<name>.+?)\s*:\s*(?P<taken>true|false)\s*(?P<more>(,.*)?)")
_LEAST = re.compile(r"k\s*:\s*(\d*)")
_KINDS = ("string", "int", "decimal", "date")


def _amnesia(where: Path, text: str) -> Project:
    """Read a template with lines such as ``column: true,type,hierarchy`` and ``k: 3``, and separator lines of slashes.

    Reference: the template specification in Amnesia's README.
    """
    columns, k = [], ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if len(line) > _MOST_LINE and not line.startswith("//"):
            msg = f"{where}: line {number} is longer than {_MOST_LINE:,} characters"
            raise InputError(msg)
        if column := _COLUMN.fullmatch(line):
            columns.append(_amnesia_column(column["name"], column["taken"] == "true", column["more"].split(",")[1:]))
        elif least := _LEAST.fullmatch(line):
            k = least[1]
        elif line and not line.startswith("//"):
            msg = f"{where}: line {number}: 'column: true,type' or 'k: 3' is required"
            raise InputError(msg)
    _require_columns(where, columns)
    return Project(where, tuple(columns), (f"{k}-anonymity",) if k else ())


def _amnesia_column(name: str, is_included: bool, more: list[str]) -> ProjectColumn:
    kind, hierarchy = (*(part.strip() for part in more), "", "")[:2]
    if not is_included:
        return ProjectColumn(name, "drop")
    others = () if kind in _KINDS else (f"type {kind!r}",)
    return ProjectColumn(name, "relational" if hierarchy and not others else None, hierarchy or None, others=others)
