"""Compare the CPU time of searches for a cut in this checkout and in another checkout.

No search of this checkout should take more than 5% longer.

    git worktree add /tmp/before COMMIT
    python -m benchmarks.search_cost /tmp/before > table.md

Two processes, one per checkout, search the same data alternately on a single thread, so that other programs slow down
both processes. The output contains the smallest CPU time of each search on a table in memory, and reports searches
whose cuts or traces (the steps of a search) differ. The exit code is 1 if a search is slower or differs.
"""

import argparse
import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.checkouts import Checkout

from anonset.data.blocks import Blocks

KS, MS = (2, 5, 25, 100), (1, 2, 3, 4, 5)
SLOWER = 1.05
NOISE = 0.002
"""Largest difference in seconds that counts as equal."""
POS_LIKE = 200_000
"""Size of the generated data set, which is searched in addition to the data sets of the catalogue."""
FANOUT = 5


def set_names() -> list[str]:
    """Return the names of the catalogue data sets with items, by ascending size, and of the generated data set."""
    from anonset_datasets import catalogue

    folder = os.environ.get(catalogue.VARIABLE)
    entries = sorted(catalogue.entries(), key=lambda entry: entry.n * entry.avg_length)
    there = [entry.name for entry in entries if folder and entry.n_items and _is_there(entry.name)]
    return [*there, f"pos_like:{POS_LIKE}"]


def _is_there(name: str) -> bool:
    from anonset.errors import InputError
    from anonset_datasets import catalogue

    try:
        catalogue.path(name)
    except InputError:
        return False
    return True


def answer() -> None:
    """Read searches from standard input, one per line. Run each search and write a line with the result."""
    with contextlib.suppress(BrokenPipeError):
        name, data = "", None
        for line in sys.stdin:
            asked, k, m = json.loads(line)
            data, name = data if asked == name else _data(asked), asked
            _tell(json.dumps(_searched(data, k, m)))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _data(name: str) -> Any:
    from anonset.data import Hierarchy
    from anonset_datasets import catalogue
    from anonset_datasets.generators import pos_like

    generated, _, n = name.partition(":")
    column = (pos_like(int(n)) if generated == "pos_like" else catalogue.load(name)).transactions
    if column is None:
        msg = f"{name} must have a set-valued column"
        raise RuntimeError(msg)
    return column, Hierarchy.balanced(column.vocabulary.labels, FANOUT)


def _searched(data: Any, k: int, m: int) -> dict[str, Any]:
    from anonset.algorithms.transaction.cuts.apriori import Apriori
    from anonset.data import SetColumn
    from anonset.errors import AnonsetError

    column, hierarchy = data
    bound = hierarchy.bind(SetColumn(column.name, column.indptr, column.items, column.vocabulary))
    began = time.process_time()
    try:
        search = Apriori(k=k, m=m).run_apriori(Blocks.of(bound, bound.store), hierarchy)
    except AnonsetError as refused:
        return {"cpu": time.process_time() - began, "found": type(refused).__name__, "fixes": 0}
    cpu = time.process_time() - began
    trace = repr([(fix.itemset, fix.support, fix.rules) for fix in search.fixes]).encode()
    digest = hashlib.sha256(trace + search.image.tobytes()).hexdigest()
    return {"cpu": cpu, "found": digest, "fixes": len(search.fixes)}


@dataclass(frozen=True)
class Line:
    """Results of the same search with both checkouts."""

    name: str
    k: int
    m: int
    before: float
    """Smallest CPU time of a run, in seconds."""
    after: float
    fixes: int
    same: bool
    """True if cuts and traces are equal."""

    @property
    def ratio(self) -> float:
        """CPU time after the change, divided by the CPU time before."""
        return self.after / max(self.before, 1e-9)

    @property
    def slower(self) -> bool:
        """True if the CPU time after the change exceeds 105% of the CPU time before by more than `NOISE`."""
        return self.after > SLOWER * self.before + NOISE

    def __str__(self) -> str:
        verdict = "" if self.same and not self.slower else "slower" if self.same else "differs"
        return (
            f"| {self.name} | {self.m} | {self.k} | {self.before:.3f} | {self.after:.3f} | {self.ratio:.2f} "
            f"| {self.fixes} | {verdict} |"
        )


def compared(checkouts: Sequence[Checkout], names: Sequence[str], ks: Sequence[int], ms: Sequence[int], runs: int,
             seconds: float) -> Iterator[Line]:  # fmt: skip
    """Yield the comparison of each search. Each search runs twice, and is repeated only within the time limit."""
    for name, m, k in product(names, ms, ks):
        found: list[list[dict[str, Any]]] = []
        for run in range(runs + 1):
            both = [checkout.ask([name, k, m]) for checkout in checkouts]
            found += [both] if run else []
            if run and sum(one["cpu"] for pair in found for one in pair) > seconds:
                break
        before, after = (min(pair[which]["cpu"] for pair in found) for which in (0, 1))
        last = found[-1]
        yield Line(name, k, m, before, after, last[1]["fixes"], last[0]["found"] == last[1]["found"])


def summary(lines: Sequence[Line]) -> Iterator[str]:
    """Yield a table with the smallest and the largest ratio after / before over all k, by data set and m."""
    ms = sorted({line.m for line in lines})
    yield "| data | " + " | ".join(f"m={m}" for m in ms) + " |"
    yield "|---" * (1 + len(ms)) + "|"
    for name in dict.fromkeys(line.name for line in lines):
        ratios = [sorted(line.ratio for line in lines if (line.name, line.m) == (name, m)) for m in ms]
        yield f"| {name} | " + " | ".join(f"{of_m[0]:.2f} to {of_m[-1]:.2f}" if of_m else "" for of_m in ratios) + " |"
    slower, differing = sum(line.slower for line in lines), sum(not line.same for line in lines)
    yield f"\n{len(lines)} searches: {slower} take over 5% longer, {differing} find a different cut or trace."


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare both checkouts, and print a line per search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, nargs="?", help="folder of the checkout to compare with")
    parser.add_argument("--sets", help="data sets, comma-separated; by default all available data sets")
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--m", default=",".join(map(str, MS)))
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each search")
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds after which a search is not repeated")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args(arguments)
    if told.answer:
        answer()
        return 0
    if told.before is None:
        parser.error("the folder of a checkout to compare with is missing")
    ks, ms = ([int(n) for n in text.split(",")] for text in (told.k, told.m))
    names = told.sets.split(",") if told.sets else set_names()
    checkouts = [Checkout(root.resolve(), __file__, "--answer") for root in (told.before, Path(__file__).parent.parent)]
    _tell("| data | m | k | before, s | after, s | ratio | fixes | |\n|---|---|---|---|---|---|---|---|")
    lines = list[Line]()
    for line in compared(checkouts, names, ks, ms, told.runs, told.seconds):
        _tell(str(line))
        lines.append(line)
    _tell("\n" + "\n".join(summary(lines)))
    for checkout in checkouts:
        checkout.close()
    return int(any(line.slower or not line.same for line in lines))


if __name__ == "__main__":
    sys.exit(main())
