"""Privacy models: what must hold, in parameters and in words."""

from anonset.privacy.km import KmAnonymity
from anonset.privacy.model import PrivacyModel, Verdict, Witness, require_at_least

__all__ = ["KmAnonymity", "PrivacyModel", "Verdict", "Witness", "require_at_least"]
