"""The attacks by name, and trying those that are asked for."""

from collections.abc import Mapping, Sequence
from pkgutil import resolve_name

from anonset.attacks.base import Attack, Outcome, Scene
from anonset.errors import InputError
from anonset.spelling import setting

ATTACKS: Mapping[str, str] = {
    "composition": "anonset.attacks.composition:composition",
    "matching": "anonset.attacks.matching:matching",
    "homogeneity": "anonset.attacks.shared_values:homogeneity",
    "skewness": "anonset.attacks.shared_values:skewness",
    "minimality": "anonset.attacks.minimality:minimality",
    "tightness": "anonset.attacks.tightness:tightness",
    "downcoding": "anonset.attacks.downcoding:downcoding",
    "combinatorial-refinement": "anonset.attacks.combinatorial_refinement:combinatorial_refinement",
}
"""The function of each attack, by its name."""
ALL = "all"
"""Asks for every attack that can be tried."""


def require_attacks(asked: Sequence[str]) -> None:
    """Refuse a name that no attack has.

    Raises
    ------
    InputError
        With those that there are.
    """
    for name in asked:
        if name not in (*ATTACKS, ALL):
            msg = f"{setting('attack')} must be out of {', '.join((*ATTACKS, ALL))}, got {name!r}"
            raise InputError(msg)


def tried(scene: Scene, asked: Sequence[str]) -> tuple[tuple[Outcome, ...], dict[str, str]]:
    """Try attacks, and return what they win, and by the names of the others why they cannot be tried.

    Raises
    ------
    InputError
        If one that is asked for by its name cannot be tried.
    """
    found = list[Outcome]()
    reasons = dict[str, str]()
    for name in ATTACKS if ALL in asked else dict.fromkeys(asked):
        attack: Attack = resolve_name(ATTACKS[name])
        outcomes = attack(scene)
        if not isinstance(outcomes, str):
            found += outcomes
        elif name in asked:
            msg = f"{setting('attack', name)} cannot be tried: {outcomes}"
            raise InputError(msg)
        else:
            reasons[name] = outcomes
    return tuple(found), reasons
