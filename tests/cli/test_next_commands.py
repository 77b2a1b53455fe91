"""Each command prints the next one. The chain ends with a report for recipients, and a second publication in the same
folder leads through the same commands.
"""

import random
import re
import shlex

import pytest

from cli.place import Place

pytestmark = pytest.mark.compiled
ITEMS = ["--unit", "row", "--items", "codes", "--separator", " "]
KINDS = {
    "records": [*ITEMS, "--hierarchy", "codes=balanced:3", "--model", "km", "--k", "3", "--m", "1"],
    "buckets": ["--id", "pid", "--sensitive", "codes", "--model", "safe-grouping", "--k", "2", "--l", "2"],
    "chunks": [*ITEMS, "--algorithm", "disassociation", "--k", "3", "--m", "2"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_printed_commands_lead_to_both_reports(place: Place, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    draw = random.Random(1)
    sets = [" ".join(draw.sample("abcdefgh", 1 if kind == "buckets" else 3)) for _ in range(60)]
    dropped = [] if kind == "buckets" else ["--drop", "pid"]
    place.write("rows.csv", "\n".join(["pid,codes", *(f"p{n},{text}" for n, text in enumerate(sets))]) + "\n")
    for out in ("first", "second"):
        commands = [f"anonymize rows.csv {shlex.join([*KINDS[kind], *dropped])} -o {out}"]
        for command in commands:  # grows
            ran = place.run(*shlex.split(command))
            assert ran.code == 0, (command, ran.err)
            for line in re.findall("^Next: (.*?)(?:, to .*)?$", ran.out, re.MULTILINE):
                named = [one.removeprefix("anonset ") for one in line.split("; ")]
                commands += [one for one in named if one not in commands]
        job = f"{out}.private/report.json"
        assert commands[1:] == [f"risk {job}", f"report {job}", f"report {out} --shareable"]
        assert {path.name for path in place.folder.glob(f"{out}-*")} == {f"{out}-report.html", f"{out}-shareable.html"}
