"""Compute the distance of heuristics from the best cut of a data set, and the cost of the proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.algorithms.base import Result

HEURISTICS = {False: ("apriori", "direct", "vpa"), True: ("hghs", "mhghs")}
"""Heuristics without suppression (False) and with suppression (True)."""
CHECK_BUDGET = 20_000_000
"""Maximum number of itemset occurrences that the verification of a best cut counts.

Counting these occurrences takes some tenths of a second.
"""


@dataclass(frozen=True)
class Limits:
    """Limits on the work of a search."""

    max_steps: int
    """Steps of the exact search."""
    max_sets: int
    """Largest number of sets of one size that a heuristic may count."""
    max_threats: int
    """Largest number of minimal threats that HgHs and mHgHs may find."""

    def of(self, algorithm: str) -> dict[str, int]:
        """Return the limits that apply to an algorithm."""
        if algorithm == "direct":
            return {"max_tree": self.max_sets}
        if algorithm in HEURISTICS[True]:
            return {"max_increments": self.max_sets, "max_threats": self.max_threats}
        return {"max_increments": self.max_sets}


def distances(
    column: "SetColumn", hierarchy: "Hierarchy", k: int, m: int, limits: Limits, *, suppress: bool
) -> dict[str, float]:
    """Return the loss of the best cut, the excess loss of each heuristic, and the cost of the proof.

    With suppression, the exact search starts with the cut of mHgHs. The result is empty if mHgHs exceeds a limit.

    Returns
    -------
    ``best`` (NCP of the best cut), ``open`` (percent above the bound), ``programs`` (number of integer programs
    solved), ``root`` (percent by which the last linear relaxation is below the best cut), and the percent above the
    best cut for each heuristic within the limits, by name.
    """
    losses = {}
    for name in HEURISTICS[suppress]:
        if (loss := _loss(name, column, hierarchy, {"k": k, "m": m, **limits.of(name)})) is not None:
            losses[name] = loss
    if suppress and "mhghs" not in losses:
        return {}
    found = _exact(column, hierarchy, k, m, limits, suppress=suppress)
    figures = found.figures
    best = min(figures["ncp"], *losses.values()) if losses else figures["ncp"]
    proven = figures["gap"] == 0
    lowest = best if proven else figures["lower_bound"]
    programs = [at for at, step in enumerate(found.trace) if step.kind == "integer"]
    root = found.trace[programs[0] - 1].lower_bound if programs else best
    above = {name: percent(loss, best) for name, loss in losses.items()}
    return {"best": best, "open": percent(best, lowest), "programs": len(programs), "root": percent(best, root)} | above


def percent(loss: float, best: float) -> float:
    """Return by how many percent a loss exceeds another loss. 0 if both losses are zero."""
    if best <= 0:
        return 0.0 if loss <= 0 else float("1e9")
    above = 100 * (loss / best - 1)
    return 0.0 if abs(above) < 1e-6 else round(above, 6)


def _loss(name: str, column: "SetColumn", hierarchy: "Hierarchy", parameters: Mapping[str, Any]) -> float | None:
    """Return the NCP of a heuristic's cut, or None if it exceeds a limit."""
    from benchmarks.experiments.searches import algorithm_of, fresh

    from anonset.errors import InputError
    from anonset.measures.losses.ncp import ncp

    try:
        recoding: Any = algorithm_of(name, parameters).recode(fresh(column), {column.name: hierarchy}).recoding
    except InputError:
        return None
    return ncp(column, recoding)


def _exact(column: "SetColumn", hierarchy: "Hierarchy", k: int, m: int, limits: Limits, *, suppress: bool) -> "Result":
    """Search the best cut, and verify it independently."""
    from benchmarks.experiments.searches import algorithm_of, fresh

    from anonset import verify
    from anonset.generalization import apply

    exact = algorithm_of("exact", {"k": k, "m": m, "suppress": suppress, "max_steps": limits.max_steps})
    found = exact.recode(fresh(column), {column.name: hierarchy})
    verdict = verify(apply(fresh(column), found.recoding), exact.model, budget=CHECK_BUDGET)
    if verdict.holds is False:
        msg = f"the best cut does not verify: {verdict}"
        raise RuntimeError(msg)
    return found


def summarized(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the minimum, median and maximum of each quantity over some runs, and the number of proven runs."""
    from statistics import median

    names = dict.fromkeys(name for one in found for name in one)
    summary: dict[str, float] = {"runs": len(found), "proven": sum(one.get("open") == 0 for one in found)}
    for name in names:
        values = [one[name] for one in found if name in one]
        summary |= {f"{name}_least": min(values), f"{name}_median": median(values), f"{name}_most": max(values)}
    return summary
