"""What the package gives: each name with its home, once. `anonset.lazy_names` reads this file."""

from anonset.data.hierarchies.hierarchy import Hierarchy as Hierarchy
from anonset.data.labels.vocabulary import Vocabulary as Vocabulary
from anonset.data.table import CategoricalColumn as CategoricalColumn
from anonset.data.table import Column as Column
from anonset.data.table import NumericColumn as NumericColumn
from anonset.data.table import SetColumn as SetColumn
from anonset.data.table import Table as Table
