"""The account of what was tried for a guarantee, on one scale."""

from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.suggest import Candidate, Suggestion
from anonset.queries.estimate import ONE_MEMBER
from anonset.release.documents import parameters_of, plain
from anonset.spelling import counted, printable

SCALE = (
    "kept, generalized, suppressed: shares of the item occurrences; error: of queries for what is frequent "
    f"({ONE_MEMBER}: a symbol stands for one of its items)"
)


def suggestion_summary(found: Suggestion, command: str) -> dict[str, Any]:
    """Return a suggestion as what JSON knows; `command` runs what is recommended."""
    best = found.recommended
    summary: dict[str, Any] = plain(
        {
            "model": found.model.name,
            "parameters": parameters_of(found.model),
            "sample": found.sample,
            "reading": ONE_MEMBER,
            "candidates": found.candidates,
            "recommended": None if best is None else {**plain(best), "command": command},
            "reason": found.reason,
            "limit": found.limit or None,
        }
    )
    return summary


def suggestion_account(found: Suggestion, command: str) -> list[str | RichTable]:
    """Return a suggestion for people."""
    tried = counted(len(found.candidates), "candidate")
    on = "" if found.sample is None else f", first on a sample of {found.sample:,} records; the best on all data"
    parts: list[str | RichTable] = [f"For {found.model}, {tried}{on}", "", _table(found), SCALE, ""]
    parts.append(f"Best: {found.reason}.")
    if found.recommended is not None and (far := levels_text(found.recommended.levels)):
        parts.append(f"Generalized, by how far: {far}.")
    if found.limit:
        parts.append(f"Limit: {found.limit}.")
    if found.recommended is not None:
        parts.append(f"Next: {command}")
    return parts


def _table(found: Suggestion) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    values = any("values" in one.shares for one in found.candidates)
    names = ("", "algorithm", "kept", "generalized", "suppressed", *(("values kept",) if values else ()))
    for name in (*names, "error", "loss", "time", "outcome"):
        left = name in ("", "algorithm", "outcome")
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    for one in found.candidates:
        table.add_row(*map(printable, _row(found, one, values=values)))
    return table


def _row(found: Suggestion, one: Candidate, *, values: bool) -> list[str]:
    mark = "->" if one is found.recommended else ""
    if not one.shares:
        return [mark, name_of(one), "", "", "", *([""] if values else []), "", "", "", _outcome(one)]
    items, kept_values = one.shares.get("items", {}), one.shares.get("values", {})
    shown = [_percent(items, name) for name in ("kept", "generalized", "suppressed")]
    if values:
        shown.append(_percent(kept_values, "kept"))
    error = f"{one.measures['are']:.3g}" if "are" in one.measures else ""
    loss = f"{one.loss:.4f}" if one.outcome == "holds" else ""
    return [mark, name_of(one), *shown, error, loss, f"{one.seconds:.2f} s", _outcome(one)]


def name_of(one: Candidate) -> str:
    """Return the algorithm with what was given beside the guarantee."""
    given = [
        name.replace("_", "-") if value is True else f"{name} {value}" if name != "on_infeasible" else f"or {value}"
        for name, value in one.settings.items()
        if name != "algorithm"
    ]
    return f"{one.algorithm} ({', '.join(given)})" if given else one.algorithm


def levels_text(levels: Any) -> str:
    """Return how far occurrences were generalized.

    >>> levels_text({"kept": 0.5, "1 level up": 0.3, "2 levels up": 0.1, "suppressed": 0.1})
    '1 level up 30.0%, 2 levels up 10.0%'
    """
    parts = {name: share for name, share in levels.items() if name not in ("kept", "suppressed")}
    return ", ".join(f"{name} {share:.1%}" for name, share in parts.items())


def _percent(shares: Any, name: str) -> str:
    return f"{shares[name]:.1%}" if name in shares else ""


def _outcome(one: Candidate) -> str:
    said = one.outcome + (", on the sample" if one.sampled and one.outcome == "holds" else "")
    return f"{said}: {one.note[:90]}" if one.outcome in ("refused", "infeasible") and one.note else said
