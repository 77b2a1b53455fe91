"""Table 1 and figures 4 to 7 of Poulis et al., "Anonymizing data with relational and transaction attributes", 2013."""

from collections.abc import Sequence
from typing import Any

from benchmarks.experiments.cases import Case, Claim, Figure, Paper, Printed
from benchmarks.experiments.factors import ORDERS, SAMPLES, SEEDS, WORKLOADS
from benchmarks.experiments.poulis2013 import cases, claims
from benchmarks.experiments.poulis2013.cases import DIVERSE, FUNCTIONS
from benchmarks.experiments.poulis2013.jobs import DIVERSITY
from benchmarks.experiments.poulis2013.measurement import compile_kernels, measure

_ARE = {
    "are_2_0": "ARE, 2 relational values",
    "are_1_2": "ARE, 1 relational value and 2 items (1/2 each)",
    "are1s_1_2": "ARE, 1 relational value and 2 items (1/s each)",
    "are_2_2": "ARE, 2 relational values and 2 items (1/2 each)",
    "are1s_2_2": "ARE, 2 relational values and 2 items (1/s each)",
    "are_0_2": "ARE, 2 items (1/2 each)",
    "are1s_0_2": "ARE, 2 items (1/s each)",
}
_LOSSES = {"ncp": "relational loss (NCP)", "ul": "utility loss (UL)", "delta": "bound delta"}
_LARGEST = {"largest_cluster": "records of the largest cluster"}
_SECONDS = {"seconds": "time in seconds"}
_WORK = {"merges": "merges", "ranked": "clusters put in order"}
_MEMORY = {"peak_mib": "peak memory of the process in MiB"}
_OF_RUM = "bound, share of the way from X to 1"
_OF_TUM = "bound, share of the way up to UL of CLUSTER"
_QUICK = (0.25, 0.75)
_INFORMS = (
    f"k=25, m=2; {cases.SAMPLE:,} records of INFORMS, drawn anew each time with the orders of leaves and queries."
)
_YOUTUBE = (
    f"k=100, m=2; {cases.GENERATED:,} videos that `youtube_like` generates anew each time, with the orders of leaves "
    "and the queries."
)
_LM = (
    f" l={DIVERSITY}, sensitive are the codes of mental disorders (290 to 319): the paper says neither. Clusters that "
    "nothing makes diverse are merged with their best partner first."
)
_TUM = (
    " The paper takes bounds from UL of CLUSTER's clusters up; there Tum-bound has nothing to merge. The bounds here "
    "lie below, from UL of all records as one cluster."
)


def _errors(key: str, title: str, repeated: Sequence[Case], said: Sequence[Claim], note: str, **more: Any) -> Figure:
    """Return a figure of losses and errors over the bound."""
    x_label = more.pop("x_label", _OF_RUM)
    return Figure(key, title, x_label, _ARE | _LOSSES | _LARGEST, repeated, said, note, quick=_QUICK, **more)


def _figures_4_and_5() -> list[Figure]:
    rum, tum, clusters = claims.rum(), claims.tum(), claims.clusters()
    youtube: dict[str, Any] = {"data": cases.YOUTUBE, "records": cases.GENERATED, "k": 100}
    both = " That RM_RT stands between the two in Fig. 6 is said of INFORMS alone."
    return [
        _errors("fig4ac", "Fig. 4a-c, 6a and 6c: INFORMS, Rum-bound",
                SAMPLES.over(cases.by_bound("fig4ac", "rum", FUNCTIONS)),
                claims.by(SAMPLES, [*rum, *clusters], main=claims.IN_SHORT), _INFORMS),
        _errors("fig4dg", "Fig. 4d-g, 6b and 6d: YOUTUBE, Rum-bound",
                SEEDS.over(cases.by_bound("fig4dg", "rum", FUNCTIONS, **youtube)),
                [*claims.by(SEEDS, [*rum, *clusters[:2]]), *claims.by(SEEDS, clusters[2:], "own")], _YOUTUBE + both),
        _errors("fig4h", "Fig. 4h: INFORMS, Tum-bound", SAMPLES.over(cases.by_bound("fig4h", "tum", FUNCTIONS)),
                claims.by(SAMPLES, [*tum, *claims.clusters("TM", losses=False)]), _INFORMS + _TUM, x_label=_OF_TUM),
        _errors("fig5ac", "Fig. 5a-c: INFORMS, Rum-bound, (k, l^m)-diversity",
                SAMPLES.over(cases.by_bound("fig5ac", "rum", DIVERSE)),
                claims.by(SAMPLES, [*rum, *clusters]), _INFORMS + _LM),
        _errors("fig5d", "Fig. 5d: INFORMS, Tum-bound, (k, l^m)-diversity",
                SAMPLES.over(cases.by_bound("fig5d", "tum", DIVERSE)), claims.by(SAMPLES, tum),
                _INFORMS + _TUM + _LM, x_label=_OF_TUM),
    ]  # fmt: skip


def _figure_7() -> list[Figure]:
    benefit = {
        "unions": "clusters that T is run on, ordered by BTD", "unions_ul": "clusters that T is run on, ordered by UL",
        "seconds": "time in seconds, ordered by BTD", "seconds_ul": "time in seconds, ordered by UL",
        "ul": "UL, ordered by BTD", "ul_ul": "UL, ordered by UL",
        "ncp": "NCP, ordered by BTD", "ncp_ul": "NCP, ordered by UL",
    }  # fmt: skip
    btd = f"{cases.SMALL:,} records of INFORMS, k=25, m=2. Each order is one search."
    merged = {"ul": "utility loss (UL)", "rises": "merges after which UL had risen", "merges": "merges",
              "largest_rise": "largest rise"}  # fmt: skip
    trace = (
        f"{cases.SMALL:,} records of INFORMS, k=25, m=2. Rises are counted over every merge; the whole curve of each "
        "repetition is in `cases.jsonl` (`ul_after_each_merge`)."
    )
    times = (
        f"delta={cases.DELTA}, m=2, as the paper's; samples of INFORMS. Work is counted over samples, with AA (which "
        "takes no part in it); times are those of the search with its formation, one after another, on the first "
        "sample. CL is the formation alone."
    )
    own = (
        " Tum-bound merges by its own rule until UL is at most that of all records in one cluster. With delta=1, as "
        "the paper prints, it would merge nothing. Candidates are put in the same order, so its merges are Rum-bound's."
    )
    return [
        Figure("fig7a", "Fig. 7a: cost as the number of records grows", "|D|", _SECONDS | _WORK, cases.by_size(),
               claims.FIGURE_7A, f"A sample's records are in all larger ones of its number. k=25, {times}",
               quick=cases.SIZES[:2]),
        Figure("fig7b", "Fig. 7b: cost as k grows", "k", _SECONDS | _WORK, cases.by_k(), claims.FIGURE_7B,
               f"{cases.SIZES[-1]:,} records, {times}", quick=cases.KS[1:3],
               printed=[Printed("ratio", 2.2, 2.2, "RM_T was up to 2.2 times more efficient than RM_R (section 6)")]),
        Figure("fig7ce", "Fig. 7c and e: what BTD gains, Rum-bound", _OF_RUM, benefit,
               cases.by_order("fig7ce", "rum"), claims.benefit("RM"), btd, quick=_QUICK[:1]),
        Figure("fig7df", "Fig. 7d and f: what BTD gains, Tum-bound", _OF_TUM, benefit,
               cases.by_order("fig7df", "tum"), claims.benefit("TM"),
               f"{btd} The paper's text says TM_R, which has no such step: TM_T is taken.", quick=_QUICK[:1]),
        Figure("fig7g", "Fig. 7g: UL as clusters are merged, Rum-bound", "merges in percent of all", merged,
               cases.by_merge("fig7g", "rum", {**FUNCTIONS, "lm": "(k, l^m)"}), claims.MERGING,
               f"{trace} delta=1: all clusters become one.{_LM}", quick=cases.PERCENTS[::2]),
        Figure("fig7h", "Fig. 7h: UL as clusters are merged, Tum-bound", "merges in percent of all", merged,
               cases.by_merge("fig7h", "tum", FUNCTIONS), claims.MERGING, trace + own, quick=cases.PERCENTS[::2]),
    ]  # fmt: skip


def _own() -> list[Figure]:
    """Return what the paper does not show: what its results depend on, other data, and speed."""
    few = cases.FEW_SHARES
    trade_off = claims.trade_off("RM")
    fixed = f"k=25, m=2; the first sample of {cases.SAMPLE:,} records of INFORMS, with the first"
    plain = (
        "Without hierarchies of the relational columns: numbers become ranges, categories sets of values. Otherwise as "
        "Fig. 4a-c."
    )
    clinics = f"k=25, m=2; {cases.SAMPLE:,} of 71,517 diabetes patients with real ICD-9 codes; otherwise as Fig. 4a-c."
    return [
        _errors("orders", "Orders: leaf orders, Rum-bound",
                ORDERS.over(cases.by_bound("orders", "rum", FUNCTIONS, few)), claims.by(ORDERS, trade_off, "own"),
                f"{fixed} workload. Orders of the items, and of the relational values that are no numbers."),
        _errors("workloads", "Workloads: queries drawn anew, Rum-bound",
                WORKLOADS.over(cases.by_bound("workloads", "rum", FUNCTIONS, few)),
                claims.by(WORKLOADS, trade_off, "own"), f"{fixed} order of leaves."),
        _errors("ranges", "Ranges: INFORMS without relational hierarchies, Rum-bound",
                SAMPLES.over(cases.by_bound("ranges", "rum", FUNCTIONS, few, **cases.PLAIN)),
                claims.by(SAMPLES, trade_off, "own"), plain),
        _errors("diabetes", "Diabetes: other real data, Rum-bound",
                SAMPLES.over(cases.by_bound("diabetes", "rum", FUNCTIONS, few, data=cases.DIABETES)),
                claims.by(SAMPLES, trade_off, "own"), clinics),
        Figure("speed", "Speed: whole data sets", "data", _SECONDS, cases.speed(), claims.SPEED,
               f"k=25, m=2, delta={cases.DELTA}; numbers become ranges. The whole search, formation included.",
               quick=(cases.INFORMS,)),
        Figure("icd9", "ICD-9: AA over the real taxonomy of the items", "data",
               {"root_share": "records that show the root alone", **_LOSSES}, cases.icd9(), claims.ICD9,
               f"k=25, m=2, delta={cases.DELTA}; numbers become ranges. The taxonomy has 19 chapters below its root: "
               "where two of them hold rare pairs, AA has nothing above a chapter but the root."),
        Figure("growth", "Growth: Rum-bound from 10,000 to 300,000 records", "records",
               {**_SECONDS, "microseconds_per_record": "time per record in µs", **_MEMORY}, cases.growth(),
               claims.GROWTH, "`youtube_like`, RMERGE_R, AA, k=25, m=2, delta=0.65; memory includes the data.",
               quick=(10_000,)),
    ]  # fmt: skip


_TABLE_1 = Figure(
    "table1",
    "Table 1: the data sets",
    "data",
    {
        "records": "records",
        "attributes": "relational attributes",
        "items": "items",
        "longest": "items of the longest record",
        "average": "items of a record on average",
    },
    [
        Case("table1", "data", data, {"kind": "shape", "data": data})
        for data in (cases.INFORMS, cases.DIABETES, cases.YOUTUBE)
    ],
    note="The paper: INFORMS has 36,553 records, 5 attributes, 619 items, at most 17 and on average 4.27 in a record; "
    "YOUTUBE 131,780, 6, 936, 37 and 6.51.",
)

PAPER = Paper(
    key="poulis2013",
    title="Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013: table 1, figures 4 to 7",
    note="""\
Stand-ins: `informs2005` is the part of INFORMS that can be had (one year, 26,735 of 36,553 records); YOUTUBE cannot be
had, and `youtube_like` is generated in its shape. The paper does not name its transaction function: AA and COAT (no
constraints but k^m-anonymity, no suppression) are both run, as parts of each claim. Hierarchies are "as in [17]":
balanced, degree 5, over the items in a random order, and over the values of each relational column, numbers ascending,
others in a random order. A repetition draws anew all that is open: records, orders and queries. Bounds are shares of
the way from X, the loss of CLUSTER's clusters, which differs from sample to sample.
Queries are 1,000 of each kind, from random records (values and sets of 2 items of one record, so that none has the
answer 0), the same for all variants. ARE is computed by two readings of a published set of s items: it stands for any
of its subsets, so that each item is there with about 1/2, or for each item with 1/s; columns and items are independent.
By the first it is large where rare items hide behind large sets. Clusters that nothing makes anonymous are merged with
their best partner. The results of every point's first repetition were verified.
What the paper plots, it gives no numbers for; so the claims are those of its text.""",
    measure=measure,
    prepare=compile_kernels,
    figures=[_TABLE_1, *_figures_4_and_5(), *_figure_7(), *_own()],
)
"""The experiments of section 6, and our own on orders, workloads, other data, speed and growth."""
