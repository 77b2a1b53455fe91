"""Print digests of the output of some 200 fixed jobs over all algorithms, to check a refactoring.

Run it in two checkouts and compare: ``python -m tests.same_bytes > before.jsonl``, or with ``--every 5`` for a sample.
Each line describes a job by arguments, exit code, printed text and the SHA-256 of every file. It contains the same
figures for a run out of core with tiny limits, and the output of commands on the publication. Only reproducible fields
of the private report are compared (trace, figures, measures), not times, memory, versions or paths. The last lines
describe commands that publish nothing.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tests.tiny_limits import LIMIT, tiny_limits

DECIDED = (
    "algorithm",
    "parameters",
    "model",
    "verdict",
    "verified",
    "seed",
    "measures",
    "figures",
    "warnings",
    "trace",
)
"""Reproducible fields of the private report."""
VARYING = re.compile(r"^(time|peak memory|published in|private) .*$", re.MULTILINE)
COMPILING = re.compile(r"^compiling .*\n", re.MULTILINE)
"""Line printed only if kernels are compiled."""

Job = Sequence[str]


def write_inputs(folder: Path) -> None:
    """Write the input files of all jobs."""
    draw = random.Random(8)
    items = [f"i{n}" for n in range(24)]

    def record(most: int) -> list[str]:
        return sorted({items[int(len(items) * draw.random() ** 2)] for _ in range(draw.randint(0, most))})

    baskets = [record(6) for _ in range(300)]
    (folder / "baskets.dat").write_text("".join(" ".join(x[1:] for x in row) + "\n" for row in baskets))
    tree = "".join(f"i{n},c{n // 3},b{n // 6},any\n" for n in range(24))
    (folder / "tree.csv").write_text(tree)
    (folder / "trace.toml").write_text("trace = true\n")
    (folder / "numbers.csv").write_text(tree.replace("i", ""))
    lines = ["id,age,origin,sex,drug,year,items"]
    origins = ("France", "Spain", "Italy", "Algeria", "Nigeria")
    for n in range(120):
        who = f"p{n // 2}"
        values = (who, draw.randint(18, 80), draw.choice(origins), draw.choice("fm"), f"d{draw.randint(0, 11)}")
        row = [items[int(8 * draw.random() ** 2)], *record(4)]
        lines.append(",".join([*map(str, values), str(2020 + n % 3), " ".join(sorted(set(row)))]))
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "origin.csv").write_text(
        "".join(f"{x},{'Africa' if x in ('Algeria', 'Nigeria') else 'Europe'},All\n" for x in origins)
    )
    (folder / "private.txt").write_text("i0 i1\ni2 i3 i4\ni1 i5\n")
    (folder / "utility.txt").write_text("".join(f"i{n} i{n + 1} i{n + 2} i{n + 3}\n" for n in range(0, 24, 4)))
    two = ["code,drug,year"] + [
        f"{' '.join(record(3))},{' '.join(sorted({f'd{draw.randint(0, 5)}' for _ in range(2)}))},{2020 + n % 2}"
        for n in range(150)
    ]
    (folder / "two.csv").write_text("\n".join(two) + "\n")
    _write_linked(folder, draw)


def _write_linked(folder: Path, draw: random.Random) -> None:
    """Write three linked tables and their job."""
    tables = {
        "persons": ["id,sex,age", *(f"{n},{draw.choice('fm')},{draw.randint(18, 80)}" for n in range(120))],
        "codes": ["id,code,day", *(f"{draw.randrange(120)},{draw.choice('ABCDEF')},{n}" for n in range(300))],
        "drugs": ["id,drug", *(f"{draw.randrange(120)}.0,{draw.choice('ABC')}" for _ in range(200))],
    }
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    (folder / "linked.toml").write_text(
        """
unit = "id"
[tables.persons]
input = "persons.csv"
relational = ["sex", "age"]
[tables.codes]
input = "codes.csv"
items = "code"
[tables.drugs]
input = "drugs.csv"
items = "drug"
[hierarchy]
codes.code = "balanced:2"
drugs.drug = "balanced:2"
persons.age = "range"
"""
    )


_ROWS = ("--unit", "row")  # an id may have several rows only for buckets


def jobs() -> Iterator[Job]:
    """Yield the arguments of every job. ``-o`` is added."""
    yield from _item_jobs()
    yield from _set_based_jobs()
    yield from _relational_jobs()
    yield from _rt_jobs()
    yield from _bucket_jobs()
    yield from _chunk_jobs()
    yield from _layout_jobs()
    for more in ((), ("--format", "parquet"), ("--part-rows", "50")):
        yield "anonymize", "linked.toml", "--transaction", "apriori", "--model", "kkm", "--k", "4", "--m", "2", *more


def _item_jobs() -> Iterator[Job]:
    tree = ("--hierarchy", "items=numbers.csv")
    for name, k, m in product(("apriori", "direct", "vpa", "hghs", "mhghs"), (2, 5), (1, 2, 3)):
        yield ("anonymize", "baskets.dat", *tree, "--algorithm", name, "--k", str(k), "--m", str(m))
    for k, m, more in product((2, 5), (1, 2, 3), ((), ("--suppress",))):
        yield ("anonymize", "baskets.dat", *tree, "--algorithm", "exact", "--k", str(k), "--m", str(m), *more)
    for k, m in ((2, 2), (5, 1)):
        yield (
            *("anonymize", "baskets.dat", "--hierarchy", "items=balanced:6"),
            *("--algorithm", "optimal", "--k", str(k), "--m", str(m)),
        )
    for k, m, parts in product((2, 5), (1, 2), (2, 4)):
        more = ("--k", str(k), "--m", str(m), "--partitions", str(parts))
        yield ("anonymize", "baskets.dat", *tree, "--algorithm", "lra", *more)
    for k in (2, 5, 10):
        for name in ("local-generalization", "local-reallocation"):
            yield ("anonymize", "baskets.dat", *tree, "--algorithm", name, "--k", str(k))
    for k, m, l in product((1, 3), (1, 2), ("2", "3")):  # noqa: E741
        yield (
            *("anonymize", "baskets.dat", "--model", "lm", "--k", str(k), "--m", str(m), "--l", l),
            *("--sensitive-items", "20,23", "--hierarchy", "items=lm.csv"),
        )
    for k, p, h in product((2, 5), (1, 2), ("0.5", "0.8")):
        yield (
            *("anonymize", "baskets.dat", "--model", "coherence", "--k", str(k), "--p", str(p), "--h", h),
            *("--sensitive-items", "20,23"),
        )


def _set_based_jobs() -> Iterator[Job]:
    people = ("anonymize", "people.csv", "--items", "items", "--drop", "id,age,origin,sex,drug,year", *_ROWS)
    for name, k, m in product(("coat", "pcta"), (2, 5), (1, 2, 3)):
        yield (*people, "--algorithm", name, "--privacy-constraints", "km", "--k", str(k), "--m", str(m))
    for name, policy in product(("coat", "pcta"), ("private.txt", "pgen")):
        yield (*people, "--algorithm", name, "--privacy-constraints", policy, "--k", "3")
    for weights in ("lca", "uniform", "ones"):
        yield (
            *(*people, "--algorithm", "coat", "--privacy-constraints", "private.txt", "--k", "4"),
            *("--item-weights", weights, "--hierarchy", "items=tree.csv"),
        )
    yield (
        *(
            *people,
            "--algorithm",
            "coat",
            "--privacy-constraints",
            "private.txt",
            "--k",
            "4",
            "--max-suppressed",
            "0.5",
        ),
        *("--utility-constraints", "utility.txt"),
    )


_ROLES = ("--relational", "age,origin,sex")
_TREES = ("--hierarchy", "age=range", "--hierarchy", "origin=origin.csv", "--hierarchy", "sex=values")


def _relational_jobs() -> Iterator[Job]:
    base = ("anonymize", "people.csv", *_ROLES, "--drop", "id,items,drug,year", *_ROWS, "--model", "k")
    for name, k in product(("cluster", "mondrian", "k-member", "xu-bottom-up", "xu-top-down"), (2, 3, 10)):
        yield (*base, *_TREES, "--algorithm", name, "--k", str(k))
    for name in ("full-domain", "local-recoding", "bottom-up", "top-down"):
        yield (*base, *_TREES, "--algorithm", name, "--k", "3")
        yield (*base, *_TREES, "--algorithm", name, "--k", "3", "--refine", "--effort", "0.0000666667")
    for name in ("cluster", "mondrian"):
        yield (*base, "--hierarchy", "age=range", "--algorithm", name, "--k", "4")
        yield (*base, *_TREES, "--algorithm", name, "--k", "4", "--relational-weights", "age=0.5,origin=0.25,sex=0.25")
    yield (*base, *_TREES, "--algorithm", "cluster", "--k", "4", "--seed", "7")


def _rt_jobs() -> Iterator[Job]:
    roles = ("people.csv", *_ROLES, "--items", "items", "--drop", "id,drug,year", *_ROWS, *_TREES)
    base = ("anonymize", *roles, "--model", "kkm")
    tree = ("--hierarchy", "items=tree.csv")
    for name, merge, function in product(
        ("rum-bound", "tum-bound"), ("r", "t", "rt"), ("coat", "pcta", "apriori", "vpa")
    ):
        more = ("--delta", "0.7" if name == "rum-bound" else "0.9", *tree)
        yield (*base, *more, "--algorithm", name, "--merge", merge, "--transaction", function, "--k", "2", "--m", "2")
    for formation in ("mondrian", "k-member", "xu-bottom-up", "xu-top-down"):
        yield (*base, "--algorithm", "rum-bound", "--delta", "0.8", "--formation", formation, "--k", "3", "--m", "2")
    for name, k in product(("rfirst", "tfirst"), (2, 4)):
        function = ("--transaction", "apriori") if name == "rfirst" else ("--partitions", "3")
        yield (*base, *tree, "--algorithm", name, *function, "--k", str(k), "--m", "2")
    klm = ("anonymize", *roles, "--model", "klm")
    for k, merge in product((2, 4), ("r", "rt")):
        yield (
            *(*klm, "--hierarchy", "items=secret.csv", "--sensitive-items", "i20,i23", "--l", "2", "--k", str(k)),
            *("--m", "2", "--delta", "0.8", "--merge", merge, "--on-infeasible", "merge"),
        )


def _bucket_jobs() -> Iterator[Job]:
    base = ("anonymize", "people.csv", "--id", "id", "--sensitive", "drug", "--drop", "items,origin,sex,year")
    for k, l, seed in product((2, 4), (2, 3), ("0", "5")):  # noqa: E741
        if k >= l:
            yield (*base, "--keep", "age", "--model", "safe-grouping", "--k", str(k), "--l", str(l), "--seed", seed)
    for l, seed in product((2, 4), ("0", "5")):  # noqa: E741
        yield (*base, "--keep", "age", "--model", "anatomy", "--l", str(l), "--seed", seed)


def _chunk_jobs() -> Iterator[Job]:
    for k, m, size in product(("2", "5"), ("1", "2", "3"), ("10", "60")):
        yield "anonymize", "baskets.dat", "--model", "disassociation", "--k", k, "--m", m, "--cluster-size", size
    chunks = ("anonymize", "baskets.dat", "--model", "disassociation", "--k", "3", "--m", "2", "--cluster-size", "10")
    yield (*chunks, "--counts", "--format", "parquet")
    yield (*chunks, "--counts", "--sensitive-items", "1,7", "--cap", "1/3", "--part-rows", "20")
    yield (*chunks, "--format", "parquet", "--part-rows", "20")
    yield (*chunks, "--clustering", "horpart")
    yield "anonymize", "baskets.dat", "--algorithm", "cahd", "--sensitive-items", "1,7", "--cap", "1/2"


def _layout_jobs() -> Iterator[Job]:
    tree = ("--hierarchy", "items=numbers.csv")
    km = ("anonymize", "baskets.dat", *tree, "--model", "km", "--algorithm", "apriori", "--k", "3", "--m", "2")
    for form, order in product(("csv", "parquet", "dat"), ("sorted", "input")):
        yield (*km, "--format", form, "--order", order, "--json")
    people = (
        "anonymize",
        "people.csv",
        "--items",
        "items",
        "--keep",
        "year",
        "--drop",
        "id,age,origin,sex,drug",
        *_ROWS,
    )
    for symbols, form in product(("auto", "members", "short"), ("csv", "parquet")):
        coat = ("--algorithm", "coat", "--privacy-constraints", "km", "--k", "3", "--m", "2")
        yield (*people, *coat, "--symbols", symbols, "--format", form)
    two = ("anonymize", "two.csv", *_ROWS, "--items", "code,drug", "--keep", "year")
    for name, more in (("apriori", ("--hierarchy", "items=balanced:3")), ("coat", ("--privacy-constraints", "km"))):
        yield (*two, *more, "--algorithm", name, "--k", "3", "--m", "2")
    yield (*km[:-4], "--k", "1000", "--m", "2")
    yield (*km, "--max-loss", "0.0001")
    yield (*km, "--l", "2")
    yield ("anonymize", "people.csv", "--items", "items", "--model", "km", "--k", "2", "--m", "2")


def comparisons() -> Iterator[Job]:
    tree = ("--hierarchy", "items=numbers.csv")
    yield ("compare", "baskets.dat", *tree, "--algorithms", "apriori,vpa,lra", "--vary", "k=2,5", "--m", "2")
    yield (
        "compare",
        "people.csv",
        *_ROLES,
        "--drop",
        "id,items,drug,year",
        *_ROWS,
        *_TREES,
        "--model",
        "k",
        "--vary",
        "k=2,3",
    )
    yield ("hierarchy", "check", "tree.csv")
    yield ("hierarchy", "print", "tree.csv")
    yield ("policy", "generate", "people.csv", "--items", "items", "--drop", "id,age,origin,sex,drug,year", "--help")


ROLES = ("--items", "--relational", "--keep", "--drop", "--id", "--sensitive", "--hierarchy")
"""Options that set column roles."""


def after(job: Job, out: Path) -> Iterator[Job]:
    """Yield the commands to run on every publication."""
    yield ("verify", str(out), "--json")
    roles = [text for i, text in enumerate(job) if text in ROLES or job[i - 1] in ROLES]
    of_items = "--items" in job or job[1].endswith(".dat") or "--sensitive" in job
    workload = "record:20x2" if of_items else "record:20x0+1"
    yield ("evaluate", job[1], str(out), *roles, "--workload", workload, "--json")
    made = f"{out}.private/report.json"
    yield ("risk", made, "--attempts", "50", "--quiet", "--json")
    yield ("report", made, "-o", f"{out}.html", "--quiet")


def after_some(job: Job, out: Path) -> Iterator[Job]:
    """Yield additional commands to run on some publications."""
    made = f"{out}.private/report.json"
    yield ("risk", str(out), "--quiet")
    yield ("report", str(out), "--shareable", "-o", f"{out}.shareable.html", "--quiet")
    yield ("verify", made)
    yield ("verify", made, "--memory-limit", LIMIT, "--work-dir", f"{out}.checked")
    yield ("evaluate", made, "--memory-limit", LIMIT, "--work-dir", f"{out}.evaluated", "--quiet")
    yield (*_traced(job), "-o", str(out), "--workers", "2", "--if-exists", "resume")
    yield (*job, "-o", f"{out}.next", "--workers", "2", "--recoding", f"{out}.private")
    yield ("verify", f"{out}.next.private/report.json", "--json")


def suggestions() -> Iterator[Job]:
    """Yield `suggest` commands with enough time for all candidates."""
    always = ("--seconds", "3600", "--workers", "2", "--quiet", "--json")
    yield ("suggest", "baskets.dat", "--hierarchy", "items=numbers.csv", "--model", "km", "--k", "3", *always)
    people = ("suggest", "people.csv", *_ROWS, "--k", "3")
    yield (*people, *_ROLES, *_TREES, "--drop", "id,items,drug,year", "--model", "k", *always)
    rt = ("--items", "items", "--hierarchy", "items=tree.csv", "--drop", "id,drug,year", "--model", "kkm")
    yield (*people, *_ROLES, *_TREES, *rt, *always)
    yield ("suggest", "people.csv", "--id", "id", "--sensitive", "drug", "--drop", "items,origin,sex,year,age", *always)


def run(arguments: Job) -> dict[str, Any]:
    """Run a command in this process. Return its exit code and output."""
    from anonset.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


def _plain(text: str, here: Path, out: Path | None = None) -> Any:
    """Remove times, paths and other varying text from printed output."""
    text = text if out is None else text.replace(str(out), "OUT")
    text = text.replace(str(here), "HERE")
    if text.startswith(("{", "[")):
        return _untimed(json.loads(text))
    lines = VARYING.sub(r"\1", COMPILING.sub("", text)).split("\n")
    return "\n".join(line.rstrip() for line in lines)  # table widths depend on path lengths


def _untimed(value: Any) -> Any:
    """Remove times and memory from a JSON value."""
    if isinstance(value, dict):
        return {key: _untimed(entry) for key, entry in value.items() if "second" not in key and "memory" not in key}
    return [_untimed(entry) for entry in value] if isinstance(value, list) else value


def digests(folder: Path) -> dict[str, Any]:
    """Return the digests of all files below a folder. For the private report, only reproducible fields are used."""
    result: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.name == "report.json":
            report = json.loads(path.read_text())
            decided = json.dumps({name: report.get(name) for name in DECIDED}, sort_keys=True)
            result[path.name] = hashlib.sha256(decided.encode()).hexdigest()
        elif path.is_file():
            result[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return result


def ran(arguments: Job, here: Path, out: Path) -> dict[str, Any]:
    """Run a command that publishes. Return its output and the digests of the published files."""
    done = run(arguments)
    line: dict[str, Any] = {"code": done["code"]} | {name: _plain(done[name], here, out) for name in ("out", "err")}
    return line | {"public": digests(out), "private": digests(out.with_name(f"{out.name}.private"))}


def asked(arguments: Job, here: Path, out: Path) -> dict[str, Any]:
    """Run a command on a publication. Return its output and the digest of its page."""
    with tiny_limits() if "--memory-limit" in arguments else contextlib.nullcontext():
        done = run(arguments)
    line: dict[str, Any] = {"code": done["code"]} | {name: _plain(done[name], here, out) for name in ("out", "err")}
    pages = [Path(text) for text in arguments if text.endswith(".html") and Path(text).exists()]
    shown = [hashlib.sha256(page.read_text().replace(str(here), "HERE").encode()).hexdigest() for page in pages]
    return {"command": arguments[0], **line, "pages": shown}


def write_trees(folder: Path) -> None:
    """Write hierarchies without the sensitive items."""
    numbers = (folder / "numbers.csv").read_text().splitlines(keepends=True)
    (folder / "lm.csv").write_text("".join(line for line in numbers if not line.startswith(("20,", "23,"))))
    names = (folder / "tree.csv").read_text().splitlines(keepends=True)
    (folder / "secret.csv").write_text("".join(line for line in names if not line.startswith(("i20,", "i23,"))))


def _traced(job: Job) -> Job:
    return job if any(word.endswith(".toml") for word in job) else (*job, "--config", "trace.toml")


def lines(here: Path, every: int) -> Iterator[Mapping[str, Any]]:
    """Run the jobs in a folder, and yield a result for each.

    Parameters
    ----------
    every
        Run only each n-th job.
    """
    for number, job in list(enumerate(jobs()))[::every]:
        out, blocks = here / f"out{number}", here / f"blocks{number}"
        line = {"job": " ".join(job), **ran((*_traced(job), "-o", str(out), "--workers", "2"), here, out)}
        if out.exists():
            more = after_some(job, out) if number % 10 == 0 else ()
            line["after"] = [asked(arguments, here, out) for arguments in (*after(job, out), *more)]
            line["next"] = digests(here / f"out{number}.next")
        files = ("--memory-limit", LIMIT, "--work-dir", str(here / f"work{number}"))
        with tiny_limits():
            line["blocks"] = ran((*_traced(job), "-o", str(blocks), "--workers", "2", *files), here, blocks)
        yield line
    for job in (*comparisons(), *suggestions()):
        done = run((*job, "--json") if job[0] == "compare" else job)
        yield {"job": " ".join(job), **{name: done[name] for name in ("code", "err")}, "out": _plain(done["out"], here)}


def main() -> None:
    """Run every job in a new folder, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="run the first of each so many jobs")
    every = parser.parse_args().every
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "net"
        # leftovers of other processes must not appear in the output
        tempfile.tempdir = str(folder.with_name("temporary"))
        for made in (folder, Path(tempfile.tempdir)):
            made.mkdir()
        os.chdir(folder)
        write_inputs(folder)
        write_trees(folder)
        for line in lines(folder, every):
            sys.stdout.write(json.dumps(line, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
