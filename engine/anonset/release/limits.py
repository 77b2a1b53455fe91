"""What a publication does not guarantee, in words: the limits of its model, and what symbols and settings disclose.

All of it is known from the model, the publication and its declarations alone, so that `anonset verify` can compute it.
"""

from typing import TYPE_CHECKING, Any

from anonset.generalization import Publication
from anonset.generalization.publication import members_of, range_ends
from anonset.privacy import PrivacyModel

if TYPE_CHECKING:
    from anonset.generalization.buckets import AnyPublication

AS_THEY_ARE = (
    "It protects the records as they are in the data: whoever knows an item of a person that the data lack may find "
    "that no record matches, and learn that it is missing."
)
"""What holds of every publication of items."""
UNPUBLISHED = (
    "A missing item was either never there or suppressed; readers cannot tell which. Whoever knows that some record "
    "has it knows that it was suppressed."
)
"""What holds of every publication of items."""
MEMBERS = "Group members all occur in your data, unless your hierarchy adds others."
"""What holds where a symbol stands for several labels."""
RANGES = "The ends of a range are values of some of its records, unless a hierarchy names the range."
"""What holds where a number is published as a range."""
FINEST = "The result is as detailed as is safe; that itself can hint at what was hidden (minimality)."
"""What holds of every publication of records."""
LOCAL = (
    "Equal values may be published in different ways (local recoding): whoever knows how the search works may learn "
    "more from the way that was chosen for a record (refinement and downcoding attacks: Cohen, Attacks on "
    "Deidentification's Defenses, USENIX Security 2022)."
)
"""What holds where clusters or partitions have recodings of their own."""
ALONE = (
    "It protects this publication alone: together with another one about the same persons, by anyone, it may reveal "
    "what each of them hides (composition)."
)
"""What holds of every publication."""
ROWS = "Each row was taken for a person: somebody with several rows is not protected as one person."
"""What holds where nothing tells whose row it is."""
BY_WORD = "That no two rows are of one person is the owner's word."
"""What holds where the owner declares that rows are persons."""
NAMED = "Columns may name or reach persons: the owner declares that they are published on purpose."
"""What holds where the owner declares what identifies."""
FROM_DATA = (
    "A hierarchy was made from how often labels occur in the data: what is published together occurs about equally "
    "often, among all labels or among those below a node of the owner's tree. So each group tells a band of "
    "frequencies, and at times which pairs are rare."
)
"""What holds where a hierarchy was made from frequencies."""
SETS_FROM_DATA = (
    "Sets of items were made from how often, and with which others, items occur in the data: items of a set tend "
    "to occur about equally often, and a set is as large as was found to be needed to hide what is rare. So each set "
    "tells a band of frequencies, and at times which pairs are rare or never occur."
)
"""What holds where a partition was made from frequencies and pairs."""
GOES_ON = (
    "It continues an earlier release, whose names keep their meaning: whoever has both sees what became coarser, so "
    "what became rare, and may learn more about somebody who is in both than either says. No guarantee holds for the "
    "two together. A group may stand for labels of the earlier data alone."
)
"""What holds where the recoding of an earlier release was coarsened."""
UNDECIDED = "The check could not finish, which was accepted: that the guarantee holds is not proven."
"""What holds where an unfinished check was accepted."""

IN_SHORT = {
    UNDECIDED: UNDECIDED,
    NAMED: "Columns that may name persons are published on purpose.",
    BY_WORD: "That no two rows are of one person is your word.",
    ROWS: "Somebody with several rows is not protected as one person.",
    GOES_ON: "No guarantee holds for this and the earlier release together.",
    ALONE: "Together with another publication about the same persons, it may reveal more.",
    FINEST: "The result is as detailed as is safe; that itself can hint at what was hidden.",
}
"""The limits that an owner reads first, in this order, each in a line."""


def limits_of(
    model: PrivacyModel,
    publication: "AnyPublication",
    *,
    by_person: bool,
    undecided: bool,
    from_data: bool = False,
    sets_from_data: bool = False,
    earlier: bool = False,
    by_word: bool = False,
    named: bool = False,
) -> list[str]:
    """Return what is not guaranteed: the limits of the model, and a sentence on each further one.

    Parameters
    ----------
    by_person
        Whether an id tells whose row it is.
    undecided
        Whether it was accepted that the check could not be finished.
    from_data
        Whether a hierarchy was made from frequencies.
    sets_from_data
        Whether a partition of the items was.
    earlier
        Whether it goes on from an earlier release.
    by_word
        Whether the owner declares that rows are persons.
    named
        Whether the owner declares that what identifies is published on purpose.
    """
    sentences = [model.limits]
    if isinstance(publication, Publication):
        sentences += _of_records(model, publication)
    sentences.append(ALONE)
    if earlier:
        sentences.append(GOES_ON)
    if not by_person:
        sentences.append(ROWS)
    if by_word:
        sentences.append(BY_WORD)
    if named:
        sentences.append(NAMED)
    if from_data:
        sentences.append(FROM_DATA)
    if sets_from_data:
        sentences.append(SETS_FROM_DATA)
    if undecided:
        sentences.append(UNDECIDED)
    return sentences


def _of_records(model: PrivacyModel, publication: Publication) -> list[str]:
    """Return what the symbols of published records tell beside what they say."""
    texts = [label for column in publication.relational for label in column.vocabulary.labels]
    several = any(len(symbol.members) > 1 for symbol in publication.symbols) or bool(publication.value_sets)
    applies = {
        AS_THEY_ARE: publication.transactions is not None,
        UNPUBLISHED: publication.transactions is not None,
        MEMBERS: several or any(len(members_of(text)) > 1 for text in texts),
        RANGES: any(len(set(range_ends(text))) > 1 for text in texts),
        FINEST: True,
        LOCAL: bool(publication.relational) or _has_local_items(model, publication),
    }
    return [text for text, holds in applies.items() if holds]


def _has_local_items(model: PrivacyModel, publication: Publication) -> bool:
    """Tell whether an item may be published in several ways: by the model, or as it stands behind several symbols."""
    if model.recodes_locally:
        return True
    seen: set[Any] = set()
    for symbol in publication.symbols:
        if not seen.isdisjoint(symbol.members):
            return True
        seen.update(symbol.members)
    return False
