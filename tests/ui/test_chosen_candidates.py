"""A candidate that the page writes to the job is published as by the command that ``anonset suggest`` prints."""

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest

from anonset.cli.main import main
from anonset.jobs.trials.candidates import candidates_for
from anonset.settings.job import Job
from anonset.ui.state import choices
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState
from anonset.ui.state.trial import Trial

ONE = 'input = "data.csv"\nout = "out"\nunit = "row"\n'
LINKED = (
    'unit = "person"\nout = "out"\nmodel = "kkm"\nk = 2\nm = 1\n'
    '[tables.persons]\ninput = "data.csv"\nrelational = ["sex"]\ndrop = ["codes", "age", "drug", "patient"]\n'
    '[tables.visits]\ninput = "visits.csv"\nkey = "person"\nitems = "code"\n'
)
LINKED_TREES = '[hierarchy]\nvisits.code = "prefix:1"\npersons.sex = "values"\n'
KINDS = {
    "km": (
        ONE + 'model = "km"\nk = 3\nm = 2\nitems = ["codes"]\nseparator = " "\n'
        'drop = ["person", "sex", "age", "drug", "patient"]\n[hierarchy]\ncodes = "prefix:1"\n'
    ),
    "kkm": (
        ONE + 'model = "kkm"\nk = 2\nm = 1\nitems = ["codes"]\nrelational = ["sex", "age"]\nseparator = " "\n'
        'drop = ["person", "drug", "patient"]\n[hierarchy]\ncodes = "prefix:1"\nsex = "values"\nage = "range"\n'
    ),
    "kl": (
        ONE + 'model = "kl"\nk = 2\nl = 2\nrelational = ["sex", "age"]\nsensitive = "drug"\n'
        'drop = ["person", "codes", "patient"]\n[hierarchy]\nsex = "values"\nage = "range"\n'
    ),
    "buckets": (
        'input = "data.csv"\nout = "out"\nmodel = "anatomy"\nl = 2\nid = ["patient"]\n'
        'sensitive = "drug"\ndrop = ["person", "codes", "age", "sex"]\n'
    ),
    "linked": LINKED + LINKED_TREES,
    "linked, items of two tables": (
        LINKED + '[tables.drugs]\ninput = "drugs.csv"\nitems = "drug"\n' + LINKED_TREES + 'drugs.drug = "prefix:1"\n'
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = random.Random(3)
    codes = [f"{letter}{n}" for letter in "abc" for n in range(3)]
    tables = {
        "data": ["person,sex,age,codes,drug,patient"]
        + [
            f"P{n},{rng.choice('fm')},{rng.randrange(20, 60)},{' '.join(rng.sample(codes, 3))},d{n % 5},Q{n % 80}"
            for n in range(90)
        ],
        "visits": ["person,code", *(f"P{n % 90},{rng.choice(codes)}" for n in range(200))],
        "drugs": ["person,drug", *(f"P{n % 90},x{rng.randrange(4)}" for n in range(200))],
    }
    for name, rows in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def published(out: str) -> dict[str, Any]:
    files = {path.name: path.read_bytes() for path in Path(out).rglob("*.csv")}
    stated = json.loads((Path(out) / "attestation.json").read_text())
    return {**files, "guarantee": (stated["model"], stated["parameters"])}


def page_of(folder: Path, job: str, text: str) -> PageState:
    """Return the page with a job after a trial."""
    (folder / job).write_text(text)
    state = PageState(Folder(folder))
    state.job = folder / job
    state.trial = Trial(job, state.tried, state.folder)
    return state


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_writes_the_settings_of_the_printed_command(kind, folder, capsys, monkeypatch):
    (folder / "job.toml").write_text(KINDS[kind])
    candidates = []
    monkeypatch.setattr(
        "anonset.jobs.trials.suggest.candidates_for", lambda *of: candidates.extend(candidates_for(*of)) or candidates
    )
    main(["suggest", "job.toml", "--json"])
    capsys.readouterr()
    state, chosen = page_of(folder, "page.toml", KINDS[kind]), 0
    for number, candidate in enumerate(candidates):
        monkeypatch.setattr("anonset.jobs.trials.suggest.candidates_for", lambda *_, one=candidate: [one])
        main(["suggest", "job.toml", "--json", "--seed", "1"])
        best = json.loads(capsys.readouterr().out)["recommended"]
        if best is None:
            continue
        command = [*shlex.split(best["command"])[1:-1], f"typed-{number}", "--accept", "worthless", "--seed", "1"]
        assert main(command) == 0, (candidate, capsys.readouterr().err)
        promised = {name: state.stated.get(name) for name in ("model", "m", "l")}
        choices.choose_candidate(state, Job(best["settings"]))
        assert {name: state.stated.get(name) for name in promised} == promised, candidate
        assert state.candidate == Job(best["settings"])
        assert state.trial is not None
        assert state.trial.suits(state.stated)
        typed = ["anonymize", "page.toml", "-o", f"page-{number}", "--accept", "worthless", "--seed", "1"]
        assert main(typed) == 0, (candidate, capsys.readouterr().err)
        capsys.readouterr()
        assert published(f"page-{number}") == published(f"typed-{number}"), candidate
        chosen += 1
    assert chosen >= (2 if kind == "buckets" else 4), chosen
