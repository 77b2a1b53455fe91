"""Page that lists which claims of the papers hold, fail, or depend on a choice."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import OF_PAPERS, Figure
from benchmarks.experiments.claim_counts import (
    UNDECIDED,
    by_work,
    counts,
    holding,
    never_met,
    on_substitutes,
    sentences,
    times,
)
from benchmarks.experiments.judging import BASES, Judged, cases_of, judged_cases
from benchmarks.experiments.panels import PANELS
from benchmarks.experiments.render import records_used, rows
from benchmarks.experiments.rules_text import CHANGES, RULES
from benchmarks.experiments.runner import paper, papers, results_of, stored_checks
from benchmarks.experiments.verdict_rules import is_about_all, own_limits
from benchmarks.experiments.verdicts import in_short, totals
from benchmarks.experiments.workers import ROOT

from anonset_datasets.entries import ENTRIES

PAGE = ROOT / "docs" / "findings.md"
_ORDER = (
    (criteria.CONTRADICTED, "Contradicted"),
    (criteria.FAILS_IN_WORDS, "Fails"),
    (criteria.MIXED, "Mixed"),
    (criteria.DEPENDS, "Depends"),
    (criteria.NO_ORDER, "No consistent order"),
    (criteria.EQUAL, "Equal"),
    (criteria.UNSETTLED, "Unsettled"),
    (criteria.DIFFERS, "Differs on substitute data"),
    (criteria.HOLDS_IN_WORDS, "Holds"),
    (criteria.AGREES, "Agrees on substitute data"),
    (criteria.SHOWN, "Times"),
    (criteria.NOT_TESTABLE, "Not testable here"),
    (criteria.NOT_MEASURED, "Not measured"),
)
"""Verdicts in the order of the page. Claims that do not hold are the first."""
_FEW = 2
"""Number of positions up to which a claim shows them."""
_KINDS = {
    "paper": "the papers' claims",
    "derived": "the papers' claims that follow from the data or from other claims",
    "own": "our own",
    "enforced": "enforced by the algorithm",
}


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the page with totals, main findings, rules, and the claims of each paper by verdict.

    Omits our own studies.
    """
    of_papers = {key: judged[key] for key in papers(studies=False)}
    parts = [_introduction(of_papers), _by_data(of_papers), _in_short(of_papers), RULES]
    here, _, _ = holding(one for claims in of_papers.values() for one in claims)
    parts.append(CHANGES.format(here=here))
    parts += [_readings(of_papers), _reversals(of_papers), _totals(of_papers)]
    for key, claims in of_papers.items():
        parts += _paper(key, claims)
    return "\n\n".join(part for part in parts if part) + "\n"


def _weak_holds(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the number of sentences that hold, of those that hold by counted work, and of those that fewer repetitions
    meet than `criteria.HOLDS`.
    """
    holds = {
        key: [one for one in claims if one.claim.kind == "paper" and one.verdict == criteria.HOLDS_IN_WORDS]
        for key, claims in judged.items()
    }
    every = [one for of_paper in holds.values() for one in of_paper]
    few = {key: [one for one in found if one.met < criteria.HOLDS * one.of] for key, found in holds.items()}
    shares = "; ".join(
        f"{names(key)}: {', '.join(f'{one.met} of {one.of}' for one in sorted(found, key=lambda one: one.met))}"
        for key, found in few.items()
        if found
    )
    work = by_work(every, criteria.HOLDS_IN_WORDS)
    high = sum(bool(one.null) and one.claim.high for one in every)
    return " ".join((
        f"The {len(every)} are {sentences(every)} different sentences. Fewer than {criteria.HOLDS:.0%} of the "
        f"repetitions meet {sum(map(len, few.values()))} of them ({shares}).",
        f"For {work} of them, the paper speaks of time or cost, and we judge counted work." if work else
        "None of them is about time or cost.",
        f"{high} states that constraints are violated, which a publication without information meets, too.",
    ))  # fmt: skip


def _large_errors(claims: Iterable[Judged]) -> str:
    """Return the number of orderings that hold, and of others, that compare only errors above 1."""
    useless = [one for one in claims if one.claim.kind == "paper" and one.answers_are_useless]
    holds = sum(one.verdict == criteria.HOLDS_IN_WORDS for one in useless)
    errors = [one.errors for one in useless if one.errors]
    if not errors:
        return ""
    extent = f"{min(low for low, _ in errors):,.3g} to {max(high for _, high in errors):,.3g}"
    return (
        f"{holds} of them, and {len(useless) - holds} claims with another verdict, order only errors of queries of "
        f"{extent}. Always answering 0 has an error of 1, so these answers are useless, and their order says nothing "
        "about usefulness."
    )


def _introduction(judged: Mapping[str, Sequence[Judged]]) -> str:
    by_verdict, following = (Counter(totals(judged)[kind]) for kind in OF_PAPERS)
    enforced = sum(totals(judged)["enforced"].values())
    claims = [one for of_paper in judged.values() for one in of_paper]
    against_work = by_work(claims, *criteria.AGAINST)
    limited = Counter(one.verdict for one in claims if own_limits(one.claim) and one.of)
    mixed = [one for one in claims if (one.claim.kind, one.verdict) == ("paper", criteria.MIXED)]
    similar = [one for one in claims if one.claim.text.endswith(criteria.SIMILAR)]
    tied = sum(hold == against for hold, against, _ in (one.comparisons or (0, 0, 0) for one in mixed))
    here, every, kindest = holding(claims)
    in_all_runs, in_some, in_none = times(claims)
    substitute = {
        verdict: on_substitutes(claims, verdict) for verdict in (criteria.HOLDS_IN_WORDS, criteria.CONTRADICTED)
    }
    depends = criteria.DEPENDS.removesuffix(" the ")
    without = criteria.NOT_TESTABLE, criteria.NOT_MEASURED
    panels = Counter(panel.status for panel in PANELS)
    return f"""\
# Which claims of the papers hold

Which claims of the five papers hold if their experiments are repeated? Of {sum(by_verdict.values())} claims
({sentences(claims)} different sentences, each judged for every figure and data set),
**{sum(by_verdict[word] for word in criteria.AGAINST)} are contradicted or fail**
({sum(limited[word] for word in criteria.AGAINST)} of them by a limit of ours; all are
{sentences(one for one in claims if one.verdict in criteria.AGAINST)} different sentences),
{sum(by_verdict.values()) - here - sum(by_verdict[word] for word in criteria.AGAINST)} have another or no verdict, and
**{here} hold** under the reading that each paper's words fix. Of those with another verdict,
**{never_met(claims, criteria.MIXED, criteria.DEPENDS, *UNDECIDED)} are met as stated in no repetition**.
{on_substitutes(claims, *criteria.AGAINST)} of those against a paper, and {substitute[criteria.HOLDS_IN_WORDS]} of those
that hold, are measured on substitute data. We wrote all algorithms ourselves, so a fault of ours can be a reason, too.
{panels["paper's setting"]} of {sum(panels.values())} [panels](panels.md) have the
data and parameters of the paper.

* {by_verdict[criteria.CONTRADICTED]} are contradicted: no repetition meets them. {substitute[criteria.CONTRADICTED]} of
  these are measured on substitute data, which can be the reason. {by_verdict[criteria.FAILS_IN_WORDS]} fail. For
  {against_work} of these claims, the paper speaks of time or cost, and we judge counted work.
* {sum(limited.values())} claims with any outcome have a criterion with a limit that is ours and not the paper's, such
  as "at most twice". The outcome shows it. {limited[criteria.HOLDS_IN_WORDS]} of these hold.
* {by_verdict[criteria.MIXED]} are mixed: orderings of several comparisons that are not met as a whole. For
  {len(mixed) - tied} of these, more comparisons hold than are reversed, and for {tied} as many, each in most
  repetitions. {on_substitutes(claims, criteria.MIXED)} are measured on substitute data. The numbers are at each
  verdict.
* {len(similar)} claims are about Tum-bound, of which a paper only says that its results are "similar". We derive them:
  {", ".join(f"{verdict} {n}" for verdict, n in Counter(in_short(one.verdict) for one in similar).items())}.
* {by_verdict[depends]} depend on a condition such as the data set or the order of the leaves, of which
  {never_met(claims, criteria.DEPENDS)} are met as stated in no repetition: only some of their parts, or a named
  choice, meet them.
* {by_verdict[criteria.NO_ORDER]} are orderings without a consistent order, and {by_verdict[criteria.EQUAL]} are
  orderings of equal results. {never_met(claims, *UNDECIDED)} of these are never met, but no comparison is reversed in
  most repetitions. {by_verdict[criteria.UNSETTLED]} are unsettled.
* {by_verdict[criteria.AGREES] + by_verdict[criteria.DIFFERS]} are numbers that a paper prints for data that are not
  available. On substitute data, our numbers differ from {by_verdict[criteria.DIFFERS]} and agree with
  {by_verdict[criteria.AGREES]}. This neither confirms nor contradicts the paper.
* {by_verdict[criteria.SHOWN]} are about times, which are shown and not judged: {in_none} are met in no run, {in_some}
  in some, and {in_all_runs} in all.
* {sum(by_verdict[word] for word in without)} are not testable here or not measured.
* {here} hold: {every} of them under every reading of the papers, and {kindest} claims would hold under the kindest.
  {substitute[criteria.HOLDS_IN_WORDS]} of the {here} hold on substitute data, so they say little about the data of the
  papers. {_weak_holds(judged)} {_large_errors(claims)}

These numbers leave out {sum(following.values())} claims that could hardly have another outcome
({", ".join(f"{word} {n}" for word, n in sorted(following.items(), reverse=True))}). They follow from the data, such as
the characteristics of the data sets, from the kind of algorithm, or from other claims that hold. An example is the
order of three values, if the claims about two of them hold.
They also leave out {enforced} claims that the algorithms enforce.

This page is for researchers who cite or compare the methods.

*`python -m benchmarks.experiments render` generates this page; do not edit it.*"""


def _readings(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the reading of each paper, and the number of claims that hold under it and under others."""
    cells = []
    for key, claims in judged.items():
        words = "; ".join(f"*{reading}*: {why}" for reading, why in paper(key).reading.items())
        cells.append((names(key), words or "one reading", *map(str, holding(claims))))
    head = ("paper", "reading, and the words that fix it", "hold", "under every reading", "under the kindest")
    text = """\
## Readings

If a paper does not state precisely how it measures, several readings are measured. The verdict is that of one reading,
which the paper's words fix. If another reading has another verdict, it is in brackets."""
    return "\n\n".join((text, rows(head, cells)))


def _reversals(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the number of claims that also hold reversed or without information, and reversed orderings that hold."""
    orderings = [(key, one) for key, claims in judged.items() for one in claims if one.reverse]
    holds = criteria.HOLDS_IN_WORDS
    found = [(key, one) for key, one in orderings if one.reverse == holds or one.reverse.startswith(criteria.DEPENDS)]
    counted = "\n".join(f"| {name} | {n} |" for name, n in counts(one for of in judged.values() for one in of).items())
    text = f"""\
## Reversed claims that hold

`python -m benchmarks.experiments counts` prints these counts of the papers' claims. Without information, losses are
high and constraints are violated, so claims that say so are counted separately:

| claims | number |
|---|---|
{counted}

Orderings are judged without tolerance. The reversed claims that hold, or hold in parts, are findings of this
repetition:"""
    cells = [
        (names(key), one.figure, one.claim.text, f"**{one.reverse}**", one.basis, one.measured) for key, one in found
    ]
    return "\n\n".join((text, rows(("paper", "figure", "claim", "its reverse", "data", "measured"), cells)))


_BY_DATA = """\
This table counts the papers' claims by the data on which we judge them. Data of the same source that are not those of
the paper are substitute data ({}). A data set of the paper whose file has other characteristics counts as its data, and
the [panels](panels.md) name the difference. Claims about times, and claims that follow from the data or from
other claims, are in separate columns:"""


def _by_data(judged: Mapping[str, Sequence[Judged]]) -> str:
    parts = [
        f"{names(key)}: `{name}` has {ENTRIES[name].n:,} records instead of {n:,}, and [differs](panels.md)"
        for key in judged
        for name, n in paper(key).records_in_paper.items()
    ]
    cells = [
        (names(key), *(_counts(judgement for judgement in claims if judgement.basis == basis) for basis in BASES))
        for key, claims in judged.items()
    ]
    return "\n\n".join((_BY_DATA.format("; ".join(parts)), rows(("paper", *BASES), cells)))


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
    counts = Counter(in_short(judgement.verdict) for judgement in judged if judgement.claim.kind in OF_PAPERS)
    order = [word.removesuffix(" the ") for word, _ in _ORDER]
    return ", ".join(f"{word} {counts[word]}" for word in order if word in counts)


_DATA_OF_FINDINGS = """\
There is no rule for what is a main finding. We chose {chosen} sentences by hand, which sum up what a paper says about
its methods, and results were known then. The other counts do not depend on the choice. Of the {n} claims in this table
that are judged, {holds} hold ({share:.0%}), and of all claims that are judged {share_of_all:.0%}.

If a paper states a finding for several data sets, measures or costs, the table shows all of them. The column "data"
lists the data sets of the figure with the number of records used, and whether they are data of the paper:"""


def _in_short(judged: Mapping[str, Sequence[Judged]]) -> str:
    cells = [
        (
            names(key),
            judgement.figure,
            judgement.claim.text + _positions(key, judgement),
            _data(key, judgement),
            f"**{judgement.sentence}**",
            _in_few_words(judgement),
        )
        for key, claims in judged.items()
        for judgement in sorted(claims, key=lambda one: place_of(one.verdict))
        if judgement.claim.main
    ]
    if not cells:
        return ""
    head = ("paper", "figure", "finding", "data", "verdict", "repetitions")
    claims = [one for of_paper in judged.values() for one in of_paper if one.claim.kind == "paper"]
    main = [one for one in claims if one.claim.main]
    (n, holds), (of_all, holds_of_all) = _judged_and_holding(main), _judged_and_holding(claims)
    told = _DATA_OF_FINDINGS.format(
        chosen=sentences(main), n=n, holds=holds, share=holds / max(1, n), share_of_all=holds_of_all / max(1, of_all)
    )
    return "\n\n".join(("## Main findings", told, rows(head, cells)))


def _judged_and_holding(claims: Iterable[Judged]) -> tuple[int, int]:
    """Return the number of claims with a verdict, and of those that hold."""
    verdicts = [one.verdict for one in claims if one.verdict not in criteria.WITHOUT_VERDICT]
    return len(verdicts), verdicts.count(criteria.HOLDS_IN_WORDS)


def place_of(verdict: str) -> int:
    """Return the place of a verdict in the order of the page.

    >>> place_of("contradicted") < place_of("depends on the leaf order") < place_of("holds")
    True
    """
    return next(place for place, (word, _) in enumerate(_ORDER) if verdict.startswith(word))


def _figure(key: str, judgement: Judged) -> Figure:
    return next(figure for figure in paper(key).figures if figure.key == judgement.key)


def _data(key: str, judgement: Judged) -> str:
    cases = judged_cases(_figure(key, judgement), judgement.claim, judgement.parts)
    return f"{records_used(paper(key), cases)} ({judgement.basis})"


def _positions(key: str, judgement: Judged) -> str:
    """Return the measured positions of a claim about all positions of an axis, or of a claim with only a few."""
    figure = _figure(key, judgement)
    positions = dict.fromkeys(case.x for case in cases_of(figure, judgement.claim) if not isinstance(case.x, str))
    if not positions or not (is_about_all(judgement.claim) or 1 < len(positions) <= _FEW):
        return ""
    return f" (measured at {figure.x_label.partition(',')[0]} = {', '.join(map(str, positions))})"


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
    parts = [f"## {paper(key).title}", f"{link} {measured_at(key)}"]
    of_paper = [judgement for judgement in judged if judgement.claim.kind == "paper"]
    sections = [(head, [one for one in of_paper if one.verdict.startswith(word)]) for word, head in _ORDER]
    sections.append(("Follows from data or claims", [one for one in judged if one.claim.kind == "derived"]))
    for head, chosen in sections:
        if not chosen:
            continue
        cells = [
            (judgement.figure, _claim(key, judgement, head), judgement.basis, _share(judgement), judgement.measured)
            for judgement in chosen
        ]
        parts += [f"### {head}", rows(("figure", "claim", "data", "repetitions", "measured"), cells)]
    return parts


def measured_at(key: str) -> str:
    """Return the commits at which the results of a paper or study were measured, and checked, with the outcome."""
    results = results_of(paper(key))
    commits = sorted({result["machine"]["commit"] for result in results.values()})
    checks = stored_checks().get(key, {}).values()
    again = sorted({check["commit"] for check in checks})
    differing = sum(check["differing"] for check in checks)
    agreeing = f"{differing} differ" if differing else "all losses and counts agree"
    cases, drawn = (sum(check[name] for check in checks) for name in ("cases", "drawn"))
    return (
        f"We measured the results at commit {', '.join(commits)}, and {cases + drawn} of {len(results):,} cases again "
        f"({drawn} drawn at random) with the code of commit {', '.join(again)}: {agreeing}."
    )


def _claim(key: str, judgement: Judged, head: str) -> str:
    printed = f" (printed: {judgement.claim.printed})" if judgement.claim.printed else ""
    depends = f" **{judgement.sentence}**" if (judgement.sentence, head) not in _ORDER else ""
    return f"{judgement.claim.text}{_positions(key, judgement)}{printed}{depends}"


def _share(judgement: Judged) -> str:
    return f"{judgement.claim.factor.name}: {judgement.share}" if judgement.claim.factor and judgement.share else ""
