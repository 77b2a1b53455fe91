"""Read data and hierarchies into tables. Only this package and `anonset.writing` import pyarrow."""

from anonset.reading.files import digest
from anonset.reading.hierarchies.files import read_hierarchy, write_hierarchy
from anonset.reading.hierarchies.specs import hierarchy_for
from anonset.reading.publications.records import read_published
from anonset.reading.read import read

__all__ = [
    "digest",
    "hierarchy_for",
    "read",
    "read_hierarchy",
    "read_published",
    "write_hierarchy",
]
