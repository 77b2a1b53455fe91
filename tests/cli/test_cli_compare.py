"""``anonset compare`` as a study: parameter ranges, seeds, cached runs, and plots readable without colour."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.facts import names

from anonset.data.resumption.ledger import from_json
from cli.place import Place

BASKETS = "".join(f"{n % 5} {5 + n % 3} {8 + n % 2}\n" for n in range(60))
PEOPLE = "age,sex,city\n" + "".join(f"{20 + 7 * n % 40},{'fm'[n % 2]},c{n % 5}\n" for n in range(60))
GRID = ("--hierarchy", "items=balanced:3", "--algorithms", "apriori,coat", "--m", "1..2")
OF_PEOPLE = ("--relational", "age,sex,city", "--hierarchy", "age=range", "--hierarchy", "sex=values",
             "--hierarchy", "city=values", "--unit", "row")  # fmt: skip


@pytest.fixture
def baskets(place: Place) -> str:
    return place.write("data.dat", BASKETS)


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.long
def test_every_number_accepts_values_and_ranges(place: Place, baskets: str) -> None:
    ran = place.run("compare", baskets, *GRID, "--k", "2,4..8:2", "--format", "csv")
    assert sorted((row["algorithm"], row["m"], row["k"]) for row in _rows(ran.out)) == [
        (name, m, k) for name in ("apriori", "coat") for m in "12" for k in "2468"
    ]
    ran = place.run("compare", baskets, "--hierarchy", "items=balanced:3", "--algorithms", "exact", "--m", "1",
                    "--k", "2", "--gap", "0.0..0.2:0.1", "--format", "csv")  # fmt: skip
    assert [row["gap"] for row in _rows(ran.out)] == ["0.0", "0.1", "0.2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--k", "x"), "k integer"),
        (("--k", "2,x"), "k integer"),
        (("--k", "5..2"), "'--vary k' range"),
        (("--k", "2", "--partitions", "2..3"), "--partitions"),
        (("--k", "2", "--seeds", "1..3"), "--seeds apriori coat"),
    ],
)
def test_invalid_ranges_are_rejected(place: Place, baskets: str, given: tuple[str, ...], message: str) -> None:
    ran = place.run("compare", baskets, *GRID, *given)
    assert (ran.code, names(ran.err, message)) == (2, True), ran.err


def test_random_algorithms_are_repeated_over_seeds(place: Place) -> None:
    people = place.write("people.csv", PEOPLE)
    run = ("compare", people, *OF_PEOPLE, "--algorithms", "cluster,mondrian", "--k", "4", "--seeds", "1..3")
    rows = _rows(place.run(*run, "--format", "csv").out)
    assert [(row["algorithm"], row["seed"]) for row in rows] == [
        ("cluster", "1"), ("cluster", "2"), ("cluster", "3"), ("mondrian", ""),
    ]  # fmt: skip
    head, cluster, mondrian = place.run(*run).out.splitlines()
    assert head.split()[-1] == "runs"
    assert "seed" not in head.split()
    assert (cluster.split()[-1], mondrian.split()[-1]) == ("3", "1")
    mean = sum(float(row["rum"]) for row in rows[:3]) / 3
    assert f"{mean:.5g}" in cluster


def test_cached_runs_are_not_repeated(
    place: Place, baskets: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from anonset.jobs.trials.compare import TrialSettings

    study, ran = tmp_path / "study.jsonl", list[tuple[str, int]]()
    original = TrialSettings.run

    def counting(trials, table, hierarchies, algorithm, candidate):
        ran.append((algorithm.name, algorithm.k))
        return original(trials, table, hierarchies, algorithm, candidate)

    monkeypatch.setattr(TrialSettings, "run", counting)
    small = ("compare", baskets, "--hierarchy", "items=balanced:3", "--algorithms", "apriori", "--m", "1")
    first = place.run(*small, "--k", "2,4", "-o", str(study), "--json").json
    assert study.stat().st_mode & 0o077 == 0
    with study.open("a") as file:
        file.write('{"key": "a run that was killed')
    repeated = place.run(*small, "--k", "2,4,100", "-o", str(study), "--json").json
    assert ran == [("apriori", 2), ("apriori", 4), ("apriori", 100)]
    assert repeated[:2] == first
    assert repeated[2]["outcome"] == "infeasible"
    assert len([json.loads(line) for line in study.read_text().splitlines()]) == 4
    place.run(*small, "--k", "2,4,100", "-o", str(study), "--json")
    assert len(ran) == 3
    place.write("data.dat", BASKETS + "1 2\n")
    other = place.run(*small, "--k", "2", "-o", str(study))
    assert (other.code, names(other.err, "study input")) == (2, True)
    study.write_text("something else\n")
    assert names(place.run(*small, "--k", "2", "-o", str(study)).err, "'compare -o'")


@pytest.mark.parametrize("other", [("--max-work", "0"), ("--null", "1"), ("--encoding", "latin-1"), ("--bound",)])
def test_a_study_has_all_settings_of_its_runs_in_common(place: Place, other: tuple[str, ...], tmp_path: Path) -> None:
    visits = place.write("visits.csv", "codes\n" + "".join(f"a{n % 3} b{n % 4}\n" for n in range(48)))
    run = (
        "compare",
        visits,
        "--items",
        "codes",
        "--hierarchy",
        "codes=balanced:2",
        "--algorithms",
        "apriori",
        "--m",
        "1",
    )
    run = (*run, "--k", "2")
    runs = (run, (*run, *other))
    for number, (first, second) in enumerate((runs, runs[::-1])):
        study = str(tmp_path / f"study{number}.jsonl")
        assert place.run(*first, "-o", study).code == 0
        ran = place.run(*second, "-o", study)
        assert (ran.code, names(ran.err, f"another study {other[0].removeprefix('--').replace('-', '_')}")) == (
            2,
            True,
        ), ran.err


@pytest.mark.parametrize("given", [("--k", "2,4,50"), ("--k", "2")])
def test_plots_need_no_colour(place: Place, baskets: str, given: tuple[str, ...], tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    folder = tmp_path / "plots"
    run = ("compare", baskets, "--hierarchy", "items=balanced:3", "--algorithms", "apriori,coat", "--m", "1", *given)
    assert place.run(*run, "--plot", str(folder)).code == 0
    plots = {path.name for path in folder.iterdir()}
    assert {"ncp.png", "ul.png", "seconds.png"} <= plots
    pixels = image.imread(folder / "ncp.png")
    assert pixels.min() < 0.2
    assert (pixels[..., 0] == pixels[..., 1]).all()
    assert (pixels[..., 1] == pixels[..., 2]).all()
    assert names(place.run(*run, "--plot", str(folder)).err, f"--plot {folder}")
    nowhere = place.run(*run, "--plot", str(tmp_path / "none" / "plots"))
    assert (nowhere.code, names(nowhere.err, f"{tmp_path / 'none'} directory")) == (2, True)


def test_a_growth_study_resumes_after_its_last_run(place: Place) -> None:
    place.write("visits.csv", "codes\n" + "".join(f"a{n % 3} b{n % 4}\n" for n in range(48)))
    options = ["compare", str(place.folder / "visits.csv"), "--items", "codes", "--hierarchy", "codes=balanced:2"]
    options += ["--algorithms", "apriori", "--k", "2", "--m", "2", "-o", str(place.folder / "study.jsonl")]
    ran = place.run(*options, "--records", "50%,100%", "--workers", "1,2", "--json")
    assert ran.code == 0, ran.err
    assert [(row["records"], row["workers"], row["run"]) for row in ran.json] == [
        (records, workers, run) for records in (24, 48) for workers in (1, 2) for run in (1, 2, 3)
    ]
    assert all(row["peak_mib"] > 0 for row in ran.json)
    lines = (place.folder / "study.jsonl").read_text().splitlines()
    repeated = place.run(*options, "--records", "50%,100%", "--workers", "1,2", "--json")
    assert repeated.json == ran.json
    assert (place.folder / "study.jsonl").read_text().splitlines() == lines
    shown = place.run(*options, "--records", "50%,100%", "--workers", "1,2")
    assert names(shown.out, "apriori k=2, m=2, workers=1")
    assert place.run(*options, "--records", "49").code == 2
    assert from_json(json.loads(lines[1])["run"]).settings["records"] == 24


def test_fewer_items_make_a_smaller_tree(place: Place) -> None:
    place.write("visits.csv", "codes\n" + "".join(f"a{n % 3} b{n % 4}\n" for n in range(48)))
    options = ["compare", str(place.folder / "visits.csv"), "--items", "codes", "--hierarchy", "codes=balanced:2"]
    options += ["--algorithms", "apriori", "--k", "2", "--m", "1", "--n-items", "2,7", "--json"]
    ran = place.run(*options)
    assert (ran.code, [row["n_items"] for row in ran.json]) == (0, [2, 2, 2, 7, 7, 7])


@pytest.mark.parametrize(
    ("of_job", "given"), [('point = "items"', ("--w", "0.1,0.3")), ("w = 0.2", ("--point", "items"))]
)
def test_a_weight_replaces_the_point_of_the_job_and_the_reverse(
    place: Place, of_job: str, given: tuple[str, ...]
) -> None:
    data = place.write(
        "people.csv", "age,codes\n" + "".join(f"{20 + 7 * n % 40},a{n % 3} b{n % 2}\n" for n in range(60))
    )
    roles = f'input = "{data}"\nunit = "row"\nitems = ["codes"]\nrelational = ["age"]\nk = 3\nm = 2\n{of_job}\n'
    job = place.write("job.toml", f'{roles}model = "kkm"\nalgorithm = "joint-split"\nseparator = " "\n')
    ran = place.run("compare", job, "--algorithms", "joint-split", *given, "--json")
    assert ran.code == 0, ran.err
    name, values = given[0].removeprefix("--"), given[1].split(",")
    assert [str(row[name]) for row in json.loads(ran.out)] == values
    assert not {"w", "point"} - {name} & set(json.loads(ran.out)[0])
