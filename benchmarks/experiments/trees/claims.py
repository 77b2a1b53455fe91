"""What the study asks of trees and of sets without one, and how the results answer."""

from benchmarks.experiments.cases import Claim, Results
from benchmarks.experiments.checks import Check

_SAME = 1 + 1e-9


def _less(text: str, criterion: str, series: str, other: str, quantity: str, factor: float = 1.0) -> Claim:
    """Return a claim that a quantity of one way is at most a factor times that of another, judged by these two."""
    return Claim(text, criterion, _at_most(series, other, quantity, factor), about=(series, other))


def _at_most(series: str, other: str, quantity: str, factor: float = 1.0) -> Check:
    """Return a check that on every data set a quantity of one way is at most a factor times that of another."""

    def check(results: Results) -> tuple[bool, str]:
        ratios = {}
        for x in results.positions:
            ours, theirs = results.measured.get((series, x), {}), results.measured.get((other, x), {})
            if quantity in ours and quantity in theirs:
                ratios[x] = _ratio(float(ours[quantity]), float(theirs[quantity]))
        if not ratios:
            return False, "nothing to compare"
        above = {x: ratio for x, ratio in ratios.items() if ratio > factor * _SAME}
        worst = f"; above: {', '.join(f'{x} {ratio:.3g}' for x, ratio in above.items())}" if above else ""
        median = sorted(ratios.values())[len(ratios) // 2]
        return (
            not above,
            f"of {len(ratios)} ratios the median is {median:.3g}, the most {max(ratios.values()):.3g}{worst}",
        )

    return check


def _ratio(ours: float, theirs: float) -> float:
    """Return how many times another value one is; 1 where both are nothing."""
    if theirs > 0:
        return ours / theirs
    return 1.0 if ours <= 0 else float("inf")


def _as_by_chance(series: str) -> Check:
    """Return a check that the members of sets are as far apart as by chance: their own tree does not explain them."""

    def check(results: Results) -> tuple[bool, str]:
        found = {
            x: _ratio(float(one["meaning"]), float(one["meaning_of_chance"]))
            for (name, x), one in results.measured.items()
            if name == series and one.get("meaning_of_chance", 0) > 0
        }
        shown = ", ".join(f"{x} {ratio:.2f}" for x, ratio in found.items())
        return bool(found) and all(ratio >= 0.8 for ratio in found.values()), f"apart / by chance: {shown}"

    return check


def _keeps(series: str) -> Check:
    """Return a check that a learned tree keeps most of what a tree of the same records gains, on most data sets."""

    def check(results: Results) -> tuple[bool, str]:
        kept = dict(results.curve(series, "kept"))
        enough = [x for x, share in kept.items() if share >= 0.8]
        shown = ", ".join(f"{x} {share:.2f}" for x, share in kept.items())
        return 10 * len(enough) >= 7 * len(kept) > 0, f"{len(enough)} of {len(kept)} keep 80 %: {shown}"

    return check


WAYS = (
    _less("halves by frequency lose less than neighbours, five a node", "on every data set",
          "halves:frequency", "balanced:5", "lm"),
    _less("they lose less than five a node by frequency", "on every data set",
          "halves:frequency", "balanced:5:frequency", "lm"),
    _less("their counts of pairs are no worse than by neighbours", "at most 1.1 times, on every data set",
          "halves:frequency", "balanced:5", "pairs", 1.1),
    _less("their counts of frequent items are no worse than by neighbours", "at most 1.1 times, on every data set",
          "halves:frequency", "balanced:5", "singles", 1.1),
    _less("halves by number are no better than the better of both", "LM at most that of halves by number alone",
          "halves:frequency", "halves:number", "lm"),
    _less("refining an own tree never loses more", "LM at most that of the own tree, on every data set",
          "own tree, refined", "own tree", "lm"),
    _less("`set-search` loses less than `coat`", "LM, on every data set", "set-search 4", "coat", "lm"),
    _less("its counts of frequent items are better than by `coat`", "on every data set",
          "set-search 4", "coat", "singles"),
    _less("its counts of pairs are no worse than by `coat`", "at most 1.1 times, on every data set",
          "set-search 4", "coat", "pairs", 1.1),
    _less("`set-search` loses less than the best cut of halves", "LM, on every data set",
          "set-search 4", "halves:frequency", "lm"),
    Claim("sets by frequency mean nothing in the data's own tree", "apart at least 0.8 times as by chance",
          _as_by_chance("halves:frequency"), about=("halves:frequency",)),
    Claim("nor do those of `set-search`", "apart at least 0.8 times as by chance",
          _as_by_chance("set-search 4"), about=("set-search 4",)),
)  # fmt: skip
HALVES = (
    Claim("a tree of other records keeps most of the gain, by frequency", "80 % on 7 of 10 data sets",
          _keeps("frequency"), about=("frequency",)),
    Claim("a tree of other records keeps most of the gain, by number", "80 % on 7 of 10 data sets",
          _keeps("number"), about=("number",)),
)  # fmt: skip
