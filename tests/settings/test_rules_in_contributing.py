"""The table "Where is the rule?" in CONTRIBUTING.md names files and definitions that exist."""

import re
from pathlib import Path

import anonset

ROW = re.compile(r"^\| .+ \| `([\w/]+\.py)`(.*) \|$", re.MULTILINE)


def test_each_rule_is_in_the_named_file() -> None:
    table = Path("CONTRIBUTING.md").read_text("utf-8").partition("## Where is the rule?")[2].partition("\n## ")[0]
    found = ROW.findall(table)
    assert len(found) == table.count("\n| ") - 1 > 14
    for file, others in found:
        code = (Path(anonset.__file__).parent / file).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", others):
            assert re.search(rf"^(def|class) {name}\b", code, re.MULTILINE), f"{file}: {name}"
