"""Checks of the claims of sections 6 and 7 on query answers.

"Substantially" means `SUBSTANTIAL` times as large. A ratio agrees with a printed ratio if they differ by at most a
factor of `NEAR`. Each workload is a reading, and a part of each claim.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import NULL, Finding, Results
from benchmarks.experiments.checks import below, listed, ordering, spread, steps

COAT, AA, PCTA = "COAT", "AA", "PCTA"
BMS1, BMS2 = " BMS-1", " BMS-2"
SUBSTANTIAL, NEAR, ALIKE = 1.5, 2.0, 1.5
Check = Callable[[Results], Finding]
_SHORT = {"own items": "own", "records": "record"}
"""Part of the name of a quantity, by reading. The paper draws items "from the generalized items"."""


def errors_of(*sizes: int) -> dict[str, tuple[str, ...]]:
    """Return the AvgRE quantities of queries of some sizes, by reading.

    >>> errors_of(1, 3)["own items"]
    ('are_own_q1', 'are_own_q3')
    """
    return {reading: tuple(f"are_{short}_q{q}" for q in sizes) for reading, short in _SHORT.items()}


def errors_by_size(*sizes: int) -> dict[str, tuple[str, ...]]:
    """Return the AvgRE quantity of each part of a claim, which is a size of the queries and a reading."""
    return {f"q={q}, {reading}": names for q in sizes for reading, names in errors_of(q).items()}


READINGS_1 = {**errors_of(1), "domain": ("are_domain_q1",)}
READINGS_2, READINGS_3, BOTH_SIZES, ALL_SIZES = errors_of(2), errors_of(3), errors_of(1, 3), errors_of(1, 2, 3)
BY_SIZE = errors_by_size(1, 2, 3)
FIG_11 = errors_by_size(1, 3)
ONE_WAY = {"": ""}


def pairs_of(results: Results, quantity: str, coat: str, aa: str) -> dict[float | str, tuple[float, float]]:
    """Return the values of both curves at common positions."""
    first, second = dict(results.curve(coat, quantity)), dict(results.curve(aa, quantity))
    return {x: (value, second[x]) for x, value in first.items() if x in second}


def ratio_of(coat: float, aa: float) -> float:
    return aa / coat if coat else (inf if aa else 1.0)


def gaps_of(pairs: Mapping[str, Mapping[float | str, tuple[float, float]]]) -> dict[object, float]:
    """Return how far COAT's value is below AA's, by quantity and position."""
    return {(quantity, x): below(*pair) for quantity, found in pairs.items() for x, pair in found.items()}


def fewest(results: Results, quantities: Sequence[str], names: Sequence[str], at: float | str | None = None) -> float:
    """Return the smallest number of queries with an answer, over the points of some curves. Infinite if unknown."""
    counts = [
        count
        for name in names
        for quantity in quantities
        for x, count in results.curve(name, quantity.replace("are", "answered", 1))
        if at in (None, x)
    ]
    return min(counts, default=inf)


def better(
    parts: Mapping[str, Sequence[str]], suffix: str = "", *, times: float = 1.0, ways: Mapping[str, str] = ONE_WAY
) -> Check:
    """Return a check that AA's value is above COAT's value at every position, or at least `times` this value.

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
        shown, held, gaps, answered, errors = [], {}, {}, {}, {}
        for way, way_name in ways.items():
            for part, quantities in parts.items():
                pairs = {q: pairs_of(results, q, f"{COAT}{suffix}{way}", f"{AA}{suffix}") for q in quantities}
                found = [pair for one in pairs.values() for pair in one.values()]
                if not found:
                    continue
                name = ", ".join(filter(None, (way_name, part)))
                held[name], gaps[name] = all(ratio_of(*pair) >= times for pair in found), gaps_of(pairs)
                errors[name] = min(map(min, found)), max(map(max, found))
                answered[name] = fewest(results, quantities, (f"{COAT}{suffix}{way}", f"{AA}{suffix}"))
                each = "; ".join(listed(ratio_of(*pair) for pair in one.values()) for one in pairs.values())
                shown.append(f"{name} {each}")
        if not held:
            raise KeyError(str(parts))
        text = "AA / COAT: " + " | ".join(shown)
        finding = ordering(gaps, text) if times == 1 else Finding(all(held.values()), text, held)
        return finding._replace(answered=answered, errors=errors)

    return check


def better_at_each(parts: Mapping[str, Sequence[str]], suffix: str = "", *, times: float = 1.0) -> Check:
    """Return a check like `better`. Each position is a part of the claim, too."""

    def check(results: Results) -> Finding:
        shown, held, gaps, answered = [], {}, {}, {}
        for reading, quantities in parts.items():
            pairs = {q: pairs_of(results, q, f"{COAT}{suffix}", f"{AA}{suffix}") for q in quantities}
            for x in dict.fromkeys(x for found in pairs.values() for x in found):
                here = {q: {x: found[x]} for q, found in pairs.items() if x in found}
                ratios = [ratio_of(*found[x]) for found in here.values()]
                held[f"{x}, {reading}"], gaps[f"{x}, {reading}"] = min(ratios) >= times, gaps_of(here)
                answered[f"{x}, {reading}"] = fewest(results, quantities, (f"{COAT}{suffix}", f"{AA}{suffix}"), x)
                shown.append(f"{x}, {reading} {listed(ratios)}")
        text = f"AA / COAT: {'; '.join(shown)}"
        finding = ordering(gaps, text) if times == 1 else Finding(all(held.values()), text, held)
        return finding._replace(answered=answered)

    return check


def largest_ratio(
    printed: float,
    parts: Mapping[str, Sequence[str]],
    suffixes: Sequence[str] = ("",),
    *,
    ways: Mapping[str, str] = ONE_WAY,
    at: float | str | None = None,
) -> Check:
    """Return a check that, for each part, the largest ratio of the losses of AA and COAT is near a printed ratio."""

    def check(results: Results) -> Finding:
        largest, answered = {}, {}
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
                    name = ", ".join(filter(None, (way_name, part)))
                    curves = [curve for s in suffixes for curve in (f"{COAT}{s}{way}", f"{AA}{s}")]
                    largest[name], answered[name] = max(found), fewest(results, quantities, curves, at)
        if not largest:
            raise KeyError(str(parts))
        held = {part: printed / NEAR <= value <= printed * NEAR for part, value in largest.items()}
        shown = "; ".join(f"{part} {listed([value])}" for part, value in largest.items())
        return Finding(all(held.values()), f"AA / COAT: {shown}", held, answered=answered)

    return check


def more_on_bms2(results: Results) -> Finding:
    """Check that AA / COAT at m=3 is larger on BMS-2 than on BMS-1. Each query size is a part of the claim."""
    ratios, answered = {}, {}
    for part, (q,) in BY_SIZE.items():
        pairs = [pairs_of(results, q, f"{COAT}{s}", f"{AA}{s}") for s in (BMS1, BMS2)]
        if all(3 in found for found in pairs):
            ratios[part] = [ratio_of(*found[3]) for found in pairs]
            answered[part] = fewest(results, [q], [f"{name}{s}" for name in (COAT, AA) for s in (BMS1, BMS2)], 3)
    shown = "; ".join(f"{part} {listed(found)}" for part, found in ratios.items())
    gaps = {part: {"": below(*found)} for part, found in ratios.items()}
    return ordering(gaps, f"AA / COAT at m=3: {shown}")._replace(answered=answered)


def grows(results: Results) -> Finding:
    """Check that AvgRE of each algorithm rises with each position, for queries of one and of three items."""
    gaps, shown = {}, []
    for name in (COAT, AA):
        for reading, quantities in BOTH_SIZES.items():
            curves = {q: results.values(name, q) for q in quantities}
            gaps[f"{name}, {reading}"] = {
                step: gap for q, values in curves.items() for step, gap in steps(values, up=True, name=q).items()
            }
            shown.append(f"{name}, {reading}: " + " | ".join(map(listed, curves.values())))
    return ordering(gaps, f"q=1 and 3, {'; '.join(shown)}")


def grows_with_q(results: Results) -> Finding:
    """Check that AvgRE of each algorithm is higher for queries of three items than for queries of one item."""
    gaps, shown = {}, []
    for name in (COAT, AA):
        for reading, quantities in BOTH_SIZES.items():
            one, three = (dict(results.curve(name, q)) for q in quantities)
            both = {x: (one[x], three[x]) for x in three if x in one}
            gaps[f"{name}, {reading}"] = {x: below(*pair) for x, pair in both.items()}
            shown.append(f"{name}, {reading}: {listed(b / a if a else inf for a, b in both.values())}")
    return ordering(gaps, f"q=3 / q=1, {'; '.join(shown)}")


def slightly_worse_when_strict(suffixes: Sequence[str]) -> Check:
    """Return a check that COAT's AvgRE rises with each step to a stricter policy, and at most doubles.

    Each data set is a part of the claim.
    """

    def check(results: Results) -> Finding:
        held, shown, answered = {}, [], {}
        for suffix in suffixes:
            for reading, quantities in BOTH_SIZES.items():
                answered[f"{suffix.strip()}, {reading}"] = fewest(results, quantities, [f"{COAT}{suffix}"])
                curves = [results.values(f"{COAT}{suffix}", q) for q in quantities]
                rise = [all(gap > 0 for gap in steps(values, up=True).values()) for values in curves]
                held[f"{suffix.strip()}, {reading}"] = all(rise) and all(y[-1] <= 2 * y[0] for y in curves if y)
                shown.append(f"{suffix.strip()}, {reading}: " + " | ".join(map(listed, curves)))
        return Finding(all(held.values()), f"COAT, q=1 and 3, {'; '.join(shown)}", held, answered=answered)

    return check


def policies_matter_little(results: Results) -> Finding:
    """Check that COAT's AvgRE is similar for all utility policies, for queries of one and of three items."""
    found = {part: results.values(f"{COAT}{BMS1}", q) for part, (q,) in FIG_11.items()}
    held = {part: min(values) > 0 and spread(values) <= ALIKE for part, values in found.items()}
    return Finding(all(held.values()), "; ".join(f"{part}: {listed(values)}" for part, values in found.items()), held)


def _at_most_of_null(results: Results, name: str, quantity: str, most: float = inf) -> bool:
    """Return True if a curve is at most half of the error without information, and of 1, for all k up to `most`."""
    null = dict(results.curve(name, f"{NULL}_{quantity}"))
    curve = [(x, value) for x, value in results.curve(name, quantity) if float(x) <= most]
    return all(value <= criteria.USEFUL * min(1.0, null[x]) for x, value in curve)


def frequent_accurate(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W1 is low for all k.

    Each data set with queries of W1 is a part of the claim.
    """

    def check(results: Results) -> Finding:
        found = {name: values for name in names if (values := results.values(f"{COAT} {name}", "are_frequent"))}
        if not found:
            return Finding(False, "no combination is frequent enough")
        held = {name: _at_most_of_null(results, f"{COAT} {name}", "are_frequent") for name in found}
        return Finding(
            all(held.values()), "; ".join(f"{name}: {listed(values)}" for name, values in found.items()), held
        )

    return check


def low_for_small_k(names: Sequence[str]) -> Check:
    """Return a check that AvgRE of W2 is low for k up to 5, and larger for k=50 than for k=2.

    Each pair of a data set and a workload is a part of the claim.
    """

    def check(results: Results) -> Finding:
        held, shown, answered = {}, [], {}
        for name in names:
            for reading, (quantity,) in READINGS_2.items():
                curve = dict(results.curve(f"{COAT} {name}", quantity))
                if curve:
                    rises = curve.get(50, inf) > next(iter(curve.values()))
                    held[f"{name}, {reading}"] = rises and _at_most_of_null(results, f"{COAT} {name}", quantity, 5)
                    answered[f"{name}, {reading}"] = fewest(results, [quantity], [f"{COAT} {name}"])
                    shown.append(f"{name}, {reading}: {listed(curve.values())}")
        if not held:
            raise KeyError(str(names))
        return Finding(all(held.values()), "; ".join(shown), held, answered=answered)

    return check
