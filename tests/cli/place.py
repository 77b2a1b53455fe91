"""A small data set on disk, and a job that anonymizes it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.strict_json import loads

# Figure 2 of Terrovitis, Mamoulis, Kalnis (VLDB 2008): k = m = 2 gives <A, b1, b2>
RECORDS = "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"
HIERARCHY = "a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\n"


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return loads(self.out)

    @property
    def errors(self) -> list[str]:
        """Lines of errors, without notes and complete commands."""
        return [line for line in self.err.splitlines() if line.startswith("anonset: error: ")]


@dataclass
class Place:
    """A folder with `data.dat`, `data.csv` and `hierarchy.csv`, in which commands are run."""

    folder: Path
    run: Callable[..., Ran]

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def private(self) -> Path:
        return self.folder / "out.private"

    def job(self, *more: str, data: str = "data.dat") -> list[str]:
        """Return the arguments of a job that reproduces the paper's figure."""
        column = "items" if data.endswith(".dat") else "codes"
        fixed = [
            str(self.folder / data),
            "-o",
            str(self.out),
            "--hierarchy",
            f"{column}={self.folder / 'hierarchy.csv'}",
        ]
        return ["anonymize", *fixed, "--model", "km", "--k", "2", "--m", "2", *more]

    def nothing_left(self) -> bool:
        return {path.name for path in self.folder.iterdir()} == {"data.dat", "data.csv", "hierarchy.csv"}
