"""Commands import no packages that they do not use, such as pandas, which takes longer than their work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled

ROWS = [
    {
        "id": f"p{n // 2}",
        "age": 20 + n % 9,
        "codes": "E10 I10" if n % 3 else "J45",
        "sex": "fm"[n % 2],
        "seen": f"2024-0{1 + n % 9}-11",
        "ward": ["north", None, "south"][n % 3],
    }
    for n in range(300)
]
RUN = """
import json, sys
from anonset.cli.main import main
done = [main(job) for job in json.loads(sys.argv[1])]
print(json.dumps([done, sorted({*json.loads(sys.argv[2])} & sys.modules.keys())]), file=sys.stderr)
"""


def written(folder: Path, kind: str) -> Path:
    path = folder / f"visits.{kind}"
    if kind == "jsonl":
        lines = [json.dumps({**row, "tags": [row["sex"], None], "notes": [{"a": 1}]}) for row in ROWS]
    else:
        lines = [",".join(ROWS[0]), *(",".join(str(value or "") for value in row.values()) for row in ROWS)]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "unused"),
    [
        ([[], ["--null", "ward=north"]], ["pandas", "pyarrow.compute"]),
        ([["--unit", "id", "--skip-rows", "no-id"]], ["pandas", "pyarrow.compute"]),
    ],
)
def test_inspect_imports_only_what_it_needs(tmp_path: Path, options: list[list[str]], unused: list[str]) -> None:
    """A single process runs all commands, because each process would first import the same packages."""
    jobs = [["inspect", str(written(tmp_path, kind)), *more] for kind in ("csv", "jsonl") for more in options]
    command = [sys.executable, "-c", RUN, json.dumps(jobs), json.dumps(unused)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ran.stderr) == [[0] * len(jobs), []], ran.stdout


def test_the_help_of_anonymize_imports_no_packages_for_data() -> None:
    code = (
        "import contextlib, io, sys\n"
        "from anonset.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): code = main(['anonymize', '--help'])\n"
        "print(code, sorted({'numpy', 'numba', 'pyarrow', 'scipy'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "0 []\n"
