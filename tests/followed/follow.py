"""Run the commands that the command line prints, like a user who knows nothing else."""

import contextlib
import csv
import io
import json
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonset.cli.main import main
from followed.raw_files import RawFile

STEPS = 8
_NEXT = re.compile(r"^Next: (.*)$", re.MULTILINE)
_COMMAND = re.compile(r"anonset [^;]*?(?=;|$|, (?:to|or|then|and|which|if)\b)")
_OTHER_JOB = re.compile(r"; to propose these roles: (anonset inspect .*)$", re.MULTILINE)
_WAY_OUT = re.compile(r"error: .*: (--[a-z-]+ \S+)$", re.MULTILINE)
_WRITES_NOTHING_NEW = ("risk", "report", "verify")


@dataclass
class Way:
    """The commands of a user, their output, and the result."""

    commands: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    published: Path | None = None


def run(folder: Path, command: str) -> tuple[int, str]:
    """Run a printed command in the folder of the data."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(command)[1:])
    return code, out.getvalue() + err.getvalue()


def follow(folder: Path, raw: RawFile, unit: str | None = None) -> Way:
    """Start with `anonset inspect`, then repeatedly run the first printed command, or add the first printed option.

    Parameters
    ----------
    unit
        Answer to the question "who is a person?". By default a careful steward's answer.
    """
    (folder / raw.name).write_bytes(raw.content)
    way, command = Way(), f"anonset inspect {shlex.quote(raw.name)} {raw.flags}".strip()
    while command and len(way.commands) < STEPS:
        code, printed = run(folder, command)
        way.commands.append(command)
        way.codes.append(code)
        way.printed.append(printed)
        _answer(folder, raw.unit if unit is None else unit)
        if command.startswith("anonset anonymize") and code == 0:
            way.published = next(path.parent for path in folder.glob("*/attestation.json"))
            break
        command = _following(command, code, printed, way.commands)
    return way


def _answer(folder: Path, unit: str) -> None:
    """Answer the question "who is a person?" in each job file, and "what are the items?" by the first answer."""
    for job in folder.glob("*.toml"):
        text = job.read_text().replace('unit = "?"', f"unit = {json.dumps(unit, ensure_ascii=False)}")
        job.write_text(with_first_items(text))


def with_first_items(job: str) -> str:
    """Return the text of a job file with the first of the possible lines for open items."""
    return re.sub(r'^(# (items = .*?) # .*\n(?:# .*\n)*)items = "\?"', r"\1\2", job, flags=re.MULTILINE)


def _following(command: str, code: int, printed: str, before: Sequence[str]) -> str:
    """Return the user's next command, empty if the output names none."""
    if code and (other := _OTHER_JOB.search(printed)) is not None:
        return other[1] if other[1] not in before else ""
    if code:
        hint = _WAY_OUT.search(printed)
        return f"{command} {hint[1]}" if hint is not None and hint[1] not in command else ""
    named = [command.strip() for line in _NEXT.findall(printed) for command in _COMMAND.findall(line)]
    return next(
        (command for command in named if command.split()[1] not in _WRITES_NOTHING_NEW and command not in before), ""
    )


@dataclass(frozen=True)
class Judgement:
    """Disclosures of a publication, by the persons of the rows."""

    smallest_class: int
    """Number of persons in the smallest class of equal relational values. If only items are published, number of
    persons with the rarest symbol.
    """
    persons_below_k: int
    secrets: tuple[str, ...]
    """Texts that must not be published, but occur in the publication."""
    median_error: float | None
    """Median relative error of the counts of the 50 most frequent codes. A symbol is assumed to represent one member.
    """
    clear: tuple[str, ...] = ()
    """Published sensitive columns without protection by a model."""


def judge(raw: RawFile, out: Path, k: int = 5) -> Judgement:
    """Count persons, secrets and errors in a publication in CSV."""
    attested = json.loads((out / "attestation.json").read_text())
    data, protected = attested["data"], attested["parameters"].get("sensitive")
    with (out / "published.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (out.with_name(f"{out.name}.private") / "records.csv").open(newline="") as file:
        record_of = {int(row["published_row"]): int(row["input_record"]) for row in csv.DictReader(file)}
    if len(rows) > len(set(raw.persons)):  # unchanged rows; otherwise a record per person
        record_of = {i: raw.persons[record] for i, record in record_of.items()}
    classes: dict[tuple[str, ...], set[int]] = defaultdict(set)
    symbols: dict[str, set[int]] = defaultdict(set)
    occurrences: Counter[str] = Counter()
    for index, row in enumerate(rows):
        others = (value for name, value in row.items() if name not in (*data["items"], protected))
        classes[tuple(others)].add(record_of[index])
        for name in data["items"]:
            for symbol in row[name].split(data["separator"]):
                symbols[symbol].add(record_of[index])
                occurrences[symbol] += 1
    groups = [len(group) for group in (classes if len(classes) > 1 else symbols).values()]
    words = set(re.split(r"[\s,;()\"]+", (out / "published.csv").read_text() + (out / "codebook.csv").read_text()))
    below = sum(size for size in groups if size < k)
    error = _median_error(raw, out, occurrences) if data["items"] and raw.codes else None
    clear = tuple(name for name in raw.sensitive if rows and name in rows[0] and name != protected)
    return Judgement(min(groups, default=0), below, tuple(sorted(raw.secrets & words)), error, clear)


def _median_error(raw: RawFile, out: Path, occurrences: Counter[str]) -> float:
    true = Counter(code for codes in raw.codes for code in codes)
    with (out / "codebook.csv").open(newline="") as file:
        members = {row["symbol"]: next(csv.reader([row["members"]], delimiter=" ")) for row in csv.DictReader(file)}
    counted: Counter[str] = Counter()
    for symbol, count in occurrences.items():
        for code in members[symbol]:
            counted[code] += count / len(members[symbol])
    errors = sorted(abs(counted[code] - count) / count for code, count in true.most_common(50))
    return errors[len(errors) // 2]
