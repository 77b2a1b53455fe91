"""No error message shows an id or a complete record: each error is provoked with a marker in the data."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.facts import names

import anonset
from anonset.algorithms.buckets.base import id_columns
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.domains import domain_of
from anonset.errors import AnonsetError, VerificationError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.privacy import KAnonymity, KKmAnonymity, SafetyConstraint, TransactionKAnonymity
from anonset.publications import Buckets, Records
from anonset.reading.policies import read_item_weights
from anonset.reading.publications.buckets import read_buckets
from anonset.reading.publications.codebook import read_records
from anonset.reading.read import read
from anonset.reading.workloads import read_workload
from anonset.release.publishing.publish import UntrueVerdict
from anonset.verification import verify
from anonset.verification.bucket_truth import check_buckets_truthful, check_undivided
from anonset.verification.relational_truth import check_relational_truth
from cli.place import Place

MARK = "X-4711"
NUMBER = "9007199254740993"
"""A number that no float represents exactly: its row is rejected, and it could be a person's number."""
IDS = {"unit": "p", "items": "s", "keep": "note"}


def texts_of(error: BaseException | None) -> str:
    """Return the texts of an error and of the errors that caused it."""
    parts: list[str] = []
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or any(cause is other for other in seen):
            continue
        seen.append(cause)
        parts += [str(cause), repr(cause), repr(cause.args), repr(getattr(cause, "object", "")), repr(vars(cause))]
        waiting += [cause.__cause__, cause.__context__]
    return "\n".join(parts)


def csv(text: str | bytes, **roles: Any) -> Callable[[Path], object]:
    def provoke(folder: Path) -> object:
        path = folder / "data.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read(path, **{**IDS, **roles})

    return provoke


def arrow(table: Any, **roles: Any) -> Callable[[Path], object]:
    return lambda _: read(table, **roles)


def from_file(reader: Callable[[Path], object], text: str) -> Callable[[Path], object]:
    def provoke(folder: Path) -> object:
        path = folder / "file.json"
        path.write_text(text)
        return reader(path)

    return provoke


def from_buckets(qit: str, snt: str) -> Callable[[Path], object]:
    def provoke(folder: Path) -> object:
        (folder / "qit.csv").write_text(qit)
        (folder / "snt.csv").write_text(snt)
        return read_buckets(folder, id="p")

    return provoke


def duckdb_cast(_: Path) -> object:
    duckdb = pytest.importorskip("duckdb")
    return read(duckdb.sql(f"SELECT CAST(x AS INTEGER) AS p FROM (VALUES ('1'), ('{MARK}')) t(x)"), unit="p")


HEAD = "p,s,note\n"
HEADLESS = f"{MARK},a,n\nX-4712,a,n\n"
REFUSED: dict[str, Callable[[Path], object]] = {
    "rows that disagree": csv(f"{HEAD}{MARK},a,{MARK}1\n{MARK},b,{MARK}2\n"),
    "rows that disagree in numbers": csv(
        f"p,s,note\n{MARK},a,{NUMBER[:-1]}\n{MARK},b,4711\n", keep=(), relational="note", numeric="note"
    ),
    "empty id": csv(f"{HEAD},{MARK},{MARK}\n"),
    "row too long": csv(f"{HEAD}{MARK},a,n,{MARK}\n"),
    "row too short": csv(f"{HEAD}{MARK},a\n"),
    "row too short, behind a long one": csv(f"{HEAD}1,{'a' * (1 << 20)},n\n{MARK},a\n"),
    "blank line": csv(f"{HEAD}{MARK},a,n\n\n{MARK},a,n\n"),
    "no header": csv(HEADLESS),
    "no header, and a number": csv(HEADLESS.replace("n", "7"), unit=(), items=None, keep=()),
    "no header, and equal values": csv(f"{MARK},{MARK}\n"),
    "open quote": csv(f'{HEAD}"{MARK},a,n\n{MARK},a,n\n'),
    "invalid text": csv(f"{HEAD}{MARK},a,n\n{MARK}".encode() + b"\xff,a,n\n"),
    "invalid text in the header": csv(b"p\xff,s,note\n" + f"{MARK},a,n\n".encode()),
    "id as a number": csv(f"{HEAD}{MARK},a,n\n", unit=(), relational="p", numeric="p"),
    "number that is not held": csv(f"{HEAD}{NUMBER},a,n\n0.5,a,n\n", unit=(), relational="p", numeric="p"),
    "number too large": csv(f"{HEAD}{NUMBER}e300,a,n\n", unit=(), relational="p", numeric="p"),
    "null beside an id": arrow(pa.table({"p": [MARK, None]}), unit="p", missing="value"),
    "list beside items": arrow(pa.table({"p": [[MARK]]}), unit="p"),
    "binary id": arrow(pa.table({"p": [MARK.encode() + b"\xff"]}), unit="p"),
    "items of a wrong type": arrow([{"a"}, [("a", MARK)]]),
    "row of a wrong type": arrow([{"a"}, MARK]),
    "mixed column": arrow(pd.DataFrame({"p": pd.Series([1, MARK], dtype=object)}), unit="p"),
    "cast of another engine": duckdb_cast,
    "id twice in a vocabulary": lambda _: Vocabulary((MARK, MARK)),
    "number of a table in Python": lambda _: domain_of(NumericColumn("p", np.array([int(NUMBER)]))),
    "blank id of a table in Python": lambda _: id_columns(Table(ids=(CategoricalColumn.of("p", [MARK, " "]),))),
    "starred id of a table in Python": lambda _: id_columns(Table(ids=(CategoricalColumn.of("p", [MARK, "*"]),))),
    "data for weights": from_file(read_item_weights, f"{MARK} a b\n"),
    "numbers for weights": from_file(read_item_weights, f"{NUMBER} 5 7\n"),
    "data for a workload": from_file(read_workload, f'{{"schema": 1, "queries": [{{"items": "{MARK}", "where": 1}}]}}'),
    "data for a condition": from_file(
        read_workload, f'{{"schema": 1, "queries": [{{"items": ["a"], "where": [{{"p": "{MARK}"}}]}}]}}'
    ),
    "buckets with a row too short": from_buckets(f"p,group\n{MARK}\n", "group,drug\n1,a\n"),
    "buckets with an empty id": from_buckets("p,group\n ,1\n", f"group,drug\n1,{MARK}\n"),
    "buckets without a header": from_buckets("p,group\nb,1\n", f"1,{MARK}\n"),
    "data for records": from_file(read_records, f"{MARK},a,b\n"),
    "numbers for records": from_file(read_records, f"published_row,input_record,cluster\n{MARK},0,\n"),
    "buckets with a group alone": from_buckets(f"p,group\n{MARK},1\n", "group,drug\n2,a\n"),
    "buckets with a wrong count": from_buckets(f"p,group\n{MARK},1\n", f"group,drug,count\n1,a,{NUMBER[:-1]}.5\n"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_error_shows_an_id_or_a_record(name: str, tmp_path: Path) -> None:
    with pytest.raises(AnonsetError) as raised:
        REFUSED[name](tmp_path)
    message = texts_of(raised.value)
    assert MARK not in message
    assert NUMBER[:-1] not in message


def bucketized(ids: list[str], groups: list[int], starred: tuple[int, ...] = ()) -> tuple[Table, Buckets]:
    drugs = [f"d{i}" for i in range(len(ids))]
    table = Table(sensitive=CategoricalColumn.of("drug", drugs), ids=(CategoricalColumn.of("p", ids),))
    hidden = np.zeros(len(ids), bool)
    hidden[list(starred)] = True
    return table, bucketize(table, Bucketized(np.array(groups, np.int32), hidden))


def divided() -> Any:
    return verify(bucketized([MARK, "b", MARK, "c"], [0, 0, 1, 1])[1], SafetyConstraint(k=2, l=2))


def uneven() -> Any:
    return verify(bucketized([MARK, "b", "b"], [0, 0, 0])[1], SafetyConstraint(k=2, l=1))


def divided_though_starred() -> Any:
    table, publication = bucketized([MARK, "b", MARK, "c"], [0, 0, 1, 1], (0, 2))
    return UntrueVerdict(check_undivided(table, publication))  # type: ignore[arg-type]


def foreign_identity() -> Any:
    table, _ = bucketized([MARK, "b"], [0, 0])
    return UntrueVerdict(check_buckets_truthful(table, bucketized([f"{MARK}1", f"{MARK}2"], [0, 0])[1]))  # type: ignore[arg-type]


def unique_values() -> Any:
    columns = (CategoricalColumn.of("name", [MARK, "b", "b"]), CategoricalColumn.of("zip", [MARK, "2", "2"]))
    return verify(Records(None, (), columns, (), np.arange(3)), KAnonymity(2))


def unique_items() -> Any:
    items = SetColumn.of([{"a"}, {"a"}, {"a", "b"}])
    columns = (CategoricalColumn.of("name", [MARK] * 3), CategoricalColumn.of("zip", [MARK] * 3))
    return verify(Records(items, (), columns, (), np.arange(3)), KKmAnonymity(2, 2))


def unique_record() -> Any:
    return verify(Table.from_sets([{MARK, "a"}, {"b"}, {"b"}]), TransactionKAnonymity(2))


def other_value() -> Any:
    column = CategoricalColumn.of("zip", ["1", "1"])
    publication = Records(None, (), (column,), (), np.arange(2))
    return UntrueVerdict(check_relational_truth(Table.from_columns(zip=["1", MARK]), publication, {}))  # type: ignore[arg-type]


FAILS = [
    divided,
    uneven,
    divided_though_starred,
    foreign_identity,
    unique_values,
    unique_items,
    unique_record,
    other_value,
]


@pytest.mark.parametrize("provoke", FAILS)
def test_no_verdict_shows_an_id_or_a_record(provoke: Callable[[], Any]) -> None:
    verdict = provoke()
    assert verdict.witness is not None
    message = texts_of(VerificationError(verdict)) + repr(verdict) + str(verdict.witness) + repr(verdict.witness)
    assert MARK not in message
    assert MARK not in "".join(verdict.witness.what)
    assert names(message, "row")


LONG = f"p,s,drug\n{MARK},a,x\n{MARK},b,x\nb,a,y\nb,b,z\n"
COMMANDS = [
    ["anonymize", "DATA", "-o", "OUT", "--model", "km", "--k", "2", "--m", "1"],
    ["compare", "DATA", "--model", "km", "--k", "2", "--m", "1"],
    ["hierarchy", "build", "DATA", "-o", "OUT"],
    ["policy", "generate", "DATA", "-o", "OUT", "--privacy", "PP1"],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_an_id(place: Place, command: list[str]) -> None:
    data = place.write("long.csv", LONG)
    filled_command = [{"DATA": data, "OUT": str(place.out)}.get(part, part) for part in command]
    ran = place.run(*filled_command, "--items", "s", "--unit", "p", "--keep", "drug")
    assert (ran.code, names(ran.err, "drug rows 3 4 person")) == (2, True), ran.err
    assert MARK not in ran.out + ran.err


@pytest.mark.long
def test_verify_names_rows_of_buckets_but_no_person(place: Place) -> None:
    folder = place.folder / "buckets"
    folder.mkdir()
    (folder / "qit.csv").write_text(f"p,group\n{MARK},1\n{MARK},1\nb,1\n{MARK},2\nc,2\nd,2\n{MARK},3\ne,3\nf,3\n")
    (folder / "snt.csv").write_text("group,drug\n1,x\n1,x\n1,y\n2,x\n2,z\n2,w\n3,x\n3,v\n3,u\n")
    for model, code in (["safe-grouping", "--k", "2", "--l", "2"], 1), (["anatomy", "--l", "1"], 0):
        for more in ([], ["--json"]):
            ran = place.run("verify", str(folder), "--model", *model, "--id", "p", *more)
            assert ran.code == code
            assert MARK not in ran.out + ran.err
    assert [entry["row"] for entry in ran.json["correlations"]["intra_group"]] == [0]
    ran = place.run("verify", str(folder), "--model", "anatomy", "--l", "1", "--id", "p")
    assert names(ran.out, "'row 0' qit.csv 2 3 'group 1'")


def test_a_defect_shows_its_location_but_no_data(tmp_path: Path) -> None:
    from cli.test_cli_process import python

    code = (
        "from anonset.cli import app, main\n"
        f"def fail(_): raise KeyError({MARK[:2]!r} + {MARK[2:]!r})\n"
        "app.run_command = fail; main.run()"
    )
    ran = python(code)
    assert ran.returncode == 70
    assert names(ran.stderr, "KeyError")
    assert names(ran.stderr, "error defect")
    assert MARK not in ran.stderr


def test_the_python_interface_shows_no_id(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    with pytest.raises(anonset.InputError) as raised:
        anonset.read(path, items="s", unit="p", keep="drug")
    assert MARK not in texts_of(raised.value)
