"""Run the examples of the README, the pages and notebooks below docs, and the transcripts, as a reader would.

``python tests/readme/console.py [PAGE...]`` updates their output; ``--check`` prints differences instead, and ``--bin
FOLDER`` uses the commands and the Python of another environment.

Each page runs top to bottom in a new folder. A block ```` ```text title="name" ```` is a file; other languages than
text work too. In a ```` ```console ```` block each line ``$ command`` is run, and the output follows. The ````
```python ```` blocks of a page share one session; a following ```` ```output ```` block contains the printed text and
the value of the last line. Lines in which only times, memory or digests differ are not updated.
"""

import argparse
import contextlib
import difflib
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from readme.session import Session, command_output, shell_output

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(sys.executable).parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
"""Pages whose examples are run."""
TUTORIALS = tuple(sorted((ROOT / "docs" / "tutorials").glob("*.md")))
"""Pages that `make wheel` runs in an empty folder with the installed wheel."""
TRANSCRIPTS = tuple(sorted((ROOT / "tests" / "readme" / "transcripts").glob("*.md")))
"""Output of commands that no page shows: errors and failed verdicts."""
NOTEBOOKS = tuple(sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")))
_BLOCK = re.compile(
    r'^```(?P<kind>console|python|\w+ title="(?P<file>[^"]+)")\n(?P<body>.*?)^```$'
    r"(?P<output>\n\n```output\n.*?^```$)?",
    re.DOTALL | re.MULTILINE,
)
# pip reads the value 0 as "no isolation"
_PIP = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
"""Settings that make pip install from this environment, without a package index."""
_VARIES = (
    (re.compile(r"\b\d+\.\d+ s\b *"), "# s"),
    (re.compile(r"\b\d+\.\d+ [MG]iB\b *"), "# MiB"),
    (re.compile(r"[0-9a-f]{64}"), "#"),
    (re.compile(r"\b(memory|seconds)=[0-9.]+"), "#"),
)


def renewed(text: str, binaries: Path | None = None) -> str:
    """Run every block of a page and return the updated page. For `binaries`, see `run`."""
    with tempfile.TemporaryDirectory() as folder, Session(Path(folder), binaries or HERE) as session:

        def renew(block: re.Match[str]) -> str:
            if block["file"]:
                (Path(folder) / block["file"]).write_text(block["body"])
                return block[0]
            if block["kind"] == "python":
                return _renewed_python(block, session)
            commands = [line[2:] for line in block["body"].splitlines() if line.startswith("$ ")]
            return "```console\n" + "".join(f"$ {c}\n{run(c, folder, binaries)}" for c in commands) + "```"

        return _BLOCK.sub(renew, text)


def _renewed_python(block: re.Match[str], session: Session) -> str:
    result = session.run(block["body"])
    if not block["output"]:
        assert "error" not in result, f"{block['body']}{result['error']}"
        return block[0]
    output = "".join(f"{result[name]}\n" for name in ("text", "error") if name in result)
    return f"```python\n{block['body']}```\n\n```output\n{result['printed']}{output}```"


def renewed_notebook(text: str, binaries: Path = HERE) -> str:
    """Run every cell of a notebook and return the updated notebook."""
    notebook = json.loads(text)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with tempfile.TemporaryDirectory() as folder, Session(Path(folder), binaries) as session:
        for number, cell in enumerate(cells, 1):
            cell["execution_count"], cell["outputs"] = number, _outputs(session.run("".join(cell["source"])), number)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(found: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the output of a cell in the notebook format."""
    assert "error" not in found, found["error"]
    made: list[dict[str, Any]] = []
    if found["printed"]:
        lines = found["printed"].splitlines(keepends=True)
        made.append({"output_type": "stream", "name": "stdout", "text": lines})
    data = {kind: found[name] for kind, name in (("text/html", "html"), ("text/plain", "text")) if found.get(name)}
    if data:
        made.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data})
    return made


def run(command: str, folder: str, binaries: Path | None) -> str:
    """Run a command in a shell and return the output; without `binaries`, run anonset in this process."""
    path = os.pathsep.join([str(binaries or HERE), os.environ["PATH"]])
    output = command_output if binaries is None else shell_output
    with contextlib.chdir(folder), mock.patch.dict(os.environ, {**_PIP, "PATH": path, "COLUMNS": "120"}):
        printed = output(command)
    lines = [line.rstrip() for line in printed.splitlines() if not line.startswith("compiling")]
    return "".join(f"{line}\n" for line in lines)


def comparable(text: str) -> str:
    """Return the text without the parts that vary from run to run."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return text


def with_old_costs(shown: str, now: str) -> str:
    """Return the new page, with the old lines where only varying parts differ."""
    old, new = shown.splitlines(keepends=True), now.splitlines(keepends=True)
    same = difflib.SequenceMatcher(None, [comparable(x) for x in old], [comparable(x) for x in new], autojunk=False)
    return "".join(
        "".join(old[i:i_end] if kind == "equal" else new[j:j_end]) for kind, i, i_end, j, j_end in same.get_opcodes()
    )


def main() -> int:
    """Update pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES + TRANSCRIPTS + NOTEBOOKS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bin", type=Path, default=HERE)
    arguments, differ = parser.parse_args(), False
    # leftovers of other processes in the machine's temporary directory would change the output of commands
    with tempfile.TemporaryDirectory() as temporary, mock.patch.dict(os.environ, {"TMPDIR": temporary}):
        tempfile.tempdir = None
        for page in arguments.pages:
            shown = page.read_text()
            now = (renewed_notebook if page.suffix == ".ipynb" else renewed)(shown, arguments.bin.absolute())
            if not arguments.check:
                page.write_text(with_old_costs(shown, now))
            elif lines := list(
                difflib.unified_diff(*(comparable(x).splitlines(True) for x in (shown, now)), str(page))
            ):
                differ = True
                sys.stdout.writelines(lines)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
