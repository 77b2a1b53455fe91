"""The commands verify, evaluate, hierarchy, datasets and demo."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.cli.options import options_of
from anonset.cli.registry import COMMANDS
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.settings.settings import settings_model
from anonset.spelling import JOB_KEYS
from cli.place import HIERARCHY, Place

KM = ["--model", "km", "--k", "2", "--m", "2"]


def test_verify_a_file_of_another_tool(place: Place) -> None:
    ran = place.run("verify", place.write("else.dat", "x y\nx y\ny\n"), *KM)
    assert ran.code == 0
    assert names(ran.out, "km-anonymity k=2, m=2 holds")
    ran = place.run("verify", str(place.folder / "data.dat"), *KM)
    assert ran.code == 1
    assert "fails: {a1, a2} matches 1 record, 2 required" in ran.out


def test_verify_a_table_needs_roles(place: Place) -> None:
    published = place.write("else.csv", "age,codes\n1,x\n2,x\n")
    assert place.run("verify", published, *KM, "--items", "codes", "--keep", "age").code == 0
    ran = place.run("verify", published, *KM, "--items", "codes")
    assert (ran.code, "age" in ran.err) == (2, True)


def test_verify_as_json(place: Place) -> None:
    ran = place.run("verify", str(place.folder / "data.dat"), *KM, "--json")
    assert ran.json["verdict"] == "fails"
    assert ran.json["parameters"] == {"k": 2, "m": 2}
    assert ran.json["witness"]["what"] == ["a1", "a2"]


def test_verify_undecided(place: Place) -> None:
    published = place.write("else.dat", "x y\nx z\nx y\n")
    ran = place.run("verify", published, *KM, "--max-work", "0")
    assert ran.code == 3
    assert "undecided" in ran.out


def test_verify_a_directory_takes_model_and_roles_from_its_attestation(place: Place) -> None:
    declared = ("--items", "codes", "--keep", "age", "--publish-as-is", "age", "--unit", "row")
    assert place.run(*place.job(*declared, data="data.csv")).code == 0
    assert place.run("verify", str(place.out)).code == 0
    assert place.run("verify", str(place.out), "--k", "3").code == 1
    assert place.run("verify", str(place.out), "--model", "km", "--k", "2", "--m", "1").code == 0


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        (["--items", "codes"], "--items attestation"),
        (["--model", "km"], "km --k --m"),
        (["--model", "nope"], "--model nope"),
        (["--k", "0"], "k 1 0"),
    ],
)
def test_verify_a_directory_with_wrong_flags(place: Place, more: list[str], fragment: str) -> None:
    ran = place.run("verify", str(place.out), *more)
    assert ran.code == 2
    assert names(ran.err, fragment)


@pytest.mark.parametrize(("name", "line"), [("published.dat", "A b1"), ("codebook.csv", "c,item,c")])
def test_verify_a_directory_of_which_a_file_was_changed(place: Place, name: str, line: str) -> None:
    place.run(*place.job())
    with (place.out / name).open("a") as file:
        file.write(f"{line}\n")
    for command in (["verify"], ["evaluate", str(place.folder / "data.dat")]):
        ran = place.run(*command, str(place.out))
        assert ran.code == 2
        assert names(ran.err, f"{place.out / name} attested")
    (place.out / name).unlink()
    ran = place.run("verify", str(place.out))
    assert (ran.code, names(ran.err, f"{place.out / name}")) == (2, True)


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize(
    ("key", "value", "fragment"),
    [
        ("model", 5, "model"),
        ("data", None, "data"),
        ("data.file", "../data.dat", "published.dat codebook.csv SHA-256"),
        ("data.sha256", {"../data.dat": ""}, "published.dat codebook.csv"),
        ("data.sha256", {"published.dat": "", "codebook.csv": "", "../data.dat": ""}, "published.dat codebook.csv"),
    ],
)
def test_verify_a_directory_with_a_broken_attestation(place: Place, key: str, value: object, fragment: str) -> None:
    path = place.out / "attestation.json"
    attestation = json.loads(path.read_text())
    inner, _, name = key.rpartition(".")
    (attestation[inner] if inner else attestation)[name] = value
    path.write_text(json.dumps(attestation))
    ran = place.run("verify", str(place.out))
    assert ran.code == 2
    assert names(ran.err, fragment)


def test_verify_without_a_model(place: Place) -> None:
    ran = place.run("verify", str(place.folder / "data.dat"))
    assert (ran.code, names(ran.err, "data.dat attestation.json --model")) == (2, True)
    (place.folder / "empty").mkdir()
    assert names(place.run("verify", str(place.folder / "empty")).err, "empty attestation.json")


def test_evaluate_from_the_private_mapping_and_from_the_codebook(place: Place) -> None:
    place.run(*place.job())
    ran = place.run("evaluate", str(place.folder / "data.dat"), str(place.out), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["ncp"] == pytest.approx(5 / 22)
    assert ran.json["source"] == "mapping"
    assert (ran.json["universe"], ran.json["symbols"], ran.json["generalized"]) == (4, 3, 2)
    place.private.rename(place.folder / "gone")
    repeated = place.run("evaluate", str(place.folder / "data.dat"), str(place.out), "--json")
    assert repeated.json == {**ran.json, "source": "codebook"}
    assert place.run("evaluate", str(place.folder / "data.dat"), str(place.out)).out.startswith("loss (NCP)")


@pytest.mark.parametrize(
    ("original", "fragment"),
    [("a1\n", "1 records"), ("zz\na1\na1\na1\n", "column items original")],
    ids=["other size", "other items"],
)
def test_evaluate_rejects_another_original(place: Place, original: str, fragment: str) -> None:
    place.run(*place.job())
    other = place.write("other.dat", original)
    ran = place.run("evaluate", other, str(place.out))
    assert (ran.code, names(ran.err, fragment)) == (2, True), ran.err
    place.private.rename(place.folder / "gone")
    ran = place.run("evaluate", other, str(place.out))
    assert (ran.code, names(ran.err, "1 records") or names(ran.err, "rows publication")) == (2, True)


def test_evaluate_rejects_a_folder_that_is_not_a_publication(place: Place) -> None:
    ran = place.run("evaluate", str(place.folder / "data.dat"), str(place.folder))
    assert (ran.code, "attestation.json" in ran.err) == (2, True)


def test_hierarchy_build_and_check(place: Place) -> None:
    made = place.folder / "made.csv"
    build = ("hierarchy", "build", str(place.folder / "data.dat"), "-o", str(made))
    assert place.run(*build, "--spec", "balanced:2").code == 0
    assert read_hierarchy(made).labels == ("N2_0", "N1_0", "a1", "a2", "N1_1", "b1", "b2")
    ran = place.run("hierarchy", "check", str(made), "--input", str(place.folder / "data.dat"), "--json")
    assert ran.json == {"nodes": 7, "leaves": 4, "height": 2, "collapsed": 0, "items": 4}
    ran = place.run(*build)
    assert (ran.code, names(ran.err, f"{made}")) == (2, True)
    assert made.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("spec", "column", "labels"),
    [
        ("mask:2", "zip", ("*", "47*", "476", "477", "130")),
        ("balanced:2:frequency", "codes", ("N1_0", "a", "b")),
        ("bins:width=10", "age", ("*", "[10:20)", "17", "19", "40")),
    ],
)
def test_hierarchy_build_by_a_rule(place: Place, spec: str, column: str, labels: tuple[str, ...]) -> None:
    data, made = place.write("p.csv", "zip,codes,age\n476,a b,17\n477,a,19\n130,a,40\n"), place.folder / "made.csv"
    roles = ("--items", "codes", "--relational", "zip,age")
    assert place.run("hierarchy", "build", data, *roles, "--column", column, "--spec", spec, "-o", str(made)).code == 0
    assert sorted(read_hierarchy(made).labels) == sorted(labels)
    ran = place.run("hierarchy", "build", data, *roles, "--column", "sex", "-o", str(place.folder / "other.csv"))
    assert (ran.code, names(ran.err, "'--column sex' --items")) == (2, True)
    assert not (place.folder / "other.csv").exists()


@pytest.mark.parametrize(("spec", "warned"), [("mask:from-2,1", True), ("mask:2,1", False)])
def test_a_file_for_a_rule_that_never_publishes_full_values_is_a_warning(place: Place, spec: str, warned: bool) -> None:
    data, made = place.write("p.csv", "zip\n476\n130\n"), str(place.folder / "made.csv")
    ran = place.run("hierarchy", "build", data, "--relational", "zip", "--column", "zip", "--spec", spec, "-o", made)
    assert (ran.code, names(ran.err, f"warning {spec} {made} 'full values'")) == (0, warned)


def test_dates_and_zips_are_published_one_level_up(place: Place) -> None:
    rows = "1961-03-02,47677\n1961-08-19,47602\n1999-06-06,13053\n1999-07-01,13068\n"
    data = place.write("p.csv", "born,zip\n" + rows)
    rules = ("--hierarchy", "born=date:from-year,decade", "--hierarchy", "zip=mask:3,2")
    job = (data, "--relational", "born,zip", *rules, "--unit", "row", "--model", "k", "--k", "2", "-o", str(place.out))
    assert place.run("anonymize", *job).code == 0
    published = (place.out / "published.csv").read_text()
    assert published == "born,zip\n1961,476**\n1961,476**\n1999,130**\n1999,130**\n"
    assert place.run("verify", str(place.out), "--original", data, *rules).code == 0


def test_a_range_file_of_amnesia_is_a_hierarchy_of_the_values(place: Place) -> None:
    data = place.write("p.csv", "age\n17\n9\n44\n64\n")
    tree = place.write("ages.txt", "range\nname age\ntype int\nheight 2\n\n0,65 has 0,18 18,65 \n\n")
    job = (data, "--relational", "age", "--hierarchy", f"age={tree}", "--model", "k", "--k", "2", "--unit", "row")
    assert place.run("anonymize", *job, "-o", str(place.out)).code == 0
    assert (place.out / "published.csv").read_text() == "age\n[0:18)\n[0:18)\n[18:65]\n[18:65]\n"
    assert place.run("verify", str(place.out), "--original", data, "--hierarchy", f"age={tree}").code == 0


def test_a_hierarchy_by_frequency_is_declared(place: Place) -> None:
    def attested(spec: str, out: str) -> dict[str, Any]:
        job = (str(place.folder / "data.dat"), "--hierarchy", f"items={spec}", "--model", "km", "--k", "2", "--m", "1")
        assert place.run("anonymize", *job, "--algorithm", "apriori", "-o", str(place.folder / out)).code == 0
        assert place.run("verify", str(place.folder / out)).code == 0
        return json.loads((place.folder / out / "attestation.json").read_text())

    message = "built from label frequencies"
    plain, by_frequency = attested("balanced:2", "plain"), attested("balanced:2:frequency", "frequency")
    assert by_frequency["declarations"]["hierarchy_built_from_data"] is True
    assert "hierarchy_built_from_data" not in plain["declarations"]
    assert (message in plain["limits"], message in by_frequency["limits"]) == (False, True)


def test_hierarchy_check_rejects_a_hierarchy_that_lacks_values(place: Place) -> None:
    file = place.write("small.csv", "a1,A\na2,A\n")
    ran = place.run("hierarchy", "check", file, "--input", str(place.folder / "data.dat"))
    assert (ran.code, "b1" in ran.out, names(ran.err, "2 4 items")) == (2, True, True)
    ran = place.run("hierarchy", "check", file, "--items", "codes")
    assert (ran.code, "--input" in ran.err) == (2, True)


def test_hierarchy_print(place: Place) -> None:
    ran = place.run("hierarchy", "print", str(place.folder / "hierarchy.csv"), "--depth", "1")
    assert ran.out == "ALL  (4)\n├── A  (2)\n└── B  (2)\n"
    tree = place.write("wide.csv", "".join(f"i{n:02},{'A' if n < 40 else 'B'},ALL\n" for n in range(60)))
    ran = place.run("hierarchy", "print", tree, "--most", "1")
    drawn = ["ALL  (60)", "├── A  (40)", "│   ├── i00", "│   └── … 39 more", "└── … 1 more, with 20 leaves"]
    assert ran.out.splitlines() == drawn
    assert place.run("hierarchy", "print", tree).out.count("… 20 more") == 1
    assert "… " not in place.run("hierarchy", "print", tree, "--most", "0").out
    assert names(place.run("hierarchy", "print", tree, "--depth", "-1").err, "--depth 0 -1")


def test_hierarchy_convert(place: Place) -> None:
    source = place.write("arx.csv", HIERARCHY.replace(",", ";"))
    made = place.folder / "made.csv"
    assert place.run("hierarchy", "convert", source, str(made)).code == 0
    assert made.read_text() == HIERARCHY


def test_datasets_list_and_make(place: Place) -> None:
    listed = {row["name"]: row for row in place.run("datasets", "list", "--json").json}
    assert listed["bms_webview2"]["records"] == 77_512
    assert "quest" in listed
    assert "bms_webview2" in place.run("datasets", "list").out
    first, second = place.folder / "1.dat", place.folder / "2.dat"
    for path in (first, second):
        assert place.run("datasets", "make", "quest", "-o", str(path), "--seed", "3", "--set", "n=50").code == 0
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_text().splitlines()) == 50


def test_datasets_path(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place.folder / "catalogue"
    (folder / "transactions").mkdir(parents=True)
    (folder / "transactions" / "bms_webview1.dat.gz").write_bytes(b"")
    monkeypatch.setenv("ANONSET_DATA", str(folder))
    ran = place.run("datasets", "path", "bms_webview1")
    assert (ran.code, Path(ran.out.strip()).name) == (0, "bms_webview1.dat.gz")
    monkeypatch.delenv("ANONSET_DATA")
    ran = place.run("datasets", "path", "bms_webview1")
    assert (ran.code, "ANONSET_DATA" in ran.err) == (2, True)


@pytest.mark.compiled
def test_demo_prints_guarantee_loss_and_the_next_command(place: Place) -> None:
    folder = place.folder / "demo"
    ran = place.run("demo", "-o", str(folder))
    assert ran.code == 0, ran.err
    for fragment in ("km-anonymity with k=5, m=2 holds", "before", "after", "item detail", "anonset verify"):
        assert fragment in ran.out
    assert place.run("verify", str(folder / "published")).code == 0
    assert place.run("demo", "-o", str(folder)).code == 2


def test_failed_demo_writes_no_files(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anonset.cli.commands.demo.anonymize_file", interrupt)
    assert place.run("demo", "-o", str(place.folder / "demo")).code == 130
    assert place.nothing_left()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("datasets", "make", "shop"), "--out"),
        (("datasets", "make"), "NAME"),
        (("verify", "nowhere"), "nowhere file"),
    ],
)
def test_missing_files_and_options_are_named(place, arguments, message):
    ran = place.run(*arguments)
    assert (ran.code, ran.err.count("\n"), names(ran.err, f"error {message}")) == (2, 1, True)


def test_each_setting_of_a_job_is_an_option_with_its_text() -> None:
    options = {option.label: option for option in options_of(COMMANDS["anonymize"].run)}
    settings = settings_model().model_fields
    for name in settings.keys() - {"input", "unit", *JOB_KEYS}:
        option = options[f"--{name.replace('_', '-')}"]
        assert option.help == settings[name].description, name
        assert not option.required, name


def test_hierarchy_print_of_a_job_shows_records_and_ceilings(place: Place) -> None:
    (place.folder / "sets.csv").write_text("codes\na b\na\nc\n")
    (place.folder / "sets.csv.tree").write_text("a,AB,all\nb,AB,all\nc,all\n")
    job = place.folder / "sets.toml"
    job.write_text(
        'input = "sets.csv"\nitems = ["codes"]\n[hierarchy]\ncodes = "sets.csv.tree"\n[ceiling]\ncodes = "1"\n'
    )
    ran = place.run("hierarchy", "print", str(job))
    assert ran.out.splitlines() == [
        "all  (3; 3 records)", "├── AB  (2; 2 records) ceiling", "│   ├── a  (2 records)", "│   └── b  (1 record)",
        "└── c  (1 record) ceiling",
    ]  # fmt: skip
    contents = json.loads(place.run("hierarchy", "print", str(job), "--column", "codes", "--json").out)
    assert (contents["records"], contents["ceilings"]) == ([3, 2, 2, 1, 1], [1, 4])
    assert names(place.run("hierarchy", "print", str(job), "--column", "age").err, "age codes")
    assert names(place.run("hierarchy", "print", "tree.csv", "--json").err, "--json tree.csv")


def test_hierarchy_rename_and_all_faults_of_a_file(place: Place) -> None:
    file, new = place.folder / "short.csv", place.folder / "new.csv"
    file.write_text("a,AB,all\nb,AB,all\nc,all\n")
    assert place.run("hierarchy", "rename", str(file), "AB", "A,B", str(new)).code == 0
    assert new.read_text() == 'a,"A,B",all\nb,"A,B",all\nc,all\n'
    for old, label in (("a", "x"), ("none", "x"), ("AB", "c"), ("AB", " ")):
        assert place.run("hierarchy", "rename", str(file), old, label, str(place.folder / "no.csv")).code == 2
    assert not (place.folder / "no.csv").exists()
    file.write_text("a,A,all\na,B,all\nb,,all\nd,other\nc,C,all\nc,d,C,all\n")
    ran = place.run("hierarchy", "check", str(file), "--json")
    assert ([fault["line"] for fault in json.loads(ran.out)["faults"]], ran.code) == ([2, 3, 4, 6], 2)


def test_each_command_has_a_result_in_json_and_can_be_quiet(place: Place) -> None:
    tree, copy = str(place.folder / "hierarchy.csv"), str(place.folder / "copy.csv")
    assert place.run("hierarchy", "convert", tree, copy, "--json").json == {"out": copy}
    assert place.run("hierarchy", "check", copy, "--quiet").out.startswith("nodes")
    assert place.run(*place.job("--quiet")).out == ""
    assert place.run("verify", str(place.out), "--quiet").out == ""
    assert place.run("verify", str(place.out), "--json").json["verdict"] == "holds"
