"""Page that lists which claims of the papers hold, fail, or depend on a choice."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.experiments import criteria
from benchmarks.experiments.judging import BASES, Judged
from benchmarks.experiments.render import records_used, rows
from benchmarks.experiments.runner import paper, papers, results_of, stored_checks
from benchmarks.experiments.verdicts import FILE, in_short, totals
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "findings.md"
_ORDER = (
    (criteria.HOLDS_IN_WORDS, "Holds"),
    (criteria.FAILS_IN_WORDS, "Fails"),
    (criteria.DEPENDS, "Depends"),
    (criteria.UNSETTLED, "Unsettled"),
    (criteria.SHOWN, "Times that compare implementations"),
    (criteria.NOT_TESTABLE, "Not testable here"),
    (criteria.NOT_MEASURED, "Not measured"),
)
_KINDS = {"paper": "the papers' claims", "own": "our own", "enforced": "enforced by the algorithm"}


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page with totals, main findings, rules, and the claims of each paper by verdict.

    Omits our own studies.
    """
    of_papers = {key: judged[key] for key in papers(studies=False)}
    parts = [_introduction(of_papers), _by_data(of_papers), _in_short(of_papers), _RULES, _totals(of_papers)]
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
condition such as the data set or the order of the leaves. {counts[criteria.SHOWN]} compare times of implementations,
and get no verdict. This page is for researchers who cite or compare the methods.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*"""


_RULES = f"""\
## How claims are judged

The criteria were fixed before this run of the pages, but not before all experiments: version {criteria.VERSION} was
written when results were known, and the stored results were judged again. Some experiments depend on a random draw, or
on a choice that the paper does not state: the order of the leaves of a balanced hierarchy, a sample, a seed, or a query
workload. These experiments are repeated {criteria.REPETITIONS} times or more:

| verdict | meaning |
|---|---|
| **holds** | most repetitions meet the criterion: the {criteria.CONFIDENCE:.0%} interval of their share is above \
{criteria.MOST:.0%}, and includes {criteria.HOLDS:.0%} or more |
| **fails** | the interval is below {criteria.MOST:.0%}, and includes {criteria.FAILS:.0%} or less |
| **depends on the …** | the claim holds for some parts but not all, or a named choice contradicts the random draws |
| **unsettled** | none of the above |
| **{criteria.SHOWN}** | the claim compares times of implementations, which are not the implementations of the paper |
| **not testable here** | the data or figures are not available |

A named choice is a choice that a person might make, such as the numeric order of the leaves. If a paper states a claim
for several data sets, each data set is a part of the claim, and has its own verdict.

If a paper does not state a claim precisely, for example how queries are drawn, we judge each of our readings. The best
verdict counts, and the readings with this verdict are in brackets. A claim therefore fails only if it fails under every
reading.

Counts, enforced properties and growth are measured once. Times are measured in three runs, each with all compared
algorithms side by side.
`benchmarks/results/{FILE}` contains the verdicts for programs. To repeat an experiment:

```
make reproduce QUICK=1                                          # a part of each paper in some minutes, without verdicts
make reproduce                                                  # everything
python -m benchmarks.experiments run terrovitis2008 --figure fig8
```"""


_BY_DATA = """\
This table counts the papers' claims by the data on which we judge them. A part of a data set of the paper counts as the
paper's data. Claims about times are in a separate column:"""


def _by_data(judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = [
        (names(key), *(_counts(judgement for judgement in claims if judgement.basis == basis) for basis in BASES))
        for key, claims in judged.items()
    ]
    return "\n\n".join((_BY_DATA, rows(("paper", *BASES), cells)))


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
    return "\n\n".join(("## Totals", rows(("claims", *occurring, "all"), cells)))


def _counts(judged: Iterable[Judged]) -> str:
    """Return the number of claims of a paper with each verdict."""
    counts = Counter(in_short(judgement.verdict) for judgement in judged if judgement.claim.kind == "paper")
    order = [word.removesuffix(" the ") for word, _ in _ORDER]
    return ", ".join(f"{word} {counts[word]}" for word in order if word in counts)


_DATA_OF_FINDINGS = """\
The column "data" lists the data sets of the figure with the number of records used, and whether they are data of the
paper:"""


def _in_short(judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = [
        (
            names(key),
            judgement.figure,
            judgement.claim.text,
            _data(key, judgement),
            f"**{judgement.sentence}**",
            _in_few_words(judgement),
        )
        for key, claims in judged.items()
        for judgement in claims
        if judgement.claim.main
    ]
    if not cells:
        return ""
    head = ("paper", "figure", "finding", "data", "verdict", "repetitions")
    return "\n\n".join(("## Main findings", _DATA_OF_FINDINGS, rows(head, cells)))


def _data(key: str, judgement: Judged) -> str:
    figure = next(figure for figure in paper(key).figures if figure.key == judgement.key)
    return f"{records_used(paper(key), figure)} ({judgement.basis})"


def _in_few_words(judgement: Judged) -> str:
    """Return the share of repetitions that meet the criterion.

    If the verdict depends on parts of the claim or on named levels, the text includes their outcomes.
    """
    if judgement.claim.factor is None:
        return "counted once"
    if judgement.verdict.startswith(criteria.DEPENDS) or judgement.parts:
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
        cells = [
            (judgement.figure, _claim(judgement), judgement.basis, _share(judgement), judgement.measured)
            for judgement in chosen
        ]
        parts += [f"### {head}", rows(("figure", "claim", "data", "repetitions", "measured"), cells)]
    return parts


def _measured_at(key: str) -> str:
    commits = sorted({result["machine"]["commit"] for result in results_of(paper(key)).values()})
    checks = stored_checks().get(key, {}).values()
    again = sorted({check["commit"] for check in checks})
    differing = sum(check["differing"] for check in checks)
    agreeing = f"{differing} differ" if differing else "all losses and counts agree"
    cases = sum(check["cases"] for check in checks)
    return (
        f"We measured the results at commit {', '.join(commits)}, and {cases} cases again with the code of commit "
        f"{', '.join(again)}: {agreeing}."
    )


def _claim(judgement: Judged) -> str:
    printed = f" (printed: {judgement.claim.printed})" if judgement.claim.printed else ""
    conditional = judgement.under or judgement.verdict.startswith(criteria.DEPENDS)
    depends = f" **{judgement.sentence}**" if conditional else ""
    return f"{judgement.claim.text}{printed}{depends}"


def _share(judgement: Judged) -> str:
    return f"{judgement.claim.factor.name}: {judgement.share}" if judgement.claim.factor and judgement.share else ""
