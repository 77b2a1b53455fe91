"""Sentences of earlier versions' attestations, and today's that say the same: earlier publications still verify."""

from anonset.release import statements

_EARLIER = (
    (
        "It speaks of the records as they are in the data: whoever knows an item of a person that is missing "
        "there, alone or with its whole row, may find that no record matches, and learn that it is missing.",
        statements.AS_THEY_ARE,
    ),
    (
        "An item that stands behind no published symbol is in no record, or it was suppressed: the publication "
        "does not say which, but whoever knows that it is in some record knows that it was suppressed.",
        statements.UNPUBLISHED,
    ),
    (
        "Every label that a published set or node stands for occurs in the data, unless a list or a hierarchy "
        "that was not made from the data brought it in.",
        statements.MEMBERS,
    ),
    (
        "The ends of a range are values of some of its records, unless a hierarchy names the range.",
        statements.RANGES,
    ),
    (
        "It was made as fine as the search found safe: whoever knows how it searches may conclude that finer ones"
        " were not safe, and from that at times what is hidden (minimality).",
        statements.FINEST,
    ),
    (
        "Equal values may be published in different ways (local recoding): from the way that was chosen for a "
        "record, whoever knows how the search works may tell more than its symbols say (refinement and downcoding"
        " attacks: Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022).",
        statements.LOCAL,
    ),
    (
        "It speaks of this publication alone: together with another one of the same persons, whoever made it, it "
        "may tell what each of them hides (composition).",
        statements.ALONE,
    ),
    (
        "A row was taken for a person: somebody who has several rows is not protected as one person.",
        statements.ROWS,
    ),
    (
        "A hierarchy was made from how often labels occur in the data: what is published together are neighbours "
        "by frequency, among all labels or among those below a node of the owner's tree, so that each symbol "
        "tells a band of frequencies (and, with minimality, at times which pairs are rare).",
        statements.FROM_DATA,
    ),
    (
        "A hierarchy was made from how often labels occur in the data: those below one node occur about equally often.",
        statements.FROM_DATA,
    ),
    (
        "It goes on from an earlier release, whose names keep their meaning: whoever has both sees what became "
        "coarser, so what became rare, and may find out more of somebody who is in both than either says: no "
        "guarantee holds of the two together. A symbol may stand for labels of the earlier data alone.",
        statements.GOES_ON,
    ),
    (
        "The check could not be finished, which was accepted: that the guarantee holds is not proven.",
        statements.UNDECIDED,
    ),
)
"""Sentences that earlier versions attest, and those of today."""


def todays_words(text: str) -> str:
    """Return attested limits in the words of today.

    >>> todays_words("A row was taken for a person: somebody who has several rows is not protected as one person.")
    'Each row was taken for a person: somebody with several rows is not protected as one person.'
    """
    for earlier, today in _EARLIER:
        text = text.replace(earlier, today)
    return text
