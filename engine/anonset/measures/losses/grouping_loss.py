"""Loss metric of safe grouping: the share of tuples that are removed, or whose identity is replaced by a star.

References: Al Bouna, Clifton, Malluhi, "Using safety constraint for transactional dataset anonymization", DBSec 2013,
section 8.2.2. Deviation: the text of the paper defines the loss as a number of tuples, but the loss in its example,
2/13, is a share.
"""

from fractions import Fraction

import numpy as np

from anonset.generalization import Bucketized
from anonset.generalization.recoding import SUPPRESSED


def grouping_loss_exact(buckets: Bucketized) -> Fraction:
    """Return the share of tuples that are removed or have a hidden identity, in [0, 1]. Return 0 for an empty table.

    >>> group, starred = np.array([0, 0, -1, 0], np.int32), np.array([False, True, False, False])
    >>> grouping_loss_exact(Bucketized(group, starred))
    Fraction(1, 2)
    """
    lost = np.count_nonzero(buckets.starred | (buckets.group == SUPPRESSED))
    return Fraction(int(lost), max(1, len(buckets.group)))


def grouping_loss(buckets: Bucketized) -> float:
    """Return `grouping_loss_exact` as a float."""
    return float(grouping_loss_exact(buckets))
