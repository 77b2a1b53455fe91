"""Rejected runs succeed after adding the options that the message names."""

import shlex
from random import Random

import pytest
from tests.facts import names

from cli.place import Place
from cli.printed import complete, published_by, units_of, value_of

PARTS = [["T1"], ["T2"], ["T3"], ["T1", "T2"], ["T2", "T3"], ["T1", "T3"], ["T1", "T2", "T3"]]
ROWS = [
    f"p{who},{who % 2},{'ABC'[visit % 3]},{'pos' if visit % 5 else 'neg'},{'+'.join(PARTS[(who + visit) % 7])}\n"
    for who in range(60)
    for visit in range(who % 2 + 1)
]
KKM, SPLIT = ("--model", "kkm", "--m", "2"), ("--separator", "+")
ALONE = ("--model", "km", "--hierarchy", "parts=halves:frequency")


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "steps"),
    [
        (("--items", "parts", "--relational", "sex,ward", "--drop", "test", *KKM), (("--drop", "ward"), SPLIT)),
        (("--items", "parts", "--relational", "ward", "--drop", "sex,test", *KKM), (("--drop", "ward"), SPLIT, ALONE)),
        (("--relational", "sex,ward", "--drop", "test,parts", "--model", "k"), (("--drop", "ward"),)),
        (("--relational", "sex", "--sensitive", "test", "--drop", "ward,parts", "--model", "k"), (("--drop", "test"),)),
    ],
)
def test_messages_are_followed_to_a_publication(
    place: Place, given: tuple[str, ...], steps: tuple[tuple[str, ...], ...]
) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    command = ["anonymize", data, "-o", str(place.out), "--k", "5", "--unit", "who", *given]
    for step in steps:
        ran = place.run(*command)
        assert (ran.code, len(ran.errors), " ".join(step) in ran.errors[0]) == (2, 1, True), ran.err
        if "--model" in step:
            del command[command.index("--model") : command.index("--model") + 2]
        command += step
    ran = place.run(*command)
    assert ran.code == 0, ran.err


def test_persons_without_a_column_are_no_empty_data(place: Place) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--model", "k", "--k", "5", "--unit", "who", "--drop",
        "sex,ward,test,parts",
    )  # fmt: skip
    assert (ran.code, names(ran.err, "columns id dropped")) == (2, True), ran.err


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("--items", "parts", "--relational", "sex,ward", "--drop", "test", *KKM), "sex ward parts"),
        (("--items", "parts", "--relational", "ward", "--drop", "sex,test", *KKM), "ward parts"),
        (("--relational", "sex,ward", "--drop", "test,parts", "--model", "k"), "sex ward"),
    ],
)
def test_printed_commands_lead_from_many_faults_to_a_publication(
    place: Place, given: tuple[str, ...], kept: str
) -> None:
    """Header line, footer, unit, rows of a person that differ, and separator, one after the other."""
    text = f"Export of May\n\npatient_id,sex,ward,test,parts\n{''.join(ROWS)}Number of visits,90,,,\n"
    data = place.write("visits.csv", text)
    ran = place.run("anonymize", data, "-o", str(place.out), "--k", "5", "--drop", "patient_id", *given)
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert published_by(place, ran) == [kept.split()]


def test_columns_without_a_role_are_dropped_by_a_command_or_proposed(place: Place) -> None:
    rows = "".join(f"{'fm'[n % 2]},{'/'.join(PARTS[n % 7])},x\n" for n in range(70))
    data = place.write("rows.csv", f"sex,parts,note\n{rows}")
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--items", "parts", "--relational", "sex", "--separator", "/", *KKM,
        "--k", "5",
    )  # fmt: skip
    (command,) = complete(ran).values()
    assert value_of(command, "--drop") == "note"  # undeclared columns are not published
    assert f"anonset inspect {data} --items parts --relational sex --separator / -o job.toml" in ran.err
    again = place.run(*command)
    assert units_of(again) == ["row", "unknown"], again.err
    for command in complete(again).values():
        assert not {"--keep", "--publish-as-is"} & {*command}
    assert published_by(place, again) == [["sex", "parts"]] * 2


def test_the_first_command_drops_a_column_that_the_scan_after_the_search_rejects(place: Place) -> None:
    rows = "".join(f"{'fm'[n % 2]},needs help with topic {n // 2} of {n // 3}\n" for n in range(60))
    data = place.write("rows.csv", f"sex,note\n{rows}")
    options = ("--relational", "sex", "--keep", "note", "--model", "k", "--k", "3")
    ran = place.run("anonymize", data, "-o", str(place.out), *options)
    assert units_of(ran) == ["row", "unknown"], ran.err
    assert published_by(place, ran) == [["sex"]] * 2


def test_a_column_of_the_person_has_no_other_role(place: Place) -> None:
    data = place.write("visits.csv", "patient_id,sex,ward,test,parts\n" + "".join(ROWS))
    options = ("--items", "parts", "--relational", "patient_id,sex", "--drop", "ward,test", *SPLIT, *KKM, "--k", "5")
    ran = place.run("anonymize", data, "-o", str(place.out), *options)
    assert units_of(ran) == ["patient_id", "row", "unknown"], ran.err
    first = next(iter(complete(ran).values()))
    assert value_of(first, "--relational") == "sex"
    assert place.run(*first).code == 0
    assert (place.out / "published.csv").read_text().startswith("sex,parts\n")


def test_a_run_that_states_no_published_column_gets_the_command_that_proposes_roles(place: Place) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    for typed in (("--unit", "who"), ()):
        ran = place.run("anonymize", data, "-o", str(place.out), *typed, *KKM, "--k", "5")
        assert (ran.code, complete(ran)) == (2, {}), ran.err
        assert " ".join(["anonset inspect", data, *typed, "-o job.toml"]) in ran.err


def test_a_person_whose_rows_differ_gets_a_command_for_each_remedy(place: Place) -> None:
    rows = "".join(f"p{who},{'ABC'[(who + visit) % 3]}\n" for who in range(60) for visit in range(2))
    data = place.write("visits.csv", f"pid,ward\n{rows}")
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--unit", "pid", "--model", "k", "--k", "3", "--relational", "ward"
    )
    first, sets = complete(ran).values()  # a command that drops the only column publishes nothing
    assert [value_of(first, "--differing"), value_of(sets, "--items")] == ["first", "ward"]
    assert place.run(*first).code == 0


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--model", "kkm", "--hierarchy", "parts=balanced:2", "--ceiling", "parts=none.txt"), "--ceiling none.txt"),
        (("--model", "klm", "--l", "2", "--delta", "0.5", "--sensitive-items", "T9"), "T9 --sensitive-items"),
        (("--model", "klm", "--l", "2", "--delta", "0.5"), "klm --sensitive-items"),
    ],
)
def test_no_complete_command_repeats_the_error(place: Place, options: tuple[str, ...], fault: str) -> None:
    rows = "".join(f"{n},{'fm'[n % 2]},{'+'.join(PARTS[n % 7])}\n" for n in range(70))
    data = place.write("rows.csv", f"nr,sex,parts\n{rows}")
    roles = ("--items", "parts", "--relational", "sex,nr", "--unit", "row", *SPLIT)
    ran = place.run("anonymize", data, "-o", str(place.out), "--k", "5", "--m", "2", *roles, *options)
    assert (ran.code, names(ran.err, fault), complete(ran)) == (2, True, {}), ran.err


@pytest.mark.parametrize(
    ("file", "roles"), [("rows.csv", ("--items", "parts", "--unit", "row", *SPLIT)), ("rows.dat", ())]
)
def test_no_complete_command_repeats_a_run_that_the_search_rejects(
    place: Place, file: str, roles: tuple[str, ...]
) -> None:
    """The search rejects the run, so no earlier check finds the fault."""
    mark, head = ("+", "parts\n") if roles else (" ", "")
    data = place.write(file, head + "".join(f"{mark.join(PARTS[n % 7])}\n" for n in range(70)))
    tree = place.write("tree.csv", "T1,T,all\nT2,T,all\nT3,T,all\n")
    column = "parts" if roles else "items"
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--model", "km", "--algorithm", "optimal", "--max-work", "0", "--k",
        "60", "--m", "2", "--hierarchy", f"{column}={tree}", *roles,
    )  # fmt: skip
    assert (ran.code, names(ran.err, "--max-work"), complete(ran)) == (2, True, {}), ran.err


def test_a_taken_output_has_no_complete_command(place: Place) -> None:
    data = place.write("visits.csv", "patient_id,sex,ward,test,parts\n" + "".join(ROWS))
    place.out.parent.joinpath("exists").mkdir()
    place.out.parent.joinpath("exists", "file").write_text("x")
    options = ("--items", "parts", "--relational", "sex,ward", "--drop", "patient_id,test", *KKM, "--k", "5")
    ran = place.run("anonymize", data, "-o", str(place.out.parent / "exists"), *options)
    assert (ran.code, "complete command" in ran.err) == (2, False), ran.err


DRAW = Random(11)
STAFF = [
    f"{40_000 + n},{DRAW.choice(['Ada', 'Ivo', 'Ben', 'Eva'])} {DRAW.choice(['Pohl', 'Krug', 'Rehn'])},"
    f"{DRAW.choice(['Sales', 'IT', 'HR'])},{DRAW.randrange(20, 64)},{DRAW.choice('fm')},{DRAW.choice(['yes', 'no'])},"
    f"{DRAW.randrange(4)}\n"
    for n in range(80)
]
STAFF_HEADER = "no,MA,Dept,Alter,gender,union_member,odd\n"
LAB = [
    f"L{n},{['Ada', 'Ivo', 'Ben', 'Eva', 'Tom'][n % 5]} {['Pohl', 'Krug', 'Rehn'][n % 3]},{1940 + n % 50}-05-07,"
    f"{'fm'[n % 2]},{test}\n"
    for n in range(60)
    for test in ("CRP", "TSH", "LDL")[: 1 + n % 3]
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "given", "kept"),
    [
        (STAFF_HEADER + "".join(STAFF), ("--relational", "Dept,gender", "--model", "k"), "Dept gender"),
        (
            STAFF_HEADER + "".join(STAFF),
            ("--relational", "gender", "--sensitive", "union_member", "--model", "kl", "--l", "2"),
            "gender union_member",
        ),
        (
            f"order,Nachname,born,G,Param\n{''.join(LAB)}L99,,,,CRP\n",
            ("--relational", "G", "--items", "Param", *KKM),
            "G Param",
        ),
        (
            f"order,Nachname,born,G,Param\n{''.join(LAB)}Summe,,,,\n",
            ("--items", "Param", "--model", "km", "--m", "2"),
            "Param",
        ),
    ],
    ids=["names", "one sensitive column", "rows without names", "a sum without figures"],
)
def test_printed_commands_publish_the_stated_columns(
    place: Place, text: str, given: tuple[str, ...], kept: str
) -> None:
    data = place.write("rows.csv", text)
    ran = place.run("anonymize", data, "-o", str(place.out), "--k", "3", *given)
    assert published_by(place, ran) == [kept.split()]


@pytest.mark.parametrize(("marks", "proposed"), [((";", "|"), ""), ((",", ";"), ""), ((",",), ","), ((";",), ";")])
def test_a_message_and_its_complete_command_name_the_same_separator(
    place: Place, marks: tuple[str, ...], proposed: str
) -> None:
    random, codes = Random(3), ["E11", "I10", "J20", "J45", "E78", "M54"]
    cells = [random.choice(marks).join(random.sample(codes, random.randint(1, 4))) for _ in range(300)]
    data = place.write("visits.csv", "codes\n" + "".join(f'"{cell}"\n' for cell in cells))
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--items", "codes", "--model", "km", "--k", "5", "--m", "2"
    )
    assert ran.code == 2
    assert bool(proposed) == (f"if {proposed!r} separates items" in ran.err), ran.err
    commands = complete(ran).values()
    assert [value_of(command, "--separator") for command in commands] == [*[proposed] * bool(proposed), ""], ran.err
    assert [value_of(command, "--one-code") for command in commands][-1] == "codes"


def test_fixes_of_several_problems_that_declare_nothing_are_one_command(place: Place) -> None:
    rows = "".join(f"{'fm'[n % 2]},note {n} of the day,{n},remark {n} too\n" for n in range(60))
    data = place.write("rows.csv", f"sex,note,nr,more\n{rows}")
    options = (
        "--relational",
        "sex",
        "--keep",
        "note,more",
        "--drop",
        "nr",
        "--unit",
        "row",
        "--model",
        "k",
        "--k",
        "3",
    )
    ran = place.run("anonymize", data, "-o", str(place.out), *options)
    (command,) = complete(ran).values()
    assert (len(ran.errors), value_of(command, "--drop")) == (2, "nr,note,more"), ran.err
    assert not {"--keep", "--publish-as-is"} & {*command}
    assert published_by(place, ran) == [["sex"]]


def test_no_command_publishes_a_column_as_is_or_drops_all_columns(place: Place) -> None:
    cells = [f"call Smith{n % 7}" if n % 9 == 0 else f"c{n % 5}" for n in range(90)]
    rows = "".join(f"Smith{n % 7},{cell};c9,{cell};d9\n" for n, cell in enumerate(cells))
    data = place.write("calls.csv", "surname,codes,more\n" + rows)
    run = ("anonymize", data, "--unit", "row", "--model", "km", "--k", "2", "--m", "1", "-o", str(place.out))
    for items, dropped in (("codes", "surname,more"), ("codes,more", "surname")):
        ran = place.run(*run, "--items", items, "--drop", dropped, "--separator", ";")
        assert (ran.code, "--publish-as-is" in ran.err) == (2, False), ran.err
        assert "7 items contain values of 'surname'" in ran.err
        assert "complete command" not in ran.err


READ_BY_THE_PRINTED_COMMAND = {
    "drugs.txt": "id$seq$drug$dose\n" + "".join(f"P{n}$1$Lyrica$40 MG, UNK{n}\n" for n in range(40)),
    "calls.vcf": "".join(f"##contig=<ID={n}>\n" for n in range(60))
    + "#CHROM\tPOS\tALT\n"
    + "".join(f"22\t{n}\tA\n" for n in range(40)),
    "ratings.dat": "".join(f"{1 + n % 9}::{n * 7 % 50 + 100}::{n % 5 + 3}::{950 + n}\n" for n in range(400)),
}


@pytest.mark.parametrize("name", READ_BY_THE_PRINTED_COMMAND)
def test_lines_with_an_unusual_delimiter_or_comments_are_read_by_the_printed_command(place: Place, name: str) -> None:
    data = place.write(name, READ_BY_THE_PRINTED_COMMAND[name])
    tried = ("--separator", ",") if name.endswith(".txt") else ()
    ran = place.run("inspect", data, *tried, "-o", str(place.folder / "job.toml"))
    printed = [line for line in ran.err.splitlines() if "complete command" in line][:1]
    for line in printed:
        ran = place.run(*shlex.split(line[line.index("anonset ") :])[1:])
    assert ran.out.count("--drop") >= 3, (printed, ran.out, ran.err)


def test_columns_of_one_name_below_comments_are_named(place: Place) -> None:
    rows = "".join(f"22\t{n}\tA\tA\n" for n in range(40))
    ran = place.run("inspect", place.write("calls.vcf", "##fileformat=VCF\n#CHROM\tPOS\tHG1\tHG1\n" + rows))
    assert (ran.code, names(ran.errors[0], "columns 3 4 'same name' rename")) == (2, True), ran.err


def test_a_tab_is_printed_as_an_option_that_reads_it(place: Place) -> None:
    data = place.write("calls.tsv", "POS\n" + "".join(f"{n}{chr(9) * (n > 2)}{n}\n" for n in range(40)))
    ran = place.run("inspect", data)
    assert (ran.code, r"--separator '\t'" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ('[{"a": 1}]', ".[]"),
        ('{"total": 1,\n "orders": [\n{"a": 1}]}', ".orders[]"),
        ('{"resourceType": "Bundle", "entry": [{"resource": {"id": 1}}]}', ".entry[].resource"),
    ],
)
def test_the_printed_command_converts_the_records_of_a_json_file(place: Place, text: str, records: str) -> None:
    ran = place.run("inspect", place.write("data.json", text))
    assert (ran.code, f"jq -c '{records}' " in ran.err) == (2, True), ran.err


def test_a_job_is_repeated_without_the_columns_that_may_not_be_published(place: Place) -> None:
    rows = "".join(f"+49892331{n % 9}00,{'AB'[n % 2]}\n" for n in range(200))
    place.write("calls.csv", "called,cell\n" + rows)
    roles = 'unit = "row"\nrelational = ["called", "cell"]\nmodel = "k"\nk = 5\n'
    job = place.write("job.toml", f'input = "calls.csv"\n{roles}[hierarchy]\ncalled = "values"\ncell = "values"\n')
    ran = place.run("anonymize", job, "-o", str(place.out))
    (line,) = [line for line in ran.err.splitlines() if "complete command" in line]
    assert (ran.code, line.endswith("--drop called")) == (2, True), ran.err
    assert place.run(*shlex.split(line[line.index("anonset ") :])[1:]).code == 0
    assert (place.out / "published.csv").read_text().splitlines()[0] == "cell"


WITHOUT_RECORDS = {
    "path": ('{"user": "U%02d", "reactions": [{"name": "%s", "users": ["x"]}]}', "--items 'reactions[].name'"),
    "stations": ("%d,%s", "need no anonymization"),
}


@pytest.mark.parametrize("case", WITHOUT_RECORDS)
def test_a_next_step_is_printed_without_records(place: Place, case: str) -> None:
    line, way = WITHOUT_RECORDS[case]
    texts = [line % ((n % 40, "abcd"[n % 4]) if case == "path" else (n, n * 37 % 1000)) for n in range(160)]
    data = (
        place.write("data.jsonl", "\n".join(texts))
        if case == "path"
        else place.write("d.csv", "\n".join(["pm10,no2", *texts]))
    )
    ran = place.run("inspect", data)
    assert (ran.code, way in ran.out.splitlines()[-1]) == (0, True), ran.out
