"""Rejected runs succeed after adding the options that the message names."""

import re
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


@pytest.mark.parametrize(
    ("given", "kept", "moved"),
    [
        (("--items", "parts", "--relational", "sex,ward", "--sensitive", "test", *KKM), "sex parts", "'ward', 'test'"),
        (("--items", "parts", "--relational", "ward", "--sensitive", "test", *KKM), "parts", "'ward', 'test'"),
        (("--relational", "sex,ward", "--sensitive", "test", "--model", "kl", "--l", "2"), "sex", "'ward', 'test'"),
    ],
)
def test_the_complete_command_fixes_all_faults_at_once(
    place: Place, given: tuple[str, ...], kept: str, moved: str
) -> None:
    """Unit, header line, footer, separator, irregular columns, and a model without its required column."""
    text = f"Export of May\n\npatient_id,sex,ward,test,parts\n{''.join(ROWS)}Number of visits,90,,,\n"
    data = place.write("visits.csv", text)
    command = ["anonymize", data, "-o", str(place.out), "--k", "5", "--drop", "patient_id", *given]
    ran = place.run(*command)
    assert (ran.code, len(ran.errors)) == (2, 1), ran.err
    assert re.search(rf"\(60 persons\), dropping {moved}(, with model \w+)?: anonset", ran.err), ran.err
    assert units_of(ran) == ["patient_id", "row", "unknown"], ran.err
    assert [names(who, facts) for who, facts in zip(complete(ran), ("'patient_id' 60", "90 rows", "data"), strict=True)]
    headers = published_by(place, ran)
    assert headers[0] == kept.split()
    assert headers[1] == headers[2]


@pytest.mark.long
def test_a_complete_command_makes_no_further_declarations_for_the_owner(place: Place) -> None:
    rows = "".join(f"{'fm'[n % 2]},{'/'.join(PARTS[n % 7])},x\n" for n in range(70))
    data = place.write("rows.csv", f"sex,parts,note\n{rows}")
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--items", "parts", "--relational", "sex", *KKM, "--k", "5"
    )
    assert (ran.code, units_of(ran)) == (2, ["row", "unknown"]), ran.err
    for command in complete(ran).values():
        assert not {"--keep", "--publish-as-is"} & {*command}
        assert value_of(command, "--drop") == "note"  # undeclared columns are not published
    assert published_by(place, ran) == [["sex", "parts"]] * 2


def test_no_complete_command_keeps_a_column_that_the_scan_after_the_search_rejects(place: Place) -> None:
    rows = "".join(f"{'fm'[n % 2]},needs help with topic {n // 2} of {n // 3}\n" for n in range(60))
    data = place.write("rows.csv", f"sex,note\n{rows}")
    options = ("--relational", "sex", "--keep", "note", "--model", "k", "--k", "3")
    ran = place.run("anonymize", data, "-o", str(place.out), *options)
    assert units_of(ran) == ["row", "unknown"], ran.err
    assert published_by(place, ran) == [["sex"]] * 2


@pytest.mark.long
def test_columns_used_as_id_are_named(place: Place) -> None:
    data = place.write("visits.csv", "patient_id,sex,ward,test,parts\n" + "".join(ROWS))
    options = ("--items", "parts", "--relational", "patient_id,sex", "--drop", "ward,test", *SPLIT, *KKM, "--k", "5")
    ran = place.run("anonymize", data, "-o", str(place.out), *options)
    assert (ran.code, "(60 persons), with 'patient_id' as the person: anonset" in ran.err) == (2, True), ran.err
    assert units_of(ran) == ["patient_id", "row", "unknown"], ran.err
    assert published_by(place, ran) == [["sex", "parts"]] * 3


@pytest.mark.long
def test_a_run_that_states_only_the_person_gets_a_complete_command(place: Place) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    ran = place.run("anonymize", data, "-o", str(place.out), "--unit", "who", *KKM, "--k", "5")
    assert (ran.code, list(complete(ran)), units_of(ran)) == (2, [""], ["who"]), ran.err
    published_by(place, ran)


@pytest.mark.parametrize("roles", [("--relational", "ward"), ()])
def test_a_declared_person_whose_columns_all_differ_gets_a_command_with_first_rows(
    place: Place, roles: tuple[str, ...]
) -> None:
    rows = "".join(f"p{who},{'ABC'[(who + visit) % 3]}\n" for who in range(60) for visit in range(2))
    data = place.write("visits.csv", f"pid,ward\n{rows}")
    ran = place.run("anonymize", data, "-o", str(place.out), "--unit", "pid", "--model", "k", "--k", "3", *roles)
    assert [value_of(command, "--differing") for command in complete(ran).values()] == ["first"], ran.err
    assert published_by(place, ran) == [["ward"]]


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


@pytest.mark.parametrize(
    ("text", "given", "kept"),
    [
        (STAFF_HEADER + "".join(STAFF), ("--relational", "Dept,Alter,gender", "--model", "k"), "Dept Alter gender"),
        (
            STAFF_HEADER + "".join(STAFF),
            ("--relational", "Dept,Alter,gender", "--drop", "no,MA,union_member,odd", "--model", "k"),
            "Dept Alter gender",
        ),
        (
            STAFF_HEADER + "".join(STAFF),
            ("--relational", "Alter,gender", "--sensitive", "union_member", "--model", "kl", "--l", "2"),
            "Alter gender union_member",
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
    ids=["names", "names without other faults", "one sensitive column", "rows without names", "a sum without figures"],
)
@pytest.mark.long
def test_every_printed_command_publishes_the_stated_columns(
    place: Place, text: str, given: tuple[str, ...], kept: str
) -> None:
    data = place.write("rows.csv", text)
    ran = place.run("anonymize", data, "-o", str(place.out), "--k", "3", *given)
    assert {"row", "unknown"} <= {*units_of(ran)}, ran.err
    assert published_by(place, ran) == [kept.split()] * len(complete(ran))


@pytest.mark.long
def test_a_complete_command_for_an_id_accepts_a_shared_address(place: Place) -> None:
    """Two students share an e-mail address. All commands must run."""
    rows = "".join(
        f"{7000 + who},s{min(who, 58)}@uni.org,{1 + who % 4},{subject}\n" for who in range(60) for subject in "ab"
    )
    data = place.write("exam.csv", f"Matr.-Nr.,Uni-Mail,FS,subject\n{rows}")
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--model", "k", "--k", "5", "--relational", "FS", "--drop", "subject"
    )
    assert {*units_of(ran)[:2]} == {"Matr.-Nr.", "Uni-Mail"}, ran.err
    assert published_by(place, ran) == [["FS"]] * len(complete(ran))


def test_complete_commands_join_columns_with_a_code_each(place: Place) -> None:
    rows = "".join(
        f"{who},{'fm'[who % 2]},{','.join(f'I{10 + (who + n) % 3}.0' for n in range(3))}\n" for who in range(60)
    )
    data = place.write("cases.csv", f"patient_id,sex,HD,ND1,ND2\n{rows}")
    ran = place.run(
        "anonymize", data, "-o", str(place.out), *KKM, "--k", "5", "--relational", "sex", "--items", "HD,ND1,ND2"
    )
    assert {"patient_id", "row", "unknown"} == {*units_of(ran)}, ran.err
    for command in complete(ran).values():
        assert value_of(command, "--one-code") == "HD,ND1,ND2", ran.err
        assert "--items" not in command
    published_by(place, ran)


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
    assert [value_of(command, "--separator") for command in commands] == [proposed] * bool(proposed), ran.err


def test_the_command_that_proposes_roles_leaves_out_roles_that_cannot_be_read(place: Place) -> None:
    rows = "".join(f"p{n};{20 + n % 40};{'fm'[n % 2]};{100 + n},{n % 90 + 10}\n" for n in range(120))
    data = place.write("fees.csv", f"patient_id;age;sex;fee\n{rows}")
    roles = ("--items", "fee", "--relational", "age,sex", *KKM, "--k", "3")
    ran = place.run("anonymize", data, "-o", str(place.out), *roles)
    assert (ran.code, complete(ran)) == (2, {}), ran.err
    line = next(line for line in ran.err.splitlines() if "to propose roles" in line)
    command = line[line.index("anonset inspect") :].split()
    assert "--items" not in command
    job = place.folder / "job.toml"
    again = place.run(*[str(job) if word == "job.toml" else word for word in command[1:]])
    assert (again.code, job.is_file()) == (0, True), again.err
