"""JSON schemas of the documents of a publication."""

from typing import Any

from anonset.errors import InputError
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
    if document not in _DOCUMENTS:
        msg = f"document must be one of {', '.join(_DOCUMENTS)}, got {document!r}"
        raise InputError(msg)
    return _DOCUMENTS[document].model_json_schema()
