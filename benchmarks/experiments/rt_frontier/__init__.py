"""Measure how accurately frameworks publish RT-datasets, at several bounds on the relational loss."""

from typing import Any

from benchmarks.experiments.cases import Case, Figure, Paper
from benchmarks.experiments.rt_frontier import claims
from benchmarks.experiments.rt_frontier.measurement import LIMIT, RECORDS, compile_kernels, measure

from anonset.algorithms.rt.joint_split import LARGEST_RELATIONAL_LOSS

DATA = (
    "informs2005", "diabetes130_patients", "synpuf_inpatient", "tafeng_customers", "online_retail", "vermont2013",
    "completejourney_households", "youtube080327",
)  # fmt: skip
"""RT-datasets of the catalogue. At most one data set comes from each source."""
VARIED = ("informs2005", "diabetes130_patients", "tafeng_customers", "vermont2013")
"""Data sets of the figures that vary k or m, and of the figure on halves of the records."""
_QUICK: dict[str, tuple[float | str, ...]] = {"vermont2013": (0.03, 0.1, 0.3), "diabetes130_patients": (0.1,)}
"""Bounds of the quick subset, for the data sets that take seconds. The others have the curves of `_FAST`."""
_FAST = ("RM_R, AA", "rfirst, AA", "tfirst")
_SMALL = ("vermont2013",)
POINTS = {name: float(bound) for name, bound in sorted(LARGEST_RELATIONAL_LOSS.items(), key=lambda point: point[1])}
"""Bound on the relational loss of each point, in ascending order."""
KS, MS = (2, 5, 10, 50), (1, 2, 3)
_LARGEST = max(POINTS.values())
_FUNCTIONS = {"COAT": "coat", "AA": "apriori", "sets": "set-search"}
_RUM = (("R", "COAT"), ("R", "AA"), ("RT", "COAT"), ("RT", "AA"), ("RT", "sets"))
"""Merge order and transaction function of each variant of Rum-bound."""
_QUANTITIES = {
    "rum": "relational loss (RUM)",
    "items_error": "median relative error of the 200 most frequent items",
    "pairs_error": "median relative error of the 200 most frequent pairs",
    "usefulness": "usefulness, as in the ranking of `suggest`",
    "kept": "share of occurrences published unchanged",
    "tum": "utility loss (UL) of the items, mean over records",
    "are1s_1_2": "ARE of queries for a relational value and two items, if an item has probability 1/s",
    "clusters": "clusters",
    "infeasible_below": "smallest feasible bound if the bound is infeasible",
    "did_not_end_within": "CPU seconds after which a search was stopped",
}
_OF_HALVES = {
    "learned_rum": "relational loss on the half from which w was learned",
    "rum": "relational loss on the other half",
    "learned_items_error": "item error on the half from which w was learned",
    "items_error": "item error on the other half",
    "w": "weight w",
}


def _case(figure: str, series: str, x: float | str, **parameters: Any) -> Case:
    return Case(figure, series, x, {"what": "whole", "k": 5, "m": 2, **parameters})


def _joint(point: str) -> dict[str, str]:
    return {"framework": "joint-split", "point": point, "function": "set-search"}


def _by_bound(data: str) -> list[Case]:
    """Return the cases of a data set. `joint-split` and Rum-bound run at each bound, and all other algorithms once."""
    cases = []
    for point, bound in POINTS.items():
        cases.append(_case(data, "joint-split", bound, data=data, **_joint(point)))
        rum = {"data": data, "framework": "rum-bound", "bound": bound}
        cases += [
            _case(data, f"RM_{merge}, {name}", bound, **rum, merge=merge.lower(), function=_FUNCTIONS[name])
            for merge, name in _RUM
        ]
    tum = {"data": data, "framework": "tum-bound", "bound": _LARGEST, "function": "coat"}
    cases += [_case(data, f"TM_{merge}, COAT", _LARGEST, **tum, merge=merge.lower()) for merge in ("R", "RT")]
    cases += [
        _case(data, f"rfirst, {name}", _LARGEST, data=data, framework="rfirst", function=function)
        for name, function in _FUNCTIONS.items()
    ]
    return [*cases, _case(data, "tfirst", _LARGEST, data=data, framework="tfirst", function="apriori")]


def _varied(name: str, values: tuple[int, ...]) -> list[Case]:
    return [
        _case(name, data, value, **{"data": data, **_joint("balanced"), name: value})
        for data in VARIED for value in values
    ]  # fmt: skip


_BY_BOUND_X = (
    "bound on the relational loss (for TM, fraction of the way from the UL of one cluster to the UL of the "
    f"initial clusters; rfirst and tfirst have no bound, and are shown at {_LARGEST})"
)

PAPER = Paper(
    key="rt_frontier",
    title="RT-datasets: item counts and relational loss of each framework",
    note=f"""\
Each data set is a sample of {RECORDS:,} records, or all records if it has fewer. Domains come from all records.
`joint-split` runs at its three points. Rum-bound has the same bounds as `delta`, and merges by relational loss (R) or
by both losses (RT). Tum-bound, `rfirst` and `tfirst` run once. Items are published by COAT, by AA (`apriori` on
`halves:frequency`) or in sets (`set-search`). A search is stopped after {LIMIT} s of CPU time and recorded as "did
not end". Range boundaries are rounded. Clusters that no mapping makes anonymous are merged before the search. Every
result was verified. For item and pair errors, a symbol of s items counts 1/s for each of its items. UL and ARE are
defined as in Poulis et al., and ARE uses 1,000 queries drawn from records.

The claims about frameworks and halves were fixed before any case was run. Cases, samples and the rule for the points
were fixed before the samples were measured. At that time, results of the complete data were known for informs2005 and
vermont2013 (all frameworks), and for `joint-split` on halves of all eight data sets.

The points `attributes`, `balanced` and `items` are bounds of {", ".join(map(str, POINTS.values()))} on the relational
loss (RUM). Each bound is about three times the previous bound. A point remains an option of `joint-split` if its item
error is at least a quarter smaller than that of the previous point, on at least half of the data sets.""",
    measure=measure,
    study=True,
    prepare=compile_kernels,
    figures=[
        Figure("points", "points: losses and errors of the three points of `joint-split`",
            "bound on the relational loss", _QUANTITIES,
               [_case("points", data, bound, data=data, **_joint(point))
                for data in DATA for point, bound in POINTS.items()],
               tuple(claims.differs(*pair, POINTS) for pair in zip(POINTS, list(POINTS)[1:], strict=False)),
               "k is 5, and m is 2.", quick=_SMALL),
        *(Figure(data, f"{data}: losses and errors at each bound", _BY_BOUND_X, _QUANTITIES, _by_bound(data),
                 claims.BY_BOUND, "k is 5, and m is 2.", quick=_QUICK.get(data, _FAST)) for data in DATA),
        Figure("k", "k: losses and errors of `joint-split` "
                    "as k grows", "k", _QUANTITIES, _varied("k", KS), claims.OVER_K,
               "The point is `balanced`, and m is 2.", quick=_SMALL),
        Figure("m", "m: losses and errors of `joint-split` "
                    "as m grows", "m", _QUANTITIES, _varied("m", MS), claims.OVER_M,
               "The point is `balanced`, and k is 5.", quick=_SMALL),
        Figure("halves", "halves: weight w learned from one half of the records, and used for the other half",
            "data set", _OF_HALVES,
               [Case("halves", "joint-split", data, {"what": "halves", "data": data, "k": 5, "m": 2, "halves": 3})
                for data in VARIED],
               claims.halves(POINTS["balanced"]), "The point is `balanced`, k is 5, and m is 2. Values are "
                                                  "medians over three random divisions of the records.", quick=_SMALL),
    ],
)  # fmt: skip
"""Our own study of RT-datasets."""
