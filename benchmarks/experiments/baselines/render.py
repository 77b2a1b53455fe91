"""Tables of the study of baselines, with 95% confidence intervals over the samples."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import mean

from benchmarks.experiments.baselines import (
    DATA,
    EPSILONS,
    KS,
    LARGE,
    LARGE_AT,
    LARGE_DATA,
    LARGE_LEVELS,
    LENGTHS,
    LEVELS,
    NO_NOISE,
    ORIGINAL,
    PAPER,
    RELEASES,
    TOPS,
    WIDER,
    at_limit,
    larger,
)
from benchmarks.experiments.baselines.at_limit import KINDS
from benchmarks.experiments.baselines.generators import PAIRED
from benchmarks.experiments.baselines.measurement import TRAINED
from benchmarks.experiments.baselines.quantities import (
    COLUMNS,
    COMPARED,
    IN_WORDS,
    PRIVATE,
    SMARTNOISE,
    Stored,
    by_sample,
    interval,
    is_better,
    smartnoise,
    stored,
    trials,
    values,
)
from benchmarks.experiments.cases import Repeated
from benchmarks.experiments.findings import measured_at
from benchmarks.experiments.render import rows

_K, _EPSILON = 5, "1"
_SHOWN: tuple[tuple[str, str, str, float | str], ...] = (
    (ORIGINAL, ORIGINAL, "k", _K),
    *((f"`{way}`, k={_K}", way, "k", _K)
      for way in ("apriori", "set-search", "coat", "pcta", "disassociation", "rum-bound")),
    *((f"`{way}`, epsilon={_EPSILON}", way, "epsilon", _EPSILON) for way in (*RELEASES, SMARTNOISE)),
    *((f"`{way}`, epsilon=10", way, "epsilon", "10") for way in (*RELEASES, WIDER, SMARTNOISE)),
    (f"`tree`, {NO_NOISE}", "tree", "epsilon", NO_NOISE),
)  # fmt: skip
"""Rows of each table: name, series, figure and position."""


def tables(results: Path) -> str:
    """Return the commits of the results, and a Markdown table for each data set."""
    of = stored(results)
    parts = []
    for data in DATA:
        figures = {name: of(data, name) for name in ("k", "epsilon")}
        cells = [
            (shown, *(interval(values(figures[figure], series, x, column)) for column in COLUMNS))
            for shown, series, figure, x in _SHOWN
        ]
        parts += [f"**{data}**", rows(("publication", *COLUMNS.values()), [row for row in cells if any(row[1:])])]
    sweeps = [_SWEEP, _by_length(of), _SWEEP_OF_ITEMSETS, _by_top(of)]
    best = [_BEST, _best_releases(of), f"{_warning(of)} {_falls(of)}"]
    limited = [at_limit.HEAD, at_limit.table(of), at_limit.above_control(of)]
    own = [_OWN, _own_and_smartnoise(of), *_trials()]
    more = [larger.HEAD, larger.table(of)]
    origin = f"{measured_at(PAPER.key)} {_of_smartnoise()}"
    return "\n\n".join([origin, _LOST, _lost(of), *parts, *more, *best, *limited, *own, *sweeps])


def _trials() -> list[str]:
    """Return a table of the times of MST and AIM of SmartNoise by the number of items, with its title."""
    found = trials()
    cells = [
        (
            f"{one['way']}, {one['items']} items",
            f"{one['cpu_seconds']} s" if one["measured"] else f"stopped after {one['limit']} s",
            *(f"{one['measured'][name]:.3f}" if one["measured"] else "" for name in COMPARED),
        )
        for one in found
    ]
    head = f"**More items, and AIM.** A run of SmartNoise on one division of {found[0]['data']} with epsilon=1:"
    return [head, rows(("run", "CPU", *(COLUMNS[name] for name in COMPARED)), cells)]


def _of_smartnoise() -> str:
    """Return the commits, the numbers of divisions and the CPU time of the results of SmartNoise."""
    found = smartnoise()
    points = Counter((one["data"], one["trained"], one["epsilon"]) for one in found)
    divisions: dict[int, list[str]] = {}
    for epsilon in EPSILONS:
        divisions.setdefault(min(points[data, TRAINED, epsilon] for data in DATA), []).append(epsilon)
    measured = [f"{n} divisions with epsilon={', '.join(of)}" for n, of in sorted(divisions.items(), reverse=True) if n]
    missing = f", and not by several divisions with epsilon={', '.join(divisions[0])}" if 0 in divisions else ""
    fewer = [one for one in EPSILONS for n, of in divisions.items() if one in of and n < len(LEVELS) - 1]
    stronger = f" With epsilon={', '.join(fewer)}, a stronger private release is possible." if fewer else ""
    many = [f"{points[LARGE_DATA, LARGE, epsilon]} with epsilon={epsilon}" for epsilon in LARGE_AT["epsilon"]]
    commits, seconds = sorted({one["commit"] for one in found}), [one["cpu_seconds"] for one in found]
    return (
        f"`{SMARTNOISE}` was measured at commit {', '.join(commits)}, on each data set by {' and '.join(measured)} (of "
        f"{len(LEVELS) - 1}){missing}. With {LARGE:,} records, it was measured on {' and '.join(many)} of "
        f"{len(LARGE_LEVELS)} divisions. A run took {min(seconds)} to {max(seconds)} s of CPU.{stronger}"
    )


_SWEEP = f"""\
**Number of items to which records are cut.** F1 of itemsets with epsilon={_EPSILON}. The first column is the length
that is chosen within epsilon. The other columns spend nothing on the choice:"""
_SWEEP_OF_ITEMSETS = f"""\
**Number of itemsets that `priv-basis` is asked for.** F1 of itemsets with epsilon={_EPSILON}:"""
_LOST = """\
**Private releases that keep more.** Each k at which a private release keeps more itemsets or rules (F1), or has a
higher AUC or a lower ARE, than a k<sup>m</sup>-anonymous publication. In brackets: the best of these releases for each
of the data sets and publications."""
_BEST = f"""\
**Best private release.** The release with the best mean of each quantity. AUC and ARE of {SMARTNOISE} are bounds,
because it draws only {PAIRED} items:"""
_OWN = f"""\
**Own `mst`, and {SMARTNOISE}.** Means over the divisions on which both were measured. Before the slash: `mst`.
{SMARTNOISE} draws only {PAIRED} items, which lowers its AUC and raises its ARE. So only the columns of itemsets and
rules compare the generators."""


def _lost(of: Stored) -> str:
    """Return a table of the k^m-anonymous publications that keep less than a private release."""
    columns = [(quantity, epsilon) for epsilon in (_EPSILON, "10") for quantity in COMPARED]
    cells = []
    for data in DATA:
        public, private = (of(data, figure) for figure, _, _ in KINDS.values())
        for way in KINDS["k^m-anonymous"][1]:
            row = []
            for quantity, epsilon in columns:
                lost = _lost_at(public, private, way, epsilon, quantity)
                winners = sorted({name for _, name in lost.values()})
                row.append(", ".join(f"k={k}" for k in lost))
                row[-1] += f" ({', '.join(f'`{name}`' for name in winners)})" if lost else ""
            if any(row):
                cells.append((data, f"`{way}`", *row))
    return rows(("data", "publication", *(f"{COLUMNS[name]}, epsilon={epsilon}" for name, epsilon in columns)), cells)


def _lost_at(
    public: Repeated, private: Repeated, way: str, epsilon: str, quantity: str
) -> dict[int, tuple[float, str]]:
    """Return each k at which private releases are better than a publication, and the best of them (`_best`)."""
    lost = {}
    for k in KS:
        of = by_sample(public, way, k, quantity)
        better = [one for one in PRIVATE if is_better(quantity, by_sample(private, one, epsilon, quantity), of)]
        if better:
            lost[k] = _best(private, epsilon, quantity, better)
    return lost


def _losses_in_words(of: Stored, epsilon: str) -> str:
    """Return the publications that keep fewer itemsets or rules than a private release, with data sets and each k."""
    by_way: dict[str, list[str]] = {}
    for data in DATA:
        public, private = (of(data, figure) for figure, _, _ in KINDS.values())
        for way in KINDS["k^m-anonymous"][1]:
            lost = {k for name in ("sets_f1", "rules_f1") for k in _lost_at(public, private, way, epsilon, name)}
            if lost:
                at = "every k" if lost == set(KS) else f"k={', '.join(map(str, sorted(lost)))}"
                by_way.setdefault(way, []).append(f"{data} with {at}")
    return "; ".join(f"`{way}` ({', '.join(places)})" for way, places in by_way.items()) or "none"


def _best(private: Repeated, epsilon: str, quantity: str, names: Sequence[str] = PRIVATE) -> tuple[float, str]:
    """Return the best signed mean of a quantity among private releases, and the name of the release."""
    releases = {name: values(private, name, epsilon, quantity) for name in names}
    return max(((COMPARED[quantity] * mean(of), name) for name, of in releases.items() if of), default=(-inf, ""))


def _best_releases(of: Stored) -> str:
    """Return a table of the best private release of each quantity, by data set and epsilon."""
    cells = []
    for data in DATA:
        private = of(data, "epsilon")
        for epsilon in EPSILONS:
            best = {quantity: _best(private, epsilon, quantity) for quantity in COMPARED}
            shown = (f"{abs(value):.3f} (`{name}`)" for value, name in best.values())
            cells.append((data, epsilon, *shown))
    return rows(("data", "epsilon", *(COLUMNS[quantity] for quantity in COMPARED)), cells)


def in_short(results: Path) -> str:
    """Return where private releases keep more than a publication, and which kind is better within the same limit."""
    of = stored(results)
    lost = {epsilon: _losses_in_words(of, epsilon) for epsilon in (_EPSILON, "10")}
    return f"""\
* **Where anonset loses.** With epsilon={_EPSILON}, a private release keeps more itemsets or rules than
  {lost[_EPSILON]}. With epsilon=10, it keeps more than {lost["10"]}. The table *Private
  releases that keep more* also compares the AUC and the ARE. `coat` and `pcta` run without a policy here.
* **With more records.** {larger.in_words(of)}
{at_limit.in_words(of)}"""


def _compared(of: Stored) -> dict[tuple[str, str], tuple[int, dict[str, tuple[float, float]]]]:
    """Return for each data set and epsilon the number of divisions on which `mst` and MST of SmartNoise were measured,
    and their means of each quantity over these divisions.
    """
    compared = {}
    for data in DATA:
        private = of(data, "epsilon")
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


def _own_and_smartnoise(of: Stored) -> str:
    """Return a table of the means of `mst` and of MST of SmartNoise, on the divisions on which both were measured."""
    cells = [
        (data, epsilon, str(n), *(f"{own:.3f} / {other:.3f}" for own, other in means.values()))
        for (data, epsilon), (n, means) in _compared(of).items()
    ]
    return rows(("data", "epsilon", "divisions", *(COLUMNS[quantity] for quantity in COMPARED)), cells)


def _warning(of: Stored) -> str:
    """Return by how many comparisons MST of SmartNoise is better than `mst`, and worse, for each quantity."""
    places = [(data, epsilon, of(data, "epsilon")) for data, epsilon in _compared(of)]
    better, worse = Counter[str](), Counter[str]()
    for _, epsilon, private in places:
        for quantity in COMPARED:
            own, other = (by_sample(private, name, epsilon, quantity) for name in ("mst", SMARTNOISE))
            better[quantity] += is_better(quantity, other, own)
            worse[quantity] += is_better(quantity, own, other)
    counted = ", ".join(f"{IN_WORDS[quantity]} in {better[quantity]} and {worse[quantity]}" for quantity in COMPARED)
    return (
        f"**`mst` is not the strongest private generator.** `{SMARTNOISE}` is better and worse than it by {counted} of "
        f"{len(places)} rows of the table *Own `mst`, and {SMARTNOISE}*. So where it is better, the values of `mst` "
        "are too low for a private generator."
    )


def _falls(of: Stored) -> str:
    """Return where the best private release is worse than the best with the next smaller epsilon (`is_better`)."""
    falls = []
    for data in DATA:
        private = of(data, "epsilon")
        for quantity in COMPARED:
            best = {
                epsilon: by_sample(private, _best(private, epsilon, quantity)[1], epsilon, quantity)
                for epsilon in EPSILONS
            }
            falls += [
                f"{data}, {IN_WORDS[quantity]}, epsilon={before} to {after}"
                for before, after in pairwise(EPSILONS)
                if is_better(quantity, best[before], best[after])
            ]
    return f"With a larger epsilon, the best private release is worse in: {'; '.join(falls) or 'none'}."


def _by_top(of: Stored) -> str:
    """Return the F1 of itemsets of PrivBasis, by the number of itemsets."""
    cells = []
    for data in DATA:
        results = of(data, "top")
        cells.append((data, *(interval(values(results, "priv-basis", top, "sets_f1")) for top in TOPS)))
    return rows(("data", *map(str, TOPS)), cells)


def _by_length(of: Stored) -> str:
    """Return the F1 of itemsets of the private releases, by the given length."""
    cells = []
    for data in DATA:
        chosen, given = (of(data, figure) for figure in ("epsilon", "length"))
        for way in ("independent", "tree", "mst"):
            found_at = [interval(values(given, way, length, "sets_f1")) for length in LENGTHS]
            cells.append((data, f"`{way}`", interval(values(chosen, way, _EPSILON, "sets_f1")), *found_at))
    return rows(("data", "release", "chosen", *map(str, LENGTHS)), cells)
