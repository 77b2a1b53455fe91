"""Privacy models: what must hold, in parameters and in words."""

from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.disassociation import DisassociationModel
from anonset.privacy.k import KAnonymity, KLDiversity, KTCloseness
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.km import KmAnonymity
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.model import Part, PrivacyModel, Verdict, Witness, require_at_least, require_share
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity

__all__ = [
    "AnatomyDiversity",
    "Coherence",
    "ConstraintSet",
    "DisassociationModel",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KLDiversity",
    "KmAnonymity",
    "KTCloseness",
    "LmDiversity",
    "Part",
    "PartitionKmAnonymity",
    "PrivacyModel",
    "SafetyConstraint",
    "TransactionKAnonymity",
    "Verdict",
    "Witness",
    "require_at_least",
    "require_share",
]
