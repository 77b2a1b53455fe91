"""`scan` returns the same table and the same errors as `read`, for any block size."""

import gc
import gzip
import re
import stat

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.facts import names, refused
from tests.reading.people_files import DIALECTS, SPREADSHEETS
from tests.reading.people_shapes import LINES, SHAPES
from tests.reading.test_any_way_of_writing import RECORDS, dialects, one_code, one_column, one_hot, written

from anonset.data import CategoricalColumn, NumericColumn, Vocabulary, spans
from anonset.data.fingerprints import column_sha256
from anonset.errors import InputError
from anonset.reading import encoded_batches, table_builder
from anonset.reading.formats import parquet as own_parquet
from anonset.reading.formats import text_chunks
from anonset.reading.persons import merging
from anonset.reading.read import read
from anonset.reading.scan import scan
from anonset.reading.sources.source import source_of
from effort import examples

pytestmark = pytest.mark.compiled

ALL = [*DIALECTS, *SPREADSHEETS, *LINES, *SHAPES]


TINY, SMALL = pytest.param((3, 1), id="tiny"), pytest.param((50, 4), id="small", marks=pytest.mark.long)


@pytest.fixture(autouse=True, params=[TINY, SMALL])
def blocks(request, monkeypatch):
    """Use blocks of a few bytes, and spans of a few records."""
    size, records = request.param
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", size)
    monkeypatch.setattr(spans, "AT_ONCE", records)


def same(found, expected):
    """Compare a table of `scan` with that of `read`."""
    assert (found.n, found.order, found.joined) == (expected.n, expected.order, expected.joined)
    assert (found.changes, found.rules) == (expected.changes, expected.rules)
    ids = () if expected.sensitive is not None else expected.ids
    assert found.persons == (expected.persons or tuple(column.name for column in ids))
    assert found.by_person == expected.by_person
    others = [column for column in expected.columns if column not in ids]
    for mine, theirs in zip(found.columns, others, strict=True):
        assert (mine.name, type(mine)) == (theirs.name, type(theirs))
        assert column_sha256(mine) == column_sha256(theirs)
        if isinstance(mine, NumericColumn):
            assert mine.values.dtype == theirs.values.dtype
        else:
            assert mine.vocabulary.labels == theirs.vocabulary.labels
            rows = [c.labels() if isinstance(c, CategoricalColumn) else list(c.rows()) for c in (mine, theirs)]
            assert rows[0] == rows[1]


def outcome(how, *given, **options):
    """Return a table, or the error message."""
    try:
        return how(*given, **options)
    except InputError as error:
        return str(error)


def _without_place(line):
    """Remove the position of the first fault and the fault count, which depend on the block size."""
    return re.sub(r" \(and \d+ more( up to row \d+)?\)|column '[^']*'|row \d+", "", line)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.what)
@pytest.mark.parametrize("helped", [True, False], ids=["helped", "plain"])
def test_scan_and_read_agree_on_files_of_users(tmp_path, one, helped):
    path = tmp_path / one.name
    path.write_bytes(one.data if isinstance(one.data, bytes) else one.data.encode())
    options = {**one.roles, **(one.option if helped else {})}
    expected, actual = outcome(read, path, **options), outcome(scan, path, **options)
    if isinstance(expected, str):
        assert isinstance(actual, str)
        assert _without_place(actual) == _without_place(expected)
    else:
        same(actual, expected)


@pytest.mark.long
@pytest.mark.parametrize("shape", [one_column, one_hot, one_code])
@settings(max_examples=examples(20), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_table_in_any_shape_and_dialect(tmp_path, shape, data):
    records = data.draw(RECORDS)
    labels = sorted({label for x in records for label in x})
    rows, options = shape(data.draw, records, labels)
    text, more = written(rows, data.draw(dialects()))
    path = tmp_path / "v.csv"
    path.write_bytes(text)
    same(scan(path, **options, **more), read(path, **options, **more))


TEXTS = st.sampled_from(["1", "-0", "2.0", "0.5", "9007199254740994", "1180591620717411303424", "9", "x", ""])


@pytest.mark.long
@given(st.lists(TEXTS, max_size=6))
@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
def test_numbers_are_of_the_kind_that_all_of_them_are(tmp_path, texts):
    path = tmp_path / "v.csv"
    path.write_text("".join(f"{text},{n}\n" for n, text in enumerate(["age", *texts])))
    options = {"relational": "age", "numeric": "age", "keep": "0"}
    expected, actual = outcome(read, path, **options), outcome(scan, path, **options)
    if isinstance(expected, str):
        assert isinstance(actual, str)
    else:
        same(actual, expected)


CELLS = st.lists(st.sampled_from(["b", "a", "10", "9", "", " c", "B"]), max_size=3)
ROWS = st.lists(st.tuples(CELLS, st.sampled_from(["x", "10", "9"]), st.integers(-2, 2)), max_size=7)


@pytest.mark.long
@given(rows=ROWS, coded=st.booleans(), rule=st.sampled_from(["", "upper", "upper,lower"]))
@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
def test_parquet_of_lists_and_codes(tmp_path, rows, coded, rule):
    kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
    table = pa.table(
        {
            "codes": pa.array([sets for sets, *_ in rows], pa.list_(pa.string())).cast(pa.list_(kind)),
            "more": pa.array([sets[:1] for sets, *_ in rows], pa.large_list(pa.string())),
            "sex": pa.array([text for _, text, _ in rows], pa.string()).cast(kind),
            "age": pa.array([number for *_, number in rows], pa.int8()),
        }
    )
    parquet.write_table(table, tmp_path / "v.parquet", row_group_size=3)
    for items in ("codes", ["codes", "more"]):
        remaining = [] if len(items) == 2 else ["more"]
        options = {"items": items, "relational": "sex,age", "numeric": "age", "drop": remaining, "normalize": rule}
        expected, actual = (outcome(how, tmp_path / "v.parquet", **options) for how in (read, scan))
        if isinstance(expected, str):
            assert actual == expected
        else:
            same(actual, expected)


def test_an_overgrown_parquet_dictionary_is_read(tmp_path):
    labels = [f"label {n:05}" for n in range(3000)]
    table = pa.table({"codes": [labels[n : n + 3] for n in range(2000)], "sex": labels[:2000]})
    path = tmp_path / "v.parquet"
    parquet.write_table(table, path, dictionary_pagesize_limit=1000, data_page_size=500, row_group_size=1500)
    spans.AT_ONCE = 400
    same(scan(path, items="codes", keep="sex"), read(path, items="codes", keep="sex"))


def put(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(columns), path)


def rows(table):
    return list(table.transactions.rows())


def test_long_texts_are_read_some_at_a_time_and_without_a_dictionary(tmp_path, monkeypatch):
    monkeypatch.setattr(spans, "AT_ONCE", 1000)
    monkeypatch.setattr(own_parquet, "_BYTES_AT_ONCE", 3000)
    path, notes = tmp_path / "v.parquet", [f"{n:03d}" + "x" * 300 for n in range(90)]
    parquet.write_table(pa.table({"items": [["a"]] * 90, "note": notes}), path, row_group_size=50)
    for small, kind in ((0, pa.string()), (1 << 20, pa.dictionary(pa.int32(), pa.string()))):
        monkeypatch.setattr(own_parquet, "_SMALL", small)
        result = list(
            own_parquet._row_groups(source_of(str(path), None).files[0], ["items", "note"], ["items", "note"])
        )
        assert {part.columns["note"].type for part in result} == {kind}
        assert max(len(part.columns["note"]) for part in result) < 10
        assert [text for part in result for text in part.columns["note"].to_pylist()] == notes
    same(scan(path, items="items", keep="note"), read(path, items="items", keep="note"))


def test_folder_names_are_read_as_columns(tmp_path):
    put(tmp_path / "year=2021" / "ward=a%2Fb" / "p.parquet", codes=[["x"]])
    put(tmp_path / "year=2020" / "ward=c" / "p.parquet", codes=[["z", "x"], []])
    (tmp_path / "_SUCCESS").write_text("")
    table = scan(tmp_path, items="codes", relational="year", numeric="year", keep="ward")
    assert rows(table) == [["x", "z"], [], ["x"]]
    assert table.relational[0].values.tolist() == [2020, 2020, 2021]
    assert table.kept[0].labels() == ["c", "c", "a/b"]
    assert table.order == ("codes", "year", "ward")
    with refused(InputError, "year ward"):
        scan(tmp_path, items="codes")


def test_a_null_key_is_null(tmp_path):
    put(tmp_path / "ward=__HIVE_DEFAULT_PARTITION__" / "p.parquet", codes=[["x"]])
    with refused(InputError, "ward 'row 1' null"):
        scan(tmp_path, items="codes", keep="ward")
    assert scan(tmp_path, items="codes", keep="ward", missing="value").kept[0].labels() == ["?"]


@pytest.mark.parametrize("end", [".dat", ".dat.gz", ".csv", ".parquet"])
def test_a_folder_and_a_glob_in_the_order_of_the_paths(tmp_path, end):
    for name, label in (("b", "y"), ("a", "10"), ("c/a", "9")):
        path = tmp_path / f"{name}{end}"
        path.parent.mkdir(exist_ok=True)
        if end == ".parquet":
            put(path, codes=[[label]])
        else:
            text = label.encode() if "dat" in end else f"codes\n{label}\n".encode()
            path.write_bytes(gzip.compress(text) if end.endswith("gz") else text)
    roles = {} if "dat" in end else {"items": "codes"}
    assert rows(scan(tmp_path, **roles)) == [["10"], ["y"], ["9"]]
    assert rows(scan(f"{tmp_path}/*{end}", **roles)) == [["10"], ["y"]]
    assert rows(scan(f"{tmp_path}/**/*a{end}", **roles)) == [["10"], ["9"]]
    assert scan(f"{tmp_path}/*{end}", **roles).transactions.vocabulary.labels == ("10", "y")


def test_scan_reads_a_file_address_and_a_pattern(tmp_path):
    put(tmp_path / "year=2020" / "p.parquet", codes=[["x"]])
    put(tmp_path / "year=2021" / "p.parquet", codes=[["y"]])
    for address in (f"file://{tmp_path}", f"file://{tmp_path}/*/p.parquet"):
        table = scan(address, items="codes", keep="year")
        assert (rows(table), table.kept[0].labels()) == ([["x"], ["y"]], ["2020", "2021"])
    assert rows(scan(f"file://{tmp_path}/year=2020/p.parquet", items="codes")) == [["x"]]
    with refused(InputError, f"{tmp_path}/none"):
        scan(f"file://{tmp_path}/none", items="codes")


def test_an_address_supported_by_fsspec_is_read():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    with system.open("/scan-test/a.dat", "wb") as file:
        file.write(b"a b\nb\n")
    assert rows(scan("memory://scan-test/a.dat")) == [["a", "b"], ["b"]]
    assert rows(scan("memory://scan-test/")) == [["a", "b"], ["b"]]


def _types(path):
    put(path / "a.parquet", codes=[["x"]], year=["2020"])
    put(path / "b.parquet", codes=[["x"]], year=[2020])


def _more(path):
    put(path / "a.parquet", codes=[["x"]])
    put(path / "b.parquet", codes=[["x"]], year=[2020])


def _less(path):
    put(path / "a.parquet", codes=[["x"]], year=[2020])
    put(path / "b.parquet", codes=[["x"]])


def _header(path):
    (path / "a.csv").write_text("codes,year\nx,1\n")
    (path / "b.csv").write_text("codes,years\nx,1\n")


def _keys(path):
    put(path / "year=1" / "a.parquet", codes=[["x"]])
    put(path / "b.parquet", codes=[["x"]])


def _twice(path):
    put(path / "year=1" / "a.parquet", codes=[["x"]], year=[2020])


def _kinds(path):
    put(path / "a.parquet", codes=[["x"]])
    (path / "b.csv").write_text("codes\nx\n")


def _hidden(path):
    put(path / "a.parquet", codes=[["x"]])
    put(path / ".b.parquet", codes=[["x"]])


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            _types,
            "b.parquet a.parquet year",
        ),
        (_more, "b.parquet year"),
        (_less, "b.parquet year"),
        (_header, "b.csv a.csv order"),
        (_keys, "year=1/a.parquet year"),
        (_twice, "column year"),
        (_kinds, "b.csv .parquet"),
        (_hidden, "b.parquet .b.parquet"),
        (lambda path: None, ".parquet"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path, make, line):
    make(tmp_path)
    with refused(InputError, line):
        scan(tmp_path, items="codes", keep="year")


def test_missing_files_are_reported(tmp_path):
    with refused(InputError, "*.dat"):
        scan(tmp_path / "*.dat")
    with refused(InputError, "none.dat"):
        scan(tmp_path / "none.dat")


@pytest.mark.long
@given(st.lists(st.sampled_from(["1", "2", "03", "3", "12", "120"]), min_size=1, max_size=8), st.booleans())
@example(ids=["03", "3"], several=False)
@example(ids=["03", "3"], several=True)
@settings(max_examples=examples(50), suppress_health_check=list(HealthCheck))
def test_rows_with_the_same_id_are_one_record_in_any_block(tmp_path, ids, several):
    path = tmp_path / "v.csv"
    path.write_text("a,b,codes\n" + "".join(f"{p},{p[:1]},x y\n" for p in ids))
    options = {"unit": "a,b"} if several else {"unit": "a", "drop": "b"}
    expected, actual = (how(path, items="codes", **options) for how in (read, scan))
    distinct = {(p.lstrip("0"), p[:1] if several else "") for p in ids}  # leading zeros distinguish no ids
    assert actual.n == expected.n == len(distinct)
    whole = len(distinct) < len(ids)
    for table in (actual, expected):
        assert table.transactions.vocabulary.labels == (("x y",) if whole else ("x", "y"))


def test_ids_that_repeat_only_after_the_first_rows_make_each_cell_one_item(tmp_path, monkeypatch):
    path = tmp_path / "v.csv"
    path.write_text("a,codes\n" + "".join(f"{number},x{number % 3} y\n" for number in (*range(30), 29, 4)))
    whole = [how(path, items="codes", unit="a") for how in (read, scan)]
    monkeypatch.setattr(table_builder, "_repeat", lambda ids: False)  # the first rows show no repeated id
    again = [how(path, items="codes", unit="a") for how in (read, scan)]
    for table in (*whole, *again):
        assert table.n == 30
        assert table.transactions.vocabulary.labels == ("x0 y", "x1 y", "x2 y")
        assert sorted(map(sorted, table.transactions.rows())) == sorted(map(sorted, whole[0].transactions.rows()))


def test_the_parts_of_an_id_do_not_run_together(tmp_path):
    (tmp_path / "v.csv").write_text("a,b,codes\nab,c,x\na,bc,x\n")
    assert scan(tmp_path / "v.csv", unit="a,b", items="codes").n == 2


@pytest.mark.parametrize(
    ("text", "line"), [("a,codes\n1,x\n2,x\n,x\n", "'row 3' empty"), ("a,codes\n1,x\n2\n", "'line 3'")]
)
def test_the_row_of_a_fault_is_that_of_the_file(tmp_path, text, line):
    (tmp_path / "v.csv").write_text(text)
    with refused(InputError, line):
        scan(tmp_path / "v.csv", unit="a", items="codes")


@pytest.mark.parametrize(
    ("bad", "good", "roles"),
    [
        ("x,a,1", "5,a,1", {"relational": "n", "numeric": "n", "drop": "p,i"}),
        ("5, ,1", "5,a,1", {"unit": "p", "items": "i", "drop": "n"}),
        ("5,a,2", "5,a,1", {"one_hot": "i", "drop": "n,p"}),
    ],
    ids=["number", "id", "one-hot"],
)
@pytest.mark.parametrize("faults", ["0001001", "111111111", "01", "0000000011"])
def test_the_number_of_faulty_rows_covers_the_rows_read(tmp_path, bad, good, roles, faults):
    rows = [bad if fault == "1" else good for fault in faults]
    (tmp_path / "v.csv").write_text("\n".join(("n,p,i", *rows, "")))
    require_fault_positions(tmp_path / "v.csv", roles, faults)


@pytest.mark.parametrize("faults", ["0001001", "111111111", "01", "0000000011"])
def test_the_number_of_records_with_unknown_codes_covers_the_rows_read(tmp_path, faults):
    codes = [None if fault == "1" else "a" for fault in faults]
    parquet.write_table(pa.table({"p": codes, "i": codes}), tmp_path / "v.parquet", row_group_size=3)
    require_fault_positions(tmp_path / "v.parquet", {"one_code": "p,i"}, faults)


def require_fault_positions(path, roles, faults):
    """Compare the reported fault positions with the actual ones in the first faulty block."""
    rows = r"row (\d+)(?: is empty)?(?: \(and (\d+) more(?: up to row (\d+))?\))?"
    for how in scan, read:
        with pytest.raises(InputError) as error:
            how(path, **roles)
        match = re.search(rows, str(error.value))
        assert match is not None
        first, others, until = (int(part or 0) for part in match.groups())
        assert first == faults.index("1") + 1
        assert others in (0, faults[: until or None].count("1") - 1)


def test_the_line_of_a_bad_byte_is_that_of_the_file(tmp_path):
    (tmp_path / "v.dat").write_bytes(b"a\nb\n\nc \xff\n")
    with pytest.raises(InputError, match="line 4, column 3"):
        scan(tmp_path / "v.dat")


@pytest.mark.long
@pytest.mark.parametrize("differing", ["refuse", "first"])
@pytest.mark.parametrize("more", [[], [f"{n},-,{'vw'[n % 2]}\n" for n in range(9)]], ids=["same", "differ"])
def test_rows_of_a_person_have_one_sensitive_value(tmp_path, more, differing):
    lines = [f"{n % 12},{'xyz'[n % 3]},{'vw'[n % 2]}\n" for n in range(40)]
    (tmp_path / "v.csv").write_text("who,illness,ward\n" + "".join(lines + more))
    options = {"unit": "who", "sensitive": "illness", "keep": "ward", "differing": differing}
    tables = [outcome(how, tmp_path / "v.csv", **options) for how in (read, scan)]
    if more and differing == "refuse":
        assert all(names(table, "rows 1 and 41 'illness' 9 persons") for table in tables), tables
    else:
        same(*tables[::-1])
        assert [change.occurrences for change in tables[0].changes] == ([9] if more else [])


@pytest.mark.parametrize("how", [read, scan])
def test_numbers_of_a_person_with_and_without_decimals_are_one_value_of_a_column_of_categories(tmp_path, how):
    path = tmp_path / "v.csv"
    path.write_text(
        "who,score,code\n" + "".join(f"{n // 2},{x},c{n}\n" for n, x in enumerate(("5", "5.0", "6", "6.00")))
    )
    options = {"unit": "who", "relational": "score", "items": "code"}
    assert how(path, **options).relational[0].labels() == ["5", "6"]
    path.write_text(path.read_text() + "1,6.5,c9\n")
    with refused(InputError, "score"):
        how(path, **options)
    path.write_text("who,score,code\n0,E5,a\n0,E5.0,b\n")  # codes
    with refused(InputError, "score"):
        how(path, **options)


@pytest.mark.parametrize("how", [read, scan])
def test_dates_of_a_person_in_two_notations_are_one_value(tmp_path, how):
    path, days = tmp_path / "v.csv", ["1961-03-05", "05.03.1961", "1970-12-24", "1970-12-24 00:00:00"]
    path.write_text("who,born,seen,code\n" + "".join(f"{n // 2},{day},{day},c{n}\n" for n, day in enumerate(days)))
    options = {"unit": "who", "relational": "born", "keep": "seen", "items": "code"}
    table = how(path, **options)
    assert [column.labels() for column in (*table.relational, *table.kept)] == [days[::2]] * 2
    assert table.changes == ()
    path.write_text(path.read_text() + "0,05/03/1961,1961-03-06,c9\n")
    with refused(InputError, "born '1 and 5' seen '1 person'"):
        how(path, **options)


WHO = st.sampled_from(["7", "é", "ab", "a b", "10"])
PERSONS = st.lists(st.tuples(WHO, st.sets(st.sampled_from("vwxyz"))), max_size=30)


@example(rows=[("7", {"v"}), ("ab", {"v"}), ("7", {"w"})], odd=True, ids="who", differing=True)
@given(rows=PERSONS, odd=st.booleans(), ids=st.sampled_from(["who", "who,ward"]), differing=st.booleans())
@settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
def test_rows_of_a_person_are_united_by_blocks(tmp_path, rows, odd, ids, differing):
    wards, ages = {}, {}
    lines = ["who,codes,ward,age,note"]
    for i, (who, codes) in enumerate(rows):
        ward, age = wards.setdefault(who, f"w{len(wards) % 2}"), ages.setdefault(who, len(ages) / 2)
        ward = "other" if odd and i == len(rows) - 1 else ward
        note = i % 3 if odd else 0
        lines.append(f"{who},{' '.join(sorted(codes))},{ward},{age + i % 2 * odd},n{note}")
    path = tmp_path / "v.csv"
    path.write_text("\n".join(lines) + "\n")
    kept = {"keep": "ward"} if ids == "who" else {}
    options = {"items": "codes", "unit": ids, **kept, "relational": "note,age", "numeric": "age"}
    options["differing"] = "first" if differing else "refuse"
    expected, actual = outcome(read, path, **options), outcome(scan, path, **options)
    if isinstance(expected, str):
        assert actual == expected
    else:
        same(actual, expected)


@pytest.mark.long
def test_each_reading_hashes_ids_by_a_key_of_its_own_and_no_key_changes_the_table(tmp_path, monkeypatch):
    """With a fixed hash, somebody could construct two ids that become one person."""

    def recorded(key, columns):
        hashes[-1] += map(tuple, hash_ids(key, columns).tolist())
        return hash_ids(key, columns)

    hash_ids, hashes, path = encoded_batches.hash_ids, [], tmp_path / "v.csv"
    path.write_text("who,note,codes\n" + "".join(f"p{n * 7 % 10},n{n},c{n % 9}\n" for n in range(30)))
    options = {"items": "codes", "unit": "who", "relational": "note", "differing": "first"}
    expected = read(path, **options)
    monkeypatch.setattr(encoded_batches, "hash_ids", recorded)
    keys = [None, None, *([word] * 2 for word in (0, 2**64 - 1))]
    for key in keys:
        hashes.append([])
        if key is not None:
            monkeypatch.setattr(merging, "new_key", lambda key=key: np.array(key, np.uint64))
        same(scan(path, **options), expected)
        assert (len(hashes[-1]), len(set(hashes[-1]))) == (30, 10)
    assert len({tuple(rows) for rows in hashes}) == len(keys)


@pytest.mark.parametrize("how", [read, scan])
def test_a_long_id_is_rejected(tmp_path, how):
    path = tmp_path / "v.csv"
    path.write_text(f"who,code\na,x\n{'é' * 2048},y\n")
    assert how(path, unit="who", items="code").n == 2
    path.write_text(f"who,code\na,x\n{'é' * 2048}b,y\n{'é' * 5000},y\n")
    with refused(InputError, "who 'row 2' '4,097 bytes' '4,096'"):
        how(path, unit="who", items="code")


def test_rows_of_a_person_in_several_files_are_united(tmp_path):
    for name, text in (("a", "who,code\n1,x\n2,y\n"), ("b", "who,code\n1,z\n3,x\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    table = scan(f"{tmp_path}/*.csv", items="code", unit="who")
    assert list(table.transactions.rows()) == [["x", "z"], ["y"], ["x"]]


@pytest.mark.long
def test_the_arrays_are_deleted_with_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "v.dat"
    path.write_text("b a\n\nc a\n")
    table = scan(path)
    work = table.store.path
    assert work.parent == tmp_path
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    items = table.transactions
    del table
    gc.collect()
    assert not work.exists()
    assert list(items.rows()) == [["a", "b"], [], ["a", "c"]]
    with pytest.raises(InputError):
        scan(path, items="none")
    gc.collect()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
def test_a_given_work_directory_must_be_empty_and_is_kept(tmp_path):
    path, work = tmp_path / "v.dat", tmp_path / "work"
    path.write_text("b a\n")
    table = scan(path, work_dir=work)
    assert (table.store.path, stat.S_IMODE(work.stat().st_mode)) == (work, 0o700)
    del table
    gc.collect()
    assert any(work.iterdir())
    with refused(InputError, f"{tmp_path / 'work'}", code="exists"):
        scan(path, work_dir=work)


def test_unreadable_data_leave_no_files_in_a_given_work_directory(tmp_path):
    (tmp_path / "v.csv").write_text("p,i\na,1\n,2\n")
    (tmp_path / "empty").mkdir()
    for work in "new", "empty":
        with refused(InputError, "'row 2' empty"):
            scan(tmp_path / "v.csv", unit="p", items="i", work_dir=tmp_path / work)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "v.csv"]
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_column_with_too_many_labels_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.data.labels.vocabulary.MOST_LABELS", 3)
    (tmp_path / "v.dat").write_text("a b\nc d\n")
    with refused(InputError, "items 3"):
        scan(tmp_path / "v.dat")


@pytest.mark.long
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(st.lists(st.sets(st.sampled_from(["2", "10", "9", "x", "é"])), min_size=1), min_size=1, max_size=3)
)
def test_rows_are_sorted_even_if_a_later_file_changes_the_order(tmp_path_factory, files):
    """Rows are sorted by number until a label is not a number."""
    folder = tmp_path_factory.mktemp("files")
    for number, rows in enumerate(files):
        parquet.write_table(
            pa.table({"items": pa.array([sorted(row) for row in rows], pa.list_(pa.string()))}),
            folder / f"{number}.parquet",
        )
    rows = [row for part in files for row in part]
    labels = Vocabulary.of(label for row in rows for label in row).labels
    if labels:
        for column in [part(folder, items="items").transactions for part in (read, scan)]:
            assert column.vocabulary.labels == labels
            assert list(column.rows()) == [[label for label in labels if label in row] for row in rows]
