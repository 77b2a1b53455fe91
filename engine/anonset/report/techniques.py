"""Technique applied to each column, in the terms of ISO/IEC 20889:2018."""

from collections.abc import Mapping, Sequence
from typing import cast

from anonset.analysis.risk import BucketRisk
from anonset.jobs.report_facts import ReportFacts
from anonset.reading.file_options import Unit
from anonset.release.documents import BucketFiles, ChunkFiles, PublishedFile

Row = tuple[str, str, str]
"""Column name, role and technique."""
Retention = Mapping[str, Mapping[str, int]]
"""Number of unchanged and changed items, values and rows of the original. Only the owner may see these numbers."""
_KEPT = "none: published unchanged, as decided by the owner"
_UNCHANGED = "none needed"
_MASKED = "masking: the attribute is removed"


def _retention(facts: ReportFacts) -> Retention | None:
    return None if facts.private is None else facts.private.retention


def _kept(names: Sequence[str], facts: ReportFacts) -> list[Row]:
    mixed = facts.model.sensitive_column
    return [(name, "sensitive attribute" if name == mixed else "attribute", _KEPT) for name in names]


def of_buckets(risk: BucketRisk, facts: ReportFacts) -> list[Row]:
    """Return the columns of both tables of buckets."""
    files, retention = cast("BucketFiles", facts.attested.data), _retention(facts)
    hidden = "; masking of hidden identities" if risk.hidden else ""
    removed = bool(retention and retention.get("tuples", {}).get("removed"))
    suppression = "; record suppression" if removed else ""
    ids = [(name, "identifier, separate from the sensitive value", f"anatomization{hidden}") for name in files.id]
    return [*ids, *_kept(files.keep, facts), (files.sensitive, "sensitive attribute", f"anatomization{suppression}")]


def of_chunks(facts: ReportFacts) -> list[Row]:
    """Return the item column of chunks."""
    files, retention = cast("ChunkFiles", facts.attested.data), _retention(facts)
    suppressed = retention is None or bool(retention.get("items", {}).get("suppressed"))
    suppression = "; local suppression of items" if suppressed else ""
    parted = f"disassociation (not in the standard): the parts of a record are separate{suppression}"
    return [(name, "quasi-identifier (set-valued)", parted) for name in files.items]


def of_records(facts: ReportFacts) -> list[Row]:
    """Return the columns of records."""
    files, retention, protects = cast("PublishedFile", facts.attested.data), _retention(facts), facts.model.protects
    coarsened = [name for names in facts.private.coarsened.values() for name in names] if facts.private else []
    of_items = {name: _items(retention, coarsened=name in coarsened) for name in files.items}
    kept = [one.name for one in facts.details if one.fate == "kept" and one.name not in coarsened]
    of_values = {name: _values(retention, coarsened=name in coarsened) for name in files.relational}
    of_values |= {name: _UNCHANGED for name in kept if name in of_values}
    as_is = facts.attested.declarations.published_as_is or ()
    of_values |= {name: _KEPT for name in as_is if of_values.get(name) == _UNCHANGED}
    return [
        *(
            (name, "quasi-identifier (set-valued)", done if "items" in protects else _KEPT)
            for name, done in of_items.items()
        ),
        *((name, "quasi-identifier", done if "relational" in protects else _KEPT) for name, done in of_values.items()),
        *_kept(files.keep, facts),
    ]


def left_out(facts: ReportFacts) -> list[Row]:
    """Return the unpublished columns, which only the internal report names."""
    if facts.private is None:
        return []
    settings, shown = facts.private.settings, facts.attested.data.columns
    identifying = [*settings.get("id", []), *Unit.of(settings.get("unit")).columns]
    return [
        *((name, "direct identifier", _MASKED) for name in identifying if name not in shown),
        *((name, "removed", _MASKED) for name in settings.get("drop", [])),
        *((name, "removed", _MASKED) for table in facts.tables for name in table.without_role),
    ]


def _items(retention: Retention | None, *, coarsened: bool) -> str:
    """Return the technique for items.

    In a shareable report, `retention` is None. The text then says that items may be suppressed, because the publication
    does not show whether any item is suppressed.
    """
    if retention is None:
        return "generalization, or local suppression of items that no published symbol covers"
    return _done(retention.get("items", {}), "local suppression of items", coarsened=coarsened)


def _values(retention: Retention | None, *, coarsened: bool) -> str:
    if retention is None:
        return "generalization, or none if the labels are original values"
    return _done(retention.get("values", {}), "local suppression of values", coarsened=coarsened)


def _done(counts: Mapping[str, int], suppressed: str, *, coarsened: bool) -> str:
    done = ["generalization"] if coarsened or counts.get("generalized") else []
    done += [suppressed] if counts.get("suppressed") else []
    return "; ".join(done) or _UNCHANGED
