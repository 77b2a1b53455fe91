"""Figures 7 to 11 of Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", VLDB 2008."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper, Printed, with_main
from benchmarks.experiments.factors import ORDERS, RUNS, SAMPLES
from benchmarks.experiments.terrovitis2008 import claims
from benchmarks.experiments.terrovitis2008.claims import AA, CONGRESS, TAFENG
from benchmarks.experiments.terrovitis2008.measurement import compile_kernels, measure

_ALGORITHMS = {"OA": "optimal", "DA": "direct", "AA": "apriori"}
_LOSS = {"ncp": "information loss (NCP)"}
_WORK = {"inserted": "itemsets inserted into count-trees", "tree_nodes": "nodes of the count-tree"}
_SECONDS = {"seconds": "time in seconds"}
_OF_REDUCED = {**_LOSS, **_WORK, "cuts": "cuts evaluated by OA", "lattice": "all cuts", **_SECONDS}
_OF_AA = {**_LOSS, **_WORK, "published": "published symbols", **_SECONDS}
_SHAPE = {"records": "records", "items": "items", "longest": "longest record", "average": "average length"}

_POS_RECORDS = 515_597
_REAL = {CONGRESS: "congress_bills", TAFENG: "tafeng_subclass"}
"""Real baskets with almost as many items as BMS-POS."""
_LEAVES = {"congress_bills": 1_718, "tafeng_subclass": 2_012}
_NO_TREE_FROM = 4
"""Smallest m for which the count-trees of the real baskets are too large for repeated counting."""
_TIMED_ORDER = ORDERS.draws[0]
"""Leaf order of the timed searches."""


def levels(leaves: int, fanout: int) -> int:
    """Return the number of levels of a balanced hierarchy, including leaves and root.

    >>> levels(1657, 5), levels(497, 5), levels(3340, 5), levels(40, 4)
    (6, 5, 7, 4)
    """
    found = 1
    while leaves > 1:
        leaves = -(-leaves // fanout)
        found += 1
    return found


def fanout_of(height: int, leaves: int) -> int:
    """Return the smallest fan-out of a balanced hierarchy with `height` levels.

    >>> [fanout_of(height, 1657) for height in (4, 5, 6, 7)]
    [12, 7, 5, 4]

    Raises
    ------
    ValueError
        If no fan-out gives this height.
    """
    for fanout in range(2, leaves + 1):
        if levels(leaves, fanout) == height:
            return fanout
    msg = f"no fan-out gives {height} levels over {leaves} leaves"
    raise ValueError(msg)


def _reduced(figure: str, x: int | str, *, records: int = 10_000, items: int = 40, m: int = 3) -> Iterable[Case]:
    for series, algorithm in _ALGORITHMS.items():
        shared = {"data": "bms_webview2", "records": records, "items": items, "fanout": 4, "k": 100, "m": m}
        yield Case(figure, series, x, {"what": "losses", **shared, "algorithm": algorithm})


def _by_records(figure: str) -> list[Case]:
    return [case for n in (2_000, 5_000, 10_000, 15_000) for case in _reduced(figure, n, records=n)]


def _by_items(figure: str, sizes: Sequence[int] = (40, 45, 50, 55, 60)) -> list[Case]:
    return [case for items in sizes for case in _reduced(figure, items, items=items)]


def _by_m(figure: str) -> list[Case]:
    return [case for m in (1, 2, 3, 4) for case in _reduced(figure, m, m=m)]


def _in_all(figure: str) -> list[Case]:
    """Return the OA and AA cases of Figures 8 to 10 without duplicates."""
    named = {"|D|": _by_records(figure), "|I|": _by_items(figure), "m": _by_m(figure)}
    of_two = [
        replace(case, x=f"{name}={case.x}") for name, cases in named.items() for case in cases if case.series != "DA"
    ]
    return [case for case in of_two if case.x not in ("|D|=10000", "|I|=40")]  # all of these cases have m=3


def _aa(figure: str, series: str, x: int | str, data: str, *, k: int = 5, m: int = 3, fanout: int = 5) -> Case:
    chosen = {"data": data, "algorithm": "apriori", "k": k, "m": m, "fanout": fanout}
    return Case(figure, series, x, {"what": "losses", **chosen})


def _real(figure: str, name: str, values: Sequence[int]) -> list[Case]:
    """Return the AA cases on the real baskets over k, m, or the height h of the hierarchy."""
    made: list[Case] = []
    for series, data in _REAL.items():
        for x in values:
            chosen: dict[str, Any] = {"fanout": fanout_of(x, _LEAVES[data])} if name == "h" else {name: x}
            made.append(_aa(figure, series, x, data, **chosen))
    return [
        replace(case, parameters={**case.parameters, "tree": case.parameters["m"] < _NO_TREE_FROM}) for case in made
    ]


def _timed(cases: Iterable[Case]) -> list[Case]:
    fixed = {"what": "time", "order": _TIMED_ORDER}
    return RUNS.over([replace(case, parameters={**case.parameters, **fixed}) for case in cases], cost="time")


def _over_orders(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with every leaf order, and the timed cases with one leaf order."""
    made = list(cases)
    return [*ORDERS.over(made), *_timed(made)]


def _over_samples(cases: Iterable[Case]) -> list[Case]:
    return SAMPLES.over([replace(case, parameters={**case.parameters, "order": "numeric"}) for case in cases])


_WEBVIEW = ("bms_webview1", "bms_webview2")
_GENERATED = replace(_aa("fig11a", AA, "pos_like", "pos_like"), parameters={
    **_aa("fig11a", AA, "pos_like", "pos_like").parameters, "records": _POS_RECORDS})  # fmt: skip


def _memory() -> list[Case]:
    cases = [*(_aa("memory", AA, name, name) for name in _WEBVIEW), replace(_GENERATED, figure="memory")]
    fixed = {"what": "memory", "order": _TIMED_ORDER}
    return [replace(case, parameters={**case.parameters, **fixed}, cost="memory") for case in cases]


def _without_files() -> list[Case]:
    """Return the cases of Fig. 10 on generated baskets."""
    fixed = {"data": "pos_like", "order": "numeric"}
    cases = [case for m in (1, 2, 3) for case in _reduced("generated", m, m=m)]
    return [replace(case, parameters={**case.parameters, **fixed}) for case in cases]


def _of_pos() -> list[Case]:
    """Return the cases of Fig. 11b-d on BMS-POS."""
    leaves = 1_657
    named = {f"k={k}": {"k": k} for k in (2, 5, 20, 100)}
    named |= {f"h={h}": {"fanout": fanout_of(h, leaves)} for h in (4, 5, 6, 7)}
    named |= {f"m={m}": {"m": m} for m in (1, 2, 3, 4)}
    cases = [_aa("bms_pos", AA, x, "bms_pos", **chosen) for x, chosen in named.items()]
    return ORDERS.over([replace(case, parameters={**case.parameters, "tree": False}) for case in cases])


_REDUCED = "Item numbers are taken modulo |I|, and duplicates are removed. k is 100, and the hierarchy has degree 4."
_BASKETS = (
    "BMS-POS is not available. Two real data sets with almost as many items replace it. They contain the sponsors"
    " of 260,851 bills of the US Congress (1,718 items), and 119,578 baskets of Ta-Feng (2,012 items)."
)

PAPER = Paper(
    key="terrovitis2008",
    title="Terrovitis, Mamoulis, Kalnis, VLDB 2008: figures 7 to 11",
    note=f"""\
The paper's hierarchies are balanced over the items. The paper does not state the order of the leaves. Therefore
losses and counts are measured for 20 random leaf orders, and separately for four orders that people might choose.
These are the orders by number, by text, by frequency, and by first occurrence. Every result was verified.

Work is counted for the algorithms as printed, independently of the engine:

- Itemsets inserted into count-trees. OA and DA insert all sets of up to m nodes of each record. In iteration i, AA
  inserts the sets of i nodes at or above its cut.
- Nodes of the count-tree, which the paper reports as memory. OA and DA have a single tree. For AA, the nodes of the
  last tree are counted, if the records contain at most 10^9 sets of m nodes.
- Cuts evaluated by OA.

The engine walks these trees without storing them. Its OA stops counting at the first rare set of a cut, so the time
of OA does not depend on the tree.

Times are single searches on a table in memory with one thread and leaf order "{_TIMED_ORDER}", after a run on a tiny
table that compiles the kernels. In each of three runs, all compared searches run one after another.""",
    measure=measure,
    prepare=compile_kernels,
    published_data=frozenset({"bms_webview1", "bms_webview2"}),
    figures=[
        Figure(
            "fig7",
            "Fig. 7: characteristics of the data sets",
            "data",
            _SHAPE,
            [Case("fig7", "here", name, {"what": "shape", "data": name}) for name in _WEBVIEW],
            claims.FIGURE_7,
            "BMS-POS is not available.",
        ),
        Figure(
            "fig8",
            "Fig. 8: loss, work, memory and time as the number of records |D| grows",
            "|D|",
            _OF_REDUCED,
            _over_orders(_by_records("fig8")),
            claims.FIGURE_8,
            f"The data are the first records of BMS-WebView-2. {_REDUCED} |I| is 40, and m is 3.",
            quick=(2_000, 15_000),
        ),
        Figure(
            "fig8_samples",
            "Fig. 8 over samples: loss and work of searches of random records, if the leaves are in numeric order",
            "|D|",
            {**_LOSS, **_WORK, "cuts": "cuts evaluated by OA"},
            _over_samples(_by_records("fig8_samples")),
            claims.FIGURE_8_SAMPLES,
            f"The data are random records of BMS-WebView-2, drawn without replacement. {_REDUCED} |I| is 40, and m"
            " is 3.",
            quick=(2_000, 15_000),
        ),
        Figure(
            "fig9",
            "Fig. 9: loss, work, memory and time as the number of items |I| grows",
            "|I|",
            _OF_REDUCED,
            [*ORDERS.over(_by_items("fig9")), *_timed(_by_items("fig9", (40, 50, 60)))],
            with_main(claims.FIGURE_9, "the cost of OA grows exponentially with |I|"),
            f"The data are the first 10,000 records of BMS-WebView-2. {_REDUCED} m is 3. With 30 items or fewer, "
            "no set is rare, and OA evaluates a single cut. Work is counted for every leaf order. Times are from three "
            "runs with one leaf order, so they only illustrate the counted work.",
            quick=(40, 60),
        ),
        Figure(
            "fig10",
            "Fig. 10: loss, work, memory and time as m grows",
            "m",
            _OF_REDUCED,
            _over_orders(_by_m("fig10")),
            with_main(
                claims.FIGURE_10, "the cost of OA and DA is exponential in m", "the cost of AA grows linearly with m"
            ),
            f"The data are the first 10,000 records of BMS-WebView-2. {_REDUCED} |I| is 40.",
            quick=(1, 4),
        ),
        Figure(
            "optimum",
            "Section 1: loss of AA and of OA in all cases of Fig. 8 to 10",
            "case",
            _LOSS,
            ORDERS.over(_in_all("optimum")),
            with_main(claims.IN_ALL, "AA finds a solution close to the optimum in most cases"),
            "|D| is 10,000, |I| is 40 and m is 3, unless the name of the case contains another value.",
            quick=("|I|=50",),
        ),
        Figure(
            "fig11a",
            "Fig. 11a: cost and loss of AA on the large data sets",
            "data",
            _OF_AA,
            [*_over_orders(_aa("fig11a", AA, name, name) for name in _WEBVIEW), *_timed([_GENERATED])],
            with_main(claims.FIGURE_11A, "AA runs in acceptable time", "AA's loss is low on the large sets"),
            "k is 5, m is 3, and the hierarchy has degree 5. BMS-POS is not available. The generated data "
            "`pos_like` have the same numbers of records and items and the same record lengths. They replace "
            "BMS-POS only for times, because their loss does not predict the loss of real data.",
            printed=[Printed("ncp", 0, 0.03, "the information loss is low (maximum 3%), section 5.2")],
        ),
        Figure(
            "fig11b",
            "Fig. 11b: cost and loss of AA as k grows",
            "k",
            _OF_AA,
            _over_orders(_real("fig11b", "k", (2, 5, 20, 100))),
            claims.FIGURE_11B,
            f"m is 3, and the hierarchy has degree 5. {_BASKETS}",
            quick=(5,),
        ),
        Figure(
            "fig11c",
            "Fig. 11c: cost and loss of AA as the height h of the hierarchy grows",
            "h",
            _OF_AA,
            _over_orders(_real("fig11c", "h", (4, 5, 6, 7))),
            claims.FIGURE_11C,
            "k is 5, and m is 3. The height h is the number of levels, including leaves and root. This agrees "
            "with h=6 for degree 5 in the paper. For each h, we use the smallest degree that gives this height. "
            f"{_BASKETS}",
            printed=[Printed("ncp", 0.01, 0.01, "the information loss is close to 1% for all h but 4, section 5.2")],
            quick=(4,),
        ),
        Figure(
            "fig11d",
            "Fig. 11d: cost and loss of AA as m grows",
            "m",
            _OF_AA,
            _over_orders(_real("fig11d", "m", (1, 2, 3, 4))),
            with_main(claims.FIGURE_11D, "the loss grows only slightly with m"),
            f"k is 5, and the hierarchy has degree 5. {_BASKETS}",
            quick=(2,),
        ),
        Figure(
            "memory",
            "Memory of the process: peak memory of AA on the large data sets",
            "data",
            {"peak_mib": "peak memory of the process in MiB, including the data"},
            _memory(),
            note="k is 5, m is 3, and the hierarchy has degree 5. The paper reports nodes of the count-tree, "
            "which our engine does not store.",
        ),
        Figure(
            "bms_pos",
            "Fig. 11b-d on BMS-POS: loss of AA as k, h and m grow",
            "parameter",
            {**_LOSS, "published": "published symbols"},
            _of_pos(),
            note="Unless the axis states otherwise, k is 5, m is 3, and the hierarchy has degree 5 (h=6). These cases "
            "run if the data folder contains `transactions/bms_pos.dat.gz`.",
        ),
        Figure(
            "generated",
            "Generated baskets: loss and work as m grows",
            "m",
            {**_LOSS, **_WORK, "cuts": "cuts evaluated by OA"},
            _without_files(),
            note=f"These cases need no files. The data are the first 10,000 baskets of `pos_like`. {_REDUCED} |I| is "
            "40. The leaves are in the order of the item numbers.",
        ),
    ],
)
"""Experiments of section 5."""
