"""Text and JSON data with the results of ``anonset verify``."""

from typing import TYPE_CHECKING, Any

from anonset.analysis.individuals import MOST_CORRELATED
from anonset.errors import plain_text
from anonset.release.documents import unit_in_words
from anonset.release.statements import parameters_of, plain
from anonset.report.account import coverage
from anonset.spelling import counted, name_ranges, printable, setting

if TYPE_CHECKING:
    from anonset.jobs.check import PublicationCheck


_SHOWN = 3


def check_summary(check: "PublicationCheck") -> dict[str, Any]:
    """Return the results of a verification as JSON data."""
    verdict = check.verdict
    summary: dict[str, Any] = {
        "model": verdict.model.name,
        "parameters": parameters_of(verdict.model),
        "verdict": verdict.outcome,
        "roles": check.roles,
        **({} if check.unit is None else {"unit": check.unit}),
        **({"published_as_is": check.as_is} if check.as_is else {}),
        "verified": verdict.checked,
        "witness": verdict.witness,
    }
    if check.truth_checked:
        summary["true"] = None if check.undecided else check.untrue is None
        summary["undecided"] = check.undecided or None
        summary["untrue"] = check.untrue
        summary["suppressed"] = None if check.suppressed is None else float(check.suppressed)
        summary["beyond_utility"] = check.beyond_utility or None
    if check.joint_checked is not None:
        summary["joint_guarantee"] = check.few_in_both is None if check.joint_checked else None
        summary["few_in_both"] = check.few_in_both
    if check.correlations is not None:
        summary["correlations"] = {kind: violations.listed for kind, violations in check.correlations.items()}
        summary["correlations_found"] = {kind: violations.number for kind, violations in check.correlations.items()}
    made: dict[str, Any] = plain(summary)
    for violations in (made.get("correlations") or {}).values():
        for violation in violations:  # omit the individual, because owners of the data only need the row number
            del violation["individual"]
    return made


def check_account(check: "PublicationCheck") -> list[str]:
    """Return the results of a verification as lines of text."""
    verdict = check.verdict
    alone = " for this release alone" if check.joint_checked is False and verdict.holds else ""
    lines = [f"{verdict}{alone}", *_joint(check), _columns(check)]
    if check.unit is not None:
        lines.append(f"unit: {unit_in_words(check.unit, verdict.model, check.roles.get('identifiers', []))}")
    if check.as_is:
        lines.append(f"published as is: {', '.join(check.as_is)}, as declared")
    covered = coverage(verdict)
    if covered and verdict.holds is not None:
        lines.append(f"verified: {covered}")
    if check.untrue is not None:
        lines.append(f"does not match the original: {check.untrue}")
        lines += [] if check.by_records else [_IN_ORDER]
    elif check.undecided:
        lines.append(f"match with the original undecided: {check.undecided}")
    elif check.truth_checked:
        lines.append("matches the original")
    if check.suppressed is not None:
        bound = "" if check.max_suppressed is None else f", maximum {float(check.max_suppressed):.1%}"
        lines.append(f"suppressed: {float(check.suppressed):.1%} of the items{bound}")
    if check.beyond_utility:
        lines.append(f"utility constraints: {check.beyond_utility}")
    for kind, violations in (check.correlations or {}).items():
        lines.append(f"correlations, {kind.replace('_', ' ')}: {counted(violations.number, 'violation')}")
        lines += [f"  {_violation(violation)}" for violation in violations.listed[:_SHOWN]]
        lines += ["  ..."] if violations.number > _SHOWN else []
    if check.too_large:
        lines.append(f"correlations: not searched, limit {MOST_CORRELATED:,} rows")
    return [printable(plain_text(line)) for line in lines]


def _joint(check: "PublicationCheck") -> list[str]:
    """Return a line on the guarantee together with an earlier release, if the attestation states one."""
    if check.joint_checked is None:
        return []
    if not check.joint_checked:
        how = f"pass {setting('after', 'PRIVATE')} of the earlier release"
        return [f"guarantee together with the earlier release: NOT CHECKED; {how}"]
    if check.few_in_both is not None:
        return [f"guarantee together with the earlier release: does not hold: {check.few_in_both}"]
    return ["guarantee together with the earlier release: holds"]


_IN_ORDER = "rows were compared in file order; if the publication is sorted, pass its record numbers with --records"


def _columns(check: "PublicationCheck") -> str:
    """Return the columns by role, so that users notice if a role has changed."""
    columns_of = {role.replace("_", " "): ", ".join(name_ranges(names)) for role, names in check.roles.items() if names}
    texts = [f"{role}: {names}" for role, names in columns_of.items()]
    return f"columns: {'; '.join(texts)}".replace("quasi identifiers", "quasi-identifiers")


def _violation(violation: Any) -> str:
    from anonset.measures.correlation import IntraGroupViolation

    individual = f"the individual of row {violation.row} of qit.csv"
    if isinstance(violation, IntraGroupViolation):
        return (
            f"of {violation.size} tuples of group {violation.group}, {violation.count} have the value "
            f"{violation.value!r} and {violation.tuples} belong to {individual}: at least {violation.certain} have "
            "the value and belong to this individual"
        )
    return f"{violation.value!r} occurs in {violation.groups_with} of the {violation.groups} groups of {individual}"
