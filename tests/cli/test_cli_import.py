"""``anonset import`` runs projects of another tool with at least the same guarantee."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names
from tests.reading.projects import COLUMNS, ROWS, TEMPLATE, TREES, arx_project

from anonset.cli.main import main


def declare_rows(job: Path) -> None:
    """Declare in a job file that each row is a different person."""
    job.write_text(job.read_text().replace('unit = "?"', 'unit = "row"'))


OF_DRUG = " for attribute 'drug'"


def test_an_imported_project_runs_and_satisfies_its_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    criteria = ("3-anonymity", f"0.3-closeness with hierarchical ground-distance{OF_DRUG}")
    project = arx_project(tmp_path / "p.deid", criteria)
    job = tmp_path / "job"
    assert main(["import", str(project), "-o", str(job)]) == 0
    assert names(capsys.readouterr().out, "Next job.toml")
    assert job.stat().st_mode & 0o077 == 0
    assert main(["anonymize", str(job / "job.toml"), "--quiet"]) == 2
    assert names(capsys.readouterr().err, "unit who row unknown")
    declare_rows(job / "job.toml")
    assert main(["anonymize", str(job / "job.toml"), "--quiet"]) == 0
    assert main(["verify", str(job / "job-safe"), "--model", "kt", "--sensitive", "drug", "--k", "3", "--t", "0.3",
                 "--t-distance", "hierarchical", "--t-tree", str(job / "hierarchies" / "3-drug.csv")]) == 0  # fmt: skip


def test_unsupported_settings_are_listed_and_prevent_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = arx_project(tmp_path / "p.deid", ("3-anonymity", "(0.1)-sample-uniqueness"))
    assert main(["import", str(project), "-o", str(tmp_path / "job"), "--json"]) == 0
    assert "(0.1)-sample-uniqueness" in capsys.readouterr().out
    assert names((tmp_path / "job" / "job.toml").read_text(), "(0.1)-sample-uniqueness")
    declare_rows(tmp_path / "job" / "job.toml")
    assert main(["anonymize", str(tmp_path / "job" / "job.toml")]) == 2
    assert "--model" in capsys.readouterr().err


def test_a_hierarchy_that_is_no_tree_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = {"input/hierarchies/age.csv": "20;a;*\n21;b;*\n22;a;b;*\n", "input/hierarchies/sex.csv": None}
    project = arx_project(tmp_path / "p.deid", replaced=broken)
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 0
    out = capsys.readouterr().out
    assert names(out, "age hierarchy")
    assert names(out, "sex hierarchy hierarchies/sex.csv")


def test_a_distance_without_its_tree_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    criteria = ("3-anonymity", f"0.3-closeness with hierarchical ground-distance{OF_DRUG}")
    project = arx_project(tmp_path / "p.deid", criteria, replaced={"input/hierarchies/drug.csv": None})
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 2
    assert names(capsys.readouterr().err, "hierarchy drug t-closeness")
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
    declare_rows(Path("job/job.toml"))
    assert main(["anonymize", "job/job.toml"]) == 2, "whether drug may be published is not told"
    assert main(["anonymize", "job/job.toml", "--drop", "who,site,drug", "--quiet"]) == 0


def test_a_failed_import_leaves_no_files(tmp_path: Path) -> None:
    project = arx_project(tmp_path / "p.deid")
    content = project.read_bytes()
    project.write_bytes(content.replace(b"p0;20;m", b"p0;99;m"))  # the checksum differs
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 2
    assert not (tmp_path / "job").exists()
    (tmp_path / "job").mkdir()
    assert main(["import", str(arx_project(project)), "-o", str(tmp_path / "job")]) == 2, "it is there already"


def utf16(text: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-16"?>{text}'.encode("utf-16")


ENTITIES = '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><config>&b;</config>'
OUTLIERS = "<relativeMaxOutliers>{}</relativeMaxOutliers>"
DIGITS = "9" * 5000
COLUMN = "<assigment><name>age</name><type>IDENTIFYING_ATTRIBUTE</type></assigment>"


def project_with(tmp_path: Path, **more: Any) -> Path:
    return arx_project(tmp_path / "p.deid", **more)


def bomb(path: Path, name: str, mebibytes: int = 11) -> Path:
    """Add a file to a project that unpacks to a thousand times the archive size."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w", force_zip64=True) as file:
        for _ in range(mebibytes):
            file.write(bytes(2**20))
    return path


FORGED: dict[str, Callable[[Path], Path]] = {
    **{
        f"criterion {text[:30]}": lambda tmp, text=text: project_with(tmp, criteria=(text,))
        for text in (
            f"{DIGITS}-anonymity", "0-anonymity", "\u0663-anonymity", f"distinct-{DIGITS}-diversity{OF_DRUG}",
            f"recursive-(1.2.3,3)-diversity{OF_DRUG}", f"recursive-({DIGITS},3)-diversity{OF_DRUG}",
            f"{DIGITS}-closeness with equal ground-distance{OF_DRUG}", f"..-closeness with ordered distance{OF_DRUG}",
        )
    },
    **{
        f"outliers {text[:9]}": lambda tmp, text=text: project_with(tmp, config=OUTLIERS.format(text))
        for text in ("nan", "inf", "-0.1", "1.5", "1e400", DIGITS, "x", "")
    },
    "weight": lambda tmp: project_with(
        tmp, config="<attributeWeights><attributeWeight><attribute>age</attribute><weight>nan</weight>"
        "</attributeWeight></attributeWeights>"),
    **{
        f"entities {name}": lambda tmp, text=text: project_with(tmp, replaced={"input/config.xml": text})
        for name, text in (("UTF-8", ENTITIES), ("UTF-16", utf16(ENTITIES)), ("external",
            '<!DOCTYPE m SYSTEM "file:///etc/hostname"><config/>'), ("UTF-16BE", ENTITIES.encode("utf-16-be")))
    },
    "nested": lambda tmp: project_with(tmp, replaced={"input/config.xml": "<a>" * 10**5 + "</a>" * 10**5}),
    "encoding": lambda tmp: project_with(tmp, replaced={"input/config.xml": '<?xml version="1.0" encoding="x"?><a/>'}),
    "no config": lambda tmp: project_with(tmp, replaced={"input/config.xml": None}),
    "no metadata": lambda tmp: project_with(tmp, replaced={"metadata.xml": None}),
    "no columns": lambda tmp: project_with(tmp, replaced={"input/definition.xml": "<definition/>"}),
    "no name": lambda tmp: project_with(tmp, replaced={"input/definition.xml": COLUMN.replace("age", "")}),
    "same name": lambda tmp: project_with(tmp, replaced={
        "input/definition.xml": f"<definition>{COLUMN * 2}</definition>"}),
    "separator": lambda tmp: project_with(tmp, replaced={"project.xml": "<p><separator>;;</separator></p>"}),
    "large data": lambda tmp: bomb(project_with(tmp, data=False), "data/input.csv", 101),
    "large tree": lambda tmp: bomb(project_with(tmp, replaced={"input/hierarchies/age.csv": None}),
                                   "input/hierarchies/age.csv"),
    "large config": lambda tmp: bomb(project_with(tmp, replaced={"input/config.xml": None}), "input/config.xml"),
    "twice": lambda tmp: bomb(project_with(tmp), "metadata.xml"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("how", FORGED)
def test_a_forged_project_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    project = FORGED[how](tmp_path)
    assert main(["import", str(project), "-o", str(tmp_path / "job")]) == 2
    captured = capsys.readouterr()
    assert (captured.err.count("\n"), len(captured.err) < 500) == (1, True), captured.err
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE.replace("k: 3", f"k: {DIGITS}"), TEMPLATE.replace("k: 3", "k: 0"), TEMPLATE + f"{' ' * 10**6}:x\n",
        TEMPLATE + "age: true,int\n", TEMPLATE + "a" + " " * 10**6 + ": nothing\n", TEMPLATE + "/" * 11 * 2**20,
    ],
)  # fmt: skip
def test_a_forged_template_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "t.txt").write_text(text)
    (tmp_path / "d.csv").write_text(f"{';'.join(COLUMNS)}\n{ROWS}")
    assert main(["import", str(tmp_path / "t.txt"), str(tmp_path / "d.csv"), "-o", str(tmp_path / "job")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
