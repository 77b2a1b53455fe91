"""Doubts of the report that are known before the publication."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonset.columns.headers import is_sensitive
from anonset.columns.roles import CODE_LEVELS, SETS
from anonset.errors import Fix, Problem
from anonset.privacy.model import PrivacyModel
from anonset.report.doubts import unknown_persons, unprotected_items, unprotected_sensitive, weak_guarantee
from anonset.settings.job import Job
from anonset.spelling import listed
from anonset.ui.state.setting_words import CHOOSE


def doubts_before(
    job: Job, columns: Sequence[Mapping[str, Any]], found: Mapping[str, Any] | None, model: PrivacyModel | None
) -> Iterator[Problem]:
    """Yield the doubts in the order of the report. Those that follow from the roles have a remedy on the screen Data.

    Parameters
    ----------
    columns
        Inspected columns.
    found
        Findings of the inspection, or None before they exist.
    model
        Model of the job, or None if the job is incomplete.
    """
    found = found or {}
    for doubt in unknown_persons(job.text("unit")) if model else ():
        yield Problem(doubt)
    yield from unprotected_sensitive(job.names("relational", "keep"))
    if model is not None:
        typical = next(iter(found.get("items_per_person", ())), 0)
        for doubt in weak_guarantee(model, found.get("records", found.get("persons")), typical):
            yield Problem(doubt)
    yield from () if job.names("sensitive_items") else _unprotected_items(job, columns)


def _unprotected_items(job: Job, columns: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    kinds = {one["name"]: one.get("items") or one["kind"] for one in columns}
    known = {name: f"look like {kind}" for name, kind in kinds.items() if kind in CODE_LEVELS}
    wide = job.names(*SETS[1:])
    named = [name for name in wide if is_sensitive(name)]
    seem = f"seem sensitive ({listed([repr(one) for one in named], 'and')})" if named else ""
    items = {name: known.get(name, "") for name in job.names(SETS[0])}
    items |= {"items": seem or next((known[name] for name in wide if name in known), "")} if wide else {}
    for problem in unprotected_items(items):
        secret = named if seem and seem in problem.sentence else CHOOSE
        yield replace(problem, fixes=[Fix({"sensitive_items": secret})])
