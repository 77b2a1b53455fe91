"""What the README shows is what its commands print."""

import re
from pathlib import Path

import pytest

from readme.console import README, comparable, renewed, write_files


def test_the_commands_print_what_the_readme_shows():
    text = README.read_text()
    assert "```console" in text
    assert comparable(renewed(text)) == comparable(text)


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, names = README.read_text(), dict[str, object]()
    write_files(text, tmp_path)
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    examples += re.findall(r"`(anonset\.\w+\.\w+\(.*?\))`", text)
    assert len(examples) > 1
    for example in examples:
        exec(example, names)
