"""Checks whether an attestation agrees with its privacy model and with the published data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.errors import InputError, foreign, typed
from anonset.privacy import KmAnonymity, PrivacyModel, Verdict
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications import Published, Records
from anonset.reading.sources.files import read_bytes
from anonset.release.documents import ATTESTATION, Attestation, Declarations
from anonset.release.formats import kind_named
from anonset.release.guarantee_limits import declared_limits
from anonset.release.opened import OpenedPublication, built_model
from anonset.release.statements import parameters_of, plain, public_checks
from anonset.settings.job import Job
from anonset.verification import verify

_NO_CONSTRAINTS = plain(PrivacyPolicy(()))
_LONG = 60


def model_to_check(opened: OpenedPublication, given: Job) -> PrivacyModel:
    """Return the model to check: the attested model, with the parameters in `given` in place of its own.

    Privacy constraints are never attested, so `given` must contain them.

    Raises
    ------
    InputError
        If a parameter is invalid, or if the number of given privacy constraints differs from the attested number.
    """
    attested = opened.attested
    values, policy = _without_policy(attested.parameters), attested.parameters.get("policy")
    if policy == _NO_CONSTRAINTS and _is_blank(given.get("privacy_constraints")):
        values["privacy_constraints"] = PrivacyPolicy(())
        given = given.without("privacy_constraints")
    elif policy is not None and "privacy_constraints" not in given:
        raise InputError(
            "the attestation does not contain the privacy constraints; pass them with --privacy-constraints "
            "(their file is in the private directory)"
        )
    model = built_model(attested.model, {**values, **given}) if given else opened.model
    _require_policy(attested, model)
    return model


def _is_blank(path: str | None) -> bool:
    return path is None or (Path(path).is_file() and not read_bytes(Path(path)).strip())


def require_statements(opened: OpenedPublication) -> None:
    """Reject an attestation with a statement or a count that does not follow from the model and the data.

    Raises
    ------
    InputError
        The message names the differing field.
    """
    attested, promised, publication, data = opened.attested, opened.model, opened.publication, opened.attested.data
    limits = " ".join(declared_limits(promised, publication, attested.declarations))
    computed: dict[str, tuple[Any, Any]] = {
        "parameters": (_without_policy(attested.parameters), _without_policy(parameters_of(promised))),
        "statement": (attested.statement, promised.statement),
        "in_plain_words": (attested.in_plain_words, promised.statement),
        "limits": (attested.limits, limits),
        "counts": (attested.counts, publication.counts()),
    }
    computed |= kind_named(data.kind).stated(publication, data)
    named = attested.declarations.published_as_is or []
    computed["declarations.published_as_is"] = (named, [name for name in named if name in data.columns])
    computed |= _joint(attested.declarations, promised, publication)
    for field, (stated, expected) in computed.items():
        _require_equal(opened, field, stated, expected)


def _joint(declared: Declarations, promised: PrivacyModel, publication: Published) -> dict[str, tuple[Any, Any]]:
    """Return the stated joint guarantee, and what is possible. Only records with the model km can have one."""
    possible = isinstance(publication, Records) and isinstance(promised, KmAnonymity)
    with_earlier = declared.together_with if possible else None
    if_linked = declared.together_if_linked if with_earlier else None
    return {
        "declarations.together_with": (declared.together_with, with_earlier),
        "declarations.together_if_linked": (declared.together_if_linked, if_linked),
    }


def _without_policy(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Omit the privacy constraints, which an attestation does not contain."""
    return {name: value for name, value in parameters.items() if name != "policy"}


def _require_policy(attested: Attestation, model: PrivacyModel) -> None:
    expected, got = attested.parameters.get("policy"), parameters_of(model).get("policy")
    if expected is not None and got != expected:
        raise InputError(
            f"--privacy-constraints must be the attested constraints, {foreign(expected)}, got "
            f"{foreign(got or 'none')} (to check other constraints, pass --model)"
        )


def is_promised(attested: Attestation, model: PrivacyModel) -> bool:
    """Return True if a model equals the attested model, with equal parameters."""
    return model.name == attested.model and parameters_of(model) == attested.parameters


def require_verified(opened: OpenedPublication, verdict: Verdict | None, budget: int | None) -> None:
    """Reject an attestation if its facts about the verification differ from the facts of this verification.

    An attestation contains no facts if the owner accepted an unfinished check. It may lack counts above the budget if
    every complete record occurs at least k times, because then no count of larger item sets is needed.

    Parameters
    ----------
    verdict
        Evidence for the attested model, or None if another model was requested.
    budget
        Maximum number of itemset occurrences that this verification counts. None for the default of `verify`.

    Raises
    ------
    InputError
        The message names the differing part.
    """
    attested = opened.attested
    if attested.declarations.accepted_undecided:
        _require_equal(opened, "verified", attested.verified, {})
    elif verdict is not None and verdict.holds and attested.verified != public_checks(verdict):
        others = [other for other in (0, None) if other != budget]
        verdicts = (verify(opened.publication, verdict.model, budget=other) for other in others)
        if not any(other.holds and attested.verified == public_checks(other) for other in verdicts):
            _require_equal(opened, "verified", attested.verified, public_checks(verdict))


def _require_equal(opened: OpenedPublication, field: str, stated: Any, expected: Any) -> None:
    if stated == expected:
        return
    if isinstance(stated, Mapping) and isinstance(expected, Mapping):
        part = next(name for name in (*expected, *stated) if stated.get(name) != expected.get(name))
        field, stated, expected = f"{field}.{part}", stated.get(part, "nothing"), expected.get(part, "nothing")
    where = str(opened.out / ATTESTATION)
    got, computed = _around_difference(stated, expected), _around_difference(expected, stated)
    raise InputError(f"{where!r}: {field} does not follow from the model and the data: got {got}, not {computed}")


def _around_difference(value: Any, other: Any) -> str:
    """Return a value as text. If the text is long, return only the part around the first difference from `other`."""
    if not isinstance(value, str) or not isinstance(other, str) or max(len(value), len(other)) <= _LONG:
        return typed(value)
    differing = (position for position, (x, y) in enumerate(zip(value, other, strict=False)) if x != y)
    position = max(0, next(differing, min(len(value), len(other))) - _LONG // 2)
    part = value[position : position + _LONG]
    return f"{'…' if position else ''}{typed(part)}{'…' if position + _LONG < len(value) else ''}"
