"""Measure the loss caused by l-diversity and t-closeness on Adult, with k=10.

The data are the 30,162 complete rows, with ARX's hierarchies.

Run as ``python -m benchmarks.classes FOLDER``, with the folder of `benchmarks.relational`. The sensitive column is
either the occupation, with 14 values and seven quasi-identifiers, or the income, with 2 values and eight
quasi-identifiers. Losses are computed as in `benchmarks.relational`; `full-domain` searches the complete lattice.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.relational import COLUMNS, K, rows_of, trees_of, written

from anonset.algorithms.relational.class_rules import rule_of
from anonset.algorithms.relational.formations import formation_of
from anonset.data import CategoricalColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.measures.losses.relational_ncp import relational_ncp

FORMS = (
    ("local-recoding", True),
    ("local-recoding", False),
    ("cluster", False),
    ("mondrian", False),
    ("full-domain", False),
)
T = ("0.2", "0.3", "0.4", "0.5")
ASKED: dict[str, tuple[dict[str, Any], ...]] = {
    "occupation": (
        *({"l": l} for l in (2, 3, 4, 5)),  # noqa: E741
        *({"l": l, "l_kind": "entropy"} for l in (2, 3, 4, 5)),  # noqa: E741
        *({"t": t} for t in T),
    ),
    "income": ({"l": 2}, *({"t": t} for t in T)),
}


def lines_of(folder: Path, sensitive: str) -> Iterator[list[str]]:
    """Yield a row per model with the loss of each formation and the total seconds."""
    rows = rows_of(folder)
    columns = [name for name in COLUMNS if name != sensitive]
    texts = [CategoricalColumn.of(name, [row[name] for row in rows]) for name in columns]
    trees = [{name: tree for name, tree in trees_of(folder, rows, occurring=only).items() if name in columns}
             for only in (False, True)]  # fmt: skip
    searched, held = (QuasiIdentifiers.of(texts, own) for own in trees)
    table = Table(None, tuple(texts), kept=(CategoricalColumn.of(sensitive, [row[sensitive] for row in rows]),))
    for asked in ({}, *ASKED[sensitive]):
        losses, began = [], time.process_time()
        for name, refine in FORMS:
            given = {**asked, "sensitive": sensitive} if asked else {}
            formation = formation_of(name, K, refine=refine, **given)
            ruled = replace(searched, rule=rule_of(formation.model, table))
            losses.append(relational_ncp(held, formation.clusters(ruled)[0]))
        named = " ".join(f"{name.replace('_', '-')}={value}" for name, value in asked.items()) or "only k"
        yield [named, *(f"{loss:.4f}" for loss in losses), f"{time.process_time() - began:.1f} s"]


def main(folder: Path) -> None:
    """Measure and write a table per sensitive column."""
    names = [f"`{name}`{' `--refine`' if refine else ''}" for name, refine in FORMS]
    for sensitive in ASKED:
        head = (f"sensitive: {sensitive}", *names, "total time")
        written(f"classes-{sensitive}", head, lines_of(folder, sensitive))


if __name__ == "__main__":
    np.seterr(over="ignore")
    main(Path(sys.argv[1]))
