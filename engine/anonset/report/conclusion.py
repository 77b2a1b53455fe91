"""Parts of the report for the officer who signs it: conclusion, persons and records, guarantee, and sensitive data."""

import re
from collections.abc import Mapping, Sequence
from inspect import get_annotations

from anonset.analysis.risk import Risk
from anonset.columns.headers import is_about, is_sensitive
from anonset.data.table_facts import CONTINUED, FIRST_VALUE, NOT_DESCRIBED, NOT_PUBLISHED, Change
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.reading.file_options import Unit
from anonset.release.documents import UNDECLARED, Report
from anonset.release.guarantee_limits import ranked_limits, sentences
from anonset.release.statements import parameters_of
from anonset.report.risks.base import PagePart, declared_condition, doubted_person, likelier, worst_knowledge
from anonset.report.risks.verdicts import successes_in_words
from anonset.report.techniques import left_out
from anonset.settings.parameters import type_and_text
from anonset.settings.publication import NOT_SHOWN, ReportSettings
from anonset.spelling import counted, listed, name_ranges

PERSON, RECORDS = "Person", "Rows and records"
"""Names of facts about persons."""
_DECLARED = {
    "person": "The owner declared {} All rows of a person are one record.",
    "row, declared a person": "The owner declared that each row is a different person.",
    "row, person unknown": "No person is declared: the owner stated that the data do not show who is a person. The "
    "guarantee covers rows. A person with several rows is not protected.",
    "row, not asked": "No person is declared, because the data contain only sets of items. The "
    "guarantee covers rows. A person with several rows is not protected.",
}
"""Who declared what a person is, by unit of privacy, with the declaration in words."""
_CHECKED = {
    "covered": "examined",
    "itemset_occurrences": "occurrences of sets of items in different rows",
    "distinct_itemsets": "different sets of items",
    "distinct_rows": "different rows (all rows without items count as one)",
    "classes": "groups of records with equal quasi-identifiers",
    "smallest_class": "records in the smallest of these groups",
    "fewest_values": "fewest different sensitive values in a group",
}
"""Facts of a check in words. The names of other facts are words already."""


_SETS = {"1": "single items", "2": "pairs"}
_MOST_NAMED = 6
"""Maximum number of columns that a sentence names."""
_BOUND = re.compile(r" \([^()]*[<>]=[^()]*\)")
"""Bound of a parameter in its text, which only the owner needs."""
_NOT_COVERED = {
    "Singling out": "The model does not bound the number of matching records.",
    "Linkability": "An attacker may be able to link a person's records with other publications.",
    "Inference": "A value or item that all matching records share is disclosed, including values published unchanged.",
}
"""Consequence of each risk, if the model does not bound the risk."""


def plain_words(text: str, facts: ReportFacts) -> str:
    """Return a text with the names of the columns of a publication in place of terms of the field."""
    return with_columns(text, facts.attested.data.quasi_identifiers)


def with_columns(text: str, columns: Sequence[str]) -> str:
    """Return a text with the names of columns in place of terms of the field.

    >>> with_columns("Someone who knows all quasi-identifiers and 2 items", ["age", "sex"])
    'Someone who knows age and sex, and 2 items'
    """
    known = listed(name_ranges(columns) or ["attributes"], "and", _MOST_NAMED)
    words = {"all quasi-identifiers and": f"{known}, and", "all quasi-identifiers": known}
    for term, plain in words.items():
        text = text.replace(term, plain)
    return with_groups(text)


def with_groups(text: str) -> str:
    """Return a text with one term for groups of records with equal quasi-identifiers.

    >>> with_groups("An equivalence class, and all equivalence classes.")
    'A group of matching records, and all groups of matching records.'
    """
    text = re.sub(r"\b([Aa])n equivalence class\b", r"\1 equivalence class", text)
    return re.sub(
        r"([eE])quivalence class(es)?",
        lambda found: f"{'gG'[found[1] == 'E']}roup{'s' * bool(found[2])} of matching records",
        text,
    )


def conclusion(facts: ReportFacts, part: PagePart, statements: Mapping[str, str]) -> list[str]:
    """Return the conclusion as sentences: the guarantee, who verified it, the simulated attacks, the most important
    limit, the columns, and what only the owner can state in a shareable report.

    Parameters
    ----------
    statements
        Statements of the owner by name. They are empty if they are not given.
    """
    verified = f"A checker that uses no code of the algorithms verified this from the published files: {facts.model}."
    texts = [
        *guaranteed(facts),
        *([] if facts.attested.declarations.accepted_undecided else [verified]),
        attacked(facts, part),
        f"Most important limit: {_limit(facts)}",
    ]
    return [*(plain_words(text, facts) for text in texts), *_columns(facts), *_stated(facts, statements)]


def _stated(facts: ReportFacts, statements: Mapping[str, str]) -> list[str]:
    """Return the statements of the owner about facts that a shareable report does not show, as a sentence."""
    from markupsafe import escape

    titles = [str(ReportSettings.model_fields[name].title) for name in NOT_SHOWN]
    stated = [f"{one[0].lower()}{one[1:]}: “{statements[one]}”" for one in titles if statements.get(one)]
    return [escape(f"The owner states: {'; '.join(stated)}.")] if stated and facts.private is None else []


def guaranteed(facts: ReportFacts) -> list[str]:
    """Return the guarantee as sentences: data that contradict the declared person, what an attacker finds, and for whom
    this does not hold.
    """
    first, last, condition = list[str](), list[str](), declared_condition(facts)
    if doubted := doubted_person(facts):
        (first if facts.contradicted else last).append(f"Here, {doubted}.")
    if facts.confirmed_against_data and facts.contradicted:
        first.append("The owner confirms this declaration nevertheless.")
    if facts.attested.declarations.accepted_undecided:
        unproven = (
            f"The check of {facts.model} did not finish, so the guarantee is not proven, which the owner accepted."
        )
        return [*first, unproven]
    bound, *others = sentences(facts.model.statement)
    if attacker_beyond(facts):
        last = [*last, f"This does not hold for someone who also knows {listed(name_ranges(_beyond(facts)), 'and')}."]
    return [*first, f"{bound.rstrip('.')}, {condition}." if condition else bound, *others, *last]


def _limit(facts: ReportFacts) -> str:
    """Return the most important limit, and how much more likely a limited inference becomes."""
    limit = ranked_limits(facts.model, [facts.attested.limits])[0][0]
    skew = facts.after.skews.get(facts.model.sensitive_column or "") if isinstance(facts.after, Risk) else None
    return limit if skew is None else f"{limit.rstrip('.')}; {likelier(skew)}."


def singled_out(facts: ReportFacts, answer: str) -> str:
    """Return the short answer on singling out with its border: for whom and for what knowledge it holds.

    Parameters
    ----------
    answer
        Bound of the model.
    """
    model, declared = facts.model, facts.attested.declarations
    if declared.accepted_undecided:
        return "not proven"
    if doubted_person(facts):
        return "not known"
    known = ["all quasi-identifiers"] if facts.attested.data.quasi_identifiers else []
    known += [f"at most {counted(model.m, 'non-sensitive item' if model.secrets else 'item')}"] if model.m else []
    if known:
        answer += f" for an attacker who knows {' and '.join(known)}"
    if condition := declared_condition(facts):
        answer = f"{condition}: {answer}"
    if attacker_beyond(facts):
        answer += f", without {listed(name_ranges(_beyond(facts)), 'and')}"
    if facts.unlike_others:
        answer += f"; {percent(facts.unlike_others)}, if an attacker knows {worst_knowledge(facts)}"
    return plain_words(answer, facts)


def _beyond(facts: ReportFacts) -> tuple[str, ...]:
    """Return the columns published as is that make groups smaller than the guarantee."""
    found = facts.after.single["after"] if isinstance(facts.after, Risk) else None
    return found.as_is if found is not None and found.below.value else ()


def attacker_beyond(facts: ReportFacts) -> str:
    """Return the risk from an attacker who also knows the columns published as is, as a sentence. Empty if each group
    of records has at least k persons with them.
    """
    if not isinstance(facts.after, Risk) or (found := facts.after.single["after"]) is None or not _beyond(facts):
        return ""
    who = facts.after.units
    k = facts.model.k or 2
    below = f"fewer than {k} {who} for {found.below} of the {who}, and one for {found.alone}"
    few = below if k > 2 else f"only one {facts.after.unit} for {found.alone} of the {who}"
    return f"The guarantee does not hold for someone who knows {found.words}: this attacker finds {few}."


def _columns(facts: ReportFacts) -> list[str]:
    """Return a sentence on the columns. Only the internal report names those that are not published."""
    shown = name_ranges(facts.attested.data.columns)
    if facts.private is None:
        from markupsafe import escape

        return [escape(f"Published columns: {', '.join(shown)}. This report cannot show which are not published.")]
    names, settings = [name for name, _, _ in left_out(facts)], facts.private.settings
    if of_items := name_ranges([*settings.get("one_hot", []), *settings.get("one_code", [])]):
        source = f"items (from {listed(of_items, 'and', _MOST_NAMED)})"
        shown = [source if name == "items" else name for name in shown]
    return [f"Published columns: {', '.join(shown)}. Not published: {', '.join(name_ranges(names)) or 'none'}."]


def attacked(facts: ReportFacts, part: PagePart) -> str:
    """Return the outcome of the simulated attacks, as a sentence."""
    tried = [verdict for verdict in part.verdicts if verdict.succeeds is not None]
    if not tried:
        why = "no attack applies to this kind of publication" if facts.compared else "the original was not available"
        why = "this report uses only the publication" if facts.private is None else why
        return f"No attack was simulated, because {why}."
    return successes_in_words(tried, broken=bool(facts.after.broken))


def persons(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return who declared what a person is, and how rows became records, as pairs of a name and a text."""
    report, unit = facts.private, facts.attested.declarations.unit
    ids = getattr(facts.attested.data, "id", [])
    names = () if report is None or ids else Unit.of(report.settings.get("unit")).columns
    columns = "which columns identify a person."
    if report is not None and names:
        columns = f"that each {listed(names, 'with')} is a person: {counted(report.input['records'], 'person')}."
    who = _of_ids(facts.model) if ids else _DECLARED[unit].format(columns)
    if unit not in UNDECLARED:
        if facts.contradicted:
            who = f"{sentences(who)[0].rstrip('.')}; the data contradict it: see Check first."
        elif unit != "person":
            who += " No check can verify this."
    rows, n = [(PERSON, who)], facts.summary.n
    if tables := getattr(facts.attested.data, "tables", None):
        together = "joined by the column record, so recipients see all rows of a person together. The guarantee covers"
        rows.append(("Published tables", f"{listed(tables, 'and')}, {together} this: known items may be of any table."))
    if empty := [f"{name}: {count:,}" for name, count in facts.empty.of_column.items() if count]:
        why = (
            "suppressed, or without items in the input"
            if facts.empty.original is None
            else "the input has none for them"
        )
        rows.append(("Records without items", f"{'; '.join(empty)} (of {facts.empty.records:,}): {why}"))
    if report is None:
        published = f"{counted(n, 'record')} published. Only the internal report counts the source rows."
        return [*rows, (RECORDS, published)]
    if facts.tables:
        sources = [f"{one.name}: {counted(one.rows, 'row')}, joined by {one.key}" for one in facts.tables]
        rows.append(("Source tables", "; ".join(sources)))
    key = (listed(names, "with") or "id") if unit == "person" and not ids else ""
    if sizes := facts.items_per_person:
        rows.append(("Items per person", f"{sizes[0]:,} (median), {sizes[-1]:,} (95th percentile)"))
    return [*rows, *_of_rows(report, facts, key)]


def _of_ids(model: PrivacyModel) -> str:
    """Return who declared what a person is, if ids of persons are published."""
    several = "The owner declared which columns name the person of each row. A person may have several rows"
    return f"{several}, and the guarantee covers single rows." if model.counts_rows else f"{several}."


def _of_rows(report: Report, facts: ReportFacts, key: str) -> list[tuple[str, str]]:
    """Return how rows became records. `key` names the columns whose rows with equal values are merged."""
    records, rows, linked = report.input["records"], source_rows(report, facts), len(facts.tables)
    skipped = skipped_rows(report)
    differing = [change for change in report.changes if change.rule == FIRST_VALUE]
    n_skipped = sum(change.occurrences for change in skipped)
    came = (
        f"{counted(records, 'record')}; the run did not count source rows"
        if rows is None
        else f"{counted(rows, 'source row')}{f' in {linked} tables' if linked else ''} became "
        f"{counted(records, 'record')}"
    )
    none = f"; {n_skipped:,} ({percent(n_skipped / rows)}) became none" if rows and n_skipped else ""
    texts = {RECORDS: f"{came}{none}; {facts.summary.n:,} published."}
    texts["Skipped rows"] = "; ".join(map(str, skipped)) or "none"
    if not key:
        texts["Repeated rows"] = "not merged: each row is one record"
    elif rows is not None and getattr(facts.attested.data, "tables", None):
        texts["Rows joined"] = f"{counted(rows - n_skipped, 'row')} of {linked} tables are one record per {key}"
    elif rows is not None:
        repeated = rows - n_skipped - records
        merged = f"{counted(repeated, 'row')} merged with an earlier row of the same {key}"
        texts["Repeated rows"] = merged if repeated else f"none: each value of {key} has one row"
    if key:
        data = facts.attested.data
        values = name_ranges([*getattr(data, "relational", ()), *getattr(data, "keep", ())])
        agree = f"none: the rows of each {key} agree in {listed(values, 'and', _MOST_NAMED)}" if values else ""
        texts["Conflicting rows"] = "; ".join(map(str, differing)) or agree
    noted = (*skipped, *differing)
    if other := [str(one) for one in report.changes if one not in noted and one.rule != NOT_PUBLISHED]:
        texts["Changed while reading"] = "; ".join(other)
    return [(name, text) for name, text in texts.items() if text]


def source_rows(report: Report, facts: ReportFacts) -> int | None:
    """Return the number of rows of all tables of the source, with the skipped rows. None if they are not counted."""
    read = sum(one.rows for one in facts.tables) if facts.tables else report.input.get("source_rows")
    unread = sum(one.occurrences for one in skipped_rows(report) if one.rule != NOT_DESCRIBED)
    return None if read is None else read + unread


def skipped_rows(report: Report) -> list[Change]:
    """Return the rows that are in no record, by rule."""
    return [change for change in report.changes if not change.column and change.rule != CONTINUED]


def protection(facts: ReportFacts, part: PagePart) -> list[tuple[str, str]]:
    """Return who is protected and who is not, as pairs of a heading and a sentence."""
    declared, rows = facts.attested.declarations, [*part.protection]
    if declared.published_as_is:
        names = ", ".join(declared.published_as_is)
        rows.append(("Not protected", f"persons who are identified by the columns published as is: {names}."))
    rows.append(("Not protected", "persons of whom an attacker knows more than the guarantee covers."))
    return rows


def checked(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return what the checker examined, as pairs of a name and a text. Empty if it did not finish."""
    rows = []
    for name, value in sorted(facts.attested.verified.items(), key=lambda fact: fact[0] != "covered"):
        sizes = [(size, n) for size, n in value.items() if size != "0"] if isinstance(value, dict) else []
        text = "; ".join(f"{n:,} of {_SETS.get(size, f'{size} items')}" for size, n in sizes) or (
            f"{value:,}" if isinstance(value, int) else str(value)
        )
        rows.append((_CHECKED.get(name, name.replace("_", " ")), text))
    return rows


def parameters_in_words(model: PrivacyModel) -> list[tuple[str, str]]:
    """Return each numeric parameter of a model with its value, and its meaning.

    >>> from anonset.privacy import KmAnonymity
    >>> parameters_in_words(KmAnonymity(5, 2))[1]
    ('m = 2', 'Maximum number of items that the attacker knows.')
    """
    texts = {
        name: type_and_text(kind)[1] for one in type(model).__mro__[::-1] for name, kind in get_annotations(one).items()
    }
    return [
        (f"{name} = {value}", _BOUND.sub("", texts.get(name, "")))
        for name, value in parameters_of(model).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


def questions(model: PrivacyModel) -> list[tuple[str, str, str]]:
    """Return the name, the short answer and the explanation of each risk of WP 216 (Article 29 Working Party).

    >>> from anonset.privacy import KmAnonymity
    >>> [(name, answer) for name, answer, _ in questions(KmAnonymity(5, 2))]
    [('Singling out', 'at most 1/5'), ('Linkability', 'not covered'), ('Inference', 'not covered')]
    """
    risk = "bounded" if model.k is None else f"at most 1/{model.k}"
    answers = {
        "Singling out": (risk if model.k != 1 else "", model.singling_out),
        "Linkability": ("", ""),
        "Inference": (model.inference_answer, model.inference),
    }
    return [
        (name, answer, bound) if answer and bound else (name, "not covered", _NOT_COVERED[name])
        for name, (answer, bound) in answers.items()
    ]


def sensitive(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return the declared sensitive data and their protection, as pairs of a name and a text."""
    model, names = facts.model, facts.model.secrets
    rows = [(name, _published(facts.sensitive[name])) for name in names if name in facts.sensitive]
    if absent := [name for name in names if name not in facts.sensitive]:
        rows.append(("Not published", listed(absent, "and")))
    if column := model.sensitive_column or getattr(facts.attested.data, "sensitive", None):
        rows.append(
            (column, f"sensitive column, published. Inference: {model.inference_answer or 'not covered'} ({model}).")
        )
    kept = [name for name in getattr(facts.attested.data, "keep", []) if name != column]
    rows += [(name, "published unchanged; the owner declared no protection of its values") for name in kept]
    seeming = [name for name in unprotected(facts) if name not in kept and seems_sensitive(name)]
    rows += [(name, "seems sensitive; the guarantee does not limit what others infer about it") for name in seeming]
    if not names and (items := getattr(facts.attested.data, "items", [])):
        text = "The owner declared no item as sensitive, so the guarantee treats all items alike."
        rows.append(("Items" if items == ["items"] else f"Items of {listed(items)}", text))
    return rows or [("Sensitive data", "The owner declared no sensitive column.")]


def unprotected(facts: ReportFacts) -> list[str]:
    """Return the published columns whose values the model does not protect from inference."""
    data, protected = facts.attested.data, facts.model.sensitive_column
    return [name for name in (*getattr(data, "relational", ()), *getattr(data, "keep", ())) if name != protected]


def seems_sensitive(header: str) -> bool:
    """Return whether a header names a sensitive attribute or an ethnic origin."""
    return is_sensitive(header) or is_about(header, "ethnic")


def _published(records: int | None) -> str:
    if records is None:
        return "published"
    if not records:
        return "published only in groups with other items"
    return f"published by name in {counted(records, 'record')}"
