"""Which technique is applied to each column, in the words of ISO/IEC 20889:2018."""

from collections.abc import Mapping
from typing import Any

from anonset.jobs.report_facts import ReportFacts
from anonset.release.documents import BucketFiles, ChunkFiles

Row = tuple[str, str, str]
"""Name of a column, its role, and its technique."""
_KEPT = "none: published as it is, the owner's decision"
_MASKED = "masking: the attribute is left out"


def columns_of(facts: ReportFacts, *, exactly: bool) -> list[Row]:
    """Return the published columns with role and technique.

    Parameters
    ----------
    exactly
        Whether to say what became of the original, which only its owner may know.
    """
    data = facts.attested.data
    mixed = facts.model.sensitive_column
    kept = [(name, "sensitive attribute" if name == mixed else "attribute", _KEPT) for name in data.keep]
    retention = facts.private.retention if exactly and facts.private is not None else None
    if isinstance(data, BucketFiles):
        hidden = "; masking of the identities that are hidden" if getattr(facts.after, "hidden", 0) else ""
        removed = bool(retention and retention.get("tuples", {}).get("removed"))
        left = "; record suppression" if removed else ""
        ids = [(name, "identifier, shown apart from the sensitive value", f"anatomization{hidden}") for name in data.id]
        return [*ids, *kept, (data.sensitive, "sensitive attribute", f"anatomization{left}")]
    protects = facts.model.protects
    if isinstance(data, ChunkFiles):
        suppressed = exactly and bool((retention or {}).get("items", {}).get("suppressed"))
        left = "; local suppression of items" if suppressed or not exactly else ""
        parted = f"disassociation, which the standard does not name: the parts of a record stand apart{left}"
        return [(name, "quasi-identifier (set-valued)", parted) for name in data.items]
    of_items = _items(retention) if "items" in protects else _KEPT
    of_values = _values(retention) if "relational" in protects else _KEPT
    return [
        *((name, "quasi-identifier (set-valued)", of_items) for name in data.items),
        *((name, "quasi-identifier", of_values) for name in data.relational),
        *kept,
    ]


def left_out(facts: ReportFacts, settings: Mapping[str, Any]) -> list[Row]:
    """Return the columns that are not published."""
    shown = facts.attested.data.id if isinstance(facts.attested.data, BucketFiles) else []
    return [
        *((name, "direct identifier", _MASKED) for name in settings.get("id", []) if name not in shown),
        *((name, "left out", _MASKED) for name in settings.get("drop", [])),
    ]


def _items(retention: Mapping[str, Mapping[str, int]] | None) -> str:
    """Return the technique for items; for the public the possible one, since suppressed items are not visible."""
    if retention is None:
        return "generalization, or local suppression where an item is in no published symbol"
    return _done(retention.get("items", {}), "local suppression of items")


def _values(retention: Mapping[str, Mapping[str, int]] | None) -> str:
    if retention is None:
        return "generalization, to ranges, categories or sets of values"
    return _done(retention.get("values", {}), "local suppression of values")


def _done(counts: Mapping[str, int], suppressed: str) -> str:
    done = ["generalization"] if counts.get("generalized") else []
    done += [suppressed] if counts.get("suppressed") else []
    return "; ".join(done) or "none was needed"
