"""Homogeneity and skewness. These attacks infer values that all or most matching rows share, without identifying a row.

References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006 (homogeneity); Li, Li, Venkatasubramanian,
ICDE 2007 (skewness). The papers use equivalence classes of quasi-identifiers. These attacks also use rows that contain
known items.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from anonset.attacks.base import AttackInput, AttackResult, AttackSuccess
from anonset.attacks.composition import ReleaseRows
from anonset.measures.risks.skewness import Skewness
from anonset.spelling import counted, printable, setting

_NEEDS_VALUES = "it needs quasi-identifiers, and a column declared as sensitive or as published unchanged"


def homogeneity(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Infer values that all matching rows share. These are values of kept columns, or symbols that cover no known
    item.
    """

    def shares(skew: Skewness) -> Iterator[AttackSuccess]:
        return (AttackSuccess(x, x) for x in (float(skew.guessed_of_all == 1), skew.alone, skew.alone_by_chance))

    of_values = _of_values(
        scene,
        "homogeneity",
        "wants to find the value of {!r}; the attack succeeds if all matching records have the same value",
        shares,
    )
    of_items = _shared_symbols(scene)
    if isinstance(of_items, AttackResult):
        return (*of_values, of_items)
    return of_values or f"{_NEEDS_VALUES}, or {of_items}"


def skewness(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Guess that the value of a kept column is the most frequent value of the equivalence class."""

    def chances(skew: Skewness) -> Iterator[AttackSuccess]:
        return (AttackSuccess(None, x) for x in (skew.guessed_of_all, skew.guessed, skew.by_chance))

    wants = "guesses the most frequent value of {!r} among the matching records"
    return _of_values(scene, "skewness", wants, chances) or _NEEDS_VALUES


def _of_values(
    scene: AttackInput, attack: str, wants: str, wins: Callable[[Skewness], Iterable[AttackSuccess]]
) -> tuple[AttackResult, ...]:
    """Return the success for each kept column if the attacker knows all quasi-identifiers."""
    knows = f"all quasi-identifiers of a person; {wants}"
    return tuple(
        AttackResult(attack, knows.format(printable(name)), scene.publication.n, *wins(skew))
        for name, skew in scene.skews.items()
    )


def _shared_symbols(scene: AttackInput) -> AttackResult | str:
    """Return the share of random persons for whom all rows with the known items share another symbol."""
    rows = ReleaseRows.of(scene.publication)
    if scene.original is None or (column := scene.original.transactions) is None or rows is None:
        return f"{setting('original')} with sets of items, if each item has a single symbol"
    random = np.random.default_rng(scene.seed)
    row_of = scene.publication.row_of(scene.original.n)
    dealt, everywhere = rows.shuffled_symbols(random), _in_all(rows, [])
    of_all, shared, by_chance = list[bool](), list[bool](), list[bool]()
    people = np.flatnonzero(row_of >= 0)
    for person in random.choice(people, min(scene.attempts, len(people)), replace=False).tolist():
        items = column.held_by(person)
        labels = [column.vocabulary.labels[item] for item in items.tolist()]
        may = [label for label in labels if label in rows.symbol_of and label not in scene.model.secrets]
        if not may:
            continue
        chosen_items = [may[position] for position in random.permutation(len(may))[: scene.m].tolist()]
        shown = {rows.symbol_of[label] for label in chosen_items}
        symbols = set(rows.symbols(int(rows.kind[row_of[person]]))) - shown
        of_all.append(bool(symbols & everywhere))
        shared.append(bool(symbols & _in_all(rows, chosen_items)))
        by_chance.append(bool(symbols & _in_all(dealt, chosen_items)))
    shares = [float(np.mean(outcomes)) if outcomes else 0.0 for outcomes in (of_all, shared, by_chance)]
    knows = (
        f"{counted(scene.m, 'item')} of a person, and wants to find another symbol; the attack succeeds if all "
        "matching rows contain this symbol"
    )
    return AttackResult("homogeneity", knows, len(shared), *(AttackSuccess(share, share) for share in shares))


def _in_all(rows: ReleaseRows, items: list[str]) -> set[int]:
    """Return the symbols that all rows with the known items share. The set is empty if no row matches."""
    kinds = rows.fitting(items)
    counts = np.asarray(rows.rows[kinds].sum(axis=0)).ravel()
    return set(np.flatnonzero(counts == len(kinds)).tolist()) if len(kinds) else set()
