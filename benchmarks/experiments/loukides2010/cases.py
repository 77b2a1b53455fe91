"""Cases of the figures, and the choices that are drawn again in each repetition.

The number of a leaf order is also the number of the queries and of the random policy, so each repetition draws all
choices that the paper does not state. If only queries or policies are repeated, the leaves are in the order of the item
numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.experiments.cases import Case
from benchmarks.experiments.factors import ORDERS, POLICIES, RUNS, SAMPLES, WORKLOADS, Factor, number_of

BMS1, BMS2, POS = "bms_webview1", "bms_webview2", "pos_like"
SYNPUF, DIABETES, MASKED = "synpuf_inpatient", "diabetes130_patients", ("emr_ra1_6y", "emr_ra1_11y")
KS, MS = (2, 5, 10, 25, 50), (1, 2, 3)
SIZES = (1_000, 5_000, 10_000, 25_000, 50_000)
UTILITY = {"UP1": 25, "UP2": 50, "UP3": 250, "UP4": 500}
"""Number of items per group in each utility policy."""
PAIRS, MIXED = ("PP1", "PP2", "PP3", "PP4", "PP5"), ("PP6", "PP7", "PP8", "PP9")
SUPPRESSED = 0.005
"""Bound s of the paper on the share of suppressed items."""
RECORDS_OF_EMR, CODES_OF_EMR = 1_336, 3.1
"""Record count and mean record length of the paper's hospital data."""
BOTH, FIRST = {" BMS-1": BMS1, " BMS-2": BMS2}, {" BMS-1": BMS1}
DRAWN_FROM: Mapping[str, Mapping[str, Any]] = {
    "": {},
    ", 10,000 itemsets": {"itemsets": 10_000},
    ", itemsets of records": {"drawn_from": "records"},
}
"""Ways to draw the itemsets of PP6 to PP9.

The ways are 1,000 sets of any items, 10,000 sets of any items, and 1,000 sets that occur in the records.
"""
_ALGORITHMS = {"COAT": "coat", "AA": "apriori", "PCTA": "pcta"}


def km(figure: str, series: str, x: float | str, data: str, *, k: int = 5, m: int = 2, **more: Any) -> Case:
    """Return a case that protects all m-itemsets and allows all generalizations.

    The first word of the series names the algorithm. COAT has no bound on suppression, because COAT runs in the same
    way until the bound is exceeded. The claims compare the suppression with the paper's bound.
    """
    algorithm = _ALGORITHMS[series.split()[0]]
    chosen = {"data": data, "algorithm": algorithm, "fanout": 5, "k": k, "m": m}
    if algorithm == "coat":
        chosen["max_suppressed"] = 1.0
    return Case(figure, series, x, chosen | more)


def over(factor: Factor, cases: Iterable[Case], *, levels: Sequence[str] | None = None) -> list[Case]:
    """Return every case at every level of a factor. The level also determines the other random choices of a case."""
    return [_with_draws(factor, case) for case in factor.over(cases, levels=levels)]


def _with_draws(factor: Factor, case: Case) -> Case:
    number = number_of(case.repetition) if case.repetition in factor.draws else 1
    given = dict(case.parameters)
    if given.get("privacy") in (*PAIRS, *MIXED):
        given["policy"] = f"policy {number}"
    else:
        given.pop("policy", None)
    if given["fanout"]:
        given.setdefault("order", f"random {number}" if factor is SAMPLES else "numeric")
    if "records" in given:
        given["sample"] = f"sample {number}"
    return replace(case, parameters=given | {"workload": f"workload {number}"})


def by_k(figure: str, data: str, algorithms: Sequence[str] = tuple(_ALGORITHMS)) -> list[Case]:
    """Return the cases with m=2 for each k."""
    return [km(figure, series, k, data, k=k) for series in algorithms for k in KS]


def by_m(figure: str) -> list[Case]:
    """Return the cases with k=5 for each m, on both data sets."""
    cases = [
        km(figure, f"{name}{suffix}", m, BOTH[suffix], m=m) for suffix in BOTH for name in ("COAT", "AA") for m in MS
    ]
    return over(ORDERS, cases)


def privacy(
    figure: str, names: Sequence[str], m: int, ways: Mapping[str, Mapping[str, Any]], sets: Mapping[str, str]
) -> list[Case]:
    """Return the cases of COAT, which protects the itemsets of a policy, and of AA, which protects all m-itemsets."""
    cases: list[Case] = []
    for suffix, data in sets.items():
        shared = {"data": data, "algorithm": "coat", "fanout": 5, "k": 5, "max_suppressed": 1.0}
        for way, more in ways.items():
            cases += [Case(figure, f"COAT{suffix}{way}", x, {**shared, "privacy": x, **more}) for x in names]
        cases += [km(figure, f"AA{suffix}", x, data, m=m) for x in names]
    return cases


def pairs(figure: str) -> list[Case]:
    """Return the cases of PP1 to PP5.

    If leaf orders are repeated, each policy contains the previous policy. If policies are repeated, each policy is
    drawn independently.
    """
    return [
        *over(ORDERS, privacy(figure, PAIRS, 2, {"": {}}, BOTH)),
        *over(POLICIES, privacy(figure, PAIRS, 2, {"": {"apart": True}}, FIRST)),
    ]


def mixed(figure: str) -> list[Case]:
    """Return the cases of PP6 to PP9."""
    return [
        *over(ORDERS, privacy(figure, MIXED, 4, DRAWN_FROM, BOTH)),
        *over(POLICIES, privacy(figure, MIXED, 4, {"": {}}, FIRST)),
    ]


def utility(figure: str) -> list[Case]:
    """Return the cases of UP1 to UP4, on both data sets."""
    cases = [
        km(figure, f"{name}{suffix}", policy, data, utility=size)
        for suffix, data in BOTH.items()
        for name in ("COAT", "AA")
        for policy, size in UTILITY.items()
    ]
    return over(ORDERS, cases)


def workloads(figure: str, data: str) -> list[Case]:
    """Return the cases over k with different queries in each repetition."""
    return over(WORKLOADS, by_k(figure, data, ("COAT", "AA")))


def sizes(figure: str) -> list[Case]:
    """Return the cases over the record count. Work is counted on twenty samples, and times are measured on three."""
    cases = [km(figure, series, n, BMS1, records=n) for series in ("COAT", "AA") for n in SIZES]
    return [*over(SAMPLES, [_of_work(case) for case in cases]), *timed(cases)]


def _of_work(case: Case) -> Case:
    return replace(case, parameters={**case.parameters, "queries": False})


def timed(cases: Iterable[Case]) -> list[Case]:
    """Return each case three times. If records are drawn, each run has a separate sample."""
    return [_timed(case) for case in RUNS.over(cases, cost="time")]


def _timed(case: Case) -> Case:
    own: dict[str, Any] = {}
    if case.parameters.get("fanout"):
        own["order"] = "numeric"
    if "records" in case.parameters:
        own["sample"] = f"sample {number_of(case.repetition)}"
    if case.parameters["algorithm"] == "coat":
        own["max_suppressed"] = SUPPRESSED
    return replace(case, parameters={**case.parameters, **own})


def of_memory(cases: Iterable[Case]) -> list[Case]:
    """Return the cases for measurements of peak memory, without repetitions."""
    return [
        replace(
            case, parameters={**_timed(replace(case, repetition="run 1")).parameters, "memory": True}, cost="memory"
        )
        for case in cases
    ]


HOSPITALS: Mapping[str, Mapping[str, Any]] = {
    "SynPUF, sub-chapters": {"data": SYNPUF, "per_record": CODES_OF_EMR, "utility": "sub-chapters"},
    "SynPUF, categories": {"data": SYNPUF, "per_record": CODES_OF_EMR, "utility": "categories"},
    "diabetes, sub-chapters": {"data": DIABETES, "utility": "sub-chapters"},
    "masked 6 years": {"data": MASKED[0], "per_record": CODES_OF_EMR, "utility": "random groups"},
    "masked 11 years": {"data": MASKED[1], "per_record": CODES_OF_EMR, "utility": "random groups"},
}
"""Replacements of the paper's hospital data and disorders."""
SAME_RECORDS = "SynPUF, categories"
"""Replacement that has the same records as the previous replacement, but other disorders."""
WITH_TAXONOMY = ("SynPUF, sub-chapters", SAME_RECORDS, "diabetes, sub-chapters")


def hospitals(figure: str) -> list[Case]:
    """Return the cases of COAT with Pgen's constraints and twenty disorders, and of AA for pairs."""
    shared = {"records": RECORDS_OF_EMR, "fanout": None, "frequent": True}
    coat = {"algorithm": "coat", "privacy": "pgen", "max_suppressed": 1.0}
    cases = [
        Case(figure, f"COAT {name}", k, {**shared, **coat, **own, "k": k})
        for name, own in HOSPITALS.items()
        for k in KS
    ]
    cases += [
        Case(figure, f"AA {name}", k, {**shared, **HOSPITALS[name], "algorithm": "apriori", "k": k, "m": 2})
        for name in WITH_TAXONOMY
        for k in KS
    ]
    return over(SAMPLES, cases)


def speed(figure: str) -> list[Case]:
    """Return the cases of time and memory of COAT, PCTA and Pgen."""
    cases = [km(figure, f"COAT m={m}", data, data, m=m) for m in (2, 3) for data in (BMS1, BMS2)]
    cases += [km(figure, "COAT m=2", POS, POS), *(km(figure, "PCTA m=2", data, data) for data in (BMS1, BMS2))]
    cases += [
        Case(figure, "Pgen", data, {"data": data, "algorithm": "pgen", "k": 5})
        for data in ("groceries", BMS1, "retail")
    ]
    return [*timed(cases), *of_memory(cases)]


def described(figure: str, sets: Mapping[str, Mapping[str, Any]]) -> list[Case]:
    """Return the cases that describe data sets."""
    return [Case(figure, "here", name, {"algorithm": "describe", **chosen}) for name, chosen in sets.items()]


def shares(figure: str) -> list[Case]:
    """Return the cases that count the itemsets of PP6 to PP9 by size."""
    chosen = {"data": BMS1, "algorithm": "policy", "policy": "policy 1"}
    return [Case(figure, "here", name, {**chosen, "privacy": name}) for name in MIXED]


def without_files(figure: str) -> list[Case]:
    """Return cases on generated baskets."""
    fixed: dict[str, Any] = {"records": 5_000, "order": "numeric", "workload": "workload 1"}
    return [km(figure, series, k, POS, k=k, **fixed) for series in _ALGORITHMS for k in (5, 25)]
