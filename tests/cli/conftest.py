"""A small data set on disk, and the command line run in this process."""

from pathlib import Path

import pytest

from anonset.cli.main import main
from cli.place import HIERARCHY, RECORDS, Place, Ran


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    def run(*arguments: str) -> Ran:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    made = Place(tmp_path, run)
    made.write("data.dat", RECORDS)
    made.write("data.csv", "age,codes\n" + "".join(f"{20 + i},{row}\n" for i, row in enumerate(RECORDS.splitlines())))
    made.write("hierarchy.csv", HIERARCHY)
    return made
