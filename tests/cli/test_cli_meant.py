"""Misspelled names and options are rejected with a suggestion."""

from collections.abc import Callable

import pytest
from tests.facts import names

import anonset
from anonset.algorithms.registry import ALGORITHMS
from anonset.settings.parameters import MODELS
from anonset.spelling import similar_name
from cli.place import Place


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("k-anonymity", "k"),
        ("K-Anonymity", "k"),
        ("k-anon", "k"),
        ("km-anonymity", "km"),
        ("k^m", "km"),
        ("k^m-anonymity", "km"),
        ("(k,k^m)-anonymity", "kkm"),
        ("KLM", "klm"),
        ("l^m-diversity", "lm"),
        ("(h,k,p)-coherence", "coherence"),
        ("safe_grouping", "safe-grouping"),
        ("constraint", "constraints"),
        ("Anatomy", "anatomy"),
        ("differential-privacy", None),
        ("", None),
    ],
)
def test_models_by_their_names_in_papers(name: str, model: str | None) -> None:
    assert similar_name(name, MODELS) == model


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("aa", "apriori"),
        ("AA", "apriori"),
        ("Apriori", "apriori"),
        ("aprori", "apriori"),
        ("DA", "direct"),
        ("OA", "optimal"),
        ("MM", "coherence-suppression"),
        ("rumbound", "rum-bound"),
        ("rum_bound", "rum-bound"),
        ("k_member", "k-member"),
        ("Mondriaan", "mondrian"),
        ("safegrouping", "safe-grouping"),
        ("zebra", None),
    ],
)
def test_algorithms_by_their_names_in_papers(name: str, algorithm: str | None) -> None:
    assert similar_name(name, ALGORITHMS) == algorithm


JOB = ("--k", "2", "--m", "2")
LINES = [
    (("--model", "k-anonymity", *JOB), "k-anonymity k"),
    (("--model", "apriori", *JOB), "apriori '--algorithm apriori'"),
    (("--model", "AA", *JOB), "AA '--algorithm apriori'"),
    (("--model", "zebra", *JOB), "anatomy zebra"),
    (("--model", "kmm", *JOB), "kmm km klm kkm"),
    (("--model", "km", *JOB, "--suppress", "0.2"), "--suppress 0.2"),
    (("--algorithm", "aa", *JOB), "aa apriori"),
    (("--algorithm", "km", *JOB), "km '--model km'"),
    (("--model", "km", "-k", "5", "--m", "2"), "'--k 5'"),
    (("--model", "km", "-k5", "--m", "2"), "-k5 '--k 5'"),
    (("--model", "km", "-k=5", "--m", "2"), "'--k 5'"),
    (("--model", "km", "-m", "--k", "5"), "-m --m"),
    (("--model", "km", *JOB, "--worker", "2"), "--worker --workers"),
    (("--model", "km", *JOB, "--output", "x"), "--output --out"),
    (("--model", "km", *JOB, "--threads", "2"), "--threads --workers"),
    (("--model", "km", *JOB, "--zebra", "2"), "option --zebra"),
    (("--model", "km", *JOB, "more"), "argument more"),
    (("--model", "km", "--m", "2", "--k"), "--k value"),
    (("--model", "km", "--k", "two", "--m", "2"), "--k integer two"),
    (("--model", "km", *JOB, "--width", "x"), "option --width"),
    (("--model", "km", *JOB, "--quiet=5"), "--quiet 5"),
    (("--model", "km", *JOB, "--k", "3"), "--k twice"),
    (("--model", "km", *JOB, "--order", "Input"), "--order sorted input Input"),
    (("--model", "km", *JOB, "--format", "xls"), "--format csv parquet dat xls"),
    (("--model", "km", *JOB, "--workers", "0"), "--workers 1 0"),
    (("--model", "kkm", "--algorithm", "rum-bound", *JOB, "--delta", "x"), "--delta number x"),
]


@pytest.mark.parametrize(("given", "said"), LINES, ids=[" ".join(arguments) for arguments, _ in LINES])
def test_a_misspelled_value_gets_a_suggestion(place: Place, given: tuple[str, ...], said: str) -> None:
    ran = place.run("anonymize", str(place.folder / "data.dat"), "-o", str(place.out), *given)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("anonset: error: ")
    assert ran.err.count("\n") == 1
    assert names(ran.err, said)
    assert place.nothing_left()


def test_other_commands_suggest_corrections(place: Place) -> None:
    assert names(place.run("verify", str(place.folder / "data.dat"), "--model", "k-k^m").err, "kkm")
    data = str(place.folder / "data.dat")
    compared = place.run("compare", data, "--algorithms", "AA,vpa", *JOB)
    assert names(compared.err, "--algorithms apriori")
    assert names(place.run("anonymise", data).err, "anonymise anonymize")
    assert names(place.run("hierarchy", "zebra").err, "zebra build check")


CONFIG = [
    ('model = "km"\nk = 2\nm = 2\nworker = 3\n', "worker workers"),
    ('model = "km"\nk = "2"\nm = 2\n', "--k integer 2"),
    ('model = "km"\nk = 2\nm = 2\nquiet = 1\n', "setting quiet"),
    ('model = "km"\nk = 2\nm = 2\norder = "down"\n', "--order sorted input down"),
    ('model = "km"\nk = 2\nm = 2\nno_header = 1\n', "--no-header true false 1"),
    ("model = 5\nk = 2\nm = 2\n", "--model text 5"),
    ('model = "km"\nk = 2\nm = 2\nhierarchy = "x"\n', "--hierarchy table x"),
    ('model = "km"\nk = 2\nm = 2\nkeep = 3\n', "--keep list 3"),
    ('model = "km"\nk = 2\nm = 2\nmax_loss = 2\n', "--max-loss 2"),
]


@pytest.mark.parametrize(("text", "said"), CONFIG)
def test_settings_of_a_job_file_get_suggestions(place: Place, text: str, said: str) -> None:
    job = ("anonymize", str(place.folder / "data.dat"), "-o", str(place.out))
    ran = place.run(*job, "--config", place.write("job.toml", text))
    assert ran.code == 2
    assert names(ran.err, said)


@pytest.mark.parametrize("function", ["read", "scan", "inspect"])
def test_the_functions_propose_options_too(place: Place, function: str) -> None:
    data = place.write("data.csv", "codes\na1\n")
    with pytest.raises(TypeError) as caught:
        getattr(anonset, function)(data, itmes="codes")
    expected = f"{function}() got an unexpected keyword argument 'itmes' (did you mean items?)"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anonset.suggest(None, hierarchie={}), "suggest() got an unexpected keyword argument 'hierarchie' "
         "(did you mean hierarchies?)"),
        (lambda: anonset.JointSplit(k=2, m=1, pont="items"), "JointSplit() got an unexpected keyword argument 'pont' "
         "(did you mean point?)"),
        (lambda: anonset.risk(None, zebra=1), "risk() got an unexpected keyword argument 'zebra'"),
    ],
)  # fmt: skip
def test_unknown_parameters_in_python_get_suggestions(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("as_option", [False, True])
def test_an_unknown_setting_is_reported_with_its_job_file(place: Place, as_option: bool) -> None:
    job = place.write("job.toml", 'input = "data.csv"\nout = "out"\nitmes = ["codes"]\n')
    ran = place.run("anonymize", *([str(place.folder / "data.csv"), "--config", job] if as_option else [job]))
    assert (ran.code, ran.err) == (2, f"anonset: error: {job}: unknown setting 'itmes'; did you mean items?\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-x.csv"], "unknown option -x.csv; for the file of this name: ./-x.csv"),
        (["-y.csv"], "unknown option -y.csv"),
        (
            ["--", "-x.csv", "--items", "a"],
            "--items follows --, after which no option is read; write the options first",
        ),
        (["--", "-x.csv", "--items=a"], "--items follows --, after which no option is read; write the options first"),
        (["--", "-x.csv"], "--out is required"),
    ],
)
def test_a_file_name_may_begin_with_a_hyphen(
    place: Place, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    place.write("-x.csv", "codes\na1\n")
    monkeypatch.chdir(place.folder)
    ran = place.run("anonymize", *arguments)
    assert (ran.code, ran.err) == (2, f"anonset: error: {message}\n")


def test_a_missing_workload_is_named_once(place: Place) -> None:
    assert place.run(*place.job()).code == 0
    path = str(place.folder / "missing.json")
    command = ["evaluate", str(place.folder / "data.dat"), str(place.out), "--queries", path]
    ran = place.run(*command, "--hierarchy", f"items={place.folder / 'hierarchy.csv'}")
    assert (ran.code, ran.err) == (2, f"anonset: error: {path}: no such file or directory\n")
