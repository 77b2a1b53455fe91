"""Privacy and utility constraints, comparisons, and queries from the command line."""

import csv
import json

import pytest
from tests.facts import names

from cli.place import Place
from cli.published import KKM, ROLES, hierarchies, publish, report_of, rows_of, verified


@pytest.mark.parametrize("algorithm", ["coat", "pcta"])
def test_privacy_and_utility_constraints(shop: Place, algorithm: str) -> None:
    data = str(shop.folder / "shop.dat")
    privacy, utility = shop.folder / "privacy.txt", shop.folder / "utility.txt"
    assert shop.run("policy", "generate", data, "-o", str(privacy), "--privacy", "PP5", "--seed", "2").code == 0
    assert shop.run("policy", "generate", data, "-o", str(utility), "--utility", "siblings:7").code == 0
    ran = shop.run("policy", "check", str(utility), "--kind", "utility", "--input", data, "--json")
    supports = [
        sum(not group.isdisjoint(line.split()) for line in (shop.folder / "shop.dat").read_text().splitlines())
        for group in ({*line.split()} for line in utility.read_text().splitlines())
    ]
    assert ran.json == {"constraints": 2, "smallest": 6, "largest": 7, "items": 13, "supports": supports}
    files = ["--privacy-constraints", str(privacy), "--utility-constraints", str(utility)]
    bound = ["--max-suppressed", "0.5"] if algorithm == "coat" else []
    job = ["--model", "constraints", "--algorithm", algorithm, "--k", "4", "--item-weights", "ones", *files, *bound]
    ran = publish(shop, "shop.dat", *job, "--json")
    assert list(ran.json["measures"])[:2] == ["ncp", "lm"]
    attestation = json.loads((shop.out / "attestation.json").read_text())
    assert attestation["parameters"] == {"k": 4, "policy": "21 constraints"}
    private = {"protected_items", "unpublished_items"}  # they would disclose the number of suppressed items
    assert attestation["verified"].keys() == json.loads(report_of(shop))["verified"].keys() - private
    constraints = shop.private / "privacy_constraints.txt"
    assert constraints.read_text() == privacy.read_text()
    ran = shop.run("verify", str(shop.out))
    assert (ran.code, "--privacy-constraints" in ran.err) == (2, True)
    verification = verified(shop, "shop.dat", *files, "--max-suppressed", "0.5")
    assert (verification.code, verification.json["true"], verification.json["beyond_utility"]) == (0, True, None), (
        verification.err
    )
    measured = shop.run("evaluate", data, str(shop.out), "--item-weights", "ones", "--json")
    assert measured.json["log2_ul"] == pytest.approx(json.loads(report_of(shop))["measures"]["log2_ul"])


def test_remaining_items_are_one_utility_constraint(shop: Place) -> None:
    data, utility = str(shop.folder / "shop.dat"), shop.write("utility.txt", "secret\n...\n")
    ran = shop.run("policy", "check", utility, "--kind", "utility", "--input", data, "--json")
    assert (ran.json["constraints"], ran.json["smallest"], ran.json["items"]) == (2, 1, 13)
    job = ["--model", "constraints", "--privacy-constraints", "pgen", "--k", "9", "--max-suppressed", "0.5"]
    publish(shop, "shop.dat", *job, "--utility-constraints", utility, "--json")
    items = sorted({item for line in (shop.folder / "shop.dat").read_text().split("\n") for item in line.split()})
    shop.write("complete.txt", "secret\n" + " ".join(item for item in items if item != "secret") + "\n")
    first = (shop.out / "published.dat").read_text()
    assert "," in first
    assert "secret," not in first
    assert ",secret" not in first
    more = ["--utility-constraints", utility, "--max-suppressed", "0.5"]
    constraints = str(shop.private / "privacy_constraints.txt")
    verification = verified(shop, "shop.dat", "--privacy-constraints", constraints, *more)
    assert (verification.code, verification.json["beyond_utility"]) == (0, None), verification.err
    complete, out = str(shop.folder / "complete.txt"), shop.folder / "second"
    assert shop.run("anonymize", data, "-o", str(out), *job, "--utility-constraints", complete).code == 0
    assert (out / "published.dat").read_text() == first


def test_constraints_of_the_data_and_of_all_itemsets(shop: Place) -> None:
    publish(shop, "shop.dat", "--model", "constraints", "--privacy-constraints", "pgen", "--k", "3")
    policy = shop.private / "privacy_constraints.txt"
    assert policy.read_text().count("\n") > 10
    file, book = str(shop.out / "published.dat"), str(shop.out / "codebook.csv")
    model = ["--model", "constraints", "--k", "3", "--privacy-constraints"]
    assert shop.run("verify", file, *model, str(policy), "--codebook", book).code == 0
    ran = shop.run("verify", file, *model, "pgen")
    assert (ran.code, names(ran.err, "'anonset policy generate'")) == (2, True)


def test_a_violated_utility_constraint_is_detected(shop: Place) -> None:
    shop.write("original.dat", "a b\na b\n")
    published = shop.write("else.dat", "(a,b)\n(a,b)\n")
    utility = shop.write("utility.txt", "a\nb\n")
    more = ["--original", str(shop.folder / "original.dat"), "--utility-constraints", utility]
    ran = shop.run("verify", published, "--model", "km", "--k", "2", "--m", "1", *more)
    assert (ran.code, names(ran.out, "utility 1 2")) == (1, True)
    ran = shop.run("verify", published, "--model", "km", "--k", "2", "--m", "1", *more[2:])
    assert (ran.code, names(ran.err, "--original")) == (2, True)


def test_excessive_suppression_is_detected(shop: Place) -> None:
    shop.write("original.dat", "a b\na c\n")
    published = shop.write("else.dat", "a\na\n")
    more = ["--original", str(shop.folder / "original.dat"), "--max-suppressed"]
    model = ["--model", "km", "--k", "2", "--m", "1"]
    assert shop.run("verify", published, *model, *more, "0.7").code == 0
    ran = shop.run("verify", published, *model, *more, "0.5")
    assert (ran.code, names(ran.out, "suppressed 66.7% 50.0%")) == (1, True)


def test_suppression_is_counted_equally_by_search_and_check(shop: Place) -> None:
    shop.write("original.dat", "a b\n" * 5 + "c\n")
    tree = shop.write("tree.csv", "".join(f"{item},{item.upper()},ALL\n" for item in "abcd"))
    publish(
        *(shop, "original.dat", "--hierarchy", f"items={tree}", "--algorithm", "coat", "--privacy-constraints", "km"),
        *("--k", "2", "--m", "1", "--utility-constraints", "level:1", "--max-suppressed", "0.25"),
    )
    more = ["--original", str(shop.folder / "original.dat"), "--hierarchy", f"items={tree}", "--max-suppressed"]
    back = ["--records", str(shop.private / "records.csv")]
    result = shop.run("verify", str(shop.out), *more, "0.25", *back)
    assert names(result.out, "suppressed 25.0%")
    assert shop.run("verify", str(shop.out), *more, "0.24999999999999999999", *back).code == 1


def test_policy_convert_writes_blanks_as_separators(shop: Place) -> None:
    source, made = shop.write("commas.txt", "a, b\n\nc,d,e\n"), shop.folder / "made.txt"
    assert shop.run("policy", "convert", source, str(made)).code == 0
    assert made.read_text() == "a b\nc d e\n"
    ran = shop.run("policy", "convert", source, str(made))
    assert (ran.code, names(ran.err, f"{made}")) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["--utility", "one", "--privacy", "PP1"], "--utility --privacy"),
        ([], "--utility --privacy"),
        (["--privacy", "PP0"], "PP0"),
        (["--privacy", "pgen"], "--k"),
        (["--utility", "level:1"], "hierarchy"),
    ],
)
def test_policies_that_cannot_be_generated(shop: Place, arguments: list[str], fragment: str) -> None:
    made = shop.folder / "made.txt"
    ran = shop.run("policy", "generate", str(shop.folder / "shop.dat"), "-o", str(made), *arguments)
    assert (ran.code, names(ran.err, fragment), made.exists()) == (2, True, False), ran.err


@pytest.mark.parametrize(
    ("symbols", "labels"), [("members", "(a,b)"), ("short", "G1"), ("auto", "(a,b)")], ids=["members", "short", "auto"]
)
def test_labels_of_sets_follow_the_symbols_option(place: Place, symbols: str, labels: str) -> None:
    place.write("pairs.dat", "a\nb\nc\nc\n")
    publish(place, "pairs.dat", "--model", "constraints", "--m", "1", "--k", "2", "--symbols", symbols)
    assert (place.out / "published.dat").read_text() == f"{labels}\n{labels}\nc\nc\n"
    assert rows_of(place.out / "codebook.csv")[0]["members"] == "a b"
    assert rows_of(place.private / "mapping.csv")[0] == {"item": "a", "published": labels}
    assert place.run("verify", str(place.out)).code == 0


def test_short_names_of_sets_of_values(rt: Place) -> None:
    roles = ["--relational", "origin", "--drop", "age,gender,items", "--model", "k", "--k", "3", "--symbols", "short"]
    publish(rt, "rt.csv", *roles, "--unit", "row")
    assert {row["origin"] for row in rows_of(rt.out / "published.csv")} == {"V1", "V2"}
    assert {row["kind"] for row in rows_of(rt.out / "codebook.csv")} == {"values"}
    verification = verified(rt, "rt.csv", "--drop", "age,gender,items")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    measured = rt.run("evaluate", str(rt.folder / "rt.csv"), str(rt.out), *roles[:4], "--json")
    assert measured.json["rum"] == pytest.approx(json.loads(report_of(rt))["measures"]["rum"])


def test_items_that_sets_cannot_contain_are_rejected_before_any_work(place: Place) -> None:
    place.write("odd.dat", "a,b\nc\n")
    job = ["anonymize", str(place.folder / "odd.dat"), "-o", str(place.out), "--model", "constraints", "--m", "1"]
    ran = place.run(*job, "--k", "2", "--symbols", "members")
    assert (ran.code, "'a,b'" in ran.err, "--symbols short" in ran.err) == (2, True, True)
    assert place.run(*job, "--k", "2", "--accept", "worthless").code == 0
    assert (place.out / "published.dat").read_text() == "G1\nG1\n"


@pytest.mark.long
def test_compare_runs_a_grid_of_algorithms(shop: Place) -> None:
    data = str(shop.folder / "shop.dat")
    grid = ["--algorithms", "apriori,lra,coat", "--m", "2", "--partitions", "3", "--vary", "k=2,100"]
    job = ["compare", data, *grid, "--hierarchy", "items=balanced:3", "--workload", "record:5x1"]
    ran = shop.run(*job, "--json")
    assert ran.code == 0, ran.err
    result = {(row["algorithm"], row["k"]): row for row in ran.json}
    assert set(result) == {(name, k) for name in ("apriori", "lra", "coat") for k in (2, 100)}
    assert {row["outcome"] for row in ran.json if row["k"] == 2} == {"holds"}
    assert result["apriori", 100]["outcome"] == "infeasible"
    assert "100" in result["apriori", 100]["note"]
    assert result["lra", 2]["partitions"] == 3
    assert result["apriori", 2]["partitions"] is None
    assert result["apriori", 2]["are"] > 0
    assert (result["apriori", 2]["reading"], result["apriori", 100]["reading"]) == ("one-member", None)
    table = shop.run(*job).out
    assert "log2 UL" in table
    assert names(table, "apriori 60 non-empty")
    lines = list(csv.DictReader(shop.run(*job, "--format", "csv").out.splitlines()))
    assert [line["ncp"] for line in lines] == ["" if row["ncp"] is None else str(row["ncp"]) for row in ran.json]


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["--algorithms", "apriori,magic", "--k", "2", "--m", "2"], "magic"),
        (["--algorithms", "apriori", "--k", "2", "--m", "2", "--partitions", "3"], "--partitions apriori"),
        (["--algorithms", "apriori", "--m", "2", "--vary", "k=2,x"], "k integer x"),
        (["--algorithms", "apriori", "--m", "2"], "apriori --k"),
        (["--model", "km", "--k", "2", "--m", "2", "--workload", "record:5"], "--workload record:5"),
        (["--k", "2"], "--model --algorithm"),
    ],
)
def test_invalid_options_of_compare_are_rejected(shop: Place, arguments: list[str], fragment: str) -> None:
    ran = shop.run("compare", str(shop.folder / "shop.dat"), *arguments)
    assert (ran.code, names(ran.err, fragment)) == (2, True), ran.err


def test_evaluate_answers_queries_from_a_file(shop: Place) -> None:
    publish(shop, "shop.dat", "--model", "km", "--k", "1", "--m", "1", "--hierarchy", "items=balanced:3")
    queries = shop.write("queries.txt", "a b\nc\n")
    data = str(shop.folder / "shop.dat")
    ran = shop.run("evaluate", data, str(shop.out), "--queries", queries, "--json")
    assert (ran.code, ran.json["are"], ran.json["answered"]) == (0, 0.0, 2), ran.err
    assert ran.json["reading"] == "one-member"
    assert (
        "(ARE, subsets)" in shop.run("evaluate", data, str(shop.out), "--queries", queries, "--reading", "subsets").out
    )
    ran = shop.run("evaluate", data, str(shop.out), "--queries", queries, "--reading", "half")
    assert (ran.code, names(ran.err, "--reading one-member subsets-apart half")) == (2, True)
    ran = shop.run("evaluate", data, str(shop.out), "--queries", queries, "--workload", "record:5x1")
    assert (ran.code, names(ran.err, "--queries --workload")) == (2, True)


@pytest.mark.parametrize("spec", ["record:20x1+2", "domain:20x0+1", "published:20x1+1", "record:20x1"])
def test_queries_for_items_and_relational_values(rt: Place, spec: str) -> None:
    publish(
        rt,
        "rt.csv",
        *ROLES,
        *KKM,
        *hierarchies(rt)[:4],
        "--algorithm",
        "rum-bound",
        "--delta",
        "1",
        "--symbols",
        "short",
    )
    job = ["evaluate", str(rt.folder / "rt.csv"), str(rt.out), *ROLES, *hierarchies(rt)[:4], "--json"]
    ran = rt.run(*job, "--workload", spec, "--width", "0.1")
    assert ran.code == 0, ran.err
    assert ran.json["answered"] + ran.json["skipped"] == 20
    workload = '{"schema": 1, "queries": [{"items": ["E"], "where": [{"column": "age", "low": 19, "high": 70}]}]}'
    ran = rt.run(*job, "--queries", rt.write("queries.json", workload))
    assert (ran.code, ran.json["answered"]) == (0, 1), ran.err


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("domain:5x14", "Q 13 14"),
        ("record:5x9", "9 60"),
        ("record:5x1+1", "V 0 1"),
        ("record:0x1", "N 1 0"),
    ],
)
def test_an_invalid_workload_is_quoted_in_the_error(shop: Place, spec: str, why: str) -> None:
    publish(shop, "shop.dat", "--model", "km", "--k", "1", "--m", "1", "--hierarchy", "items=balanced:3")
    ran = shop.run("evaluate", str(shop.folder / "shop.dat"), str(shop.out), "--workload", spec)
    form = f"{spec.partition(':')[0]}:NxQ+V"
    assert (ran.code, names(ran.err, f"error '--workload {spec}' {form} {why}")) == (2, True)


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ("level:9", "depth 0..2 9"),
        ("siblings:0", "size 1 0"),
    ],
)
def test_groups_that_cannot_be_name_their_option(shop: Place, groups: str, why: str) -> None:
    job = ["--algorithm", "coat", "--privacy-constraints", "km", "--k", "2", "--m", "1"]
    data = ["--hierarchy", "items=balanced:4", "-o", str(shop.out)]
    ran = shop.run("anonymize", str(shop.folder / "shop.dat"), *data, *job, "--utility-constraints", groups)
    assert (ran.code, names(ran.err, f"error '--utility-constraints {groups}' {why}")) == (2, True)


def test_generated_queries_are_those_of_evaluate(shop: Place) -> None:
    data, queries = str(shop.folder / "shop.dat"), str(shop.folder / "queries.json")
    publish(shop, "shop.dat", "--model", "km", "--k", "3", "--m", "2", "--hierarchy", "items=balanced:2")
    random = ["--workload", "record:20x2", "--seed", "3"]
    assert shop.run("workload", "generate", data, "-o", queries, *random).code == 0
    evaluated = ["evaluate", data, str(shop.out), "--json"]
    by_file, by_seed = (shop.run(*evaluated, *options).json for options in (["--queries", queries], random))
    assert (by_file["are"], by_file["answered"]) == (by_seed["are"], 20)
    records = [{*line.split()} for line in (shop.folder / "shop.dat").read_text().splitlines()]
    itemsets = [query["items"] for query in json.loads((shop.folder / "queries.json").read_text())["queries"]]
    answers = [sum(record.issuperset(itemset) for record in records) for itemset in itemsets]
    ran = shop.run("workload", "check", queries, "--input", data, "--json")
    assert (ran.json, min(answers) > 0) == ({"queries": 20, "answers": answers}, True)
    shop.write("lines.txt", f"{' '.join(itemsets[0])}\n")
    ran = shop.run("workload", "check", str(shop.folder / "lines.txt"), "--input", data)
    facts = " ".join(ran.out.split())
    assert facts == f"queries 1 without a matching record 0 most records {answers[0]}"


def test_random_queries_need_the_original_alone(shop: Place) -> None:
    data, queries = str(shop.folder / "shop.dat"), str(shop.folder / "queries.json")
    ran = shop.run("workload", "generate", data, "-o", queries, "--workload", "published:20x2")
    assert (ran.code, names(ran.err, "published evaluate")) == (2, True)
    ran = shop.run("workload", "generate", data, "-o", queries)
    assert (ran.code, names(ran.err, "--workload record:100x2")) == (2, True)
    ran = shop.run("workload", "generate", data, "-o", queries, "--workload", "record:20x2+1")
    assert (ran.code, names(ran.err, "relational")) == (2, True)
    assert not (shop.folder / "queries.json").exists()
