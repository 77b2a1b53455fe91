"""anonset: anonymize transaction, relational and relational-transaction data.

>>> import anonset
>>> table = anonset.Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
>>> release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
>>> print(release.verdict)
km-anonymity with k=2, m=2 holds
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonset.algorithms.transaction.apriori import Apriori
    from anonset.algorithms.transaction.direct import Direct
    from anonset.algorithms.transaction.optimal import Optimal
    from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, Vocabulary
    from anonset.errors import (
        AnonsetError,
        HierarchyError,
        InfeasibleError,
        InputError,
        UndecidedError,
        VerificationError,
    )
    from anonset.generalization import Publication
    from anonset.io.hierarchies import read_hierarchy, write_hierarchy
    from anonset.io.read import read
    from anonset.measures.ncp import ncp
    from anonset.privacy import KmAnonymity, Verdict, Witness
    from anonset.runner.release import Release
    from anonset.runner.run import anonymize
    from anonset.support import SupportIndex
    from anonset.verification import verify

__all__ = [
    "AnonsetError",
    "Apriori",
    "CategoricalColumn",
    "Direct",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "KmAnonymity",
    "NumericColumn",
    "Optimal",
    "Publication",
    "Release",
    "SetColumn",
    "SupportIndex",
    "Table",
    "UndecidedError",
    "Verdict",
    "VerificationError",
    "Vocabulary",
    "Witness",
    "anonymize",
    "ncp",
    "read",
    "read_hierarchy",
    "verify",
    "write_hierarchy",
]

_HOMES = {
    "anonset.algorithms.transaction.apriori": ("Apriori",),
    "anonset.algorithms.transaction.direct": ("Direct",),
    "anonset.algorithms.transaction.optimal": ("Optimal",),
    "anonset.data": ("CategoricalColumn", "Hierarchy", "NumericColumn", "SetColumn", "Table", "Vocabulary"),
    "anonset.errors": (
        "AnonsetError",
        "HierarchyError",
        "InfeasibleError",
        "InputError",
        "UndecidedError",
        "VerificationError",
    ),
    "anonset.generalization": ("Publication",),
    "anonset.io.hierarchies": ("read_hierarchy", "write_hierarchy"),
    "anonset.io.read": ("read",),
    "anonset.measures.ncp": ("ncp",),
    "anonset.privacy": ("KmAnonymity", "Verdict", "Witness"),
    "anonset.runner.release": ("Release",),
    "anonset.runner.run": ("anonymize",),
    "anonset.support": ("SupportIndex",),
    "anonset.verification": ("verify",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that importing anonset costs nothing (PEP 562)."""
    home = _HOME_OF.get(name)
    if home is None:
        msg = f"module 'anonset' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
