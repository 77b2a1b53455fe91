"""The README and the pages below docs show the actual output of their commands."""

import re
from pathlib import Path

import pytest

from readme.console import NOTEBOOKS, PAGES, TRANSCRIPTS, TUTORIALS, comparable, renewed, renewed_notebook

pytestmark = pytest.mark.compiled

SHOWING = [page for page in PAGES if re.search("^```(console|python)$", page.read_text(), re.MULTILINE)]
NOT_RUN = {
    "make demo     #": "the project's own set-up",
    "pip install dist/": "installs",
    "pip install .": "installs",
    "pip install '.[ui]'": "starts a server; tested in tests/ui",
    "uvx --from .": "installs",
    "anonset compare FILE": "its data are the reader's",
    "anonset hierarchy import CONCEPT_ANCESTOR.csv": "the vocabulary of OMOP, which does not ship",
    'anonset compare "$(anonset datasets path': "real data, which do not ship",
    "anonset compare adult.csv": "real data, which do not ship",
    "anonset compare informs2005_rt.csv": "real data, which do not ship",
    "anonset datasets make pos_like --records 100000000": "takes minutes, and the disk",
    "anonset datasets make youtube_like --records 10000000": "takes minutes, and the disk",
    "anonset datasets make long_tail --records 10000000": "takes minutes, and the disk",
    "python -m benchmarks.tuples 10000000": "takes minutes",
    "anonset anonymize 'visits/*.parquet'": "ends by being killed",
    "anonset anonymize s3://lake": "needs an object store; tested in tests/cli",
    "# on one machine": "needs several machines",
    "python -m benchmarks.originals downloads": "needs files of other owners; tested in tests/benchmarks",
    "make reproduce": "takes minutes to hours, and real data",
    "FROM python:3.11-slim": "needs a container engine",
    "make wheel && docker build": "needs a container engine",
    "apiVersion: v1": "needs Kubernetes; checked in tests/readme",
    "dask scheduler --protocol tls": "starts servers; tested in tests/jobs",
    "from airflow.": "needs Airflow; run by make recipes",
    "rows.groupBy(": "needs Spark; run by make recipes",
    '{"time": "2026-03-02T08:15:30.120Z"': "lines of a log; the fields are tested in tests/cli/test_log.py",
}
"""First words of blocks that are not run, with the reason."""


SHOWN = [
    pytest.param(page, id=page.name, marks=[] if page.name == "README.md" else [pytest.mark.long])
    for page in [*(page for page in SHOWING if page not in TUTORIALS), *TRANSCRIPTS]
]


@pytest.mark.long
@pytest.mark.parametrize("page", SHOWN)
def test_examples_show_their_actual_output(page: Path) -> None:
    text = page.read_text()
    assert comparable(renewed(text)) == comparable(text)


@pytest.mark.long
@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.name)
def test_notebook_cells_show_their_actual_output(page: Path) -> None:
    text = page.read_text()
    assert comparable(renewed_notebook(text)) == comparable(text)


def test_every_block_is_run_or_listed_as_not_run() -> None:
    blocks = [
        block for page in PAGES for block in re.findall(r"^```(.*)\n((?s:.*?))^```$", page.read_text(), re.MULTILINE)
    ]
    remaining = [body for kind, body in blocks if not re.fullmatch('console|python|output|\\w+ title="[^"]+"', kind)]
    known = [next((start for start in NOT_RUN if body.startswith(start)), body) for body in remaining]
    assert set(known) == set(NOT_RUN)


def test_the_calls_in_the_text_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls = [call for page in PAGES for call in re.findall(r"`(anonset\.\w+\(\{.*?\))`", page.read_text())]
    assert calls
    for call in calls:
        exec(f"import anonset; {call}", {})


def test_page_links_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_is_the_way_in_and_no_more() -> None:
    assert len(PAGES[0].read_text().splitlines()) <= 150, "move details to a page below docs"
