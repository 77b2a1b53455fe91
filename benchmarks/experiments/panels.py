"""Description of every panel and table of the five papers, with printed figures and differences of our reproduction.

The plots of the papers contain no numbers, so `printed` contains only figures from texts and tables. If a paper does
not state a choice (leaf order, sample, workload, seed), the choice is drawn many times and is not listed as a
difference.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.experiments.cases import Claim
from benchmarks.experiments.poulis2013.query_errors import QUERIES

Status = Literal["paper's setting", "with differences", "not testable"]


@dataclass(frozen=True)
class Band:
    """Value, or range of values, that a paper prints."""

    low: float
    high: float
    unit: str = ""
    """Unit of the quantity. Empty for a share or a ratio."""
    series: str = ""
    """Curve of the value. Empty if the value applies to all curves."""
    where: str = ""
    """Parameters of the value. Empty if the value applies to all parameters."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel of a figure, a table, or a section with results."""

    paper: str
    """Key of the paper's package."""
    label: str
    """Name in the paper."""
    shows: str
    """Quantities drawn or listed, and the axis."""
    printed: Mapping[str, tuple[Band, ...]] = field(default_factory=dict)
    """Printed values by quantity. A quantity is a key of the figure, or a description of several words."""
    figure: str | None = None
    """Key of the figure in our experiments that reproduces the panel, or None."""
    status: Status = "paper's setting"
    """Status of the reproduction.

    ``paper's setting`` means the data and parameters of the paper, as far as the paper states them.
    """
    differences: str = ""
    """Differences of our reproduction, or the reason why the panel cannot be tested."""
    about: str = ""
    """Regular expression for the claims of the figure that are about this panel. Empty if all are."""

    def is_about(self, claim: Claim) -> bool:
        """Return True if a claim of the figure is about this panel."""
        return re.search(self.about, f"{claim.text}: {claim.criterion}") is not None


def of_paper(paper: str) -> tuple[Panel, ...]:
    """Return the panels of a paper, in the paper's order.

    >>> [panel.label for panel in of_paper("liu2010")]
    ['Fig. 3a', 'Fig. 3b', 'Fig. 3c', 'Fig. 3d', 'Section 5.2']
    """
    return tuple(panel for panel in PANELS if panel.paper == paper)


def of_figure(paper: str, figure: str) -> tuple[Panel, ...]:
    """Return the panels that one of our figures reproduces.

    >>> [panel.label for panel in of_figure("terrovitis2008", "fig8")]
    ['Fig. 8a', 'Fig. 8b', 'Fig. 8c']
    """
    return tuple(panel for panel in of_paper(paper) if panel.figure == figure)


def counted() -> dict[str, Counter[str]]:
    """Return the number of panels by status, for each paper."""
    counts: dict[str, Counter[str]] = {}
    for panel in PANELS:
        counts.setdefault(panel.paper, Counter())[panel.status] += 1
    return counts


def _value(value: float, unit: str = "", series: str = "", where: str = "") -> Band:
    return Band(value, value, unit, series, where)


def _shape(data: str, records: int, items: int, longest: int, average: float) -> dict[str, Band]:
    """Return the characteristics of a data set that the paper prints, by quantity of our table."""
    return {
        "records": _value(records, series=data),
        "items": _value(items, series=data),
        "longest": _value(longest, "items", data),
        "average": _value(average, "items", data),
    }


def _shapes(*data: Mapping[str, Band]) -> dict[str, tuple[Band, ...]]:
    return {quantity: tuple(shape[quantity] for shape in data) for quantity in data[0]}


_BMS_1 = _shape("BMS-WebView-1", 59_602, 497, 267, 2.5)
_BMS_2 = _shape("BMS-WebView-2", 77_512, 3_340, 161, 5.0)
_BEST = "largest AvgRE of AA / COAT"
_NO_POS = "BMS-POS is not available"
_REAL_BASKETS = f"{_NO_POS}. Real baskets with a similar number of items replace it"
_AVERAGE = "BMS-WebView-2 has 4.62 items per record on average, and 5.0 in the paper"


def _terrovitis() -> Iterable[Panel]:
    paper = "terrovitis2008"
    yield Panel(
        paper=paper, label="Fig. 7", shows="characteristics of the data", status="with differences",
        printed=_shapes(_shape("BMS-POS", 515_597, 1_657, 164, 6.5), _BMS_1, _BMS_2),
        figure="fig7", differences=f"{_NO_POS}. {_AVERAGE}",
    )  # fmt: skip
    for number, over in ((8, "|D|"), (9, "|I|"), (10, "m")):
        for letter, shown, about in (
            ("a", "time", r"^[^:]*(cost|time|performance)"),
            ("b", "nodes of the count-tree", r"^[^:]*tree"),
            ("c", "information loss", r"^[^:]*loss"),
        ):
            yield Panel(
                paper=paper, label=f"Fig. {number}{letter}", shows=f"{shown} of OA, DA and AA as {over} grows",
                figure=f"fig{number}", about=about, status="with differences", differences=_AVERAGE,
            )  # fmt: skip
    shown = "time, nodes of the count-tree and information loss of AA"
    yield Panel(
        paper=paper, label="Fig. 11a", shows=f"{shown} on three data sets", printed={"ncp": (Band(0, 0.03),)},
        figure="fig11a", status="with differences", differences=f"{_NO_POS}. {_AVERAGE}",
    )  # fmt: skip
    for letter, over, printed in (
        ("b", "k", {}),
        ("c", "h", {"ncp": (_value(0.01, where="h > 4"), _value(1, where="h=4"))}),
        ("d", "m", {}),
    ):
        yield Panel(
            paper=paper, label=f"Fig. 11{letter}", shows=f"{shown} on BMS-POS as {over} grows", printed=printed,
            figure=f"fig11{letter}", status="with differences", differences=_REAL_BASKETS,
        )  # fmt: skip


def _loukides() -> Iterable[Panel]:
    paper = "loukides2010"

    def panel(label: str, shows: str, figure: str, what: str = "", *bands: Band, about: str = "") -> Panel:
        printed = {what: bands} if bands else {}
        of_bms_2: dict[str, Any] = {"status": "with differences", "differences": _AVERAGE}
        differences = of_bms_2 if "BMS-WebView-2" in shows else {}
        return Panel(paper=paper, label=label, shows=shows, figure=figure, printed=printed, about=about, **differences)

    yield Panel(
        paper=paper, label="Table 1", shows="characteristics of the data", printed=_shapes(_BMS_1, _BMS_2),
        figure="table1", status="with differences", differences=_AVERAGE,
    )  # fmt: skip
    for letter, q in (("a", 1), ("b", 3)):
        shows = f"AvgRE of COAT and AA on BMS-WebView-1 as k grows, q={q}"
        other = {1: "three items", 3: "one item"}[q]
        yield panel(f"Fig. 8{letter}", shows, "fig8", _BEST, _value(9), about=f"^(?!.*{other})")
    shows = "AvgRE of COAT and AA as m grows, on BMS-WebView-"
    yield panel(
        "Fig. 9a", f"{shows}1", "fig9", "AvgRE of AA / COAT", _value(7, where="m=3"), about=_ERROR + "(?!.* on BMS-2:)"
    )
    yield panel("Fig. 9b", f"{shows}2", "fig9", about=_ERROR + "(?!.* on BMS-1:)")
    yield panel("Fig. 10a", "UL of COAT and AA on BMS-WebView-2 as k grows", "fig10a")
    yield panel("Fig. 10b", "UL of COAT and AA on BMS-WebView-2 as m grows", "fig9", about="UL")
    for letter, q, data in (("a", 1, 1), ("b", 3, 1), ("c", 1, 2), ("d", 3, 2)):
        shows = f"AvgRE of COAT and AA for each privacy policy on BMS-WebView-{data}, q={q}"
        yield panel(f"Fig. 11{letter}", shows, "fig11", about=f"^(?!.*on BMS-{3 - data})")
    yield Panel(
        paper=paper, label="Table 2", shows="shares of itemset sizes in the privacy policies", figure="table2",
        printed={"share of itemsets by size": tuple(
            _value(share, "%", f"{policy}, size {size}")
            for policy, shares in _POLICIES.items() for size, share in enumerate(shares, 1)
        )},
    )  # fmt: skip
    for letter, data in (("a", 1), ("b", 2)):
        shows = f"AvgRE of COAT and AA for privacy policies with several itemset sizes on BMS-WebView-{data}, q=2"
        yield panel(f"Fig. 12{letter}", shows, "fig12", _BEST, _value(40), about=f"^(?!.*on BMS-{3 - data})")
    for letter, q in (("a", 1), ("b", 3)):
        shows = f"AvgRE of COAT and AA for each utility policy on BMS-WebView-1, q={q}"
        yield panel(f"Fig. 13{letter}", shows, "fig13", "share suppressed", _value(0.01, "%", "COAT", "UP1"))
    shows = "time of COAT and AA on BMS-WebView-1 as "
    yield panel("Fig. 14a", f"{shows}|D| grows", "fig14", "largest seconds of AA / COAT", _value(2.5))
    yield Panel(
        paper=paper, label="Fig. 14b", shows=f"{shows}k grows", figure="fig14b",
        printed={"seconds": (Band(0, 30, "s", "COAT"),)},
    )  # fmt: skip
    hospital = "The hospital's data are not public. Other diagnosis codes and disorders replace them"
    yield Panel(
        paper=paper, label="Table 3", shows="characteristics of the hospital's data", figure="table3",
        printed=_shapes(_shape("EMR", 1_336, 5_830, 25, 3.1)), status="with differences", differences=hospital,
    )  # fmt: skip
    for letter, workload, other in (
        ("a", "W1, frequent combinations", "W2"),
        ("b", "W2, pairs of generalized codes", "W1"),
    ):
        yield Panel(
            paper=paper, label=f"Fig. 15{letter}", shows=f"AvgRE of COAT as k grows, for {workload}", figure="fig15",
            about=rf"^(?!.*\({other}\))",
            printed={"share suppressed": (Band(0, 0.5, "%"),)}, status="with differences", differences=hospital,
        )  # fmt: skip


_ERROR = "(?!.*UL)^(?=.*(error|answers queries|suppress))"
"""Claims about errors of queries, and about suppression, which changes them."""
_POLICIES: Mapping[str, tuple[float, ...]] = {
    "PP6": (33, 33, 33, 1),
    "PP7": (30, 30, 30, 10),
    "PP8": (25, 25, 25, 25),
    "PP9": (16.7, 16.7, 16.7, 50),
}


def _liu() -> Iterable[Panel]:
    paper = "liu2010"
    pos = f"{_NO_POS}. Real baskets with a hierarchy of degree 5, and bills, replace it"
    aol = (
        "The AOL queries name persons and are not used. Baskets of products with their real taxonomy, and clicks "
        "with random unbalanced taxonomies, replace them"
    )
    no_mm = (
        "On Kosarak, m=7 was not run, and MM has no value at m=5, because it exceeds its limit of work. Therefore two "
        "main findings are not measured there: MM has the highest loss for all m from 2 on, and mHgHs has the lowest "
        "loss"
    )
    mm_on_aol, aa_on_aol = Band(0.46, 0.96, "", "MM", "m >= 2"), _value(0.39, "", "AA")
    small = Band(0, 0.1, "", "mHgHs")
    for letter, data, k, bands, differences in (
        ("a", "POS", 50, (Band(0.075, 0.7, "", "MM", "m >= 2"),),
         f"{pos}. The value k=50 is inferred from panels c and d"),
        ("b", "POS", 5, (Band(0.075, 0.7, "", "MM", "m >= 2"),), pos),
        ("c", "AOL", 50, (mm_on_aol, aa_on_aol, small, _value(0.09, "", "mHgHs", "m >= 5"),
                          _value(0.17, "", "LG"), Band(0, 0.27, "", "LG", "any k")), aol),
        ("d", "AOL", 5, (mm_on_aol, aa_on_aol, small, _value(0.079, "", "mHgHs", "m >= 5"),
                         _value(0.12, "", "LG")), f"{aol}. {no_mm}"),
    ):  # fmt: skip
        yield Panel(
            paper=paper, label=f"Fig. 3{letter}", shows=f"information loss of MM, AA, LG and mHgHs on {data}, k={k}",
            printed={"ncp": bands}, figure=f"fig3{letter}", status="with differences", differences=differences,
        )  # fmt: skip
    yield Panel(
        paper=paper, label="Section 5.2", shows="cost of mHgHs on ten subsets of AOL", figure="scalability",
        status="with differences", differences=f"{aol}. The paper has no figure",
    )  # fmt: skip


_INFORMS = "Only the 26,735 records of INFORMS from 2005 are available, and some are longer than in the paper"
_YOUTUBE = (
    "YOUTUBE is not available. Generated videos replace it. The real videos of another crawl, `youtube080327`, "
    "cannot replace it: 3,468 records with 40,643 items, instead of 131,780 records with 936 items"
)


def _poulis_panel(label: str, shows: str, figure: str, differences: str = _INFORMS, **more: Any) -> Panel:
    return Panel(
        paper="poulis2013", label=f"Fig. {label}", shows=shows, figure=figure, status="with differences",
        differences=differences, **more,
    )  # fmt: skip


def _poulis_errors() -> Iterable[Panel]:
    workloads = (
        f"A workload has {QUERIES:,} queries for random values and items, and no answer is 0. The paper uses 100 "
        "queries, and does not state whether answers can be 0"
    )
    informs, youtube = (f"{data}. {workloads}" for data in (_INFORMS, _YOUTUBE))
    sensitive = f"{informs}. The paper does not state l and the sensitive codes"
    about = {"relational values": "ARE of relational values", "relational values and items": ": ARE is",
             "items": "ARE of items"}  # fmt: skip
    asked, error = tuple(about), "average relative error of"
    for letter, what in zip("abc", asked, strict=True):
        shows = f"{error} Rum-bound on INFORMS as delta grows, for queries of {what}"
        yield _poulis_panel(f"4{letter}", shows, "fig4ac", informs, about=about[what])
    for letter, what in zip("defg", (*asked[:2], *asked[1:]), strict=True):
        shows = f"{error} Rum-bound on YOUTUBE as delta grows, for queries of {what}"
        yield _poulis_panel(f"4{letter}", shows, "fig4dg", youtube, about=about[what])
    yield _poulis_panel("4h", f"{error} Tum-bound on INFORMS as delta grows", "fig4h", informs)
    for letter, what in zip("abc", asked, strict=True):
        shows = f"{error} Rum-bound and (k, l^m)-diversity on INFORMS as delta grows, for queries of {what}"
        yield _poulis_panel(f"5{letter}", shows, "fig5ac", sensitive, about=f"{about[what]}|clusters")
    yield _poulis_panel("5d", f"{error} Tum-bound and (k, l^m)-diversity on INFORMS as delta grows", "fig5d", sensitive)


def _poulis_clusters() -> Iterable[Panel]:
    for letter, what, data, figure, differences in (
        ("a", "largest cluster", "INFORMS", "fig4ac", _INFORMS),
        ("b", "largest cluster", "YOUTUBE", "fig4dg", _YOUTUBE),
        ("c", "UL", "INFORMS", "fig4ac", _INFORMS),
        ("d", "UL", "YOUTUBE", "fig4dg", _YOUTUBE),
    ):
        yield _poulis_panel(f"6{letter}", f"{what} of Rum-bound on {data} as delta grows", figure, differences,
                            about={"largest cluster": "largest cluster", "UL": ": UL of"}[what])  # fmt: skip
    yield _poulis_panel("7a", "time of Rum-bound, and of CLUSTER alone, as |D| grows", "fig7a")
    ratio = _value(2.2, where="largest")
    shows = "time of Rum-bound, and of CLUSTER alone, as k grows"
    yield _poulis_panel("7b", shows, "fig7b", printed={"times RM_T is faster than RM_R": (ratio,)})
    for letter, what, framework, figure in (
        ("c", "time", "Rum-bound", "fig7ce"),
        ("d", "time", "Tum-bound", "fig7df"),
        ("e", "UL", "Rum-bound", "fig7ce"),
        ("f", "UL", "Tum-bound", "fig7df"),
    ):
        faster = Band(10, float("inf"))
        shows = f"{what} of {framework} with and without BTD as delta grows"
        printed = {"times faster with BTD": (faster,)} if what == "time" else {}
        claims = "same UL" if what == "UL" else "^(?!.*same UL)"
        named = ". The paper names TM_R, which does not use BTD. We show TM_T" if framework == "Tum-bound" else ""
        yield _poulis_panel(f"7{letter}", shows, figure, f"{_INFORMS}{named}", printed=printed, about=claims)
    rises = {"rises": (_value(0, "merges"),)}
    yield _poulis_panel("7g", "UL of Rum-bound as the number of merges grows", "fig7g", printed=rises)
    own = f"{_INFORMS}. With the printed delta=1, Tum-bound would not merge, so delta is the loss of a single cluster"
    yield _poulis_panel("7h", "UL of Tum-bound as the number of merges grows", "fig7h", own, printed=rises)


def _poulis() -> Iterable[Panel]:
    yield Panel(
        paper="poulis2013", label="Table 1", shows="characteristics of the data", figure="table1",
        printed=_shapes(_shape("INFORMS", 36_553, 619, 17, 4.27), _shape("YOUTUBE", 131_780, 936, 37, 6.51)),
        status="with differences", differences=f"{_INFORMS}. {_YOUTUBE}",
    )  # fmt: skip
    yield from _poulis_errors()
    yield from _poulis_clusters()


def _albouna() -> Iterable[Panel]:
    paper = "albouna2013"
    joined = "The voter list is synthetic. The paper does not state how often individuals keep their occupation"
    yield Panel(
        paper=paper, label="Section 8.2.1", shows="violations after naive Anatomy", figure="violations",
        printed={
            "inside": (_value(5, series="Anatomy"),),
            "between": (_value(167, series="Anatomy", where="l=2"), _value(360, series="Anatomy", where="l=3")),
        },
        status="with differences", differences=f"{joined}, and states only that alpha is greater than 2",
    )  # fmt: skip
    for letter, k in (("a", 7), ("b", 8), ("c", 9)):
        high = {"diversity_counted": (_value(0.35, where="l=7"),)} if k == 9 else {}
        yield Panel(
            paper=paper, label=f"Fig. 4{letter}", shows=f"share of anonymized tuples as l grows, k={k}",
            figure="fig4abc", about="" if k == 9 else "^(?!for k=9)",
            printed={"loss_counted": (Band(0, 0.1, where="small l"),), **high}, status="with differences",
            differences=f"{joined}. It also does not state whether tuples anonymized for l-diversity still count as "
                        "members of their group",
        )  # fmt: skip
    yield Panel(
        paper=paper, label="Fig. 4d", shows="time of safe grouping and Anatomy as k grows", figure="fig4d",
        status="with differences", differences="Groups are in memory, not on disk",
    )  # fmt: skip


PANELS: tuple[Panel, ...] = (*_terrovitis(), *_loukides(), *_liu(), *_poulis(), *_albouna())
"""All panels, ordered by paper."""
NOT_JUDGED: Mapping[str, tuple[str, ...]] = {
    "terrovitis2008": (
        "DA runs out of memory, and OA needs several hours, for very large domains; OA gives no answer within a "
        "reasonable time for domains above 60 items (section 5.1.3: we ran both only on the reduced domains)",
        "AA does not have this problem for realistic item domain sizes (section 5.2)",
        "the size of the tree grows with m (Fig. 11d: the costs are judged; trees are not stored for each m)",
        "AA has low memory requirements (section 6: the paper gives no number)",
    ),
    "loukides2010": (
        "Apriori increases the support of itemsets to much larger values than k (section 6.2.2: the paper gives no "
        "number, and we do not store supports of itemsets)",
        "similar results for BMS-2: the growth and the factor of 9 of Fig. 8, and the trends of Fig. 13 (no figure "
        "shows them)",
    ),
    "liu2010": (
        "AA prunes the search space of AOL greatly, which makes it as efficient as LG (section 5.2: we show the times, "
        "not the pruned space)",
        "AA and MM are less efficient because breadth-first search is not efficient for large threats (section 5.2)",
    ),
    "poulis2013": (
        "similar results for YOUTUBE, also from comparing TM_T, TM_R and TM_RT (Fig. 4d to 4g show Rum-bound, which is "
        "judged. Tum-bound on YOUTUBE has no figure, and was not run)",
        "RM_RT created *slightly* larger clusters than RM_T (Fig. 6a: that they are larger is judged. The paper prints "
        "no size)",
        "TM_T, TM_R and TM_RT perform similarly to RM_R, RM_T and RM_RT (time, omitted)",
        "the cost of the (k, l^m)-diverse algorithms was similar (omitted)",
        "the results of Fig. 6 for TM_T, TM_R and TM_RT were similar (their UL and their (k, l^m)-diversity are not "
        "judged; the largest cluster of TM_R is, in Fig. 4h)",
    ),
    "albouna2013": (
        "for (k=9, l=7) the loss metric is high (only the printed 35% is judged)",
        "the exponential growth of safe grouping (section 9)",
    ),
}
"""Sentences of a paper about results without a figure of their own that no claim judges. Listed by hand."""
