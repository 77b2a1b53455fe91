"""The list of the papers' panels is complete, and each panel belongs to an existing figure."""

import importlib
import re
from collections import Counter
from dataclasses import fields

import pytest
from benchmarks.experiments import inventory, methods, runner, sources
from benchmarks.experiments.cases import OF_PAPERS, Figure
from benchmarks.experiments.panels import NOT_JUDGED, PANELS, counted, of_figure, of_paper
from benchmarks.experiments.poulis2013.query_errors import QUERIES
from benchmarks.experiments.render import records_used, superscripts
from benchmarks.experiments.workers import ROOT

from anonset_datasets.cards import CARDS
from anonset_datasets.catalogue import VARIABLE
from anonset_datasets.entries import ENTRIES

FIGURES = {"terrovitis2008": 13, "loukides2010": 18, "liu2010": 4, "poulis2013": 24, "albouna2013": 4}
"""Number of panels of each paper's figures."""
OTHERS = {"terrovitis2008": ["Fig. 7"], "loukides2010": ["Table 1", "Table 2", "Table 3"], "liu2010": ["Section 5.2"],
          "poulis2013": ["Table 1"], "albouna2013": ["Section 8.2.1"]}  # fmt: skip
"""Tables, and sections with results outside tables and figures."""


def figures(paper: str) -> dict[str, Figure]:
    result = importlib.import_module(f"benchmarks.experiments.{paper}").PAPER.figures
    return {figure.key: figure for figure in result}


def test_every_panel_of_the_five_papers_is_listed() -> None:
    assert sum(FIGURES.values()) == 63
    assert set(FIGURES) <= set(runner.papers())
    for paper, number in FIGURES.items():
        labels = [panel.label for panel in of_paper(paper)]
        assert len(labels) == len(set(labels)) == number + len(OTHERS[paper]), paper
        assert set(OTHERS[paper]) <= set(labels), paper
    assert {panel.paper for panel in PANELS} == set(FIGURES)
    assert sum(Counter(panel.status for panel in PANELS).values()) == sum(map(Counter.total, counted().values()))


@pytest.mark.parametrize("paper", FIGURES)
def test_a_panel_that_can_be_tested_names_a_figure_that_is_there(paper: str) -> None:
    there = figures(paper)
    for panel in of_paper(paper):
        assert panel.shows, panel.label
        assert (panel.status == "paper's setting") == (not panel.differences), panel.label
        assert panel.figure is None or panel.figure in there, panel.label
        if panel.figure is not None:
            assert panel in of_figure(paper, panel.figure)
            assert panel.status != "not testable", panel.label
        elif panel.status != "not testable":
            assert "listed with" in panel.differences, panel.label


def claims_of(panel):
    figure = figures(panel.paper)[panel.figure]
    return [claim.text for claim in figure.claims if claim.kind in OF_PAPERS and panel.is_about(claim)]


@pytest.mark.parametrize("paper", FIGURES)
def test_every_claim_about_a_figure_is_a_claim_about_a_panel(paper):
    for key, figure in figures(paper).items():
        if panels := of_figure(paper, key):
            shown = {text for panel in panels for text in claims_of(panel)}
            assert [one.text for one in figure.claims if one.kind in OF_PAPERS and one.text not in shown] == [], key


def test_each_paper_lists_its_sentences_that_are_not_judged():
    judged = {one.text for paper in FIGURES for figure in figures(paper).values() for one in figure.claims}
    page = inventory.PAGE.read_text(encoding="utf-8")
    assert page.count("Sentences without a figure that are not judged: ") == len(FIGURES)
    for paper, sentences in NOT_JUDGED.items():
        assert paper in FIGURES
        assert not judged.intersection(sentences)
        assert superscripts(f"not judged: {'; '.join(sentences)}.") in page


def test_panels_of_a_figure_have_different_claims():
    here = {panel.label: claims_of(panel) for panel in PANELS if panel.paper in ("poulis2013", "terrovitis2008")}
    assert "data remain useful for queries involving both attribute types" in here["Fig. 4b"]
    assert here["Fig. 6a"] == ["RM_R creates the largest clusters", "RM_RT creates larger clusters than RM_T"]
    assert all("loss" in text for text in here["Fig. 8c"])
    for labels in (("4a", "4b", "4c", "6a", "6c"), ("8a", "8b", "8c"), ("7c", "7e")):
        found = [tuple(here[f"Fig. {label}"]) for label in labels]
        assert len(set(found)) == len(found)
        assert all(found)


def test_each_figure_states_its_number_of_records() -> None:
    used = {
        (paper, key): records_used(runner.paper(paper), figure.cases)
        for paper in FIGURES
        for key, figure in figures(paper).items()
    }
    assert all(re.fullmatch(r"[\w ]+: (all )?\d[^;]*(; [\w ]+: (all )?\d[^;]*)*", text) for text in used.values())
    assert used["poulis2013", "fig4ac"] == "informs2005: all 26,735 (36,553 in the paper)"
    for figure in ("fig4h", "fig5ac", "fig5d", "fig7g_all", "fig7h_all"):
        assert used["poulis2013", figure] == "informs2005: all 26,735 (36,553 in the paper)"
    for figure in ("fig7ce", "fig7g", "fig7h"):
        assert used["poulis2013", figure] == "informs2005: 4,000 of 26,735 (36,553 in the paper)", (
            "the subset of the paper"
        )
    assert used["poulis2013", "fig7a"] == "informs2005: 5,000 to 20,000 of 26,735 (36,553 in the paper)"
    assert used["poulis2013", "fig4dg"] == "youtube_like: all 131,780"
    assert used["liu2010", "fig3c"] == "tafeng_baskets: 59,789 of 119,578"
    assert used["albouna2013", "generated"] == "generated data: 20,000"


def test_panels_state_the_positions_that_are_missing():
    """MM has no value at the largest m of Kosarak."""
    stated = {panel.label: panel.differences for panel in of_paper("liu2010")}
    drawn = figures("liu2010")["drawn"]
    largest = max(case.x for case in drawn.cases)
    assert largest not in {case.x for case in drawn.cases if case.series == "MM"}
    assert f"MM has no value at m={largest}" in stated["Fig. 3d"]
    main = {one.text for figure in figures("liu2010").values() for one in figure.claims if one.main}
    without = [one.text for one in drawn.claims if one.text in main and "est loss" in one.text]
    assert len(without) == 2
    assert "two main findings are not measured there" in stated["Fig. 3d"]
    assert all(text in stated["Fig. 3d"] for text in without)


def test_panels_state_where_their_data_differ_from_the_printed_characteristics():
    average = ENTRIES["bms_webview2"].avg_length
    said = f"BMS-WebView-2 has {average} items per record on average, and 5.0 in the paper"
    count = 0
    for paper in FIGURES:
        for panel in of_paper(paper):
            cases = figures(paper)[panel.figure].cases if panel.figure else ()
            read = {name for case in cases for name in runner.paper(paper).reads(case.parameters)}
            if read == {"bms_webview2"} or "BMS-WebView-2" in panel.shows:
                count += 1
                assert said in panel.differences
                assert panel.status == "with differences"
    assert count >= 15
    queries = [panel for panel in of_paper("poulis2013") if "relative error" in panel.shows]
    assert len(queries) == 12, [panel.label for panel in queries]
    assert all(f"{QUERIES:,} queries" in panel.differences for panel in queries)


@pytest.mark.long
@pytest.mark.parametrize("paper", FIGURES)
def test_each_paper_has_cases_that_need_no_files(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    sources.data_of.cache_clear()
    planned = runner.plan(runner.paper(paper), quick=True, untimed=True, again=True)
    sources.data_of.cache_clear()
    assert len(planned.due) >= 6


@pytest.mark.parametrize("paper", FIGURES)
def test_printed_values_are_quantities_or_described(paper: str) -> None:
    there = figures(paper)
    for panel in of_paper(paper):
        for quantity, bands in panel.printed.items():
            assert bands, (panel.label, quantity)
            assert all(band.low <= band.high for band in bands), (panel.label, quantity)
            if " " not in quantity and panel.figure is not None:
                assert quantity in there[panel.figure].quantities, (panel.label, quantity)


def test_data_cards_print_the_same_characteristics() -> None:
    exceptions = {
        ("Terrovitis et al. 2008, figure 7", "bms_webview1"): ("terrovitis2008", "Fig. 7", "BMS-WebView-1"),
        ("Terrovitis et al. 2008, figure 7", "bms_webview2"): ("terrovitis2008", "Fig. 7", "BMS-WebView-2"),
        ("Terrovitis et al. 2008, figure 7: BMS-POS", "bms_pos"): ("terrovitis2008", "Fig. 7", "BMS-POS"),
        ("Loukides et al. 2010, table 1", "bms_webview1"): ("loukides2010", "Table 1", "BMS-WebView-1"),
        ("Loukides et al. 2010, table 1", "bms_webview2"): ("loukides2010", "Table 1", "BMS-WebView-2"),
        ("Loukides et al. 2010, table 3: EMR", "emr_ra1_6y"): ("loukides2010", "Table 3", "EMR"),
        ("Poulis et al. 2013, table 1: INFORMS", "informs2005"): ("poulis2013", "Table 1", "INFORMS"),
        ("Poulis et al. 2013, table 1: YOUTUBE", "youtube080327"): ("poulis2013", "Table 1", "YOUTUBE"),
    }
    for (words, data), (paper, label, series) in exceptions.items():
        shape = dict(CARDS[data].printed)[words]
        (panel,) = (entry for entry in of_paper(paper) if entry.label == label)
        expected = {
            "records": shape.n,
            "items": shape.n_items,
            "longest": shape.max_length,
            "average": shape.avg_length,
        }
        actual = {q: band.low for q, bands in panel.printed.items() for band in bands if band.series == series}
        assert actual == expected, words


@pytest.mark.parametrize("part", methods.PARTS, ids=lambda one: one.part)
def test_each_listed_part_of_a_paper_has_code_and_a_test(part):
    module, _, name = part.code.partition(":")
    owner, _, attribute = name.partition(".")
    found = getattr(importlib.import_module(module), owner)
    assert not attribute or attribute in {one.name for one in fields(found)}
    path, _, test = part.test.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert f"def {test}(" in text
    states = {row[0]: row[1] for row in methods.of_paper(part.paper)}
    declared = "Deviations:" in (getattr(importlib.import_module(module), owner).__doc__ or "")
    assert states[part.part] == (methods.DIFFERS if declared else methods.WORKS)


def test_every_paper_has_parts_that_work_or_differ():
    rows = {paper: list(methods.of_paper(paper)) for paper in methods.PAPERS}
    assert all({state for _, state, _ in found} & {methods.WORKS, methods.DIFFERS} for found in rows.values())
    assert all(reason for found in rows.values() for _, state, reason in found if state != methods.WORKS)
    assert {one.paper for one in (*methods.PARTS, *methods.MISSING)} <= set(methods.PAPERS)
    listed = {part.strip("`") for found in rows.values() for part, state, _ in found if state != methods.MISSING_HERE}
    assert "exact" not in listed, "the method of this project is no part of a paper"
    assert not any(part == "`local-reallocation`" for part, _, _ in rows["He, Naughton, VLDB 2009"])
    assert {"apriori", "direct", "optimal", "mhghs", "hghs", "coat", "pcta", "rum-bound", "safe-grouping"} <= listed
