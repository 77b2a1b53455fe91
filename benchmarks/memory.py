"""Peak memory of this process, in MiB."""

from anonset.data.storage.usage import forget_peak as forget_peak
from anonset.data.storage.usage import peak_memory


def peak_mib() -> float:
    """Return the largest resident memory of this process since `forget_peak`, in MiB. 0 if not available."""
    return (peak_memory() or 0) / 2**20
