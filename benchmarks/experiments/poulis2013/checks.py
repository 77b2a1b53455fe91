"""Checks of the paper's claims. Each check judges the results of one repetition."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import NULL, Finding, Results
from benchmarks.experiments.checks import below, exponent, listed, ordering, spread, steps

Check = Callable[[Results], Finding]

_ORIGINS, _SETS = {"domain": "domain_", "records": ""}, {"1/2": "are", "1/s": "are1s"}


def _of_queries(*shapes: str) -> dict[str, tuple[str, ...]]:
    """Return the errors of queries for items, by reading."""
    return {
        f"{origin}, {sets}": tuple(f"{name}_{drawn}{shape}" for shape in shapes)
        for origin, drawn in _ORIGINS.items()
        for sets, name in _SETS.items()
    }


VALUES = {origin: (f"are_{drawn}2_0",) for origin, drawn in _ORIGINS.items()}
ITEMS, BOTH = _of_queries("0_2"), _of_queries("1_2", "2_2")
"""Errors by reading: origin of the queries, and probability of an item if a set of s items is published."""
_OF_CLUSTERS = {"largest_cluster", *(name for names in VALUES.values() for name in names)}
"""Compared quantities of Rum-bound that do not depend on the transaction function."""
FUNCTION = "transaction function"
AT_EACH = "at each x"


def curves(results: Results, quantity: str) -> dict[str, dict[str, list[float]]]:
    """Return the curves of a quantity by transaction function, then by variant.

    A series name contains both, such as "RM_R, AA", or only the variant. The time of cluster formation (CL) and the
    null publication are not variants. Rum-bound merges clusters without the transaction function, so what depends only
    on the clusters is one measurement, and has no function.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for series in results.series:
        variant, _, function = series.partition(", ")
        if variant not in ("CL", NULL) and (values := results.values(series, quantity)):
            found.setdefault(function, {})[variant] = values
    of_rum = all(variant.startswith("RM") for by_variant in found.values() for variant in by_variant)
    if of_rum and quantity in _OF_CLUSTERS and found:
        return {"": next(iter(found.values()))}
    return found


def parts_of(results: Results, quantities: Mapping[str, Sequence[str]]) -> dict[str, dict[str, list[float]]]:
    """Return the curves by part of a claim. A part is a transaction function and an interpretation of sets of items.

    The values of all quantities of a part are concatenated.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for reading, names in quantities.items():
        for name in names:
            for function, by_variant in curves(results, name).items():
                part = found.setdefault(", ".join(filter(None, (function, reading))), {})
                for variant, values in by_variant.items():
                    part.setdefault(variant, []).extend(values)
    if not found:
        raise KeyError(next(iter(quantities.values()))[0])
    return found


def _errors(
    compared: Mapping[str, Mapping[str, Sequence[float]]], of: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """Return the smallest and the largest error of each part, if the quantities are errors of queries."""
    if not all(name.startswith("are") for names in of.values() for name in names):
        return {}
    values = {part: [value for found in curves.values() for value in found] for part, curves in compared.items()}
    return {part: (min(found), max(found)) for part, found in values.items()}


def ordered(*pairs: tuple[str, str], of: Mapping[str, Sequence[str]]) -> Check:
    """Return a check that the first curve of each pair is below the second."""

    def check(results: Results) -> Finding:
        gaps, shown = {}, []
        for part, by_variant in parts_of(results, of).items():
            both = {pair: list(zip(by_variant[pair[0]], by_variant[pair[1]], strict=True)) for pair in pairs}
            gaps[part] = {(*pair, i): below(*one) for pair, found in both.items() for i, one in enumerate(found)}
            ratios = [
                f"{low} / {high} {listed(sorted(_ratios(*zip(*found, strict=True)))[:: max(1, len(found) - 1)])}"
                for (low, high), found in both.items()
            ]
            shown.append(f"{part}{': ' if part else ''}{'; '.join(ratios)}")
        return ordering(gaps, " | ".join(shown))._replace(errors=_errors(parts_of(results, of), of))

    return check


def under_both_names(same: Check, swapped: Check) -> Check:
    """Return a check of an ordering whose parts are judged by it, and by the ordering with swapped variants."""

    def check(results: Results) -> Finding:
        found = {"same letters": same(results), "swapped letters": swapped(results)}

        def named(field: str) -> dict[str, Any]:
            return {", ".join(filter(None, (part, name))): value for name, one in found.items()
                    for part, value in getattr(one, field).items()}  # fmt: skip

        both, first = ordering(named("gaps"), ""), found["same letters"]
        return both._replace(held=first.held, shown=first.shown, errors=named("errors"))

    return check


def _ratios(low: Sequence[float], high: Sequence[float]) -> list[float]:
    return [a / b if b else float(a > 0) + 1.0 for a, b in zip(low, high, strict=True)]


def _named(parts: Mapping[str, bool]) -> dict[str, bool]:
    return {name: held for name, held in parts.items() if name}


def trend(of: Mapping[str, Sequence[str]], *, up: bool, variants: Sequence[str] = ()) -> Check:
    """Return a check that the curves of all variants rise with each step of x (if `up`), or that they fall."""

    def check(results: Results) -> Finding:
        gaps, shown = {}, []
        for part, by_variant in parts_of(results, of).items():
            chosen = {name: values for name, values in by_variant.items() if not variants or name in variants}
            gaps[part] = {
                step: y for name, values in chosen.items() for step, y in steps(values, up=up, name=name).items()
            }
            ends = ", ".join(
                f"{name} {listed([values[0]])} to {listed([values[-1]])}" for name, values in chosen.items()
            )
            shown.append(f"{part}{': ' if part else ''}{ends}")
        return ordering(gaps, " | ".join(shown))._replace(errors=_errors(parts_of(results, of), of))

    return check


def useful(of: Mapping[str, Sequence[str]]) -> Check:
    """Return a check that no error exceeds a share of the error of the null publication, and of 1, the error of always
    answering 0.
    """

    def check(results: Results) -> Finding:
        parts, shown = {}, []
        for reading, names in of.items():
            for function in curves(results, names[0]):
                part, held = ", ".join(filter(None, (function, reading))), []
                for name in names:
                    if not (measured := results.values(", ".join(filter(None, (NULL, function))), name)):
                        raise KeyError(NULL)
                    null = measured[0]
                    values = [value for found in curves(results, name)[function].values() for value in found]
                    held.append(max(values) <= criteria.USEFUL * min(1.0, null))
                    shown.append(f"{part}: {listed([min(values)])} to {listed([max(values)])}, null {listed([null])}")
                parts[part] = all(held)
        return Finding(all(parts.values()), " | ".join(shown), _named(parts))

    return check


def within_bound(loss: str) -> Check:
    """Return a check that a loss is at most the bound of the algorithm."""

    def check(results: Results) -> Finding:
        excess = [
            loss_there - bound
            for name in results.series
            for loss_there, bound in zip(results.values(name, loss), results.values(name, "delta"), strict=True)
        ]
        return Finding(max(excess) <= 1e-9, f"largest excess over delta: {max(excess):.3g}")

    return check


def exponents(quantity: str) -> Check:
    """Return a check that RM_T has the smallest exponent."""

    def check(results: Results) -> Finding:
        gaps, shown, sizes = {}, [], [float(x) for x in results.positions]
        for part, by_variant in parts_of(results, {"": (quantity,)}).items():
            found = {v: exponent(zip(sizes, by_variant[v], strict=True)) for v in ("RM_R", "RM_T", "RM_RT")}
            gaps[part] = {name: found[name] - found["RM_T"] for name in ("RM_R", "RM_RT")}
            shown.append(f"{part}{': ' if part else ''}{', '.join(f'{v} {y:.2f}' for v, y in found.items())}")
        return ordering(gaps, "exponents: " + " | ".join(shown))

    return check


def largest_ratio(quantity: str, least: float) -> Check:
    """Return a check that the largest ratio of RM_R's quantity to RM_T's is at least `least`."""

    def check(results: Results) -> Finding:
        parts, shown = {}, []
        for part, by_variant in parts_of(results, {"": (quantity,)}).items():
            ratios = _ratios(by_variant["RM_R"], by_variant["RM_T"])
            parts[part] = max(ratios) >= least
            shown.append(f"{part}{': ' if part else ''}{listed(ratios)}")
        return Finding(all(parts.values()), "RM_R / RM_T: " + " | ".join(shown), _named(parts))

    return check


def times(quantity: str, least: float) -> Check:
    """Return a check that the quantity of each baseline is at least `least` times the quantity with BTD, at every x."""

    def check(results: Results) -> Finding:
        parts, shown, slow = {}, [], parts_of(results, {"": (f"{quantity}_ul",)})
        for part, by_variant in parts_of(results, {"": (quantity,)}).items():
            ratios = {name: _ratios(slow[part][name], values) for name, values in by_variant.items()}
            parts[part] = all(ratio >= least for found in ratios.values() for ratio in found)
            shown.append(f"{part}: {', '.join(f'{name} {listed(found)}' for name, found in ratios.items())}")
        return Finding(all(parts.values()), " | ".join(shown), _named(parts))

    return check


def flatter(quantity: str) -> Check:
    """Return a check that a quantity grows by a smaller factor over delta with BTD than with UL."""

    def check(results: Results) -> Finding:
        gaps, shown, slow = {}, [], parts_of(results, {"": (f"{quantity}_ul",)})
        for part, by_variant in parts_of(results, {"": (quantity,)}).items():
            spans = {name: (spread(values), spread(slow[part][name])) for name, values in by_variant.items()}
            gaps[part] = {name: below(*pair) for name, pair in spans.items()}
            shown.append(f"{part}: {', '.join(f'{name} {listed(pair)}' for name, pair in spans.items())}")
        return ordering(gaps, "largest / smallest, with BTD and without: " + " | ".join(shown))

    return check


def same(quantity: str) -> Check:
    """Return a check that a loss is alike (`criteria.ALIKE`) if candidates are ordered by BTD and by UL."""

    def check(results: Results) -> Finding:
        parts, shown, slow = {}, [], parts_of(results, {"": (f"{quantity}_ul",)})
        for part, by_variant in parts_of(results, {"": (quantity,)}).items():
            ratios = {name: _ratios(values, slow[part][name]) for name, values in by_variant.items()}
            parts[part] = all(abs(ratio - 1) < criteria.ALIKE for found in ratios.values() for ratio in found)
            shown.append(f"{part}: {', '.join(f'{name} {listed(found)}' for name, found in ratios.items())}")
        return Finding(all(parts.values()), " | ".join(shown), _named(parts))

    return check


def never_rises(results: Results) -> Finding:
    parts, shown, merges = {}, [], curves(results, "merges")
    for part, by_variant in parts_of(results, {"": ("rises",)}).items():
        parts[part] = all(values[-1] < 1 for values in by_variant.values())
        counts = ", ".join(f"{v} {found[-1]:.0f} of {merges[part][v][-1]:.0f}" for v, found in by_variant.items())
        shown.append(f"{part}: {counts}")
    return Finding(all(parts.values()), "merges that increased UL: " + " | ".join(shown), parts)


def falls_overall(results: Results) -> Finding:
    gaps, shown = {}, []
    for part, by_variant in parts_of(results, {"": ("ul",)}).items():
        gaps[part] = {name: below(values[-1], values[0]) for name, values in by_variant.items()}
        shown.append(
            f"{part}: {', '.join(f'{v} {listed([y[0]])} to {listed([y[-1]])}' for v, y in by_variant.items())}"
        )
    return ordering(gaps, " | ".join(shown))


def at_most(quantity: str, most: float) -> Check:
    """Return a check that no curve of a quantity exceeds `most`."""

    def check(results: Results) -> Finding:
        found = {name: max(values) for name in results.series if (values := results.values(name, quantity))}
        if not found:
            raise KeyError(quantity)
        return Finding(
            max(found.values()) <= most, "largest: " + ", ".join(f"{n} {listed([v])}" for n, v in found.items())
        )

    return check


def grows_below(series: str, most: float) -> Check:
    """Return a check that the running time of a curve grows with an exponent below `most`."""

    def check(results: Results) -> Finding:
        points: Any = results.curve(series, "seconds")
        if not points:
            raise KeyError("seconds")
        found = exponent(points)
        return Finding(found < most, f"exponent: {found:.2f}")

    return check


def root_alone(results: Results) -> Finding:
    found = {name: results.values(name, "root_share") for name in results.series}
    shown = "share of records: " + "; ".join(f"{name} {listed(shares)}" for name, shares in found.items())
    if not any(found.values()):
        raise KeyError("root_share")
    return Finding(all(share >= 0.99 for shares in found.values() for share in shares), shown)


def fall_of_cl(results: Results) -> Finding:
    values = results.values("CL", "seconds")
    if not values:
        raise KeyError("seconds")
    return ordering({"": steps(values, up=False)}, f"CL {listed(values)}")
