"""Every failure prints a one-line message, returns the right exit code and writes no files."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

import anonset.release.kinds.records
import anonset.verification
from anonset.cli.main import main
from cli.place import Place

Change = Callable[[Place, list[str]], list[str]]


def files(**texts: str) -> Change:
    """Change the contents of the job's files."""

    def change(place: Place, job: list[str]) -> list[str]:
        for name, text in texts.items():
            place.write(name.replace("_", "."), text)
        return job

    return change


def flags(**values: str | None) -> Change:
    """Change the job's options. None removes an option."""

    def change(place: Place, job: list[str]) -> list[str]:
        for name, value in values.items():
            flag = "--" + name.replace("_", "-")
            if flag in job:
                position = job.index(flag)
                job = job[:position] + job[position + 2 :]
            job = job if value is None else [*job, flag, value]
        return job

    return change


def of_csv(*more: str, text: str | None = None) -> Change:
    """Use the job of `data.csv`, with new contents if given."""

    def change(place: Place, _: list[str]) -> list[str]:
        if text is not None:
            place.write("data.csv", text)
        return place.job(*more, data="data.csv")

    return change


BAD: list[tuple[str, Change, str, int]] = [
    ("empty csv", of_csv("--items", "codes", text=""), "data.csv", 2),
    (
        "blank line among columns",
        of_csv("--items", "codes", "--keep", "age", text="age,codes\n1,a1\n\n2,b1\n"),
        "data.csv 'line 3' 2 header",
        2,
    ),
    (
        "empty id",
        of_csv("--items", "codes", "--unit", "age", "--missing", "value", text="age,codes\n,a1\n2,b1\n"),
        "data.csv id age 'row 1' empty",
        2,
    ),
    (
        "a single person",
        of_csv("--items", "codes", "--unit", "age", text="age,codes\n2,a1\n2,b1\n"),
        "1 k=2",
        1,
    ),
    ("nobody declared", of_csv("--items", "codes", "--drop", "age"), "'--unit row' '--unit unknown' COLUMN", 2),
    ("a unit of two kinds", of_csv("--items", "codes", "--unit", "age,row"), "--unit row unknown", 2),
    ("id without buckets", of_csv("--items", "codes", "--id", "age"), "--id anatomy safe-grouping '--unit age'", 2),
    ("id and unit", of_csv("--items", "codes", "--id", "age", "--unit", "row"), "--id --unit", 2),
    ("option of an earlier version", of_csv("--items", "codes", "--unit", "age", "--group"), "--group", 2),
    (
        "column without a role",
        of_csv("--items", "codes"),
        "--items --relational --sensitive --unit --keep --drop",
        2,
    ),
    ("missing column", of_csv("--items", "nope", "--keep", "age,codes"), "nope", 2),
    ("undeclared column", of_csv("--items", "codes"), "age", 2),
    ("no such file", lambda p, j: [j[0], str(p.folder / "none.dat"), *j[2:]], "none.dat", 2),
    ("k = 0", flags(k="0"), "k 1 0", 2),
    ("m = 0", flags(m="0"), "m 1 0", 2),
    ("k is no number", flags(k="x"), "--k integer x", 2),
    ("k is no integer", flags(k="5.7"), "--k integer 5.7", 2),
    ("k larger than the number of records", flags(k="5"), "exact", 1),
    ("loss above the largest allowed", flags(max_loss="0.1"), "loss 0.1", 1),
    ("max-loss out of range", flags(max_loss="2"), "--max-loss", 2),
    ("item missing in the hierarchy", files(data_dat="a1 zz\n"), "zz", 2),
    ("cycle", files(hierarchy_csv="a1,A,B,A,ALL\na2,A,B,A,ALL\n"), "cycle", 2),
    ("two roots", files(hierarchy_csv="a1,A,ALL\na2,A,ALL\nb1,B,TOP\nb2,B,ALL\n"), "root", 2),
    ("two parents", files(hierarchy_csv="a1,A,ALL\na2,A,ALL\nb1,B,ALL\na1,B,ALL\n"), "parents", 2),
    ("no hierarchy", flags(hierarchy=None), "hierarchy", 2),
    ("hierarchy of an unknown column", flags(hierarchy="nope=balanced:2"), "nope", 2),
    ("hierarchy without column", flags(hierarchy="balanced:2"), "COL=SPEC", 2),
    ("fan-out of one", flags(hierarchy="items=balanced:1"), "fan-out 2 1", 2),
    (
        "misspelt tree",
        flags(hierarchy="items=balancd:2"),
        "balancd:2 balanced:2",
        2,
    ),
    ("unknown model", flags(model="kx"), "--model kx", 2),
    ("unknown algorithm", flags(algorithm="magic"), "--algorithm magic", 2),
    ("neither model nor algorithm", flags(model=None), "--model --algorithm", 2),
    ("parameter that does not apply", flags(mu="5"), "--mu exact", 2),
    ("missing parameters", flags(k=None, m=None), "exact --k --m", 2),
    ("unknown flag", flags(nonsense="1"), "--nonsense", 2),
    ("unknown order", flags(order="random"), "random", 2),
    ("no threads", flags(workers="0"), "--workers", 2),
    ("no out", lambda p, j: [part for part in j if part not in ("-o", str(p.out))], "--out", 2),
    (
        "neither out nor the input's file",
        lambda p, j: [j[0], str(p.folder / "none.dat")],
        "none.dat file --out",
        2,
    ),
    (
        "no model and no file",
        lambda p, j: [j[0], str(p.folder / "none.dat"), *flags(model=None)(p, j)[2:]],
        "none.dat file",
        2,
    ),
    ("no input", lambda p, j: [j[0], *j[2:]], "INPUT", 2),
    ("parent of out is missing", lambda p, j: _out(j, p.folder / "none" / "out"), "directory", 2),
    ("out is a path of an address", lambda p, j: _out(j, Path("s3://bucket/out")), "local path", 2),
    ("out is where we are", lambda p, j: _out(j, Path("..")), "..", 2),
    ("private is out", lambda p, j: [*j, "--private", str(p.out)], "private out", 2),
    (
        "a file as parent of out",
        lambda p, j: _out(j, p.folder / "data.dat" / "out"),
        "directory",
        2,
    ),
    ("too little memory", flags(memory_limit="1"), "'1 B'", 2),
    ("memory limit is no size", flags(memory_limit="lots"), "lots", 2),
    (
        "quasi-identifiers that km leaves alone",
        of_csv("--items", "codes", "--relational", "age", "--unit", "row"),
        "--keep",
        2,
    ),
    ("kept column in dat", of_csv("--items", "codes", "--keep", "age", "--unit", "row", "--format", "dat"), "age", 2),
    ("label with a blank in dat", files(hierarchy_csv="a1,A 1,ALL\na2,A 1,ALL\nb1,B,ALL\nb2,B,ALL\n"), "'A 1'", 2),
    ("no such config", flags(config="/nonexistent.toml"), "nonexistent.toml", 2),
    ("k beyond all tables", flags(k=str(1 << 63)), "k 2147483647", 2),
    ("m beyond all tables", flags(m=str(1 << 63)), "m 2147483647", 2),
    ("a limit beyond 64 bits", flags(mu=str(1 << 63)), "--mu 9223372036854775808", 2),
    ("fan-out of 5000 digits", flags(hierarchy=f"items=balanced:{'9' * 5000}"), "2", 2),
    ("memory of 5000 digits", flags(memory_limit="9" * 5000), "memory size", 2),
    (
        "groups of 5000 digits",
        flags(algorithm="coat", model=None, hierarchy=None, utility_constraints=f"siblings:{'9' * 5000}"),
        "'File name too long'",
        2,
    ),
    ("input is a pipe", lambda p, j: [j[0], _pipe(p, "pipe.dat"), *j[2:]], "file pipe", 2),
    ("hierarchy is a pipe", lambda p, j: flags(hierarchy=f"items={_pipe(p)}")(p, j), "file pipe", 2),
    ("config is a pipe", lambda p, j: flags(config=_pipe(p))(p, j), "file pipe", 2),
    ("config of 5000 digits", lambda p, j: [*j, "--config", _config(p, f"k = {'9' * 5000}")], "TOML", 2),
    (
        "constraints are a pipe",
        lambda p, j: flags(algorithm="coat", model=None, m=None, hierarchy=None, privacy_constraints=_pipe(p))(p, j),
        "file pipe",
        2,
    ),
    (
        "weights are a pipe",
        lambda p, j: flags(algorithm="coat", model=None, hierarchy=None, item_weights=_pipe(p))(p, j),
        "file pipe",
        2,
    ),
    ("hierarchy is a device", flags(hierarchy="items=/dev/null"), "file device", 2),
]


def _outside(place: Place, name: str) -> Path:
    """Return a path outside the job's folder."""
    folder = place.folder.with_name(f"{place.folder.name}-beside")
    folder.mkdir(exist_ok=True)
    return folder / name


def _pipe(place: Place, name: str = "pipe") -> str:
    path = _outside(place, name)
    os.mkfifo(path)
    return str(path)


def _config(place: Place, text: str) -> str:
    path = _outside(place, "config.toml")
    path.write_text(text, "utf-8")
    return str(path)


def _out(job: list[str], out: Path) -> list[str]:
    job[job.index("-o") + 1] = str(out)
    return job


@pytest.mark.parametrize(("change", "fragment", "code"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_is_reported_in_one_line(place: Place, change: Change, fragment: str, code: int) -> None:
    ran = place.run(*change(place, place.job()))
    assert ran.code == code, ran.err
    assert names(ran.err, fragment)
    assert ran.err.startswith("anonset: error: ")
    assert len(ran.errors) == 1
    assert ran.out == ""
    assert place.nothing_left()


def test_several_mistakes_are_named_together(place: Place) -> None:
    config = place.write("job.toml", 'k = "five"\nm = 0.5\nordre = "sorted"\nworkers = 0\n')
    ran = place.run("anonymize", "--config", config)
    assert ran.code == 2
    assert names(ran.err, "INPUT --out --k integer five --m 0.5 ordre order --workers 1 0")
    assert len(ran.errors) == 1


def test_a_run_on_windows_is_rejected(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    ran = place.run(*place.job())
    assert (ran.code, place.out.exists()) == (2, False)
    assert names(ran.err, "Windows WSL container")


def test_a_config_file_that_is_not_toml_is_rejected(place: Place) -> None:
    ran = place.run(*place.job("--config", place.write("job.toml", "k = = 5")))
    assert ran.code == 2
    assert names(ran.err, "TOML")


@pytest.mark.parametrize("name", ["out", "out.private"])
def test_existing_directories_are_refused(place: Place, name: str) -> None:
    (place.folder / name).mkdir()
    (place.folder / name / "precious").write_text("x")
    ran = place.run(*place.job())
    assert ran.code == 2
    assert names(ran.err, f"{place.folder / name}")
    assert ("--if-exists resume" in ran.err) == (name == "out")
    assert (place.folder / name / "precious").read_text() == "x"
    assert len(list(place.folder.iterdir())) == 4


STEPS = [
    "release.kinds.records.write_published",
    "writing.codebook.write_codebook",
    "release.kinds.records.read_parts",
    "writing.codebook.write_mapping",
    "writing.codebook.write_records",
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyboardInterrupt(), 130), (MemoryError("array"), 2), (OSError(errno.EIO, "Input/output error"), 2)],
    ids=["interrupt", "memory", "io"],
)
def test_failure_in_any_step_leaves_no_files(
    place: Place, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException, code: int
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(f"anonset.{step}", fail)
    ran = place.run(*place.job())
    assert ran.code == code
    assert ran.err.startswith("anonset: error: ")
    assert len(ran.errors) == 1
    assert place.nothing_left()


def test_failure_after_renaming_leaves_no_files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        assert (place.out / "published.dat").is_file()
        raise KeyboardInterrupt

    monkeypatch.setattr("anonset.release.publishing.staging.release", interrupt)
    assert place.run(*place.job()).code == 130
    assert place.nothing_left()


def test_interrupted_search_leaves_no_files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from anonset.algorithms.transaction.cuts.apriori import Apriori

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Apriori, "recode", interrupt)
    ran = place.run(*place.job("--algorithm", "apriori"))
    assert (ran.code, ran.err.count("\n"), names(ran.err, "error interrupted")) == (130, 1, True)
    assert place.nothing_left()


def tampering(change: Callable[[bytes], bytes]) -> Callable[..., Path]:
    """Return a writer that changes the input before writing."""
    write = anonset.release.kinds.records.write_published

    def tampered(*arguments: Any, **options: Any) -> Path:
        path = write(*arguments, **options)
        path.write_bytes(change(path.read_bytes()))
        return path

    return tampered


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"A b1\n", b"a1 b1\n"),
        lambda text: text.replace(b"A b1\n", b"A b2\n"),
        lambda text: text[:-1] + b" b1\n",
        lambda text: text + b"A b1 b2\n",
        lambda text: b"",
    ],
    ids=["foreign symbol", "other symbol", "one more symbol", "one more record", "nothing"],
)
def test_a_written_file_that_differs_from_memory_is_detected(
    place: Place, monkeypatch: pytest.MonkeyPatch, change: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(anonset.release.kinds.records, "write_published", tampering(change))
    ran = place.run(*place.job())
    assert ran.code == 2
    assert names(ran.err, "written")
    assert place.nothing_left()
    by_blocks = place.run(*place.job(), "--work-dir", str(place.folder / "work"))
    assert (by_blocks.code, names(by_blocks.err, "written")) == (2, True)
    assert not place.out.exists()


def test_a_wrong_search_is_caught_by_the_verification(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from anonset.algorithms.base import Result
    from anonset.algorithms.transaction.cuts.apriori import Apriori
    from anonset.generalization import Cut

    def nothing_done(_: Apriori, table: Any, hierarchies: Any, **__: Any) -> Result:
        return Result(Cut.identity(hierarchies["items"]))

    monkeypatch.setattr(Apriori, "recode", nothing_done)
    ran = place.run(*place.job("--algorithm", "apriori"))
    assert ran.code == 1
    assert names(ran.err, "fails '{a1, a2}' 1 2")
    assert place.nothing_left()


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["anonymise"], "anonymise"),
        (["verify"], "PUBLISHED"),
        (["demo", "extra"], "extra"),
        (["hierarchy", "build"], ""),
        (["datasets", "path", "nothing_like_it"], "nothing_like_it"),
        (["datasets", "make", "quest", "-o", "/nonexistent/x.dat"], "existing folder"),
        (["datasets", "make", "quest", "-o", "x.dat", "--set", "n=many"], "'many'"),
    ],
)
def test_errors_of_the_other_commands(
    arguments: list[str],
    fragment: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert fragment.lower() in captured.err.lower()
    assert captured.err.startswith("anonset: error: ")
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
