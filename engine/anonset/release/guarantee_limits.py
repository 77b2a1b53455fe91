"""Limits of the guarantee of a publication, in sentences.

The limits follow from the model, the publication and its declarations, so `anonset verify` can compute them.
"""

import re
from functools import singledispatch
from typing import Any

from anonset.privacy import PrivacyModel
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.publications.symbols import members_of, range_ends
from anonset.release.documents import Declarations

AS_THEY_ARE = (
    "The guarantee applies to the records as they are in the data: someone who knows an item that the data lack may "
    "find no matching record, and learn that the item is missing."
)
"""Limit of every publication of items."""
UNPUBLISHED = (
    "A missing item was either absent from the data or suppressed; readers cannot distinguish the two cases. Someone "
    "who knows that some record contains a missing item knows that it was suppressed."
)
"""Limit of every publication of items."""
MEMBERS = "All members of a group occur in the data, unless the hierarchy contains further items."
"""Limit if a symbol has several members."""
RANGES = "The ends of a range may be values of some of its records, unless a hierarchy defines the range."
"""Limit if a number is published as a range."""
FINEST = "The result is as detailed as the guarantee allows, which may itself hint at hidden values (minimality)."
"""Limit of every publication of records."""
REGIONS = (
    "Records may be split by quasi-identifiers where their items differ: a split shows that the items on its sides "
    "have different distributions, and a wide region shows that a finer split would generalize the items more "
    "(minimality)."
)
"""Limit if relational values and items are published together."""
LOCAL = (
    "Equal values may be published in different ways (local recoding): someone who knows the search method may learn "
    "more from the choice for a record (refinement and downcoding attacks: Cohen, Attacks on Deidentification's "
    "Defenses, USENIX Security 2022)."
)
"""Limit if clusters or partitions have their own recodings."""
ALONE = "Other publications about the same persons, by any publisher, may reveal hidden values (composition)."
"""Limit of every publication."""
ROWS = "Each row counts as a person: a person with several rows is not protected as one person."
"""Limit if no id assigns rows to persons."""
BY_WORD = "The owner declares, and no check verifies, that each row is a different person."
"""Limit if the owner declares that rows are persons."""
NAMED = "Some columns may name persons or contain contact details: the owner publishes them intentionally."
"""Limit if the owner declares identifying columns."""
AS_IS = (
    "Some columns, listed in the declarations, may contain exact values of few persons, make records unique, or name "
    "persons: the owner publishes them as is."
)
"""Limit if the owner declares columns to publish as is."""
FROM_DATA = (
    "A hierarchy was built from label frequencies in the data: the labels of a group are about equally frequent among "
    "all labels, or among the labels below a node of the owner's tree, so that each group discloses a range of "
    "frequencies, and sometimes which pairs are rare."
)
"""Limit if a hierarchy was built from frequencies."""
SETS_FROM_DATA = (
    "Sets of items were built from frequencies of items and pairs in the data: items of a set tend to be about equally "
    "frequent, and a set is as large as necessary to hide rare combinations, so that each set discloses a range of "
    "frequencies, and sometimes which pairs are rare or never occur."
)
"""Limit if a partition of the items was built from frequencies and pairs of items."""
CONTINUES = (
    "This release continues an earlier release with the same symbol names: someone who has both sees which symbols "
    "became coarser, and therefore which became rare. The labels of a group may occur only in the earlier data."
)
"""Limit if the release continues an earlier release."""
GOES_ON = (
    "No guarantee covers this release and the earlier release together: someone who has both may learn more about a "
    "person in both than from either release."
)
"""Limit if both releases together do not keep the guarantee."""
TOGETHER_LINKED = (
    "Together with one earlier release, named in the attestation, the guarantee covers persons in both releases, even "
    "if an attacker can link the rows of a person. No joint guarantee covers persons in only one of the two releases, "
    "or further releases."
)
"""Limit with an earlier release, if the guarantee also covers attackers who can link the rows of a person."""
TOGETHER = (
    "Together with the earlier release, someone who can link the rows of a person, or knows all persons in both, may "
    "find fewer than k records. The joint guarantee covers persons in both with an unchanged record: k rows of each "
    "match rows of the other. No joint guarantee covers other persons, or further releases."
)
"""Limit with an earlier release, if the guarantee does not cover attackers who can link rows."""
UNDECIDED = "The check did not finish, and the owner accepted this: the guarantee is not proven."
"""Limit if an unfinished check was accepted."""

_MOST_IMPORTANT = (UNDECIDED, NAMED, AS_IS, BY_WORD, ROWS, TOGETHER, GOES_ON, ALONE, FINEST)
"""Limits whose first sentence is shown to the owner, in this order."""
_SHOWN = 2
"""Number of limits of the model, and of `_MOST_IMPORTANT`, that are shown to the owner. The attestation contains all
limits.
"""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("Counts are exact. Pairs (of items) are not.")
    ['Counts are exact.', 'Pairs (of items) are not.']
    """
    return re.split(r"(?<=\.) (?=[A-Z])", text)


def limits_in_short(model: PrivacyModel, limits: list[str]) -> list[str]:
    """Return the most important limits of a publication, one sentence each."""
    further = [sentences(text)[0] for text in _MOST_IMPORTANT if text in limits]
    return [*sentences(model.limits)[:_SHOWN], *further[:_SHOWN]]


def limits_of(
    model: PrivacyModel,
    publication: Published,
    *,
    by_person: bool,
    undecided: bool,
    from_data: bool = False,
    sets_from_data: bool = False,
    earlier: bool = False,
    together: str = "",
    by_word: bool = False,
    named: bool = False,
    as_is: bool = False,
) -> list[str]:
    """Return the limits of the guarantee: the limits of the model, and further limits.

    Parameters
    ----------
    by_person
        Whether an id identifies the person of each row.
    undecided
        Whether an unfinished check was accepted.
    from_data
        Whether a hierarchy was built from frequencies.
    sets_from_data
        Whether a partition of the items was built from frequencies.
    earlier
        Whether the release continues an earlier release.
    together
        Statement of the joint guarantee with an earlier release. Empty if there is none.
    by_word
        Whether the owner declares that rows are persons.
    named
        Whether the owner declares that identifying values are published on purpose.
    as_is
        Whether the owner declares columns to publish as is.
    """
    limits = [model.limits, *limits_of_kind(publication, model), ALONE]
    if earlier:
        limits.append(CONTINUES)
        if not together:
            limits.append(GOES_ON)
    if together:
        limits.append(together)
    if not by_person:
        limits.append(ROWS)
    if by_word:
        limits.append(BY_WORD)
    if named:
        limits.append(NAMED)
    if as_is:
        limits.append(AS_IS)
    if from_data:
        limits.append(FROM_DATA)
    if sets_from_data:
        limits.append(SETS_FROM_DATA)
    if undecided:
        limits.append(UNDECIDED)
    return limits


@singledispatch
def limits_of_kind(publication: Published, model: PrivacyModel) -> list[str]:
    """Return the limits of a kind of publication, for any model."""
    raise unknown_kind(publication)


@limits_of_kind.register
def _(publication: Buckets | Chunks, model: PrivacyModel) -> list[str]:
    return []


@limits_of_kind.register
def _(publication: Records, model: PrivacyModel) -> list[str]:
    """Return the limits that follow from the symbols of published records."""
    texts = [label for column in publication.relational for label in column.vocabulary.labels]
    several = any(len(symbol.members) > 1 for symbol in publication.symbols) or bool(publication.value_sets)
    applies = {
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


def declared_limits(model: PrivacyModel, publication: Published, declared: Declarations) -> list[str]:
    """Return the limits of the guarantee, given the declarations."""
    kept_with = TOGETHER_LINKED if declared.together_if_linked else TOGETHER
    return limits_of(
        model,
        publication,
        by_person=declared.unit == "person",
        undecided=bool(declared.accepted_undecided),
        from_data=bool(declared.hierarchy_built_from_data),
        sets_from_data=bool(declared.partition_made_from_data),
        earlier=declared.earlier_attestation is not None,
        together="" if declared.together_with is None else kept_with,
        by_word=bool(declared.rows_are_persons),
        named=bool(declared.identifying_as_declared),
        as_is=bool(declared.published_as_is),
    )
