"""Cover all pairs of values by jobs: ``python -m tests.combinations [--seed N] [--most ROWS] [--triples N]``.

Prints each wrong job, shrunk, and as its last line the number of pairs. Exits with 1 if a job is wrong or a pair is
missing.
"""

import argparse
import os
import random
import sys
from collections.abc import Iterator
from functools import partial

from tests.combinations.draws import VALUES, covering, draw, pairs, possible_pairs, texts
from tests.combinations.rows import expected_pairs, fault_kind, judge, refusing_pairs, shrink, told
from tests.combinations.table import Value


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=10**9, help="end after so many rows")
    parser.add_argument(
        "--triples", type=int, default=0, help="run so many jobs with random triples, and cover nothing"
    )
    parser.add_argument("--no-shrinking", action="store_true")
    asked = parser.parse_args()
    os.fsync = os.fstat  # type: ignore[assignment]  # only a power failure shows the difference
    missing = possible_pairs()
    covered, refused, wrong, rows, kinds = 0, 0, 0, 0, set[str]()
    jobs = (
        triples(asked.seed, asked.triples)
        if asked.triples
        else covering(asked.seed, missing, partial(expected_pairs, among=missing))
    )
    for job in jobs:
        if rows >= asked.most:
            break
        rows += 1
        judged = judge(job, (asked.seed, rows))
        if judged.state == "published":
            covered += len(found := pairs(job) & missing)
            missing -= found
        elif judged.state == "refused":
            refused += len(found := refusing_pairs(job, missing))
            missing -= found
        wrong += bool(judged.faults)
        for fault in judged.faults:
            if fault_kind(fault) not in kinds:
                kinds.add(fault_kind(fault))
                small = job if asked.no_shrinking else shrink(job, (asked.seed, rows), fault)
                say(f"row {rows}: {fault}\n    {told(small)}")
        if rows % 100 == 0:
            sys.stderr.write(f"rows {rows}, missing {len(missing)}, wrong {wrong}\n")
    for pair in sorted(missing)[:20] if not asked.triples else ():
        say(f"missing: {texts(pair)}")
    total = covered + refused + len(missing)
    say(f"pairs {total}, covered {covered}, refused by the table {refused}, rows {rows}, wrong {wrong}")
    return 1 if wrong or (missing and not asked.triples) else 0


def triples(seed: int, number: int) -> Iterator[dict[str, Value]]:
    """Yield jobs with three random values each."""
    chance = random.Random(f"triples {seed}")
    while number:
        wanted = dict(VALUES[n] for n in chance.sample(range(len(VALUES)), 3))
        if len(wanted) == 3 and (job := draw((seed, number), wanted)) is not None:
            number -= 1
            yield job


if __name__ == "__main__":
    sys.exit(main())
