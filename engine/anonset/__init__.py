"""anonset: anonymize transaction, relational and relational-transaction data.

>>> import anonset
>>> table = anonset.Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
>>> release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
>>> print(release.verdict)
km-anonymity with k=2, m=2 holds
"""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
