"""Measure task utility and disclosure of k^m publications, differentially private releases and synthetic records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.experiments.baselines.measurement import (
    ATTEMPTS,
    ATTRIBUTES,
    CONFIDENCE,
    DELTA,
    LEAST,
    MST_DELTA,
    QUERIES,
    SINGLES,
    TARGETS,
    TESTED,
    TRAINED,
    TREE,
    USED,
    compile_kernels,
    measure,
)
from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.factors import SAMPLES

DATA = ("groceries", "msweb", "diabetes130_patients")
RT_DATA = "diabetes130_patients"
"""Data set that is also published with attributes."""
WAYS = ("apriori", "set-search", "coat", "pcta", "disassociation")
RELEASES = ("diff-part", "independent", "tree", "mst", "priv-basis", "pair-counts")
WIDER, WIDER_TOP, WIDER_AT = "priv-basis, 200 itemsets", 200, ("10", "20", "50")
"""PrivBasis that is asked for more itemsets, their number, and each epsilon at which it is measured."""
WITHOUT_LIMIT = ("independent", "tree")
"""Releases that are also measured without noise."""
KS = (2, 5, 10, 25)
EPSILONS = ("0.5", "1", "2", "5", "10", "20", "50")
LENGTHS = (5, 8, 15, 25)
"""Numbers of items to which records are cut in the sweep."""
TOPS = (25, 50, 100, 200, 400)
"""Numbers of itemsets that PrivBasis is asked for in the sweep."""
NO_NOISE = "no noise"
"""Position of generators without noise, which have no privacy guarantee."""
ORIGINAL = "original"
LARGE, LARGE_DATA = 60_000, RT_DATA
"""Number of training records of the figure of larger data, and the data set with so many records."""
LARGE_WAYS: Mapping[str, Sequence[str]] = {"k": WAYS, "epsilon": RELEASES}
"""Ways with larger data, by the parameter at which they are measured."""
LARGE_AT: Mapping[str, Sequence[int | str]] = {"k": (5, 10, 25), "epsilon": ("1", "10")}
LEVELS = SAMPLES.draws[:10]
"""Random divisions of a data set into training records and test records."""
LARGE_LEVELS = LEVELS[1:6]
"""Divisions of the larger data."""
PILOT = LEVELS[:1]
"""Division of the pilot run, after which the parameters were fixed."""
QUANTITIES = {
    "sets_f1": "F1 of frequent itemsets",
    "sets_precision": "precision of frequent itemsets",
    "sets_recall": "recall of frequent itemsets",
    "rules_f1": "F1 of association rules",
    "rules_precision": "precision of association rules",
    "rules_recall": "recall of association rules",
    "auc": f"mean AUC of naive Bayes for the {TARGETS} most frequent items, on test records",
    "are": f"ARE: mean relative error of the counts of {QUERIES:,} pairs of items, drawn from records",
    "singles": f"mean relative error of the counts of the {SINGLES} most frequent items",
    "ncp": "NCP",
    "log2_ul": "log2 of the utility loss (UL)",
    "rum": "relational loss (RUM)",
    "inferred": "share of items inferred with probability 1/2 or more, training records",
    "control_inferred": "share of items inferred with probability 1/2 or more, test records (control)",
    "all_inferred": "share of items inferred with probability 1/2 or more, all training records",
    "control_all_inferred": "share of items inferred with probability 1/2 or more, all test records (control)",
    "alone": "share of persons with exactly one row that matches 3 items, training records",
    "control_alone": "share of persons with exactly one row that matches 3 items, test records (control)",
}


def _over_k(data: str) -> Figure:
    figure = f"{data}_k"
    ways = (*WAYS, *(("rum-bound",) if data == RT_DATA else ()))
    cases = [
        *(Case(figure, ORIGINAL, k, {"data": data, "way": ORIGINAL}) for k in KS),
        *(Case(figure, way, k, {"data": data, "way": way, "k": k}) for way in ways for k in KS),
    ]
    return Figure(
        figure, f"{data}: k^m-anonymous publications", "k", QUANTITIES, SAMPLES.over(cases, levels=LEVELS), quick=(5,)
    )


def _over_epsilon(data: str) -> Figure:
    figure, cases = f"{data}_epsilon", []
    for way in RELEASES:
        asked: dict[str, Any] = {"data": data, "way": way}
        cases += [Case(figure, way, epsilon, {**asked, "epsilon": epsilon}) for epsilon in EPSILONS]
        if way in WITHOUT_LIMIT:
            cases.append(Case(figure, way, NO_NOISE, {**asked, "epsilon": "inf"}))
    cases += [Case(figure, WIDER, epsilon, _wider(data, epsilon)) for epsilon in WIDER_AT]
    title = f"{data}: differentially private releases and synthetic records"
    return Figure(figure, title, "epsilon", QUANTITIES, SAMPLES.over(cases, levels=LEVELS), quick=("1",))


def _wider(data: str, epsilon: str) -> dict[str, Any]:
    return {"data": data, "way": "priv-basis", "epsilon": epsilon, "top": WIDER_TOP}


def _over_length(data: str) -> Figure:
    figure = f"{data}_length"
    cases = [
        Case(figure, way, length, {"data": data, "way": way, "epsilon": "1", "length": length})
        for way in ("independent", "tree", "mst")
        for length in LENGTHS
    ]
    title = f"{data}: synthetic records for epsilon=1, cut to a given number of items"
    return Figure(figure, title, "items of a record", QUANTITIES, SAMPLES.over(cases, levels=LEVELS), quick=(8,))


def _over_top(data: str) -> Figure:
    figure, fixed = f"{data}_top", {"data": data, "way": "priv-basis", "epsilon": "1"}
    cases = [Case(figure, "priv-basis", top, {**fixed, "top": top}) for top in TOPS]
    title = f"{data}: PrivBasis for epsilon=1, asked for a given number of itemsets"
    return Figure(figure, title, "itemsets", QUANTITIES, SAMPLES.over(cases, levels=LEVELS), quick=(100,))


def _attack(data: str) -> Figure:
    figure = f"{data}_attack"
    points: list[tuple[str, dict[str, Any]]] = [
        *((way, {"k": k}) for way in WAYS for k in KS),
        *((way, {"epsilon": epsilon}) for way in RELEASES for epsilon in EPSILONS),
    ]
    cases = [Case(figure, way, place(**at), {"data": data, "way": way, "targets": "all", **at}) for way, at in points]
    cases += [Case(figure, WIDER, place(epsilon=one), {**_wider(data, one), "targets": "all"}) for one in WIDER_AT]
    title = f"{data}: attacks on all records"
    return Figure(figure, title, "publication", QUANTITIES, SAMPLES.over(cases, levels=LEVELS[1:]), quick=("k=5",))


def _large(data: str) -> Figure:
    figure = f"{data}_large"
    cases = [
        Case(figure, way, place(**at), {"data": data, "way": way, "trained": LARGE, **at})
        for name, ways in LARGE_WAYS.items()
        for way in ways
        for at in ({name: value} for value in LARGE_AT[name])
    ]
    title = f"{data}: {LARGE:,} training records"
    return Figure(figure, title, "publication", QUANTITIES, SAMPLES.over(cases, levels=LARGE_LEVELS), quick=("k=5",))


def place(**at: Any) -> str:
    """Return the position of a point in the figures of attacks.

    >>> place(k=5)
    'k=5'
    """
    ((name, value),) = at.items()
    return f"{name}={value}"


PAPER = Paper(
    key="baselines",
    title="Task utility, differential privacy and synthetic records",
    note=f"""\
Each repetition draws {TRAINED:,} training records and up to {TESTED:,} test records of a data set, without replacement.
Only training records are published. Every publication was verified. m is 2. `apriori` uses `{TREE}`; `coat` and `pcta`
have no policy. `rum-bound` also publishes {", ".join(ATTRIBUTES)} with delta={DELTA}, and only its items are measured
and attacked.

**Itemsets and rules.** Frequent itemsets have 2 to 4 items and at least {LEAST:.0%} of the training records as support.
Rules have a confidence of at least {CONFIDENCE}. Publications are mined by expected supports with the reading
`one-member`: a symbol of s items is one of its items, with probability 1/s each. A set of symbols is expanded to all
combinations of their items, and two items of a symbol never occur together. Disassociated records are mined by the
expected supports over all reconstructions. Synthetic records are counted.

**Classifier.** Bernoulli naive Bayes with Laplace smoothing predicts whether a test record contains an item, from the
{USED} most frequent other items. It is trained on the (expected) counts of items and pairs of the publication.

**Attacks.** The attacker of `risk` knows the two rarest items of a person, and infers the other items by expected
supports. A second attacker knows three random items, one more than the guarantee covers, and counts the matching rows.
Each attack has {ATTEMPTS} targets. The first attacker also attacks all training records and all test records. The
control attacks test records. Only the difference between both is a disclosure about persons in the data. Disassociated
publications have no rows to match.

**Releases.** `diff-part` follows Chen et al. 2011, `tree` is a Chow-Liu tree, and `independent` draws independent
items. The latter two use Laplace noise, or exact counts without a guarantee ("no noise"). `mst` follows McKenna et al.
2021, with delta={MST_DELTA:g}. `priv-basis` follows Li et al. 2012, and publishes itemsets with supports instead of
records, so only itemsets and rules are compared. Its supports are attacked as those of records, and an itemset that is
not published counts as 0. `pair-counts` publishes noisy counts of items and of all pairs of the 200 most frequent
items, with the delta of `mst`. Supports of more items are estimated from the pairs, by recipients and by the attacker.
It was added when the results of the others were known. The guarantee holds for adding or removing a record. The domain
of the items is public.

All parameters were fixed before the study, after a pilot run on its first sample, which the tables and plots leave out.
`tree`, `independent` and `mst` cut
records to a length that leaves 95% of the records whole. The length is chosen by noisy counts, which spend a tenth of
epsilon. `priv-basis` is asked for 100 itemsets, and from epsilon=10 on also for {WIDER_TOP}, which was added when
results were known. The sweeps over given lengths and numbers of itemsets spend nothing on
the choice, so their best value is not a private choice. The study makes no claims.""",
    measure=measure,
    study=True,
    prepare=compile_kernels,
    figures=[
        replace(figure(data), pilot=PILOT)
        for data in DATA
        for figure in (_over_k, _over_epsilon, _over_length, _over_top, _attack, _large)
        if figure is not _large or data == LARGE_DATA
    ],
)
"""Our own study of task utility and of other kinds of privacy."""
