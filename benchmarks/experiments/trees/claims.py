"""Claims of the study of trees and of sets without a tree."""

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.checks import Check

_SAME = 1 + 1e-9


def _less(text: str, criterion: str, series: str, other: str, quantity: str) -> Claim:
    return Claim(text, criterion, _at_most(series, other, quantity), about=(series, other))


def _at_most(series: str, other: str, quantity: str) -> Check:
    """Return a check that a quantity of `series` is at most that of `other`."""

    def check(results: Results) -> tuple[bool, str]:
        ratios = {}
        for x in results.positions:
            ours, theirs = results.measured.get((series, x), {}), results.measured.get((other, x), {})
            if quantity in ours and quantity in theirs:
                ratios[x] = _ratio(float(ours[quantity]), float(theirs[quantity]))
        if not ratios:
            return False, "no results to compare"
        above = {x: ratio for x, ratio in ratios.items() if ratio > _SAME}
        worst = f"; above: {', '.join(f'{x} {ratio:.3g}' for x, ratio in above.items())}" if above else ""
        median = sorted(ratios.values())[len(ratios) // 2]
        return (
            not above,
            f"{len(ratios)} ratios: median {median:.3g}, largest {max(ratios.values()):.3g}{worst}",
        )

    return check


def _ratio(ours: float, theirs: float) -> float:
    """Return the ratio of two values. 1 if both are zero."""
    if theirs > 0:
        return ours / theirs
    return 1.0 if ours <= 0 else float("inf")


def _as_by_chance(series: str) -> Check:
    """Return a check that members of sets are as distant in the data's tree as members of random sets."""

    def check(results: Results) -> tuple[bool, str]:
        found = {
            x: _ratio(float(one["meaning"]), float(one["meaning_of_chance"]))
            for (name, x), one in results.measured.items()
            if name == series and one.get("meaning_of_chance", 0) > 0
        }
        shown = ", ".join(f"{x} {ratio:.2f}" for x, ratio in found.items())
        return bool(found) and all(ratio >= 0.8 for ratio in found.values()), f"distance / random: {shown}"

    return check


def _keeps(series: str) -> Check:
    """Return a check that a learned tree preserves most of its advantage over `balanced:5` on most data sets."""

    def check(results: Results) -> tuple[bool, str]:
        kept = dict(results.curve(series, "kept"))
        enough = [x for x, share in kept.items() if share >= 0.8]
        shown = ", ".join(f"{x} {share:.2f}" for x, share in kept.items())
        told = f"{len(enough)} of {len(kept)} data sets preserve 80 % of the loss reduction: {shown}"
        return 10 * len(enough) >= 7 * len(kept) > 0, told

    return check


WAYS = (
    _less("`halves:frequency` has a lower loss than `balanced:5`",
        "the LM is at most that of `balanced:5`, on every data set",
          "halves:frequency", "balanced:5", "lm"),
    _less("`halves:frequency` has a lower loss than `balanced:5:frequency`",
          "the LM is at most that of `balanced:5:frequency`, on every data set",
          "halves:frequency", "balanced:5:frequency", "lm"),
    _less("pair counts with `halves:frequency` are no worse than with `balanced:5`",
          "the error is at most as high as with `balanced:5`, on every data set",
          "halves:frequency", "balanced:5", "pairs"),
    _less("item counts with `halves:frequency` are no worse than with `balanced:5`",
          "the error is at most as high as with `balanced:5`, on every data set",
          "halves:frequency", "balanced:5", "singles"),
    _less("`halves:frequency`, which also tries `halves:number`, never has a higher LM than `halves:number`",
          "the LM is at most that of `halves:number`, on every data set",
          "halves:frequency", "halves:number", "lm"),
    _less("refining the data's own tree never increases the loss",
          "the LM is at most that of the data's own tree, on every data set",
          "own tree, refined", "own tree", "lm"),
    _less("`set-search` has a lower loss than `coat`", "the LM is at most that of `coat`, on every data set",
          "set-search 4", "coat", "lm"),
    _less("item counts with `set-search` are better than with `coat`",
          "the error is at most as high as with `coat`, on every data set",
          "set-search 4", "coat", "singles"),
    _less("pair counts with `set-search` are no worse than with `coat`",
          "the error is at most as high as with `coat`, on every data set",
          "set-search 4", "coat", "pairs"),
    _less("`set-search` has a lower loss than the best cut of `halves:frequency`",
          "the LM is at most that of `halves:frequency`, on every data set",
          "set-search 4", "halves:frequency", "lm"),
    Claim("sets of `halves:frequency` are as unrelated as random sets",
          "the distance in the data's own tree is at least 0.8 times that of random sets",
          _as_by_chance("halves:frequency"), about=("halves:frequency",)),
    Claim("sets of `set-search` are as unrelated as random sets",
          "the distance in the data's own tree is at least 0.8 times that of random sets",
          _as_by_chance("set-search 4"), about=("set-search 4",)),
)  # fmt: skip
HALVES = (
    Claim("a tree `halves:frequency` learned from other records preserves most of its advantage over `balanced:5`",
          "at least 80 % of the loss reduction is preserved on 7 of 10 data sets",
          _keeps("frequency"), about=("frequency",)),
    Claim("a tree `halves:number` learned from other records preserves most of its advantage over `balanced:5`",
          "at least 80 % of the loss reduction is preserved on 7 of 10 data sets",
          _keeps("number"), about=("number",)),
)  # fmt: skip
