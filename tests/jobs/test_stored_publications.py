"""Publications stored in the repository verify, and commands that start from a publication read them."""

import json
import shutil
from pathlib import Path

import pytest
from tests.facts import names

from anonset.cli.main import main
from anonset.release.statements import versions

MADE = Path(__file__).resolve().parents[1] / "vectors" / "publications"
NAMES = ("baskets", "both", "buckets", "constraints", "items", "relational")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a function that copies a stored publication, changes to its folder, and updates the paths and package
    versions in its report.
    """

    def copied(name, **changed):
        shutil.copytree(MADE, tmp_path / "made")
        here = tmp_path / "made" / name
        path = here / "private" / "report.json"
        report = json.loads(path.read_text().replace("HERE", str(here)))
        path.write_text(json.dumps({**report, "versions": versions(), **changed}))
        monkeypatch.chdir(here)

    return copied


@pytest.mark.parametrize("name", NAMES)
def test_every_command_reads_a_stored_publication(place, capsys, name):
    place(name)
    for job in ("job.toml", "private/report.json"):
        assert main(["verify", job]) == 0
    policy = "private/privacy_constraints.txt"  # the attestation must not contain it
    assert main(["verify", "out", *(["--privacy-constraints", policy] if name == "constraints" else [])]) == 0
    assert main(["evaluate", "private/report.json", "--quiet"]) == 0
    assert main(["report", "job.toml", "-o", "page.html", "--quiet"]) == 0
    assert main(["report", "out", "--shareable", "-o", "shareable.html", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["risk", "job.toml", "--attempts", "20", "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["broken"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_same_job_is_skipped(place, capsys, name):
    place(name)
    assert main(["anonymize", "job.toml", "--if-exists", "resume"]) == 0
    assert "holds" in capsys.readouterr().out


def test_a_publication_of_other_versions_is_not_skipped(place, capsys):
    place("items", versions={**versions(), "anonset": "0.0.0"})
    assert main(["anonymize", "job.toml", "--if-exists", "resume"]) == 2
    assert names(capsys.readouterr().err, "out versions")


@pytest.mark.parametrize("name", ["baskets", "constraints", "items"])
def test_a_release_continues_a_stored_publication(place, name):
    """For the same data, the next release publishes the same records."""
    place(name)
    following = ["-o", "next", "--private", "next.private", "--recoding", "private"]
    assert main(["anonymize", "job.toml", *following]) == 0
    data = [path for path in sorted(Path("out").rglob("*")) if path.is_file() and path.name != "attestation.json"]
    assert data
    for path in data:
        assert Path("next", path.relative_to("out")).read_bytes() == path.read_bytes()


def test_a_changed_file_is_refused(place, capsys):
    place("items")
    with Path("out/published/part-00001.csv").open("a") as file:
        file.write("c0,north\n")
    for arguments in (["verify", "out"], ["risk", "out"], ["report", "job.toml"], ["evaluate", "job.toml"]):
        assert main(arguments) == 2
        assert names(capsys.readouterr().err, "part-00001.csv attested")
