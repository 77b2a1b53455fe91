"""Registry of the attacks, and a function that runs attacks by name."""

from collections.abc import Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from anonset.errors import InputError, require_known
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.attacks.base import AttackInput, AttackResult


ATTACKS: Mapping[str, str] = {
    "composition": "anonset.attacks.composition:composition",
    "matching": "anonset.attacks.matching:matching",
    "homogeneity": "anonset.attacks.shared_values:homogeneity",
    "skewness": "anonset.attacks.shared_values:skewness",
    "minimality": "anonset.attacks.minimality:minimality",
    "tightness": "anonset.attacks.tightness:tightness",
    "downcoding": "anonset.attacks.downcoding:downcoding",
    "combinatorial-refinement": "anonset.attacks.combinatorial_refinement:combinatorial_refinement",
    "noisy-linkage": "anonset.attacks.noisy_linkage:noisy_linkage",
}
"""Import path of each attack, by name."""
ALL = "all"
"""Name that requests every applicable attack."""


def require_attacks(attacks: Sequence[str]) -> None:
    """Validate names of attacks.

    Raises
    ------
    InputError
        If a name is unknown. The message lists the attacks.
    """
    for name in attacks:
        require_known(setting("attack"), name, (*ATTACKS, ALL))


def run_attacks(scene: "AttackInput", attacks: Sequence[str]) -> "tuple[tuple[AttackResult, ...], dict[str, str]]":
    """Run attacks. Return the results, and the reason why each other attack does not apply, by attack name.

    Raises
    ------
    InputError
        If an attack requested by name does not apply.
    """
    from anonset.attacks.base import Attack, AttackResult

    results = list[AttackResult]()
    reasons = dict[str, str]()
    for name in ATTACKS if ALL in attacks else dict.fromkeys(attacks):
        attack: Attack = resolve_name(ATTACKS[name])
        outcomes = attack(scene)
        if not isinstance(outcomes, str):
            results += outcomes
        elif name in attacks:
            raise InputError(f"{setting('attack', name)} cannot run: {outcomes}")
        else:
            reasons[name] = outcomes
    return tuple(results), reasons
