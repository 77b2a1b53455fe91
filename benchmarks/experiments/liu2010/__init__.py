"""Figure 3 of Liu, Wang, "Anonymizing transaction data by integrating suppression and generalization", PAKDD 2010."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper, Printed, with_main
from benchmarks.experiments.factors import ORDERS, RUNS, SAMPLES, TREES
from benchmarks.experiments.liu2010 import claims
from benchmarks.experiments.liu2010.claims import KOSARAK, POS, PRODUCTS
from benchmarks.experiments.liu2010.measurement import compile_kernels, measure

_SUBCLASSES, _BILLS, _PRODUCTS = "tafeng_subclass", "congress_bills", "tafeng_baskets"
_KOSARAK, _RETAIL, _BMS2 = "kosarak_70k", "retail", "bms_webview2"
_SKEWS = (2, 4)
"""Skews of random taxonomies. The last skew is the largest possible skew."""
_BY_SKEW = {f"skew {skew}": f"ncp_{skew}" for skew in _SKEWS}
_HALF = 0.5
_LOSSES = {
    "ncp": "information loss (NCP)",
    "suppressed": "share of occurrences suppressed",
    "published": "published symbols",
}
_LOSSES_BY_SKEW = {f"ncp_{skew}": f"information loss (NCP), skew {skew}" for skew in _SKEWS}
_SIZES, _SIZES_ON_AOL = (1, 2, 3, 7), (1, 2, 3, 5, 7)
_WITHOUT_HIERARCHY = ("MM",)
_Points = Mapping[str, Sequence[tuple[int, int]]]
"""Values of k and m for each curve."""


def _own(series: str, m: int) -> dict[str, Any]:
    """Return the parameters of a curve's algorithm. The algorithms have different names for m."""
    known: Mapping[str, dict[str, Any]] = {
        "MM": {"algorithm": "coherence-suppression", "h": 1.0, "p": m},
        "AA": {"algorithm": "apriori", "m": m},
        "LG": {"algorithm": "local-generalization"},
        "mHgHs": {"algorithm": "mhghs", "m": m},
        "HgHs": {"algorithm": "hghs", "m": m},
        "LRA": {"algorithm": "lra", "m": m},
    }
    return known[series]


def _cases(figure: str, points: _Points, over: str, **shared: Any) -> list[Case]:
    """Return a case for each curve and point (k, m). `over` is the parameter on the horizontal axis."""
    return [
        Case(figure, series, {"k": k, "m": m}[over], {"k": k, **_own(series, m), **shared})
        for series, chosen in points.items()
        for k, m in chosen
    ]


def _over_m(k: int, sizes: Sequence[int] = _SIZES, **more: Sequence[int]) -> _Points:
    """Return the points (k, m) of curves over m.

    `more` adds curves, or replaces the values of m of a curve.
    """
    curves = dict.fromkeys(("MM", "AA", "LG", "mHgHs"), sizes) | more
    return {series: [(k, m) for m in chosen] for series, chosen in curves.items()}


def _over_k(ks: Sequence[int], m: int, series: Sequence[str] = ("MM", "AA", "LG", "mHgHs")) -> _Points:
    return {name: [(k, m) for k in ks] for name in series}


def _apart(points: _Points) -> tuple[_Points, _Points]:
    """Split curves into algorithms without and with a hierarchy."""
    free = {name: points[name] for name in points if name in _WITHOUT_HIERARCHY}
    return free, {name: points[name] for name in points if name not in free}


def _over_orders(figure: str, points: _Points, data: str, over: str = "m") -> list[Case]:
    """Return cases for every leaf order of a hierarchy of degree 5."""
    free, bound = _apart(points)
    same = _cases(figure, free, over, data=data)
    ordered = ORDERS.over(_cases(figure, bound, over, data=data, fanout=5))
    return [replace(case, repetition=level) for level in ORDERS.levels for case in same] + ordered


def _over_samples(figure: str, points: _Points, over: str = "m") -> list[Case]:
    free, bound = _apart(points)
    shared = {"data": _PRODUCTS, "share": _HALF}
    return SAMPLES.over(_cases(figure, free, over, **shared) + _cases(figure, bound, over, taxonomy=True, **shared))


def _below_the_real(figure: str, points: _Points) -> list[Case]:
    free, bound = _apart(points)
    return _cases(figure, free, "m", data=_SUBCLASSES) + _cases(figure, bound, "m", data=_SUBCLASSES, taxonomy=True)


def _over_trees(figure: str, points: _Points, over: str = "m") -> list[Case]:
    """Return cases on Kosarak with random taxonomies. Each draw also selects a leaf order and half of the records."""
    free, bound = _apart(points)
    shared = {"data": _KOSARAK, "share": _HALF, "skews": list(_SKEWS)}
    samples = dict(zip(SAMPLES.draws, TREES.draws, strict=True))
    without = [
        replace(case, repetition=samples[case.repetition])
        for case in SAMPLES.over(_cases(figure, free, over, **shared))
    ]
    return without + TREES.over(_cases(figure, bound, over, **shared))


def _timed() -> list[Case]:
    cases = []
    for x, m, names, chosen in (
        (POS, 7, ("MM", "AA", "LG", "mHgHs"),
         {"data": _SUBCLASSES, "share": _HALF, "sample": "sample 1", "fanout": 5, "order": "random 1"}),
        (PRODUCTS, 7, ("MM", "AA", "LG", "mHgHs"),
         {"data": _PRODUCTS, "share": _HALF, "sample": "sample 1", "taxonomy": True}),
        (KOSARAK, 5, ("AA", "LG", "mHgHs"),
         {"data": _KOSARAK, "share": _HALF, "skews": [_SKEWS[-1]], "tree": "tree 1"}),
    ):  # fmt: skip
        cases += [Case("times", name, x, {"k": 5, **_own(name, m), **chosen}) for name in names]
    return RUNS.over(cases, cost="time")


def _without_files() -> list[Case]:
    """Return cases on generated baskets."""
    free, bound = _apart(_over_m(5, (2, 3)))
    shared = {"data": "pos_like", "records": 5_000}
    return _cases("generated", free, "m", **shared) + _cases("generated", bound, "m", fanout=5, **shared)


def _tenths(series: Sequence[str]) -> list[Case]:
    shared = {"data": _PRODUCTS, "taxonomy": True, "sample": "sample 1", "k": 5}
    return [
        Case("scalability", name, 10 * tenth, {**shared, **_own(name, 7), "share": tenth / 10})
        for tenth in range(1, 11)
        for name in series
    ]


def _speed() -> list[Case]:
    subclasses = {"data": _SUBCLASSES, "taxonomy": True, "k": 5}
    balanced = {"fanout": 5, "order": "numeric", "k": 5}
    chosen: dict[str, dict[str, Any]] = {
        "LRA, BMS-WebView-2, m=2": {"data": _BMS2, **_own("LRA", 2), **balanced},
        "LG, BMS-WebView-2": {"data": _BMS2, **_own("LG", 0), **balanced},
        "MM, retail, p=3": {"data": _RETAIL, **_own("MM", 3), "k": 5},
        "mHgHs, Ta-Feng, m=3": {**_own("mHgHs", 3), **subclasses},
        "mHgHs, Ta-Feng, m=7": {**_own("mHgHs", 7), **subclasses},
    }
    return RUNS.over([Case("speed", "here", run, parameters) for run, parameters in chosen.items()], cost="time")


_DEGREE_5 = (
    "The hierarchy has degree 5, as in Terrovitis et al. The leaves are in 20 random orders, and in the order of "
    "number, label, frequency and first occurrence."
)
_REAL = "The items are products with their real taxonomy of four levels. Its nodes contain from one item to thousands. "
_REAL += "Each of 20 repetitions draws half of the baskets. The paper uses the first of ten subsets."
_DRAWN = (
    "The data are `kosarak_70k`. Random, unbalanced taxonomies replace WordNet. They are drawn by `skewed_tree` with "
    "the largest skew and with half of it, and are not fitted to a real taxonomy. Each repetition also draws the leaf "
    "order and half of the records."
)
_ON_POS = (Printed("ncp", 0.075, 0.7, "the loss of MM is between 7.5% and 70% for m >= 2 (section 5.1)"),)
_MM_ON_AOL = Printed("ncp", 0.46, 0.96, "the loss of MM is between 46% and 96% for m >= 2 (section 5.1)")
_AA_ON_AOL = Printed("ncp", 0.39, 0.39, "the loss of AA is around 39%, even for m=1 (section 5.1)")
_ON_AOL_5 = (
    _MM_ON_AOL, _AA_ON_AOL,
    Printed("ncp", 0.12, 0.12, "the loss of LG is 12% (section 5.1)"),
    Printed("ncp", 0.079, 0.079, "the loss of mHgHs is around 7.9% for m >= 5, and never 10% (section 5.1)"),
)  # fmt: skip
_ON_AOL_50 = (
    _MM_ON_AOL, _AA_ON_AOL,
    Printed("ncp", 0.17, 0.17, "the loss of LG is 17%, and at most 27% for any k (section 5.1)"),
    Printed("ncp", 0.09, 0.09, "the loss of mHgHs is 9% for m >= 5, and never 10% (section 5.1)"),
)  # fmt: skip
_OVER_K = (
    "The axis of the paper's figure is m (section 5.1), so the orderings over k are our own. The claims about the gap "
    "between mHgHs and LG, and about losses printed for k=50, are those of the paper."
)

PAPER = Paper(
    key="liu2010",
    title="Liu, Wang, PAKDD 2010: figure 3",
    note="""\
The figures show the NCP of MM, AA, LG, HgHs and mHgHs. MM has h=1, p=m and only public items, so it ensures
k<sup>m</sup>-anonymity by suppression. A suppressed occurrence costs 1. LG does not use m, and MM does not use a
hierarchy. MM and HgHs stop at 30 million minimal threats (a limit of work, not of time). Their curves end where
this limit is exceeded. The results of the first repetition were verified, each up to 10^8 itemset occurrences.
Times are single runs on one thread, on a table in memory, with compiled kernels.

The paper's data are not available. Baskets of product subclasses (`tafeng_subclass`) and the sponsors of bills
(`congress_bills`) replace POS. The paper's hierarchy of POS was artificial, with degree 5. We did not look for the
AOL queries, because they contain names of persons. Their relevant properties are very sparse items and an unbalanced
taxonomy. Two data sets have these properties: baskets of 23,812 products with a real taxonomy (`tafeng_baskets`), and
to some degree the clicks of `kosarak_70k` with random taxonomies.""",
    measure=measure,
    prepare=compile_kernels,
    published_data=frozenset(),
    figures=[
        Figure(
            "fig3a",
            "Fig. 3a, Ta-Feng in place of POS: information loss for k=50 as m grows",
            "m",
            _LOSSES,
            _over_orders("fig3a", _over_m(50, HgHs=(1, 2)), _SUBCLASSES),
            (
                *claims.claims_of_order("m", ORDERS, lg_may_exceed=True),
                claims.LG_ABOVE_AA,
                claims.MM_ON_POS,
                claims.horizontal(ORDERS),
                claims.close(ORDERS),
            ),
            f"{_DEGREE_5} The value k=50 is inferred from panels c and d.",
            _ON_POS,
            quick=(2, 3),
        ),
        Figure(
            "fig3a_k",
            "Fig. 3a over k, Ta-Feng in place of POS: information loss for m=7 as k grows",
            "k",
            _LOSSES,
            _over_orders("fig3a_k", _over_k((5, 50), 7), _SUBCLASSES, "k"),
            claims.claims_of_order("k", ORDERS, begin=0, axis="k"),
            f"{_DEGREE_5} {_OVER_K}",
            _ON_POS,
            quick=(50,),
        ),
        Figure(
            "fig3b",
            "Fig. 3b, Ta-Feng in place of POS: information loss for k=5 as m grows",
            "m",
            _LOSSES,
            _over_orders("fig3b", _over_m(5, HgHs=(1, 2)), _SUBCLASSES),
            (
                *with_main(
                    claims.claims_of_order("m", ORDERS),
                    "MM has the highest loss for all m from 2 on",
                    "mHgHs has the lowest loss",
                ),
                claims.MM_ON_POS,
                claims.MODERATE,
                claims.horizontal(ORDERS),
                claims.close(ORDERS),
            ),
            _DEGREE_5,
            _ON_POS,
            quick=(2, 3),
        ),
        Figure(
            "bills",
            "Fig. 3b, bills in place of POS: information loss for k=5 as m grows",
            "m",
            _LOSSES,
            _over_orders("bills", _over_m(5, (1, 2, 3)), _BILLS),
            claims.claims_of_order("m", ORDERS),
            f"`congress_bills`. {_DEGREE_5}",
            _ON_POS,
            quick=(2,),
        ),
        Figure(
            "real",
            "Fig. 3b, Ta-Feng with its real taxonomy in place of POS: information loss for k=5 as m grows",
            "m",
            {**_LOSSES, "shared": "items with several published symbols"},
            _below_the_real("real", _over_m(5, HgHs=(1, 2, 3))),
            claims.REAL,
            "The real hierarchy of 2,012 subclasses replaces the paper's hierarchy. Its upper levels are code "
            "prefixes. There are no random draws.",
            _ON_POS,
            quick=(2,),
        ),
        Figure(
            "fig3c",
            "Fig. 3c, products in place of AOL: information loss for k=50 as m grows",
            "m",
            _LOSSES,
            _over_samples("fig3c", _over_m(50, _SIZES_ON_AOL)),
            (
                *claims.claims_of_order("m", SAMPLES),
                *claims.on_aol(SAMPLES, own=0.09, lg=0.17),
                claims.horizontal(SAMPLES),
            ),
            _REAL,
            _ON_AOL_50,
            quick=(2,),
        ),
        Figure(
            "fig3c_k",
            "Fig. 3c over k, products in place of AOL: information loss for m=7 as k grows",
            "k",
            _LOSSES,
            _over_samples("fig3c_k", _over_k((5, 20, 50), 7), "k"),
            (*claims.claims_of_order("k", SAMPLES, begin=0, axis="k"), claims.widening(SAMPLES)),
            f"{_REAL} {_OVER_K}",
            (
                _MM_ON_AOL,
                _AA_ON_AOL,
                Printed(
                    "ncp",
                    0.09,
                    0.27,
                    "for k=50 the loss is 9% with mHgHs and 17% with LG. With LG it is at most 27% for any k",
                ),
            ),
            quick=(50,),
        ),
        Figure(
            "fig3d",
            "Fig. 3d, products in place of AOL: information loss for k=5 as m grows",
            "m",
            _LOSSES,
            _over_samples("fig3d", _over_m(5, _SIZES_ON_AOL)),
            (
                *claims.claims_of_order("m", SAMPLES),
                *claims.on_aol(SAMPLES, own=0.079, lg=0.12),
                claims.horizontal(SAMPLES),
            ),
            _REAL,
            _ON_AOL_5,
            quick=(2,),
        ),
        Figure(
            "drawn",
            "Fig. 3d, Kosarak in place of AOL: information loss for k=5 as m grows",
            "m",
            _LOSSES_BY_SKEW,
            _over_trees("drawn", _over_m(5, (1, 2, 3, 5), MM=(1, 2, 3))),
            (
                *claims.claims_of_order("skew", TREES, _BY_SKEW),
                *with_main(
                    [
                        replace(one, text=f"{one.text} (without m=7)")
                        for one in claims.on_aol(TREES, _BY_SKEW, own=0.079, lg=0.12)
                    ],
                    "the loss of mHgHs on AOL is below 10% (without m=7)",
                ),
                claims.horizontal(TREES, _BY_SKEW),
            ),
            f"{_DRAWN} MM is run up to m=3, because it exceeds its limit from m=4 on. m=7 was not run, because a"
            " single search of mHgHs takes minutes.",
            [replace(one, quantity=quantity) for quantity in _LOSSES_BY_SKEW for one in _ON_AOL_5],
            quick=(2,),
        ),
        Figure(
            "drawn_k",
            "Fig. 3c over k, Kosarak in place of AOL: information loss for m=5 as k grows",
            "k",
            _LOSSES_BY_SKEW,
            _over_trees("drawn_k", _over_k((5, 50), 5, ("AA", "LG", "mHgHs")), "k"),
            (
                *claims.claims_of_order("skew", TREES, _BY_SKEW, begin=0, axis="k")[1:],
                *claims.printed_for_large_k(TREES, _BY_SKEW),
                claims.widening(TREES, _BY_SKEW),
            ),
            f"{_DRAWN} {_OVER_K} The losses that the paper prints for k=50 are judged at m=5. m=7 was not run.",
            quick=(50,),
        ),
        Figure(
            "times",
            "Section 5.2, efficiency: time of a search",
            "data",
            {"seconds": "time in seconds"},
            _timed(),
            with_main(claims.TIMES, "LG is the most efficient"),
            "k=5 and m=7 are the paper's defaults. For Kosarak m is 5, and MM is not run, because it would exceed"
            " its limit of threats. The Ta-Feng data are samples of half of the records. Only times are compared,"
            " because LG and the other algorithms have no common measure of work.",
            quick=(PRODUCTS,),
        ),
        Figure(
            "scalability",
            "Section 5.2, scalability: cost as the number of baskets grows",
            "% of the baskets",
            {"seconds": "time in seconds", "threats": "minimal threats stored", "cuts": "cuts evaluated"},
            [*_tenths(["mHgHs"]), *RUNS.over(_tenths(["mHgHs", "LG", "AA"]), cost="time")],
            with_main(claims.SCALABILITY, "the counted work of mHgHs is quite scalable"),
            "The data are nested samples with 10%, 20%, … 100% of `tafeng_baskets` and their real taxonomy. k is "
            "5, and m is 7.",
            quick=(10, 20),
        ),
        Figure(
            "speed",
            "Beyond the paper, speed: time of a search",
            "run",
            {"seconds": "time in seconds"},
            _speed(),
            claims.SPEED,
            "k is 5.",
            quick=("LG, BMS-WebView-2",),
        ),
        *(
            Figure(
                f"bms_pos_{k}",
                f"Fig. 3{letter} on BMS-POS: information loss for k={k} as m grows",
                "m",
                _LOSSES,
                _over_orders(f"bms_pos_{k}", _over_m(k), "bms_pos"),
                note="The hierarchy has degree 5. These cases run if the data folder contains "
                "`transactions/bms_pos.dat.gz`.",
                quick=(2,),
            )
            for letter, k in (("a", 50), ("b", 5))
        ),
        Figure(
            "generated",
            "Generated baskets: information loss for k=5 as m grows",
            "m",
            _LOSSES,
            _without_files(),
            note="These cases need no files. The data are 5,000 baskets of `pos_like`. The hierarchy has degree 5, and "
            "its leaves are in the order of the item numbers.",
        ),
    ],
)
"""Experiments of section 5."""
