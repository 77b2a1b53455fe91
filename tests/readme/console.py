"""The commands of the README and of the pages below docs, run as a reader would.

``python tests/readme/console.py`` renews their output.

A block ```` ```text title="name" ```` is a file; in a ```` ```console ```` block each line ``$ command`` is run, all in
one new folder, and what it prints follows. Seconds, memory and digests are shown as they were when last renewed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
"""The pages whose examples are run."""
_BLOCK = re.compile(r'^```(console|text title="(?P<file>[^"]+)")\n(?P<body>.*?)^```$', re.DOTALL | re.MULTILINE)
_VARIES = (
    (re.compile(r"\b\d+\.\d+ s\b *"), "# s"),
    (re.compile(r"\b\d+\.\d+ [MG]iB\b *"), "# MiB"),
    (re.compile(r"[0-9a-f]{64}"), "#"),
)


def renewed(text: str) -> str:
    """Return a page with every console block run again."""
    with tempfile.TemporaryDirectory() as folder:

        def renew(block: re.Match[str]) -> str:
            if block["file"]:
                (Path(folder) / block["file"]).write_text(block["body"])
                return block[0]
            commands = [line[2:] for line in block["body"].splitlines() if line.startswith("$ ")]
            return "```console\n" + "".join(f"$ {c}\n{run(c, folder)}" for c in commands) + "```"

        return _BLOCK.sub(renew, text)


def write_files(text: str, folder: Path) -> None:
    """Write the files that a page shows."""
    for block in _BLOCK.finditer(text):
        if block["file"]:
            (folder / block["file"]).write_text(block["body"])


def run(command: str, folder: str) -> str:
    """Run a shell command and return what it prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("compiling")]
    return "".join(f"{line}\n" for line in lines)


def comparable(text: str) -> str:
    """Return the text without what varies from run to run."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page.read_text()))
