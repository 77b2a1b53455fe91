"""Claims of the study of disassociation."""

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.checks import Check, listed, rises


def _rises(quantity: str) -> Check:
    """Return a check that a quantity never falls along any curve."""

    def check(results: Results) -> tuple[bool, str]:
        curves = {name: results.values(name, quantity) for name in results.series}
        shown = "; ".join(f"{name}: {listed(values)}" for name, values in curves.items())
        return bool(curves) and all(rises(values) for values in curves.values()), shown

    return check


def _at_most(quantity: str, most: float, x: float | None = None) -> Check:
    """Return a check that a quantity is at most `most` on every curve, at position `x` or at every position."""

    def check(results: Results) -> tuple[bool, str]:
        found = {
            (name, place): y
            for name in results.series
            for place, y in results.curve(name, quantity)
            if x in (None, place)
        }
        highest = max(found, key=lambda key: found[key], default=None)
        if highest is None:
            return False, "no results to compare"
        return found[highest] <= most, f"at most {listed([found[highest]])} ({highest[0]} at {highest[1]})"

    return check


def _times(quantity: str, first: float, last: float, most: float, *, both: bool = False) -> Check:
    """Return a check that a quantity at `last` is at most `most` times the quantity at `first`, on every curve. With
    `both`, also the reverse.
    """

    def check(results: Results) -> tuple[bool, str]:
        ends = {
            name: (results.at(name, first, quantity), results.at(name, last, quantity))
            for name in results.series
            if (name, first) in results.measured and (name, last) in results.measured
        }
        shown = ", ".join(f"{name} {before:.3g} → {after:.3g}" for name, (before, after) in ends.items())
        within = all(after <= most * before and (not both or before <= most * after) for before, after in ends.values())
        return bool(ends) and within, shown

    return check


def _gray_beside_horpart(quantity: str, most: float) -> Check:
    """Return a check that a quantity with the Gray order is at most `most` times the quantity with HorPart."""

    def check(results: Results) -> tuple[bool, str]:
        pairs = [
            (f"{name.removesuffix(', gray')} at {x}", y, results.at(name.replace("gray", "horpart"), x, quantity))
            for name in results.series
            if name.endswith(", gray")
            for x, y in results.curve(name, quantity)
            if (name.replace("gray", "horpart"), x) in results.measured
        ]
        above = [f"{name} {ours:.3g} to {theirs:.3g}" for name, ours, theirs in pairs if ours > most * theirs + 1e-12]
        better = sum(ours < theirs for _, ours, theirs in pairs)
        worse = f"; above: {', '.join(above)}" if above else ""
        return bool(pairs) and not above, f"of {len(pairs)}: less in {better}{worse}"

    return check


OVER_K = (
    Claim("errors of counts do not shrink with k", "re never falls", _rises("re"), kind="own"),
    Claim("errors of counts grow slowly with k", "re at k=20 is at most twice re at k=5", _times("re", 5, 20, 2.0),
          kind="own"),
    Claim("most of the 1,000 most frequent sets are preserved", "tKd is at most 1/4 at k=5", _at_most("tkd", 0.25, 5),
          kind="own"),
    Claim("few frequent items are lost", "tlost is at most 1/20 at every k", _at_most("tlost", 0.05), kind="own"),
    Claim("the Gray order preserves as many sets as HorPart", "tKd is at most 1.1 times HorPart's at every k",
          _gray_beside_horpart("tkd", 1.1), kind="own"),
    Claim("the Gray order counts sets as accurately as HorPart", "re is at most 1.1 times HorPart's at every k",
          _gray_beside_horpart("re", 1.1), kind="own"),
)  # fmt: skip
OVER_SIZES = (
    Claim("the cluster size matters little for counts",
          "re at 240 records and at 30 records differ by at most a factor of 1.1",
          _times("re", 30, 240, 1.1, both=True), kind="own"),
    Claim("larger clusters lose fewer items", "tlost at 240 records is at most tlost at 30 records",
          _times("tlost", 30, 240, 1.0),
          kind="own"),
)  # fmt: skip
OVER_M = (
    Claim("protection for m=3 costs little more than for m=2", "re at m=3 is at most 1.1 times re at m=2",
          _times("re", 2, 3, 1.1), kind="own"),
    Claim("protection for larger m costs accuracy", "re never falls", _rises("re"), kind="own"),
)  # fmt: skip
