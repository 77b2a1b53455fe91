"""Sentences that state the limits of the guarantee of a publication.

The limits follow from the model, the publication and its declarations, so `anonset verify` can compute them.
"""

import re
from collections.abc import Container, Iterable
from typing import Any

from anonset.privacy import PrivacyModel
from anonset.publications import Published, Records
from anonset.publications.symbols import members_of, range_ends
from anonset.reading.file_options import Unit
from anonset.release.documents import DECLARED_UNITS, Declarations
from anonset.release.formats import kind_of
from anonset.settings.settings import Settings, with_sensitive_kept

UNCHANGED = (
    "Columns that are published unchanged are not protected: someone who knows their values may identify a person."
)
"""Limit of the guarantee of every publication of records with such columns."""
AS_THEY_ARE = (
    "The guarantee covers only items that are recorded in the data. Someone who knows an item of a person that is not "
    "recorded may find no matching record, and learn that the item is missing."
)
"""Limit of the guarantee of every publication of records with items."""
UNPUBLISHED = (
    "An item that is not published was either absent from the data or suppressed, and recipients cannot distinguish "
    "the two cases. Someone who knows that the data contain an unpublished item knows that it was suppressed."
)
"""Limit of the guarantee of every publication of records with items."""
MEMBERS = (
    "A published group shows that each of its members occurs in the data, unless the hierarchy also contains members "
    "that do not occur."
)
"""Limit of the guarantee if a symbol has several members."""
RANGES = (
    "The end points of a published range may be exact values of some of its records, unless a hierarchy defines the "
    "range."
)
"""Limit of the guarantee if a number is published as a range."""
FINEST = (
    "The publication is as detailed as the guarantee allows, so someone who knows the search method may exclude some "
    "original values (minimality attack)."
)
"""Limit of the guarantee of every publication of records."""
REGIONS = (
    "The equivalence classes may depend on the items. A boundary between two classes then shows that their items have "
    "different distributions, and a class with wide ranges shows that a finer split would generalize the items more "
    "(minimality attack)."
)
"""Limit of the guarantee if relational values and items are published together."""
LOCAL = (
    "The same value may be generalized differently in different records (local recoding). Someone who knows the search "
    "method may learn more about a record from its generalization (refinement and downcoding attacks: Cohen, Attacks "
    "on Deidentification's Defenses, USENIX Security 2022)."
)
"""Limit of the guarantee if clusters or partitions have their own recodings."""
ALONE = (
    "Together with other publications about the same persons, by any publisher, the publication may reveal hidden "
    "values (composition attack)."
)
"""Limit of the guarantee of every publication."""
ROWS = "A person with several rows is not protected as one person."
"""Limit of the guarantee if nobody declared who is a person, because the data contain one set-valued column alone."""
UNKNOWN = (
    "A person with several rows is not protected as one person, because the data do not say who is a person. The "
    "guarantee covers rows."
)
"""Limit of the guarantee if the owner declares that the data do not say who is a person."""
BY_WORD = "The owner declares that each row is a different person, which no check verifies."
"""Limit of the guarantee if the owner declares that rows are persons."""
AS_IS = (
    "The owner publishes the columns named in the declarations as is, although they may contain exact values of few "
    "persons, make records unique, or contain names of persons."
)
"""Limit of the guarantee if the owner declares columns to publish as is."""
FROM_DATA = (
    "A hierarchy was built from label frequencies in the data. The labels of each group have similar frequencies among "
    "all labels, or among the labels below a node of the owner's hierarchy. Each group therefore discloses a range of "
    "frequencies, and sometimes which pairs are rare."
)
"""Limit of the guarantee if a hierarchy was built from frequencies."""
SETS_FROM_DATA = (
    "Sets of items were built from the frequencies of items and pairs in the data. The items of a set tend to have "
    "similar frequencies, and each set is as large as necessary to hide rare combinations. Each set therefore "
    "discloses a range of frequencies, and sometimes which pairs are rare or never occur."
)
"""Limit of the guarantee if published sets of items were built from the frequencies of items and pairs."""
CONTINUES = (
    "This release continues an earlier release and uses the same names of symbols. Someone who has both releases sees "
    "which symbols became coarser, and therefore which became rare. A group may contain labels that occur only in the "
    "earlier data."
)
"""Limit of the guarantee if the release continues an earlier release."""
GOES_ON = (
    "The guarantee does not cover this release together with the earlier release: someone who has both releases may "
    "learn more about a person in both than from one of them."
)
"""Limit of the guarantee if the guarantee does not cover this release together with the earlier release."""
TOGETHER_LINKED = (
    "The guarantee also covers this release together with one earlier release, which the attestation names, for "
    "persons in both releases, even if an attacker can link the rows of a person or knows that a record is unchanged. "
    "It does not cover persons in only one of the two, further releases, or knowledge that a record changed."
)
"""Limit with an earlier release, if the guarantee also covers attackers who can link the rows of a person."""
TOGETHER = (
    "Someone who has both releases and can link the rows of a person, or knows all persons in both, may find fewer "
    "than k records. The joint guarantee covers only persons in both with an unchanged record: at least k rows of each "
    "release contain the known items and may have the same record as such a row of the other release."
)
"""Limit with an earlier release, if the guarantee does not cover attackers who can link rows."""
UNDECIDED = "The guarantee is not proven, because the check did not finish, which the owner accepted."
"""Limit of the guarantee if an unfinished check was accepted."""

_LIMITS_OF_UNITS = {
    "row, declared a person": BY_WORD,
    "row, person unknown": UNKNOWN,
    "row, not asked": ROWS,
}
"""Limit of the guarantee that follows from the unit of privacy."""
_BY_SUBJECT = (
    (UNDECIDED,), (UNKNOWN, BY_WORD, ROWS), (AS_IS, UNCHANGED), (TOGETHER, GOES_ON), (ALONE,), (FINEST,),
)  # fmt: skip
"""Limits by subject. A run prints the first sentence of one limit per subject. The most important limit is the
first.
"""
_OF_MODEL = 2
"""Maximum number of limits of the model that a run prints. The attestation contains all limits."""
_MOST_IMPORTANT = 3
"""Number of limits that the report and the page show unfolded."""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("Counts are exact. Pairs (of items) are not.")
    ['Counts are exact.', 'Pairs (of items) are not.']
    """
    return re.split(r"(?<=\.) (?=[A-Z])", text)


def limits_in_short(model: PrivacyModel, limits: Container[str]) -> list[str]:
    """Return the most important limits of a publication as sentences that a run prints, each subject once.

    Parameters
    ----------
    limits
        All limits, as a list or as one text.
    """
    of_model = sentences(model.limits)[:_OF_MODEL]
    further = [[text for text in texts if text in limits][:1] for texts in _BY_SUBJECT]
    return [*of_model, *(sentences(text)[0] for texts in further for text in texts)]


def ranked_limits(model: PrivacyModel, limits: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the three most important limits of a publication, and all other limits, as sentences.

    The report and the page show them in this order.

    >>> from anonset.privacy import KmAnonymity
    >>> model = KmAnonymity(5, 2)
    >>> first, others = ranked_limits(model, [model.limits, ROWS, ALONE])
    >>> len(first), first[2] == ROWS, others[-1] == ALONE
    (3, True, True)
    """
    text = " ".join(limits)
    first = limits_in_short(model, text)[:_MOST_IMPORTANT]
    return first, [limit for limit in sentences(text) if limit not in first]


def promised_limits(model: PrivacyModel, settings: Settings) -> list[str]:
    """Return the limits of the guarantee that are known before a job runs: limits of the model, of the roles, and of
    the declarations. Limits that follow from the published symbols are missing.
    """
    settings = with_sensitive_kept(settings, model)
    limits = [model.limits]
    if model.kind == "records":
        parts = {"items": settings.items, "relational": settings.relational}
        unprotected = [part for part, columns in parts.items() if columns and part not in model.protects]
        limits += [UNCHANGED] if settings.keep or unprotected else []
        limits.append(FINEST)
    return limits + _limits_of_declarations(
        unit=DECLARED_UNITS[Unit.of(settings.file.unit).kind],
        earlier=settings.recoding is not None,
        together="" if settings.after is None else TOGETHER,  # whether rows may be linked is known after the search
        as_is=bool(settings.publish_as_is),
    )


def declared_limits(model: PrivacyModel, publication: Published, declared: Declarations) -> list[str]:
    """Return the limits of the guarantee. These are the limits of the model, and limits that follow from the
    publication and the declarations.
    """
    kept_with = TOGETHER_LINKED if declared.together_if_linked else TOGETHER
    limits = [model.limits, *kind_of(model).limits(publication, model)]
    limits += _limits_of_declarations(
        unit=declared.unit,
        earlier=declared.earlier_attestation is not None,
        together="" if declared.together_with is None else kept_with,
        as_is=bool(declared.published_as_is),
    )
    applies = {
        FROM_DATA: declared.hierarchy_built_from_data,
        SETS_FROM_DATA: declared.partition_made_from_data,
        UNDECIDED: declared.accepted_undecided,
    }
    return limits + [text for text, holds in applies.items() if holds]


def _limits_of_declarations(*, unit: str, earlier: bool, together: str, as_is: bool) -> list[str]:
    limits = [ALONE]
    if earlier:
        limits.append(CONTINUES)
        if not together:
            limits.append(GOES_ON)
    if together:
        limits.append(together)
    if unit in _LIMITS_OF_UNITS:
        limits.append(_LIMITS_OF_UNITS[unit])
    if as_is:
        limits.append(AS_IS)
    return limits


def limits_of_records(publication: Records, model: PrivacyModel) -> list[str]:
    """Return the limits of published records."""
    texts = [label for column in publication.relational for label in column.vocabulary.labels]
    several = any(len(symbol.members) > 1 for symbol in publication.symbols) or bool(publication.value_sets)
    parts = {"items": publication.transactions, "relational": publication.relational}
    unprotected = [part for part, columns in parts.items() if columns and part not in model.protects]
    applies = {
        UNCHANGED: bool(publication.kept or unprotected),
        AS_THEY_ARE: publication.transactions is not None,
        UNPUBLISHED: publication.transactions is not None,
        MEMBERS: several or any(len(members_of(text)) > 1 for text in texts),
        RANGES: any(len(set(range_ends(text))) > 1 for text in texts),
        FINEST: True,
        REGIONS: publication.transactions is not None and bool(publication.relational),
        LOCAL: bool(publication.relational) or _has_local_items(model, publication),
    }
    return [text for text, holds in applies.items() if holds]


def _has_local_items(model: PrivacyModel, publication: Records) -> bool:
    """Return True if an item may be published as several symbols, because of the model or the symbols."""
    if model.recodes_locally:
        return True
    listed: set[Any] = set()
    for symbol in publication.symbols:
        if not listed.isdisjoint(symbol.members):
            return True
        listed.update(symbol.members)
    return False
