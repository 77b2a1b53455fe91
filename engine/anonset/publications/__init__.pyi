"""What the package gives: each name with its home, once. `anonset.lazy_names` reads this file."""

from anonset.publications.base import Published as Published
from anonset.publications.buckets import Buckets as Buckets
from anonset.publications.chunks import Chunks as Chunks
from anonset.publications.records import Records as Records
from anonset.publications.symbols import Symbol as Symbol
