"""The facts that a data protection officer looks for are in the report, in their sections."""

import hashlib
import html
import random
import re
from pathlib import Path

import pytest

from anonset.analysis.summary import column_detail
from anonset.data import CategoricalColumn
from anonset.publications.symbols import members_of
from cli.place import Place

pytestmark = pytest.mark.compiled


TYPED = {
    "owner": "Hospital <b>of</b> 2 towns",
    "purpose": "a study & a thesis",
    "recipient": "University",
    "legal_basis": "§ 75",
    "retention": "until 2030",
    "access": "data use contract 17",
}


def typed_options() -> list[str]:
    return [part for name, text in TYPED.items() for part in (f"--{name.replace('_', '-')}", text)]


def text_of_section(page: str, heading: str) -> str:
    """Return the text of a section, without tags, to the next heading of the same level."""
    section = page.partition(f"<h2>{heading}</h2>")[2].partition("<h2>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", section)))


@pytest.fixture
def signed(place: Place) -> str:
    """An internal report on data with two rows per person, conflicting values, a row without an id, and a sensitive
    item.
    """
    rows = [f"P{n // 2},{20 + n // 2 % 40},{'fm'[n == 3]},a{n % 5} {'hiv' if n % 10 == 0 else 'b'}" for n in range(160)]
    data = place.write("rows.csv", "\n".join(["pid,age,sex,codes", *rows, ",30,f,a1"]) + "\n")
    roles = ["--unit", "pid", "--skip-rows", "no-id", "--differing", "first", "--items", "codes", "--separator", " "]
    columns = ["--relational", "age", "--hierarchy", "age=range", "--hierarchy", "codes=halves:frequency"]
    columns += ["--keep", "sex", "--publish-as-is", "sex"]
    guarantee = ["--model", "klm", "--k", "4", "--m", "1", "--l", "2", "--sensitive-items", "hiv", "--delta", "0.5"]
    ran = place.run("anonymize", data, *roles, *columns, *guarantee, "-o", str(place.out))
    assert ran.code == 0, ran.err
    path = place.folder / "signed.html"
    ran = place.run("report", str(place.private / "report.json"), "-o", str(path), *typed_options())
    assert ran.code == 0, ran.err
    return path.read_text()


FACTS = {
    "the guarantee was verified, and by whom": (
        "Conclusion",
        r"Someone who knows .* finds at least 4 .* A checker that uses no code of .* verified this .*k=4",
    ),
    "the outcome of the attacks": (
        "Conclusion",
        r"1 of \d+ simulated attacks succeeds; the most successful is .* \(.*[\d.]+%.* needed .*%\)",
    ),
    "the most important limit": ("Conclusion", r"Most important limit: Someone who knows more"),
    "the owner": ("Statements of the owner", r"Owner “?Hospital <b>of</b> 2 towns"),
    "the purpose": ("Statements of the owner", r"Purpose “?a study & a thesis"),
    "the recipient": ("Statements of the owner", r"Recipient “?University"),
    "the legal basis": ("Statements of the owner", r"Legal basis “?§ 75"),
    "how long the data are kept": ("Statements of the owner", r"Retention “?until 2030"),
    "release to the public or under contract": ("Statements of the owner", r"under contract “?data use contract 17"),
    "who declared what a person is": (
        "Persons and records",
        r"The owner declared that each pid is a person: 80 persons",
    ),
    "how rows became records": ("Persons and records", r"161 source rows became 80 records"),
    "skipped rows": ("Persons and records", r"Skipped rows skipped rows without an id: 1"),
    "repeated and conflicting rows": (
        "Persons and records",
        r"80 rows merged .*first of several values: sex of 1 person",
    ),
    "sensitive items that are published": ("Sensitive data", r"hiv published by name in 16 records"),
    "a verdict for each attack": (
        "Simulated attacks",
        r"(succeeds|within the guarantee): [\d.]+% against [\d.]+% by chance",
    ),
    "the limits": ("Not covered", r"Someone who knows more .* \d+ further limits"),
    "what the checker examined": (
        "Guarantee",
        r"examined single items rows \d+",
    ),
    "what changed in the data": ("Lost detail", r"generalized [\d.]+% \(\d+\).*suppressed"),
}
"""Facts that an officer asks for: the section of the report, and a pattern of its text."""


@pytest.mark.long
def test_an_officer_finds_each_fact_in_its_section(signed: str) -> None:
    texts = {section: text_of_section(signed, section) for section, _ in FACTS.values()}
    missing = {fact: texts[section] for fact, (section, pattern) in FACTS.items()
               if not re.search(pattern, texts[section])}  # fmt: skip
    assert not missing


SHOWN_AT_ONCE = {
    "how rows became records": r"161 source rows became 80 records",
    "who declared what a person is": r"The owner declared that each pid is a person: 80 persons",
    "the guarantee in words": r"Someone who knows .* finds at least 4 matching records",
    "who verified the guarantee": r"A checker that uses no code of the algorithms verified",
    "sensitive items that are published": r"hiv: published by name in 16 records",
    "the risk in the original, as read and in the publication": r"unique, .* 0\.0% in the original, 0\.0% in the publ",
    "lost detail": r"item occurrences: [\d.]+% kept",
}
"""Facts that the conclusion and the contents state."""


@pytest.mark.long
def test_conclusion_and_contents_state_the_most_important_facts(signed: str) -> None:
    first = html.unescape(re.sub(r"<[^>]+>", " ", signed.partition("<main>")[2].partition("</nav>")[0]))
    assert not {fact for fact, pattern in SHOWN_AT_ONCE.items() if not re.search(pattern, first)}, first


def test_the_conclusion_has_a_sentence_per_line_and_the_columns_and_does_not_call_data_anonymous(signed: str) -> None:
    conclusion = signed.partition("<h2>Conclusion</h2>")[2].partition("</ol>")[0]
    sentences = re.findall(r"<li>(.*?)</li>", conclusion)
    *sentences, columns = sentences
    assert len(sentences) == 6
    assert all(re.search(r"\.$", sentence) and not re.search(r"\. [A-Z]", sentence) for sentence in sentences)
    assert columns == "Published columns: codes, age, sex. Not published: pid."
    signature, figures = (signed.index(f'id="{anchor}"') for anchor in ("sign", "persons"))
    assert signature < figures
    assert "anonymous" not in conclusion.lower()


@pytest.mark.long
def test_the_three_most_important_limits_come_first(signed: str) -> None:
    limits = signed.partition("<h2>Not covered</h2>")[2].partition("<h2>")[0]
    shown, folded = limits.split("<details>")
    assert shown.count("<li>") == 3
    assert folded.count("<li>") > 5
    assert not {*re.findall("<li>(.*?)</li>", shown)} & {*re.findall("<li>(.*?)</li>", folded)}


@pytest.mark.long
def test_statements_of_the_owner_are_escaped_and_marked(signed: str) -> None:
    section = signed.partition("<h2>Statements of the owner</h2>")[2].partition("<h2>")[0]
    assert "typed these statements" in section
    assert [html.unescape(text) for text in re.findall("<q>(.*?)</q>", section)] == [*TYPED.values()]
    assert "<b>" not in section


@pytest.mark.long
def test_rows_are_not_called_persons_if_nobody_declared_persons(place: Place) -> None:
    data = place.write("rows.csv", "age,codes\n" + "".join(f"{20 + n % 30},a{n % 4} b\n" for n in range(120)))
    roles = [
        "--unit",
        "unknown",
        "--items",
        "codes",
        "--separator",
        " ",
        "--relational",
        "age",
        "--hierarchy",
        "age=range",
    ]
    ran = place.run(
        "anonymize", data, *roles, "--model", "kkm", "--k", "4", "--m", "1", "-o", str(place.out), "--quiet"
    )
    assert ran.code == 0, ran.err
    path = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(path)).code == 0
    page = path.read_text()
    assert "No person is declared" in text_of_section(page, "Persons and records")
    text = html.unescape(re.sub(r"<[^>]+>", " ", page.partition("</style>")[2]))
    assert not re.findall(r"\d persons?\b", text)
    heads = re.findall(r'<th scope="col">(.*?)</th>', page)
    assert "rows" in heads
    assert not [head for head in heads if "person" in head and head != "attacker knows"]


def test_a_report_on_linked_tables_names_every_column_that_is_not_published(place: Place) -> None:
    draw = random.Random(3)
    place.write("people.csv", "pid,sex,note\n" + "".join(f"{n},{'fm'[n % 2]},x{n}\n" for n in range(40)))
    stays = "".join(f"s{n},{n % 40},w{n % 3}\n" for n in range(80))
    place.write("stays.csv", f"stay,pid,ward\n{stays}s80,99,w1\n")
    codes = [f"s{n},{code},{n}\n" for n in range(80) for code in draw.sample("abcdef", 2)]
    place.write("codes.csv", "stay,code,day\n" + "".join(codes) + "s80,a,1\n")
    tables = {
        "people": 'input = "people.csv"\nrelational = ["sex"]\ndrop = ["note"]',
        "stays": 'input = "stays.csv"',
        "codes": 'input = "codes.csv"\nkey = "stay"\nin = "stays"\nitems = "code"',
    }
    fixed = f'out = "{place.out}"\nunit = "pid"\nmodel = "kkm"\nk = 3\nm = 1\nskip_rows = ["undescribed"]\n'
    rules = '[hierarchy]\n"people.sex" = "values"\n"codes.code" = "balanced:3"\n'
    job = place.write(
        "job.toml", fixed + "".join(f"[tables.{name}]\n{text}\n" for name, text in tables.items()) + rules
    )
    ran = place.run("anonymize", job, "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    text = text_of_section(page.read_text(), "Conclusion")
    assert text.endswith("Not published: pid, people.note, codes.stay, codes.day, stays.stay, stays.ward. ")
    assert f" {40 + 161 + 81} source rows in 3 tables became 40 records" in page_text(page)
    joined = "people: 40 rows, joined by pid; codes: 161 rows, joined by stay in stays; stays: 81 rows, joined by pid"
    assert f"Source tables {joined}" in page_text(page)
    for name in ("people", "codes", "stays"):
        digest = hashlib.sha256((place.folder / f"{name}.csv").read_bytes()).hexdigest()
        assert f"table {name} of the input SHA-256 {digest}" in page_text(page)
    assert re.search(r"Rows joined \d+ rows of 3 tables are one record per pid", page_text(page))
    forms = {"a": [str(place.private / "report.json")], "b": [str(place.out)], "c": [str(place.out), "--shareable"]}
    for name, of in forms.items():
        for typed, told in (("2", "it left out 6 columns"), ("6 columns", ""), ("pid, stays.ward", "")):
            path = place.folder / f"{name}{typed}.html"
            ran = place.run("report", *of, "--not-published", typed, "-o", str(path))
            assert (ran.code, told in ran.err) == (2 if told else 0, True), ran.err
    (place.folder / "stays.csv").unlink()
    path = place.folder / "unknown.html"
    assert place.run("report", str(place.out), "--shareable", "--not-published", "2", "-o", str(path)).code == 0


@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_a_report_on_linked_tables_counts_the_persons_without_rows_of_each_table(place: Place, more: list[str]) -> None:
    place.write("people.csv", "".join(["pid,sex\n", *(f"p{n},{'mf'[n % 2]}\n" for n in range(40))]))
    rows = {"codes": [f"p{n % 30},{'ab'[n % 2]}\n" for n in range(90)], "drugs": [f"p{n},x\n" for n in range(12)]}
    for name, of_table in rows.items():
        place.write(f"{name}.csv", "".join(["pid,item\n", *of_table]))
    text = f'out = "{place.out}"\nunit = "pid"\nmodel = "kkm"\nk = 3\nm = 1\n'
    text += '[tables.people]\ninput = "people.csv"\nrelational = ["sex"]\n'
    text += "".join(f'[tables.{name}]\ninput = "{name}.csv"\nitems = "item"\n' for name in rows)
    text += '[hierarchy]\n"people.sex" = "values"\n"codes.item" = "balanced:3"\n"drugs.item" = "balanced:3"\n'
    assert place.run("anonymize", place.write("job.toml", text), "--quiet").code == 0
    page, of = place.folder / "page.html", place.out if more else place.private / "report.json"
    assert place.run("report", str(of), *more, "-o", str(page)).code == 0
    missing = {name: 40 - len({row.partition(",")[0] for row in of_table}) for name, of_table in rows.items()}
    stated = "; ".join(f"{name}.item: {n}" for name, n in missing.items())
    section = text_of_section(page.read_text(), "Persons and records")
    why = "suppressed, or without items in the input" if more else "the input has none for them"
    assert f"Records without items {stated} (of 40): {why}" in section
    assert (
        "Published tables people, codes and drugs, joined by the column record, so recipients see all rows" in section
    )


def report_of(place: Place, rows: list[str], *options: str) -> str:
    """Publish rows, and return the text of the internal report."""
    data = place.write("data.csv", "\n".join(rows) + "\n")
    ran = place.run("anonymize", data, *options, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    return html.unescape(page_text(page))


def test_a_report_on_buckets_states_the_bound_and_no_generalized_columns(place: Place) -> None:
    rows = ["who,ill", *(f"p{n // 2},{'abcd'[n % 4]}" for n in range(80))]
    text = report_of(place, rows, "--id", "who", "--sensitive", "ill", "--model", "anatomy", "--l", "3")
    assert re.search(r"finds the group of the row\. At most 1/3 of the rows .* files: anatomy with l=3\.", text)
    assert "eneralized columns" not in text
    assert "Rare values none: at least 5 records have each published value" in text
    assert "the data contradict" not in text


def test_a_report_on_chunks_states_that_rare_items_are_terms(place: Place) -> None:
    rows = ["codes", *(" ".join(["a", "bc"[n % 2], *(["rare"] if n < 2 else [])]) for n in range(40))]
    made = [
        "--unit",
        "row",
        "--items",
        "codes",
        "--separator",
        " ",
        "--model",
        "disassociation",
        "--k",
        "3",
        "--m",
        "2",
    ]
    text = report_of(place, rows, *made)
    assert "rare (2) only as terms, or not Fewer than 3 records have these values. Generalized" not in text
    assert "rare (2) only as terms, or not Fewer than 3 records have these values." in text
    assert "No simulated attack succeeds (1 tried); the best is inference of other items (" in text


def test_a_report_on_attributes_speaks_of_no_items_and_generalizes_no_kept_column(place: Place) -> None:
    rows = ["age,sex", *(f"{20 + n % 30},{'fm'[n % 2]}" for n in range(120))]
    made = ["--unit", "row", "--relational", "age,sex", "--hierarchy", "age=range", "--model", "k", "--k", "6"]
    text = report_of(place, rows, *made)
    risk = text.partition("Risk before and after Share")[2].partition("Simulated attacks")[0]
    assert risk
    assert "identifying" not in risk
    assert "sex quasi-identifier none needed" in text


def test_the_rows_of_skipped_persons_are_a_share_of_all_rows_and_are_not_merged(place: Place) -> None:
    place.write("people.csv", "".join(["pid,sex\n", *(f"p{n},{'mf'[n % 2]}\n" for n in range(40))]))
    place.write("codes.csv", "".join(["pid,code\n", *(f"p{n % 50},{'ab'[n % 2]}\n" for n in range(160))]))
    text = f'out = "{place.out}"\nunit = "pid"\nmodel = "kkm"\nk = 3\nm = 1\nskip_rows = ["undescribed"]\n'
    text += '[tables.people]\ninput = "people.csv"\nrelational = ["sex"]\n[tables.codes]\ninput = "codes.csv"\n'
    text += 'items = "code"\n[hierarchy]\n"people.sex" = "values"\n"codes.code" = "balanced:3"\n'
    ran = place.run("anonymize", place.write("job.toml", text), "--quiet")
    assert ran.code == 0, ran.err
    page = place.folder / "page.html"
    told = place.run("report", str(place.private / "report.json"), "-o", str(page), "--json").json["doubts"]
    skipped = (  # 10 persons with 3 rows each
        "Skipped persons whom no row describes: 10, with 30 rows, 15.0% of all rows. They are not in the publication."
    )
    assert [one for one in told if "Skipped" in one] == [skipped]
    shown = page_text(page)
    assert "200 source rows in 2 tables became 40 records; 30 (15.0%) became none; 40 published." in shown
    assert "Rows joined 170 rows of 2 tables are one record per pid" in shown


def test_masked_postcodes_are_described_by_the_characters_that_are_kept() -> None:
    published = CategoricalColumn.of("zip", ["101**", "102**", "8****", "10115"])
    shown = column_detail(published, alone(published), {"10115", "10117", "10243", "80331"})
    assert str(shown) == (
        "coarsened: 3 beginnings of length 1 to 3 (median 3) (75.0% of the records); "
        "1 value, 10115 (25.0% of the records)"
    )
    assert shown.short == "coarsened to beginnings of length 1 to 3 (median 3), some values kept"


def alone(column: CategoricalColumn) -> list[tuple[str, ...]]:
    return [(label,) for label in column.vocabulary.labels]


@pytest.mark.parametrize("known", [None, {"f", "m", "20", "20249", "90210", "a", "b", "c"}])
@pytest.mark.parametrize(("labels", "lost"), [
    (["1950s", "1960s", "1960s", "*"], True),
    (["f", "m", "m", "*"], True),
    (["[10:90]", "[10:40]", "[41:90]", "20"], True),
    (["[10:89]", "[10:40]", "[41:90]", "20"], False),
    (["[10:90]", "20", "90", "old"], False),
    (["20249", "202**", "201**", "2****"], True),
    (["90210", "202**", "201**", "2****"], False),
    (["(a,b,c)", "(a,b)", "c", "c"], True),
    (["(a,b)", "(b,c)", "c", "c"], False),
])  # fmt: skip
def test_a_line_states_for_how_many_records_the_value_of_a_column_is_lost(
    labels: list[str], lost: bool, known: set[str] | None
) -> None:
    """The publication alone shows which label covers all values."""
    column = CategoricalColumn.of("column", labels)
    found = column_detail(column, [members_of(label) or (label,) for label in column.vocabulary.labels], known)
    for text in (found.short, str(found)):
        assert ("lost for 25.0% of the records" in text) == lost, text


@pytest.mark.parametrize("form", ["internal", "shareable"])
def test_both_reports_state_for_how_many_records_a_value_is_lost(place: Place, form: str) -> None:
    years = [1930, 2006, *(year for year in range(1950, 1954) for _ in range(8))]
    rows = [f"{year},{'ab'[year % 2] if year in range(1950, 1954) else 'c'}" for year in years]
    data = place.write("rows.csv", "\n".join(["year,town", *rows]) + "\n")
    tree = place.write("towns.csv", "a,*\nb,*\nc,*\n")
    roles = ["--unit", "row", "--relational", "year,town", "--hierarchy", "year=range", "--hierarchy", f"town={tree}"]
    made = [*roles, "--model", "k", "--k", "2", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    page, of = place.folder / "page.html", ["--shareable"] if form == "shareable" else []
    report = str(place.out if of else place.private / "report.json")
    assert place.run("report", report, *of, "-o", str(page)).code == 0
    published = (place.out / "published.csv").read_text()
    share = f"{published.count('[') / len(rows):.1%}"
    contents = html.unescape(page.read_text().partition("<nav")[2].partition("</nav>")[0])
    assert re.search(rf"year: [^:;]*, lost for {share} of the records", contents), contents
    assert f"lost for {share} of the records" in text_of_section(page.read_text(), "Lost detail")


def test_sizes_of_sets_are_stated_from_the_smallest_to_the_largest() -> None:
    """Most sets are small, but most records have the largest."""
    sets = [("a", "b"), ("c", "d", "e"), tuple("fghijklmno")]
    column = CategoricalColumn.of("zip", [f"({','.join(sets[min(n, 2)])})" for n in range(9)])
    shown = column_detail(column, [members_of(label) for label in column.vocabulary.labels], ())
    assert shown.short == "coarsened to sets of 2 to 10 (median 10) values"


def test_the_shortest_beginning_is_stated() -> None:
    column = CategoricalColumn.of("zip", ["101**", "102**", "8****"])
    assert column_detail(column, alone(column), None).short == ("coarsened to beginnings of length 1 to 3 (median 3)")


def page_text(page: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text()))


@pytest.mark.parametrize("form", ["internal", "shareable"])
def test_a_line_states_what_happened_to_each_column_and_what_recipients_can_count(place: Place, form: str) -> None:
    rows = [f"{20 + n % 47},{'fm'[n % 2]},{['Bonn', 'Ulm', 'Rom', 'Bari'][n % 4]},x{n},a{n % 5}" for n in range(800)]
    data = place.write("rows.csv", "\n".join(["age,sex,town,note,codes", *rows]) + "\n")
    tree = place.write("towns.csv", "Bonn,DE,*\nUlm,DE,*\nRom,IT,*\nBari,IT,*\n")
    roles = ["--unit", "row", "--relational", "age,sex,town", "--items", "codes", "--drop", "note"]
    trees = ["--hierarchy", "age=range", "--hierarchy", f"town={tree}", "--hierarchy", "codes=balanced:3"]
    made = [*roles, *trees, "--model", "kkm", "--k", "5", "--m", "1", "-o", str(place.out), "--quiet"]
    assert place.run("anonymize", data, *made).code == 0
    page, of = place.folder / "page.html", ["--shareable"] if form == "shareable" else []
    report = str(place.out if of else place.private / "report.json")
    assert place.run("report", report, *of, "-o", str(page)).code == 0
    lost = text_of_section(page.read_text(), "Lost detail")
    fate = "kept: 2 values, f and m" if form == "internal" else "2 labels, f and m"
    assert (
        f"sex {fate} (100.0% of the records) the records of each {'value' if form == 'internal' else 'label'}" in lost
    )
    assert re.search(
        r"age coarsened: \d+ ranges? of width \d+( to \d+ \(median \d+\))? \(\d+\.\d% of the records\)", lost
    )
    assert re.search(r"codes (\d+\.\d% of the published occurrences are single items|every published item is)", lost)


def test_named_groups_are_told_from_values_if_the_original_is_available() -> None:
    published = CategoricalColumn.of("town", ["DE", "DE", "Rom", "(Ulm,Rom)"])
    members = [("Ulm", "Rom") if "," in label else (label,) for label in published.vocabulary.labels]
    known = column_detail(published, members, {"Bonn", "Ulm", "Rom"})
    forms = {"1 named group, DE (50.0% of the records)", "1 value, Rom (25.0% of the records)",
             "1 set of 2 values (25.0% of the records)"}  # fmt: skip
    assert {*str(known).removeprefix("coarsened: ").split("; ")} == forms
    assert known.short.startswith("coarsened to 1 named group, DE")
    assert known.short.endswith("some values kept")
    unknown = column_detail(published, members, None)
    assert "2 labels, DE and Rom (75.0% of the records)" in str(unknown)
    kept = column_detail(CategoricalColumn.of("sex", "ffmm"), ["f", "m"], {"f", "m"})
    assert (str(kept), kept.short, kept.countable) == (
        "kept: 2 values, f and m (100.0% of the records)", "kept", "the records of each value"
    )  # fmt: skip
    lost = column_detail(CategoricalColumn.of("sex", "**"), ["*"], {"f", "m"})
    assert (lost.short, lost.countable) == ("lost", "nothing")
