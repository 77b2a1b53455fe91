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
    named = {candidate["algorithm"] for candidate in listed}
    candidates = [dict(candidate) for candidate in listed] + [
        {"algorithm": name} for name in others if name not in named
    ]
    if model.name == "anatomy":
        k = max(2, model.diversity)
        candidates = [
            {**candidate, "k": k} if candidate["algorithm"] == "safe-grouping" else candidate
            for candidate in candidates
        ]
    if table.transactions is not None and not (table.relational or table.kept or table.joined):
        set_algorithms = with_traits(lambda traits: model.name in traits.set_beside) if (model.m or 1) > 1 else []
        candidates += [
            {"algorithm": name}
            for name in set_algorithms
            if name not in {candidate["algorithm"] for candidate in candidates}
        ]
    if table.tables and table.joined:  # items of different tables share no symbol
        for candidate in candidates:
            if candidate["algorithm"] == "joint-split":
                candidate.setdefault("transaction", APART)
        deciding = (candidate.get("transaction", candidate["algorithm"]) for candidate in candidates)
        apart = [not traits_of(ALGORITHMS[name]).forms_sets for name in deciding]
        candidates = [candidate for candidate, kept in zip(candidates, apart, strict=True) if kept]
    if table.n > _MANY:
        for candidate in candidates:
            if "formation" in (field.name for field in fields(ALGORITHMS[candidate["algorithm"]])):  # type: ignore[arg-type]
                candidate["formation"] = "mondrian"
        candidates = [candidate for candidate in candidates if not traits_of(ALGORITHMS[candidate["algorithm"]]).slow]
    return candidates


def serves(algorithm: str, model: PrivacyModel) -> bool:
    """Return True if anonset can select the algorithm for a run that names only this model (`--model`).

    Other algorithms run under their own model, and their results are verified against the given model. An algorithm
    that is only shown for comparison (`Traits.set_beside`) is verified against its own model.
    """
    traits = traits_of(ALGORITHMS[algorithm])
    return model.name not in (*traits.also_answers, *traits.set_beside)
