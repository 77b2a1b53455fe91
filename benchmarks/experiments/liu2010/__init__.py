"""Figure 3 of Liu, Wang, "Anonymizing transaction data by integrating suppression and generalization", PAKDD 2010."""

from collections.abc import Sequence
from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.liu2010 import claims
from benchmarks.experiments.liu2010.measurement import compile_kernels, measure

TAFENG, RETAIL, KOSARAK, BMS2 = "tafeng_subclass", "retail", "kosarak_70k", "bms_webview2"
_FANOUT = {TAFENG: None, RETAIL: 5, KOSARAK: 5, BMS2: 5}
_LOSSES = {
    "ncp": "information loss (NCP)",
    "lm": "loss metric (LM)",
    "published": "published symbols",
    "empty": "part of the records that is published empty",
    "refused": "refused (1) or not (0)",
    "seconds": "time in seconds",
    "peak_mib": "peak memory of the process in MiB",
}


def _case(figure: str, series: str, x: int | str, data: str, **chosen: Any) -> Case:
    return Case(figure, series, x, {"data": data, "fanout": _FANOUT[data], **chosen})


def _compared(figure: str, data: str, k: int, sizes: dict[str, Sequence[int]]) -> list[Case]:
    """Return the cases of one data set and k: for each algorithm the sizes m that it is run for."""
    cases = []
    for series, ms in sizes.items():
        for m in ms:
            own: dict[str, dict[str, Any]] = {
                "MM": {"algorithm": "coherence-suppression", "h": 1.0, "p": m},
                "AA": {"algorithm": "apriori", "m": m},
                "LG": {"algorithm": "local-generalization"},
                "mHgHs": {"algorithm": "mhghs", "m": m},
                "HgHs": {"algorithm": "hghs", "m": m},
            }
            cases.append(_case(figure, series, m, data, k=k, **own[series]))
    return cases


_ALL, _UP_TO_7, _COARSE = (1, 2, 3, 5, 7), (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 5)
_BALANCED = "a hierarchy of degree 5 over the item numbers"
_REFUSED = "HgHs and MM refuse to hold more than 30 million minimal threats; that is recorded as refused"

PAPER = Paper(
    key="liu2010",
    title="Liu, Wang, PAKDD 2010: figure 3",
    note="""\
MM (here for h=1, p=m and all items public, which is k^m-anonymity by suppression alone), AA, LG, HgHs and mHgHs, by
NCP, the measure that all have in common; a suppressed occurrence costs 1. LG does not know m. Time is that of the
search on a table in memory, the best of up to three runs (no more once they took two seconds), on one thread after a
run on tiny tables that compiles the kernels or loads them; each case has a process of its own, and its peak memory is
that process's, data included. Every result was verified as far as 10^9 itemset occurrences reach.

The paper's data cannot be had. Baskets of product subclasses (`tafeng_subclass`, with their real taxonomy) stand in for
POS; the sparse `kosarak_70k` and `retail`, which have no taxonomy, for the AOL queries under WordNet.""",
    measure=measure,
    prepare=compile_kernels,
    figures=[
        Figure(
            "fig3b",
            "Fig. 3b, POS as Ta-Feng: information loss as m grows, k=5",
            "m",
            _LOSSES,
            _compared("fig3b", TAFENG, 5, {"MM": _ALL, "AA": _ALL, "LG": _ALL, "mHgHs": _ALL, "HgHs": (1, 2, 3)}),
            claims.TAFENG_5,
            f"Real taxonomy of 2,012 subclasses; its upper levels are prefixes of their codes. {_REFUSED}.",
        ),
        Figure(
            "fig3a",
            "Fig. 3a, POS as Ta-Feng: information loss as m grows, k=50",
            "m",
            _LOSSES,
            _compared("fig3a", TAFENG, 50, {"MM": (1, 2, 3), "AA": _COARSE, "LG": _COARSE, "mHgHs": _COARSE}),
            claims.TAFENG_50,
            "Real taxonomy.",
        ),
        Figure(
            "fig3d",
            "Fig. 3d, AOL as Kosarak: information loss as m grows, k=5",
            "m",
            _LOSSES,
            _compared(
                "fig3d",
                KOSARAK,
                5,
                {"MM": (1, 2, 3), "AA": _UP_TO_7, "LG": _UP_TO_7, "mHgHs": _UP_TO_7, "HgHs": (1, 2)},
            ),
            claims.KOSARAK_5,
            f"With {_BALANCED}. {_REFUSED}. Records have up to 796 items.",
        ),
        Figure(
            "fig3c",
            "Fig. 3c, AOL as Kosarak: information loss as m grows, k=50",
            "m",
            _LOSSES,
            _compared("fig3c", KOSARAK, 50, {"MM": (1, 2), "AA": _COARSE, "LG": _COARSE, "mHgHs": _COARSE}),
            claims.KOSARAK_50,
            f"With {_BALANCED}.",
        ),
        Figure(
            "retail",
            "Fig. 3, AOL as retail: information loss as m grows, k=5",
            "m",
            _LOSSES,
            _compared("retail", RETAIL, 5, {"MM": _ALL, "AA": _ALL, "LG": _ALL, "mHgHs": _ALL, "HgHs": (1, 2, 3)}),
            claims.RETAIL_5,
            f"With {_BALANCED}. {_REFUSED}.",
        ),
        Figure(
            "speed",
            "Beyond the paper, speed: time and memory",
            "run",
            {"seconds": "time in seconds", "peak_mib": "peak memory of the process in MiB", "ncp": "NCP"},
            [
                _case("speed", "here", "LRA, BMS-WebView-2, m=2", BMS2, algorithm="lra", k=5, m=2),
                _case("speed", "here", "LG, BMS-WebView-2", BMS2, algorithm="local-generalization", k=5),
                _case("speed", "here", "MM, retail, p=3", RETAIL, algorithm="coherence-suppression", h=1.0, k=5, p=3),
                _case("speed", "here", "mHgHs, Ta-Feng, m=3", TAFENG, algorithm="mhghs", k=5, m=3),
                _case("speed", "here", "mHgHs, Ta-Feng, m=7", TAFENG, algorithm="mhghs", k=5, m=7),
            ],
            claims.SPEED,
            "k=5.",
        ),
    ],
)
"""The experiments of section 5."""
