"""What the package gives: each name with its home, once. `anonset.lazy_names` reads this file."""

from anonset.privacy.anatomy import AnatomyDiversity as AnatomyDiversity
from anonset.privacy.classes import KLDiversity as KLDiversity
from anonset.privacy.classes import KTCloseness as KTCloseness
from anonset.privacy.coherence import Coherence as Coherence
from anonset.privacy.constraints import ConstraintSet as ConstraintSet
from anonset.privacy.disassociation import DisassociationModel as DisassociationModel
from anonset.privacy.k import KAnonymity as KAnonymity
from anonset.privacy.kkm import KKmAnonymity as KKmAnonymity
from anonset.privacy.km import KmAnonymity as KmAnonymity
from anonset.privacy.lm import KLmDiversity as KLmDiversity
from anonset.privacy.lm import LmDiversity as LmDiversity
from anonset.privacy.model import Part as Part
from anonset.privacy.model import PrivacyModel as PrivacyModel
from anonset.privacy.model import Verdict as Verdict
from anonset.privacy.model import Witness as Witness
from anonset.privacy.model import require_at_least as require_at_least
from anonset.privacy.model import require_share as require_share
from anonset.privacy.partitions import PartitionKmAnonymity as PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty as RhoUncertainty
from anonset.privacy.safe_grouping import SafetyConstraint as SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity as TransactionKAnonymity
