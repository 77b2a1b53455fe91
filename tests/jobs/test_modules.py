"""How many modules one job passes and imports: what is only ever used together belongs into one of them."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

import pytest

import anonset
from anonset.cli.main import main

HOME = f"{Path(anonset.__file__).parent}{os.sep}"  # the kernels may lie beside it
AT_MOST = 75  # with those that go through data in files, and cut rows by bytes: data in memory take the same way
IMPORTED = 115
"""Modules of ours that such a job imports, the kernels aside; this bound only falls, too."""
SLOW = ("pandas", "pyarrow.compute")
"""What takes longer to import than a small job to run, and Arrow imports for what can be done without."""
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
    threading.setprofile(note)  # what is read ahead is read by another thread
    try:
        code = main([*job, str(tmp_path / "second")])
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    assert code == 0
    assert len(passed) <= AT_MOST, "merge what is only ever used together"


PERSONS = "".join(f"p{n // 3},{20 + n % 40}.5,{'mf'[n % 2]},c{n % 3} d{n % 2},n{n % 5}\n" for n in range(60))
OF_PERSONS = "anonymize persons.csv --drop "
FOLLOWED = (
    "anonymize eight.dat --hierarchy items=balanced:2 --algorithm apriori --k 2 --m 2",
    OF_PERSONS + "id,age,sex,note --items codes --hierarchy codes=balanced:2 --model km --k 2 --m 2 --rows-are-persons",
    OF_PERSONS + "age,sex,note --id id --items codes --group --hierarchy codes=balanced:2 --model km --k 2 --m 2",
    OF_PERSONS
    + "id,codes,note --relational age,sex --numeric age --hierarchy age=range --hierarchy sex=values --model k"
    " --k 3 --format parquet --rows-are-persons",
    OF_PERSONS + "id,note --items codes --relational age,sex --numeric age --hierarchy age=range --hierarchy sex=values"
    " --hierarchy codes=balanced:2 --algorithm rum-bound --k 3 --m 2 --delta 1 --allow-worthless --rows-are-persons",
    OF_PERSONS + "age,codes --id id --keep sex --sensitive note --model anatomy --l 2 --rows-are-persons",
)
"""Jobs on transactions, on records of several rows, on relational and on mixed data, and one that publishes buckets."""


@pytest.mark.compiled
def test_a_job_on_eight_records_imports_few_modules(tmp_path: Path) -> None:
    (tmp_path / "eight.dat").write_text("\n".join((*RECORDS, "")))
    command = [*FOLLOWED[0].split(), "-o", "out", "--quiet"]
    run = f"import sys\nfrom anonset.cli.main import main\nassert main({command}) == 0\n"
    count = "print(sum(name.partition('.')[0] == 'anonset' for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", run + count],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= IMPORTED, "import where it is used what one model, format or algorithm alone needs"


@pytest.mark.compiled
def test_jobs_import_neither_pandas_nor_wrapped_functions_of_arrow(tmp_path: Path) -> None:
    """All in one process: what any of them imports stays."""
    (tmp_path / "eight.dat").write_text("\n".join((*RECORDS, "")))
    (tmp_path / "persons.csv").write_text("id,age,sex,codes,note\n" + PERSONS)
    commands = [
        command
        for n, job in enumerate(FOLLOWED)
        for command in (
            [*job.split(), "-o", f"out{n}", "--quiet", "--workers", "2"],
            ["verify", f"out{n}"],
            ["evaluate", f"out{n}.private/report.json"],
        )
    ]
    run = f"import sys\nfrom anonset.cli.main import main\nfor one in {commands}:\n    assert main(one) == 0, one\n"
    end = f"    assert not {{*{SLOW}}} & {{*sys.modules}}, (one, {{*{SLOW}}} & {{*sys.modules}})\n"
    done = subprocess.run([sys.executable, "-c", run + end], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
