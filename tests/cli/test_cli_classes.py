"""(k,l)-diversity and (k,t)-closeness from the command line, from the sensitive column to the verdict."""

import json
import random
import shlex
from collections import defaultdict
from pathlib import Path

import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.relational.formations import FORMATIONS
from anonset.cli.main import main
from cli.place import Place
from cli.published import publish, rows_of

ROLES = ["--relational", "age,sex", "--numeric", "age", "--unit", "row"]
OF_DRUG = [*ROLES, "--sensitive", "drug"]
KL = [*OF_DRUG, "--model", "kl", "--k", "3", "--l", "2"]


@pytest.fixture
def people(place: Place) -> Place:
    source = random.Random(5)
    rows = [f"{source.randrange(20, 60)},{source.choice('mf')},{source.choice('aaaabbc')}" for _ in range(200)]
    place.write("people.csv", "age,sex,drug\n" + "\n".join(rows) + "\n")
    return place


def values_by_class(out: Path) -> list[list[str]]:
    by_class = defaultdict(list)
    for row in rows_of(out / "published.csv"):
        by_class[row["age"], row["sex"]].append(row["drug"])
    return list(by_class.values())


@pytest.mark.parametrize("algorithm", ["full-domain", "bottom-up", "local-recoding", "mondrian", "cluster"])
def test_each_kind_of_formation_verifies(people: Place, algorithm: str) -> None:
    ran = publish(people, "people.csv", *KL, "--algorithm", algorithm, "--json")
    assert ran.json["verdict"] == "holds"
    assert all(len(values) >= 3 and len(set(values)) >= 2 for values in values_by_class(people.out))
    attested = json.loads((people.out / "attestation.json").read_text())
    assert attested["parameters"] == {"k": 3, "l": 2, "sensitive": "drug", "l_kind": "distinct"}
    assert attested["data"]["keep"] == ["drug"]
    assert attested["verified"]["fewest_values"] == min(len(set(values)) for values in values_by_class(people.out))
    assert attested["limits"].count("minimality") == 1
    checked = people.run("verify", str(people.out), "--original", str(people.folder / "people.csv"), "--json")
    assert (checked.code, checked.json["true"]) == (0, True), checked.err
    assert checked.json["roles"] == {
        "sensitive": ["drug"],
        "quasi_identifiers": ["age", "sex"],
        "items": [],
        "not_protected": [],
    }
    risk = people.run("risk", str(people.out), "--original", str(people.folder / "people.csv"), "--json")
    assert risk.code == 0, risk.err
    guessed = sum(max(values.count(value) for value in values) for values in values_by_class(people.out))
    assert risk.json["skewness"]["drug"]["guessed"] == guessed / 200
    assert risk.json["sensitive"]["drug"]["distinct_l"] == attested["verified"]["fewest_values"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--l", "2", "--l-kind", "entropy"], "l=2 (entropy) of 'drug' holds"),
        (["--l", "2", "--l-kind", "recursive", "--c", "5/2"], "l=2 (recursive, c=2.5) of 'drug' holds"),
        (["--t", "0.25"], "t=0.25 (equal) of 'drug' holds"),
    ],
)
def test_each_kind_is_published_and_verified(people: Place, given: list[str], words: str) -> None:
    model = "kt" if "--t" in given else "kl"
    assert words in publish(people, "people.csv", *OF_DRUG, "--model", model, "--k", "3", *given).out
    assert words in people.run("verify", str(people.out)).out
    published = people.out / "published.csv"
    foreign = ["verify", str(published), "--relational", "age,sex", "--sensitive", "drug", "--model", model, "--k", "3"]
    assert people.run(*foreign, *given).code == 0
    stricter = ["--t", "0"] if model == "kt" else ["--l", "4"]
    refused = people.run(*foreign, *stricter)
    assert (refused.code, names(refused.out, "class")) == (1, True)


@pytest.mark.parametrize("missing", ["", "?"])
@pytest.mark.parametrize("given", [["--l", "2"], ["--t", "0.3"]])
def test_missing_values_do_not_count(people: Place, given: list[str], missing: str) -> None:
    text = (people.folder / "people.csv").read_text().replace(",a\n", f",{missing}\n")
    model = ["--model", "kl" if "--l" in given else "kt", "--k", "3", *given]
    people.write("people.csv", text)
    publish(people, "people.csv", *OF_DRUG, *model)
    classes = [[value for value in values if value != missing] for values in values_by_class(people.out)]
    assert all(len(set(values)) != 1 for values in classes)
    assert any(len(values) > 1 for values in classes)
    checked = people.run("verify", str(people.out), "--original", str(people.folder / "people.csv"), "--json")
    assert (checked.code, checked.json["true"]) == (0, True), checked.err
    people.write("single.csv", "age,sex,drug\n" + f"3,f,b\n3,f,{missing}\n3,f,b\n4,m,c\n4,m,c\n4,m,c\n")
    roles = ["--relational", "age,sex", "--sensitive", "drug"]
    refused = people.run("verify", str(people.folder / "single.csv"), *roles, *model)
    assert (refused.code, names(refused.out, "row 0 class")) == (1, True), refused.out


def test_a_job_file_has_the_settings(people: Place) -> None:
    people.write(
        "job.toml",
        'input = "people.csv"\nout = "out"\nrelational = ["age", "sex"]\nnumeric = ["age"]\nsensitive = "drug"\n'
        'model = "kt"\nk = 3\nt = 0.3\nt_distance = "equal"\nunit = "row"\n',
    )
    ran = people.run("anonymize", str(people.folder / "job.toml"))
    assert ran.code == 0, ran.err
    attested = json.loads((people.out / "attestation.json").read_text())
    assert attested["parameters"] == {"k": 3, "t": 0.3, "sensitive": "drug", "t_distance": "equal"}
    report = json.loads((people.private / "report.json").read_text())
    assert report["settings"]["sensitive"] == "drug"
    assert people.run("report", str(people.private / "report.json"), "-o", str(people.folder / "r.html")).code == 0
    page = (people.folder / "r.html").read_text()
    assert "&#39;drug&#39;" in page
    assert names(page, "sensitive attribute")


@pytest.mark.long
def test_a_tree_of_the_sensitive_values(people: Place) -> None:
    people.write("kinds.csv", "a,viral,all\nb,viral,all\nc,other,all\n")
    people.write(
        "job.toml",
        'input = "people.csv"\nout = "out"\nrelational = ["age", "sex"]\nnumeric = ["age"]\nsensitive = "drug"\n'
        'model = "kt"\nk = 3\nt = 0.2\nt_distance = "hierarchical"\nt_tree = "kinds.csv"\nunit = "row"\n',
    )
    ran = people.run("anonymize", str(people.folder / "job.toml"))
    assert ran.code == 0, ran.err
    attested = json.loads((people.out / "attestation.json").read_text())
    assert attested["parameters"]["t_tree"] == "a;viral;all\nb;viral;all\nc;all\n"
    (people.folder / "kinds.csv").unlink()
    assert "t=0.2 (hierarchical) of 'drug' holds" in people.run("verify", str(people.out)).out
    people.write("kinds.csv", "a,viral,all\nb,viral,all\nd,other,all\n")
    options = ["--t-tree", str(people.folder / "kinds.csv"), "--model", "kt", "--k", "3", "--t", "0.2"]
    job = ["anonymize", str(people.folder / "people.csv"), "-o", str(people.folder / "no"), *OF_DRUG, *options]
    for more, message in (
        ([], "'--t-distance equal' --t-tree"),
        (["--t-distance", "hierarchical"], "value --t-tree"),
    ):
        ran = people.run(*job, *more)
        assert (ran.code, names(ran.err, message)) == (2, True), ran.err


@pytest.mark.long
def test_values_are_cleaned_up_before_they_are_counted(people: Place) -> None:
    text = (people.folder / "people.csv").read_text().replace(",b", ",B ").replace(",c", ",b")
    people.write("untidy.csv", text)
    ran = publish(people, "untidy.csv", *KL)
    assert names(ran.err + ran.out, "drug case blanks")
    tidy = people.folder / "tidy"
    job = [
        "anonymize",
        str(people.folder / "untidy.csv"),
        "-o",
        str(tidy),
        *KL,
        "--normalize",
        "drug=lower,drug=strip-blanks",
    ]
    ran = people.run(*job)
    assert (ran.code, names(ran.err + ran.out, "drug case")) == (0, False), ran.err
    assert {row["drug"] for row in rows_of(tidy / "published.csv")} == {"a", "b"}
    original = ["--original", str(people.folder / "untidy.csv"), "--normalize", "drug=lower,drug=strip-blanks"]
    assert people.run("verify", str(tidy), *original).code == 0
    blocks = people.run(*job[:3], str(people.folder / "blocks"), *job[4:], "--work-dir", str(people.folder / "work"))
    assert blocks.code == 0, blocks.err
    assert (people.folder / "blocks" / "published.csv").read_bytes() == (tidy / "published.csv").read_bytes()


def test_numbers_are_ordered(people: Place) -> None:
    source = random.Random(2)
    rows = [f"{source.randrange(20, 60)},{source.choice('mf')},{source.choice((900, 1000, 30000))}" for _ in range(200)]
    people.write("paid.csv", "age,sex,paid\n" + "\n".join(rows) + "\n")
    job = [*ROLES, "--sensitive", "paid", "--model", "kt", "--k", "3", "--t", "0.15"]
    ran = publish(people, "paid.csv", *job, "--t-distance", "ordered")
    assert "t=0.15 (ordered) of 'paid' holds" in ran.out
    assert people.run("verify", str(people.out)).code == 0


def test_row_order_does_not_reveal_the_input_order(people: Place) -> None:
    head, *rows = (people.folder / "people.csv").read_text().splitlines()
    random.Random(1).shuffle(rows)
    people.write("shuffled.csv", "\n".join((head, *rows)) + "\n")
    publish(people, "people.csv", *KL, "--algorithm", "mondrian")
    first = (people.out / "published.csv").read_bytes()
    other = people.folder / "other"
    ran = people.run("anonymize", str(people.folder / "shuffled.csv"), "-o", str(other), *KL, "--algorithm", "mondrian")
    assert ran.code == 0, ran.err
    assert (other / "published.csv").read_bytes() == first


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (
            [*OF_DRUG, "--model", "kl", "--k", "3", "--l", "4"],
            1,
            "drug 200 4",
        ),
        ([*OF_DRUG, "--model", "kl", "--k", "3"], 2, "--l --t --keep"),
        ([*ROLES, "--drop", "drug", "--model", "kl", "--k", "3", "--l", "2"], 2, "--l --sensitive"),
        ([*ROLES, "--drop", "drug", "--model", "kl", "--k", "3"], 2, "kl --l --sensitive"),
        ([*KL, "--algorithm", "apriori"], 2, "'--algorithm apriori' km kl"),
        ([*KL, "--l-kind", "recursive"], 2, "'--l-kind recursive' --c"),
        ([*KL, "--c", "2"], 2, "'--l-kind distinct' --c"),
        ([*KL, "--t", "0.5"], 2, "--l --t"),
        ([*OF_DRUG, "--model", "kt", "--k", "3", "--t", "1.5"], 2, "--t 0 1 1.5"),
        ([*OF_DRUG, "--model", "kt", "--k", "3", "--t", "1e-12"], 2, "--t digits"),
        ([*OF_DRUG, "--model", "kt", "--k", "3", "--t", ".2", "--t-distance", "ordered"], 2, "drug numbers"),
    ],
)
def test_invalid_and_infeasible_options_are_rejected_in_one_line(
    people: Place, given: list[str], code: int, message: str
) -> None:
    ran = people.run("anonymize", str(people.folder / "people.csv"), "-o", str(people.out), *given)
    assert (ran.code, names(ran.err, message)) == (code, True), ran.err
    assert len(ran.errors) == 1
    assert not people.out.exists()


def test_repeated_ids_are_refused_as_for_any_model_of_records(people: Place) -> None:
    text = (people.folder / "people.csv").read_text().splitlines()
    rows = [f"p{number // 2},{row}" for number, row in enumerate(text[1:])]
    people.write("ids.csv", "\n".join((f"patient,{text[0]}", *rows)) + "\n")
    job = ["anonymize", str(people.folder / "ids.csv"), "-o", str(people.out), "--unit", "patient", *KL]
    ran = people.run(*[word for word in job if word not in ("--unit", "row")])
    assert (ran.code, "patient" in ran.err) == (2, True), ran.err


def test_a_tampered_value_is_detected(people: Place) -> None:
    publish(people, "people.csv", *KL)
    published, attestation = people.out / "published.csv", people.out / "attestation.json"
    drugs = {row["drug"] for row in rows_of(published)}
    assert drugs == {"a", "b", "c"}
    text = published.read_text()
    head, *rows = text.splitlines()
    same = [row.rpartition(",")[0] + ",a" for row in rows]
    published.write_text("\n".join((head, *same)) + "\n")
    assert people.run("verify", str(people.out)).code == 2  # the digest differs
    foreign = ["--relational", "age,sex", "--sensitive", "drug", "--model", "kl", "--k", "3", "--l", "2"]
    assert people.run("verify", str(published), *foreign).code == 1
    published.write_text(text)
    stated = json.loads(attestation.read_text())
    stated["parameters"]["l"] = 3
    attestation.write_text(json.dumps(stated))
    assert people.run("verify", str(people.out)).code in (1, 2)


@pytest.mark.parametrize("asked", [[], ["--l", "3"], ["--t", "0.3"], ["--model", "kl", "--l-kind", "entropy"]])
def test_suggest_runs_all_candidates_and_its_command_works(people: Place, asked: list[str]) -> None:
    ran = people.run("suggest", str(people.folder / "people.csv"), *OF_DRUG, *asked, "--json", "--quiet")
    assert ran.code == 0, ran.err
    best = ran.json["recommended"]
    size = "--t 0.3" if "--t" in asked else "--l 3" if "--l" in asked else "--l 2"
    assert f" {size}" in best["command"]
    assert best["command"].count("--sensitive drug") == 1
    assert len(ran.json["candidates"]) == len(FORMATIONS)
    done = people.run(*shlex.split(best["command"])[1:-1], str(people.out))
    assert done.code == 0, done.err
    assert json.loads((people.out / "attestation.json").read_text())["model"] == ("kt" if "--t" in asked else "kl")


def test_compare_varies_l(people: Place) -> None:
    job = ["compare", str(people.folder / "people.csv"), *OF_DRUG, "--k", "3"]
    ran = people.run(*job, "--algorithms", "mondrian,cluster", "--vary", "l=1,2,3", "--json", "--quiet")
    assert ran.code == 0, ran.err
    by_algorithm = defaultdict(list)
    for row in ran.json:
        assert row["outcome"] == "holds"
        by_algorithm[row["algorithm"]].append(row["rum"])
    assert [len(losses) for losses in by_algorithm.values()] == [3, 3]


def test_in_python_the_column_may_be_sensitive_or_kept() -> None:
    data = {"age": list("11223344"), "drug": list("abababab"), "person": list("abcdefgh")}
    algorithm = anonset.Mondrian(k=2, l=2, sensitive="drug")
    assert algorithm.model == anonset.KLDiversity(2, 2, "drug")
    texts = []
    for roles in ({"sensitive": "drug", "drop": ["person"], "unit": "row"}, {"keep": ["drug"], "unit": "person"}):
        release = anonset.anonymize(anonset.read(data, relational=["age"], **roles), algorithm)
        assert release.verdict.holds
        texts.append(release.to_arrow().to_pylist())
    assert texts[0] == texts[1]
    beside = anonset.read(data, relational=["age"], sensitive="drug", id="person")
    with refused(anonset.InputError, "ids"):
        anonset.anonymize(beside, algorithm)
    with refused(anonset.InputError, "drug sensitive"):
        anonset.anonymize(anonset.read(data, relational=["age"], drop=["drug", "person"], unit="row"), algorithm)


OF_AGE = ["--relational", "age", "--numeric", "age", "--hierarchy", "age=range"]


@pytest.mark.parametrize(
    "asked",
    [
        [*OF_AGE, "--model", "kl", "--l", "2"],
        [*OF_AGE, "--model", "kkm", "--algorithm", "rum-bound", "--m", "2", "--delta", "1"],
        ["--drop", "age", "--model", "km", "--m", "2"],
    ],
)
def test_a_sensitive_column_with_items_is_rejected_with_a_remedy(place: Place, asked: list[str]) -> None:
    rows = (f"p{n},{20 + n % 30},{'abc'[n % 3]} {'de'[n % 2]},{'xyz'[n % 3]}\n" for n in range(60))
    place.write("rt.csv", "id,age,codes,drug\n" + "".join(rows))
    job = ["anonymize", str(place.folder / "rt.csv"), "--unit", "id", "--k", "3", "-o", str(place.out), "--quiet"]
    refused = place.run(*job, "--items", "codes", "--sensitive", "drug", *asked)
    way = "--model klm --items codes,drug --sensitive-items drug:"
    assert refused.code == 2
    assert names(refused.err, f"drug {way}VALUE")
    followed = shlex.split(f"{way}x,drug:y,drug:z --hierarchy codes=balanced:2")
    assert place.run(*job, *OF_AGE, *followed, "--m", "2", "--l", "2", "--delta", "1", "--accept=worthless").code == 0
    assert (place.out / "published.csv").read_text().startswith("age,codes,drug\n")


def test_the_order_of_declared_columns_does_not_matter(tmp_path: Path) -> None:
    lines = [f"{20 + n % 7},{'ab'[n % 2]}{n % 3},{n % 5}" for n in range(60)]
    data = tmp_path / "people.csv"
    data.write_text("\n".join(["age,zip,floor", *lines]))
    published = []
    for declared in ("age,zip,floor", "floor,zip,age"):
        out = tmp_path / declared
        options = ["--unit", "row", "--relational", declared, "--numeric", "age", "--k", "4", "-o", str(out)]
        assert main(["anonymize", str(data), *options, "--model", "k", "--quiet"]) == 0
        published.append([(path.name, path.read_bytes()) for path in sorted(out.iterdir())])
    assert published[0] == published[1]
