"""``anonset anonymize`` with the options of all algorithms, as for its help and for job files."""

from anonset.cli.anonymize import anonymize_command
from anonset.settings.settings import settings_model

anonymize = anonymize_command(settings_model())
