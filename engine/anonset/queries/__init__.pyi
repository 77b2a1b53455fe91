"""What the package gives: each name with its home, once. `anonset.lazy_names` reads this file."""

from anonset.queries.estimate import ExpectedCounts as ExpectedCounts
from anonset.queries.estimate import TrueCounts as TrueCounts
from anonset.queries.estimate import presence_probability as presence_probability
from anonset.queries.workload import Query as Query
from anonset.queries.workload import Workload as Workload
