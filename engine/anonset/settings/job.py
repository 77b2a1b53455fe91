"""Settings that an owner states in a job file, by flags or by a fix, before they are validated."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonset.data.redacted_repr import RedactedRepr
from anonset.reading.name_lists import names_in

JOINED = "items"
"""Name of the set that several columns form."""


@dataclass(frozen=True, eq=False)
class Job(RedactedRepr, Mapping[str, Any]):
    """Stated settings by name. A job may be incomplete, and flags and fixes are jobs, too."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """Values by name, as in a job file."""

    def __getitem__(self, name: str) -> Any:
        return self.settings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def __len__(self) -> int:
        return len(self.settings)

    def only(self, names: Collection[str]) -> "Job":
        """Return the job with no settings but these."""
        return Job({name: value for name, value in self.items() if name in names})

    def without(self, *names: str) -> "Job":
        """Return the job without settings.

        >>> dict(Job({"k": 5, "m": 2}).without("m", "seed"))
        {'k': 5}
        """
        return Job({name: value for name, value in self.items() if name not in names})

    def names(self, *lists: str, header: Sequence[str] = ()) -> list[str]:
        """Return the names in settings, such as the columns of roles. Names that contain commas are found in the header
        of a source.

        >>> Job({"items": "a, b", "keep": ["c"]}).names("items", "drop", "keep")
        ['a', 'b', 'c']
        >>> Job({"keep": ["Name", "Vorname"]}).names("keep", header=["Name, Vorname"])
        ['Name, Vorname']
        """
        return [name for setting in lists for name in names_in(header, self.get(setting) or ())]

    def entries(self, table: str) -> dict[str, str]:
        """Return a setting with an entry for each column, such as `hierarchy`. Empty if it is not stated."""
        return dict(self.get(table) or {})

    def text(self, name: str) -> str:
        """Return a setting as text. Empty if it is not stated."""
        return str(self.get(name) or "")

    @property
    def sets(self) -> list[str]:
        """Set-valued columns. One-hot and one-code columns form one set."""
        return [*self.names("items"), *([JOINED] if self.names("one_hot", "one_code") else [])]

    def with_(self, **settings: Any) -> "Job":
        """Return the job with other values. None and empty values remove a setting.

        >>> Job({"k": 5, "keep": ["year"]}).with_(k=9, keep=[]).settings
        {'k': 9}
        """
        merged = {**self, **settings}
        return Job({n: value for n, value in merged.items() if n not in settings or value not in (None, "", [], {})})

    def with_entry(self, table: str, column: str, value: str | None) -> "Job":
        """Return the job with another entry of a column. None removes the entry."""
        entries = {**self.entries(table), column: value}
        return self.with_(**{table: {name: entry for name, entry in entries.items() if entry is not None}})

    def changes(self, after: "Job") -> "Job":
        """Return the settings and entries in which another job differs, with None if they are removed.

        >>> Job({"k": 5, "hierarchy": {"age": "range"}}).changes(Job({"k": 5, "m": 2})).settings
        {'hierarchy': {'age': None}, 'm': 2}
        """
        pairs = {name: (self.get(name), after.get(name)) for name in {**self, **after}}
        return Job({name: _change(was, now) for name, (was, now) in pairs.items() if was != now})


def _change(was: Any, now: Any) -> Any:
    """Return the change of a setting: of a table, only the entries that differ."""
    are_tables = isinstance(was or now, Mapping) and isinstance(now or was, Mapping)
    return Job(was or {}).changes(Job(now or {})).settings if are_tables else now
