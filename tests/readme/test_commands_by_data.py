"""The commands by kind of data in the README publish ordinary data as they stand."""

import random
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from tests.readme.console import ROOT

from anonset.cli.main import main

COMMANDS = re.findall(r"^\| [^|]+ \| `… (--[^`]+)` \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
CODES = [f"{letter}{number}" for letter in "EIJ" for number in (10, 11, 20, 21)]


def rows(n: int = 400) -> list[dict[str, str]]:
    """Return persons with an age of any integer, a zip code, an illness and a set of codes."""
    chosen = random.Random(4)
    return [
        {
            "patient": f"P{n:04d}",
            "who": f"{n // 3}",
            "age": str(chosen.randint(18, 90)),
            "sex": chosen.choice("fm"),
            "zip": chosen.choice(["47677", "47602", "13053", "13068", "14850"]),
            "illness": chosen.choice(["flu", "asthma", "cancer", "diabetes", "gout", "none"]),
            "value": chosen.choice("abcdefgh"),
            "codes": " ".join(chosen.sample(CODES, chosen.randint(1, 3))),
        }
        for n in range(n)
    ]


def columns_of(words: list[str]) -> list[str]:
    roles = ("--id", "--unit", "--items", "--relational", "--sensitive")
    named = [name for role, value in pairwise(words) if role in roles for name in value.split(",")]
    return [name for name in named if name != "row"]


@pytest.mark.parametrize("command", COMMANDS, ids=[re.search("model ([a-z-]+)", command)[1] for command in COMMANDS])
def test_a_copied_command_publishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    words, people = shlex.split(command), rows()
    columns = columns_of(words)
    if columns == ["items"]:
        Path("data.dat").write_text("".join(f"{row['codes']}\n" for row in people))
    else:
        lines = [",".join(row[name] for name in columns) for row in people]
        Path("data.csv").write_text("\n".join([",".join(columns), *lines]))
    Path("icd.csv").write_text("".join(f"{code},{code[0]},any\n" for code in CODES))
    Path("protect.txt").write_text("E10 I10\nJ20\n")
    assert main(["anonymize", next(map(str, tmp_path.glob("data.*"))), *words, "-o", "safe"]) == 0


def test_the_commands_cover_the_sensitive_column() -> None:
    assert any("--model kl" in command for command in COMMANDS)
