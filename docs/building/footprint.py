"""Measure the size of an installation and the time of first runs, and find the commands that run without packages.

``python docs/building/footprint.py PYTHON COMPILED`` updates the tables in docs/install.md. PYTHON belongs to an
environment that contains only the wheel, without extras. COMPILED is the wheel of the compiled kernels.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = Path(__file__).resolve().parents[1] / "install.md"
_ROWS = (
    (("numba", "llvmlite"), "kernels", "by searches and checks, from the cache of compiled code"),
    (("pyarrow",), "CSV, Parquet, Arrow", "to read or write files"),
    (
        ("scipy",),
        "statistics, sparse matrices",
        "by generators, `compare` with `--records` or `--n-items`, risk of buckets, attacks",
    ),
    (("numpy",), "arrays", "by every job"),
    (("highspy",), "integer programs", "by `exact` only"),
    (("pydantic", "pydantic_core"), "settings", "by the command"),
    (("cyclopts", "rich", "rich-rst", "Pygments"), "command line, terminal", "by the command"),
    (("pyroaring",), "sets of records per item", "to compute supports"),
    (("anonset",), "anonset itself", "always"),
)
_NOT_OURS = ("pip", "setuptools", "wheel")
"""Packages of an empty environment."""
_SIZES = """
import json
from importlib.metadata import distributions
sizes = {}
for one in distributions():
    paths = [one.locate_file(path) for path in one.files or ()]
    sizes[one.name.lower()] = sum(path.stat().st_size for path in paths if path.is_file())
print(json.dumps(sizes))
"""
LEFT_OUT = (("scipy",), ("pyroaring",), ("highspy",), ("scipy", "pyroaring", "highspy"))
_PUBLISH = "anonymize baskets.dat --k 2 --m 2 --hierarchy items=balanced:2"
COMMANDS = {
    "`--algorithm apriori`": f"{_PUBLISH} --algorithm apriori -o of-apriori",
    "`--algorithm exact`": f"{_PUBLISH} --algorithm exact -o of-exact",
    "`--algorithm set-search`": "anonymize baskets.dat --k 2 --m 2 --algorithm set-search -o of-set-search",
    "`--model disassociation`": "anonymize baskets.dat --k 2 --m 2 --model disassociation -o in-chunks",
    "`verify`": "verify made",
    "`inspect`": "inspect baskets.dat",
    "`risk`": "risk made",
    "`risk --attack`": "risk made --attack all --original baskets.dat",
    "`evaluate`": "evaluate baskets.dat made",
    "`suggest`": "suggest baskets.dat --k 2 --m 2",
    "`compare`": f"compare {_PUBLISH.removeprefix('anonymize ')} --algorithms apriori,vpa",
    "`demo`": "demo -o of-demo",
}
"""Commands to try without a package, by their names in the table."""
TIMED = {
    "`import anonset` in Python": ("-c", "import anonset"),
    "`anonset --help`": ("-m", "anonset", "--help"),
    "`anonset inspect`, 8 baskets": ("-m", "anonset", *COMMANDS["`inspect`"].split()),
    "`anonset anonymize --algorithm apriori`, 8 baskets": ("-m", "anonset", *COMMANDS["`--algorithm apriori`"].split()),
    "`anonset demo`": ("-m", "anonset", *COMMANDS["`demo`"].split()),
    "`anonset warmup`": ("-m", "anonset", "warmup"),
}
"""Arguments of Python to measure, by their names in the table."""
WITHOUT = """
import contextlib, io, json, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
missing = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Missing())
from anonset.cli.main import main
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = main(command.split())
    print(json.dumps([code, said.getvalue()]))
"""
"""Runs commands as if some packages were not installed; prints their exit codes and errors."""
BASKETS = "a b c\na b\na b d\nc d\na c d\nb c\na b\nc d\n"


def table(sizes: dict[str, int]) -> str:
    """Return the sizes of packages, in bytes, as rows by purpose.

    >>> print(table({"numba": 30_000_000, "llvmlite": 170_400_000, "attrs": 400_000}).splitlines()[2])
    | numba, llvmlite | 200 | kernels | by searches and checks, from the cache of compiled code |
    """
    known = {name.lower() for names, _, _ in _ROWS for name in names}
    rows = [(", ".join(names), sum(sizes.get(name.lower(), 0) for name in names), *said) for names, *said in _ROWS]
    others = sum(size for name, size in sizes.items() if name not in {*known, *_NOT_OURS})
    rows += [("others", others, "dependencies of these", ""), ("**all**", others + sum(row[1] for row in rows), "", "")]
    lines = [f"| {name} | {size / 1e6:.0f} | {what} | {loaded} |" for name, size, what, loaded in rows]
    return "\n".join(["| package | MB | purpose | loaded |", "|---|---|---|---|", *lines])


def refused(python: str, missing: Iterable[str], folder: Path) -> list[str]:
    """Return the commands that are rejected in a single line if packages are missing.

    Raises
    ------
    RuntimeError
        If a command fails in another way.
    """
    folder.mkdir()
    (folder / "baskets.dat").write_text(BASKETS)
    made = [python, "-m", "anonset", *COMMANDS["`--algorithm apriori`"].replace("of-apriori", "made").split()]
    subprocess.run(made, cwd=folder, capture_output=True, check=True)
    found = []
    for name, (code, said) in zip(COMMANDS, ended_without(python, missing, COMMANDS.values(), folder), strict=True):
        last = said.splitlines()[-1] if said else ""
        if code == 2 and last.endswith("pip install " + last.rpartition(" ")[2]):
            found.append(name)
        elif code:
            msg = f"without {', '.join(missing)}: {COMMANDS[name]}: ended with {code}: {last}"
            raise RuntimeError(msg)
    return found


def ended_without(python: str, missing: Iterable[str], commands: Iterable[str], folder: Path) -> list[tuple[int, str]]:
    """Run commands in a folder without some packages; return the exit code and errors of each."""
    asked = [python, "-c", WITHOUT, ",".join(missing), *commands]
    done = subprocess.run(asked, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def table_of_refused(sizes: dict[str, int], found: dict[tuple[str, ...], list[str]]) -> str:
    """Return the features that are unavailable without some packages as rows.

    >>> print(table_of_refused({"scipy": 143_000_000}, {("scipy",): ["`demo`"]}).splitlines()[2])
    | scipy | 143 | `demo` |
    """
    lines = []
    for names, commands in found.items():
        left_out = sum(sizes[name] for name in names) / 1e6
        lines.append(f"| {', '.join(names)} | {left_out:.0f} | {', '.join(commands)} |")
    return "\n".join(["| uninstalled | MB | commands that fail |", "|---|---|---|", *lines])


def cpu_seconds(python: str, arguments: Iterable[str]) -> tuple[float, float]:
    """Return the CPU seconds of a process that has to compile its kernels, and of a second process."""
    seconds = []
    with TemporaryDirectory() as cache:
        for _ in range(2):
            with TemporaryDirectory() as folder:
                (Path(folder) / "baskets.dat").write_text(BASKETS)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
                subprocess.run([python, *arguments], cwd=folder, env=environment, capture_output=True, check=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return seconds[0], seconds[1]


def table_of_times(times: dict[str, tuple[float, float]], compiled: dict[str, tuple[float, float]]) -> str:
    """Return the CPU seconds of first and later runs, and of first runs with compiled kernels, as rows.

    >>> print(table_of_times({"`anonset demo`": (25.31, 3.04)}, {"`anonset demo`": (3.11, 3.02)}).splitlines()[2])
    | `anonset demo` | 25.3 | 3.1 | 3.0 |
    """
    lines = [f"| {name} | {times[name][0]:.1f} | {compiled[name][0]:.1f} | {times[name][1]:.1f} |" for name in times]
    heads = "| CPU seconds | first run | first run with `anonset-compiled` | later runs |"
    return "\n".join([heads, "|---|---|---|---|", *lines])


def _renewed(page: str, new: str) -> str:
    """Return a page with a table in the place of the one that begins as it does."""
    before, head, rest = page.partition(new.partition("\n")[0])
    if not head:
        msg = f"there is no table that begins with {new.partition(chr(10))[0]}"
        raise RuntimeError(msg)
    return f"{before}{new}\n\n{rest.partition(chr(10) * 2)[2]}"


def main() -> None:
    """Renew the tables."""
    python, wheel = (str(Path(path).absolute()) for path in sys.argv[1:])
    sizes = json.loads(subprocess.run([python, "-c", _SIZES], capture_output=True, text=True, check=True).stdout)
    with TemporaryDirectory() as folder:
        found = {one: refused(python, one, Path(folder) / "-".join(one)) for one in LEFT_OUT}
    times = {name: cpu_seconds(python, arguments) for name, arguments in TIMED.items()}
    pip = [sys.executable, "-m", "pip", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    compiled = {name: cpu_seconds(python, arguments) for name, arguments in TIMED.items()}
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", "anonset-compiled"], check=True)
    page = PAGE.read_text()
    for new in (table(sizes), table_of_refused(sizes, found), table_of_times(times, compiled)):
        page = _renewed(page, new)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
