"""Help shows options under headings, what a user needs first before the machinery."""

import pytest

from cli.place import Place


def test_options_stand_under_headings(place: Place) -> None:
    shown = place.run("anonymize", "--help-all").out
    headings = [
        "Data and roles", "How the data are read", "Guarantee", "Where to write", "Safety", "Parameters of algorithms",
        "Machinery",
    ]  # fmt: skip
    at = [shown.index(heading) for heading in headings]
    assert at == sorted(at)
    assert (
        at[0] < shown.index("--items") < at[1] < shown.index("--delimiter") < at[2] < shown.index("--max-loss") < at[3]
    )
    assert at[5] < shown.index("--max-cuts") < at[6] < shown.index("--workers")


def test_help_shows_what_all_need_first(place: Place) -> None:
    shown = place.run("anonymize", "--help").out
    for text in ("Data and roles", "Guarantee", "Where to write", "Safety", "--items", "--k", "--out", "--algorithm",
                 "--allow-worthless", "--help-all"):  # fmt: skip
        assert text in shown
    for text in ("--max-cuts", "--workers", "--delimiter", "--gap", "Machinery", "Parameters of algorithms"):
        assert text not in shown
    assert len(shown.splitlines()) < len(place.run("anonymize", "--help-all").out.splitlines()) / 2


def test_help_shows_the_parameters_of_an_algorithm(place: Place) -> None:
    shown = place.run("anonymize", "--algorithm", "rum-bound", "--help").out
    for text in ("--delta", "--merge", "--transaction", "--k", "--formation"):
        assert text in shown
    for text in ("--items", "--gap", "--partitions", "--workers"):
        assert text not in shown
    assert place.run("anonymize", "--algorithm", "rum-bonud", "--help").out == place.run("anonymize", "--help").out


def test_ranges_are_compared_under_whole_headings(place: Place) -> None:
    data, tree = str(place.folder / "data.dat"), f"items={place.folder / 'hierarchy.csv'}"
    more = ["--algorithms", "apriori", "--m", "1", "--vary", "k=1..3:2,4"]
    ran = place.run("compare", data, "--hierarchy", tree, *more)
    assert ran.code == 0
    assert "seconds" in ran.out.splitlines()[0]
    found = place.run("compare", data, "--hierarchy", tree, *more, "--format", "json").json
    assert [row["k"] for row in found] == [1, 3, 4]


@pytest.mark.parametrize("text", ["k=5..2", "k=1..9:0", "k=1..9999"])
def test_a_range_without_values_is_refused(place: Place, text: str) -> None:
    ran = place.run("compare", str(place.folder / "data.dat"), "--algorithms", "apriori", "--m", "1", "--vary", text)
    assert (ran.code, "--vary k: a range must be" in ran.err) == (2, True)
