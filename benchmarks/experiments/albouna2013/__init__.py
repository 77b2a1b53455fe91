"""Section 8.2 and figure 4 of Al Bouna, Clifton, Malluhi, "Using safety constraint ...", DBSec 2013."""

from benchmarks.experiments.albouna2013 import claims
from benchmarks.experiments.albouna2013.claims import ANATOMY, KS, LS, SAFE, of_l
from benchmarks.experiments.albouna2013.measurement import compile_kernels, measure
from benchmarks.experiments.cases import Case, Figure, Paper, Printed, with_main
from benchmarks.experiments.factors import RUNS, SEEDS

_OF = {SAFE: "safe-grouping", ANATOMY: "anatomy"}
_LOSS = {
    "diversity_counted": "for diversity, counted",
    "diversity": "for diversity, not counted",
    "loss_counted": "in all, counted (LM)",
    "loss": "in all, not counted (LM)",
    "with_groups": "with groups that lost too many",
    "starred": "starred alone",
}
_SHARES = "Shares of all tuples that are"


def _violations() -> list[Case]:
    cases = []
    for l in (2, 3):  # noqa: E741
        shared = {"kind": "violations", "l": l}
        cases.append(Case("violations", ANATOMY, l, {**shared, "algorithm": "anatomy"}))
        cases.append(Case("violations", SAFE, l, {**shared, "algorithm": "safe-grouping", "k": 7}))
    return SEEDS.over(cases)


def _loss(figure: str, series: str, x: float, **parameters: float) -> Case:
    return Case(figure, series, x, {"kind": "loss", "algorithm": "safe-grouping", **parameters})


def _persistence() -> list[Case]:
    shares = (0.0, 0.1, 0.3, 0.6, 1.0)
    return SEEDS.over(
        _loss("persistence", f"l={l}", moving, k=9, l=l, moving=moving)
        for moving in shares
        for l in (2, 3, 5, 7)  # noqa: E741
    )


def _cost() -> list[Case]:
    timed, counted = [], []
    for l in (2, 3):  # noqa: E741
        for k in (5, 7, 9, 20, 50):
            shared = {"k": k, "l": l}
            timed += [Case("fig4d", of_l(name, l), k, {"kind": "time", "algorithm": algorithm, **shared})
                      for name, algorithm in _OF.items()]  # fmt: skip
            counted.append(Case("fig4d", of_l(SAFE, l), k, {"kind": "groups", "algorithm": "safe-grouping", **shared}))
    return [*counted, *RUNS.over(timed, cost="time")]


def _speed() -> list[Case]:
    timed = [
        Case("speed", name, n, {"kind": "time", "algorithm": algorithm, "records": n, "k": 9, "l": 3})
        for n in (100_000, 1_000_000, 10_000_000)
        for name, algorithm in _OF.items()
    ]
    held = {"kind": "memory", "algorithm": "safe-grouping", "k": 9, "l": 3}
    memory = [Case("speed", SAFE, n, {**held, "records": n}, cost="memory") for n in (100_000, 10_000_000)]
    return [*memory, *RUNS.over(timed, cost="time")]


PAPER = Paper(
    key="albouna2013",
    title="Al Bouna, Clifton, Malluhi, DBSec 2013: section 8.2 and figure 4",
    note="""\
The data are made as in section 8.1, from UCI Adult and a synthetic voter list, since the paper's own join is not
public: `longitudinal`, 48,842 tuples of 21,201 individuals (the paper: 48,836 of 21,201), each with two tuples or more,
9 of 10 dealt out occupation by occupation. How persistent occupations are is not in the paper, and the losses depend on
it (figure "Persistence"). An unknown occupation (`?`) is a value like any other. Who has which tuples, and what the
algorithms draw, is drawn twenty times: a seed stands for both. Every result was verified.

The paper does not say whether a tuple that is anonymized for l-diversity still counts in its group. *Counted*: it does,
so that each value gives up what it has beyond 1/l of the group. *Not counted*: it is taken out, as by the engine, the
group shrinks, and more must go until no value has more than 1/l of what is left. The groups are the same for both.

Times are those of single searches on a table in memory, on one thread, after one that loads the kernels; in each of
three runs all that is compared follows one another.""",
    measure=measure,
    prepare=compile_kernels,
    reads=lambda parameters: [] if "records" in parameters else ["adult"],
    figures=[
        Figure(
            "violations",
            "Section 8.2.1: violations after naive Anatomy, and after safe grouping",
            "l",
            {
                "inside": "violations inside groups",
                "between": "violations between groups, alpha=3",
                "between_4": "violations between groups, alpha=4",
                "between_5": "violations between groups, alpha=5",
                "individuals": "individuals with violations between groups, alpha=3",
            },
            _violations(),
            with_main(
                claims.VIOLATIONS,
                "naive Anatomy leaves as many violations between groups as printed",
                "safe grouping eliminates these violations",
            ),
            "Pairs of an individual and a value. Inside groups: the tuples of an individual and those of a value are "
            "together more than the group has. Between groups: of the individual's groups, at least alpha, more than "
            "1/l hold the value, and all of them together have fewer than l values in common. Anatomy draws which "
            "tuple of a value goes into a group.",
            printed=[
                Printed("inside", 5, 5, "5 explicit violations inside groups"),
                Printed("between", 167, 360, "167 violations between groups for l=2 and 360 for l=3, alpha not said"),
            ],
        ),
        Figure(
            "fig4abc",
            "Fig. 4a-c: loss as l grows, for k = 7, 8, 9",
            "l",
            _LOSS,
            SEEDS.over(_loss("fig4abc", f"k={k}", l, k=k, l=l) for l in LS for k in KS),  # noqa: E741
            with_main(
                claims.LOSS,
                "for small l the loss is below 10%",
                "for k=9 and l=7 a third of the tuples is anonymized to preserve l-diversity",
            ),
            f"{_SHARES} anonymized. The most frequent occupation has 12.6% of the tuples; so l=7 is the largest that "
            "the paper's condition allows.",
            printed=[
                Printed("diversity_counted", 0.35, 0.35, "35% of the tuples for l-diversity (k=9, l=7)"),
                Printed("loss_counted", 0, 0.1, "LM below 10% for small l"),
            ],
        ),
        Figure(
            "persistence",
            "Persistence: loss by the share of tuples that are dealt out at random (k=9)",
            "share at random",
            _LOSS,
            _persistence(),
            claims.PERSISTENCE,
            f"{_SHARES} anonymized. 0: an individual's tuples have one occupation as far as it goes; 1: occupations "
            "say nothing.",
            quick=(0.0, 1.0),
        ),
        Figure(
            "fig4d",
            "Fig. 4d: time of safe grouping and Anatomy as k grows",
            "k",
            {"seconds": "time in seconds", "tested": "groups tested for l-diversity"},
            _cost(),
            with_main(claims.COST, "for small l safe grouping is faster than Anatomy"),
            "A non-transactional data set: the same 48,842 tuples, each of a person of its own. Anatomy knows no k, "
            "and is timed again beside each. The paper's times are those of reading groups from disk.",
        ),
        Figure(
            "speed",
            "Speed: safe grouping and Anatomy from 10^5 to 10^7 tuples",
            "tuples",
            {"seconds": "time in seconds", "peak_mib": "peak memory of the process in MiB, data included"},
            _speed(),
            claims.SPEED,
            "Generated: 2.3 tuples a person on average, named by two columns, 15 values, 9 of 10 tuples of a person "
            "with the same; k=9, l=3.",
            quick=(100_000, 1_000_000),
        ),
    ],
)
"""The experiments of section 8.2, and our own on persistence and speed."""
