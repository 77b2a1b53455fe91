"""Checks of the claims of sections 6 and 7 on query answers.

The tolerances were fixed before any repetition. "Substantially" means `SUBSTANTIAL` times as large. A ratio agrees with
a printed ratio if they differ by at most a factor of `NEAR`. A curve rises if it never falls by more than `SLACK`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf

from benchmarks.experiments.cases import Finding, Results
from benchmarks.experiments.checks import listed, rises, spread

COAT, AA, PCTA = "COAT", "AA", "PCTA"
BMS1, BMS2 = " BMS-1", " BMS-2"
SUBSTANTIAL, NEAR, SLACK, ALIKE = 1.5, 2.0, 0.1, 1.5
Check = Callable[[Results], Finding]
READINGS_1 = {"records": ("are_record_q1",), "own items": ("are_own_q1",), "domain": ("are_domain_q1",)}
READINGS_3 = {"records": ("are_record_q3",), "own items": ("are_own_q3",)}
READINGS_2 = {"records": ("are_record_q2",), "own items": ("are_own_q2",)}
BOTH_SIZES = {reading: (*READINGS_1[reading], *READINGS_3[reading]) for reading in READINGS_3}
"""Names of the AvgRE quantities for q=1 and q=3, by query workload."""
ALL_SIZES = {
    reading: tuple(f"are_{short}_q{q}" for q in (1, 2, 3))
    for reading, short in (("records", "record"), ("own items", "own"))
}
FIG_11 = {
    f"q={q}, {reading}": (f"are_{short}_q{q}",)
    for q in (1, 3)
    for reading, short in (("records", "record"), ("own items", "own"))
}
RECORDS = {f"q={q}": (f"are_record_q{q}",) for q in (1, 2, 3)}
_ONE_WAY = {"": ""}


def pairs_of(results: Results, quantity: str, coat: str, aa: str) -> dict[float | str, tuple[float, float]]:
    """Return the values of both curves at common positions."""
    first, second = dict(results.curve(coat, quantity)), dict(results.curve(aa, quantity))
    return {x: (value, second[x]) for x, value in first.items() if x in second}


def ratio_of(coat: float, aa: float) -> float:
    return aa / coat if coat else (inf if aa else 1.0)


def margin_of(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the mean relative difference between AA's and COAT's values. Positive if AA's values are larger."""
    return sum((aa - coat) / (aa + coat) if aa + coat else 0.0 for coat, aa in pairs) / max(1, len(pairs))


def better(
    parts: Mapping[str, Sequence[str]], suffix: str = "", *, times: float = 1.0, ways: Mapping[str, str] = _ONE_WAY
) -> Check:
    """Return a check that AA's value is at least `times` COAT's value at every position.

    The check is repeated for each part of the claim.

    Parameters
    ----------
    parts
        Quantities by part.
    suffix
        Suffix of the curve names of both algorithms.
    ways
        Additional suffixes of COAT's curve, by name. Each combination of a suffix and an entry of `parts` is a part of
        the claim.
    """

    def check(results: Results) -> Finding:
        shown, held, compared = [], {}, []
        for way, way_name in ways.items():
            for part, quantities in parts.items():
                pairs = {q: pairs_of(results, q, f"{COAT}{suffix}{way}", f"{AA}{suffix}") for q in quantities}
                found = [pair for one in pairs.values() for pair in one.values()]
                if not found:
                    continue
                name = ", ".join(filter(None, (way_name, part)))
                held[name] = all(ratio_of(*pair) >= times for pair in found)
                compared += found
                each = "; ".join(listed(ratio_of(*pair) for pair in one.values()) for one in pairs.values())
                shown.append(f"{name} {each}")
        if not held:
            raise KeyError(str(parts))
        return Finding(all(held.values()), "AA / COAT: " + " | ".join(shown), held, margin_of(compared))

    return check


def better_at_each(quantities: Sequence[str], suffix: str = "", *, times: float = 1.0) -> Check:
    """Return a check that AA's values are at least `times` COAT's values. Each position is a part of the claim."""

    def check(results: Results) -> Finding:
        pairs = {q: pairs_of(results, q, f"{COAT}{suffix}", f"{AA}{suffix}") for q in quantities}
        positions = list(next(iter(pairs.values())))
        ratios = {str(x): [ratio_of(*found[x]) for found in pairs.values() if x in found] for x in positions}
        held = {x: min(found) >= times for x, found in ratios.items()}
        shown = "; ".join(f"{x} {listed(found)}" for x, found in ratios.items())
        compared = [pair for found in pairs.values() for pair in found.values()]
        return Finding(all(held.values()), f"AA / COAT: {shown}", held, margin_of(compared))

    return check


def largest_ratio(
    printed: float,
    parts: Mapping[str, Sequence[str]],
    suffixes: Sequence[str] = ("",),
    *,
    ways: Mapping[str, str] = _ONE_WAY,
    at: float | str | None = None,
) -> Check:
    """Return a check that, for each part, the largest ratio of the losses of AA and COAT is near a printed ratio."""

    def check(results: Results) -> Finding:
        largest = {}
        for way, way_name in ways.items():
            for part, quantities in parts.items():
                found = [
                    ratio_of(*pair)
                    for suffix in suffixes
                    for q in quantities
                    for x, pair in pairs_of(results, q, f"{COAT}{suffix}{way}", f"{AA}{suffix}").items()
                    if at in (None, x)
                ]
                if found:
                    largest[", ".join(filter(None, (way_name, part)))] = max(found)
        if not largest:
            raise KeyError(str(parts))
        held = {part: printed / NEAR <= value <= printed * NEAR for part, value in largest.items()}
        shown = "; ".join(f"{part} {listed([value])}" for part, value in largest.items())
        return Finding(all(held.values()), f"AA / COAT: {shown}", held)

    return check


def more_on_bms2(results: Results) -> Finding:
    """Check that AA / COAT at m=3 is larger on BMS-2 than on BMS-1. Each query size is a part of the claim."""
    ratios = {
        part: [ratio_of(*pairs_of(results, q, f"{COAT}{s}", f"{AA}{s}")[3]) for s in (BMS1, BMS2)]
        for part, (q,) in RECORDS.items()
    }
    held = {part: second > first for part, (first, second) in ratios.items()}
    shown = "; ".join(f"{part} {listed(found)}" for part, found in ratios.items())
    return Finding(all(held.values()), f"AA / COAT at m=3, BMS-1 and BMS-2: {shown}", held)


def grows(results: Results) -> Finding:
    """Check that AvgRE of each algorithm rises with the position, for queries of one and of three items."""
    found = {name: [results.values(name, q) for q in BOTH_SIZES["records"]] for name in (COAT, AA)}
    held = {name: all(rises(values, slack=SLACK) for values in curves) for name, curves in found.items()}
    shown = "; ".join(f"{name}: " + " | ".join(map(listed, curves)) for name, curves in found.items())
    return Finding(all(held.values()), f"q=1 and 3, {shown}", held)


def grows_with_q(results: Results) -> Finding:
    """Check that AvgRE of each algorithm is at least as high for queries of three items as for queries of one item."""
    found = {
        name: [
            b / a
            for a, b in zip(results.values(name, "are_record_q1"), results.values(name, "are_record_q3"), strict=True)
        ]
        for name in (COAT, AA)
    }
    held = {name: min(ratios) >= 1 for name, ratios in found.items()}
    shown = "; ".join(f"{name}: {listed(ratios)}" for name, ratios in found.items())
    return Finding(all(held.values()), f"q=3 / q=1, {shown}", held)


def slightly_worse_when_strict(suffixes: Sequence[str]) -> Check:
    """Return a check that COAT's AvgRE rises as policies become stricter, and at most doubles.

    Each data set is a part of the claim.
    """

    def check(results: Results) -> Finding:
        found = {s.strip(): [results.values(f"{COAT}{s}", q) for q in BOTH_SIZES["records"]] for s in suffixes}
        held = {
            name: all(rises(values, slack=SLACK) and values[-1] <= 2 * values[0] for values in curves)
            for name, curves in found.items()
        }
        shown = "; ".join(f"{name}: " + " | ".join(map(listed, curves)) for name, curves in found.items())
        return Finding(all(held.values()), f"COAT, q=1 and 3, {shown}", held)

    return check


def policies_matter_little(results: Results) -> Finding:
    """Check that COAT's AvgRE is similar for all utility policies, for queries of one and of three items."""
    found = {f"q={q}": results.values(f"{COAT}{BMS1}", f"are_record_q{q}") for q in (1, 3)}
    held = {q: spread(values) <= ALIKE for q, values in found.items()}
    return Finding(all(held.values()), "; ".join(f"{q}: {listed(values)}" for q, values in found.items()), held)


def frequent_accurate(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W1 is at most 0.5 for all k.

    Each data set with queries of W1 is a part of the claim.
    """

    def check(results: Results) -> Finding:
        found = {name: values for name in names if (values := results.values(f"{COAT} {name}", "are_frequent"))}
        if not found:
            return Finding(False, "no combination is frequent enough")
        held = {name: max(values) <= 0.5 for name, values in found.items()}
        return Finding(
            all(held.values()), "; ".join(f"{name}: {listed(values)}" for name, values in found.items()), held
        )

    return check


def low_for_small_k(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W2 is at most 1 for k up to 5, and larger for k=50 than for k=2.

    Each pair of a data set and a workload is a part of the claim.
    """

    def check(results: Results) -> Finding:
        held, shown = {}, []
        for name in names:
            for reading, (quantity,) in READINGS_2.items():
                curve = dict(results.curve(f"{COAT} {name}", quantity))
                small = [value for k, value in curve.items() if float(k) <= 5]
                if not small:
                    continue
                held[f"{name}, {reading}"] = max(small) <= 1 and curve.get(50, inf) >= small[0]
                shown.append(f"{name}, {reading}: {listed(curve.values())}")
        if not held:
            raise KeyError(str(names))
        return Finding(all(held.values()), "; ".join(shown), held)

    return check
