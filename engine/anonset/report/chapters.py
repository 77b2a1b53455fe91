"""Chapters of the report. Each chapter has a line in the contents and sections of facts. A section without facts is not
shown, so the shareable form has the sections that follow from the publication.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.analysis.summary import column_lines
from anonset.data.redacted_repr import RedactedRepr
from anonset.jobs.report_facts import ReportFacts
from anonset.jobs.revealing_names import MOST_NAMED
from anonset.measures.retention import (
    PRINTED_FATES,
    PRINTED_PARTS,
    loss_relative_to,
    relative_to,
    shares,
)
from anonset.measures.shares import percent
from anonset.release.documents import ATTESTATION, CODEBOOK, UNDECLARED, Report
from anonset.release.guarantee_limits import ranked_limits, sentences
from anonset.release.scan.findings import few_persons
from anonset.release.statements import versions
from anonset.report.account import loss_label
from anonset.report.conclusion import (
    PERSON,
    RECORDS,
    attacked,
    attacker_beyond,
    checked,
    parameters_in_words,
    persons,
    plain_words,
    protection,
    questions,
    seems_sensitive,
    sensitive,
    singled_out,
    with_groups,
)
from anonset.report.countable import countable_figures, empty_records
from anonset.report.drawings import bars
from anonset.report.frontier import frontier_drawing
from anonset.report.risks.base import PagePart, doubted_person
from anonset.report.risks.verdicts import attack_in_words
from anonset.report.sections import Section
from anonset.report.symbols import symbols_html, to_fill
from anonset.report.techniques import left_out
from anonset.settings.publication import ReportSettings
from anonset.spelling import counted, listed
from anonset.strict_json import dumps

_HUNDRED = 100
_MOST_RARE, _FEW_RARE = 12, 4
"""Maximum number of rare values of a column that the report names, and number that the contents do not name."""
_PERSONAL = "not named: names, contact data or free text"
_STATED = (
    "The owner typed these statements. If the private directory of the run is there, the share left out, the date, the "
    "unpublished columns and the statement that there is no other release are compared with the run. No check verifies "
    "the other statements."
)

_FATES = {
    "kept": "Kept: published unchanged.",
    "generalized": "Generalized: replaced by a symbol for several values.",
    "in_chunks": "In chunks: published together with the other items of a part of the record.",
    "terms": "Terms: published as an item that occurs in the cluster.",
    "starred": "With a hidden identity: published without the identifying values.",
    "suppressed": "Suppressed: not published.",
    "removed": "Removed: the row is not published.",
}
"""Meaning of each outcome of items, values and rows."""
_MEANINGS = {
    "ncp": ("Share of all items that a symbol covers", "0: unchanged; 1: all items are suppressed, or published "
            "as a single symbol"),
    "rum": ("Share of its column that a published value or range covers", "0: unchanged; 1: suppressed, or one "
            "range"),
    "tum": ("Loss of the items per record", "mean over the records; 0: unchanged; 1: one symbol for all "
            "items"),
    "lm": ("Share of the other items that a symbol covers", "0 for a symbol of one item"),
    "ul": ("Utility loss of the items", "grows with the items of a symbol, their dissimilarity, and the rows with the "
           "symbol"),
    "log2_ul": ("Binary logarithm of the utility loss of the items", "a difference of 10 is a factor of about 1,000"),
    "grouping_loss": ("Rows with a hidden identity, or removed", "share of the rows"),
    "removed_for_diversity": ("Rows removed because a value was too frequent", "share of the rows"),
    "diversity_loss": ("Rows with a value that is too frequent in its group", "share of the rows"),
    "not_in_chunks": ("Items published as terms, or suppressed", "share of the item occurrences"),
}  # fmt: skip
"""Name and meaning of each loss. Without anonymization, all losses are 0."""


_JOINT = (
    "This check does not include the guarantee together with the earlier release. Only the owner can repeat that "
    "check, because it needs the data of both releases (anonset verify --after)."
)
_WP_216 = (
    "European data protection authorities assess three risks: that someone isolates the record of a person, links "
    "records of a person, or deduces information about a person (Article 29 Working Party, Opinion 05/2014, WP 216)."
)
_SUCCESS = (
    "An attack within the guarantee succeeds if it exceeds the guarantee. Any other attack succeeds if a share exceeds "
    "the needed share: the share by chance (for a search at least 1/k) plus the 95% confidence interval. By chance: a "
    "random guess, the same attack with random information, or the same knowledge without the attack, whichever is "
    "right most often. Each kind of attack that succeeds has a box at the top."
)
_BALANCES = (
    "Each point of the line is a publication that the same search would have found with another balance. The losses of "
    "the items are estimates. The mark shows this publication."
)


@dataclass(frozen=True)
class Chapter(RedactedRepr):
    """Chapter of the report."""

    anchor: str
    title: str
    line: str
    """Line of the contents, with the facts that an officer looks for first."""
    sections: Sequence[Section]


def chapters(facts: ReportFacts, part: PagePart, statements: Mapping[str, str]) -> list[Chapter]:
    """Return the chapters of the report.

    Parameters
    ----------
    statements
        Statements of the owner by name. They are empty if they are not given.
    """
    made = (
        _owner(facts, statements), _persons(facts), _guarantee(facts, part), _limits(facts), _sensitive(facts),
        _risk(facts, part), _attacks(facts, part), _detail(facts), _rare(facts), _published(facts, part),
        _origin(facts, statements[str(ReportSettings.model_fields["date"].title)]),
    )  # fmt: skip
    return [
        replace(one, line=plain_words(one.line, facts), sections=[_with_groups(section) for section in one.sections])
        for one in made
    ]


def _with_groups(section: Section) -> Section:
    """Return a section with one term for groups of records. Typed and published texts keep their words."""
    rows = [tuple(with_groups(text) if type(text) is str else text for text in row) for row in section.rows]
    return replace(section, rows=rows, notes=[with_groups(text) for text in section.notes])


def _owner(facts: ReportFacts, statements: Mapping[str, str]) -> Chapter:
    from markupsafe import Markup

    stated, missing = (
        [name.lower() for name, text in statements.items() if bool(text) == given] for given in (True, False)
    )
    states = {"stated": stated, "not stated": missing} if stated else {"none is stated": ["lines to fill in"]}
    line = "; ".join(f"{state}: {listed(names)}" for state, names in states.items() if names)
    fields = ReportSettings.model_fields
    before = {fields["other_releases"].title: "The owner states: "}
    declared = facts.attested.declarations.unit not in UNDECLARED
    against = "; the data contradict it" if facts.contradicted else "" if declared else "; but no person is declared"
    after = {fields["confirmation"].title: against}
    rows = [
        (name, Markup("{}<q>{}</q>{}").format(before.get(name, ""), text, after.get(name, "")) if text else to_fill())
        for name, text in statements.items()
    ]
    notes = [_STATED, *_special_categories(facts)]
    return Chapter("owner", "Statements of the owner", line, [Section("", ("about", "statement"), rows, notes)])


def _special_categories(facts: ReportFacts) -> list[str]:
    """Return the reminder of Article 9 GDPR, if columns of the original or items seem sensitive."""
    headers = [*facts.attested.data.columns, *(name for name, _, _ in left_out(facts))]
    seeming = [one for one in headers if one in facts.sensitive_items or seems_sensitive(one)]
    if not seeming:
        return []
    return [
        f"{listed([*dict.fromkeys(seeming)], 'and', MOST_NAMED)}: if these are data of Article 9 GDPR (such as health "
        "or religion), it applies to the original, and the legal basis must name its ground."
    ]


def _persons(facts: ReportFacts) -> Chapter:
    about = dict(rows := persons(facts))
    line = f"{sentences(about[PERSON])[0]} {about[RECORDS]}"
    return Chapter("persons", "Persons and records", line, [Section("", ("fact", "text"), rows)])


def _guarantee(facts: ReportFacts, part: PagePart) -> Chapter:
    model, declared = facts.model, facts.attested.declarations
    covered = facts.attested.verified.get("covered", "all records")
    verified = (
        "A checker that uses no code of the algorithms read the published files and verified the privacy model: "
        f"{model}. Recipients can repeat the check, because it needs only the publication."
    )
    if declared.accepted_undecided:
        covered = "the check did not finish"
        verified = "The check did not finish, and the owner accepted this: the guarantee is not proven."
    (name, answer, explanation), *others = questions(model)
    if answer != "not covered":
        answer, doubted = singled_out(facts, answer), doubted_person(facts)
        explanation = f"Here, {doubted}. {explanation}" if doubted else explanation
    risks = [(name, answer, explanation), *others]
    if beyond := attacker_beyond(facts):
        risks.insert(1, ("Singling out by columns published as is", "not covered", beyond))
    numbers = ", ".join(name for name, _ in parameters_in_words(model))
    line = f"{numbers}; protected: {part.protection[0][1].partition(':')[0].rstrip('.')}; verified: {covered}"
    return Chapter("guarantee", "Guarantee", line, [
        Section(notes=[facts.attested.statement], form="plain"),
        Section("", ("protected or not", "who or what"), protection(facts, part), _terms(facts)),
        Section("Verification", notes=[verified, *([_JOINT] if declared.together_with is not None else [])]),
        Section("", ("checked", "result"), checked(facts)),
        Section("Singling out, linkability, inference", ("risk", "answer", "explanation"), risks, [_WP_216]),
    ])  # fmt: skip


def _limits(facts: ReportFacts) -> Chapter:
    first, others = ranked_limits(facts.model, [facts.attested.limits])
    more = Section(f"{len(others)} further limits", notes=others, form="folded")
    line = f"{first[0].rstrip('.')}; {len(first) + len(others) - 1} others"
    return Chapter("limits", "Not covered", line, [Section(notes=first, form="list"), more])


def _sensitive(facts: ReportFacts) -> Chapter:
    (name, text), *others = rows = sensitive(facts)
    line = f"{name}: {sentences(text)[0].rstrip('.')}" + (f"; {len(others)} more" if others else "")
    head = ("sensitive item or column", "publication and protection")
    return Chapter("sensitive", "Sensitive data", line, [Section("", head, rows)])


def _risk(facts: ReportFacts, part: PagePart) -> Chapter:
    title = "Risk before and after" if facts.after.before else "Risk"
    return Chapter("risk", title, part.risk.partition("; ")[0], part.risks)


def _attacks(facts: ReportFacts, part: PagePart) -> Chapter:
    run = [
        (attack_in_words(one.attack), one.knowledge, one.verdict) for one in part.verdicts if one.succeeds is not None
    ]
    others = [(attack_in_words(one.attack), one.verdict) for one in part.verdicts if one.succeeds is None]
    won = sum(bool(one.succeeds) for one in part.verdicts)
    line = f"successful: {won} of {counted(len(run), 'attack')}" + (f"; not run: {len(others)}" if others else "")
    return Chapter("attacks", "Simulated attacks", line if run else "none", [
        Section("", ("attack", "the attacker knows", "verdict"), run, [_SUCCESS]),
        *([] if run else [Section(notes=[attacked(facts, part)])]),
        Section(f"{len(others)} attacks were not run", ("attack", "verdict"), others if run else (), form="folded"),
        *(replace(section, form="folded") for section in part.attacks),
    ])  # fmt: skip


def _detail(facts: ReportFacts) -> Chapter:
    report = facts.private
    lost = [] if report is None else [text for part, text in _changes(report).items() if part != "values"]
    lost += [empty] if (empty := empty_records(facts)) else []
    line = "; ".join([*lost, *column_lines(facts.details)]) or ("none" if report else "stated in the internal report")
    return Chapter("detail", "Lost detail", line, [
        Section("Each column", ("column", "what recipients see", "what they can count"), _columns(facts)),
        Section("Records without items", notes=[f"{empty}."] if empty else ()),
        Section("Items in no published record", notes=[listed(gone, "and")] if (gone := facts.vanished) else ()),
        *([] if report is None else _losses(report)),
    ])  # fmt: skip


def _rare(facts: ReportFacts) -> Chapter:
    k, least = facts.model.k, few_persons(facts.model)
    rows, lines, kind = list[tuple[str, str, str, str]](), list[str](), facts.attested.data.kind
    for one in facts.rare:
        rarest = listed([f"{value} ({n})" for value, n in one.occurrences.items()], "and", _MOST_RARE)
        hidden = "only as terms, or not" if kind == "chunks" else "only with others, or not"
        shown = "unchanged" if one.unchanged else hidden
        number = f"{len(one.occurrences):,} of {one.distinct:,}"
        rows.append((one.column, number, _PERSONAL if one.are_personal else rarest, shown))
        few = f": {rows[-1][2]}" if one.unchanged and len(one.occurrences) < _FEW_RARE else ""
        lines.append(f"{one.column}: {number}, published {shown}{few}")
    none = "" if any(not one.unchanged for one in facts.rare) else f"none: at least k = {k} records have each value"
    if not (k and facts.compared):
        none = f"not counted, because {'this report does not use the original' if k else 'the model has no k'}"
    none = none and f"generalized columns: {none}"
    if kind == "buckets":
        none = "" if rows else f"none: at least {least} records have each published value"
    line = "; ".join(lines) or none
    notes = [f"Fewer than {least} records have these values."] if rows else []
    notes += [f"{none[0].upper()}{none[1:]}."] if none else []
    table = Section("", ("column", "rare values", "the rarest (records)", "published"), rows, notes)
    return Chapter("rare", "Rare values", line, [table if rows else Section(notes=notes)])


def _columns(facts: ReportFacts) -> list[tuple[str, str, str]]:
    """Return a line for each published column: what recipients see, and what they can count."""
    return [
        *((column.name, str(column), column.countable) for column in facts.details),
        *(
            (name, "kept: published unchanged", "the records of each value")
            for name in getattr(facts.attested.data, "keep", [])
        ),
    ]


def _losses(report: Report) -> list[Section]:
    fates = [text for fate, text in _FATES.items() if any(fate in counts for counts in report.retention.values())]
    losses = [
        (label, f"{two_digits(value)}{loss_relative_to(name, report.coarsened)}", meaning)
        for name, value in report.measures.items()
        for label, meaning in (_MEANINGS.get(name, (loss_label(name), "a measure of a plug-in")),)
    ]
    frontier = frontier_drawing([Pruning(**point) for point in report.frontier], report.measures)
    other = Section("Other balances between items and attributes", notes=[_BALANCES], drawing=frontier)
    meanings = Section("", ("loss", "value", "meaning"), losses, [" ".join(fates)] if fates else [])
    return [*_drawings(report), meanings, *([other] if frontier else [])]


def _published(facts: ReportFacts, part: PagePart) -> Chapter:
    from markupsafe import Markup

    countable, forms = countable_figures(facts), {form.name for one in facts.details for form in one.forms}
    lines = [", ".join(f"{count:,} {name}" for name, count in facts.attested.counts.items() if count)]
    lines += [f"count of {name.lower()}: {figure}" for name, figure, _ in countable[1:] if not facts.frequent]
    if any(one.fate == "coarsened" for one in facts.details):
        lines.append("inside groups, recipients count only bounds")
    where = f" The file {CODEBOOK} in the published directory lists the members of each symbol."
    where = where if "set" in forms or facts.attested.counts.get("symbols") else ""
    if forms & {"named group", "label"}:
        some = "If the label of an attribute is" if "label" in forms else "The label of some attributes is"
        where += f" {some} a named group, and no file lists its members: recipients need the hierarchy."
    head, unpublished = ("column", "role", "technique (terms of ISO/IEC 20889)"), left_out(facts)
    return Chapter("published", "Published data", "; ".join(lines), [
        Section(notes=["Random published rows:"]),
        *(Section("", one.head, [tuple(map(Markup, map(symbols_html, row))) for row in one.rows])
          for one in facts.summary.examples),
        Section(notes=[part.published + where]),
        Section("What recipients can count", ("count", "figure", "accuracy"), countable),
        Section("Technique for each column", head, [*part.columns, *unpublished]),
    ])  # fmt: skip


def _origin(facts: ReportFacts, date: str) -> Chapter:
    """Return the program of the report, the way to verify the publication, and the digests of its files."""
    files, report, head = facts.attested.data.sha256, facts.private, ("fact", "value")
    expected = f"{facts.model}{' undecided' if facts.attested.declarations.accepted_undecided else ' holds'}"
    line = f"anonset {versions()['anonset']}; verify with: anonset verify OUT; digests of all files"
    rows = [
        ("report by", f"anonset {versions()['anonset']}"),
        ("command to verify", f"anonset verify OUT, where OUT is the published directory. It must print: {expected}."),
        ("digest to compare", f"SHA-256 of {ATTESTATION}, which contains all other digests: {facts.sha256}"),
        *((f"file {name}", f"SHA-256 {digest}") for name, digest in files.items()),
    ]  # fmt: skip
    if report is None:
        rows = [
            ("date of the release", date or to_fill()),
            ("seed", "stated only in the internal report"),
            *rows,
        ]
        return Chapter("origin", "Origin", f"{date or 'date to fill in'}; {line}", [Section("", head, rows)])
    told, seed = (*report.contradictions, *report.on_persons), str(report.seed)
    if report.seed is None:
        secure = "the random draws of the run are secure, and nobody can repeat them"
        seed = f"none: {secure if facts.model.kind == 'buckets' else 'the run makes no random draws'}"
    read, used = report.input, [(name, dumps(value)) for name, value in report.settings.items() if value]
    rows = [
        ("date of the run", report.date or "not recorded"),
        ("input", f"{read.get('file', 'from Python')}, SHA-256 {read.get('sha256', 'not computed')}"),
        *((f"table {one.name} of the input", f"SHA-256 {one.sha256}") for one in facts.tables),
        ("algorithm", f"{report.algorithm} {dumps(report.parameters)}"),
        ("seed of the run", seed),
        ("seed of the attacks of this report", "0"),
        *rows,
        ("versions of the run", ", ".join(f"{name} {version}" for name, version in report.versions.items())),
        ("command to repeat", "anonset anonymize OUT.private/report.json -o OTHER" if used else "none: run in Python"),
    ]
    run = f"run of {report.date or 'an unknown date'}; seed: {seed.partition(':')[0]}"
    return Chapter("origin", "Origin", f"{line}; {run}", [
        Section("", head, rows),
        Section("Notes of the run", notes=[text for text in report.warnings if not text.startswith(told)], form="list"),
        Section("Settings of the run", ("setting", "value"), used, form="folded"),
    ])  # fmt: skip


def signed(facts: ReportFacts, date: str) -> str:
    """Return which publication a signature is about. `date` is the typed date of a shareable report."""
    return f"The signatures are about {release_in_words(facts, date)}. SHA-256 of {ATTESTATION}: {facts.sha256}"


def release_in_words(facts: ReportFacts, date: str) -> str:
    """Return the number of published records, and their source and date. `date` is the typed date of a shareable
    report.
    """
    report, records = facts.private, counted(facts.summary.n, "record")
    if report is None:
        return f"{records} of the release of {date}" if date else f"{records}, released at a date that is not stated"
    run = f"run of {report.date}" if report.date else "run at an unknown date"
    return f"{records} of {report.input.get('file', 'data from Python')}, {run}"


def two_digits(value: float) -> str:
    """Return a number with two significant digits, or as an integer if it has more.

    >>> two_digits(0.15306), two_digits(3.04), two_digits(1234.5), two_digits(0.0)
    ('0.15', '3.0', '1,234', '0')
    """
    if abs(value) >= _HUNDRED:
        return f"{value:,.0f}"
    return f"{value:#.2g}".rstrip(".") if value else "0"


def _terms(facts: ReportFacts) -> list[str]:
    """Return an explanation of each technical term in the statement of the guarantee."""
    known = ", ".join(facts.attested.data.quasi_identifiers)
    terms = {
        "quasi-identifier": f"Quasi-identifiers are the columns that others may know: {known}.",
        "equivalence class": "A group of matching records consists of the records with equal quasi-identifiers.",
    }
    return [text for term, text in terms.items() if term in facts.attested.statement]


def _changes(report: Report) -> dict[str, str]:
    """Return the shares of each outcome, by part of the data."""
    return {
        name: f"{PRINTED_PARTS[name]}: "
        + ", ".join(f"{percent(share)} {PRINTED_FATES.get(fate, fate)}" for fate, share in of_part.items())
        + relative_to(name, report.coarsened)
        for name, of_part in shares(report.retention).items()
    }


def _drawings(report: Report) -> list[Section]:
    patterns, drawings = ("solid", "hatched", "light"), []
    for name, parts in shares(report.retention).items():
        rows = [
            (
                PRINTED_FATES.get(fate, fate),
                [(patterns[min(position, 2)], share, f"{percent(share)} ({report.retention[name][fate]:,})")],
            )
            for position, (fate, share) in enumerate(parts.items())
        ]
        title = f"{PRINTED_PARTS[name].capitalize()}{relative_to(name, report.coarsened)}"
        drawings.append(Section(title, drawing=bars(title, rows)))
    return drawings
