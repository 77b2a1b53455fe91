"""The report shows first what leaves persons unprotected: in the internal form all doubts, in the shareable form those
that follow from the publication.
"""

import csv
import hashlib
import html
import json
import random
import re
import shutil
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from anonset.analysis.attack import Attempts
from anonset.attacks.registry import ATTACKS
from anonset.data import Table
from anonset.generalization import ItemGroups, apply
from anonset.jobs.reading import opened_to_compare
from anonset.jobs.report_facts import public_facts
from anonset.jobs.revealing_names import labels_of, personal_items, sensitive_items
from anonset.measures.shares import percent
from anonset.report.doubts import doubts
from anonset.report.risks.verdicts import attack_in_words
from anonset.settings.publication import NEEDED, NOT_SHOWN, OriginalSettings, ReportSettings
from cli.place import Place

pytestmark = pytest.mark.compiled


def rows(persons: int) -> str:
    draw = random.Random(5)
    lines = ["visit,patient,age,hiv,ward,codes"]
    for n in range(persons * 2):
        codes = ";".join(sorted(draw.sample([f"c{code}" for code in range(40)], 9)))
        person = "" if n % 5 == 4 else f"p{n // 2}"
        lines.append(f"v{n},{person},{20 + n // 2 % 9},{'ny'[n // 2 % 7 == 0]},w{n // 2 % 3},{codes}")
    return "\n".join(lines) + "\n"


ATTRIBUTES = ["--relational", "age,ward", "--numeric", "age", "--model", "k"]
ITEMS = ["--items", "codes", "--separator", ";", "--hierarchy", "codes=balanced:3", "--model", "km", "--m", "1"]
BY_PATIENT = ["--unit", "patient", "--skip-rows", "no-id"]


def report(place: Place, options: list[str], persons: int, *more: str) -> list[str]:
    """Publish rows, and return the doubts in the report."""
    data = place.write("rows.csv", rows(persons))
    named = {name for option in options for name in option.split(",")}
    dropped = ",".join(name for name in ("visit", "patient", "age", "hiv", "ward", "codes") if name not in named)
    ran = place.run("anonymize", data, *options, "--drop", dropped, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / f"{len(more)}.html"
    of = [str(place.out), "--shareable"] if more else [str(place.private / "report.json")]
    ran = place.run("report", *of, "-o", str(page))
    assert ran.code == 0, ran.err
    shown = page.read_text().partition("<h2>Check first</h2>")[2].partition("</div>")[0]
    confirmed = re.findall("<li><b>(Owner|Officer|Recipient):</b> (.*?)</li>", shown)
    assert len(confirmed) == shown.count("<li>")
    assert ("Recipient" in dict(confirmed)) <= bool(more)
    return [html.unescape(doubt) for _, doubt in confirmed]


NOT_STATED = "The owner has not stated purpose, recipient and legal basis."


def report_of(place: Place, *more: str) -> list[str]:
    """Return the doubts in the report on the publication of a place."""
    doubts: list[str] = place.run(
        "report", str(place.out), *more, "-o", str(place.folder / "doubts.html"), "--json"
    ).json["doubts"]
    assert doubts.pop().startswith("The owner has not stated purpose, recipient")
    return doubts


@pytest.mark.parametrize(("unit", "told"), [
    ("unknown", "No person is declared."),
    ("visit", "Each value of 'visit' is declared a different person"),
    ("patient", ""),
])  # fmt: skip
def test_a_run_and_its_risk_print_the_doubts_of_the_report(place: Place, unit: str, told: str) -> None:
    skipped = ["--skip-rows", "no-id"] if unit == "patient" else []
    dropped = ",".join({"visit", "patient", "hiv", "codes"} - {unit})
    data, roles = place.write("rows.csv", rows(60)), ["--unit", unit, *skipped, *ATTRIBUTES, "--k", "5"]
    ran = place.run("anonymize", data, *roles, "--drop", dropped, "-o", str(place.out))
    assert ran.code == 0, ran.err
    doubts, risk = report_of(place), place.run("risk", str(place.private / "report.json"))
    for text in (ran.out, risk.out):
        shown = re.findall(r"^- (.*)$", text.partition("Check first:\n")[2].partition("Not covered")[0], re.MULTILINE)
        by, way = "Counted by patient, ", "To count persons by patient with fewer than k matches: anonset risk"
        counted = [line for line in shown if line.startswith(by if text is risk.out else way)]
        assert len(counted) == (unit != "patient"), text
        assert [line for line in shown if line not in counted] == [x for x in doubts if not x.startswith(way)], text
        assert any(line.startswith(told) for line in shown), text
    assert any("rows without an id: 24, 20.0% of all rows" in doubt for doubt in doubts) == bool(skipped)


def test_no_figure_is_of_persons_if_the_data_contradict_the_declared_person(place: Place) -> None:
    roles = ["--unit", "visit", *ATTRIBUTES, "--k", "5", "--drop", "patient,hiv,codes"]
    assert place.run("anonymize", place.write("rows.csv", rows(60)), *roles, "-o", str(place.out)).code == 0
    assert any("'patient'" in doubt for doubt in report_of(place))
    printed = place.run("anonymize", str(place.folder / "rows.csv"), *roles, "-o", str(place.folder / "again")).out
    assert re.search(
        r"^Guarantee: Here, each visit counts as a person, and the data contradict it\. Someone who", printed, re.M
    )
    page = html.unescape((place.folder / "doubts.html").read_text())
    assert re.search("[Vv]alues of 'visit' that are unique, if an attacker knows", page), page
    assert not re.search(r"([Pp]ersons that are unique|mean persons|of the persons)", page), page
    assert place.run("risk", str(place.out), "--json").json["unit"] == "value of 'visit'"


def test_persons_are_counted_by_the_column_that_contradicts_the_declared_columns(place: Place) -> None:
    roles = ["--unit", "visit", *ATTRIBUTES, "--k", "5", "--drop", "patient,hiv,codes"]
    header, *lines = rows(60).splitlines()
    data = place.write("rows.csv", "\n".join([header, *lines[::-1], *lines]) + "\n")
    assert place.run("anonymize", data, *roles, "-o", str(place.out)).code == 0
    with Path(data).open() as file:
        of_visit = {row["visit"]: row["patient"] or row["visit"] for row in csv.DictReader(file)}
    patients = list(of_visit.values())
    with (place.private / "records.csv").open() as file:
        record_of = [int(row["input_record"]) for row in csv.DictReader(file)]
    with (place.out / "published.csv").open() as file:
        published = [(patients[n], *row.values()) for n, row in zip(record_of, csv.DictReader(file), strict=True)]
    few = {one[0] for one in published if len({two[0] for two in published if two[1:] == one[1:]}) < 5}
    told = f"Counted by patient, {len(few)} of {len(set(patients))} persons belong to"
    by_patient = place.run("risk", str(place.private / "report.json"), "--unit", "patient")
    for ran in (place.run("risk", str(place.private / "report.json")), by_patient):
        assert ran.code == 0, ran.err
        assert re.search(f"^- {told} a group of matching records of fewer than 5", ran.out, re.M), ran.out
    assert few
    without = place.run("risk", str(place.out), "--unit", "patient")
    assert (without.code, without.err) == (2, "anonset: error: --unit needs --original to count persons\n")


@pytest.mark.parametrize("declared", ["row", "unknown"])
def test_a_report_counts_the_persons_whose_rows_are_not_joined(place: Place, declared: str) -> None:
    """The 20 patients of three rows are the rows that match all known values, and the only persons that match them."""
    data = place.write("rows.csv", "patient,age,codes\n" + "".join(f"P{n // 3},{n // 3},a b\n" for n in range(60)))
    roles = ["--unit", declared, "--relational", "age", "--items", "codes", "--separator", " ", "--drop", "patient"]
    ran = place.run("anonymize", data, *roles, "--model", "kkm", "--k", "3", "--m", "1", "-o", str(place.out))
    assert ran.code == 0, ran.err
    read = place.run("report", str(place.private / "report.json"), "-o", str(place.folder / "page.html"), "--json").json
    (counted,) = [one for one in read["doubts"] if one.startswith("Counted by patient, ")]
    assert counted.startswith("Counted by patient, 20 of 20 persons have a row that matches fewer than 3 persons, if")
    assert any("single out 100.0% of the persons" in one for one in read["doubts"])
    assert "one row of a person" in read["risk"]
    digest = hashlib.sha256((place.out / "attestation.json").read_bytes()).hexdigest()
    about = (
        r"The signatures are about 60 records of rows\.csv, run of 20\d\d-\d\d-\d\d\. SHA-256 of attestation\.json: "
    )
    assert re.search(about + digest, (place.folder / "page.html").read_text())
    shared = place.run("report", str(place.out), "--shareable", "-o", str(place.folder / "shared.html"))
    assert shared.code == 0, shared.err
    page = first_screen((place.folder / "shared.html").read_text())
    assert ("or none, if each row is a different person, as the owner declares" in page) == (declared == "row")


@pytest.mark.parametrize("of", ["chunks", "an original without the column"])
def test_rows_are_counted_where_persons_cannot_be(place: Place, of: str) -> None:
    lines = ["patient,age,codes", *(f"P{n // 3},{n // 3 % 4},a{n % 2} b{n % 3}" for n in range(60))]
    data = place.write("rows.csv", "\n".join(lines))
    other = place.write("others.csv", "\n".join(line.partition(",")[2] for line in lines))
    made = ["--model", "disassociation"] if of == "chunks" else ["--relational", "age", "--model", "kkm"]
    drop = ["--drop", "patient,age" if of == "chunks" else "patient"]
    roles = ["--unit", "row", "--items", "codes", "--separator", " "]
    ran = place.run("anonymize", data, *roles, *drop, *made, "--k", "3", "--m", "1", "-o", str(place.out))
    assert ran.code == 0, ran.err
    original = [data, *drop] if of == "chunks" else [other]
    for command in (["risk"], ["report", "-o", str(place.folder / "page.html")]):
        counted = place.run(*command, str(place.out), "--original", *original, "--separator", " ")
        assert counted.code == 0, counted.err
        assert "'patient'" in counted.out
        assert "Counted by" not in counted.out


def test_a_run_prints_why_its_guarantee_is_weak(place: Place) -> None:
    options = [*BY_PATIENT, *ITEMS, "--k", "2", "--drop", "visit,age,hiv,ward", "-o", str(place.out)]
    ran = place.run("anonymize", place.write("rows.csv", rows(12)), *options)
    assert ran.code == 0, ran.err
    doubts = report_of(place)
    shown = ran.out.partition("Check first:\n")[2].partition("Not covered")[0].splitlines()
    assert [line[:17] for line in shown] == [
        "- Skipped rows wi", "- With k = 2, an ", "- The data contai", "- The guarantee c", "- The guarantee d",
    ]  # fmt: skip
    assert {line.removeprefix("- ") for line in shown} <= {*doubts}
    assert re.search(r"knows 1 item of a person, and records have about 1\d items\.", shown[-2])


@pytest.mark.parametrize(("kind", "told"), [("distinct", True), ("recursive", False)])
def test_each_command_says_how_little_two_different_values_protect(place: Place, kind: str, told: bool) -> None:
    options = [*BY_PATIENT, *ATTRIBUTES[:-1], "kl", "--l", "2", "--l-kind", kind, "--k", "6", "--sensitive", "hiv"]
    made = [*options, *([] if told else ["--c", "99"]), "--drop", "visit,age,codes", "-o", str(place.out)]
    ran = place.run("anonymize", place.write("rows.csv", rows(90)), *made)
    assert ran.code == 0, ran.err
    risk = place.run("risk", str(place.out))
    doubt = "With l = 2, most persons of a group may have the same value of 'hiv'"
    assert (f"- {doubt}, for example 5 of 6." in ran.out) == told, ran.out
    for text in (risk.out, "\n".join(report_of(place))):
        here = r"; here, only 'n' has 60% of a group or more, another value \('y'\) up to \d+\.\d%\."
        assert bool(re.search(doubt + here, text)) == told, text


def test_skipped_rows_became_no_record(place: Place) -> None:
    report(place, [*BY_PATIENT, *ATTRIBUTES, "--k", "5"], 60)
    shown = first_screen((place.folder / "0.html").read_text())
    assert "120 source rows became 60 records; 24 (20.0%) became none; 60 published." in shown


def test_a_single_published_column_is_the_same_only_if_it_identifies_persons(place: Place) -> None:
    for column, told in (("codes", False), ("member_id", True)):
        for name in ("first", "second"):
            lines = [f"{name} {n % 3}" for n in range(60)]
            data = place.write("sets.csv", "\n".join([column, *lines]) + "\n")
            made = ["--items", column, "--separator", " ", "--model", "km", "--k", "5", "--m", "1", "--unit", "row"]
            made += ["--hierarchy", f"{column}=balanced:2"]
            out = place.folder / column / name
            out.parent.mkdir(exist_ok=True)
            ran = place.run("anonymize", data, *made, "--publish-as-is", column, "-o", str(out))
            assert ran.code == 0, ran.err
        same = f"The publication first has the same published columns ({column}), and may be about the same persons."
        assert (same in ran.out) == told, ran.out


def test_typed_statements_that_contradict_the_run_are_rejected(place: Place) -> None:
    report(place, [*BY_PATIENT, *ATTRIBUTES, "--k", "5"], 60)
    run = json.loads((place.private / "report.json").read_text())["date"]
    facts = "it left out 24 of 120 rows (20.0%) and 0 of 60 persons (0.0%)"
    false = {
        "left-out": [("none", facts), ("12 rows", facts), ("24 rows (25%)", facts), ("20.5%", facts)],
        "not-published": [*((one, "it left out 4 columns") for one in ("2", "none")), ("age", "it published age")],
        "date": [*((one, f"it was on {run}") for one in ("2020-01-31", "31.1.2020")), ("2099-02-31", "no such date")],
    }
    true = {
        "left-out": ["24 rows", "20%", "20.0 % of the rows (24 of 120)", "a few"],
        "not-published": ["4 columns", "visit, patient, hiv, codes"],
        "date": [run, "2099-12-31", "next May"],
    }
    page = place.folder / "typed.html"
    for form in (["--shareable"], []):
        for name, text, fact in ((name, *pair) for name, pairs in false.items() for pair in pairs):
            ran = place.run("report", str(place.out), *form, f"--{name}", text, "-o", str(page))
            assert (ran.code, ran.err) == (2, f"anonset: error: --{name} {text!r} contradicts the run: {fact}\n")
            assert not page.exists()
    for name, text in ((name, text) for name, texts in true.items() for text in texts):
        ran = place.run("report", str(place.out), "--shareable", f"--{name}", text, "-o", str(page))
        assert ran.code == 0, ran.err
        page.unlink()
    shutil.rmtree(place.private)
    assert place.run("report", str(place.out), "--shareable", "--left-out", "none", "-o", str(page)).code == 0


@pytest.mark.parametrize("unit", ["visit", "row"])
def test_a_contradicted_confirmation_stands_with_the_contradiction(place: Place, unit: str) -> None:
    report(place, ["--unit", unit, *ATTRIBUTES, "--k", "5"], 60)
    page, typed = place.folder / "typed.html", ["--confirmation", "by the ward"]
    ran = place.run("report", str(place.out), "--shareable", *typed, "-o", str(page))
    each, text = "id" if unit == "visit" else "row", page.read_text()
    assert re.search("^--confirmation: .*only", ran.out, re.MULTILINE)
    assert not re.search("96|visit|patient", text.partition("<main>")[2])
    shown, told = first_screen(text), f"Here, each {each} counts as a person, and the data contradict it."
    assert f"Conclusion {told} The owner confirms this declaration nevertheless. Someone" in shown
    assert "while one of your boxes is empty. Owner: The data contradict the declared person." in shown
    assert not re.search("[Pp]ersons that are unique|of the persons", shown)
    assert "cannot show whether" not in shown
    assert "; the data contradict it: see Check first." in text_of(text, "Persons and records")
    assert "<q>by the ward</q>; the data contradict it</td>" in text
    assert "as declared" not in text
    assert "as the owner declares" not in text.replace("as the owner declares although the data contradict it", "")


def test_a_confirmation_without_a_declared_person_says_so(place: Place) -> None:
    report(place, ["--unit", "unknown", *ATTRIBUTES, "--k", "5"], 60)
    page = place.folder / "typed.html"
    assert place.run("report", str(place.out), "--shareable", "--confirmation", "by hand", "-o", str(page)).code == 0
    assert "<q>by hand</q>; but no person is declared</td>" in page.read_text()
    assert "rows that are unique" in first_screen(page.read_text()).lower()


def test_no_other_releases_is_a_statement_of_the_owner_unless_one_is_known(place: Place) -> None:
    page, options = place.folder / "typed.html", [*BY_PATIENT, *ATTRIBUTES, "--k", "5"]
    doubts, made = report(place, options, 60), ["--shareable", "-o", str(page), "--other-releases"]
    assert doubts
    assert place.run("report", str(place.out), *made, "none").code == 0
    assert '<td data-head="statement">The owner states: <q>none</q></td>' in page.read_text()
    assert "The owner states: other releases of these persons: “none”. Contents" in first_screen(page.read_text())
    assert "names other releases" not in page.read_text()
    page.unlink()
    data, second = str(place.folder / "rows.csv"), str(place.folder / "second")
    ran = place.run("anonymize", data, *options, "--drop", "visit,hiv,codes", "-o", second)
    assert ran.code == 0, ran.err
    for typed, code in (("none", 2), ("None.", 2), ("one of May", 0)):
        ran = place.run("report", second, *made, typed)
        assert (ran.code, page.exists()) == (code, code == 0)
        known = f"--other-releases {typed!r} contradicts the run: the publication {place.out.name} has the same input"
        assert (known in ran.err) == (code == 2), ran.err
    warns = "The owner names other releases of these persons: “one of May”. The guarantee does not cover someone"
    assert warns in first_screen(page.read_text())


def test_no_free_text_is_printed_as_a_likely_value(place: Place) -> None:
    notes = [f"Patient {n} called about the pain in the left knee" for n in range(60)]
    lines = [f"{20 + n % 30},{note}" for n, note in enumerate(notes)]
    data = place.write("notes.csv", "\n".join(["age,remarks", *lines]) + "\n")
    made = ["--unit", "row", "--relational", "age", "--numeric", "age", "--model", "k", "--k", "5"]
    made += ["--keep", "remarks", "--publish-as-is", "remarks", "-o", str(place.out)]
    assert place.run("anonymize", data, *made).code == 0
    for more in ([], ["--json"]):
        ran = place.run("risk", str(place.private / "report.json"), *more)
        assert ran.code == 0, ran.err
        assert "left knee" not in ran.out
        assert more or re.search(r"\(largest: 1 of \d+ rows in a group, 1 in all rows\)", ran.out), ran.out


def test_several_earlier_releases_are_named_in_the_plural(place: Place) -> None:
    data = place.write("earlier.csv", rows(60))
    roles = [*BY_PATIENT, *ATTRIBUTES, "--k", "5", "--drop", "visit,hiv,codes"]
    for name in ("first", "second"):
        assert place.run("anonymize", data, *roles, "-o", str(place.folder / name)).code == 0
    doubts = report(place, [*BY_PATIENT, *ATTRIBUTES, "--k", "5"], 60)
    told = [
        doubt
        for doubt in doubts
        if doubt.startswith("The publications first and second have the same input, and may be about")
    ]
    assert told, doubts
    assert told[0].endswith("with several of them.")


def test_a_shareable_report_has_the_doubts_that_follow_from_the_publication(place: Place) -> None:
    options = ["--unit", "unknown", "--relational", "hiv,ward", "--model", "k", "--k", "2"]
    doubts = report(place, options, 12, "--shareable")
    assert [doubt[:20] for doubt in doubts] == [
        "No person is declare", "Column hiv seems sen", "With k = 2, an attac", "The data contain onl",
        "The owner has not st",
    ]  # fmt: skip
    shown = text_of((place.folder / "1.html").read_text(), "Statements of the owner")
    assert "Columns not published Share of rows or persons left out Other releases of these persons" in shown, shown
    assert re.search("sign with these reservations: .*Owner: name.*Data protection officer: name", shown), shown


def test_a_shareable_report_says_that_many_items_single_out(place: Place) -> None:
    _, _, doubt, _ = report(place, [*BY_PATIENT, *ITEMS, "--k", "5"], 60, "--shareable")
    assert re.search(r"know the complete set of items of a person: they single out \d+\.\d%", doubt)
    assert "knows all of these items, and that there are no others." in doubt


def test_attributes_and_further_items_together_are_a_doubt(place: Place) -> None:
    draw = random.Random(2)
    lines = [f"w{n % 3},{';'.join(draw.sample('abcdefghijkl', 3))}" for n in range(300)]
    data = place.write("wards.csv", "\n".join(["ward,codes", *lines]) + "\n")
    roles = ["--unit", "row", "--relational", "ward", "--items", "codes", "--separator", ";"]
    made = [*roles, "--hierarchy", "codes=balanced:3", "--model", "kkm", "--k", "5", "--m", "1", "-o", str(place.out)]
    assert place.run("anonymize", data, *made, "--quiet").code == 0
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    assert re.search(
        r"who know ward, and 3 items of a person, or all if there are fewer: they single out \d+", page.read_text()
    )


@pytest.mark.parametrize("group", ["Mayor of Bonn and others", "mayors"])
def test_the_name_of_a_group_that_contains_a_rare_value_is_a_doubt(place: Place, group: str) -> None:
    offices = ["Mayor of Bonn"] * 3 + ["Mayor of Ulm"] * 3 + ["clerk"] * 30
    data = place.write("offices.csv", "\n".join(["office", *offices]) + "\n")
    tree = place.write("tree.csv", f"Mayor of Bonn,{group},*\nMayor of Ulm,{group},*\nclerk,clerks,*\n")
    roles = ["--unit", "row", "--relational", "office", "--hierarchy", f"office={tree}", "--model", "k", "--k", "5"]
    ran = place.run("anonymize", data, *roles, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    named = re.search(r"group .{5}Mayor of Bonn and others.{5} has .{5}Mayor of Bonn.{5} in its name", page.read_text())
    assert (named is not None) == ("Bonn" in group)


@pytest.mark.parametrize("more", [[], ["--shareable"]])
def test_the_names_of_groups_of_the_owner_are_a_doubt(place: Place, more: list[str]) -> None:
    homes = ["Kiel 1", "Kiel 2", "Kiel 3", "Ulm 1", "Ulm 2", "Ulm 3", "Bonn 1", "Bonn 2", "Bonn 3"]
    data = place.write("homes.csv", "\n".join(["home", *homes * 12]) + "\n")
    group = {"K": "HIV hostel", "U": "93 years old", "B": "Bonn"}
    tree = place.write("tree.csv", "".join(f"{one},{group[one[0]]},any\n" for one in homes))
    roles = ["--unit", "row", "--relational", "home", "--hierarchy", f"home={tree}", "--model", "k", "--k", "30"]
    ran = place.run("anonymize", data, *roles, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page, source = place.folder / "page.html", place.out if more else place.private / "report.json"
    assert place.run("report", str(source), "-o", str(page), *more).code == 0
    found = re.search(
        r"Nobody checked what the names of these published groups(?: or values)? reveal: (.*?)\.</li>", page.read_text()
    )
    assert found is not None
    assert html.unescape(found[1]) == "'HIV hostel' and '93 years old'"


def test_leaves_of_the_owner_that_few_records_have_are_a_doubt(place: Place) -> None:
    """The codebook lists all leaves of a group, because the absence of a leaf would reveal that nobody has it."""
    pages = []
    for name, wards in (("one", ["Ward A", "Ward B"]), ("two", ["Ward A", "Ward B", "HIV clinic", "Mayor of Bonn"])):
        lines = [f"{wards[n % 2] if n > 1 else wards[-1]};Ward {'CD'[n % 2]}" for n in range(80)]
        data = place.write("wards.csv", "\n".join(["wards", *lines]) + "\n")
        groups = {"north": ["Ward A", "Ward B", "HIV clinic", "Mayor of Bonn"], "south": ["Ward C", "Ward D"]}
        tree = place.write("tree.csv", "".join(f"{leaf},{one},*\n" for one, of in groups.items() for leaf in of))
        roles = ["--unit", "row", "--items", "wards", "--separator", ";", "--hierarchy", f"wards={tree}"]
        made = [*roles, "--algorithm", "apriori", "--k", "41", "--m", "1", "-o", str(place.folder / name), "--quiet"]
        ran = place.run("anonymize", data, *made)
        assert ran.code == 0, ran.err
        assert "HIV clinic" in (place.folder / name / "codebook.csv").read_text()
        page, shared = place.folder / f"{name}.html", place.folder / f"{name}-shared.html"
        private = str(place.folder / f"{name}.private" / "report.json")
        doubts = place.run("report", private, "-o", str(page), "--json").json["doubts"]
        rare = (
            "'HIV clinic' (0) and 'Mayor of Bonn' (0)" if name == "one" else "'HIV clinic' (0) and 'Mayor of Bonn' (2)"
        )
        assert (
            "The codebook names 2 items of the owner's hierarchy that at most 2 records have. Nobody checked what "
            f"these names reveal (records): {rare}."
        ) in doubts, doubts
        assert place.run("report", str(place.folder / name), "--shareable", "-o", str(shared)).code == 0
        pages.append(shared.read_text())
    assert pages[0] == pages[1]  # equal publications


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_names_among_items_are_counted(place: Place, more: list[str]) -> None:
    names = ["Anna Berg", "Karl Vogt", "Maria Kern", "Peter Lang"]
    lines = [f"{[*names, 'milk', 'bread', 'salt', 'tea'][n % 8]};water" for n in range(80)]
    data = place.write("baskets.csv", "\n".join(["goods", *lines]) + "\n")
    roles = ["--unit", "row", "--items", "goods", "--separator", ";", "--hierarchy", "goods=balanced:3"]
    made = [*roles, "--model", "km", "--k", "5", "--m", "1", "--publish-as-is", "goods", "-o", str(place.out)]
    ran = place.run("anonymize", data, *made, "--quiet")
    assert ran.code == 0, ran.err
    of = str(place.out if more else place.private / "report.json")
    found = place.run("report", of, *more, "-o", str(place.folder / "page.html"), "--json").json["doubts"]
    assert "In goods, 4 of the 9 items (44.4%) look like names of persons." in found


@pytest.mark.parametrize("more", [[], ["--sensitive-items", "B20", "--model", "lm", "--l", "2"]])
def test_codes_of_diagnoses_of_which_none_is_sensitive_are_a_doubt(place: Place, more: list[str]) -> None:
    draw = random.Random(3)
    codes = [f"{letter}{number}" for letter in "BEFI" for number in (10, 20, 41)]
    lines = [f"{n},{';'.join(draw.sample(codes, 2))}" for n in range(200)]
    data = place.write("codes.csv", "\n".join(["pid,entries", *lines]) + "\n")
    roles = ["--unit", "pid", "--items", "entries", "--separator", ";", "--hierarchy", "entries=balanced:3"]
    guarantee = more or ["--model", "km"]
    ran = place.run("anonymize", data, *roles, *guarantee, "--k", "3", "--m", "1", "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.out), "-o", str(page), "--shareable").code == 0
    doubt = "items of entries look like ICD-10 codes, and none is declared sensitive"
    assert (doubt in page.read_text()) == (not more)


def test_sensitive_columns_as_items_are_a_doubt(place: Place) -> None:
    columns = ["has_asthma", "has_hiv", "has_flu", "has_cough"]
    draw = random.Random(3)
    lines = [",".join([str(n), *(str(draw.randrange(2)) for _ in columns)]) for n in range(200)]
    data = place.write("survey.csv", "\n".join([f"pid,{','.join(columns)}", *lines]) + "\n")
    roles = ["--unit", "pid", "--one-hot", ",".join(columns), "--hierarchy", "items=balanced:2"]
    ran = place.run("anonymize", data, *roles, "--model", "km", "--k", "3", "--m", "1", "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    for options in ([str(place.out), "--shareable"], [str(place.private / "report.json")]):
        page = place.folder / f"page-{len(options)}.html"
        assert place.run("report", *options, "-o", str(page)).code == 0
        assert "seem sensitive (&#39;has_asthma&#39; and &#39;has_hiv&#39;), and none is declared" in page.read_text()


def test_a_sound_publication_has_no_doubts(place: Place) -> None:
    lines = [line for line in rows(60).splitlines() if ",," not in line]
    data = place.write("sound.csv", "\n".join(lines) + "\n")
    options = ["--unit", "patient", *ATTRIBUTES, "--k", "5", "--drop", "visit,hiv,codes"]
    assert place.run("anonymize", data, *options, "-o", str(place.out)).code == 0
    page, stated = place.folder / "page.html", [f"--{name.replace('_', '-')}=stated" for name in NEEDED]
    assert place.run("report", str(place.private / "report.json"), "-o", str(page), *stated).code == 0
    assert "Check first" not in page.read_text()
    assert "hiv: if these are data of Article 9" in page.read_text()
    figures = text_of(page.read_text(), "What recipients can count")
    assert re.search(r"Records \d+ exact Values of age .* Values of ward w\d \(\d+\)", figures), figures


@pytest.mark.parametrize("header", ["ETHNOS", "raça/cor", "Ethnizität", "Dân tộc", "民族", "trade_union", "Religion"])
def test_special_categories_of_personal_data_are_a_doubt(place: Place, header: str) -> None:
    """The categories of article 9 GDPR."""
    lines = [f"{'ABC'[n % 3]},{n % 2}" for n in range(60)]
    data = place.write("people.csv", "\n".join([f"{header},sex", *lines]) + "\n")
    roles = ["--unit", "row", "--relational", f"sex,{header}", "--model", "k", "--k", "5"]
    assert place.run("anonymize", data, *roles, "-o", str(place.out), "--quiet").code == 0
    page = place.folder / "page.html"
    ran = place.run("report", str(place.out), "--shareable", "-o", str(page), "--json")
    text = f"Column {header} seems sensitive, but the guarantee does not limit what others infer about it."
    assert text in ran.json["doubts"]
    owner = text_of(page.read_text(), "Statements of the owner")
    assert f"{header}: if these are data of Article 9 GDPR" in owner
    assert "the legal basis must name its ground" in owner


def test_values_of_first_rows_are_a_doubt(place: Place) -> None:
    data = place.write(
        "moved.csv", "pid,ward\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(60)) + "0,b\n1,a\n2,b\n"
    )
    options = ["--unit", "pid", "--relational", "ward", "--differing", "first", "--model", "k", "--k", "5"]
    assert place.run("anonymize", data, *options, "-o", str(place.out)).code == 0
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    assert "the first is published: ward of 3 persons (5.0%)" in page.read_text().partition("<h2>Check first</h2>")[2]


def test_all_items_are_a_doubt_if_a_typical_number_of_items_singles_out_few(place: Place) -> None:
    draw = random.Random(3)
    sets = [[f"i{n}" for n in range(14) if draw.random() < 0.7] or ["i0"] for _ in range(300)]
    data = place.write("sets.csv", "\n".join(["codes", *map(";".join, sets)]) + "\n")
    options = ["--unit", "row", "--items", "codes", "--separator", ";", "--hierarchy", "codes=balanced:3"]
    made = [*options, "--model", "km", "--k", "5", "--m", "2", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    for name, of in (("own", [str(place.private / "report.json")]), ("shared", [str(place.out), "--shareable"])):
        page = place.folder / f"{name}.html"
        assert place.run("report", *of, "-o", str(page)).code == 0
        assert re.search(
            r"know the complete set of items of a person: they single out [5-9]\d",
            page.read_text(),
        ), name


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_a_column_of_items_of_which_nothing_is_left_is_a_doubt(place: Place, more: list[str]) -> None:
    lines = [f"{n % 2},x{n % 2 * (n % 15)},{'abc'[n % 3]};{'de'[n % 2]}" for n in range(60)]
    data = place.write("two.csv", "\n".join(["sex,code,drug", *lines]) + "\n")
    tree = place.write("tree.csv", "".join(f"x{n},*\n" for n in range(15)))
    roles = ["--unit", "row", "--drop", "sex", "--items", "code,drug", "--separator", ";", "--model", "km"]
    made = [
        *roles,
        "--hierarchy",
        f"code={tree}",
        "--hierarchy",
        "drug=balanced:3",
        "--algorithm",
        "apriori",
        "--k",
        "5",
        "--m",
        "1",
    ]
    ran = place.run("anonymize", data, *made, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    of = str(place.out if more else place.private / "report.json")
    ran = place.run("report", of, *more, "-o", str(page), "--json")
    seen = "every item is published as *, which shows only who has an item"
    assert f"Nothing is left of code ({seen})." in ran.json["doubts"]
    shown = first_screen(page.read_text())
    assert "Nothing is left of code" in shown.partition("Conclusion")[0]
    contents = shown.partition("Contents")[2]
    assert f"code: nothing left: {seen}; " in contents
    assert "drug: every published item is alone" in contents
    assert f"code nothing left: {seen} the records with an item" in text_of(page.read_text(), "Each column")


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_the_internal_report_names_items_that_no_record_shows(place: Place, more: list[str]) -> None:
    lines = [*["a;b"] * 40, *["a;Z21"] * 2, *["b;B20"]]
    data = place.write("sets.csv", "\n".join(["codes", *lines]) + "\n")
    tree = place.write("tree.csv", "a,*\nb,*\nZ21,*\nB20,*\n")
    options = ["--unit", "row", "--items", "codes", "--separator", ";", "--hierarchy", f"codes={tree}", "--model", "km"]
    ran = place.run("anonymize", data, *options, "--k", "5", "--m", "1", "--suppress", "-o", str(place.out))
    assert ran.code == 0, ran.err
    assert "2 items published as 2 groups; 2 more items not published" in ran.out
    page = place.folder / "page.html"
    of = str(place.out if more else place.private / "report.json")
    told = place.run("report", of, *more, "-o", str(page), "--json").json["doubts"]
    named = "No published record shows 2 items of the original, alone or in a group: Z21 and B20."
    assert (named in told) == (not more), told
    assert ("Z21" in page.read_text()) == (not more)
    assert more or text_of(page.read_text(), "Items in no published record").startswith("3> Z21 and B20 ")


def test_a_group_named_by_the_beginning_of_its_items_reveals_nothing_more(place: Place) -> None:
    lines = [f"{n},{'AB'[n % 2]}{n % 6},x" for n in range(60)]
    data = place.write("two.csv", "\n".join(["pid,code,drug", *lines]) + "\n")
    tree = place.write(
        "tree.csv", "".join(f"{'AB'[n % 2]}{n % 6},{'A*' if n % 2 == 0 else 'HIV*'},*\n" for n in range(6))
    )
    roles = ["--unit", "pid", "--items", "code,drug", "--separator", ";", "--model", "km", "--k", "15", "--m", "1"]
    options = [*roles, "--hierarchy", f"code={tree}", "--hierarchy", "drug=prefix:1"]
    ran = place.run("anonymize", data, *options, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    told = place.run("report", str(place.out), "--shareable", "-o", str(page), "--json").json["doubts"]
    assert [one for one in told if one.startswith("Nobody checked")] == [
        "Nobody checked what the names of these published groups reveal: 'code:HIV*'."
    ]


def test_only_the_internal_report_names_rare_values(place: Place) -> None:
    rare = ["--relational", "age,ward", "--hierarchy", "age=range", "--model", "k", "--k", "30"]
    report(place, [*BY_PATIENT, *rare], 60)
    internal = (place.folder / "0.html").read_text()
    row = re.search(r"<h2>Rare values</h2>.*?<tr>(.*?)</tr>.*?<tr>(.*?)</tr>", internal, re.DOTALL)
    assert row is not None
    assert [re.sub("<.*?>", "", cell) for cell in re.findall("<td.*?</td>", row[2])][:2] == ["age", "9 of 9"]
    page = place.folder / "shared.html"
    assert place.run("report", str(place.out), "--shareable", "-o", str(page)).code == 0
    assert "does not use the original" in text_of(page.read_text(), "Rare values")


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_rare_values_that_are_published_unchanged_are_listed_in_both_reports(place: Place, more: list[str]) -> None:
    """Sensitive values and kept columns are not generalized."""
    ills = [*["HIV"] * 3, *["flu", "asthma", "ulcer"] * 19]
    notes = [f"seen on visit {n}, and the pain in the left knee was not better" for n in range(60)]
    lines = [f"{20 + n % 23},{ill},{note}" for n, (ill, note) in enumerate(zip(ills, notes, strict=True))]
    data = place.write("ill.csv", "\n".join(["age,illness,note", *(x.replace(", and", " and") for x in lines)]) + "\n")
    roles = ["--unit", "row", "--relational", "age", "--numeric", "age", "--sensitive", "illness", "--keep", "note"]
    made = [*roles, "--publish-as-is", "note", "--model", "kl", "--l", "2", "--k", "5", "-o", str(place.out)]
    ran = place.run("anonymize", data, *made)
    assert ran.code == 0, ran.err
    assert "1 value of 'illness' belongs to fewer than 5 persons" in ran.out
    of = str(place.out if more else place.private / "report.json")
    page = place.folder / "page.html"
    assert place.run("report", of, *more, "-o", str(page)).code == 0
    text = text_of(page.read_text(), "Rare values")
    assert "illness 1 of 4 HIV (3) unchanged" in text, text
    assert "note 60 of 60 not named: names, contact data or free text unchanged" in text
    assert ("age 23 of 23" in text) == (not more)
    assert ("Generalized columns: not counted" in text) == bool(more)
    assert text.count("only with others, or not") == (not more)
    assert "illness: 1 of 4, published unchanged: HIV (3)" in first_screen(page.read_text())


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_records_that_lost_all_their_items_are_counted(place: Place, more: list[str]) -> None:
    lines = [*["a;b"] * 40, *["Z21"] * 2, "B20"]
    data = place.write("sets.csv", "\n".join(["codes", *lines]) + "\n")
    tree = place.write("tree.csv", "a,*\nb,*\nZ21,*\nB20,*\n")
    options = ["--unit", "row", "--items", "codes", "--separator", ";", "--hierarchy", f"codes={tree}", "--model", "km"]
    ran = place.run("anonymize", data, *options, "--k", "5", "--m", "1", "--suppress", "-o", str(place.out))
    assert ran.code == 0, ran.err
    told = "3 of 43 published records (7.0%) contain no item, because all their items are suppressed"
    assert f"- {told}." in ran.out
    page, told = place.folder / "page.html", f"{told}, or they had none" if more else told
    of = str(place.out if more else place.private / "report.json")
    assert f"{told}." in place.run("report", of, *more, "-o", str(page), "--json").json["doubts"]
    assert f"{told}." in text_of(page.read_text(), "Records without items")
    assert f"Records 43 exact; {told}" in text_of(page.read_text(), "What recipients can count")
    assert told in first_screen(page.read_text()).partition("Contents")[2]


def test_records_that_had_no_item_are_not_counted_as_suppressed(place: Place) -> None:
    data = place.write("sets.csv", "\n".join(["codes", *["a;b"] * 40, "", "", "B20"]) + "\n")
    tree = place.write("tree.csv", "a,*\nb,*\nB20,*\n")
    options = ["--unit", "row", "--items", "codes", "--separator", ";", "--hierarchy", f"codes={tree}", "--model", "km"]
    options += ["--missing", "empty", "--k", "5", "--m", "1", "--suppress"]
    ran = place.run("anonymize", data, *options, "-o", str(place.out))
    assert ran.code == 0, ran.err
    why = "because 2 had none in the original, and all items of the other 1 are suppressed"
    assert f"- 3 of 43 published records (7.0%) contain no item, {why}." in ran.out


def test_names_of_persons_are_no_diseases_and_only_the_owner_sees_them() -> None:
    names = ["Engel, Lena", "Krebs, Anna", "Braun, Karl", "Vogt, Maria", "Weber, Julia"]
    table = Table.from_sets([names, names])
    published = apply(table, ItemGroups(table.transactions.vocabulary, np.arange(5, dtype=np.int32)))
    assert sensitive_items(labels_of(published)) == {}
    for shown in (True, False):
        (told,) = personal_items(published, (), shown=shown).values()
        assert told.startswith("5 of the 5 items (100.0%) may name persons")
        assert ("Krebs" in told) == shown


@pytest.mark.parametrize(("items", "text"), [(30, "all 30 items"), (300, "the 200 most frequent items")])
def test_few_counts_are_not_called_the_most_frequent(place: Place, items: int, text: str) -> None:
    lines = [f"i{n % items};i{(n + 1) % items}" for n in range(items * 6)]
    data = place.write("sets.csv", "\n".join(["codes", *lines]) + "\n")
    options = ["--unit", "row", "--items", "codes", "--separator", ";", "--hierarchy", "codes=balanced:3"]
    made = [*options, "--model", "km", "--k", "5", "--m", "1", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    assert f"median error of the counts of {text}" in page.read_text()


def first_screen(page: str) -> str:
    """Return the text of the doubts, the conclusion and the contents."""
    shown = page.partition("<main>")[2].partition("</nav>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", shown)))


def test_a_doubt_about_the_person_needs_no_command_line(place: Place) -> None:
    doubt, *_ = report(place, ["--unit", "visit", *ATTRIBUTES, "--k", "5"], 60)
    assert doubt.startswith(
        "Each value of 'visit' is declared a different person, but 96 persons have only 60 different values "
        "of 'patient'. If the declaration is wrong, the guarantee does not protect persons. Then declare who is"
    )


def test_persons_of_a_doctor_are_counted_in_all_rows(place: Place) -> None:
    """Persons are counted in all rows, not in the first row of each value of the declared column."""
    draw = random.Random(7)
    patients = [f"P{n}" for n in range(900) for _ in range(2)]
    rows = [
        f"D{draw.randrange(150)},{patient},{'fm'[n % 2]},{draw.choice('abc')}" for n, patient in enumerate(patients)
    ]
    data = place.write("doctors.csv", "\n".join(["doctor,patient_id,sex,ward", *rows]) + "\n")
    doctors = len({row.split(",")[0] for row in rows})
    roles = ["--unit", "doctor", "--relational", "ward", "--drop", "patient_id,sex", "--differing", "first"]
    ran = place.run("anonymize", data, *roles, "--model", "k", "--k", "5", "-o", str(place.out))
    assert f"but {doctors} different values of 'doctor' contain 900 different values of 'patient_id'" in ran.err, (
        ran.err
    )
    assert "have only" not in ran.err


def test_a_key_of_several_rows_declared_as_person_is_a_contradiction(place: Place) -> None:
    """A column with as good evidence contradicts a declared id, if each value of the id has one value of it."""
    lines = [f"C{31000 + n // 6 % 40},R{50001 + n // 2},{n % 3},s{n % 5}" for n in range(480)]
    data = place.write("receipts.csv", "\n".join(["card,receipt,item,store", *lines]) + "\n")
    model = "--model km --k 5 --m 1 --hierarchy item=halves:frequency"
    roles = ["--items", "item", "--separator", ";", *model.split()]
    others = {"receipt": "card,store", "card": "receipt,store"}
    for unit, contradicted in (("receipt", True), ("card", False)):
        out = place.folder / unit
        ran = place.run("anonymize", data, "--unit", unit, "--drop", others[unit], *roles, "-o", str(out))
        told = "each value of 'receipt' is declared a different person, but 240 persons have only 40 different values"
        assert (f"{told} of 'card'" in ran.err) is contradicted
        assert ("is declared a different person" in ran.err) is contradicted


def test_a_key_of_rows_declared_as_person_is_a_contradiction(place: Place) -> None:
    """Columns that are named like no person contradict a declared id that never repeats."""
    lines = [f"{5000 + n},{n % 70 * 7919 + 10**11:x},{n % 70 % 9},w{n % 70 % 3}" for n in range(180)]
    data = place.write("episodes.csv", "\n".join(["EPIKEY,ENCRYPTED_HESID,SEX,WARD", *lines]) + "\n")
    roles = ["--unit", "EPIKEY", "--relational", "WARD", "--drop", "ENCRYPTED_HESID,SEX", "--model", "k", "--k", "5"]
    assert place.run("anonymize", data, *roles, "-o", str(place.out), "--quiet").code == 0
    page = place.folder / "page.html"
    ran = place.run("report", str(place.private / "report.json"), "-o", str(page), "--json")
    assert ran.json["doubts"][0].startswith(
        "Each value of 'EPIKEY' is declared a different person, but 180 rows have only 70 different "
        "values of 'ENCRYPTED_HESID'. If"
    )
    assert "none: each value of EPIKEY has one row" in page.read_text()


def test_rows_with_names_that_repeat_contradict_rows_as_persons(place: Place) -> None:
    first, last = ["Ada", "Bruno", "Clara", "Dana", "Emil", "Finn"], ["Kovac", "Nagy", "Olsen", "Park", "Reddy"]
    lines = [f"{first[n % 6]} {last[n // 6 % 5]},Quiz {n % 4}" for n in range(240)]
    data = place.write("log.csv", "\n".join(["User full name,context", *lines]) + "\n")
    model = "--model km --k 5 --m 2 --hierarchy context=halves:frequency"
    roles = ["--unit", "row", "--items", "context", "--drop", "User full name", "--separator", ";"]
    ran = place.run("anonymize", data, *roles, *model.split(), "-o", str(place.out))
    assert "240 rows have only 30 different values of 'User full name'" in ran.err


@pytest.mark.parametrize(
    "columns", ["--relational ward,birth_year --differing first", "--relational ward --drop birth_year"]
)
def test_a_name_with_several_years_of_birth_is_a_contradiction(place: Place, columns: str) -> None:
    lines = [f"Anna Nr{n % 60},{1950 + (n // 60 + n % 2) * 10},w{n % 3}" for n in range(120)]
    data = place.write("visits.csv", "\n".join(["Name,birth_year,ward", *lines]) + "\n")
    made = ["--unit", "Name", *columns.split(), "--model", "k", "--k", "3", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    doubts = place.run("report", str(place.out), "-o", str(place.folder / "page.html"), "--json").json["doubts"]
    assert doubts[0].startswith("Column 'birth_year' differs between the rows of 60 persons, so 'Name' may stand for")
    assert "Persons are identified by Name: the rows of persons with the same name are one record." in doubts[:3]


@pytest.mark.parametrize("column", ["patient_id", "name", "birth_date"])
def test_a_household_declared_as_person_is_a_contradiction(place: Place, column: str) -> None:
    values = {
        "patient_id": lambda n: f"P{n % 180:04}",
        "name": lambda n: f"{['Anna', 'Karl', 'Maria'][n // 60]} {['Berg', 'Vogt', 'Kern', 'Lang'][n % 4]}",
        "birth_date": lambda n: f"{1950 + n % 36}-0{1 + n % 9}-11",
    }
    lines = [f"H{n % 60:03},{values[column](n)},w{n % 3}" for n in range(180)]
    data = place.write("visits.csv", "\n".join([f"household,{column},ward", *lines]) + "\n")
    made = ["--unit", "household", "--relational", "ward", "--drop", column, "--model", "k", "--k", "3"]
    ran = place.run("anonymize", data, *made, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    doubts = place.run("report", str(place.out), "-o", str(place.folder / "page.html"), "--json").json["doubts"]
    assert doubts[0].startswith(
        f"Column {column!r} differs between the rows of 60 persons, so 'household' may stand for several persons. If"
    )


def test_a_person_may_have_a_former_id_or_name(place: Place) -> None:
    former = {n: f"K9{n:02},{['Anna', 'Karl'][n % 2]} Vogt" for n in range(4)}
    of_now = [f"K{n % 60:03},{['Anna', 'Karl'][n % 2]} Berg" for n in range(180)]
    lines = [f"P{n % 60:03},{former.get(n, of_now[n])},w{n % 3}" for n in range(180)]
    data = place.write("visits.csv", "\n".join(["pid,insurance_no,name,ward", *lines]) + "\n")
    made = ["--unit", "pid", "--relational", "ward", "--drop", "insurance_no,name", "--model", "k", "--k", "3"]
    ran = place.run("anonymize", data, *made, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.out), "-o", str(page), "--json").json["doubts"] == [NOT_STATED]


def test_ids_in_several_spellings_are_a_contradiction(place: Place) -> None:
    lines = [f"{f'P-{n % 60:03}' if n < 60 else f'p{n % 60:03}'},w{n % 3}" for n in range(120)]
    data = place.write("visits.csv", "\n".join(["pid,ward", *lines]) + "\n")
    made = ["--unit", "pid", "--relational", "ward", "--model", "k", "--k", "3", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    doubts = place.run("report", str(place.out), "-o", str(place.folder / "page.html"), "--json").json["doubts"]
    assert doubts[0].startswith("Column 'pid': 60 of ")
    assert "persons have ids in several spellings" in doubts[0]


def test_a_shareable_report_asks_the_owner_to_confirm_the_declared_person(place: Place) -> None:
    report(place, ["--unit", "visit", *ATTRIBUTES, "--k", "5"], 60)
    page, asked = place.folder / "shared.html", "Confirmation of the declared person"
    for typed in ([], ["--confirmation", "visits were counted by hand"]):
        page.unlink(missing_ok=True)
        ran = place.run("report", str(place.out), "--shareable", "-o", str(page), *typed)
        assert ran.code == 0
        assert ("see --confirmation, which is not stated" in ran.out + ran.err) == (not typed)
        warned = f"cannot show whether the data contradict it: see “{asked}”" in first_screen(page.read_text())
        assert warned == (not typed)
        row = re.search(f'{asked}</td><td data-head="statement">(.*?)</td>', page.read_text())
        assert row is not None
        stated = f"<q>{typed[1]}</q>; the data contradict it" if typed else '<span class="fill"></span>'
        assert row[1] == stated
    internal = first_screen((place.folder / "0.html").read_text())
    assert "cannot show whether" not in internal


def test_each_attack_has_a_name_in_words() -> None:
    words = [attack_in_words(name) for name in ATTACKS]
    assert not [name for name, text in zip(ATTACKS, words, strict=True) if text == name.replace("-", " ")]
    assert len({*words}) == len(words)


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_a_report_states_date_seed_version_and_one_command_with_one_digest(place: Place, more: list[str]) -> None:
    report(place, [*BY_PATIENT, *ATTRIBUTES, "--k", "3"], 60, *more)
    page = (place.folder / f"{len(more)}.html").read_text()
    origin = text_of(page, "Origin")
    digest = hashlib.sha256((place.out / "attestation.json").read_bytes()).hexdigest()
    command = "anonset verify OUT, where OUT is the published directory. It must print: k-anonymity with k=3 holds."
    for text in (command, f"all other digests: {digest}", f"anonset {version('anonset')}"):
        assert text in origin, text
    assert ("seed stated only in the internal report" in origin) == bool(more)
    assert ("seed of the run none: the run makes no random draws" in origin) == (not more)
    assert place.run("verify", str(place.out)).out.startswith("k-anonymity with k=3 holds")
    assert 'Date</td><td data-head="statement"><span class="fill">' in page


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_the_first_screen_needs_no_knowledge_of_the_program(place: Place, more: list[str]) -> None:
    options = [*BY_PATIENT, "--relational", "age,ward", "--numeric", "age", *ITEMS, "--k", "3"]
    options[options.index("km")] = "kkm"
    report(place, options, 60, *more)
    shown = first_screen((place.folder / f"{len(more)}.html").read_text())
    assert "Someone who knows age and ward, and up to 1 item of a person finds at least 3 matching records" in shown
    assert shown.count("(k,km)-anonymity with k=3, m=1") == 1
    assert not re.findall(r"quasi-identifier|kkm|balanced:|NCP|RUM|noisy-linkage|(?<![\w-])--[a-z]", shown)


def test_the_internal_report_names_attacks_and_losses_in_words(place: Place) -> None:
    options = [*BY_PATIENT, "--relational", "age,ward", "--numeric", "age", *ITEMS, "--k", "3"]
    options[options.index("km")] = "kkm"
    report(place, options, 60)
    shown = (place.folder / "0.html").read_text().partition("<body")[2].partition("Settings of the run")[0]
    names = [name for name in ATTACKS if attack_in_words(name) != name]
    assert "search with partly wrong knowledge" in shown
    assert not re.findall(rf"\b(?:NCP|RUM|TUM|LM|UL)\b|--beside|<td[^>]*>(?:{'|'.join(names)})<", shown)
    assert "not the symbols that replace them" in shown


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_published_ids_and_inferences_from_all_rows_of_a_person_are_doubts(place: Place, more: list[str]) -> None:
    lines = [f"P{n % 60:02},d{n % 7 if n % 60 else 1}" for n in range(120)]
    data = place.write("wide.csv", "\n".join(["patient,diagnosis", *lines]) + "\n")
    roles = ["--id", "patient", "--sensitive", "diagnosis", "--model", "safe-grouping", "--k", "3", "--l", "3"]
    assert place.run("anonymize", data, *roles, "-o", str(place.out), "--quiet").code == 0
    inferences = place.run("risk", str(place.out), "--json").json["inferences"]
    all_rows = next(one["highest"] for one in inferences if one["promised"] is None)
    page = place.folder / "page.html"
    of = str(place.out if more else place.private / "report.json")
    assert place.run("report", of, *more, "-o", str(page)).code == 0
    shown = first_screen(page.read_text())
    assert "The values of patient are published, so readers see who is in the data." in shown
    assert (
        f"Someone who compares all rows of a person infers a value with a confidence of up to {all_rows:.1%}" in shown
    )
    assert f"33.3% from one row, {all_rows:.1%} from all rows of a person" in shown


@pytest.mark.parametrize("form", [(), ("--shareable",)])
def test_persons_singled_out_by_columns_published_as_is_are_counted(place: Place, form: tuple[str, ...]) -> None:
    answers = [f"{n % 2},{n // 2 % 5},{n // 10}" for n in range(100)]
    data = place.write("q.csv", "sex,q1,q2\n" + "".join(f"{answer}\n" for answer in answers))
    as_is = ("--relational", "sex", "--keep", "q1,q2", "--publish-as-is", "q1,q2")
    ran = place.run("anonymize", data, "--unit", "row", *as_is, "--model", "k", "--k", "3", "-o", str(place.out))
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    of = str(place.out if form else place.private / "report.json")
    assert place.run("report", of, *form, "-o", str(page)).code == 0
    shown = first_screen(page.read_text())
    beyond = "sex, and q1 and q2 as published"
    assert (
        f"unique, if an attacker knows {beyond} (not covered by the guarantee): " in shown.partition("Check first")[0]
    )
    declared = "if each row is a different person, as the owner declares: " if form else ""
    assert f"Singling out {declared}at most 1/3 for an attacker who knows sex, without q1 and q2 " in text_of(
        page.read_text(), "Singling out, linkability, inference"
    )
    attacker = f"for someone who knows {beyond}: this attacker finds fewer than 3 rows for 100.0% of the rows"
    assert attacker in shown.partition("Check first")[2].partition("Conclusion")[0]
    assert "This does not hold for someone who also knows q1 and q2." in shown
    risks = text_of(page.read_text(), "Singling out, linkability, inference")
    assert f"Singling out by columns published as is not covered The guarantee does not hold {attacker}" in risks
    tried = rf"search for a row {beyond} of a random row succeeds: 9\d\.\d% against 1\.0% by chance"
    assert (re.search(tried, text_of(page.read_text(), "Simulated attacks")) is None) == bool(form)
    won = rf"\d of \d simulated attacks succeeds?; the most successful is search for a row: the attacker knows {beyond}"
    assert (re.search(won, shown) is None) == bool(form)


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_persons_singled_out_by_items_and_kept_columns_are_counted(place: Place, more: list[str]) -> None:
    """The guarantee covers the items alone, and the owner need not declare the columns."""
    lines = [f"{n % 2},{n // 2 % 4},{'abcd'[n // 8 % 4]};{'efgh'[n // 32 % 4]}" for n in range(128)]
    data = place.write("q.csv", "\n".join(["sex,ward,codes", *lines]) + "\n")
    made = ["--unit", "row", "--keep", "sex,ward", "--items", "codes", "--separator", ";", "--hierarchy"]
    guarantee = ["--model", "km", "--k", "5", "--m", "1", "-o", str(place.out)]
    ran = place.run("anonymize", data, *made, "codes=balanced:2", *guarantee)
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    of = str(place.out if more else place.private / "report.json")
    found = place.run("report", of, *more, "-o", str(page), "--json").json["doubts"]
    told = "who knows sex and ward as published, and 1 item: this attacker finds fewer than 5 rows for 100.0% of"
    assert any(told in doubt for doubt in found), found
    assert "This does not hold for someone who also knows sex and ward." in first_screen(page.read_text())
    exposed = place.run("risk", str(place.out), "--json").json["single"]["known"]
    assert exposed == "sex and ward as published, and 1 item"


def test_kept_columns_that_leave_each_group_large_are_no_doubt(place: Place) -> None:
    data = place.write("q.csv", "sex,ward\n" + "".join(f"{n % 2},{n // 2 % 5}\n" for n in range(100)))
    made = ["--unit", "row", "--relational", "sex", "--keep", "ward", "--model", "k", "--k", "10"]
    assert place.run("anonymize", data, *made, "-o", str(place.out)).code == 0
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    shown = first_screen(page.read_text())
    assert (
        "rows that are unique, if an attacker knows sex, and ward as published (not covered by the guarantee): "
        in shown.lower()
    )
    assert re.findall(r"Check first .* The owner has not stated", shown)
    assert "not for someone" not in shown


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
@pytest.mark.parametrize(("wards", "alike"), [
    ([0 if n % 2 else n // 2 % 5 for n in range(100)], 50),
    ([n % 2 for n in range(100)], 100),
    ([n // 2 % 5 for n in range(100)], 0),
    ([0] * 100, 0),  # it is known without the sex
], ids=["of one sex", "of each sex", "none", "of all"])  # fmt: skip
def test_a_value_that_all_matching_records_share_is_a_doubt(
    place: Place, wards: list[int], alike: int, more: list[str]
) -> None:
    data = place.write("q.csv", "sex,ward\n" + "".join(f"{n % 2},{ward}\n" for n, ward in enumerate(wards)))
    made = ["--unit", "row", "--relational", "sex", "--keep", "ward", "--model", "k", "--k", "10"]
    assert place.run("anonymize", data, *made, "-o", str(place.out)).code == 0
    told = [
        doubt for doubt in report_of(place, *more) if "have the same value of 'ward', so someone who knows" in doubt
    ]
    assert [doubt.partition(" records have")[0] for doubt in told] == [f"All records that match {alike} of 100"] * (
        alike > 0
    )


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_the_worst_case_is_in_the_first_line_the_table_and_the_doubts(place: Place, more: list[str]) -> None:
    options = [*BY_PATIENT, "--relational", "age", "--numeric", "age", *ITEMS, "--k", "2"]
    options[options.index("km")] = "kkm"
    doubts = report(place, options, 12, *more)
    page = (place.folder / f"{len(more)}.html").read_text()
    known = "{} as published, and the complete set of items of a person"
    steps = r"(?:\d+\.\d% in the original, )?(\d+\.\d%) in the publication"
    found = re.search(
        rf"; if an attacker knows {re.escape(known.format('age'))} \(not covered\): {steps}", first_screen(page)
    )
    assert found is not None
    stated = f"attackers who know {known.format('age')}: they single out {found[1]} of the persons."
    assert any(stated in doubt for doubt in doubts), doubts
    before = "" if more else r"\S+ → "
    row = rf"the complete set of items of a person no ({before}\S+ ){{4}}{before}{re.escape(found[1])} "
    assert re.search(row, text_of(page, "Re-identification risk by attacker knowledge"))
    border = f"at most 1/2 for an attacker who knows age, and at most 1 item; {found[1]}, if an attacker knows "
    risk = place.run("risk", str(place.out if more else place.private / "report.json")).out
    beyond = f"in the publication; if an attacker knows {known.format('all quasi-identifiers')} (not covered): "
    assert (beyond in risk, "in the original" in found[0]) == (True, not more)
    assert border + known.format("age") in text_of(page, "Singling out, linkability, inference")
    stated_sizes = re.search(r"Items per person 1\d \(median\), 1\d \(95th", text_of(page, "Persons and records"))
    assert (stated_sizes is None) == bool(more)


@pytest.mark.parametrize(("bound", "covers_inference"), [(["kl", "--l", "2"], True), (["kt", "--t", "0.9"], False)])
@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_the_conclusion_states_the_bound_on_inference_and_its_strength(
    place: Place, more: list[str], bound: list[str], covers_inference: bool
) -> None:
    """No limit contradicts the bound."""
    report(place, [*BY_PATIENT, *ATTRIBUTES[:-1], *bound, "--k", "6", "--sensitive", "hiv"], 90, *more)
    text = text_of((place.folder / f"{len(more)}.html").read_text(), "Conclusion")
    assert re.search(r"finds at least 6 matching records.*\. Each group of matching records .*: \(k,[lt]\)-", text)
    limit = text.partition("Most important limit: ")[2]
    assert "quivalence class" not in (place.folder / f"{len(more)}.html").read_text()
    assert ("that all matching records share is disclosed" in limit) != covers_inference
    skew = place.run("risk", str(place.out), "--json").json["skewness"]["hiv"]
    stated = f"for {skew['doubled']:.1%} of the rows, the value is at least twice as likely among the matching records"
    value, count, size, overall = skew["likeliest"].values()
    largest = f"{value!r}, {count} of {size} rows in a group, {overall} in all rows"
    other = f"another value ('y') up to {skew['largest_share']:.1%}; "
    assert f"here, only 'n' has 60% of a group or more, {other}" in limit
    assert ("may consist almost entirely of one value of 'hiv'" in limit) == covers_inference
    assert f"{stated} as in all records (largest: {largest})." in limit
    limited = "bounded (" if bound[0] == "kt" else "restricted, not bounded: each group of matching records contains"
    assert f"published. Inference: {limited}" in text_of(
        (place.folder / f"{len(more)}.html").read_text(), "Sensitive data"
    )


def test_no_part_of_the_report_repeats_a_contradicted_declaration(place: Place) -> None:
    report(place, ["--unit", "visit", "--relational", "hiv,ward", "--model", "k", "--k", "3"], 60)
    page = (place.folder / "0.html").read_text()
    contradicted = "protected: each visit; the data contradict that this is a person"
    assert contradicted in first_screen(page).partition("Contents")[2]
    assert "each visit is a person: 120 persons; the data contradict it: see Check first." in text_of(
        page, "Persons and records"
    )
    assert "as declared" not in page
    told = "Here, each visit counts as a person, and the data contradict it."
    assert f"Conclusion {told} Someone who knows hiv and ward" in first_screen(page)
    unbounded = f"Singling out not known {told} Someone who knows"
    assert unbounded in text_of(page, "Singling out, linkability, inference")
    assert "hiv seems sensitive; the guarantee does not limit" in text_of(page, "Sensitive data")


def test_a_contradicted_row_is_no_person(place: Place) -> None:
    report(place, ["--unit", "row", "--relational", "age,ward", "--numeric", "age", "--model", "k", "--k", "3"], 60)
    shown = first_screen((place.folder / "0.html").read_text())
    assert "each row is a different person; the data contradict it: see Check first." in shown
    assert "protected: each row; the data contradict that this is a person" in shown
    assert "No check can verify" not in shown


def test_a_declaration_that_nobody_made_is_not_called_wrong(place: Place) -> None:
    doubts = report(place, ["--unit", "unknown", *ATTRIBUTES, "--k", "5"], 60)
    assert any(one.startswith("The data do not say who is a person, but 96 of the first rows") for one in doubts), (
        doubts
    )
    assert not [doubt for doubt in doubts if doubt.startswith("If the declaration is wrong")]
    risks = text_of((place.folder / "0.html").read_text(), "Singling out, linkability, inference")
    assert "Singling out not known Here, a person is one row: nobody declared who is a person. Someone who" in risks


@pytest.mark.parametrize("success", [0.3, 0.1])  # 1/k is 20%
def test_the_attack_that_finds_most_is_the_doubt(place: Place, success: float) -> None:
    """If attackers with more items single out equally few persons, the doubt is about the one who finds most, if this
    attack succeeds.
    """
    report(place, [*BY_PATIENT, *ITEMS, "--k", "5"], 60)
    with opened_to_compare(str(place.out), None, OriginalSettings(), "risks", with_private=False) as (opened, _):
        facts = public_facts(opened)
    tried = [
        Attempts(False, size, (), 1000, 0.0, 0.1, 0.0, found, None, 0) for size, found in ((2, 0.001), (4, success))
    ]
    facts = replace(facts, after=replace(facts.after, attempts=tuple(tried)), items_per_person=(9, 9))
    text = (
        "know 4 items of a person, or all if there are fewer: they single out 0.0% of the persons, and find "
        f"{percent(success)} by guessing"
    )
    assert any(text in doubt for doubt in doubts(facts, ReportSettings())) == (success > 0.2)


def test_items_from_several_columns_are_named(place: Place) -> None:
    lines = [f"{n},{'abc'[n % 3]},{'de'[n % 2]},{'fg'[n % 2]}" for n in range(60)]
    data = place.write("wide.csv", "\n".join(["pid,DIAG_01,DIAG_02,DIAG_03", *lines]) + "\n")
    roles = ["--unit", "pid", "--one-code", "DIAG_01,DIAG_02,DIAG_03", "--hierarchy", "items=balanced:3"]
    made = [*roles, "--model", "km", "--k", "3", "--m", "1", "-o", str(place.out), "--quiet"]
    ran = place.run("anonymize", data, *made)
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    assert "Published columns: items (from DIAG_01" in first_screen(page.read_text())


def test_names_published_as_is_are_a_decision_of_the_owner(place: Place) -> None:
    lines = [f"{'fm'[n % 2]},{['Anna Schmidt', 'Karl Maier'][n % 2]},{n // 2}" for n in range(100)]
    data = place.write("named.csv", "\n".join(["sex,name,q", *lines]) + "\n")
    roles = ["--relational", "sex,name", "--keep", "q", "--publish-as-is", "name,q", "--model", "k", "--k", "2"]
    ran = place.run("anonymize", data, "--unit", "row", *roles, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    done = text_of(page.read_text(), "Technique for each column")
    assert "sex quasi-identifier none needed name quasi-identifier none: published unchanged, as decided by the" in done
    assert "this attacker finds only one row for 100.0% of the rows." in first_screen(page.read_text())


def text_of(page: str, heading: str) -> str:
    below = html.unescape(re.sub(r"<[^>]+>", " ", page.partition(f">{heading}</h")[2].partition("<h2>")[0]))
    return re.sub(r"\s+", " ", below).replace("all quasi-identifiers", "sex")


def test_someone_who_knows_the_sensitive_value_too_is_in_the_first_line_and_the_doubts(place: Place) -> None:
    """60 of 240 persons have a diagnosis of their own in their group."""
    lines = [f"p{n},{n % 6},{f'd{n % 6}{n}' if n < 60 else 'flu'}" for n in range(240)]
    data = place.write("persons.csv", "\n".join(["pid,ward,diagnosis", *lines]) + "\n")
    roles = ["--unit", "pid", "--relational", "ward", "--sensitive", "diagnosis", "--publish-as-is", "diagnosis"]
    made = [*roles, "--model", "kl", "--k", "5", "--l", "2", "-o", str(place.out)]
    ran = place.run("anonymize", data, *made)
    assert ran.code == 0, ran.err
    known = "ward as published, and the value of diagnosis of a person"
    doubt = f"The guarantee does not cover attackers who know {known}: they single"
    told = place.run("report", str(place.private / "report.json"), "-o", str(place.folder / "page.html"), "--json").json
    assert f"{known} (not covered): 25.0% in the original, 25.0% in the publication" in told["risk"]
    for texts in (ran.out.splitlines(), told["doubts"]):
        assert any(f"{doubt} out 25.0% of the persons." in text for text in texts), texts


def test_another_release_with_the_same_columns_is_a_doubt_and_may_be_attacked(place: Place) -> None:
    def write(name: str, persons: range, columns: str = "sex,ward") -> str:
        lines = [f"{n % 2},{n // 2 % 3}" for n in persons]
        data = place.write(f"{name}.csv", "\n".join([columns, *lines]) + "\n")
        made = ["--unit", "row", "--relational", columns, "--model", "k", "--k", "5", "--quiet"]
        ran = place.run("anonymize", data, *made, "-o", str(place.folder / f"{name}-safe"))
        assert ran.code == 0, ran.err
        page = place.folder / f"{name}.html"
        told = place.run(
            "report", str(place.folder / f"{name}-safe.private" / "report.json"), "-o", str(page), "--json"
        )
        assert told.code == 0, told.err
        return "\n".join(told.json["doubts"]) + page.read_text()

    assert "may be about the same persons" not in write("first", range(60))
    assert "may be about the same persons" not in write("other", range(60), "sex,region")
    found = write("second", range(66))
    assert (
        "The publication first-safe has the same published columns (sex and ward), and may be about the same" in found
    )
    assert "not run: it needs another release; first-safe may be one: anonset risk combines them" in found


def test_statements_that_recipients_need_are_asked_for_until_they_are_typed(place: Place) -> None:
    report(place, [*BY_PATIENT, *ATTRIBUTES, "--k", "5"], 60)
    needed = [*NEEDED, *NOT_SHOWN]
    typed = {name: f"--{name.replace('_', '-')}=typed {name}" for name in needed}
    for name in needed:
        others, page = [text for one, text in typed.items() if one != name], place.folder / f"{name}.html"
        ran = place.run("report", str(place.out), "--shareable", "-o", str(page), "--json", *others)
        title = str(ReportSettings.model_fields[name].title)
        assert ran.json["doubts"][-1] == f"The owner has not stated {title[0].lower()}{title[1:]}."
        assert all(f"typed {one}" in page.read_text() for one in needed if one != name)
    page = place.folder / "all.html"
    told = place.run("report", str(place.out), "--shareable", "-o", str(page), "--json", *typed.values()).json["doubts"]
    assert not any("has not stated" in doubt for doubt in told)


def test_words_that_blanks_separate_are_items_only_if_the_owner_says_so(place: Place) -> None:
    draw, words = random.Random(1), ["milk", "bread", "eggs", "rice", "tea", "beans", "salt", "corn", "oats", "figs"]
    bought = [" ".join(sorted(draw.sample(words, 7))) for _ in range(150)]
    called = [f"mother of {draw.choice(['Ann', 'Bob', 'Eve'])} {draw.choice(words)} called" for _ in range(150)]
    options = ["--unit", "row", "--items", "cell", "--hierarchy", "cell=halves:frequency", "--model", "km"]
    for cells, is_allowed in ((bought, True), (called, False)):
        data = place.write("cells.csv", "\n".join(["cell", *cells]) + "\n")
        made = [data, *options, "--k", "3", "--m", "1", "-o", str(place.folder / f"out{is_allowed}")]
        first = place.run("anonymize", *made)
        assert first.code == 2
        assert re.search(r"column 'cell': \d+ cells look like free text", first.err), first.err
        assert ("if blanks separate the items: --separator ' '" in first.err) == is_allowed
        assert place.run("anonymize", *made, "--separator", " ").code == (0 if is_allowed else 2)


@pytest.mark.parametrize("role", ["keep", "relational", "items"])
def test_a_telephone_number_within_texts_is_refused_in_every_role(place: Place, role: str) -> None:
    """The telephone number belongs to 20 persons, as one of a ward does."""
    notes = ["no show", "call 07700 900123", "came late"]
    data = place.write("notes.csv", "\n".join(["sex,note", *(f"{n % 2},{notes[n % 3]}" for n in range(60))]) + "\n")
    others = {"items": ["--model", "km", "--m", "1", "--separator", ",", "--hierarchy", "note=halves:frequency"]}
    options = ["--unit", "row", f"--{role}", "note", "--k", "2", *others.get(role, ["--model", "k"])]
    options += ["--relational" if role == "keep" else "--drop", "sex"]
    refused = place.run("anonymize", data, *options, "-o", str(place.out))
    assert refused.code == 2
    assert re.search(r"column 'note': 1 (values|items) look like telephone numbers", refused.err), refused.err


def test_contact_data_in_an_unchanged_column_are_a_doubt_if_declared(place: Place) -> None:
    notes = ["no show", "call 07700 900123", "came late"]
    data = place.write("notes.csv", "\n".join(["sex,note", *(f"{n % 2},{notes[n % 3]}" for n in range(60))]) + "\n")
    options = ["--unit", "row", "--relational", "sex", "--keep", "note", "--model", "k", "--k", "2"]
    ran = place.run("anonymize", data, *options, "--publish-as-is", "note", "-o", str(place.out))
    told = "In note, 1 of the 3 values (33.3%) look like telephone numbers."
    assert ran.code == 0, ran.err
    assert f"- {told}" in ran.out
    for more in ([], ["--shareable"]):
        assert (
            told
            in place.run("report", str(place.out), *more, "-o", str(place.folder / f"{len(more)}.html"), "--json").json[
                "doubts"
            ]
        )


def test_rows_with_the_id_of_the_row_above_are_in_the_publication(place: Place) -> None:
    rows = [f"{n if part == 0 else ''},{'abc'[(n + part) % 3]}" for n in range(1, 41) for part in range(3)]
    data = place.write("orders.csv", "\n".join(["customer,article", *rows]) + "\n")
    made = ["--unit", "customer", "--items", "article", "--normalize", "customer=fill-down", "--model", "km"]
    ran = place.run(
        "anonymize",
        data,
        *made,
        "--hierarchy",
        "article=halves:frequency",
        "--k",
        "3",
        "--m",
        "2",
        "-o",
        str(place.out),
    )
    assert ran.code == 0, ran.err
    told = place.run("report", str(place.out) + ".private/report.json", "-o", str(place.folder / "r.html"), "--json")
    assert not any("not in the publication" in doubt for doubt in told.json["doubts"])


def test_the_attacker_of_the_first_line_knows_non_sensitive_items(place: Place) -> None:
    lines = [
        " ".join(sorted({"abcd"[n % 4], "abcd"[(n + 1) % 4], *(["hiv"] if n % 10 == 0 else [])})) for n in range(80)
    ]
    data = place.write("visits.csv", "\n".join(["codes", *lines]) + "\n")
    made = ["--unit", "row", "--items", "codes", "--separator", " ", "--model", "lm", "--sensitive-items", "hiv"]
    sizes = ["--k", "3", "--m", "2", "--l", "2", "--hierarchy", "codes=halves:frequency"]
    ran = place.run("anonymize", data, *made, *sizes, "-o", str(place.out))
    assert ran.code == 0, ran.err
    told = place.run("risk", str(place.out) + ".private/report.json").out
    assert "knows the 2 non-sensitive items that single out the person best (covered by the guarantee)" in told, told


def test_the_share_of_skipped_rows_of_linked_tables_is_of_all_rows(place: Place) -> None:
    place.write("patients.csv", "\n".join(["pid,sex", *(f"{n},{'mf'[n % 2]}" for n in range(1, 101))]) + "\n")
    rows = [f"{'' if n % 5 == 0 else 1 + n % 100},{'ABCDE'[n % 3]}1" for n in range(300)]
    place.write("codes.csv", "\n".join(["pid,code", *rows]) + "\n")
    lines = ['unit = "pid"', 'skip_rows = ["no-id"]', 'model = "km"', "k = 3", "m = 1", "[tables.patients]"]
    lines += ['input = "patients.csv"', 'drop = "sex"', "[tables.codes]", 'input = "codes.csv"', 'key = "pid"']
    lines += ['in = "patients"', 'items = "code"', "[hierarchy]", '"codes.code" = "prefix:1"']
    job = place.write("job.toml", "\n".join(lines) + "\n")
    ran = place.run("anonymize", job, "-o", str(place.out))
    assert ran.code == 0, ran.err
    told = "Skipped rows without an id: 60, 15.0% of all rows. They are not in the publication."
    assert f"- {told}" in ran.out, ran.out
    page = place.folder / "r.html"
    found = place.run("report", str(place.out) + ".private/report.json", "-o", str(page), "--json")
    assert told in found.json["doubts"]
    assert "400 source rows in 2 tables became" in page.read_text()
    for share, code in (("15.0%", 0), ("17.6%", 2)):
        again = ["--shareable", "--left-out", share, "-o", str(place.folder / f"{code}.html")]
        assert place.run("report", str(place.out), *again).code == code
