"""Comments of the job file that the page writes."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from anonset.cli.main import main


@pytest.mark.long
def test_comments_of_a_job_file_name_options_and_messages_name_buttons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(1)
    rows = [f"{rng.randint(20, 60)},{rng.choice(['E10 I10', 'E10'])},{n % 7}" for n in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["age,codes,grp", *rows, "-99,E10,1", "-99,J20,2"]))
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "anonset.ui.child", "inspect", "visits.csv", "--json", "--out"]
    output = subprocess.run([*command, "page.toml"], check=True, capture_output=True, text=True).stdout
    assert main(["inspect", "visits.csv", "--quiet", "-o", "typed.toml"]) == 0
    assert "“Treat age=-99 as missing”" in output
    assert "“An attacker may know grp”" in output
    findings = json.loads(output)
    comments = [one.pop("comment") for one in findings["problems"]]
    assert "--null" not in json.dumps(findings)
    assert [f"# Check: {one}" for one in comments] == [
        line for line in Path("typed.toml").read_text().splitlines() if line.startswith("# Check: ")
    ]
    assert "--null age=-99" in Path("typed.toml").read_text()
    assert "--relational grp" in Path("typed.toml").read_text()
    assert Path("page.toml").read_bytes() == Path("typed.toml").read_bytes()
