"""Cases of the figures of section 6, and of our own."""

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.experiments.cases import NULL, Case
from benchmarks.experiments.factors import RUNS, SAMPLES

RM = {"RM_R": "r", "RM_T": "t", "RM_RT": "rt"}
TM = {"TM_R": "r", "TM_T": "t", "TM_RT": "rt"}
FUNCTIONS = {"aa": "AA", "coat": "COAT"}
DIVERSE = {"lm": ""}
INFORMS, DIABETES, YOUTUBE = "informs2005", "diabetes130_patients", "youtube_like"
SAMPLE, SMALL = 8_000, 4_000
"""Number of records of an INFORMS sample, and of a small sample."""
ALL: dict[str, Any] = {"records": None}
"""Parameters of a case on all records, or on as many videos as in the paper. Its repetitions draw leaf orders and
queries, and generate the videos.
"""
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Bounds on a loss, as fractions of the distance from the lowest to the highest possible bound."""
FEW_SHARES = (0.25, 0.75)
SIZES = (5_000, 10_000, 15_000, 20_000)
KS = (10, 25, 50, 100)
PERCENTS = (0, 25, 50, 75, 100)
DELTA = 0.65
PLAIN = {"values": "plain"}
"""Parameters of a case without hierarchies of the relational columns. Numbers become ranges, and categories become
sets.
"""


def parameters(framework: str, merge: str, function: str, **more: Any) -> dict[str, Any]:
    """Return the parameters of a search on an INFORMS sample with the paper's k=25."""
    shared = {"kind": "run", "data": INFORMS, "records": SAMPLE, "k": 25}
    return {**shared, "framework": framework, "merge": merge, "function": function, **more}


def variants(framework: str, functions: dict[str, str]) -> Iterable[tuple[str, str, str]]:
    """Yield series, merge order and transaction function of the compared variants."""
    for function, name in functions.items():
        for series, merge in (RM if framework == "rum" else TM).items():
            yield f"{series}, {name}" if name else series, merge, function


def by_bound(
    figure: str, framework: str, functions: dict[str, str], shares: Sequence[float] = SHARES, **more: Any
) -> list[Case]:
    """Return the cases of losses and errors over the bound."""
    return [
        Case(figure, series, share, parameters(framework, merge, function, share=share, **more))
        for series, merge, function in variants(framework, functions)
        for share in shares
    ]


def without_information(figure: str, functions: dict[str, str], **more: Any) -> list[Case]:
    """Return the cases of the null publication. Its errors do not depend on a bound, so its curves have one point."""
    return [
        Case(
            figure,
            f"{NULL}, {name}" if name else NULL,
            SHARES[0],
            {"kind": "null", "data": INFORMS, "function": function, **more},
        )
        for function, name in functions.items()
    ]


def by_size() -> list[Case]:
    """Return the cases of figure 7a. Work is counted for several samples, and times are measured in several runs."""
    figure = "fig7a"
    counted = [
        Case(figure, name, n, parameters("rum", merge, "aa", kind="work", records=n, delta=DELTA))
        for name, merge in RM.items()
        for n in SIZES
    ]
    return [*SAMPLES.over(counted), *_timed(figure, [(n, {"records": n}) for n in SIZES])]


def by_k() -> list[Case]:
    """Return the cases of figure 7b. Work is counted for several samples, and times are measured in several runs."""
    figure, n = "fig7b", SIZES[-1]
    counted = [
        Case(figure, name, k, parameters("rum", merge, "aa", kind="work", records=n, k=k, delta=DELTA))
        for name, merge in RM.items()
        for k in KS
    ]
    return [*SAMPLES.over(counted), *_timed(figure, [(k, {"records": n, "k": k}) for k in KS])]


def _timed(figure: str, points: Sequence[tuple[int, dict[str, Any]]]) -> list[Case]:
    found = []
    for x, changed in points:
        for series, merge, function in variants("rum", FUNCTIONS):
            asked = parameters("rum", merge, function, **{"kind": "time", "delta": DELTA, **changed})
            found.append(Case(figure, series, x, asked))
        formation = {"kind": "formation", "data": INFORMS, "k": 25, **changed}
        found.append(Case(figure, "CL", x, formation))
    return RUNS.over(found, cost="time")


def by_order(figure: str, framework: str) -> list[Case]:
    """Return the cases of figures 7c to 7f, with candidates ordered by BTD and by UL.

    Losses and work are repeated for several samples, and times for several runs.
    """
    cases = [
        Case(figure, series, share, parameters(framework, merge, function, records=SMALL, share=share))
        for series, merge, function in variants(framework, FUNCTIONS)
        if merge != "r"
        for share in SHARES
    ]
    return [
        *SAMPLES.over([_as(case, "orders") for case in cases]),
        *RUNS.over([_as(case, "orders_time") for case in cases], cost="time"),
    ]


def _as(case: Case, kind: str) -> Case:
    return Case(case.figure, case.series, case.x, {**case.parameters, "kind": kind})


def by_merge(figure: str, framework: str, functions: dict[str, str], records: int | None) -> list[Case]:
    """Return the cases of figures 7g and 7h, on some or all records.

    Rum-bound merges until a single cluster remains. Tum-bound merges up to the loss of a single cluster.
    """
    bound = {"delta": 1.0} if framework == "rum" else {"share": 0.0}
    return [
        Case(
            figure,
            series,
            percent,
            parameters(framework, merge, function, kind="merges", records=records, **bound, percent=percent),
        )
        for series, merge, function in variants(framework, functions)
        for percent in PERCENTS
    ]


def speed() -> list[Case]:
    """Return our own cases on three complete data sets."""
    cases = [
        Case("speed", series, data, parameters("rum", merge, function, data=data, records=None, kind="time",
                                               delta=DELTA, verify=True, **PLAIN))
        for data in (INFORMS, DIABETES, YOUTUBE)
        for series, merge, function in variants("rum", FUNCTIONS)
    ]  # fmt: skip
    return RUNS.over(cases, cost="time")


def icd9() -> list[Case]:
    """Return our own cases with the real taxonomy of the items, which needs no random choices."""
    return [
        Case("icd9", series, data, parameters("rum", merge, "icd9", data=data, records=None, queries=False,
                                              delta=DELTA, **PLAIN))
        for data in (INFORMS, DIABETES)
        for series, merge in RM.items()
    ]  # fmt: skip


def growth() -> list[Case]:
    """Return our own cases on 10^4 to 3 * 10^5 generated videos. Memory is measured in separate processes."""
    sizes = (10_000, 30_000, 100_000, 300_000)
    asked = {"kind": "time", "data": YOUTUBE, "delta": DELTA, **PLAIN}
    cases = [
        Case("growth", series, n, parameters("rum", "r", "aa", **{**asked, "records": n, "formation": formation}))
        for n in sizes
        for series, formation in (("Mondrian", "mondrian"), ("CLUSTER", "cluster"))
    ]
    memory = [Case(c.figure, c.series, c.x, {**c.parameters, "kind": "memory"}, cost="memory") for c in cases]
    return [*RUNS.over(cases, cost="time"), *(case for case in memory if case.x in (sizes[0], sizes[-1]))]
