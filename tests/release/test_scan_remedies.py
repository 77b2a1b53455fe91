"""Adding the remedies suggested by the disclosure scan leads to a publication in at most two steps."""

import json
import random
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.release.test_disclosure_scan import people

from anonset.cli.main import main
from anonset.privacy import KAnonymity
from anonset.release.scan.remedies import of_kept, of_singling_out

JOBS: dict[str, dict[str, Any]] = {
    "keys": {"model": "kkm", "items": ["keys"], "relational": ["group", "sex"]},
    "keys_by_clusters":
        {"model": "kkm", "algorithm": "rum-bound", "delta": 0.9, "items": ["keys"], "relational": ["group"]},
    "keys_beside_codes": {"model": "kkm", "items": ["keys", "codes"], "relational": ["group"]},
    "keys_and_codes_alone": {"model": "km", "items": ["keys", "codes"]},
    "friends": {"model": "kkm", "items": ["friends"], "relational": ["group", "sex"]},
    "free_text": {"model": "kkm", "items": ["comment"], "separator": " ", "relational": ["group"]},
    "doctors_alone": {"model": "kkm", "items": ["codes"], "relational": ["doctor"]},
    "doctors_kept": {"model": "k", "relational": ["group"], "keep": ["doctor"]},
    "household_alone": {"model": "kkm", "algorithm": "joint-split", "items": ["codes"], "relational": ["household"]},
    "ages_with_items": {"model": "kkm", "items": ["codes"], "relational": ["age"]},
    "ages_by_clusters":
        {"model": "kkm", "algorithm": "rum-bound", "delta": 0.9, "items": ["codes"], "relational": ["group", "age"]},
    "incomes_with_items": {"model": "kkm", "items": ["codes"], "relational": ["income"]},
    "household": {"model": "k", "relational": ["group", "household"]},
    "income_beside_sets": {"model": "kkm", "items": ["codes"], "relational": ["group"], "keep": ["income"]},
    "income_with_items": {"model": "km", "items": ["codes"], "keep": ["income"]},
    "singling": {"model": "k", "relational": ["group"], "keep": ["ward", "stay"]},
    "singling_with_items": {"model": "km", "algorithm": "exact", "items": ["codes"], "keep": ["wave", "ward", "stay"]},
}  # fmt: skip


def remedies(said: str) -> Iterator[list[str]]:
    """Yield the options of each remedy in the first line, without settings to be removed."""
    lines = [line for line in said.splitlines() if "so nothing is published" in line]
    for way in lines[0].partition("so nothing is published; ")[2].split("; ") if lines else ():
        flags = re.search(r"(?:use |: )(--.*)$", way)
        if flags is not None and not re.search(r"\b(FILE|COL)\b|--publish-as-is", flags[1]):
            yield shlex.split(flags[1])


def run(folder: Path, capsys: pytest.CaptureFixture[str], out: str, *flags: str) -> tuple[int, str]:
    code = main(["anonymize", str(folder / "job.toml"), *flags, "--out", str(folder / out), "--quiet"])
    return code, capsys.readouterr().err


@pytest.mark.compiled
@pytest.mark.parametrize("name", JOBS)
@pytest.mark.long
def test_each_remedy_reaches_a_publication(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    data, draw = people(600 if "doctor" in name else 300), random.Random(3)
    data["age"] = [20 + i % 75 for i in range(len(data["sex"]))]  # each belongs to four persons of 300
    data["keys"] = [";".join(f"x{draw.randrange(10**6)}" for _ in range(3)) for _ in data["sex"]]
    lines = [";".join(data), *(";".join(f'"{cell}"' for cell in row) for row in zip(*data.values(), strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    job = {"separator": ";", **JOBS[name], "input": str(tmp_path / "data.csv"), "k": 5, "unit": "row"}
    job |= {} if job["model"] == "k" else {"m": 2}
    used = {column for role in ("items", "relational", "keep") for column in job.get(role, ())}
    job["drop"] = [column for column in data if column not in used]
    text = [f"{key} = {json.dumps(value)}" for key, value in job.items()]
    text += ["[hierarchy]", *(f'{column} = "halves:frequency"' for column in job.get("items", ()))]
    (tmp_path / "job.toml").write_text("\n".join(text) + "\n")

    code, message = run(tmp_path, capsys, "first")
    assert code == 2, message
    ways = list(remedies(message))
    assert ways, message
    for number, way in enumerate(ways):
        code, message = run(tmp_path, capsys, f"out{number}", *way)
        if code:
            further = next(remedies(message), None)
            assert further, (way, message)
            code, message = run(tmp_path, capsys, f"out{number}", *way, *further)
        assert code == 0, (way, message)
        assert (tmp_path / f"out{number}/attestation.json").exists()


@pytest.mark.parametrize("model", [["k"], ["kkm", "--m", "2", "--items", "codes"]])
def test_numbers_read_as_text_are_published_as_bins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: list[str]
) -> None:
    lines = [f"{20 + i % 50},{'a' if i % 3 else 'b'};c" for i in range(100)]
    (tmp_path / "data.csv").write_text("\n".join(["age,codes", *lines]) + "\n")
    rest = ["--drop", "codes"] if model == ["k"] else ["--separator", ";"]
    job = ["anonymize", str(tmp_path / "data.csv"), "--model", *model, "--k", "5", "--relational", "age", *rest]
    job += ["--unit", "row", "--quiet", "-o", str(tmp_path / "out")]
    assert main(job) == 2
    (way,) = (way for way in remedies(capsys.readouterr().err) if "--hierarchy" in way)
    assert way == ["--hierarchy", "age=bins:width=5,20"]
    assert main([*job, *way]) == 0


@pytest.mark.parametrize(("header", "generalized"), [("ward", True), ("HIV status", False)])
def test_sensitive_columns_are_not_turned_into_quasi_identifiers(header: str, *, generalized: bool) -> None:
    model = KAnonymity(k=5)
    for fixes in (of_singling_out([header], model), of_kept(header, "mask:3,1", [], model)):
        assert any("relational" in fix.settings for fix in fixes) == generalized
        assert any("drop" in fix.settings for fix in fixes)
