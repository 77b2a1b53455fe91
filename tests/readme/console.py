"""The commands of the README and of the pages below docs, run as a reader would.

``python tests/readme/console.py [PAGE...]`` renews their output; ``--check`` says instead where it differs, and ``--bin
FOLDER`` runs the command of another environment.

A block ```` ```text title="name" ```` is a file; in a ```` ```console ```` block each line ``$ command`` is run, all in
one new folder, and what it prints follows. Seconds, memory and digests are shown as they were when last renewed.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
"""The pages whose examples are run."""
TUTORIALS = tuple(sorted((ROOT / "docs" / "tutorials").glob("*.md")))
"""Those that `make wheel` follows in an empty folder, with the installed wheel."""
_BLOCK = re.compile(r'^```(console|text title="(?P<file>[^"]+)")\n(?P<body>.*?)^```$', re.DOTALL | re.MULTILINE)
_VARIES = (
    (re.compile(r"\b\d+\.\d+ s\b *"), "# s"),
    (re.compile(r"\b\d+\.\d+ [MG]iB\b *"), "# MiB"),
    (re.compile(r"[0-9a-f]{64}"), "#"),
)


def renewed(text: str, binaries: Path = Path(sys.executable).parent) -> str:
    """Return a page with every console block run again, by the commands of a folder."""
    with tempfile.TemporaryDirectory() as folder:

        def renew(block: re.Match[str]) -> str:
            if block["file"]:
                (Path(folder) / block["file"]).write_text(block["body"])
                return block[0]
            commands = [line[2:] for line in block["body"].splitlines() if line.startswith("$ ")]
            return "```console\n" + "".join(f"$ {c}\n{run(c, folder, binaries)}" for c in commands) + "```"

        return _BLOCK.sub(renew, text)


def write_files(text: str, folder: Path) -> None:
    """Write the files that a page shows."""
    for block in _BLOCK.finditer(text):
        if block["file"]:
            (folder / block["file"]).write_text(block["body"])


def run(command: str, folder: str, binaries: Path) -> str:
    """Run a shell command and return what it prints."""
    path = os.pathsep.join([str(binaries), os.environ["PATH"]])
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


def main() -> int:
    """Renew pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bin", type=Path, default=Path(sys.executable).parent)
    given, differ = parser.parse_args(), False
    for page in given.pages:
        shown = page.read_text()
        now = renewed(shown, given.bin.absolute())
        if not given.check:
            page.write_text(now)
        elif lines := list(difflib.unified_diff(*(comparable(x).splitlines(True) for x in (shown, now)), str(page))):
            differ = True
            sys.stdout.writelines(lines)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
