"""How a publication is written: row order, names of sets, and file format."""

from typing import Literal

Order = Literal["sorted", "input"]
"""Row order: by published content, or as in the input."""
Symbols = Literal["auto", "members", "short"]
"""Names of published sets: their members, a code, or a code only for large sets."""
Format = Literal["csv", "parquet", "dat"]
"""Format of the data files."""
