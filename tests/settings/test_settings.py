"""Settings, parameters from dataclass fields, and the memory limit."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import pytest
from tests.facts import refused

from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy
from anonset.release import memory
from anonset.settings.commands import EvaluateSettings, InspectSettings
from anonset.settings.edits import make_settings
from anonset.settings.job import Job
from anonset.settings.job_files import over_job, read_job
from anonset.settings.model_choices import candidate_of, model_of
from anonset.settings.parameters import MODELS, algorithm_name, collect, default_algorithm, make_algorithm, parameters
from anonset.settings.publication import RiskSettings
from anonset.settings.settings import ReadingSettings
from anonset.spelling import as_options, spelled_by

NEEDED: dict[str, Any] = {"input": "x.dat", "out": "out"}


def test_every_parameter_has_a_line_of_documentation() -> None:
    for algorithm in ALGORITHMS:
        for name, parameter in parameters(algorithm).items():
            assert parameter.text, (algorithm, name)
    assert {"apriori", "direct", "optimal"} <= set(parameters()["k"].users)
    assert parameters()["mu"].users == ("set-search",)


GIVEN: dict[str, Any] = {"k": 2, "m": 2, "l": 2, "p": 2, "rho": 0.5, "t": "0.2", "sensitive": "drug"}
RT = {"k": 2, "m": 2, "delta": 0.5}


@pytest.mark.parametrize("relational", [False, True])
def test_default_algorithms_guarantee_their_model(relational: bool) -> None:
    for model, entry in MODELS.items():
        name = default_algorithm(model, relational=relational)
        assert name is not None
        fields = {field.name for field in dataclasses.fields(ALGORITHMS[name])}  # type: ignore[arg-type]
        fields |= {"l"} if model == "klm" else set()
        fields -= {"k": {"l", "t", "sensitive"}, "kl": {"t"}, "kt": {"l"}}.get(model, set())
        made = make_algorithm(model, name, {name: value for name, value in GIVEN.items() if name in fields})
        assert entry.is_met_by(made), model
    assert default_algorithm("klm", relational=relational) == ("rum-bound" if relational else "lm-apriori")
    assert default_algorithm(None, relational=relational) is None


def test_the_page_chooses_the_default_algorithm_as_a_run_does() -> None:
    given = {"model": "klm", "k": 2, "l": 2, "m": 1, "items": ["codes"], "sensitive_items": ["hiv"], "unit": "row"}
    assert model_of(make_settings({**given, "input": "d.csv", "out": "out"})).name == "lm"
    assert candidate_of(Job(given), {}).settings["algorithm"] == "lm-apriori"
    assert candidate_of(Job({**given, "relational": ["age"]}), {}).settings["algorithm"] == "rum-bound"


@pytest.mark.parametrize(
    ("model", "algorithm", "given", "message"),
    [
        ("k", "apriori", {"k": 2, "m": 2}, "apriori km k"),
        ("kkm", "rum-bound", {**RT, "transaction": "hghs"}, "--transaction coat"),
        ("kkm", "rum-bound", {**RT, "relational_weights": {"a": "x"}}, "a number"),
        ("klm", "rum-bound", RT, "'--transaction lm-apriori' --l"),
        ("kkm", "rum-bound", {"k": 2, "m": 2}, "rum-bound --delta"),
        ("kkm", "tum-bound", {"k": 2}, "tum-bound --m --delta"),
        ("kkm", "rum-bound", {"k": 2, "m": 2, "l": 2}, "--l rum-bound"),
        ("kkm", "tfirst", {"k": 2, "m": 2, "merge": "rt"}, "--merge tfirst"),
        ("kkm", None, {"k": 2, "m": 2, "delta": 0.5}, "--delta '--algorithm rum-bound' tum-bound"),
        ("kkm", None, {"k": 2, "m": 2, "delta": 0.5, "scan": True}, "--delta scan '--algorithm tum-bound'"),
        ("kkm", None, {"k": 2, "m": 2, "l": 2}, "--l joint-split"),
        ("kl", None, {"k": 2}, "kl --l --sensitive"),
        ("kt", None, {"k": 2, "sensitive": "drug"}, "drug l t"),
        ("kt", "cluster", {"k": 2, "l": 2, "sensitive": "drug"}, "kt --t"),
        ("kl", "cluster", {"k": 2, "l": 2}, "l sensitive"),
        ("kl", "cluster", {"k": 2, "l": 2, "t": "0.2", "sensitive": "drug"}, "l t"),
        ("kl", "rum-bound", {"k": 2, "l": 2}, "rum-bound kkm klm kl mondrian cluster"),
        ("anatomy", None, {"k": 2}, "--k anatomy --l"),
    ],
)
def test_invalid_combinations_of_settings_are_rejected(
    model: str, algorithm: str | None, given: dict[str, Any], message: str
) -> None:
    with spelled_by(as_options), refused(InputError, message):
        make_algorithm(model, algorithm_name(model, algorithm, relational=True), given)


def test_privacy_constraints_imply_km_unless_a_list_names_the_protected_itemsets() -> None:
    assert make_algorithm("km", "coat", {"k": 2, "m": 3}).model == ConstraintSet(2, m=3)
    with refused(InputError, "model km requires m"):
        make_algorithm("km", "coat", {"k": 2, "privacy_constraints": PrivacyPolicy.of(["ab"])})


def test_an_algorithm_may_guarantee_more_than_the_requested_model() -> None:
    assert make_algorithm("km", "lra", {"k": 2, "m": 2}).model.name == "partition-km"
    made = make_algorithm("k", "cluster", {"k": 2, "l": 2, "sensitive": "drug"})
    assert made.model.name == "kl"


def test_a_seed_is_passed_to_algorithms_that_accept_it() -> None:
    assert make_algorithm("k", "cluster", {"k": 2, "seed": 7}).seed == 7  # type: ignore[attr-defined]
    assert make_algorithm("km", "exact", {"k": 2, "m": 2, "seed": 7}).name == "exact"


def test_parameters_in_special_formats_are_parsed() -> None:
    options = {**RT, "transaction": "apriori", "item_order": "ul", "relational_weights": {"a": "0.5"}}
    made: Any = make_algorithm("kkm", "rum-bound", options)
    assert (made.transaction.name, made.order, made.relational_weights) == ("apriori", "ul", {"a": 0.5})


@dataclasses.dataclass
class Inherited:
    first: Annotated[int, "First."]
    bare: bool = True


@dataclasses.dataclass
class Inheriting(Inherited):
    last: Annotated[float | None, "Last."] = None


def test_texts_of_inherited_fields() -> None:
    collected = collect({"inheriting": Inheriting}).values()
    assert [(parameter.type, parameter.text) for parameter in collected] == [
        (int, "First."),
        (bool, ""),
        (float | None, "Last."),
    ]


def test_the_table_of_fields_is_current() -> None:
    current, table = (
        [dataclasses.replace(one, users=tuple(sorted({*one.users}))) for one in found.values()]
        for found in (collect(ALGORITHMS), parameters())
    )
    assert table == current, "python -m tests.settings.algorithm_fields"


def test_a_factor_multiplies_each_limit_of_an_algorithm() -> None:
    made: Any = make_algorithm("km", "hghs", {"k": 2, "m": 2, "max_work": 0.5})
    usual: Any = ALGORITHMS["hghs"](k=2, m=2)
    assert (2 * made.max_threats, 2 * made.max_increments) == (usual.max_threats, usual.max_increments)
    refined: Any = make_algorithm("k", "cluster", {"k": 2, "refine": True, "effort": 2, "max_work": 0.5})
    assert refined.max_evaluations == 600_000_000
    for factor in (-1, float("nan")):
        with refused(InputError, "effort 0"):
            make_algorithm("km", "exact", {"k": 2, "m": 2, "effort": factor})


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text('k = 5\nmax-loss = 0.5\nmu = 9\nkeep = "a, b"\norder = "input"\n')
    settings = make_settings({**NEEDED, "k": 7, "order": None}, read_job(str(path)))
    assert settings.algorithm_parameters() == {"k": 7, "mu": 9}
    assert (settings.max_loss, settings.order, settings.keep) == (0.5, "input", ["a", "b"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": True}, "--k integer true"),
        ({"k": "5"}, "--k integer 5"),
        ({"max_loss": -0.1}, "--max-loss 0 -0.1"),
        ({"order": "x"}, "--order sorted input x"),
        ({"hierarchy": {"a": 5}}, "'--hierarchy a' 5"),
        ({"ordre": "input"}, "ordre"),
    ],
)
def test_settings_of_a_wrong_type_are_rejected(given: dict[str, Any], message: str) -> None:
    with spelled_by(as_options), refused(InputError, message):
        make_settings({**NEEDED, **given})


@pytest.mark.parametrize("name", ["none.csv", "none/*.csv"])
def test_missing_data_are_reported_before_other_problems(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    with refused(InputError, f"{path} file directory order sorted"):
        make_settings({**NEEDED, "input": path, "order": "x"})
    with pytest.raises(InputError, match=r"^order"):
        make_settings({**NEEDED, "input": f"{tmp_path}*", "order": "x"})


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1048576", 1 << 20), ("1K", 1024), ("2 MB", 2 << 20), ("1.5GiB", 3 << 29), ("1t", 1 << 40)],
)
def test_memory_sizes_are_parsed(text: str, size: int) -> None:
    assert memory.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "1X", "1,5G"])
def test_invalid_memory_sizes_are_rejected(text: str) -> None:
    with refused(InputError, "memory"):
        memory.parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (3 << 29, "1.5 GiB"), (1 << 41, "2.0 TiB")]
)
def test_memory_sizes_are_formatted(size: int, text: str) -> None:
    assert memory.format_size(size) == text


def test_the_default_memory_limit_is_a_share_of_available_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable:    1000 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", meminfo)
    assert memory.default_limit() == 819_200
    memory.require_memory(819_200, None)
    with refused(InputError, "800.0 KiB"):
        memory.require_memory(819_201, None)
    memory.require_memory(819_201, "1G")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    assert memory.default_limit() is None
    memory.require_memory(1 << 60, None)


@pytest.mark.parametrize("name", ["input", "out", "private", "work_dir"])
def test_a_path_with_a_nul_is_rejected_in_one_line(name: str) -> None:
    options = {"input": "a.dat", "out": "b", "algorithm": "apriori", "k": 2, "m": 2, name: "a\0b"}
    with refused(InputError, "NUL \\x00"):
        make_settings(options)


JOB_FILE = """input = "a.csv"
out = "out"
private = "home"
relational = ["age", "sex"]
drop = ["name"]
encoding = "latin-1"
relational_weights = { age = 0.5 }
k = 3
m = 1
seed = 7
memory_limit = "4G"
work_dir = "work"
hierarchy = { age = "range", sex = "values" }
"""


@pytest.mark.parametrize(
    ("model", "place", "flags", "taken"),
    [
        (InspectSettings, "input", {"k": 5}, {"relational", "drop", "encoding", "k", "m", "seed", "hierarchy"}),
        (
            EvaluateSettings,
            "input",
            {},
            {
                "out", "private", "relational", "drop", "encoding", "relational_weights", "seed", "memory_limit",
                "hierarchy",
            },
        ),
        (RiskSettings, "out", {}, {"private", "memory_limit"}),
        (
            RiskSettings,
            "out",
            {"original": "a.csv", "m": 2},
            {"original", "m", "private", "memory_limit", "drop", "encoding", "hierarchy"},
        ),
    ],
)  # fmt: skip
def test_a_command_uses_its_settings_of_a_job_below_its_options(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: type[ReadingSettings],
    place: str,
    flags: dict[str, Any],
    taken: set[str],
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.toml").write_text(JOB_FILE)
    (tmp_path / "a.csv").touch()
    monkeypatch.chdir(tmp_path)
    source, merged = over_job("jobs/job.toml", place, Job({**flags, "hierarchy": {"sex": "sex.csv"}}), model)
    assert source == str(Path("jobs") / ("a.csv" if place == "input" else "out"))
    assert set(merged) == taken | {"hierarchy"}
    assert {name: merged[name] for name in flags} == flags
    assert merged["hierarchy"] == {"sex": "sex.csv", **({"age": "range"} if "hierarchy" in taken else {})}
    assert over_job("a.csv", place, Job(flags), model) == ("a.csv", flags)
