"""Every privacy model from the command line: anonymize, verify, verify against the original, evaluate."""

import json
import shutil

import pytest
from tests.facts import names

from cli.place import Place
from cli.published import KKM, ROLES, RT, hierarchies, place_has, publish, report_of, rows_of, verified

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("algorithm", ["rum-bound", "tum-bound", "rfirst", "tfirst"])
def test_relational_transaction_frameworks_publish_and_verify(rt: Place, algorithm: str) -> None:
    function = [] if algorithm == "tfirst" else ["--transaction", "apriori"]
    more = ["--delta", "1"] if "bound" in algorithm else ["--partitions", "2"] if algorithm == "tfirst" else []
    ran = publish(rt, "rt.csv", *ROLES, *KKM, "--algorithm", algorithm, *function, *more, *hierarchies(rt), "--json")
    assert ran.json["verdict"] == "holds"
    assert list(ran.json["measures"])[:2] == ["rum", "tum"]
    assert ran.json["clusters"] >= 1
    assert place_has(rt, "published.csv", "mapping.csv")
    assert {row["cluster"] for row in rows_of(rt.private / "records.csv")} == {
        row["cluster"] for row in rows_of(rt.private / "mapping.csv")
    }
    verification = verified(rt, "rt.csv", *hierarchies(rt)[:4])
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    measured = rt.run("evaluate", str(rt.folder / "rt.csv"), str(rt.out), *ROLES, *hierarchies(rt), "--json")
    assert measured.code == 0, measured.err
    for name in ("rum", "tum", "ncp", "lm"):
        assert measured.json[name] == pytest.approx(ran.json["measures"][name]), name


@pytest.mark.long
def test_item_weights_apply_to_the_loss_per_record(rt: Place) -> None:
    publish(rt, "rt.csv", *ROLES, *KKM, "--algorithm", "rfirst", "--transaction", "apriori", *hierarchies(rt), "--json")
    job = ["evaluate", str(rt.folder / "rt.csv"), str(rt.out), *ROLES, *hierarchies(rt), "--json"]
    plain, uniform, lca, ones = (
        rt.run(*job, *more).json for more in ([], *(["--item-weights", x] for x in ("uniform", "lca", "ones")))
    )
    assert list(plain)[:4] == ["rum", "tum", "ncp", "lm"]
    assert plain["tum"] == uniform["tum"] > lca["tum"] > 0
    assert ones["tum"] > plain["tum"]
    assert {**lca, "tum": 0} == {**plain, "tum": 0}
    (rt.folder / "baskets.dat").write_text("a b\nb c\nc d\nd a\na c\nb d\n" * 4)
    data, out = str(rt.folder / "baskets.dat"), str(rt.folder / "local")
    tree = ["--hierarchy", "items=balanced:2"]
    run = ["--algorithm", "lra", "--partitions", "2", "--k", "6", "--m", "2", "--unit", "row"]
    assert rt.run("anonymize", data, *run, *tree, "-o", out).code == 0
    local, weighted = (
        rt.run("evaluate", data, out, *tree, "--json", *more).json for more in ([], ["--item-weights", "lca"])
    )
    assert "ul" not in local
    assert local["tum"] > weighted["tum"] > 0


def test_rum_bound_with_coat_by_default(rt: Place) -> None:
    ran = publish(rt, "rt.csv", *ROLES, *KKM, *hierarchies(rt)[:4], "--algorithm", "rum-bound", "--delta", "0.65")
    assert names(ran.out, "(k,km)-anonymity k=2, m=2 holds")
    assert names(ran.out, "'attribute detail' lost")
    assert names(ran.out, "'item detail' lost")
    report = json.loads((rt.private / "report.json").read_text())
    assert report["parameters"]["transaction"] == "coat"
    assert {"rum_before", "tum_before", "clusters"} <= set(report["figures"])
    assert report["measures"]["rum"] == pytest.approx(report["figures"]["rum"])
    assert report["measures"]["tum"] == pytest.approx(report["figures"]["tum"])


def test_a_missing_delta_is_rejected_with_the_command_that_shows_its_cost(rt: Place) -> None:
    job = [str(rt.folder / "rt.csv"), *ROLES, *KKM, *hierarchies(rt)[:4]]
    ran = rt.run("anonymize", *job, "--algorithm", "rum-bound", "-o", str(rt.out))
    assert (ran.code, names(ran.err, "--delta loss 0 1")) == (2, True), ran.err
    named = ran.err.split("anonset compare INPUT ... ")[1].split()
    compared = rt.run("compare", *job, "--algorithms", "rum-bound", *named, "--json", "--quiet")
    assert compared.code == 0, compared.err
    assert [row["delta"] for row in compared.json] == [0.3, 0.5, 0.7]


@pytest.mark.long
def test_the_account_lists_the_losses_of_other_bounds(rt: Place) -> None:
    ran = publish(
        rt, "rt.csv", *ROLES, *KKM, *hierarchies(rt)[:4], "--algorithm", "rum-bound", "--delta", "0.7", "--json"
    )
    way = ran.json["merging"]
    assert (way[0]["clusters"], way[-1]["clusters"]) == (3, ran.json["clusters"])
    assert way[-1]["rum"] == pytest.approx(ran.json["measures"]["rum"])
    assert way == sorted(way, key=lambda step: (step["rum"], -step["clusters"]))
    shutil.rmtree(rt.out)
    shutil.rmtree(rt.private)
    ran = publish(rt, "rt.csv", *ROLES, *KKM, *hierarchies(rt)[:4], "--algorithm", "rum-bound", "--delta", "0.7")
    assert names(ran.out, f"'attribute detail' {way[-1]['rum']:.1%} lost")


def test_an_rt_publication_of_another_tool_can_be_verified(rt: Place) -> None:
    rt.write("else.csv", 'age,items\n[1:2],x\n[1:2],x\n3,"x y"\n3,x y\n')
    assert rt.run("verify", str(rt.folder / "else.csv"), *KKM, "--items", "items", "--relational", "age").code == 0
    rt.write("else.csv", "age,items\n[1:2],x\n[1:2],x\n3,x y\n3,x\n")
    ran = rt.run("verify", str(rt.folder / "else.csv"), *KKM, "--items", "items", "--relational", "age")
    assert (ran.code, "{y} matches 1 record" in ran.out) == (1, True)


def test_a_bound_that_is_too_tight_is_infeasible(rt: Place) -> None:
    ran = rt.run(
        "anonymize",
        str(rt.folder / "rt.csv"),
        "-o",
        str(rt.out),
        *ROLES,
        *KKM,
        *hierarchies(rt),
        "--algorithm",
        "rum-bound",
        "--delta",
        "0.01",
    )
    assert (ran.code, names(ran.err, "delta")) == (1, True)
    assert not rt.out.exists()
    assert not rt.private.exists()


@pytest.mark.parametrize("algorithm", ["full-domain", "bottom-up", "local-recoding", "mondrian", "cluster"])
def test_relational_data_without_items_are_published(rt: Place, algorithm: str) -> None:
    roles = ["--relational", "age,origin,gender", "--drop", "items", "--unit", "row", *hierarchies(rt)[:4]]
    weights = ["--relational-weights", "age=0.5,origin=0.25,gender=0.25"]
    ran = publish(rt, "rt.csv", "--model", "k", "--algorithm", algorithm, "--k", "2", *roles, *weights, "--json")
    assert list(ran.json["measures"]) == ["rum"]
    assert not (rt.private / "mapping.csv").exists()
    verification = verified(rt, "rt.csv", "--drop", "items", *hierarchies(rt)[:4])
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    measured = rt.run("evaluate", str(rt.folder / "rt.csv"), str(rt.out), *roles, *weights, "--json")
    assert measured.json["rum"] == pytest.approx(ran.json["measures"]["rum"])
    assert measured.json["source"] == "data"


def test_a_share_of_the_records_is_suppressed(rt: Place) -> None:
    rt.write("few.csv", "sex,place\nf,a\nf,a\nf,a\nm,b\nx,c\n")
    roles = ["--relational", "sex,place", "--unit", "row", "--hierarchy", "sex=values", "--hierarchy", "place=values"]
    options = ["--model", "k", "--algorithm", "full-domain", "--k", "2", "--max-suppressed-records", "0.4", "--json"]
    ran = publish(rt, "few.csv", *options, *roles)
    assert ran.json["measures"]["rum"] == pytest.approx(0.4)
    measured = rt.run("evaluate", str(rt.folder / "few.csv"), str(rt.out), *roles, "--json")
    assert measured.json["rum"] == pytest.approx(0.4)


def test_disclosure_by_kept_columns_is_measured(rt: Place) -> None:
    """Two classes of three: in the first all share the illness, in the second none."""
    rt.write("ill.csv", "sex,illness\nf,flu\nf,flu\nf,flu\nm,flu\nm,asthma\nm,cough\n")
    roles = ["--relational", "sex", "--keep", "illness", "--unit", "row", "--hierarchy", "sex=values"]
    ran = publish(rt, "ill.csv", "--model", "k", "--k", "3", *roles, "--publish-as-is", "illness")
    assert ran.code == 0, ran.err
    measured = rt.run("evaluate", str(rt.folder / "ill.csv"), str(rt.out), *roles, "--json")
    result = measured.json["observed"]["illness"]
    assert (result["distinct_l"], result["frequency_l"], result["homogeneous_records"]) == (1, 1.0, 3)
    assert result["t"] == pytest.approx(1 / 3)
    shown = rt.run("evaluate", str(rt.folder / "ill.csv"), str(rt.out), *roles)
    text = "l=1 (distinct), 1 (by frequency), 1 (by entropy); t=0.333; 3 records in classes with a single value"
    assert text in " ".join(shown.out.split())


def test_an_untrue_publication_is_detected(rt: Place) -> None:
    rt.write("else.csv", "age,items\n[60:70],E\n[60:70],E\n")
    rt.write("original.csv", "age,items\n19,E\n65,E\n")
    ran = rt.run(
        "verify",
        str(rt.folder / "else.csv"),
        "--model",
        "kkm",
        "--k",
        "2",
        "--m",
        "1",
        "--items",
        "items",
        "--relational",
        "age",
        "--original",
        str(rt.folder / "original.csv"),
        "--hierarchy",
        "age=range",
    )
    assert ran.code == 1
    assert "holds" in ran.out
    assert names(ran.out, "match original {[60:70]}")


@pytest.mark.parametrize("algorithm", ["lra", "vpa", "hghs", "mhghs"])
def test_each_algorithm_for_km_publishes_and_verifies(shop: Place, algorithm: str) -> None:
    job = ["--model", "km", "--algorithm", algorithm, "--k", "3", "--m", "2", "--hierarchy", "items=balanced:3"]
    ran = publish(shop, "shop.dat", *job, "--json")
    assert ran.json["verdict"] == "holds"
    for model in ([], ["--model", "km", "--k", "3", "--m", "2"]):
        assert shop.run("verify", str(shop.out), *model).code == 0
    verification = verified(shop, "shop.dat")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    measured = shop.run(
        "evaluate", str(shop.folder / "shop.dat"), str(shop.out), "--workload", "record:10x2", "--seed", "1", "--json"
    )
    assert measured.json["ncp"] == pytest.approx(ran.json["measures"]["ncp"])
    assert measured.json["lm"] == pytest.approx(ran.json["measures"]["lm"])
    assert (measured.json["answered"], measured.json["skipped"]) == (10, 0)


def test_local_generalization(shop: Place) -> None:
    publish(shop, "shop.dat", "--algorithm", "local-generalization", "--k", "3", "--hierarchy", "items=balanced:3")
    ran = shop.run("verify", str(shop.out))
    assert (ran.code, names(ran.out, "k-anonymity k=3 holds")) == (0, True)
    shop.private.rename(shop.folder / "gone")
    ran = shop.run("evaluate", str(shop.folder / "shop.dat"), str(shop.out))
    assert (ran.code, names(ran.err, "private mapping")) == (2, True)


def test_coherence_is_attested_and_verified(shop: Place) -> None:
    job = ["--model", "coherence", "--h", "0.6", "--k", "3", "--p", "1", "--sensitive-items", "secret"]
    publish(shop, "shop.dat", *job)
    attestation = json.loads((shop.out / "attestation.json").read_text())
    assert attestation["parameters"] == {"h": 0.6, "k": 3, "p": 1, "sensitive_items": ["secret"]}
    assert shop.run("verify", str(shop.out)).code == 0
    assert shop.run("verify", str(shop.out), "--h", "0.01").code == 1


@pytest.mark.parametrize("config", [False, True])
@pytest.mark.parametrize(
    ("h", "attested"),
    [
        ("0.9999999999", 0.9999999999),
        ("0.99999999999999999999", "99999999999999999999/100000000000000000000"),
        ("1e-12", 1e-12),
    ],
)
def test_a_share_is_exactly_the_written_number(place: Place, h: str, attested: object, config: bool) -> None:
    """Every record with `a` has `s`: a share of 1, above any h below 1."""
    data = place.write("told.dat", "a s\na s\nb\nb\n")
    arguments = ["--config", place.write("job.toml", f"h = {h}\n")] if config else ["--h", h]
    job = ["--k", "2", "--p", "2", "--sensitive-items", "s"]
    publish(place, "told.dat", "--model", "coherence", *job, *arguments)
    assert sorted((place.out / "published.dat").read_text().splitlines()) == ["b", "b", "s", "s"]
    attestation = json.loads((place.out / "attestation.json").read_text())
    assert attestation["parameters"]["h"] == attested
    assert place.run("verify", str(place.out)).code == 0
    ran = place.run("verify", data, "--model", "coherence", *job, "--h", h)
    assert (ran.code, "fails: {a} matches 2 records" in ran.out) == (1, True)


@pytest.mark.parametrize("h", ["0", "-1", "1.0000000000000000000001", "nan", "inf", "1e-999999999", "many", "1/0"])
def test_an_invalid_share_is_rejected_in_one_line(place: Place, h: str) -> None:
    place.write("told.dat", "a s\na s\n")
    job = ["--model", "coherence", "--k", "2", "--p", "1", f"--h={h}"]
    ran = place.run("anonymize", str(place.folder / "told.dat"), "-o", str(place.out), *job)
    assert (ran.code, ran.out) == (2, "")
    assert names(ran.err, f"--h 0 1 {h}")


def test_coherence_by_the_losses_of_a_file(place: Place) -> None:
    data = place.write("pairs.dat", "a b c\na c\nb c\nb\n")
    job = ["anonymize", data, "--model", "coherence", "--k", "2", "--p", "2", "--config", "job.toml"]
    job[-1] = place.write("job.toml", 'item_loss = "losses.txt"\n')
    place.write("losses.txt", "0.1 b\n1 a\n")
    assert place.run(*job, "-o", str(place.out)).code == 0
    assert {row["item"]: row["published"] for row in rows_of(place.private / "mapping.csv")} == {
        "a": "a",
        "b": "",
        "c": "c",
    }
    assert json.loads(report_of(place))["parameters"]["item_loss"] == {"a": "1", "b": "1/10"}
    for text, fragment in (("0.1 b\n1 a b\n", "item 'b' has two losses"), ("0 b\n", "item_loss of 'b' must be")):
        place.write("losses.txt", text)
        ran = place.run(*job, "-o", str(place.folder / "other"))
        assert (ran.code, fragment in ran.err) == (2, True), ran.err
    place.write("losses.txt", "0.5 z\n")
    ran = place.run(*job, "-o", str(place.folder / "other"))
    assert (ran.code, names(ran.err, "item z 3")) == (2, True), ran.err


def test_many_sensitive_items_are_counted_in_the_account_and_listed_in_json(place: Place) -> None:
    names = [f"secret-{n}" for n in range(40)]
    rows = [f"a b c {name}" if n % 4 == 0 else f"{'abc'[n % 3]} d" for n, name in enumerate(names * 10)]
    place.write("many.dat", "\n".join(rows) + "\n")
    shown = [name for n, name in enumerate(names) if n % 4 == 0]
    job = ["--model", "lm", "--k", "3", "--l", "3", "--m", "1", "--sensitive-items", ",".join(shown)]
    ran = publish(place, "many.dat", *job, "--hierarchy", "items=balanced:2")
    assert "sensitive_items=10 (secret-0, secret-4, secret-8, …)" in ran.out
    assert "secret-12" not in ran.out
    shutil.rmtree(place.out)
    shutil.rmtree(place.private)
    ran = publish(place, "many.dat", *job, "--hierarchy", "items=balanced:2", "--json")
    assert ran.json["parameters"]["sensitive_items"] == shown


def test_diversity_with_the_sensitive_items_in_a_file(shop: Place) -> None:
    listed = shop.write("secrets.txt", "secret\n\n")
    job = ["--model", "klm", "--k", "3", "--l", "3", "--m", "1", "--sensitive-items", f"@{listed}"]
    publish(shop, "shop.dat", *job, "--hierarchy", "items=balanced:3")
    mapping = {row["item"]: row["published"] for row in rows_of(shop.private / "mapping.csv")}
    assert mapping["secret"] == "secret"
    assert shop.run("verify", str(shop.out)).code == 0
    klm = ["--model", "klm", "--k", "3", "--l", "3", "--m", "1", "--sensitive-items", "secret"]
    assert shop.run("verify", str(shop.out / "published.dat"), *klm).code == 0
    assert shop.run("verify", str(shop.out / "published.dat"), *klm[:4], "--l", "59", *klm[6:]).code == 1


@pytest.mark.long
def test_diversity_of_rt_data(rt: Place) -> None:
    rt.write("rt.csv", RT.replace("E F B", "E F secret"))
    job = [*ROLES, "--model", "klm", "--k", "2", "--l", "2", "--m", "2", "--sensitive-items", "secret"]
    ran = publish(rt, "rt.csv", *job, *hierarchies(rt), "--delta", "1", "--on-infeasible", "merge", "--json")
    assert ran.json["parameters"]["transaction"] == {"name": "lm-apriori", "l": 2, "sensitive_items": ["secret"]}
    verification = verified(rt, "rt.csv", *hierarchies(rt)[:4])
    assert (verification.code, verification.json["model"], verification.json["true"]) == (0, "klm", True), (
        verification.err
    )
    measured = rt.run("evaluate", str(rt.folder / "rt.csv"), str(rt.out), *ROLES, *hierarchies(rt)[:4], "--json")
    assert measured.json["tum"] == pytest.approx(ran.json["measures"]["tum"])
    report = json.loads(report_of(rt))
    assert report["figures"]["tum"] == pytest.approx(report["measures"]["tum"])


@pytest.fixture
def bakery(place: Place) -> Place:
    """Return a place in which a rare item makes every cut without suppression useless."""
    rows = ["a1 a2", "a1 b1", "a2 b1", "b2", "b2 b1", "a1"] * 4 + ["c1"]
    place.write("data.dat", "".join(f"{row}\n" for row in rows))
    place.write("hierarchy.csv", "a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\nc1,C,ALL\nc2,C,ALL\n")
    return place


def test_by_default_km_suppresses_only_items_that_would_force_a_single_symbol(bakery: Place) -> None:
    ran = bakery.run(*bakery.job("--json"))
    assert ran.code == 0, ran.err
    (message,) = ran.json["warnings"]
    assert names(message, "1 item suppressed --suppress")
    assert f"anonset: warning: {message}\n" in ran.err
    assert ran.json["algorithm"] == "exact"
    assert ran.json["proof"] == {"lower_bound": pytest.approx(1 / 41), "gap": 0.0, "suppression": 1.0}
    assert json.loads((bakery.private / "report.json").read_text())["warnings"] == [message]


@pytest.mark.parametrize("more", [["--algorithm", "exact"], ["--algorithm", "apriori"]])
def test_an_algorithm_without_suppression_gets_a_hint(bakery: Place, more: list[str]) -> None:
    job = bakery.job(*more)
    del job[job.index("--model") : job.index("--model") + 2]
    ran = bakery.run(*job)
    assert ran.code == 1
    assert names(ran.err, "exact --suppress")


def test_requested_suppression_gets_no_hint(bakery: Place) -> None:
    ran = bakery.run(*bakery.job("--suppress"))
    assert (ran.code, ran.err) == (0, "")
    assert names(ran.out, "'item detail' 2.4% minimum hierarchy suppression proven")


def test_a_stopped_search_reports_its_progress(bakery: Place) -> None:
    ran = bakery.run(*bakery.job("--suppress", "--effort", "0.001"))
    assert ran.code == 0, ran.err
    assert names(ran.err, "warning exact step")


@pytest.mark.long
def test_defaults_are_turned_off_by_options(place: Place) -> None:
    data = place.write("half.csv", "codes\na hiv\na\nb\nb\n")
    options = ["--items", "codes", "--model", "rho", "--rho", "0.5", "--m", "1", "--sensitive-items", "hiv"]
    for flags in ([], ["--no-strict"], ["--no-strict", "--no-from-nothing"]):
        out = place.folder / f"out{len(flags)}"
        ran = place.run("anonymize", data, *options, *flags, "-o", str(out), "--unit", "row", "--quiet")
        assert ran.code == 0, ran.err
        assert ("a hiv" in (out / "published.csv").read_text().splitlines()) == bool(flags)
        parameters = json.loads((out / "attestation.json").read_text())["parameters"]
        assert (parameters["strict"], parameters["from_nothing"]) == (not flags, len(flags) < 2)
        assert place.run("verify", str(out)).code == 0
