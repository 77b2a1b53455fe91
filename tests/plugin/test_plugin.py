"""The example package from the plug-in page, when installed, works like the built-in algorithms and models."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.facts import names

pytestmark = [pytest.mark.compiled, pytest.mark.long]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
ASKED = ("--model", "common-items", "--k", "2")
BASKETS = "a b\na b\na c\nb\na d\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed package, built from the files on the page."""
    folder = tmp_path_factory.mktemp("plugin")
    sources = folder / "sources"
    sources.mkdir()
    files = dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL))
    for path in ("pyproject.toml", "rare_items.py"):
        (sources / path).write_text(files[path])
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*pip, "--target", folder / "site", sources], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def python(installed: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Python with the package on its path."""
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH", "")])])
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})


def run(installed: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return python(installed, "-m", "anonset", *arguments)


def test_the_help_lists_algorithms_and_models_of_the_plugin(installed: Path) -> None:
    shown = run(installed, "anonymize", "--help-all").stdout
    assert "leave-out" in shown
    assert "common-items" in shown
    assert "--margin" in shown


def test_the_plugin_publishes_with_its_own_check(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "data.dat").write_text(BASKETS)
    out = tmp_path / "out"
    done = run(installed, "anonymize", tmp_path / "data.dat", *ASKED, "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["algorithm"] == "leave-out"
    assert (out / "published.dat").read_text() == "a\na\na b\na b\nb\n"
    attested = json.loads((out / "attestation.json").read_text())
    assert (attested["model"], attested["parameters"]) == ("common-items", {"k": 2})
    repeated = run(installed, "verify", out, "--json")
    assert (repeated.returncode, json.loads(repeated.stdout)["verdict"]) == (0, "holds")
    stricter = run(installed, "verify", out, "--model", "common-items", "--k", "4")
    assert (stricter.returncode, "{b} matches 3 records, 4 required" in stricter.stdout) == (1, True), stricter


def test_compare_runs_the_plugin_beside_built_in_algorithms(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "data.dat").write_text(BASKETS)
    options = ["--algorithms", "leave-out,mhghs", "--k", "2", "--m", "1", "--hierarchy", "items=balanced:2"]
    done = run(installed, "compare", tmp_path / "data.dat", *options, "--json")
    assert done.returncode == 0, done.stderr
    assert [row["outcome"] for row in json.loads(done.stdout)] == ["holds", "holds"]


def test_the_plugin_passes_the_suite_for_algorithms(installed: Path) -> None:
    code = "import rare_items, anonset.testing as suite; suite.check_algorithm(rare_items.LeaveOut(k=2))"
    done = python(installed, "-c", code)
    assert done.returncode == 0, done.stderr


def test_an_outdated_plugin_is_rejected_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "before.py").write_text("class LeaveOut:\n    name = 'leave-out'\n    by_blocks = True\n")
    metadata = tmp_path / "before-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: before\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[anonset.algorithms]\nleave-out = before:LeaveOut\n")
    done = run(tmp_path, "anonymize", "nothing.dat", "--model", "km", "--k", "2", "--m", "2", "-o", tmp_path / "out")
    line = "algorithm LeaveOut must declare by_blocks as traits = anonset.Traits(by_blocks=...)"
    assert (done.returncode, done.stderr.strip()) == (2, f"anonset: error: {line}")


def test_names_of_a_plugin_that_is_not_installed_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "data.dat").write_text(BASKETS)
    done = run(tmp_path, "anonymize", tmp_path / "data.dat", *ASKED, "-o", tmp_path / "out")
    assert (done.returncode, "'common-items'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise RuntimeError('torn')", "RuntimeError torn"),
        ("class LeaveOut: name = 'apriori'", "name apriori"),
        ("LeaveOut = 3", "class name 3"),
    ],
)
def test_a_broken_plugin_is_named(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(code)
    metadata = tmp_path / "broken-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[anonset.algorithms]\nleave-out = broken:LeaveOut\n")
    done = run(tmp_path, "anonymize", "nothing.dat", "--model", "km", "--k", "2", "--m", "2", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert names(done.stderr, f"error broken:LeaveOut broken {message}")
