"""Faults that are known: each with the smallest job that shows it. `make combinations` counts none of them as wrong.

A job has a known fault if it contains all values of the entry, and the message contains the text. Remove the entry in
the commit that mends the fault: a test fails if a known fault no longer shows.
"""

from tests.combinations.table import Choice, Value

BYTES = "other bytes than in the plain way"
ROW_ORDER = (
    *("kkm/tum-bound", "kkm/rfirst", "kkm/tfirst", "transaction-k/local-generalization"),
    "transaction-k/local-reallocation",
)
"""Searches whose result depends on the order of the rows."""

KNOWN: list[tuple[dict[str, Value], str]] = [
    *(({"search": search, "input": "shuffled"}, BYTES) for search in ROW_ORDER),
    # flags cannot name columns whose names contain =
    ({"header": "equals:zip", "spoken": "flags", "zip": "mask:3,1"}, "is not a column of items or quasi-identifiers"),
    ({"header": "equals:codes", "spoken": "flags", "tree": "file"}, "is not a column of items or quasi-identifiers"),
    # the scan judges all item columns together
    *(
        ({"canary": canary}, "published, but the table says that it is refused")
        for canary in ("phone:items", "name:items")
    ),
]
"""Values of a job, and a part of the message of its fault."""


def is_known(choice: Choice, fault: str) -> bool:
    return any(text in fault and all(choice[f] == v for f, v in job.items()) for job, text in KNOWN)
