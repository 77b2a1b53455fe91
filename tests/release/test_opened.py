"""A publication on disk is opened once: every command that begins with one hashes and reads each file once."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MADE = Path(__file__).resolve().parents[1] / "vectors" / "version_before"
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
from anonset.io import files
digest, hashed = files.digest, collections.Counter()
def counted(path):
    hashed[os.path.relpath(os.path.realpath(path), here)] += 1
    return digest(path)
files.digest = counted
codes = [main(sys.argv[1:])]
sys.stderr.write("COUNTS" + json.dumps([codes, opens, hashed]))
"""
"""Runs a command, and counts how often each file of a publication is opened by Python, and hashed."""


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["items", "baskets", "buckets"])
@pytest.mark.parametrize("command", ["verify", "risk", "evaluate", "report"])
def test_each_file_is_hashed_once_and_read_once(tmp_path: Path, name: str, command: str) -> None:
    shutil.copytree(MADE, tmp_path / "made")
    here = tmp_path / "made" / name
    report = here / "private" / "report.json"
    report.write_text(report.read_text().replace("HERE", str(here)))
    page = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    done = subprocess.run(
        [sys.executable, "-c", COUNT, command, "job.toml", *page], cwd=here, capture_output=True, text=True, check=True
    )
    codes, opens, hashed = json.loads(done.stderr.partition("COUNTS")[2])
    assert codes == [0]
    published = {path.relative_to(here).as_posix() for path in (here / "out").rglob("*") if path.is_file()}
    kept = json.loads(report.read_text())["files"]
    expected = {*(published - {"out/attestation.json"}), *(f"private/{file}" for file in kept)}
    assert {path: times for path, times in hashed.items() if path.startswith(("out", "private"))} == dict.fromkeys(
        expected, 1
    )
    assert opens["out/attestation.json"] == 1
    assert opens.get("private/report.json", 1) == 1
    assert max(times for path, times in opens.items() if path.startswith("out")) <= 3
    assert opens.get("out/codebook.csv", 2) == 2
