"""Files in and out: reading data and hierarchies, writing publications. The only place with pyarrow."""

from anonset.io.codebook import write_codebook, write_mapping, write_records
from anonset.io.files import digest
from anonset.io.hierarchies import hierarchy_for, read_hierarchy, write_hierarchy
from anonset.io.publish import check_labels, read_published, to_arrow, write_published
from anonset.io.read import read
from anonset.io.sizes import estimate_size

__all__ = [
    "check_labels",
    "digest",
    "estimate_size",
    "hierarchy_for",
    "read",
    "read_hierarchy",
    "read_published",
    "to_arrow",
    "write_codebook",
    "write_hierarchy",
    "write_mapping",
    "write_published",
    "write_records",
]
