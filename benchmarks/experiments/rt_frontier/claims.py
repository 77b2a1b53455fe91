"""Claims of the study of frameworks for RT-datasets."""

from collections.abc import Mapping, Sequence

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.checks import Check

COUNTED = 0.25
"""Largest median error of frequent item counts that is acceptable for a recipient."""
LESS = 0.75
"""Two item errors differ substantially if their ratio is at most this number."""
JOINT = "joint-split"
_SAME = 1 + 1e-9


def _best_at_bounds(quantity: str, name: str) -> Check:
    """Return a check that `joint-split` is at least as good as every variant of a framework, at each bound.

    Ignores variants that are infeasible or did not end. The check raises KeyError if no variant remains.
    """

    def check(results: Results) -> tuple[bool, str]:
        shown, held = [], True
        for x in results.positions:
            ours = results.measured.get((JOINT, x), {})
            theirs = {s: one[quantity] for s, one in _points(results, name, x) if quantity in one}
            if quantity not in ours or not theirs:
                continue
            best = min(theirs, key=theirs.__getitem__)
            held &= float(ours[quantity]) <= theirs[best] * _SAME
            shown.append(f"{x}: {float(ours[quantity]):.3g} / {theirs[best]:.3g} ({best})")
        if not shown:
            raise KeyError(quantity)
        return held, "; ".join(shown)

    return check


def _points(results: Results, name: str, x: float | str) -> list[tuple[str, dict[str, float]]]:
    """Return the results of the series with prefix `name` at one position."""
    return [(s, dict(one)) for (s, at), one in results.measured.items() if at == x and s.startswith(name)]


def _not_dominated(*names: str) -> Check:
    """Return a check on each result of other frameworks: `joint-split` has a point at which neither loss is larger."""

    def check(results: Results) -> tuple[bool, str]:
        ours = [one for (s, _), one in results.measured.items() if s == JOINT and "rum" in one]
        theirs = {
            (s, one["rum"], one["items_error"])
            for (s, _), one in results.measured.items()
            if s.startswith(names) and "rum" in one
        }
        free = [
            f"{s} ({rum:.3g}, {error:.3g})"
            for s, rum, error in sorted(theirs)
            if not any(one["rum"] <= rum * _SAME and one["items_error"] <= error * _SAME for one in ours)
        ]
        return not free and bool(theirs), f"of {len(theirs)} points: {len(free)} not" + "".join(f"; {x}" for x in free)

    return check


def _at_most(quantity: str, x: float, most: float) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        value = results.at(JOINT, x, quantity)
        return value <= most, f"{value:.3g}"

    return check


def _rises(quantity: str, slack: float) -> Check:
    """Return a check that no curve falls by more than `slack` of its largest previous value."""

    def check(results: Results) -> tuple[bool, str]:
        falls = {}
        for series in results.series:
            values, worst = results.values(series, quantity), 0.0
            for i, value in enumerate(values[1:], 1):
                if (before := max(values[:i])) > 0:
                    worst = max(worst, 1 - value / before)
            falls[series] = worst
        return all(fall <= slack for fall in falls.values()), "largest fall: " + ", ".join(
            f"{name} {fall:.2g}" for name, fall in falls.items()
        )

    return check


def _each_within(quantity: str, other: str | float, factor: float, more: float = 0.0) -> Check:
    """Return a check that a quantity is at most `factor` times another quantity or number, plus `more`, at every
    position.
    """

    def check(results: Results) -> tuple[bool, str]:
        pairs = [
            (x, float(one[quantity]), float(one[other]) if isinstance(other, str) else other)
            for (_, x), one in results.measured.items()
        ]
        held = all(value <= factor * limit + more for _, value, limit in pairs)
        return held and bool(pairs), "; ".join(f"{x}: {value:.3g} / {limit:.3g}" for x, value, limit in pairs)

    return check


def differs(before: str, point: str, bounds: Mapping[str, float]) -> Claim:
    """Return the claim that a point has smaller item errors than the previous point."""

    def check(results: Results) -> tuple[bool, str]:
        shown, less = [], 0
        for data in results.series:
            old, new = (results.measured[data, bounds[name]].get("items_error") for name in (before, point))
            less += old is not None and new is not None and new <= LESS * old
            shown.append(f"{data} {_shown(new)} / {_shown(old)}")
        return 2 * less >= len(shown), f"{less} of {len(shown)} data sets: {'; '.join(shown)}"

    text = f"the point `{point}` has smaller item errors than `{before}`"
    return Claim(
        text,
        f"the item error is at most {LESS} times as large as at `{before}`, on at least half of the data sets",
        check,
    )


def _shown(value: float | None) -> str:
    return "did not end" if value is None else f"{value:.3g}"


def _best(name: str, text: str, quantity: str, series: Sequence[str]) -> Claim:
    return Claim(text, f"at each bound, the value of `joint-split` is at most the value of every "
                       f"{name} variant", _best_at_bounds(quantity, name),
                 about=(JOINT, *series))  # fmt: skip


_RUM = ("RM_R, COAT", "RM_R, AA", "RM_RT, COAT", "RM_RT, AA", "RM_RT, sets")
_TUM = ("TM_R, COAT", "TM_RT, COAT")
_FIRST = ("rfirst, COAT", "rfirst, AA", "rfirst, sets")

BY_BOUND = (
    _best("RM", "`joint-split` counts frequent items better than Rum-bound", "items_error", _RUM),
    _best("RM", "`joint-split` counts frequent pairs better than Rum-bound", "pairs_error", _RUM),
    _best("RM", "`joint-split` has a smaller UL than Rum-bound", "tum", _RUM),
    _best("RM", "`joint-split` has a smaller ARE than Rum-bound, for queries for a relational value and two items",
          "are1s_1_2", _RUM),
    Claim("`joint-split` matches every point of `rfirst`, `tfirst` and Tum-bound",
          "for each result of these algorithms, `joint-split` has a point at which neither the relational loss "
          "nor the item error is larger",
          _not_dominated("rfirst", "tfirst", "TM"), about=(JOINT, *_FIRST, "tfirst", *_TUM)),
    Claim("frequent items can be counted at a relational loss of 0.1", f"the median error is at most {COUNTED:.0%}",
          _at_most("items_error", 0.1, COUNTED), about=(JOINT,)),
    Claim("frequent pairs can be counted at a relational loss of 0.1", f"the median error is at most {COUNTED:.0%}",
          _at_most("pairs_error", 0.1, COUNTED), about=(JOINT,)),
)  # fmt: skip
OVER_K = (Claim("the item error rises with k", "no curve falls by more than a tenth", _rises("items_error", 0.1)),)
OVER_M = (Claim("the item error rises with m", "no curve falls by more than a tenth", _rises("items_error", 0.1)),)


def halves(bound: float) -> tuple[Claim, ...]:
    """Return the claims about weights that are learned from half of the records."""
    bound_claim = "a learned weight meets its bound on the other half"
    error_claim = "a learned weight has a similar item error on the other half"
    return (
        Claim(bound_claim, "the relational loss is at most 1.25 times the bound", _each_within("rum", bound, 1.25)),
        Claim(error_claim, "the item error is at most 1.25 times the item error on the learned half, plus one "
                           "percentage point",
              _each_within("items_error", "learned_items_error", 1.25, 0.01)),
    )  # fmt: skip
