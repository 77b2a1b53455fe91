"""Page that lists which claims of the papers hold, fail, or depend on a choice."""

from collections.abc import Mapping, Sequence

from benchmarks.experiments import criteria
from benchmarks.experiments.judging import Judged
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import paper, papers, results_of
from benchmarks.experiments.verdicts import FILE, totals
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "findings.md"
_ORDER = (
    (criteria.HOLDS_IN_WORDS, "Holds"),
    (criteria.FAILS_IN_WORDS, "Fails"),
    (criteria.DEPENDS, "Depends"),
    (criteria.UNSETTLED, "Unsettled"),
    (criteria.NOT_TESTABLE, "Not testable here"),
    (criteria.NOT_MEASURED, "Not measured"),
)
_KINDS = {"paper": "the papers' claims", "own": "our own", "enforced": "enforced by the algorithm"}


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page with the rules, the totals, and the claims of each paper by verdict. Omits our own studies."""
    of_papers = {key: judged[key] for key in papers(studies=False)}
    parts = [_introduction(of_papers), _totals(of_papers), _in_short(of_papers)]
    for key, claims in of_papers.items():
        parts += _paper(key, claims)
    return "\n\n".join(part for part in parts if part) + "\n"


def _introduction(judged: Mapping[str, Sequence[Judged]]) -> str:
    counts = totals(judged)["paper"]
    depends = criteria.DEPENDS.removesuffix(" the ")
    return f"""\
# Which claims of the papers hold

Which claims of the five papers hold if their experiments are repeated? Of {sum(counts.values())} claims,
{counts[criteria.HOLDS_IN_WORDS]} hold, {counts[criteria.FAILS_IN_WORDS]} fail, and {counts[depends]} depend on a
condition such as the data set or the order of the leaves. This page is for researchers who cite or compare the methods.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*

{_RULES}"""


_RULES = f"""\
A criterion for each claim was fixed before the experiments (version {criteria.VERSION} of the criteria). Some
experiments depend on a random draw, or on a choice that the paper does not state: the order of the leaves of a balanced
hierarchy, a sample, a seed, or a query workload. These experiments are repeated {criteria.REPETITIONS} times or more:

| verdict | meaning |
|---|---|
| **holds** | at least {criteria.HOLDS:.0%} of the repetitions meet the criterion |
| **fails** | at most {criteria.FAILS:.0%} meet the criterion |
| **depends on the …** | the random draws agree, but a named choice or a part of the claim always contradicts them |
| **unsettled** | none of the above: no examined factor explains why some repetitions meet the criterion |
| **not testable here** | the data or figures are not available |

A named choice is a choice that a person might make, such as the numeric order of the leaves. If a paper states a claim
for several data sets, each data set is a part of the claim.

Counts, enforced properties and growth are measured once. Times are measured in three runs, each with all compared
algorithms side by side.
`benchmarks/results/{FILE}` contains the verdicts for programs. To repeat an experiment:

```
make reproduce QUICK=1                                          # a part of each paper in some minutes, without verdicts
make reproduce                                                  # everything
python -m benchmarks.experiments run terrovitis2008 --figure fig8
```"""


def _totals(judged: Mapping[str, Sequence[Judged]]) -> str:
    counted = totals(judged)
    verdicts = [word.removesuffix(" the ") for word, _ in _ORDER]
    occurring = [word for word in verdicts if any(word in counts for counts in counted.values())]
    cells = [
        (
            _KINDS[kind],
            *(str(counted.get(kind, {}).get(word, 0)) for word in occurring),
            str(sum(counted[kind].values())),
        )
        for kind in _KINDS
        if kind in counted
    ]
    return "## Totals\n\n" + rows(("claims", *occurring, "all"), cells)


def _in_short(judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = [
        (names(key), judgement.figure, judgement.claim.text, f"**{judgement.verdict}**", _in_few_words(judgement))
        for key, claims in judged.items()
        for judgement in claims
        if judgement.claim.main
    ]
    if not cells:
        return ""
    return "## Main findings\n\n" + rows(("paper", "figure", "finding", "verdict", "repetitions"), cells)


def _in_few_words(judgement: Judged) -> str:
    """Return the share of repetitions that meet the criterion.

    If the verdict depends on parts of the claim or on named levels, the text includes their outcomes.
    """
    if judgement.claim.factor is None:
        return "counted once"
    if judgement.verdict.startswith(criteria.DEPENDS):
        return _share(judgement)
    return f"{judgement.claim.factor.name}: {judgement.met} of {judgement.of}"


def names(key: str) -> str:
    """Return the authors and the year of a paper.

    >>> names("liu2010")
    'Liu, Wang, 2010'
    """
    authors = paper(key).title.split(": ")[0].rsplit(", ", 1)[0]
    return f"{authors}, {key[-4:]}"


def _paper(key: str, judged: Sequence[Judged]) -> list[str]:
    page = f"../benchmarks/results/{key}/README.md"
    link = f"[The page of this paper]({page}) shows the numbers of all figures, and our own claims."
    parts = [f"## {paper(key).title}", f"{link} {_measured_at(key)}"]
    for word, head in _ORDER:
        chosen = [
            judgement for judgement in judged if judgement.claim.kind == "paper" and judgement.verdict.startswith(word)
        ]
        if not chosen:
            continue
        cells = [(judgement.figure, _claim(judgement), _share(judgement), judgement.measured) for judgement in chosen]
        parts += [f"### {head}", rows(("figure", "claim", "repetitions", "measured"), cells)]
    return parts


def _measured_at(key: str) -> str:
    commits = sorted({result["machine"]["commit"] for result in results_of(paper(key)).values()})
    command = f"`python -m benchmarks.experiments status {key}`"
    return (
        f"We measured the results at commit {', '.join(commits)}. To list results that are out of date, run {command}."
    )


def _claim(judgement: Judged) -> str:
    printed = f" (printed: {judgement.claim.printed})" if judgement.claim.printed else ""
    depends = f" **{judgement.verdict}**" if judgement.verdict.startswith(criteria.DEPENDS) else ""
    return f"{judgement.claim.text}{printed}{depends}"


def _share(judgement: Judged) -> str:
    return f"{judgement.claim.factor.name}: {judgement.share}" if judgement.claim.factor and judgement.share else ""
