"""Slips in names and options: one line that says what was probably meant."""

import pytest

from anonset.algorithms.registry import ALGORITHMS
from anonset.settings.parameters import MODELS
from anonset.spelling import meant
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
    assert meant(name, MODELS) == model


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
    assert meant(name, ALGORITHMS) == algorithm


JOB = ("--k", "2", "--m", "2")
LINES = [
    (("--model", "k-anonymity", *JOB), "got 'k-anonymity'; did you mean k?"),
    (("--model", "apriori", *JOB), "got 'apriori'; did you mean --algorithm apriori?"),
    (("--model", "AA", *JOB), "got 'AA'; did you mean --algorithm apriori?"),
    (("--model", "zebra", *JOB), "anatomy, got 'zebra'"),
    (("--model", "kmm", *JOB), "got 'kmm'; did you mean km or klm or kkm?"),
    (("--model", "km", *JOB, "--suppress", "0.2"), "--suppress takes no value, got '0.2'"),
    (("--algorithm", "aa", *JOB), "got 'aa'; did you mean apriori?"),
    (("--algorithm", "km", *JOB), "got 'km'; did you mean --model km?"),
    (("--model", "km", "-k", "5", "--m", "2"), "there is no option -k; did you mean --k 5?"),
    (("--model", "km", "-k5", "--m", "2"), "there is no option -k5; did you mean --k 5?"),
    (("--model", "km", "-k=5", "--m", "2"), "did you mean --k 5?"),
    (("--model", "km", "-m", "--k", "5"), "there is no option -m; did you mean --m?"),
    (("--model", "km", *JOB, "--worker", "2"), "there is no option --worker; did you mean --workers?"),
    (("--model", "km", *JOB, "--output", "x"), "there is no option --output; did you mean --out?"),
    (("--model", "km", *JOB, "--threads", "2"), "there is no option --threads; did you mean --workers?"),
    (("--model", "km", *JOB, "--zebra", "2"), "there is no option --zebra"),
    (("--model", "km", *JOB, "more"), "unexpected argument 'more'"),
    (("--model", "km", "--m", "2", "--k"), "--k requires a value"),
    (("--model", "km", "--k", "two", "--m", "2"), "--k must be an integer, got 'two'"),
    (("--model", "km", *JOB, "--width", "x"), "there is no option --width; did you mean"),
    (("--model", "km", *JOB, "--quiet=5"), "--quiet takes no value, got '5'"),
    (("--model", "km", *JOB, "--order", "Input"), "--order must be sorted or input, got 'Input'; did you mean input?"),
    (("--model", "km", *JOB, "--format", "xls"), "--format must be csv, parquet or dat, got 'xls'"),
    (("--model", "km", *JOB, "--workers", "0"), "--workers must be at least 1, got 0"),
    (("--model", "kkm", "--algorithm", "rum-bound", *JOB, "--delta", "x"), "--delta must be a number, got 'x'"),
]


@pytest.mark.parametrize(("given", "said"), LINES, ids=[" ".join(given) for given, _ in LINES])
def test_one_line_says_what_was_meant(place: Place, given: tuple[str, ...], said: str) -> None:
    ran = place.run("anonymize", str(place.folder / "data.dat"), "-o", str(place.out), *given)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("anonset: error: ")
    assert ran.err.count("\n") == 1
    assert said in ran.err
    assert place.nothing_left()


def test_other_commands_too(place: Place) -> None:
    assert "did you mean kkm?" in place.run("verify", str(place.folder / "data.dat"), "--model", "k-k^m").err
    data = str(place.folder / "data.dat")
    compared = place.run("compare", data, "--algorithms", "AA,vpa", *JOB)
    assert "--algorithms must be one of" in compared.err
    assert "did you mean apriori?" in compared.err
    assert place.run("anonymise", data).err == (
        "anonset: error: there is no command 'anonymise'; did you mean anonymize?\n"
    )
    assert "there is no command 'zebra'; there are build, check, " in place.run("hierarchy", "zebra").err


CONFIG = [
    ('model = "km"\nk = 2\nm = 2\nworker = 3\n', "unknown setting 'worker'; did you mean workers?"),
    ('model = "km"\nk = "2"\nm = 2\n', "--k must be an integer, got '2'"),
    ('model = "km"\nk = 2\nm = 2\nquiet = 1\n', "unknown setting 'quiet'"),
    ('model = "km"\nk = 2\nm = 2\norder = "down"\n', "--order must be 'sorted' or 'input', got 'down'"),
    ('model = "km"\nk = 2\nm = 2\ngroup = 1\n', "--group must be true or false, got 1"),
    ("model = 5\nk = 2\nm = 2\n", "--model must be text, got 5"),
    ('model = "km"\nk = 2\nm = 2\nhierarchy = "x"\n', "--hierarchy must be a table of names and values, got 'x'"),
    ('model = "km"\nk = 2\nm = 2\nkeep = 3\n', "--keep must be a list of names, got 3"),
    ('model = "km"\nk = 2\nm = 2\nmax_loss = 2\n', "--max-loss must be"),
]


@pytest.mark.parametrize(("text", "said"), CONFIG)
def test_settings_of_a_file_too(place: Place, text: str, said: str) -> None:
    job = ("anonymize", str(place.folder / "data.dat"), "-o", str(place.out))
    ran = place.run(*job, "--config", place.write("job.toml", text))
    assert ran.code == 2
    assert said in ran.err
