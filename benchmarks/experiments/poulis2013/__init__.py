"""Table 1 and figures 4 to 7 of Poulis et al., "Anonymizing data with relational and transaction attributes", 2013."""

from collections.abc import Sequence
from typing import Any, Literal

from benchmarks.experiments.cases import Case, Claim, Figure, Paper, Printed
from benchmarks.experiments.factors import ORDERS, SAMPLES, SEEDS, WORKLOADS
from benchmarks.experiments.poulis2013 import cases, claims
from benchmarks.experiments.poulis2013.cases import DIVERSE, FUNCTIONS
from benchmarks.experiments.poulis2013.jobs import DIVERSITY
from benchmarks.experiments.poulis2013.measurement import compile_kernels, measure

_ARE = {
    "are_domain_2_0": "ARE of queries for two relational values",
    "are_domain_1_2": "ARE of queries for a relational value and two items, if an item has probability 1/2",
    "are1s_domain_1_2": "ARE of queries for a relational value and two items, if an item has probability 1/s",
    "are_domain_2_2": "ARE of queries for two relational values and two items, if an item has probability 1/2",
    "are1s_domain_2_2": "ARE of queries for two relational values and two items, if an item has probability 1/s",
    "are_domain_0_2": "ARE of queries for two items, if an item has probability 1/2",
    "are1s_domain_0_2": "ARE of queries for two items, if an item has probability 1/s",
}
_LOSSES = {"ncp": "relational loss (NCP)", "ul": "utility loss (UL)", "delta": "bound delta"}
_LARGEST = {"largest_cluster": "size of the largest cluster"}
_SECONDS = {"seconds": "time in seconds"}
_WORK = {"merges": "merges", "ranked": "clusters ranked"}
_MEMORY = {"peak_mib": "peak memory of the process in MiB"}
_OF_RUM = "bound, as a fraction of the distance from X to 1"
_OF_TUM = "bound, as a fraction of the distance from the UL of a single cluster to the UL of the initial clusters"
_QUICK = (0.25, 0.75)
_INFORMS = (
    "k is 25, and m is 2. All available records of INFORMS are used. Each repetition draws leaf orders and queries."
)
_YOUTUBE = (
    "k is 100, and m is 2. Each repetition generates as many videos of `youtube_like` as in the paper, and draws leaf "
    "orders and queries."
)
_LM = (
    f" The paper does not state l and the sensitive codes. Here, l is {DIVERSITY}, and the codes of mental "
    "disorders (290 to 319) are sensitive. Clusters that no generalization makes diverse are merged with their "
    "best partner before the search."
)
_TUM = (
    " The paper's bounds start at the UL of the initial clusters, with which Tum-bound does not merge. Here, the "
    "bounds start at the UL of a single cluster of all records, which is lower."
)


def _errors(key: str, title: str, repeated: Sequence[Case], said: Sequence[Claim], note: str, **more: Any) -> Figure:
    x_label = more.pop("x_label", _OF_RUM)
    quick = more.pop("quick", _QUICK)
    return Figure(key, title, x_label, _ARE | _LOSSES | _LARGEST, repeated, said, note, quick=quick, **more)


def _repeated(figure: str, framework: str, functions: dict[str, str], **more: Any) -> list[Case]:
    """Return the cases of a figure over the bound, with the null publication, for every seed."""
    null = {name: value for name, value in more.items() if name != "k"}
    made = [
        *cases.by_bound(figure, framework, functions, **more),
        *cases.without_information(figure, functions, **null),
    ]
    return SEEDS.over(made)


def _figures_4_and_5() -> list[Figure]:
    rum, tum, clusters = claims.rum(), claims.tum(), claims.clusters()
    youtube: dict[str, Any] = {"data": cases.YOUTUBE, "k": 100, **cases.ALL}
    both = " The paper states that RM_RT is between RM_R and RM_T in Fig. 6, but only for INFORMS."
    return [
        _errors("fig4ac", "Fig. 4a-c, 6a and 6c: errors and losses of Rum-bound on INFORMS",
                _repeated("fig4ac", "rum", FUNCTIONS, **cases.ALL),
                claims.by(SEEDS, [*rum, *clusters], main=claims.IN_SHORT), _INFORMS),
        _errors("fig4dg", "Fig. 4d-g, 6b and 6d: errors and losses of Rum-bound on YOUTUBE",
                _repeated("fig4dg", "rum", FUNCTIONS, **youtube),
                [*claims.by(SEEDS, [*rum, *clusters[:2]]), *claims.by(SEEDS, clusters[2:], "own")], _YOUTUBE + both,
                quick=_QUICK[:1]),
        _errors("fig4h", "Fig. 4h: errors and losses of Tum-bound on INFORMS",
                _repeated("fig4h", "tum", FUNCTIONS, **cases.ALL),
                claims.by(SEEDS, [*tum, *claims.clusters("TM", losses=False)]), _INFORMS + _TUM, x_label=_OF_TUM),
        _errors("fig5ac", "Fig. 5a-c: errors and losses of Rum-bound with (k, l^m)-diversity on INFORMS",
                _repeated("fig5ac", "rum", DIVERSE, **cases.ALL),
                claims.by(SEEDS, [*rum, *clusters]), _INFORMS + _LM),
        _errors("fig5d", "Fig. 5d: errors and losses of Tum-bound with (k, l^m)-diversity on INFORMS",
                _repeated("fig5d", "tum", DIVERSE, **cases.ALL), claims.by(SEEDS, tum),
                _INFORMS + _TUM + _LM, x_label=_OF_TUM),
    ]  # fmt: skip


def _figure_7() -> list[Figure]:
    benefit = {
        "unions": "applications of the transaction function, with candidates ordered by BTD",
        "unions_ul": "applications of the transaction function, with candidates ordered by UL",
        "seconds": "time in seconds, with candidates ordered by BTD",
        "seconds_ul": "time in seconds, with candidates ordered by UL",
        "ul": "UL, with candidates ordered by BTD", "ul_ul": "UL, with candidates ordered by UL",
        "ncp": "NCP, with candidates ordered by BTD", "ncp_ul": "NCP, with candidates ordered by UL",
    }  # fmt: skip
    btd = (
        f"The data are {cases.SMALL:,} records of INFORMS, k is 25, and m is 2. Each order of the candidates is "
        "a separate search. Not all records are used, because a search that orders candidates by UL applies the "
        "transaction function to every candidate, and the figure has hundreds of searches."
    )
    times = (
        f"As in the paper, delta is {cases.DELTA}, and m is 2. The data are samples of INFORMS. Work is counted on"
        " all samples with AA. It does not depend on the transaction function. Times are single searches on the "
        "first sample, one after another, and include the formation of clusters. CL is the time of the formation "
        "alone."
    )
    one = f" With delta=1, all clusters are merged into one.{_LM}"
    own = _LM + (
        " Tum-bound merges by its own rule until UL is at most the UL of one cluster of all records. With "
        "delta=1, as printed in the paper, Tum-bound would not merge. Rum-bound and Tum-bound rank candidates "
        "equally and merge the same clusters."
    )
    return [
        Figure("fig7a", "Fig. 7a: cost of Rum-bound as the number of records grows", "|D|", _SECONDS | _WORK,
               cases.by_size(),
               claims.FIGURE_7A, f"k is 25. {times} Each sample contains the smaller samples with the same number.",
               quick=cases.SIZES[:2]),
        Figure("fig7b", "Fig. 7b: cost of Rum-bound as k grows", "k", _SECONDS | _WORK, cases.by_k(), claims.FIGURE_7B,
               f"The samples have {cases.SIZES[-1]:,} records, as many as the largest of Fig. 7a. {times}",
               quick=cases.KS[1:3],
               printed=[Printed("ratio", 2.2, 2.2, "RM_T was up to 2.2 times more efficient than RM_R (section 6)")]),
        Figure("fig7ce", "Fig. 7c and e: effect of BTD on the cost and loss of Rum-bound", _OF_RUM, benefit,
               cases.by_order("fig7ce", "rum"), claims.benefit("RM"), btd, quick=_QUICK[:1]),
        Figure("fig7df", "Fig. 7d and f: effect of BTD on the cost and loss of Tum-bound", _OF_TUM, benefit,
               cases.by_order("fig7df", "tum"), claims.benefit("TM"),
               f"{btd} The paper names TM_R in this figure. We show TM_T instead, because TM_R does not "
               "use BTD.", quick=_QUICK[:1]),
        *(_merging(f"fig{panel}", f"Fig. {panel}: UL as", framework, "paper", note)
          for panel, framework, note in (("7g", "rum", one), ("7h", "tum", own))),
        *(_merging(f"fig{panel}_all", f"Fig. {panel} on all records: UL as", framework, "own", note)
          for panel, framework, note in (("7g", "rum", one), ("7h", "tum", own))),
    ]  # fmt: skip


def _merging(key: str, title: str, framework: str, kind: Literal["paper", "own"], note: str) -> Figure:
    """Return figure 7g or 7h, on samples of the size of the paper's subset (claims of the paper), or on all records."""
    merged = {"ul": "utility loss (UL)", "rises": "merges that increased UL", "merges": "merges",
              "largest_rise": "largest rise"}  # fmt: skip
    factor, records = (SAMPLES, cases.SMALL) if kind == "paper" else (SEEDS, None)
    drawn = f"k is 25, and m is 2. Each repetition draws {cases.SMALL:,} records of INFORMS and leaf orders."
    functions = {**FUNCTIONS, "lm": "(k, l^m)"}
    return Figure(
        key,
        f"{title} {framework.capitalize()}-bound merges clusters",
        "percentage of the merges",
        merged,
        factor.over(cases.by_merge(key, framework, functions, records)),
        claims.merging(factor, kind),
        f"{drawn if records else _INFORMS} Increases are counted over all merges. `cases.jsonl` contains the complete "
        f"curve of each repetition (`ul_after_each_merge`).{note}",
        quick=cases.PERCENTS[::2],
    )


def _own() -> list[Figure]:
    """Return figures beyond the paper, on unstated choices, other data, and speed."""
    few = cases.FEW_SHARES
    trade_off = claims.trade_off("RM")
    why = "Not all records are used, because the figure has hundreds of searches."
    fixed = f"k is 25, and m is 2. The records are the first sample of {cases.SAMPLE:,} records of INFORMS. {why}"
    plain = (
        f"Each repetition draws {cases.SAMPLE:,} records of INFORMS. {why} The relational columns have no "
        "hierarchies, so numbers become ranges, and categories become sets of values. All other parameters are those "
        "of Fig. 4a-c."
    )
    clinics = (
        f"Each repetition draws {cases.SAMPLE:,} of 71,517 diabetes patients with real ICD-9 codes. {why} All other "
        "parameters are those of Fig. 4a-c."
    )
    return [
        _errors("orders", "Orders: effect of the leaf order on Rum-bound",
                ORDERS.over(cases.by_bound("orders", "rum", FUNCTIONS, few)), claims.by(ORDERS, trade_off, "own"),
                f"{fixed} The queries are those of the first workload. Repetitions change the order of the items, "
                "and of the non-numeric relational values."),
        _errors("workloads", "Workloads: effect of the queries on the errors of Rum-bound",
                WORKLOADS.over(cases.by_bound("workloads", "rum", FUNCTIONS, few)),
                claims.by(WORKLOADS, trade_off, "own"), f"{fixed} The leaves are in the first random order."),
        _errors("ranges", "Ranges: Rum-bound on INFORMS without relational hierarchies",
                SAMPLES.over(cases.by_bound("ranges", "rum", FUNCTIONS, few, **cases.PLAIN)),
                claims.by(SAMPLES, trade_off, "own"), plain),
        _errors("diabetes", "Diabetes: Rum-bound on other real data",
                SAMPLES.over(cases.by_bound("diabetes", "rum", FUNCTIONS, few, data=cases.DIABETES)),
                claims.by(SAMPLES, trade_off, "own"), clinics),
        Figure("speed", "Speed: time of Rum-bound on complete data sets", "data", _SECONDS, cases.speed(), claims.SPEED,
               f"k is 25, m is 2, and delta is {cases.DELTA}. Numbers become ranges. Times include the formation "
               "of clusters.",
               quick=(cases.INFORMS,)),
        Figure("icd9", "ICD-9: AA with the real taxonomy of the items", "data",
               {"root_share": "records that contain only the root", **_LOSSES}, cases.icd9(), claims.ICD9,
               f"k is 25, m is 2, and delta is {cases.DELTA}. Numbers become ranges. The taxonomy has 19 chapters "
               "below its root. If two chapters contain rare pairs, AA can only generalize to the root."),
        Figure("growth", "Growth: Rum-bound from 10,000 to 300,000 records", "records",
               {**_SECONDS, "microseconds_per_record": "time per record in µs", **_MEMORY}, cases.growth(),
               claims.GROWTH, "RMERGE_R runs with AA on `youtube_like`. k is 25, m is 2, and delta is 0.65. "
                              "Memory includes the data.",
               quick=(10_000,)),
    ]  # fmt: skip


_TABLE_1 = Figure(
    "table1",
    "Table 1: characteristics of the data sets",
    "data",
    {
        "records": "records",
        "attributes": "relational attributes",
        "items": "items",
        "longest": "items of the longest record",
        "average": "mean items per record",
    },
    [
        Case("table1", "data", data, {"kind": "shape", "data": data})
        for data in (cases.INFORMS, cases.DIABETES, cases.YOUTUBE)
    ],
    note="According to the paper, INFORMS has 36,553 records with 5 relational attributes and 619 items. A record"
    " has up to 17 items, and 4.27 items on average. YOUTUBE has 131,780 records with 6 relational "
    "attributes and 936 items. A record has up to 37 items, and 6.51 items on average.",
)

PAPER = Paper(
    key="poulis2013",
    title="Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013: table 1, figures 4 to 7",
    note="""\
`informs2005` is the available part of INFORMS (one year, 26,735 of 36,553 records). YOUTUBE is not available, and the
generated data `youtube_like` have the characteristics that the paper states. The paper does not name its transaction
function. Therefore each claim is checked with AA and with COAT, for k<sup>m</sup>-anonymity and without suppression.
Hierarchies are "as in [17]", that is, balanced with degree 5. The items are in a random order. Numbers in relational
columns are in ascending order, and other relational values are in a random order. Each repetition draws orders and
queries again, and also the records if a figure does not use all records. Bounds are fractions of the distance from X
to 1. X is the loss of the initial clusters, which differs between samples.

The paper uses "workloads of 100 queries [...] which retrieve random values and/or sets of 2 items". Here, each workload
has 1,000 queries. They are drawn from all queries with an answer above 0, which are equally likely (*domain*). Most of
these answers are small. With the other reading, the values and the 2 items of a query are those of a random record
(*records*). Its errors are in `cases.jsonl`. All variants get the same queries. ARE is computed for two interpretations
of a published set of s items. Either all non-empty subsets are equally likely, so each item is present with a
probability of about 1/2. Or each item is present with probability 1/s. We assume that columns and items are
independent. With the first interpretation, ARE is large if rare items are published in large sets. The null publication
contains no information: each relational value is the root, and all items are one set. Clusters that no generalization
makes anonymous are merged with their best partner. The results of every point's first repetition were verified.

The paper's plots have no numbers, so the claims come from its text.""",
    measure=measure,
    prepare=compile_kernels,
    reading={
        "domain": 'queries "retrieve random values and/or sets of 2 items" (section 6). A random value is one of the '
        "domain, and an error relative to an answer of 0 does not exist",
        "1/2": 'a generalized item "is interpreted as any non-empty subset of the items mapped to it" (section 2)',
        "same letters": '"Similar results were obtained [...] from comparing TM_T, TM_R, and TM_RT (see e.g., Fig. '
        '4h)": '
        "TM_R is like RM_R, because both merge by relational values. The next paragraph has another order: "
        '"TM_T, TM_R, and TM_RT perform similarly to RM_R, RM_T, and RM_RT" (on time). The other reading swaps R and T',
    },
    published_data=frozenset(),
    records_in_paper={"informs2005": 36_553},
    figures=[_TABLE_1, *_figures_4_and_5(), *_figure_7(), *_own()],
)
"""Experiments of section 6, and our own on orders, workloads, other data, speed and growth."""
