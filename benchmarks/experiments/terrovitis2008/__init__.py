"""Figures 8 to 11 of Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", VLDB 2008."""

from collections.abc import Iterable

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.terrovitis2008 import claims
from benchmarks.experiments.terrovitis2008.measurement import compile_kernels, measure

_ALGORITHMS = {"OA": "optimal", "DA": "direct", "AA": "apriori"}
_QUANTITIES = {
    "seconds": "time in seconds (best of 3)",
    "tree_nodes": "nodes of the count-tree",
    "ncp": "information loss (NCP)",
    "peak_mib": "peak memory of the process in MiB",
}
_POS_RECORDS = 515_597
_FANOUT_OF_HEIGHT = {4: 12, 5: 7, 6: 5, 7: 4, 8: 3}
"""Smallest fan-out with which 1,657 leaves need so many levels."""


def _reduced(figure: str, x: int, *, records: int = 10_000, items: int = 40, m: int = 3) -> Iterable[Case]:
    """Return the cases of one x: the three algorithms on a reduced set made of BMS-WebView-2."""
    for series, algorithm in _ALGORITHMS.items():
        shared = {"data": "bms_webview2", "records": records, "items": items, "fanout": 4, "k": 100, "m": m}
        yield Case(figure, series, x, {**shared, "algorithm": algorithm})


def _pos(figure: str, x: int | str, *, k: int = 5, m: int = 3, fanout: int = 5) -> Case:
    """Return a case of AA on the generated stand-in of BMS-POS."""
    shared = {"data": "pos_like", "records": _POS_RECORDS, "algorithm": "apriori"}
    return Case(figure, "AA", x, {**shared, "k": k, "m": m, "fanout": fanout})


def _webview(figure: str, name: str) -> Case:
    return Case(figure, "AA", name, {"data": name, "algorithm": "apriori", "k": 5, "m": 3, "fanout": 5})


_REDUCED = "First records of BMS-WebView-2, item numbers modulo |I|, duplicates removed; k=100, degree 4"
_POS = "BMS-POS cannot be had: `pos_like` has its numbers of records and items and its lengths, but is generated"

PAPER = Paper(
    key="terrovitis2008",
    title="Terrovitis, Mamoulis, Kalnis, VLDB 2008: figures 8 to 11",
    note="""\
Time is that of the search on a table in memory, the best of three runs on one thread after a run on a tiny table that
compiles the kernels or loads them; each case has a process of its own, and its peak memory is that process's, data
included. Every result was verified. The paper reports the nodes of its count-tree as memory. Here the tree is walked
and never stored; its nodes were counted apart from the measured runs: all supported sets of up to m nodes for OA and
DA, the tree of the last iteration for AA, where the records hold at most 4 * 10^9 sets of m nodes (with repetitions).
OA here looks at the cuts one by one, counts as far as the first rare set and remembers it, so that its time does not
depend on the tree.""",
    measure=measure,
    prepare=compile_kernels,
    figures=[
        Figure(
            "fig8",
            "Fig. 8: time, memory and loss as the number of records |D| grows",
            "|D|",
            _QUANTITIES,
            [case for n in (2_000, 5_000, 10_000, 15_000) for case in _reduced("fig8", n, records=n)],
            claims.FIGURE_8,
            f"{_REDUCED}, |I|=40, m=3.",
        ),
        Figure(
            "fig9",
            "Fig. 9: time, memory and loss as the number of items |I| grows",
            "|I|",
            _QUANTITIES,
            [case for items in (40, 50, 60) for case in _reduced("fig9", items, items=items)],
            claims.FIGURE_9,
            f"{_REDUCED}, |D|=10,000, m=3.",
        ),
        Figure(
            "fig10",
            "Fig. 10: time, memory and loss as m grows",
            "m",
            _QUANTITIES,
            [case for m in (1, 2, 3, 4) for case in _reduced("fig10", m, m=m)],
            claims.FIGURE_10,
            f"{_REDUCED}, |D|=10,000, |I|=40.",
        ),
        Figure(
            "fig11a",
            "Fig. 11a (one set generated): AA on the three large sets",
            "data",
            _QUANTITIES,
            [_pos("fig11a", "pos_like"), _webview("fig11a", "bms_webview1"), _webview("fig11a", "bms_webview2")],
            claims.FIGURE_11A,
            f"k=5, m=3, degree 5 over the item numbers in ascending order. {_POS}; its loss says nothing about the "
            "real set.",
        ),
        Figure(
            "fig11b",
            "Fig. 11b (generated data): AA as k grows",
            "k",
            _QUANTITIES,
            [_pos("fig11b", k, k=k) for k in (2, 5, 10, 20, 50, 100)],
            claims.FIGURE_11B,
            f"m=3, degree 5. {_POS}.",
        ),
        Figure(
            "fig11c",
            "Fig. 11c (generated data): AA as the height h of the hierarchy grows",
            "h",
            _QUANTITIES,
            [_pos("fig11c", h, fanout=fanout) for h, fanout in _FANOUT_OF_HEIGHT.items()],
            claims.FIGURE_11C,
            "k=5, m=3; h counts levels, leaves and root included, as the paper's h=6 for degree 5 does: fan-outs "
            + ", ".join(f"{fanout} (h={h})" for h, fanout in _FANOUT_OF_HEIGHT.items())
            + f". {_POS}, with item categories that a hierarchy of degree 5 follows (h=6) and others cut across.",
        ),
        Figure(
            "fig11d",
            "Fig. 11d (generated data): AA as m grows",
            "m",
            _QUANTITIES,
            [_pos("fig11d", m, m=m) for m in (1, 2, 3, 4, 5)],
            claims.FIGURE_11D,
            f"k=5, degree 5. {_POS}.",
        ),
    ],
)
"""The experiments of section 5."""
