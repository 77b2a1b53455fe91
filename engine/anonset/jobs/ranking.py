"""Which candidate leaves the most that a recipient can count, why, and what to do where none leaves anything.

The usefulness of items is the mean of three figures from 0 to 1: 1 less the median error of the counts of the most
frequent items, 1 less that of the most frequent pairs (both 0 for an error above 1), and the share of occurrences that
are kept as they are less the share that is suppressed (0 at least). That of relational columns is how much of a range
stays: 1 less the mean share of its column that a value is published as. Where there are both, usefulness is the smaller
of the two, for a recipient counts items by relational values; of buckets it is 1 less their loss. Each figure is
rounded to ten-thousandths first, so that sums are exact.

Where the counts of frequent items of the most useful candidate are wrong by more than `COUNTED_WITHIN`, one that counts
them within that comes before it, if it is nearly as useful (`NEARLY`): beyond, a count says little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.data.redacted_repr import Discreet, figures_shown
from anonset.measures.countable import Countable
from anonset.measures.retention import rare_text
from anonset.privacy import PrivacyModel
from anonset.release.statements import parameters_of
from anonset.spelling import counted, setting

FEW_KEPT = 0.05
"""Share of occurrences below which a publication is warned of: hardly an item is there as itself."""
COUNTED_WITHIN = 0.25
"""Median error of the counts of frequent items up to which a recipient can count with them."""
NEARLY = Fraction(4, 5)
"""Share of the usefulness of the most useful candidate that one must have that comes before it."""
_PARTS = 10_000
_EQUAL = 1e-9


@dataclass(frozen=True)
class Candidate(Discreet):
    """An algorithm with its parameters, and what it left of the data."""

    algorithm: str
    """Its name."""
    settings: Mapping[str, Any]
    """Its parameters but those of the guarantee, as settings; `hierarchy` is one of the items, not the given one."""
    outcome: str
    """``holds``, ``worthless``, ``infeasible``, ``refused``, ``disclosing`` or ``too long``."""
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Share of item occurrences, and of relational values, by what became of them."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Share of item occurrences kept, generalized by so many levels, suppressed."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Losses by name."""
    seconds: float = 0.0
    """Seconds of the search, and of applying what it found."""
    sampled: bool = False
    """Whether it was tried on a sample alone."""
    note: str = field(default="", repr=False)
    """Why it is no choice."""
    countable: Countable | None = None
    """What a recipient can still count of the items; None where there are none."""
    nodes: bool = False
    """Whether its symbols are nodes of the items' hierarchy that was given."""
    frontier: tuple[Pruning, ...] = field(default=(), repr=False)
    """What other weights of `joint-split` would have lost."""
    beside: str = ""
    """Name of its model, where that is another one than the asked: it is shown, and never the best."""

    @property
    def usefulness(self) -> float:
        """What the candidates are ranked by, from 0 to 1: see the head of this module; 0 for what does not hold."""
        return float(exact_usefulness(self))

    @property
    def loss(self) -> float:
        """The mean of NCP of items and of values, or the main loss: what decides between equally useful ones."""
        losses = [self.measures[name] for name in ("ncp", "rum") if name in self.measures]
        losses = losses or list(self.measures.values())[:1]  # of buckets, and of what is only suppressed
        return sum(losses) / len(losses) if losses and self.outcome == "holds" else float("inf")

    @property
    def kept(self) -> float:
        """Share of item occurrences, or without items of values, that are published as they are."""
        fates = self.shares.get("items") or self.shares.get("values") or self.shares.get("tuples") or {}
        return fates.get("kept", fates.get("in_chunks", 0.0))

    @property
    def ranges_kept(self) -> float | None:
        """How much of a range stays in the relational columns, from 0 to 1; None where there are none."""
        return 1.0 - self.measures["rum"] if "rum" in self.measures else None

    def __repr__(self) -> str:
        return f"Candidate({self.algorithm} {self.outcome}; kept {self.kept:.1%}; {figures_shown(self.measures)})"


def exact_usefulness(candidate: Candidate) -> Fraction:
    """Return the usefulness of a candidate, exactly.

    >>> kept = {"items": {"kept": 0.5, "generalized": 0.5}}
    >>> candidate = Candidate("exact", {}, "holds", kept, measures={"ncp": 0.1}, countable=Countable(0.1, 1.5, 29.0))
    >>> exact_usefulness(candidate)
    Fraction(7, 15)
    """
    if candidate.outcome != "holds":
        return Fraction(0)
    sides = []
    if candidate.countable is not None:
        errors = [
            error for error in (candidate.countable.items_error, candidate.countable.pairs_error) if error is not None
        ]
        suppressed = candidate.shares.get("items", {}).get("suppressed", 0.0)
        sides.append(_mean([*(1.0 - min(1.0, error) for error in errors), max(0.0, candidate.kept - suppressed)]))
    if candidate.ranges_kept is not None:
        sides.append(_mean([candidate.ranges_kept]))
    return min(sides) if sides else _mean([1.0 - min(1.0, candidate.loss)])


def _mean(figures: Sequence[float]) -> Fraction:
    return Fraction(sum(round(figure * _PARTS) for figure in figures), _PARTS * len(figures))


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates, the most useful first; of equal ones that of less loss, which keeps more, then the first.

    What counts frequent items well enough comes before what is little more useful, and does not. Those of another
    guarantee come last.
    """
    order = sorted(
        candidates,
        key=lambda candidate: (
            bool(candidate.beside),
            candidate.sampled,
            -exact_usefulness(candidate),
            round(candidate.loss, 9),
            -candidate.kept,
        ),
    )
    if (first := best_of(order)) is None or _counts(first) is not False:
        return order
    least = NEARLY * exact_usefulness(first)
    near = [
        candidate
        for candidate in order
        if (candidate.sampled, candidate.beside) == (first.sampled, "")
        and exact_usefulness(candidate) >= least
        and _counts(candidate)
    ]
    return [*near[:1], *(candidate for candidate in order if candidate is not next(iter(near), None))]


def _counts(candidate: Candidate) -> bool | None:
    """Tell whether frequent items can be counted in what a candidate leaves; None where there are none."""
    error = None if candidate.countable is None else candidate.countable.items_error
    return None if error is None else candidate.outcome == "holds" and error <= COUNTED_WITHIN


def set_beside(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first of ranked candidates that holds by another guarantee than the asked; None without any."""
    return next((candidate for candidate in candidates if candidate.beside and candidate.outcome == "holds"), None)


def best_of(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first of ranked candidates that holds, on all data where there is one; None without any.

    One that holds by another guarantee than the asked is none.
    """
    held = [candidate for candidate in candidates if candidate.outcome == "holds" and not candidate.beside]
    return next((candidate for candidate in held if not candidate.sampled), held[0] if held else None)


def named(candidate: Candidate) -> str:
    """Return the algorithm with what was given beside the guarantee."""
    given = ", ".join(f"{name}={value}" for name, value in candidate.settings.items() if name != "algorithm")
    return f"{candidate.algorithm} ({given})" if given else candidate.algorithm


def reason(best: Candidate, order: Sequence[Candidate]) -> str:
    """Say why a candidate is the best of those that were tried, in what a recipient can count."""
    order = [candidate for candidate in order if not candidate.beside]
    tried = counted(len(order), "candidate")
    more = max(exact_usefulness(candidate) for candidate in order if candidate.sampled == best.sampled)
    if more > exact_usefulness(best):
        why = f"counts frequent items within {COUNTED_WITHIN:.0%}, and is nearly as useful as what does not"
        return f"of {tried} {named(best)} {why}: {what_is_left(best)}"
    return f"of {tried} {named(best)} leaves the most to count: {what_is_left(best)}"


def what_is_left(candidate: Candidate) -> str:
    """Say what a recipient can count, what stays as it is, and what a symbol means."""
    parts = []
    if candidate.countable is not None:
        errors = {"frequent items": candidate.countable.items_error, "frequent pairs": candidate.countable.pairs_error}
        counts = [f"counts of {what} by {error:.1%} (median)" for what, error in errors.items() if error is not None]
        parts += [", ".join(counts).replace(" by ", " are wrong by ", 1)] if counts else []
    items = candidate.shares.get("items", {})
    if items:
        fates = [f"{candidate.kept:.1%} of the occurrences stay as they are"]
        fates += [f"{items[fate]:.1%} are {fate}" for fate in ("generalized", "suppressed") if items.get(fate)]
        parts.append(", ".join(fates))
    if candidate.countable is not None and (size := candidate.countable.stands_for) is not None:
        parts.append(f"a generalized item stands for one of {size:.0f} on average")
    if (values := candidate.shares.get("values")) is not None:
        parts.append(f"{values.get('kept', 0.0):.1%} of the relational values stay as they are")
    if candidate.ranges_kept is not None:
        parts.append(f"{candidate.ranges_kept:.1%} of the ranges of relational columns stay")
    if not parts:
        parts = [f"{name.replace('_', ' ')} {value:.4f}" for name, value in list(candidate.measures.items())[:1]]
    return "; ".join(parts)


def made_from_data(best: Candidate | None) -> str:
    """Say what it means that the hierarchy or the sets of the best candidate are made from the data, if they are."""
    if best is None:
        return ""
    made = best.settings.get("hierarchy")
    if made is None:
        default = getattr(getattr(ALGORITHMS.get(best.algorithm), "transaction", None), "name", "")
        names = (best.algorithm, str(best.settings.get("transaction", default)))
        used = [name for name in names if name in ALGORITHMS]
        made = next((f"each set of {name}" for name in used if traits_of(ALGORITHMS[name]).sets_from_data), None)
    if made is None:
        return ""
    return (
        f"{made} is made from how often items occur in these data: what stands together need not belong together by "
        "its meaning, and a symbol tells that its items are about equally frequent"
    )


def warning(best: Candidate | None) -> str:
    """Warn of a best candidate in which hardly an item is there as itself; else nothing."""
    if best is None or not best.shares.get("items") or best.kept >= FEW_KEPT:
        return ""
    return (
        f"only {best.kept:.1%} of the occurrences stay as they are, all others are one of several items or suppressed; "
        "a hierarchy whose nodes have fewer children may leave more at the same guarantee"
    )


def way_out(candidates: Sequence[Candidate], model: PrivacyModel, seconds: float) -> str:
    """Say why no candidate is of use, and what would help.

    Parameters
    ----------
    seconds
        How long all candidates together were given.
    """
    by_outcome = {candidate.outcome: candidate for candidate in reversed(candidates) if not candidate.beside}
    more = f"{setting('seconds', ceil(seconds))} gives them the time"
    if set(by_outcome) == {"too long"}:
        return f"all candidates ran out of time: {more}"
    reasons = []
    if "worthless" in by_outcome and "disclosing" not in by_outcome:
        reasons.append(
            "what can be published says nothing: everything became one symbol; a hierarchy whose nodes have fewer "
            "children may leave something at the same guarantee"
        )
    elif (candidate := by_outcome.get("infeasible")) is not None and "disclosing" not in by_outcome:
        sizes = " or ".join(name for name in ("k", "m", "l") if name in parameters_of(model))
        reasons.append(
            f"the data do not allow it: {candidate.note}" + (f"; a smaller {sizes} may be possible" if sizes else "")
        )
    elif (candidate := by_outcome.get("disclosing")) is not None:
        reasons.append(f"the scan stops every publication: {candidate.note}")
    elif (candidate := by_outcome.get("refused")) is not None:
        reasons.append(f"no candidate can be tried: {candidate.note}")
    else:
        reasons.append(
            "what was found does not verify: "
            + next((candidate.note for candidate in candidates if candidate.note and not candidate.beside), "")
        )
    if "too long" in by_outcome:
        reasons.append(f"others ran out of time: {more}")
    return "; ".join(reasons)


def limit(best: Candidate | None, candidates: Sequence[Candidate]) -> str:
    """Say what limits how much is kept: items that are rare in clusters, or a cut that is proven to lose the least."""
    if best is not None and (rare := rare_text(best.measures.get("rare_in_clusters", 0.0))):
        return rare
    tried = [
        candidate
        for candidate in candidates
        if candidate.algorithm == "exact" and candidate.nodes and "gap" in candidate.measures
    ]
    proven = [candidate for candidate in tried if candidate.measures["gap"] == 0.0]
    if best is None or not tried or best.sampled != tried[0].sampled:
        return ""
    if not proven:
        gap = min(candidate.measures["gap"] for candidate in tried)
        return f"not proven: exact came within {gap:.1%} of the least that a cut of the hierarchy can lose"
    least = min(candidate.measures["ncp"] for candidate in proven)
    lost = best.measures["ncp"]
    if lost < least:
        return (
            f"the hierarchy is the limit: no cut of it loses less than {least:.4f}, which is proven; {named(best)}, "
            f"whose symbols are {'sets of its own' if 'hierarchy' not in best.settings else 'nodes of another one'}, "
            f"which need not belong together, loses {lost:.4f}"
        )
    if lost > least + _EQUAL:
        return (
            f"a cut of the hierarchy loses {least:.4f}, which is proven to be the least; {best.algorithm} loses "
            f"{lost:.4f}, and leaves more to count"
        )
    return f"the hierarchy is the limit, not the algorithm: that no cut of it loses less than {least:.4f} is proven"
