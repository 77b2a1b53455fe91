"""Rules for codes that are no leaves of their hierarchy, and what such rules change in the data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CodeRules:
    """What is done to codes of the data that are no leaves of their hierarchy."""

    unknown: str = "error"
    """To one that is no node: ``error``, ``suppress``, or ``prefix``: its longest prefix that is a node is taken."""
    inner_items: str = "error"
    """To one that is an inner node: ``error``, or ``leaf``: it becomes a leaf below that node."""


@dataclass(frozen=True)
class Change:
    """What a rule changed in a column."""

    column: str
    rule: str
    """The rule, such as ``upper``, ``unknown suppress`` or ``inner-items leaf``."""
    labels: int
    """Number of distinct labels that it changed."""
    occurrences: int
    """Number of times that they occur."""
