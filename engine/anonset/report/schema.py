"""JSON schemas of ``attestation.json`` and ``report.json``."""

from typing import Any

from anonset.errors import require_known
from anonset.release.documents import Attestation, Document, Report

_DOCUMENTS: dict[str, type[Document]] = {"attestation": Attestation, "report": Report}


def json_schema(document: str) -> dict[str, Any]:
    """Return the JSON schema of ``attestation.json`` or ``report.json``.

    >>> json_schema("attestation")["properties"]["schema_version"]["const"]
    1

    Raises
    ------
    InputError
        If there is no such document.
    """
    return _DOCUMENTS[require_known("document", document, _DOCUMENTS)].model_json_schema()
