"""Candidate algorithms and parameters that `suggest` tries for a privacy model."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS, APART, with_traits
from anonset.data import Table
from anonset.data.hierarchies.hierarchy_rules import HALVES
from anonset.errors import InputError
from anonset.jobs.trials.candidate import Candidate
from anonset.privacy import PrivacyModel
from anonset.settings.commands import SUGGESTED
from anonset.settings.job import Job

BY_FREQUENCY = f"{HALVES}frequency"
"""Hierarchy of the items built from item frequencies, tried in addition to the given hierarchy."""
_MERGING = {"merge": "rt", "on_infeasible": "merge"}


def _candidate(algorithm: str, **settings: Any) -> Candidate:
    return Candidate(algorithm, settings)


_CANDIDATES: Mapping[str, Sequence[Candidate]] = {
    "km": (
        _candidate("exact"),
        _candidate("exact", hierarchy=BY_FREQUENCY),
        _candidate("exact", suppress=True),
        _candidate("apriori"),
        _candidate("set-search"),
        _candidate("coat"),
        _candidate("mhghs"),
        _candidate("vpa"),
    ),
    "kkm": (
        _candidate("joint-split", point="items"),
        _candidate("joint-split", point="balanced"),
        _candidate("joint-split", point="attributes"),
        _candidate("rfirst", transaction="coat", on_infeasible="merge"),
        _candidate("rfirst", transaction="apriori", on_infeasible="merge"),
        _candidate("rum-bound", transaction="coat", delta=0.5, **_MERGING),
        _candidate("rum-bound", transaction="coat", delta=0.65, **_MERGING),
        _candidate("rum-bound", transaction="apriori", delta=0.65, **_MERGING),
        _candidate("rum-bound", transaction="exact", delta=0.5, **_MERGING, hierarchy=BY_FREQUENCY),
        _candidate("rum-bound", transaction="exact", delta=0.5, **_MERGING),
        _candidate("rum-bound", transaction="exact", delta=0.6, **_MERGING, hierarchy=BY_FREQUENCY),
        _candidate("rum-bound", transaction="exact", delta=0.6, **_MERGING),
        _candidate("rum-bound", transaction="exact", delta=0.3, **_MERGING, hierarchy=BY_FREQUENCY),
        _candidate("tfirst"),
        _candidate("rfirst", transaction="set-search", on_infeasible="merge"),
        _candidate("rum-bound", transaction="set-search", delta=0.65, **_MERGING),
    ),
    "klm": (
        _candidate("joint-split", transaction="lm-apriori"),
        _candidate("rum-bound", transaction="lm-apriori", delta=0.65, **_MERGING),
        _candidate("rum-bound", transaction="lm-apriori", delta=0.3, **_MERGING),
        _candidate("rfirst", transaction="lm-apriori", on_infeasible="merge"),
    ),
    "rho": (
        _candidate("suppress-control", generalize=True),
        _candidate("suppress-control", generalize=True, hierarchy=BY_FREQUENCY),
        _candidate("suppress-control"),
    ),
}
"""Candidates with parameters, by model. Algorithms that are not listed are tried with default parameters."""
_ALONE: Mapping[str, Sequence[Candidate]] = {"klm": (_candidate("lm-apriori"),)}
"""Candidates for tables without relational columns."""
_MANY = 50_000


def candidates_for(table: Table, model: PrivacyModel) -> list[Candidate]:
    """Return the candidates, without results. Above 50,000 records, clusters use the fast formation.

    The setting `hierarchy` replaces the given hierarchy of the items. Algorithms with another guarantee, included for
    comparison, come last.

    Raises
    ------
    InputError
        If there are no candidates for the model.
    """
    if model.name not in SUGGESTED:
        raise InputError(f"suggest supports the models {', '.join(SUGGESTED)}, got {model.name}")
    listed = _CANDIDATES.get(model.name, ())
    others = with_traits(lambda traits: model.name in traits.models and not traits.not_tried)
    if model.name in _ALONE and not table.relational:
        listed, others = _ALONE[model.name], []
    is_one_set = table.transactions is not None and not (table.relational or table.kept or table.joined)
    if is_one_set and (model.m or 1) > 1:
        others = [*others, *with_traits(lambda traits: model.name in traits.set_beside)]
    named = {candidate.algorithm for candidate in listed}
    tried = [*listed, *(Candidate(name) for name in dict.fromkeys(others) if name not in named)]
    fitted = [_fitted(candidate, table, model) for candidate in tried]
    return [candidate for candidate in fitted if _suits(candidate, table)]


def _has_apart_items(table: Table) -> bool:
    """Return True if items belong to different linked tables, so that they share no symbol."""
    return bool(table.tables and table.joined)


def _fitted(candidate: Candidate, table: Table, model: PrivacyModel) -> Candidate:
    """Return a candidate with the parameters that depend on the table and the model."""
    algorithm, fitted = candidate.algorithm, dict(candidate.settings)
    accepted = {field.name for field in fields(ALGORITHMS[algorithm])}  # type: ignore[arg-type]
    if algorithm == "safe-grouping" and model.name == "anatomy":
        fitted["k"] = max(2, model.diversity)
    if "transaction" in accepted and _has_apart_items(table):
        fitted.setdefault("transaction", APART)  # as in jobs with linked tables
    if table.n > _MANY and "formation" in accepted:
        fitted["formation"] = "mondrian"
    return Candidate(algorithm, fitted)


def _suits(candidate: Candidate, table: Table) -> bool:
    """Return True if an algorithm is fast enough for a table, and can treat the items of linked tables apart."""
    if table.n > _MANY and traits_of(ALGORITHMS[candidate.algorithm]).slow:
        return False
    deciding = Job(candidate.settings).text("transaction") or candidate.algorithm
    return not (_has_apart_items(table) and traits_of(ALGORITHMS[deciding]).forms_sets)
