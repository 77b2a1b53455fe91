"""Privacy models: what must hold, in parameters and in words."""

from anonset.privacy.km import KmAnonymity
from anonset.privacy.model import PrivacyModel, Verdict, Witness

__all__ = ["KmAnonymity", "PrivacyModel", "Verdict", "Witness"]
