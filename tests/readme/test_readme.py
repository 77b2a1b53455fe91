"""What the README and the pages below docs show is what their commands print."""

import re
from pathlib import Path

import pytest

from readme.console import PAGES, TUTORIALS, comparable, renewed, write_files

pytestmark = pytest.mark.compiled

GENERATED = ("python.md", "command-line.md")
"""Pages of the site that are made when it is built."""
SHOWING = [page for page in PAGES if "```console" in page.read_text() and page not in TUTORIALS]


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.name)
def test_the_commands_print_what_a_page_shows(page: Path) -> None:
    text = page.read_text()
    assert comparable(renewed(text)) == comparable(text)


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, names = PAGES[0].read_text(), dict[str, object]()
    write_files(text, tmp_path)
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    examples += [found for page in PAGES for found in re.findall(r"`(anonset\.\w+\.\w+\(.*?\))`", page.read_text())]
    assert len(examples) > 1
    for example in examples:
        exec(example, names)


def test_the_pages_link_to_what_is_there() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert target in GENERATED or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_is_the_way_in_and_no_more() -> None:
    assert len(PAGES[0].read_text().splitlines()) <= 150, "move details to a page below docs"
