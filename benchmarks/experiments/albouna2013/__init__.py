"""Section 8.2 and figure 4 of Al Bouna, Clifton, Malluhi, "Using safety constraint ...", DBSec 2013."""

from benchmarks.experiments.albouna2013 import claims
from benchmarks.experiments.albouna2013.claims import ALPHAS, INTRA, KS, SAFE, between
from benchmarks.experiments.albouna2013.measurement import REPEATS, compile_kernels, measure
from benchmarks.experiments.cases import Case, Figure, Paper

_LOSS = {
    "loss": "tuples starred or removed (loss metric)",
    "starred": "share of tuples whose identity is starred",
    "removed": "share of tuples removed",
}


def _violations() -> list[Case]:
    cases = []
    for l in (2, 3):  # noqa: E741
        naive = {"kind": "violations", "algorithm": "anatomy", "l": l}
        safe = {"kind": "violations", "k": 7, "l": l}
        cases.append(Case("violations", INTRA, l, naive))
        cases += [Case("violations", between(alpha), l, {**naive, "alpha": alpha}) for alpha in ALPHAS]
        cases += [Case("violations", SAFE, l, safe), Case("violations", f"{SAFE}, alpha=3", l, {**safe, "alpha": 3})]
    return cases


def _loss(figure: str, series: str, x: float, **parameters: float) -> Case:
    return Case(figure, series, x, {"kind": "loss", **parameters})


PAPER = Paper(
    key="albouna2013",
    title="Al Bouna, Clifton, Malluhi, DBSec 2013: section 8.2 and figure 4",
    note=f"""\
The data are made as in section 8.1, from UCI Adult and a synthetic voter list, since the paper's own join is not
public: `longitudinal`, 48,842 tuples of 21,201 individuals (the paper: 48,836 of 21,201), each with two tuples or more,
9 of 10 dealt out occupation by occupation. How persistent occupations are is not in the paper, and the losses depend on
it (figure "Persistence"). An unknown occupation (`?`) is a value like any other. Time is that of the search on a table
in memory, on one thread, the best of up to {REPEATS} runs after one that loads the kernels; each case has a process of
its own. Losses are those of verified results.""",
    measure=measure,
    prepare=compile_kernels,
    figures=[
        Figure(
            "violations",
            "Section 8.2.1: violations after naive Anatomy, and after safe grouping",
            "l",
            {"violations": "violations (pairs of an individual and a value)", "individuals": "individuals concerned"},
            _violations(),
            claims.VIOLATIONS,
            "Inside groups: the tuples of an individual and those of a value are together more than the group has. "
            "Between groups: of the individual's groups, at least alpha, more than 1/l hold the value, and all of them "
            "together have fewer than l values in common. Anatomy draws which tuple of a value "
            "goes into a group.",
        ),
        Figure(
            "fig4abc",
            "Fig. 4a-c: loss as l grows, for k = 7, 8, 9",
            "l",
            _LOSS,
            [_loss("fig4abc", f"k={k}", l, k=k, l=l) for l in range(2, 8) for k in KS],  # noqa: E741
            claims.LOSS,
            "The most frequent occupation has 12.6% of the tuples; "
            "so l=7 is the largest that the paper's condition allows.",
        ),
        Figure(
            "persistence",
            "Persistence: loss by the share of tuples that are dealt out at random (k=9)",
            "share at random",
            _LOSS,
            [
                _loss("persistence", f"l={l}", moving, k=9, l=l, moving=moving)
                for moving in (0.0, 0.1, 0.3, 0.6, 1.0)
                for l in (2, 3, 5, 7)  # noqa: E741
            ],
            claims.PERSISTENCE,
            "0: an individual's tuples have one occupation as far as it goes; 1: occupations say nothing.",
        ),
        Figure(
            "fig4d",
            "Fig. 4d: time of safe grouping and Anatomy as k grows",
            "k",
            {"seconds": "time of safe grouping in seconds", "seconds_anatomy": "time of Anatomy in seconds"},
            [
                Case("fig4d", f"l={l}", k, {"kind": "cost", "k": k, "l": l})
                for k in (5, 7, 9, 20, 50)
                for l in (2, 3)  # noqa: E741
            ],
            claims.COST,
            "A non-transactional data set: the same 48,842 tuples, each of a person of its own. Anatomy knows no k, "
            "and is timed again in each process. The paper's times are those of reading groups from disk.",
        ),
        Figure(
            "speed",
            "Speed: safe grouping and Anatomy from 10^5 to 10^7 tuples",
            "tuples",
            {
                "seconds": "time in seconds",
                "microseconds_per_record": "time per tuple in µs",
                "peak_mib": "peak memory of the process in MiB",
                "loss": "tuples starred or removed",
            },
            [
                Case("speed", name, n, {"kind": "speed", "algorithm": algorithm, "records": n, "k": 9, "l": 3})
                for n in (100_000, 1_000_000, 10_000_000)
                for name, algorithm in (("safe grouping", "safe-grouping"), ("Anatomy", "anatomy"))
            ],
            claims.SPEED,
            "Generated: 2.3 tuples a person on average, named by two columns, 15 values, 9 of 10 tuples of a person "
            "with the same; k=9, l=3. Memory includes the data.",
        ),
    ],
)
"""The experiments of section 8.2, and our own on persistence and speed."""
