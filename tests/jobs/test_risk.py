"""Risks after a publication equal a count by hand, and attacks do not exceed the guarantee."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from anonset.analysis.attack import Matching, attack
from anonset.analysis.base import analysis_of
from anonset.analysis.exposures import higher_after
from anonset.analysis.risk import RiskContext
from anonset.errors import InputError
from anonset.measures.shares import Share
from anonset.report.risks import sections

RNG = random.Random(3)
PEOPLE = {
    "age": [str(20 + RNG.randrange(30)) for _ in range(60)],
    "origin": [RNG.choice(["Spain", "Italy", "Ghana", "Kenya"]) for _ in range(60)],
    "illness": [RNG.choice(["flu", "hiv", "none"]) for _ in range(60)],
    "codes": [set(RNG.sample("abcdefgh", RNG.randint(1, 4))) for _ in range(60)],
}
TREES = {"codes": "balanced:2", "age": "range", "origin": {"Africa": ["Ghana", "Kenya"], "Europe": ["Spain", "Italy"]}}
TREES["origin"] = {"any": TREES["origin"]}
TABLE = anonset.read(PEOPLE, items="codes", relational="age,origin", numeric="age", keep="illness", unit="row")
RT = anonset.anonymize(TABLE, anonset.RFirst(k=3, m=2, transaction=anonset.Apriori), hierarchies=TREES,
                       publish_as_is="illness")  # fmt: skip
ITEMS = anonset.anonymize(
    anonset.read({"codes": PEOPLE["codes"]}, items="codes"),
    anonset.Exact(k=3, m=2),
    hierarchies={"codes": "balanced:2"},
)


def rows_of(release):
    """Return (relational values, symbols, kept values) of each published row."""
    publication = release.publication
    values = [list(zip(*(column.labels() for column in columns), strict=True)) or [()] * publication.n
              for columns in (publication.relational, publication.kept)]  # fmt: skip
    return list(zip(values[0], map(set, publication.transactions.rows()), values[1], strict=True))


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_smallest_number_of_matching_rows_equals_a_count(when):
    from itertools import combinations

    risk = anonset.risk(RT)
    exposures, rows = risk.exposures, rows_of(RT)
    if when == "before":
        exposures, rows = (
            risk.before,
            list(zip(zip(PEOPLE["age"], PEOPLE["origin"], strict=True), PEOPLE["codes"], PEOPLE["illness"],
                     strict=True)),
        )  # fmt: skip
        assert [one.words for one in exposures] == [one.words for one in risk.exposures]
    assert [one.items for one in exposures if one.as_is == ("illness",)] == [0, 1, 2, 3, 4]
    for exposure in exposures:
        least = []
        for values, symbols, kept in rows:
            others = [shown for other, shown, unchanged in rows if not exposure.values or other == values
                      if not exposure.as_is or unchanged == kept]  # fmt: skip
            sets = combinations(symbols, min(exposure.items, len(symbols)))
            least.append(min(sum(set(known) <= shown for shown in others) for known in sets))
        assert exposure.smallest == min(least)
        assert exposure.mean == pytest.approx(np.mean(least))
        assert exposure.average.value == pytest.approx(np.mean([1 / n for n in least]))
        assert exposure.above.value == pytest.approx(np.mean([1 / n > 0.09 for n in least]))
        assert exposure.alone.value == np.mean([n == 1 for n in least])
        bins = ((1, 1), (2, 4), (5, 9), (10, 99), (100, 10**9))
        assert [size.value for size in exposure.sizes] == [np.mean([a <= n <= b for n in least]) for a, b in bins]
        if exposure.guaranteed and when == "after":
            assert exposure.highest <= 1 / 3 + 1e-12


def test_the_guarantee_covers_only_the_attacker_who_knows_no_sensitive_item():
    """One person has the sensitive item `s` and `b`. The guarantee covers whoever knows `a` and `b`."""
    sets = [{"a", "b"}] * 8 + [{"a", "b", "s"}, {"a", "s"}]
    release = anonset.anonymize(
        anonset.read({"codes": sets}, items="codes", unit="row"),
        anonset.LmApriori(k=3, m=2, l=2, sensitive_items=("s",)),
        hierarchies={"codes": {"any": ["a", "b"]}},
    )
    risk = anonset.risk(release)
    found = {one.words: (one.guaranteed, one.smallest) for one in risk.exposures if one.items <= 2}
    assert found == {
        "1 non-sensitive item": (True, 9), "2 non-sensitive items": (True, 9), "1 item": (False, 2),
        "2 items": (False, 1),
    }  # fmt: skip
    assert risk.single["after"].words == risk.single["before"].words == "2 non-sensitive items"
    assert [one.promised for one in risk.attempts if one.items <= 2] == [1 / 3, 1 / 3]


def test_an_item_with_several_symbols_can_have_a_higher_risk_after_than_before():
    """Each part has separate symbols. The risk from an attacker who knows the item but not the symbol is lower."""
    release = anonset.anonymize(
        anonset.read({"codes": PEOPLE["codes"]}, items="codes"), anonset.Lra(k=3, m=2),
        hierarchies={"codes": "balanced:2"},
    )  # fmt: skip
    symbols = release.publication.symbols
    assert any(sum(item in symbol.members for symbol in symbols) > 1 for item in "abcdefgh")
    risk = anonset.risk(release, attempts=60)
    assert higher_after(risk.before, risk.exposures) == ["1 item"]
    (higher,) = [one for one in risk.exposures if one.words == "1 item"]
    assert higher.highest > risk.before[0].highest > risk.attempts[0].success
    assert sections(risk)[1].data["higher_after"] == ["1 item"]


def test_a_higher_share_above_the_threshold_counts_on_request():
    before = anonset.risk(ITEMS).before
    after = [replace(before[0], above=Share(1.0)), *before[1:]]
    assert before[0].above.value < 1
    assert higher_after(before, after) == []
    assert higher_after(before, after, above=True) == [after[0].words]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the publication is worthless")
@given(
    st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=5), min_size=4, max_size=25),
    st.sampled_from([anonset.Apriori(k=2, m=2), anonset.Exact(k=2, m=1), anonset.Direct(k=3, m=1)]),
)
def test_without_removed_rows_no_item_with_a_single_symbol_has_a_higher_risk_after(rows, algorithm):
    table = anonset.read({"codes": rows}, items="codes")
    release = anonset.anonymize(table, algorithm, hierarchies={"codes": "balanced:2"}, accept="worthless")
    assert release.publication.n == len(rows)
    risk = anonset.risk(release)
    assert higher_after(risk.before, risk.exposures, above=True) == []


@pytest.mark.parametrize("release", [RT, ITEMS], ids=["both", "items"])
def test_the_attack_finds_no_more_than_promised(release):
    risks = anonset.risk(release)
    spoken = [attempt for attempt in risks.attempts if attempt.promised is not None]
    assert spoken
    assert all(entry.success <= entry.promised + 1e-12 and entry.below_k == 0 and entry.none == 0 for entry in spoken)
    known = [{(one.values, one.items) for one in of} for of in (risks.exposures, risks.attempts)]
    assert (risks.broken, known[0] <= known[1]) == (0, True)
    assert anonset.risk(release).attempts == risks.attempts
    drawn = [anonset.risk(release, attempts=30, seed=seed).attempts for seed in (0, 1)]
    assert drawn[0] != drawn[1]


def test_the_attack_identifies_unprotected_persons():
    model, publication = anonset.KmAnonymity(3, 2), ITEMS.publication
    table = ITEMS.unverified.table
    as_it_is = anonset.Cut(ITEMS.recoding.hierarchy, ITEMS.recoding.hierarchy.leaf_node.copy())
    from anonset.generalization import apply

    naked = apply(table, as_it_is)
    attacked = attack(table, naked, {}, model, size=2)
    assert sum(outcome.broken for outcome in attacked) > 0
    assert attacked[1].success > anonset.risk(ITEMS).attempts[1].success
    assert publication.n == naked.n


def test_matching_rows_are_rows_with_covering_values():
    matching = Matching(RT.unverified.table, RT.publication, RT.unverified.hierarchies)
    ages, origins = (column.labels() for column in RT.publication.relational)
    for person in range(0, 60, 7):
        age, origin = int(PEOPLE["age"][person]), PEOPLE["origin"][person]
        above = {origin, "any", "Africa" if origin in ("Ghana", "Kenya") else "Europe"}
        fits = []
        for message, where in zip(ages, origins, strict=True):
            low, _, high = message.strip("[]").partition(":")
            fits.append(int(low) <= age <= int(high or low) and where in above)
        assert matching.rows_with_values_of(person).tolist() == fits
    assert len(matching.rows_with_items(["nowhere"])) == 0


def test_a_larger_population_lowers_the_risk():
    half = anonset.read(
        {name: values * 5 for name, values in PEOPLE.items()}, items="codes", relational="age,origin", numeric="age",
        keep="illness",
    )  # fmt: skip
    risks = anonset.risk(RT, population=half)
    by_values = next(exposure for exposure in risks.exposures if not exposure.items)
    assert risks.journalist[0] <= by_values.highest / 5 + 1e-12
    same = anonset.risk(RT, population=TABLE)
    assert same.journalist[0] <= by_values.highest
    with pytest.raises(InputError, match="'age'"):
        anonset.risk(RT, population=anonset.read({"codes": [{"a"}]}, items="codes"))


@pytest.mark.long
def test_k_l_t_equal_those_of_pycanon():
    """pyCANON pins other packages, but these functions need only pandas, so it is installed without dependencies."""
    anonymity = pytest.importorskip("pycanon.anonymity", reason="pip install --no-deps pycanon")
    import pandas as pd

    names = ["age", "origin"]
    for k in (2, 5, 9):
        release = anonset.anonymize(TABLE, anonset.RFirst(k=k, m=1, on_infeasible="merge"), hierarchies=TREES)
        columns = (*release.publication.relational, *release.publication.kept)
        frame = pd.DataFrame({column.name: column.labels() for column in columns})
        risk = anonset.risk(release)
        disclosure, values = (
            risk.disclosures["illness"],
            next(exposure for exposure in risk.exposures if not exposure.items),
        )
        assert anonymity.k_anonymity(frame, names) == values.smallest
        assert anonymity.l_diversity(frame, names, ["illness"]) == disclosure.distinct_l
        assert anonymity.t_closeness(frame, names, ["illness"]) == pytest.approx(disclosure.t)


@pytest.mark.long
def test_a_publication_on_disk_is_as_the_release(tmp_path):
    out = RT.save(tmp_path / "out")
    alone, full = anonset.risk(out), anonset.risk(out, TABLE, hierarchies=TREES)
    assert alone.attempts == ()
    assert [exposure.smallest for exposure in alone.exposures] == [
        exposure.smallest for exposure in anonset.risk(RT).exposures
    ]
    assert full.broken == 0
    assert full.disclosures["illness"] == anonset.risk(RT).disclosures["illness"]
    other = anonset.read({**PEOPLE, "age": ["30"] * 60}, items="codes", relational="age,origin", numeric="age",
                         keep="illness")  # fmt: skip
    with pytest.raises(InputError):
        anonset.risk(out, other, hierarchies=TREES)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"threshold": 2}, "threshold 2"), ({"sensitive": ["age"]}, "column age")],
)
def test_invalid_options_of_risk_are_rejected(options, message):
    with refused(InputError, message):
        anonset.risk(RT, **options)


VISITS = {"p": list("112233445566"), "drug": list("xyzxyzxyzxyz")}


@pytest.mark.filterwarnings("ignore:model anatomy protects rows")
def test_probability_of_inferring_a_value_from_buckets():
    release = anonset.anonymize(anonset.read(VISITS, id="p", sensitive="drug"), anonset.Anatomy(l=2, seed=1))
    risks = anonset.risk(release)
    rows, persons = risks.inferences
    assert (rows.known, rows.persons, rows.promised, persons.promised) == ("one row", 12, 0.5, None)
    assert 1 / 3 <= rows.average.value <= rows.highest <= 0.5
    assert persons.persons == 6
    assert persons.highest > rows.highest  # several rows reveal more than one row
    groups, column = risks.attempts
    assert (groups.attempts, groups.broken, risks.broken) == (12, 0, 0)
    assert 1 / 3 <= groups.success <= 0.5
    assert column.success == pytest.approx(1 / 3)
    (verdict,) = next(iter(sections(risks))).data["verdicts"]
    assert (verdict.knowledge, verdict.success) == ("the values of its group", groups.success)
    assert verdict.rates.startswith(f"{groups.success:.1%} against 33.3% by chance"), "the values of all rows"
    shown = repr(risks) + risks._repr_html_()
    assert not any(f">{value}<" in shown for value in "xyz")
    with refused(InputError, "population"):
        anonset.risk(release, population=anonset.read({"a": ["1"]}, relational="a"))


@pytest.mark.filterwarnings("ignore:model anatomy protects rows")
def test_an_attack_reports_buckets_that_violate_the_guarantee():
    table = anonset.read(VISITS, id="p", sensitive="drug")
    release = anonset.anonymize(table, anonset.Anatomy(l=2, seed=1))
    context = RiskContext(anonset.AnatomyDiversity(9), table, attempts=100)
    assert analysis_of(release.publication).risk(context).broken == 12


def test_risks_show_no_label_of_the_data():
    shown = repr(anonset.risk(RT)) + anonset.risk(RT)._repr_html_()
    assert not any(label in shown for label in ("Spain", "Europe", "Africa", "hiv", "[2"))


PERSONS = [f"p{n % 5}" for n in range(60)]


@pytest.mark.parametrize("as_is", [(), ("illness",)])
def test_persons_with_several_rows_are_counted_once(as_is):
    risks = anonset.risk(RT, persons=PERSONS)
    rows = rows_of(RT)
    person_of = [PERSONS[record] for record in RT.publication.record.tolist()]
    by_values = next(exposure for exposure in risks.exposures if (exposure.items, exposure.as_is) == (0, as_is))
    least = {}
    for (values, _, kept), person in zip(rows, person_of, strict=True):
        others = zip(rows, person_of, strict=True)
        fitting = len({one for (v, _, u), one in others if v == values and (not as_is or u == kept)})
        least[person] = min(fitting, least.get(person, 60))
    assert (risks.unit, risks.persons, anonset.risk(RT).persons) == ("person", 5, None)
    assert by_values.smallest == min(least.values())
    assert by_values.mean == pytest.approx(np.mean(list(least.values())))
    assert by_values.below.value == np.mean([fitting < 3 for fitting in least.values()])
    assert by_values.below.value > 0
    assert risks.broken == 0  # the guarantee is per row
    alone, rows_alone = anonset.risk(RT, persons=range(60)), anonset.risk(RT)
    for first, other in zip(alone.exposures, rows_alone.exposures, strict=True):
        assert (first.smallest, first.below, first.alone) == (other.smallest, other.below, other.alone)
        assert (first.mean, first.average.value) == pytest.approx((other.mean, other.average.value))


@pytest.mark.parametrize("persons", [PERSONS[:-1], []])
def test_persons_must_match_the_records(persons, tmp_path):
    with refused(InputError, f"{len(persons)} 60"):
        anonset.risk(RT, persons=persons)
    with refused(InputError, "persons original"):
        anonset.risk(RT.save(tmp_path / "out"), persons=PERSONS)


def test_printed_risks_are_the_text_of_the_command():
    risks = anonset.risk(RT)
    text = str(risks)
    assert "Risk(" not in text
    assert names(text, f"{risks.records} rows")
    assert all(names(text, f"{exposure.average.value:.1%}") for exposure in risks.exposures)
