"""Fields of the built-in algorithms. The options of commands are listed without importing an algorithm.

``python -m tests.settings.algorithm_fields`` writes this file; a test compares it with the algorithms.
"""
# ruff: noqa: E501

from typing import Any, Literal, NamedTuple

_FORMATIONS = "cluster mondrian k-member xu-bottom-up xu-top-down full-domain local-recoding bottom-up top-down"


class FieldRow(NamedTuple):
    """Field of algorithms. Type and text are empty if the setting of the field has its own (see `SettingForm`)."""

    field: str
    users: str
    """Names of the algorithms that have the field."""
    type: Any = None
    text: str = ""
    on_by_default: bool = False


BUILT_IN: tuple[FieldRow, ...] = (
    FieldRow(
        "k",
        f"apriori direct optimal exact lra vpa hghs mhghs coherence-suppression local-generalization local-reallocation lm-apriori coat pcta set-search disassociation {_FORMATIONS} joint-split rum-bound tum-bound rfirst tfirst safe-grouping",
        type=int,
    ),
    FieldRow(
        "m",
        "apriori direct optimal exact lra vpa hghs mhghs suppress-control lm-apriori coat pcta set-search disassociation joint-split rum-bound tum-bound rfirst tfirst",
        type=int,
    ),
    FieldRow("max_increments", "apriori lra vpa hghs mhghs"),
    FieldRow("max_tree", "direct"),
    FieldRow("max_cuts", "optimal"),
    FieldRow("suppress", "exact"),
    FieldRow(
        "gap", "exact", float, "Relative difference between the loss and its proven minimum at which the search stops."
    ),
    FieldRow(
        "time_limit",
        "exact",
        float | None,
        "Time limit in seconds. At the limit, the best known cut is published. The result then depends on the machine.",
    ),
    FieldRow("max_steps", "exact set-search"),
    FieldRow("partitions", "lra tfirst", int, "Maximum number of partitions (>= 1)."),
    FieldRow("depth", "vpa", int, "Depth of the nodes whose subtrees are the parts (>= 1)."),
    FieldRow("max_threats", "hghs mhghs coherence-suppression"),
    FieldRow(
        "cost",
        "mhghs",
        str,
        "Leaves from which costs are computed: all leaves (``original``), or the leaves that remain in a round (``reduced``).",
    ),
    FieldRow("h", "coherence-suppression"),
    FieldRow("p", "coherence-suppression", int, "Maximum number of public items that the attacker knows (>= 1)."),
    FieldRow("sensitive_items", "coherence-suppression suppress-control lm-apriori disassociation cahd"),
    FieldRow("item_loss", "coherence-suppression"),
    FieldRow("rho", "suppress-control"),
    FieldRow(
        "strict",
        "suppress-control",
        bool,
        "True if the share must be below rho. False if the share may also equal rho.",
        on_by_default=True,
    ),
    FieldRow(
        "from_nothing",
        "suppress-control",
        bool,
        "True to also limit the share of each sensitive item among all records. This protects against an attacker who knows no items.",
        on_by_default=True,
    ),
    FieldRow(
        "generalize",
        "suppress-control",
        bool,
        "True to generalize items first if this results in a smaller loss than suppression alone. A hierarchy is required.",
    ),
    FieldRow("max_tries", "suppress-control"),
    FieldRow("max_rules", "suppress-control"),
    FieldRow(
        "node_cost",
        "local-reallocation",
        Literal["ncp", "entropy"],
        "Cost of publishing a node: its NCP (ncp), or the entropy of the items below it (entropy).",
    ),
    FieldRow("l", f"lm-apriori {_FORMATIONS} anatomy safe-grouping", type=int),
    FieldRow("constraints", "coat pcta"),
    FieldRow("utility", "coat pcta"),
    FieldRow("item_weights", "coat pcta"),
    FieldRow("max_suppressed", "coat"),
    FieldRow(
        "single",
        "coat",
        Literal["generalize", "suppress"],
        "Action for a constraint whose items are all in the same group (generalize or suppress).",
    ),
    FieldRow(
        "mu",
        "set-search",
        int,
        "Weight of the frequency differences within a set, from 0 to 100. With 0, frequencies have no effect.",
    ),
    FieldRow(
        "cluster_size",
        "disassociation",
        int,
        "Approximate number of records per cluster (>= 1). Values below 2 k are replaced by 2 k.",
    ),
    FieldRow("cap", "disassociation cahd"),
    FieldRow(
        "counts",
        "disassociation",
        bool,
        "True to publish how many records contain each term, over all clusters. Sensitive items are excluded.",
    ),
    FieldRow(
        "clustering",
        "disassociation",
        Literal["gray", "horpart"],
        "Method that forms clusters: pieces of the Gray order (gray), or frequent items as in the paper (horpart).",
    ),
    FieldRow(
        "alpha", "cahd", int, "Number of candidates on each side of a sensitive record, in multiples of 1/cap (>= 1)."
    ),
    FieldRow("relational_weights", f"{_FORMATIONS} rum-bound tum-bound rfirst tfirst"),
    FieldRow(
        "refine",
        f"{_FORMATIONS} rum-bound tum-bound rfirst",
        bool,
        "True to improve the clusters. Neighbouring clusters are dissolved and formed again while the loss decreases.",
    ),
    FieldRow("max_evaluations", f"{_FORMATIONS} rum-bound tum-bound rfirst"),
    FieldRow("sensitive", _FORMATIONS, type=str | None),
    FieldRow("l_kind", _FORMATIONS, type=Literal["distinct", "entropy", "recursive"]),
    FieldRow("c", _FORMATIONS),
    FieldRow("t", _FORMATIONS),
    FieldRow("t_distance", _FORMATIONS, type=Literal["equal", "ordered", "hierarchical"]),
    FieldRow("t_tree", _FORMATIONS),
    FieldRow(
        "seed",
        "cluster rum-bound tum-bound rfirst anatomy safe-grouping",
        int | None,
        "Random seed (>= 0) that determines the first record of each cluster. If None, each cluster starts with the first remaining record.",
    ),
    FieldRow("max_records", "k-member xu-bottom-up xu-top-down"),
    FieldRow(
        "max_suppressed_records",
        "full-domain",
        float,
        "Maximum share of the records that may be suppressed, in [0, 1].",
    ),
    FieldRow("max_vectors", "full-domain local-recoding"),
    FieldRow(
        "w",
        "joint-split",
        text="Weight of the relational loss, from 0 to 1, with at most 6 decimals. The item loss has the weight 1 - w. Larger weights preserve more of the relational values. Weights for different data are not comparable.",
    ),
    FieldRow(
        "point",
        "joint-split",
        Literal["items", "balanced", "attributes"] | None,
        'Data to preserve if no weight `w` is given. The relational loss is at most 0.3 for "items", 0.1 for "balanced" (the default), and 0.03 for "attributes".',
    ),
    FieldRow("transaction", "joint-split rum-bound tum-bound rfirst"),
    FieldRow("formation", "rum-bound tum-bound rfirst", str, "Name of the algorithm that forms the initial clusters."),
    FieldRow(
        "on_infeasible",
        "rum-bound tum-bound rfirst",
        Literal["error", "merge"],
        'Action for a cluster with 1 to k - 1 non-empty records. With "merge", the cluster is merged with the cluster whose union has the smallest relational loss, before all other merges.',
    ),
    FieldRow(
        "delta",
        "rum-bound tum-bound",
        float,
        "Maximum loss, in [0, 1]. `rum-bound` limits the relational loss (Rum), and `tum-bound` limits the item loss (Tum).",
    ),
    FieldRow(
        "merge",
        "rum-bound tum-bound",
        Literal["r", "t", "rt"],
        "Order in which merge partners are tried: by relational loss (r), by item similarity (t), or by both (rt).",
    ),
    FieldRow(
        "order",
        "rum-bound tum-bound",
        Literal["btd", "ul"],
        'Measure of item similarity. "btd" compares the symbols of the clusters. "ul" computes the utility loss after two clusters are merged. The option "ul" is much slower.',
    ),
    FieldRow(
        "btd",
        "rum-bound tum-bound",
        Literal["xor", "or"],
        'Items that "btd" counts: items in exactly one of the two clusters (xor), or in at least one (or).',
    ),
    FieldRow("scan", "tum-bound", bool, "True to prefer a merge after which the item loss is at most `delta`."),
)
