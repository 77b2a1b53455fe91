"""Settings files of other tools are read unchanged. Invalid files are rejected in a one-line message."""

from pathlib import Path

import pytest
from tests.facts import names, refused
from tests.reading.projects import COLUMNS, TEMPLATE, TREES, arx_project

from anonset.errors import InputError
from anonset.reading import projects
from anonset.reading.projects import read_project


def test_a_project_of_arx_is_read_without_its_java_objects(tmp_path: Path) -> None:
    config = (
        "<relativeMaxOutliers>0.25</relativeMaxOutliers><metric>Loss</metric><attributeWeights><attributeWeight>"
        "<attribute>age</attribute><weight>0.75</weight></attributeWeight></attributeWeights>"
    )
    limited = {"age": COLUMNS["age"].replace("<max>All", "<max>2"), "sex": COLUMNS["sex"]}
    limited["age"] += "<microaggregationFunction>Arithmetic mean</microaggregationFunction><response>true</response>"
    path = arx_project(tmp_path / "p.deid", config=config, columns=COLUMNS | limited, replaced={"project.dat": "\xac"})
    project = read_project(path)
    assert [column.role for column in project.columns] == [
        "identifying",
        "relational",
        "relational",
        "sensitive",
        "keep",
    ]
    assert project.criteria == ("3-anonymity",)
    assert (project.suppressed, project.delimiter) == (0.25, ";")
    assert project.columns[1].weight == 0.75
    facts = ("level 2 hierarchy", "microaggregation arithmetic mean hierarchy", "prediction")
    assert list(map(names, project.columns[1].others, facts)) == [True] * 3
    assert project.hierarchy("hierarchies/sex.csv") == TREES["sex"].encode()
    assert project.hierarchy("hierarchies/none.csv") is None
    assert project.has_data
    assert b"".join(project.data()).startswith(b"who;age;sex;drug;site\np0;20;m;a;x0\n")


@pytest.mark.parametrize(
    ("replaced", "message"),
    [
        ({"metadata.xml": None}, "metadata.xml ARX"),
        ({"metadata.xml": "<metadata><vocabulary>1.0</vocabulary></metadata>"}, "version ARX"),
        ({"input/config.xml": "<config>"}, "input/config.xml damaged"),
        ({"input/definition.xml": "<definition/>"}, "columns"),
        ({"project.xml": '<!DOCTYPE p [<!ENTITY a "b">]><p>&a;</p>'}, "project.xml document"),
        ({"input/config.xml": "<config><relativeMaxOutliers>much</relativeMaxOutliers></config>"}, "number"),
    ],
)
def test_files_that_are_not_arx_projects_are_rejected(
    tmp_path: Path, replaced: dict[str, str | None], message: str
) -> None:
    with refused(InputError, message):
        read_project(arx_project(tmp_path / "p.deid", replaced=replaced))


def test_oversized_or_damaged_archives_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = arx_project(tmp_path / "p.deid")
    path.write_bytes(path.read_bytes().replace(b"<vocabulary>", b"<vocabulery>"))
    with refused(InputError, f"{path}"):
        read_project(path)
    monkeypatch.setattr(projects, "_MOST_BYTES", 40)
    with refused(InputError, "40 bytes"):
        read_project(arx_project(tmp_path / "q.deid"))


def test_an_amnesia_template_is_read_with_its_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEMPLATE + "sets: true,set,ages\n")
    (tmp_path / "ages.txt").write_text(TREES["age"])
    project = read_project(tmp_path / "t.txt")
    assert [(column.name, column.role) for column in project.columns] == [
        ("who", "drop"), ("age", "relational"), ("sex", "relational"), ("drug", None), ("sets", None),
    ]  # fmt: skip
    assert project.columns[-1].others == ("type 'set'",)
    assert project.criteria == ("3-anonymity",)
    assert project.hierarchy("ages") == TREES["age"].encode()
    assert project.hierarchy("sexes") is None
    assert project.hierarchy("../ages") is None
    assert not project.has_data


def test_a_template_without_k_sets_no_model(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(TEMPLATE.replace("k: 3", "k:"))
    assert read_project(tmp_path / "t.txt").criteria == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEMPLATE + "what is this\n", "'line 13' 'column: true,type' 'k: 3'"),
        ("a,b\n1,2\n", "ARX Amnesia"),
    ],
)
def test_files_that_are_not_templates_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with refused(InputError, message):
        read_project(tmp_path / "t.txt")
