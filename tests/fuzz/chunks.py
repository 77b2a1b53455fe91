"""Brute-force checks of disassociated publications: file contents, privacy model, truth."""

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from pyarrow import parquet

from anonset.jobs.verify import check
from fuzz.draws import Case
from fuzz.files import checks_of
from fuzz.jobs import Ran, chance, refused_to_verify
from fuzz.published import attestation_of, lines_of, write_lines
from fuzz.truth import original_rows
from reference import disassociation as twin

TABLES: dict[str, tuple[str, ...]] = {
    "clusters": ("cluster", "n", "terms"),
    "chunks": ("cluster", "chunk", "items", "count"),
    "shared": ("first", "last", "chunk", "items", "count"),
    "counts": ("item", "total"),
}
Files = dict[str, list[dict[str, str]]]


def require_chunks(case: Case, ran: Ran) -> None:
    """Check published chunks by brute force, and check that a changed cell is detected."""
    files = files_of(ran.out)
    published = chunks_of(files)
    cluster_of = require_way_back(case, ran)
    assert _holds(case, published), "the model does not hold"
    terms = {item for cluster in published.clusters for item in cluster.terms} - set(case.secrets)
    assert published.totals is None or {item for item, _ in published.totals} == terms
    assert (published.totals is not None) == bool(case.parameters.get("counts"))
    assert not untrue(case, published, cluster_of)
    assert attestation_of(ran.out)["counts"] == {
        "records": sum(cluster.n for cluster in published.clusters),
        "clusters": len(published.clusters),
        "items": len(twin.items_of(published)),
    }
    against = checks_of(case, ran.given)
    for verification in (check(ran.out, {}), check(ran.out, against)):
        assert verification.verdict.holds is True, verification.verdict
        assert verification.holds is True, verification.untrue
    if published.clusters:
        _require_caught(case, ran, files, cluster_of)


def _holds(case: Case, published: twin.Chunks) -> bool:
    """Return True if the published chunks satisfy the case's model."""
    parameters = {"k": 1, "m": 1, "cap": "1/2", **case.parameters}
    return twin.holds(published, parameters["k"], parameters["m"], frozenset(case.secrets), Fraction(parameters["cap"]))


def files_of(out: Path) -> Files:
    """Return the rows of each table, from a file or from parts."""
    paths = {table: sorted(p for p in out.rglob("*") if table in (p.stem, p.parent.name)) for table in TABLES}
    return {
        table: [row for path in files for row in _lines(path)]
        for table, files in paths.items()
        if files or table != "counts"
    }


def _lines(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".parquet":
        rows = parquet.read_table(path).to_pylist()
        return [{name: " ".join(x) if isinstance(x, list) else str(x) for name, x in row.items()} for row in rows]
    return lines_of(path) if path.is_file() else []


def chunks_of(files: Files) -> twin.Chunks:
    """Parse a publication by the documented file format."""
    chunks = _rows(files["chunks"], ("cluster", "chunk"))
    shared = _rows(files["shared"], ("first", "last", "chunk"))
    clusters = (
        twin.Cluster(int(row["n"]), _items(row["terms"]), tuple(rows for key, rows in chunks.items() if key[0] == c))
        for c, row in enumerate(files["clusters"])
    )
    totals = tuple((row["item"], int(row["total"])) for row in files["counts"]) if "counts" in files else None
    return twin.Chunks(
        tuple(clusters), tuple(twin.Shared(key[0], key[1], rows) for key, rows in shared.items()), totals
    )


def _rows(lines: list[dict[str, str]], keys: tuple[str, ...]) -> dict[tuple[int, ...], twin.Rows]:
    result: dict[tuple[int, ...], twin.Rows] = {}
    for line in lines:
        key = tuple(int(line[name]) for name in keys)
        result[key] = result.get(key, ()) + (_items(line["items"]),) * int(line["count"])
    return result


def _items(text: str) -> twin.Row:
    return frozenset(text.split(" ")) - {""}


def require_way_back(case: Case, ran: Ran) -> list[int]:
    """Check that the private directory names each record once. Return each record's cluster."""
    lines = lines_of(ran.private / "records.csv")
    cluster_of = {int(line["input_record"]): int(line["cluster"]) for line in lines}
    assert sorted(cluster_of) == list(range(len(original_rows(case))))
    assert [int(line["published_row"]) for line in lines] == list(range(len(lines)))
    assert [int(line["cluster"]) for line in lines] == sorted(cluster_of.values())
    return [cluster_of[record] for record in range(len(lines))]


def untrue(case: Case, published: twin.Chunks, cluster_of: list[int]) -> str:
    """Return the first difference between published chunks and the original. Empty if they agree."""
    shown = twin.items_of(published)
    rows = [frozenset(row & shown) for row in original_rows(case)]
    if [cluster_of.count(c) for c in range(len(published.clusters))] != [cluster.n for cluster in published.clusters]:
        return "the clusters have other numbers of records"
    cut: Counter[tuple[object, twin.Row]] = Counter()
    terms: Counter[tuple[int, str]] = Counter()
    for row, c in zip(rows, cluster_of, strict=True):
        parts: dict[object, set[str]] = {}
        for item in row:
            place = _place(published, c, item)
            if place is None:
                return f"{item} is shown nowhere for cluster {c}"
            if place == (c, "terms"):
                terms[c, item] += 1
            else:
                parts.setdefault(place, set()).add(item)
        cut.update((place, frozenset(part)) for place, part in parts.items())
    stated = Counter(
        ((c, number), row)
        for c, cluster in enumerate(published.clusters)
        for number, chunk in enumerate(cluster.chunks)
        for row in chunk
    )
    stated.update((("shared", number), row) for number, chunk in enumerate(published.shared) for row in chunk.rows)
    if cut != stated:
        return "chunks hold other sub-records"
    if terms.keys() != {(c, item) for c, cluster in enumerate(published.clusters) for item in cluster.terms}:
        return "a term is in no record of its cluster"
    totals = Counter[str]()
    for (_, item), records in terms.items():
        totals[item] += records
    if any(totals[item] != total for item, total in published.totals or ()):
        return "a total is another one"
    return ""


def _place(published: twin.Chunks, c: int, item: str) -> object:
    """Return the chunk that must contain an item: of the own cluster, or the smallest enclosing shared chunk."""
    cluster = published.clusters[c]
    if item in cluster.terms:
        return c, "terms"
    for number, rows in enumerate(cluster.chunks):
        if item in twin.domain(rows):
            return c, number
    around = [
        (chunk.last - chunk.first, number)
        for number, chunk in enumerate(published.shared)
        if item in twin.domain(chunk.rows) and c in twin.falls_on(published, chunk)
    ]
    return ("shared", min(around)[1]) if around else None


def _require_caught(case: Case, ran: Ran, files: Files, cluster_of: list[int]) -> None:
    """Change a cell. `verify` must reject the publication, or agree with brute force."""
    changed = with_another_cell(files, chance(case, "change"))
    folder = ran.out.with_name("changed")
    folder.mkdir()
    for name, rows in changed.items():
        (folder / f"{name}.csv").write_text(f"{','.join(TABLES[name])}\n", "utf-8")
        if rows:
            write_lines(folder / f"{name}.csv", rows)
    options: Mapping[str, Any] = {
        **checks_of(case, ran.given),
        "k": 1,
        "m": 1,
        **{name: case.parameters[name] for name in ("k", "m", "sensitive_items", "cap") if name in case.parameters},
        "model": "disassociation",
        "items": case.sets,
    }
    verdict = refused_to_verify(folder, options)
    if verdict is None:
        return
    published = chunks_of(changed)
    assert verdict.verdict.holds is _holds(case, published), f"verify says {verdict.verdict}"
    if verdict.verdict.holds:
        assert (verdict.untrue is not None) == bool(untrue(case, published, cluster_of)), (
            f"verify says {verdict.untrue}"
        )


def with_another_cell(files: Files, rng: random.Random) -> Files:
    """Return a copy of the files in which a cell has another value."""
    changed = {name: [dict(row) for row in rows] for name, rows in files.items()}
    rows = changed[rng.choice([name for name in changed if changed[name]])]
    row = rng.choice(rows)
    name = rng.choice(sorted(row))
    if name == "item":
        row[name] = rng.choice(["else", *(item for line in files["clusters"] for item in _all_items(line))])
    elif name in ("items", "terms"):
        known = sorted({item for rows in files.values() for line in rows for item in _all_items(line)} | {"else"})
        items = set(row[name].split(" ")) - {""}
        items ^= set(rng.sample(known, min(len(known), rng.choice((1, 1, 2)))))
        row[name] = " ".join(sorted(items, key=known.index))
    else:
        row[name] = str(int(row[name]) + rng.choice((-2, -1, 1, 2)))
    return changed


def _all_items(line: Mapping[str, str]) -> list[str]:
    return [item for name in ("items", "terms") for item in line.get(name, "").split(" ") if item]
