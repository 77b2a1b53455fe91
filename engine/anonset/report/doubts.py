"""Doubts about a publication that its readers must see first: contradictions of the owner's declarations, and choices
that leave persons unprotected.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from anonset.analysis.risk import BucketRisk, Risk
from anonset.analysis.summary import lost_columns
from anonset.columns.headers import is_known, meaning_of
from anonset.data.joining import prefixed
from anonset.data.table_facts import FIRST_VALUE
from anonset.errors import Fix, Problem
from anonset.jobs.report_facts import ReportFacts
from anonset.jobs.revealing_names import MOST_NAMED, MOST_OF_RARE
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.reading.file_options import UNKNOWN, Unit
from anonset.release.documents import UNDECLARED, Report
from anonset.report.conclusion import (
    attacker_beyond,
    plain_words,
    seems_sensitive,
    skipped_rows,
    source_rows,
    unprotected,
)
from anonset.report.countable import empty_records
from anonset.report.risks.base import complete_set, doubted_person, most_in_groups, worst_knowledge
from anonset.report.risks.records import or_all, persons_below_k, verdict_on_search
from anonset.report.risks.verdicts import AttackVerdict, attack_verdicts, in_a_clause, verdicts_on_inference
from anonset.settings.publication import NEEDED, NOT_SHOWN, ReportSettings
from anonset.spelling import counted, listed

SIGNERS = ("Owner", "Officer")
"""Who signs a report. A recipient also signs if a doubt asks for it."""
_BROKEN = "A simulated attack exceeds the guarantee: do not release the data."
FEWEST_MATCHES, FEWEST_PERSONS = 3, 50
"""Smallest k and smallest number of records that are no doubt."""
_OF_GROUP = 5
"""Minimum size of the group of an example."""
_MOST_OF_THEM = 0.5
"""Share of persons. The smallest number of items by which an attacker singles out more persons is shown."""


class Doubt(str):
    """Doubt as a sentence, and who confirms that it was checked."""

    who: str

    @classmethod
    def of(cls, sentence: str, who: str) -> "Doubt":
        """Return a doubt."""
        made = cls(sentence)
        made.who = who
        return made


def doubts(facts: ReportFacts, typed: ReportSettings | None = None) -> list[Doubt]:
    """Return the doubts, the most harmful first. A shareable report has those that follow from the publication, and
    asks for a confirmation of the declared person.

    The owner confirms facts about the data, and the officer accepts what the guarantee does not cover. In a shareable
    report, the recipient confirms not to know more than it covers.

    Parameters
    ----------
    typed
        Statements of the owner, in which a confirmation may be missing. None outside a report.
    """
    declared, private = facts.attested.declarations, facts.private
    owner, officer = SIGNERS
    reader = officer if private is not None else "Recipient"
    confirmed: list[tuple[str, Iterable[str]]] = [
        (owner, [_BROKEN] if getattr(facts.after, "broken", 0) else []),
        (owner, [] if typed is None or private is not None else _unconfirmed(facts, typed)),
        (owner, [] if private is None else [*_contradictions(private, facts), *_namesakes(private)]),
        (owner, unknown_persons(declared.unit)),
        (owner, [] if private is None else _skipped(private, facts)),
        (officer, _lost(facts)),
        (reader, filter(None, [attacker_beyond(facts)])),
        (owner, _published_as_is(facts)),
        (officer, (f"{one.sentence}." for one in unprotected_sensitive(unprotected(facts)))),
        (officer, _inferences_from_all_rows(facts)),
        (reader, _shared_values(facts)),
        (officer, weak_guarantee(
            facts.model, facts.summary.n, next(iter(facts.items_per_person), 0), _most_in_groups(facts),
            of="items" if facts.compared or facts.private is not None else "published symbols",
        )),
        (reader, _unlike_others(facts)),
        (officer, _successful_attacks(facts)),
        (officer, (f"{one.sentence}." for one in unprotected_items(_items(facts), facts.model.secrets))),
        (owner, _names_of_groups(facts)),
        (owner, _rare_leaves(facts)),
        (owner, earlier_releases(facts.releases)),
        (reader, [] if typed is None or private is not None else _stated_limits(typed)),
        (owner, [] if typed is None else _not_stated(typed, is_shareable=private is None)),
        (owner, [] if private is None else _differing(private)),
    ]  # fmt: skip
    return [
        Doubt.of(plain_words(f"{sentence[0].upper()}{sentence[1:]}", facts), who)
        for who, sentences in confirmed
        for sentence in sentences
    ]


def to_check(found: Sequence[str]) -> list[str]:
    """Return the lines of a terminal about doubts."""
    return ["Check first:", *(f"- {doubt}" for doubt in found)] if found else []


def _contradictions(report: Report, facts: ReportFacts) -> Iterator[str]:
    """Yield facts that contradict the declared person, and what they mean, and other facts about the persons."""
    contradicted = [f"{text}." for text in report.contradictions]
    if contradicted and doubted_person(facts) and facts.attested.declarations.unit not in UNDECLARED:
        contradicted[-1] += (
            " If the declaration is wrong, the guarantee does not protect persons. Then declare who is a person, and "
            "publish again. If it is right, state in the shareable report how it was confirmed, because recipients do "
            "not see these facts."
        )
    yield from contradicted
    if isinstance(facts.after, Risk) and (counted_persons := persons_below_k(facts.after, facts.after.exposures)):
        yield f"Counted by {listed(facts.counted_by, 'with') or 'persons'}, {counted_persons[-1]}"
    elif (
        not facts.compared and facts.model.kind == "records" and report.settings.get("input") and report.likely_persons
    ):
        by, way = listed(report.likely_persons, "with"), "anonset risk OUT.private/report.json"
        yield f"To count persons by {by} with fewer than k matches: {way}."
    yield from (f"{text}." for text in report.on_persons)


def _unconfirmed(facts: ReportFacts, typed: ReportSettings) -> Iterator[str]:
    """Yield that the owner confirms the declared person against the data, or that a shareable report cannot show
    whether it is right, and the owner's confirmation.
    """
    asked = ReportSettings.model_fields["confirmation"].title
    if facts.contradicted:
        yield (
            "The data contradict the declared person. The owner confirms the declaration nevertheless: see "
            f"“{asked}”. If the owner is wrong, the guarantee does not protect persons."
        )
    elif facts.attested.declarations.unit not in UNDECLARED:
        how = (
            f"see “{asked}”, which is not stated"
            if not typed.confirmation
            else "only the owner's statement confirms it"
        )
        yield f"The owner declared who is a person. This report cannot show whether the data contradict it: {how}."


def _not_stated(typed: ReportSettings, *, is_shareable: bool) -> Iterator[str]:
    """Yield the missing statements of the owner without which nobody can judge a release."""
    stated = typed.statements(is_shareable=is_shareable)
    needed = [*NEEDED, *(NOT_SHOWN if is_shareable else ())]
    titles = [str(ReportSettings.model_fields[name].title) for name in needed]
    if missing := [title for title in titles if not stated[title]]:
        yield f"The owner has not stated {listed([title[0].lower() + title[1:] for title in missing], 'and')}."


def _stated_limits(typed: ReportSettings) -> Iterator[str]:
    """Yield what the owner states and the guarantee does not cover: other releases, and rows that are left out."""
    if typed.other_releases and not typed.states_none("other_releases"):
        yield (
            f"The owner names other releases of these persons: “{typed.other_releases}”. The guarantee does not cover "
            "someone who has several of them."
        )
    if typed.left_out and not typed.states_none("left_out"):
        yield f"The owner states what is left out: “{typed.left_out}”. Counts are about the rest."


def _namesakes(report: Report) -> Iterator[str]:
    """Yield that persons are identified by their names alone."""
    names = Unit.of(report.settings.get("unit")).columns
    if names and all(meaning_of(name) == "name" for name in names):
        known = listed(names, "and")
        yield f"Persons are identified by {known}: the rows of persons with the same name are one record."


def unknown_persons(unit: str) -> Iterator[str]:
    """Yield that no person is declared. `unit` is the one of a job or of an attestation."""
    if unit in (*UNDECLARED, UNKNOWN):
        yield "No person is declared. The guarantee covers rows, and a person may have several."


def unprotected_sensitive(published: Sequence[str]) -> Iterator[Problem]:
    """Yield a problem for the columns whose headers name sensitive attributes or ethnic origins, and one for those
    whose headers name no attribute that others know.

    Parameters
    ----------
    published
        Columns whose values the model does not protect.
    """
    seeming = [name for name in published if seems_sensitive(name)]
    unknown = [name for name in published if name not in seeming and not is_known(name, dates=True)]
    for names, seems, seem in ((seeming, "seems", "seem"), (unknown, "may be", "may be")):
        if names:
            columns, them = f"Columns {listed(names, 'and', MOST_NAMED)} {seem}", "them"
            if len(names) == 1:
                columns, them = f"Column {names[0]} {seems}", "it"
            problem = f"{columns} sensitive, but the guarantee does not limit what others infer about {them}"
            yield Problem(problem, [Fix({"drop": names})])


def _published_as_is(facts: ReportFacts) -> Iterator[str]:
    if names := facts.attested.declarations.published_as_is:
        named = listed(names, "and")
        yield f"The owner declared that {named} may show names, identifiers or exact values of few persons."
    yield from (f"In {name}, {text}." for name, text in facts.personal_items.items())
    if ids := getattr(facts.attested.data, "id", ()):
        yield f"The values of {listed(ids, 'and')} are published, so readers see who is in the data."


def _inferences_from_all_rows(facts: ReportFacts) -> Iterator[str]:
    """Yield the highest confidence about the sensitive value of a person with several rows, if the guarantee does not
    limit it.
    """
    inferences = facts.after.inferences if isinstance(facts.after, BucketRisk) else ()
    limit = max((one.promised for one in inferences if one.promised is not None), default=0.0)
    for one in inferences:
        if one.promised is None and one.highest > limit:
            yield (
                f"The guarantee limits the confidence about one row to {percent(limit)}. Someone who compares "
                f"{one.known} infers a value with a confidence of up to {percent(one.highest)}."
            )


def _shared_values(facts: ReportFacts) -> Iterator[str]:
    """Yield the number of records whose matching records all have the same value of an unchanged column."""
    for name, found in facts.after.disclosures.items() if isinstance(facts.after, Risk) else ():
        if (n := found.homogeneous_records) and found.t:  # t is 0 if all records have the same value
            yield (
                f"All records that match {n:,} of {counted(facts.after.records, 'record')} have the same value of "
                f"{name!r}, so someone who knows the other attributes of such a person learns it."
            )


def _most_in_groups(facts: ReportFacts) -> str:
    """Return the largest share of a sensitive value in a group, as a clause. Empty if it is not counted."""
    skew = facts.after.skews.get(facts.model.sensitive_column or "") if isinstance(facts.after, Risk) else None
    return "" if skew is None else most_in_groups(skew)


def weak_guarantee(
    model: PrivacyModel, n: int | None, items: int, largest: str = "", *, of: str = "items"
) -> Iterator[str]:
    """Yield that k or l is small, that there are few records, and that records have more items than is covered.

    Parameters
    ----------
    n
        Number of records, or None if they are not counted.
    items
        Typical number of items of a record, or 0.
    largest
        Largest share of a sensitive value in a group (`most_in_groups`). Empty if it is not counted.
    of
        What is counted as items of a record.
    """
    if model.k == 1:
        yield "With k = 1, the guarantee does not hide which record belongs to a person."
    elif model.k is not None and model.k < FEWEST_MATCHES:
        yield f"With k = {model.k}, an attacker may be left with a choice between {model.k} persons."
    if not model.bounds_shares and 1 < model.diversity <= FEWEST_MATCHES:
        most = (size := max(model.k or 0, _OF_GROUP)) - model.diversity + 1
        example = f"; here, {largest}" if largest else f", for example {most} of {size}"
        yield (
            f"With l = {model.diversity}, most persons of a group may have the same value of "
            f"{model.sensitive_column!r}{example}."
        )
    if n is not None and n < FEWEST_PERSONS:
        yield f"The data contain only {counted(n, 'record')}. Others may know who is among them."
    if model.m == 1 and model.k != 1 and items > 1:
        yield f"The guarantee covers someone who knows 1 item of a person, and records have about {items:,} {of}."


def _unlike_others(facts: ReportFacts) -> Iterator[str]:
    """Yield the result of an attacker who knows all items, or the sensitive value."""
    who = facts.after.units if isinstance(facts.after, Risk) else "rows"
    if alone := facts.unlike_others:
        yield (
            f"The guarantee does not cover attackers who know {worst_knowledge(facts)}: they single out "
            f"{percent(alone)} of the {who}.{complete_set(facts)}"
        )


def _successful_attacks(facts: ReportFacts) -> Iterator[str]:
    """Yield the most successful attack of each kind that succeeds. Of the searches, this is one with more random items
    than the guarantee covers, because others have their own doubts.
    """
    risk = facts.after
    searches = [(one, verdict_on_search(risk, one)) for one in risk.attempts] if isinstance(risk, Risk) else []
    beyond = [one for one, it in searches if one.items and one.promised is None and not one.as_is and it.succeeds]
    worst = max(
        beyond,
        key=lambda one: (
            round(min(one.alone, _MOST_OF_THEM), 3),
            min(one.success, _MOST_OF_THEM),
            -one.items,
            not one.values,
        ),
        default=None,
    )
    if worst is not None and isinstance(risk, Risk):
        yield (
            f"The guarantee does not cover attackers who know {worst.words} of a person{or_all(worst)}: they single "
            f"out {percent(worst.alone)} of the {risk.units}, and find {percent(worst.success)} by guessing "
            "(simulated attack, original items and values)."
        )
    best = dict[str, AttackVerdict]()
    told, outcomes = (getattr(risk, name, ()) for name in ("told", "outcomes"))
    for verdict in (*verdicts_on_inference(told), *attack_verdicts(outcomes, {})):
        if verdict.succeeds:
            best[verdict.attack] = max(verdict, best.get(verdict.attack, verdict), key=lambda of: of.beyond)
    yield from (f"An attack that the guarantee does not cover succeeds: {in_a_clause(one)}." for one in best.values())


def unprotected_items(columns: Mapping[str, str], secrets: Sequence[str] = ()) -> Iterator[Problem]:
    """Yield a problem for each column of items that may be sensitive, if none of its items is declared sensitive.

    Parameters
    ----------
    columns
        What the items are, by column (see `ReportFacts.sensitive_items`). Empty if they are not recognized.
    secrets
        Items that are declared sensitive. If there are several columns, each item contains its column.
    """
    for name, known in columns.items():
        start = prefixed(name, "") if len(columns) > 1 else ""
        if (known or seems_sensitive(name)) and not any(item.startswith(start) for item in secrets):
            yield Problem(
                f"The items of {name} {known or 'seem sensitive'}, and none is declared sensitive: the guarantee does "
                "not limit what others infer about them"
            )


def _items(facts: ReportFacts) -> dict[str, str]:
    """Return what the items are, by column."""
    return {name: facts.sensitive_items.get(name, "") for name in getattr(facts.attested.data, "items", ())}


def _names_of_groups(facts: ReportFacts) -> Iterator[str]:
    """Yield the published names of groups of an own hierarchy, and those that contain a value of few persons."""
    for name, value in facts.group_names.items():
        if value:
            yield (
                f"The published group {name!r} has {value!r} in its name, a value of fewer than {facts.model.k} "
                "records. Readers may take it for the value of every record of the group."
            )
    if facts.group_names:
        named = listed([repr(name) for name in facts.group_names], "and", MOST_NAMED)
        of = "groups or values" if facts.attested.data.quasi_identifiers else "groups"
        yield f"Nobody checked what the names of these published {of} reveal: {named}."


def _rare_leaves(facts: ReportFacts) -> Iterator[str]:
    """Yield the leaves of an own hierarchy that the codebook names, although no or few records have them."""
    if rare := facts.rare_leaves:
        named = listed([f"{name!r} ({n})" for name, n in rare.items()], "and", MOST_NAMED)
        yield (
            f"The codebook names {counted(len(rare), 'item')} of the owner's hierarchy that at most {MOST_OF_RARE} "
            f"records have. Nobody checked what these names reveal (records): {named}."
        )


def _lost(facts: ReportFacts) -> Iterator[str]:
    """Yield the columns of which recipients see only one label, the records and the items that they do not see."""
    yield from lost_columns(facts.details)
    if empty := empty_records(facts):
        yield f"{empty}."
    if gone := facts.vanished:
        named = listed(gone, "and", MOST_NAMED)
        yield f"No published record shows {counted(len(gone), 'item')} of the original, alone or in a group: {named}."


def earlier_releases(releases: Mapping[str, str]) -> Iterator[str]:
    """Yield the doubt that other publications, each with what is the same, may be about the same persons."""
    if releases:
        names = {same: [name for name, of in releases.items() if of == same] for same in releases.values()}
        have = [f"{listed(of, 'and')} {'has' if len(of) == 1 else 'have'} {same}" for same, of in names.items()]
        s, all_of_them = ("", "both releases") if len(releases) == 1 else ("s", "several of them")
        yield (
            f"The publication{s} {listed(have, 'and')}, and may be about the same persons. The guarantee does not "
            f"cover attackers with {all_of_them}."
        )


def _differing(report: Report) -> Iterator[str]:
    """Yield the columns whose published value is untrue for some rows of a person."""
    persons = max(1, report.input["records"])
    if columns := [
        f"{change.column} of {counted(change.occurrences, 'person')} ({percent(change.occurrences / persons)})"
        for change in report.changes
        if change.rule == FIRST_VALUE
    ]:
        yield f"The rows of a person have several values, and the first is published: {listed(columns, 'and')}."


def _skipped(report: Report, facts: ReportFacts) -> Iterator[str]:
    for change in skipped_rows(report):
        if rows := source_rows(report, facts):
            yield f"{change}, {percent(change.occurrences / rows)} of all rows. They are not in the publication."
