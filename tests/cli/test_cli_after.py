"""`--after OUT.private`: a release that satisfies the guarantee jointly with an earlier release of the same people."""

import json

import pytest
from tests.facts import names

from anonset.algorithms.transaction import joint_anonymity
from anonset.release.guarantee_limits import GOES_ON
from cli.place import Place

PEOPLE = [(f"p{i:02}", " ".join(sorted({"abcdef"[i % 6], "abcdef"[i // 6 % 6], "gh"[i % 2]}))) for i in range(72)]
FIRST = "a,AB,ALL\nb,AB,ALL\nc,CD,ALL\nd,CD,ALL\ne,EF,ALL\nf,EF,ALL\ng,g,ALL\nh,h,ALL\n"
SECOND = "a,AC,L,ALL\nc,AC,L,ALL\nb,BE,L,ALL\ne,BE,L,ALL\nd,DF,L,ALL\nf,DF,L,ALL\ng,g,M,ALL\nh,h,M,ALL\n"


def release(place: Place, name: str, people: list[tuple[str, str]], tree: str, *more: str, k: int = 9) -> list[str]:
    data = place.write(f"{name}.csv", "who,codes\n" + "".join(f"{who},{codes}\n" for who, codes in people))
    hierarchy = place.write(f"{name}.tree.csv", tree)
    return [
        "anonymize", data, "--items", "codes", "--unit", "who", "--hierarchy", f"codes={hierarchy}",
        "--algorithm", "apriori", "--k", str(k), "--m", "2", "-o", str(place.folder / name), *more,
    ]  # fmt: skip


def after(place: Place) -> tuple[str, str]:
    return "--after", str(place.folder / "first.private")


def attested(place: Place, name: str) -> dict[str, object]:
    data: dict[str, object] = json.loads((place.folder / name / "attestation.json").read_text())
    return data


@pytest.mark.long
def test_two_releases_are_published_and_attested_together(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    assert place.run(*release(place, "apart", PEOPLE[::-1], SECOND)).code == 0
    ran = place.run(*release(place, "second", [*PEOPLE[::-1], ("new", "a c")], SECOND, *after(place)))
    assert ran.code == 0, ran.err
    text = " ".join(ran.out.split())
    assert names(text, "together 72 persons linked --recoding")
    before = json.loads((place.folder / "first.private" / "report.json").read_text())["attestation_sha256"]
    declared = attested(place, "second")["declarations"]
    assert isinstance(declared, dict)
    assert (declared["together_with"], declared["together_if_linked"]) == (before, True)
    assert names(str(attested(place, "second")["limits"]), "rows person")
    assert place.run("verify", str(place.folder / "second"), *after(place)).code == 0
    symbols = [len((place.folder / name / "codebook.csv").read_text().splitlines()) for name in ("apart", "second")]
    assert symbols[1] < symbols[0]


def test_a_worthless_joint_release_is_rejected_with_a_remedy(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    flat = "".join(f"{pair[0]},{pair},ALL\n{pair[1]},{pair},ALL\n" for pair in ("ag", "bh", "ce", "df"))
    ran = place.run(*release(place, "second", PEOPLE, flat, *after(place)))
    assert (ran.code, (place.folder / "second").exists()) == (1, False)
    assert names(ran.err, "worthless --recoding")


@pytest.mark.long
def test_people_who_left_do_not_count_for_the_joint_guarantee(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    ran = place.run(*release(place, "second", PEOPLE[24:], SECOND, *after(place)))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 48 persons not linked")
    assert names(str(attested(place, "second")["limits"]), "fewer")
    assert place.run("verify", str(place.folder / "second"), *after(place)).code == 0
    private = [str(place.folder / f"{name}.private" / "report.json") for name in ("first", "second")]
    for report, other in zip(private, ("second", "first"), strict=True):
        beside = ("--attack", "composition", "--beside", str(place.folder / other), "--json")
        assert place.run("risk", report, *beside).json["attacks"][0]["won"]["below_k"] == 0


def test_grouped_rows_are_linked_in_memory_and_out_of_core(place: Place) -> None:
    long = "".join(f"{who},{code}\n" for who, codes in PEOPLE for code in codes.split())
    place.write("long.csv", "who,code\n" + long)
    place.write("tree.csv", FIRST)
    job = [
        "anonymize", str(place.folder / "long.csv"), "--items", "code", "--unit", "who", "--hierarchy",
        f"code={place.folder / 'tree.csv'}", "--algorithm", "apriori", "--k", "9", "--m", "2", "-o",
    ]  # fmt: skip
    assert place.run(*job, str(place.folder / "first")).code == 0
    remaining = "".join(f"{who},{code}\n" for who, codes in PEOPLE[::-1] for code in codes.split()[::-1])
    place.write("later.csv", "who,code\n" + remaining)
    job[1] = str(place.folder / "later.csv")
    for name, more in (("second", ()), ("third", ("--work-dir", str(place.folder / "work")))):
        ran = place.run(*job, str(place.folder / name), *after(place), *more)
        assert ran.code == 0, ran.err
        assert names(" ".join(ran.out.split()), "together 72 persons linked")
    assert (place.folder / "second" / "published.csv").read_bytes() == (
        place.folder / "third" / "published.csv"
    ).read_bytes()


@pytest.mark.long
def test_continuing_a_release_satisfies_the_joint_guarantee_without_loss(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    recoding = ("--recoding", str(place.folder / "first.private"))
    ran = place.run(*release(place, "second", PEOPLE, FIRST, *after(place), *recoding, "--json"))
    assert ran.code == 0, ran.err
    limits = str(attested(place, "second")["limits"])
    assert names(limits, "continues earlier release")
    assert GOES_ON not in attested(place, "second")["limits"]
    report = json.loads((place.folder / "second.private" / "report.json").read_text())
    assert (report["figures"]["raised"], report["figures"]["in_both"]) == (0, 72)
    result = place.run(
        "risk", f"{place.folder / 'second'}.private/report.json", "--attack", "composition", "--beside",
        str(place.folder / "first"), "--json",
    )  # fmt: skip
    assert result.json["attacks"][0]["won"]["below_k"] == 0


@pytest.mark.long
def test_ids_that_are_written_otherwise_are_the_same_persons(place: Place) -> None:
    numbered = [(str(i), codes) for i, (_, codes) in enumerate(PEOPLE)]
    assert place.run(*release(place, "first", numbered, FIRST)).code == 0
    padded = [(f"{int(who):04}", codes) for who, codes in numbered]
    ran = place.run(*release(place, "second", padded, FIRST, *after(place)))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 72 persons linked")


@pytest.mark.long
def test_persons_are_matched_by_id_if_the_releases_skip_other_rows(place: Place) -> None:
    """Both releases have 71 records of the same file, and the records between the skipped rows have other numbers."""
    skipping = [("--skip-rows", "no-id", "--null", f"who=p{number}") for number in ("00", "71")]
    assert place.run(*release(place, "first", PEOPLE, FIRST, *skipping[0])).code == 0
    made = release(place, "second", PEOPLE, SECOND, *skipping[1], *after(place))
    made[1] = str(place.folder / "first.csv")
    ran = place.run(*made)
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 70 persons linked")
    complete = release(place, "complete", PEOPLE, FIRST)
    complete[1] = str(place.folder / "first.csv")
    assert place.run(*complete).code == 0
    for one, other in (("complete", "first"), ("first", "complete")):
        report = str(place.folder / f"{one}.private" / "report.json")
        beside = ("--attack", "composition", "--beside", str(place.folder / other), "--json")
        assert place.run("risk", report, *beside).json["attacks"][0]["targets"] == 71


def test_persons_of_linked_tables_are_matched_by_id(place: Place) -> None:
    """The options of a table are in its job file, and decide which rows have no id."""
    rows = "".join(f"{who},{code}\n" for who, codes in PEOPLE for code in codes.split())
    place.write("codes.csv", "who,code\n" + rows)
    for name, null, tree in (("first", "p00", FIRST), ("second", "p71", SECOND)):
        hierarchy = place.write(f"{name}.tree.csv", tree)
        job = 'unit = "who"\nmodel = "km"\nalgorithm = "apriori"\nk = 9\nm = 2\nskip_rows = ["no-id"]\n'
        job += f'[tables.codes]\ninput = "codes.csv"\nitems = "code"\nnull = ["{null}"]\n'
        job += f'[hierarchy]\n"codes.code" = "{hierarchy}"\n'
        more = after(place) if name == "second" else ()
        ran = place.run("anonymize", place.write(f"{name}.toml", job), "-o", str(place.folder / name), *more)
        assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 70 persons linked")


@pytest.mark.long
def test_persons_may_have_ids_like_null_and_data_may_be_a_pattern(place: Place) -> None:
    people = [*PEOPLE, ("NA", "a b g"), ("None", "c d h")]
    (place.folder / "jan").mkdir()
    first = release(place, "first", people, FIRST)
    (place.folder / "first.csv").rename(place.folder / "jan" / "first.csv")
    first[1] = str(place.folder / "jan" / "*.csv")
    assert place.run(*first).code == 0
    ran = place.run(*release(place, "second", people[::-1], SECOND, *after(place)))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 74 persons linked")


@pytest.mark.long
def test_ids_of_no_earlier_person_are_nobodys(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    others = [(f"x{who}", codes) for who, codes in PEOPLE]
    ran = place.run(*release(place, "second", others, FIRST, *after(place)))
    assert (ran.code, ran.err.count("\n"), (place.folder / "second").exists()) == (2, 1, False)
    assert names(ran.err, "72 ids")
    partly = [*PEOPLE[:40], *others[40:]]
    ran = place.run(*release(place, "second", partly, FIRST, *after(place)))
    assert names(" ".join(ran.out.split()), "together 40 persons")
    assert place.run(*release(place, "third", others, FIRST)).code == 0
    third = str(place.folder / "third")
    ran = place.run("risk", f"{place.folder / 'first'}.private/report.json", "--beside", third)
    assert (ran.code, names(ran.err, "72 ids")) == (2, True)


@pytest.mark.long
def test_repeated_ids_are_one_person_and_empty_ids_nobody(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    ran = place.run(*release(place, "second", [("", "a b"), *PEOPLE], FIRST, *after(place)))
    assert (ran.code, len(ran.errors), names(ran.err, "'row 1' empty")) == (2, 1, True)
    ran = place.run(*release(place, "second", [*PEOPLE, PEOPLE[3]], FIRST, *after(place), "--separator", " "))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 72 persons linked")


def test_rows_without_ids_are_not_linked(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    for unit in ("row", "unknown"):
        job = release(place, "second", PEOPLE[1:], FIRST, *after(place), "--drop", "who")
        job[job.index("--unit") + 1] = unit
        ran = place.run(*job)
        assert (ran.code, len(ran.errors), names(ran.err, "--after --unit")) == (2, 1, True), ran.err


def test_persons_that_the_data_do_not_name_are_not_linked_even_in_one_file(place: Place) -> None:
    for name, unit, code in (("first", "unknown", 2), ("stated", "row", 0)):
        job = release(place, "data", PEOPLE, FIRST, "--drop", "who")
        job[job.index("--unit") + 1] = unit
        earlier = place.folder / name
        job[job.index("-o") + 1] = str(earlier)
        assert place.run(*job).code == 0
        job[job.index("-o") + 1] = str(place.folder / f"after {name}")
        ran = place.run(*job, "--after", f"{earlier}.private")
        assert (ran.code, names(ran.err, "--after '--unit unknown'")) == (code, code == 2), ran.err
        ran = place.run("risk", f"{earlier}.private/report.json", "--beside", str(earlier))
        assert (ran.code, names(ran.err, "--beside '--unit unknown'")) == (code, code == 2), ran.err


def test_a_file_read_in_two_ways_is_linked_by_ids(place: Place) -> None:
    """The same bytes read in two ways are different records."""
    twice = [("who", "codes "), *PEOPLE]  # a second header
    job = release(place, "first", twice, FIRST, "--header-line", "2")
    assert place.run(*job).code == 0
    ran = place.run(*release(place, "second", twice, FIRST, *after(place), "--skip-rows", "labels"))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "together 72 persons linked 0")


def test_an_existing_joint_release_is_skipped(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    job = release(place, "second", PEOPLE, SECOND, *after(place))
    assert place.run(*job).code == 0
    assert place.run(*job, "--if-exists", "resume").code == 0
    ran = place.run(*job[:-2], "--if-exists", "resume")
    assert (ran.code, names(ran.err, f"{place.folder / 'second'} after")) == (2, True)


@pytest.mark.parametrize(
    ("how", "code", "why"),
    [
        ("model", 2, "km transaction-k"),
        ("cluster", 2, "--cluster"),
        ("no ids", 2, "persons --unit"),
        ("smaller k", 1, "k 20"),
        ("changed", 2, "differs"),
        ("sets", 1, "item hierarchy"),
    ],
)
def test_an_unsupported_joint_guarantee_is_rejected(place: Place, how: str, code: int, why: str) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    job = release(place, "second", PEOPLE[1:], SECOND, *after(place), k=20 if how == "smaller k" else 9)
    if how == "model":
        job[job.index("apriori")] = "local-generalization"
        del job[job.index("--m") : job.index("--m") + 2]
    elif how == "cluster":
        job += ["--cluster", "local:1"]
    elif how == "no ids":
        job[job.index("--unit")] = "--drop"
        job += ["--unit", "row"]
    elif how == "changed":
        place.write("first/codebook.csv", "symbol,kind,members\n")
    elif how == "sets":
        job[job.index("apriori")] = "set-search"
    ran = place.run(*job)
    assert ran.code == code, ran.err
    assert names(ran.err, why)
    assert not (place.folder / "second").exists()
    assert "p01" not in ran.err


def test_a_release_that_violates_the_joint_guarantee_is_not_published(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    monkeypatch.setattr(joint_anonymity._CommonPersons, "rare", lambda *_, **__: iter(()))
    ran = place.run(*release(place, "second", PEOPLE, SECOND, *after(place)))
    assert (ran.code, (place.folder / "second").exists()) == (1, False)
    assert names(ran.err, "earlier release")


@pytest.mark.parametrize("searched", [True, False])
@pytest.mark.parametrize(("last", "linked"), [("Q1", "not linked"), ("P6", "even linked")])
def test_changed_records_do_not_count_as_matches_of_unchanged_records(
    place: Place, monkeypatch: pytest.MonkeyPatch, searched: bool, last: str, linked: str
) -> None:
    """P1 has the items a and i in both. P2 loses item a, so that the rows of P2 cannot have the same record."""
    before = [("P1", "a i"), ("P2", "a i"), ("P3", "a"), ("P4", "a"), ("P5", "z"), ("P6", "z")]
    now = [("P1", "a i"), ("P2", "i"), *before[2:5], (last, "z")]
    tree, options = "a,x,any\ni,x,any\nz,y,any\n", ("--m", "1", "--publish-as-is", "codes")
    job = [*release(place, "first", before, tree, k=2), *options]
    second = [*release(place, "second", now, tree, k=2), *options, *after(place)]
    for command in (job, second):
        del command[command.index("--m") : command.index("--m") + 2]
        command[command.index("apriori")] = "exact"
    assert place.run(*job).code == 0
    if not searched:
        monkeypatch.setattr(joint_anonymity._CommonPersons, "rare", lambda *_, **__: iter(()))
    ran = place.run(*second)
    published = place.folder / "second" / "published.csv"
    assert (ran.code, published.exists()) == ((0, True) if searched else (1, False)), ran.err
    if searched:
        assert names(" ".join(ran.out.split()), f"together {linked} 1")
        assert published.read_text().split() == ["codes", *"xxxxzz"]


def test_names_of_the_unit_may_contain_commas(place: Place) -> None:
    def job(name: str, people: list[tuple[str, str]], *more: str) -> list[str]:
        rows = "".join(f'"{who}, M",{codes}\n' for who, codes in people)
        data = place.write(f"{name}.csv", f'"Name, Vorname",codes\n{rows}')
        tree, out = place.write("tree.csv", FIRST), str(place.folder / name)
        return ["anonymize", data, "--items", "codes", "--hierarchy", f"codes={tree}", "--k", "9", "--m", "2",
                "--algorithm", "apriori", "-o", out, *more]  # fmt: skip

    unit = "--unit", "Name, Vorname"
    assert place.run(*job("first", PEOPLE, *unit)).code == 0
    ran = place.run(*job("second", PEOPLE[1:], *unit, *after(place)))
    assert (ran.code, names(" ".join(ran.out.split()), "together 71 persons")) == (0, True), ran.err
    assert place.run(*job("rows", PEOPLE, "--unit", "row", "--drop", "Name, Vorname")).code == 0
    ran = place.run("risk", str(place.folder / "rows"), "--original", str(place.folder / "rows.csv"), *unit)
    assert ran.code == 0, ran.err
