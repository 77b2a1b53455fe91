"""Vocabularies, columns, tables and hierarchies of encoded data. They are immutable, and in memory or mapped from
files.
"""

from anonset.data.hierarchy import Hierarchy
from anonset.data.table import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.vocabulary import Vocabulary

__all__ = ["CategoricalColumn", "Column", "Hierarchy", "NumericColumn", "SetColumn", "Table", "Vocabulary"]
