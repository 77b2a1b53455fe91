"""Checks of published records in addition to the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.decimals import exact
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError, datum
from anonset.jobs.check.base import NO_ITEMS, KindCheck, kind_check
from anonset.jobs.original.records import first_uncoverable
from anonset.privacy import Witness
from anonset.publications import Records
from anonset.publications.symbols import members_of
from anonset.reading.policies import read_utility_policy
from anonset.release.documents import CODEBOOK
from anonset.release.opened import OpenedPublication
from anonset.release.symbols import items_hierarchy, require_agreement, require_complete, require_sound, spell_out
from anonset.settings.binding import require_sensitive
from anonset.spelling import setting
from anonset.verification.constraints import check_utility
from anonset.verification.item_truth import check_items_possible


@dataclass(frozen=True, eq=False)
class RecordsCheck(KindCheck[Records]):
    """Column roles, suppressed items, and utility constraints."""

    def roles(self) -> dict[str, list[str]]:
        """Return the quasi-identifiers, items and unprotected columns."""
        publication, protects = self.publication, self.model.protects
        sets = publication.transactions
        items = [] if sets is None else list(publication.joined or (sets.name,))
        relational = [column.name for column in publication.relational]
        kept = [column.name for column in publication.kept]
        mixed = [name for name in kept if name == self.model.sensitive_column]
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

    def require_sensitive(self) -> None:
        """Reject sensitive items that the publication does not show."""
        require_sensitive(self.model, self.publication.transactions)

    def agreed_tree(self) -> Hierarchy | None:
        """Return the given hierarchy of the published items, which the codebook must match. None if no hierarchy is
        given.
        """
        if not self.settings.hierarchy:
            return None
        rules = CodeRules(inner_items=self.settings.file.inner_items)
        tree = items_hierarchy(self.publication, self.settings.hierarchy, self.model.beside, rules)
        if tree is not None:
            require_agreement(self.publication, tree)
        return tree

    def require_agreement(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject a codebook that contradicts the item hierarchy of the original."""
        tree = None if table.transactions is None else hierarchies.get(table.transactions.name)
        if tree is not None:
            require_agreement(self.publication, tree)

    def require_explained(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject single values that are absent from the original, unless a hierarchy or the codebook explains them."""
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
                    msg = f"{problem}; name the hierarchy that contains it: {way}"
                    raise InputError(msg)

    def impossible(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Witness | None:
        """Return a symbol or relational value that is published more often than the original allows, or None."""
        publication = self.publication
        witness = None if table.transactions is None else check_items_possible(table.transactions, publication)
        published = {column.name: column for column in spell_out(publication.relational, publication.value_sets)}
        for column in () if witness is not None else table.relational:
            witness = witness or first_uncoverable(column, published[column.name], hierarchies.get(column.name))
        return witness

    def require_codebook(self, opened: OpenedPublication) -> None:
        """Reject an incomplete codebook of a publication on disk."""
        settings, publication = self.settings, self.publication
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

    def beyond_utility(self, table: Table) -> str:
        """Return the violation of the utility constraints. Empty if no constraint is violated or given."""
        if self.settings.utility_constraints is None:
            return ""
        if table.transactions is None:
            raise InputError(NO_ITEMS)
        policy = read_utility_policy(self.settings.utility_constraints, table.transactions.vocabulary)
        return check_utility(table.transactions, self.publication, policy, 1.0).reason


def _value(label: str) -> Fraction | str:
    """Return the number that a label denotes in any notation, or the label itself if it is not a number."""
    try:
        return exact(label)
    except ValueError:
        return label


kind_check.register(Records, RecordsCheck)
