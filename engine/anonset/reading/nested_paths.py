"""Paths into nested columns, such as ``code.coding[].code`` and ``event_params[key=page].value``.

A step is a member of an object, ``[]`` for all elements of a list, or ``[member=text]`` for the elements of a list in
which a member has this value.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import Workers
from anonset.errors import InputError
from anonset.reading.batches import Batch, FileProperties, OpenedSource, SourcePart

_STEP = re.compile(r"\[(?:(?P<member>[^\]=\[]+)=(?P<value>[^\]]*))?\]|\.?(?P<name>[^.\[\]]+)")


@dataclass(frozen=True)
class NestedPath:
    """Path of values in a nested column."""

    text: str
    """The path as written. It is the name of the column."""
    steps: tuple[tuple[str, str | None], ...]
    """Steps: (member, None), ("", None) for all elements, or (member, text) for elements in which a member has a
    value.
    """

    @classmethod
    def of(cls, text: str) -> "NestedPath | None":
        """Return a path, or None if the text contains no list.

        >>> NestedPath.of("code.coding[].code").steps, NestedPath.of("a[k=x].v").steps, NestedPath.of("a.b")
        ((('code', None), ('coding', None), ('', None), ('code', None)), (('a', None), ('k', 'x'), ('v', None)), None)

        Raises
        ------
        InputError
            If a bracket is wrong.
        """
        if "[" not in text:
            return None
        steps, at = list[tuple[str, str | None]](), 0
        while at < len(text):
            step = _STEP.match(text, at)
            if step is None or (at == 0 and step["name"] is None):
                msg = f"column {text!r} is no path; write NAME[].MEMBER or NAME[MEMBER=TEXT].MEMBER"
                raise InputError(msg)
            steps.append((step["name"], None) if step["name"] else (step["member"] or "", step["value"]))
            at = step.end()
        return cls(text, tuple(steps))

    @property
    def single(self) -> bool:
        """True if the path selects elements by a value, so that a record may have one value instead of a list."""
        return all(name for name, _ in self.steps)

    def is_below(self, column: str) -> bool:
        """Return True if the path leads into a column such as ``code.coding``."""
        names = column.split(".")
        return [name for name, value in self.steps[: len(names)] if value is None] == names

    def values(self, record: Any) -> list[str]:
        """Return the values of a record, in order. Null and missing members have none.

        Raises
        ------
        InputError
            If a value is an object or a list.
        """
        return [_as_text(self.text, value) for value in _reached(record, self.steps) if value is not None]


def _reached(value: Any, steps: Sequence[tuple[str, str | None]]) -> Iterator[Any]:
    if value is None:
        return
    if not steps:
        yield value
        return
    (name, wanted), rest = steps[0], steps[1:]
    if name and wanted is None:
        if isinstance(value, dict):
            yield from _reached(value.get(name), rest)
        return
    for element in value if isinstance(value, list) else [value]:
        if wanted is None or (isinstance(element, dict) and _plain(element.get(name)) == wanted):
            yield from _reached(element, rest)


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def _as_text(path: str, value: Any) -> str:
    if isinstance(value, (dict, list)):
        msg = f"column {path!r} contains objects or lists; name a member, or append []"
        raise InputError(msg)
    return str(_plain(value))


def paths_in(declared: Collection[str]) -> tuple[NestedPath, ...]:
    """Return the paths among the declared columns that a file does not have."""
    return tuple(path for name in declared if (path := NestedPath.of(name)) is not None)


def without_entered(columns: Sequence[str], paths: Sequence[NestedPath]) -> list[str]:
    """Return the columns into which no path leads."""
    return [name for name in columns if not any(path.is_below(name) for path in paths)]


@dataclass(frozen=True)
class _WithPaths(RedactedRepr):
    """Batches with columns of paths."""

    batches: Callable[[Sequence[str]], Iterator[Batch]]
    paths: Mapping[str, NestedPath]
    texts: frozenset[str]
    """Paths with at most one value in each record."""

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        own = [self.paths[name].steps[0][0] if name in self.paths else name for name in names]
        for batch in self.batches(list(dict.fromkeys(own))):
            yield replace(batch, columns=self.columns(names, batch.columns))

    def columns(self, names: Sequence[str], columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named columns, given the columns of the file."""
        return {
            name: columns[name] if name not in self.paths else self._column(self.paths[name], columns)
            for name in names
            if name not in self.paths or self.paths[name].steps[0][0] in columns
        }

    def _column(self, path: NestedPath, columns: Mapping[str, Any]) -> Any:
        import pyarrow as pa

        name = path.steps[0][0]
        rows = [path.values({name: value}) for value in columns[name].to_pylist()]
        if path.text in self.texts:
            return pa.chunked_array([pa.array([row[0] if row else None for row in rows], pa.string())])
        return pa.chunked_array([pa.array(rows, pa.list_(pa.string()))])


def with_nested(opened: OpenedSource, properties: FileProperties) -> OpenedSource:
    """Return a source with the declared paths as columns. A column into which a path leads is not a column any more.

    Raises
    ------
    InputError
        If a path is wrong, or leads to an object or a list.
    """
    paths = {path.text: path for path in paths_in(properties.absent(opened.names)) if path.steps[0][0] in opened.names}
    if not paths:
        return opened
    single = {path for path in paths.values() if path.single}
    for batch in opened.batches(sorted({path.steps[0][0] for path in single})) if single else ():
        for path in list(single):
            name = path.steps[0][0]
            if any(len(path.values({name: value})) > 1 for value in batch.columns[name].to_pylist()):
                single.remove(path)
    made = _WithPaths(opened.batches, paths, frozenset(path.text for path in single))
    names = (*without_entered(opened.names, tuple(paths.values())), *paths)

    def parts(workers: Workers) -> Sequence[SourcePart]:
        return [replace(part, batches=replace(made, batches=part.batches)) for part in opened.parts(workers)]

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        own = [paths[name].steps[0][0] if name in paths else name for name in names]
        return made.columns(names, opened.head(list(dict.fromkeys(own))))

    return replace(opened, names=names, batches=made, parts=parts, head=head)
