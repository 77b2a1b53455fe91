"""Following the proposals and remedies for columns of mostly rare values leads to a publication."""

import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from followed.follow import follow, judge, run
from followed.raw_files import RawFile

pytestmark = [pytest.mark.compiled, pytest.mark.long]
N = 400


def _file(name: str, header: str, rows: list[list[object]], persons: list[int], unit: str) -> RawFile:
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"
    return RawFile(name, text.encode(), persons, frozenset(), unit=unit)


def orders() -> RawFile:
    """Orders: e-mail address and postal code of the customer. Most codes belong to a single customer."""
    draw, rows, persons = random.Random(5), list[list[object]](), list[int]()
    for i in range(N):
        code = draw.randrange(10000, 99999)
        for _ in range(draw.randrange(1, 4)):
            rows.append([f"c{i}@post.example", code, draw.choice(["Tea", "Mug", "Pan", "Lamp"])])
            persons.append(i)
    return _file("orders.csv", "contact,zip,article", rows, persons, "contact")


def laboratory() -> RawFile:
    """Laboratory tests with the patient's date of birth."""
    draw, rows, persons = random.Random(6), list[list[object]](), list[int]()
    for i in range(N):
        born = f"{draw.randrange(1940, 1990)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}"
        for test in draw.sample(["LDL", "CRP", "TSH", "PSA"], draw.randrange(1, 4)):
            rows.append([700000 + i, born, draw.choice("mf"), test])
            persons.append(i)
    return _file("tests.csv", "mrn,dob,room,test", rows, persons, "mrn")


def households() -> RawFile:
    """Persons with household and remark."""
    draw = random.Random(7)
    rows: list[list[object]] = [
        [
            f"H{i // 3:04d}",
            i,
            draw.randrange(100),
            f"moved in with {i % 90} boxes" if i % 2 else "",
            draw.choice("mf"),
        ]
        for i in range(N)
    ]
    return _file("homes.csv", "household,pid,age,remarks,sex", rows, list(range(N)), "pid")


@pytest.mark.parametrize("make", [orders, laboratory, households])
def test_the_proposal_is_published_without_a_rejection(tmp_path: Path, make: Callable[[], RawFile]) -> None:
    raw = make()
    way = follow(tmp_path, raw)
    assert way.published is not None, way.printed[-1]
    assert not any(
        code for code, ran in zip(way.codes, way.commands, strict=True) if ran.startswith("anonset anonymize")
    )
    assert judge(raw, way.published).persons_below_k == 0


@pytest.mark.parametrize(
    ("make", "column", "rule"), [(orders, "zip", "mask:3,1"), (laboratory, "dob", "date:from-month,year,decade")]
)
def test_rare_leaves_are_published_as_nodes(
    tmp_path: Path, make: Callable[[], RawFile], column: str, rule: str
) -> None:
    raw = answered(tmp_path, make())
    code, message = run(
        tmp_path, f"anonset anonymize job.toml --relational {column} --hierarchy {column}={rule} --out out"
    )
    assert code == 0, message
    assert judge(raw, tmp_path / "out").persons_below_k == 0


def test_the_printed_remedy_leads_to_a_publication(tmp_path: Path) -> None:
    answered(tmp_path, households())
    code, message = run(tmp_path, "anonset anonymize job.toml --relational household --hierarchy household=values")
    assert code == 2
    ways = message.partition("so nothing is published; ")[2].split("; ")
    flags = [found[1] for way in ways if (found := re.search(r"(?:use |: )(--.*)$", way)) is not None]
    named = [entry for entry in flags if "FILE" not in entry and "--publish" not in entry]
    assert named
    for number, remedy in enumerate(named):
        moved = f"anonset anonymize job.toml --relational household {remedy}"
        command = moved if shlex.split(remedy)[0] == "--hierarchy" else f"anonset anonymize job.toml {remedy}"
        assert run(tmp_path, f"{command} --out out{number}")[0] == 0, (message, remedy)


def answered(folder: Path, raw: RawFile) -> RawFile:
    """Write a raw file and its proposed job, with the person and the first answer of the items."""
    (folder / raw.name).write_bytes(raw.content)
    run(folder, f"anonset inspect {raw.name} -o job.toml")
    job = folder / "job.toml"
    text = job.read_text().replace('unit = "?"', f'unit = "{raw.unit}"')
    items = re.search(r'# (items = "[^"?]+")', text)
    job.write_text(text if items is None else text.replace('items = "?"', items[1]))
    return raw
