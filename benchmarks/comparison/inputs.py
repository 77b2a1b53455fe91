"""Input files of the comparison.

The files are Adult with ARX's hierarchies, and baskets with a hierarchy of five children per node.

All tools read the same values. Labels of inner nodes contain their level and no blanks, because
ARX's branch for sets rejects equal labels on two levels, and in Amnesia's files blanks separate labels.
"""

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.relational import COLUMNS, rows_of

FANOUT = 5
Labels = tuple[str, ...]
"""Labels from a leaf to the root."""


@dataclass(frozen=True)
class Tree:
    """Hierarchy whose leaves all have the same depth."""

    paths: Sequence[Labels]

    @cached_property
    def leaves_below(self) -> Mapping[str, set[str]]:
        """Leaves below each label."""
        below: dict[str, set[str]] = {}
        for path in self.paths:
            for label in path:
                below.setdefault(label, set()).add(path[0])
        return below

    def write(self, folder: Path, name: str) -> None:
        """Write the hierarchy as NAME.csv with a line per leaf, and as NAME.txt in Amnesia's format."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.csv").write_text("".join(";".join(path) + "\n" for path in self.paths), encoding="utf-8")
        height = len(self.paths[0])
        parts = [f"distinct\nname {name}\ntype string\nheight {height}\n"]
        for level in range(1, height):
            children: dict[str, dict[str, None]] = {}
            for path in self.paths:
                children.setdefault(path[level], {})[path[level - 1]] = None
            parts.append("".join(f"{parent} has {' '.join(below)}\n" for parent, below in children.items()))
        (folder / f"{name}.txt").write_text("\n".join(parts) + "\n", encoding="utf-8")


def adult(data: Path, folder: Path, columns: Sequence[str] = COLUMNS) -> tuple[list[list[str]], dict[str, Tree]]:
    """Write ``table.csv`` and a hierarchy per column into `folder`. Return the rows and the hierarchies."""
    rows = [[row[name] for name in columns] for row in rows_of(data)]
    names = [name.replace("-", "_") for name in columns]  # sdcMicro rejects hyphens
    trees = {}
    for i, name in enumerate(names):
        path = data / "hierarchies" / "adult_arx" / f"adult_hierarchy_{columns[i]}.csv.gz"
        occurring = {row[i] for row in rows}
        lines = [line.split(";") for line in gzip.decompress(path.read_bytes()).decode().splitlines() if line]
        trees[name] = Tree([_labels(line) for line in lines if line[0] in occurring])
        trees[name].write(folder, name)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])
    return rows, trees


def _labels(line: Sequence[str]) -> Labels:
    return line[0], *(f"{level}_{label}".replace(" ", "_") for level, label in enumerate(line[1:], 1))


def baskets(data: Path, name: str, folder: Path) -> tuple[list[list[str]], Tree]:
    """Write ``sets.dat`` and the hierarchy of its items into `folder`. Return the records and the hierarchy.

    Also write the records to ``sets.set`` with the header line that Amnesia expects.
    """
    text = gzip.decompress((data / "transactions" / f"{name}.dat.gz").read_bytes()).decode()
    records = [sorted(set(line.split()), key=int) for line in text.splitlines() if line.strip()]
    items = sorted({item for record in records for item in record}, key=int)
    depth = 1
    while FANOUT**depth < len(items):
        depth += 1
    tree = Tree([(item, *(f"{n}_{i // FANOUT**n}" for n in range(1, depth + 1))) for i, item in enumerate(items)])
    tree.write(folder, "sets")
    lines = "".join(" ".join(record) + "\n" for record in records)
    (folder / "sets.dat").write_text(lines, encoding="utf-8")
    (folder / "sets.set").write_text("set\n" + lines, encoding="utf-8")
    return records, tree
