"""Algorithms by command-line name. Built-in algorithms are first, followed by algorithms of installed packages."""

from collections.abc import Callable, Mapping

from anonset import plugins
from anonset.algorithms.base import Algorithm, Algorithms, Traits, traits_of
from anonset.plugins import load_offered

_OWN = {
    "apriori": "transaction.cuts.apriori:Apriori",
    "direct": "transaction.cuts.direct:Direct",
    "optimal": "transaction.cuts.optimal:Optimal",
    "exact": "transaction.exact_cut.exact:Exact",
    "lra": "transaction.partitions.lra:Lra",
    "vpa": "transaction.partitions.vpa:Vpa",
    "hghs": "transaction.suppression.hghs:HgHs",
    "mhghs": "transaction.suppression.mhghs:MHgHs",
    "coherence-suppression": "transaction.suppression.coherence_suppression:CoherenceSuppression",
    "suppress-control": "transaction.suppression.suppress_control:SuppressControl",
    "local-generalization": "transaction.partitions.local_generalization:LocalGeneralization",
    "local-reallocation": "transaction.partitions.local_reallocation:LocalReallocation",
    "lm-apriori": "transaction.cuts.lm_apriori:LmApriori",
    "coat": "transaction.item_sets.coat:Coat",
    "pcta": "transaction.item_sets.pcta:Pcta",
    "set-search": "transaction.item_sets.set_search:SetSearch",
    "disassociation": "transaction.disassociation.disassociation:Disassociation",
    "cahd": "transaction.disassociation.cahd:Cahd",
    "cluster": "relational.cluster:Cluster",
    "mondrian": "relational.mondrian:Mondrian",
    "k-member": "relational.k_member:KMember",
    "xu-bottom-up": "relational.xu_bottom_up:XuBottomUp",
    "xu-top-down": "relational.xu_top_down:XuTopDown",
    "full-domain": "relational.full_domain:FullDomain",
    "local-recoding": "relational.local_recoding:LocalRecoding",
    "bottom-up": "relational.bottom_up:BottomUp",
    "top-down": "relational.top_down:TopDown",
    "joint-split": "rt.joint_split:JointSplit",
    "rum-bound": "rt.rum_bound:RumBound",
    "tum-bound": "rt.tum_bound:TumBound",
    "rfirst": "rt.rfirst:RFirst",
    "tfirst": "rt.tfirst:TFirst",
    "anatomy": "buckets.anatomy:Anatomy",
    "safe-grouping": "buckets.safe_grouping:SafeGrouping",
}

DIVERSE = "lm-apriori"
"""Name of the transaction algorithm for (k, l^m)-diversity."""
APART = "apriori"
"""Transaction algorithm for linked tables. Its symbols are nodes of the hierarchies of single tables."""
TRANSACTION_FUNCTIONS = ("coat", "pcta", "set-search", "exact", "apriori", "direct", "optimal", "vpa", "lra", DIVERSE)
"""Algorithms that the RT frameworks can apply to clusters."""

OFFERED: Mapping[str, type[Algorithm]] = load_offered(plugins.ALGORITHMS, _OWN)
"""Algorithms of installed packages by name."""
for _cls in OFFERED.values():
    traits_of(_cls)  # raises InputError if a class declares traits as separate attributes
ALGORITHMS: Mapping[str, type[Algorithm]] = Algorithms(_OWN, OFFERED)


def with_traits(can: Callable[[Traits], object]) -> list[str]:
    """Return the names of the algorithms whose traits satisfy `can`."""
    return [name for name, cls in ALGORITHMS.items() if can(traits_of(cls))]
