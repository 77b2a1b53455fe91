"""How many modules one job passes: what is only ever used together belongs into one of them."""

import os
import sys
import tempfile
from pathlib import Path
from types import FrameType

import pytest

import anonset
from anonset.cli.main import main

HOME = f"{Path(anonset.__file__).parent}{os.sep}"  # the kernels may lie beside it
AT_MOST = 73  # with those that go through data in files, and cut rows by bytes: data in memory take the same way
IN_A_FUNCTION = 1  # CO_OPTIMIZED: not the body of a module or a class
RECORDS = ("1 2 3", "2 3", "1 2", "1 3 4", "2 3 4", "1 2", "3 4", "1 2 3 4")


def test_a_job_on_eight_records_passes_few_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))  # what others left is no part of the job
    (tmp_path / "eight.dat").write_text("\n".join((*RECORDS, "")))
    of_items = ("anonymize", str(tmp_path / "eight.dat"), "--hierarchy", "items=balanced:2")
    job = (*of_items, "--algorithm", "apriori", "--k", "2", "--m", "2", "-o")
    assert main([*job, str(tmp_path / "first")]) == 0  # compiles, if there is anything to compile
    passed: set[str] = set()
    imports = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal imports
        code = frame.f_code
        if code.co_name == "<module>":
            imports += (event == "call") - (event == "return")
        elif event == "call" and not imports and code.co_flags & IN_A_FUNCTION and code.co_filename.startswith(HOME):
            passed.add(code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        code = main([*job, str(tmp_path / "second")])
    finally:
        sys.setprofile(before)
    assert code == 0
    assert len(passed) <= AT_MOST, "merge what is only ever used together"
