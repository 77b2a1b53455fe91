"""Results of the finished steps of a run, stored in its work directory. A resumed run does not repeat finished steps.

The result of a step may contain numbers, texts, arrays, collections, and dataclasses and named tuples that anonset
defines. Results are stored as data, never as code. For an array in a file of the work directory, only the file name and
checksums are stored.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from pkgutil import resolve_name
from types import UnionType
from typing import Any, Literal, Self, Union, get_args, get_origin, get_type_hints
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anonset.data.codes import NarrowCodes, RowNumbers, stored_codes
from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.resumption.seals import Seal
from anonset.data.spans import begins_of
from anonset.data.storage.checksums import Sum
from anonset.data.storage.store import DONE, Files, Store, backing, damage_error
from anonset.data.table import Table
from anonset.errors import InputError

_PACKAGES = ("anonset.", "anonset_kernels.")
_SCALARS = (type(None), bool, int, float, str)
READ = "read"
"""Step that reads the data. The files of other steps are deleted if this step is not finished."""
_VALUE = "value"
_STORE = "store"
_IN_MEMORY = 1 << 20
"""Maximum size in bytes of a slice of a mapped array that is stored with the result."""


@dataclass(frozen=True, eq=False)
class Ledger(RedactedRepr):
    """Results of the finished steps, each in a file.

    Steps are identified by name. The caller checks that the data, settings and version of the run that created the work
    directory have not changed. No results are stored in a directory without the file `RUN`.
    """

    store: Files | None
    """Work directory of a resumable run. None if no results are stored."""
    known: Mapping[str, Hierarchy | Vocabulary] = field(default_factory=dict)
    """Objects that a resumed run creates again. Only their names are stored."""

    @classmethod
    def of(cls, store: Store, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Self:
        """Return the ledger of a work directory if it belongs to a resumable run."""
        known: dict[str, Hierarchy | Vocabulary] = {f"tree {name}": tree for name, tree in hierarchies.items()}
        known |= {f"rival {name}": tree.rival for name, tree in hierarchies.items() if tree.rival is not None}
        if table.transactions is not None:
            known["items"] = table.transactions.vocabulary
        return cls(store.of_run, known)

    def finish(self, step: str, result: Any) -> None:
        """Store the result of a step. A result that contains objects of other packages is not stored.

        Raises
        ------
        InputError
            If the disk is full, or another run has taken over the work directory.
        """
        if self.store is None:
            return
        writer = _Writer(self.store, self.known)
        try:
            value = writer.plain(result)
        except _UnknownTypeError:
            return
        sums = Seal.of_files(self.store, writer.files).by_name
        files = {name: (dtype, *sums[name]) for name, dtype in writer.files.items()}
        text = np.frombuffer(json.dumps({"value": value, "files": files}).encode(), np.uint8)
        stored: dict[str, Any] = {_VALUE: text, **writer.arrays}
        self.store.require_held()
        self.store.send(writer.files)
        packed = BytesIO()
        np.savez(packed, **stored)
        with self.store.written(file_of(step)) as file:
            file.write(packed.getbuffer())
            file.write(digest_of(step, packed.getbuffer()))

    def finished(self, step: str) -> Any:
        """Return the result of a step, or None if the step is not finished.

        Raises
        ------
        InputError
            If a file cannot be read, or has changed.
        """
        if self.store is None or not (path := self.store.path / file_of(step)).exists():
            return None
        try:
            described, arrays = _read(path)
            files = dict(described["files"])
            Seal.restored(self.store, {name: sums for name, (_, *sums) in files.items()}).require_unbroken()
            mapped = {name: self.store.mapped(name, _numeric(dtype)) for name, (dtype, *_) in files.items()}
            return _value(described["value"], {**self.known, _STORE: self.store}, arrays | mapped)
        except InputError:
            raise
        except _DAMAGE:
            raise damage_error(path) from None


_DAMAGE = (OSError, EOFError, AttributeError, LookupError, RecursionError, TypeError, ValueError, BadZipFile)


def files_of_steps(store: Files) -> dict[str, Sum | None]:
    """Return the names of the files with results of finished steps, and the checksums of the arrays among them.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    sums = dict[str, Sum | None]()
    for path in store.path.glob(file_of("*")):
        try:
            sums[path.name] = None
            sums |= {name: (size, total, parity) for name, (_, size, total, parity) in _read(path)[0]["files"].items()}
        except _DAMAGE:
            raise damage_error(path) from None
    return sums


class _UnknownTypeError(TypeError):
    """A result contains an object that cannot be stored."""


def file_of(step: str) -> str:
    """Return the file name of the result of a step."""
    return f"{DONE}{step}.npz"


def is_step(name: str) -> bool:
    """Return True if a file name is the name of the result of a step."""
    return name.startswith(DONE) and name.endswith(".npz")


def digest_of(step: str, packed: bytes | memoryview) -> bytes:
    """Return the SHA-256 digest at the end of the file of a result, so that no other step's result is read instead."""
    digest = sha256(file_of(step).encode())
    digest.update(packed)
    return digest.digest()


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    content, size = path.read_bytes(), sha256().digest_size
    packed = content[:-size]
    if content[-size:] != digest_of(path.stem.removeprefix(DONE), packed):
        raise ValueError(path)
    with np.load(BytesIO(packed), allow_pickle=False) as stored:
        described: dict[str, Any] = json.loads(stored[_VALUE].tobytes())
        return described, {name: stored[name] for name in stored.files if name != _VALUE}


def _numeric(name: str) -> np.dtype[Any]:
    """Return a NumPy type by name. Raise ValueError if the values of the type are Python objects."""
    dtype = np.dtype(name)
    if dtype.hasobject:
        raise ValueError(name)
    return dtype


def as_json(value: Any) -> Any:
    """Convert a value without arrays to JSON types. Objects are converted field by field.

    >>> from anonset.data.table_facts import Change
    >>> from_json(as_json((Change("codes", "upper", 1, 2),)))
    (Change(column='codes', rule='upper', labels=1, occurrences=2),)

    Raises
    ------
    TypeError
        If the value contains an array, or an object of another package.
    """
    return _Writer(None, {}).plain(value)


def from_json(plain: Any) -> Any:
    """Return the value that `as_json` converted.

    Raises
    ------
    LookupError, TypeError, ValueError
        If `plain` is malformed.
    """
    return _value(plain, {}, {})


class _Writer:
    def __init__(self, store: Files | None, known: Mapping[str, Hierarchy | Vocabulary]) -> None:
        self._store, self._known = store, known
        self.arrays: dict[str, NDArray[Any]] = {}
        self.files: dict[str, str] = {}
        """Type of each array that is stored by file name."""

    def plain(self, value: Any) -> Any:
        """Convert a value to JSON types. Lists and dicts are encoded as dicts with one entry."""
        if type(value) in _SCALARS:
            return value
        if isinstance(value, np.generic):
            return {"number": [value.dtype.str, value.item()]}
        if isinstance(value, (NarrowCodes, RowNumbers)):
            return {"narrow" if isinstance(value, NarrowCodes) else "short": self.plain(stored_codes(value))}
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, (Hierarchy, Vocabulary)) and (name := self._name(value)) is not None:
            return {"known": name}
        if isinstance(value, Files) and value == self._store:
            return {"known": _STORE}
        if (names := _fields(type(value))) is not None:
            return {"type": _type(value), "fields": {name: self.plain(getattr(value, name)) for name in names}}
        if isinstance(value, Mapping):
            return {"dict": [[self.plain(key), self.plain(entry)] for key, entry in value.items()]}
        if type(value) in (tuple, list, frozenset):
            return self._collection(value)
        raise _UnknownTypeError

    def _collection(self, values: Any) -> Any:
        """Convert a collection to JSON types. Many arrays, or many objects of the same type, are stored field
        by field.
        """
        kind, entries = type(values).__name__, list(values)
        types = set(map(type, entries))
        if types <= set(_SCALARS):
            return {kind: entries}
        if (
            types == {np.ndarray}
            and len({(entry.dtype, entry.ndim) for entry in entries}) == 1
            and entries[0].ndim == 1
            and not any(map(self._file_of, entries))
        ):
            ends = begins_of([len(entry) for entry in entries])[1:]
            return {"split": [kind, self._array(np.concatenate(entries)), self._array(ends)]}
        if (
            len(types) == 1
            and (names := _fields(type(entries[0])))
            and not isinstance(entries[0], (Hierarchy, Vocabulary))
        ):
            columns = {name: self.plain([getattr(entry, name) for entry in entries]) for name in names}
            return {"rows": [kind, _type(entries[0])], "fields": columns}
        return {kind: [self.plain(entry) for entry in entries]}

    def _array(self, array: NDArray[Any]) -> str:
        if array.dtype.hasobject or self._store is None:
            raise _UnknownTypeError
        name = self._file_of(array)
        if not name and (backing(array) is None or array.ndim != 1 or array.nbytes <= _IN_MEMORY):
            name = f"a{len(self.arrays)}"
            self.arrays[name] = np.asarray(array)
            return name
        if not name:
            name = self._store.reserve_name("result")
            self._store.keep(name, array)
        self.files[name] = array.dtype.str
        return name

    def _file_of(self, array: NDArray[Any]) -> str:
        """Return the name of the file of the work directory that consists of an array. Empty if there is none."""
        file, store = backing(array), self._store
        if store is None or file is None or array.ndim != 1 or not array.flags.c_contiguous:
            return ""
        path = Path(str(file.filename))  # absolute, but the path of the store may be relative
        is_file = path.parent.resolve() == store.path.resolve() and array.nbytes == path.stat().st_size
        return path.name if is_file else ""

    def _name(self, value: Hierarchy | Vocabulary) -> str | None:
        return next((name for name, known in self._known.items() if _is_same(value, known)), None)


def _is_same(value: Hierarchy | Vocabulary, known: Hierarchy | Vocabulary) -> bool:
    if value is known:
        return True
    if isinstance(value, Hierarchy) and isinstance(known, Hierarchy):
        return value.labels == known.labels and np.array_equal(value.parent, known.parent)
    return isinstance(value, Vocabulary) and isinstance(known, Vocabulary) and value == known


def _fields(kind: type[Any]) -> Sequence[str] | None:
    if not kind.__module__.startswith(_PACKAGES):
        return None
    if is_dataclass(kind):
        return [entry.name for entry in fields(kind) if entry.init]
    names: Sequence[str] | None = getattr(kind, "_fields", None) if issubclass(kind, tuple) else None
    return names


def stored_classes(kind: Any, place: str = "") -> Iterator[type[Any]]:
    """Yield the classes of anonset in a type, with those in the types of their fields.

    Raises
    ------
    TypeError
        If the values of a field cannot be stored. The message names the field, or `place`.
    """
    if kind in _SCALARS or get_origin(kind) is np.ndarray or kind in (NarrowCodes, RowNumbers, Store):
        return
    if get_origin(kind) in (Union, UnionType, tuple, list, frozenset, Mapping, Sequence):
        for part in get_args(kind):
            yield from () if part is Ellipsis else stored_classes(part, place)
    elif get_origin(kind) is Literal:
        return
    elif isinstance(kind, type) and (names := _fields(kind)) is not None:
        yield kind
        types = get_type_hints(kind)
        for name in names:
            yield from () if types[name] == kind | None else stored_classes(types[name], f"{kind.__name__}.{name}")
    else:
        raise TypeError(f"{place}: values of type {kind} cannot be stored")


def _type(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _value(plain: Any, known: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Convert the JSON form made by `_Writer.plain` back to the original value.

    Raises
    ------
    LookupError, TypeError, ValueError
        If `plain` is malformed.
    """
    if not isinstance(plain, dict):
        return plain

    def value(entry: Any) -> Any:
        return _value(entry, known, arrays)

    (form, content), *more = plain.items()
    match form:
        case "number":
            return np.dtype(content[0]).type(content[1])
        case "narrow":
            return NarrowCodes(value(content))
        case "short":
            return RowNumbers(value(content))
        case "array":
            return arrays[content]
        case "known":
            return known[content]
        case "type":
            return _class(content)(**{name: value(entry) for name, entry in dict(more)["fields"].items()})
        case "rows":
            columns = {name: value(entry) for name, entry in dict(more)["fields"].items()}
            rows = zip(*columns.values(), strict=True)
            return _COLLECTIONS[content[0]](_class(content[1])(**dict(zip(columns, row, strict=True))) for row in rows)
        case "split":
            return _COLLECTIONS[content[0]](np.split(arrays[content[1]], arrays[content[2]][:-1]))
        case "dict":
            return {value(key): value(entry) for key, entry in content}
    return _COLLECTIONS[form](map(value, content))


_COLLECTIONS: Mapping[str, Callable[[Iterable[Any]], Any]] = {"tuple": tuple, "list": list, "frozenset": frozenset}


def _class(name: str) -> type[Any]:
    """Return a dataclass or named tuple of anonset. Raise ValueError for the name of another object."""
    kind = resolve_name(name) if name.startswith(_PACKAGES) else None
    if not isinstance(kind, type) or _fields(kind) is None:
        raise ValueError(name)
    return kind


STORED = frozenset(stored_classes(Table))
"""Classes of a stored table. If the values of one of their fields cannot be stored, this module cannot be imported."""
