"""Section 8.2 and figure 4 of Al Bouna, Clifton, Malluhi, "Using safety constraint ...", DBSec 2013."""

from benchmarks.experiments.albouna2013 import claims
from benchmarks.experiments.albouna2013.claims import ANATOMY, KS, LS, MOVING, SAFE, of_l
from benchmarks.experiments.albouna2013.measurement import compile_kernels, measure
from benchmarks.experiments.cases import Case, Figure, Paper, Printed, with_main
from benchmarks.experiments.factors import RUNS, SEEDS

_OF = {SAFE: "safe-grouping", ANATOMY: "anatomy"}
_LOSS = {
    "diversity_counted": "tuples anonymized for diversity (counted)",
    "diversity": "tuples anonymized for diversity (not counted)",
    "loss_counted": "tuples anonymized in total (LM, counted)",
    "loss": "tuples anonymized in total (LM, not counted)",
    "with_groups": "tuples removed because their group lost too many tuples",
    "starred": "tuples with a suppressed identity",
}
_SHARES = "All losses are shares of the tuples."


def _violations() -> list[Case]:
    cases = []
    for l in (2, 3):  # noqa: E741
        shared = {"kind": "violations", "l": l}
        cases.append(Case("violations", ANATOMY, l, {**shared, "algorithm": "anatomy"}))
        cases.append(Case("violations", MOVING, l, {**shared, "algorithm": "anatomy", "moving": 0.3}))
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


def _without_files() -> list[Case]:
    """Return the cases of violations and losses on generated tuples."""
    cases = []
    for l in (2, 3):  # noqa: E741
        shared = {"l": l, "records": 20_000, "seed": "seed 1"}
        safe = {**shared, "algorithm": "safe-grouping", "k": 7}
        cases += [
            Case("generated", ANATOMY, l, {"kind": "violations", "algorithm": "anatomy", **shared}),
            Case("generated", SAFE, l, {"kind": "violations", **safe}),
            Case("generated", f"loss of {SAFE}", l, {"kind": "loss", **safe}),
        ]
    return cases


PAPER = Paper(
    key="albouna2013",
    title="Al Bouna, Clifton, Malluhi, DBSec 2013: section 8.2 and figure 4",
    note="""\
The paper's data are not public. Therefore the generator `longitudinal` joins UCI Adult with a synthetic voter list,
as section 8.1 of the paper describes. The data have 48,842 tuples of 21,201 individuals, and the paper's data have
48,836 tuples of 21,201 individuals. Each individual has two or more tuples. Nine of ten tuples are distributed such
that an individual's tuples have the same occupation, and the others at random. The paper does not state how often an
individual keeps an occupation, and the losses depend on this frequency (figure "Persistence"). A missing occupation
is the value `not stated`. Each of twenty seeds determines how tuples are assigned to individuals, and the
random choices of the algorithms. Every result was verified.

The paper does not state whether a tuple that is anonymized for l-diversity still counts as a member of its group. In
the variant *counted*, the tuple counts, so each value loses its tuples beyond 1/l of the group. In the variant *not
counted*, the tuple is removed, as in the engine. The group shrinks, and more tuples are removed until no value
exceeds 1/l of the remaining group. Both variants have the same groups.

Times are single searches on a table in memory, on one thread, after a search that loads the kernels. In each of three
runs, all compared searches run one after another.""",
    measure=measure,
    prepare=compile_kernels,
    reads=lambda parameters: [] if "records" in parameters else ["adult"],
    published_data=frozenset(),
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
            with_main(claims.VIOLATIONS, "naive Anatomy leaves as many violations between groups as printed"),
            "A violation is a pair of an individual and a value. It is a violation inside a group if the tuples of the "
            "individual and the tuples of the value together exceed the group size. It is a violation between groups "
            "if at least alpha groups contain the individual, more than 1/l of these groups contain the value, and all "
            "of them have fewer than l values in common. Anatomy chooses at random which tuple of a value is assigned "
            "to a group.",
            printed=[
                Printed("inside", 5, 5, "there are 5 explicit violations inside groups"),
                Printed(
                    "between",
                    167,
                    360,
                    "there are 167 violations between groups for l=2 and 360 for l=3. The paper states only that "
                    "alpha is greater than 2",
                ),
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
            f"{_SHARES} The most frequent occupation has 12.6% of the tuples, so l=7 is the largest value that "
            "satisfies the paper's condition.",
            printed=[
                Printed("diversity_counted", 0.35, 0.35, "35% of the tuples are anonymized for l-diversity (k=9, l=7)"),
                Printed("loss_counted", 0, 0.1, "the loss (LM) is below 10% if l is small"),
            ],
        ),
        Figure(
            "persistence",
            "Persistence: loss for k=9 as more tuples are distributed at random",
            "share of tuples distributed at random",
            _LOSS,
            _persistence(),
            claims.PERSISTENCE,
            f"{_SHARES} If no tuples are distributed at random, an individual's tuples have the same occupation as"
            " far as possible. If all tuples are distributed at random, occupations are independent of the "
            "individual.",
            quick=(0.0, 1.0),
        ),
        Figure(
            "fig4d",
            "Fig. 4d: time of safe grouping and Anatomy as k grows",
            "k",
            {"seconds": "time in seconds", "tested": "groups tested for l-diversity"},
            _cost(),
            with_main(claims.COST, "for small l safe grouping is faster than Anatomy"),
            "In these data, each of the 48,842 tuples belongs to a different person. Anatomy does not use k, but "
            "its time is measured for each k. The paper's times include reading groups from disk.",
        ),
        Figure(
            "speed",
            "Speed: cost of safe grouping and Anatomy for 10^5 to 10^7 tuples",
            "tuples",
            {"seconds": "time in seconds", "peak_mib": "peak memory of the process in MiB, including the data"},
            _speed(),
            claims.SPEED,
            "k is 9, and l is 3. The data are generated. Two columns identify a person, and a person has 2.3 "
            "tuples on average. There are 15 values, and nine of ten tuples of a person have the same value.",
            quick=(100_000, 1_000_000),
        ),
        Figure(
            "generated",
            "Generated tuples: violations and losses",
            "l",
            {"inside": "violations inside groups", "between": "violations between groups, alpha=3", **_LOSS},
            _without_files(),
            note="These cases need no files. The data are 20,000 generated tuples like those of the figure Speed. k is "
            f"7. {_SHARES}",
        ),
    ],
)
"""Experiments of section 8.2, and our own on persistence and speed."""
