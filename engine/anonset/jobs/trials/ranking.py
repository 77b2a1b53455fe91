"""Ranking of candidates by usefulness. Explains why the best candidate is the best, or what to do if no candidate is
useful.

The usefulness of items is the mean of three figures from 0 to 1. The first is 1 minus the median error of the counts of
the most frequent items. The second is 1 minus the median error of the counts of the most frequent pairs. The third is
the share of unchanged occurrences minus the suppressed share, at least 0. An error above 1 gives the figure 0. The
usefulness of relational columns is 1 minus the mean width of a published value as a share of its column. If there are
items and relational columns, usefulness is the smaller of the two figures, because a recipient counts items by
relational values. The usefulness of buckets is 1 minus their loss. Each figure is rounded to ten-thousandths first, so
that sums are exact.

If the item counts of the best candidate have a median error above `COUNTED_WITHIN`, a candidate with a smaller median
error may be preferred. Its usefulness must be at least the share `NEARLY` of the best usefulness. Counts with a larger
error are of little use.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.data.hierarchies.hierarchy_rules import PROPOSED
from anonset.errors import Fix, Problem
from anonset.jobs.trials.candidate import Candidate
from anonset.measures.countable import largest_in_words
from anonset.measures.retention import rare_text, relative_to
from anonset.privacy import PrivacyModel
from anonset.release.statements import parameters_of
from anonset.spelling import StatedSettings, counted, listed, setting

FEW_KEPT = 0.05
"""Minimum share of unchanged occurrences without a warning."""
COUNTED_WITHIN = 0.25
"""Median error up to which a recipient can use the counts of frequent items."""
NEARLY = Fraction(4, 5)
"""A candidate with a median error up to `COUNTED_WITHIN` is preferred if its usefulness is at least this share of the
best usefulness."""
_EQUAL = 1e-9


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates by descending usefulness. Ties are resolved by smaller loss, then larger unchanged share, then
    input order.

    A candidate whose counts of frequent items have a small error precedes a slightly more useful candidate with a large
    error. Candidates for another model come last.
    """
    order = sorted(
        candidates,
        key=lambda candidate: (
            bool(candidate.beside),
            candidate.sampled,
            -candidate.exact_usefulness,
            round(candidate.loss, 9),
            -candidate.kept,
        ),
    )
    if (first := best_of(order)) is None or counts_usably(first) is not False:
        return order
    least = NEARLY * first.exact_usefulness
    near = [
        candidate
        for candidate in order
        if (candidate.sampled, candidate.beside) == (first.sampled, "")
        and candidate.exact_usefulness >= least
        and counts_usably(candidate)
    ]
    return [*near[:1], *(candidate for candidate in order if candidate is not next(iter(near), None))]


def counts_usably(candidate: Candidate) -> bool | None:
    """Return True if counts of frequent items from the candidate's publication are accurate enough. None if the data
    have no items.
    """
    error = None if candidate.countable is None else candidate.countable.items_error
    return None if error is None else candidate.outcome == "holds" and error <= COUNTED_WITHIN


def best_of_other_models(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the highest-ranked candidate that satisfies another model, or None."""
    return next((candidate for candidate in candidates if candidate.beside and candidate.outcome == "holds"), None)


def best_of(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first ranked candidate that satisfies the model, preferably on all data. None if no candidate
    satisfies the model.

    Candidates for another model do not count.
    """
    safe = [candidate for candidate in candidates if candidate.outcome == "holds" and not candidate.beside]
    return next((candidate for candidate in safe if not candidate.sampled), safe[0] if safe else None)


_VARIANTS = {
    "point": "{} first",
    "transaction": "items by {}",
    "hierarchy": "groups {}",
    "suppress": "with suppression",
    "merge": "",
    "on_infeasible": "",
}
"""Words for the parameters of candidates. Empty for parameters that all candidates of an algorithm share."""


_WORDS = {"balanced": "balanced", PROPOSED: "groups by frequency"}
"""Words for values of parameters."""


def algorithm_text(candidate: Candidate) -> str:
    """Return the algorithm of a candidate and the meaning of its parameters. Parameters of the model are left out.

    >>> algorithm_text(Candidate("rum-bound", {"transaction": "coat", "delta": 0.6, "merge": "rt"}, "holds"))
    'rum-bound: items by coat, attributes lose at most 60%'
    """
    bounded = {"rum-bound": "attributes", "tum-bound": "items"}.get(candidate.algorithm)
    words = []
    for name, value in candidate.settings.items():
        if name == "delta" and bounded:
            words.append(f"{bounded} lose at most {value:.0%}")
        elif str(value) in _WORDS:
            words.append(_WORDS[str(value)])
        else:
            words.append(_VARIANTS.get(name, f"{name.replace('_', ' ')} {{}}").format(value))
    return ": ".join(filter(None, (candidate.algorithm, ", ".join(filter(None, words)))))


def reason(best: Candidate, order: Sequence[Candidate]) -> str:
    """Explain why a candidate is the best. The text contains the errors of counts by a recipient."""
    return f"{algorithm_text(best)} ({grounds(best, order)}): {describe_utility(best)}"


def grounds(best: Candidate, order: Sequence[Candidate]) -> str:
    """Compare the utility of the best candidate with that of the others in words."""
    order = [candidate for candidate in order if not candidate.beside]
    n_candidates = counted(len(order), "candidate")
    more = max(candidate.exact_usefulness for candidate in order if candidate.sampled == best.sampled)
    if more > best.exact_usefulness:
        return f"frequent item counts within {COUNTED_WITHIN:.0%}, utility close to the highest of {n_candidates}"
    own = _figures(best)
    for place, other in enumerate(order, 1):
        gains = {name: own.get(name, figure) - figure for name, figure in _figures(other).items()}
        if other.outcome == "holds" and other.exact_usefulness < more and min(gains.values()) < 0:
            name = max(gains, key=lambda name: gains[name])  # the other candidate is better in another figure
            figures = f"{name}: {abs(own[name]):.1%}, against {abs(own[name] - gains[name]):.1%} of result {place}"
            return f"best balance of {n_candidates}; {figures}"
    return f"best balance of {n_candidates}"


def _figures(candidate: Candidate) -> dict[str, float]:
    """Return the figures that decide the usefulness. Errors are negative."""
    counted = candidate.countable
    figures = {
        "error of frequent pairs": counted and counted.pairs_error and -counted.pairs_error,
        "error of frequent items": counted and counted.items_error and -counted.items_error,
        "unchanged": candidate.kept,
        "detail of the attributes": candidate.ranges_kept,
    }
    return {name: figure or 0.0 for name, figure in figures.items()}


def describe_utility(candidate: Candidate) -> str:
    """Return the figures of `utility_figures` as one text."""
    return "; ".join(utility_figures(candidate))


def utility_figures(candidate: Candidate) -> list[str]:
    """Describe the errors of counts, the unchanged data, and the number of items that a symbol covers."""
    parts = []
    if candidate.countable is not None:
        parts += [
            f"counts of frequent {name} are off by {error:.1%} (median){largest_in_words(largest)}"
            for name, (error, largest) in candidate.countable.errors.items()
        ]
    items = candidate.shares.get("items", {})
    if items:
        fates = [f"{candidate.kept:.1%} of the item occurrences are unchanged"]
        fates += [f"{items[fate]:.1%} {fate}" for fate in ("generalized", "suppressed") if items.get(fate)]
        parts.append(", ".join(fates) + relative_to("items", candidate.coarsened))
    if candidate.countable is not None and (size := candidate.countable.stands_for) is not None:
        parts.append(f"a generalized item covers {size:.0f} items on average")
    if (values := candidate.shares.get("values")) is not None:
        kept = f"{values.get('kept', 0.0):.1%} of the attribute values are unchanged"
        parts.append(kept + relative_to("values", candidate.coarsened))
    if candidate.ranges_kept is not None:
        parts += [f"attributes keep {candidate.ranges_kept:.1%} of their detail", *candidate.columns]
    if not parts:
        parts = [f"{name.replace('_', ' ')} {value:.4f}" for name, value in list(candidate.measures.items())[:1]]
    return parts


def made_from_data(best: Candidate | None) -> str:
    """Explain the consequences if the best candidate's hierarchy or sets come from the data. Empty if they do not."""
    if best is None:
        return ""
    made = best.settings.get("hierarchy")
    if made is None:
        default = getattr(getattr(ALGORITHMS.get(best.algorithm), "transaction", None), "name", "")
        names = (best.algorithm, str(best.settings.get("transaction", default)))
        used = [name for name in names if name in ALGORITHMS]
        made = next((name for name in used if traits_of(ALGORITHMS[name]).sets_from_data), None)
    if made is None:
        return ""
    return (
        f"{made} chooses the items of each symbol by the item frequencies in the data. These items may "
        "have unrelated meanings, and the symbol reveals that they are about equally frequent"
    )


def warning(
    best: Candidate | None,
    dropped: Sequence[str] = (),
    without: Candidate | None = None,
    weaker: Sequence[tuple[StatedSettings, Candidate]] = (),
) -> Problem:
    """Return the problems of the best candidate, such as few unchanged items or inaccurate counts. Empty if it has no
    problems.

    Parameters
    ----------
    dropped, without
        Relational columns that make counts less accurate, and the result of the candidate without these columns.
    weaker
        Parameters of a weaker guarantee, and the result of the candidate with them.
    """
    if best is None:
        return Problem("")
    problems, fixes = list[str](), list[Fix]()
    if best.ranges_kept is not None and best.ranges_kept < FEW_KEPT:
        problems.append(f"the attributes keep only {best.ranges_kept:.1%} of their detail")
    if best.shares.get("items") and best.kept < FEW_KEPT:
        problems.append(
            f"only {best.kept:.1%} of the item occurrences are unchanged, all others are generalized or suppressed; "
            "a hierarchy with fewer children per node may keep more under the same guarantee"
        )
    if best.countable is not None and counts_usably(best) is False:
        problems.append(
            f"the median error of frequent item counts is {best.countable.items_error:.1%}; above "
            f"{COUNTED_WITHIN:.0%} counts are of little use"
        )
        if without is not None and without.countable is not None and counts_usably(without):
            columns = f"column{'' if len(dropped) == 1 else 's'} {listed([repr(name) for name in dropped])}"
            error = without.countable.items_error
            fixes.append(Fix({"drop": list(dropped)}, f"without {columns} the error is {error:.1%}"))
        fixes += weaker_guarantees(weaker)
        if not fixes and best.ranges_kept is not None:
            fixes.append(Fix({}, "publishing the items without other columns (model km) may help"))
    return Problem("; ".join(problems), fixes)


def weaker_guarantees(tried: Sequence[tuple[StatedSettings, Candidate]]) -> list[Fix]:
    """Return the parameters of weaker guarantees, with the error that was measured with them."""
    return [
        Fix(sizes, f"with {name}={sizes[name]} the error is {candidate.countable.items_error:.1%}")
        for sizes, candidate in tried
        for name in sizes
        if candidate.countable is not None and candidate.countable.items_error is not None
    ]


def explain_failure(candidates: Sequence[Candidate], model: PrivacyModel, seconds: float) -> str:
    """Explain why no candidate is useful, and what to change.

    Parameters
    ----------
    seconds
        Time limit for all candidates.
    """
    by_outcome = {candidate.outcome: candidate for candidate in reversed(candidates) if not candidate.beside}
    more = f"allow more time with {setting('seconds', ceil(seconds))}"
    if set(by_outcome) == {"too long"}:
        return f"all candidates ran out of time: {more}"
    reasons = []
    if "worthless" in by_outcome and "disclosing" not in by_outcome:
        reasons.append(
            "every result is useless, because all items became a single symbol; a hierarchy with fewer children per "
            "node may keep more under the same guarantee"
        )
    elif (candidate := by_outcome.get("infeasible")) is not None and "disclosing" not in by_outcome:
        sizes = " or ".join(name for name in ("k", "m", "l") if name in parameters_of(model))
        reasons.append(f"infeasible for these data: {candidate.note}" + (f"; try a smaller {sizes}" if sizes else ""))
    elif (candidate := by_outcome.get("disclosing")) is not None:
        reasons.append(f"the disclosure scan stops every publication: {candidate.note}")
    elif (candidate := by_outcome.get("refused")) is not None:
        reasons.append(f"no candidate can be tried: {candidate.note}")
    else:
        reasons.append(
            "the results failed verification: "
            + next((candidate.note for candidate in candidates if candidate.note and not candidate.beside), "")
        )
    if "too long" in by_outcome:
        reasons.append(f"other candidates ran out of time: {more}")
    return "; ".join(reasons)


def limit(best: Candidate | None, candidates: Sequence[Candidate]) -> str:
    """Explain the limit on utility. Items may be rare within clusters, or the loss of a cut is the proven minimum."""
    if best is not None and (rare := rare_text(best.measures.get("rare_in_clusters", 0.0))):
        return rare
    exact_cuts = [
        candidate
        for candidate in candidates
        if candidate.algorithm == "exact" and candidate.nodes and "gap" in candidate.measures
    ]
    proven = [candidate for candidate in exact_cuts if candidate.measures["gap"] == 0.0]
    if best is None or not exact_cuts or best.sampled != exact_cuts[0].sampled:
        return ""
    if not proven:
        gap = min(candidate.measures["gap"] for candidate in exact_cuts)
        return f"no proven minimum: exact came within {gap:.1%} of the smallest possible loss of a hierarchy cut"
    least, lost = min(candidate.measures["ncp"] for candidate in proven), best.measures["ncp"]
    proof = f"at least {least:.1%} of the item detail is lost with its nodes, proven"
    if lost < least:
        of = "item sets" if "hierarchy" not in best.settings else "nodes of another hierarchy"
        other = f"{best.algorithm} loses {lost:.1%} with {of}, whose items may have unrelated meanings"
        return f"the hierarchy limits utility: {proof}; {other}"
    if lost > least + _EQUAL:
        return f"the hierarchy: {proof}; {best.algorithm} loses {lost:.1%} but preserves counts better"
    return f"the hierarchy limits utility, not the algorithm: {proof}"
