"""Measure the distance between heuristics and the best cut, and the cost of proofs."""

from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.optimum import claims
from benchmarks.experiments.optimum.measurement import compile_kernels, measure

_SMALL = (
    "bms_webview1", "bms_webview2", "groceries", "msweb", "epub", "informs2005", "diabetes130_patients",
    "diabetes130_encounters", "vermont2013", "youtube080327", "completejourney_households",
)  # fmt: skip
_LARGE = (
    "congress_bills", "retail", "kosarak_70k", "tafeng_subclass", "tafeng_customers", "tafeng_baskets", "emr_ra1_6y",
    "emr_ra1_11y", "t10i4d100k", "tags_math_sx", "synpuf_inpatient", "online_retail",
)  # fmt: skip
"""Data sets with more than 400,000 item occurrences."""
_HEURISTIC = {"max_sets": 1_000_000_000, "max_threats": 2_000_000}
_SMALL_LIMITS = {"max_steps": 500, **_HEURISTIC}
_LARGE_LIMITS = {"max_steps": 100, "max_sets": 200_000_000, "max_threats": 2_000_000, "suppressing": [1, 2]}
_ORDERED = ("groceries", "bms_webview1", "msweb", "epub")
_SAMPLED = ("groceries", "bms_webview1", "bms_webview2")
_ABOVE = "% above the best cut"
_SPREAD = {
    "runs": "runs",
    "proven": "runs with a proven best cut",
    "best_least": "NCP of the best cut, smallest",
    "best_median": "NCP of the best cut, median",
    "best_most": "NCP of the best cut, largest",
    "apriori_median": f"AA, {_ABOVE}, median",
    "apriori_most": f"AA, {_ABOVE}, largest",
    "vpa_median": f"VPA, {_ABOVE}, median",
    "vpa_most": f"VPA, {_ABOVE}, largest",
    "mhghs_s_median": f"mHgHs, {_ABOVE} with suppression, median",
    "mhghs_s_most": f"mHgHs, {_ABOVE} with suppression, largest",
}
_SEARCH = {
    "seconds": "time in seconds",
    "open": "% above its lower bound (0 if proven)",
    "peak_mib": "peak memory of the process in MiB",
    "rounds": "programs solved",
    "ncp": "NCP",
}


def _distances() -> dict[str, str]:
    shown: dict[str, str] = {}
    for m in (1, 2, 3):
        shown |= {
            f"m{m}_best": f"m={m}: NCP of the best cut",
            f"m{m}_apriori": f"m={m}: AA, {_ABOVE}",
            f"m{m}_vpa": f"m={m}: VPA, {_ABOVE}",
            f"m{m}s_best": f"m={m}: NCP of the best cut with suppression",
            f"m{m}s_open": f"m={m}: % of the best cut with suppression above its lower bound (0 if proven)",
            f"m{m}s_hghs": f"m={m}: HgHs, {_ABOVE} with suppression",
            f"m{m}s_mhghs": f"m={m}: mHgHs, {_ABOVE} with suppression",
        }
    return shown


def _search(figure: str, series: str, x: int, *, suppress: bool = False, **chosen: Any) -> Case:
    shared = {"what": "search", "k": 5, "suppress": suppress, "max_steps": 500}
    return Case(figure, series, x, {**shared, **chosen})


PAPER = Paper(
    key="optimum",
    title="Distance of the heuristics from the best cut",
    note="""\
The best cut is the k<sup>m</sup>-anonymous cut with the smallest NCP (`exact`). This study measures how much more
AA, DA and VPA lose than the best cut. With suppression, it measures how much more HgHs and mHgHs lose than the best
cut with suppression. The hierarchy is the taxonomy of a data set, or `balanced:5` over its items if it has no
taxonomy.

Limits on the work, and not on the time, were fixed in advance. They are 500 steps of the exact search, 10^9 sets of
each size for a heuristic, and 2 million threats. For data sets with more than 400,000 item occurrences, the limits
are 100 steps and 2 * 10^8 sets, and m=3 is not measured with suppression. A heuristic that exceeds its limit has no
value. With suppression, a case that mHgHs cannot finish is skipped.

If the exact search reaches its limit before the proof, "best" is the best cut that any search found. With default
limits the exact search takes longer and proves more cases. Every best cut was verified up to 2 * 10^7 itemset
occurrences. Times were measured with one thread. Other programs were running, so times are up to five times as long
as on an idle machine.""",
    measure=measure,
    study=True,
    prepare=compile_kernels,
    figures=[
        Figure(
            "orders",
            "Orders of the leaves: distances for `balanced:5` over 16 random orders and the orders by number, label, "
            "frequency and first occurrence",
            "data",
            _SPREAD | {f"best in {name} order": f"NCP of the best cut in {name} order"
                       for name in ("numeric", "lexical", "frequency", "first seen")},
            [Case("orders", f"m={m}", data, {"what": "orders", "data": data, "k": 5, "m": m, "orders": 16,
                                             **_SMALL_LIMITS}) for data in _ORDERED for m in (2, 3)],
            claims.ORDERS,
            "k is 5. Items that are not numbers have no numeric order.",
            quick=("groceries", "m=2"),
        ),
        Figure(
            "samples",
            "Samples: distances for 8 samples of records, drawn without replacement",
            "data",
            _SPREAD,
            [Case("samples", "m=2", f"{data}, {percent} %",
                  {"what": "samples", "data": data, "percent": percent, "samples": 8, "k": 5, "m": 2, **_SMALL_LIMITS})
             for data in _SAMPLED for percent in (10, 50)],
            claims.SAMPLES,
            "k is 5, and m is 2.",
        ),
        Figure(
            "items",
            "Items: exact search on 100,000 baskets of `pos_like` as the number of items grows",
            "items",
            _SEARCH,
            [_search("items", f"m={m}", n, m=m, records=100_000, items=n)
             for m in (2, 3) for n in (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)],
            claims.ITEMS,
            "k is 5, and the hierarchy is `balanced:5`.",
            quick=(1_000, 32_000),
        ),
        Figure(
            "m",
            "m: exact search on BMS-WebView-1 as m grows",
            "m",
            _SEARCH,
            [_search("m", f"BMS-WebView-1{', suppression' if suppress else ''}", m, m=m, suppress=suppress,
                     data="bms_webview1") for suppress in (False, True) for m in (1, 2, 3, 4, 5)],
            claims.LARGER_M,
            "k is 5, and the hierarchy is `balanced:5`.",
        ),
        Figure(
            "k",
            "k: exact search on BMS-WebView-2 as k grows",
            "k",
            _SEARCH,
            [_search("k", f"m={m}{', suppression' if suppress else ''}", k, k=k, m=m, suppress=suppress,
                     data="bms_webview2") for m, suppress in ((2, False), (2, True), (3, False))
             for k in (2, 5, 25, 100, 500)],
            claims.LARGER_K,
            "The hierarchy is `balanced:5`.",
        ),
        Figure(
            "sets",
            "Data sets: distances of the heuristics from the best cut",
            "data",
            _distances(),
            [Case("sets", f"k={k}", data, {"what": "set", "data": data, "k": k, "sizes": [1, 2, 3],
                                          **(_SMALL_LIMITS if data in _SMALL else _LARGE_LIMITS)})
             for k in (5, 2, 25, 100) for data in (*_SMALL, *_LARGE)],
            claims.SETS,
            quick=("groceries", "msweb", "epub", "informs2005", "vermont2013", "tafeng_subclass"),
        ),
    ],
)  # fmt: skip
"""Our own study of the best cut."""
