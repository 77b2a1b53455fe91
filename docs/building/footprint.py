"""What an installation weighs: ``python docs/building/footprint.py PYTHON`` renews the table in docs/install.md.

PYTHON is that of an environment in which the wheel alone was installed, without extras.
"""

import json
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "install.md"
_ROWS = (
    (("numba", "llvmlite"), "kernels", "by a search or a check, from the cache of compiled code"),
    (("pyarrow",), "CSV, Parquet, Arrow", "where files are read or written"),
    (("scipy",), "statistics, sparse matrices", "by generators, `compare` over sizes, the risk of buckets, attacks"),
    (("numpy",), "arrays", "by every job"),
    (("highspy",), "integer programs", "by `exact` alone"),
    (("pydantic", "pydantic_core"), "settings", "by the command"),
    (("cyclopts", "rich", "rich-rst", "Pygments"), "command line, terminal", "by the command"),
    (("pyroaring",), "transaction sets of items", "where supports are asked for"),
    (("anonset",), "anonset itself", "always"),
)
_NOT_OURS = ("pip", "setuptools", "wheel")
"""What an environment has by itself."""
_SIZES = """
import json
from importlib.metadata import distributions
sizes = {}
for one in distributions():
    paths = [one.locate_file(path) for path in one.files or ()]
    sizes[one.name.lower()] = sum(path.stat().st_size for path in paths if path.is_file())
print(json.dumps(sizes))
"""


def table(sizes: dict[str, int]) -> str:
    """Return the sizes of packages, in bytes, as rows by what they are for.

    >>> print(table({"numba": 30_000_000, "llvmlite": 170_400_000, "attrs": 400_000}).splitlines()[2])
    | numba, llvmlite | 200 | kernels | by a search or a check, from the cache of compiled code |
    """
    known = {name.lower() for names, _, _ in _ROWS for name in names}
    rows = [(", ".join(names), sum(sizes.get(name.lower(), 0) for name in names), *said) for names, *said in _ROWS]
    others = sum(size for name, size in sizes.items() if name not in {*known, *_NOT_OURS})
    rows += [("others", others, "asked for by these", ""), ("**all**", others + sum(row[1] for row in rows), "", "")]
    lines = [f"| {name} | {size / 1e6:.0f} | {what} | {loaded} |" for name, size, what, loaded in rows]
    return "\n".join(["| package | MB | what for | loaded |", "|---|---|---|---|", *lines])


def main() -> None:
    """Renew the table."""
    done = subprocess.run([sys.argv[1], "-c", _SIZES], capture_output=True, text=True, check=True)
    before, rest = PAGE.read_text().split("| package |", 1)
    after = rest.partition("\n\n")[2]
    PAGE.write_text(f"{before}{table(json.loads(done.stdout))}\n\n{after}")


if __name__ == "__main__":
    main()
