"""Create the pictures of the site in docs/pictures: ``python docs/building/pictures.py``.

``way.svg`` (``way-narrow.svg`` on phones) shows the steps below. ``account.svg`` and ``risk.svg`` show the output of
commands. ``sweep.png`` is a plot of ``anonset compare --plot``. ``report.png`` is a screenshot and requires Chromium.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
_STEPS = (
    ("files", "CSV, Parquet, FIMI", "reading"),
    ("Table", "coded arrays", "data"),
    ("Recoding", "a symbol per value", "algorithms"),
    ("Publication", "generalized records", "generalization"),
    ("staged files", "not published yet", "release"),
    ("verdict", "reads the staged files", "verification"),
    ("OUT", "renamed into place", "release"),
)
_STYLE = """<style>
text{font:14px sans-serif;fill:#fff}.s{font-size:11px;fill:#e0f2f1}.f{font:11px monospace;fill:#b2ebf2}
rect{fill:#00695c}path{stroke:#808080;fill:none}
</style>"""
_TERMINAL = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<style>{styles} text{{font-family:monospace;font-size:{char_height}px;white-space:pre}}</style>
<defs>{lines}</defs><rect width="100%" height="100%" rx="6" fill="#17212b"/>{chrome}
<g transform="translate({terminal_x},{terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def way(columns: int) -> str:
    """Draw the way of the data: a box a step, with the folder that takes it there."""
    across, down, wide, high = 190, 110, 150, 58
    places = [(20 + across * (at % columns), 20 + down * (at // columns)) for at in range(len(_STEPS))]
    parts = []
    for (name, about, folder), (x, y) in zip(_STEPS, places, strict=True):
        parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="6"/>')
        for text, kind, below in ((name, "", 20), (about, "s", 36), (folder, "f", 52)):
            parts.append(
                f'<text class="{kind}" x="{x + wide / 2}" y="{y + below}" text-anchor="middle">{escape(text)}</text>'
            )
    for (x, y), (x_to, y_to) in pairwise(places):
        if y == y_to:
            parts.append(_arrow(f"M{x + wide} {y + high / 2}H{x_to - 5}"))
        else:
            between = y + high + (down - high) / 2
            parts.append(_arrow(f"M{x + wide / 2} {y + high}V{between}H{x_to + wide / 2}V{y_to - 5}"))
    width, height = 2 * 20 + (columns - 1) * across + wide, 2 * 20 + (len(_STEPS) - 1) // columns * down + high
    label = "Data flow: " + ", ".join(name for name, _, _ in _STEPS)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    mark = '<marker id="a" markerWidth="6" markerHeight="6" refX="3" refY="3" orient="auto"><path d="M0 0L5 3L0 6"/>'
    return "\n".join([head, _STYLE, f"{mark}</marker>", *parts, "</svg>", ""])


def terminal(commands: list[str], folder: Path, about: str, most: int) -> str:
    """Run commands, and draw at most `most` lines of their output."""
    console = Console(record=True, width=96, file=io.StringIO(), force_terminal=True)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "96",
    }
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        console.print(Text(f"$ {command}", "bold"), soft_wrap=False)
        for line in done.stdout.splitlines()[:most]:
            console.print(Text(line.rstrip()), no_wrap=True, overflow="ellipsis")
    return console.export_svg(title=about, code_format=_TERMINAL, unique_id="t")


def screenshot(page: Path, picture: Path) -> None:
    """Take a screenshot of a page, if Chromium is installed."""
    if (browser := shutil.which("chromium")) is None:
        print("chromium is not installed: report.png is unchanged", file=sys.stderr)  # noqa: T201
        return
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=900,1400", f"--screenshot={picture}"]
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True)


def _arrow(path: str) -> str:
    return f'<path d="{path}" marker-end="url(#a)"/>'


def main() -> None:
    """Create all pictures."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "way.svg").write_text(way(4))
    (PICTURES / "way-narrow.svg").write_text(way(2))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = "anonset datasets make hospital --records 20000 -o patients.csv --hierarchy codes.csv"
        job = "anonset inspect patients.csv --hierarchy codes=codes.csv -o job.toml --quiet"
        subprocess.run([sys.executable, "-m", *made.split()], cwd=folder, check=True)
        subprocess.run([sys.executable, "-m", *job.split()], cwd=folder, check=True, capture_output=True)
        account = terminal(
            ["anonset anonymize job.toml --unit row --point attributes -o safe"],
            folder, "Summary of a run: records, clusters, unchanged values, losses, verdict", 19,
        )  # fmt: skip
        (PICTURES / "account.svg").write_text(account)
        risk = terminal(
            ["anonset risk safe.private/report.json --quiet"], folder, "Remaining re-identification risk", 14
        )
        (PICTURES / "risk.svg").write_text(risk)
        report = ["anonset", "report", "safe.private/report.json", "--quiet", "-o", "page.html"]
        subprocess.run([sys.executable, "-m", *report], cwd=folder, check=True, capture_output=True)
        screenshot(folder / "page.html", PICTURES / "report.png")
        made = "anonset datasets make shop --records 20000 -o baskets.dat --hierarchy goods.csv"
        sweep = "anonset compare baskets.dat --hierarchy items=goods.csv --algorithms exact --quiet --plot plots"
        values = ["--vary", "k=2,5,10,20,50", "--vary", "m=1,2,3"]
        subprocess.run([sys.executable, "-m", *made.split()], cwd=folder, check=True)
        subprocess.run([sys.executable, "-m", *sweep.split(), *values], cwd=folder, check=True, capture_output=True)
        shutil.copy(folder / "plots" / "ncp.png", PICTURES / "sweep.png")


if __name__ == "__main__":
    main()
