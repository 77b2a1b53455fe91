"""Commands that read files do not import pandas, which takes longer than their work."""

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
import sys
from anonset.cli.main import run
sys.argv = ["anonset", *sys.argv[1:]]
try:
    run()
finally:
    sys.stderr.write(f"imported: {'pandas' in sys.modules}")
"""


def written(folder: Path, kind: str) -> Path:
    path = folder / f"visits.{kind}"
    if kind == "jsonl":
        lines = [json.dumps({**row, "tags": [row["sex"], None], "notes": [{"a": 1}]}) for row in ROWS]
    else:
        lines = [",".join(ROWS[0]), *(",".join(str(value or "") for value in row.values()) for row in ROWS)]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("options", [[], ["--unit", "id", "--skip-rows", "no-id"], ["--null", "ward=north"]])
def test_inspect_does_not_import_pandas(tmp_path: Path, kind: str, options: list[str]) -> None:
    command = [sys.executable, "-c", RUN, "inspect", str(written(tmp_path, kind)), *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "imported: False"), ran.stdout
