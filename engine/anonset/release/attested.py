"""Reading an attestation, and holding it against the files, the model and the data that it speaks of."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from anonset.data.store import MEMORY, Files, Store
from anonset.errors import InputError, datum, foreign
from anonset.generalization.buckets import AnyPublication, BucketPublication
from anonset.generalization.publication import Publication
from anonset.privacy import PrivacyModel, Verdict
from anonset.privacy.policies import PrivacyPolicy
from anonset.release.documents import (
    ATTESTATION,
    CODEBOOK,
    Attestation,
    BucketFiles,
    DataFile,
    declared_limits,
    parameters_of,
    plain,
    public_checks,
)
from anonset.release.publish import kind_of
from anonset.release.records import is_separated
from anonset.strict_json import loads

_NO_CONSTRAINTS = plain(PrivacyPolicy(()))
_LONG = 60
_MANY = 6


def read_attestation(published: Path) -> Attestation | None:
    """Return the attestation of a publication directory, or None for a plain file or folder of data.

    Raises
    ------
    InputError
        If there is one and it is not what it must be.
    """
    path = published / ATTESTATION
    if not published.is_dir() or not os.path.lexists(path):
        return None
    _require_own_file(path)
    try:
        text = path.read_bytes()
        found = Attestation.model_validate_json(text)
        loads(text)
        return found
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        msg = f"{str(path)!r} is no attestation of a publication: {where}: {first['msg']}"
        raise InputError(msg) from None
    except ValueError as error:
        msg = f"{str(path)!r} is no attestation of a publication: {foreign(error)}"
        raise InputError(msg) from None


@contextmanager
def place_of_parts(attested: Attestation | None, parent: str | os.PathLike[str] | None = None) -> Iterator[Store]:
    """Give a store for a publication: one in parts, which may be larger than memory, lies in a temporary directory.

    Parameters
    ----------
    parent
        Where it is to lie in any case, whatever is published.
    """
    if parent is None and (attested is None or attested.data.parts is None):
        yield MEMORY
    else:
        with Files.temporary() if parent is None else Files.of(parent).below().taken() as store:
            yield store


def require_attested(published: Path, attested: Attestation) -> None:
    """Refuse a publication of which a file was changed since it was attested, or that holds anything else.

    Raises
    ------
    InputError
        With the file.
    """
    from anonset.io.files import digest

    data = attested.data
    named = data.data_files if isinstance(data, BucketFiles) else (*data.data_files, CODEBOOK)
    if named != data.files or set(data.sha256) != set(data.files):
        must = f"must name {_listed(data.files, ' and ')}, and hold the SHA-256 of each"
        got = f"{_listed(named, ' and ')}, and the SHA-256 of {_listed(data.sha256) or 'none'}"
        msg = f"the attestation of {str(published)!r} {must}, got {got}"
        raise InputError(msg)
    known = {*data.files, ATTESTATION}
    for path in _entries(published, known):
        if path.relative_to(published).as_posix() not in known:
            msg = (
                f"{str(path)!r} is not attested; a publication holds {_listed(sorted(known))} and nothing else: "
                "remove it, or take the publication from where it came from"
            )
            raise InputError(msg)
    for name in data.files:
        _require_own_file(published / name)
        if digest(published / name) != data.sha256[name]:
            msg = (
                f"{str(published / name)!r} is not the file that was attested: its SHA-256 differs "
                "(to check the data anyway, name their file)"
            )
            raise InputError(msg)


def _listed(names: Iterable[str], between: str = ", ") -> str:
    """Return names as text, the middle ones of many left out."""
    found = list(names)
    return between.join(found if len(found) <= _MANY else [*found[:2], "…", *found[-2:]])


def _entries(published: Path, known: set[str]) -> list[Path]:
    """Return what lies in a publication, and in the folder of its parts, if it has one."""
    folders = {Path(name).parent.as_posix() for name in known} - {"."}
    found = sorted(published.iterdir())
    parts = [path for path in found if path.name in folders and path.is_dir() and not path.is_symlink()]
    return [path for path in found if path not in parts] + [path for part in parts for path in sorted(part.iterdir())]


def _require_own_file(path: Path) -> None:
    """Refuse what is no file of the publication's own: a link may lead to one thing today and to another tomorrow."""
    if not os.path.lexists(path):
        msg = f"{path}: no such file or directory"
        raise InputError(msg)
    if not stat.S_ISREG(path.lstat().st_mode):
        msg = f"{str(path)!r} must be a regular file that lies in the publication, and no link, directory or device"
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


def require_statements(
    published: Path, attested: Attestation, promised: PrivacyModel, publication: AnyPublication
) -> None:
    """Refuse an attestation whose words or counts are not what its model and the data give.

    Raises
    ------
    InputError
        With the field that differs.
    """
    data = attested.data
    limits = " ".join(declared_limits(promised, publication, attested.declarations))
    computed: dict[str, tuple[Any, Any]] = {
        "parameters": (_but_policy(attested.parameters), _but_policy(parameters_of(promised))),
        "statement": (attested.statement, promised.statement),
        "in_plain_words": (attested.in_plain_words, promised.in_plain_words),
        "limits": (_in_words_of_today(attested.limits, limits), limits),
        "counts": (attested.counts, kind_of(promised).counts(publication)),
    }
    if isinstance(data, BucketFiles) and isinstance(publication, BucketPublication):
        computed["data.sensitive"] = (data.sensitive, publication.snt_value.name)
    elif isinstance(data, DataFile) and isinstance(publication, Publication):
        computed["data.separator"] = (
            data.separator,
            data.separator if is_separated(publication, data.format) else None,
        )
        if data.format == "dat":
            computed["data.items"] = (data.items, ["items"])
    for field, (found, expected) in computed.items():
        _require_equal(published, field, found, expected)


def _in_words_of_today(attested: str, expected: str) -> str:
    """Return attested limits, which a version of before may have put otherwise."""
    if attested == expected:
        return attested
    from anonset.release.earlier_words import todays_words

    return todays_words(attested)


def _but_policy(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters without the privacy constraints, which are not attested themselves."""
    return {name: value for name, value in parameters.items() if name != "policy"}


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
            f"--privacy-constraints must be those that were attested, {foreign(expected)}, got "
            f"{foreign(got or 'none')} (to check others, name the --model)"
        )
        raise InputError(msg)


def is_promised(attested: Attestation, model: PrivacyModel) -> bool:
    """Tell whether a model is the one that is attested, with its parameters."""
    return model.name == attested.model and parameters_of(model) == attested.parameters


def require_verified(published: Path, attested: Attestation, publication: Any, seen: Verdict | None) -> None:
    """Refuse an attestation that says of its verification what another one does not.

    Where it was accepted that the check could not be finished, it may say nothing. Records that all occur often need no
    counting, which is left out where it is beyond the budget: what is attested may have been counted, or not.

    Parameters
    ----------
    seen
        The evidence of the attested model; None where another one was asked for.

    Raises
    ------
    InputError
        With the part that differs.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    if attested.declarations.accepted_undecided:
        _require_equal(published, "verified", attested.verified, {})
    elif seen is not None and seen.holds and attested.verified != public_checks(seen):
        again = (verify(publication, seen.model, budget=budget) for budget in (0, DEFAULT_BUDGET))
        if not any(other.holds and attested.verified == public_checks(other) for other in again):
            _require_equal(published, "verified", attested.verified, public_checks(seen))


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
        return datum(value)
    differing = (at for at, (x, y) in enumerate(zip(value, other, strict=False)) if x != y)
    at = max(0, next(differing, min(len(value), len(other))) - _LONG // 2)
    part = value[at : at + _LONG]
    return f"{'…' if at else ''}{datum(part)}{'…' if at + _LONG < len(value) else ''}"
