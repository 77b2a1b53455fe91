"""Measure how often two attacks, downcoding and combinatorial refinement, succeed on publications of Adult.

The data are the 30,162 complete rows, with ARX's hierarchies.

Run as ``python -m benchmarks.attacks FOLDER``, with the folder of `benchmarks.relational`. Prints a line per formation
and attack for k=5, first for age, sex, race and education, then for all eight quasi-identifiers.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.relational import COLUMNS, rows_of, trees_of

import anonset
from anonset.algorithms.relational.formations import formation_of
from anonset.analysis.risk import Risk
from anonset.data import CategoricalColumn, Table
from anonset.data.table_facts import OwnerStatements

K = 5
FORMS = (
    *(("local-recoding", False), ("local-recoding", True), ("cluster", False), ("cluster", True)),
    *(("k-member", False), ("xu-top-down", False), ("mondrian", False), ("full-domain", False)),
)
FEW = ("age", "sex", "race", "education")


def lines_of(folder: Path, columns: tuple[str, ...]) -> Iterator[str]:
    """Yield a line per formation and attack."""
    rows = rows_of(folder)
    trees = {name: tree for name, tree in trees_of(folder, rows, occurring=False).items() if name in columns}
    texts = tuple(CategoricalColumn.of(name, [row[name] for row in rows]) for name in columns)
    table = Table(None, texts, statements=OwnerStatements("row"))
    for name, refine in FORMS:
        release = anonset.anonymize(table, formation_of(name, K, refine=refine), hierarchies=trees)
        risk = anonset.risk(release, attacks=["all"])
        assert isinstance(risk, Risk)
        for one in risk.outcomes:
            if one.attack in ("downcoding", "combinatorial-refinement"):
                figures = (one.won.success, one.without.success, one.control.success, one.won.certain or 0.0)
                shown = " | ".join(f"{figure:.1%}" for figure in figures)
                yield f"| `{name}`{' `--refine`' if refine else ''} | {one.attack} | {shown} |"


def main(folder: Path) -> None:
    """Print a table for four columns, and a table for all columns."""
    for columns in (FEW, COLUMNS):
        sys.stdout.write(f"\n| {len(columns)} columns, k={K} | attack | right by guessing | without it | control |")
        sys.stdout.write(f" certain |\n|{'---|' * 6}\n")
        for line in lines_of(folder, columns):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
