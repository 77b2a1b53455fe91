"""Candidate algorithms and parameters that `suggest` tries for a privacy model."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS, APART, with_traits
from anonset.data import Table
from anonset.data.hierarchies.hierarchy_rules import HALVES
from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.settings.commands import SUGGESTED

BY_FREQUENCY = f"{HALVES}frequency"
"""Hierarchy of the items built from item frequencies, tried in addition to the given hierarchy."""
_MERGING: Mapping[str, Any] = {"merge": "rt", "on_infeasible": "merge"}
_CANDIDATES: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "km": (
        {"algorithm": "exact"},
        {"algorithm": "exact", "hierarchy": BY_FREQUENCY},
        {"algorithm": "exact", "suppress": True},
        {"algorithm": "apriori"},
        {"algorithm": "set-search"},
        {"algorithm": "coat"},
        {"algorithm": "mhghs"},
        {"algorithm": "vpa"},
    ),
    "kkm": (
        {"algorithm": "joint-split", "point": "items"},
        {"algorithm": "joint-split", "point": "balanced"},
        {"algorithm": "joint-split", "point": "attributes"},
        {"algorithm": "rfirst", "transaction": "coat", "on_infeasible": "merge"},
        {"algorithm": "rfirst", "transaction": "apriori", "on_infeasible": "merge"},
        {"algorithm": "rum-bound", "transaction": "coat", "delta": 0.5, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "coat", "delta": 0.65, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "apriori", "delta": 0.65, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "exact", "delta": 0.5, **_MERGING, "hierarchy": BY_FREQUENCY},
        {"algorithm": "rum-bound", "transaction": "exact", "delta": 0.5, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "exact", "delta": 0.6, **_MERGING, "hierarchy": BY_FREQUENCY},
        {"algorithm": "rum-bound", "transaction": "exact", "delta": 0.6, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "exact", "delta": 0.3, **_MERGING, "hierarchy": BY_FREQUENCY},
        {"algorithm": "tfirst"},
        {"algorithm": "rfirst", "transaction": "set-search", "on_infeasible": "merge"},
        {"algorithm": "rum-bound", "transaction": "set-search", "delta": 0.65, **_MERGING},
    ),
    "klm": (
        {"algorithm": "joint-split", "transaction": "lm-apriori"},
        {"algorithm": "rum-bound", "transaction": "lm-apriori", "delta": 0.65, **_MERGING},
        {"algorithm": "rum-bound", "transaction": "lm-apriori", "delta": 0.3, **_MERGING},
        {"algorithm": "rfirst", "transaction": "lm-apriori", "on_infeasible": "merge"},
    ),
    "rho": (
        {"algorithm": "suppress-control", "generalize": True},
        {"algorithm": "suppress-control", "generalize": True, "hierarchy": BY_FREQUENCY},
        {"algorithm": "suppress-control"},
    ),
}
"""Candidates with parameters, by model. Algorithms that are not listed are tried with default parameters."""
_ALONE: Mapping[str, Sequence[Mapping[str, Any]]] = {"klm": ({"algorithm": "lm-apriori"},)}
"""Candidates for tables without relational columns."""
_MANY = 50_000


def candidates_for(table: Table, model: PrivacyModel) -> list[dict[str, Any]]:
    """Return the settings of the candidates. Above 50,000 records, clusters use the fast formation.

    The setting `hierarchy` replaces the given hierarchy of the items. Algorithms with another guarantee, included for
    comparison, come last.

    Raises
    ------
    InputError
        If there are no candidates for the model.
    """
    if model.name not in SUGGESTED:
        msg = f"suggest supports the models {', '.join(SUGGESTED)}, got {model.name}"
        raise InputError(msg)
    listed = _CANDIDATES.get(model.name, ())
    others = with_traits(lambda traits: model.name in traits.models and not traits.not_tried)
    if model.name in _ALONE and not table.relational:
        listed, others = _ALONE[model.name], []
    if _is_one_set(table) and (model.m or 1) > 1:
        others = [*others, *with_traits(lambda traits: model.name in traits.set_beside)]
    named = {candidate["algorithm"] for candidate in listed}
    tried = [*listed, *({"algorithm": name} for name in dict.fromkeys(others) if name not in named)]
    fitted = [_fitted(candidate, table, model) for candidate in tried]
    return [candidate for candidate in fitted if _suits(candidate, table)]


def _is_one_set(table: Table) -> bool:
    return table.transactions is not None and not (table.relational or table.kept or table.joined)


def _has_apart_items(table: Table) -> bool:
    """Return True if items belong to different linked tables, so that they share no symbol."""
    return bool(table.tables and table.joined)


def _fitted(candidate: Mapping[str, Any], table: Table, model: PrivacyModel) -> dict[str, Any]:
    """Return a candidate with the parameters that depend on the table and the model."""
    algorithm, fitted = candidate["algorithm"], dict(candidate)
    if algorithm == "safe-grouping" and model.name == "anatomy":
        fitted["k"] = max(2, model.diversity)
    if algorithm == "joint-split" and _has_apart_items(table):
        fitted.setdefault("transaction", APART)
    if table.n > _MANY and any(field.name == "formation" for field in fields(ALGORITHMS[algorithm])):  # type: ignore[arg-type]
        fitted["formation"] = "mondrian"
    return fitted


def _suits(candidate: Mapping[str, Any], table: Table) -> bool:
    """Return True if an algorithm is fast enough for a table, and can treat the items of linked tables apart."""
    if table.n > _MANY and traits_of(ALGORITHMS[candidate["algorithm"]]).slow:
        return False
    deciding = candidate.get("transaction", candidate["algorithm"])
    return not (_has_apart_items(table) and traits_of(ALGORITHMS[deciding]).forms_sets)


def serves(algorithm: str, model: PrivacyModel) -> bool:
    """Return True if anonset can select the algorithm for a run that names only this model (`--model`).

    Other algorithms run under their own model, and their results are verified against the given model. An algorithm
    that is only shown for comparison (`Traits.set_beside`) is verified against its own model.
    """
    traits = traits_of(ALGORITHMS[algorithm])
    return model.name not in (*traits.also_answers, *traits.set_beside)
