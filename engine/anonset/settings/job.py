"""Settings that an owner states in a job file, by flags or by a fix, before they are validated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonset.columns.roles import SETS
from anonset.data.redacted_repr import RedactedRepr
from anonset.reading.roles import name_list


@dataclass(frozen=True)
class Job(RedactedRepr):
    """Stated settings. A job may be incomplete, and flags and fixes are jobs, too."""

    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Values by name, as in a job file."""

    def names(self, *lists: str) -> list[str]:
        """Return the names in settings, such as the columns of roles.

        >>> Job({"items": "a, b", "keep": ["c"]}).names("items", "drop", "keep")
        ['a', 'b', 'c']
        """
        return [name for one in lists for name in name_list(self.settings.get(one) or ())]

    def entries(self, table: str) -> dict[str, str]:
        """Return a setting with an entry for each column, such as `hierarchy`. Empty if it is not stated."""
        return dict(self.settings.get(table) or {})

    def text(self, name: str) -> str:
        """Return a setting as text. Empty if it is not stated."""
        return str(self.settings.get(name) or "")

    @property
    def sets(self) -> list[str]:
        """Set-valued columns. One-hot and one-code columns form the set `items`."""
        return [*self.names("items"), *(["items"] if self.names(*SETS[1:]) else [])]

    def with_(self, **settings: Any) -> "Job":
        """Return the job with other values. None and empty values remove a setting.

        >>> Job({"k": 5, "keep": ["year"]}).with_(k=9, keep=[]).settings
        {'k': 9}
        """
        kept = {name: value for name, value in self.settings.items() if name not in settings}
        merged = {**self.settings, **settings}
        return Job({n: value for n, value in merged.items() if n in kept or value not in (None, "", [], {})})

    def with_entry(self, table: str, column: str, value: str | None) -> "Job":
        """Return the job with another entry of a column. None removes the entry."""
        entries = {**self.entries(table), column: value}
        return self.with_(**{table: {name: entry for name, entry in entries.items() if entry is not None}})

    def changes(self, after: "Job") -> dict[str, Any]:
        """Return the settings and entries in which another job differs, with None if they are removed.

        >>> Job({"k": 5, "hierarchy": {"age": "range"}}).changes(Job({"k": 5, "m": 2}))
        {'hierarchy': {'age': None}, 'm': 2}
        """
        return _changes(self.settings, after.settings)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in {**before, **after}:
        was, now = before.get(name), after.get(name)
        if was != now:
            is_table = isinstance(was or now, Mapping) and isinstance(now or was, Mapping)
            made[name] = _changes(was or {}, now or {}) if is_table else now
    return made
