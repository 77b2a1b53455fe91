import csv
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.bucket_tables import (
    FIGURE_1,
    FIGURE_1B_GROUPS,
    FIGURE_3,
    buckets_of,
    published,
    shown_rows,
    table_of,
    values_of,
)
from anonset.columns.identity import are_given
from anonset.data import CategoricalColumn, Table
from anonset.errors import InputError
from anonset.generalization.bucketizing import bucketize
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.reading.publications.buckets import read_buckets
from anonset.verification.safe_grouping import check_safe_grouping
from anonset.writing.publications.buckets import write_buckets
from effort import examples

labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00*"), min_size=1, max_size=4)
identities = labels.filter(lambda text: bool(are_given(pa.array([text]))[0]))


def test_figure_3_is_written_and_read_as_two_tables(tmp_path: Path) -> None:
    publication = published(FIGURE_3, [0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1], [7, 10])
    qit, snt = write_buckets(publication, tmp_path)
    assert qit.read_text() == (
        "id0,group\nP1,1\nP1,1\nP1,1\nP1,1\nP3,1\nP3,1\nP3,1\nP3,1\nP2,2\nP4,2\nP5,2\n*,2\n*,2\n"
    )
    assert snt.read_text().splitlines()[:5] == [
        "group,drug", "1,Azelaic acid", "1,Azelaic acid", "1,Azelaic acid", "1,Mild Exfoliation",
    ]  # fmt: skip
    back = read_buckets(tmp_path, id="id0")
    assert check_safe_grouping(back, SafetyConstraint(2, 2)).holds
    assert values_of(back) == values_of(publication)


@pytest.mark.parametrize("group", [3, 2_000_000_000])
@pytest.mark.parametrize("names", [["qit.csv"], ["snt.csv"], ["qit.csv", "snt.csv"]])
def test_group_numbers_of_a_publication_have_no_gaps(tmp_path: Path, names: list[str], group: int) -> None:
    write_buckets(published([("a", "x"), ("b", "y"), ("c", "x"), ("d", "y")], [0, 0, 1, 1]), tmp_path)
    for name in names:
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text("".join(line.replace("2", f"{group}") for line in text.splitlines(keepends=True)))
    with refused(InputError, f"{names[0]} groups"):
        read_buckets(tmp_path, id="id0", files=(["qit.csv"], ["snt.csv"]))


def count_values(path: Path) -> None:
    """Write each distinct value of a group with a count, as Anatomy does."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    with path.open("w", encoding="utf-8", newline="") as file:
        counted = [[*row, n] for row, n in Counter(map(tuple, rows)).items()]
        csv.writer(file).writerows([[*header, "count"], *counted])


def test_values_of_a_group_may_be_counted(tmp_path: Path) -> None:
    publication = published([("a", "x"), ("b", "x"), ("c", "y")], [0, 0, 0])
    _, snt = write_buckets(publication, tmp_path)
    assert snt.read_text() == "group,drug\n1,x\n1,x\n1,y\n"
    count_values(snt)
    assert snt.read_text() == "group,drug,count\n1,x,2\n1,y,1\n"
    assert values_of(read_buckets(tmp_path, id=["id0"])) == {"1": ["x", "x", "y"]}


@pytest.mark.long
@settings(max_examples=examples(60))
@given(
    drawn=st.lists(
        st.tuples(identities, identities, labels, labels, st.integers(0, 11), st.booleans()), min_size=1, max_size=20
    ),
    counts=st.booleans(),
)
def test_written_buckets_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, str, str, str, int, bool]], counts: bool
) -> None:
    folder = tmp_path_factory.mktemp("buckets")
    numbers = sorted({group for *_, group, _ in drawn})
    table = table_of([((a, b), v) for a, b, v, *_ in drawn], kept=[z for _, _, _, z, _, _ in drawn])
    starred = [t for t, (*_, star) in enumerate(drawn) if star]
    publication = bucketize(table, buckets_of([numbers.index(g) for *_, g, _ in drawn], starred))
    _, snt = write_buckets(publication, folder)
    if counts:
        count_values(snt)
    back = read_buckets(folder, id=["id0", "id1"], keep=["zip"])
    assert shown_rows(back) == shown_rows(publication)
    assert back.kept[0].labels() == publication.kept[0].labels()
    assert back.group.labels() == publication.group.labels()
    assert {g: sorted(v) for g, v in values_of(back).items()} == {
        g: sorted(v) for g, v in values_of(publication).items()
    }
    assert back.starred.tolist() == publication.starred.tolist()


def test_groups_of_other_tools_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "qit.csv").write_text("group,zip,name\nG7,1,a\nA,2,b\nG7,1,*\n")
    (tmp_path / "snt.csv").write_text("drug,group,count\ny,G7,1\nx,A,1\nx,G7,1\n")
    back = read_buckets(tmp_path, id="name", keep="zip")
    assert values_of(back) == {"A": ["x"], "G7": ["x", "y"]}
    assert back.group.labels() == ["G7", "A", "G7"]
    assert back.record.tolist() == [0, 1, 2]


def test_tables_of_other_tools_may_have_a_title(tmp_path: Path) -> None:
    (tmp_path / "qit.csv").write_text("Persons\nname,group\na,1\nb,1\n")
    (tmp_path / "snt.csv").write_text("Drugs\ngroup,drug\n1,x\n1,y\n")
    back = read_buckets(tmp_path, id="name", reading={"header_line": 2})
    assert values_of(back) == {"1": ["x", "y"]}


@pytest.mark.parametrize(
    ("qit", "snt", "message"),
    [
        ("name,zip,group\na,1,1\n", "group,drug\n1,x\n", "column zip"),
        ("name\na\n", "group,drug\n1,x\n", "column group"),
        (
            "name,group\na,1\n",
            "drug\nx\n",
            "group sensitive count 1",
        ),
        ("name,group\na,1\n", "group,drug,size\n1,x,1\n", "columns count size"),
        ("name,group\na,1\n", "group,drug\n1,x\n1,y\n", "group rows 1 2"),
        ("name,group\na,1\n", "group,drug\n1,x\n2,y\n", "group 2 qit.csv snt.csv"),
        ("name,group\na,1\n", "group,drug,count\n1,x,0\n", "count 'row 1' 1"),
        ("name,group\na,1\n", "group,drug,count\n1,x,1.5\n", "count 'row 1' 1"),
        ("name,group\na,1\n", "group,drug,count\n1,x,one\n", "numeric count 'row 1'"),
        ("name,group\na,1\n", None, "snt.csv file"),
        (None, "group,drug\n1,x\n", "qit.csv file"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, qit: str | None, snt: str | None, message: str) -> None:
    for name, text in (("qit.csv", qit), ("snt.csv", snt)):
        if text is not None:
            (tmp_path / name).write_text(text)
    with refused(InputError, message):
        read_buckets(tmp_path, id="name")


def test_a_failed_write_leaves_no_files(tmp_path: Path) -> None:
    publication = published(FIGURE_1, FIGURE_1B_GROUPS)
    (tmp_path / "snt.csv").mkdir()
    with refused(InputError, "snt.csv"):
        write_buckets(publication, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["snt.csv"]


def test_a_sensitive_column_may_be_called_count(tmp_path: Path) -> None:
    table = Table(sensitive=CategoricalColumn.of("count", ["x"]), ids=(CategoricalColumn.of("id", ["a"]),))
    write_buckets(bucketize(table, buckets_of([0])), tmp_path)
    assert values_of(read_buckets(tmp_path, id="id")) == {"1": ["x"]}


def test_an_empty_publication_has_two_headers(tmp_path: Path) -> None:
    qit, snt = write_buckets(published([], []), tmp_path)
    assert (qit.read_text(), snt.read_text()) == ("id0,group\n", "group,drug\n")
    assert read_buckets(tmp_path, id="id0").n == 0


def test_tables_of_other_programs_are_read_with_any_option_of_read(tmp_path: Path) -> None:
    (tmp_path / "qit.csv").write_text("id;group\na;1\nb;1\n")
    (tmp_path / "snt.csv").write_text("group;drug\n1;x\n1;y\n")
    reading = {"delimiter": ";", "decimal": ","}
    assert values_of(read_buckets(tmp_path, id="id", reading=reading)) == {"1": ["x", "y"]}
