"""What can be chosen in a job: factors with their values, and the pairs of values that are no job or that are refused.

A job is a value for each factor. The first value of a factor is its default. The table is data. `draws` chooses jobs,
and `jobs` writes their files and settings.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

Value = Any
Choice = Mapping[str, Value]
Pair = frozenset[tuple[str, Value]]

MODELS: dict[str, tuple[str, ...]] = {
    "km": ("exact", "apriori", "direct", "optimal", "vpa", "hghs", "mhghs", "set-search"),
    "partition-km": ("lra",),
    "lm": ("lm-apriori",),
    "coherence": ("coherence-suppression",),
    "rho": ("suppress-control",),
    "transaction-k": ("local-generalization", "local-reallocation"),
    "constraints": ("coat", "pcta"),
    "disassociation": ("disassociation", "cahd"),
    "k": (
        *("cluster", "mondrian", "k-member", "xu-bottom-up", "xu-top-down"),
        *("full-domain", "local-recoding", "bottom-up", "top-down"),
    ),
    "kl": ("cluster", "mondrian", "full-domain", "top-down", "xu-top-down"),
    "kt": ("cluster", "k-member", "local-recoding", "bottom-up", "xu-bottom-up"),
    "kkm": ("joint-split", "rum-bound", "tum-bound", "rfirst", "tfirst"),
    "klm": ("rum-bound", "tum-bound", "rfirst"),
    "anatomy": ("anatomy",),
    "safe-grouping": ("safe-grouping",),
}
"""Algorithms that are drawn for each model."""
SEARCHES = tuple(f"{model}/{name}" for model, names in MODELS.items() for name in names)
RELATIONAL, BOTH, BUCKETS = ("k", "kl", "kt"), ("kkm", "klm"), ("anatomy", "safe-grouping")


def of_models(*models: str) -> tuple[str, ...]:
    return tuple(each for each in SEARCHES if each.partition("/")[0] in models)


def of_algorithms(*names: str) -> tuple[str, ...]:
    return tuple(each for each in SEARCHES if each.partition("/")[2] in names)


ATTRIBUTES = of_models(*RELATIONAL)
ITEMS_ONLY = of_models(*(set(MODELS) - {*RELATIONAL, *BOTH, *BUCKETS}))
WITH_ITEMS = (*ITEMS_ONLY, *of_models(*BOTH))
CUTS = of_algorithms("exact", "apriori", "direct", "optimal", "vpa", "hghs", "mhghs")
SECRET = of_models("lm", "klm", "coherence", "rho", "disassociation")
NO_TREE = of_algorithms("coat", "pcta", "set-search", "coherence-suppression", "disassociation", "cahd")
"""Searches that need no hierarchy of the items."""
OWN_TREE = of_models("lm", "klm")
"""Searches whose hierarchy must not contain the sensitive items."""

MERGED = ("long", "composite")
WIDE = ("one_hot", "one_code")
LINKED = ("linked", "linked_alone")
PLAIN = ("fimi", "baskets")
TABLES = ("cell", "two", *WIDE, *MERGED, "attributes", "persons", "groups")
"""Layouts that are one table with a header."""

FACTORS: dict[str, tuple[Value, ...]] = {
    "search": SEARCHES,
    "layout": ("cell", "two", *WIDE, *MERGED, *LINKED, "nested", *PLAIN, "attributes", "persons", "groups"),
    "file": ("csv", "tsv", "csv.gz", "parquet", "string_view", "jsonl", "xlsx", "sav", "dta"),
    "run": ("memory", "work_dir", "one thread", "three threads", "cluster", "killed", "repeated"),
    "spoken": ("job", "flags", "split", "python"),
    "asked": (None, *(f"{question} by {way}" for question in ("unit", "items", "both") for way in ("flag", "file"))),
    "input": ("as it is", "shuffled", "repeated rows", "two files"),
    "reader": (
        *("verify", "verify job", "risk", "evaluate", "report", "shareable", "rerun", "resume"),
        *("changed byte", "changed row", "risk original", "verify original", "resume other", "recoding", "after"),
        *("after a column less", "after other spellings", "after other nulls"),
    ),
    "canary": (
        *("none", "name:drop", "date:drop", "text:drop", "mail:drop", "id:unit"),
        *("name:keep", "mail:keep", "phone:items", "mail:items", "name:items", "mail:sensitive", "name:sensitive"),
        "name:mention",
    ),
    # odd things that files have
    "header": (
        *("plain", "comma:codes", "comma:pid", "comma:fund", "comma:age", "comma:note", "colon:codes", "quote:zip"),
        *("equals:codes", "equals:zip", "colon:drugs", "dot:age", "blank:zip", "long:codes"),
    ),
    "ids": ("plain", "spelled", "numbers", "folded"),
    "labels": ("codes", "blanks", "commas"),
    "empty": ("none", "record"),
    "keep": ("none", "declared", "rare"),
    # reading
    "separator": (None, ";", "|", "list", "codes=;"),
    "delimiter": (None, ";", "tab", "detected |"),
    "encoding": (None, "latin-1", "utf-16 by its mark"),
    "no_header": (False, True),
    "header_line": (1, 3),
    "skip_rows": (None, "no-id", "footer", "labels", "undescribed", "no-other"),
    "decimal": (None, ",", "."),
    "null": (None, "-", "codes=-", "zip=-", "in a table"),
    "missing": (None, "empty", "value", "empty,value"),
    "input_format": (None, "named"),
    "value_codes": (False, True),
    "present": (None, "Checked", "filled"),
    "with_header": (False, True),
    "normalize": (None, "upper", "codes=upper", "zip=strip-blanks", "pid=fill-down", "pid=+49"),
    "unknown": (None, "suppress", "prefix"),
    "inner_items": (None, "leaf"),
    "differing": (None, "first"),
    "later rows": (None, "blank"),
    "numeric": (False, True),
    # generalization
    "tree": ("file", None, "balanced:2", "halves:frequency", "refine", "prefix:1"),
    "zip": ("mask:3,1", "file", "values", None),
    "age": ("range", "bins:0,30,60", None),
    "ceiling": (None, "codes", "zip", "codes file"),
    "rule of a dropped column": (None, "normalize", "hierarchy"),
    "round_ends": (True, False),
    "max_loss": (None, 1.0),
    "max_work": (None, 2.0),
    "accept": (None, "worthless", "empty", "undecided"),
    "relational_weights": (None, "age"),
    # output
    "publish_as_is": (None, "zip", "codes"),
    "order": ("sorted", "input"),
    "symbols": ("auto", "members", "short"),
    "format": (None, "csv", "parquet", "dat"),
    "part_rows": (None, 7),
    "seed": (None, 0, 5),
    "private": (None, "elsewhere"),
    # parameters
    "k": (2, 3, 1000),
    "m": (2, 1),
    "l": (2, 3),
    "suppress": (None, True, False),
    "gap": (None, 0.5),
    "time_limit": (None, 100.0),
    "partitions": (None, 2),
    "h": (None, "0.9"),
    "p": (1, 2),
    "rho": ("0.9", "1/2"),
    "strict": (None, True, False),
    "from_nothing": (None, True),
    "generalize": (None, True),
    "privacy_constraints": ("km", "pgen", "file"),
    "utility_constraints": (None, "file", "level:1", "siblings:3"),
    "item_weights": (None, "lca", "uniform", "ones", "file"),
    "max_suppressed": (None, "1/2"),
    "mu": (None, 50),
    "cluster_size": (None, 8),
    "cap": (None, "1/2"),
    "counts": (None, True),
    "clustering": (None, "gray", "horpart"),
    "sensitive_items": (None, "list", "file"),
    "refine": (None, True),
    "l_kind": (None, "distinct", "entropy", "recursive"),
    "c": (None, "5"),
    "t": ("0.9",),
    "t_distance": (None, "equal", "hierarchical", "ordered"),
    "t_tree": (None, "file"),
    "max_suppressed_records": (None, 0.1),
    "w": (None, "0.5"),
    "point": (None, "items", "balanced", "attributes"),
    "transaction": (
        *(None, "apriori", "coat", "pcta", "exact", "vpa", "lra"),
        *("direct", "optimal", "set-search", "lm-apriori"),
    ),
    "formation": (None, "mondrian", "k-member", "xu-top-down", "full-domain", "bottom-up"),
    "on_infeasible": ("merge", None, "error"),
    "delta": (1.0, 0.8),
    "merge": (None, "r", "t", "rt"),
    "effort": (None, 0.5),
    # settings for experiments, which only a job file has
    "trace": (False, True),
    "depth": (None, 2),
    "cost": (None, "original", "reduced"),
    "item_loss": (None, "file"),
    "node_cost": (None, "ncp", "entropy"),
    "single": (None, "generalize", "suppress"),
    "alpha": (None, 2),
    "item_order": (None, "btd", "ul"),
    "btd": (None, "xor", "or"),
    "scan": (None, True),
}  # fmt: skip

WRITTEN: dict[str, str] = {
    "model": "search",
    "algorithm": "search",
    "input": "layout",
    "items": "layout",
    "relational": "search",
    "sensitive": "search",
    "id": "layout",
    "drop": "canary",
    "unit": "layout",
    "one_hot": "layout",
    "one_code": "layout",
    "hierarchy": "tree",
    "out": "run",
    "if_exists": "run",
    "workers": "run",
    "memory_limit": "run",
    "work_dir": "run",
    "cluster": "run",
    "recoding": "reader",
    "after": "reader",
}
"""Settings that another factor decides."""
IN_JOB_FILES = ("trace", "depth", "cost", "item_loss", "node_cost", "single", "alpha", "item_order", "btd", "scan")
"""Settings without an option."""
NOT_DRAWN: dict[str, str] = {
    "cluster_tls": "needs certificates; tested with the cluster",
}
"""Settings that no factor decides, with the reason."""

BY_BLOCKS = of_algorithms(
    *("exact", "apriori", "vpa", "lra", "lm-apriori", "coat", "pcta", "disassociation", "anatomy", "safe-grouping"),
    *(
        "cluster",
        "mondrian",
        "k-member",
        "xu-bottom-up",
        "xu-top-down",
        "joint-split",
        "rum-bound",
        "tum-bound",
        "rfirst",
    ),
)
"""Searches that run out of core."""
UNDIVIDED = of_algorithms("coat", "pcta", "anatomy", "lra", "lm-apriori", "disassociation")
"""Searches that have no tasks for workers."""

_forbidden: set[Pair] = set()


def _values(factor: str, values: Iterable[Value] | None) -> tuple[Value, ...]:
    return FACTORS[factor][1:] if values is None else tuple(values)


def never(factor: str, values: Iterable[Value] | None, other: str, excluded: Iterable[Value] | None) -> None:
    """Declare that values of two factors never meet. None means all values but the default."""
    pairs = product(_values(factor, values), _values(other, excluded))
    _forbidden.update(frozenset({(factor, a), (other, b)}) for a, b in pairs)


def only(factor: str, values: Iterable[Value] | None, other: str, allowed: Iterable[Value]) -> None:
    """Declare that some values of a factor need one of the allowed values of the other."""
    allowed = tuple(allowed)
    never(factor, values, other, [value for value in FACTORS[other] if value not in allowed])


def _declare() -> None:
    layouts, searches = FACTORS["layout"], FACTORS["search"]
    only("search", ATTRIBUTES, "layout", ("attributes", "persons"))
    only("search", of_models(*BUCKETS), "layout", ("groups",))
    only("search", ITEMS_ONLY, "layout", [x for x in layouts if x not in ("attributes", "persons", "groups", "linked")])
    only("search", of_models(*BOTH), "layout", ("cell", "two", *WIDE, *MERGED, "linked", "nested"))
    only("layout", ("linked_alone",), "search", of_algorithms("apriori", "exact"))
    only("layout", ("linked",), "search", of_algorithms("joint-split", "rum-bound", "tum-bound", "rfirst"))
    only("layout", ("linked",), "search", of_models("kkm"))
    only("layout", ("linked",), "transaction", ("apriori",))
    only("layout", (*PLAIN, "nested"), "file", ("csv",))
    only("layout", LINKED, "file", ("csv", "tsv", "csv.gz", "parquet", "jsonl"))
    only("layout", LINKED, "spoken", ("job", "split"))
    only("layout", LINKED, "order", ("sorted",))
    only("layout", LINKED, "format", (None, "csv", "parquet"))
    # files
    text = ("csv", "csv.gz")
    only("delimiter", None, "file", text)
    only("delimiter", None, "layout", (*TABLES, *LINKED))
    only("encoding", None, "file", ("csv",))
    only("encoding", None, "layout", (*TABLES, "baskets"))
    only("no_header", None, "file", ("csv", "tsv"))
    only("no_header", None, "layout", ("cell", "two", "attributes", "persons", "long", "composite", "groups"))
    only("no_header", None, "header", ("plain",))
    only("no_header", None, "header_line", (1,))
    only("header_line", None, "file", ("csv", "tsv", "xlsx"))
    only("header_line", None, "layout", TABLES)
    only("value_codes", None, "file", ("sav", "dta"))
    only("input_format", None, "layout", (*TABLES, *PLAIN))
    only("input_format", None, "file", ("csv", "tsv", "parquet", "jsonl"))
    only("input", ("two files",), "layout", ("cell", "two", *MERGED, "attributes"))
    only("input", ("two files",), "file", ("csv", "parquet", "jsonl"))
    only("input", ("repeated rows",), "layout", (*MERGED, "persons", *LINKED))
    only("input", None, "order", ("sorted",))
    only("input", None, "differing", (None,))
    only("input", None, "search", [x for x in searches if x not in of_models(*BUCKETS)])
    only("input", None, "skip_rows", (None, "no-id"))
    only("input", ("two files",), "header_line", (1,))
    # separators and labels
    only("separator", None, "layout", ("cell", "two"))
    only("separator", ("codes=;",), "layout", ("cell", "two"))
    only("labels", ("blanks", "commas"), "layout", ("cell", "two", *MERGED, "one_hot"))
    only("labels", ("blanks",), "tree", ("file", None, "balanced:2", "halves:frequency"))
    only("labels", ("commas",), "search", CUTS)
    only("labels", ("commas",), "tree", ("file", "balanced:2"))
    only("labels", None, "unknown", (None, "suppress"))
    only("labels", None, "inner_items", (None,))
    only("labels", None, "normalize", (None, "zip=strip-blanks", "pid=fill-down", "pid=+49"))
    never("labels", None, "separator", ("list", "codes=;"))
    only("labels", None, "format", (None, "csv", "parquet"))
    # headers
    only("header", ("comma:codes", "colon:codes", "equals:codes", "long:codes"), "layout", ("cell", "two", "long"))
    only("header", ("comma:fund",), "layout", ("composite",))
    only("header", ("comma:pid",), "layout", ("long", "persons"))
    attributes = ("comma:age", "quote:zip", "equals:zip", "dot:age", "blank:zip")
    only("header", attributes, "search", (*ATTRIBUTES, *of_models(*BOTH)))
    only("header", None, "layout", [x for x in TABLES if x not in ("one_code", "groups")])
    only("header", None, "file", ("csv", "tsv", "csv.gz", "parquet", "jsonl", "xlsx"))
    only("header", ("dot:age",), "file", ("csv", "tsv", "csv.gz", "parquet", "xlsx"))
    only("ids", None, "layout", (*MERGED, "persons", *LINKED))
    only("ids", ("numbers",), "layout", ("long", "persons", *LINKED))
    only("ids", ("folded",), "layout", ("long", "persons", *LINKED))
    only("ids", ("folded",), "encoding", (None, "utf-16 by its mark"))
    only("empty", None, "layout", ("cell", "two", *MERGED, "one_hot", "one_code", "fimi"))
    only("empty", None, "search", [x for x in WITH_ITEMS if x not in of_models("transaction-k", "kkm", "klm")])
    only("keep", ("declared",), "layout", ("cell", "two", *WIDE, *MERGED, "attributes", "persons"))
    # other reading options
    only("skip_rows", ("no-id",), "layout", (*MERGED, "persons", *LINKED))
    only("skip_rows", ("undescribed",), "layout", ("linked",))
    only("skip_rows", ("labels",), "layout", ("cell", "two", "attributes"))
    only("skip_rows", ("footer",), "layout", ("attributes",))
    only("skip_rows", ("footer", "labels", "no-other"), "file", ("csv", "tsv", "csv.gz"))
    only("skip_rows", ("labels",), "no_header", (False,))
    never("skip_rows", ("no-other",), "layout", ("nested", "baskets", "fimi"))
    only("decimal", None, "numeric", (True,))
    only("decimal", None, "file", ("csv", "tsv", "csv.gz"))
    only("numeric", None, "search", (*ATTRIBUTES, *of_models(*BOTH)))
    only("numeric", None, "layout", ("cell", "two", *WIDE, *MERGED, "attributes", "persons"))
    only("numeric", None, "age", ("range", None))
    only("age", (None,), "numeric", (True,))
    only("null", ("zip=-", "-"), "search", (*ATTRIBUTES, *of_models(*BOTH)))
    only("null", ("zip=-",), "missing", ("value", "empty,value"))
    only("null", ("codes=-",), "missing", ("empty", "empty,value"))
    only("null", ("-",), "missing", ("empty,value",))
    only("null", ("in a table",), "layout", LINKED)
    only("null", ("codes=-", "-"), "layout", ("cell", "two"))
    only("null", ("zip=-",), "layout", ("cell", "two", *WIDE, "attributes"))
    only("null", ("codes=-",), "search", [x for x in WITH_ITEMS if x not in of_models("transaction-k", "kkm", "klm")])
    only("null", ("-",), "search", of_models(*BOTH))
    only("null", None, "no_header", (False,))
    only("null", ("zip=-", "-"), "zip", ("mask:3,1", "values", None))
    only("missing", None, "layout", TABLES)
    only("rule of a dropped column", None, "layout", ("cell", "two", *WIDE, *MERGED, "attributes", "persons"))
    only("rule of a dropped column", None, "spoken", ("split",))
    only("rule of a dropped column", None, "no_header", (False,))
    only("rule of a dropped column", None, "canary", ("none",))
    only("present", None, "layout", ("one_hot",))
    only("with_header", None, "layout", ("one_code",))
    only("with_header", None, "tree", (None, "balanced:2", "halves:frequency"))
    only("with_header", None, "normalize", (None, "zip=strip-blanks"))
    only("with_header", None, "sensitive_items", (None,))
    only("normalize", ("upper", "codes=upper"), "layout", ("cell", "two", *MERGED, "one_code", *LINKED))
    only("normalize", ("codes=upper",), "layout", ("cell", "two", *MERGED))
    only("normalize", ("pid=fill-down",), "layout", ("long", "persons"))
    only("normalize", ("pid=fill-down",), "ids", ("plain",))
    only("normalize", ("pid=fill-down",), "input", ("as it is",))
    only("normalize", ("pid=+49",), "layout", ("long", "persons", *LINKED))
    only("normalize", ("pid=+49",), "ids", ("numbers",))
    never("normalize", ("pid=fill-down",), "skip_rows", ("no-id",))
    only("normalize", ("zip=strip-blanks",), "search", (*ATTRIBUTES, *of_models(*BOTH)))
    only("normalize", ("zip=strip-blanks",), "layout", ("cell", "two", *MERGED, "attributes", "persons"))
    only("unknown", None, "tree", ("file",))
    only("unknown", None, "layout", ("cell", "two", *MERGED, "nested", *LINKED))
    only("inner_items", None, "tree", ("file",))
    only("inner_items", None, "layout", ("cell", "two", *MERGED, "nested", *LINKED))
    for factor in ("differing", "later rows"):
        only(factor, None, "layout", (*MERGED, "persons"))
        only(factor, None, "search", (*ATTRIBUTES, *of_models(*BOTH)))
    # generalization
    no_items = [x for x in searches if x not in WITH_ITEMS]
    only("search", no_items, "tree", (None,))
    only("search", [x for x in WITH_ITEMS if x not in (*NO_TREE, *of_models("rho"), *of_algorithms("joint-split"))],
         "tree", [x for x in FACTORS["tree"] if x])  # fmt: skip
    only("search", of_algorithms("set-search", "coherence-suppression", "disassociation", "cahd"), "tree", (None,))
    only("search", of_models("constraints"), "tree", (None, "file", "balanced:2"))
    only("search", OWN_TREE, "tree", ("file",))
    only("search", of_models("rho"), "tree", (None, "file"))
    only("search", of_models("rho"), "unknown", (None,))
    only("search", of_models("rho"), "inner_items", (None,))
    never("labels", None, "file", ("sav", "dta"))
    only("generalize", (True,), "tree", ("file",))
    only("search", of_models("kkm"), "tree", ("file", "balanced:2", "prefix:1"))
    only("tree", ("prefix:1",), "labels", ("codes",))
    only("layout", LINKED, "tree", ("file", "balanced:2", "prefix:1"))
    attributes_only = (*ATTRIBUTES, *of_models(*BOTH))
    for factor in ("zip", "age", "relational_weights"):
        only(factor, None, "search", attributes_only)
    only("round_ends", None, "search", attributes_only)
    only("round_ends", None, "age", ("range",))
    only("ceiling", ("codes", "codes file"), "search", of_algorithms("exact"))
    only("ceiling", ("codes", "codes file"), "tree", ("file",))
    only("ceiling", ("codes", "codes file"), "layout", ("cell", "two", "long", "composite", "nested", "linked_alone"))
    only("ceiling", ("codes", "codes file"), "suppress", (True,))
    only("ceiling", ("zip",), "zip", ("file",))
    only("ceiling", ("zip",), "search", of_algorithms("full-domain"))
    # output
    only("publish_as_is", ("zip",), "search", attributes_only)
    only("publish_as_is", ("codes",), "layout", ("cell", "long", "fimi", "nested", "two"))
    only("format", ("dat",), "search", [x for x in ITEMS_ONLY if x not in of_models("disassociation")])
    only("format", ("dat",), "layout", ("cell", *MERGED, *WIDE, *PLAIN, "nested"))
    only("format", ("dat",), "keep", ("none",))
    only("keep", None, "publish_as_is", (None,))
    only("keep", ("rare",), "layout", ("cell", "attributes", "long", "groups"))
    never("keep", ("rare",), "search", of_models("safe-grouping"))  # it may remove the row with the rare value
    only("keep", ("rare",), "search", [x for x in searches if x not in of_models("disassociation")])
    only(
        "order", None, "search", [x for x in searches if x not in (*of_models(*BUCKETS), *of_models("disassociation"))]
    )
    only(
        "symbols",
        None,
        "search",
        [x for x in searches if x not in (*of_models(*BUCKETS), *of_models("disassociation"))],
    )
    # ways
    only("run", ("work_dir", "cluster"), "search", BY_BLOCKS)
    only("run", ("work_dir", "cluster"), "privacy_constraints", ("km",))
    only("run", ("work_dir", "cluster"), "clustering", (None, "gray"))
    only("run", ("work_dir", "cluster"), "formation", (None, "mondrian", "k-member", "xu-top-down"))
    only("run", ("cluster",), "search", [x for x in BY_BLOCKS if x not in UNDIVIDED])
    only("asked", None, "spoken", ("job",))
    only("asked", None, "layout", [x for x in layouts if x not in (*PLAIN, "groups")])
    never("asked", [x for x in FACTORS["asked"] if x and not x.startswith("unit")], "layout", LINKED)
    only("spoken", ("python",), "run", ("memory", "one thread", "three threads"))
    only("spoken", ("python",), "private", (None,))
    only("spoken", ("python",), "format", ("csv", "parquet"))
    only("spoken", ("python",), "reader", ("verify", "shareable", "changed byte", "changed row"))
    only("spoken", ("python",), "privacy_constraints", ("km",))
    for factor in ("utility_constraints", "item_weights", "t_tree", "ceiling", "relational_weights"):
        only("spoken", ("python",), factor, (None,))
    only("spoken", ("python",), "sensitive_items", ("list", None))
    only("reader", ("recoding",), "search", CUTS)
    only("reader", ("recoding",), "inner_items", (None,))
    after = [reader for reader in FACTORS["reader"] if reader.startswith("after")]
    only("reader", after, "search", of_algorithms("exact", "apriori", "direct", "optimal", "hghs", "mhghs"))
    only("reader", ("after a column less",), "layout", ("two", *LINKED))
    only("reader", ("after other spellings", "after other nulls"), "layout", ("cell", "long"))
    only("reader", ("after other spellings", "after other nulls"), "no_header", (False,))
    only("reader", ("after other spellings",), "normalize", ("upper", "codes=upper"))
    only("reader", ("after other nulls",), "null", (None,))
    only("reader", ("risk original", "verify original"), "layout", TABLES)
    only("input", None, "on_infeasible", ("merge",))
    only("reader", after, "inner_items", (None,))
    only("reader", after, "unknown", (None,))
    only("spoken", ("python",), "accept", (None, "worthless", "undecided"))
    only("labels", ("commas",), "no_header", (False,))
    by_other_text = ("risk original", "verify original", "resume", "resume other")
    never("rule of a dropped column", None, "reader", by_other_text)
    never("header", ("equals:codes", "equals:zip"), "reader", by_other_text[:2])
    never("labels", ("blanks",), "utility_constraints", ("file",))
    never("labels", ("blanks",), "privacy_constraints", ("file",))
    never("labels", ("blanks",), "item_weights", ("file",))
    never("labels", ("blanks",), "item_loss", ("file",))
    never("separator", ("list",), "no_header", (True,))  # the commas of the lists would be delimiters
    never("rule of a dropped column", None, "reader", ("recoding", *after))
    never("suppress", (False,), "spoken", ("flags", "split"))
    never("layout", ("groups",), "format", ("dat",))
    never("private", None, "reader", after)  # an earlier release is found by the name of its private directory
    never("k", (1000,), "search", (*of_models("rho", "anatomy", "coherence"), *of_algorithms("cahd")))
    only("utility_constraints", ("file",), "inner_items", (None,))
    only("reader", ("changed row",), "search", [x for x in searches if x not in of_models("disassociation", *BUCKETS)])
    # canaries
    only("canary", ("name:drop", "date:drop", "text:drop", "mail:drop"), "layout", (*TABLES, *LINKED))
    only("canary", ("id:unit",), "layout", (*MERGED, "persons", *LINKED))
    only("canary", ("id:unit",), "ids", ("plain",))
    only("canary", ("name:keep", "mail:keep"), "layout", ("cell", "attributes", *MERGED, "groups"))
    only("canary", ("name:keep", "mail:keep"), "keep", ("none",))
    never("canary", ("name:keep", "mail:keep"), "search", of_models("disassociation"))  # it keeps no columns
    only("canary", ("phone:items", "mail:items", "name:items"), "layout", ("two",))
    only("canary", ("phone:items", "mail:items", "name:items"), "tree", (None, "balanced:2"))
    only("canary", ("phone:items", "mail:items", "name:items"), "separator", (None, ";", "|"))
    never("canary", ("name:mention",), "header", ("comma:note",))  # the note must be called surname
    only("canary", ("mail:sensitive", "name:sensitive"), "search", of_models("kl", "kt", *BUCKETS))
    only("canary", ("mail:sensitive", "name:sensitive"), "t_distance", (None, "equal"))
    only("header", ("colon:drugs",), "layout", ("two",))
    only("canary", ("name:mention",), "layout", ("cell", "long"))
    # the few surnames of jobs with few items belong to too many persons to be noticed without a header
    never("canary", ("name:mention",), "search", of_algorithms("optimal"))
    never("canary", ("name:mention",), "transaction", ("optimal",))
    only("canary", ("name:mention",), "tree", (None, "balanced:2"))
    only("canary", ("name:mention",), "labels", ("blanks",))
    only("canary", ("name:mention",), "sensitive_items", (None,))
    only("canary", ("name:mention",), "normalize", (None,))
    only("header", ("comma:note",), "layout", ("cell", "attributes", "long"))
    _declare_parameters()


def _declare_parameters() -> None:
    """A parameter differs from its default only for the algorithms that have it."""
    from anonset.settings.parameters import parameters

    for name, parameter in parameters().items():
        if name in FACTORS and name not in ("k", "m", "l", "seed", "sensitive_items"):
            never(name, None, "search", [x for x in SEARCHES if x.partition("/")[2] not in parameter.users])
    only("l", None, "search", of_models("kl", "lm", "klm", *BUCKETS))
    only("l_kind", None, "search", of_models("kl"))
    only("l_kind", ("recursive",), "c", ("5",))
    only("c", None, "l_kind", ("recursive",))
    only("t_distance", None, "search", of_models("kt"))
    only("t_distance", ("hierarchical",), "t_tree", ("file",))
    only("t_tree", None, "t_distance", ("hierarchical",))
    only("search", of_models("klm"), "transaction", ("lm-apriori",))
    only("transaction", ("lm-apriori",), "search", of_models("klm"))
    only("search", of_models(*BOTH), "k", (2,))
    for name in IN_JOB_FILES:
        only(name, None, "spoken", ("job", "split"))
    only("search", [x for x in SECRET if x != "disassociation/disassociation"], "sensitive_items", ("list", "file"))
    only("search", [x for x in SEARCHES if x not in SECRET], "sensitive_items", (None,))
    only("privacy_constraints", ("pgen", "file"), "m", (2,))
    only("cap", None, "sensitive_items", ("list", "file"))
    only("point", None, "w", (None,))
    only("utility_constraints", ("level:1",), "tree", ("file", "balanced:2"))
    only("item_weights", ("lca",), "tree", ("file", "balanced:2"))
    only("merge", None, "search", of_algorithms("rum-bound", "tum-bound"))
    only("transaction", ("coat", "pcta", "set-search"), "labels", ("codes",))
    only("seed", None, "formation", (None,))


_declare()


def allowed(factor: str, value: Value, other: str, of_other: Value) -> bool:
    return frozenset({(factor, value), (other, of_other)}) not in _forbidden


_FORMING_SETS = ("coat", "pcta", "set-search")
_NAMED_SETS = {"header": ("comma:codes",), "layout": ("two",), "symbols": ("members",)}
"""Values with which a published set of items has a name that cannot be split again."""
REFUSED: list[tuple[dict[str, tuple[Value, ...]], str]] = [
    ({"search": of_models("disassociation"), "layout": ("two",)}, "contains a single set-valued column"),
    ({"search": of_models("disassociation"), "keep": ("declared",)}, "contains no records, so it cannot contain"),
    ({"search": of_models("disassociation"), "labels": ("blanks",)}, "blanks separate items in a disassociated"),
    ({"search": of_models("safe-grouping"), "k": (2,), "l": (3,)}, "k must be at least l"),
    ({"layout": ("groups",), "format": ("parquet",)}, "buckets are published as csv"),
    ({"search": ("kkm/joint-split",), "transaction": ("lra",)}, "joint-split does not support --transaction lra"),
    ({**_NAMED_SETS, "search": of_algorithms(*_FORMING_SETS)}, "contains a comma or a parenthesis"),
    ({**_NAMED_SETS, "transaction": _FORMING_SETS}, "contains a comma or a parenthesis"),
    ({**_NAMED_SETS, "tree": ("halves:frequency", "refine")}, "contains a comma or a parenthesis"),
]
"""Jobs that must be refused: some values of a few factors, and a pattern of the message."""
