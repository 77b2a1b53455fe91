"""Faults that are known: each with the values of a job that shows it. `make combinations` counts none of them as wrong.

A job has a known fault if it contains all values of the entry, and the message contains the text. Remove the entry in
the commit that mends the fault: `make combinations` fails if a known fault no longer shows.
"""

from tests.combinations.table import Choice, Value

KNOWN: list[tuple[dict[str, Value], str]] = [
    # flags split the name of an item column at its comma, and the separator of this column is read before the header
    ({"header": "comma:codes", "separator": "codes=;", "spoken": "flags"}, "--separator names"),
    # flags split a rule at the comma in the name of its column
    ({"header": "comma:codes", "normalize": "codes=upper", "spoken": "flags"}, "--normalize must be one of"),
    ({"header": "comma:codes", "normalize": "codes=upper", "reader": "risk original"}, "--normalize must be one of"),
]
"""Values of a job, and a part of the message of its fault."""


def is_known(choice: Choice, fault: str) -> bool:
    return any(text in fault and all(choice[f] == v for f, v in job.items()) for job, text in KNOWN)
