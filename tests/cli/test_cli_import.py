"""``anonset import``: what another tool was set up to do runs here, and promises no less."""

from pathlib import Path

import pytest
from tests.io.projects import COLUMNS, ROWS, TEMPLATE, TREES, arx_project

from anonset.cli.main import main

OF_DRUG = " for attribute 'drug'"


def test_an_imported_project_runs_and_keeps_what_it_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("3-anonymity", f"0.3-closeness with hierarchical ground-distance{OF_DRUG}")
    project = arx_project(tmp_path / "p.deid", asked)
    job = tmp_path / "job"
    assert main(["import", str(project), "-o", str(job)]) == 0
    assert "Next: look through" in capsys.readouterr().out
    assert job.stat().st_mode & 0o077 == 0
    assert main(["anonymize", str(job / "job.toml"), "--quiet"]) == 0
    assert main(["verify", str(job / "job-safe"), "--model", "kt", "--sensitive", "drug", "--k", "3", "--t", "0.3",
                 "--t-distance", "hierarchical", "--t-tree", str(job / "hierarchies" / "3-drug.csv")]) == 0  # fmt: skip


def test_what_is_not_taken_is_said_and_such_a_job_does_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = arx_project(tmp_path / "p.deid", ("3-anonymity", "(0.1)-sample-uniqueness"))
    assert main(["import", str(project), "-o", str(tmp_path / "job"), "--json"]) == 0
    assert "(0.1)-sample-uniqueness" in capsys.readouterr().out
    assert "not taken: what must hold: (0.1)-sample-uniqueness" in (tmp_path / "job" / "job.toml").read_text()
    assert main(["anonymize", str(tmp_path / "job" / "job.toml")]) == 2
    assert "--model" in capsys.readouterr().err


def test_a_hierarchy_that_is_no_tree_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = {"input/hierarchies/age.csv": "20;a;*\n21;b;*\n22;a;b;*\n", "input/hierarchies/sex.csv": None}
    project = arx_project(tmp_path / "p.deid", replaced=broken)
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 0
    out = capsys.readouterr().out
    assert "not taken: 'age': its hierarchy is not read as it is" in out
    assert "not taken: 'sex': its hierarchy 'hierarchies/sex.csv', which is not there" in out


def test_a_distance_without_its_tree_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("3-anonymity", f"0.3-closeness with hierarchical ground-distance{OF_DRUG}")
    project = arx_project(tmp_path / "p.deid", asked, replaced={"input/hierarchies/drug.csv": None})
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 2
    assert "the hierarchy of 'drug', which its t-closeness goes by, is not in it" in capsys.readouterr().err
    assert not (tmp_path / "job").exists()


def test_a_template_runs_on_the_data_that_are_named_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(f"{';'.join(COLUMNS)}\n{ROWS}")
    Path("t.txt").write_text(TEMPLATE + "site: false,string\n")
    Path("ages.csv").write_text(TREES["age"])
    Path("sexes.txt").write_text(TREES["sex"])
    assert main(["import", "t.txt", "-o", "job"]) == 2, "a template holds no data"
    assert not Path("job").exists()
    assert main(["import", "t.txt", "data.csv", "-o", "job"]) == 0
    assert main(["anonymize", "job/job.toml"]) == 2, "whether drug may be published is not told"
    assert main(["anonymize", "job/job.toml", "--drop", "who,site,drug", "--rows-are-persons", "--quiet"]) == 0


def test_nothing_is_left_of_an_import_that_fails(tmp_path: Path) -> None:
    project = arx_project(tmp_path / "p.deid")
    content = project.read_bytes()
    project.write_bytes(content.replace(b"p0;20;m", b"p0;99;m"))  # its checksum is another one
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 2
    assert not (tmp_path / "job").exists()
    (tmp_path / "job").mkdir()
    assert main(["import", str(arx_project(project)), "-o", str(tmp_path / "job")]) == 2, "it is there already"
