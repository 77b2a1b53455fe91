"""Every command that reads a publication hashes and reads each file once."""

import json
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

MADE = Path(__file__).resolve().parents[1] / "vectors" / "publications"
COUNT = """
import collections, json, os, sys
opens, here = collections.Counter(), os.getcwd()
def count(event, details):
    if event == "open" and isinstance(details[0], (str, bytes, os.PathLike)):
        path = os.path.relpath(os.path.realpath(os.fsdecode(details[0])), here)
        if path.startswith(("out/", "private/")):
            opens[path] += 1
sys.addaudithook(count)
from anonset.cli.main import main
from anonset.reading.sources import files
digest, hashed = files.digest, collections.Counter()
def counted(path):
    hashed[os.path.relpath(os.path.realpath(path), here)] += 1
    return digest(path)
files.digest = counted
for folder, *command in json.load(sys.stdin):
    os.chdir(folder)
    here = os.getcwd()
    opens.clear(), hashed.clear()
    code = main(command)
    sys.stderr.write("COUNTS" + json.dumps([code, opens, hashed]))
"""
"""Runs commands, and counts how often each of them opens and hashes each file of a publication."""
NAMES = ("items", "baskets", "buckets")
COMMANDS = ("verify", "risk", "evaluate", "report")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the publications, and update the paths in their reports."""
    made = tmp_path_factory.mktemp("opened") / "made"
    shutil.copytree(MADE, made)
    for name in NAMES:
        report = made / name / "private" / "report.json"
        report.write_text(report.read_text().replace("HERE", str(made / name)))
    return made


@pytest.fixture(scope="module")
def counts(made: Path) -> dict[tuple[str, str], Any]:
    """Run each command on each publication in one process. Return exit code, opened and hashed files."""
    commands = list(product(NAMES, COMMANDS))
    more = {"report": ("-o", "page.html")}
    lines = json.dumps([(str(made / name), command, "job.toml", *more.get(command, ())) for name, command in commands])
    done = subprocess.run([sys.executable, "-c", COUNT], input=lines, capture_output=True, text=True, check=True)
    decoder = json.JSONDecoder()
    result = [decoder.raw_decode(part)[0] for part in done.stderr.split("COUNTS")[1:]]
    return dict(zip(commands, result, strict=True))


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.long
def test_each_file_is_hashed_once_and_read_once(made: Path, counts: Any, name: str, command: str) -> None:
    here = made / name
    report = here / "private" / "report.json"
    code, opens, hashed = counts[name, command]
    assert code == 0
    published = {path.relative_to(here).as_posix() for path in (here / "out").rglob("*") if path.is_file()}
    listed = json.loads(report.read_text())["files"]
    expected = {*(published - {"out/attestation.json"}), *(f"private/{file}" for file in listed)}
    assert {path: times for path, times in hashed.items() if path.startswith(("out", "private"))} == dict.fromkeys(
        expected, 1
    )
    assert opens["out/attestation.json"] == 1
    assert opens.get("private/report.json", 1) == 1
    assert max(times for path, times in opens.items() if path.startswith("out")) <= 3
    assert opens.get("out/codebook.csv", 2) == 2
