"""The names of the algorithms, as on the command line: our own, then those that installed packages offer."""

from anonset import plugins
from anonset.algorithms.base import Algorithm
from anonset.algorithms.buckets.anatomy import Anatomy
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.algorithms.relational.bottom_up import BottomUp
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.full_domain import FullDomain
from anonset.algorithms.relational.k_member import KMember
from anonset.algorithms.relational.local_recoding import LocalRecoding
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.top_down import TopDown
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
from anonset.algorithms.transaction.exact import Exact
from anonset.algorithms.transaction.hghs import HgHs
from anonset.algorithms.transaction.lm_apriori import LmApriori
from anonset.algorithms.transaction.local_generalization import LocalGeneralization
from anonset.algorithms.transaction.lra import Lra
from anonset.algorithms.transaction.mhghs import MHgHs
from anonset.algorithms.transaction.optimal import Optimal
from anonset.algorithms.transaction.pcta import Pcta
from anonset.algorithms.transaction.vpa import Vpa
from anonset.plugins import load_offered

_OWN: dict[str, type[Algorithm]] = {
    algorithm.name: algorithm
    for algorithm in (
        Apriori,
        Direct,
        Optimal,
        Exact,
        Lra,
        Vpa,
        HgHs,
        MHgHs,
        CoherenceSuppression,
        LocalGeneralization,
        LmApriori,
        Coat,
        Pcta,
        Cluster,
        Mondrian,
        KMember,
        XuBottomUp,
        XuTopDown,
        FullDomain,
        LocalRecoding,
        BottomUp,
        TopDown,
        RumBound,
        TumBound,
        RFirst,
        TFirst,
        Anatomy,
        SafeGrouping,
    )
}
ALGORITHMS: dict[str, type[Algorithm]] = {**_OWN, **load_offered(plugins.ALGORITHMS, _OWN)}
"""Class of each algorithm by its name."""
