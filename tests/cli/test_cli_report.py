"""``anonset report`` writes an internal page, and a shareable page without private information."""

import csv
import html
import json
import re
import shutil
import stat
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from tests.facts import names

from anonset.privacy import (
    Coherence,
    DisassociationModel,
    KAnonymity,
    KLDiversity,
    KLmDiversity,
    KmAnonymity,
    KTCloseness,
    LmDiversity,
    PrivacyModel,
    RhoUncertainty,
    SafetyConstraint,
)
from anonset.report.conclusion import questions
from anonset.report.drawings import bars
from cli.place import Place

pytestmark = pytest.mark.compiled

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WARD = "secret_id,age,nurse,codes\n" + "".join(
    f"Q{7000 + n},{20 + n * 7 % 50},Zoe{n % 9},{' '.join(sorted({f'x{n * s % 9}' for s in range(1, 2 + n % 4)}))}\n"
    for n in range(80)
)


@pytest.fixture
def ward(place: Place) -> Place:
    data = place.write("ward_hidden.csv", WARD)
    roles = [
        "--items",
        "codes",
        "--relational",
        "age",
        "--hierarchy",
        "age=range",
        "--unit",
        "secret_id",
        "--drop",
        "nurse",
    ]
    guarantee = ["--model", "kkm", "--algorithm", "rfirst", "--transaction", "coat", "--k", "4", "--m", "2"]
    ran = place.run("anonymize", data, *roles, *guarantee, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    return place


def page_of(ward: Place, *more: str, name: str = "page.html") -> str:
    path = ward.folder / name
    ran = ward.run("report", str(ward.private / "report.json"), "-o", str(path), *more)
    assert ran.code == 0, ran.err
    return path.read_text()


@pytest.mark.long
def test_the_internal_page_contains_all_sections(ward: Place) -> None:
    page = page_of(ward, "--recipient", "The <university>")
    for text in ("The &lt;university&gt;", "Internal", "secret_id", "nurse", "ward_hidden.csv", "at most 1/4",
                 "before and after", "Simulated attack", "Signature", "SHA-256",
                 "Item occurrences"):  # fmt: skip
        assert text in page
    limits = page.partition("Not covered</h2>")[2].partition("<h2>")[0]
    assert limits.count("<li>") > 5  # separate items, not one paragraph
    assert stat.S_IMODE((ward.folder / "page.html").stat().st_mode) == 0o600
    assert ward.run("verify", str(ward.out)).code == 0


@pytest.mark.long
def test_pages_make_no_excessive_claims_and_load_no_external_resources(ward: Place) -> None:
    for more in ([], ["--shareable"]):
        page = page_of(ward, *more, name=f"page{len(more)}.html")
        assert not re.search(r"\b(anonymous|compliant|anonymised|anonymized)\b", page, re.IGNORECASE)
        assert not re.search(r"<script|<link|<img|<iframe|\son\w+=|https?://|url\((?!#hatch)|@import|src=", page)
        assert not re.search(r'href=(?!"#)', page)
        assert "default-src 'none'" in page


def private_words(ward: Place) -> set[str]:
    """Return texts that only the private report contains: values, names, digests, exact figures."""
    report = json.loads((ward.private / "report.json").read_text())
    attested = json.loads((ward.out / "attestation.json").read_text())
    known = set(re.findall(r"[\w.]+", json.dumps(attested))) | {report["attestation_sha256"]}
    result = {"secret_id", "nurse", "ward_hidden", "rfirst", "coat", str(ward.folder), "report.json"}
    result |= {digest for digest in re.findall(r"[0-9a-f]{64}", json.dumps(report)) if digest not in known}
    result |= {repr(value) for value in report["measures"].values()}
    result |= {f"{value:.{digits}f}" for value in report["measures"].values() for digits in (3, 4, 6)}
    result |= {str(count) for part in report["retention"].values() for count in part.values() if count > 100}
    result |= {
        f"{count / sum(part.values()):.1%}" for part in report["retention"].values() for count in part.values() if count
    }
    result -= {"0.0", "1.0", "0.000", "1.000", "0.0000", "1.0000", "0.000000", "1.000000", "0.0%", "100.0%"}
    result |= {version for name, version in report["versions"].items() if name not in ("python", "anonset")}
    return result | {line.split(",")[0] for line in WARD.splitlines()[1:]} | {f"Zoe{n}" for n in range(9)}


@pytest.mark.long
def test_the_shareable_page_contains_no_private_information(ward: Place) -> None:
    page = page_of(ward, "--shareable", "--purpose", "research")
    dated = page_of(ward, "--shareable", "--date", "May <2>", name="dated.html")
    assert dict(cells_below(dated, "Origin"))["date of the release"] == "May <2>"
    assert "May <2>" not in dated
    text = html.unescape(page)
    attributes = " ".join(re.findall(r'="([^"]*)"', text))
    result = [
        w for w in private_words(ward) if re.search(rf"(?<![\w.]){re.escape(w)}(?![\w.])", f"{text} {attributes}")
    ]
    assert result == []
    assert names(text, "shared data")
    assert "research" in text
    origin = dict(cells_below(page, "Origin"))
    assert origin["date of the release"] == '<span class="fill"></span>'
    assert origin["seed"] == "stated only in the internal report"
    internal = html.unescape(page_of(ward, name="internal.html"))
    assert sum(bool(re.search(rf"(?<![\w.]){re.escape(w)}(?![\w.])", internal)) for w in private_words(ward)) > 8


def cells_below(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, by row."""
    _, _, below = page.partition(re.search(rf"<h[23]>{re.escape(heading)}", page)[0])  # type: ignore[index]
    table = below.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in table.split("</tr>")[:-1]
    ]


@pytest.mark.long
@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_the_contents_lead_to_every_section(ward: Place, more: list[str]) -> None:
    page = page_of(ward, *more) if not more else page_of_out(ward, *more)
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings.pop(0) == "Check first"
    assert headings[:2] == ["Conclusion", "Contents"]
    contents = page.partition("<nav")[2].partition("</nav>")[0]
    linked = re.findall(r'<a href="#(.*?)">(.*?)</a>', contents)
    assert [name for _, name in linked] == headings[2:]
    assert [anchor for anchor, _ in linked] == re.findall(r'<section id="(.*?)">', page)
    assert ("Risk before and after" in headings) == (not more)
    assert ('<a href="#sign">' in page, page.count('id="sign"')) == (True, 1)
    assert page.count('class="fill"') == 9 + 4 * bool(more)  # statements of the owner are filled in by hand
    assert "none is stated" in contents


@pytest.mark.long
@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_example_rows_name_the_members_of_each_symbol(ward: Place, more: list[str]) -> None:
    page = page_of(ward, *more) if not more else page_of_out(ward, *more)
    published = [
        [row[0], "; ".join(in_words(symbol) for symbol in row[1].split(" "))]
        for row in csv.reader((ward.out / "published.csv").read_text().splitlines())
    ]
    rows = cells_below(page, "Published data")
    shown = [published.index([re.sub("<.*?>", "", cell) for cell in row]) for row in rows]
    assert len(shown) == 5
    assert max(shown) > 10  # random rows, and not the first ones of the sorted file
    abridged = re.findall(r'<span title="(.*?)">(.*?) or (\d+) more</span>', "".join(map("".join, rows)))
    assert abridged
    for title, named, others in abridged:
        members = re.split(", | or ", title)
        assert (members[:3], len(members) - 3) == (named.split(", "), int(others))
    for term in ("codebook.csv in the published directory lists the members of each symbol", "WP 216"):
        assert term in page


def in_words(symbol: str) -> str:
    """Return the members of a symbol such as ``(a,b)``: at most three, and the number of the others."""
    members = symbol.strip("()").split(",")
    others = [f"{len(members) - 3} more"] if len(members) > 3 else []
    return " or ".join(filter(None, (", ".join(members[:3] if others else members[:-1]), *(others or members[-1:]))))


@pytest.mark.long
def test_figures_and_protection_are_in_their_sections(ward: Place) -> None:
    page = page_of(ward)
    assert [row[0] for row in cells_below(page, "Guarantee")] == ["Protected", "Not protected"]
    figures = {row[0]: row[1:] for row in cells_below(page, "What recipients can count")}
    assert figures["Records"][0] == "80"
    assert [row[0] for row in cells_below(page, "Verification")][:2] == ["examined", "rows"]
    before, _, after = page.partition("<h2>Contents</h2>")
    assert re.search(r"k = 4: Minimum .* m = 2: Maximum .*Check first", before, re.DOTALL)
    assert "Maximum number of items that the attacker" not in after


@pytest.mark.long
@pytest.mark.parametrize("more", [[], ["--shareable"]], ids=["internal", "shareable"])
def test_no_report_states_a_command_option(ward: Place, more: list[str]) -> None:
    for page in (page_of(ward), page_of_out(ward, *more)):
        text = re.sub(r"<[^>]+>", " ", page.partition("</style>")[2])
        assert not re.findall(r"(?<![\w-])--[a-z]\w*", text)


@pytest.mark.long
def test_counts_of_single_item_symbols_are_not_called_exact(ward: Place) -> None:
    """In another cluster the same item is in a group, so more records contain it."""
    shutil.rmtree(ward.out)
    shutil.rmtree(ward.private)
    roles = ["--items", "codes", "--relational", "age", "--hierarchy", "age=range", "--hierarchy", "codes=balanced:3"]
    how = [
        "--model",
        "kkm",
        "--algorithm",
        "rum-bound",
        "--k",
        "3",
        "--m",
        "1",
        "--delta",
        "0.4",
        "--drop",
        "nurse,secret_id",
        "--unit",
        "row",
        "--publish-as-is",
        "age",
        "--quiet",
    ]
    ran = ward.run("anonymize", str(ward.folder / "ward_hidden.csv"), "-o", str(ward.out), *roles, *how)
    assert ran.code == 0, ran.err
    (reported,) = [row for row in cells_below(page_of_out(ward, "--shareable"), "Each column")
               if row[0] == "codes"]  # fmt: skip
    assert names(reported[2], "lower bound")
    shown, original = (
        Counter(code for row in csv.DictReader(path.read_text().splitlines()) for code in row["codes"].split())
        for path in (ward.out / "published.csv", ward.folder / "ward_hidden.csv")
    )
    both = shown.keys() & original.keys()
    assert all(shown[code] <= original[code] for code in both)
    assert any(shown[code] < original[code] for code in both)


def page_of_out(ward: Place, *more: str) -> str:
    path = ward.folder / "public.html"
    ran = ward.run("report", str(ward.out), "-o", str(path), *more)
    assert ran.code == 0, ran.err
    return path.read_text()


@pytest.mark.long
def test_every_risk_is_shown_before_and_after(ward: Place) -> None:
    page = page_of(ward)
    rows = cells_below(page, "Re-identification risk by attacker knowledge")
    assert len(rows) == 9  # all quasi-identifiers, 1 to 4 items, and both
    assert all(cell.count("→") == 1 for row in rows for cell in row[2:])
    drawings = page.partition("<h3>Distribution of the number of matching records</h3>")
    for drawing, bars_of in ((drawings[0], 10), (drawings[2], 5)):  # the first also shows complete sets
        alone = re.findall(r"([\d.]+%) (before|after)<", drawing)
        assert [when for _, when in alone] == ["before", "after"] * bars_of
    figures = {row[0]: row[1:] for row in cells_below(page, "What recipients can count")}
    assert {name for name, (_, off) in figures.items() if "before: " in off} == {
        "Frequent items", "Frequent pairs of items",
    }  # fmt: skip


@pytest.mark.long
def test_risks_before_are_computed_from_the_original(ward: Place) -> None:
    """The figures before anonymization match the ages of the ward, counted by hand."""
    ages = [line.split(",")[1] for line in WARD.splitlines()[1:]]
    rows = cells_below(page_of(ward), "Re-identification risk by attacker knowledge")
    known = {row[0]: row[2:] for row in rows}["all quasi-identifiers"]
    least, mean = min(map(ages.count, ages)), sum(map(ages.count, ages)) / len(ages)
    assert known[0].startswith(f"{least} → ")
    assert known[1].startswith(f"{mean:,.1f} → ")


def test_without_the_original_the_page_explains_how_to_add_it(ward: Place) -> None:
    page = page_of_out(ward)
    assert names(page, "original available before shown")
    assert "→" not in page


def test_without_private_directory_and_original(ward: Place) -> None:
    shutil.rmtree(ward.private)
    path = ward.folder / "page.html"
    assert ward.run("report", str(ward.out), "-o", str(path), "--shareable").code == 0
    assert "Risk before" not in path.read_text()
    ran = ward.run("report", str(ward.out), "-o", str(ward.folder / "other.html"))
    assert (ran.code, names(ran.err, "--shareable")) == (2, True)


def test_a_page_is_never_written_into_the_publication_or_over_a_file(ward: Place) -> None:
    ran = ward.run("report", str(ward.out), "-o", str(ward.out / "page.html"))
    assert (ran.code, names(ran.err, f"{ward.out}")) == (2, True)
    ran = ward.run("report", str(ward.out), "-o", ward.write("page.html", "x"))
    assert (ran.code, names(ran.err, "page.html")) == (2, True)


@pytest.mark.long
def test_the_internal_page_plots_losses_of_other_weights(place: Place) -> None:
    lines = [f"{20 + n % 40},{'fm'[n % 2]},a{n % 4} b{n // 40}" for n in range(240)]
    rows = place.write("rows.csv", "age,sex,codes\n" + "\n".join(lines) + "\n")
    settings = 'items = ["codes"]\nrelational = ["age", "sex"]\nnumeric = ["age"]\nmodel = "kkm"\nk = 5\nm = 2\n'
    settings += 'unit = "row"\n'
    job = place.write("job.toml", f'input = "{rows}"\n{settings}')
    ran = place.run("anonymize", job, "--point", "attributes", "-o", str(place.out))
    assert ran.code == 0, ran.err
    assert "other balances" in ran.out
    report = json.loads((place.private / "report.json").read_text())
    assert len(report["frontier"]) > 1
    pages = [place.folder / "own.html", place.folder / "shared.html"]
    assert place.run("report", str(place.private / "report.json"), "-o", str(pages[0])).code == 0
    assert place.run("report", str(place.out), "-o", str(pages[1]), "--shareable").code == 0
    own, shared = (page.read_text() for page in pages)
    assert ("<polyline" in own, "<polyline" in shared) == (True, False)
    (line,) = re.findall(r'<polyline points="([^"]*)"', own)
    assert len(line.split()) == len(report["frontier"])
    label = re.search(r'<text x="46.0" y="([^"]*)"[^>]*>loss of the items', own)
    top = re.search(r'<path d="M40,(\d+) V', own)
    assert label is not None
    assert top is not None
    assert float(label[1]) < float(top[1])  # above the curve
    losses = {row[0]: row[1:] for row in cells_below(own, "Relational values")}
    assert len(losses) > 2
    for name, (value, meaning) in losses.items():
        assert len(name.split()) > 4, name
        assert not re.search("[A-Z]{2}", name + meaning), "an abbreviation"
        assert len(re.sub(r"^0\.0*|\.", "", value)) <= 2, (name, value)
        assert len(meaning) > 20, name


def test_a_shareable_page_states_no_guarantee_that_does_not_follow_from_the_model(ward: Place) -> None:
    path = ward.out / "attestation.json"
    attested = json.loads(path.read_text())
    path.write_text(json.dumps({**attested, "limits": ""}))
    ran = ward.run("report", str(ward.out), "-o", str(ward.folder / "page.html"), "--shareable")
    assert (ran.code, ran.err.count("\n"), (ward.folder / "page.html").exists()) == (2, 1, False)
    assert "limits" in ran.err


@pytest.mark.parametrize("model", [("anatomy", "--l", "2"), ("safe-grouping", "--k", "4", "--l", "2")])
def test_buckets_have_a_page(long: Place, model: tuple[str, ...]) -> None:
    data = str(long.folder / "long.csv")
    roles = ["--id", "name", "--sensitive", "drug", "--keep", "age", "--model", *model]
    assert long.run("anonymize", data, *roles, "-o", str(long.out)).code == 0
    job, pages = str(long.private / "report.json"), [long.folder / "own.html", long.folder / "shared.html"]
    assert long.run("report", job, "-o", str(pages[0])).code == 0
    assert long.run("report", job, "-o", str(pages[1]), "--shareable").code == 0
    own, shared = (re.sub(r"\s+", " ", page.read_text()) for page in pages)
    for text in (
        "anatomization",
        "guaranteed maximum",
        "one row",
        "most 1/2 of the rows",
        f"the link between a {'row' if model[0] == 'anatomy' else 'person'}",
        "A person may have several rows",
        "Most likely sensitive value of a person, highest confidence: ",
        "drug: sensitive column, published",
    ):
        assert text in own
        assert text in shared
    for page in (own, shared):
        assert ("guarantee covers single rows" in page) == (model[0] == "anatomy")
        assert "All rows of a person are one record" not in page
    assert "not merged: each row is one record" in own
    assert ("<svg" in own, "<svg" in shared) == (True, False)
    assert "guess the sensitive values of random rows of the original" in own
    assert "guess the sensitive values of random rows" not in shared
    assert "long.csv" not in shared


def test_each_model_answers_the_three_questions() -> None:
    def answers(model: object) -> list[str]:
        return [answer for _, answer, _ in questions(model)]  # type: ignore[arg-type]

    nothing = "not covered"
    assert answers(KmAnonymity(5, 2)) == ["at most 1/5", nothing, nothing]
    assert answers(KAnonymity(3)) == ["at most 1/3", nothing, nothing]
    restricted = (
        "restricted, not bounded: each equivalence class contains at least 2 different values of 'drug'; the "
        "probability of a value is not limited"
    )
    assert answers(KLDiversity(3, 2, "drug")) == ["at most 1/3", nothing, restricted]
    assert answers(KLDiversity(3, 2, "drug", "entropy")) == ["at most 1/3", nothing, "bounded"]
    assert answers(KTCloseness(3, 0.2, "drug")) == ["at most 1/3", nothing, "bounded"]
    assert answers(KTCloseness(3, 0.2, "age", "ordered"))[2].startswith("restricted, not bounded: each equivalence")
    assert answers(KLmDiversity(3, 4, 2, ("a",))) == ["at most 1/3", nothing, "bounded"]
    assert answers(LmDiversity(2, 2, 1, ("a",))) == ["at most 1/2", nothing, "bounded"]
    assert answers(LmDiversity(1, 2, 1, ("a",)))[0] == nothing
    assert answers(Coherence(0.5, 3, 2, ("a",))) == ["at most 1/3", nothing, "bounded"]
    assert answers(Coherence(1, 3, 2, ("a",))) == ["at most 1/3", nothing, nothing]
    assert answers(RhoUncertainty(0.5, 2, ("a",))) == [nothing, nothing, "bounded"]
    assert answers(DisassociationModel(3, 2)) == ["at most 1/3", nothing, nothing]
    assert answers(SafetyConstraint(3, 2)) == [nothing, nothing, "bounded"]


@pytest.mark.parametrize(
    "model", [LmDiversity(3, 2, 2, ("a",)), RhoUncertainty(0.5, 2, ("a",)), KLDiversity(3, 2, "x")]
)
def test_the_answers_explain_themselves_with_the_statement(model: PrivacyModel) -> None:
    bounds = [text for _, answer, text in questions(model) if answer != "not covered"]
    assert " ".join(bounds) == model.statement


def test_labels_in_drawings_are_escaped() -> None:
    assert "<b>" not in bars("<b>", [("<b>", [("solid", 2.0, "<b>")])])


_MEASURED = """
const page = f.contentDocument, grids = [...page.querySelectorAll('.wide, svg')];
const nav = page.querySelector('nav').getBoundingClientRect().bottom;
const first = [...page.querySelectorAll('section[id]')].map(one => one.querySelector('table, ul, svg, p')
  .getBoundingClientRect().bottom - one.getBoundingClientRect().top);
document.title = [Math.ceil(nav), Math.ceil(Math.max(...first)),
  page.documentElement.scrollWidth, f.contentWindow.innerWidth,
  Math.max(...grids.map(one => one.scrollWidth - one.clientWidth)),
  f.contentWindow.performance.getEntriesByType('resource').length].join('/')
"""


@pytest.fixture
def pages(ward: Place, long: Place) -> list[Path]:
    """An internal and a shareable page of records, and of buckets."""
    result = [ward.folder / "own.html", ward.folder / "shared.html", ward.folder / "buckets.html"]
    page_of(ward, name="own.html")
    page_of(ward, "--shareable", name="shared.html")
    roles = ["--id", "name", "--sensitive", "drug", "--keep", "age", "--algorithm", "anatomy", "--l", "2"]
    safe = long.folder / "buckets"
    assert long.run("anonymize", str(long.folder / "long.csv"), *roles, "-o", str(safe), "--quiet").code == 0
    assert long.run("report", f"{safe}.private/report.json", "-o", str(result[2])).code == 0
    return result


def browse(folder: Path, *more: str) -> str:
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    command = [str(CHROMIUM), *options, f"--user-data-dir={folder / 'profile'}", *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.compiled
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_pages_fit_the_browser_and_load_no_external_resources(pages: list[Path], tmp_path: Path) -> None:
    """Three pages at two widths share a browser start of one to two seconds."""
    sizes = [(page, width) for page in pages for width in (360, 1280)]
    frames = "".join(
        f'<iframe id="f{n}" width="{width}" height="900" style="border:0" src="{page.name}" '
        f'onload="const f = this; {html.escape(_MEASURED)}; this.title = document.title"></iframe>'
        for n, (page, width) in enumerate(sizes)
    )
    (pages[0].parent / "frames.html").write_text(frames)
    shown = browse(tmp_path, "--dump-dom", f"file://{pages[0].parent}/frames.html")
    titles = re.findall(r'<iframe[^>]* title="(\d+)/(\d+)/(\d+)/(\d+)/(-?\d+)/(\d+)"', shown)
    assert [int(inner) for _, _, _, inner, _, _ in titles] == [width for _, width in sizes], shown[:800]
    for (page, width), (contents, section, complete, _, beyond, requests) in zip(sizes, titles, strict=True):
        if width == 1280:
            assert int(contents) <= 900, (page.name, "the contents end below the first screen")
            assert int(section) <= 900, (page.name, "a click on the contents does not show a whole table")
        assert int(complete) <= width, (page.name, width)
        assert int(beyond) <= 0, (page.name, width, "a table is cut")
        assert int(requests) == 0, page.name


@pytest.mark.compiled
@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_report_page_can_be_printed_to_pdf_with_its_folded_parts(pages: list[Path], tmp_path: Path) -> None:
    folded, opened = (pages[0].with_name(f"{name}.html") for name in ("folded", "opened"))
    folded.write_text(pages[0].read_text().replace("</details>", "<p>long</p>" * 500 + "</details>"))
    opened.write_text(folded.read_text().replace("<details>", "<details open>"))
    sheets = []
    for page in (folded, opened):
        browse(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", "--no-pdf-header-footer", f"file://{page}")
        pdf = (tmp_path / "page.pdf").read_bytes()
        assert pdf.startswith(b"%PDF")
        sheets.append(len(re.findall(rb"/Type\s*/Page\b", pdf)))
    assert sheets[0] == sheets[1] > 10


def test_the_template_is_in_the_package() -> None:
    import anonset

    assert (Path(anonset.__file__).parent / "report" / "page.html.j2").is_file()
