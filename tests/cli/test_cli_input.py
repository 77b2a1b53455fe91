"""`anonymize` and `verify` reject data in which rows are not records, or belong to no person."""

import pytest
from tests.facts import names

from anonset.reading.sources import source
from cli.place import Place
from cli.published import publish, verified

PHANTOM = "sex,zip\nm,1\nm,1\nf,3\n\n"
LONG = "name,codes\nAnn,a1 b1\nBob,a1\nAnn,b1 b2\nBob,b1 b2\n"


def test_a_blank_line_does_not_count_as_a_record_for_anonymity(place: Place) -> None:
    data = place.write("people.csv", PHANTOM)
    roles = ["--relational", "sex,zip", "--model", "k", "--k", "2"]
    reason = "people.csv: line 5: 2 fields required as in the header, got a blank line"
    for command in (["anonymize", data, "-o", str(place.out)], ["verify", data]):
        ran = place.run(*command, *roles)
        assert (ran.code, ran.out) == (2, "")
        assert reason in ran.err
    assert not place.out.exists()


@pytest.mark.parametrize("more", [[], ["--missing", "value"], ["--separator", " "], ["--missing", "empty,value"]])
def test_an_empty_id_is_refused_by_every_command_that_reads_ids(place: Place, more: list[str]) -> None:
    data = place.write("people.csv", "name,codes\nAnn,a1\n,a1 b1\n")
    roles = ["--items", "codes", "--unit", "name", *more]
    ways = [
        ["anonymize", data, "-o", str(place.out), "--model", "km", "--k", "2", "--m", "1"],
        ["compare", data, "--algorithms", "apriori", "--k", "2", "--m", "1"],
        ["policy", "generate", data, "-o", str(place.folder / "policy"), "--privacy", "PP1"],
        ["hierarchy", "build", data, "-o", str(place.folder / "tree.csv")],
    ]
    for command in ways:
        ran = place.run(*command, *roles)
        assert (ran.code, ran.out) == (2, ""), command
        assert names(ran.err, f"{data} id name 'row 2' empty"), ran.err


def test_a_publication_of_grouped_rows_verifies_against_its_original(place: Place) -> None:
    place.write("long.csv", LONG)
    roles = ["--items", "codes", "--unit", "name"]
    publish(place, "long.csv", *roles, "--hierarchy", "codes=balanced:2", "--model", "km", "--k", "2", "--m", "2")
    assert verified(place, "long.csv", "--unit", "name").json["true"]
    ran = verified(place, "long.csv", "--unit", "row", "--drop", "name")
    assert (ran.code, ran.json["true"]) == (1, False), "the rows are not the records"


FORMULAS = "start with =, +, - or @: a spreadsheet program would run them as formulas"


def test_labels_that_a_spreadsheet_would_run_are_published_with_a_warning(place: Place) -> None:
    data = place.write("risky.csv", "=note,codes\n=1+1,a1\n=1+1,a1\n@x,b1\n@x,b1\n")
    tree = place.write("tree.csv", "a1,A,ALL\n=a2,A,ALL\nb1,B,ALL\nb2,B,ALL\n")
    job = ["--items", "codes", "--keep", "=note", "--hierarchy", f"codes={tree}", "--model", "km", "--k", "2"]
    ran = place.run("anonymize", data, "-o", str(place.out), *job, "--m", "1", "--unit", "row", "--json")
    assert ran.code == 0, ran.err
    (warning,) = ran.json["warnings"]
    assert names(warning, f"2 =note 1 {FORMULAS}")
    assert ran.err == f"anonset: warning: {warning}\n"
    assert (place.out / "published.csv").read_text().splitlines()[:2] == ["=note,codes", "=1+1,a1"]
    assert place.run("verify", str(place.out)).code == 0


def test_formulas_in_values_of_buckets_are_reported(place: Place) -> None:
    data = place.write("long.csv", "p,drug\na,=x\nb,y\nc,=x\nd,z\n")
    job = ["--id", "p", "--sensitive", "drug", "--model", "anatomy", "--l", "2", "--seed", "1"]
    ran = place.run("anonymize", data, "-o", str(place.out), *job)
    assert ran.code == 0
    assert names(ran.err, f"1 drug {FORMULAS}")


def test_a_command_reads_and_hashes_its_data_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    result: list[str] = []

    def noted(name: str, where: int) -> None:
        original = getattr(source, name)

        def note(*words: object, **more: object) -> object:
            result.append(f"{name} {words[where]}")
            return original(*words, **more)

        monkeypatch.setattr(source, name, note)

    noted("format_of", 0)
    noted("digest", 0)
    data, out = str(place.folder / "data.dat"), str(place.out)
    roles = ["--hierarchy", f"items={place.folder / 'hierarchy.csv'}"]
    compared = [*roles, "--model", "km", "--k", "2", "--m", "2", "-o", str(place.folder / "runs")]
    records = ["--records", str(place.private / "records.csv")]
    for command, hashed in (
        (place.job(), True),
        (place.job("--if-exists", "resume"), True),
        (["compare", data, *compared], True),
        (["verify", out, "--original", data, *records], False),
        (["risk", out, "--original", data], False),
        (["report", out, "--original", data, "-o", str(place.folder / "page.html")], False),
        (["evaluate", data, out, *roles], False),
        (["inspect", data], False),
        (["suggest", data, *roles, "--k", "2"], False),
    ):
        result.clear()
        ran = place.run(*command)
        assert ran.code == 0, (command, ran.err)
        assert [what for what in result if what.endswith(data)] == [f"format_of {data}"] + [f"digest {data}"] * hashed


@pytest.mark.parametrize("command", ["inspect", "suggest"])
def test_all_files_of_a_data_set_are_checked_before_a_job(place: Place, command: str) -> None:
    (place.folder / "parts").mkdir()
    for name in "ab":
        place.write(f"parts/{name}.dat", "1 2\n2 3\n1 2 3\n" * 4)
    for named in ("parts", "parts/*.dat"):
        ran = place.run(command, str(place.folder / named))
        assert ran.code == 0, ran.err


def test_an_uneven_text_file_may_contain_baskets(place: Place) -> None:
    baskets = place.write("baskets.txt", "a;b;c\nd;e\nf;a;b;c\n")
    ran = place.run("inspect", baskets)
    assert (ran.code, "read with --input-format baskets" in ran.out) == (0, True), ran.err
    ran = place.run("inspect", baskets, "--input-format", "csv")
    assert (ran.code, "--input-format baskets" in ran.err) == (2, True), ran.err
