"""Tables of the study, with a column for one more algorithm, such as a plug-in."""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.experiments.cases import Case
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.panels_of import panels_of
from benchmarks.experiments.render import table
from benchmarks.experiments.runner import paper, results_of
from benchmarks.experiments.trees.measurement import algorithm_of_a_way
from benchmarks.experiments.workers import measured_or_error

from anonset.privacy import KmAnonymity


def tables(way: str, figure: str, data: Sequence[str]) -> str:
    """Measure an algorithm on the data sets of a figure.

    Return the tables of the figure with a column for this algorithm.

    Parameters
    ----------
    way
        Algorithm name, optionally followed by a tree: ``apriori balanced:5``.
    figure
        Key of a figure that compares algorithms.
    data
        Names of the data sets; all by default.

    Raises
    ------
    InputError
        If the figure, a data set or the algorithm is unknown.
    """
    from anonset.algorithms.registry import ALGORITHMS
    from anonset.errors import require_known

    chosen = paper("trees")
    figures = {one.key: one for one in chosen.figures if one.cases[0].parameters["what"] == "whole"}
    asked = figures[require_known("figure", figure, figures)]
    require_known("algorithm", way.partition(" ")[0], ALGORITHMS)
    known = {case.x: case for case in asked.cases}
    names = [require_known("data", name, [str(x) for x in known]) for name in data or map(str, known)]
    cases = [replace(known[name], series=way, parameters={**known[name].parameters, "way": way}) for name in names]
    found = {case.key: measured_or_error(chosen, case.parameters) for case in cases}
    ours = [case for case in asked.cases if case.x in names and case.series != way]
    wide = replace(asked, cases=[*ours, *cases])
    parts = [_guarantee(cases[0])]
    parts += [f"- {case.x}: {found[case.key]['error']}" for case in cases if "error" in found[case.key]]
    for panel in panels_of(wide, results_of_figure(wide, {**results_of(chosen), **found})):
        parts += [f"**{panel.label}**", table(wide.x_label, panel)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _guarantee(case: Case) -> str:
    """Return a line about the guarantee of the algorithm. Empty for km-anonymity."""
    k, m, way = (case.parameters[name] for name in ("k", "m", "way"))
    model = algorithm_of_a_way(way, case.parameters)[0].model
    same = model == KmAnonymity(k, m)
    return "" if same else f"Not the same guarantee: {way} gives {model}, ours km-anonymity with k={k}, m={m}."
