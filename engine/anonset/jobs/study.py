"""A comparison that is kept in a file, a run a line: what was run before, with the same data, is not run again."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.io.source import Source
from anonset.jobs.compare import Contestant
from anonset.release.documents import plain
from anonset.settings.compare import CompareSettings
from anonset.settings.job_files import with_path
from anonset.strict_json import dumps

_OF_ALL = (
    "hierarchy", "items", "one_hot", "one_code", "relational", "numeric", "sensitive", "id", "keep", "drop", "group",
    "separator", "missing", "normalize", "unknown", "inner_items", "model", "queries", "workload", "width", "seed",
    "reading", "bound",
)  # fmt: skip
"""The settings that are the same for all runs."""


class Study:
    """The runs of a comparison, as they are kept.

    The first line says of which data and settings, and of which version, the runs are. A line that was not finished
    when the process was killed counts for nothing.
    """

    def __init__(self, path: Path, source: Source, settings: CompareSettings) -> None:
        self._path, self._known = path, dict[str, Contestant]()
        facts = {"study": 1, **_facts(source, settings)}
        if path.exists():
            self._read(facts)
        else:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # losses tell of the original
            os.close(descriptor)
            self._append(facts)

    def known(self, name: str, given: Mapping[str, Any]) -> Contestant | None:
        """Return a run, if it was made before."""
        return self._known.get(_key(name, given))

    def add(self, name: str, given: Mapping[str, Any], found: Contestant) -> None:
        """Keep a run."""
        self._known[_key(name, given)] = found
        self._append({"key": _key(name, given), **plain(asdict(found))})

    def _append(self, entry: Mapping[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{dumps(entry)}\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, facts: Mapping[str, Any]) -> None:
        text = self._path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        try:
            first, *entries = [json.loads(line) for line in whole.splitlines()]
            differing = [name for name in facts if first.get(name) != json.loads(dumps(facts))[name]]
            runs = {entry.pop("key"): Contestant(**entry) for entry in entries}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            msg = f"-o {self._path}: must be new, or what compare -o wrote: {type(error).__name__}"
            raise InputError(msg) from None
        if differing:
            what = ", ".join(differing)
            msg = f"-o {self._path}: these runs are of another study, which differs in {what}; name a new file"
            raise InputError(msg)
        if len(whole) < len(text):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))
        self._known = runs


def _facts(source: Source, settings: CompareSettings) -> dict[str, Any]:
    from importlib.metadata import version

    found = settings.model_dump(include=set(_OF_ALL), exclude_none=True)
    hierarchies = {name: with_path(spec, _content) for name, spec in settings.hierarchy.items()}
    return {
        "version": version("anonset"),
        "input": source.sha256,
        **{name: found[name] for name in sorted(found)},
        "hierarchy": hierarchies,
    }


def _key(name: str, given: Mapping[str, Any]) -> str:
    values = {setting: _content(value) for setting, value in sorted(given.items())}
    return sha256(dumps([name, plain(values)]).encode()).hexdigest()


def _content(value: Any) -> Any:
    """Return the digest of a file in the place of its path."""
    from anonset.io.files import digest

    return digest(Path(value)) if isinstance(value, str) and Path(value).is_file() else value
