"""Run drawn jobs, and judge each by what it must publish, refuse, and never show."""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyarrow import parquet
from tests.combinations.draws import NUMBER, Tuple, contained, draw, is_within
from tests.combinations.jobs import Made, make
from tests.combinations.spoken import SPEAKERS, flags, job_arguments
from tests.combinations.table import FACTORS, REFUSED, Choice, Value, allowed, of_algorithms
from tests.reference.publication import (
    breaches,
    bucket_breaches,
    chunk_breaches,
    read_publication,
    release_of,
    untruths,
)
from tests.reference.two_releases import TwoReleases
from tests.tiny_limits import LIMIT, tiny_limits

from anonset.cli.main import main
from anonset.settings.publication import CheckSettings, RiskSettings
from anonset.settings.settings import ReadingSettings, settings_model

_IDENTIFYING = r"names|e-mail|telephone|personal|identify|contact|IBAN|given name|persons|values of"
REFUSED_ALONE: dict[str, dict[Value, str]] = {
    "canary": {
        value: _IDENTIFYING for value in FACTORS["canary"] if value.endswith(("keep", "items", "sensitive", "mention"))
    },
    "keep": {"rare": r"fewer than|groups of"},
    "k": {1000: r"infeasible|cannot|fewer|records|persons|only"},
}
"""Values of a factor that are refused in each job, with a pattern of the message."""
SUPPRESSING = (
    "exact",
    "hghs",
    "mhghs",
    "coherence-suppression",
    "suppress-control",
    "coat",
    "pcta",
    "vpa",
    "lm-apriori",
)


@dataclass
class Ran:
    code: int
    text: str
    """Everything printed."""
    arguments: tuple[str, ...] = ()
    """What was typed. Empty for Python."""


@dataclass
class Judged:
    """What a job came to."""

    state: str
    """``published``, ``refused`` (as the table states), ``infeasible``, or ``wrong``."""
    faults: list[str] = field(default_factory=list)


def command(*arguments: str) -> Ran:
    """Run a command in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main([str(each) for each in arguments])
        except Exception as error:  # what the process would report with exit code 70
            where = traceback.extract_tb(error.__traceback__)[-1]
            code = 70
            out.write(f"{type(error).__name__}: {error} at {Path(where.filename).name}:{where.lineno}")
    return Ran(code, out.getvalue(), arguments)


def expected_refusal(choice: Choice) -> str | None:
    """Return a pattern of the message with which the table says that a job is refused. None if it must publish."""
    return "|".join(reasons(choice)) or None


def reasons(choice: Choice) -> list[str]:
    """Return patterns of the messages with which the table says that a job is refused."""
    declared = choice["publish_as_is"] == "codes" and choice["canary"] == "name:mention"
    accepted = choice["accept"] == "worthless" and choice["search"] in of_algorithms("hghs", "mhghs")  # suppress all
    allowed_values = {"canary": declared, "k": accepted}
    alone = {factor: of_value for factor, of_value in REFUSED_ALONE.items() if not allowed_values.get(factor)}
    patterns = [text for factor, of_value in alone.items() if (text := of_value.get(choice[factor]))]
    return patterns + [text for wanted, text in REFUSED if all(choice[factor] in wanted[factor] for factor in wanted)]


def expected(choice: Choice, among: Collection[Tuple]) -> set[Tuple]:
    """Return the tuples that a job tests if it publishes, or is refused, as the table says."""
    return refusing(choice, among) if expected_refusal(choice) else contained(choice, among)


def refusing(choice: Choice, among: Collection[Tuple]) -> set[Tuple]:
    """Return the tuples that a refused job tests: those with a refused value, or that force a refused pair."""
    if found := [wanted for wanted, _ in REFUSED if all(choice[factor] in wanted[factor] for factor in wanted)]:
        asked = contained(choice, among) if len(found) == 1 else ()
        return {each for each in asked if is_within(each, found[0])}
    alone = {NUMBER[factor, choice[factor]] for factor, values in REFUSED_ALONE.items() if choice[factor] in values}
    return {each for each in contained(choice, among) if alone & {*each}}


def judge(choice: Choice, seed: object = 0) -> Judged:
    """Run a job in a new folder."""
    with tempfile.TemporaryDirectory(prefix="combinations-") as name:
        before = Path.cwd()
        os.chdir(name)
        try:
            return _judge(choice, Path(name), seed)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            return Judged(
                "wrong",
                [f"the test fails: {type(error).__name__}: {error} at {Path(where.filename).name}:{where.lineno}"],
            )
        finally:
            os.chdir(before)


def _judge(choice: Choice, folder: Path, seed: object) -> Judged:
    made = make(choice, folder, seed)
    out = folder / "out"
    made.settings["out"] = str(out)
    private = folder / ("elsewhere" if choice["private"] else "out.private")
    if choice["private"]:
        made.settings["private"] = str(private)
    ran = _run(made, out)
    faults = [f"a canary is printed: {secret!r}" for secret in made.secrets if _shows(ran.text, secret)][:1]
    if ran.code == 70:
        return Judged("wrong", [f"exit code 70: {ran.text[-300:]}"])
    pattern = expected_refusal(choice)
    if ran.code:
        faults += [] if not out.exists() and not private.exists() else ["a refused run left files"]
        if pattern and ran.code == 2 and not re.search(pattern, ran.text):
            faults.append(f"refused with another message: {ran.text[-300:]}")
        if not pattern and ran.code == 2:
            faults.append(f"refused: {ran.text[-400:]}")
        if ran.code == 2:
            faults += _bad_fixes(made, ran, out, private)
        if choice["k"] == 1000 and ran.code == 1:
            faults += (
                [f"named without reason: {ran.text[-300:]}"] if "ceiling" in ran.text and not choice["ceiling"] else []
            )
        state = "wrong" if faults else "refused" if ran.code == 2 or choice["k"] == 1000 else "infeasible"
        return Judged(state, faults)
    if pattern and not _suppresses_canaries(made, out):
        return Judged("wrong", [f"published, but the table says that it is refused ({pattern})"])
    faults += _wrong_bytes(made, out, private)
    faults += _as_first(made, out)
    faults += [f"a canary is published: {path.name}" for path in _showing(out, made.secrets)][:1]
    with tiny_limits():
        faults += READERS[choice["reader"]](made, out, private)
    return Judged("wrong" if faults else "published", faults)


# ---------------------------------------------------------------- refusals

OUT_OF_CORE = ("work_dir", "killed", "repeated")
"""Ways to run with tiny limits, so that small data are processed out of core."""
NAMING_ITEMS = ("sensitive_items", "privacy_constraints", "utility_constraints", "item_weights", "item_loss")
"""Settings that list items, or name a file that does."""
STEPS = 2
"""Number of refusals in a row whose printed fixes are run."""


def printed_fixes(refused: Ran) -> Iterator[list[str]]:
    """Yield the arguments of each command that a refusal prints, and of the refused command with each option that it
    recommends. Declarations that a column is published as it is are left out, and so is another model for a command
    with parameters of its own.
    """
    for typed in re.findall(r"complete command[^\n]*?: anonset ([^\n]+)", refused.text):
        yield shlex.split(typed)
    for clause in _error(refused.text).split("; "):
        option = re.search(r"(?:: |use )((?:--[a-z-]+ [^\s:]+ ?)+)$", clause)
        if option and not re.search(r"--publish-as-is|--model|\b[A-Z]+\b", option[1]):
            yield [*_without(refused.arguments, option[1].split()[::2]), *shlex.split(option[1])]


def _without(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return arguments without those of some options, unless these can be repeated."""
    fields = settings_model().model_fields
    once = {
        option for option in options
        if not re.search("list|dict", str(fields[option.removeprefix("--").replace("-", "_")].annotation))
    }  # fmt: skip
    return [argument for before, argument in pairwise(["", *arguments]) if not {before, argument} & once]


def _bad_fixes(made: Made, refused: Ran, out: Path, private: Path, steps: int = STEPS) -> list[str]:
    """Run the printed fixes of a refusal. None may repeat it, lead to a refusal without a fix, or publish a canary.

    The owner must change more than the fix does if the job has several reasons to be refused, or names items by their
    column: a fix that drops the other column of items changes the names.
    """
    by_column = made.choice["layout"] == "two" and any(made.choice[name] in ("list", "file") for name in NAMING_ITEMS)
    may_end = by_column or len(reasons(made.choice)) > 1
    faults: list[str] = []
    for arguments in printed_fixes(refused):
        if left := re.search(r"anonset (clean \S+ --yes)", refused.text):
            command(*left[1].split())
        with tiny_limits() if made.choice["run"] in OUT_OF_CORE else contextlib.nullcontext():
            ran = command(*arguments)
        again = _bad_fixes(made, ran, out, private, steps - 1) if ran.code == 2 and steps > 1 else []
        is_end = ran.code == 2 and not may_end and (steps == 1 or not any(printed_fixes(ran)))
        if ran.code == 70 or is_end or (ran.code and _error(ran.text) == _error(refused.text)):
            faults.append(f"a printed fix ends with {ran.code}: {ran.text[-300:]} after {' '.join(arguments)}")
        shown = [text for text in made.secrets if _shows(ran.text, text)]
        faults += [f"a printed fix shows a canary: {arguments}" for _ in (*_showing(out, made.secrets), *shown)][:1]
        faults += again
        for folder in (out, private):
            shutil.rmtree(folder, ignore_errors=True)
    return faults


def _error(text: str) -> str:
    """Return the message of an error."""
    return next((line.partition(" error: ")[2] for line in text.splitlines() if " error: " in line), "")


def _suppresses_canaries(made: Made, out: Path) -> bool:
    """Return True if the only reason to refuse a job are items that the model suppressed."""
    only = made.choice["canary"].endswith(":items") and len(reasons(made.choice)) == 1
    return only and made.settings["model"] == "coherence" and not any(_showing(out, made.secrets))


def _shows(text: str, secret: str) -> bool:
    return secret.casefold() in text.casefold() or secret.replace(" ", "_") in text


def _showing(folder: Path, secrets: list[str]) -> Iterator[Path]:
    for path in folder.rglob("*") if secrets else ():
        if path.is_file() and any(_shows(path.read_bytes().decode("utf-8", "replace"), secret) for secret in secrets):
            yield path


# ---------------------------------------------------------------- ways to run


def _run(made: Made, out: Path) -> Ran:
    speak, run, work = SPEAKERS[made.choice["spoken"]], made.choice["run"], out.with_name("work")
    files = {"work_dir": str(work), "memory_limit": LIMIT}
    if not all(allowed("run", "work_dir", factor, value) for factor, value in made.choice.items() if factor != "run"):
        files = {}  # runs in memory only
    if run == "work_dir":
        with tiny_limits():
            return speak(made, files)
    if run == "killed":
        from tests.combinations.killed import kill_within

        with tiny_limits():
            kill_within(lambda: speak(made, {**files, "if_exists": "resume"}), made.seed)
            return speak(made, {**files, "if_exists": "resume"})
    if run == "cluster":
        from tests.combinations.killed import scheduler

        return speak(made, {"work_dir": str(work), "cluster": scheduler()})
    if run == "repeated":
        with tiny_limits():
            first = speak(made, {**files, "if_exists": "resume"})
            again = speak(made, {**files, "if_exists": "resume"})
        if first.code != again.code:
            return Ran(
                70,
                f"the same command again: {first.code}, then {again.code}: {first.text[-200:]} / {again.text[-200:]}",
            )
        return first
    return speak(made, {"one thread": {"workers": 1}, "three threads": {"workers": 3}}.get(run, {}))


def _as_first(made: Made, out: Path) -> list[str]:
    """Compare the bytes with those of the plain way: in memory, by a job file, with the input as it is."""
    choice = made.choice
    plain = {**choice, "run": "memory", "spoken": "job", "input": "as it is", "asked": None}
    is_random = choice["search"] in ("anatomy/anatomy", "safe-grouping/safe-grouping") and choice["seed"] is None
    # docs/inside.md: kept values of equal baskets at the border of two partitions depend on the order
    depends = choice["search"] == "partition-km/lra" and choice["keep"] != "none" and choice["input"] != "as it is"
    if plain == dict(choice) or is_random or depends:
        return []
    folder = out.with_name("plain")
    folder.mkdir()
    other = make(plain, folder, made.seed)
    other.settings["out"] = str(folder / "out")
    ran = SPEAKERS["job"](other, {})
    if ran.code:
        return [f"the plain way ends with {ran.code}: {ran.text[-300:]}"]
    return different(folder / "out", out)


def different(one: Path, other: Path) -> list[str]:
    """Name the published files whose bytes differ, without the attestation's name of the input."""
    files = [
        {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()} for folder in (one, other)
    ]
    names = [str(name) for name in files[0].keys() | files[1].keys() if files[0].get(name) != files[1].get(name)]
    names = [name for name in names if name != "attestation.json"] or names
    return [f"other bytes than in the plain way: {sorted(names)}"] if names else []


# ---------------------------------------------------------------- what is published


def _wrong_bytes(made: Made, out: Path, private: Path) -> list[str]:
    given, persons = made.settings, made.named_persons()
    model = given["model"]
    try:
        if model in ("anatomy", "safe-grouping"):
            figures = json.loads((private / "report.json").read_text())["figures"]
            removed = sum(figures.get(name, 0) for name in ("removed_for_diversity", "removed_with_groups"))
            return list(bucket_breaches(out, given, persons, int(removed)))
        if model == "disassociation":
            return list(chunk_breaches(out, given, persons))
        publication = read_publication(out)
        suppresses = (
            given["algorithm"] in SUPPRESSING
            or given.get("transaction") in SUPPRESSING
            or bool(made.choice["sensitive_items"])
        )
        return [*breaches(publication, given, persons), *untruths(publication, persons, suppresses=suppresses)][:3]
    except (KeyError, ValueError, AssertionError) as error:
        return [f"the publication cannot be read: {type(error).__name__}: {error}"]


# ---------------------------------------------------------------- readers

Reader = Callable[[Made, Path, Path], list[str]]
ENOUGH = ("--memory-limit", "4G")
"""Memory of readers that use more than the run: the private report contains the tiny limit of the run."""


def _accepts(*arguments: Any, code: int = 0) -> list[str]:
    ran = command(*arguments)
    return [] if ran.code == code else [f"{arguments[0]} ends with {ran.code}, not {code}: {ran.text[-400:]}"]


def _policy(made: Made, private: Path) -> list[str]:
    policy = private / "privacy_constraints.txt"
    return [] if made.settings.get("privacy_constraints", "km") == "km" else ["--privacy-constraints", str(policy)]


def _report(made: Made, out: Path, private: Path, *options: str) -> list[str]:
    page = out.with_name("page.html")
    of = [str(out)] if "--shareable" in options else [str(private / "report.json"), *ENOUGH]
    faults = _accepts("report", *of, "-o", str(page), *options)
    if not faults and options and list(_showing(page.parent / "page.html", made.secrets)):
        faults.append("a canary is in the shareable report")
    return faults


def _rerun(made: Made, out: Path, private: Path) -> list[str]:
    again = out.with_name("again")
    faults = _accepts(
        "anonymize", str(private / "report.json"), "-o", str(again), "--private", f"{again}.private", "--quiet"
    )
    if made.settings["model"] in ("anatomy", "safe-grouping") and made.choice["seed"] is None:
        return faults
    return faults or different(out, again)


def _resume(made: Made, out: Path, private: Path) -> list[str]:
    ran = SPEAKERS["job"](made, {"if_exists": "resume"})
    return [] if ran.code == 0 else [f"resume ends with {ran.code}: {ran.text[-400:]}"]


def _changed_byte(made: Made, out: Path, private: Path) -> list[str]:
    path = max(
        (p for p in out.rglob("*") if p.is_file() and p.name != "attestation.json"), key=lambda p: p.stat().st_size
    )
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    ran = command("verify", str(out))
    return [] if ran.code in (1, 2) else [f"verify of a changed byte ends with {ran.code}: {ran.text[-300:]}"]


def _changed_row(made: Made, out: Path, private: Path) -> list[str]:
    files = (path for name in ("published*", "published/*", "tables/*", "tables/*/*") for path in out.glob(name))
    path = max((path for path in files if path.is_file()), key=lambda path: path.stat().st_size)
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        parquet.write_table(table.slice(0, table.num_rows - 1), path)
    else:
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    ran = command("verify", str(out))
    return [] if ran.code in (1, 2) else [f"verify with a missing row ends with {ran.code}: {ran.text[-300:]}"]


OF_ORIGINALS: dict[str, Any] = {"risk": RiskSettings, "verify": CheckSettings}


def _with_original(name: str) -> Reader:
    def read(made: Made, out: Path, private: Path) -> list[str]:
        reading = {*ReadingSettings.model_fields, "hierarchy", "drop"} & {*OF_ORIGINALS[name].model_fields}
        given = {option: value for option, value in made.settings.items() if option in reading and option != "input"}
        way_back = ["--private", str(private)] if name == "risk" else ["--records", str(private / "records.csv")]
        more = [*way_back, *(_policy(made, private) if name == "verify" else ()), *flags(given)]
        return _accepts(name, str(out), "--original", made.settings["input"], *more)

    return read


def _resume_other(made: Made, out: Path, private: Path) -> list[str]:
    """Resume with another option of reading: the publication is of another run."""
    settings = {**made.settings, "if_exists": "resume"}
    if "tables" in settings:
        tables = settings["tables"]
        settings["tables"] = {**tables, "codes": {**tables["codes"], "null": "zz"}}
    else:
        settings["null"] = [*settings.get("null", []), "zz"]
    ran = command("anonymize", *job_arguments(made, settings, out.with_name("other.toml")))
    return [] if ran.code == 2 else [f"resume with another null ends with {ran.code}: {ran.text[-200:]}"]


def _unchanged(settings: dict[str, Any], made: Made) -> None: ...


def _next(setting: str, change: Callable[[dict[str, Any], Made], None] = _unchanged) -> Reader:
    """Publish again, with other settings of reading, and with the first release as the earlier one."""

    def read(made: Made, out: Path, private: Path) -> list[str]:
        later = out.with_name("later")
        settings = {**made.settings, setting: str(private), "out": str(later), "private": f"{later}.private"}
        if setting == "after":
            settings["k"] = made.settings["k"] + 1  # the second cut differs
        change(settings, made)
        ran = command("anonymize", *job_arguments(made, settings, out.with_name("later.toml")))
        if ran.code == 1 or (ran.code == 2 and change is not _unchanged):
            return []
        if ran.code:
            return [f"{setting} ends with {ran.code}: {ran.text[-400:]}"]
        faults = _joint_faults(made, settings, out, later) if setting == "after" else []
        return faults or _accepts("verify", str(later), *(["--after", str(private)] if setting == "after" else []))

    return read


def _joint_faults(made: Made, settings: dict[str, Any], out: Path, later: Path) -> list[str]:
    """Check two releases of the same persons, with the records as the input has them."""
    persons = made.named_persons()
    sets = [column for column in persons.sets if made.names.get(column, column) in settings.get("items", persons.sets)]
    if made.choice["layout"] not in ("cell", "two", "long") or made.settings.get("suppress"):
        return []
    earlier = release_of(out, persons, sets)  # what an attacker knows about the columns of both
    found = TwoReleases(
        release_of(later, persons, sets),
        earlier,
        [(n, n) for n in range(len(persons.all))],
        frozenset().union(*earlier.records),
    )
    fewest = found.fewest_linked(found.unchanged, settings["m"])
    k = settings["k"]
    return [f"together, {fewest} persons remain of {k}"] if fewest is not None and fewest < k else []


def _a_column_less(settings: dict[str, Any], made: Made) -> None:
    drugs = made.names.get("drugs", "drugs")
    settings["hierarchy"] = {c: spec for c, spec in settings["hierarchy"].items() if c not in (drugs, "drugs.drugs")}
    if "tables" in settings:
        settings["tables"] = {name: table for name, table in settings["tables"].items() if name != "drugs"}
    else:
        settings |= {"items": settings["items"][:1], "drop": [*settings["drop"], drugs]}


def _other_spellings(settings: dict[str, Any], made: Made) -> None:
    del settings["normalize"]
    settings["hierarchy"] = dict.fromkeys(settings["hierarchy"], "balanced:2")


def _other_nulls(settings: dict[str, Any], made: Made) -> None:
    settings |= {"null": ["A1"], "missing": "empty"}


READERS: dict[str, Reader] = {
    "verify": lambda made, out, private: _accepts("verify", str(out), *_policy(made, private)),
    "verify job": lambda made, out, private: _accepts("verify", str(private / "report.json")),
    "risk": lambda made, out, private: _accepts("risk", str(private / "report.json"), "--quiet", *ENOUGH),
    "evaluate": lambda made, out, private: _accepts("evaluate", str(private / "report.json"), "--quiet", *ENOUGH),
    "report": _report,
    "shareable": lambda made, out, private: _report(made, out, private, "--shareable"),
    "rerun": _rerun,
    "resume": _resume,
    "changed byte": _changed_byte,
    "changed row": _changed_row,
    "recoding": _next("recoding"),
    "risk original": _with_original("risk"),
    "verify original": _with_original("verify"),
    "resume other": _resume_other,
    "after": _next("after"),
    "after a column less": _next("after", _a_column_less),
    "after other spellings": _next("after", _other_spellings),
    "after other nulls": _next("after", _other_nulls),
}


# ---------------------------------------------------------------- shrinking


def shrink(choice: Choice, seed: object, fault: str) -> dict[str, Value]:
    """Return a job with the same kind of fault, and fewer values that differ from the defaults."""
    kind, small = fault_kind(fault), dict(choice)
    for factor in reversed([name for name, value in choice.items() if value != FACTORS[name][0]]):
        for value in FACTORS[factor][:1]:
            tried = {**small, factor: value}
            if draw(0, tried) is not None and any(fault_kind(each) == kind for each in judge(tried, seed).faults):
                small = tried
    return small


def fault_kind(fault: str) -> str:
    """Return a fault without numbers, paths and quoted names."""
    return re.sub(r"/\S+|'[^']*'|\d+", "_", fault)[:110]


def told(choice: Choice) -> str:
    """Return what differs from the defaults, as text."""
    return ", ".join(
        f"{name}={value!r}" for name, value in choice.items() if value != FACTORS[name][0] or name == "search"
    )
