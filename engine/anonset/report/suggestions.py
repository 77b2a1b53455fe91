"""Text and JSON data with the results of ``anonset suggest``."""

from textwrap import shorten
from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.ranking import (
    algorithm_text,
    describe_utility,
    grounds,
    made_from_data,
    utility_figures,
    warning,
)
from anonset.jobs.trials.suggest import Suggestion, cells
from anonset.measures.countable import FREQUENT
from anonset.measures.retention import PRINTED_PARTS, level_phrase, relative_to
from anonset.queries.estimate import ONE_MEMBER
from anonset.release.statements import parameters_of, plain
from anonset.report.frontier import frontier_text
from anonset.report.sections import table
from anonset.spelling import counted, listed

_FACTS = (
    *("algorithm", "settings", "outcome", "shares", "levels", "measures", "seconds", "sampled", "note", "countable"),
    *("nodes", "beside", "usefulness", "ranges_kept", "commonest", "coarsened", "lost"),
)
"""Attributes of `Candidate` that the JSON data contain."""
_NOTE = 200
"""Maximum number of characters of the printed reason why a candidate failed."""
_LONGEST = 40
"""Largest width of the names of algorithms. The table then fits 100 characters."""
_SHARES = "kept, generalized, suppressed: shares of the {of}"
_ERRORS = (
    "item error, pair error: median relative errors of "
    f"the counts of the {FREQUENT} most frequent "
    "(a published set is assumed to represent exactly one of its items)"
)


def suggestion_summary(
    suggestion: Suggestion, command: str, with_own: str = "", alternative: str = ""
) -> dict[str, Any]:
    """Return a suggestion as JSON data.

    Parameters
    ----------
    command
        Command that runs the recommended candidate.
    with_own
        Command that runs the best of the candidates with the hierarchy of the owner.
    alternative
        Command that runs the alternative candidate, which has another guarantee.
    """
    preferred, other = suggestion.with_own_hierarchy, suggestion.beside
    summary: dict[str, Any] = plain(
        {
            "model": suggestion.model.name,
            "parameters": parameters_of(suggestion.model),
            "sample": suggestion.sample,
            "reading": ONE_MEMBER,
            "candidates": [_entry(candidate) for candidate in suggestion.candidates],
            "recommended": None
            if suggestion.recommended is None
            else {
                **_entry(suggestion.recommended),
                "command": command,
                "grounds": grounds(suggestion.recommended, suggestion.candidates),
            },
            "with_own_hierarchy": None if preferred is None else {**_entry(preferred), "command": with_own},
            "beside": None if other is None else {**_entry(other), "command": alternative},
            "reason": suggestion.reason,
            "obstacles": list(suggestion.obstacles),
            "limit": suggestion.limit or None,
            "frontier": [] if suggestion.finest is None else suggestion.finest.frontier,
            "warning": suggestion.warning or None,
            "fixes": [fix.as_json() for fix in suggestion.fixes],
            "made_from_data": made_from_data(suggestion.recommended) or None,
        }
    )
    return summary


def _entry(candidate: Candidate) -> dict[str, Any]:
    facts = {name: plain(getattr(candidate, name)) for name in _FACTS}
    return {**facts, "settings": plain(candidate.asked), "utility": utility_figures(candidate)}


def suggestion_account(
    suggestion: Suggestion, command: str, with_own: str = "", alternative: str = ""
) -> list[str | RichTable]:
    """Return a suggestion as text and a table. The parameters are those of `suggestion_summary`."""
    n_candidates = counted(len(suggestion.candidates), "candidate")
    on = (
        ""
        if suggestion.sample is None
        else f". All run on a sample of {suggestion.sample:,} records, and the best also run on all data."
    )
    parts: list[str | RichTable] = [
        f"For {suggestion.model}, {n_candidates}{on}",
        "",
        _table(suggestion),
        *_scale(suggestion),
        *_failures(suggestion),
        "",
    ]
    if (best := suggestion.recommended) is None:
        return [*parts, f"No candidate is useful: {suggestion.reason}.", *_alternative(suggestion, alternative)]
    parts.append(f"Best: {algorithm_text(best)} ({grounds(best, suggestion.candidates)}):")
    parts += [f"- {figure}" for figure in utility_figures(best)]
    if far := levels_text(best.levels, suggestion.items):
        parts.append(f"Generalized item occurrences: {far}.")
    if made := made_from_data(best):
        parts.append(f"Symbols: {made}.")
    if suggestion.warning:
        parts.append(f"Warning: {suggestion.warning}.")
    if suggestion.limit:
        parts.append(f"Limit: {suggestion.limit}.")
    if (finest := suggestion.finest) is not None and len(finest.frontier) > 1:
        parts.append(f"Other balances of joint-split: {frontier_text(finest.frontier)}.")
    if (preferred := suggestion.with_own_hierarchy) is best:
        parts.append("It is also the best with your hierarchy.")
    elif preferred is not None:
        place = suggestion.candidates.index(preferred) + 1
        parts += [
            f"Best with your hierarchy: result {place}, {algorithm_text(preferred)}.",
            *([f"Warning: {problems}."] if (problems := str(warning(preferred))) else []),
            f"Command: {with_own}",
        ]
    return [*parts, *_alternative(suggestion, alternative), f"Next: {command}"]


def _alternative(suggestion: Suggestion, command: str) -> list[str]:
    """Return lines about the alternative candidate, which has another guarantee, if there is one."""
    if (other := suggestion.beside) is None:
        return []
    another = f"with another guarantee than {suggestion.model.name}"
    return [f"Alternative {another}, {algorithm_text(other)}: {describe_utility(other)}.", f"Command: {command}"]


def _scale(suggestion: Suggestion) -> list[str]:
    kinds = [kind for kind in PRINTED_PARTS if any(kind in candidate.shares for candidate in suggestion.candidates)]
    relative = {relative_to(kinds[0], candidate.coarsened) for candidate in suggestion.candidates} if kinds else ""
    lines = [f"{_SHARES.format(of=PRINTED_PARTS[kinds[0]])}{max(relative)}"] if kinds else []
    lines += [_ERRORS] if any(candidate.countable is not None for candidate in suggestion.candidates) else []
    ranges = any(candidate.ranges_kept is not None for candidate in suggestion.candidates)
    return [
        *lines,
        *(["ranges kept: 1 minus the width of the published ranges, as a share of the column"] if ranges else []),
    ]


def _table(suggestion: Suggestion) -> RichTable:
    """Return the table of candidates, without empty columns and without shares that follow from others."""
    head = ("kept", "generalized", "suppressed", "item\nerror", "pair\nerror", "ranges\nkept", "useful", "outcome")
    rows = [(*cells(candidate), _outcome(candidate)) for candidate in suggestion.candidates]
    shown = [place for place in range(len(head)) if any(row[place] not in ("", "0.0%", "holds") for row in rows)]
    if 2 not in shown and 1 in shown:
        shown.remove(1)  # without suppression, the share is 1 minus the kept share
    texts = [
        (
            "->" if candidate is suggestion.recommended else "",
            algorithm_text(candidate),
            *(row[place] for place in shown),
        )
        for candidate, row in zip(suggestion.candidates, rows, strict=True)
    ]
    names = ("", "algorithm", *(head[place] for place in shown))
    made = table(names, texts, left=("algorithm", "outcome"))
    made.columns[1].max_width = _LONGEST
    return made


def levels_text(levels: Any, items: int) -> str:
    """Return a text on the share of the item occurrences that are generalized by each number of levels. `items` is the
    number of items of the data.

    >>> levels_text({"kept": 0.5, "1 level up": 0.3, "2 levels up": 0.1, "suppressed": 0.1}, 20)
    '30.0% by 1 level, 10.0% by 2 levels'
    >>> levels_text({"kept": 0.5, "one of 2 to 10": 0.5}, 20)
    '50.0% to a set of 2 to 10 items'
    """
    parts = {name: share for name, share in levels.items() if name not in ("kept", "suppressed")}
    return ", ".join(f"{share:.1%} {level_phrase(name, items)}" for name, share in parts.items())


def _outcome(candidate: Candidate) -> str:
    outcome = candidate.outcome + (", on the sample" if candidate.sampled and candidate.outcome == "holds" else "")
    return "other guarantee" if candidate.beside and candidate.outcome == "holds" else outcome


def _failures(suggestion: Suggestion) -> list[str]:
    """Return a line for each reason why candidates failed, with their names."""
    names: dict[str, list[str]] = {}
    for candidate in suggestion.candidates:
        if candidate.outcome in ("refused", "infeasible", "disclosing") and candidate.note:
            names.setdefault(candidate.note.partition("; ")[0], []).append(candidate.algorithm)
    return [f"{listed([*dict.fromkeys(failed)], 'and')}: {shorten(why, _NOTE)}" for why, failed in names.items()]
