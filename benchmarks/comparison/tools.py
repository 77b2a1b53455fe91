"""Commands of each tool, and the commands that check a published file."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DRIVERS = Path(__file__).parent
ANONSET = "anonset"
NAMES = {ANONSET: "anonset", "arx": "ARX", "arx_sets": "ARX, branch transactions", "amnesia": "Amnesia",
         "anjana": "anjana", "sdcmicro": "sdcMicro"}  # fmt: skip
K, M = 10, 2
K_OF_SETS = 5


@dataclass(frozen=True)
class Way:
    """A tool with an algorithm."""

    tool: str
    algorithm: str
    command: list[str]
    output: str
    """Published file, relative to the output folder."""


def prepare(tools: Mapping[str, Mapping[str, str]], folder: Path) -> dict[str, list[str]]:
    """Compile the Java drivers. Return the program of each tool with its first arguments."""
    begin = {ANONSET: [sys.executable, "-m", "anonset"]}
    for tool, driver in (("arx", "Arx"), ("arx_sets", "ArxSets"), ("amnesia", "Amnesia")):
        if tool in tools:
            classes, path = folder / "classes" / tool, tools[tool]["path"]
            subprocess.run(["javac", "-d", str(classes), "-cp", path, str(DRIVERS / f"{driver}.java")], check=True)
            begin[tool] = ["java", "-cp", f"{classes}:{path}", driver]
    if "anjana" in tools:
        begin["anjana"] = [tools["anjana"]["path"], str(DRIVERS / "anjana_table.py")]
    if "sdcmicro" in tools:
        library = f"R_LIBS={tools['sdcmicro']['path']}"
        begin["sdcmicro"] = ["env", library, str(shutil.which("Rscript")), str(DRIVERS / "sdcmicro.R")]
    return begin


def of_tables(begin: Mapping[str, list[str]], folder: Path, columns: list[str]) -> Iterator[Way]:
    """Yield the algorithms of all tools that make a table k-anonymous."""
    data, out = folder / "table.csv", folder / "out"
    roles = ["--relational", ",".join(columns), *(f"--hierarchy={name}={folder / name}.csv" for name in columns)]
    ways = [(name, *options) for name in ("local-recoding", "mondrian") for options in ([], ["--refine"])]
    for name, *options in (*ways, ("full-domain",)):
        publish = ["anonymize", str(data), *roles, f"--k={K}", f"--algorithm={name}", *options, "--unit", "row"]
        label = " ".join([f"`{name}`", *(f"`{option}`" for option in options)])
        folder_of = "".join([name, *options])
        publish += ["--quiet", "-o", str(out / folder_of)]
        yield Way(ANONSET, label, [*begin[ANONSET], *publish], f"{folder_of}/published.csv")
    files = [str(K), str(data), str(folder)]
    others = [
        ("arx", "local", "local recoding", files),
        ("arx", "local-fine", "local recoding, 0.1% of the records per step", files),
        ("arx", "local-precision", "local recoding, precision metric", files),
        ("arx", "suppression", "full-domain, records suppressed", files),
        ("arx", "full-domain", "full-domain", files),
        ("anjana", "5", "full-domain, at most 5% of the records suppressed", files),
        ("amnesia", "table", "Flash, its best solution", files),
        ("sdcmicro", "suppress", "`kAnon`: values suppressed", files[:2]),
    ]
    for tool, way, label, options in others:
        if tool in begin:
            name = f"{tool}-{way}"
            yield Way(tool, label, [*begin[tool], way, *options, str(out / name)], name)


def of_sets(begin: Mapping[str, list[str]], folder: Path) -> Iterator[Way]:
    """Yield the algorithms of all tools that make sets k^m-anonymous."""
    data, tree, out = folder / "sets.dat", folder / "sets", folder / "out"
    for name in ("exact", "apriori"):
        publish = ["anonymize", str(data), f"--k={K_OF_SETS}", f"--m={M}", f"--hierarchy=items={tree}.csv"]
        options = [f"--algorithm={name}", "--unit", "row", "--quiet", "-o", str(out / name)]
        yield Way(ANONSET, f"`{name}`", [*begin[ANONSET], *publish, *options], f"{name}/published.dat")
    promise = [str(K_OF_SETS), str(M)]
    if "arx_sets" in begin:
        files = [str(data), f"{tree}.csv", str(out / "arx")]
        yield Way("arx_sets", "Apriori anonymization", [*begin["arx_sets"], *promise, *files], "arx")
    if "amnesia" in begin:
        files = [f"{tree}.set", f"{tree}.txt", str(out / "amnesia")]
        yield Way("amnesia", "Apriori", [*begin["amnesia"], "sets", *promise, *files], "amnesia")


def checks(begin: Mapping[str, list[str]], table: Path, sets: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the tool, the kind of data and the command of each check of a published file."""
    columns = table.read_text(encoding="utf-8").splitlines()[0]
    roles = [f"--relational={columns}", f"--k={K}", "--model=k"]
    yield ANONSET, "table", [*begin[ANONSET], "verify", str(table), *roles]
    yield ANONSET, "sets", [*begin[ANONSET], "verify", str(sets), f"--k={K_OF_SETS}", f"--m={M}", "--model=km"]
    for tool in sorted({"arx", "anjana", "sdcmicro"} & begin.keys()):
        yield tool, "table", [*begin[tool], "check", str(K), str(table)]
    if "amnesia" in begin:
        yield "amnesia", "table", [*begin["amnesia"], "check-table", str(table), str(columns.count(",") + 1)]
        with_head = sets.with_suffix(".set")
        with_head.write_text("set\n" + sets.read_text(encoding="utf-8"), encoding="utf-8")
        yield "amnesia", "sets", [*begin["amnesia"], "check-sets", str(K_OF_SETS), str(M), str(with_head)]
