"""Compare both kinds of publication within the same limit on the success of the attack."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean, median

from benchmarks.experiments.baselines import DATA, EPSILONS, KS, NO_NOISE, WAYS, place
from benchmarks.experiments.baselines.measurement import TESTED, TRAINED
from benchmarks.experiments.baselines.quantities import (
    COLUMNS,
    COMPARED,
    IN_WORDS,
    PRIVATE,
    Stored,
    by_sample,
    half_width,
    p_of_better,
    values,
)
from benchmarks.experiments.criteria import CONFIDENCE, holm
from benchmarks.experiments.render import rows

HEAD = """\
**Within the same limit on the attack.** The best publication of each kind among those whose attack succeeds at most so
often: the upper end of the interval of "items inferred, minus control" is at most the limit. In brackets: the
publication. "Unresolved" is a better publication whose mean is at most the limit, but whose interval is not."""
KINDS: dict[str, tuple[str, Sequence[str], Sequence[float | str]]] = {
    "k^m-anonymous": ("k", (*WAYS, "rum-bound"), KS),
    "private": ("epsilon", PRIVATE, EPSILONS),
}
"""Figure, series and positions of each kind of publication."""
_LIMITS = (0.005, 0.01, 0.02, 0.05)
"""Limits on the success of the attack."""
MODERATE = 10.0
"""Largest epsilon of the count with moderate budgets."""
_NEAR = 0.5
"""Share of the best private value below which a publication does not come near it. An ARE is not compared so."""


@dataclass(frozen=True)
class _Point:
    """A publication whose attack succeeds at most as often as a limit, as a mean."""

    name: str
    within: bool
    """True if the interval of the success of the attack is within the limit, too."""
    measured: Mapping[str, float]
    """Compared quantity, by sample."""

    @property
    def mean(self) -> float:
        """Mean of the compared quantity."""
        return mean(self.measured.values())

    def __str__(self) -> str:
        """Return the mean and the name."""
        return f"{self.mean:.3f} ({self.name})"


def table(of: Stored) -> str:
    """Return the best publication of each kind within each limit, by each quantity."""
    cells = []
    for data in DATA:
        for limit in _LIMITS:
            row = [data, f"{limit:g}"]
            for quantity in COMPARED:
                for kind in KINDS:
                    points = _points(of, data, limit, quantity, kind)
                    best, better = _best(quantity, points, within=True), _best(quantity, points, within=False)
                    row.append(f"{best or 'none'}" + (f"; unresolved: {better}" if better != best else ""))
            cells.append(tuple(row))
    names = [f"{COLUMNS[quantity]}, {kind}" for quantity in COMPARED for kind in KINDS]
    return f"{rows(('data', 'limit', *names), cells)}\n\n{_half_widths(of)}"


def in_words(of: Stored) -> str:
    """Return how many comparisons each kind of publication wins, and which are open."""
    outcomes: dict[str, dict[str, list[str]]] = {kind: {} for kind in (*KINDS, "")}
    far: list[str] = []
    by_quantity: Counter[tuple[str, str]] = Counter()
    found, on_new_data, moderate = list[tuple[str, float]](), list[tuple[str, float]](), Counter[str]()
    for data in DATA:
        for limit in _LIMITS:
            for quantity in COMPARED:
                points = [_points(of, data, limit, quantity, kind) for kind in KINDS]
                at, (kind, p) = f"{data} at {limit:g}", _keeps_more(quantity, *points)
                found.append((kind, p))
                on_new_data.append(_keeps_more(quantity, *points, overlap=TESTED / TRAINED))
                few = _points(of, data, limit, quantity, "private", MODERATE)
                moderate[_keeps_more(quantity, points[0], few)[0]] += 1
                outcomes[kind].setdefault(at, []).append(IN_WORDS[quantity])
                by_quantity[quantity, kind] += 1
                if not_near := _not_near(quantity, *points):
                    far.append(f"{at}, {IN_WORDS[quantity]}: {not_near}")
    counts = {kind: sum(map(len, at.values())) for kind, at in outcomes.items()}
    listed = {kind: "; ".join(f"{at}: {', '.join(by)}" for at, by in where.items()) for kind, where in outcomes.items()}
    private, undecided = (
        f"{counts[kind]}" + (f" ({listed[kind]})" if listed[kind] else "") for kind in ("private", "")
    )
    listed_by = "; ".join(
        f"{IN_WORDS[quantity]} {', '.join(str(by_quantity[quantity, kind]) for kind in (*KINDS, ''))}"
        for quantity in COMPARED
    )
    sure, sure_on_new_data = _survivors(found), _survivors(on_new_data)
    most, name = _most_successful(of)
    return f"""\
* **Within the same limit on the attack**, we compare the best k<sup>m</sup>-anonymous publication with the best private
  one of the same {TRAINED:,} records, by {len(COMPARED)} quantities at {len(_LIMITS)} limits on {len(DATA)} data sets.
  Without corrections, the k<sup>m</sup>-anonymous one is better in {counts["k^m-anonymous"]} comparisons, and the
  private one in {private}. Open are {undecided}.
  If each comparison is corrected for the number of publications among which the best was selected, and all by the
  method of Holm, these are {sure["k^m-anonymous"]} and {sure["private"]}. The divisions overlap, so this is about
  divisions of these records. For new records, with the correction of Nadeau and Bengio (2003), too, they are
  **{sure_on_new_data["k^m-anonymous"]} and {sure_on_new_data["private"]}**, and the other
  **{len(found) - sum(sure_on_new_data[kind] for kind in KINDS)} of {len(found)} are undecided**, because so many
  corrections leave little power.
  If a private release may spend at most epsilon={MODERATE:g}, without corrections, the k<sup>m</sup>-anonymous one is
  better in {moderate["k^m-anonymous"]} comparisons, and the private one in {moderate["private"]}.
  By quantity (better, worse, open, without corrections): {listed_by}. If a comparison is open, no publication is better
  than all of the
  other kind, or the interval of the attack decides which publications are within the limit. An open comparison can
  still be in favour of the private one: in {len(far)} comparisons, no k<sup>m</sup>-anonymous publication that is
  known to be within the limit comes near it, that is, reaches {_NEAR:.0%} of its value ({"; ".join(far) or "none"}).
  They are open because a better publication might be within the limit. The success is limited, but not
  equal: with epsilon up to {EPSILONS[-1]}, the attack on private releases succeeds at most in {most:.3f} ({name})."""


def _survivors(found: Sequence[tuple[str, float]]) -> Counter[str]:
    """Return how many comparisons each kind wins after the method of Holm."""
    corrected = holm([p for _, p in found])
    return Counter(kind for (kind, _), p in zip(found, corrected, strict=True) if p < (1 - CONFIDENCE) / 2)


def above_control(of: Stored) -> str:
    """Return the private and synthetic points whose attack succeeds more often than its control."""
    points = {
        f"`{way}`, epsilon={x}, {data}": disclosed
        for data in DATA
        for way in PRIVATE
        for x in (*EPSILONS, NO_NOISE)
        if (disclosed := _disclosed(of, data, "epsilon", way, x))
    }
    above = [name for name, disclosed in points.items() if mean(disclosed) > half_width(disclosed)]
    return (
        f"Of {len(points)} points of private and synthetic records, {len(above)} have a difference from the control "
        f"above its interval ({'; '.join(above) or 'none'}). About one in forty is expected by chance."
    )


def _points(of: Stored, data: str, limit: float, quantity: str, kind: str, most: float = inf) -> list[_Point]:
    """Return the points of a kind within the limit, up to a largest k or epsilon."""
    figure, ways, positions = KINDS[kind]
    results = of(data, figure)
    return [
        _Point(f"`{way}`, {figure}={x}", mean(disclosed) + half_width(disclosed) <= limit, measured)
        for way in ways
        for x in positions
        if float(x) <= most
        and (measured := by_sample(results, way, x, quantity))
        and (disclosed := _disclosed(of, data, figure, way, x))
        and mean(disclosed) <= limit
    ]


def _best(quantity: str, points: Sequence[_Point], *, within: bool) -> _Point | None:
    """Return the point with the best mean, of all points or of those that are known to be within the limit."""
    considered = [point for point in points if point.within or not within]
    return max(considered, key=lambda point: COMPARED[quantity] * point.mean, default=None)


def _not_near(quantity: str, public: Sequence[_Point], private: Sequence[_Point]) -> str:
    """Return both values if the best k^m-anonymous publication within the limit has less than `_NEAR` of the best
    private one. Empty otherwise.
    """
    own, other = (_best(quantity, points, within=True) for points in (public, private))
    if other is None or COMPARED[quantity] < 0 or (own is not None and own.mean >= _NEAR * other.mean):
        return ""
    return f"{own.mean:.3f} against {other.mean:.3f}" if own else f"none against {other.mean:.3f}"


def _keeps_more(
    quantity: str, public: Sequence[_Point], private: Sequence[_Point], *, overlap: float = 0.0
) -> tuple[str, float]:
    """Return the kind with a point within the limit that is better than each point of the other kind, and the p-value,
    corrected for the number of points. Empty and 1 if there is none. `overlap` is that of `p_of_better`.
    """
    for kind, these, others in zip(KINDS, (public, private), (private, public), strict=True):
        p_values = [
            max((p_of_better(quantity, one.measured, other.measured, overlap=overlap) for other in others), default=0.0)
            for one in these
            if one.within
        ]
        if (p := min(p_values, default=1.0)) < (1 - CONFIDENCE) / 2:
            return kind, min(1.0, len(p_values) * p)
    return "", 1.0


def _most_successful(of: Stored) -> tuple[float, str]:
    """Return the largest mean success of the attack on a private release, and the release."""
    return max(
        (mean(disclosed), f"`{way}`, epsilon={x}, {data}")
        for data in DATA
        for way in PRIVATE
        for x in EPSILONS
        if (disclosed := _disclosed(of, data, "epsilon", way, x))
    )


def _disclosed(of: Stored, data: str, figure: str, way: str, x: float | str) -> list[float]:
    """Return the success of the attack on a point above the control, on all records if these were attacked."""
    some = of(data, figure)
    on_all = values(of(data, "attack"), way, place(**{figure: x}), "all_disclosed")
    return on_all or values(some, way, x, "all_disclosed") or values(some, way, x, "disclosed")


def _half_widths(of: Stored) -> str:
    """Return the median and the largest half-width of the intervals of the attacks, for each data set."""
    cells = []
    for data in DATA:
        points = [
            (half_width(disclosed), f"`{way}`, {figure}={x}")
            for figure, ways, positions in KINDS.values()
            for way in ways
            for x in positions
            if (disclosed := _disclosed(of, data, figure, way, x))
        ]
        widest, at = max(points, default=(0.0, "none"))
        middle = median(width for width, _ in points) if points else 0.0
        cells.append((data, f"{middle:.4f}", f"{widest:.4f} ({at})"))
    return rows(("data", "half-width of the interval of the attack, median", "largest"), cells)
