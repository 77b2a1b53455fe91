"""Measuring one run of MM, AA, LG, LRA, HgHs or mHgHs: time, memory, and the losses NCP and LM."""

from typing import Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.searches import (
    algorithm_of,
    fresh,
    hierarchy_for,
    load,
    require_holds,
    timed_algorithm,
    warm_up,
)

_NOT_ITS_OWN = ("data", "records", "fanout", "algorithm")


def measure(parameters: Parameters) -> Measured:
    """Run one case.

    Parameters
    ----------
    parameters
        ``data``, and ``records`` where not all are taken; ``fanout`` (None: the data set's taxonomy), ``algorithm``
        and its own parameters.

    Raises
    ------
    RuntimeError
        If the result does not verify.
    """
    from anonset.errors import InputError
    from anonset.generalization import apply
    from anonset.measures.occurrences import lm, local_ncp

    chosen = {name: value for name, value in parameters.items() if name not in _NOT_ITS_OWN}
    column = load(parameters["data"], parameters.get("records"))
    hierarchy = hierarchy_for(column, parameters["data"], parameters["fanout"])
    column = hierarchy.bind(column)
    warm_up(algorithm_of(parameters["algorithm"], chosen | {"k": 3}))
    algorithm = algorithm_of(parameters["algorithm"], chosen)
    try:
        runs = timed_algorithm(algorithm, column, hierarchy)
    except InputError as error:
        return {"refused": 1, "reason": str(error)}
    recoding: Any = runs.found.recoding
    publication = apply(fresh(column), recoding)
    shown = publication.transactions
    return {
        **runs.measured,
        **runs.found.figures,
        "refused": 0,
        "ncp": local_ncp(column, recoding),
        "lm": lm(column, recoding),
        "published": len(publication.symbols),
        "empty": 0.0 if shown is None else float((shown.lengths == 0).mean()),
        "records": column.n,
        "checked": require_holds(publication, algorithm.model),
    }


def compile_kernels() -> None:
    """Fill the cache of compiled kernels, and read the real data once."""
    from anonset.errors import InputError

    for name, more in (
        ("apriori", {"m": 3}),
        ("mhghs", {"m": 3}),
        ("hghs", {"m": 2}),
        ("coherence-suppression", {"p": 2}),
        ("local-generalization", {}),
        ("lra", {"m": 2}),
    ):
        try:
            measure({"data": "bms_webview1", "fanout": 5, "algorithm": name, "k": 5, **more})
        except InputError:  # no real data: the cases will say so
            return
