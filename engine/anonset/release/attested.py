"""Reading an attestation, and holding it against the files, the model and the data that it speaks of."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from anonset.errors import InputError
from anonset.privacy import PrivacyModel, Verdict
from anonset.privacy.policies import PrivacyPolicy
from anonset.release.candidate import Named
from anonset.release.documents import Attestation, BucketFiles, limits_of, parameters_of, plain, public_checks
from anonset.release.formats import kind_of

_NO_CONSTRAINTS = plain(PrivacyPolicy(()))
_LONG = 60
_BUCKETS = ("qit.csv", "snt.csv")


def read_attestation(published: Path) -> Attestation | None:
    """Return the attestation of a publication directory, or None for a plain file or folder of data.

    Raises
    ------
    InputError
        If there is one and it is not what it must be.
    """
    path = published / "attestation.json"
    if not (published.is_dir() and path.is_file()):
        return None
    try:
        return Attestation.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        msg = f"{str(path)!r} is no attestation of a publication: {where}: {first['msg']}"
        raise InputError(msg) from None


def require_attested(published: Path, attested: Attestation) -> None:
    """Refuse a publication of which a file was changed since it was attested.

    Raises
    ------
    InputError
        With the file.
    """
    from anonset.io.files import digest

    data = attested.data
    if isinstance(data, BucketFiles) and data.files != _BUCKETS:
        msg = f"the attestation of {str(published)!r} must name the files {' and '.join(_BUCKETS)}, got {data.files}"
        raise InputError(msg)
    for name in (*data.files, *data.sha256):
        if Path(name).name != name:
            msg = f"the attestation of {str(published)!r} must name a file beside it, got {name!r}"
            raise InputError(msg)
        if name not in data.sha256:
            msg = f"the attestation of {str(published)!r} must hold the SHA-256 of {name!r}, which is read"
            raise InputError(msg)
    for name, expected in data.sha256.items():
        if digest(published / name) != expected:
            msg = (
                f"{str(published / name)!r} is not the file that was attested: its SHA-256 differs "
                "(to check the data anyway, name their file)"
            )
            raise InputError(msg)


def attested_parameters(attested: Attestation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attested parameters under the given ones. The attestation does not hold the privacy constraints.

    Raises
    ------
    InputError
        If there are privacy constraints, and none are given.
    """
    own, chosen = dict(attested.parameters), dict(given)
    policy = own.pop("policy", None)
    if policy == _NO_CONSTRAINTS and _is_blank(given.get("privacy_constraints")):
        chosen["privacy_constraints"] = PrivacyPolicy(())
    elif policy is not None and "privacy_constraints" not in given:
        msg = (
            "the attestation does not hold the privacy constraints; name them with --privacy-constraints "
            "(their file lies in the private directory)"
        )
        raise InputError(msg)
    return {**own, **chosen}


def _is_blank(path: str | None) -> bool:
    """Tell whether no file is given, or one that holds nothing."""
    from anonset.io.files import read_bytes

    return path is None or (Path(path).is_file() and not read_bytes(Path(path)).strip())


def require_said(published: Path, attested: Attestation, promised: PrivacyModel, named: Named) -> None:
    """Refuse an attestation whose words or counts are not what its model and the data give.

    Raises
    ------
    InputError
        With the field that differs.
    """
    data = attested.data
    computed = {
        "statement": (attested.statement, promised.statement),
        "limits": (attested.limits, limits_of(promised, named)),
        "counts": (attested.counts, kind_of(promised).counts(named)),
    }
    if isinstance(data, BucketFiles):
        computed["data.sensitive"] = (data.sensitive, named.publication.snt_value.name)
    for field, (found, expected) in computed.items():
        _require_equal(published, field, found, expected)


def require_policy(attested: Attestation, model: PrivacyModel) -> None:
    """Refuse other privacy constraints than those that were attested, as far as their number tells.

    Raises
    ------
    InputError
        With both numbers.
    """
    expected, got = attested.parameters.get("policy"), parameters_of(model).get("policy")
    if expected is not None and got != expected:
        msg = (
            f"--privacy-constraints must be those that were attested, {expected}, got {got or 'none'} "
            "(to check others, name the --model)"
        )
        raise InputError(msg)


def is_promised(attested: Attestation, model: PrivacyModel) -> bool:
    """Tell whether a model is the one that is attested, with its parameters."""
    return model.name == attested.model and parameters_of(model) == attested.parameters


def require_verified(published: Path, attested: Attestation, verdict: Verdict) -> None:
    """Refuse an attestation that says of its verification what a second one does not, if both were finished.

    Raises
    ------
    InputError
        With the part that differs.
    """
    if verdict.holds and attested.verdict == "holds" and is_promised(attested, verdict.model):
        computed = json.loads(json.dumps(public_checks(verdict)))
        _require_equal(published, "verified", attested.verified, computed)


def _require_equal(published: Path, field: str, found: Any, expected: Any) -> None:
    if found == expected:
        return
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        part = next(name for name in (*expected, *found) if found.get(name) != expected.get(name))
        field, found, expected = f"{field}.{part}", found.get(part, "nothing"), expected.get(part, "nothing")
    where = str(published / "attestation.json")
    msg = f"{where!r}: {field} is not what the model and the data give: got {_cut(found, expected)}, not "
    raise InputError(msg + _cut(expected, found))


def _cut(value: Any, other: Any) -> str:
    """Return a value as text; of a long text the part where it begins to differ from another."""
    if not isinstance(value, str) or not isinstance(other, str) or max(len(value), len(other)) <= _LONG:
        return repr(value)
    differing = (at for at, (x, y) in enumerate(zip(value, other, strict=False)) if x != y)
    at = max(0, next(differing, min(len(value), len(other))) - _LONG // 2)
    part = value[at : at + _LONG]
    return f"{'…' if at else ''}{part!r}{'…' if at + _LONG < len(value) else ''}"
