"""Operations on published records."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from anonset.analysis.attack import Matching, attack
from anonset.analysis.base import NO_ITEMS, PublicationAnalysis
from anonset.analysis.evaluation import Evaluation, EvaluationRequest
from anonset.analysis.exposures import complete_exposure, exposures, headline
from anonset.analysis.originals import (
    OTHER,
    as_often,
    first_uncoverable,
    items_of_original,
    original_codes,
    require_coverable,
    separators,
    symbol_keys,
)
from anonset.analysis.record_losses import losses_of_records
from anonset.analysis.risk import Risk, RiskContext
from anonset.analysis.summary import ColumnDetail, Summary, column_detail, example, item_detail
from anonset.analysis.workloads import QueryAnswers, WorkloadSpec, in_terms_of, of_original
from anonset.attacks.registry import run_attacks
from anonset.columns.rules import are_personal
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.array_types import Int64
from anonset.data.decimals import exact
from anonset.data.equivalence_classes import class_of
from anonset.data.joining import prefixed
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError, datum
from anonset.measures.distinct_records import codes_of
from anonset.privacy import PrivacyModel, Witness
from anonset.publications import Records
from anonset.publications.records import symbols_of, written_columns
from anonset.publications.symbols import cells_by_column, members_of
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.reading.sources.source import Source
from anonset.release.documents import CODEBOOK, Attestation, PublishedFile
from anonset.release.opened import OpenedPublication
from anonset.release.symbols import (
    items_hierarchy,
    require_agreement,
    require_complete,
    require_sound,
    spell_out,
)
from anonset.settings.binding import numeric_columns, require_sensitive
from anonset.settings.job import Job
from anonset.spelling import StatedSettings, setting
from anonset.verification.constraints import utility_violation
from anonset.verification.item_truth import check_items_possible
from anonset.verification.relational_truth import are_ranges

if TYPE_CHECKING:
    from anonset.attacks.base import AttackResult
    from anonset.measures.class_sizes import ClassSizes
    from anonset.measures.countable import Counts, FrequentItems
    from anonset.measures.item_supports import Supports
    from anonset.measures.risks.sensitive_values import ObservedDiversity
    from anonset.measures.risks.skewness import Skewness
    from anonset.settings.publication import CheckSettings, OriginalSettings


_BYTES_A_ROW = 100
"""Approximate memory for guessing, in bytes per row."""


class RecordsAnalysis(PublicationAnalysis[Records]):
    """Operations on published records."""

    def summary(self) -> Summary:
        """Return the summary of published records.

        >>> from anonset.data import Table
        >>> from anonset.generalization import ItemGroups, apply
        >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"c"}])
        >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))
        >>> found = RecordsAnalysis(apply(table, groups)).summary()
        >>> [cell[0].label for cell, in found.examples[0].rows], found.n
        (['(a,b)', '(a,b)', 'c'], 3)
        """
        publication = self.publication
        columns = written_columns(publication)
        return Summary(publication.n, (example(columns, partial(symbols_of, publication)),))

    def details(self, original: Table | None) -> tuple[ColumnDetail, ...]:
        """Return the detail of each column of items and of quasi-identifiers. Without the original, named groups are
        not told from values.
        """
        before, found = {} if original is None else {one.name: one for one in original.relational}, self._of_items()
        for column in self.publication.relational:
            shown, values = symbols_of(self.publication, column), column.vocabulary.index
            symbols = [shown(code) for code in range(len(values))]
            members = [(symbol,) if isinstance(symbol, str) else symbol.members for symbol in symbols]
            if isinstance(known := before.get(column.name), CategoricalColumn):  # else, each number is a value
                values = known.vocabulary.index
            found.append(column_detail(column, members, values if known is not None else None))
        return tuple(found)

    def _of_items(self) -> list[ColumnDetail]:
        """Return the detail of each column of items."""
        sets, symbols, joined = self.publication.transactions, self.publication.symbols, self.publication.joined
        if sets is None:
            return []
        texts = cells_by_column(symbols, joined) or {sets.name: {one.label: at for at, one in enumerate(symbols)}}
        often = np.zeros(len(symbols), np.int64)
        often[: len(sets.occurrences)] = sets.occurrences[: len(symbols)]
        found = list[ColumnDetail]()
        for name, at in texts.items():
            mark = prefixed(name, "") if joined else ""
            sizes = {text: sum(one.startswith(mark) for one in symbols[code].members) for text, code in at.items()}
            found.append(item_detail(name, sizes, often[[*at.values()]]))
        return found

    def sensitive_counts(self, names: Sequence[str]) -> dict[str, int]:
        """Return the number of records that show each named item alone, for the items of published symbols."""
        symbols, sets = self.publication.symbols, self.publication.transactions
        if sets is None or not names:
            return {}
        records = dict.fromkeys({name for symbol in symbols for name in symbol.members}.intersection(names), 0)
        for symbol, n in zip(symbols, sets.occurrences.tolist(), strict=True):
            if len(symbol.members) == 1 and symbol.members[0] in records:
                records[symbol.members[0]] += n
        return records

    def roles(self, model: PrivacyModel) -> dict[str, list[str]]:
        """Return the quasi-identifiers, items and unprotected columns."""
        publication, protects = self.publication, model.protects
        items = list(publication.item_columns)
        relational = [column.name for column in publication.relational]
        kept = [column.name for column in publication.kept]
        mixed = [name for name in kept if name == model.sensitive_column]
        return {
            **({"sensitive": mixed} if mixed else {}),
            "quasi_identifiers": relational if "relational" in protects else [],
            "items": items if "items" in protects else [],
            "not_protected": [
                *([] if "relational" in protects else relational),
                *([] if "items" in protects else items),
                *(name for name in kept if name not in mixed),
            ],
        }

    def require_sensitive(self, model: PrivacyModel) -> None:
        """Reject sensitive items that the publication does not show."""
        require_sensitive(model, self.publication.transactions)

    def agreed_tree(self, model: PrivacyModel, settings: "CheckSettings") -> Hierarchy | None:
        """Return the given hierarchy of the published items, which the codebook must match. None if no hierarchy is
        given.
        """
        if not settings.hierarchy:
            return None
        rules = CodeRules(inner_items=settings.file.inner_items)
        tree = items_hierarchy(self.publication, settings.hierarchy, model.beside, rules)
        if tree is not None:
            require_agreement(self.publication, tree)
        return tree

    def require_explained(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject a codebook that contradicts the item hierarchy of the original, and single values that are absent from
        the original, unless a hierarchy or the codebook explains them.
        """
        tree = None if table.transactions is None else hierarchies.get(table.transactions.name)
        if tree is not None:
            require_agreement(self.publication, tree)
        before = {column.name: column for column in table.relational}
        in_codebook = {symbol.label for symbol in self.publication.value_sets}
        for column in self.publication.relational:
            original = before.get(column.name)
            if not isinstance(original, CategoricalColumn) or column.name in hierarchies:
                continue
            values = {_value(label) for label in original.vocabulary.labels}
            for label in column.vocabulary.labels:
                if label not in in_codebook and len(members_of(label)) < 2 and _value(label) not in values:
                    way = f"{setting('hierarchy')} {column.name}=..."
                    problem = f"column {column.name!r}: {datum(label)} is not a value of the original"
                    raise InputError(f"{problem}; name the hierarchy that contains it: {way}")

    def impossible(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Witness | None:
        """Return a symbol or relational value that is published more often than the original allows, or None."""
        publication = self.publication
        witness = None if table.transactions is None else check_items_possible(table.transactions, publication)
        published = {column.name: column for column in spell_out(publication.relational, publication.value_sets)}
        for column in () if witness is not None else table.relational:
            witness = witness or first_uncoverable(column, published[column.name], hierarchies.get(column.name))
        return witness

    def require_codebook(self, opened: OpenedPublication, settings: "CheckSettings") -> None:
        """Reject an incomplete codebook of a publication on disk."""
        publication = self.publication
        where = f"codebook {str(opened.out / CODEBOOK)!r}"
        only = opened.attested.data.nameless and settings.original is not None and bool(settings.hierarchy)
        nodes_known = only or settings.names_tree_of(publication.transactions, publication.joined)
        require_sound(opened.codebook, where, nodes_known=nodes_known)
        require_complete(opened.codebook, publication, where)

    def suppressed(self, table: Table) -> Fraction | None:
        """Return the share of the original's occurring items that no published symbol covers.

        The denominator is the vocabulary. With a hierarchy it includes all leaves, even items that do not occur,
        as in the algorithms.
        """
        column = table.transactions
        if column is None or self.publication.transactions is None or not len(column.vocabulary):
            return None
        shown = {member for symbol in self.publication.symbols for member in symbol.members}
        labels = column.vocabulary.labels
        occurring = (label for label, n in zip(labels, column.occurrences, strict=True) if n)
        return Fraction(sum(label not in shown for label in occurring), len(labels))

    def beyond_utility(self, table: Table, settings: "CheckSettings") -> str:
        """Return the violation of the utility constraints. Empty if no constraint is violated or given."""
        from anonset.reading.policies import read_utility_policy

        if settings.utility_constraints is None:
            return ""
        if table.transactions is None:
            raise InputError(NO_ITEMS)
        policy = read_utility_policy(settings.utility_constraints, table.transactions.vocabulary)
        return utility_violation(table.transactions, self.publication, policy)

    def original_options(self, source: Source, settings: "OriginalSettings", attested: Attestation | None) -> list[Job]:
        """Return the options with the published columns, for each possible item separator."""
        publication = self.publication
        data = None if attested is None else cast("PublishedFile", attested.data)
        nameless = data is not None and data.nameless
        roles: StatedSettings = {
            "drop": settings.drop,
            "items": items_of_original(publication.item_columns, settings, source, nameless=nameless),
            "relational": [column.name for column in publication.relational],
            "numeric": self._numeric(settings),
            "keep": [column.name for column in publication.kept],
        }
        marks = separators(settings, None if data is None else data.separator, source)
        options = {**roles, **settings.reading_options()}
        return [Job({**options, "separator": mark}) for mark in marks]

    def _numeric(self, settings: "OriginalSettings") -> list[str]:
        """Return the numeric relational columns. A column that is not declared as numeric and has no given hierarchy is
        numeric if all its labels are ranges.
        """
        named = {*settings.numeric, *numeric_columns(settings.hierarchy)}
        return [
            column.name
            for column in self.publication.relational
            if column.name in named or (column.name not in settings.hierarchy and are_ranges(column.vocabulary.labels))
        ]

    def explained_share(self, original: Table) -> float:
        """Return the share of the original's items that are members of a symbol."""
        if original.transactions is None or not len(original.transactions.vocabulary):
            return 0.0
        members = {member for symbol in self.publication.symbols for member in symbol.members}
        labels = original.transactions.vocabulary.labels
        return sum(label in members for label in labels) / len(labels)

    def require_possible(self, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject an original whose recoded rows, kept columns or relational values occur in other numbers."""
        publication = self.publication
        column_of = {column.name: column for column in publication.kept}
        keys = [
            (column.codes.astype(np.int64), original_codes(column_of[column.name], column))
            for column in original.kept
            if column.name in column_of
        ]
        if original.transactions is not None and publication.transactions is not None:
            keys.append(symbol_keys(original.transactions, publication.transactions, publication.symbols))
        if keys and not as_often(keys):
            raise InputError(f"the codebook recodes the original to other rows than the publication contains, {OTHER}")
        published = {column.name: column for column in publication.relational}
        for column in original.relational:
            require_coverable(column, published[column.name], hierarchies.get(column.name))

    def spelled(self) -> "RecordsAnalysis":
        """Return the operations on the records with all members of value sets."""
        publication = self.publication
        relational = spell_out(publication.relational, publication.value_sets)
        return RecordsAnalysis(replace(publication, relational=relational))

    def answered(self, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]) -> QueryAnswers:
        """Return the error of queries for items and relational values."""
        from anonset.measures.query_error import mixed_relative_error
        from anonset.queries.mixed_workload import mixed_published_workload

        publication = self.publication
        names = {column.name for column in original.relational}
        trees = {name: tree for name, tree in hierarchies.items() if name in names}
        workload = of_original(original, spec, trees)
        if workload is None:
            with in_terms_of(spec):
                workload = mixed_published_workload(original, publication, spec.parts[1], spec.shape, spec.seed, trees)
        errors = mixed_relative_error(original, publication, workload, trees, reading=spec.reading)
        return QueryAnswers(errors.average, errors.answered, errors.skipped, spec.reading)

    def supports(self, reading: Reading = ONE_MEMBER) -> "Supports":
        """Return the expected supports by the symbols."""
        from anonset.measures.item_supports import SymbolSupports

        sets = self.publication.transactions
        return super().supports(reading) if sets is None else SymbolSupports(self.publication, sets, reading)

    def expected_counts(self, frequent: "FrequentItems") -> "tuple[Counts, Counts, float | None]":
        """Return the expected counts by the symbols."""
        from anonset.measures.countable import counts_in_records

        return counts_in_records(self.publication, frequent)

    def losses(self, request: EvaluationRequest) -> Evaluation:
        """Return the losses of items and of relational values."""
        publication = self.publication
        kept = [column.name for column in publication.kept] if publication.relational and publication.n else []
        observed = _disclosures(publication, kept) if kept else {}
        return replace(losses_of_records(publication, request), observed=observed, classes=self.class_sizes())

    def class_sizes(self) -> "ClassSizes | None":
        """Return the sizes of the equivalence classes."""
        from anonset.measures.class_sizes import ClassSizes

        return ClassSizes.of(self.publication.relational, self.publication.store)

    def risk(self, context: RiskContext) -> Risk:
        """Count the rows or persons that match attacker knowledge, and run attacks."""
        from anonset.measures.risks.item_inference import ItemInference, infer_items

        publication, original, trees, seed = self.publication, context.original, context.hierarchies, context.seed
        model, threshold, owner = context.model, context.threshold, None
        if context.persons is not None:
            owner = owners_of(context.persons, original)
        names = [column.name for column in publication.kept] if context.sensitive is None else list(context.sensitive)
        size = ((model.m or 2) if context.m is None else context.m) + 2
        as_is = tuple(column.name for column in publication.kept if column.name != model.sensitive_column)
        parts = [(name, rows) for name, rows in (("before", original), ("after", publication)) if rows is not None]
        owners = {"before": owner, "after": None if owner is None else owner[publication.record]}
        complete = {name: complete_exposure(rows, model, threshold, owners[name]) for name, rows in parts}
        expose = partial(exposures, model=model, size=size, threshold=threshold, seed=seed, as_is=as_is)
        risk = Risk(
            publication.n, model, threshold,
            expose(publication, owner=owners["after"]),
            _disclosures(publication, names),
            before=() if original is None else expose(original, owner=owner),
            unit=context.unit if owner is None else "person",
            persons=None if owner is None else int(owner.max(initial=-1)) + 1,
            skews=_skews(publication, names, seed),
            complete={name: one for name, one in complete.items() if one is not None},
        )  # fmt: skip
        if original is not None and (coarsened := [name for names in original.coarsened.values() for name in names]):
            of_raw = () if context.raw is None else expose(context.raw, owner=owner)
            risk = replace(risk, coarsened=coarsened, raw=headline(of_raw, model.m or 2))
        outcomes, reasons = self._run_attacks(context, risk.skews)
        risk = replace(risk, outcomes=outcomes, not_tried=reasons)
        if original is None:
            if context.population is not None:
                needs = f"{setting('population')} needs {setting('original')} to determine the original values that"
                raise InputError(f"{needs} published values cover")
            return risk
        if context.population is not None:
            journalist = _journalist(original, publication, trees, context.population, threshold)
            risk = replace(risk, journalist=journalist)
        attempts = attack(
            original, publication, trees, model, size=size, attempts=context.attempts, seed=seed, owner=owner,
            as_is=as_is,
        )  # fmt: skip
        inferences = tuple[ItemInference, ...]()
        if original.transactions is not None:
            inferences = infer_items(original.transactions, self.supports(), context.attempts, seed)
        return replace(risk, attempts=attempts, told=inferences)

    def _run_attacks(
        self, context: RiskContext, skews: "Mapping[str, Skewness]"
    ) -> "tuple[tuple[AttackResult, ...], dict[str, str]]":
        """Return the results of the requested attacks, and the reasons why attacks were not possible."""
        from anonset.attacks.base import AttackInput

        publication, original = self.publication, context.original
        if publication.value_sets and original is not None:
            publication = self.spelled().publication
        scene = AttackInput(
            publication, context.model, original, context.hierarchies, context.other_release, skews, context.attempts,
            context.seed, context.algorithm,
        )  # fmt: skip
        return run_attacks(
            scene, context.attacks if context.other_release is None else [*context.attacks, "composition"]
        )


def _disclosures(publication: Records, names: Sequence[str]) -> "dict[str, ObservedDiversity]":
    from anonset.measures.risks.sensitive_values import observed_diversity

    group = codes_of(publication.relational)
    return {name: observed_diversity(group, _kept(publication, name), publication.store) for name in names}


def _skews(publication: Records, names: Sequence[str], seed: int) -> "dict[str, Skewness]":
    """Return the success of guessing kept columns by quasi-identifiers, without values that are names, contact data or
    free text. Empty if the rows do not fit into memory.
    """
    from anonset.measures.risks.skewness import skewness

    fits_memory = publication.n <= publication.store.limits.at_once_within(publication.n, _BYTES_A_ROW)
    if not names or not publication.relational or not fits_memory:
        return {}
    classes = class_of(publication.relational, publication.n)

    def of_column(name: str) -> "Skewness":
        column = _kept(publication, name)
        skew = skewness(classes, column, seed)
        personal = are_personal(name, column.vocabulary.labels, np.asarray(column.occurrences))
        return skew.without_values() if personal else skew

    return {name: of_column(name) for name in names}


def owners_of(persons: Sequence[Hashable] | NDArray[Any], original: Table | None) -> Int64:
    """Return the person number of each record, from 0, int64 (n,).

    Raises
    ------
    InputError
        If there is no original, or the number of persons differs from its record count.
    """
    if original is None or len(persons) != original.n:
        records = "no original is given" if original is None else f"the original has {original.n:,} records"
        msg = f"persons must have an entry for each record of the original, got {len(persons):,} entries; {records}"
        raise InputError(msg)
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(person, len(numbers)) for person in persons], np.int64)


def _kept(publication: Records, name: str) -> CategoricalColumn:
    for column in publication.kept:
        if column.name == name:
            return column
    names = ", ".join(repr(column.name) for column in publication.kept) or "none"
    raise InputError(f"{setting('sensitive')}: column {name!r} is not published unchanged; choose from {names}")


def _journalist(
    original: Table, publication: Records, trees: Mapping[str, Hierarchy], population: Table, threshold: float
) -> tuple[float, float]:
    missing = {column.name for column in original.relational} - {column.name for column in population.relational}
    if missing or not original.relational:
        name = min(missing, default="quasi-identifiers")
        raise InputError(f"{setting('population')} must contain the quasi-identifiers of the data; {name!r} is missing")
    classes, people = Matching(original, publication, trees).classes_covering(population)
    at_least = np.maximum(people, np.bincount(classes, minlength=len(people)))
    risks = 1.0 / at_least[classes]
    return float(risks.max(initial=0.0)), float((risks > threshold).mean()) if len(risks) else 0.0


def _value(label: str) -> Fraction | str:
    """Return the number that a label denotes in any notation, or the label itself if it is not a number."""
    try:
        return exact(label)
    except ValueError:
        return label
