"""Random cases of all algorithms, compared with the contents of the published files.

``ANONSET_FUZZ=500 ANONSET_FUZZ_FROM=1000 python -m pytest tests/fuzz`` runs 500 cases from seed 1000. Repeat a failed
case by its seed: ``ANONSET_FUZZ=1 ANONSET_FUZZ_FROM=SEED``. ``ANONSET_FUZZ_OF=NAME`` selects an algorithm.
"""

import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.facts import refused

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import spans
from anonset.errors import InputError
from anonset.jobs.verify import check
from anonset.reading.formats import text_chunks
from anonset.strict_json import loads
from fuzz import changes, oracles, refusals, truth
from fuzz.chunks import files_of, require_chunks
from fuzz.draws import BUCKETS, IN_CHUNKS, NAMES, Case, case_of
from fuzz.files import checks_of
from fuzz.jobs import Ran, anonymized, chance, evaluated, policy_file, policy_of, refused_to_verify, verified
from fuzz.published import Records, attestation_of, records_of, tables_of, write_lines

pytestmark = pytest.mark.long

FOLLOWED = (
    *("exact", "apriori", "direct", "optimal", "vpa", "hghs", "mhghs"),
    *("coherence-suppression", "coat", "pcta"),
)
"""Algorithms whose recoding a later release can continue."""
FIRST = int(os.environ.get("ANONSET_FUZZ_FROM", "0"))
OF_A_CLUSTER = 5 * len(NAMES)
"""First seed that runs on a cluster. `make test` does not reach it: a cluster takes seconds to start."""
SEEDS = [
    seed
    for seed in range(FIRST, FIRST + int(os.environ.get("ANONSET_FUZZ", str(5 * len(NAMES)))))
    if NAMES[seed % len(NAMES)] == os.environ.get("ANONSET_FUZZ_OF", NAMES[seed % len(NAMES)])
]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_publications_verify_and_show_no_private_text(
    seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    case = case_of(seed)
    ran = anonymized(case, tmp_path)
    record_property("algorithm", case.algorithm)
    record_property("exit code", ran.code)
    assert not truth.holds_any([ran.said], case.private_texts), "what is said shows an id or what was dropped"
    if ran.code:
        require_refused(case, ran)
        return
    require_files(case, ran)
    if case.algorithm in IN_CHUNKS:
        require_chunks(case, ran)
    elif case.algorithm in BUCKETS:
        require_buckets(case, ran)
    else:
        require_records(case, ran)
    require_agreement(case, ran)
    if seed % 5 == 0:
        require_same_bytes(case, ran)
    if case.algorithm in FOLLOWED and seed % 3 == 0:
        require_next_release(case, ran)


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_publishes(name: str, tmp_path: Path) -> None:
    """For every algorithm at least one case succeeds: rejected cases test little."""
    folders = [tmp_path / str(seed) for seed in range(NAMES.index(name), 10 * len(NAMES), len(NAMES))]
    for folder in folders:
        folder.mkdir()
    assert any(not anonymized(case_of(int(folder.name)), folder).code for folder in folders)


def require_refused(case: Case, ran: Ran) -> None:
    """Check that a rejected case prints a one-line message and has the right exit code and no leftover files."""
    assert ran.code in (1, 2, 3)
    assert ran.said
    assert "\n" not in ran.said
    assert not [name for name in ran.given if "_" in name and name in ran.said], "an option is named as in Python"
    remaining = {path.name for path in ran.out.parent.iterdir()}
    assert not {name for name in remaining if "out" in name}, "something is left behind"
    is_limited = case.layout.get("max_work") is not None
    assert ran.code != 2 or refusals.is_unfit(ran.said) or (is_limited and "--max-work" in ran.said), ran.said
    assert ran.code != 3 or is_limited, ran.said
    assert ran.code != 1 or refusals.cannot_be(case, ran.said), ran.said
    if advice := refusals.advice_of(ran.said):
        repeated = anonymized(case, ran.out.parent, **advice, accept=["worthless"], max_loss=None, max_work=None)
        assert repeated.code == 0, f"{ran.said}: {advice} gives {repeated.said}"


def require_same_bytes(case: Case, ran: Ran) -> None:
    """Check that threads, processes and small blocks do not change the published bytes."""
    if case.algorithm in BUCKETS and "seed" not in case.parameters:
        return
    more: dict[str, Any] = {"workers": 3}
    at_once = case.parameters.get("privacy_constraints", "km") != "km"  # a list of constraints keeps coat in memory
    at_once |= case.parameters.get("clustering") == "horpart"
    traits = traits_of(ALGORITHMS[case.algorithm])
    by_blocks = traits.by_blocks and not at_once
    if by_blocks and traits.on_workers and case.seed % 1000 == OF_A_CLUSTER:
        more = {"cluster": "local:2"}
    elif by_blocks and chance(case, "blocks").random() < 0.7:
        more = {"work_dir": f"{ran.out}-work"}
    with pytest.MonkeyPatch.context() as patch:
        if "work_dir" in more:
            patch.setattr(spans, "AT_ONCE", 7)
            patch.setattr(text_chunks, "BYTES_AT_ONCE", 50)
        repeated = anonymized(case, ran.out.parent, out=f"{ran.out}-again", **more)
    assert repeated.code == 0, (more, repeated.said)
    assert _bytes_of(ran.out) == _bytes_of(repeated.out)


def _bytes_of(out: Path) -> dict[str, bytes]:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def require_next_release(case: Case, ran: Ran) -> None:
    """Check that a release that continues this release verifies, or is rejected."""
    repeated = anonymized(case, ran.out.parent, out=f"{ran.out}-next", recoding=str(ran.private))
    assert repeated.code in (0, 1), repeated.said
    if repeated.code == 0:
        require_files(case, repeated)
        require_records(case, repeated)


def require_files(case: Case, ran: Ran) -> None:
    """Check file names, modes and digests, and that no private text is published."""
    attested = attestation_of(ran.out)
    data = attested["data"]
    assert attested["declarations"]["unit"] == case.attested_unit
    names = {path.relative_to(ran.out).as_posix() for path in ran.out.rglob("*") if path.is_file()}
    assert names == {*data["sha256"], "attestation.json"}
    for name, digest in data["sha256"].items():
        assert sha256((ran.out / name).read_bytes()).hexdigest() == digest
    texts = [(ran.out / name).read_bytes().decode("utf-8", "replace") for name in names]
    if case.algorithm in IN_CHUNKS:
        texts.append(repr(files_of(ran.out)))
    elif data.get("format") == "parquet":
        texts.append(repr(records_of(ran.out / data["file"], data, ran.out / "codebook.csv").columns))
    assert not truth.holds_any(texts, case.private_texts), "the publication shows an id or what was dropped"
    assert not truth.holds_any(texts, [str(ran.out.parent)])
    for path in ran.private.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(ran.private.stat().st_mode) == 0o700
    report = loads((ran.private / "report.json").read_text("utf-8"))
    assert report["algorithm"] == case.algorithm
    options = {name: case.parameters[name] for name in ("k", "m", "l", "p") if name in case.parameters}
    assert {name: attested["parameters"].get(name, value) for name, value in options.items()} == options
    if case.layout["max_loss"] is not None:
        assert next(iter(report["measures"].values())) <= case.layout["max_loss"] + 1e-9


def require_records(case: Case, ran: Ran) -> None:
    """Check published records by brute force, and check that a changed cell is detected."""
    attested = attestation_of(ran.out)
    published = records_of(ran.out / attested["data"]["file"], attested["data"], ran.out / "codebook.csv")
    record = truth.require_way_back(case, published, ran.private)
    truth.require_sound_book(case, published)
    assert not truth.untrue(case, published, record)
    assert attested["counts"] == {"records": published.n, "symbols": len(published.book)}
    policy = policy_of(case)
    assert oracles.holds(attested, published, policy), "the model does not hold"
    if published.n:
        require_caught(case, ran, attested, published, policy, record)


def require_caught(
    case: Case, ran: Ran, attested: dict[str, Any], published: Records, policy: list[list[str]], record: list[int]
) -> None:
    """Change a cell: `verify` must agree with brute force."""
    changed = changes.with_another_cell(published, chance(case, "change"))
    data, model = attested["data"], attested["model"]
    separator = data["separator"] or case.layout["separator"]
    honest = (ran.out / data["file"]).read_bytes()
    changes.write(changed, ran.out / data["file"], separator)
    with refused(InputError, f"{ran.out / data['file']} attested"):
        check(ran.out, policy_file(case, ran))
    elsewhere = ran.out.with_name(f"changed.{data['format']}")
    (ran.out / data["file"]).rename(elsewhere)
    (ran.out / data["file"]).write_bytes(honest)
    roles = {name: data[name] for name in ("items", "relational", "keep")}
    options = {**checks_of(case, ran.given), **roles, "separator": separator, **policy_file(case, ran)}
    options |= {name: value for name, value in attested["parameters"].items() if name != "policy"}
    options |= {"model": "km" if model == "partition-km" else model, "codebook": str(ran.out / "codebook.csv")}
    verdict = refused_to_verify(elsewhere, options)
    if verdict is None:
        return
    expected = oracles.holds({**attested, "model": options["model"]}, changed, policy)
    assert verdict.verdict.holds is expected, f"verify says {verdict.verdict}"
    untrue = truth.untrue(case, changed, record)
    assert (verdict.untrue is not None) == bool(untrue), f"verify says {verdict.untrue}, not {untrue!r}"


def require_buckets(case: Case, ran: Ran) -> None:
    """Check published buckets by brute force, and check that a changed cell is detected."""
    attested, tables = attestation_of(ran.out), tables_of(ran.out)
    data = attested["data"]
    truth.require_true_buckets(case, tables, data, ran.private)
    assert oracles.buckets_hold(attested, tables), "the model does not hold"
    assert attested["counts"] == {"records": len(tables.qit), "groups": len({row["group"] for row in tables.qit})}
    if not tables.qit:
        return
    changed = changes.buckets_with_another_cell(tables, data, chance(case, "change"))
    elsewhere = ran.out.with_name("changed")
    elsewhere.mkdir()
    write_lines(elsewhere / "qit.csv", changed.qit)
    write_lines(elsewhere / "snt.csv", changed.snt)
    roles = {"id": data["id"], "keep": data["keep"], "model": attested["model"]}
    verdict = refused_to_verify(elsewhere, {**roles, **attested["parameters"]})
    if verdict is not None:
        assert verdict.verdict.holds is oracles.buckets_hold(attested, changed), f"verify says {verdict.verdict}"


def require_agreement(case: Case, ran: Ran) -> None:
    """Check that `verify` and `evaluate` report the same figures as the job."""
    for verification in (
        () if case.algorithm in IN_CHUNKS else verified(case, ran)
    ):  # for chunks, require_chunks compares them
        assert verification.verdict.holds is True, verification.verdict
        assert verification.holds is True, verification.untrue or verification.beyond_utility
    report = loads((ran.private / "report.json").read_text("utf-8"))
    measured = evaluated(case, ran)
    shared = set(measured.measures) & set(report["measures"])
    assert shared
    assert {name: measured.measures[name] for name in shared} == pytest.approx(
        {name: report["measures"][name] for name in shared}
    )
