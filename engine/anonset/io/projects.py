"""Settings files of other tools, as they stand: projects of ARX, and templates of Amnesia."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from anonset.errors import InputError, foreign
from anonset.io.files import read_bytes, reading, require_file

_MOST_BYTES = 10 * 2**20
"""Largest size of a settings or hierarchy file, unpacked: an archive of a few bytes may hold any."""


@dataclass(frozen=True)
class ProjectColumn:
    """A column, as another tool was told of it."""

    name: str
    role: str | None
    """``id``, ``relational``, ``sensitive``, ``keep`` or ``drop``; None if the tool leaves it open."""
    hierarchy: str | None = None
    """Name of its hierarchy file."""
    weight: float | None = None
    others: tuple[str, ...] = ()
    """What else is set, in words."""


@dataclass(frozen=True)
class Project:
    """What a settings file of another tool says."""

    path: Path
    columns: tuple[ProjectColumn, ...]
    criteria: tuple[str, ...]
    """What must hold, in the words of ARX."""
    suppressed: float = 0.0
    """Largest share of the records that may be suppressed."""
    delimiter: str | None = None
    others: tuple[str, ...] = ()
    """What else is set, in words."""
    in_archive: bool = False
    """Whether hierarchies, and perhaps data, lie in the same file."""

    @property
    def has_data(self) -> bool:
        """Whether the data lie in the file."""
        if not self.in_archive:
            return False
        with reading(self.path, values=True), zipfile.ZipFile(self.path) as archive:
            return _DATA in archive.namelist()

    def data(self) -> Iterator[bytes]:
        """Yield the data of an archive, piece by piece."""
        with reading(self.path, values=True), zipfile.ZipFile(self.path) as archive, archive.open(_DATA) as file:
            while piece := file.read(2**20):
                yield piece

    def hierarchy(self, name: str) -> bytes | None:
        """Return a hierarchy file; None if it is not there, neither in the archive nor beside the file."""
        if self.in_archive:
            return _bytes_of(self.path, f"{_INPUT}{name}")
        near = (self.path.parent / f"{name}{end}" for end in ("", ".txt", ".csv"))
        return next((read_bytes(path) for path in near if Path(name).name == name and path.is_file()), None)


def read_project(path: str | Path) -> Project:
    """Read a project of ARX (``.deid``), or a template of Amnesia.

    Of a project only what stands in it as XML or CSV is read, never an object of Java.

    Raises
    ------
    InputError
        If it is neither, or damaged.
    """
    where = Path(path)
    require_file(where)
    if zipfile.is_zipfile(where):
        return _arx(where)
    with reading(where):
        text = read_bytes(where)[:_MOST_BYTES].decode("utf-8-sig", errors="replace")
    if _TEMPLATE.search(text):
        return _amnesia(where, text)
    msg = f"{where}: this is neither a project of ARX (.deid) nor a template of Amnesia"
    raise InputError(msg)


_DATA, _INPUT = "data/input.csv", "input/"
_VOCABULARY = "2.0"
_ROLES = {
    "IDENTIFYING_ATTRIBUTE": "id",
    "QUASI_IDENTIFYING_ATTRIBUTE": "relational",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "keep",
}


def _arx(where: Path) -> Project:
    if _xml(where, "metadata.xml").findtext("vocabulary") != _VOCABULARY:
        msg = f"{where}: written by an old version of ARX; save the project with version 3 or newer"
        raise InputError(msg)
    config = _xml(where, f"{_INPUT}config.xml")
    weights = {
        entry.findtext("attribute", ""): _number(where, entry.findtext("weight", ""))
        for entry in config.iterfind("attributeWeights/attributeWeight")
    }
    columns = tuple(_arx_column(entry, weights) for entry in _xml(where, f"{_INPUT}definition.xml"))
    if not columns:
        msg = f"{where}: the project describes no column; load data in ARX, and save it again"
        raise InputError(msg)
    metric = config.findtext("metric")
    return Project(
        where,
        columns,
        tuple(entry.text or "" for entry in config.iterfind("criteria/criterion")),
        suppressed=_number(where, config.findtext("relativeMaxOutliers", "0")),
        delimiter=_xml(where, "project.xml").findtext("separator"),
        others=(f"the measure {metric!r}: an algorithm has its own",) if metric else (),
        in_archive=True,
    )


def _arx_column(entry: ET.Element, weights: Mapping[str, float]) -> ProjectColumn:
    name = entry.findtext("name", "")
    limits = {limit: entry.findtext(limit, "All") for limit in ("min", "max")}
    others = [f"{limit}imum level {level} of the hierarchy" for limit, level in limits.items() if level != "All"]
    if average := entry.findtext("microaggregationFunction"):
        others.append(f"microaggregation ({average.lower()}); the hierarchy is taken instead")
    if entry.findtext("response") == "true":
        others.append("that it is to be predicted")
    role = _ROLES.get(entry.findtext("type", ""))
    return ProjectColumn(name, role, entry.findtext("ref"), weights.get(name), tuple(others))


def _xml(where: Path, name: str) -> ET.Element:
    text = _bytes_of(where, name)
    if text is None:
        msg = f"{where}: {name} is not in it: this is no project of ARX"
        raise InputError(msg)
    if b"<!" in text:  # entities could stand for more than memory holds
        msg = f"{where}: {name}: document types and entities are not read"
        raise InputError(msg)
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        msg = f"{where}: {name} is damaged: {foreign(error)}"
        raise InputError(msg) from None


def _bytes_of(where: Path, name: str) -> bytes | None:
    with reading(where, values=True), zipfile.ZipFile(where) as archive:
        if name not in archive.namelist():
            return None
        with archive.open(name) as file:
            content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        msg = f"{where}: {name} is larger than {_MOST_BYTES:,} bytes"
        raise InputError(msg)
    return content


def _number(where: Path, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"{where}: a share or a weight must be a number, got {text!r}"
        raise InputError(msg) from None


_TEMPLATE = re.compile(r"^\s*/{2,}\s*check columns", re.MULTILINE)
_COLUMN = re.compile(r"(?P<name>.+?)\s*:\s*(?P<taken>true|false)\s*(?P<more>(,.*)?)")
_LEAST = re.compile(r"k\s*:\s*(\d*)")
_KINDS = ("string", "int", "decimal", "date")


def _amnesia(where: Path, text: str) -> Project:
    """Read a template: ``column: true,type,hierarchy`` a line, and ``k: 3``; lines of slashes stand between.

    Reference: the template specification in Amnesia's README.
    """
    columns, k = [], ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if column := _COLUMN.fullmatch(line):
            columns.append(_amnesia_column(column["name"], column["taken"] == "true", column["more"].split(",")[1:]))
        elif least := _LEAST.fullmatch(line):
            k = least[1]
        elif line and not line.startswith("//"):
            msg = f"{where}: line {number}: 'column: true,type' or 'k: 3' is required"
            raise InputError(msg)
    return Project(where, tuple(columns), (f"{k}-anonymity",) if k else ())


def _amnesia_column(name: str, taken: bool, more: list[str]) -> ProjectColumn:
    kind, hierarchy = (*(part.strip() for part in more), "", "")[:2]
    if not taken:
        return ProjectColumn(name, "drop")
    others = () if kind in _KINDS else (f"type {kind!r}",)
    return ProjectColumn(name, "relational" if hierarchy and not others else None, hierarchy or None, others=others)
