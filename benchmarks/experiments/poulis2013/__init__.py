"""Table 1 and figures 4 to 7 of Poulis et al., "Anonymizing data with relational and transaction attributes", 2013."""

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.poulis2013 import claims
from benchmarks.experiments.poulis2013.measurement import DIVERSITY, compile_kernels, measure

_RM = {"RM_R": "r", "RM_T": "t", "RM_RT": "rt"}
_TM = {"TM_R": "r", "TM_T": "t", "TM_RT": "rt"}
_FUNCTIONS = {"aa": "AA", "coat": "COAT"}
_RUM_DELTAS, _TUM_DELTAS = (0.2, 0.65, 0.9), (0.4, 0.65)
_YOUTUBE_DELTAS = (0.2, 0.5, 0.8)
_ARE = {
    "are_2_0": "ARE, 2 relational values",
    "are_1_2": "ARE, 1 relational value and 2 items",
    "are_2_2": "ARE, 2 relational values and 2 items",
    "are_0_2": "ARE, 2 items",
}
_LOSSES = {"ncp": "relational loss (NCP)", "ul": "utility loss (UL)"}
_SECONDS = {"seconds": "time in seconds"}
_MEMORY = {"peak_mib": "peak memory of the process in MiB"}
_DATA = ("informs2005", "diabetes130_patients", "youtube_like")
_DELTA = 0.65


def _run(data: str, framework: str, merge: str, function: str, **more: Any) -> dict[str, Any]:
    """Return the parameters of a run; the paper's defaults are k=25 and delta=0.65."""
    shared = {"kind": "run", "data": data, "framework": framework, "merge": merge, "function": function}
    return {**shared, "k": 25, "delta": _DELTA, **more}


def _by_delta(figure: str, data: str, framework: str, function: str, deltas: Sequence[float], k: int) -> list[Case]:
    variants = _RM if framework == "rum" else _TM
    return [
        Case(figure, series, delta, _run(data, framework, merge, function, k=k, delta=delta))
        for delta in deltas
        for series, merge in variants.items()
    ]


def _errors_by_delta() -> Iterable[Figure]:
    """Return figures 4 and 5."""
    for f, name in _FUNCTIONS.items():
        yield _figure_4(f"fig4ac-{f}", f"Fig. 4a-c, {name}: INFORMS, Rum-bound", "informs2005", "rum", f, 25)
    for f, name in _FUNCTIONS.items():
        yield _figure_4(f"fig4dg-{f}", f"Fig. 4d-g, {name}: YOUTUBE, Rum-bound", "youtube_like", "rum", f, 100)
    for f, name in _FUNCTIONS.items():
        yield _figure_4(f"fig4h-{f}", f"Fig. 4h, {name}: INFORMS, Tum-bound", "informs2005", "tum", f, 25)
    yield _figure_4("fig5ac", "Fig. 5a-c: INFORMS, Rum-bound, (k, l^m)-diversity", "informs2005", "rum", "lm", 25)
    yield _figure_4("fig5d", "Fig. 5d: INFORMS, Tum-bound, (k, l^m)-diversity", "informs2005", "tum", "lm", 25)


def _figure_4(key: str, title: str, data: str, framework: str, function: str, k: int) -> Figure:
    deltas = _TUM_DELTAS if framework == "tum" else _YOUTUBE_DELTAS if data == "youtube_like" else _RUM_DELTAS
    checked = claims.RUM if framework == "rum" else claims.TUM
    note = f"k={k}, m=2."
    if function == "lm":
        note += (
            f" l={DIVERSITY}, sensitive are the codes of mental disorders (290 to 319), which the paper does not say; "
            "clusters that nothing makes diverse are merged with their best partner first."
        )
    return Figure(
        key, title, "delta", _ARE | _LOSSES, _by_delta(key, data, framework, function, deltas, k), checked, note
    )


def _figure_6() -> Iterable[Figure]:
    quantities = {"largest_cluster": "records of the largest cluster", "ul": "utility loss (UL)"}
    for f, name in _FUNCTIONS.items():
        for part, data, deltas, k in (
            ("ac", "informs2005", _RUM_DELTAS, 25),
            ("bd", "youtube_like", _YOUTUBE_DELTAS, 100),
        ):
            key = f"fig6{part}-{f}"
            title = f"Fig. 6{part[0]} and {part[1]}, {name}: {'INFORMS' if part == 'ac' else 'YOUTUBE'}, Rum-bound"
            cases = _by_delta(key, data, "rum", f, deltas, k)
            yield Figure(key, title, "delta", quantities, cases, claims.FIGURE_6, f"k={k}, m=2; the runs of Fig. 4.")


def _figure_7() -> Iterable[Figure]:
    sizes = (5_000, 10_000, 26_735)
    cases = [
        Case("fig7a", series, n, _run("informs2005", "rum", merge, "aa", records=n, queries=False))
        for n in sizes
        for series, merge in _RM.items()
    ]
    cases += [
        Case("fig7a", "CL", n, {"kind": "formation", "data": "informs2005", "k": 25, "records": n}) for n in sizes
    ]
    yield Figure(
        "fig7a",
        "Fig. 7a: time as the number of records grows",
        "|D|",
        _SECONDS,
        cases,
        claims.FIGURE_7A,
        "INFORMS at random, the records of a sample in all larger ones; k=25, m=2, delta=0.65, AA; CL is the formation "
        "alone, which the other curves include.",
    )
    ks = (10, 25, 100)
    cases = [
        Case("fig7b", series, k, _run("informs2005", "rum", merge, "aa", k=k, queries=False))
        for k in ks
        for series, merge in _RM.items()
    ]
    cases += [Case("fig7b", "CL", k, {"kind": "formation", "data": "informs2005", "k": k}) for k in ks]
    note = "All of INFORMS, m=2, delta=0.65, AA."
    yield Figure("fig7b", "Fig. 7b: time as k grows", "k", _SECONDS, cases, claims.FIGURE_7B, note)
    for f, name in _FUNCTIONS.items():
        yield _benefit_of_btd(f, name)
    for f, name in _FUNCTIONS.items():
        yield _merging(f, name)


def _benefit_of_btd(function: str, name: str) -> Figure:
    key = f"fig7cf-{function}"
    cases = [
        Case(
            key,
            f"{letter}M_{merge.upper()}",
            delta,
            _run("informs2005", framework, merge, function, delta=delta, records=4_000, kind="orders"),
        )
        for letter, framework in (("R", "rum"), ("T", "tum"))
        for merge in ("t", "rt")
        for delta in (0.65, 0.8)
    ]
    quantities = {
        "seconds": "time in seconds, ordered by BTD",
        "seconds_ul": "time in seconds, ordered by UL",
        "ul": "UL, ordered by BTD",
        "ul_ul": "UL, ordered by UL",
        "ncp": "NCP, ordered by BTD",
        "ncp_ul": "NCP, ordered by UL",
    }
    note = (
        "4,000 records of INFORMS at random, k=25, m=2. Both orders are run in the same process. Of Tum-bound, where "
        "UL meets the bound and NCP is what is minimized, UL says little."
    )
    return Figure(key, f"Fig. 7c-f, {name}: what BTD gains", "delta", quantities, cases, claims.FIGURE_7CF, note)


def _merging(function: str, name: str) -> Figure:
    key = f"fig7gh-{function}"
    cases = [
        Case(
            key,
            series,
            n,
            _run("informs2005", "rum", merge, function, delta=1.0, records=4_000, kind="merges", merges=n),
        )
        for n in (1, 60, 159)
        for series, merge in _RM.items()
    ]
    quantities = {"ul": "utility loss (UL)", "rises": "merges so far after which UL had risen", "largest_rise": "rise"}
    note = (
        "4,000 records of INFORMS at random, k=25, m=2, delta=1: 160 clusters become one. Tum-bound merges in the same "
        "order, so its figure (Fig. 7h) is the same."
    )
    return Figure(
        key,
        f"Fig. 7g and h, {name}: UL as clusters are merged",
        "merges",
        quantities,
        cases,
        claims.FIGURE_7GH,
        note,
    )


def _speed() -> Iterable[Figure]:
    quantities = _SECONDS | _LOSSES | _ARE | _MEMORY
    both = [*(("rum", *v) for v in _RM.items()), *(("tum", *v) for v in _TM.items())]
    for f, name in _FUNCTIONS.items():
        key = f"speed-{f}"
        cases = [
            Case(key, series, data, _run(data, framework, merge, f))
            for data in _DATA
            for framework, series, merge in both
        ]
        note = "k=25, m=2, delta=0.65; time is that of the whole search, formation included."
        yield Figure(
            key, f"Speed, {name}: the variants on three data sets", "data", quantities, cases, claims.SPEED, note
        )
    cases = [
        Case("speed-icd9", series, data, _run(data, "rum", merge, "icd9"))
        for data in _DATA[:2]
        for series, merge in _RM.items()
    ]
    shown = quantities | {"root_share": "records that show the root alone"}
    note = (
        "k=25, m=2, delta=0.65. The taxonomy has 19 chapters below its root: wherever two of them hold rare pairs, AA "
        "has nothing above a chapter but the root. Tum-bound cannot meet its bound then, since UL is 1."
    )
    yield Figure("speed-icd9", "Speed, AA, ICD-9: the real taxonomy", "data", shown, cases, claims.SPEED_ICD9, note)


def _growth() -> Figure:
    cases = [
        Case(
            "growth",
            series,
            n,
            _run("youtube_like", "rum", "r", "aa", records=n, formation=formation, queries=False),
        )
        for n in (10_000, 100_000, 1_000_000)
        for series, formation in (("Mondrian", "mondrian"), ("CLUSTER", "cluster"))
    ]
    quantities = _SECONDS | {"microseconds_per_record": "time per record in µs"} | _MEMORY | _LOSSES
    note = "`youtube_like`, RMERGE_R, AA, `balanced:5`, k=25, m=2, delta=0.65; memory includes the data."
    return Figure(
        "growth", "Growth: Rum-bound from 10^4 to 10^6 records", "records", quantities, cases, claims.GROWTH, note
    )


PAPER = Paper(
    key="poulis2013",
    title="Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013: table 1, figures 4 to 7",
    note="""\
Stand-ins: `informs2005` is the part of INFORMS that can be had (one year, 26,735 of 36,553 records); YOUTUBE cannot be
had, and `youtube_like` is generated with its numbers of records, attributes and items. The paper does not name its
transaction function: AA over `balanced:5` and COAT (no constraints but k^m-anonymity, no suppression) are both shown.
Numbers generalize to ranges, categories to sets of values, with equal weights. Queries are 100 for each workload, made
from random records (values and sets of 2 items of one record, so that none has the answer 0), the same for all
variants; ARE takes columns and items as independent, and is large where rare items hide behind large symbols. Time is
that of the search on a table in memory, on one thread, the best of up to three runs after one on a sample that loads
the kernels; each case has a process of its own. Results that queries were asked of were verified. Clusters that nothing
makes anonymous are merged with their best partner.
What the paper plots, it gives no numbers for; so the claims are those of its text.""",
    measure=measure,
    prepare=compile_kernels,
    figures=[
        Figure(
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
            [Case("table1", "data", data, {"kind": "shape", "data": data}) for data in _DATA],
            note="The paper: INFORMS has 36,553 records, 5 attributes, 619 items, at most 17 and on average 4.27 in a "
            "record; YOUTUBE 131,780, 6, 936, 37 and 6.51.",
        ),
        *_errors_by_delta(),
        *_figure_6(),
        *_figure_7(),
        *_speed(),
        _growth(),
    ],
)
"""The experiments of section 6, and our own on speed and growth."""
