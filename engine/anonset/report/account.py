"""Summary of a run: the published data, the guarantee and the losses."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table as RichTable

from anonset.data import SetColumn
from anonset.generalization import PerCluster
from anonset.jobs.report_facts import facts_of_release
from anonset.measures.ambiguous_items import vanished_items
from anonset.measures.retention import (
    KEPT,
    PRINTED_FATES,
    SUPPRESSED,
    by_level,
    level_phrase,
    loss_relative_to,
    of_nodes,
    rare_in_clusters,
    rare_text,
    relative_to,
    shares,
)
from anonset.privacy import Verdict
from anonset.publications import Records
from anonset.release.documents import ATTESTATION, unit_in_words
from anonset.release.formats import UnverifiedPublication, kind_of
from anonset.release.guarantee_limits import declared_limits, limits_in_short
from anonset.release.memory import format_size
from anonset.release.release import Release
from anonset.release.scan.findings import few_persons
from anonset.release.statements import declarations, frontier_of, parameters_of
from anonset.release.stopwatch import COMPILING
from anonset.report.conclusion import guaranteed, plain_words
from anonset.report.distance import distance
from anonset.report.doubts import doubts, to_check
from anonset.report.frontier import frontier_text
from anonset.report.sections import Fact, Section, facts_table, table
from anonset.spelling import counted, listed, name_ranges, setting, short_value

if TYPE_CHECKING:
    from anonset.analysis.evaluation import Evaluation
    from anonset.measures.risks.sensitive_values import ObservedDiversity


_NCP_SCALE = " of 1 (0: no change; 1: all suppressed, or a single symbol)"
_COUNTED = {"items": "occurrences", "values": "values", "tuples": "tuples"}
"""Printed names of the units in which unchanged and changed data are counted."""
_DETAIL = {
    "ncp": ("item detail", "lost"),
    "rum": ("attribute detail", "lost"),
    "grouping_loss": ("rows changed", "have a hidden identity, or are removed"),
    "not_in_chunks": ("not in chunks", "of the item occurrences are terms, or suppressed"),
}
"""Printed name and meaning of each loss that the text shows. The JSON data contain all losses."""
_FEW = 5


def account(release: Release) -> list[Section]:
    """Return the summary of a run. It is private, because it contains the losses."""
    unverified, verdict, table = release.unverified, release.verdict, release.unverified.table
    declared = declarations(unverified, undecided=verdict.holds is None, files=None)
    limits = declared_limits(verdict.model, unverified.publication, declared)
    of_model = {name: value for name, value in parameters_of(verdict.model).items() if value != []}
    parameters = ", ".join(f"{name}={short_value(value)}" for name, value in of_model.items())
    method = {"algorithm": unverified.algorithm.name, "parameters": parameters_of(unverified.algorithm)}
    peak = max((phase.peak_memory or 0 for phase in release.phases), default=0)
    facts = [
        Fact("algorithm", f"{unverified.algorithm.name} ({parameters})", method),
        Fact("records", f"{unverified.publication.n:,}", {"records": unverified.publication.n}),
        Fact("unit", unit_in_words(declared.unit, verdict.model, [column.name for column in table.ids]),
             {"unit": declared.unit}),
        Fact("changed", "; ".join(map(str, table.changes)), _known(changes=table.changes, coarsened=table.coarsened)),
        *_sizes(release),
        Fact("earlier", _since_text(unverified), {} if unverified.since is None else {"earlier": unverified.since}),
        Fact("together", _together_text(unverified)),
        Fact(data=_known(merging=_merging(unverified))),
        _frontier(unverified),
        *(Fact(name, text) for name, text in _retention_texts(unverified).items()),
        Fact(data={"retention": unverified.retention, "shares": shares(unverified.retention)}),
        Fact("generalized", _levels_text(unverified)),
        Fact("too rare", _rare_text(unverified)),
        *(Fact(name, text) for name, text in _loss_texts(unverified).items()),
        Fact(data={"measures": unverified.measures, **_known(proof=_proof(unverified))}),
        Fact("removed", _removal_text(unverified)),
        Fact("exact values", _exact_values_text(release), _known(exact_values=release.exact_values)),
        Fact("as is", ", ".join(name_ranges(declared.published_as_is or ()))),
        Fact("verdict", str(verdict), {"model": verdict.model.name, "verdict": verdict.outcome}),
        Fact("verified", coverage(verdict), {"verified": verdict.checked, "limits": limits}),
        *_times(release),
        Fact("peak memory", format_size(peak) if peak else ""),
    ]  # fmt: skip
    full_list = ""
    if (place := release.published) is not None:
        out, private = str(place.out), str(place.private)
        facts += [Fact("published in", out, {"out": out}), Fact("private", private, {"private": private})]
        full_list = f" (full list: {place.out / ATTESTATION})"
    uncovered = limits_in_short(verdict.model, limits)
    promise, found = [verdict.model.statement], list[str]()
    if (published := facts_of_release(release)) is not None:
        promise, found = guaranteed(published), [*doubts(published)]
        promise, uncovered = ([plain_words(text, published) for text in texts] for texts in (promise, uncovered))
    notes = [f"Guarantee: {' '.join(promise)}", *to_check(found), f"Not covered{full_list}:"]
    notes += [f"- {text}" for text in uncovered]
    return [Section(notes=notes, data={"warnings": unverified.warnings, "doubts": found}, facts=facts)]


def _known(**data: Any) -> Mapping[str, Any]:
    """Return the facts that are not empty."""
    return {name: value for name, value in data.items() if value}


def evaluation_account(evaluation: "Evaluation") -> RichTable:
    """Return the losses of a publication as a table."""
    names = {"occurrences": "item occurrences", "universe": "items of the domain"}
    names |= {"generalized": "generalized items", "suppressed": "suppressed items"}
    coarsened = evaluation.coarsened
    facts = {f"loss ({loss_label(name)})": f"{loss:.6g}" for name, loss in evaluation.measures.items()}
    if "ncp" in evaluation.measures:
        facts[f"loss ({loss_label('ncp')})"] += _NCP_SCALE
    if evaluation.bound is not None:
        bound, name = evaluation.bound, f"loss ({loss_label('ncp')})"
        far = distance(evaluation.measures["ncp"], bound.lower_bound, suppression=bound.suppression)
        facts[name] += (
            f", {far} ({bound.lower_bound:.6g})" if evaluation.measures["ncp"] > bound.lower_bound else f", {far}"
        )
    for name in evaluation.measures:
        facts[f"loss ({loss_label(name)})"] += loss_relative_to(name, coarsened)
    if evaluation.answers is not None:
        answers = evaluation.answers
        skipped = f", {answers.skipped:,} skipped (answer 0)" if answers.skipped else ""
        reading = "" if answers.reading is None else f", {answers.reading}"
        facts[f"error of queries (ARE{reading})"] = f"{answers.are:.6g} over {answers.answered:,} queries{skipped}"
    if evaluation.itemsets is not None:
        sets = evaluation.itemsets
        reading = "" if sets.reading is None else f", {sets.reading}"
        of_sets = f"of the {sets.top:,} most frequent sets of 2 to 4 items"
        facts[f"frequent sets lost (tKd{reading})"] = f"{sets.tkd:.1%} {of_sets}"
        facts[f"error of their counts (re{reading})"] = f"{sets.re:.6g}"
    if evaluation.classes is not None:
        classes = evaluation.classes
        average = f"{classes.average_class_size:,.1f} records on average"
        facts["equivalence classes"] = f"{classes.classes:,}, {average}, discernability {classes.discernability:,}"
    facts |= {f"observed in {name}": _observed_text(diversity) for name, diversity in evaluation.observed.items()}
    if evaluation.levels:
        total, counts = max(1, sum(evaluation.levels.values())), evaluation.levels
        kept, suppressed = counts.get(KEPT, 0), counts.get(SUPPRESSED, 0)
        fates = {"kept": kept, "generalized": total - kept - suppressed, "suppressed": suppressed}
        shown = [f"{count:,} {fate} ({count / total:.1%})" for fate, count in fates.items()]
        facts["occurrences"] = ", ".join(shown) + relative_to("items", coarsened)
        facts |= {"generalized": text} if (text := levels_text(counts, evaluation.sizes["universe"])) else {}
    facts |= {names.get(name, name): f"{size:,}" for name, size in evaluation.sizes.items()}
    return facts_table({**facts, "read from": evaluation.source})


def _observed_text(diversity: "ObservedDiversity") -> str:
    by_frequency = f"{diversity.frequency_l:.3g} (by frequency), {diversity.entropy_l:.3g} (by entropy)"
    text = f"l={diversity.distinct_l} (distinct), {by_frequency}"
    homogeneous = f"; {counted(diversity.homogeneous_records, 'record')} in classes with a single value"
    return f"{text}; t={diversity.t:.3g}{homogeneous if diversity.homogeneous_records else ''}"


def loss_label(name: str) -> str:
    """Return the displayed name of a loss.

    >>> loss_label("log2_ul"), loss_label("ncp")
    ('log2 UL', 'NCP')
    """
    return name if name == "tlost" else name.upper().replace("LOG2_", "log2 ").replace("_", " ")


_SHOWN = 6
"""Maximum number of rows of a table of examples, and of listed members of a symbol."""


def before_and_after(release: Release) -> RichTable:
    """Return a table of the first changed records, before and after anonymization."""
    publication, original = release.unverified.publication, release.unverified.table.transactions
    published, rows = publication.transactions, []
    if original is not None and published is not None:
        for row in np.argsort(publication.record, kind="stable"):
            before = _labels(original, int(publication.record[row]))
            after = _labels(published, int(row))
            if before != after and len(before) > 1:
                rows.append((" ".join(before), " ".join(after)))
            if len(rows) == _SHOWN:
                break
    return table(("before", "after"), rows, left=("after",), title="Records before and after")


def _labels(column: SetColumn, record: int) -> list[str]:
    return [column.vocabulary.labels[code] for code in column.held_by(record)]


def _since_text(unverified: UnverifiedPublication[Any]) -> str:
    if (since := unverified.since) is None:
        return ""
    coarser = [f"{name} → {now}" for name, now in since.coarser.items()]
    lists = {"coarser": coarser, "suppressed": since.suppressed, "new": since.new}
    counts = [f"{len(names):,} {kind} ({_first_names(names)})" for kind, names in lists.items() if names]
    return "; ".join([f"{counted(since.kept, 'symbol')} kept", *counts])


def _together_text(unverified: UnverifiedPublication[Any]) -> str:
    if (other_release := unverified.other_release) is None:
        return ""
    figures = unverified.result.figures
    guarantee = f"guarantee together with the earlier release for {counted(int(figures['in_both']), 'person')} in both"
    against = "even if rows are linked" if other_release.linked else "if rows are not linked"
    raised = f"{counted(int(figures['raised']), 'hierarchy node')} generalized to achieve this"
    spared = figures["raised"] > 0 and unverified.earlier is None
    hint = f" ({setting('recoding')} continues that release and may avoid this)" if spared else ""
    return f"{guarantee}, {against}; {raised}{hint}"


def _first_names(names: Sequence[str]) -> str:
    return ", ".join([*map(short_value, names[:_FEW]), *(["…"] if len(names) > _FEW else [])])


def _merging(unverified: UnverifiedPublication[Any]) -> list[dict[str, float]]:
    """Return the number of clusters and the relational loss at some steps of the merging.

    Empty if no clusters were merged.
    """
    figures, trace = unverified.result.figures, unverified.result.trace
    if not trace or "clusters_before" not in figures:
        return []
    from anonset.algorithms.rt.merging import Merge, intermediate_losses

    if not isinstance(trace[-1], Merge):
        return []
    before = int(figures["clusters_before"])
    merges = trace[len(trace) - (before - int(figures["clusters"])) :]
    return [
        {"rum": rum, "clusters": n_clusters}
        for rum, n_clusters in intermediate_losses(figures["rum_before"], before, merges)
    ]


def _proof(unverified: UnverifiedPublication[Any]) -> dict[str, float]:
    """Return the proven lower bound on the loss of a hierarchy cut, if the algorithm computes a bound."""
    figures = unverified.result.figures
    return {name: figures[name] for name in ("lower_bound", "gap", "suppression") if "lower_bound" in figures}


def _frontier(unverified: UnverifiedPublication[Any]) -> Fact:
    points = frontier_of(unverified.result)
    return Fact("other balances", frontier_text(points) if len(points) > 1 else "", _known(frontier=points))


def _rare_text(unverified: UnverifiedPublication[Any]) -> str:
    """Return a warning if most items are too rare in their clusters to be published unchanged, or an empty text.

    Tables that were split into parts have no warning.
    """
    column, recoding = unverified.table.transactions, unverified.result.recoding
    if column is None or not isinstance(recoding, PerCluster) or recoding.parts is not None:
        return ""
    share = rare_in_clusters(column, recoding.cluster, int(getattr(unverified.algorithm, "k", 1)))
    return rare_text(share)


def _retention_texts(unverified: UnverifiedPublication[Any]) -> dict[str, str]:
    texts, parts = {}, shares(unverified.retention)
    for name, counts in unverified.retention.items():
        fates = [
            f"{count:,} {PRINTED_FATES.get(fate, fate)} ({parts[name][fate]:.1%})" for fate, count in counts.items()
        ]
        texts[_COUNTED[name]] = ", ".join(fates) + relative_to(name, unverified.table.coarsened)
    return texts


def _levels_text(unverified: UnverifiedPublication[Any]) -> str:
    """Return a text on the number of levels by which items are generalized.

    Empty if all items are generalized equally.
    """
    column = unverified.table.transactions
    recoding: Any = unverified.result.recoding
    if column is None or "generalized" not in unverified.retention.get("items", {}):
        return ""
    counts = by_level(column, recoding, unverified.hierarchies.get(column.name) if of_nodes(recoding) else None)
    return levels_text(counts, len(column.vocabulary)) if len({*counts} - {KEPT, SUPPRESSED}) > 1 else ""


def levels_text(counts: Mapping[str, int], items: int) -> str:
    """Return a text with the number and share of the occurrences that are generalized by each number of levels.
    `items` is the number of items of the data.

    >>> levels_text({"kept": 5, "1 level up": 3, "2 levels up": 1, "suppressed": 1}, 8)
    '3 (30.0%) by 1 level, 1 (10.0%) by 2 levels'
    """
    total = max(1, sum(counts.values()))
    parts = {name: count for name, count in counts.items() if name not in (KEPT, SUPPRESSED)}
    return ", ".join(f"{count:,} ({count / total:.1%}) {level_phrase(name, items)}" for name, count in parts.items())


def _loss_texts(unverified: UnverifiedPublication[Any]) -> dict[str, str]:
    texts, figures = {}, unverified.result.figures
    for name, loss in unverified.measures.items():
        if name in _DETAIL:
            about, meaning = _DETAIL[name]
            texts[about] = f"{loss:.1%} {meaning}"
            if name == "ncp" and "lower_bound" in figures:
                texts[about] += (
                    f", {distance(loss, figures['lower_bound'], suppression=bool(figures.get('suppression')))}"
                )
            texts[about] += loss_relative_to(name, unverified.table.coarsened)
    return texts


def _times(release: Release) -> list[Fact]:
    seconds = {phase.name: phase.seconds for phase in release.phases}
    compiling = sum(phase.seconds for phase in release.phases if phase.name == COMPILING)
    total = sum(phase.seconds for phase in release.phases) - compiling
    return [
        Fact("time", f"{total:.2f} s", {"seconds": seconds}),
        Fact("compiling", f"{compiling:.2f} s more" if compiling else ""),
    ]


def _removal_text(unverified: UnverifiedPublication[Any]) -> str:
    """Return a text on the number of removed rows: rows with a too frequent value, and rows of removed groups."""
    counts, shares = unverified.result.figures, unverified.measures
    if not counts.get("removed_for_diversity"):
        return ""
    for_diversity, with_groups = counts["removed_for_diversity"], counts["removed_with_groups"]
    return (
        f"{counted(int(for_diversity), 'row')} ({shares['removed_for_diversity']:.1%}) with a too frequent value, "
        f"{counted(int(with_groups), 'row')} of removed groups"
    )


def _exact_values_text(release: Release) -> str:
    if not release.exact_values:
        return ""
    counts = listed([f"{counted(count, 'value')} of {name!r}" for name, count in release.exact_values.items()], "and")
    fewer = f"fewer than {few_persons(release.unverified.algorithm.model)} persons"
    if sum(release.exact_values.values()) == 1:
        return f"{counts} belongs to {fewer}; the model publishes this value unchanged"
    return f"{counts} belong to {fewer} each; the model publishes these values unchanged"


def _sizes(release: Release) -> list[Fact]:
    """Return the number of items, of published symbols, and of clusters or groups."""
    size_of, texts = kind_of(release.unverified.algorithm.model).sizes(release.unverified), dict[str, str]()
    if "items" in size_of:
        lost, vanished = "", vanished_items(release.unverified.table.transactions, release.unverified.publication)
        if vanished:
            lost = f"; {counted(len(vanished), 'more item')} not published"
        shown, groups = size_of["items"] - len(vanished), counted(size_of["symbols"], "group")
        texts["items"] = f"{shown:,} items published as {groups}{lost}"
    if "parts" in size_of:
        bounds = f"{size_of['smallest_part']:,} to {size_of['largest_part']:,}"
        by = "a secret hash of the id" if "groups" in size_of else "relational values"
        merged = (
            f"their {size_of['begun_in_parts']:,} clusters were merged across parts"
            if "begun_in_parts" in size_of
            else ""
        )
        manner = merged or "each part was anonymized separately"
        texts["split"] = f"{size_of['parts']:,} parts with {bounds} records, formed by {by}; {manner}"
    if size_of.get("clusters"):
        sizes = dict.fromkeys((size_of["smallest_cluster"], size_of["largest_cluster"]))
        texts["clusters"] = f"{size_of['clusters']:,}, with {' to '.join(f'{n:,}' for n in sizes)} records each"
    if size_of.get("ambiguous_items"):
        texts["overlap"] = (
            f"{size_of['ambiguous_items']:,} items are published as several symbols: use the codebook to count them"
        )
    if "groups" in size_of:
        texts["groups"] = f"{size_of['groups']:,}; {size_of['starred']:,} rows with a hidden identity"
    return [Fact(data=size_of), *(Fact(name, text) for name, text in texts.items())]


def codebook_table(publication: Records) -> RichTable:
    """Return a table of the largest codebook symbols with several items."""
    rows = []
    several = [symbol for symbol in publication.symbols if len(symbol.members) > 1]
    for symbol in sorted(several, key=lambda symbol: -len(symbol.members))[:_SHOWN]:
        shown = ", ".join(symbol.members[:_SHOWN]) + (", …" if len(symbol.members) > _SHOWN else "")
        rows.append((symbol.label, str(len(symbol.members)), shown))
    return table(("symbol", "items", "members"), rows, left=("members",), title="Largest published symbols")


def coverage(verdict: Verdict) -> str:
    """Return a text on the extent of a verification.

    The text includes the number of protected items that no published symbol represents. These items cannot violate the
    guarantee.
    """
    covered = str(verdict.checked.get("covered", ""))
    if not (unpublished := verdict.checked.get("unpublished_items", 0)):
        return covered
    return f"{covered}; {unpublished:,} of {verdict.checked['protected_items']:,} protected items are not published"
