"""anonset: anonymize transaction, relational and relational-transaction data.

>>> import anonset
>>> table = anonset.Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
>>> release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
>>> print(release.verdict)
km-anonymity with k=2, m=2 holds
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonset.algorithms.buckets.anatomy import Anatomy
    from anonset.algorithms.buckets.safe_grouping import SafeGrouping
    from anonset.algorithms.relational.cluster import Cluster
    from anonset.algorithms.relational.k_member import KMember
    from anonset.algorithms.relational.mondrian import Mondrian
    from anonset.algorithms.relational.xu_bottom_up import XuBottomUp
    from anonset.algorithms.relational.xu_top_down import XuTopDown
    from anonset.algorithms.rt.rfirst import RFirst
    from anonset.algorithms.rt.rum_bound import RumBound
    from anonset.algorithms.rt.tfirst import TFirst
    from anonset.algorithms.rt.tum_bound import TumBound
    from anonset.algorithms.transaction.apriori import Apriori
    from anonset.algorithms.transaction.coat import Coat
    from anonset.algorithms.transaction.coherence_suppression import CoherenceSuppression
    from anonset.algorithms.transaction.direct import Direct
    from anonset.algorithms.transaction.hghs import HgHs
    from anonset.algorithms.transaction.lm_apriori import LmApriori
    from anonset.algorithms.transaction.local_generalization import LocalGeneralization
    from anonset.algorithms.transaction.lra import Lra
    from anonset.algorithms.transaction.mhghs import MHgHs
    from anonset.algorithms.transaction.optimal import Optimal
    from anonset.algorithms.transaction.pcta import Pcta
    from anonset.algorithms.transaction.pgen import generate_constraints
    from anonset.algorithms.transaction.vpa import Vpa
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
    from anonset.generalization.buckets import BucketPublication
    from anonset.io.buckets import read_buckets
    from anonset.io.hierarchies import read_hierarchy, write_hierarchy
    from anonset.io.policies import (
        read_item_weights,
        read_privacy_policy,
        read_utility_policy,
        write_privacy_policy,
        write_utility_policy,
    )
    from anonset.io.read import read
    from anonset.jobs.compare import Contestant, compare
    from anonset.jobs.evaluate import Evaluation, evaluate
    from anonset.jobs.run import anonymize
    from anonset.jobs.workloads import WorkloadSpec
    from anonset.measures.exclusiveness import exclusiveness
    from anonset.measures.item_weights import ItemWeights
    from anonset.measures.ncp import ncp
    from anonset.privacy import (
        AnatomyDiversity,
        Coherence,
        ConstraintSet,
        KAnonymity,
        KKmAnonymity,
        KLmDiversity,
        KmAnonymity,
        LmDiversity,
        PartitionKmAnonymity,
        SafetyConstraint,
        TransactionKAnonymity,
        Verdict,
        Witness,
    )
    from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy, groups_of_level, groups_of_siblings
    from anonset.release.release import Release
    from anonset.support import SupportIndex
    from anonset.verification import verify

__all__ = [
    "Anatomy",
    "AnatomyDiversity",
    "AnonsetError",
    "Apriori",
    "BucketPublication",
    "CategoricalColumn",
    "Cluster",
    "Coat",
    "Coherence",
    "CoherenceSuppression",
    "ConstraintSet",
    "Contestant",
    "Direct",
    "Evaluation",
    "HgHs",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "ItemWeights",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KMember",
    "KmAnonymity",
    "LmApriori",
    "LmDiversity",
    "LocalGeneralization",
    "Lra",
    "MHgHs",
    "Mondrian",
    "NumericColumn",
    "Optimal",
    "PartitionKmAnonymity",
    "Pcta",
    "PrivacyPolicy",
    "Publication",
    "RFirst",
    "Release",
    "RumBound",
    "SafeGrouping",
    "SafetyConstraint",
    "SetColumn",
    "SupportIndex",
    "TFirst",
    "Table",
    "TransactionKAnonymity",
    "TumBound",
    "UndecidedError",
    "UtilityPolicy",
    "Verdict",
    "VerificationError",
    "Vocabulary",
    "Vpa",
    "Witness",
    "WorkloadSpec",
    "XuBottomUp",
    "XuTopDown",
    "anonymize",
    "compare",
    "evaluate",
    "exclusiveness",
    "generate_constraints",
    "groups_of_level",
    "groups_of_siblings",
    "ncp",
    "read",
    "read_buckets",
    "read_hierarchy",
    "read_item_weights",
    "read_privacy_policy",
    "read_utility_policy",
    "verify",
    "write_hierarchy",
    "write_privacy_policy",
    "write_utility_policy",
]

_HOMES = {
    "anonset.algorithms.buckets.anatomy": ("Anatomy",),
    "anonset.algorithms.buckets.safe_grouping": ("SafeGrouping",),
    "anonset.algorithms.relational.cluster": ("Cluster",),
    "anonset.algorithms.relational.k_member": ("KMember",),
    "anonset.algorithms.relational.mondrian": ("Mondrian",),
    "anonset.algorithms.relational.xu_bottom_up": ("XuBottomUp",),
    "anonset.algorithms.relational.xu_top_down": ("XuTopDown",),
    "anonset.algorithms.rt.rfirst": ("RFirst",),
    "anonset.algorithms.rt.rum_bound": ("RumBound",),
    "anonset.algorithms.rt.tfirst": ("TFirst",),
    "anonset.algorithms.rt.tum_bound": ("TumBound",),
    "anonset.algorithms.transaction.apriori": ("Apriori",),
    "anonset.algorithms.transaction.coat": ("Coat",),
    "anonset.algorithms.transaction.coherence_suppression": ("CoherenceSuppression",),
    "anonset.algorithms.transaction.direct": ("Direct",),
    "anonset.algorithms.transaction.hghs": ("HgHs",),
    "anonset.algorithms.transaction.lm_apriori": ("LmApriori",),
    "anonset.algorithms.transaction.local_generalization": ("LocalGeneralization",),
    "anonset.algorithms.transaction.lra": ("Lra",),
    "anonset.algorithms.transaction.mhghs": ("MHgHs",),
    "anonset.algorithms.transaction.optimal": ("Optimal",),
    "anonset.algorithms.transaction.pcta": ("Pcta",),
    "anonset.algorithms.transaction.pgen": ("generate_constraints",),
    "anonset.algorithms.transaction.vpa": ("Vpa",),
    "anonset.data": (
        "CategoricalColumn",
        "Hierarchy",
        "NumericColumn",
        "SetColumn",
        "Table",
        "Vocabulary",
    ),
    "anonset.errors": (
        "AnonsetError",
        "HierarchyError",
        "InfeasibleError",
        "InputError",
        "UndecidedError",
        "VerificationError",
    ),
    "anonset.generalization": ("Publication",),
    "anonset.generalization.buckets": ("BucketPublication",),
    "anonset.io.buckets": ("read_buckets",),
    "anonset.io.hierarchies": (
        "read_hierarchy",
        "write_hierarchy",
    ),
    "anonset.io.policies": (
        "read_item_weights",
        "read_privacy_policy",
        "read_utility_policy",
        "write_privacy_policy",
        "write_utility_policy",
    ),
    "anonset.io.read": ("read",),
    "anonset.measures.exclusiveness": ("exclusiveness",),
    "anonset.measures.item_weights": ("ItemWeights",),
    "anonset.measures.ncp": ("ncp",),
    "anonset.privacy": (
        "AnatomyDiversity",
        "Coherence",
        "ConstraintSet",
        "KAnonymity",
        "KKmAnonymity",
        "KLmDiversity",
        "KmAnonymity",
        "LmDiversity",
        "PartitionKmAnonymity",
        "SafetyConstraint",
        "TransactionKAnonymity",
        "Verdict",
        "Witness",
    ),
    "anonset.privacy.policies": (
        "PrivacyPolicy",
        "UtilityPolicy",
        "groups_of_level",
        "groups_of_siblings",
    ),
    "anonset.jobs.compare": (
        "Contestant",
        "compare",
    ),
    "anonset.jobs.evaluate": (
        "Evaluation",
        "evaluate",
    ),
    "anonset.release.release": ("Release",),
    "anonset.jobs.run": ("anonymize",),
    "anonset.jobs.workloads": ("WorkloadSpec",),
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
