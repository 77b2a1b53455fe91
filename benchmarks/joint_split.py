"""Compare the CPU time of `joint-split` with another checkout, on generated insured persons and two catalogue data
sets.

    git worktree add /tmp/before COMMIT
    python -m benchmarks.joint_split /tmp/before

Two processes, one per checkout, run the same searches alternately, on a single thread and a table in memory. The first
run of each process is not measured. The output contains the smallest CPU time of each search. The exit code is 1 if
clusters or items differ.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.checkouts import Checkout

HERE = Path(__file__).parent.parent
INSURED = 66_453
CASES: list[tuple[str, dict[str, Any], int, str]] = [
    ("insured", {"items": "codes", "relational": ["age", "sex", "region"], "numeric": ["age"]}, 2, "0.09"),
    (
        "informs2005",
        {
            "items": "diagnosis_codes",
            "relational": ["birth_year", "sex", "race", "education_years", "income"],
            "numeric": ["birth_year", "education_years", "income"],
        },
        2,
        "0.1",
    ),
    (
        "diabetes130_patients",
        {"items": "diagnosis_codes", "relational": ["race", "gender", "age", "medical_specialty"]},
        2,
        "0.06",
    ),
]
"""Name, columns, m and weight of each case."""


def answer(insured: Path) -> None:
    """Read case numbers from standard input, one per line. Run each case and write a line with the result."""
    tables: dict[int, Any] = {}
    for line in sys.stdin:
        case = int(line)
        if case not in tables:
            tables[case] = _table(case, insured)
        sys.stdout.write(json.dumps(_run(tables[case], *CASES[case][2:])) + "\n")
        sys.stdout.flush()


def _table(case: int, insured: Path) -> Any:
    import anonset
    from anonset_datasets import catalogue

    name, columns, *_ = CASES[case]
    path = insured if name == "insured" else catalogue.path(name)
    roles = [columns["items"], *columns["relational"]]
    return anonset.read(path, **columns, drop=[column for column in _header(path) if column not in roles])


def _header(path: Path) -> list[str]:
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix == ".parquet":
        names: list[str] = pyarrow.parquet.read_schema(path).names
        return names
    with pyarrow.csv.open_csv(path) as reader:
        return list(reader.schema.names)


def _run(table: Any, m: int, w: str) -> dict[str, Any]:
    from anonset.algorithms.rt.joint_split import JointSplit

    began = time.process_time()
    result = JointSplit(k=5, m=m, w=w).recode(table, {})
    cpu = time.process_time() - began
    recoding: Any = result.recoding
    digest = hashlib.sha256(recoding.cluster.tobytes())
    for groups in recoding.items:
        digest.update(groups.group.tobytes())
    return {"cpu": cpu, "leaves": int(result.figures["clusters"]), "found": digest.hexdigest()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare both checkouts, and print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, nargs="?", help="folder of the checkout to compare with")
    parser.add_argument("--runs", type=int, default=3, help="measured runs of each case")
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    told = parser.parse_args(arguments)
    if told.answer:
        answer(told.answer)
        return 0
    if told.before is None:
        parser.error("the folder of a checkout to compare with is missing")
    from benchmarks.insured import write_insured

    same = True
    with tempfile.TemporaryDirectory() as folder:
        insured = Path(folder) / "insured.parquet"
        write_insured(INSURED, insured)
        checkouts = [Checkout(root.resolve(), __file__, "--answer", str(insured)) for root in (told.before, HERE)]
        sys.stdout.write(
            "| data | m | weight | leaves | before, s | after, s | ratio | |\n|---|---|---|---|---|---|---|---|\n"
        )
        for case, (name, _, m, w) in enumerate(CASES):
            found = [[checkout.ask(case) for checkout in checkouts] for _ in range(told.runs + 1)][1:]
            before, after = (min(pair[which]["cpu"] for pair in found) for which in (0, 1))
            equal = len({one["found"] for pair in found for one in pair}) == 1
            same &= equal
            line = (
                f"| {name} | {m} | {w} | {found[0][1]['leaves']} | {before:.2f} | {after:.2f} | {after / before:.2f} |"
            )
            sys.stdout.write(f"{line} {'' if equal else 'differs'} |\n")
            sys.stdout.flush()
        for checkout in checkouts:
            checkout.close()
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
