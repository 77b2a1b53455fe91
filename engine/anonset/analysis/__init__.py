"""Operations of jobs that depend on the kind of a publication: summary, checks, losses, queries, risks, original.

`analysis_of` returns the operations for a publication. `base.py` declares them, and `records.py`, `buckets.py` and
`chunks.py` implement them.
"""
