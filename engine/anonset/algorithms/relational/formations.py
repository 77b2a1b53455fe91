"""Algorithms that form the initial clusters of RT frameworks, by name."""

from typing import Any

from anonset.algorithms.relational.base import Formation
from anonset.algorithms.relational.bottom_up import BottomUp
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.full_domain import FullDomain
from anonset.algorithms.relational.k_member import KMember
from anonset.algorithms.relational.local_recoding import LocalRecoding
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.top_down import TopDown
from anonset.algorithms.relational.xu_bottom_up import XuBottomUp
from anonset.algorithms.relational.xu_top_down import XuTopDown
from anonset.errors import InputError, require_known
from anonset.spelling import setting

FORMATIONS: dict[str, type[Formation]] = {
    formation.name: formation
    for formation in (
        Cluster,
        KMember,
        Mondrian,
        XuBottomUp,
        XuTopDown,
        FullDomain,
        LocalRecoding,
        BottomUp,
        TopDown,
    )
}


def formation_of(name: str, k: int, seed: int | None = None, **more: Any) -> Formation:
    """Return a formation by name. `more` contains further parameters that all formations accept.

    Raises
    ------
    InputError
        If the name is unknown, or the formation does not support the given seed.
    """
    require_known(setting("formation"), name, FORMATIONS)
    if name == Cluster.name:
        return Cluster(k=k, seed=seed, **more)
    if seed is not None:
        raise InputError(f"{setting('seed')} applies to the formation {Cluster.name!r} only, got {seed} with {name!r}")
    return FORMATIONS[name](k=k, **more)
