"""Cover all pairs of values by jobs: ``python -m tests.combinations [--seed N] [--triples N] [--most ROWS]``.

With ``--triples N``, cover N random triples of values instead. Prints each wrong job, shrunk, and as its last line the
number of pairs or triples. Exits with 1 if a job is wrong, or a pair or triple is missing.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

from tests.combinations.draws import contained, covering, possible_pairs, random_triples, texts
from tests.combinations.killed import prepare, scheduler
from tests.combinations.rows import expected, fault_kind, judge, refusing, shrink, told

ROUNDS, PACKED = 12, 3
"""Number of times that jobs are drawn for what is missing, and number of the first rounds whose jobs cover as much as
they can. A drawn job may be infeasible, and then tests nothing.
"""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=10**9, help="end after so many rows")
    parser.add_argument("--triples", type=int, default=0, help="cover so many random triples instead of all pairs")
    parser.add_argument("--no-shrinking", action="store_true")
    parser.add_argument("--processes", type=int, default=2, help="number of processes that judge jobs")
    asked = parser.parse_args()
    prepare(scheduler())
    missing = random_triples(asked.seed, asked.triples) if asked.triples else possible_pairs()
    total, n_refused, wrong, rows, kinds = len(missing), 0, 0, 0, set[str]()
    context = get_context("spawn")
    with ProcessPoolExecutor(asked.processes, context, prepare, (scheduler(),)) as pool:
        for turn in range(ROUNDS):
            jobs = islice(covering((asked.seed, turn), {*missing}, expected, packed=turn < PACKED), asked.most - rows)
            drawn = [(job, pool.submit(judge, job, (asked.seed, rows + n))) for n, job in enumerate(jobs, 1)]
            for job, judged in ((job, future.result()) for job, future in drawn):
                rows += 1
                if judged.state == "published":
                    missing -= contained(job, missing)
                elif judged.state == "refused":
                    n_refused += len(found := refusing(job, missing))
                    missing -= found
                wrong += bool(judged.faults)
                for fault in judged.faults:
                    if fault_kind(fault) not in kinds:
                        kinds.add(fault_kind(fault))
                        small = job if asked.no_shrinking else shrink(job, (asked.seed, rows), fault)
                        say(f"row {rows}: {fault}\n    {told(small)}")
                if rows % 100 == 0:
                    sys.stderr.write(f"rows {rows}, missing {len(missing)}, wrong {wrong}\n")
    for each in sorted(missing)[:20]:
        say(f"missing: {texts(each)}")
    counts = f"covered {total - n_refused - len(missing)}, refused by the table {n_refused}, rows {rows}, wrong {wrong}"
    say(f"{'triples' if asked.triples else 'pairs'} {total}, {counts}")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
