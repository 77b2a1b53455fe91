"""Losses of a publication that lies on disk, against the data that it was made from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from anonset.data import Table
from anonset.errors import InputError
from anonset.runner.check import read_attestation
from anonset.runner.home_files import read_codebook, read_mapping


@dataclass(frozen=True)
class Evaluation:
    """How much a publication lost."""

    ncp: float
    """Normalized certainty penalty of the items, in [0, 1]."""
    records: int
    occurrences: int
    """Item occurrences of the original."""
    universe: int
    """Items of the universe."""
    symbols: int
    """Distinct symbols that the occurring items are published as."""
    generalized: int
    """Items that occur and are published as a symbol of several items."""
    suppressed: int
    """Items that occur and are not published."""
    source: str
    """Where the mapping came from: ``mapping`` (the private directory) or ``codebook``."""


def evaluate(original: Table, out: Path, private: Path | None = None) -> Evaluation:
    """Return the losses of the publication in a directory.

    The mapping of the items is read from the private directory, or where there is none from the codebook; an
    item that the codebook does not know counts as suppressed then.

    Raises
    ------
    InputError
        If the directory is no publication, or not one of this table.
    """
    column = original.transactions
    if column is None:
        msg = "the original must have a set-valued column, got none"
        raise InputError(msg)
    _require_publication(original, out)
    here = out.resolve()  # the directory may be given as "."
    folder = here.parent / f"{here.name}.private" if private is None else private
    if private is not None or (folder / "mapping.csv").is_file():
        mapping, source = read_mapping(folder / "mapping.csv"), "mapping"
    else:
        book = read_codebook(out / "codebook.csv")
        known = invert({s.label: s.members for s in book if s.kind != "values"})
        mapping, source = {**dict.fromkeys(column.vocabulary.labels, ""), **known}, "codebook"
    occurring = np.flatnonzero(column.occurrences)
    counts = {column.vocabulary.labels[code]: int(column.occurrences[code]) for code in occurring}
    if unknown := sorted(counts.keys() - mapping.keys()):
        msg = f"item {unknown[0]!r} of the original is not in the {source}: {str(out)!r} was made from other data"
        raise InputError(msg)
    return _evaluation(original.n, counts, mapping, source)


def _evaluation(n: int, counts: Mapping[str, int], mapping: Mapping[str, str], source: str) -> Evaluation:
    """Add up the losses: a suppressed item costs 1, one in a class of s > 1 items s/M, one as itself nothing."""
    universe, size = len(mapping), Counter(mapping.values())
    occurrences = sum(counts.values())
    lost, generalized, suppressed = 0, 0, 0
    for item, count in counts.items():
        symbol = mapping[item]
        if not symbol:
            suppressed, lost = suppressed + 1, lost + count * universe
        elif size[symbol] > 1:
            generalized, lost = generalized + 1, lost + count * size[symbol]
    symbols = len({mapping[item] for item in counts} - {""})
    ncp = float(Fraction(lost, max(1, universe * occurrences)))
    return Evaluation(ncp, n, occurrences, universe, symbols, generalized, suppressed, source)


def invert(members: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the symbol of each item.

    Raises
    ------
    InputError
        If two symbols stand for the same item, as in a local recoding.
    """
    found: dict[str, str] = {}
    for symbol, items in members.items():
        for item in items:
            if item in found:
                msg = f"item {item!r} is behind {found[item]!r} and {symbol!r}; the private mapping is needed"
                raise InputError(msg)
            found[item] = symbol
    return found


def _require_publication(original: Table, out: Path) -> None:
    """Refuse a directory that is no publication, or one of another number of records."""
    attested = read_attestation(out)
    if attested is None:
        msg = f"{str(out)!r} must be a directory made by anonset anonymize, with its attestation.json"
        raise InputError(msg)
    published = attested.counts.get("records")
    if published != original.n:
        msg = f"the original has {original.n} records, but {str(out)!r} was published with {published}"
        raise InputError(msg)
