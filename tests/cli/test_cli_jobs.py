"""Every command that reads a data set also accepts a job file."""

from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.jobs.runs import run as running
from cli.place import Place

JOB = """input = "data/visits.csv"
items = "codes"
drop = ["doctor"]
unit = "row"
hierarchy = { codes = "codes.csv" }
model = "km"
k = 2
m = 2
algorithm = "apriori"
out = "../safe"
"""


@pytest.fixture
def job(place: Place, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a job file in another folder. Its paths are relative to itself."""
    (place.folder / "jobs" / "data").mkdir(parents=True)
    place.write("jobs/data/visits.csv", "codes,doctor\na1 b1 b2,x\na2 b1,y\na2 b1 b2,x\na1 a2 b2,z\n")
    place.write("jobs/codes.csv", "a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\n")
    monkeypatch.chdir(place.folder)
    place.write("jobs/job.toml", JOB)
    return "jobs/job.toml"


@pytest.mark.long
def test_one_job_file_configures_every_command(place: Place, job: str) -> None:
    assert place.run("anonymize", job).code == 0
    assert (place.folder / "safe" / "published.csv").read_text() == "codes\nA b1\nA b1 b2\nA b1 b2\nA b2\n"
    ran = place.run("verify", job, "--json")
    assert (ran.code, ran.json["verdict"], ran.json["true"]) == (0, "holds", True)
    ran = place.run("evaluate", job, "--json")
    assert (ran.code, round(ran.json["ncp"], 4)) == (0, 0.2273)
    ran = place.run("compare", job, "--algorithms", "apriori,lra", "--json")
    assert [row["algorithm"] for row in ran.json] == ["apriori", "lra"]
    assert place.run("hierarchy", "check", "jobs/codes.csv", "--input", job).code == 0
    assert place.run("hierarchy", "build", job, "-o", "tree.csv").code == 0


@pytest.mark.long
def test_ceiling_files_are_found_relative_to_the_job(place: Place, job: str) -> None:
    place.write("jobs/top.txt", "A\nB\n")
    settings = JOB.replace("k = 2", 'k = 3\nceiling = { codes = "top.txt" }').replace('"apriori"', '"exact"')
    place.write("jobs/job.toml", settings)
    assert place.run("anonymize", job).code == 0
    assert (place.folder / "safe" / "published.csv").read_text() == "codes\nA B\nA B\nA B\nA B\n"
    report = "safe.private/report.json"
    repeated = place.run("anonymize", report, "--out", "again", "--ceiling", "codes=1")
    assert repeated.code == 0, repeated.err
    ran = place.run("anonymize", job, "--out", "none", "--ceiling", "codes=2")
    assert (ran.code, names(ran.err, "ceiling")) == (1, True), ran.err
    ran = place.run("compare", job, "--algorithms", "exact,apriori", "--json")
    assert [row["outcome"] for row in ran.json] == ["holds", "holds"]
    ran = place.run("compare", job, "--algorithms", "exact,apriori", "--json", "--ceiling", "codes=2")
    assert [row["outcome"] for row in ran.json] == ["infeasible", "infeasible"]
    ran = place.run("anonymize", job, "--out", "none", "--ceiling", "codes=2", "--suppress", "--accept", "worthless")
    assert ran.code == 0, ran.err


def test_flags_win_over_the_job(place: Place, job: str) -> None:
    assert place.run("anonymize", job, "--k", "3", "-o", "other").code == 0
    assert '"k": 3' in (place.folder / "other" / "attestation.json").read_text()
    ran = place.run("evaluate", job, "other", "--json")
    assert ran.code == 0


@pytest.mark.parametrize("command", ["anonymize", "compare"])
def test_a_hierarchy_option_replaces_only_its_column_of_the_job(
    place: Place, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    place.write("rows.csv", "dob,code\n" + "1950-01-02,a\n1961-03-04,b\n" * 8)
    roles = 'input = "rows.csv"\nrelational = ["dob"]\nitems = "code"\nunit = "row"\nmodel = "kkm"\nk = 2\nm = 1\n'
    place.write("job.toml", f'{roles}[hierarchy]\ndob = "date:from-year,decade"\ncode = "balanced:2"\n')
    options = ("--algorithm" if command == "anonymize" else "--algorithms", "rfirst", "--transaction", "apriori")
    out = ("-o", "out") if command == "anonymize" else ()
    ran = place.run(command, "job.toml", *options, "--hierarchy", "code=balanced:3", *out)
    assert (ran.code, ran.err) == (0, "")  # without this hierarchy, full dates of birth are rejected


def test_a_role_option_replaces_only_its_column_of_the_job(place: Place) -> None:
    rows = "".join(f"p{n},h{n},{30 + n % 2},{n % 2}\n" for n in range(8))
    place.write("people.csv", "name,house,age,zip\n" + rows)
    roles = 'relational = ["house", "age", "zip"]\ndrop = ["name"]\nnumeric = ["age"]\nunit = "row"'
    model = 'hierarchy = { house = "values" }\nmodel = "k"\nk = 2\nalgorithm = "cluster"\nout = "safe"\n'
    job = place.write("job.toml", f'input = "people.csv"\n{roles}\n{model}')
    ran = place.run("anonymize", job, "--drop", "house")
    assert ran.code == 0, ran.err
    assert (place.folder / "safe" / "published.csv").read_text().splitlines()[0] == "age,zip"


@pytest.mark.long
def test_the_private_report_runs_as_a_job(place: Place, job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder / "jobs")
    options = ("data/visits.csv", "--items", "codes", "--drop", "doctor", "--hierarchy", "codes=codes.csv")
    options += ("--unit", "row")
    assert place.run("anonymize", *options, "--model", "km", "--k", "2", "--m", "2", "-o", "first").code == 0
    monkeypatch.chdir(place.folder)
    report = "jobs/first.private/report.json"
    assert place.run("anonymize", report, "-o", "second").code == 0
    first, second = place.folder / "jobs" / "first", place.folder / "second"
    assert (first / "published.csv").read_bytes() == (second / "published.csv").read_bytes()
    ran = place.run("verify", report, "--json")
    assert (ran.code, ran.json["true"]) == (0, True)
    place.write("report.json", "{}")
    ran = place.run("verify", "report.json")
    assert (ran.code, ran.err.count("\n"), names(ran.err, "report.json private directory")) == (2, 1, True)


@pytest.mark.parametrize(
    "command",
    ["anonymize", "verify", "evaluate", "risk", "report", "compare", "inspect", "suggest", "hierarchy build"],
)
def test_a_misspelt_setting_is_refused_by_every_command(place: Place, job: str, command: str) -> None:
    assert place.run("anonymize", job).code == 0
    place.write(job, JOB.replace("drop =", "dorp ="))
    ran = place.run(*command.split(), job, *(["-o", "other"] if command in ("anonymize", "hierarchy build") else []))
    assert (ran.code, ran.out) == (2, "")
    assert names(ran.err, "dorp drop")
    assert ran.err.count("\n") == 1


def test_a_job_may_contain_settings_of_the_command_that_reads_it(place: Place, job: str) -> None:
    place.write(job, JOB + "attempts = 7\n")
    assert place.run("anonymize", job).code == 2
    place.write("jobs/plain.toml", JOB)
    assert place.run("anonymize", "jobs/plain.toml").code == 0
    assert place.run("risk", job).code == 0
    ran = place.run("verify", job)
    assert (ran.code, names(ran.err, "attempts")) == (2, True)


def test_verify_without_the_original_at_hand(place: Place, job: str) -> None:
    assert place.run("anonymize", job).code == 0
    (place.folder / "jobs" / "data" / "visits.csv").unlink()
    ran = place.run("verify", job, "--json")
    assert (ran.code, ran.json["verdict"], "true" in ran.json) == (0, "holds", False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("anonymize", "none.toml"), "none.toml"),
        (
            ("anonymize", "JOB", "--config", "JOB"),
            "'--config jobs/job.toml' jobs/job.toml",
        ),
        (("verify", "EMPTY"), "out path"),
        (("evaluate", "EMPTY"), "input path"),
        (("compare", "EMPTY"), "input path"),
        (("evaluate", "jobs/data/visits.csv"), "OUT"),
    ],
)
def test_missing_settings_of_a_job_are_named_in_one_line(
    place: Place, job: str, arguments: tuple[str, ...], said: str
) -> None:
    empty = place.write("empty.toml", "k = 2\n")
    ran = place.run(*({"JOB": job, "EMPTY": empty}.get(argument, argument) for argument in arguments))
    assert (ran.code, names(ran.err, said), ran.err.count("\n")) == (2, True, 1), ran.err


def test_an_identical_finished_job_is_skipped(place: Place, job: str) -> None:
    skip = ("anonymize", job, "--if-exists", "resume")
    assert place.run(*skip).code == 0
    before = {path: path.stat().st_mtime_ns for path in (place.folder / "safe").iterdir()}
    ran = place.run(*skip, "--workers", "1")
    assert (ran.code, names(ran.out, "already"), "holds" in ran.out) == (0, True, True)
    assert {path: path.stat().st_mtime_ns for path in (place.folder / "safe").iterdir()} == before
    assert place.run("anonymize", job).code == 2
    ran = place.run(*skip, "--k", "3")
    assert (ran.code, names(ran.err, "safe k")) == (2, True)
    (place.folder / "jobs" / "data" / "visits.csv").write_text("codes,doctor\na1 b1 b2,x\na1 b1 b2,x\n")
    ran = place.run(*skip)
    assert (ran.code, names(ran.err, "safe data")) == (2, True)


TREES = ("a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\n", "a1,A,ALL\na2,A,ALL\nb1,A,ALL\nb2,B,ALL\n")
LISTS = {
    "hierarchy": ("apriori", "tree.csv", *TREES),
    "refine:": ("apriori", "tree.csv", *TREES),
    "halves:frequency@": ("apriori", "then.dat", "a1 a2\nb1\na1\n", "a1 a2\nb1 b2\nb2\n"),
    "ceiling": ("apriori", "top.txt", "A\nB\n", "B\nA\n"),
    "privacy_constraints": ("coat", "list.txt", "a1\nb1 b2\n", "a1\n"),
    "utility_constraints": ("coat", "groups.txt", "a1 a2 b1 b2\n", "a1 a2\nb1 b2\n"),
    "sensitive_items": ("suppress-control", "secret.txt", "b2\nb1\n", "b2\n"),
    "item_weights": ("coat", "weights.txt", "0.5 a1\n", "0.75 a1\n"),
}  # fmt: skip


def job_with(place: Place, name: str) -> tuple[list[str], Path, str]:
    """Return a job that names a missing file, and the contents to write to that file."""
    algorithm, file, first, then = LISTS[name]
    path = Path(place.write(file, first))
    fixed = ["anonymize", str(place.folder / "data.dat"), "-o", str(place.out), "--accept", "worthless", "--algorithm"]
    tree = f"items={place.folder / 'hierarchy.csv'}"
    more = {
        "apriori": ["--k", "2", "--m", "1"],
        "coat": ["--k", "2", "--max-suppressed", "1"],
        "suppress-control": ["--rho", "0.9", "--m", "1"],
    }[algorithm]
    if algorithm == "coat" and name != "privacy_constraints":
        more += ["--privacy-constraints", place.write("all.txt", "a1\nb1 b2\n")]
    if algorithm == "coat" and name != "utility_constraints":
        more += ["--utility-constraints", place.write("one.txt", "a1 a2 b1 b2\n")]
    if name in ("hierarchy", "refine:", "halves:frequency@"):
        more += ["--hierarchy", f"items={name.removeprefix('hierarchy')}{path}"]
    elif name == "ceiling":
        more += ["--hierarchy", tree, "--ceiling", f"items={path}"]
    else:
        more += [f"--{name.replace('_', '-')}", f"@{path}" if name == "sensitive_items" else str(path)]
    return [*fixed, algorithm, *more], path, then


@pytest.mark.parametrize("name", LISTS)
def test_a_publication_under_another_list_is_not_skipped(place: Place, name: str) -> None:
    job, path, then = job_with(place, name)
    assert place.run(*job).code == 0
    assert place.run(*job, "--if-exists", "resume").code == 0
    path.write_text(then)
    ran = place.run(*job, "--if-exists", "resume")
    assert (ran.code, ran.err.count("\n"), names(ran.err, "side files")) == (2, 1, True), ran.err
    path.unlink()
    assert place.run(*job, "--if-exists", "resume").code == 2


def test_a_list_that_changes_while_it_is_read_stops_the_run(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    job, path, then = job_with(place, "hierarchy")
    bound = running.bind

    def changed(*given: Any) -> Any:
        path.write_text(then)
        return bound(*given)

    monkeypatch.setattr(running, "bind", changed)
    ran = place.run(*job)
    assert (ran.code, len(ran.errors), place.out.exists(), place.private.exists()) == (2, 1, False, False)
    assert names(ran.err, "hierarchy items changed")


def test_a_changed_job_is_not_skipped(place: Place, job: str) -> None:
    skip = ("anonymize", job, "--if-exists", "resume")
    assert place.run(*skip).code == 0
    published = place.folder / "safe" / "published.csv"
    before = published.read_text()
    published.write_text(before.replace("A b2", "A b1"))
    assert place.run(*skip).code == 2
    published.write_text(before)
    (place.folder / "safe.private" / "report.json").unlink()
    ran = place.run(*skip)
    assert (ran.code, names(ran.err, "report.json")) == (2, True)


def test_inspect_reads_k_and_m_of_a_job_unless_given_as_options(place: Place, job: str) -> None:
    assert "fewer than k" not in place.run("inspect", job).out  # four records, k = 2
    assert names(place.run("inspect", job, "--k", "5").out, "fewer k=5")
    assert set(place.run("inspect", job, "--json").json["known_items"]) == {"1", "2", "3"}
    assert set(place.run("inspect", job, "--m", "1", "--json").json["known_items"]) == {"1", "2"}


@pytest.mark.long
def test_suggest_reads_the_guarantee_of_a_job_unless_given_as_options(place: Place, job: str) -> None:
    assert place.run("suggest", job, "--json").json["parameters"] == {"k": 2, "m": 2}
    ran = place.run("suggest", job, "--m", "1", "--null", "k.A.", "--json")
    assert ran.json["parameters"] == {"k": 2, "m": 1}
    assert f" {job} --null k.A. " in ran.json["recommended"]["command"]


def test_policy_generate_reads_k_of_a_job_unless_given_as_options(place: Place, job: str) -> None:
    def rare(name: str, *flags: str) -> list[str]:
        ran = place.run("policy", "generate", job, "--privacy", "pgen", "-o", name, *flags)
        assert ran.code == 0, ran.err
        return (place.folder / name).read_text().splitlines()

    data = str(place.folder / "jobs" / "data" / "visits.csv")
    typed = ("policy", "generate", data, "--items", "codes", "--drop", "doctor", "--unit", "row", "--privacy", "pgen")
    for k in ("1", "2"):
        assert place.run(*typed, "-o", f"{k}.txt", "--k", k).code == 0
    first, two = ((place.folder / f"{k}.txt").read_text().splitlines() for k in (1, 2))
    assert first != two
    assert (rare("own.txt"), rare("flag.txt", "--k", "1")) == (two, first)


def test_risk_and_report_take_the_original_of_a_job_under_their_flags(place: Place, job: str) -> None:
    assert place.run("anonymize", job).code == 0
    assert place.run("risk", job, "--json").json["attack"]
    assert place.run("report", job, "-o", "page.html").code == 0
    place.write("other.csv", "codes,doctor\na1,x\na2,y\nb1,x\nb2,z\n")
    for command, more in (("risk", ()), ("report", ("-o", "other.html"))):
        ran = place.run(command, job, "--original", "other.csv", *more)
        assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err  # not the published data


@pytest.mark.parametrize("command", ["verify", "risk"])
def test_an_original_that_was_moved_has_the_roles_of_the_job(place: Place, job: str, command: str) -> None:
    assert place.run("anonymize", job).code == 0
    (place.folder / "jobs" / "data" / "visits.csv").rename(place.folder / "moved.csv")
    compared = "true" if command == "verify" else "attack"
    assert not place.run(command, job, "--json").json.get(compared)
    ran = place.run(command, job, "--original", "moved.csv", "--json")
    assert (ran.code, bool(ran.json[compared])) == (0, True), ran.err


def test_the_original_of_a_job_may_be_a_glob(place: Place, job: str) -> None:
    place.write("jobs/job.toml", JOB.replace("data/visits.csv", "data/*.csv"))
    assert place.run("anonymize", job).code == 0
    assert place.run("verify", job, "--json").json["true"] is True
    (place.folder / "jobs" / "data" / "visits.csv").unlink()
    ran = place.run("verify", job, "--json")
    assert (ran.code, "true" in ran.json) == (0, False)


def test_evaluate_uses_the_private_directory_of_a_job_only_for_its_output(place: Place, job: str) -> None:
    place.write("jobs/job.toml", JOB + 'private = "../kept"\n')
    for flags in ((), ("-o", "other", "--private", "other.private", "--k", "3")):
        assert place.run("anonymize", job, *flags).code == 0
    first, other = place.run("evaluate", job, "--json"), place.run("evaluate", job, "other", "--json")
    assert (first.code, other.code) == (0, 0), other.err
    weighted = place.write("jobs/weighted.toml", (place.folder / job).read_text() + 'item_weights = "ones"\n')
    assert place.run("evaluate", weighted, "--json").json["ul"] != first.json["ul"]
    assert place.run("evaluate", weighted, "--item-weights", "lca", "--json").json["ul"] == first.json["ul"]
    (place.folder / "kept").rename(place.folder / "gone")
    ran = place.run("evaluate", job)
    assert (ran.code, "kept" in ran.err) == (2, True)


@pytest.mark.parametrize("command", ["verify", "evaluate", "risk"])
def test_the_memory_limit_of_a_job_is_that_of_every_command(place: Place, job: str, command: str) -> None:
    assert place.run("anonymize", job).code == 0
    place.write("jobs/job.toml", JOB + 'memory_limit = "1K"\n')
    ran = place.run(command, job)
    assert (ran.code, "--memory-limit" in ran.err) == (2, True), ran.err
    assert place.run(command, job, "--memory-limit", "8G").code == 0


@pytest.mark.parametrize(
    "arguments",
    [("compare", "JOB", "--format", "csv"), ("hierarchy", "check", "jobs/codes.csv", "--input", "JOB")],
)
def test_flags_win_in_how_a_job_is_read(place: Place, job: str, arguments: tuple[str, ...]) -> None:
    typed = [job if argument == "JOB" else argument for argument in arguments]
    assert place.run(*typed).code == 0
    ran = place.run(*typed, "--delimiter", ";")
    assert (ran.code, names(ran.err, "codes")) == (2, True), ran.err


@pytest.mark.parametrize(
    ("settings", "files"),
    [
        ('algorithm = "coat"\nk = 2\nprivacy_constraints = "pgen"\nutility_constraints = "siblings:2"\n', {}),
        (
            'algorithm = "coat"\nk = 2\nprivacy_constraints = "km"\nm = 1\nutility_constraints = "groups.txt"\n',
            {"groups.txt": "a1 a2\nb1 b2\n"},
        ),
        (
            'model = "coherence"\nk = 2\np = 1\nh = 0.9\nsensitive_items = "@secret.txt"\n',
            {"secret.txt": "b2\n"},
        ),
        ('model = "coherence"\nk = 2\np = 1\nsensitive_items = ["@secret.txt"]\n', {"secret.txt": "b2\n"}),
    ],
)
def test_a_setting_is_a_keyword_before_it_is_a_file_of_the_job(
    place: Place, monkeypatch: pytest.MonkeyPatch, settings: str, files: dict[str, str]
) -> None:
    (place.folder / "jobs").mkdir()
    for name, text in {**files, "data.dat": "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n"}.items():
        place.write(f"jobs/{name}", text)
    place.write("jobs/job.toml", f'input = "data.dat"\nout = "out"\n{settings}')
    monkeypatch.chdir(place.folder)
    more = ("--max-suppressed", "1") if "coat" in settings else ()
    ran = place.run("anonymize", "jobs/job.toml", "--accept", "worthless", *more)
    assert ran.code == 0, ran.err
    monkeypatch.chdir(place.folder / "jobs")
    typed = [word for line in settings.splitlines() for word in _typed(*line.split(" = "))]
    ran = place.run("anonymize", "data.dat", *typed, "--accept", "worthless", *more, "-o", "typed")
    assert ran.code == 0, ran.err
    monkeypatch.chdir("/")
    ran = place.run("anonymize", str(place.folder / "jobs" / "typed.private" / "report.json"), "-o", str(place.out))
    assert ran.code == 0, ran.err
    published = {(place.folder / "jobs" / name / "published.dat").read_bytes() for name in ("out", "typed")}
    assert published == {(place.out / "published.dat").read_bytes()}


def _typed(name: str, value: str) -> tuple[str, str]:
    return f"--{name.replace('_', '-')}", value.strip('[]"')


@pytest.mark.parametrize(
    "more",
    [f"null = {'[' * 10**5}{']' * 10**5}", f"seed = {'9' * 5000}", f"seed = 0x{'f' * 5000}"],
)
def test_a_forged_job_is_refused_in_one_line(place: Place, job: str, more: str) -> None:
    fixed = JOB.replace('unit = "row"\n', "")
    place.write("jobs/forged.toml", f"{more}\n{fixed}")
    for command in ("anonymize", "inspect", "suggest"):
        ran = place.run(command, "jobs/forged.toml")
        assert (ran.code, ran.err.count("\n"), len(ran.err) < 500) == (2, 1, True), ran.err


@pytest.mark.parametrize("mark", ["Check", "Checked"])
def test_a_run_repeats_the_problems_that_nobody_checked(place: Place, mark: str) -> None:
    place.write("ages.csv", "\n".join(["age", *["20", "30"] * 10]) + "\n")
    settings = 'input = "ages.csv"\nout = "out"\nrelational = ["age"]\nunit = ["row"]\nmodel = "k"\nk = 5\n'
    job = place.write("ages.toml", f"# {mark}: ages are odd\n{settings}")
    ran = place.run("anonymize", job)
    assert ran.code == 0, ran.err
    assert (f"Not checked yet, in {job}:\n- ages are odd\n" in ran.err + ran.out) == (mark == "Check")
