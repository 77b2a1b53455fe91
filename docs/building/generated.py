"""Generate pages of the site: command line, Python API, notebooks, data cards and results.

mkdocs calls `on_files`, `on_page_markdown` and `on_page_content`; see ``hooks`` in mkdocs.yml.
"""

import json
import posixpath
import re
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
import notebooks

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
_MOVED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/results": "results.md",
    "engine/anonset/__init__.pyi": "python.md",
    "engine/anonset/report/schema.py": "schemas.md",
    "datasets/anonset_datasets/cards.py": "data-cards.md",
}
"""Addresses on the site of files outside docs. A page that is generated has the address of its source."""
_LINK = re.compile(r"(?P<mark>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#)(?P<target>[^)\s]+)\)")
_SHORT_CODE = re.compile(r"<code>(?=[^<\s]{1,24}</code>)")
_PUBLIC = re.compile(r"^from (?P<home>\S+) import (?:\(\s+)?(?P<name>\w+) as (?P=name)\b", re.MULTILINE)
_ABOUT_PYTHON = (
    "Import each name as `anonset.NAME`. Names that are not listed may change. "
    "[Notebooks](tutorials/index.md#notebooks) contain examples; [Messy data](data.md#in-python) describes the input. "
    "Invalid input raises an [error](#errors)."
)
_ABOUT_COMMANDS = (
    "`anonset COMMAND --help-all` prints the same text. [Tutorials](tutorials/index.md) contain examples; "
    "[exit codes and logs](pipelines.md) are common to all commands."
)
_ABOUT_SCHEMAS = (
    "Fields of the two JSON files of a publication. [File formats](files.md) describes their purpose and the changes "
    "that raise `schema_version`."
)
_CHAPTERS = (
    (
        "Read and publish",
        (
            "anonset.reading.read",
            "anonset.reading.scan",
            "anonset.reading.options",
            "anonset.reading.file_options",
            "anonset.jobs.runs.anonymize",
            "anonset.release",
        ),
    ),
    ("Inspect, suggest, compare", ("anonset.jobs", "anonset.analysis")),
    ("Verify", ("anonset.verification",)),
    ("Algorithms for sets", ("anonset.algorithms.transaction",)),
    ("Algorithms for relational columns", ("anonset.algorithms.relational",)),
    ("Algorithms for both", ("anonset.algorithms.rt",)),
    ("Buckets", ("anonset.algorithms.buckets",)),
    ("Privacy models", ("anonset.privacy",)),
    ("Measures", ("anonset.measures", "anonset.support")),
    (
        "Hierarchies and policies as files",
        (
            "anonset.reading",
            "anonset.writing",
        ),
    ),
    (
        "Data and publications",
        ("anonset.data", "anonset.publications", "anonset.generalization", "anonset.algorithms.base"),
    ),
    ("Errors", ("anonset.errors",)),
)


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the generated pages, and the pictures of the results."""
    from mkdocs.structure.files import File

    from anonset_datasets import card_page

    pages = {
        "command-line.md": command_line(),
        "python.md": python_api(),
        "schemas.md": schemas(),
        "data-cards.md": card_page.page(),
    }
    sources = [
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *(f"benchmarks/results/{p.parent.name}/README.md" for p in RESULTS.glob("*/README.md")),
    ]
    pages |= {str(page_of(source)): linked((ROOT / source).read_text(), source) for source in sources}
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        source = f"docs/notebooks/{path.name}"
        text = linked(path.read_text(), source)
        pages[str(page_of(source))] = notebooks.page(text, path.name)
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for picture in sorted(RESULTS.glob("*/*.svg")):
        place = f"results/{picture.parent.name}/{picture.name}"
        files.append(File.generated(config, place, abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, *, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Turn links to files of the project into links to their pages."""
    return markdown if page.file.generated_by else linked(markdown, f"docs/{page.file.src_uri}")


def on_page_content(html: str, *, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Mark short code without blanks, such as names of options, so that it never breaks at a hyphen."""
    return _SHORT_CODE.sub('<code class="short">', html)


def command_line() -> str:
    """Return the command line reference, from the help texts."""
    from anonset.cli.help import make_app

    text = str(make_app().generate_docs(output_format="markdown", recursive=True))
    text = re.sub(r"## Table of Contents\n.*?(?=\*\*Commands\*\*)", "", text, flags=re.DOTALL)
    return text.replace("# anonset\n", f"# The command line\n\n{_ABOUT_COMMANDS}\n", 1)


def python_api() -> str:
    """Return the page of the Python API: every public name, in the chapter of the defining module."""
    found = [(chapter_of(m["home"]), m["home"], m["name"]) for m in _PUBLIC.finditer(_public_names())]
    parts = [f"# Python\n\n{_ABOUT_PYTHON}\n"]
    for chapter, names in groupby(sorted(found), key=lambda x: x[0]):
        parts.append(f"## {_CHAPTERS[chapter][0]}\n")
        parts += [f"::: {home}.{name}\n" for _, home, name in names]
    return "\n".join(parts)


def schemas() -> str:
    """Return the page of the JSON schemas of the attestation and of the private report."""
    from anonset.report.schema import json_schema

    parts = [f"# Schemas of the JSON files\n\n{_ABOUT_SCHEMAS}\n"]
    for document in ("attestation", "report"):
        text = json.dumps(json_schema(document), indent=1)
        parts.append(f"## {document}.json\n\n```json\n{text}\n```\n")
    return "\n".join(parts)


def chapter_of(home: str) -> int:
    """Return the number of the chapter that the names of a module belong to; the longest prefix decides."""
    fits = [(len(prefix), at) for at, (_, homes) in enumerate(_CHAPTERS) for prefix in homes if home.startswith(prefix)]
    return max(fits)[1]


def _public_names() -> str:
    return (ROOT / "engine" / "anonset" / "__init__.pyi").read_text()


def linked(text: str, source: str) -> str:
    """Return the text of a project file, with links changed to pages of the site.

    A link to a file that the site does not show becomes its text.
    """
    folder, page = posixpath.dirname(source), page_of(source) or ""

    def turned(link: re.Match[str]) -> str:
        target, _, part = link["target"].partition("#")
        at = page_of(posixpath.normpath(posixpath.join(folder, target)))
        if at is None:
            return link["text"]
        place = posixpath.relpath(at, posixpath.dirname(page) or ".")
        return f"{link['mark']}[{link['text']}]({place}{'#' + part if part else ''})"

    return _LINK.sub(turned, text)


def page_of(path: str) -> str | None:
    """Return the address on the site of a project file; None if nowhere."""
    if path in _MOVED:
        return _MOVED[path]
    if path.startswith("docs/"):
        return re.sub(r"\.ipynb$", ".md", path.removeprefix("docs/"))
    if found := re.fullmatch(r"benchmarks/results/(\w+)/README.md", path):
        return f"results/{found[1]}.md"
    if path.startswith("benchmarks/results/") and path.endswith(".svg"):
        return path.removeprefix("benchmarks/")
    return None
