"""Tables of the study of baselines, with 95% confidence intervals over the samples."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.experiments.baselines import (
    DATA,
    EPSILONS,
    KS,
    LENGTHS,
    LEVELS,
    NO_NOISE,
    ORIGINAL,
    PAPER,
    RELEASES,
    TOPS,
    WAYS,
    larger,
    place,
)
from benchmarks.experiments.baselines.measurement import TRAINED
from benchmarks.experiments.baselines.quantities import COLUMNS, COMPARED, IN_WORDS, half_width, interval, values
from benchmarks.experiments.cases import Figure, Key, Repeated, Results
from benchmarks.experiments.findings import measured_at
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import RESULTS, results_of

SMARTNOISE, SMARTNOISE_RESULTS = "MST of SmartNoise", RESULTS / "smartnoise.jsonl"
"""Name and results of a generator that runs in its own environment (`benchmarks.smartnoise`)."""
_PRIVATE = (*RELEASES, SMARTNOISE)
_K, _EPSILON = 5, "1"
_SHOWN: tuple[tuple[str, str, str, float | str], ...] = (
    (ORIGINAL, ORIGINAL, "k", _K),
    *((f"`{way}`, k={_K}", way, "k", _K)
      for way in ("apriori", "set-search", "coat", "pcta", "disassociation", "rum-bound")),
    *((f"`{way}`, epsilon={_EPSILON}", way, "epsilon", _EPSILON) for way in _PRIVATE),
    *((f"`{way}`, epsilon=10", way, "epsilon", "10") for way in ("tree", "mst", "priv-basis", SMARTNOISE)),
    (f"`tree`, {NO_NOISE}", "tree", "epsilon", NO_NOISE),
)  # fmt: skip
"""Rows of each table: name, series, figure and position."""


def tables(results: Path) -> str:
    """Return the commits of the results, and a Markdown table for each data set."""
    figures, found = {figure.key: figure for figure in PAPER.figures}, results_of(PAPER, results)
    parts = []
    for data in DATA:
        of = {name: _results(figures, found, data, name) for name in ("k", "epsilon")}
        cells = [
            (shown, *(interval(values(of[figure], series, x, column)) for column in COLUMNS))
            for shown, series, figure, x in _SHOWN
        ]
        parts += [f"**{data}**", rows(("publication", *COLUMNS.values()), [row for row in cells if any(row[1:])])]
    sweeps = [_SWEEP, _by_length(figures, found), _SWEEP_OF_ITEMSETS, _by_top(figures, found)]
    warning = _warning(figures, found)
    best = [_BEST, f"{warning} {_falls(figures, found)}", _best_releases(figures, found)]
    equal = [_EQUAL_SUCCESS, warning, _at_equal_success(figures, found), _above_control(figures, found)]
    own = [_OWN, _own_and_smartnoise(figures, found)]
    more = [larger.HEAD, larger.table(figures, found)]
    origin = f"{measured_at(PAPER.key)} {_of_smartnoise()}{_single_runs(figures, found)}"
    return "\n\n".join([origin, _LOST, _lost(figures, found), *parts, *more, *best, *equal, *own, *sweeps])


def _results(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]], data: str, figure: str) -> Repeated:
    """Return the results of a figure of a data set. Those over epsilon include MST of SmartNoise."""
    levels = {
        level: dict(one.measured) for level, one in results_of_figure(figures[f"{data}_{figure}"], found).levels.items()
    }
    for one in _smartnoise() if figure == "epsilon" else ():
        if one["data"] == data:
            levels.setdefault(one["sample"], {})[SMARTNOISE, one["epsilon"]] = one["measured"]
    return Repeated({level: Results(measured) for level, measured in levels.items()})


def _smartnoise(*, single: bool = False) -> list[dict[str, Any]]:
    """Return the results of SmartNoise. A `single` division has no interval, so the tables omit it."""
    found = [json.loads(line) for line in SMARTNOISE_RESULTS.read_text(encoding="utf-8").splitlines()]
    divisions = Counter((one["data"], one["epsilon"]) for one in found)
    return [one for one in found if (divisions[one["data"], one["epsilon"]] == 1) == single]


def _single_runs(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the results of SmartNoise on a single division, and how often they are better than the best release."""
    runs = _smartnoise(single=True)
    if not runs:
        return ""
    measured: dict[str, list[str]] = {}
    better: Counter[str] = Counter()
    for one in runs:
        measured.setdefault(one["data"], []).append(one["epsilon"])
        private = _results(figures, found, one["data"], "epsilon")
        for quantity, sign in COMPARED.items():
            better[quantity] += sign * one["measured"][quantity] > _best(private, one["epsilon"], quantity)[0]
    places = " and ".join(f"{data} with epsilon={', '.join(of)}" for data, of in measured.items())
    by = ", ".join(f"{IN_WORDS[quantity]} in {better[quantity]}" for quantity in COMPARED)
    return (
        f" The tables omit {len(runs)} further runs of it, because each is on a single division and has no interval "
        f"({places}). They are better than the mean of the best private release of the tables by {by} of {len(runs)}."
    )


def _of_smartnoise() -> str:
    """Return the commits, the numbers of divisions and the CPU time of the results of SmartNoise."""
    found = _smartnoise()
    divisions: dict[int, list[str]] = {}
    for epsilon in EPSILONS:
        fewest = min(sum((one["data"], one["epsilon"]) == (data, epsilon) for one in found) for data in DATA)
        divisions.setdefault(fewest, []).append(epsilon)
    measured = [f"{n} divisions with epsilon={', '.join(of)}" for n, of in sorted(divisions.items(), reverse=True) if n]
    missing = f", and not by several divisions with epsilon={', '.join(divisions[0])}" if 0 in divisions else ""
    fewer = [one for one in EPSILONS for n, of in divisions.items() if one in of and n < len(LEVELS) - 1]
    stronger = f" With epsilon={', '.join(fewer)}, a stronger private release is possible." if fewer else ""
    commits, seconds = sorted({one["commit"] for one in found}), [one["cpu_seconds"] for one in found]
    return (
        f"`{SMARTNOISE}` was measured at commit {', '.join(commits)}, on each data set by {' and '.join(measured)} (of "
        f"{len(LEVELS) - 1}){missing}. A run took {min(seconds)} to {max(seconds)} s of CPU.{stronger}"
    )


_SWEEP = f"""\
**Number of items to which records are cut.** F1 of itemsets with epsilon={_EPSILON}. The first column is the length
that is chosen within epsilon. The other columns spend nothing on the choice:"""


_SWEEP_OF_ITEMSETS = f"""\
**Number of itemsets that `priv-basis` is asked for.** F1 of itemsets with epsilon={_EPSILON}:"""
_LOST = """\
**Private releases that keep more.** Each k at which a private release keeps more itemsets or rules (mean F1), or has a
higher AUC or a lower ARE, than a k<sup>m</sup>-anonymous publication. In brackets: the best private release."""
_BEST = """\
**Best private release.** The release with the best mean of each quantity:"""
_EQUAL_SUCCESS = """\
**At equal success of the attack.** The best publication of each kind among those whose attack succeeds at most so
often: the upper end of the interval of "items inferred, minus control" is at most the limit. In brackets: the
publication. "Unresolved" is a better publication whose mean is at most the limit, but whose interval is not."""
_OWN = f"""\
**Own `mst`, and {SMARTNOISE}.** Means over the divisions on which both were measured. Before the slash: `mst`."""
_NEAR = 0.5
"""Share of the best private value below which a publication does not come near it."""
_LIMITS = (0.005, 0.01, 0.02, 0.05)
"""Limits on the success of the attack."""
_AT_EQUAL_SUCCESS = ("sets_f1", "rules_f1", "auc")
"""Quantities that are compared at equal success of the attack."""
_KINDS: dict[str, tuple[str, Sequence[str], Sequence[float | str]]] = {
    "k^m-anonymous": ("k", (*WAYS, "rum-bound"), KS),
    "private": ("epsilon", _PRIVATE, EPSILONS),
}
"""Figure, series and positions of each kind of publication."""


def _lost(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the k^m-anonymous publications that keep less than a private release."""
    columns = [(quantity, epsilon) for epsilon in (_EPSILON, "10") for quantity in COMPARED]
    cells = []
    for data in DATA:
        public, private = (_results(figures, found, data, figure) for figure, _, _ in _KINDS.values())
        for way in _KINDS["k^m-anonymous"][1]:
            row = []
            for quantity, epsilon in columns:
                lost = _lost_at(public, private, way, epsilon, quantity)
                row.append(", ".join(f"k={k}" for k in lost))
                row[-1] += f" (`{_best(private, epsilon, quantity)[1]}`)" if lost else ""
            if any(row):
                cells.append((data, f"`{way}`", *row))
    return rows(("data", "publication", *(f"{COLUMNS[name]}, epsilon={epsilon}" for name, epsilon in columns)), cells)


def _lost_at(public: Repeated, private: Repeated, way: str, epsilon: str, quantity: str) -> list[int]:
    """Return each k at which a private release has a better mean of a quantity than a publication."""
    most, _ = _best(private, epsilon, quantity)
    kept = {k: COMPARED[quantity] * mean(of) for k in KS if (of := values(public, way, k, quantity))}
    return [k for k, mean_ in kept.items() if mean_ < most]


def _losses_in_words(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]], epsilon: str) -> str:
    """Return the publications that keep fewer itemsets or rules than a private release, with data sets and each k."""
    by_way: dict[str, list[str]] = {}
    for data in DATA:
        public, private = (_results(figures, found, data, figure) for figure, _, _ in _KINDS.values())
        for way in _KINDS["k^m-anonymous"][1]:
            lost = {k for name in ("sets_f1", "rules_f1") for k in _lost_at(public, private, way, epsilon, name)}
            if lost:
                at = "every k" if lost == set(KS) else f"k={', '.join(map(str, sorted(lost)))}"
                by_way.setdefault(way, []).append(f"{data} with {at}")
    return "; ".join(f"`{way}` ({', '.join(places)})" for way, places in by_way.items()) or "none"


def _best(private: Repeated, epsilon: str, quantity: str) -> tuple[float, str]:
    """Return the best signed mean of a quantity among the private releases, and the name of the release."""
    releases = {name: values(private, name, epsilon, quantity) for name in _PRIVATE}
    return max(((COMPARED[quantity] * mean(of), name) for name, of in releases.items() if of), default=(-inf, ""))


def _best_releases(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the best private release of each quantity, by data set and epsilon."""
    cells = []
    for data in DATA:
        private = _results(figures, found, data, "epsilon")
        for epsilon in EPSILONS:
            best = {quantity: _best(private, epsilon, quantity) for quantity in COMPARED}
            shown = (f"{abs(value):.3f} (`{name}`)" for value, name in best.values())
            cells.append((data, epsilon, *shown))
    return rows(("data", "epsilon", *(COLUMNS[quantity] for quantity in COMPARED)), cells)


class _Point(NamedTuple):
    """A publication whose attack succeeds at most as often as a limit, as a mean."""

    mean: float
    """Mean of the compared quantity."""
    name: str
    within: bool
    """True if the interval of the success of the attack is within the limit, too."""
    half_width: float
    """Half of the width of the interval of the compared quantity."""


def _points(
    figures: Mapping[str, Figure],
    found: Mapping[Key, Mapping[str, Any]],
    data: str,
    limit: float,
    quantity: str,
    kind: str,
) -> list[_Point]:
    figure, ways, places = _KINDS[kind]
    results = _results(figures, found, data, figure)
    return [
        _Point(
            mean(measured),
            f"`{way}`, {figure}={x}",
            mean(disclosed) + half_width(disclosed) <= limit,
            half_width(measured),
        )
        for way in ways
        for x in places
        if (measured := values(results, way, x, quantity))
        and (disclosed := _disclosed(figures, found, data, figure, way, x))
        and mean(disclosed) <= limit
    ]


def _at_equal_success(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the best mean of a quantity among the publications of a kind whose attack succeeds at most so often."""
    cells = []
    for data in DATA:
        for limit in _LIMITS:
            row = [data, f"{limit:g}"]
            for quantity in _AT_EQUAL_SUCCESS:
                for kind in _KINDS:
                    points = _points(figures, found, data, limit, quantity, kind)
                    best = _best_within(points)
                    better = max(points, default=best)
                    row.append(f"{best.mean:.3f} ({best.name})")
                    row[-1] += f"; unresolved: {better.mean:.3f} ({better.name})" if better.mean > best.mean else ""
            cells.append(tuple(row))
    names = [f"{COLUMNS[quantity]}, {kind}" for quantity in _AT_EQUAL_SUCCESS for kind in _KINDS]
    return f"{rows(('data', 'limit', *names), cells)}\n\n{_half_widths(figures, found)}"


def _best_within(points: Sequence[_Point]) -> _Point:
    """Return the best publication that is known to be within the limit."""
    return max((point for point in points if point.within), default=_Point(0.0, "none", True, 0.0))


def _not_near(public: Sequence[_Point], private: Sequence[_Point]) -> str:
    """Return both values if the best k^m-anonymous publication within the limit has less than `_NEAR` of the best
    private one. Empty otherwise.
    """
    own, other = (_best_within(points).mean for points in (public, private))
    return f"{own:.3f} against {other:.3f}" if own < _NEAR * other else ""


def in_short(results: Path) -> str:
    """Return where private releases keep more than a publication, and the outcomes of the comparisons at equal success.

    At equal success of the attack, a kind of publication is better, or the comparison is open.
    """
    figures, found = {figure.key: figure for figure in PAPER.figures}, results_of(PAPER, results)
    lost = {epsilon: _losses_in_words(figures, found, epsilon) for epsilon in (_EPSILON, "10")}
    outcomes: dict[str, dict[str, list[str]]] = {kind: {} for kind in (*_KINDS, "")}
    far: list[str] = []
    for data in DATA:
        for limit in _LIMITS:
            at: dict[str, list[str]] = {}
            for quantity in _AT_EQUAL_SUCCESS:
                points = [_points(figures, found, data, limit, quantity, kind) for kind in _KINDS]
                at.setdefault(_keeps_more(*points), []).append(IN_WORDS[quantity])
                if values_ := _not_near(*points):
                    far.append(f"{data} at {limit:g}, {IN_WORDS[quantity]}: {values_}")
            for kind, names in at.items():
                outcomes[kind].setdefault(f"{data} at {limit:g}", []).extend(names)
    counts = {kind: sum(map(len, of.values())) for kind, of in outcomes.items()}
    listed = {kind: "; ".join(f"{at}: {', '.join(names)}" for at, names in of.items()) for kind, of in outcomes.items()}
    private, undecided = (
        f"{counts[kind]}" + (f" ({listed[kind]})" if listed[kind] else "") for kind in ("private", "")
    )
    return f"""\
* **Where anonset loses.** With epsilon={_EPSILON}, a private release keeps more itemsets or rules than
  {lost[_EPSILON]}. With epsilon=10, it keeps more than {lost["10"]}. The table *Private
  releases that keep more* also compares the AUC and the ARE. `coat` and `pcta` run without a policy here.
* **With more records.** {larger.in_words(figures, found)}
  `{SMARTNOISE}` is not measured with so many records, so private releases can be better in more cases.
* **At equal success of the attack**, we compare the best k<sup>m</sup>-anonymous publication with the best private one
  of the same {TRAINED:,} records, by {len(_AT_EQUAL_SUCCESS)} quantities at {len(_LIMITS)} limits on {len(DATA)} data
  sets. The k<sup>m</sup>-anonymous one is better in {counts["k^m-anonymous"]} of {sum(counts.values())} comparisons,
  and the private one in {private}. Open are {undecided}. There, the intervals of the quantities overlap, or the
  interval of the attack decides which publications are within the limit. An open comparison can still be in
  favour of the private one: in {len(far)} comparisons, no k<sup>m</sup>-anonymous publication that is known to be
  within the limit comes near it, that is, reaches {_NEAR:.0%} of its value ({"; ".join(far) or "none"}). They are open
  because a better publication might be within the limit."""


def _keeps_more(public: Sequence[_Point], private: Sequence[_Point]) -> str:
    """Return the kind whose best point within the limit is above each point of the other kind, by their intervals.

    Empty if there is none.
    """
    for kind, these, others in zip(_KINDS, (public, private), (private, public), strict=True):
        least = max((point.mean - point.half_width for point in these if point.within), default=-inf)
        if least > max((point.mean + point.half_width for point in others), default=-inf):
            return kind
    return ""


def _compared(
    figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]
) -> dict[tuple[str, str], tuple[int, dict[str, tuple[float, float]]]]:
    """Return for each data set and epsilon the number of divisions on which `mst` and MST of SmartNoise were measured,
    and their means of each quantity over these divisions.
    """
    compared = {}
    for data in DATA:
        private = _results(figures, found, data, "epsilon")
        for epsilon in EPSILONS:
            both = ("mst", epsilon), (SMARTNOISE, epsilon)
            common = Repeated(
                {name: one for name, one in private.levels.items() if all(point in one.measured for point in both)}
            )
            if common.levels:
                means = {
                    quantity: (mean(values(common, *both[0], quantity)), mean(values(common, *both[1], quantity)))
                    for quantity in COMPARED
                }
                compared[data, epsilon] = len(common.levels), means
    return compared


def _own_and_smartnoise(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the means of `mst` and of MST of SmartNoise, on the divisions on which both were measured."""
    cells = [
        (data, epsilon, str(n), *(f"{own:.3f} / {other:.3f}" for own, other in means.values()))
        for (data, epsilon), (n, means) in _compared(figures, found).items()
    ]
    return rows(("data", "epsilon", "divisions", *(COLUMNS[quantity] for quantity in COMPARED)), cells)


def _warning(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return by how many comparisons MST of SmartNoise is better than `mst`, for each quantity."""
    compared = [means for _, means in _compared(figures, found).values()]
    better = {
        quantity: sum(sign * other > sign * own for own, other in (means[quantity] for means in compared))
        for quantity, sign in COMPARED.items()
    }
    counted = ", ".join(f"{IN_WORDS[quantity]} in {n}" for quantity, n in better.items())
    mostly = [IN_WORDS[quantity] for quantity, n in better.items() if 2 * n > len(compared)]
    too_low = f". So its values can be too low for {' and '.join(mostly)}" if mostly else ""
    return (
        f"**`mst` is not the strongest private generator.** `{SMARTNOISE}` is better by {counted} of "
        f"{len(compared)} rows of the table *Own `mst`, and {SMARTNOISE}*{too_low}."
    )


def _falls(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return where the best private release is worse than with the next smaller epsilon, by more than the intervals."""
    falls = []
    for data in DATA:
        private = _results(figures, found, data, "epsilon")
        for quantity in COMPARED:
            ends: list[tuple[str, float, float]] = []
            for epsilon in EPSILONS:
                best, name = _best(private, epsilon, quantity)
                half = half_width(values(private, name, epsilon, quantity))
                ends += [(epsilon, best - half, best + half)] if name else []
            falls += [
                f"{data}, {IN_WORDS[quantity]}, epsilon={before} to {after}"
                for (before, low, _), (after, _, high) in pairwise(ends)
                if low > high
            ]
    return (
        f"With a larger epsilon, the best value is worse by more than the intervals in: {'; '.join(falls) or 'none'}."
    )


def _disclosed(
    figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]], data: str, figure: str, way: str, x: Any
) -> list[float]:
    """Return the success of the attack on a point above the control, on all records if these were attacked."""
    every = results_of_figure(figures[f"{data}_attack"], found)
    some = _results(figures, found, data, figure)
    on_all = values(every, way, place(**{figure: x}), "all_disclosed") or values(some, way, x, "all_disclosed")
    return on_all or values(some, way, x, "disclosed")


def _half_widths(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the largest half-width of the intervals of the attacks, for each data set."""
    cells = []
    for data in DATA:
        points = [
            (half_width(disclosed), f"`{way}`, {figure}={x}")
            for figure, ways, places in _KINDS.values()
            for way in ways
            for x in places
            if (disclosed := _disclosed(figures, found, data, figure, way, x))
        ]
        widest, at = max(points, default=(0.0, "none"))
        targets = f"all {TRAINED:,} training records"
        middle = median(width for width, _ in points) if points else 0.0
        cells.append((data, targets, f"{middle:.4f}", f"{widest:.4f} ({at})"))
    return rows(("data", "attacked", "half-width of the interval, median", "largest"), cells)


def _above_control(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the private and synthetic points whose attack succeeds more often than its control."""
    points = {
        f"`{way}`, epsilon={x}, {data}": disclosed
        for data in DATA
        for way in _PRIVATE
        for x in (*EPSILONS, NO_NOISE)
        if (disclosed := _disclosed(figures, found, data, "epsilon", way, x))
    }
    above = [name for name, disclosed in points.items() if mean(disclosed) > half_width(disclosed)]
    return (
        f"Of {len(points)} points of private and synthetic records, {len(above)} have a difference from the control "
        f"above its interval ({'; '.join(above) or 'none'}). About one in forty is expected by chance."
    )


def _by_top(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the F1 of itemsets of PrivBasis, by the number of itemsets."""
    cells = []
    for data in DATA:
        results = results_of_figure(figures[f"{data}_top"], found)
        cells.append((data, *(interval(values(results, "priv-basis", top, "sets_f1")) for top in TOPS)))
    return rows(("data", *map(str, TOPS)), cells)


def _by_length(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the F1 of itemsets of the private releases, by the given length."""
    cells = []
    for data in DATA:
        chosen, given = (results_of_figure(figures[f"{data}_{name}"], found) for name in ("epsilon", "length"))
        for way in ("independent", "tree", "mst"):
            found_at = [interval(values(given, way, length, "sets_f1")) for length in LENGTHS]
            cells.append((data, f"`{way}`", interval(values(chosen, way, _EPSILON, "sets_f1")), *found_at))
    return rows(("data", "release", "chosen", *map(str, LENGTHS)), cells)
