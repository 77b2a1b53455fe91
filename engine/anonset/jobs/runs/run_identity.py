"""Identity of a run: the settings, side files and versions that determine its result."""

from collections.abc import Mapping
from typing import Any

from anonset.reading.decisions import MACHINE, Decides, decisions
from anonset.release.statements import plain, versions
from anonset.settings.job import Job
from anonset.settings.paths import side_digests
from anonset.settings.settings import settings_model


def identity(options: Job, *besides: Decides) -> dict[str, Any]:
    """Return the facts that must be equal if two runs are runs of the same job, as JSON types. See `relevant`."""
    return {"settings": relevant(options, *besides), "side files": side_digests(options), "versions": versions()}


def difference(now: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """Return the first fact in which the identities of two runs differ, with the names of settings or side files. Empty
    if no fact differs.
    """
    part = next((part for part in now if before.get(part) != now[part]), "")
    if part not in ("settings", "side files"):
        return part
    first, second = now[part], before.get(part, {})
    names = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    return f"{part} ({', '.join(names)})"


def relevant(settings: Job, *besides: Decides) -> dict[str, Any]:
    """Return the settings that affect the result, as JSON types, without those that decide only a kind in `besides`."""
    plain_settings, decided = plain(settings), decisions(settings_model())
    return {name: value for name, value in plain_settings.items() if decided.get(name) not in (MACHINE, *besides)}
