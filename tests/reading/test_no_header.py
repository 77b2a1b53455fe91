"""CSV without a header line, and normalization rules for single columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.scan import scan
from anonset.spelling import as_options, spelled_by

FIELD = st.text(st.sampled_from('ab1 ",;\n\t|é'), max_size=4)


@pytest.mark.long
@given(rows=st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=6), delimiter=st.sampled_from(",;\t|"))
def test_a_file_without_header_is_read_like_a_file_with_names(tmp_path_factory, rows, delimiter):
    folder = tmp_path_factory.mktemp("rows")
    quoted = [delimiter.join('"' + field.replace('"', '""') + '"' for field in row) + "\n" for row in rows]
    (folder / "bare.csv").write_text("".join(quoted), newline="")
    (folder / "named.csv").write_text(f"1{delimiter}2\n" + "".join(quoted), newline="")
    options = {"keep": "1,2", "delimiter": delimiter}
    bare, named = read(folder / "bare.csv", **options, no_header=True), read(folder / "named.csv", **options)
    for first, other in zip(bare.kept, named.kept, strict=True):
        assert [first.vocabulary.labels[c] for c in first.codes] == [other.vocabulary.labels[c] for c in other.codes]


@pytest.mark.parametrize(
    ("rules", "values", "changes"),
    [
        (
            "zip=strip-blanks,zip=strip-hyphens",
            ["47677", "47677", "47602"],
            [("zip", "strip-blanks", 1), ("zip", "strip-hyphens", 1)],
        ),
        (["zip=upper"], ["476-77", "476 77", "47602"], []),
    ],
)
def test_rules_for_a_relational_column(tmp_path, rules, values, changes):
    (tmp_path / "z.csv").write_text("zip,codes\n476-77,e10\n476 77,e10\n47602,E10\n")
    table = read(tmp_path / "z.csv", relational="zip", items="codes", normalize=rules)
    column = table.relational[0]
    assert [column.vocabulary.labels[code] for code in column.codes] == values
    assert [(change.column, change.rule, change.occurrences) for change in table.changes] == changes
    assert table.transactions.vocabulary.labels == ("E10", "e10")


def test_rules_apply_to_one_set_or_to_all_sets(tmp_path):
    (tmp_path / "s.csv").write_text("a,b\nx.1,y.1\n")
    table = read(tmp_path / "s.csv", items="a,b", normalize="upper,b=strip-dots")
    assert table.transactions.vocabulary.labels == ("a:X.1", "b:Y1")


@pytest.mark.parametrize(
    ("roles", "rules", "said"),
    [
        (
            {"relational": "zip", "drop": "codes"},
            "upper",
            "'--normalize upper' '--normalize zip=upper'",
        ),
        (
            {"relational": "zip", "items": "codes"},
            "age=upper",
            "column age codes zip",
        ),
        (
            {"relational": "zip", "numeric": "zip", "items": "codes"},
            "zip=upper",
            "column zip",
        ),
        ({"relational": "zip", "items": "codes"}, "zip=uper", "--normalize uper upper"),
        ({"relational": "zip", "items": "codes"}, "zip=strip-hyphens", "value - zip"),
    ],
)
def test_invalid_rules_for_columns_are_rejected(tmp_path, roles, rules, said):
    (tmp_path / "z.csv").write_text("zip,codes\n-,e10\n" if "hyphens" in rules else "zip,codes\n1,e10\n")
    with spelled_by(as_options), refused(InputError, said):
        read(tmp_path / "z.csv", **roles, normalize=rules)


@pytest.mark.long
@pytest.mark.parametrize("bytes_at_once", [1, 20, 1 << 20])
def test_files_without_header_are_read_in_blocks(tmp_path, monkeypatch, bytes_at_once):
    monkeypatch.setattr("anonset.reading.formats.text_chunks.BYTES_AT_ONCE", bytes_at_once)
    rows = "".join(f"{n};{n % 3:02};A{n % 5}\u00a0B{n % 2}\n" for n in range(40))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(rows)
    options = {"no_header": True, "items": "3", "relational": "2", "drop": "1", "normalize": "lower,2=strip-zeros"}
    table = scan(f"{tmp_path}/*.csv", **options)
    short = read(tmp_path / "a.csv", **options)
    assert table.n == 80
    assert [sorted(row) for row in table.transactions.rows()] == 2 * [sorted(row) for row in short.transactions.rows()]
    assert table.relational[0].labels() == 2 * short.relational[0].labels()
    assert [(c.column, c.rule, c.labels) for c in table.changes] == [
        (c.column, c.rule, c.labels) for c in short.changes
    ]
    (tmp_path / "b.csv").write_text(rows + "40;1\n")
    with refused(InputError, "b.csv 'line 41' 3"):
        scan(f"{tmp_path}/*.csv", **options)


def test_bits_in_cells_are_items_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.reading.formats.text_chunks.BYTES_AT_ONCE", 1)
    (tmp_path / "b.csv").write_text("codes\n0\n1\n0 1\n")
    assert scan(tmp_path / "b.csv", items="codes").transactions.vocabulary.labels == ("0", "1")
    (tmp_path / "b.csv").write_text("codes\n0\n1\n1\n")
    with refused(InputError, "0 1"):
        scan(tmp_path / "b.csv", items="codes")
