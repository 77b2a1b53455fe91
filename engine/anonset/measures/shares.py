"""Shares of records, either exact or estimated from a sample with a confidence interval."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from anonset.data.array_types import Bools, Float64, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans

_Z = 1.959963984540054  # quantile of the normal distribution for 95 % confidence


@dataclass(frozen=True)
class Share(RedactedRepr):
    """A share in [0, 1]. An estimate includes its 95% confidence interval."""

    value: float
    """The share, or its estimate."""
    low: float | None = None
    """Lower end of the confidence interval. None if the share is exact."""
    high: float | None = None
    """Upper end of the confidence interval. None if the share is exact."""

    @property
    def exact(self) -> bool:
        """True if the share was counted, False if it was estimated."""
        return self.low is None

    def exceeds(self, other: "Share") -> bool:
        """Return True if this share is higher than another share.

        The confidence intervals of estimated shares must not overlap.

        >>> Share(0.5).exceeds(Share(0.4)), Share(0.5).exceeds(Share(0.4, 0.3, 0.55))
        (True, False)
        """
        low = self.value if self.low is None else self.low
        high = other.value if other.high is None else other.high
        return low > high

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return percent(self.value)
        return f"{percent(self.value)} ({percent(self.low)} to {percent(self.high)})"


@dataclass(frozen=True, eq=False)
class RecordFigures(RedactedRepr):
    """An integer for each record, or for each record of a sample."""

    values: Int64
    """Distinct integers in ascending order, int64 (v,). If a sample is used, the integer of each sampled record."""
    records: Int64
    """Number of records with each integer, int64 (v,)."""
    known: Bools | None = None
    """Mask of the sampled records whose integer is known, bool (v,). None if all records were counted."""

    @classmethod
    def of(
        cls,
        values: Int64,
        known: Bools | None = None,
        *,
        weight: Int64 | None = None,
    ) -> "RecordFigures":
        """Count the integers in `values`, int64 (r,), in blocks.

        `weight`, int64 (r,), is the number of records of each element. None if each element is one record.

        >>> figures = RecordFigures.of(np.array([3, 2, 3]))
        >>> figures.values.tolist(), figures.records.tolist(), str(figures.share(figures.values > 2))
        ([2, 3], [1, 2], '66.7%')
        """
        if known is not None:
            return cls(values, np.ones(len(values), np.int64), known)
        occurring, records = np.empty(0, np.int64), np.empty(0, np.int64)
        for a, b in spans(len(values)):
            block_values = np.concatenate([occurring, values[a:b]])
            records = np.concatenate([records, np.ones(b - a, np.int64) if weight is None else weight[a:b]])
            order = np.argsort(block_values, kind="stable")
            occurring, first = np.unique(block_values[order], return_index=True)
            records = np.add.reduceat(records[order], first)
        return cls(occurring, records)

    def share(self, holds: Bools) -> Share:
        """Return the share of the records that satisfy a condition.

        `holds`, bool (v,), is True for each element of `values` that satisfies the condition.
        """
        if self.known is not None:
            return share_of(holds, self.known)
        return Share(int(self.records[holds].sum()) / max(1, int(self.records.sum())))

    def mean(self, values: Float64) -> Share:
        """Return the mean of a share over the records. `values`, float64 (v,), is the share for each element of
        `self.values`.
        """
        if self.known is not None:
            return mean_of(values, self.known)
        return Share(float((values * self.records).sum()) / max(1, int(self.records.sum())))


def percent(share: float) -> str:
    """Format a share in percent. A positive share is never formatted as 0.0%, and a share below 1 never as 100.0%.

    >>> [percent(share) for share in (0.0, 0.0002, 0.25, 0.9999, 1.0)]
    ['0.0%', '<0.1%', '25.0%', '>99.9%', '100.0%']
    """
    text = f"{share:.1%}"
    if text == "0.0%" and share > 0:
        return "<0.1%"
    return ">99.9%" if text == "100.0%" and share < 1 else text


def share_of(holds: Bools, known: Bools | None = None) -> Share:
    """Return the share of records that satisfy a condition.

    Parameters
    ----------
    known
        Mask of the sampled records for which the condition is known, bool (s,). None if all records were counted.

    >>> share_of(np.array([True, False])), str(share_of(np.array([True, False] * 50), np.ones(100, bool)))
    (Share(value=0.5), '50.0% (40.4% to 59.6%)')
    """
    n = len(holds)
    if known is None or not n:
        return Share(float(holds.mean()) if n else 0.0)
    sure, open_ = int((holds & known).sum()), int((~known).sum())
    value = sure / max(1, n - open_)
    return Share(value, wilson(sure, n)[0], wilson(sure + open_, n)[1])


def mean_of(values: Float64, known: Bools | None, among: Bools | None = None) -> Share:
    """Return the mean of the shares of all records.

    Parameters
    ----------
    known
        See `share_of`.
    among
        Mask of the records that are included in the mean, bool (s,). None if all records are included.
    """
    selected = np.ones(len(values), bool) if among is None else among
    if known is None or not selected.any():
        return Share(float(values[selected].mean()) if selected.any() else 0.0)
    n, sure = int(selected.sum()), values[selected & known]
    open_ = n - len(sure)
    value = float(sure.mean()) if len(sure) else 0.5
    reach = _Z * float(np.std(values[selected], ddof=1)) / sqrt(n) if n > 1 else 1.0
    low, high = float(sure.sum()) / n - reach, (float(sure.sum()) + open_) / n + reach
    return Share(value, max(0.0, low), min(1.0, high))


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a share, given a sum of `n` > 0 values in [0, 1].

    Wilson's interval is for values 0 and 1. Other values vary less, so the interval is not too narrow.

    >>> [tuple(round(end, 4) for end in wilson(sum_, 200)) for sum_ in (0, 8.5, 200)]
    [(0.0, 0.0188), (0.0221, 0.0801), (0.9812, 1.0)]
    """
    share, z2 = successes / n, _Z * _Z
    middle = share + z2 / (2 * n)
    reach = _Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low = (middle - reach) / (1 + z2 / n) if successes else 0.0
    return low, (middle + reach) / (1 + z2 / n) if successes < n else 1.0
